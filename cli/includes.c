/* includes: which files a source is made of, so that a cached program is used only while none of them changed. Finds
 * `#include "x"` and `#include <x>` beside the including file and in the -I directories; what is found nowhere there
 * belongs to a toolkit or the system and is covered by the compiler's identity. Conditions are not evaluated: a file
 * too many costs a needless compilation, never a stale program. Limit: an include whose name is a macro is not seen. */
#include "cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FILES 4096

static bool known(const words *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++)
        if (!strcmp(files->items[i], path)) return true;
    return false;
}

static void add_file(words *files, const char *path)
{
    char *real = real_path(path);
    if (real && files->count < MOST_FILES && !known(files, real)) words_add(files, real);
}

static void found_include(const char *from, const char *name, size_t size, const words *directories, words *files)
{
    const char *slash = strrchr(from, '/');
    if (name[0] == '/') {
        add_file(files, text_of("%.*s", (int)size, name));
        return;
    }
    const char *beside = text_of("%.*s/%.*s", slash ? (int)(slash - from) : 1, slash ? from : ".", (int)size, name);
    add_file(files, beside);
    for (size_t i = 0; i < directories->count; i++)
        add_file(files, text_of("%s/%.*s", directories->items[i], (int)size, name));
}

/* Looks at one line for an include directive. */
static void scan_line(const char *from, const char *line, const char *end, const words *directories, words *files)
{
    while (line < end && isblank((unsigned char)*line)) line++;
    if (line == end || *line++ != '#') return;
    while (line < end && isblank((unsigned char)*line)) line++;
    if (end - line < 8 || strncmp(line, "include", 7)) return;
    line += 7;
    while (line < end && isblank((unsigned char)*line)) line++;
    if (line == end || (*line != '"' && *line != '<')) return;
    char close = *line++ == '"' ? '"' : '>';
    const char *stop = memchr(line, close, (size_t)(end - line));
    if (stop) found_include(from, line, (size_t)(stop - line), directories, files);
}

static void scan(const char *path, const words *directories, words *files)
{
    size_t size = 0;
    char *text = file_read(path, &size);
    for (const char *line = text; line && line < text + size;) {
        const char *end = memchr(line, '\n', (size_t)(text + size - line));
        if (!end) end = text + size;
        scan_line(path, line, end, directories, files);
        line = end + 1;
    }
    free(text);
}

void includes_of(const words *sources, const words *directories, words *files)
{
    for (size_t i = 0; i < sources->count; i++) add_file(files, text_of("%s", sources->items[i]));
    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->items[i];
        if (!ends_with(path, ".o") && !ends_with(path, ".a") && !ends_with(path, ".so")) scan(path, directories, files);
    }
}
