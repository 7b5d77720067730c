/* code_priv.h: what code/ shows to exec/ besides code.h: operations, control flow, layouts, lane-file contents. */
#ifndef LW_CODE_PRIV_H
#define LW_CODE_PRIV_H

#include "code/code.h"

/* Micro-operations: the regular rows of insns.def, then the rows of uops.def. Prefixed by row ids: OP_add_s32, OP_ld. */
typedef enum code_op {
    OP_none, /* of no micro-operation: irregular and refused rows have it */
#define R1(id, ...) OP_##id,
#define R2(id, ...) OP_##id,
#define R3(id, ...) OP_##id,
#define F1(id, ...) OP_##id,
#define F2(id, ...) OP_##id,
#define F3(id, ...) OP_##id,
#define RC(id, ...) OP_##id,
#define P1(id, ...) OP_##id,
#define P2(id, ...) OP_##id,
#include "ptx/insns.def"
#define UOP(id, ...) OP_##id,
#include "code/uops.def"
#undef UOP
    CODE_OP_COUNT
} code_op;

/* Operands beyond d a b c e; uops.def says what stands where. */
typedef struct code_list {
    uint32_t count;
    uint32_t results; /* the first so many are results */
    code_ref ref[];   /* CODE_NO_REF: left out (a sink, an optional operand) */
} code_list;

/* Elements of tensor-core operands. */
typedef enum code_tensor_type {
    TENSOR_F16,
    TENSOR_BF16,
    TENSOR_TF32, /* an f32 whose low 13 bits do not count */
    TENSOR_E4M3,
    TENSOR_E5M2,
    TENSOR_F32, /* from here on: C and D alone */
    TENSOR_S32,
    TENSOR_F64, /* all */
    TENSOR_S8,
    TENSOR_U8,
    TENSOR_S4,
    TENSOR_U4,
    TENSOR_B1
} code_tensor_type;

/* D (m x n) = A (m x k) B (k x n) + C, and how the tensor cores of sm_90 sum: in steps of so many products, each with the
 * accumulator of before, truncated to `bits` fraction bits of the largest among them; an f32 keeps `keep` fraction bits.
 * tests/hw/tensor has what an H200 gives. */
typedef struct code_tensor {
    uint8_t m, n;
    uint16_t k;
    uint8_t a, b, c; /* enum code_tensor_type; c: of C and D */
    uint8_t registers_a, registers_b, registers_c;
    uint8_t step, bits, keep;
    bool through_f16;          /* fp8: two sums of f16, of k mod 4 in {0, 1} and {2, 3}, then C */
    bool satfinite, exclusive; /* exclusive: b1 by xor, else by and */
    bool sparse;               /* of A half the elements are kept; the metadata says which */
    uint8_t selector;          /* sparse: which lanes' metadata */
    uint8_t rounding;          /* f64: PTX_RND_* */
    bool half_c;               /* m8n8k4 of f16: D is f32, C f16; register k of C holds element k in its half k mod 2 */
    bool column_a,
        row_b; /* m8n8k4 of f16: how its fragments are laid out; wgmma: a descriptor's matrix lies along m or n */
    /* wgmma: products of 16 rows, which are a warp's, and so many columns, by eight (n). */
    uint16_t columns;
    bool negate_a, negate_b;
    bool shared_a; /* A is a descriptor, too */
} code_tensor;

/* A loop of one basic block that the assembler has unrolled in pieces: lanes with four rounds left go four round together, then
 * those with two, then those with one; the others wait. A lane has a round left while `compare` holds. */
enum code_relation { CODE_LESS, CODE_LESS_EQUAL, CODE_GREATER, CODE_GREATER_EQUAL, CODE_NOT_EQUAL };
typedef struct code_pieces {
    const code_insn *head, *branch;
    const code_insn *compare; /* of the counter, to which each round adds `step`, with a bound */
    uint64_t step;
    uint8_t relation; /* enum code_relation */
    uint8_t bytes;    /* of both operands, 4 or 8 */
    bool is_signed;
} code_pieces;

/* Where a branch goes. Targets and joins are block micro-operations of the same function. */
typedef struct code_branch {
    const code_insn *target;
    const code_insn *join; /* the immediate post-dominator, where lanes that part meet; NULL: the end of the function */
    bool backward;         /* target does not stand behind the branch: once more round a loop */
    bool nounroll;         /* backward: the assembler was told not to unroll the loop */
    bool spin;             /* backward: the loop's exit depends on an atomic, volatile or mbarrier result */
    const code_pieces *pieces; /* backward: it ends such a loop; NULL: none */
    const code_insn *over;     /* the block behind a forward branch, if it does no more than jump on; NULL: it does */
} code_branch;

/* The same of a jump through a table (brx.idx). */
typedef struct code_table {
    uint32_t count; /* at least 1; an index beyond is a fault */
    const code_insn *join;
    const code_insn *target[];
} code_table;

/* ---- calls: parameters travel through the local frames ----
 * Frame of a function: its formal parameters, then its return values, then local variables and call-scope .param
 * variables. Offsets of formals depend on the signature alone, so indirect calls work. */
typedef struct code_copy {
    uint32_t caller_offset; /* in the caller's frame, bytes; unused with a ref */
    uint32_t callee_offset; /* in the callee's frame, bytes */
    uint32_t bytes;         /* 0: nothing to copy, a result that goes to _ */
    code_ref ref;           /* a register or constant instead of a .param variable of the caller; else CODE_NO_REF */
} code_copy;

/* What memory a function of the device runtime touches for its caller, through one argument. */
enum code_way { CODE_NEITHER, CODE_READS, CODE_WRITES };
typedef struct code_builtin_info {
    uint8_t arguments;
    bool device_call;
    uint8_t pointer, way; /* which argument; enum code_way */
    uint16_t bytes;
} code_builtin_info;
extern const code_builtin_info code_builtins[CODE_BUILTIN_COUNT];

typedef struct code_call {
    const struct code_function *callee; /* NULL: indirect, the address is operand a; or a builtin */
    const code_insn *join;              /* the block behind the call, where its lanes meet; of builtins NULL */
    uint32_t argument_count, result_count;
    const code_copy *arguments, *results; /* in the order of the formals */
    code_builtin builtin;
} code_call;

typedef struct code_function {
    const ptx_function *ptx;
    code_insn *insns; /* the first is a block, the last an unguarded exit or ret */
    uint32_t insn_count;
    uint32_t register_bytes; /* lane file of one activation: a multiple of 64 */
    uint32_t local_used;     /* of local_bytes, by variables and parameters */
    uint32_t local_bytes;    /* frame in each thread's local memory, 16-byte multiple */
    uint32_t local_alignment;
    uint32_t local_arrays;   /* of local_used, by variables alone */
    uint32_t saves;          /* registers of its caller that its machine code stores and loads back; 0 if not known */
    uint32_t index;          /* in code_body.functions */
    uint32_t live_registers; /* most live 32-bit registers */
    uint64_t address;        /* what taking its address gives */
    bool recursive;          /* may be active twice, or calls indirectly */
    uint32_t stack_bytes;    /* local memory of the deepest chain of frames from here on; recursion not counted */
} code_function;

/* ---- lane files: what the executor fills in ---- */
typedef enum code_fill_kind {
    FILL_IMM,           /* value */
    FILL_PARAM,         /* param_bytes of the parameter image at value */
    FILL_PARAM_ADDRESS, /* address of parameter byte value */
    FILL_SPECIAL,       /* special register */
    FILL_SHARED         /* address of shared byte value: (cluster rank << 24) + value */
} code_fill_kind;

/* One value of a lane file. Compared as bytes: no padding. */
typedef struct code_fill {
    uint8_t kind;        /* enum code_fill_kind */
    uint8_t bytes;       /* of a lane; 0: a predicate */
    uint8_t component;   /* FILL_SPECIAL: 0 to 3 for .x .y .z .w */
    uint8_t param_bytes; /* FILL_PARAM: bytes in the image, the rest of the lane is zeros or signs */
    bool is_signed;      /* FILL_PARAM */
    bool generic;        /* FILL_SHARED: a generic address */
    uint16_t special;    /* FILL_SPECIAL: enum ptx_special */
    uint32_t number;     /* FILL_SPECIAL: of a numbered register, %envreg7; FILL_IMM: 1 if the value is the address of a
                          * variable */
    uint32_t offset;     /* in its lane file, bytes */
    uint64_t value;
} code_fill;
_Static_assert(sizeof(code_fill) == 24, "code_fill has no padding");

/* A lane file but CODE_FRAME: equal values are kept once, each at a multiple of 64 bytes. */
typedef struct code_file {
    uint32_t bytes; /* at least 64 */
    uint32_t count;
    const code_fill *fills; /* by offset */
} code_file;

/* Operations that machine code does in a few instructions, and for some operands by a function. */
typedef enum code_slow_path { CODE_SLOW_DIV, CODE_SLOW_SQRT, CODE_SLOW_RCP, CODE_SLOW_PATHS } code_slow_path;
typedef struct code_slow {
    uint32_t saves;  /* registers that it stores and loads back; 0: none, or not known */
    code_run_fn run; /* the operation itself; set by exec_prepare() */
} code_slow;

struct code_body {
    code_function *const *functions; /* [0] is the entry; then in the order in which they were found */
    uint32_t function_count;
    code_file launch, block, warp;   /* CODE_LAUNCH, CODE_BLOCK, CODE_WARP */
    code_slow slow[CODE_SLOW_PATHS]; /* of div.rn.f32, sqrt.rn.f32, rcp.rn.f32 */
    bool uses_local;                 /* has frames in local memory that something accesses */
    bool uses_indirect;              /* calls functions by address */
    bool uses_cp_async;
    bool uses_atomics;
    bool uses_system_shared; /* reads where the system's part of shared memory lies */
};

/* Addresses of functions: window + 64 * (index in the image + 1). Nothing is there; no allocation has such addresses. */
#define CODE_FUNCTION_WINDOW UINT64_C(0x00f000000000)

/* How predicate c of a comparison takes part: setp.lt.and and the like. */
enum code_combine { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };
/* Operations of bar and barrier, in the order of the words that decode_block_barrier() looks for. */
enum code_barrier { BAR_SYNC, BAR_ARRIVE, BAR_RED_POPC, BAR_RED_AND, BAR_RED_OR };
/* What the assembler makes of the way to a barrier. */
typedef enum code_barrier_way {
    BARRIER_EITHER,  /* not known */
    BARRIER_GUARDED, /* the block is executed under a predicate */
    BARRIER_BRANCHED /* all lanes come by, or a branch leads around it */
} code_barrier_way;
enum code_vote { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum code_match { MATCH_ANY, MATCH_ALL };
enum code_shfl { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };
enum code_redux {
    REDUX_ADD_S,
    REDUX_ADD_U,
    REDUX_MIN_S,
    REDUX_MIN_U,
    REDUX_MAX_S,
    REDUX_MAX_U,
    REDUX_AND,
    REDUX_OR,
    REDUX_XOR
};
/* Surface coordinates out of range: a fault, the nearest place, nothing (loads give 0). */
enum code_boundary { CODE_BOUNDARY_TRAP, CODE_BOUNDARY_CLAMP, CODE_BOUNDARY_ZERO };
enum code_atomic { ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_INC, ATOM_DEC, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS };
/* mbarrier [a + offset]. b: count (init, arrive), state or parity (waits); c: bytes (expect_tx, complete_tx, and arrivals
 * that expect); d: state (arrive), predicate (waits), count (pending_count, whose a is the state). */
enum code_mbarrier {
    MBAR_INIT,
    MBAR_INVAL,
    MBAR_ARRIVE,
    MBAR_ARRIVE_DROP,
    MBAR_EXPECT_TX,
    MBAR_COMPLETE_TX,
    MBAR_TEST_WAIT,
    MBAR_TRY_WAIT,
    MBAR_PENDING_COUNT,
    MBAR_ASYNC_ARRIVE /* cp.async.mbarrier.arrive */
};
/* Bulk copies; to shared memory of the cluster they end on an mbarrier there, to global memory in a group. */
enum code_bulk { BULK_GLOBAL_TO_SHARED, BULK_SHARED_TO_SHARED, BULK_SHARED_TO_GLOBAL };
/* Fields of a tensor map that tensormap.replace sets, in the order of their names in decode_tensor_map.c. */
enum code_tensor_field {
    TENSOR_ADDRESS,
    TENSOR_RANK,
    TENSOR_BOX_DIM,
    TENSOR_GLOBAL_DIM,
    TENSOR_GLOBAL_STRIDE,
    TENSOR_ELEMENT_STRIDE,
    TENSOR_ELEMTYPE,
    TENSOR_INTERLEAVE,
    TENSOR_SWIZZLE,
    TENSOR_FILL,
    TENSOR_ATOMICITY,
    TENSOR_FIELD_COUNT
};

/* The function at an address taken in device code, or NULL. */
const code_function *code_function_at(const code_kernel *kernel, uint64_t address);

#endif
