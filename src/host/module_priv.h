/* module: modules and their variables (module.c). */
#ifndef LW_HOST_MODULE_PRIV_H
#define LW_HOST_MODULE_PRIV_H

#include "code/code.h"
#include "host/module.h"
#include "host/state_priv.h"

typedef struct host_variable {
    uint64_t address, bytes;
    uint8_t *initial; /* NULL: zeros */
    bool initialised;
    bool at_home; /* in the program's own memory */
} host_variable;

typedef struct host_home {
    const char *name;
    void *at;
} host_home;

struct host_module {
    host_context *context;
    struct host_module *next;
    uint32_t number;     /* 1, 2, 3 ... */
    uint32_t device;     /* where its variables lie */
    bool of_context;     /* loaded into one context: its kernels run on its device alone */
    host_module *origin; /* the same code for another device, whose parts and managed variables this has; NULL: none */
    host_module *on[HOST_DEVICES_MOST]; /* of an origin: the same code for other devices; NULL: not made yet */
    const void *wrapper;                /* declared modules: the registration data */
    int64_t built; /* of declared modules: when their program or library was written, in Unix seconds; else 0 */
    bool tried;
    bool told; /* clients of events know its variables */
    host_error error;
    LW_VEC(ptx_module *) parts;
    LW_VEC(lw_span) images; /* containers that may hold machine code of the kernels */
    LW_VEC(host_variable) variables;
    LW_VEC(host_home) homes; /* variables that are to lie in the program's own memory */
    LW_VEC(host_kernel *) kernels;
    code_image *image;
    int global_l1;    /* model_l1: -dlcm of the assembler */
    bool relocatable; /* its machine code was linked (-rdc) */
    uint64_t constant_bytes;
    uint32_t max_registers; /* -maxrregcount, CU_JIT_MAX_REGISTERS; 0: none */
    lw_arena arena;
};

struct host_modules {
    host_module *first;
    uint32_t made;           /* the last one's number */
    pthread_mutex_t telling; /* of variables; host_lock() is not held: clients of events may call what needs it */
};

void host_modules_forked(host_context *context); /* in a child of fork() */
void host_module_reset(host_module *module);     /* its variables have their first values again */
/* Its variables begin or end to be, for clients of events; each once. Without host_lock(). */
void host_module_tell_variables(host_module *module);
void host_module_tell_end(host_module *module);

#endif
