/* Which launches are counted: those that the options name. */
#include <regex.h>
#include <stdio.h>

#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/results_priv.h"

struct host_selection {
    bool has_filter;
    regex_t filter; /* valid with has_filter: on the name, mangled or not */
    uint64_t index; /* launches that passed the filter so far; the engine's thread alone */
};

void host_selection_set(host_context *c)
{
    if (!c->selection) c->selection = lw_alloc(sizeof *c->selection);
    if (c->selection->has_filter) regfree(&c->selection->filter);
    *c->selection = (host_selection){0};
    const char *pattern = c->options.kernels;
    if (!pattern) return;
    c->selection->has_filter = !regcomp(&c->selection->filter, pattern, REG_EXTENDED | REG_NOSUB);
    if (!c->selection->has_filter)
        fprintf(stderr, "lanewise: '%s' is not a valid regular expression; every kernel is counted\n", pattern);
}

static bool passes_filter(host_context *c, host_kernel *k)
{
    return !c->selection->has_filter || !regexec(&c->selection->filter, host_kernel_demangled(k), 0, NULL, 0) ||
           !regexec(&c->selection->filter, k->name, 0, NULL, 0);
}

static bool in_range(const host_context *c)
{
    uint64_t index = c->selection->index;
    return index >= c->options.launch_skip && index - c->options.launch_skip < c->options.launch_count;
}

bool host_selection_has(host_context *c, host_kernel *k)
{
    return !c->options.no_report && host_log(c) && passes_filter(c, k) && in_range(c);
}

bool host_selection_take(host_context *c, host_kernel *k)
{
    if (c->options.no_report || !host_log(c)) return false;
    if (!passes_filter(c, k)) {
        result_log_uncounted(host_log(c), host_kernel_demangled(k), RESULT_NOT_SELECTED);
        return false;
    }
    bool wanted = in_range(c);
    c->selection->index++;
    if (!wanted) result_log_uncounted(host_log(c), host_kernel_demangled(k), RESULT_NOT_IN_RANGE);
    return wanted;
}
