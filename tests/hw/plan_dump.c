/* plan_dump: what the count plan makes of every kernel of a file of PTX, for tools/compare_machine.py: a line per
 * micro-operation, its fields between tabs.
 *
 *   plan_dump FILE.ptx [STACKS]     STACKS: lines "KERNEL BYTES NUMBERS": local memory of the machine code, and its
 *                                   instructions that load and store, as in code_accesses
 *
 *   K name                          a kernel
 *   F                               a function of it: the kernel itself comes first
 *   I index op guard file line ptx_line: then of branches their targets, of barriers whether a predicate guards them in
 *     machine code (0: not known, 1: yes, 2: no), of accesses
 *     space bytes kind exact parts why: kind "ld", "st", ... ("swap": a loop of loads and
 *                                        compare-and-swaps; "apart": two loads) or "" if the machine has no such
 *                                        instruction */
#include "code/code_priv.h"
#include "memory/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct program {
    mem_window *memory;
    ptx_module *module;
    code_image *image;
    lw_error error;
} program;

static lw_status place(void *user, const ptx_variable *v, uint64_t *out_address, lw_error *error)
{
    (void)error;
    return mem_alloc(((program *)user)->memory, v->bytes, 0, v->space == PTX_CONST ? MEM_CONST_VAR : MEM_GLOBAL_VAR, 0,
                     v->name, out_address);
}

static const char *space_name(uint8_t space)
{
    switch (space) {
    case PTX_GLOBAL: return "global";
    case PTX_SHARED: return "shared";
    case PTX_LOCAL: return "local";
    case PTX_GENERIC: return "generic";
    case PTX_SHARED_CLUSTER: return "dshared";
    default: return "other";
    }
}

/* A loop of loads and compare-and-swaps; of two halves at a generic address it is one of two ways. */
static bool is_swap_loop(const code_site *s, const code_insn *i)
{
    bool half_add = i->op == OP_atom && i->mem.atomic.event_class == EVENT_ATOMIC_FADD &&
                    i->mem.atomic.type != PTX_F32 && i->mem.atomic.type != PTX_F64;
    return s->swaps || (half_add && i->mem.space == PTX_GENERIC);
}

/* How the machine's instruction is called; there is none of shared memory that gives nothing back. */
static const char *kind_of(const code_site *s, const code_insn *i)
{
    if (is_swap_loop(s, i)) return "swap";
    if (i->op == OP_ld && i->mem.access.apart) return "apart";
    switch (i->op) {
    case OP_cp_async: return "cp";
    case OP_ldmatrix: return "ldm";
    case OP_stmatrix: return "stm";
    default: break;
    }
    switch (i->event_op) {
    case EVENT_LOAD: return "ld";
    case EVENT_STORE: return "st";
    case EVENT_ATOMIC: return "atom";
    case EVENT_REDUCTION: return i->mem.space == PTX_SHARED ? "atom" : "red";
    default: return "";
    }
}

static const char *op_name(uint16_t op)
{
    switch (op) {
    case OP_bra: return "bra";
    case OP_brx: return "brx";
    case OP_ret: return "ret";
    case OP_exit: return "exit";
    case OP_trap: return "trap";
    case OP_bar: return "bar";
    case OP_ld:
    case OP_st:
    case OP_atom:
    case OP_cp_async:
    case OP_ldmatrix:
    case OP_stmatrix: return "access";
    default: return "-";
    }
}

static void print_access(const code_kernel *k, const code_insn *i, bool parts)
{
    const code_site *s = &k->sites[i->site];
    bool plain = i->op == OP_ld || i->op == OP_st;
    uint32_t bytes =
        plain && i->mem.access.joined_words ? 4u * i->mem.access.joined_words : i->mem.bytes * i->mem.vector;
    printf("\t%s\t%u\t%s\t%d\t%d\t%s", space_name(i->mem.space), bytes, kind_of(s, i), s->exact, parts,
           s->why ? s->why : "");
}

static void print_insn(const code_kernel *k, const code_function *f, uint32_t u, const bool *parts)
{
    const code_insn *i = &f->insns[u];
    const ptx_insn *insn = k->sites[i->site].insn;
    const ptx_line *l = insn->source;
    while (l && !l->line && l->before) l = l->before;
    const char *op = op_name(i->op);
    printf("I\t%u\t%s\t%d\t%s\t%u\t%u", u, op, i->guard != CODE_NO_REF, l && l->file ? l->file : "?", l ? l->line : 0,
           insn->line);
    if (i->op == OP_bra) printf("\t%u", (unsigned)(i->branch.to->target - f->insns));
    for (uint32_t t = 0; i->op == OP_brx && t < i->table.to->count; t++)
        printf("\t%u", (unsigned)(i->table.to->target[t] - f->insns));
    if (i->op == OP_bar) printf("\t%u", i->barrier.way);
    if (!strcmp(op, "access")) print_access(k, i, parts[i->site]);
    putchar('\n');
}

static void print_kernel(const code_kernel *k)
{
    bool *parts = calloc(k->site_count + 1, 1);
    for (uint32_t p = 0; p < k->parting_count; p++) parts[k->partings[p].site] = true;
    printf("K\t%s\n", k->name);
    for (uint32_t n = 0; n < k->body->function_count; n++) {
        printf("F\n");
        for (uint32_t u = 0; u < k->body->functions[n]->insn_count; u++) print_insn(k, k->body->functions[n], u, parts);
    }
    free(parts);
}

static const char *stacks;

static code_options options_of(const char *kernel)
{
    static code_accesses accesses;
    enum { NUMBERS = sizeof accesses / sizeof(uint32_t) };
    code_options o = {0};
    char name[4096];
    unsigned bytes;
    FILE *in = stacks ? fopen(stacks, "r") : NULL;
    while (in && !o.stack_known && fscanf(in, "%4095s %u", name, &bytes) == 2) {
        for (uint32_t k = 0; k < NUMBERS && fscanf(in, "%u", &accesses[0][0][0] + k) == 1;) k++;
        if (!strcmp(name, kernel)) o = (code_options){.stack_known = true, .stack_bytes = bytes, .accesses = &accesses};
    }
    if (in) fclose(in);
    return o;
}

static void visit(void *user, const ptx_function *entry)
{
    program *f = user;
    code_options o = options_of(entry->name);
    code_kernel *k = NULL;
    if (code_kernel_build(&k, f->image, entry, &o, &f->error) != LW_OK) {
        fprintf(stderr, "plan_dump: %s: %s\n", entry->name, f->error.message);
        f->error.message[0] = 0;
        return;
    }
    print_kernel(k);
    code_kernel_free(k);
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: plan_dump FILE.ptx [STACKS]\n");
        return 2;
    }
    stacks = argc > 2 ? argv[2] : NULL;
    char *text = NULL;
    size_t size = 0;
    program f = {0};
    code_linker linker = {.user = &f, .place = place, .storage = mem_storage};
    const ptx_module *modules[1];
    bool ok = lw_file_read(argv[1], &text, &size, &f.error) == LW_OK &&
              mem_create(&f.memory, UINT64_C(1) << 34, &f.error) == LW_OK &&
              ptx_parse(&f.module, argv[1], text, size, &f.error) == LW_OK;
    modules[0] = f.module;
    ok = ok && code_link(&f.image, modules, 1, &linker, &f.error) == LW_OK;
    if (ok) code_each_entry(f.image, visit, &f);
    else fprintf(stderr, "plan_dump: %s\n", f.error.message);
    code_image_free(f.image);
    ptx_module_free(f.module);
    mem_destroy(f.memory);
    free(text);
    return !ok;
}
