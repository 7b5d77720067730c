/* exec: runs a decoded kernel: lanes, warps, blocks, clusters and grids on host threads.
 * Knows no model and no check: clients listen to events (event/event.h). */
#ifndef LW_EXEC_H
#define LW_EXEC_H

#include "code/code.h"
#include "event/event.h"
#include "exec/tiles.h"
#include "memory/memory.h"

#include <stdatomic.h>

/* Why a launch stopped. The host room maps these to CUDA error codes. */
typedef enum exec_fault_kind {
    EXEC_NO_FAULT,
    EXEC_ILLEGAL_ADDRESS,     /* out of bounds, freed, null, host memory: cudaErrorIllegalAddress (700) */
    EXEC_MISALIGNED,          /* cudaErrorMisalignedAddress (716) */
    EXEC_INVALID_SPACE,       /* an address of the wrong space: cudaErrorInvalidAddressSpace (717) */
    EXEC_INVALID_PC,          /* indirect call to an address that is not a function: cudaErrorInvalidPc (718) */
    EXEC_ILLEGAL_INSTRUCTION, /* cudaErrorIllegalInstruction (715) */
    EXEC_TRAP,                /* trap, brkpt: cudaErrorLaunchFailure (719) / IllegalInstruction */
    EXEC_ASSERT,              /* __assertfail: cudaErrorAssert (710) */
    EXEC_STACK_OVERFLOW,      /* hardware stack error: cudaErrorHardwareStackError (714) */
    EXEC_HANG,                /* no progress: cudaErrorLaunchTimeout (702) */
    EXEC_SHARED_RANGE,        /* shared or local access outside its memory: cudaErrorIllegalAddress */
    EXEC_CLUSTER_EXITED,      /* distributed shared memory of a block that has exited */
    EXEC_INTERRUPTED,         /* stopped from outside (Ctrl-C) */
    EXEC_DIVERGENT_BARRIER    /* a warning: a barrier that part of a block never reaches; an mbarrier ended twice */
} exec_fault_kind;

typedef struct exec_fault {
    exec_fault_kind kind;
    uint32_t site;                /* code_kernel.sites index */
    uint32_t block[3], thread[3]; /* %ctaid and %tid of who faulted */
    uint64_t address;             /* as the program sees it (generic, or offset in shared/local memory) */
    uint32_t bytes;               /* of the access; 0: the fault is no access */
    bool is_write;
    const char *space;  /* "global", "shared", ..., "code" */
    uint64_t count;     /* threads that failed in this way; asserts alone have more than one */
    char message[1024]; /* one paragraph: what, where, which allocation; for hangs: who waits where */
} exec_fault;

/* Accesses that are errors but do not stop a launch: those of one instruction to one kind of memory. */
typedef struct exec_passed {
    exec_fault fault; /* of the lowest block and thread */
    uint64_t count;   /* of lanes' accesses */
    uint32_t owner;   /* event_space << 8 | mem_kind */
} exec_passed;

/* Facts of the chosen device that execution needs. */
typedef struct exec_device {
    uint32_t cc; /* 90 */
    uint32_t sm_count;
    uint32_t max_blocks_per_sm; /* of this kernel at this configuration (occupancy); bounds residency */
    uint32_t max_local_bytes;   /* per thread */
    uint32_t stack_bytes;       /* cudaLimitStackSize, per thread */
    uint32_t clock_khz;         /* the device's clock rate; virtual cycles do not depend on it */
} exec_device;

/* A texture fetch of the lanes of mask. The arrays have a place for every lane; what stands in others' is not read, and
 * what they get does not matter. */
typedef struct exec_texture_fetch {
    uint32_t mask;
    uint32_t dimensions;            /* coordinates, layers not counted: 1 to 3 */
    bool layered;                   /* the first coordinate is the number of a layer, an integer */
    bool real;                      /* coordinates are floats, else integers */
    bool cube;                      /* coordinates are a direction */
    uint8_t how;                    /* enum code_texture */
    uint8_t component;              /* gathers: which one of the four texels */
    ptx_type type;                  /* of the results: their bits are f32, s32 or u32 */
    const uint64_t *texture;        /* handles of texture objects */
    const uint32_t *coordinate[4];  /* that of a layer first */
    const uint32_t *level;          /* CODE_TEXTURE_LEVEL: floats, with integer coordinates integers */
    const uint32_t *gradient[2][3]; /* CODE_TEXTURE_GRADIENT: of the coordinates, along x and along y */
    const uint32_t *offset[3];      /* texels that are added to coordinates; NULL: none */
    uint32_t components;            /* bit k: component k is asked for */
    uint32_t (*out)[32];            /* 4 components */
    uint32_t *to[4];      /* where a component may go instead, once no operand is read any more; NULL: nowhere */
    uint32_t *gone;       /* those that went there */
    uint64_t *address;    /* of the texel, for counting */
    bool addressed;       /* somebody wants to know them */
    uint32_t *located;    /* lanes that have such an address */
    event_texels *texels; /* all that is read, for counting; NULL: nobody counts */
} exec_texture_fetch;

/* What an instruction on a surface has to know of it. */
typedef struct exec_surface {
    uint64_t address, pitch, slice; /* of texel 0; bytes from row to row, from slice or layer to slice */
    uint32_t size[3];               /* texels; 1 of dimensions that it has not; layers are slices */
    uint8_t texel_bytes, channels;
    char kind;       /* of a channel: 'U' 'S' 'F' as in ptx_type_class() */
    bool normalized; /* integers stand for fractions */
    exec_tiles tiles;
} exec_surface;

/* A call of the device runtime by one thread: a DEVICE_CALL row of code/builtins.def. */
typedef struct exec_device_call {
    int function;            /* code_builtin */
    uint32_t site;           /* code_kernel.sites index */
    uint64_t block;          /* linear */
    uint32_t thread;         /* linear, in the block */
    uint64_t argument[8][4]; /* up to 32 bytes each */
    uint8_t data[160];       /* what the pointer argument reads or writes */
    uint64_t result;         /* not 0: nothing is written, if it is an error */
    bool illegal;            /* a fault */
} exec_device_call;

/* How the host reads a string of a thread's own memory, which printf's %s names: a copy to be freed, or NULL. */
typedef struct exec_strings {
    void *reader;
    char *(*read)(void *reader, uint64_t address);
} exec_strings;

/* What a thread's call of printf took: exec_services.print. Of the arguments those that a card's printf knows. */
typedef struct exec_printed {
    uint64_t read;                    /* bytes of the buffer up to the last one that was read */
    uint32_t arguments;               /* widths that are arguments ('*') among them */
    uint32_t wide;                    /* of them those of 8 bytes */
    uint32_t strings;                 /* of those the texts */
    uint64_t text_bytes;              /* of all texts, with their ends */
    uint64_t text_local, text_shared; /* of them those of the thread's local, and the block's shared memory */
    uint64_t text_room;               /* the same, each text a multiple of 8 */
    uint64_t text_at;                 /* of their addresses: a hash */
} exec_printed;

/* Services that execution asks of its host; any may be NULL (then the instruction faults as unsupported). */
typedef struct exec_services {
    void *user;
    /* printf: format and packed argument buffer as vprintf gets them (host-readable; bytes of the buffer that may be
     * read). Returns printf's result. */
    int (*print)(void *user, const char *format, const uint8_t *arguments, uint64_t bytes, exec_printed *out,
                 const exec_strings *strings);
    /* A thread's assert failed: the line that a card prints for it, without its end. */
    void (*assertion)(void *user, const char *line);
    /* device malloc/free from the device heap; 0 on failure. */
    uint64_t (*heap_alloc)(void *user, uint64_t bytes);
    /* *out_bytes: how many the block had. false: no such block is allocated. */
    bool (*heap_free)(void *user, uint64_t address, uint64_t *out_bytes);
    void (*device_call)(void *user, exec_device_call *call);
    /* false: *out_bad is a lane whose handle names no texture object, or a mode is not supported. */
    bool (*texture)(void *user, const exec_texture_fetch *fetch, uint32_t *out_bad);
    /* query: enum code_texture_query. false: the handle names no texture (or surface) object. */
    bool (*texture_query)(void *user, uint64_t handle, bool surface, uint32_t query, uint32_t level, uint32_t *out);
    /* false: the handle names no surface object. */
    bool (*surface)(void *user, uint64_t handle, exec_surface *out);
    /* progress: called about four times a second from one worker; returns false to interrupt the launch. */
    bool (*progress)(void *user, uint64_t thread_inst, uint64_t blocks_done, uint64_t blocks_total);
} exec_services;

/* Who runs when, where the program leaves it open (docs/EXECUTION.md). */
typedef enum exec_schedule_kind {
    EXEC_SCHEDULE_CARD,       /* warps of a block go on together, as on a card; blocks one after the other */
    EXEC_SCHEDULE_TO_BARRIER, /* a warp runs until it waits, then the next one */
    EXEC_SCHEDULE_RANDOM      /* warps, blocks and how many are resident by chance; on one host thread */
} exec_schedule_kind;

typedef struct exec_schedule {
    exec_schedule_kind kind;
    uint64_t seed; /* EXEC_SCHEDULE_RANDOM */
} exec_schedule;

typedef struct exec_launch {
    const code_kernel *kernel;              /* prepared */
    uint32_t grid[3], block[3], cluster[3]; /* cluster 1,1,1 without clusters */
    uint32_t dynamic_shared_bytes;
    const uint8_t *params; /* kernel->param_bytes bytes, laid out by kernel->params */
    bool cooperative;      /* all blocks are resident at once */
    bool stop_at_errors;   /* accesses that a card lets through are faults, too */
    uint64_t grid_id;      /* %gridid; events number launches by it */
    /* device address that %envreg1:%envreg2 hold (zeroed; word 1 counts): of cooperative launches, and those behind one; 0 none */
    uint64_t grid_workspace;
    uint64_t graph;   /* %current_graph_exec */
    uint32_t threads; /* host threads; 1 = the calling thread alone */
    exec_schedule schedule;
    bool timed;     /* the clock shows cycles of the device (code_set_clocks), %globaltimer what they take */
    mem_fill fill;  /* what shared and local memory hold when a block begins */
    double timeout; /* seconds after which the launch ends with a fault; 0: never */
    mem_window *memory;
    uint32_t device_number; /* of several: its own, and the set of those whose memory it cannot access (no peers) */
    uint32_t out_of_reach;
    exec_device device;
    exec_services services;
    const event_listener *listeners;
    uint32_t listener_count;
    const event_launch *event; /* what events say of the launch (exec_describe_launch); NULL: made from this */
    atomic_int *interrupt;     /* non-zero: stop; may be NULL */
} exec_launch;

typedef struct exec_result {
    exec_fault fault;    /* kind EXEC_NO_FAULT if it ran to its end */
    exec_fault warning;  /* kind EXEC_DIVERGENT_BARRIER, or EXEC_NO_FAULT: the launch went on */
    exec_passed *passed; /* in order of blocks and threads; owned by the result */
    uint32_t passed_count;
    double seconds;         /* on the host, set-up left out */
    uint64_t inst_executed; /* warp instructions (PTX) */
    uint64_t thread_inst;   /* thread instructions (PTX), predicated-off lanes included */
    uint64_t blocks_done;   /* that ran to their end: all, unless fault.kind says otherwise */
    /* The longest wait of a warp for a clock, and where: a loop that does nothing but read it. */
    uint64_t clock_wait; /* cycles; 0: none */
    uint32_t clock_site;
    /* By the clock, if launch.timed: cycles that warps were at work, in sum; from the begin to the end of a block, which
     * ends with its last warp and waits at barriers for the slowest, in sum over blocks; the longest of these. Rounds of
     * site_waits are left out. */
    uint64_t clock_work, clock_blocks, clock_longest;
    bool schedule_dependent; /* counts or results may depend on the order in which blocks ran */
    /* Per site; kernel->site_count entries each; owned by the result. */
    uint64_t *site_inst;     /* warp executions */
    uint64_t *site_lanes;    /* lanes of the group, summed (guards not applied) */
    uint64_t *site_lanes_on; /* memory sites only: lanes with the guard on */
    bool *site_on_heap;      /* accesses: some touched what malloc gave a kernel */
    bool *site_parted;       /* branches: some warp's lanes went several ways */
    /* Backward branches, if launch.timed: times round the loop in which a warp only waited for others. How many there are is
     * the executor's doing: a card's blocks run at once. NULL: there were none. */
    uint64_t *site_waits;
    uint64_t events_built[EVENT_KIND_COUNT]; /* by kind: what nobody wants is not built */
} exec_result;

/* Fills in the executors for this host's instruction set (once per kernel; LANEWISE_ISA=v2|v3|v4 in the environment
 * picks a lower one for tests). */
void exec_prepare(code_kernel *kernel);
/* Which of the builds for x86-64-v2, v3 and v4 (0, 1, 2) this host runs; LANEWISE_ISA names a lower one. */
uint32_t exec_host_level(void);
/* Those builds, by LEVEL(name). */
#ifdef LW_ONE_LEVEL /* sanitizer builds, whose loops take long to compile */
#define EXEC_LEVELS(LEVEL) LEVEL(v2)
#else
#define EXEC_LEVELS(LEVEL) LEVEL(v2) LEVEL(v3) LEVEL(v4)
#endif

/* "card", "to-barrier" or "random:SEED". false: it is none of them. */
bool exec_schedule_parse(const char *text, exec_schedule *out);

/* Fills in what follows from the launch: all but stream, operation and owner. */
void exec_describe_launch(const exec_launch *launch, event_launch *out);

/* Runs a launch to its end on the calling thread plus threads-1 helpers. Limits (block size, shared memory ...) are the
 * caller's to check. LW_OK also when the kernel faulted (see out->fault). */
lw_status exec_run(const exec_launch *launch, exec_result *out, lw_error *error);
void exec_result_free(exec_result *result);

#endif
