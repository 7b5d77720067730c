/* Tests of room ptx: parser, printer, messages. The texts are tests/ptx/parse/ *.ptx: from nvcc 13.0 and clang 14,
 * and one written by hand that holds the rest of the grammar (grammar.ptx). */
#include "host/source_priv.h"
#include "ptx/module.h"
#include "ptx_same.h"
#include "unit.h"

#define HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"

static ptx_module *parse(const char *text)
{
    ptx_module *m;
    lw_error error = {0};
    if (ptx_parse(&m, "t.ptx", text, strlen(text), &error) != LW_OK) UNIT_FAIL("%s", error.message);
    return m;
}

static ptx_module *parse_file(const char *below_tests)
{
    char *text;
    size_t size;
    lw_error error = {0};
    ptx_module *m = NULL;
    if (lw_file_read(unit_path(below_tests), &text, &size, &error) != LW_OK ||
        ptx_parse(&m, below_tests, text, size, &error) != LW_OK)
        UNIT_FAIL("%s", error.message);
    free(text);
    return m;
}

/* Parses statements as the body of a kernel with some registers. */
static ptx_module *parse_body(const char *statements)
{
    char *text = lw_printf(HEADER ".global .align 4 .b8 g[64];\n.func f;\n.entry k(.param .u64 p)\n{\n"
                                  ".reg .pred %%p<4>; .reg .b32 %%r<100>; .reg .b64 %%rd<9>; .reg .v4 .f32 v;\n%s\n}\n",
                           statements);
    ptx_module *m = parse(text);
    free(text);
    return m;
}

static const ptx_function *kernel(const ptx_module *m) { return ptx_find_function(m, "k"); }

static const ptx_insn *find_insn(const ptx_function *f, const char *mnemonic, int which)
{
    for (size_t i = 0; f && i < f->insn_count; i++)
        if (!strcmp(f->insns[i].mnemonic, mnemonic) && !which--) return &f->insns[i];
    UNIT_FAIL("no %s", mnemonic);
    return NULL;
}

static void check_same(const char *what, const ptx_module *a, const ptx_module *b)
{
    CHECK(a->version == b->version && a->sm == b->sm && a->sm_suffix == b->sm_suffix &&
          a->debug_target == b->debug_target);
    CHECK(same_variables(a->variables, a->variable_count, b->variables, b->variable_count));
    CHECK_EQ_INT(b->function_count, a->function_count);
    for (size_t i = 0; i < LW_MIN(a->function_count, b->function_count); i++)
        if (!same_function(a->functions[i], b->functions[i])) UNIT_FAIL("%s: %s differs", what, a->functions[i]->name);
}

/* parse, print, parse: an equal tree; and printing that gives the same text */
static void round_trip(const char *name)
{
    ptx_module *m = parse_file(name);
    if (!m) return;
    lw_text text = {0}, again = {0};
    ptx_print(m, &text);
    ptx_module *n = parse(text.data);
    if (n) {
        check_same(name, m, n);
        ptx_print(n, &again);
        CHECK_STR(again.data, text.data);
    }
    lw_text_free(&text);
    lw_text_free(&again);
    ptx_module_free(m);
    ptx_module_free(n);
}

UNIT_CASE(print_then_parse_gives_the_same_tree)
{
    static const char *const names[] = {"calls",        "clang",      "cluster_histogram", "debug",    "grammar",
                                        "initialisers", "inline_asm", "inlined",           "lookback", "tile"};
    for (size_t i = 0; i < LW_COUNT(names); i++) {
        char path[64];
        snprintf(path, sizeof path, "ptx/parse/%s.ptx", names[i]);
        round_trip(path);
    }
}

/* ---- errors ---- */
/* The text after HEADER (which has 3 lines), where the message points and what it says */
static const struct {
    const char *text;
    lw_status status;
    unsigned line, column;
    const char *message;
} errors[] = {
    {"garbage", LW_SYNTAX, 4, 1, "expected a module directive but found 'garbage'"},
    {".global .u32 x\n.global .u32 y;", LW_SYNTAX, 5, 1, "expected ';' but found '.global'"},
    {".global .u32 x;\n  .global .f32 x;", LW_SYNTAX, 5, 16, "'x' is already declared in this scope, in line 4"},
    {".extern .global .u32 x;\n.global .f32 x;", LW_SYNTAX, 5, 14, "declared with another type"},
    {".global .u32 x = y;", LW_SYNTAX, 4, 18, "undeclared name 'y'"},
    {".global .u32 x = {1, 2};", LW_SYNTAX, 4, 22, "more values than 'x' has elements"},
    {".global .u32 x[2] = {1, 2, 3};", LW_SYNTAX, 4, 28, "more values than 'x' has elements"},
    {".global .u32 x[2] = {{1}};", LW_SYNTAX, 4, 22, "more braces than dimensions"},
    {".global .u32 x[2] = 1;", LW_SYNTAX, 4, 21, "expected '{'"},
    {".global .u32 x = 1.5;", LW_SYNTAX, 4, 18, "a floating-point value"},
    {".global .u8 x = x;", LW_SYNTAX, 4, 17, "an address does not fit"},
    {".global .u8 x = 0xF0F(x);", LW_SYNTAX, 4, 17, "a mask must select one byte"},
    {".global .u32 x = 1 / 0;", LW_SYNTAX, 4, 20, "division by zero"},
    {".global .u32 x[0x10000000000][2];", LW_LIMIT, 4, 14, "'x' is too large"},
    {".global .u32 x[0x10000000001];", LW_LIMIT, 4, 16, "not possible"},
    {".global .b8 x[0x1000000000] = {1};", LW_LIMIT, 4, 13, "initialised variables of more than"},
    {".global .align 3 .u32 x;", LW_SYNTAX, 4, 16, "power of two"},
    {".global .pred x;", LW_SYNTAX, 4, 1, "predicates can only be registers"},
    {".global .u33 x;", LW_SYNTAX, 4, 9, "'.u33' is not allowed in a declaration"},
    {".global .u32 .u32 x;", LW_SYNTAX, 4, 14, "a second type"},
    {".reg .u32 x;", LW_SYNTAX, 4, 11, "registers can only be declared in functions"},
    {".shared .u32 x = 1;", LW_SYNTAX, 4, 16, "only .global and .const variables can have initialisers"},
    {".extern .global .u32 x = 1;", LW_SYNTAX, 4, 24, "an .extern variable cannot have an initialiser"},
    {".global .u32 x = 0x10000000000000000;", LW_SYNTAX, 4, 18, "more than 64 bits"},
    {".global .u32 x = 089;", LW_SYNTAX, 4, 18, "a malformed number"},
    {".global .u32 x = 0x;", LW_SYNTAX, 4, 18, "a number without digits"},
    {".global .f32 x = 0f1234567;", LW_SYNTAX, 4, 18, "exactly 8 hexadecimal digits"},
    {".global .samplerref x = {addr_mode_0 = wrap};", LW_UNSUPPORTED, 4, 25, "initialisers of .samplerref"},
    {"/* no end", LW_SYNTAX, 4, 1, "a comment that does not end"},
    {".file 1 \"x\n", LW_SYNTAX, 4, 9, "a string that does not end on its line"},
    {".func f { ret; }\n.func f { ret; }", LW_SYNTAX, 5, 7, "'f' is already defined, in line 4"},
    {".func f;\n.func f (.param .b32 x) { ret; }", LW_SYNTAX, 5, 7, "declared with other parameters"},
    {".global .u32 f;\n.func f { ret; }", LW_SYNTAX, 5, 7, "'f' is already declared"},
    {".func f { ret;", LW_SYNTAX, 4, 15, "expected '}' but the text ends"},
    {".func f { ret }", LW_SYNTAX, 4, 15, "expected an operand but found '}'"},
    {".func f { add.s32 %r1, %r2; }", LW_SYNTAX, 4, 19, "undeclared name '%r1'"},
    {".func f { .reg .b32 %r<2>;\n\tadd.s32\t%r1, %r2; }", LW_SYNTAX, 5, 15, "undeclared name '%r2'"},
    {".func f { .reg .b32 %r<2>; mov.b32 %r01, 1; }", LW_SYNTAX, 4, 36, "undeclared name '%r01'"},
    {".func f { .reg .b32 a; .reg .b64 a; }", LW_SYNTAX, 4, 34, "'a' is already declared"},
    {".func f { .reg .b32 a<2>; .reg .b64 a<3>; }", LW_SYNTAX, 4, 37, "'a<...>' is already declared"},
    {".func f { .reg .b32 a<2>; .reg .b64 a1; }", LW_SYNTAX, 4, 37, "'a1' is already declared"},
    {".func f { .reg .b32 a<1000001>; }", LW_LIMIT, 4, 23, "at most 1000000 is possible"},
    {".func f { bra nowhere; }", LW_SYNTAX, 4, 15, "undeclared name 'nowhere'"},
    {".func f { { L: } bra L; }", LW_SYNTAX, 4, 22, "undeclared name 'L'"},
    {".func f { { .reg .b32 a; } mov.b32 a, 1; }", LW_SYNTAX, 4, 36, "undeclared name 'a'"},
    {".func f { L: L: }", LW_SYNTAX, 4, 14, "'L' is already declared"},
    {".func f { t: .branchtargets nowhere; }", LW_SYNTAX, 4, 29, "undeclared label 'nowhere'"},
    {".func f { t: .calltargets nowhere; }", LW_SYNTAX, 4, 27, "undeclared name 'nowhere'"},
    {".func f { .reg .b32 a; @a ret; }", LW_SYNTAX, 4, 25, "'a' is not a predicate register"},
    {".func f { @ret; }", LW_SYNTAX, 4, 12, "undeclared name 'ret'"},
    {".func f { ld.u32 x, [y]; }", LW_SYNTAX, 4, 22, "undeclared name 'y'"},
    {".func f { .reg .b64 a; ld.u32 a, [f]; }", LW_SYNTAX, 4, 35, "an address starts with"},
    {".func f { .reg .b64 a; ld.u32 a, [a; }", LW_SYNTAX, 4, 36, "expected ']'"},
    {".global .b8 g[4];\n.func f { .reg .b32 a; ld.u32 a, g[1]; }", LW_UNSUPPORTED, 5, 35, "write [g+bytes]"},
    {".func f { .reg .b32 a; mov.b32 a.x.y, 1; }", LW_SYNTAX, 4, 35, "expected ',' or ';'"},
    {".func f { .reg .v2 .f32 a; mov.b32 a.z, 1; }", LW_SYNTAX, 4, 37, "no such component"},
    {".func f { mov.b32 {x}, 1; }", LW_SYNTAX, 4, 20, "undeclared name 'x'"},
    {".func f { x 1,2,3,4,5,6,7,8,9,10,11; }", LW_SYNTAX, 4, 34, "more than 10 operands"},
    {".func f { .loc 7 1 1 ret; }", LW_SYNTAX, 4, 11, "no .file directive declares file 7"},
    {".func f { .loc 1 1 1, inlined ret; }", LW_SYNTAX, 4, 23, "expected 'function_name' or 'inlined_at'"},
    {".func a;\n.alias a, b;", LW_SYNTAX, 5, 11, "'b' is not a defined function"},
    {".entry k .blocksareclusters { ret; }", LW_UNSUPPORTED, 4, 10, "'.blocksareclusters' is not supported"},
    {".entry k .maxntid 4,;", LW_SYNTAX, 4, 21, "expected a dimension but found ';'"},
    {".address_size 32", LW_UNSUPPORTED, 4, 15, "only 64-bit addresses"},
    {".section .debug_info {", LW_SYNTAX, 4, 23, "expected '}' but the text ends"},
    {".func f { ret; \x01 }", LW_SYNTAX, 4, 16, "a stray character"},
};

UNIT_CASE(errors_point_at_their_place)
{
    for (size_t i = 0; i < LW_COUNT(errors); i++) {
        ptx_module *m = NULL;
        lw_error error = {0};
        char *text = lw_printf(HEADER "%s", errors[i].text);
        lw_status status = ptx_parse(&m, "t.ptx", text, strlen(text), &error);
        char place[64];
        snprintf(place, sizeof place, "t.ptx:%u:%u: ", errors[i].line, errors[i].column);
        if (status != errors[i].status || error.status != status || m || strncmp(error.message, place, strlen(place)) ||
            !strstr(error.message, errors[i].message))
            UNIT_FAIL("'%s': expected %d, %s%s\ngot %d, %s", errors[i].text, errors[i].status, place, errors[i].message,
                      status, error.message);
        free(text);
    }
}

UNIT_CASE(error_shows_the_line_and_a_caret)
{
    ptx_module *m;
    lw_error error = {0};
    const char *text = HEADER ".func f {\r\n\tadd.s32\t%r1, 1;\r\n}\n";
    CHECK_EQ_INT(ptx_parse(&m, "t.ptx", text, strlen(text), &error), LW_SYNTAX);
    CHECK_STR(error.message, "t.ptx:5:10: undeclared name '%r1'\n     add.s32 %r1, 1;\n             ^");
    lw_error first = {0};
    CHECK_EQ_INT(ptx_parse(&m, NULL, "", 0, &first), LW_SYNTAX);
    CHECK_HAS(first.message, "<module>:1:1: expected '.version'");
    lw_error no_target = {0};
    CHECK_EQ_INT(ptx_parse(&m, "t", ".version 9.0", 12, &no_target), LW_SYNTAX);
    CHECK_HAS(no_target.message, "no .target");
    char *wide = lw_printf(HEADER "%2000s garbage", "");
    lw_error cut = {0};
    CHECK_EQ_INT(ptx_parse(&m, "t", wide, strlen(wide), &cut), LW_SYNTAX);
    CHECK_HAS(cut.message, "t:4:2002: ");
    const char *caret = strrchr(cut.message, '\n'), *word = strrchr(cut.message, 'g');
    CHECK(caret && word && strlen(cut.message) < 700);
    free(wide);
}

/* ---- module level ---- */
UNIT_CASE(module_header)
{
    ptx_module *m = parse(".version 8.7\n.target sm_100a, debug\n.address_size 64\n");
    REQUIRE(m);
    CHECK_EQ_INT(m->version, 87);
    CHECK_EQ_INT(m->sm, 100);
    CHECK_EQ_INT(m->sm_suffix, 'a');
    CHECK(m->debug_target);
    ptx_module_free(m);
}

UNIT_CASE(text_needs_no_end_and_may_have_zeros)
{
    const char text[] = ".version 9.0\n.target sm_90\n.func f { ret; }";
    for (size_t zeros = 0; zeros < 20; zeros += 19) {
        size_t size = sizeof text - 1 + zeros;
        char *copy = calloc(1, size); /* exactly, for the address sanitizer */
        memcpy(copy, text, sizeof text - 1);
        ptx_module *m;
        CHECK_EQ_INT(ptx_parse(&m, "t", copy, size, NULL), LW_OK);
        free(copy);
        REQUIRE(m);
        CHECK(ptx_find_function(m, "f") && !ptx_find_function(m, "g"));
        ptx_module_free(m);
    }
}

UNIT_CASE(every_prefix_of_a_text_parses_or_fails)
{
    char *text;
    size_t size;
    REQUIRE(lw_file_read(unit_path("ptx/parse/grammar.ptx"), &text, &size, NULL) == LW_OK);
    for (size_t n = 0; n < size; n += 3) {
        char *copy = malloc(n ? n : 1);
        memcpy(copy, text, n);
        ptx_module *m;
        lw_error error = {0};
        lw_status status = ptx_parse(&m, "t", copy, n, &error);
        CHECK(status == LW_OK ? m != NULL : m == NULL && error.status == status);
        ptx_module_free(m);
        free(copy);
    }
    free(text);
}

UNIT_CASE(functions_are_merged_with_their_declaration)
{
    ptx_module *m = parse_file("ptx/parse/grammar.ptx");
    REQUIRE(m);
    const ptx_function *leaf = ptx_find_function(m, "leaf"), *also = ptx_find_function(m, "also_leaf");
    const ptx_function *printf_ = ptx_find_function(m, "vprintf"), *regs = ptx_find_function(m, "with_registers");
    REQUIRE(leaf && also && printf_ && regs);
    CHECK(!leaf->is_declaration && leaf->insn_count == 1 && leaf->linkage == PTX_STATIC);
    CHECK(!also->is_declaration && also->insns == leaf->insns && also->linkage == PTX_VISIBLE && also != leaf);
    CHECK(printf_->is_declaration && printf_->param_count == 2 && printf_->return_count == 1);
    CHECK_EQ_INT(printf_->linkage, PTX_EXTERN);
    CHECK(ptx_find_function(m, "never_returns")->noreturn);
    REQUIRE(regs->param_count == 2 && regs->return_count == 2);
    CHECK_EQ_INT(regs->return_registers[1], 1);
    CHECK_EQ_INT(regs->param_registers[0], 2);
    CHECK_EQ_INT(regs->registers[regs->param_registers[1]].type, PTX_U64);
    CHECK_STR(regs->registers[regs->return_registers[1]].name, "ok");
    for (size_t i = 0; i < m->function_count; i++) CHECK_EQ_INT(m->functions[i]->index, i);
    const ptx_insn *call = find_insn(ptx_find_function(m, "every_operand"), "call.uni", 1);
    CHECK(call && call->operand_count == 1 && call->operands[0].function == also);
    ptx_module_free(m);
}

UNIT_CASE(launch_directives)
{
    ptx_module *m = parse_file("ptx/parse/grammar.ptx");
    REQUIRE(m);
    const ptx_function *f = ptx_find_function(m, "launch_bounds");
    REQUIRE(f && f->is_entry);
    CHECK(f->maxntid[0] == 16 && f->maxntid[1] == 16 && f->maxntid[2] == 1);
    CHECK(f->minnctapersm == 2 && f->maxnreg == 64 && f->reqntid[0] == 0);
    CHECK(f->reqnctapercluster[0] == 2 && f->reqnctapercluster[2] == 1 && f->explicitcluster);
    CHECK(f->params[0]->is_pointer && f->params[0]->space == PTX_PARAM && f->params[0]->alignment == 8);
    CHECK(f->params[2]->bytes == 12 && f->params[2]->alignment == 4 && f->params[2]->scope == f);
    const ptx_function *v = ptx_find_function(m, "by_value");
    CHECK(v->params[1]->unsized && v->params[1]->bytes == 0 && v->returns[0]->bytes == 16);
    ptx_module_free(m);
}

/* ---- variables ---- */
static int32_t word(const ptx_variable *v, size_t i)
{
    return v && v->init && (i + 1) * 4 <= v->bytes ? (int32_t)lw_read_u32(v->init + i * 4) : -99;
}

UNIT_CASE(initialisers_of_numbers)
{
    ptx_module *m = parse_file("ptx/parse/grammar.ptx");
    REQUIRE(m);
    static const int32_t want[] = {-1, 16, 5, 15, -1, 2, 54, -1, 0, -3, 3, 16};
    const ptx_variable *open = ptx_find_variable(m, "open_array"), *matrix = ptx_find_variable(m, "matrix");
    REQUIRE(open && matrix);
    CHECK_EQ_INT(open->bytes, sizeof want);
    CHECK(!open->unsized);
    for (size_t i = 0; i < LW_COUNT(want); i++) CHECK_EQ_INT(word(open, i), want[i]);
    static const uint32_t floats[] = {0x3f800000, 0x40200000, 0, 0x40400000, 0, 0};
    for (size_t i = 0; i < LW_COUNT(floats); i++) CHECK_EQ_INT((uint32_t)word(matrix, i), floats[i]);
    CHECK(matrix->alignment == 16 && matrix->linkage == PTX_VISIBLE && matrix->bytes == 24);
    const ptx_variable *quad = ptx_find_variable(m, "quad"), *pairs = ptx_find_variable(m, "pairs");
    CHECK(quad && quad->vector == 4 && quad->bytes == 16 && word(quad, 3) == 0x40800000);
    CHECK(pairs && pairs->bytes == 8 && word(pairs, 0) == 0x20001 && word(pairs, 1) == 0x40003);
    const ptx_variable *doubles = ptx_find_variable(m, "doubles");
    double d[3] = {0};
    if (doubles && doubles->init) memcpy(d, doubles->init, sizeof d);
    CHECK(d[0] == 1 && d[1] == -1.5 && d[2] == 1000);
    CHECK(ptx_find_variable(m, "plain")->init == NULL && ptx_find_variable(m, "z2") && !ptx_find_variable(m, "z3"));
    CHECK(ptx_find_variable(m, "dynamic")->unsized && ptx_find_variable(m, "managed_one")->managed);
    CHECK(ptx_find_variable(m, "unified_one") && ptx_find_variable(m, "texture")->type == PTX_TEXREF);
    ptx_module_free(m);
}

UNIT_CASE(initialisers_of_addresses)
{
    ptx_module *m = parse_file("ptx/parse/grammar.ptx");
    REQUIRE(m);
    const ptx_variable *p = ptx_find_variable(m, "pointers"), *plain = ptx_find_variable(m, "plain");
    REQUIRE(p && plain && p->address_count == 4);
    CHECK(p->addresses[0].variable == plain && p->addresses[0].offset == 0 && p->addresses[0].bytes == 8 &&
          !p->addresses[0].generic);
    CHECK(p->addresses[1].addend == 8 && p->addresses[1].variable == ptx_find_variable(m, "matrix"));
    CHECK(p->addresses[2].generic && p->addresses[2].offset == 16);
    CHECK(p->addresses[3].generic && p->addresses[3].addend == 4);
    const ptx_variable *split = ptx_find_variable(m, "split"), *fs = ptx_find_variable(m, "functions");
    REQUIRE(split && fs && split->address_count == 8 && fs->address_count == 2);
    for (uint32_t i = 0; i < 8; i++)
        CHECK(split->addresses[i].bytes == 1 && split->addresses[i].shift == 8 * i && split->addresses[i].offset == i);
    CHECK(split->addresses[7].generic && split->addresses[7].addend == 3 && !split->addresses[6].generic);
    CHECK(fs->addresses[1].function == ptx_find_function(m, "by_value") && !fs->addresses[1].variable);
    const ptx_variable *later = ptx_find_variable(m, "later");
    CHECK(later && word(later, 0) == 9 && later->linkage == PTX_VISIBLE);
    CHECK(ptx_find_variable(m, "points_later")->addresses[0].variable == later);
    ptx_module_free(m);
}

UNIT_CASE(initialisers_as_nvcc_writes_them)
{
    ptx_module *m = parse_file("ptx/parse/initialisers.ptx");
    REQUIRE(m);
    const ptx_variable *mixed = ptx_find_variable(m, "mixed"), *numbers = ptx_find_variable(m, "numbers");
    REQUIRE(mixed && numbers && mixed->bytes == 26 && mixed->address_count == 24);
    CHECK(mixed->init[0] == 1 && mixed->init[9] == 3);
    for (uint32_t i = 0; i < 8; i++) {
        const ptx_init_address *a = &mixed->addresses[i];
        CHECK(a->offset == 1 + i && a->shift == 8 * i && a->bytes == 1 && a->generic && a->addend == 8 &&
              a->variable == numbers);
    }
    CHECK(mixed->addresses[23].function == ptx_find_function(m, "_Z3seti") && mixed->addresses[23].offset == 25);
    CHECK(ptx_find_variable(m, "managed")->managed);
    const ptx_variable *dynamic = ptx_find_variable(m, "dynamic");
    CHECK(dynamic && dynamic->unsized && dynamic->space == PTX_SHARED && dynamic->linkage == PTX_EXTERN);
    CHECK_EQ_INT(lw_read_u64(ptx_find_variable(m, "negative")->init), -5);
    ptx_module_free(m);
}

/* ---- operands ---- */
UNIT_CASE(constants)
{
    static const struct {
        const char *text;
        ptx_operand_kind kind;
        int64_t imm;
        bool is_unsigned;
    } rows[] = {
        {"5", PTX_OP_INT, 5, false},
        {"-5", PTX_OP_INT, -5, false},
        {"0xffU", PTX_OP_INT, 255, true},
        {"0X10", PTX_OP_INT, 16, false},
        {"017", PTX_OP_INT, 15, false},
        {"0b1101", PTX_OP_INT, 13, false},
        {"0", PTX_OP_INT, 0, false},
        {"0xFFFFFFFFFFFFFFFF", PTX_OP_INT, -1, true},
        {"-9223372036854775808", PTX_OP_INT, INT64_MIN, true},
        {"2 + 3 * 4 - 1", PTX_OP_INT, 13, false},
        {"(2 + 3) * 4", PTX_OP_INT, 20, false},
        {"-7 / 2", PTX_OP_INT, -3, false},
        {"-7 % 4", PTX_OP_INT, -3, false},
        {"-1 / 2U", PTX_OP_INT, INT64_MAX, true},
        {"-8 >> 1", PTX_OP_INT, -4, false},
        {"1 << 63 >> 63", PTX_OP_INT, -1, false},
        {"1 << 64", PTX_OP_INT, 0, false},
        {"(.u64)-8 >> 60", PTX_OP_INT, 15, true},
        {"-1 < 1U", PTX_OP_INT, 0, false},
        {"-1 < 1", PTX_OP_INT, 1, false},
        {"6 & 3 | 8 ^ 1", PTX_OP_INT, 11, false},
        {"0 && 1 || 1", PTX_OP_INT, 1, false},
        {"1 == 1 ? 2 > 3 ? 4 : 5 : 6", PTX_OP_INT, 5, false},
        {"~0 == -1", PTX_OP_INT, 1, false},
        {"!3", PTX_OP_INT, 0, false},
        {"WARP_SZ - 1", PTX_OP_INT, 31, false},
        {"(0 - 9223372036854775807 - 1) / -1", PTX_OP_INT, INT64_MIN, false},
        {"0f3F800000", PTX_OP_F32, 0x3f800000, false},
        {"0F3f800000", PTX_OP_F32, 0x3f800000, false},
        {"-0f3F800000", PTX_OP_F32, 0xbf800000, false},
        {"0dBFF0000000000000", PTX_OP_F64, (int64_t)0xbff0000000000000, false},
        {"1.5", PTX_OP_F64, 0x3ff8000000000000, false},
        {"-1.5", PTX_OP_F64, (int64_t)0xbff8000000000000, false},
        {"1e3", PTX_OP_F64, 0x408f400000000000, false},
        {"1.25E+1", PTX_OP_F64, 0x4029000000000000, false},
        {"1.0 + 2", PTX_OP_F64, 0x4008000000000000, false},
        {"1.0 < 2.0", PTX_OP_INT, 1, false},
    };
    for (size_t i = 0; i < LW_COUNT(rows); i++) {
        char *text = lw_printf("mov.b64 %%rd1, %s;", rows[i].text);
        ptx_module *m = parse_body(text);
        free(text);
        if (!m) continue;
        const ptx_operand *o = &kernel(m)->insns[0].operands[1];
        if (o->kind != rows[i].kind || o->imm != rows[i].imm || o->is_unsigned != rows[i].is_unsigned)
            UNIT_FAIL("%s: kind %d, %lld, unsigned %d", rows[i].text, o->kind, (long long)o->imm, o->is_unsigned);
        ptx_module_free(m);
    }
}

/* "statement" -> the kind of each operand, as letters in the order of the enum: see letter() */
static char letter(ptx_operand_kind kind) { return ".RIfdSVFLA{(|_T:#"[kind]; }

UNIT_CASE(operand_kinds)
{
    static const char *const rows[][2] = {
        {"ret;", ""},
        {"mov.u32 %r1, %tid.x;", "RS"},
        {"mov.u32 %r1, g+4;", "RV"},
        {"mov.u64 %rd1, f;", "RF"},
        {"L: bra L;", "L"},
        {"bra L; L:", "L"},
        {"ld.u32 %r1, [%rd1];", "RA"},
        {"mov.b64 {%r1, _}, %rd1;", "{R"},
        {"call (%r1), f, (%r2, 1, g);", "(F("},
        {"call f;", "F"},
        {"setp.eq.s32 %p1|%p2, %r1, 0, !%p3;", "|RIR"},
        {"setp.eq.s32 _|%p2, %r1, 0;", "|RI"},
        {"tex.1d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [g, {%r1}];", "{T"},
        {"x [%rd1], [%rd2], -%r1, 0f00000000, 0.0;", "AARfd"},
        {"proto: .callprototype _; call %rd1, (%r1), proto;", "R(:"},
        {"call %rd1, proto; proto: .callprototype (.param .b32 _) _;", "R:"},
        {"t: .branchtargets a, b; brx.idx %r1, t; a: b:", "R#"},
        {"st.shared::cta.b32 [g], %r1;", "AR"},
    };
    for (size_t i = 0; i < LW_COUNT(rows); i++) {
        ptx_module *m = parse_body(rows[i][0]);
        if (!m) continue;
        const ptx_insn *insn = &kernel(m)->insns[0];
        char got[PTX_MAX_OPERANDS + 1] = {0};
        for (int k = 0; k < insn->operand_count; k++) got[k] = letter(insn->operands[k].kind);
        if (strcmp(got, rows[i][1])) UNIT_FAIL("%s: %s, expected %s", rows[i][0], got, rows[i][1]);
        ptx_module_free(m);
    }
}

UNIT_CASE(addresses)
{
    ptx_module *m = parse_body("x [%rd1+8], [%rd1-8], [%rd1+-8], [g+4*2], [16], [g], [%rd2+4-8];");
    REQUIRE(m);
    const ptx_operand *o = kernel(m)->insns[0].operands;
    CHECK(o[0].reg == 1 && o[1].reg == 1 && o[0].imm == 8 && o[1].imm == -8 && o[2].imm == -8);
    CHECK(o[3].reg == -1 && o[3].variable == ptx_find_variable(m, "g") && o[3].imm == 8);
    CHECK(o[4].reg == -1 && !o[4].variable && o[4].imm == 16 && o[5].imm == 0 && o[6].imm == -4);
    ptx_module_free(m);
    m = parse_body("x [%rd1, {%r1, %r2}], [%rd1, %rd2, {v.y}], [%rd1+16, {%r1}];");
    REQUIRE(m);
    o = kernel(m)->insns[0].operands;
    CHECK(o[0].item_count == 2 && o[0].items[0].kind == PTX_OP_REG && o[0].items[1].item_count == 2);
    CHECK(o[1].item_count == 3 && o[1].items[2].items[0].component == 1);
    CHECK(o[2].items[0].kind == PTX_OP_REG && o[2].items[0].imm == 16);
    ptx_module_free(m);
}

UNIT_CASE(special_registers)
{
    ptx_module *m = parse_body("x %tid, %ntid.z, %envreg31, %pm7, %pm3_64, %clock64, %lanemask_lt, %clusterid.w;");
    REQUIRE(m);
    const ptx_operand *o = kernel(m)->insns[0].operands;
    CHECK(o[0].special == PTX_SPECIAL_TID && o[0].component == -1 && o[1].component == 2);
    CHECK(o[2].special == PTX_SPECIAL_ENVREG && o[2].imm == 31);
    CHECK(o[3].special == PTX_SPECIAL_PM && o[3].imm == 7 && o[4].special == PTX_SPECIAL_PM64 && o[4].imm == 3);
    CHECK(o[5].special == PTX_SPECIAL_CLOCK64 && o[6].special == PTX_SPECIAL_LANEMASK_LT && o[7].component == 3);
    ptx_module_free(m);
    const char *text = HEADER ".func f { mov.u32 %envreg32, 1; }";
    CHECK_EQ_INT(ptx_parse(&m, "t", text, strlen(text), NULL), LW_SYNTAX);
    text = HEADER ".func f { mov.u32 %laneid.x, 1; }";
    CHECK_EQ_INT(ptx_parse(&m, "t", text, strlen(text), NULL), LW_SYNTAX);
}

UNIT_CASE(mnemonics_are_shared_and_guards_kept)
{
    ptx_module *m = parse_body("@%p1 add.s32 %r1, %r1, 1;\n@!%p2 add.s32 %r1, %r1, 2; "
                               "ld\n .shared::cta // x\n .b32 %r1, [g];");
    REQUIRE(m);
    const ptx_insn *i = kernel(m)->insns;
    CHECK(i[0].mnemonic == i[1].mnemonic && !i[0].guard_negated && i[1].guard_negated && i[0].guard != i[1].guard);
    CHECK_STR(i[2].mnemonic, "ld.shared::cta.b32");
    CHECK_EQ_INT(i[2].guard, -1);
    CHECK(i[0].line == 9 && i[0].column == 1 && i[2].line == 10 && i[2].column == 28);
    ptx_module_free(m);
}

/* ---- scopes ---- */
UNIT_CASE(scopes_hide_and_repeat_names)
{
    ptx_module *m = parse_body("mov.b32 %r1, 0;\n{ .reg .b64 %r<2>; mov.b64 %r1, 0; mov.b32 %r5, 0; }\n"
                               "{ .reg .b16 %r1; mov.b16 %r1, 0; { mov.b16 %r1, 1; mov.b32 %r5, 0; } }\n"
                               "mov.b32 %r1, 2;");
    REQUIRE(m);
    const ptx_function *f = kernel(m);
    const ptx_insn *i = f->insns;
    int32_t outer = i[0].operands[0].reg;
    CHECK_EQ_INT(f->registers[outer].type, PTX_B32);
    CHECK_EQ_INT(f->registers[i[1].operands[0].reg].type, PTX_B64);
    CHECK_EQ_INT(f->registers[i[2].operands[0].reg].type, PTX_B32);
    CHECK_EQ_INT(f->registers[i[3].operands[0].reg].type, PTX_B16);
    CHECK_EQ_INT(i[4].operands[0].reg, i[3].operands[0].reg);
    CHECK_EQ_INT(i[5].operands[0].reg, i[2].operands[0].reg);
    CHECK_EQ_INT(i[6].operands[0].reg, outer);
    ptx_module_free(m);
}

UNIT_CASE(labels_belong_to_their_scope)
{
    ptx_module *m = parse_body("bra L; { bra L; L: nop; bra L; bra M; } { L: nop; bra L; } L: M: ret;");
    REQUIRE(m);
    const ptx_insn *i = kernel(m)->insns;
    CHECK_EQ_INT(i[0].operands[0].imm, 7);
    CHECK_EQ_INT(i[1].operands[0].imm, 2);
    CHECK_EQ_INT(i[3].operands[0].imm, 2);
    CHECK_EQ_INT(i[4].operands[0].imm, 7);
    CHECK_EQ_INT(i[6].operands[0].imm, 5);
    CHECK_EQ_INT(kernel(m)->label_count, 4);
    ptx_module_free(m);
    m = parse_body("t: .branchtargets a, b, a; brx.idx %r1, t; a: nop; b:");
    REQUIRE(m);
    const ptx_targets *t = kernel(m)->insns[0].operands[1].targets;
    REQUIRE(t && t->count == 3);
    CHECK(t->labels[0] == 1 && t->labels[1] == 2 && t->labels[2] == 1);
    ptx_module_free(m);
}

UNIT_CASE(call_parameters_of_sibling_scopes)
{
    ptx_module *m = parse_file("ptx/parse/calls.ptx");
    REQUIRE(m);
    const ptx_function *f = ptx_find_function(m, "_Z5callsPf6recordi");
    REQUIRE(f);
    const ptx_insn *first = find_insn(f, "call.uni", 0), *second = find_insn(f, "call.uni", 1);
    REQUIRE(first && second);
    CHECK_EQ_INT(first->operand_count, 3);
    CHECK(first->operands[1].function == ptx_find_function(m, "_Z6change6recordi"));
    const ptx_variable *a = first->operands[2].items[0].variable, *b = second->operands[2].items[0].variable;
    CHECK(a && b && a != b && a->bytes == 32 && b->bytes == 32);
    CHECK_STR(a->name, b->name);
    const ptx_insn *indirect = find_insn(f, "call", 0);
    REQUIRE(indirect && indirect->operand_count == 4);
    CHECK(indirect->operands[1].kind == PTX_OP_REG && indirect->operands[3].kind == PTX_OP_PROTOTYPE);
    CHECK_EQ_INT(indirect->operands[3].prototype->param_count, 1);
    ptx_module_free(m);
}

UNIT_CASE(only_used_registers_are_made)
{
    ptx_module *m = parse_body(".reg .f64 %fd<1000000>; mov.f64 %fd999999, %fd0;");
    REQUIRE(m);
    CHECK_EQ_INT(kernel(m)->register_count, 3); /* and v */
    CHECK_STR(kernel(m)->registers[1].name, "%fd999999");
    ptx_module_free(m);
}

/* ---- lines ---- */
UNIT_CASE(inlined_chain)
{
    ptx_module *m = parse_file("ptx/parse/inlined.ptx");
    REQUIRE(m);
    const ptx_function *f = ptx_find_function(m, "_Z9outermostPfi");
    /* which shuffle, line of the call of innermost(), line of the call of middle() */
    static const unsigned want[4][2] = {{9, 15}, {8, 15}, {9, 16}, {8, 16}};
    bool seen[4] = {false};
    for (int i = 0; i < 4; i++) {
        const ptx_insn *shfl = find_insn(f, "shfl.sync.bfly.b32", i);
        REQUIRE(shfl && shfl->source);
        const ptx_line *l = shfl->source;
        CHECK_HAS(l->file, "sm_30_intrinsics.hpp");
        CHECK_EQ_INT(l->line, 449);
        CHECK_HAS(l->function, "__shfl_xor_sync");
        REQUIRE(l->inlined_at && l->inlined_at->inlined_at && l->inlined_at->inlined_at->inlined_at);
        l = l->inlined_at;
        CHECK_EQ_INT(l->line, 3);
        CHECK_STR(l->function, "_Z9innermostf");
        CHECK_STR(l->file, "/project/inlined.cu");
        const ptx_line *call = l->inlined_at, *outer = call->inlined_at;
        CHECK_STR(call->function, "_Z6middlefi");
        CHECK_STR(outer->function, NULL);
        CHECK(outer->inlined_at == NULL);
        for (int k = 0; k < 4; k++) seen[k] = seen[k] || (call->line == want[k][0] && outer->line == want[k][1]);
    }
    CHECK(seen[0] && seen[1] && seen[2] && seen[3]);
    ptx_module_free(m);
    m = parse_file("ptx/parse/tile.ptx"); /* built without -lineinfo */
    REQUIRE(m);
    CHECK(m->functions[0]->insns[0].source == NULL && m->functions[0]->insns[0].line > 0);
    ptx_module_free(m);
}

UNIT_CASE(file_names_keep_their_bytes)
{
    ptx_module *m = parse(HEADER ".file 1 \"/a b/pr\\303\\266g\\\"1\\\".cu\"\n.file 2 \"c:\\\\303.cu\"\n"
                                 ".func f {\n.loc 1 2 0\nnop;\n.loc 2 7 3\nnop;\n}\n");
    REQUIRE(m);
    CHECK_STR(m->functions[0]->insns[0].source->file, "/a b/pr\303\266g\"1\".cu");
    CHECK_STR(m->functions[0]->insns[1].source->file, "c:\\303.cu");
    ptx_module_free(m);
}

UNIT_CASE(line_0_stands_behind_the_last_line)
{
    ptx_module *m = parse(HEADER ".file 1 \"a.cu\"\n.file 2 \"/usr/local/cuda/include/b.hpp\"\n"
                                 ".func f {\n.loc 1 0 0\nnop;\n.loc 1 7 3\nnop;\n.loc 1 0 0\nnop;\n"
                                 ".loc 2 9 1, function_name f, inlined_at 1 8 3\nnop;\n.loc 1 0 0\nnop;\n}\n"
                                 ".func g {\n.loc 1 0 0\nnop;\n}\n");
    REQUIRE(m);
    static const uint32_t own[] = {0, 7, 0, 9, 0}, shown[] = {0, 7, 7, 8, 8};
    for (size_t i = 0; i < 5; i++) {
        const ptx_line *l = m->functions[0]->insns[i].source;
        CHECK_EQ_INT(l->line, own[i]);
        CHECK_EQ_INT(host_visible_frame(l)->line, shown[i]);
    }
    CHECK_EQ_INT(host_visible_frame(m->functions[1]->insns[0].source)->line, 0);
    ptx_module_free(m);
}

UNIT_CASE(a_recursive_position_makes_no_endless_chain)
{
    lw_text text = {0};
    lw_text_add(&text, HEADER ".file 1 \"a.cu\"\n.func f {\n.loc 1 2 3\n");
    for (int i = 0; i < 1000; i++) lw_text_add(&text, ".loc 1 2 3, function_name f, inlined_at 1 2 3\nnop;\n");
    lw_text_add(&text, "}\n");
    ptx_module *m = parse(text.data);
    lw_text_free(&text);
    REQUIRE(m);
    for (size_t i = 0; i < m->functions[0]->insn_count; i++) {
        int links = 0;
        for (const ptx_line *l = m->functions[0]->insns[i].source; l; l = l->inlined_at) links++;
        CHECK(links >= 2 && links <= 64);
    }
    ptx_module_free(m);
}

/* ---- printing one instruction ---- */
UNIT_CASE(print_one_instruction)
{
    static const char *const rows[] = {
        "@!%p1 bra L;",
        "ld.global.v2.f32 {%r1, _}, [%rd1+-8];",
        "setp.eq.s32 %p1|%p2, %r1, -1, !%p3;",
        "call (%r1), f, (%r2, g+4);",
        "tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [g, {%r5, %r6}];",
        "mov.u32 %r1, %envreg2;",
        "mov.b32 v.x, 0f3F800000;",
        "mov.b64 %rd1, 18446744073709551615;",
        "mov.u64 %rd1, 7U;",
        "st.shared.b32 [64], %tid.y;",
    };
    for (size_t i = 0; i < LW_COUNT(rows); i++) {
        char *body = lw_printf("%s L:", rows[i]);
        ptx_module *m = parse_body(body);
        free(body);
        if (!m) continue;
        lw_text text = {0};
        ptx_print_insn(m, kernel(m), &kernel(m)->insns[0], &text);
        if (!strcmp(rows[i], "ld.global.v2.f32 {%r1, _}, [%rd1+-8];"))
            CHECK_STR(text.data, "ld.global.v2.f32 {%r1, _}, [%rd1-8];");
        else CHECK_STR(text.data, rows[i]);
        lw_text_free(&text);
        ptx_module_free(m);
    }
}

/* ---- size and time ---- */
static lw_status parse_repeated(const char *before, const char *piece, int count, const char *after, lw_error *error)
{
    lw_text text = {0};
    lw_text_add(&text, HEADER);
    lw_text_append(&text, before, strlen(before));
    for (int i = 0; i < count; i++) lw_text_append(&text, piece, strlen(piece));
    lw_text_append(&text, after, strlen(after));
    ptx_module *m;
    lw_status status = ptx_parse(&m, "t", text.data, text.size, error);
    ptx_module_free(m);
    lw_text_free(&text);
    return status;
}

UNIT_CASE(deep_nesting_is_an_error)
{
    static const struct {
        const char *before, *piece;
    } rows[] = {{".func f {", "{"},          {".global .u32 x = ", "("},       {".global .u32 x = ", "-"},
                {".global .u32 x = ", "1?"}, {".global .u32 x = ", "{"},       {".func f { x ", "{"},
                {".func f { call ", "("},    {".global .u32 x = ", "generic("}};
    for (size_t i = 0; i < LW_COUNT(rows); i++) {
        lw_error error = {0};
        lw_status status = parse_repeated(rows[i].before, rows[i].piece, 100000, "", &error);
        CHECK(status == LW_LIMIT || status == LW_SYNTAX);
    }
    lw_error error = {0};
    CHECK_EQ_INT(parse_repeated(".func f {", "{", 60, "nop; }", &error), LW_SYNTAX); /* braces missing */
    CHECK_HAS(error.message, "the text ends");
}

/* Time grows with the text: these would take minutes if something were quadratic. Bounds hold for sanitizers, too. */
UNIT_CASE(large_texts_take_linear_time)
{
    static const struct {
        const char *before, *piece, *after;
        int count;
    } rows[] = {
        {".func f { .reg .b32 %r<100>;", "add.s32 %r1, %r2, %r3;\n", "ret; }", 200000},
        {".func f {", "bra L;", "L: }", 200000},
        {".func f {", "{ .reg .b32 a; .param .b32 p; L: bra L; bra M; }", "M: }", 50000},
        {".func f { .reg .b32 a;", "{ L: bra L; bra M; ", "", 60},
        {".func f {", ".loc 1 1 1, function_name f, inlined_at 1 1 1 nop;", "} .file 1 \"x\"", 100000},
        {".global .b8 x[] = {", "1,", "1};", 1000000},
        {"", ".func f;", "", 200000},
        {"", ".file 1 \"x\"\n", "", 200000},
        {".section .debug_str {", ".b8 1,2,3\n", "}", 200000},
        {".func f { x {", "1,", "1}; }", 1000},
        {".func f { x ", "1+", "1; }", 200000},
    };
    for (size_t i = 0; i < LW_COUNT(rows); i++) {
        double start = lw_now();
        lw_error error = {0};
        lw_status status = parse_repeated(rows[i].before, rows[i].piece, rows[i].count, rows[i].after, &error);
        if (strstr(rows[i].before, "a;")) CHECK_EQ_INT(status, LW_SYNTAX); /* never closed */
        else if (status != LW_OK) UNIT_FAIL("%s: %s", rows[i].piece, error.message);
        if (lw_now() - start > 10) UNIT_FAIL("%s: %.1f s", rows[i].piece, lw_now() - start);
    }
}

UNIT_MAIN()
