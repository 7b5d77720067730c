/* ptx: PTX text -> module tree.
 *
 * The parser knows the grammar (directives, declarations, scopes, operands) and no instruction: an instruction is its
 * mnemonic, guard and operands; insns.def and the decoder (room code/) give it meaning. Names are resolved here:
 * registers to a function-wide index, variables and functions to their tree node, labels to an instruction index.
 * Everything is owned by the module's arena; strings are NUL-terminated. A parsed module is immutable. */
#ifndef LW_PTX_MODULE_H
#define LW_PTX_MODULE_H

#include "base/base.h"

typedef enum ptx_type {
    PTX_NO_TYPE,
#define PTX_TYPE(id, name, bytes, class) PTX_##id,
#include "ptx/types.def"
#undef PTX_TYPE
    PTX_TYPE_COUNT
} ptx_type;

const char *ptx_type_name(ptx_type type);                   /* "f32" */
uint32_t ptx_type_bytes(ptx_type type);                     /* 4; 0 for pred */
char ptx_type_class(ptx_type type);                         /* 'U' 'S' 'B' 'F' 'X' 'P' */
ptx_type ptx_type_find(const char *name, size_t name_size); /* PTX_NO_TYPE if unknown */

/* State spaces: where a variable lies, and what an instruction's modifier says of its address. */
typedef enum ptx_space {
    PTX_GENERIC,
    PTX_REG,
    PTX_CONST,
    PTX_GLOBAL,
    PTX_LOCAL,
    PTX_PARAM,         /* of a micro-operation: kernel parameters read through memory */
    PTX_SHARED,        /* .shared, .shared::cta; without a rank in its address: the own block's */
    PTX_SHARED_CLUSTER /* .shared::cluster; of instructions alone */
} ptx_space;

/* ---- source positions ----
 * One record per `.loc`; instructions point to the last one before them (NULL: no line information). */
typedef struct ptx_line {
    const char *file;      /* as in the .file directive (absolute as nvcc writes it) */
    uint32_t line, column; /* 1-based; 0 = unknown */
    /* mangled name of the inlined function this position lies in; NULL = the PTX function itself */
    const char *function;
    const struct ptx_line *inlined_at; /* the caller's position; NULL at the outermost level */
    const struct ptx_line *before;     /* where line is 0: the last position of this function that has one, or NULL */
} ptx_line;

/* ---- variables (module scope, function scope, parameters) ---- */
typedef enum ptx_linkage { PTX_STATIC, PTX_VISIBLE, PTX_EXTERN, PTX_WEAK, PTX_COMMON } ptx_linkage;

/* An address inside an initialiser: `name`, `name+4`, `generic(name)+4`, or `mask(byte) name`. */
typedef struct ptx_init_address {
    uint64_t offset; /* byte offset in the variable where the address is stored */
    uint32_t bytes;  /* 8 normally; 1 with 0xFF(name) masks (then shift says which byte) */
    uint32_t shift;  /* right shift of the address before storing (mask forms) */
    bool generic;    /* generic(name): stored as a generic address, else as an address of the symbol's space */
    int64_t addend;
    const struct ptx_variable *variable; /* one of variable, function */
    const struct ptx_function *function;
} ptx_init_address;

typedef struct ptx_variable {
    const char *name;
    ptx_space space;
    ptx_type type;      /* element type; vectors keep vector 2/4 */
    uint32_t vector;    /* 1, 2, 4 */
    uint32_t alignment; /* bytes; natural if the text gives none */
    uint64_t bytes;     /* total size; 0 for an unsized array (`extern .shared s[]`, `.param .b8 p[]`) */
    bool unsized;       /* declared with [] and no initialiser */
    bool is_pointer;    /* .param .ptr attribute */
    bool managed;       /* .attribute(.managed) */
    ptx_linkage linkage;
    uint32_t index;      /* position in its list (module variables, function locals, params, returns) */
    const uint8_t *init; /* bytes long if not NULL; NULL: zero (or undefined) */
    const ptx_init_address *addresses;
    size_t address_count;
    const struct ptx_function *scope; /* function it is declared in; NULL at module scope */
    uint32_t line;                    /* PTX line of the declaration */
} ptx_variable;

/* ---- registers ---- */
typedef struct ptx_register {
    const char *name; /* "%r12" */
    ptx_type type;    /* as declared */
    uint32_t vector;  /* 1; 2 or 4 for `.reg .v4 .f32` (rare) */
} ptx_register;

/* ---- operands ---- */
typedef enum ptx_operand_kind {
    PTX_OP_NONE,
    PTX_OP_REG, /* reg; negated for !p; component for v.x */
    /* integer immediate: imm (sign or zero extended to 64 bits as written; is_unsigned for 'U' suffix) */
    PTX_OP_INT,
    PTX_OP_F32,       /* 0fXXXXXXXX: imm = bits */
    PTX_OP_F64,       /* 0dX.. or a decimal float: imm = bits of the double */
    PTX_OP_SPECIAL,   /* %tid.x ...: special, component; imm: its number, if it has one */
    PTX_OP_VARIABLE,  /* a variable's address (mov, cvta, call parameters, ld of ".param"): variable + imm */
    PTX_OP_FUNCTION,  /* function (call target, mov of a function address) */
    PTX_OP_LABEL,     /* label: instruction index in imm (branch target, or branchtargets/callprototype by name) */
    PTX_OP_ADDRESS,   /* [base+imm]: base is reg (reg >= 0), variable, or neither (absolute) */
    PTX_OP_VECTOR,    /* {a, b, ...} */
    PTX_OP_LIST,      /* (a, b, ...): call arguments and results */
    PTX_OP_PAIR,      /* a|b: items[0], items[1] */
    PTX_OP_SINK,      /* _ */
    PTX_OP_TEX,       /* [a, {c0,c1..}] or [a, b, {..}]: items; a is REG or VARIABLE, with +imm as its imm */
    PTX_OP_PROTOTYPE, /* label of a .callprototype: prototype */
    PTX_OP_TARGETS    /* label of a .branchtargets / .calltargets: targets */
} ptx_operand_kind;

typedef struct ptx_operand {
    ptx_operand_kind kind;
    bool negated; /* !p, or -r / -x where the text has a minus before a register */
    bool is_unsigned;
    int32_t reg;      /* register index in the function, or -1 */
    int8_t component; /* .x .y .z .w = 0..3, -1 none; .b0-.b3 = 4..7 and .h0 .h1 = 8, 9 (video instructions),
                            10 and 11: .h and .b with several digits, which are in imm (operand.c) */
    uint16_t special; /* enum ptx_special */
    int64_t imm;
    const ptx_variable *variable;
    const struct ptx_function *function;
    const struct ptx_targets *targets;
    const struct ptx_prototype *prototype;
    const struct ptx_operand *items; /* VECTOR, LIST, PAIR, TEX */
    uint32_t item_count;
} ptx_operand;

/* .branchtargets / .calltargets: a named list. */
typedef struct ptx_targets {
    const char *name;
    const uint32_t *labels;                      /* instruction indices (branchtargets) */
    const struct ptx_function *const *functions; /* calltargets */
    size_t count;
} ptx_targets;

typedef struct ptx_prototype {
    const char *name;
    const ptx_variable *returns, *params;
    size_t return_count, param_count;
} ptx_prototype;

/* ---- special registers: one row each in special.def ---- */
typedef enum ptx_special {
#define PTX_SPECIAL(id, ...) PTX_SPECIAL_##id,
#include "ptx/special.def"
#undef PTX_SPECIAL
    PTX_SPECIAL_COUNT
} ptx_special;

/* How often the value of a special register changes, and so who provides it. */
typedef enum ptx_changes { PTX_PER_LAUNCH, PTX_PER_BLOCK, PTX_PER_LANE, PTX_PER_READ } ptx_changes;

/* What a kernel that reads it is. */
typedef enum ptx_makes { PTX_MAKES_PLAIN, PTX_MAKES_GRID_SYNC, PTX_MAKES_SYSTEM_SHARED } ptx_makes;

typedef struct ptx_special_row {
    const char *name; /* '#' stands for the number */
    ptx_type type;
    uint8_t components; /* 4: .x .y .z .w; 0: none */
    uint8_t numbers;    /* registers of that name, which are numbered from 0; 0: one, without a number */
    uint8_t changes;    /* enum ptx_changes */
    uint8_t makes;      /* enum ptx_makes */
} ptx_special_row;
extern const ptx_special_row ptx_specials[PTX_SPECIAL_COUNT];

/* ---- instructions ---- */
#define PTX_MAX_OPERANDS 10

typedef struct ptx_insn {
    const char *mnemonic; /* the whole opcode as written: "ld.global.nc.v4.f32" (shared between equal ones: compare by
                              pointer) */
    int32_t guard;        /* register index of the predicate, -1 none */
    bool guard_negated;
    bool nounroll; /* behind .pragma "nounroll": the loop that begins with its basic block is kept as it is */
    uint8_t operand_count;
    const ptx_operand *operands;
    uint32_t line, column;  /* position in the PTX text */
    const ptx_line *source; /* NULL without line information */
} ptx_insn;

typedef struct ptx_label {
    const char *name;
    uint32_t insn; /* index of the instruction that follows */
} ptx_label;

typedef struct ptx_function {
    const char *name;
    bool is_entry;
    bool is_declaration; /* no body */
    bool noreturn;
    ptx_linkage linkage;
    const ptx_variable *const *params; /* .param space, or registers with space PTX_REG (old .func style) */
    size_t param_count;
    const ptx_variable *const *returns;
    size_t return_count;
    /* every .local/.shared/.param/.const/.global variable declared inside, all scopes */
    const ptx_variable *const *locals;
    size_t local_count;
    const ptx_register *registers; /* PTX_REG returns and params first, then in order of first use; a register of
                                           `%r<100>` that no instruction names is not made */
    size_t register_count;
    const int32_t *param_registers; /* register index of a PTX_REG parameter i, else -1; same for returns */
    const int32_t *return_registers;
    const ptx_insn *insns;
    size_t insn_count;
    const ptx_label *labels;
    size_t label_count;
    /* performance and launch directives; 0 = not given */
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnctapersm, maxnreg;
    uint32_t reqnctapercluster[3], maxclusterrank;
    bool explicitcluster;
    uint32_t line;
    uint32_t index; /* in module->functions */
} ptx_function;

typedef struct ptx_module {
    lw_arena arena;
    const char *name;                     /* file name or "<module>" for messages */
    uint32_t version;                     /* 90 = PTX ISA 9.0 */
    uint32_t sm;                          /* 90 */
    char sm_suffix;                       /* 'a', 'f' or 0 */
    bool debug_target;                    /* .target ..., debug */
    const ptx_function *const *functions; /* declarations merged with their definition where both are present */
    size_t function_count;
    const ptx_variable *const *variables;
    size_t variable_count;
    const char *text; /* the PTX text, owned by the module (for caret messages and PTX-line reports) */
    size_t text_size;
} ptx_module;

/* Parses PTX text (need not be NUL-terminated; a trailing NUL is fine). On failure *out is NULL and error holds
 * "name:line:column: message" followed by the line and a caret. The text is copied. */
lw_status ptx_parse(ptx_module **out, const char *name, const char *text, size_t size, lw_error *error);
void ptx_module_free(ptx_module *module);

/* NULL if absent. */
const ptx_function *ptx_find_function(const ptx_module *module, const char *name);
const ptx_variable *ptx_find_variable(const ptx_module *module, const char *name);

/* Prints the module as PTX text again (for tests: parse(print(m)) equals m; and for messages). */
void ptx_print(const ptx_module *module, lw_text *out);
/* One instruction, e.g. "@%p1 bra $L__BB0_2;" */
void ptx_print_insn(const ptx_module *module, const ptx_function *function, const ptx_insn *insn, lw_text *out);

/* "name:line:column: message\n    line text\n    ^" into error. */
lw_status ptx_fail_at(const ptx_module *module, uint32_t line, uint32_t column, lw_error *error, lw_status status,
                      const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
