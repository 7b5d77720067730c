/* Places in the program, as the text report names them. */
#include <string.h>

#include "report/place.h"
#include "report/text.h"

const char *text_file(const report_page *page, const char *file) { return report_place_file(page->cwd, file); }

const char *report_place_file(const char *cwd, const char *file)
{
    size_t n = cwd ? strlen(cwd) : 0;
    if (!file) return "?";
    if (n > 1 && !strncmp(file, cwd, n) && file[n] == '/') return file + n + 1;
    /* A library's header: as one would include it. */
    const char *name = NULL;
    for (const char *at = file; *file == '/' && (at = strstr(at, "/include/")); at++) name = at + strlen("/include/");
    return name && *name ? name : file;
}

static void note_changed(report_page *page, const char *file)
{
    for (size_t i = 0; i < page->changed.count; i++)
        if (!strcmp(page->changed.items[i], file)) return;
    lw_vec_push(&page->changed, file);
}

const char *text_source(report_page *page, const char *file, uint32_t line)
{
    if (page->no_source) return NULL;
    const char *text = report_source_line(&page->sources, file, line);
    if (!text || !page->built || report_source_written(&page->sources, file) <= page->built) return text;
    note_changed(page, file);
    return NULL;
}

const char *text_kernel(report_page *page, const char *name)
{
    static const char tag[] = "[abi:";
    const char *at;
    if (!name) return "?";
    if (!strncmp(name, "void ", 5)) name += 5;
    while ((at = strstr(name, tag)) && strchr(at, ']'))
        name = lw_arena_printf(&page->arena, "%.*s%s", (int)(at - name), name, strchr(at, ']') + 1);
    return name;
}
