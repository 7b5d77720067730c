/* The PTX of a kernel by source line, as the page of --html shows it beside the source: a text of lines,
 *
 *   F <tab> file                                    the lines below belong to it
 *   line <tab> warp instructions <tab> instruction  in the order of the PTX
 */
#include "host/ptx_lines_priv.h"

#include <string.h>

#include "host/sites_priv.h"

enum {
    MOST_LAUNCHES = 16, /* of a kernel that get its PTX: configurations have counts of their own */
    MOST_BYTES = 1 << 20
};

/* On one line, without tabs. */
static void add_instruction(const code_site *site, lw_text *out)
{
    lw_text text = {0};
    ptx_print_insn(site->module, site->function, site->insn, &text);
    for (size_t k = 0; k < text.size; k++)
        if ((unsigned char)text.data[k] < ' ') text.data[k] = ' ';
    const char *begin = text.data + strspn(text.data, " ");
    lw_text_add(out, "%s\n", begin);
    lw_text_free(&text);
}

bool host_ptx_lines(const host_context *context, host_kernel *kernel, const exec_result *result, lw_text *out)
{
    const code_kernel *code = kernel->code;
    const char *file = NULL;
    if (!context->options.samples || !result->site_inst || kernel->pages == MOST_LAUNCHES) return false;
    kernel->pages++;
    for (uint32_t k = 0; k < code->site_count && out->size < MOST_BYTES; k++) {
        const host_site_place *place = host_site_of(kernel->sites, code, k);
        const char *name = place->ptx || !place->file ? code->sites[k].module->name : place->file;
        if (!file || strcmp(file, name)) lw_text_add(out, "F\t%s\n", name);
        file = name;
        lw_text_add(out, "%u\t%llu\t", place->line, (unsigned long long)result->site_inst[k]);
        add_instruction(&code->sites[k], out);
    }
    return out->size > 0;
}
