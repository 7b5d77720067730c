/* print: module tree -> PTX text that parses to an equal tree.
 *
 * Scopes are flattened, so names that were declared more than once in a function get a suffix ("param0$1"), registers
 * are declared one by one in the order of their index, and functions are declared before the variables, which may
 * name them. Line information is written as a .loc for every link of a chain, caller first. One instruction alone is
 * printed with the names of the text. */
#include "ptx/ptx_priv.h"

#include <stdlib.h>
#include <string.h>

typedef struct printer {
    const ptx_module *module;
    const ptx_function *function;
    lw_text *out;
    /* names in this function, by index; NULL: as in the text */
    const char **registers, **locals, **labels;
    lw_map places; /* names of targets and prototypes, by the bytes of their pointer */
    lw_map used;   /* name -> counter */
    lw_map strings, files;
    lw_arena arena;
} printer;

#define add(pr, ...) lw_text_add((pr)->out, __VA_ARGS__)

static const char *const spaces[] = {"", ".reg", ".const", ".global", ".local", ".param", ".shared"};
static const char *const linkages[] = {"", ".visible ", ".extern ", ".weak ", ".common "};

/* ---- names ---- */
static const char *unique(printer *pr, const char *name)
{
    size_t *counter = lw_map_get(&pr->used, name, strlen(name));
    if (!counter) {
        lw_map_put(&pr->used, name, strlen(name), LW_NEW(&pr->arena, size_t));
        return name;
    }
    return unique(pr, lw_arena_printf(&pr->arena, "%s$%zu", name, ++*counter));
}

static const char *variable_name(const printer *pr, const ptx_variable *v)
{
    const ptx_function *f = pr->function;
    bool local = pr->locals && f && v->index < f->local_count && f->locals[v->index] == v;
    return local ? pr->locals[v->index] : v->name;
}

static const char *register_name(const printer *pr, int32_t reg)
{
    if (reg < 0 || !pr->function || (size_t)reg >= pr->function->register_count) return "%?";
    return pr->registers ? pr->registers[reg] : pr->function->registers[reg].name;
}

/* The first label of an instruction index */
static const char *label_name(const printer *pr, int64_t insn)
{
    const ptx_function *f = pr->function;
    size_t low = 0, high = f ? f->label_count : 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (f->labels[middle].insn < (uint64_t)insn) low = middle + 1;
        else high = middle;
    }
    if (!f || low == f->label_count || f->labels[low].insn != (uint64_t)insn) return "$?";
    return pr->labels ? pr->labels[low] : f->labels[low].name;
}

static const char *place_name(const printer *pr, const void *place, const char *name)
{
    const char *found = lw_map_get(&pr->places, (const char *)&place, sizeof place);
    return found ? found : name;
}

/* ---- operands ---- */
static void print_operand(printer *pr, const ptx_operand *o);

static void print_items(printer *pr, const ptx_operand *o, const char *open, const char *between, const char *close)
{
    add(pr, "%s", open);
    for (uint32_t i = 0; i < o->item_count; i++) {
        if (i) add(pr, "%s", between);
        print_operand(pr, &o->items[i]);
    }
    add(pr, "%s", close);
}

static void print_int(printer *pr, const ptx_operand *o)
{
    if (o->imm == INT64_MIN && !o->is_unsigned) add(pr, "-9223372036854775807-1");
    else if (!o->is_unsigned) add(pr, "%lld", (long long)o->imm);
    else add(pr, "%llu%s", (unsigned long long)o->imm, o->imm < 0 ? "" : "U");
}

static void print_offset(printer *pr, int64_t imm)
{
    if (imm == INT64_MIN) add(pr, "+9223372036854775808");
    else if (imm) add(pr, "%+lld", (long long)imm);
}

static void print_component(printer *pr, const ptx_operand *o)
{
    static const char *const components[] = {".x", ".y", ".z", ".w", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    if (o->component >= 0 && o->component < (int)LW_COUNT(components)) add(pr, "%s", components[o->component]);
    if (o->component < (int)LW_COUNT(components)) return;
    add(pr, o->component == 10 ? ".h" : ".b");
    for (int n = (int)(o->imm >> 16 & 15); n-- > 0;) add(pr, "%d", (int)(o->imm >> 4 * n & 15));
}

static void print_special(printer *pr, const ptx_operand *o)
{
    const ptx_special_row *row = &ptx_specials[o->special];
    size_t head = strcspn(row->name, "#");
    add(pr, "%.*s", (int)head, row->name);
    if (row->numbers) add(pr, "%d%s", (int)o->imm, row->name + head + 1);
    print_component(pr, o);
}

static void print_register(printer *pr, const ptx_operand *o)
{
    bool pred = pr->function && o->reg >= 0 && (size_t)o->reg < pr->function->register_count &&
                pr->function->registers[o->reg].type == PTX_PRED;
    if (o->negated) add(pr, pred ? "!" : "-");
    add(pr, "%s", register_name(pr, o->reg));
    print_component(pr, o);
}

static void print_address(printer *pr, const ptx_operand *o)
{
    add(pr, "[");
    if (o->reg >= 0) print_register(pr, o);
    else if (o->variable) add(pr, "%s", variable_name(pr, o->variable));
    if (o->reg < 0 && !o->variable) add(pr, "%llu", (unsigned long long)o->imm);
    else print_offset(pr, o->imm);
    add(pr, "]");
}

static void print_operand(printer *pr, const ptx_operand *o)
{
    switch (o->kind) {
    case PTX_OP_NONE: break;
    case PTX_OP_INT: print_int(pr, o); break;
    case PTX_OP_REG:
        print_register(pr, o);
        print_offset(pr, o->imm);
        break;
    case PTX_OP_F32: add(pr, "0f%08X", (unsigned)o->imm); break;
    case PTX_OP_F64: add(pr, "0d%016llX", (unsigned long long)o->imm); break;
    case PTX_OP_SPECIAL: print_special(pr, o); break;
    case PTX_OP_VARIABLE:
        add(pr, "%s", variable_name(pr, o->variable));
        print_offset(pr, o->imm);
        break;
    case PTX_OP_FUNCTION: add(pr, "%s", o->function->name); break;
    case PTX_OP_LABEL: add(pr, "%s", label_name(pr, o->imm)); break;
    case PTX_OP_ADDRESS: print_address(pr, o); break;
    case PTX_OP_VECTOR: print_items(pr, o, "{", ", ", "}"); break;
    case PTX_OP_LIST: print_items(pr, o, "(", ", ", ")"); break;
    case PTX_OP_TEX: print_items(pr, o, "[", ", ", "]"); break;
    case PTX_OP_PAIR: print_items(pr, o, "", "|", ""); break;
    case PTX_OP_SINK: add(pr, "_"); break;
    case PTX_OP_PROTOTYPE: add(pr, "%s", place_name(pr, o->prototype, o->prototype->name)); break;
    case PTX_OP_TARGETS: add(pr, "%s", place_name(pr, o->targets, o->targets->name)); break;
    }
}

static void print_insn(printer *pr, const ptx_insn *insn)
{
    if (insn->guard >= 0) add(pr, "@%s%s ", insn->guard_negated ? "!" : "", register_name(pr, insn->guard));
    add(pr, "%s", insn->mnemonic);
    for (uint8_t i = 0; i < insn->operand_count; i++) {
        add(pr, "%s", i ? ", " : " ");
        print_operand(pr, &insn->operands[i]);
    }
    add(pr, ";");
}

void ptx_print_insn(const ptx_module *module, const ptx_function *function, const ptx_insn *insn, lw_text *out)
{
    printer pr = {.module = module, .function = function, .out = out};
    print_insn(&pr, insn);
}

/* ---- variables ---- */
static void print_variable(printer *pr, const ptx_variable *v, const char *name)
{
    uint64_t element = (uint64_t)ptx_type_bytes(v->type) * v->vector;
    add(pr, "%s", spaces[v->space]);
    if (v->managed) add(pr, " .attribute(.managed)");
    if (v->alignment != LW_MAX(element, 1u)) add(pr, " .align %u", v->alignment);
    if (v->vector > 1) add(pr, " .v%u", v->vector);
    add(pr, " .%s%s %s", ptx_type_name(v->type), v->is_pointer ? " .ptr" : "", name);
    if (v->unsized) add(pr, "[]");
    else if (v->bytes != element) add(pr, "[%llu]", (unsigned long long)(element ? v->bytes / element : 0));
}

static void print_init_address(printer *pr, const ptx_init_address *a)
{
    if (a->bytes == 1) add(pr, "0x%llX(", 0xFFull << a->shift);
    if (a->generic) add(pr, "generic(");
    add(pr, "%s", a->variable ? variable_name(pr, a->variable) : a->function->name);
    print_offset(pr, a->addend);
    if (a->generic) add(pr, ")");
    if (a->bytes == 1) add(pr, ")");
}

static void print_init_number(printer *pr, ptx_type type, const uint8_t *at, uint32_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, at, LW_MIN(size, 8u));
    if (type == PTX_F32) add(pr, "0f%08X", (unsigned)bits);
    else if (type == PTX_F64) add(pr, "0d%016llX", (unsigned long long)bits);
    else add(pr, "%llu", (unsigned long long)bits);
}

/* All values in one flat list, trailing zeros left out */
static void print_init(printer *pr, const ptx_variable *v)
{
    uint32_t size = ptx_type_bytes(v->type);
    uint64_t count = v->bytes / size, last = 0;
    bool list = v->bytes != size;
    for (uint64_t i = 0; i < v->bytes; i++)
        if (v->init[i]) last = i / size;
    if (v->address_count) last = LW_MAX(last, v->addresses[v->address_count - 1].offset / size);
    add(pr, list ? " = {" : " = ");
    for (uint64_t i = 0, a = 0; i <= last && i < count; i++) {
        if (i) add(pr, ",%s", i % 32 ? " " : "\n    ");
        if (a < v->address_count && v->addresses[a].offset == i * size) print_init_address(pr, &v->addresses[a++]);
        else print_init_number(pr, v->type, v->init + i * size, size);
    }
    if (list) add(pr, "}");
}

static void print_declaration(printer *pr, const ptx_variable *v, const char *name)
{
    add(pr, "%s", linkages[v->linkage]);
    print_variable(pr, v, name);
    if (v->init) print_init(pr, v);
    add(pr, ";\n");
}

/* ---- functions ---- */
static void print_params(printer *pr, const ptx_variable *const *list, size_t count)
{
    add(pr, "(");
    for (size_t i = 0; i < count; i++) {
        if (i) add(pr, ", ");
        print_variable(pr, list[i], list[i]->name);
    }
    add(pr, ")");
}

static void print_dimensions(printer *pr, const char *word, const uint32_t v[3])
{
    if (v[0] | v[1] | v[2]) add(pr, "\n%s %u, %u, %u", word, v[0], v[1], v[2]);
}

static void print_number(printer *pr, const char *word, uint32_t value)
{
    if (value) add(pr, "\n%s %u", word, value);
}

static void print_signature(printer *pr, const ptx_function *f)
{
    add(pr, "%s%s ", linkages[f->linkage], f->is_entry ? ".entry" : ".func");
    if (f->return_count) {
        print_params(pr, f->returns, f->return_count);
        add(pr, " ");
    }
    add(pr, "%s", f->name);
    print_params(pr, f->params, f->param_count);
    if (f->noreturn) add(pr, "\n.noreturn");
    print_dimensions(pr, ".maxntid", f->maxntid);
    print_dimensions(pr, ".reqntid", f->reqntid);
    print_dimensions(pr, ".reqnctapercluster", f->reqnctapercluster);
    print_number(pr, ".minnctapersm", f->minnctapersm);
    print_number(pr, ".maxnctapersm", f->maxnctapersm);
    print_number(pr, ".maxnreg", f->maxnreg);
    print_number(pr, ".maxclusterrank", f->maxclusterrank);
    if (f->explicitcluster) add(pr, "\n.explicitcluster");
}

/* Names of a function made unique: PTX lets scopes repeat them, the printed text has one scope. */
static void name_everything(printer *pr, const ptx_function *f)
{
    const ptx_module *m = pr->module;
    pr->function = f;
    pr->registers = LW_NEW_ARRAY(&pr->arena, const char *, f->register_count);
    pr->locals = LW_NEW_ARRAY(&pr->arena, const char *, f->local_count);
    pr->labels = LW_NEW_ARRAY(&pr->arena, const char *, f->label_count);
    lw_map_free(&pr->used);
    for (size_t i = 0; i < f->param_count; i++) {
        unique(pr, f->params[i]->name);
        if (f->param_registers[i] >= 0) pr->registers[f->param_registers[i]] = f->params[i]->name;
    }
    for (size_t i = 0; i < f->return_count; i++) {
        unique(pr, f->returns[i]->name);
        if (f->return_registers[i] >= 0) pr->registers[f->return_registers[i]] = f->returns[i]->name;
    }
    for (size_t i = 0; i < m->function_count; i++) unique(pr, m->functions[i]->name);
    for (size_t i = 0; i < m->variable_count; i++) unique(pr, m->variables[i]->name);
    for (size_t i = 0; i < f->register_count; i++)
        if (!pr->registers[i]) pr->registers[i] = unique(pr, f->registers[i].name);
    for (size_t i = 0; i < f->local_count; i++) pr->locals[i] = unique(pr, f->locals[i]->name);
    for (size_t i = 0; i < f->label_count; i++) pr->labels[i] = unique(pr, f->labels[i].name);
}

/* Parameters that are registers are declared by the signature and come first */
static void print_registers(printer *pr, const ptx_function *f)
{
    size_t first = 0;
    for (size_t i = 0; i < f->param_count; i++) first += f->param_registers[i] >= 0;
    for (size_t i = 0; i < f->return_count; i++) first += f->return_registers[i] >= 0;
    for (size_t i = first, run = 0; i < f->register_count; i++, run++) {
        const ptx_register *r = &f->registers[i];
        bool same = i > first && r->type == r[-1].type && r->vector == r[-1].vector && run % 16;
        if (same) {
            add(pr, ", %s", pr->registers[i]);
            continue;
        }
        run = 0;
        add(pr, "%s    .reg", i > first ? ";\n" : "");
        if (r->vector > 1) add(pr, " .v%u", r->vector);
        add(pr, " .%s %s", ptx_type_name(r->type), pr->registers[i]);
    }
    if (first < f->register_count) add(pr, ";\n");
}

static void print_prototype(printer *pr, const ptx_prototype *t, const char *name)
{
    add(pr, "    %s: .callprototype ", name);
    for (size_t i = 0; i < t->return_count; i++) {
        add(pr, "%s", i ? ", " : "(");
        print_variable(pr, &t->returns[i], t->returns[i].name);
    }
    add(pr, "%s_ (", t->return_count ? ") " : "");
    for (size_t i = 0; i < t->param_count; i++) {
        if (i) add(pr, ", ");
        print_variable(pr, &t->params[i], t->params[i].name);
    }
    add(pr, ");\n");
}

static void print_targets(printer *pr, const ptx_targets *t, const char *name)
{
    add(pr, "    %s: %s ", name, t->functions ? ".calltargets" : ".branchtargets");
    for (size_t i = 0; i < t->count; i++)
        add(pr, "%s%s", i ? ", " : "", t->functions ? t->functions[i]->name : label_name(pr, t->labels[i]));
    add(pr, ";\n");
}

/* Every target list and prototype that an operand names, once */
static void print_places(printer *pr, const ptx_function *f)
{
    lw_map_free(&pr->places);
    for (size_t i = 0; i < f->insn_count; i++)
        for (uint8_t k = 0; k < f->insns[i].operand_count; k++) {
            const ptx_operand *o = &f->insns[i].operands[k];
            bool prototype = o->kind == PTX_OP_PROTOTYPE;
            if (!prototype && o->kind != PTX_OP_TARGETS) continue;
            const void *const *key = prototype ? (const void *const *)&o->prototype : (const void *const *)&o->targets;
            if (lw_map_get(&pr->places, (const char *)key, sizeof *key)) continue;
            const char *name = unique(pr, prototype ? o->prototype->name : o->targets->name);
            lw_map_put(&pr->places, (const char *)key, sizeof *key, (void *)name);
            if (prototype) print_prototype(pr, o->prototype, name);
            else print_targets(pr, o->targets, name);
        }
}

/* ---- lines ---- */
static size_t number_of(lw_map *map, lw_arena *arena, const char *text)
{
    size_t *number = lw_map_get(map, text, strlen(text));
    if (number) return *number;
    number = LW_NEW(arena, size_t);
    *number = map->count + 1;
    lw_map_put(map, text, strlen(text), number);
    return *number;
}

static void print_loc(printer *pr, const ptx_line *l)
{
    const ptx_line *chain[PTX_MAX_INLINE_DEPTH + 1];
    int count = 0;
    for (; l && count < (int)LW_COUNT(chain); l = l->inlined_at) chain[count++] = l;
    while (count--) {
        l = chain[count];
        add(pr, "    .loc %zu %u %u", number_of(&pr->files, &pr->arena, l->file), l->line, l->column);
        if (l->function) add(pr, ", function_name $L__name%zu", number_of(&pr->strings, &pr->arena, l->function));
        if (l->inlined_at)
            add(pr, ", inlined_at %zu %u %u", number_of(&pr->files, &pr->arena, l->inlined_at->file),
                l->inlined_at->line, l->inlined_at->column);
        add(pr, "\n");
    }
}

static const char **by_number(printer *pr, const lw_map *map, const ptx_module *m, bool files)
{
    const char **texts = LW_NEW_ARRAY(&pr->arena, const char *, map->count + 1);
    for (size_t f = 0; f < m->function_count; f++)
        for (size_t i = 0; i < m->functions[f]->insn_count; i++)
            for (const ptx_line *l = m->functions[f]->insns[i].source; l; l = l->inlined_at) {
                const char *text = files ? l->file : l->function;
                const size_t *number = text ? lw_map_get(map, text, strlen(text)) : NULL;
                if (number) texts[*number] = text;
            }
    return texts;
}

static void print_line_tables(printer *pr)
{
    const char **files = by_number(pr, &pr->files, pr->module, true);
    const char **strings = by_number(pr, &pr->strings, pr->module, false);
    if (pr->strings.count) {
        add(pr, ".section .debug_str\n{\n");
        for (size_t i = 1; i <= pr->strings.count; i++) {
            add(pr, "$L__name%zu:\n.b8 ", i);
            for (const char *s = strings[i]; *s; s++) add(pr, "%u,", (unsigned char)*s);
            add(pr, "0\n");
        }
        add(pr, "}\n");
    }
    for (size_t i = 1; i <= pr->files.count; i++) {
        add(pr, ".file %zu \"", i);
        for (const char *s = files[i]; *s; s++) add(pr, "%s%c", *s == '"' || *s == '\\' ? "\\" : "", *s);
        add(pr, "\"\n");
    }
}

/* ---- bodies and the module ---- */
static void print_labels(printer *pr, const ptx_function *f, size_t *next, size_t insn)
{
    for (; *next < f->label_count && f->labels[*next].insn == insn; ++*next) add(pr, "%s:\n", pr->labels[*next]);
}

static void print_function(printer *pr, const ptx_function *f)
{
    const ptx_line *line = NULL;
    size_t label = 0;
    name_everything(pr, f);
    add(pr, "\n");
    print_signature(pr, f);
    add(pr, "\n{\n");
    print_registers(pr, f);
    for (size_t i = 0; i < f->local_count; i++) {
        add(pr, "    ");
        print_declaration(pr, f->locals[i], pr->locals[i]);
    }
    print_places(pr, f);
    for (size_t i = 0; i < f->insn_count; i++) {
        print_labels(pr, f, &label, i);
        if (f->insns[i].source != line && f->insns[i].source) print_loc(pr, f->insns[i].source);
        line = f->insns[i].source;
        add(pr, "    ");
        print_insn(pr, &f->insns[i]);
        add(pr, "\n");
    }
    print_labels(pr, f, &label, f->insn_count);
    add(pr, "}\n");
    pr->registers = pr->locals = pr->labels = NULL;
    pr->function = NULL;
}

void ptx_print(const ptx_module *module, lw_text *out)
{
    printer pr = {.module = module, .out = out};
    const ptx_module *m = module;
    lw_text_add(out, ".version %u.%u\n.target sm_%u%.1s%s\n.address_size 64\n", m->version / 10, m->version % 10, m->sm,
                (char[2]){m->sm_suffix, 0}, m->debug_target ? ", debug" : "");
    for (size_t i = 0; i < m->function_count; i++) {
        print_signature(&pr, m->functions[i]);
        add(&pr, "\n;\n");
    }
    for (size_t i = 0; i < m->variable_count; i++) print_declaration(&pr, m->variables[i], m->variables[i]->name);
    for (size_t i = 0; i < m->function_count; i++)
        if (!m->functions[i]->is_declaration) print_function(&pr, m->functions[i]);
    print_line_tables(&pr);
    lw_map_free(&pr.places);
    lw_map_free(&pr.used);
    lw_map_free(&pr.strings);
    lw_map_free(&pr.files);
    lw_arena_free(&pr.arena);
}
