/* Fuzz target of room code: any bytes as PTX text are parsed, linked, and every entry function is decoded, with and
 * without the count plan. What is decoded must be whole: every operand lies in its lane file, every branch in its
 * function, every site in the table; what is not gives an error with a text. */
#include "code/code_priv.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VARIABLE_LIMIT = 1 << 20, ENTRY_LIMIT = 16 };

static void must(bool condition)
{
    if (!condition) abort();
}

/* ---------------------------------------------------------------- what must hold of a kernel */
static void check_ref(const code_kernel *k, const code_function *f, code_ref ref)
{
    const struct code_body *b = k->body;
    uint32_t bytes[4] = {f->register_bytes, b->launch.bytes, b->block.bytes, b->warp.bytes};
    if (ref != CODE_NO_REF) must((ref & ~3u) < bytes[ref & 3]);
}

static bool inside(const code_function *f, const code_insn *i) { return i >= f->insns && i < f->insns + f->insn_count; }

static void check_insn(const code_kernel *k, const code_function *f, const code_insn *i)
{
    const code_ref refs[] = {i->d, i->a, i->b, i->c, i->e};
    for (size_t n = 0; n < LW_COUNT(refs); n++) check_ref(k, f, refs[n]);
    if (i->guard != CODE_NO_REF) must((i->guard & ~3u) < f->register_bytes);
    must(i->op != OP_none && i->op < CODE_OP_COUNT);
    must(i->site < k->site_count || !k->site_count);
    if (i->op == OP_bra) {
        const code_branch *br = i->branch.to;
        must(inside(f, br->target) && br->target->op == OP_block);
        must(!br->join || (inside(f, br->join) && br->join->op == OP_block));
    } else if (i->op == OP_brx) {
        const code_table *t = i->table.to;
        must(t->count && (!t->join || inside(f, t->join)));
        for (uint32_t n = 0; n < t->count; n++) must(inside(f, t->target[n]) && t->target[n]->op == OP_block);
    } else if (i->op == OP_call) {
        must(inside(f, i->call->join));
    } else if (i->op == OP_ld || i->op == OP_st || i->op == OP_atom || i->op == OP_ld_frame || i->op == OP_st_frame) {
        must(i->mem.bytes && i->mem.vector && (uint32_t)i->mem.bytes * i->mem.vector <= 32);
        if (i->op != OP_atom) must(i->mem.access.reg_bytes >= i->mem.bytes && i->mem.access.reg_bytes <= 16);
        const code_list *l = i->mem.list;
        must(l->count >= i->mem.vector);
        for (uint32_t n = 0; n < l->count; n++) check_ref(k, f, l->ref[n]);
    }
}

static void check_kernel(const code_kernel *k)
{
    for (uint32_t n = 0; n < k->site_count; n++) must(k->sites[n].insn && k->sites[n].block < k->block_count);
    for (uint32_t n = 0; n < k->body->function_count; n++) {
        const code_function *f = k->body->functions[n];
        must(f->index == n && f->insn_count && f->local_bytes % 16 == 0);
        code_op last = (code_op)f->insns[f->insn_count - 1].op;
        must(last == OP_exit || last == OP_ret);
        for (uint32_t u = 0; u < f->insn_count; u++) check_insn(k, f, &f->insns[u]);
    }
}

/* ---------------------------------------------------------------- the target */
typedef struct storage {
    LW_VEC(void *) blocks;
    const code_image *image;
    uint32_t entries;
} storage;

static lw_status place(void *user, const ptx_variable *v, uint64_t *out_address, lw_error *error)
{
    if (v->bytes > VARIABLE_LIMIT) return lw_fail(error, LW_NO_MEMORY, "'%s' is too large for this test", v->name);
    void *p = lw_alloc(v->bytes + 1);
    lw_vec_push(&((storage *)user)->blocks, p);
    *out_address = (uint64_t)(uintptr_t)p;
    return LW_OK;
}

static void build(void *user, const ptx_function *entry)
{
    storage *s = user;
    if (s->entries++ >= ENTRY_LIMIT) return;
    for (int plain = 0; plain < 2; plain++) {
        code_kernel *k = NULL;
        lw_error error = {0};
        code_options options = {.count_ptx = plain};
        lw_status status = code_kernel_build(&k, s->image, entry, &options, &error);
        must(status == error.status && (status == LW_OK) == (k != NULL) && (status == LW_OK) == !error.message[0]);
        if (k) check_kernel(k);
        code_kernel_free(k);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ptx_module *m = NULL;
    code_image *image = NULL;
    storage s = {0};
    code_linker linker = {.user = &s, .place = place, .storage = NULL};
    lw_error error = {0};
    if (ptx_parse(&m, "fuzz", (const char *)data, size, NULL) == LW_OK) {
        const ptx_module *modules[] = {m};
        lw_status status = code_link(&image, modules, 1, &linker, &error);
        must(status == error.status && (status == LW_OK) == (image != NULL));
        s.image = image;
        if (image) code_each_entry(image, build, &s);
        code_image_free(image);
    }
    ptx_module_free(m);
    for (size_t n = 0; n < s.blocks.count; n++) free(s.blocks.items[n]);
    lw_vec_free(&s.blocks);
    return 0;
}
