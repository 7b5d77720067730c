/* util: words, files and texts of the command, and what its terminal can show. Words and texts live as long as the
 * process, in one pool: a command is short and keeps little. Out of memory ends it: there is nothing a command could do
 * then. */
#include "cli.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void *checked(void *p)
{
    if (p) return p;
    fputs("lanewise: out of memory\n", stderr);
    exit(EXIT_REFUSED);
}

void say(const char *format, ...)
{
    va_list args;
    fputs("lanewise: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void *keep(size_t size)
{
    static struct kept {
        struct kept *next;
        max_align_t data[];
    } *pool;
    struct kept *piece = checked(calloc(1, sizeof *piece + size));
    piece->next = pool;
    pool = piece;
    return piece->data;
}

static char *keep_text(const char *text, size_t size) { return memcpy(keep(size + 1), text, size); }

char *text_of(const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    int size = vasprintf(&text, format, args);
    va_end(args);
    if (size < 0) text = NULL;
    char *kept = keep_text(checked(text), (size_t)size);
    free(text);
    return kept;
}

/* ---- words ---- */

void words_add(words *w, const char *word)
{
    if (w->count + 2 > w->capacity) {
        w->capacity = w->capacity ? 2 * w->capacity : 16;
        char **items = keep(w->capacity * sizeof *items);
        if (w->count) memcpy(items, w->items, w->count * sizeof *items);
        w->items = items;
    }
    w->items[w->count++] = keep_text(word, strlen(word));
}

void words_add_all(words *w, const words *more)
{
    for (size_t i = 0; i < more->count; i++) words_add(w, more->items[i]);
}

bool words_split(words *w, const char *line)
{
    char *word = keep(strlen(line) + 1);
    size_t n = 0;
    bool any = false;
    char quote = 0;
    for (const char *c = line; *c; c++) {
        if (quote == '\'' ? *c == '\'' : quote && *c == quote) {
            quote = 0;
        } else if (!quote && (*c == '\'' || *c == '"')) {
            quote = *c;
            any = true;
        } else if (*c == '\\' && quote != '\'' && c[1]) {
            word[n++] = *++c;
            any = true;
        } else if (!quote && strchr(" \t\n", *c)) {
            word[n] = 0;
            if (any) words_add(w, word);
            n = 0;
            any = false;
        } else {
            word[n++] = *c;
            any = true;
        }
    }
    word[n] = 0;
    if (any) words_add(w, word);
    return !quote;
}

/* ---- files ---- */

bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && !strcmp(s + n - m, end);
}

bool file_exists(const char *path)
{
    struct stat st;
    return !stat(path, &st);
}

bool is_directory(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

char *file_read(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0, capacity = 1 << 14;
    if (!file) return NULL;
    char *data = checked(malloc(capacity + 1));
    for (size_t n; (n = fread(data + size, 1, capacity - size, file));) {
        size += n;
        if (size == capacity) data = checked(realloc(data, (capacity *= 2) + 1));
    }
    bool failed = ferror(file);
    fclose(file);
    data[size] = 0;
    if (out_size) *out_size = size;
    if (!failed) return data;
    free(data);
    return NULL;
}

bool file_write(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool fine = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && fine;
}

bool make_directories(const char *path)
{
    char *copy = text_of("%s", path);
    for (char *slash = copy + 1; *slash; slash++) {
        if (*slash != '/') continue;
        *slash = 0;
        mkdir(copy, 0700);
        *slash = '/';
    }
    bool fine = !mkdir(copy, 0700) || errno == EEXIST;
    return fine && !access(path, W_OK | X_OK);
}

static bool is_executable(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

char *find_command(const char *name)
{
    if (strchr(name, '/')) return file_exists(name) ? text_of("%s", name) : NULL;
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/local/bin:/usr/bin:/bin"; *p;) {
        size_t n = strcspn(p, ":");
        char *file = n ? text_of("%.*s/%s", (int)n, p, name) : text_of("./%s", name);
        if (is_executable(file)) return file;
        p += n + (p[n] == ':');
    }
    return NULL;
}

char *real_path(const char *path)
{
    char *real = realpath(path, NULL), *kept = real ? keep_text(real, strlen(real)) : NULL;
    free(real);
    return kept;
}

char *current_directory(void)
{
    char *cwd = getcwd(NULL, 0), *kept = keep_text(cwd ? cwd : "", cwd ? strlen(cwd) : 0);
    free(cwd);
    return kept;
}

/* ---- the terminal ---- */

terminal terminal_of(FILE *file)
{
    struct winsize size;
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM"), *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    terminal t = {.width = width > 0 && width <= 10000 ? (unsigned)width : 0};
    t.colour = isatty(fileno(file)) && term && strcmp(term, "dumb") && !(no_color && *no_color);
    setlocale(LC_CTYPE, "");
    t.unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
    setlocale(LC_CTYPE, "C");
    if (!ioctl(fileno(file), TIOCGWINSZ, &size) && size.ws_col) t.width = size.ws_col;
    return t;
}

/* ---- hash: FNV-1a with two offsets; it names cache entries and has nobody to resist ---- */

void hash_add(hash128 *h, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    if (!h->a) *h = (hash128){0xcbf29ce484222325u, 0x84222325cbf29ce4u};
    for (size_t i = 0; i < size; i++) {
        h->a = (h->a ^ bytes[i]) * 0x100000001b3u;
        h->b = (h->b ^ (unsigned char)~bytes[i]) * 0x100000001b3u;
    }
}

void hash_text(hash128 *h, const char *s) { hash_add(h, s, strlen(s) + 1); }

void json_text(FILE *out, const char *s)
{
    fputc('"', out);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c < 0x20) fprintf(out, "\\u%04x", c);
        else fputc(c, out);
    }
    fputc('"', out);
}
