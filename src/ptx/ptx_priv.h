/* ptx_priv: what the files of room ptx share: tokens, the table of names, scopes, the parser's state.
 *
 * lexer.c   text -> tokens (one token of look-ahead), mnemonics
 * names.c   interned names, symbols, nested scopes, register ranges
 * const.c   constant expressions
 * decl.c    variable, register and parameter declarations; init.c their initialisers
 * lines.c   .file, .loc, .section
 * body.c    statements of a function body; operand.c operands
 * parse.c   module level: directives, functions
 * print.c   tree -> text; types.c tables; diag.c messages */
#ifndef LW_PTX_PRIV_H
#define LW_PTX_PRIV_H

#include "ptx/module.h"

#define PTX_MAX_NESTING 64             /* scopes, braces, parentheses */
#define PTX_MAX_TEXT ((size_t)1 << 30) /* bytes of PTX text */
#define PTX_MAX_REGISTER_RANGE 1000000 /* %r<N> */
#define PTX_MAX_VARIABLE_RANGE 65536   /* name<N> of variables, over the whole module */
#define PTX_MAX_VARIABLE_BYTES ((uint64_t)1 << 40)
#define PTX_MAX_INIT_BYTES ((uint64_t)256 << 20) /* all initialised variables of a module together */
#define PTX_MAX_ALIGN (1u << 20)
#define PTX_MAX_DIMENSIONS 8
#define PTX_MAX_INLINE_DEPTH 64 /* links of one inlined_at chain */

/* ---- directives: every dot word with a meaning of its own outside of mnemonics ---- */
/* clang-format off */
#define PTX_DIRECTIVES(X)                                                                                              \
    X(VERSION, ".version") X(TARGET, ".target") X(ADDRESS_SIZE, ".address_size") X(FILE, ".file") X(LOC, ".loc")       \
    X(SECTION, ".section") X(PRAGMA, ".pragma") X(EXTERN, ".extern") X(VISIBLE, ".visible") X(WEAK, ".weak")           \
    X(COMMON, ".common") X(ENTRY, ".entry") X(FUNC, ".func") X(ALIAS, ".alias") X(REG, ".reg") X(CONST, ".const")      \
    X(GLOBAL, ".global") X(LOCAL, ".local") X(PARAM, ".param") X(SHARED, ".shared") X(TEX, ".tex")                     \
    X(ALIGN, ".align") X(ATTRIBUTE, ".attribute") X(PTR, ".ptr") X(V2, ".v2") X(V4, ".v4") X(MANAGED, ".managed")      \
    X(UNIFIED, ".unified") X(MAXNTID, ".maxntid") X(REQNTID, ".reqntid") X(MINNCTAPERSM, ".minnctapersm")              \
    X(MAXNCTAPERSM, ".maxnctapersm") X(MAXNREG, ".maxnreg") X(NORETURN, ".noreturn")                                   \
    X(REQNCTAPERCLUSTER, ".reqnctapercluster") X(MAXCLUSTERRANK, ".maxclusterrank")                                    \
    X(EXPLICITCLUSTER, ".explicitcluster") X(BLOCKSARECLUSTERS, ".blocksareclusters")                                  \
    X(ABI_PRESERVE, ".abi_preserve") X(ABI_PRESERVE_CONTROL, ".abi_preserve_control")                                  \
    X(BRANCHTARGETS, ".branchtargets") X(CALLTARGETS, ".calltargets") X(CALLPROTOTYPE, ".callprototype")
/* clang-format on */

typedef enum ptx_directive {
    PTX_D_NONE,
#define PTX_DIRECTIVE(id, text) PTX_D_##id,
    PTX_DIRECTIVES(PTX_DIRECTIVE)
#undef PTX_DIRECTIVE
} ptx_directive;

/* ---- tokens ---- */
typedef enum ptx_token_kind {
    PTX_T_END,
    PTX_T_BAD,    /* message says why */
    PTX_T_NAME,   /* identifier, also %name, $name, _ */
    PTX_T_DOT,    /* .name */
    PTX_T_NUMBER, /* value */
    PTX_T_STRING, /* text without the quotes, escapes as written */
    PTX_T_PUNCT   /* punct: the character, or one of the two-character operators below */
} ptx_token_kind;

enum { PTX_P_SHL = 256, PTX_P_SHR, PTX_P_LE, PTX_P_GE, PTX_P_EQ, PTX_P_NE, PTX_P_AND, PTX_P_OR };

/* A constant. bits: the integer, or the bits of the f32 or f64. */
typedef struct ptx_value {
    enum { PTX_V_INT, PTX_V_F32, PTX_V_F64 } kind;
    bool is_unsigned;
    uint64_t bits;
} ptx_value;

typedef struct ptx_token {
    ptx_token_kind kind;
    int punct;
    const char *text;
    size_t size;
    uint32_t line, column;
    ptx_value value;
    const char *message;
} ptx_token;

/* ---- names and symbols ---- */
typedef struct ptx_name {
    const char *text; /* NUL-terminated, in the module's arena */
    size_t size;
    ptx_directive directive;
    int special;               /* 1 + enum ptx_special, 0 none */
    struct ptx_symbol *symbol; /* innermost declaration in sight */
    struct ptx_symbol *range;  /* innermost `name<N>` in sight */
    uint64_t debug_at;         /* 1 + offset in .debug_str of a label there; 0 none */
} ptx_name;

typedef enum ptx_symbol_kind {
    PTX_S_REGISTER, /* index: register */
    PTX_S_VARIABLE,
    PTX_S_FUNCTION,
    PTX_S_LABEL, /* index: instruction */
    PTX_S_TARGETS,
    PTX_S_PROTOTYPE,
    PTX_S_RANGE /* registers name0 .. name(index-1), made when first used */
} ptx_symbol_kind;

typedef struct ptx_symbol {
    ptx_name *name;
    ptx_symbol_kind kind;
    int depth; /* scope: 0 module, 1 parameters, 2 body, 3.. nested */
    uint32_t line;
    uint32_t index;
    ptx_type type; /* of a range */
    uint32_t vector;
    union {
        ptx_variable *variable;
        ptx_function *function;
        ptx_targets *targets;
        ptx_prototype *prototype;
    };
    struct ptx_symbol *outer; /* the declaration this one hides */
    struct ptx_symbol *next_in_scope;
} ptx_symbol;

/* A use of a name that may be a label declared later: decided when its scope closes. */
typedef struct ptx_fixup {
    ptx_name *name;
    ptx_operand *operand; /* one of operand, label */
    uint32_t *label;
    uint32_t line, column;
} ptx_fixup;

typedef struct ptx_scope {
    ptx_symbol *symbols;
    size_t fixup_start; /* fixups from here on were made in this scope or in ones inside it */
    bool has_ranges;
} ptx_scope;

/* A .loc record, completed at the end of the module, when .file and .debug_str are known. */
typedef struct ptx_line_use {
    ptx_line *line;
    uint32_t file;
    uint64_t addend;
    ptx_name *function; /* label in .debug_str */
    uint32_t at_line, at_column;
} ptx_line_use;

typedef struct ptx_line_slot { /* the last .loc of a position in the function being read */
    uint32_t file, line, column, epoch;
    int depth; /* links above it */
    ptx_line *record;
} ptx_line_slot;

typedef struct ptx_file {
    uint32_t index;
    const char *name;
} ptx_file;

typedef struct ptx_alias {
    ptx_function *alias;
    ptx_name *aliasee;
    ptx_token token;
} ptx_alias;

typedef struct ptx_parser {
    ptx_module *module;
    lw_arena *arena;
    lw_error *error;
    /* lexer */
    const char *at, *end, *line_start;
    uint32_t line;
    ptx_token token; /* the current one */
    /* names */
    lw_map names;
    ptx_scope scopes[PTX_MAX_NESTING + 3];
    int depth;
    int range_depth; /* deepest open scope that declares a range; -1 none */
    int nesting;     /* of braces and parentheses inside an expression, operand or initialiser */
    /* module */
    LW_VEC(const ptx_function *) functions;
    LW_VEC(const ptx_variable *) variables;
    LW_VEC(ptx_alias) aliases;
    uint64_t init_bytes, range_variables;
    /* function being read */
    ptx_function *function;
    LW_VEC(ptx_register) registers;
    LW_VEC(const ptx_variable *) locals;
    LW_VEC(ptx_insn) insns;
    LW_VEC(ptx_label) labels;
    LW_VEC(ptx_fixup) fixups;
    /* lines */
    bool nounroll; /* .pragma "nounroll" was read, for the next instruction */
    const ptx_line *line_now;
    LW_VEC(ptx_line_use) line_uses;
    LW_VEC(ptx_file) files;
    lw_text debug_str;
    ptx_line_slot *line_slots;
    size_t line_slot_count, line_slot_capacity;
    uint32_t line_epoch;
} ptx_parser;

/* lexer.c */
void ptx_lex_start(ptx_parser *p);
void ptx_next(ptx_parser *p);
/* Is the current name followed by ':' (a label)? Moves nothing. */
bool ptx_at_label(ptx_parser *p);
/* The current token is the first word of a mnemonic: reads all of it and moves on. */
const char *ptx_lex_mnemonic(ptx_parser *p);
/* Moves past the rest of the line. */
void ptx_skip_line(ptx_parser *p);

/* diag.c */
lw_status ptx_fail_token(ptx_parser *p, const ptx_token *token, lw_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
lw_status ptx_expected(ptx_parser *p, const char *what); /* "expected ... but found '...'" at the current token */
lw_status ptx_enter(ptx_parser *p);                      /* one nesting level more, or an error */
static inline void ptx_leave(ptx_parser *p) { p->nesting--; }

static inline bool ptx_is(const ptx_parser *p, int punct)
{
    return p->token.kind == PTX_T_PUNCT && p->token.punct == punct;
}
bool ptx_is_word(const ptx_parser *p, const char *word);
bool ptx_accept(ptx_parser *p, int punct);
lw_status ptx_expect(ptx_parser *p, int punct);
lw_status ptx_expect_number(ptx_parser *p, const char *what, uint64_t max, uint64_t *value);
lw_status ptx_expect_name(ptx_parser *p, const char *what, ptx_token *token, ptx_name **name);

/* names.c */
void ptx_names_start(ptx_parser *p);
ptx_name *ptx_intern(ptx_parser *p, const char *text, size_t size);
ptx_directive ptx_directive_of(ptx_parser *p, const ptx_token *token);
lw_status ptx_scope_open(ptx_parser *p);
lw_status ptx_scope_close(ptx_parser *p);
void ptx_scope_drop(ptx_parser *p); /* closes without looking at labels */
/* Fails if the name is declared in the current scope. */
lw_status ptx_declare(ptx_parser *p, const ptx_token *token, ptx_name *name, ptx_symbol_kind kind, ptx_symbol **out);
ptx_symbol *ptx_module_symbol(ptx_parser *p, const ptx_token *token, ptx_name *name, ptx_symbol_kind kind,
                              bool *is_new);
lw_status ptx_declare_range(ptx_parser *p, const ptx_token *token, ptx_name *name, ptx_type type, uint32_t vector,
                            uint32_t count);
/* The innermost declaration of the name (a register of a range is made now), or NULL. */
ptx_symbol *ptx_lookup(ptx_parser *p, ptx_name *name);
uint32_t ptx_add_register(ptx_parser *p, const char *name, ptx_type type, uint32_t vector);

/* const.c */
lw_status ptx_const(ptx_parser *p, ptx_value *value);
lw_status ptx_const_int(ptx_parser *p, ptx_value *value);
bool ptx_starts_const(const ptx_parser *p);

/* decl.c */
typedef struct ptx_decl {
    ptx_token start;
    ptx_space space;
    ptx_type type;
    uint32_t vector, alignment;
    ptx_linkage linkage;
    bool managed, is_pointer;
} ptx_decl;
/* Reads ".space .align n .v4 .type" up to the first name. */
lw_status ptx_decl_head(ptx_parser *p, ptx_decl *decl, bool need_space);
/* A whole declaration with its ';'. */
lw_status ptx_declaration(ptx_parser *p, ptx_linkage linkage);
/* "(.param ... a, ...)" of functions and prototypes; declares the names if declare. */
typedef LW_VEC(ptx_variable *) ptx_variable_list;
lw_status ptx_param_list(ptx_parser *p, bool declare, ptx_variable_list *list);
lw_status ptx_attribute(ptx_parser *p, bool *managed);

/* init.c */
typedef struct ptx_shape {
    uint64_t dims[PTX_MAX_DIMENSIONS];
    int count;
    bool unsized; /* first dimension is [] */
} ptx_shape;
/* The text after '='. Sets init, addresses, and for unsized variables bytes. */
lw_status ptx_initialiser(ptx_parser *p, const ptx_token *name, ptx_variable *variable, const ptx_shape *shape);

/* lines.c */
lw_status ptx_parse_file(ptx_parser *p);
lw_status ptx_parse_loc(ptx_parser *p);
lw_status ptx_parse_section(ptx_parser *p);
void ptx_lines_function_start(ptx_parser *p);
lw_status ptx_lines_finish(ptx_parser *p);

/* operand.c */
lw_status ptx_parse_operands(ptx_parser *p, ptx_insn *insn);

/* body.c */
lw_status ptx_parse_body(ptx_parser *p, ptx_function *f); /* at '{' */
/* A pragma; sets p->nounroll if it is that one. */
lw_status ptx_parse_pragma(ptx_parser *p);

/* special.c */
/* 1 + enum ptx_special or 0; *number gets the number of a numbered register, else 0. */
int ptx_special_find(const char *name, size_t size, int64_t *number);

#endif
