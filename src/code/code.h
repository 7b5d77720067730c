/* code: module tree -> decoded kernel.
 *
 * code_link() joins one or more parsed modules into an image: names resolved across modules, global and constant
 * variables placed in device memory and initialised. code_kernel_build() decodes one entry function of an image and all
 * functions it can reach, once: micro-operations (code_insn) with operands resolved to register-file offsets, control
 * flow with reconvergence points, register slots, layouts of parameters, shared and local memory, and per PTX
 * instruction a site (what reports and models need). A built kernel is immutable and shared by all host threads. */
#ifndef LW_CODE_H
#define LW_CODE_H

#include "event/event.h"
#include "ptx/mods.h"
#include "ptx/module.h"

/* ---------------------------------------------------------------- image */
typedef struct code_image code_image;

/* Where a variable of space .global or .const gets its storage: returns its device address (zeroed memory). */
typedef struct code_linker {
    void *user;
    lw_status (*place)(void *user, const ptx_variable *variable, uint64_t *out_address, lw_error *error);
    bool (*holds)(void *user, uint64_t address); /* a placed address has its contents already; NULL: none has */
    void *(*storage)(uint64_t address); /* where initial contents of a placed address are written; NULL: at it */
} code_linker;

/* Links modules (borrowed: they must outlive the image). Errors name duplicate and unresolved symbols, all at once.
 * Variables are initialised in their storage. */
lw_status code_link(code_image **out, const ptx_module *const *modules, size_t module_count, const code_linker *linker,
                    lw_error *error);
void code_image_free(code_image *image);
/* What loading PTX at run time must report at once: LW_SYNTAX with the place of an instruction that does not exist;
 * LW_NOT_FOUND with all names that code uses and no module defines. */
lw_status code_check(const code_image *image, lw_error *error);

typedef struct code_symbol {
    const ptx_variable *variable; /* its definition */
    uint64_t address;             /* device address, which is a host address */
    uint64_t bytes;
} code_symbol;
/* Looks a global or constant variable up by its PTX name. */
bool code_find_symbol(const code_image *image, const char *name, code_symbol *out);
/* The entry function with this PTX name, or NULL. */
const ptx_function *code_find_entry(const code_image *image, const char *name);
/* The kernel at an address taken in device code; NULL: none is there. */
const ptx_function *code_entry_at(const code_image *image, uint64_t address);
/* Calls visit for every entry function. */
void code_each_entry(const code_image *image, void (*visit)(void *user, const ptx_function *entry), void *user);

/* ---------------------------------------------------------------- micro-operations */
/* An operand reference: byte offset of 32 lanes, one behind the other, in one of four lane files; the file stands in the
 * low two bits. A predicate is one 32-bit word, bit l for lane l. Offsets are multiples of 64, of predicates of 4. While a
 * function is decoded, registers have numbers instead (VIRTUAL in decode.h). */
typedef uint32_t code_ref;
enum {
    CODE_FRAME = 0,  /* registers of one activation of a function; all results go there */
    CODE_LAUNCH = 1, /* the same in the whole launch: immediates, parameters, %ntid ... */
    CODE_BLOCK = 2,  /* the same in a block: %ctaid, addresses of shared variables ... */
    CODE_WARP = 3    /* %tid, %laneid ... */
};
#define CODE_NO_REF UINT32_MAX

/* tex: coordinates alone (level 0), with a level, with derivatives along x and y; tld4. */
enum code_texture { CODE_TEXTURE_BASE, CODE_TEXTURE_LEVEL, CODE_TEXTURE_GRADIENT, CODE_TEXTURE_GATHER };
/* txq, suq: what is asked for. */
enum code_texture_query {
    CODE_QUERY_WIDTH,
    CODE_QUERY_HEIGHT,
    CODE_QUERY_DEPTH,
    CODE_QUERY_ARRAY_SIZE,
    CODE_QUERY_LEVELS,
    CODE_QUERY_SAMPLES,
    CODE_QUERY_CHANNEL_TYPE,
    CODE_QUERY_CHANNEL_ORDER,
    CODE_QUERY_NORMALIZED,
    CODE_QUERY_FILTER,
    CODE_QUERY_ADDRESS_0,
    CODE_QUERY_ADDRESS_1,
    CODE_QUERY_ADDRESS_2,
    CODE_QUERY_MEMORY_LAYOUT
};

#define CODE_NO_EVENT 0xff     /* event_op: no memory instruction on the hardware */
#define CODE_NO_OPERATION 0xff /* mem.atomic.operation: the copy or store combines nothing */

struct exec_ctx;
struct code_insn;
typedef void (*code_run_fn)(struct exec_ctx *x, const struct code_insn *i, uint32_t mask);

/* One micro-operation. The operands d a b c e are named in insns.def and uops.def; the union holds what is no operand,
 * one member per family, and every field has one meaning. 64 bytes: a line of the host's cache. */
typedef struct code_insn {
    code_run_fn run;        /* set by exec_prepare() */
    uint16_t op;            /* enum code_op */
    uint8_t event_op;       /* accesses: enum event_op as planned, or CODE_NO_EVENT */
    uint8_t event_flags;    /* accesses: EVENT_VOLATILE ... */
    uint32_t guard;         /* code_ref of the predicate in CODE_FRAME, bit 0 set if negated; CODE_NO_REF: none */
    code_ref d, a, b, c, e; /* CODE_NO_REF: it has no such operand */
    uint32_t site;          /* index into code_kernel.sites */
    union {
        struct {             /* rows of insns.def */
            int64_t imm;     /* the immediate operand of rows with M_IMM; comparisons of packed halves: the shift */
            uint16_t mods;   /* PTX_FTZ ... */
            uint8_t combine; /* comparisons: enum code_combine, how predicate c takes part */
        } alu;
        struct {                          /* everything that accesses memory: [a + offset] */
            int64_t offset;               /* without a base a: the whole address */
            const struct code_list *list; /* the values moved, and further addresses: uops.def says which */
            uint8_t bytes;                /* of one element in memory */
            uint8_t vector;               /* elements per lane; ldmatrix, stmatrix: matrices */
            uint8_t space;                /* enum ptx_space */
            bool narrow; /* the base has 32 bits; without a base: an offset in the own block's shared memory */
            union {
                struct {                      /* ld, st, ld_frame, st_frame */
                    uint8_t reg_bytes;        /* lane width of the registers, at least `bytes` */
                    uint8_t joined_words : 3; /* 4-byte words per lane of the event if the plan joined several
                                                 accesses or left out unread words, else 0 */
                    int8_t joined_at : 5;     /* then: bytes from the address to the event's first one */
                    bool is_signed;           /* loads extend the sign to the register's width */
                    bool ordered : 1;         /* volatile, relaxed, acquire: other threads' writes show (spin loops) */
                    bool at_once : 1; /* a vector of which no other thread sees a part: flag and value of a look-back */
                    bool
                        by_rounds : 1; /* joined with those of the next rounds of a loop: an event in the first of them only,
                                           the one at a multiple of its bytes */
                    uint8_t apart : 4; /* two such events: so many bytes from the first to the second, else 0 */
                } access;
                struct {                 /* atom, bulk, st_async */
                    uint8_t operation;   /* enum code_atomic, or CODE_NO_OPERATION */
                    uint8_t type;        /* ptx_type */
                    uint8_t event_class; /* enum event_atomic as planned */
                    uint8_t direction;   /* bulk: enum code_bulk */
                } atomic;
                struct {                    /* tensor_copy; the first three bytes as in `atomic` */
                    uint8_t operation;      /* enum code_atomic, or CODE_NO_OPERATION */
                    uint8_t dimensions : 3; /* 1 to 5 */
                    uint8_t im2col : 1;
                    uint8_t event_class; /* enum event_atomic */
                    uint8_t direction;   /* enum code_bulk */
                } tensor;
                struct {             /* tensor_map_replace */
                    uint8_t field;   /* enum code_tensor_field */
                    uint8_t ordinal; /* which dimension or stride */
                    bool sixteenths; /* the value counts units of 16 bytes */
                } tensor_map;
                struct {
                    uint8_t operation; /* enum code_mbarrier */
                    bool parity;       /* waits: b is a parity, not a state */
                    bool no_complete;  /* arrive.noComplete: a fault if it completes the phase */
                    bool no_inc;       /* cp.async.mbarrier.arrive.noinc: the pending count stays */
                } mbarrier;
                struct {
                    bool transposed;
                } matrix;
                struct {                    /* tex, tld4 */
                    uint8_t dimensions : 2; /* 1 to 3: coordinates of a direction are 3, layers not counted */
                    uint8_t layered : 1;    /* the first coordinate is the number of a layer */
                    uint8_t real : 1;       /* coordinates are f32, else s32 */
                    uint8_t cube : 1;       /* coordinates are a direction */
                    uint8_t offsets : 1;    /* behind the others in the list: texels that are added to coordinates */
                    uint8_t type;           /* of the texel: ptx_type */
                    uint8_t how;            /* enum code_texture */
                    uint8_t component;      /* CODE_TEXTURE_GATHER: which one */
                } texture;
                struct {           /* txq, suq */
                    uint8_t query; /* enum code_texture_query */
                    bool surface;
                } query;
                struct { /* suld, sust, sured */
                    union {
                        uint8_t reg_bytes; /* suld, sust: lane width of the registers */
                        uint8_t operation; /* sured: enum code_atomic */
                    };
                    uint8_t type;           /* sured: ptx_type; PTX_B32: as the surface's format says */
                    uint8_t event_class;    /* sured: enum event_atomic */
                    uint8_t dimensions : 2; /* 1 to 3, layers not counted */
                    uint8_t layered : 1;    /* the first coordinate is the number of a layer */
                    uint8_t formatted : 1;  /* x counts texels, which are converted; else bytes */
                    uint8_t boundary : 2;   /* enum code_boundary */
                } surface;
            };
        } mem;
        struct {           /* select_pred */
            uint64_t bits; /* the value for true */
            uint8_t bytes; /* of a lane of d */
        } value;
        struct {             /* special */
            uint16_t which;  /* enum ptx_special */
            uint8_t number;  /* of a numbered register */
            uint8_t bytes;   /* of a lane of d */
            uint32_t cycles; /* of the clock: until the next reading, or the end of the basic block; 0 by default */
        } special;
        struct { /* pack, unpack */
            const struct code_list *list;
            uint8_t bytes, count; /* of one element; elements */
            uint8_t whole_bytes;  /* bytes * count */
        } pack;
        struct { /* lop3_pred */
            const struct code_list *list;
            uint8_t table; /* immLut */
            bool is_and;   /* the predicate is combined by and, else by or */
        } lop3;
        struct {                /* add_cc, mad_cc */
            uint8_t bytes;      /* 4 or 8 */
            bool subtract;      /* add_cc */
            bool reads, writes; /* the carry, e */
            bool high;          /* mad_cc: of the product */
            bool is_signed;     /* mad_cc */
        } carry;
        struct {                          /* bar */
            const struct code_insn *join; /* BARRIER_GUARDED: where the lanes wait that do not come by; else NULL */
            uint8_t operation;            /* enum code_barrier */
            uint8_t way;                  /* enum code_barrier_way */
            bool aligned;                 /* all threads of a warp execute it together */
        } barrier;
        struct {        /* cluster_bar */
            bool waits; /* else arrives */
        } cluster;
        struct {                             /* vote, match, shfl, redux */
            const struct code_list *members; /* shfl: ref[0] is the member mask */
            uint8_t operation;               /* enum code_vote, code_match, code_shfl, code_redux */
            uint8_t bytes;                   /* match: of the value, 4 or 8 */
        } warp;
        struct {           /* cp_async_group */
            uint32_t keep; /* waits for all groups but the latest `keep` */
            bool waits;    /* else commits a group */
        } group;
        struct {           /* cvta, isspacep, mapa, getctarank */
            uint8_t space; /* enum ptx_space */
            uint8_t bytes; /* of the address, 4 or 8 */
            bool to_space; /* cvta.to: generic -> space */
        } window;
        struct {               /* alloca, stacksave, stackrestore, frame_address */
            int64_t alignment; /* alloca: of the new bytes */
            int64_t offset;    /* frame_address: in the function's frame */
            uint8_t bytes;     /* of the address, 4 or 8 */
            bool generic;      /* frame_address: the result is a generic address */
        } stack;
        struct {                          /* bra */
            const struct code_branch *to; /* set by code_control_flow() */
            uint32_t label;               /* before: the PTX instruction it goes to */
        } branch;
        struct {                         /* brx */
            const struct code_table *to; /* set by code_control_flow() */
            const ptx_targets *labels;   /* before */
        } table;
        struct {             /* block */
            uint32_t index;  /* of the basic block, for execution counts */
            uint32_t cycles; /* of the clock: until the first reading, or the end */
            bool joins;      /* lanes of a divergent branch wait for each other here, or some may meet by chance */
            bool stores;     /* something in it writes memory that other warps see: set by exec_prepare() */
            const struct code_pieces *pieces; /* such a loop begins here, or has ended before; NULL: none */
        } block;
        struct { /* trap */
            bool is_breakpoint;
        } trap;
        const struct code_call *call;       /* call, builtin */
        struct {                            /* mma */
            const struct code_tensor *form; /* which product */
            const struct code_list *list;   /* registers of D, A, B, C, then the metadata of a sparse one */
        } tensor;
        const struct video_op *video; /* video: which operation on which parts (ptx/semantics_video.h) */
    };
} code_insn;
_Static_assert(sizeof(code_insn) == 64, "a micro-operation is one cache line");

/* ---------------------------------------------------------------- sites */
/* A PTX instruction of a kernel, in the order of the text, function by function: what is counted is counted by site. */
typedef struct code_site {
    const ptx_module *module;
    const ptx_function *function;
    const ptx_insn *insn; /* of module; its position in the text and in the source */
    uint32_t block;       /* number of the basic block in the kernel, for execution counts */
    bool is_memory;       /* has memory events */
    bool moved;           /* the assembler executes it in `block`, not where it stands in the text */
    bool waits;           /* in a loop that goes round until another thread has done something */
    /* Arrays are those of the kernel's parameters: bit k of a set, or number k, is the one at byte 8 (k - 1) of them. */
    uint8_t array;  /* that it accesses; 0: not known */
    bool writes;    /* it stores, or is an atomic */
    uint8_t atomic; /* event_atomic; EVENT_ATOMIC_NONE: it is none */
    bool unread;    /* an atomic whose result nobody reads: no warp waits for it */
    bool swaps;     /* an atomic of shared memory that is a loop of loads and compare-and-swaps in machine code */
    bool repeats;   /* a load in its basic block has loaded the same, and nothing between them may have written it */
    bool ordered;   /* writes: where or what derives from what an atomic on memory shared by blocks returned */
    uint32_t address_from; /* arrays whose values say where it goes, if only by way of others */
    uint32_t stored_from;  /* stores: those that the value comes from in this way */
    bool follows_atomic;   /* its address derives from what an atomic on memory shared by blocks returned */
    bool exact;            /* the count plan says the hardware counters follow the PTX */
    const char *why;       /* when not exact: the rule of plan.def, in words */
} code_site;

/* A row of the count plan that is certain only while lanes stay together: the counts of `site` are not, if the lanes of some
 * warp part at a branch of the sites first to last; or (`warps`) while blocks have one warp, and whatever branches do. */
typedef struct code_parting {
    uint32_t site, first, last;
    bool warps;
    const char *why;
} code_parting;

/* ---------------------------------------------------------------- kernel */
/* A parameter's place in the image that a launch copies (PTX ISA 9.0, section 5.1.6: aligned one behind the other). */
typedef struct code_param {
    uint32_t offset, bytes, alignment; /* bytes */
} code_param;

typedef struct code_kernel code_kernel;
struct code_kernel {
    lw_arena arena;            /* everything below; ends with the kernel */
    const char *name;          /* mangled */
    const ptx_function *entry; /* borrowed from a module, as is all of the text */
    const code_image *image;   /* borrowed: it must outlive the kernel */
    const code_param *params;
    uint32_t param_count;
    uint32_t param_bytes;              /* of the image of all parameters */
    uint32_t static_shared_bytes;      /* all static shared variables that the functions reachable name */
    uint32_t dynamic_shared_alignment; /* of the arrays behind them, bytes; at least 16 */
    uint32_t local_bytes;              /* of the entry function's frame, per thread */
    uint32_t registers;                /* estimate: most live 32-bit registers at any point; the report shows it */
    const code_site *sites;
    const event_insn *event_insns;          /* per site: what events say of it */
    const event_variable *shared_variables; /* dynamic arrays last */
    uint32_t shared_variable_count;
    uint32_t site_count;
    const code_parting *partings;
    uint32_t parting_count;
    uint32_t block_count;         /* basic blocks over all functions */
    uint32_t barrier_count;       /* named barriers used, 16 if dynamic */
    bool uses_grid_sync;          /* reads the workspace of a cooperative launch */
    bool uses_cluster;            /* has instructions of thread block clusters */
    bool uses_dynamic_shared;     /* names an extern shared array */
    bool no_count_plan;           /* decoded with code_options.count_ptx */
    const struct code_body *body; /* code_priv.h: functions, micro-operations, lane-file layouts */
};

/* Instructions of machine code that load and store. */
enum { CODE_OF_GENERIC, CODE_OF_GLOBAL, CODE_OF_SHARED, CODE_OF_LOCAL, CODE_ACCESS_SPACES };
enum { CODE_LOADS, CODE_STORES, CODE_ACCESS_DIRECTIONS };
enum { CODE_ACCESS_WIDTHS = 5 }; /* log2 of bytes: 1 to 16 */
typedef uint32_t code_accesses[CODE_ACCESS_SPACES][CODE_ACCESS_DIRECTIONS][CODE_ACCESS_WIDTHS];

/* What machine code does to the stack in a function that the kernel reaches, or in the kernel itself. */
typedef struct code_frame {
    const char *function; /* in: mangled */
    bool found;           /* it is a function there, too: called, not inlined */
    bool plain;           /* it returns at one place, yields nowhere, and nothing but saves lies above `arrays` */
    uint32_t arrays;      /* bytes of its frame below what it saves: arrays, and values that found no register */
    uint32_t saves;       /* registers of its caller that it stores at its begin and loads at its end */
    uint32_t loads;       /* other instructions that load from local memory */
} code_frame;

typedef struct code_options {
    bool count_ptx;                /* --count ptx: no count plan */
    bool stack_known;              /* there is machine code of the kernel for this device */
    uint32_t stack_bytes;          /* and so much local memory of a thread it needs, functions that it calls included */
    const code_accesses *accesses; /* and so many of its instructions load and store; borrowed while it is built */
    /* Fills them in, as far as there is machine code; NULL: nobody knows. */
    void (*frames)(void *user, code_frame *frames, size_t count);
    void *user;
    bool relocatable; /* the assembler did not know where shared variables lie (-rdc): only how they are aligned */
} code_options;

/* Decodes the kernel. LW_UNSUPPORTED: error lists everything the kernel needs that is not supported, all at once, each
 * with its PTX position. */
lw_status code_kernel_build(code_kernel **out, const code_image *image, const ptx_function *entry,
                            const code_options *options, lw_error *error);
void code_kernel_free(code_kernel *kernel);

/* Functions that device code may call without a definition: rows of builtins.def. */
typedef enum code_builtin {
    CODE_NO_BUILTIN,
#define SYSTEM_CALL(ID, ...) CODE_##ID,
#define DEVICE_CALL(ID, ...) CODE_##ID,
#include "code/builtins.def"
    CODE_BUILTIN_COUNT
} code_builtin;
/* Which of them an instruction calls; CODE_NO_BUILTIN: none, or it is no call. */
code_builtin code_builtin_called(const ptx_insn *insn);

/* Whether an instruction orders accesses of memory: membar, fence.sc, fence.acq_rel; none of a proxy. */
bool code_is_fence(const char *mnemonic);

/* Cycles of the clock, of a device. */
typedef struct code_clock_costs {
    double (*issue)(const char *mnemonic); /* machine instructions of one of PTX */
    double alu;                            /* cycles of each */
    double shared, l1, l2; /* latencies of loads: shared memory; constants and local memory; all others */
    double barrier;
    /* A branch that machine code has not, as it guards the few instructions up to where it goes: that place; NULL: it has it. */
    const ptx_insn *(*guards)(const void *device, const ptx_function *function, const ptx_insn *branch);
    const void *device;
} code_clock_costs;
/* From now on the clock shows these, and not CODE_CLOCK_BLOCK cycles a basic block. Before the first launch. */
#define CODE_CLOCK_BLOCK 8
void code_set_clocks(code_kernel *kernel, const code_clock_costs *costs);

#endif
