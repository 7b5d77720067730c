/* api: the C types and struct declarations that patterns are described with. Sizes and alignments are those of CUDA on
 * a 64-bit host: vector types are aligned to their size up to 16 bytes, those of three elements like one element.
 * Limits: no bit-fields, no nested structs, 64 words a declaration, structs up to 1 MiB. */
#include "api/pattern_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define STRUCT_LIMIT (1u << 20)
#define NAME_LIMIT 64
#define DIMENSIONS 4

/* ---- types ---- */

static const struct {
    const char *names; /* each between blanks */
    uint32_t bytes;
} scalars[] = {
    {" bool char schar uchar int8 uint8 int8_t uint8_t s8 u8 i8 b8 ", 1},
    {" short ushort int16 uint16 int16_t uint16_t s16 u16 i16 b16 half __half f16 float16 bf16 bfloat16 __nv_bfloat16 ",
     2},
    {" int uint unsigned int32 uint32 int32_t uint32_t s32 u32 i32 b32 float f32 float32 ", 4},
    {" half2 __half2 bfloat162 __nv_bfloat162 ", 4},
    {" long ulong longlong ulonglong int64 uint64 int64_t uint64_t size_t s64 u64 i64 b64 double f64 float64 ", 8},
};
/* What a digit 1 to 4 may follow: int2, float4. */
static const char vectors[] = " char uchar short ushort int uint float long ulong longlong ulonglong double ";

static bool listed(const char *list, const char *word, size_t n)
{
    for (const char *at = list; n && (at = strchr(at, ' ')) && *++at;)
        if (!strncmp(at, word, n) && at[n] == ' ') return true;
    return false;
}

static uint32_t scalar_bytes(const char *word, size_t n)
{
    for (size_t i = 0; i < LW_COUNT(scalars); i++)
        if (listed(scalars[i].names, word, n)) return scalars[i].bytes;
    return 0;
}

static bool one_word(const char *word, size_t n, pattern_type *out)
{
    uint32_t bytes = scalar_bytes(word, n), count;
    *out = (pattern_type){bytes, bytes};
    if (bytes) return true;
    if (n < 4 || word[n - 1] < '1' || word[n - 1] > '4' || !listed(vectors, word, n - 1)) return false;
    count = (uint32_t)(word[n - 1] - '0');
    bytes = scalar_bytes(word, n - 1);
    *out = (pattern_type){bytes * count, count == 3 ? bytes : LW_MIN(bytes * count, 16u)};
    return true;
}

/* "unsigned long long int" and the like: the words may come in any order. */
static bool several_words(const char *text, pattern_type *out)
{
    unsigned shorts = 0, longs = 0, chars = 0, doubles = 0;
    for (size_t n; *text; text += n) {
        n = strcspn(text, " ");
        if (!n) {
            n = 1;
            continue;
        }
        if (listed(" short ", text, n)) shorts++;
        else if (listed(" long ", text, n)) longs++;
        else if (listed(" char ", text, n)) chars++;
        else if (listed(" double ", text, n)) doubles++;
        else if (!listed(" unsigned signed int ", text, n)) return false;
    }
    if (doubles || shorts > 1 || longs > 2 || chars > 1 || (shorts && longs) || (chars && (shorts || longs)))
        return false;
    uint32_t bytes = chars ? 1 : shorts ? 2 : longs ? 8 : 4;
    *out = (pattern_type){bytes, bytes};
    return true;
}

bool pattern_type_find(const char *text, pattern_type *out)
{
    char words[256];
    size_t used = 0, count = 0, last = 0;
    *out = (pattern_type){0, 0};
    while (*text) {
        if (isspace((unsigned char)*text)) {
            text++;
            continue;
        }
        if (*text == '*') {
            *out = (pattern_type){8, 8};
            return count > 0 && text[1 + strspn(text + 1, " *")] == 0;
        }
        size_t n = strcspn(text, " \t\n\r\v\f*");
        if (used + n + 2 > sizeof words) return false;
        if (!listed(" const volatile ", text, n)) {
            if (count++) words[used++] = ' ';
            last = used;
            memcpy(words + used, text, n);
            used += n;
        }
        text += n;
    }
    words[used] = 0;
    if (!count) return false;
    return count == 1 && strcmp(words, "signed") ? one_word(words + last, used - last, out) : several_words(words, out);
}

/* ---- structs ---- */

typedef struct reader {
    const char *at;
    lw_message *message;
} reader;

typedef struct declarator {
    char name[NAME_LIMIT];
    uint32_t dimension[DIMENSIONS], dimensions;
    bool pointer;
} declarator;

static void blanks(reader *r) { r->at += strspn(r->at, " \t\r\n"); }

static bool take(reader *r, char c)
{
    blanks(r);
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static size_t word_length(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
    return n;
}

/* "[3][4]" */
static int read_dimensions(reader *r, uint32_t dimension[DIMENSIONS], uint32_t *count, uint32_t least)
{
    for (*count = 0; take(r, '['); ++*count) {
        char *end;
        blanks(r);
        unsigned long value = *r->at >= '0' && *r->at <= '9' ? strtoul(r->at, &end, 10) : STRUCT_LIMIT + 1ul;
        if (value < least || value > STRUCT_LIMIT || *count == DIMENSIONS)
            return pattern_fail(r->message, "an array size must be a whole number, at '[%.20s'", r->at);
        r->at = end;
        dimension[*count] = (uint32_t)value;
        if (!take(r, ']')) return pattern_fail(r->message, "']' expected at '%.20s'", r->at);
    }
    return 0;
}

static int read_declarator(reader *r, declarator *d)
{
    *d = (declarator){0};
    while (take(r, '*')) d->pointer = true;
    blanks(r);
    size_t n = word_length(r->at);
    if (!n || (*r->at >= '0' && *r->at <= '9') || n >= NAME_LIMIT)
        return pattern_fail(r->message, "the name of a member expected at '%.20s'", *r->at ? r->at : "the end");
    memcpy(d->name, r->at, n);
    r->at += n;
    if (read_dimensions(r, d->dimension, &d->dimensions, 1)) return 1;
    blanks(r);
    if (*r->at == ':') return pattern_fail(r->message, "member %s: a bit-field has no address", d->name);
    if (*r->at && !strchr(",;}", *r->at))
        return pattern_fail(r->message, "',' or ';' expected after member %s at '%.20s'", d->name, r->at);
    return 0;
}

/* The words of the type: all up to the last word before a star or the end of the first declarator. */
static int read_type(reader *r, pattern_type *out)
{
    char text[256];
    size_t used = 0, n;
    const char *start = r->at;
    for (;;) {
        blanks(r);
        n = word_length(r->at);
        const char *behind = r->at + n + strspn(r->at + n, " \t\r\n");
        bool more = n && (word_length(behind) || *behind == '*'); /* another word follows: this one is of the type */
        if (!more) break;
        if (used + n + 2 > sizeof text) return pattern_fail(r->message, "a type is too long: '%.40s'", start);
        memcpy(text + used, r->at, n);
        used += n;
        text[used++] = ' ';
        r->at += n;
    }
    text[used] = 0;
    if (!used)
        return pattern_fail(r->message, "struct: a type and a name expected at '%.20s'", *start ? start : "the end");
    text[used - 1] = 0;
    if (!pattern_type_find(text, out)) return pattern_fail(r->message, "unknown type '%.60s'", text);
    return 0;
}

/* The byte offset of member "v[2]" in an array member v. */
static int find_element(const declarator *d, const char *indices, uint32_t bytes, uint32_t *offset, lw_message *message)
{
    reader r = {indices, message};
    uint32_t index[DIMENSIONS], count = 0, at = 0;
    if (read_dimensions(&r, index, &count, 0)) return 1;
    if (*r.at) return pattern_fail(message, "member %s: nothing can follow at '%.20s'", d->name, r.at);
    if (count != d->dimensions)
        return pattern_fail(
            message, d->dimensions ? "member %s is an array: name one element, as %s[0]" : "member %s is not an array",
            d->name, d->name);
    for (uint32_t i = 0; i < count; i++) {
        if (index[i] >= d->dimension[i])
            return pattern_fail(message, "member %s: index %u is outside its %u elements", d->name, index[i],
                                d->dimension[i]);
        at = at * d->dimension[i] + index[i];
    }
    *offset = at * bytes;
    return 0;
}

static int add_member(const declarator *d, pattern_type type, const char *member, pattern_member *out, bool *found,
                      lw_message *message)
{
    uint64_t count = 1, start = lw_round_up(out->struct_bytes, type.align);
    for (uint32_t i = 0; i < d->dimensions; i++) count = LW_MIN(count * d->dimension[i], (uint64_t)STRUCT_LIMIT + 1);
    if (start + count * type.bytes > STRUCT_LIMIT) return pattern_fail(message, "the struct is larger than 1 MiB");
    size_t n = word_length(member);
    if (strlen(d->name) == n && !strncmp(d->name, member, n)) {
        uint32_t inside = 0;
        if (*found) return pattern_fail(message, "the struct has two members named %s", d->name);
        if (find_element(d, member + n, type.bytes, &inside, message)) return 1;
        *found = true;
        out->offset = (uint32_t)start + inside;
        out->bytes = type.bytes;
    }
    out->struct_bytes = (uint32_t)(start + count * type.bytes);
    out->struct_align = LW_MAX(out->struct_align, type.align);
    return 0;
}

static int read_declaration(reader *r, const char *member, pattern_member *out, bool *found)
{
    pattern_type type;
    declarator d;
    if (read_type(r, &type)) return 1;
    do {
        if (read_declarator(r, &d)) return 1;
        pattern_type own = d.pointer ? (pattern_type){8, 8} : type;
        if (add_member(&d, own, member, out, found, r->message)) return 1;
    } while (take(r, ','));
    return 0;
}

/* Leaves out "struct name {" in front. */
static void skip_head(reader *r)
{
    blanks(r);
    const char *start = r->at;
    size_t n = word_length(r->at);
    if (n != 6 || strncmp(r->at, "struct", n)) return;
    r->at += n;
    blanks(r);
    r->at += word_length(r->at);
    if (!take(r, '{')) r->at = start;
}

int pattern_struct_find(const char *structure, const char *member, pattern_member *out, lw_message *message)
{
    reader r = {structure, message};
    bool found = false;
    *out = (pattern_member){0, 1, 0, 0};
    if (!*member) return pattern_fail(message, "struct: name the member that the lanes access (member)");
    skip_head(&r);
    do {
        blanks(&r);
        if (!*r.at || *r.at == '}') break;
        if (read_declaration(&r, member, out, &found)) return 1;
    } while (take(&r, ';'));
    if (take(&r, '}')) take(&r, ';');
    blanks(&r);
    if (*r.at) return pattern_fail(message, "struct: ';' expected at '%.20s'", r.at);
    if (!found) return pattern_fail(message, "the struct has no member '%.40s'", member);
    out->struct_bytes = (uint32_t)lw_round_up(out->struct_bytes, out->struct_align);
    return 0;
}
