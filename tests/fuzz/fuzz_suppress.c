/* Fuzz target: any bytes as a file of suppressions, applied to two findings. Nothing may crash; a file that is refused
 * drops nothing and is named in one line; the line that is generated for a finding drops it. */
#include "result/result.h"

#include <stdlib.h>
#include <string.h>

static const result_related other = {.message = "the other side", .file = "/src/b.cu", .line = 7};

static result_set two_findings(void)
{
    result_set set = {0};
    result_finding race = {.check = "racecheck",
                           .severity = "error",
                           .message = "a race",
                           .kernel = "sum(int*, [x]\\)",
                           .file = "/src/a.cu",
                           .line = 12,
                           .related = &other,
                           .related_count = 1};
    result_finding call = {.check = "api", .severity = "note", .message = "a call"};
    lw_vec_push(&set.findings, race);
    lw_vec_push(&set.findings, call);
    return set;
}

static void generated_lines_fit(void)
{
    result_set set = two_findings();
    lw_text lines = {0};
    for (size_t k = 0; k < set.findings.count; k++) result_suppression_of(&set.findings.items[k], &lines);
    if (result_suppress(&set, "own", lines.data, lines.size, NULL) || set.findings.count) abort();
    lw_text_free(&lines);
    result_set_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    result_set set = two_findings();
    lw_error error = {0};
    if (result_suppress(&set, "file", (const char *)data, size, &error)) {
        if (set.findings.count != 2 || !*error.message || strchr(error.message, '\n')) abort();
    } else if (set.findings.count + set.suppressed != 2) {
        abort();
    }
    result_set_free(&set);
    generated_lines_fit();
    return 0;
}
