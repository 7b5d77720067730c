/* decode.h: inside code/: the decoder's state and what its files share. */
#ifndef LW_CODE_DECODE_H
#define LW_CODE_DECODE_H

#include "code/code_priv.h"
#include "code/contract.h"

/* Lane types of insns.def rows. */
typedef enum lane_type {
    LANE_none,
    LANE_u8,
    LANE_s8,
    LANE_u16,
    LANE_s16,
    LANE_u32,
    LANE_s32,
    LANE_u64,
    LANE_s64,
    LANE_f32,
    LANE_f64,
    LANE_h16,
    LANE_b16,
    LANE_h32,
    LANE_b32,
    LANE_pred,
    LANE_b128
} lane_type;
uint32_t code_lane_bytes(lane_type t);
bool code_lane_is_signed(lane_type t);
lane_type code_lane_of_bytes(uint32_t bytes);        /* LANE_u8, u16, u32, u64, b128 of 1, 2, 4, 8, 16 bytes */
lane_type code_signed_lane_of_bytes(uint32_t bytes); /* LANE_s8, s16, s32, s64 */
lane_type code_lane_of(ptx_type t); /* s32 -> LANE_s32, b32 -> LANE_u32, f16 -> LANE_h16, pred -> LANE_pred ... */

/* Who decodes a row: decode.c straight from its columns (ALU, predicates), a decoder that looks comparisons up, the row's
 * own decoder, nobody. */
typedef enum row_form { ROW_ALU, ROW_COMPARE, ROW_PRED, ROW_IRREGULAR, ROW_REFUSED } row_form;

/* Which modifiers an irregular instruction takes: its words alone, these and any type, or what its decoder checks. */
typedef enum row_modifiers { OWN_WORDS, ONLY, TYPES_AND } row_modifiers;

struct decoder;
typedef void (*decode_fn)(struct decoder *d);

/* What the mnemonic of an instruction says of memory beside its default order and scope (order.c). */
typedef enum row_memory {
    ROW_ACCESS, /* order and scope */
    ROW_FENCE,  /* order, scope and proxy */
    ROW_COPY    /* an asynchronous copy: which kind, and what its waits wait for */
} row_memory;

typedef struct row_orders {
    uint8_t memory; /* enum row_memory */
    uint8_t order;  /* enum event_order, without a qualifier */
    uint8_t scope;  /* enum event_scope, without a qualifier */
} row_orders;

/* A row of insns.def as data. */
typedef struct code_row {
    const char *key;
    uint8_t form;    /* enum row_form */
    uint8_t sources; /* operands a, b, c in use */
    uint8_t lane[4]; /* enum lane_type of d, a, b, c */
    uint16_t op;     /* enum code_op; OP_none for irregular and refused rows */
    uint32_t mods;   /* allowed M_* */
    uint16_t ptx;    /* ISA version x 10 that has it */
    uint16_t sm;     /* first target that has it */
    const char *why; /* ROW_REFUSED */
    /* ROW_IRREGULAR */
    decode_fn decode;
    uint8_t how;       /* enum row_modifiers */
    const char *words; /* blank-separated; NULL with OWN_WORDS */
    row_orders orders;
} code_row;
extern const code_row code_rows[];
extern const size_t code_row_count;
/* Fills map with every row by key. */
void code_index_rows(lw_map *map);

/* Linked modules. Immutable but for address_taken once code_link() has returned. */
struct code_image {
    lw_arena arena;
    const ptx_module *const *modules; /* borrowed */
    size_t module_count;
    lw_map rows;      /* key -> code_row */
    lw_map functions; /* name -> image_function; static ones are not in it */
    lw_map variables; /* name -> image_variable (visible across modules) */
    lw_map placed;    /* bytes of a ptx_variable or ptx_function pointer -> image_variable, image_function */
    LW_VEC(struct image_function *) function_list;
    LW_VEC(struct image_variable *) variable_list;
};
typedef struct image_function {
    const char *name;
    const ptx_module *module;
    const ptx_function *function; /* definition, or declaration if none (builtin or unresolved) */
    uint64_t address;             /* see CODE_FUNCTION_WINDOW */
    uint32_t index;               /* in function_list */
    bool address_taken;           /* an initialiser holds it: kernels with indirect calls may get there */
} image_function;
typedef struct image_variable {
    const char *name;
    const ptx_module *module;
    const ptx_variable *variable; /* the definition that stands for all of that name */
    const ptx_variable *key;      /* the first declaration seen: its pointer is the key in `placed` */
    uint64_t address;             /* 0: of no storage of its own (shared, extern) */
} image_variable;
/* The definition that a (possibly extern) function or variable of some module stands for; NULL if unresolved. */
const image_function *code_resolve_function(const code_image *image, const ptx_function *f);
bool code_is_shared_name(ptx_linkage l);
const image_variable *code_resolve_variable(const code_image *image, const ptx_variable *v);

/* ---------------------------------------------------------------- decoding one function */
#define VIRTUAL UINT32_C(0x80000000) /* code_ref of virtual register n: VIRTUAL | n << 2 */

typedef struct vreg {
    uint8_t bytes; /* 0 = predicate */
} vreg;

/* What decoding keeps beside each micro-operation. */
typedef struct uop_info {
    uint32_t ptx_insn; /* index of the PTX instruction it came from */
    code_list *list;   /* operand list to patch, or NULL */
    code_call *call;
} uop_info;

/* Decoding one function. Until code_assign_slots() operands are virtual registers, until the end branches are labels. */
typedef struct decoder {
    code_kernel *kernel;
    struct code_body *body; /* kernel->body, to write */
    lw_arena *arena;        /* the kernel's */
    const code_image *image;
    const ptx_module *module;
    const ptx_function *f;
    code_function *out;
    const ptx_insn *in;  /* instruction being decoded */
    const code_row *row; /* its row */
    uint32_t mods;       /* its flags: PTX_FTZ ... */
    uint32_t site;       /* of the instruction being decoded, in builder->sites */
    LW_VEC(code_insn) insns;
    LW_VEC(uop_info) infos;  /* by index in insns */
    LW_VEC(vreg) vregs;      /* f->registers first, then temporaries */
    int32_t carry;           /* vreg of the condition code, -1 until needed */
    uint32_t *uop_of_insn;   /* PTX instruction -> first micro-operation; [insn_count] = end */
    uint32_t *block_of_insn; /* PTX instruction -> number of its basic block in the kernel */
    uint8_t *leader;         /* PTX instruction -> does a basic block begin there? */
    contract_insn *contract; /* PTX instruction -> is it part of a fused one? NULL: none is */
    code_ref (*factors)[2];  /* PTX instruction -> of a product that is copied: its factors */
    uint32_t local_used, local_bytes, local_alignment;
    uint32_t local_arrays;                  /* of local_used, by variables alone: bytes of a frame in machine code */
    uint64_t *local_offset;                 /* of f->locals[i] in the frame, or in shared memory */
    uint32_t *param_offset, *return_offset; /* formals in the frame (functions, not entries) */
    /* results whose register has another width than the type: decode_flush() converts them after the operation */
    struct {
        code_ref temp, final;
        lane_type from, to;
    } pending[8];
    uint32_t pending_count;
    struct kernel_builder *builder;
    ptx_operand ops[PTX_MAX_OPERANDS]; /* in->operands, then PTX_OP_NONE: a missing operand is named, never read past */
} decoder;

/* Something that a kernel needs and that is not supported. Instructions with the same text share one. */
typedef struct kernel_problem {
    const char *place; /* of the first: "prog.cu:6 (PTX line 51): ", or "" if the text says it */
    const char *text;
    uint32_t count;
} kernel_problem;

/* A row that a rule of the count plan marks, unless machine code shows that the rule did not act. */
typedef struct code_doubt {
    uint32_t site, rule; /* enum plan_rule */
} code_doubt;

/* State over all functions of a kernel. */
typedef struct kernel_builder {
    code_kernel *kernel;
    const code_image *image;
    code_options options;
    LW_VEC(code_function *) functions;
    LW_VEC(const image_function *) queue; /* parallel to functions */
    LW_VEC(code_site) sites;
    LW_VEC(code_parting) partings;
    LW_VEC(code_doubt) doubts;                   /* of the function that is decoded */
    LW_VEC(code_fill) fills[4];                  /* by lane file; none of CODE_FRAME */
    uint32_t file_bytes[4];                      /* by lane file: what the fills take */
    lw_map fill_index;                           /* code_fill bytes -> offset + 1 */
    lw_map shared_offset;                        /* ptx_variable pointer bytes -> offset + 1 */
    uint32_t shared_bytes;                       /* static variables so far */
    uint32_t dynamic_alignment;                  /* of the dynamic arrays, bytes */
    LW_VEC(const ptx_variable *) dynamic_shared; /* extern .shared arrays, placed after all static ones */
    LW_VEC(event_variable) shared_variables;     /* all that have a place */
    LW_VEC(uint32_t) shared_alignments;          /* of each of them, bytes */
    LW_VEC(kernel_problem) problems;             /* everything unsupported */
    code_frame
        *frames; /* by function, in the kernel's arena; NULL: not known, or nothing saves registers (plan_frames.c) */
    bool frames_open;   /* some machine code saves registers, and when is not known */
    bool uses_indirect; /* a function calls by address: all whose address is taken belong to the kernel */
    bool uses_runtime;  /* calls the device runtime: launches kernels, copies, asks */
    bool has_fence;     /* of memory: membar, fence.sc, fence.acq_rel; none of a proxy */
    bool all_queued;    /* those functions are in the queue */
} kernel_builder;

/* ---- reporting ---- */
/* Notes something unsupported; place: see kernel_problem. decode_problem() takes it from the current instruction. */
void code_add_problem(kernel_builder *b, const char *place, const char *text);
/* The status and text of a kernel with problems. */
lw_status code_problems_fail(const kernel_builder *b, lw_error *error);
void decode_problem(decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- mnemonics: "ld.global.v4.f32" in parts ---- */
typedef struct decode_parts {
    uint32_t count;
    const char *part[24];
    uint8_t size[24];
} decode_parts;
decode_parts decode_split(const char *mnemonic);
bool decode_word_in(const char *list, const char *word, size_t size); /* list: blank-separated */
bool decode_part_is(const decode_parts *p, uint32_t k, const char *text);
bool decode_parts_have(const decode_parts *p, const char *text);
ptx_type decode_part_type(const decode_parts *p, uint32_t k); /* PTX_NO_TYPE if it is no type */
ptx_type decode_last_type(const decode_parts *p);
/* The row of an instruction: splits the flags off and looks the rest up. */
typedef struct decode_found {
    const code_row *row; /* NULL: no such instruction */
    uint32_t mods;       /* flags found: PTX_FTZ ... */
    const char *bad;     /* a flag that the row does not allow, or NULL */
} decode_found;
decode_found decode_find_row(const lw_map *rows, const decode_parts *p);
/* The irregular row whose key is the opcode alone, which decodes all instructions of that opcode (mov, setp, testp),
 * also those with a regular row; or NULL. */
const code_row *decode_row_of_opcode(const lw_map *rows, const decode_parts *p);
code_builtin code_builtin_of(const char *name); /* a function that the system itself provides */

/* ---- fused products and sums ---- */
/* Decodes the current instruction, number k, if it is part of one; else false. */
bool decode_contracted(decoder *d, uint32_t k);

/* ---- operands ---- */
code_ref decode_source(decoder *d, const ptx_operand *o, lane_type lane);
code_ref decode_source_pred(decoder *d, const ptx_operand *o); /* predicate; handles !p and immediates */
code_ref decode_result(decoder *d, const ptx_operand *o,
                       lane_type lane); /* finish with decode_flush() after the operation */
void decode_flush(decoder *d);
code_ref decode_temp(decoder *d, uint32_t bytes); /* 0: predicate */
code_ref decode_fill(decoder *d, uint32_t file, code_fill fill);
code_ref decode_constant(decoder *d, uint64_t value, uint32_t bytes);
bool decode_is_int(const ptx_operand *o, int64_t *out);
bool decode_operands_between(decoder *d, uint32_t least, uint32_t most); /* else a problem */
bool decode_operands_are(decoder *d, uint32_t count);                    /* the same */
code_op decode_mov_of_bytes(uint32_t bytes);                             /* OP_mov_b16 ... of 2, 4, 8, 16 */
code_list *decode_new_list(decoder *d, uint32_t count);

/* Appends a micro-operation with the current guard and site; the pointer is valid until the next emit. */
code_insn *decode_emit(decoder *d, code_op op);
code_insn *decode_emit_unguarded(decoder *d, code_op op);
uop_info *decode_last_info(decoder *d);

/* ---- addresses ---- */
typedef struct decode_place {
    code_ref base;      /* u64 (or u32) lanes; CODE_NO_REF: absolute imm */
    uint8_t base_bytes; /* 4 or 8 */
    int64_t offset;
} decode_place;
/* Resolves [o] in a space. Variables become constants of the space. */
decode_place decode_address(decoder *d, const ptx_operand *o, ptx_space space);
bool code_shared_offset(const kernel_builder *b, const ptx_variable *v, uint64_t *out); /* false: it has no place */
void code_note_variables(kernel_builder *b, event_insn *insns); /* event_insn.variable, of all sites (bases.c) */
bool decode_shared_offset(decoder *d, const ptx_variable *v, uint64_t *out);
bool decode_is_call_param(const decoder *d,
                          const ptx_variable *v); /* .param variable of a call scope or formal of a .func */
bool decode_frame_offset(decoder *d, const ptx_variable *v, uint64_t *out);

/* ---- decoding of irregular instructions: decode_<id>() ---- */
#define SP(id, ...) void decode_##id(decoder *d);
#include "ptx/insns.def"

/* ---- shared by the decoders of asynchronous copies (decode_async.c) ---- */
code_ref decode_address_value(decoder *d, const ptx_operand *o, ptx_space space); /* [o] as one 64-bit lane value */
void decode_set_memory(code_insn *i, const code_list *list, ptx_space space, uint32_t bytes, uint32_t vector);
ptx_space decode_space_in(const decode_parts *p); /* the first that is named; PTX_GENERIC: none */
int decode_operation_in(const decode_parts *p);   /* enum code_atomic of add min max ...; -1: none */

void decode_st_async(decoder *d); /* st.async and red.async: called by decode_st() and decode_red() */
void decode_st_bulk(decoder *d);

/* ---- shared by the decoders of memory instructions (decode_mem.c, decode_async.c) ---- */
bool decode_space_part(const decode_parts *p, uint32_t k, ptx_space *out); /* ".shared::cta" ... */
void decode_set_address(code_insn *i, const decode_place *at);
const ptx_operand *decode_element(const ptx_operand *o, uint32_t k);
bool decode_vector_fits(decoder *d, const ptx_operand *o, uint32_t vector);
uint32_t decode_register_width(const decoder *d, const ptx_operand *o, uint32_t bytes);
code_list *decode_result_list(decoder *d, const ptx_operand *o, uint32_t vector, uint32_t width);
code_list *decode_source_list(decoder *d, const ptx_operand *o, uint32_t vector, uint32_t width, ptx_type type);
void decode_note_memory(decoder *d); /* the instruction has memory events */
/* Names the instruction as unsupported if a part from `from` on is none of the words of `allowed` (blank-separated). */
bool decode_known_parts(decoder *d, const decode_parts *p, uint32_t from, const char *allowed);
bool decode_known_part(decoder *d, const decode_parts *p, uint32_t k, const char *allowed); /* of part k alone */

/* Forms that are refused for a reason (ptx/refused.def). */
typedef struct decode_refusal {
    const char *opcode, *word; /* opcode NULL: word describes the form in Markdown */
    const char *why;
} decode_refusal;
enum {
#define FORM(id, text, why) REFUSED_##id,
#include "ptx/refused.def"
    REFUSED_FORMS
};
/* The forms, then the words. */
const decode_refusal *decode_refusals(size_t *count);
/* Has the mnemonic a word that is refused? Then the reason is the instruction's problem. */
bool decode_refused_word(decoder *d, const decode_parts *p);
void decode_refuse(decoder *d, uint32_t form); /* REFUSED_... */

/* ---- after all instructions ---- */
/* What a mnemonic says about order, scope and proxy; the same of all sites of a kernel (order.c). */
event_insn code_event_insn(const code_row *row, const decode_parts *p);
/* The value of createpolicy, but .cvt and of a share in a register; and the event_eviction that the policy of an access (.L2::cache_hint, its last operand) stands for:
 * EVENT_EVICT_UNKNOWN if the text of the function does not say which policy that is, or if it is one of some accesses only. */
uint64_t code_policy(const ptx_insn *createpolicy);
uint8_t code_policy_eviction(const ptx_function *function, const ptx_insn *access);
event_insn *code_event_insns(lw_arena *arena, const code_image *image, const code_site *sites, uint32_t count);
void plan_sink(decoder *d);                               /* loads behind branches: before the control flow */
void plan_apply(decoder *d);                              /* the count plan: plan.def */
lw_status code_control_flow(decoder *d, lw_error *error); /* branch targets, reconvergence points, spin loops */
void code_assign_slots(decoder *d);                       /* virtual registers -> lane-file offsets */
lw_status decode_function(kernel_builder *b, code_function *out, const image_function *from, lw_error *error);
uint32_t code_queue_function(kernel_builder *b, const image_function *f);
void code_queue_taken(kernel_builder *b);

#endif
