/* defined_use.c: where undefined bits decide something: addresses, operands of operations that move data, guards. */
#include "exec/defined_parts.h"

void exec_undefined_use(exec_ctx *x, const code_insn *i, code_ref ref, uint32_t bytes, uint32_t mask, event_use what)
{
    uint32_t lanes = exec_undefined_lanes(x, ref, bytes, mask);
    if (!lanes) return;
    event_origin origin = *exec_undefined_origin(x, ref);
    exec_emit_undefined_use(x, i, what, lanes, &origin);
    exec_make_defined(x, ref, bytes, lanes);
}

static void use_address(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    exec_undefined_use(x, i, i->a, i->mem.narrow ? 4 : 8, mask, EVENT_USE_ADDRESS);
}

static void use_bulk(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    exec_undefined_use(x, i, i->a, 8, mask, EVENT_USE_ADDRESS);
    exec_undefined_use(x, i, list->ref[0], 8, mask, EVENT_USE_ADDRESS);
    exec_undefined_use(x, i, list->ref[1], 4, mask, EVENT_USE_OPERAND);
    exec_undefined_use(x, i, list->ref[2], 8, mask, EVENT_USE_ADDRESS);
}

/* Addresses of the map, the mbarrier and shared memory; coordinates and offsets. */
static void use_tensor(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    uint32_t rank = i->mem.tensor.dimensions;
    exec_undefined_use(x, i, i->a, 8, mask, EVENT_USE_ADDRESS);
    exec_undefined_use(x, i, list->ref[0], 8, mask, EVENT_USE_ADDRESS);
    exec_undefined_use(x, i, list->ref[1], 8, mask, EVENT_USE_ADDRESS);
    exec_undefined_use(x, i, list->ref[2], 2, mask, EVENT_USE_OPERAND);
    for (uint32_t k = 3; k < 3 + rank; k++) exec_undefined_use(x, i, list->ref[k], 4, mask, EVENT_USE_ADDRESS);
    for (uint32_t k = 3 + rank; k < list->count; k++)
        exec_undefined_use(x, i, list->ref[k], 2, mask, EVENT_USE_ADDRESS);
}

static void use_copy(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    use_address(x, i, mask);
    exec_undefined_use(x, i, list->ref[0], 8, mask, EVENT_USE_ADDRESS);
    exec_undefined_use(x, i, list->ref[1], 4, mask, EVENT_USE_OPERAND);
    exec_undefined_use(x, i, i->c, 0, mask, EVENT_USE_OPERAND);
}

static void use_texture(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    exec_undefined_use(x, i, i->a, 8, mask, EVENT_USE_ADDRESS);
    for (uint32_t k = 4; k < list->count; k++) exec_undefined_use(x, i, list->ref[k], 4, mask, EVENT_USE_ADDRESS);
    for (uint32_t k = 0; k < 4; k++) exec_make_all_defined(x, list->ref[k]);
    exec_make_all_defined(x, i->d);
}

static void use_surface(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    exec_undefined_use(x, i, i->a, 8, mask, EVENT_USE_ADDRESS);
    for (uint32_t k = i->mem.vector; k < list->count; k++)
        exec_undefined_use(x, i, list->ref[k], 4, mask, EVENT_USE_ADDRESS);
    for (uint32_t k = 0; i->op == OP_suld && k < i->mem.vector; k++) exec_make_all_defined(x, list->ref[k]);
}

static void use_arguments(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_call *call = i->call;
    for (uint32_t k = 0; k < call->argument_count; k++)
        exec_undefined_use(x, i, call->arguments[k].ref, call->arguments[k].bytes, mask, EVENT_USE_SYSTEM);
    for (uint32_t k = 0; k < call->result_count; k++) exec_make_all_defined(x, call->results[k].ref);
}

void exec_undefined_use_operands(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    switch (i->op) {
    case OP_ld:
    case OP_st:
    case OP_atom:
    case OP_ldmatrix:
    case OP_stmatrix: use_address(x, i, mask); break;
    case OP_mbarrier:
        use_address(x, i, mask);
        exec_make_all_defined(x, i->d);
        break;
    case OP_st_async:
        use_address(x, i, mask);
        exec_undefined_use(x, i, i->mem.list->ref[0], 8, mask, EVENT_USE_ADDRESS);
        break;
    case OP_st_bulk:
        use_address(x, i, mask);
        exec_undefined_use(x, i, i->b, 8, mask, EVENT_USE_OPERAND);
        break;
    case OP_cp_async: use_copy(x, i, mask); break;
    case OP_bulk: use_bulk(x, i, mask); break;
    case OP_tensor_copy: use_tensor(x, i, mask); break;
    case OP_tensor_map_replace: use_address(x, i, mask); break;
    case OP_tensor_map_copy:
        use_address(x, i, mask);
        exec_undefined_use(x, i, i->b, 8, mask, EVENT_USE_ADDRESS);
        break;
    case OP_tex: use_texture(x, i, mask); break;
    case OP_suld:
    case OP_sust:
    case OP_sured: use_surface(x, i, mask); break;
    case OP_builtin: use_arguments(x, i, mask); break;
    case OP_brx: exec_undefined_use(x, i, i->a, 4, mask, EVENT_USE_BRANCH); break;
    case OP_call: exec_undefined_use(x, i, i->a, 8, mask, EVENT_USE_BRANCH); break;
    case OP_bar:
        exec_undefined_use(x, i, i->a, 4, mask, EVENT_USE_OPERAND);
        exec_undefined_use(x, i, i->b, 4, mask, EVENT_USE_OPERAND);
        exec_undefined_use(x, i, i->c, 0, mask, EVENT_USE_OPERAND);
        exec_make_all_defined(x, i->d);
        break;
    case OP_warpsync: exec_undefined_use(x, i, i->a, 4, mask, EVENT_USE_OPERAND); break;
    default:
        exec_make_all_defined(x, i->d); /* special registers, stack addresses */
        break;
    }
}

bool exec_guard_decides(uint32_t op, event_use *out)
{
    switch (op) {
    case OP_bra:
    case OP_brx:
    case OP_call:
    case OP_builtin:
    case OP_ret:
    case OP_exit:
    case OP_trap: *out = EVENT_USE_BRANCH; return true;
    case OP_ld:
    case OP_st:
    case OP_ld_frame:
    case OP_st_frame:
    case OP_atom:
    case OP_bar:
    case OP_cluster_bar:
    case OP_warpsync:
    case OP_vote:
    case OP_match:
    case OP_shfl:
    case OP_redux:
    case OP_elect:
    case OP_cp_async:
    case OP_cp_async_group:
    case OP_mma:
    case OP_wgmma:
    case OP_wgmma_commit:
    case OP_wgmma_wait:
    case OP_bulk:
    case OP_tensor_copy:
    case OP_tensor_map_replace:
    case OP_tensor_map_copy:
    case OP_mbarrier:
    case OP_st_async:
    case OP_st_bulk:
    case OP_ldmatrix:
    case OP_stmatrix:
    case OP_suld:
    case OP_sust:
    case OP_sured:
    case OP_tex: *out = EVENT_USE_GUARD; return true;
    default: return false;
    }
}
