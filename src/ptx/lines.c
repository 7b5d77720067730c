/* lines: .file, .loc and .section: from PTX instruction to source line.
 *
 * A `.loc` makes one ptx_line. `inlined_at` names the position of the call: the record of the caller is the last .loc
 * of the same function with that position, which the compiler writes before. Files and the mangled names of inlined
 * functions (labels in `.section .debug_str`, lists of bytes) come at the end of the text, so both are filled in
 * then. Other sections hold DWARF and are skipped. */
#include "ptx/ptx_priv.h"

#include <stdlib.h>
#include <string.h>

/* ---- .file ---- */
static bool is_octal(const char *digits)
{
    return digits[0] >= '0' && digits[0] <= '3' && digits[1] >= '0' && digits[1] <= '7' && digits[2] >= '0' &&
           digits[2] <= '7';
}

/* `\"`, `\\` and three octal digits, as compilers write bytes outside ASCII. */
static const char *unescape(ptx_parser *p, const ptx_token *string)
{
    char *copy = lw_arena_strndup(p->arena, string->text, string->size);
    char *out = copy;
    for (const char *s = copy; *s; s++) {
        if (*s == '\\' && is_octal(s + 1)) {
            *out++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
            s += 3;
            continue;
        }
        if (*s == '\\' && (s[1] == '"' || s[1] == '\\')) s++;
        *out++ = *s;
    }
    *out = 0;
    return copy;
}

lw_status ptx_parse_file(ptx_parser *p)
{
    uint64_t index, ignored;
    ptx_next(p);
    LW_TRY(ptx_expect_number(p, "a file number", UINT32_MAX, &index));
    if (p->token.kind != PTX_T_STRING) return ptx_expected(p, "a file name in quotes");
    lw_vec_push(&p->files, ((ptx_file){(uint32_t)index, unescape(p, &p->token)}));
    ptx_next(p);
    if (!ptx_accept(p, ',')) return LW_OK; /* , timestamp, size */
    LW_TRY(ptx_expect_number(p, "a time stamp", UINT64_MAX, &ignored));
    LW_TRY(ptx_expect(p, ','));
    return ptx_expect_number(p, "a file size", UINT64_MAX, &ignored);
}

/* ---- the last .loc of each position ---- */
void ptx_lines_function_start(ptx_parser *p)
{
    p->line_now = NULL;
    p->line_epoch++; /* forgets the positions of the function before */
}

static ptx_line_slot *find_slot(ptx_parser *p, uint32_t file, uint32_t line, uint32_t column)
{
    uint32_t key[3] = {file, line, column};
    size_t mask = p->line_slot_capacity - 1;
    for (size_t i = lw_hash(key, sizeof key, 0) & mask;; i = (i + 1) & mask) {
        ptx_line_slot *s = &p->line_slots[i];
        if (!s->record || (s->file == file && s->line == line && s->column == column)) return s;
    }
}

static void grow_slots(ptx_parser *p)
{
    ptx_line_slot *old = p->line_slots;
    size_t count = p->line_slot_capacity;
    p->line_slot_capacity = count ? count * 2 : 256;
    p->line_slots = lw_alloc(p->line_slot_capacity * sizeof *old);
    for (size_t i = 0; i < count; i++)
        if (old[i].record) *find_slot(p, old[i].file, old[i].line, old[i].column) = old[i];
    free(old);
}

static void remember(ptx_parser *p, uint32_t file, ptx_line *record, int depth)
{
    if ((p->line_slot_count + 1) * 2 > p->line_slot_capacity) grow_slots(p);
    ptx_line_slot *s = find_slot(p, file, record->line, record->column);
    if (!s->record) p->line_slot_count++;
    *s = (ptx_line_slot){file, record->line, record->column, p->line_epoch, depth, record};
}

/* ---- .loc ---- */
typedef struct position {
    uint64_t file, line, column;
} position;

static lw_status read_position(ptx_parser *p, position *at)
{
    LW_TRY(ptx_expect_number(p, "a file number", UINT32_MAX, &at->file));
    LW_TRY(ptx_expect_number(p, "a line number", UINT32_MAX, &at->line));
    return ptx_expect_number(p, "a column", UINT32_MAX, &at->column);
}

static ptx_line_use *add_record(ptx_parser *p, const position *at, const ptx_token *token)
{
    ptx_line *record = LW_NEW(p->arena, ptx_line);
    record->line = (uint32_t)at->line;
    record->column = (uint32_t)at->column;
    lw_vec_push(&p->line_uses,
                ((ptx_line_use){
                    .line = record, .file = (uint32_t)at->file, .at_line = token->line, .at_column = token->column}));
    return &p->line_uses.items[p->line_uses.count - 1];
}

/* The record of the caller: the last .loc there, or a new one if there was none. */
static const ptx_line *caller(ptx_parser *p, const position *at, const ptx_token *token, int *depth)
{
    if (p->line_slot_capacity) {
        ptx_line_slot *s = find_slot(p, (uint32_t)at->file, (uint32_t)at->line, (uint32_t)at->column);
        if (s->record && s->epoch == p->line_epoch && s->depth + 1 < PTX_MAX_INLINE_DEPTH) {
            *depth = s->depth + 1;
            return s->record;
        }
    }
    *depth = 1;
    return add_record(p, at, token)->line;
}

lw_status ptx_parse_loc(ptx_parser *p)
{
    ptx_token token = p->token, name_token;
    position at, call;
    ptx_name *name = NULL;
    ptx_value addend = {0};
    const ptx_line *inlined_at = NULL;
    int depth = 0;
    ptx_next(p);
    LW_TRY(read_position(p, &at));
    while (ptx_accept(p, ',')) {
        if (ptx_is_word(p, "function_name")) {
            ptx_next(p);
            LW_TRY(ptx_expect_name(p, "a label", &name_token, &name));
            if (ptx_is(p, '+')) LW_TRY(ptx_const_int(p, &addend));
        } else if (ptx_is_word(p, "inlined_at")) {
            ptx_next(p);
            LW_TRY(read_position(p, &call));
            inlined_at = caller(p, &call, &token, &depth);
        } else {
            return ptx_expected(p, "'function_name' or 'inlined_at'");
        }
    }
    ptx_line_use *use = add_record(p, &at, &token);
    use->function = name;
    use->addend = addend.bits;
    use->line->inlined_at = inlined_at;
    if (!at.line && p->line_now) use->line->before = p->line_now->line ? p->line_now : p->line_now->before;
    p->line_now = use->line;
    remember(p, (uint32_t)at.file, use->line, depth);
    return LW_OK;
}

/* ---- .section ---- */
/* ".b8 95,90,0": bytes. Wider items only keep their place; names (addresses) too. */
static lw_status section_data(ptx_parser *p, uint32_t bytes)
{
    do {
        ptx_value v = {0};
        if (p->token.kind == PTX_T_NUMBER) LW_TRY(ptx_const_int(p, &v));
        else if (p->token.kind == PTX_T_NAME) ptx_next(p);
        else return ptx_expected(p, "a number");
        lw_text_append(&p->debug_str, (const char *)&v.bits, LW_MIN(bytes, 8u));
    } while (ptx_accept(p, ','));
    return LW_OK;
}

static lw_status string_section(ptx_parser *p)
{
    while (!ptx_is(p, '}')) {
        if (p->token.kind == PTX_T_NAME && ptx_at_label(p)) {
            ptx_intern(p, p->token.text, p->token.size)->debug_at = 1 + p->debug_str.size;
            ptx_next(p);
            ptx_next(p);
        } else if (p->token.kind == PTX_T_DOT) {
            ptx_type type = ptx_type_find(p->token.text + 1, p->token.size - 1);
            if (type != PTX_B8 && type != PTX_B16 && type != PTX_B32 && type != PTX_B64)
                return ptx_expected(p, "'.b8', '.b16', '.b32' or '.b64'");
            ptx_next(p);
            LW_TRY(section_data(p, ptx_type_bytes(type)));
        } else {
            return ptx_expected(p, "'}'");
        }
    }
    ptx_next(p);
    return LW_OK;
}

/* `.section .debug_info { ... }`: the braces hold lists only, so the first '}' ends it */
lw_status ptx_parse_section(ptx_parser *p)
{
    ptx_next(p);
    if (p->token.kind != PTX_T_DOT && p->token.kind != PTX_T_NAME && p->token.kind != PTX_T_STRING)
        return ptx_expected(p, "a section name");
    bool strings = p->token.size == 10 && !memcmp(p->token.text, ".debug_str", 10);
    ptx_next(p);
    LW_TRY(ptx_expect(p, '{'));
    if (strings) return string_section(p);
    while (!ptx_is(p, '}')) {
        if (p->token.kind == PTX_T_END || p->token.kind == PTX_T_BAD) return ptx_expected(p, "'}'");
        ptx_next(p);
    }
    ptx_next(p);
    return LW_OK;
}

/* ---- the end of the module ---- */
static int compare_files(const void *a, const void *b)
{
    const ptx_file *x = a, *y = b;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The bytes of .debug_str are kept as they are; a name points into them. Without its label the label itself must do. */
static const char *function_text(const char *strings, size_t size, const ptx_line_use *use)
{
    uint64_t offset = use->function->debug_at - 1 + use->addend;
    return use->function->debug_at && offset < size ? strings + offset : use->function->text;
}

lw_status ptx_lines_finish(ptx_parser *p)
{
    const char *strings = lw_arena_strndup(p->arena, p->debug_str.size ? p->debug_str.data : "", p->debug_str.size);
    if (p->files.count) qsort(p->files.items, p->files.count, sizeof p->files.items[0], compare_files);
    for (size_t i = 0; i < p->line_uses.count; i++) {
        const ptx_line_use *use = &p->line_uses.items[i];
        ptx_file key = {use->file, NULL};
        const ptx_file *file =
            p->files.count ? bsearch(&key, p->files.items, p->files.count, sizeof key, compare_files) : NULL;
        if (!file)
            return ptx_fail_at(p->module, use->at_line, use->at_column, p->error, LW_SYNTAX,
                               "no .file directive declares file %u", use->file);
        use->line->file = file->name;
        if (use->function) use->line->function = function_text(strings, p->debug_str.size, use);
    }
    return LW_OK;
}
