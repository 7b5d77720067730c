/* includes: which files a source is made of, so that a cached program is used only while none of them changed. Finds
 * `#include "x"` and `#include <x>` beside the including file and in the -I directories; what is found nowhere there
 * belongs to a toolkit or the system and is covered by the compiler's identity. Conditions are not evaluated: a file
 * too many costs a needless compilation, never a stale program. Limit: an include whose name is a macro is not seen. */
#include "cli.h"

#include <ctype.h>
#include <glob.h>
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

/* The name in a line's include directive; returns its length, 0: the line has none. */
static size_t name_in(const char *line, const char *end, const char **out_name, bool *out_quoted)
{
    while (line < end && isblank((unsigned char)*line)) line++;
    if (line == end || *line++ != '#') return 0;
    while (line < end && isblank((unsigned char)*line)) line++;
    if (end - line < 8 || strncmp(line, "include", 7)) return 0;
    line += 7;
    while (line < end && isblank((unsigned char)*line)) line++;
    if (line == end || (*line != '"' && *line != '<')) return 0;
    *out_quoted = *line++ == '"';
    *out_name = line;
    const char *stop = memchr(line, *out_quoted ? '"' : '>', (size_t)(end - line));
    return stop ? (size_t)(stop - line) : 0;
}

typedef void include_visitor(void *user, const char *from, const char *name, size_t size, bool quoted);

static void scan(const char *path, include_visitor *visit, void *user)
{
    size_t size = 0;
    char *text = file_read(path, &size);
    for (const char *line = text; line && line < text + size;) {
        const char *end = memchr(line, '\n', (size_t)(text + size - line)), *name = NULL;
        bool quoted = false;
        if (!end) end = text + size;
        size_t length = name_in(line, end, &name, &quoted);
        if (length) visit(user, path, name, length, quoted);
        line = end + 1;
    }
    free(text);
}

typedef struct search {
    const words *directories;
    words *files;
} search;

static void add_include(void *user, const char *from, const char *name, size_t size, bool quoted)
{
    const search *s = user;
    (void)quoted;
    found_include(from, name, size, s->directories, s->files);
}

void includes_of(const words *sources, const words *directories, words *files)
{
    search s = {directories, files};
    for (size_t i = 0; i < sources->count; i++) add_file(files, text_of("%s", sources->items[i]));
    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->items[i];
        if (!ends_with(path, ".o") && !ends_with(path, ".a") && !ends_with(path, ".so")) scan(path, add_include, &s);
    }
}

/* ---------------------------------------------------------------- where a missing one may be */
/* The directory of a path, as seen from the current one if it is that. */
static const char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *directory = slash ? text_of("%.*s", (int)(slash - path), path) : ".";
    const char *here = real_path(".");
    return here && !strcmp(directory, here) ? "." : directory;
}

/* Where a file of this name is: above a directory, or in a directory beside one of these; NULL: nowhere. */
static const char *find_near(const char *directory, const char *name)
{
    static const char *const above[] = {"", "/..", "/../..", "/../../.."};
    const char *found = NULL;
    for (size_t i = 0; i < 2 * sizeof above / sizeof above[0] && !found; i++) {
        glob_t g;
        const char *within = i % 2 ? "*/" : "";
        if (!glob(text_of("%s%s/%s%s", directory, above[i / 2], within, name), 0, NULL, &g)) {
            const char *path = g.gl_pathv[0];
            found = text_of("%.*s", (int)(strlen(path) - strlen(name) - 1), path);
        }
        globfree(&g);
    }
    if (found && found[0] == '/') return real_path(found);
    return found && !strncmp(found, "./", 2) ? found + 2 : found;
}

static void tell_missing(void *user, const char *from, const char *name, size_t size, bool quoted)
{
    const search *s = user;
    const char *included = text_of("%.*s", (int)size, name), *slash = strrchr(from, '/');
    words files = {0};
    found_include(from, name, size, s->directories, &files);
    if (!quoted || files.count || known(s->files, included)) return;
    words_add(s->files, included);
    const char *near = find_near(directory_of(from), included);
    if (near) say("%s includes %s, which would be found with -I%s", slash ? slash + 1 : from, included, near);
}

void includes_tell_missing(const words *sources, const words *directories)
{
    words files = {0}, told = {0};
    search s = {directories, &told};
    includes_of(sources, directories, &files);
    for (size_t i = 0; i < files.count; i++) scan(files.items[i], tell_missing, &s);
}
