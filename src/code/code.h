/* code: module tree -> decoded kernel.
 *
 * code_link() joins one or more parsed modules into an image: names resolved across modules, global and constant
 * variables placed in device memory and initialised. code_kernel_build() decodes one entry function of an image and all
 * functions it can reach, once: micro-operations (code_insn) with operands resolved to register-file offsets, control
 * flow with reconvergence points, register slots, layouts of parameters, shared and local memory, and per PTX
 * instruction a site (what reports and models need). A built kernel is immutable and shared by all host threads. */
#ifndef LW_CODE_H
#define LW_CODE_H

#include "ptx/mods.h"
#include "ptx/module.h"

/* ---------------------------------------------------------------- image */
typedef struct code_image code_image;

/* Where a variable of space .global or .const gets its storage: returns its device address (zeroed memory). */
typedef struct code_linker {
    void *user;
    lw_status (*place)(void *user, const ptx_variable *variable, uint64_t *out_address, lw_error *error);
    const char *options; /* reserved */
} code_linker;

/* Links modules (borrowed: they must outlive the image). Errors name duplicate and unresolved symbols, all at once.
 * Variables are initialised in place (device addresses are host addresses). */
lw_status code_link(code_image **out, const ptx_module *const *modules, size_t module_count, const code_linker *linker,
                    lw_error *error);
void code_image_free(code_image *image);
/* What loading PTX at run time must report at once: LW_SYNTAX with the place of an instruction that does not exist;
 * LW_NOT_FOUND with all names that code uses and no module defines. */
lw_status code_check(const code_image *image, lw_error *error);

typedef struct code_symbol {
    const ptx_variable *variable;
    uint64_t address;
    uint64_t bytes;
} code_symbol;
/* Looks a global or constant variable up by its PTX name. */
bool code_find_symbol(const code_image *image, const char *name, code_symbol *out);
/* The entry function with this PTX name, or NULL. */
const ptx_function *code_find_entry(const code_image *image, const char *name);
/* Calls visit for every entry function. */
void code_each_entry(const code_image *image, void (*visit)(void *user, const ptx_function *entry), void *user);

/* ---------------------------------------------------------------- micro-operations */
/* An operand reference: byte offset into one of four lane files, the file in the low two bits. */
typedef uint32_t code_ref;
enum { CODE_FRAME = 0, CODE_LAUNCH = 1, CODE_BLOCK = 2, CODE_WARP = 3 };
#define CODE_NO_REF UINT32_MAX

struct exec_ctx;
struct code_insn;
typedef void (*code_run_fn)(struct exec_ctx *x, const struct code_insn *i, uint32_t mask);

typedef struct code_insn {
    code_run_fn run; /* set by exec_prepare() */
    uint16_t op;     /* enum code_op */
    uint16_t mods;   /* PTX_FTZ ... */
    uint32_t guard;  /* frame offset of the guard predicate << 1 | negated; CODE_NO_REF: none */
    code_ref d, a, b, c;
    int64_t imm;     /* address offset, immediate, sub-operation */
    const void *ptr; /* branch target, operand list, callee, ... */
    uint32_t site;   /* index into code_kernel.sites */
    code_ref e;
    uint8_t bytes;    /* memory: bytes of one element */
    uint8_t vector;   /* memory: elements per lane */
    uint8_t space;    /* memory: enum code_space */
    uint8_t event_op; /* event_op of event/event.h as planned */
    /* event_atomic; loads and stores: bytes per lane of the event if the plan joined several, else 0 */
    uint8_t atomic;
    uint8_t event_flags; /* EVENT_VOLATILE ... */
    uint8_t sub;         /* operation-specific: comparison, atomic operation, type */
    uint8_t reg_bytes;   /* memory: lane width of the register(s) */
} code_insn;
_Static_assert(sizeof(code_insn) == 72 || sizeof(code_insn) == 64, "code_insn is one cache line or a little more");

/* ---------------------------------------------------------------- sites */
typedef struct code_site {
    const ptx_module *module;
    const ptx_function *function;
    const ptx_insn *insn;
    uint32_t block;      /* index of the basic block, for execution counts */
    bool is_memory;      /* has mem_events */
    bool follows_atomic; /* its address derives from what an atomic on memory shared by blocks returned */
    bool exact;          /* the count plan says the hardware counters follow the PTX */
    const char *why;     /* when not exact */
} code_site;

/* ---------------------------------------------------------------- kernel */
typedef struct code_param {
    uint32_t offset, bytes, alignment;
} code_param;

typedef struct code_kernel code_kernel;
struct code_kernel {
    lw_arena arena;
    const char *name; /* mangled */
    const ptx_function *entry;
    const code_image *image;
    const code_param *params;
    uint32_t param_count, param_bytes;
    uint32_t static_shared_bytes; /* all static shared variables reachable */
    uint32_t dynamic_shared_alignment;
    uint32_t local_bytes; /* largest known local frame of the entry function */
    uint32_t registers;   /* estimate: most live 32-bit registers at any point */
    const code_site *sites;
    uint32_t site_count;
    uint32_t block_count;   /* basic blocks over all functions */
    uint32_t barrier_count; /* named barriers used, 16 if dynamic */
    bool uses_grid_sync, uses_cluster, uses_dynamic_shared;
    bool no_count_plan;
    const struct code_body *body; /* code_priv.h: functions, micro-operations, lane-file layouts */
};

typedef struct code_options {
    bool count_ptx; /* --count ptx: no count plan */
} code_options;

/* Decodes the kernel. LW_UNSUPPORTED: error lists everything the kernel needs that is not supported, all at once, each
 * with its PTX position. */
lw_status code_kernel_build(code_kernel **out, const code_image *image, const ptx_function *entry,
                            const code_options *options, lw_error *error);
void code_kernel_free(code_kernel *kernel);

#endif
