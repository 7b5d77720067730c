/* The source line of an address of a program or library, from its DWARF line tables (.debug_line, versions 2 to 5).
 * Format: DWARF 5, chapter 6.2; what versions before it wrote differently: section 7.21 of DWARF 4. The bytes are not
 * trusted: a cursor that would leave its part of the file reads zeros and says so, and that table is given up.
 * Nothing is allocated and no lock is taken, so this may run in a signal handler. Limits: no compressed sections, no
 * 64-bit DWARF, no names through .debug_str_offsets: compilers write none of them unless they are asked to. */
#include <stdio.h>
#include <string.h>

#include "fatbin/elf.h"
#include "fatbin/fatbin.h"

/* ---- reading ---- */
typedef struct cursor {
    const uint8_t *at, *end;
    bool bad; /* something did not fit */
} cursor;

static const uint8_t *take(cursor *c, uint64_t bytes)
{
    if (bytes > (uint64_t)(c->end - c->at)) {
        c->bad = true;
        c->at = c->end;
        return NULL;
    }
    const uint8_t *from = c->at;
    c->at += bytes;
    return from;
}

/* A little-endian number of up to 8 bytes. */
static uint64_t number(cursor *c, uint32_t bytes)
{
    const uint8_t *from = take(c, bytes);
    uint64_t value = 0;
    if (from) memcpy(&value, from, bytes);
    return value;
}

/* LEB128, unsigned; bits beyond the 64th are dropped. */
static uint64_t uleb(cursor *c)
{
    uint64_t value = 0;
    for (uint32_t shift = 0;; shift += 7) {
        uint64_t byte = number(c, 1);
        if (shift < 64) value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
}

static int64_t sleb(cursor *c)
{
    uint64_t value = 0;
    for (uint32_t shift = 0;; shift += 7) {
        uint64_t byte = number(c, 1);
        if (shift < 64) value |= (byte & 0x7f) << shift;
        if (byte & 0x80) continue;
        bool negative = byte & 0x40;
        if (negative && shift + 7 < 64) value |= ~(uint64_t)0 << (shift + 7);
        return (int64_t)value;
    }
}

static const char *string(cursor *c)
{
    const uint8_t *from = c->at;
    const uint8_t *nul = c->at < c->end ? memchr(c->at, 0, (size_t)(c->end - c->at)) : NULL;
    if (!nul) {
        take(c, UINT64_MAX);
        return "";
    }
    c->at = nul + 1;
    return (const char *)from;
}

/* ---- the tables of one compilation unit ---- */
typedef struct line_table {
    uint16_t version;
    uint8_t minimum_length; /* of an instruction, in bytes */
    int8_t line_base;
    uint8_t line_range, opcode_base;
    const uint8_t *operands; /* how many LEB128 operands standard opcode n + 1 has; opcode_base - 1 of them */
    cursor folders, files;   /* at their first byte */
    cursor program;
    lw_span strings, line_strings; /* .debug_str, .debug_line_str */
} line_table;

typedef struct line_file {
    const char *name;
    uint64_t folder;
} line_file;

enum {
    FORM_BLOCK2 = 0x03,
    FORM_BLOCK4,
    FORM_DATA2,
    FORM_DATA4,
    FORM_DATA8,
    FORM_STRING,
    FORM_BLOCK,
    FORM_BLOCK1,
    FORM_DATA1,
    FORM_STRP = 0x0e,
    FORM_UDATA,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP
};
enum { CONTENT_PATH = 1, CONTENT_FOLDER = 2 };

/* One field of an entry of version 5: a text in *text, or a number that is returned. */
static uint64_t field(const line_table *t, cursor *c, uint64_t form, const char **text)
{
    switch (form) {
    case FORM_STRING: *text = string(c); return 0;
    case FORM_STRP: *text = fatbin_elf_text(t->strings, number(c, 4)); return 0;
    case FORM_LINE_STRP: *text = fatbin_elf_text(t->line_strings, number(c, 4)); return 0;
    case FORM_DATA1: return number(c, 1);
    case FORM_DATA2: return number(c, 2);
    case FORM_DATA4: return number(c, 4);
    case FORM_DATA8: return number(c, 8);
    case FORM_UDATA: return uleb(c);
    case FORM_DATA16: take(c, 16); return 0;
    case FORM_BLOCK: take(c, uleb(c)); return 0;
    case FORM_BLOCK1: take(c, number(c, 1)); return 0;
    case FORM_BLOCK2: take(c, number(c, 2)); return 0;
    case FORM_BLOCK4: take(c, number(c, 4)); return 0;
    default: c->bad = true; return 0;
    }
}

/* Walks a table of folders or files of version 5 up to entry `index`, which is returned; past all: moves *c behind it. */
static line_file entry_5(const line_table *t, cursor *c, uint64_t index)
{
    line_file entry = {NULL, 0};
    uint64_t fields = number(c, 1);
    cursor format = *c;
    for (uint64_t i = 0; i < 2 * fields; i++) uleb(c);
    uint64_t count = uleb(c);
    for (uint64_t n = 0; n < count && n <= index && !c->bad; n++) {
        cursor f = format;
        entry = (line_file){"", 0};
        if (!fields) break; /* entries without fields: nothing moves on */
        for (uint64_t i = 0; i < fields && !c->bad; i++) {
            uint64_t content = uleb(&f);
            uint64_t form = uleb(&f);
            const char *text = "";
            uint64_t value = field(t, c, form, &text);
            if (content == CONTENT_PATH) entry.name = text;
            if (content == CONTENT_FOLDER) entry.folder = value;
        }
    }
    if (index >= count || c->bad) entry.name = NULL;
    return entry;
}

/* The same for versions 2 to 4: texts, in the table of files with three numbers each, up to an empty one. Numbers start
 * at 1; folder 0 is the compiler's working directory, which only .debug_info names. */
static line_file entry_4(cursor *c, uint64_t index, bool is_file)
{
    line_file entry = {NULL, 0};
    for (uint64_t n = 1; !c->bad; n++) {
        const char *name = string(c);
        if (!*name) return (line_file){NULL, 0};
        entry = (line_file){name, is_file ? uleb(c) : 0};
        if (is_file) uleb(c);
        if (is_file) uleb(c);
        if (n == index) break;
    }
    return entry;
}

static line_file file_at(const line_table *t, uint64_t index)
{
    cursor c = t->files;
    return t->version >= 5 ? entry_5(t, &c, index) : entry_4(&c, index, true);
}

static const char *folder_at(const line_table *t, uint64_t index)
{
    cursor c = t->folders;
    const char *name = (t->version >= 5 ? entry_5(t, &c, index) : entry_4(&c, index, false)).name;
    return name ? name : "";
}

/* The path of a file by its number: "" if there is none. */
static void path_of(const line_table *t, uint64_t index, char *out, size_t room)
{
    line_file file = file_at(t, index);
    *out = 0;
    if (!file.name) return;
    const char *folder = *file.name == '/' ? "" : folder_at(t, file.folder);
    const char *root = *folder && *folder != '/' ? folder_at(t, 0) : "";
    if (t->version < 5) root = "";
    snprintf(out, room, "%s%s%s%s%s", root, *root ? "/" : "", folder, *folder ? "/" : "", file.name);
}

/* Reads the header of the unit at *section and moves that behind the unit; false: it is none that can be read. */
static bool read_header(cursor *section, line_table *t)
{
    uint64_t length = number(section, 4);
    const uint8_t *from = take(section, length);
    if (!from) return false;
    cursor c = {from, from + length, false};
    t->version = (uint16_t)number(&c, 2);
    if (t->version >= 5) number(&c, 2); /* sizes of addresses and segment selectors */
    uint64_t header_length = number(&c, 4);
    cursor rest = c;
    take(&rest, header_length);
    t->program = rest;
    c.end = rest.at;
    t->minimum_length = (uint8_t)number(&c, 1);
    if (t->version >= 4) number(&c, 1); /* operations of a very long instruction word: 1 on all hosts we know */
    number(&c, 1);                      /* whether rows start as statements */
    t->line_base = (int8_t)number(&c, 1);
    t->line_range = (uint8_t)number(&c, 1);
    t->opcode_base = (uint8_t)number(&c, 1);
    t->operands = take(&c, t->opcode_base ? t->opcode_base - 1u : 0);
    t->folders = c;
    if (t->version >= 5) entry_5(t, &c, UINT64_MAX);
    else entry_4(&c, UINT64_MAX, false);
    t->files = c;
    return t->version >= 2 && t->version <= 5 && !c.bad && !rest.bad && t->line_range && t->operands;
}

/* ---- the program of a unit: rows of (address, file, line), by ascending address within a sequence ---- */
typedef struct row {
    uint64_t address, file, line;
} row;

typedef struct search {
    const line_table *table;
    uint64_t from, address;
    fatbin_line_filter skip;
    uint64_t judged; /* the file that `skipped` is of */
    bool skipped;
    bool covers; /* a row of this sequence lies at or before the address */
    row best;    /* the last of those that is not left out; line 0: none */
} search;

static void see_row(search *s, const row *r)
{
    char path[FATBIN_MAX_PATH];
    if (r->address > s->address) return;
    s->covers = true;
    if (r->address < s->from || !r->line) return;
    if (r->file != s->judged) {
        path_of(s->table, r->file, path, sizeof path);
        s->skipped = !*path || (s->skip && s->skip(path));
        s->judged = r->file;
    }
    if (!s->skipped) s->best = *r;
}

/* A sequence ends in front of `end`: whether it was the one that holds the address. */
static bool end_sequence(search *s, uint64_t end)
{
    bool holds = s->covers && s->address < end;
    s->covers = false;
    if (!holds) s->best.line = 0;
    return holds;
}

enum { EXTENDED, COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, ADD_PC_255 = 8, FIXED_ADVANCE_PC };
enum { END_SEQUENCE = 1, SET_ADDRESS };

/* Returns true when a sequence ends. */
static bool extended(cursor *c, row *r)
{
    uint64_t length = uleb(c);
    const uint8_t *from = take(c, length);
    if (!from || !length) return false;
    cursor body = {from + 1, from + length, false};
    if (*from == SET_ADDRESS && length - 1 <= 8) r->address = number(&body, (uint32_t)length - 1);
    return *from == END_SEQUENCE;
}

/* A standard opcode that makes no row. */
static void standard(const line_table *t, cursor *c, uint8_t opcode, row *r)
{
    switch (opcode) {
    case ADVANCE_PC: r->address += uleb(c) * t->minimum_length; break;
    case ADVANCE_LINE: r->line += (uint64_t)sleb(c); break;
    case SET_FILE: r->file = uleb(c); break;
    case ADD_PC_255: r->address += (uint64_t)((255 - t->opcode_base) / t->line_range) * t->minimum_length; break;
    case FIXED_ADVANCE_PC: r->address += number(c, 2); break;
    default:
        for (uint32_t i = 0; i < t->operands[opcode - 1]; i++) uleb(c);
    }
}

static bool run_program(const line_table *t, search *s)
{
    static const row start = {.file = 1, .line = 1};
    cursor c = t->program;
    row r = start;
    while (c.at < c.end && !c.bad) {
        uint8_t opcode = (uint8_t)number(&c, 1);
        if (opcode == EXTENDED) {
            if (!extended(&c, &r)) continue;
            if (end_sequence(s, r.address)) return true;
            r = start;
        } else if (opcode >= t->opcode_base) {
            uint8_t special = opcode - t->opcode_base;
            r.address += (uint64_t)(special / t->line_range) * t->minimum_length;
            r.line += (uint64_t)(int64_t)(t->line_base + special % t->line_range);
            see_row(s, &r);
        } else if (opcode == COPY) {
            see_row(s, &r);
        } else {
            standard(t, &c, opcode, &r);
        }
    }
    return false;
}

/* ---- */
static lw_span section_named(const struct fatbin_elf *elf, const char *name)
{
    enum { COMPRESSED = 1 << 11 }; /* SHF_COMPRESSED */
    struct fatbin_elf_section s;
    uint32_t at = 0;
    if (!fatbin_elf_find(elf, name, &at, &s) || (s.flags & COMPRESSED)) return (lw_span){0};
    return s.data;
}

bool fatbin_line_at(lw_span file, uint64_t from, uint64_t address, fatbin_line_filter skip, struct fatbin_line *out)
{
    struct fatbin_elf elf;
    *out = (struct fatbin_line){.line = 0};
    if (fatbin_elf_open(file, &elf, NULL)) return false;
    line_table t = {.strings = section_named(&elf, ".debug_str"),
                    .line_strings = section_named(&elf, ".debug_line_str")};
    lw_span lines = section_named(&elf, ".debug_line");
    cursor section = {lines.data, lines.data + lines.size, false};
    while (section.at < section.end) {
        if (!read_header(&section, &t)) continue;
        search s = {.table = &t, .from = from, .address = address, .skip = skip, .judged = UINT64_MAX};
        if (!run_program(&t, &s)) continue;
        if (!s.best.line || s.best.line > UINT32_MAX) return false;
        path_of(&t, s.best.file, out->file, sizeof out->file);
        out->line = (uint32_t)s.best.line;
        return true;
    }
    return false;
}
