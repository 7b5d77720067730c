/* event: what execution tells its clients (counting models, checks), and how a client listens.
 *
 * HOW TO WRITE A CLIENT
 *   1. A file, say src/host/client_race.c (the build finds it by itself), that defines one `const event_client`: its
 *      name, the kinds of events it wants (kinds.def), the optional fields it wants, and its hooks. A hook that is NULL
 *      is not called.
 *   2. A row of src/host/clients.def that names it.
 *   States follow the life of a program: session (the process) > launch > worker (a host thread during one launch).
 *   Each begin hook gets the state above it and returns its own; a session or a launch whose begin hook returns NULL is
 *   not listened to. memory() and sync() get the state of the worker that calls: workers share nothing, so no lock is
 *   needed; worker_end() merges a worker into its launch, one worker after the other; launch_end() merges the launch
 *   into the session. Findings go to event_session.finding, from the hooks of session and launch.
 *
 * What no client of a launch wants is neither built nor called. An event and the arrays it points to live only during
 * the call. Events of one block come in the order in which they happened there; of several blocks only in an order that
 * is possible, unless EVENT_FIELD_ORDER is asked for. */
#ifndef LW_EVENT_EVENT_H
#define LW_EVENT_EVENT_H

#include "base/base.h"

/* ---------------------------------------------------------------- kinds */
typedef enum event_kind {
#define EVENT_KIND(id, name, payload, meaning) EVENT_##id,
#include "event/kinds.def"
#undef EVENT_KIND
    EVENT_KIND_COUNT
} event_kind;

/* Sets of kinds. */
#define EVENT_BIT(kind) (UINT64_C(1) << (kind))
_Static_assert(EVENT_KIND_COUNT <= 64, "a set of kinds has 64 bits");

typedef enum event_payload { EVENT_PAYLOAD_memory, EVENT_PAYLOAD_sync, EVENT_PAYLOAD_host } event_payload;
typedef struct event_kind_info {
    const char *name, *meaning;
    event_payload payload;
} event_kind_info;
extern const event_kind_info event_kinds[EVENT_KIND_COUNT];
uint64_t event_kinds_of(event_payload payload); /* the set of kinds with this payload */

/* ---------------------------------------------------------------- what an instruction is, once per kernel */
typedef enum event_order {
    EVENT_ORDER_WEAK,     /* no order: ordinary accesses */
    EVENT_ORDER_VOLATILE, /* volatile: as relaxed.sys */
    EVENT_ORDER_RELAXED,
    EVENT_ORDER_ACQUIRE,
    EVENT_ORDER_RELEASE,
    EVENT_ORDER_ACQ_REL,
    EVENT_ORDER_SC /* fence.sc, membar */
} event_order;

typedef enum event_scope {
    EVENT_SCOPE_NONE,
    EVENT_SCOPE_CTA,
    EVENT_SCOPE_CLUSTER,
    EVENT_SCOPE_GPU,
    EVENT_SCOPE_SYS
} event_scope;

typedef enum event_proxy {
    EVENT_PROXY_GENERIC,
    EVENT_PROXY_ALIAS,
    EVENT_PROXY_ASYNC, /* bulk copies; fence.proxy.async */
    EVENT_PROXY_TENSORMAP
} event_proxy;

/* A variable in shared memory. */
typedef struct event_variable {
    const char *name; /* mangled */
    uint32_t offset;  /* in the block's shared memory */
    uint32_t bytes;   /* 0: a dynamic array, which goes on to the end of shared memory */
} event_variable;

/* How long a cache should keep what an access brings (PTX ISA 9.0, section 9.7.9: cache operators and eviction priority hints). */
typedef enum event_eviction {
    EVENT_EVICT_NORMAL,
    EVENT_EVICT_FIRST,
    EVENT_EVICT_LAST,
    EVENT_EVICT_UNCHANGED,
    EVENT_NO_ALLOCATE,
    EVENT_EVICT_UNKNOWN /* of a policy that is chosen as the kernel runs, or is for some of the accesses */
} event_eviction;

/* What the mnemonic says: the PTX ISA's defaults are filled in (atom: relaxed.gpu, mbarrier.arrive: release.cta ...). */
typedef struct event_insn {
    uint8_t order; /* event_order; of cp.reduce.async.bulk that of its updates */
    uint8_t scope; /* event_scope; EVENT_SCOPE_NONE for weak accesses */
    uint8_t proxy; /* event_proxy; of fences the one they order against the generic proxy */
    bool bulk;     /* cp.async.bulk, cp.reduce.async.bulk and their groups */
    bool reads;    /* cp.async.bulk.wait_group.read */
    bool all;      /* cp.async.wait_all */
    bool loads;    /* ld */
    /* Of loads, stores and atomics: the shared variable that all their addresses derive from; NULL: not known, or the
     * kernel has no other. */
    const event_variable *variable;
    uint8_t l1_eviction; /* event_eviction: in L1, from which others drive out its line */
    uint8_t l2_eviction; /* event_eviction: in L2 */
    uint32_t part;       /* number of its basic block */
    bool polls;          /* in a loop that goes round until another thread has done something */
    bool
        awaits; /* behind an ld.shared of the last basic block of the kernel: a store may have to wait for what that loads */
} event_insn;

/* ---------------------------------------------------------------- launches */
/* What all events of one launch share. */
typedef struct event_launch {
    uint64_t id;        /* 1, 2, 3 ... in the order in which launches ran */
    uint64_t stream;    /* of its stream; 0: the default stream, or unknown */
    uint64_t operation; /* number of the operation, as in event_host; 0: unknown */
    const char *kernel; /* mangled */
    uint32_t grid[3], block[3], cluster[3];
    const event_insn *insns; /* per instruction: index event.insn */
    uint32_t insn_count;
    uint32_t cc;             /* of the device: 90 */
    bool uses_system_shared; /* the kernel asks for the shared memory that the system reserves: */
    uint32_t system_shared;  /* its address, behind all that is the block's */
    const void *owner;       /* of whoever runs the launch: clients in the host room know what it is */
} event_launch;

#define EVENT_NO_INSN UINT32_MAX /* event.insn of what no instruction did */

/* ---------------------------------------------------------------- memory accesses */
typedef enum event_space {
    EVENT_GLOBAL,  /* device, managed, pinned memory */
    EVENT_SHARED,  /* the block's own shared memory */
    EVENT_DSHARED, /* shared memory reached through the cluster window (ld.shared::cluster, generic address of another
                   rank) */
    EVENT_LOCAL,
    EVENT_CONSTANT,
    EVENT_TEXTURE,
    EVENT_PARAM, /* kernel parameters read through memory (dynamic index) */
    EVENT_SPACE_COUNT
} event_space;

typedef enum event_op {
    EVENT_LOAD,
    EVENT_STORE,
    EVENT_ATOMIC,     /* atom: the old value is returned */
    EVENT_REDUCTION,  /* red, or atom with a dead result when the plan says so */
    EVENT_COPY_READ,  /* the source side of cp.async / bulk copies */
    EVENT_COPY_WRITE, /* the destination side */
    EVENT_MATRIX_LOAD, /* ldmatrix: addresses are rows of 16 bytes given by lanes 8m..8m+7 for matrix m; wgmma's operands:
                          as many of them as it takes */
    EVENT_MATRIX_STORE,
    EVENT_OP_COUNT
} event_op;

/* What the atomic does, as far as counting cares. */
typedef enum event_atomic {
    EVENT_ATOMIC_NONE,
    EVENT_ATOMIC_ADD,   /* integer add */
    EVENT_ATOMIC_ADD_1, /* integer add of the constant 1, result dead: ATOMS.POPC.INC on shared memory */
    EVENT_ATOMIC_FADD,  /* floating-point or packed add */
    EVENT_ATOMIC_CAS,
    EVENT_ATOMIC_EXCH,
    EVENT_ATOMIC_OTHER /* min max inc dec and or xor */
} event_atomic;

/* What is known of address[]; EVENT_GENERAL promises nothing. */
typedef enum event_shape {
    EVENT_GENERAL,
    EVENT_UNIFORM,    /* every active lane has address[first active lane] */
    EVENT_CONSECUTIVE /* ALL 32 lanes active and address[i] = address[0] + i * bytes */
} event_shape;

/* Cache operators and qualifiers that models may care for. */
#define EVENT_VOLATILE 1u
#define EVENT_NON_COHERENT 2u /* ld.global.nc */
#define EVENT_BYPASS_L1 4u    /* .cg: cp.async.cg, ld.cg */
#define EVENT_BULK 8u         /* bulk copies, parameters of calls: no LSU accesses; bytes_total holds the length */
#define EVENT_PART 32u /* bulk copies, wgmma's operands: a further piece, the instruction was counted with the first */
#define EVENT_FILLED 64u   /* bulk copies: a piece that is counted, but filled instead of read */
#define EVENT_ONE_LANE 16u /* counted atomics: the lanes' values are reduced first, the mask holds one lane */

/* Optional fields of event_memory: event_client.fields. */
#define EVENT_FIELD_VALUES 1u    /* details->before and after */
#define EVENT_FIELD_ORDER 2u     /* details->read_from and write; events of synchronising accesses in order */
#define EVENT_FIELD_UNDEFINED 4u /* undefined, of EVENT_ACCESS; execution follows it through registers */

/* Up to 32 bytes of one lane, in memory order; bytes beyond the access are 0. */
typedef struct event_value {
    uint64_t word[4];
} event_value;

typedef struct event_details {
    /* Of loads (equal), stores and atomics, not of copies and matrices; of bulk reductions the first 32 bytes. Of lanes
     * of one store that meet in a location the lowest comes last. */
    event_value before[32], after[32];
    /* Synchronising accesses (any order but weak, atomics, bulk reductions, red.async) only; else 0. Writes of a
     * location are numbered 1, 2, 3 ... within a launch, in the order in which they took effect. Locations are words of
     * 4 bytes: a wider access has the highest number of its words. */
    uint64_t read_from[32]; /* number of the write that was read; 0: the initial value, or a store without a number */
    uint64_t write[32];     /* number of the lane's own write; 0: it wrote nothing */
} event_details;

/* ---- undefined bits: of memory that nothing wrote, and what was computed from them ---- */
/* Where undefined bits come from. */
typedef struct event_origin {
    uint32_t insn;    /* the access that read them */
    uint8_t space;    /* event_space */
    bool computed;    /* some arithmetic was done on them: they are not merely copied */
    uint64_t address; /* that was read, in terms of the space; some lane's */
} event_origin;

/* Of the values that the lanes of an access store or combine: given. Of what they read from memory: the client says.
 * EVENT_COPY_WRITE by lanes: `lanes` copy fewer bytes than they write, `bits` are those copied, the rest is zero. */
typedef struct event_undefined {
    uint32_t lanes;       /* that have undefined bits */
    uint8_t bits[32][32]; /* of those lanes: a bit for each of the access, in memory order; 1: undefined */
    event_origin origin;  /* of some of them */
} event_undefined;

/* What undefined bits decide (EVENT_UNDEFINED_USE). */
typedef enum event_use {
    EVENT_USE_ADDRESS,
    EVENT_USE_BRANCH,  /* also exits, returns, indexes of tables and addresses of functions */
    EVENT_USE_GUARD,   /* whether memory is accessed, or a barrier executed */
    EVENT_USE_OPERAND, /* of a barrier, collective or copy: member mask, lane, number of threads, bytes */
    EVENT_USE_SYSTEM,  /* printed, or given to another function of the system */
    EVENT_USE_COUNT
} event_use;

/* What a fetch from a texture, or an access to a surface, reads: sets of rows of the lanes' sectors (32 bytes as a card lays
 * texels out). Lanes of a set read all of its rows. Between sets no sector is shared. */
enum { EVENT_TEXEL_SETS = 64, EVENT_TEXEL_ROWS = 128 };
typedef struct event_texel_set {
    uint32_t mask;
    uint8_t first, rows;
    uint8_t together; /* lanes that are carried out at once, and share what they read: 8, 4 or 2 */
    uint8_t passes;   /* how often they read it */
    uint64_t base;    /* address of the memory whose first sector is 0 */
} event_texel_set;
typedef struct event_texels {
    uint32_t sets, rows;
    uint32_t texel_bytes;
    const char *why; /* why a card's sectors may be others; NULL: they are these */
    event_texel_set set[EVENT_TEXEL_SETS];
    _Alignas(64) uint32_t sector[EVENT_TEXEL_ROWS][32];
} event_texels;

typedef struct event_memory {
    const event_launch *launch;
    uint32_t insn;     /* index into launch->insns (and code_kernel.sites) */
    uint8_t kind;      /* EVENT_ACCESS or EVENT_COUNTED */
    uint8_t space;     /* event_space */
    uint8_t op;        /* event_op */
    uint8_t atomic;    /* event_atomic */
    uint8_t shape;     /* event_shape of address[] */
    uint8_t bytes;     /* per lane: 1, 2, 4, 8, 16 (32 for 256-bit vectors) */
    uint8_t matrices;  /* ldmatrix/stmatrix: 1, 2, 4 */
    uint8_t generic;   /* the address was generic */
    uint8_t flags;     /* EVENT_VOLATILE ... */
    uint32_t mask;     /* lanes that access memory (never 0) */
    uint32_t off_mask; /* lanes of the group switched off by the guard */
    /* Lane addresses; undefined for lanes not in mask. global, constant, texture: device (host) addresses. shared: byte
     * offset in the block's shared memory. dshared: (rank << 24) + offset. local: byte offset in the thread's local
     * memory (the model interleaves it); the kernel's frame begins at 0. */
    const uint64_t *address;
    /* Copies: the other side's addresses, in the other side's terms; else NULL, as for what fills a destination. */
    const uint64_t *address2;
    const event_details *details; /* what event_client.fields asks for; else NULL */
    event_undefined *undefined;   /* EVENT_FIELD_UNDEFINED: in, of stores; out, of loads; atomics: both in turn */
    /* Stores: what lane l stores is at stored + l * stored_step; else NULL. */
    const uint8_t *stored;
    uint32_t stored_step;       /* bytes */
    uint32_t sources;           /* copies by lanes: lanes of mask that read a source; others fill with zeros */
    uint32_t bytes_total;       /* EVENT_BULK: length of the copy, bytes */
    uint32_t block, cluster;    /* linear block index in the grid; linear cluster index */
    uint32_t warp;              /* warp index in the block */
    uint32_t virtual_sm;        /* multiprocessor that the block is taken to run on: block modulo their number */
    const event_texels *texels; /* counted accesses of EVENT_TEXTURE; else NULL */
    uint32_t async; /* number of the asynchronous operation (event_sync.number of its issue) in this block; 0: none */
} event_memory;

static inline const event_insn *event_insn_of(const event_memory *e) { return &e->launch->insns[e->insn]; }

/* ---------------------------------------------------------------- synchronisation on the device */
/* How an asynchronous operation completes. */
typedef enum event_mechanism {
    EVENT_BY_GROUP,      /* cp.async.commit_group and wait_group, wait_all: for the issuing thread */
    EVENT_BY_BULK_GROUP, /* cp.async.bulk.commit_group and wait_group */
    EVENT_BY_MBARRIER,   /* transaction bytes, or the arrival of cp.async.mbarrier.arrive, on an object */
    EVENT_BY_PRODUCTS,   /* wgmma.commit_group and wait_group: a warp of a warpgroup has read its operands */
    EVENT_MECHANISM_COUNT
} event_mechanism;

typedef enum event_mbarrier {
    EVENT_MBARRIER_INIT,
    EVENT_MBARRIER_INVAL,
    EVENT_MBARRIER_ARRIVE, /* and, if bytes is not 0, expect_tx before it */
    EVENT_MBARRIER_ARRIVE_DROP,
    EVENT_MBARRIER_EXPECT_TX,
    EVENT_MBARRIER_COMPLETE_TX,
    EVENT_MBARRIER_TEST_WAIT,
    EVENT_MBARRIER_TRY_WAIT,
    EVENT_MBARRIER_ASYNC_ARRIVE /* cp.async.mbarrier.arrive */
} event_mbarrier;

/* misuse.def */
typedef enum event_misuse {
#define MISUSE(ID, severity, what, mend) EVENT_MISUSE_##ID,
#include "event/misuse.def"
#undef MISUSE
    EVENT_MISUSE_COUNT
} event_misuse;

/* What a call of printf is given, by each of its lanes; where they differ (differs), by the first. */
typedef struct event_print {
    uint64_t format_at;    /* its address */
    uint32_t format_bytes; /* without its end */
    uint32_t
        arguments;    /* that a card's printf knows: widths ('*') among them, precisions and what has 'hh' or 'z' not */
    uint32_t wide;    /* of them those of 8 bytes */
    uint32_t strings; /* of those the texts */
    uint64_t text_bytes;              /* of all texts, with their ends */
    uint64_t text_local, text_shared; /* of them those in local and in shared memory */
    uint64_t text_room;               /* the same, each text a multiple of 8 */
    bool differs;                     /* lanes have other formats, or other texts */
    bool elsewhere;                   /* the format does not lie in global memory */
} event_print;

typedef struct event_sync {
    const event_launch *launch;
    uint32_t insn;               /* EVENT_NO_INSN: no instruction did it (a release by an exit, the start of a block) */
    uint8_t kind;                /* event_kind */
    uint8_t id;                  /* block barriers: 0 to 15 */
    uint8_t op;                  /* MBARRIER: event_mbarrier */
    uint8_t mechanism;           /* ASYNC_...: event_mechanism */
    uint8_t order, scope, proxy; /* as event_insn */
    uint8_t phase;               /* mbarriers: parity of the phase that the operation belongs to, or waited for */
    uint8_t misuse;              /* MISUSE: event_misuse */
    uint8_t use;                 /* UNDEFINED_USE: event_use */
    bool waits;                  /* BARRIER_ARRIVE: the lanes stay there until the release */
    bool collective;             /* WARP_SYNC: by an instruction that does something else, too */
    bool bulk;                   /* ASYNC_...: bulk operations, not cp.async */
    bool frees;                  /* HEAP_CALL: free, not malloc */
    bool again;                  /* SAVE: the function is active already, with other lanes, too */
    bool reads_only;             /* ASYNC_WAIT, ASYNC_COMPLETE: sources have been read, destinations may be open */
    uint32_t lanes;              /* MISUSE: other lanes of the warp that it concerns: missing ones, sources */
    uint32_t mask;               /* lanes of the warp; 0: the whole block, cluster or object */
    /* Arrivals at block barriers: threads that this counts for (whole warps count 32 at a barrier with a number of
     * threads); releases: threads that had arrived, exited ones left out. mbarriers: arrivals of one lane. ASYNC_WAIT:
     * groups that may be pending. SAVE, RESTORE: registers. */
    uint32_t count;
    uint32_t bytes;   /* mbarriers: transaction bytes of one lane; ASYNC_ISSUE: of one lane; FRAME_...: of a thread;
                         HEAP_CALL: that malloc is asked for, in sum */
    uint64_t number;  /* barriers: which round, 0, 1, 2 ...; asynchronous operations: 1, 2, 3 ... in their block */
    uint64_t address; /* mbarriers: (rank << 24) + offset in shared memory; FRAME_...: offset in local memory */
    /* mbarriers, with EVENT_FIELD_ORDER: as in event_details, of the object as one location */
    uint64_t read_from, write;
    const event_origin *origin;                /* UNDEFINED_USE: else NULL */
    const event_print *print;                  /* PRINT: else NULL */
    uint32_t block, cluster, warp, virtual_sm; /* whole blocks and clusters: warp is 0 */
} event_sync;

/* ---------------------------------------------------------------- the host */
/* Events of the host come one at a time, from any thread. */
typedef struct event_host {
    uint8_t kind;          /* event_kind */
    bool blocking;         /* the stream is ordered with the default stream (not cudaStreamNonBlocking) */
    bool is_default;       /* it is the default stream, or a thread's own */
    bool all;              /* see kinds.def */
    bool initialised;      /* ALLOC: the bytes hold first values: a variable of a module that is loaded, or reset */
    bool writes;           /* HOST_ACCESS, HOST_TOUCH */
    bool shared;           /* ALLOC: the host reads and writes the bytes, too: managed, pinned */
    uint64_t number;       /* of the operation; 0: none */
    uint64_t stream;       /* 0: none */
    uint32_t origin;       /* where the program asked for the operation, for event_session.asked; 0: not known */
    uint64_t graph;        /* graph launch, 1, 2, 3 ...; its operations are ordered by `after` alone; 0: none */
    uint64_t other;        /* an event of the program: the same number is the same event until it is destroyed */
    uint64_t behind;       /* GRAPH_WAIT: number of an operation; 0: the event was never recorded */
    const uint64_t *after; /* numbers of operations */
    uint32_t after_count;
    uint64_t address, source;     /* as the program sees them: destination (or the memory meant), source */
    uint64_t bytes, rows;         /* of a row; rows */
    uint64_t pitch, source_pitch; /* bytes from row to row */
    uint64_t value;               /* VALUE_...: written, or waited for. HOST_TOUCH: the instruction's address */
    const char *file;             /* HOST_TOUCH: source file; NULL: not known */
    uint32_t line;                /* HOST_TOUCH: its line; 0: not known */
    const char *call;             /* HOST_ACCESS: the function of the library: "cublasSgemm" */
    const event_launch *launch;   /* LAUNCH_BEGIN, LAUNCH_END, HEAP_ALLOC, HEAP_FREE */
} event_host;

/* ---------------------------------------------------------------- findings */
/* A place in the source that outlives its launch and its module: event_session.locate() makes it, the strings live as
 * long as the session. */
typedef struct event_place {
    const char *kernel; /* mangled */
    const char *file;   /* NULL: unknown */
    uint32_t line;
} event_place;

/* What a second place of a finding is. From EVENT_ROLE_STEP on they draw a race: for each side in order of time. */
typedef enum event_role {
    EVENT_ROLE_PLACE,  /* another side of it */
    EVENT_ROLE_HOST,   /* the same, a line of the host's code: block and thread mean nothing */
    EVENT_ROLE_STEP,   /* a synchronisation of one side */
    EVENT_ROLE_COMMON, /* the last one that both sides took part in */
    EVENT_ROLE_ACCESS, /* the access itself */
    EVENT_ROLE_MISSING /* what is missing between the accesses; no place */
} event_role;

/* A second place that a finding names, e.g. the other access of a race. */
typedef struct event_related {
    const char *message;
    uint32_t insn;
    uint32_t block[3], thread[3];
    const event_place *place; /* instead of insn, or NULL */
    uint8_t role;             /* event_role */
    uint8_t side;             /* of steps: 0 of the first related place, 1 of the finding's own */
} event_related;

typedef struct event_finding {
    const char *check;          /* racecheck synccheck ... */
    const char *severity;       /* a name of result/severities.def: error warning note */
    const char *message;        /* mangled names in it are demangled */
    const event_launch *launch; /* insn is of its kernel; NULL: no place in the source */
    uint32_t insn;              /* EVENT_NO_INSN: unknown */
    const event_place *place;   /* instead of launch and insn, or NULL */
    uint32_t block[3], thread[3];
    bool has_place; /* block and thread are known */
    uint64_t address;
    bool has_address;
    uint32_t bytes;
    uint64_t count;               /* how often it was seen */
    const event_related *related; /* of the same kernel */
    uint32_t related_count;
} event_finding;

/* What a client's session may use, until its session_end(). */
typedef struct event_session {
    void *owner; /* of the host room: its clients know what it is */
    void (*finding)(void *owner, const event_finding *finding);
    /* Where a device address lies: "4 bytes past the end of a block of 400 bytes (the 1st cudaMalloc)". */
    void (*describe)(void *owner, uint64_t address, char *out, size_t size);
    /* Where an instruction of a launch stands; from any thread. */
    void (*locate)(void *owner, const event_launch *launch, uint32_t insn, event_place *out);
    /* Where the program asked for an operation (event_host.origin); from any thread. file NULL: not known. */
    void (*asked)(void *owner, uint32_t origin, event_place *out);
    /* Live allocations that the host reads and writes directly: managed, pinned, and the whole pages of registered ones. */
    void (*shared)(void *owner, void (*visit)(void *user, uint64_t address, uint64_t bytes), void *user);
    /* In a HOST_ON hook: from now on each first access of the host to a page of these bytes is told (HOST_TOUCH), or,
     * without `reads`, its first write. They are all bytes of their allocation in their pages. `sparse`: the program may
     * well use them: only as long as its accesses and system calls can be followed, and not if it has threads. */
    void (*guard)(void *owner, uint64_t address, uint64_t bytes, bool reads, bool sparse);
    const struct check_options *checks; /* what is to be checked (check/check.h) */
} event_session;

#define EVENT_GUARD_PAGE 4096u /* bytes of a page of event_session.guard */

/* ---------------------------------------------------------------- clients */
typedef struct event_client {
    const char *name;
    void *(*session_begin)(const event_session *session); /* NULL: the session's state is `session` */
    void (*session_end)(void *session);
    void *(*launch_begin)(void *session, const event_launch *launch); /* NULL: the launch's state is the session's */
    void (*launch_end)(void *session, const event_launch *launch, void *state);
    void (*host)(void *session, const event_host *event);
    /* The order in which blocks follow each other through memory matters to the client: one host thread runs them all.
     * NULL: it does not. */
    bool (*one_worker)(void *launch);
    uint64_t kinds;                                       /* set of EVENT_BIT */
    uint32_t fields;                                      /* EVENT_FIELD_... */
    void *(*worker_begin)(void *launch, uint32_t worker); /* NULL: the worker's state is the launch's */
    void (*memory)(void *worker, const event_memory *event);
    void (*sync)(void *worker, const event_sync *event);
    void (*worker_end)(void *launch, uint32_t worker, void *state);
} event_client;

/* A client during one launch. */
typedef struct event_listener {
    const event_client *client;
    void *launch; /* its state of this launch */
} event_listener;

#endif
