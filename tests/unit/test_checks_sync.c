/* test_checks_sync: synccheck: each row of src/event/misuse.def by a kernel that does it, and one that does nearly the same
 * and stays silent. Kernels have 64 threads (of two warps) and get a buffer. */
#include "check/check.h"
#include "fixture.h"
#include "unit.h"

extern const event_client check_sync;

#define BEGIN                                                                                                          \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                                                  \
    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<9>;\n"                     \
    ".shared .align 8 .b64 object;\n.shared .align 4 .b8 data[256];\n"                                                 \
    "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 31;\nmov.u32 %r3, 64;\n"
#define END "ret;\n}\n"
/* the object counts 64 arrivals */
#define OBJECT "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra MADE;\nmbarrier.init.shared.b64 [object], 64;\nMADE:\nbar.sync 0;\n"
#define ARRIVE "mbarrier.arrive.shared.b64 %rd1, [object];\nbar.sync 0;\n"
#define WAIT(n) "W" #n ":\nmbarrier.try_wait.shared.b64 %p2, [object], %rd1;\n@!%p2 bra W" #n ";\n"
/* %r6: the address of data in the other block */
#define OTHER                                                                                                          \
    "mov.u32 %r4, %cluster_ctarank;\nxor.b32 %r4, %r4, 1;\nmov.u32 %r5, data;\n"                                       \
    "mapa.shared::cluster.u32 %r6, %r5, %r4;\n"
#define READ_OTHER "ld.shared::cluster.u32 %r7, [%r6];\n"
/* long enough for the other block to read */
#define SPIN "mov.u32 %r9, 0;\nS:\nadd.u32 %r9, %r9, 1;\nbar.sync 0;\nsetp.lt.u32 %p3, %r9, 1000;\n@%p3 bra S;\n"
#define CLUSTER_SYNC "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"

static const struct row {
    const char *name;
    uint32_t cluster;
    const char *found; /* what the message has; NULL: nothing is found */
    const char *severity;
    const char *text;
} rows[] = {
    {"a lane that is not in its mask", 1, "its own lane is not in (lanes 16-31)", "error",
     BEGIN "shfl.sync.idx.b32 %r4, %r1, 3, 31, 0xffff;\n" END},
    {"one in a bar.warp.sync", 1, "its own lane is not in (lanes 1-31)", "error", BEGIN "bar.warp.sync 1;\n" END},
    {"masks of two halves", 1, NULL, NULL,
     BEGIN "and.b32 %r4, %r2, 16;\nshl.b32 %r5, 0xffff, %r4;\nshfl.sync.bfly.b32 %r6, %r1, 8, 31, %r5;\n"
           "bar.warp.sync %r5;\n" END},
    {"masks that differ", 1, "give different masks", "error",
     BEGIN "setp.lt.u32 %p1, %r2, 16;\nselp.b32 %r4, -1, 0xffff0000, %p1;\n"
           "vote.sync.ballot.b32 %r5, %p1, %r4;\n" END},
    {"lanes that never come", 1, "never come here (lanes 16-31)", "error",
     BEGIN "setp.ge.u32 %p1, %r2, 16;\n@%p1 bra OTHERS;\nbar.warp.sync -1;\nbra JOIN;\nOTHERS:\nbarrier.sync 0;\n"
           "JOIN:\nbarrier.sync 0;\n" END},
    {"lanes that exited", 1, NULL, NULL, BEGIN "setp.ge.u32 %p1, %r2, 16;\n@%p1 ret;\nbar.warp.sync -1;\n" END},
    {"lanes that come later", 1, NULL, NULL,
     BEGIN "setp.ge.u32 %p1, %r2, 16;\n@%p1 bra OTHERS;\nbar.warp.sync -1;\nbra JOIN;\nOTHERS:\nadd.u32 %r4, %r1, 1;\n"
           "bar.warp.sync -1;\nJOIN:\n" END},
    {"a source that does not take part", 1, "does not take part; the value is undefined (lane 20)", "warning",
     BEGIN "setp.ge.u32 %p1, %r2, 16;\n@%p1 bra JOIN;\nshfl.sync.idx.b32 %r4, %r1, 20, 31, 0xffff;\nJOIN:\n" END},
    {"the tail of a reduction", 1, "shuffle up or down", "note",
     BEGIN "setp.ge.u32 %p1, %r2, 16;\n@%p1 bra JOIN;\nshfl.sync.down.b32 %r4, %r1, 8, 31, 0xffff;\nJOIN:\n" END},
    {"the same with its width", 1, NULL, NULL,
     BEGIN "setp.ge.u32 %p1, %r2, 16;\n@%p1 bra JOIN;\nshfl.sync.down.b32 %r4, %r1, 8, 0x100f, 0xffff;\nJOIN:\n" END},
    {"40 threads", 1, "no multiple of the warp size", "error", BEGIN "sub.u32 %r4, %r3, 24;\nbar.sync 1, %r4;\n" END},
    {"64 and 32 threads", 1, "different numbers of threads", "error",
     BEGIN "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra OTHERS;\nbar.arrive 1, 64;\nret;\nOTHERS:\nbar.sync 1, 32;\n" END},
    {"all, and 64 threads", 1, NULL, NULL,
     BEGIN "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra OTHERS;\nbar.sync 1;\nret;\nOTHERS:\nbar.sync 1, 64;\n" END},
    {"a half warp and a whole one", 1, "more threads come to a barrier", "error",
     BEGIN
     "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra FIRST;\nsetp.lt.u32 %p2, %r1, 32;\n@%p2 ret;\nbarrier.sync 1, 32;\nret;\n"
     "FIRST:\nbarrier.sync 1, 32;\n" END},
    {"an object made twice", 1, "initialised where a valid one is", "warning",
     BEGIN OBJECT "@%p1 bra SKIP;\nmbarrier.init.shared.b64 [object], 64;\nSKIP:\n" END},
    {"an object made again", 1, NULL, NULL,
     BEGIN OBJECT "@%p1 bra SKIP;\nmbarrier.inval.shared.b64 [object];\n"
                  "mbarrier.init.shared.b64 [object], 64;\nSKIP:\n" END},
    {"a phase that nobody waits for", 1, "before anybody waited", "warning", BEGIN OBJECT ARRIVE ARRIVE WAIT(1) END},
    {"phases that are waited for", 1, NULL, NULL, BEGIN OBJECT ARRIVE WAIT(1) ARRIVE WAIT(2) ARRIVE END},
    {"another block's memory at once", 2, "before the first barrier of the cluster", "error",
     BEGIN OTHER READ_OTHER CLUSTER_SYNC END},
    {"an exit behind it", 2, "exits although another block", "warning",
     BEGIN OTHER CLUSTER_SYNC "setp.eq.u32 %p1, %r4, 0;\n@!%p1 bra READER;\n" SPIN "bra END;\nREADER:\n" READ_OTHER
                              "END:\n" END},
    {"a wait without an arrival", 2, "without having arrived there", "error", BEGIN "barrier.cluster.wait;\n" END},
    {"a second wait", 2, "without having arrived there", "error", BEGIN CLUSTER_SYNC "barrier.cluster.wait;\n" END},
    {"a wait of half of the lanes without an arrival", 2, "without having arrived there", "error",
     BEGIN "setp.ge.u32 %p1, %r2, 16;\n@%p1 barrier.cluster.arrive;\nbarrier.cluster.wait;\n" END},
    {"a wait that comes after the release", 2, NULL, NULL,
     BEGIN "barrier.cluster.arrive;\n" SPIN "barrier.cluster.wait;\n" CLUSTER_SYNC END},
    {"another block's memory between barriers", 2, NULL, NULL, BEGIN OTHER CLUSTER_SYNC READ_OTHER CLUSTER_SYNC END},
};

/* ---- what is found */
typedef struct found {
    uint32_t count;
    char message[512];
    char severity[16];
    exec_fault fault;
    char passed[sizeof((exec_fault){0}.message)]; /* of the first access that a card lets through */ /* of the launch */
} found;

static void keep(void *owner, const event_finding *f)
{
    found *out = owner;
    if (out->count++) return;
    snprintf(out->message, sizeof out->message, "%s", f->message);
    snprintf(out->severity, sizeof out->severity, "%s", f->severity);
    CHECK_STR(f->check, "synccheck");
}

static void run_checked(fixture *f, uint32_t cluster, uint32_t set, found *out)
{
    const check_options checks = {.set = set};
    const event_session services = {.owner = out, .finding = keep, .checks = &checks};
    uint64_t p = buffer(f, 4096);
    exec_launch l = {.kernel = f->kernel,
                     .grid = {cluster, 1, 1},
                     .block = {64, 1, 1},
                     .cluster = {cluster, 1, 1},
                     .params = (const uint8_t *)&p,
                     .threads = 1,
                     .memory = f->memory,
                     .device = {.cc = 90, .sm_count = 4, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    void *session = check_sync.session_begin(&services);
    if (!session) return;
    event_launch shown = {0};
    exec_describe_launch(&l, &shown);
    event_listener listener = {&check_sync, check_sync.launch_begin(session, &shown)};
    l.event = &shown;
    l.listeners = &listener;
    l.listener_count = 1;
    exec_result r;
    CHECK(exec_run(&l, &r, &f->error) == LW_OK);
    out->fault = r.fault;
    if (r.passed_count) memcpy(out->passed, r.passed[0].fault.message, sizeof out->passed);
    check_sync.launch_end(session, &shown, listener.launch);
    check_sync.session_end(session);
    exec_result_free(&r);
}

UNIT_CASE(each_misuse_is_found_and_its_neighbour_is_not)
{
    for (size_t k = 0; k < LW_COUNT(rows); k++) {
        fixture f;
        found out = {0};
        if (!load(&f, rows[k].text, "k")) {
            UNIT_FAIL("%s: %s", rows[k].name, f.error.message);
            continue;
        }
        run_checked(&f, rows[k].cluster, 1u << CHECK_SYNCCHECK, &out);
        if (!rows[k].found && out.count) UNIT_FAIL("%s: %s", rows[k].name, out.message);
        if (rows[k].found && !out.count) UNIT_FAIL("%s: nothing was found", rows[k].name);
        if (rows[k].found && out.count) {
            CHECK_HAS(out.message, rows[k].found);
            CHECK_STR(out.severity, rows[k].severity);
        }
        unload(&f);
    }
}

/* A block that has exited has no shared memory: a fault in every run. */
UNIT_CASE(memory_of_a_block_that_exited)
{
    static const char text[] = BEGIN OTHER CLUSTER_SYNC "setp.eq.u32 %p1, %r4, 0;\n@%p1 ret;\n" SPIN READ_OTHER END;
    fixture f;
    found out = {0};
    REQUIRE(load(&f, text, "k"));
    run_checked(&f, 2, 1u << CHECK_SYNCCHECK, &out);
    CHECK_EQ_INT(out.fault.kind, EXEC_CLUSTER_EXITED);
    CHECK_HAS(out.fault.message, "the block of rank 1 has exited: a cluster barrier is missing before its end");
    unload(&f);
}

/* Nothing comes back from what only writes: a card lets it through. */
UNIT_CASE(writes_to_a_block_that_exited)
{
    static const char *const writes[] = {
        BEGIN OTHER CLUSTER_SYNC "setp.eq.u32 %p1, %r4, 0;\n@%p1 ret;\n" SPIN "st.shared::cluster.u32 [%r6], 1;\n" END,
        BEGIN OTHER "mbarrier.init.shared.b64 [data], 64;\n" CLUSTER_SYNC "setp.eq.u32 %p1, %r4, 0;\n@%p1 ret;\n" SPIN
                    "mbarrier.arrive.shared::cluster.b64 _, [%r6];\n" END};
    for (size_t k = 0; k < LW_COUNT(writes); k++) {
        fixture f;
        found out = {0};
        REQUIRE(load(&f, writes[k], "k"));
        run_checked(&f, 2, 1u << CHECK_SYNCCHECK, &out);
        CHECK_EQ_INT(out.fault.kind, EXEC_NO_FAULT);
        CHECK_HAS(out.passed, "the block of rank 1 has exited");
        CHECK_HAS(out.passed, "A GPU may not notice it");
        unload(&f);
    }
}

/* Who waits for what: two barriers that each lack the other half of the block. */
UNIT_CASE(a_hang_says_who_waits_where)
{
    static const char text[] = BEGIN "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra OTHERS;\nbar.sync 1, 64;\nret;\nOTHERS:\n"
                                     "bar.sync 2, 64;\n" END;
    fixture f;
    found out = {0};
    REQUIRE(load(&f, text, "k"));
    run_checked(&f, 1, 1u << CHECK_SYNCCHECK, &out);
    CHECK_EQ_INT(out.fault.kind, EXEC_HANG);
    CHECK_HAS(out.fault.message, "warp 0: 32 threads from (0,0,0) wait at a barrier");
    CHECK_HAS(out.fault.message, "barrier 1 (32 of 64 threads have come)");
    CHECK_HAS(out.fault.message, "barrier 2 (32 of 64 threads have come)");
    unload(&f);
}

UNIT_CASE(nothing_is_found_unasked)
{
    fixture f;
    found out = {0};
    REQUIRE(load(&f, rows[0].text, "k"));
    run_checked(&f, 1, 1u << CHECK_MEMCHECK, &out);
    CHECK_EQ_INT(out.count, 0);
    unload(&f);
}

UNIT_MAIN()
