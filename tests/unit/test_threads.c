/* test_threads: launches on several host threads: many small ones, several faults at once, interrupts, blocks that spin
 * until others have run. Results must not depend on the number of threads. Meant to run under the thread sanitizer too.
 */
#include "fixture.h"

#include "event/event.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct word_fixture {
    fixture base;
    uint64_t buffer; /* address of words */
} word_fixture;

enum { BUFFER_WORDS = 1 << 14 };

/* %r1 global thread index, %r2 thread, %r3 block, %rd1 the buffer, %rd3 the thread's word in it; body follows */
#define BEGIN                                                                                                          \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<20>;\n"           \
    ".reg .b64 %rd<9>;\n.reg .pred %p<9>;\nld.param.u64 %rd1, [p];\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\n"    \
    "mov.u32 %r4, %ntid.x;\nmad.lo.s32 %r1, %r3, %r4, %r2;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
/* about 10 000 instructions per thread, so that every host thread gets blocks; the sum 0 + 1 + ... in %r6 */
#define WORK                                                                                                           \
    "mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nW: add.u32 %r6, %r6, %r5;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, "        \
    "2500;\n@%p1 bra W;\n"
enum { WORK_SUM = 2499 * 2500 / 2 };

static bool load_words(word_fixture *f, const char *text)
{
    *f = (word_fixture){0};
    if (!load(&f->base, text, "k")) return false;
    f->buffer = buffer(&f->base, BUFFER_WORDS * 4);
    return f->buffer != 0;
}

static exec_launch blocks_of(const word_fixture *f, uint32_t blocks, uint32_t workers)
{
    exec_launch l = launch_of(&f->base, blocks, 64, &f->buffer);
    l.threads = workers;
    return l;
}

static exec_result run(word_fixture *f, const exec_launch *l)
{
    exec_result r;
    memset((void *)(uintptr_t)f->buffer, 0, BUFFER_WORDS * 4);
    CHECK(exec_run(l, &r, &f->base.error) == LW_OK);
    return r;
}

static const uint32_t *words(const word_fixture *f) { return (const uint32_t *)(uintptr_t)f->buffer; }
static const uint32_t worker_counts[] = {1, 2, 4};

UNIT_CASE(many_small_launches)
{
    word_fixture f;
    CHECK(load_words(&f, BEGIN "st.global.u32 [%rd3], %r1;\nret;\n}\n"));
    for (uint32_t n = 0; f.base.kernel && n < 300; n++) {
        exec_launch l = blocks_of(&f, 1 + n % 9, worker_counts[n % 3]);
        exec_result r = run(&f, &l);
        CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
        CHECK_EQ_INT(r.thread_inst, (1 + n % 9) * 64 * 9);
        CHECK_EQ_INT(words(&f)[(1 + n % 9) * 64 - 1], (1 + n % 9) * 64 - 1);
        exec_result_free(&r);
    }
    unload(&f.base);
}

/* ---------------------------------------------------------------- clients: one state per host thread */
typedef struct tally {
    uint64_t events[8], total, workers;
} tally;

static void *tally_begin(void *self, uint32_t worker)
{
    CHECK(worker < 8);
    return &((tally *)self)->events[worker];
}
static void tally_event(void *state, const event_memory *e) { *(uint64_t *)state += (uint64_t)lw_popcount(e->mask); }
static void tally_end(void *self, uint32_t worker, void *state)
{
    (void)worker;
    ((tally *)self)->total += *(uint64_t *)state;
    ((tally *)self)->workers += *(uint64_t *)state != 0;
}

UNIT_CASE(blocks_are_shared_out)
{
    word_fixture f;
    CHECK(load_words(&f, BEGIN WORK "st.global.u32 [%rd3], %r6;\nret;\n}\n"));
    uint64_t most_workers = 0;
    for (uint32_t n = 0; f.base.kernel && n < 12; n++) {
        tally t = {0};
        static const event_client client = {.kinds = EVENT_BIT(EVENT_COUNTED),
                                            .worker_begin = tally_begin,
                                            .memory = tally_event,
                                            .worker_end = tally_end};
        event_listener listener = {&client, &t};
        exec_launch l = blocks_of(&f, 96, worker_counts[n % 3]);
        l.listeners = &listener, l.listener_count = 1;
        exec_result r = run(&f, &l);
        CHECK_EQ_INT(t.total, 96 * 64);
        CHECK_EQ_INT(r.inst_executed, 96 * 2 * (9 + 2 + 4 * 2500));
        for (uint32_t k = 0; k < 96 * 64; k++)
            if (words(&f)[k] != WORK_SUM) {
                CHECK_EQ_INT(words(&f)[k], WORK_SUM);
                break;
            }
        CHECK(t.workers <= worker_counts[n % 3] && t.workers);
        most_workers = LW_MAX(most_workers, t.workers);
        exec_result_free(&r);
    }
    CHECK(most_workers > 1); /* else this file tests nothing */
    unload(&f.base);
}

/* ---------------------------------------------------------------- faults */
/* Every block from 3 on faults at once, block 3 as late as it can: it is the one to be reported by any number of
 * workers. */
UNIT_CASE(lowest_fault_is_reported)
{
    word_fixture f;
    CHECK(load_words(&f,
                     BEGIN "setp.gt.u32 %p2, %r3, 3;\n@%p2 bra F;\n" WORK "st.global.u32 [%rd3], %r6;\n"
                           "setp.lt.u32 %p2, %r3, 3;\n@%p2 bra W0;\nF: mul.wide.u32 %rd4, %r3, 8;\nsub.u64 %rd4, 0, "
                           "%rd4;\nld.global.u32 %r9, [%rd4];\nW0: ret;\n}\n"));
    for (uint32_t n = 0; f.base.kernel && n < 60; n++) {
        exec_launch l = blocks_of(&f, 64, worker_counts[n % 3]);
        exec_result r = run(&f, &l);
        CHECK_EQ_INT(r.fault.kind, EXEC_ILLEGAL_ADDRESS);
        CHECK_EQ_INT(r.fault.block[0], 3);
        CHECK_EQ_INT(r.fault.address, -8 * 3);
        CHECK_EQ_INT(r.fault.thread[0], 0);
        CHECK_STR(r.fault.space, "global");
        exec_result_free(&r);
    }
    unload(&f.base);
}

/* All blocks wait for each other, then fault in the same moment. */
UNIT_CASE(faults_at_once)
{
    word_fixture f;
    CHECK(load_words(
        &f, BEGIN
        "setp.ne.u32 %p3, %r2, 0;\n@%p3 bra GO;\natom.global.add.u32 %r7, [%rd1], 1;\n"
        "S: ld.volatile.global.u32 %r8, [%rd1];\nsetp.lt.u32 %p4, %r8, 4;\n@%p4 bra S;\nGO: bar.sync 0;\ntrap;\n}\n"));
    for (uint32_t n = 0; f.base.kernel && n < 30; n++) {
        exec_launch l = blocks_of(&f, 4, worker_counts[n % 3]);
        exec_result r = run(&f, &l);
        CHECK_EQ_INT(r.fault.kind, EXEC_TRAP);
        CHECK_EQ_INT(r.fault.block[0], 0);
        CHECK(r.fault.message[0]);
        CHECK_EQ_INT(words(&f)[0], 4);
        exec_result_free(&r);
    }
    unload(&f.base);
}

/* ---------------------------------------------------------------- interrupts */
static void *set_later(void *flag)
{
    usleep(20000);
    atomic_store((atomic_int *)flag, 1);
    return NULL;
}

static void interrupt_kernel(const char *text)
{
    word_fixture f;
    CHECK(load_words(&f, text));
    for (uint32_t n = 0; f.base.kernel && n < 3; n++) {
        atomic_int flag = 0;
        pthread_t thread;
        exec_launch l = blocks_of(&f, 64, worker_counts[n]);
        l.interrupt = &flag;
        REQUIRE(!pthread_create(&thread, NULL, set_later, &flag));
        exec_result r = run(&f, &l);
        pthread_join(thread, NULL);
        CHECK_EQ_INT(r.fault.kind, EXEC_INTERRUPTED);
        CHECK_EQ_INT(r.blocks_done, 0);
        exec_result_free(&r);
    }
    unload(&f.base);
}

/* 2^64 rounds: no end in sight, and no proof that there is none. */
#define LONG "A: add.u64 %rd4, %rd4, 1;\nsetp.ne.u64 %p1, %rd4, 0;\n@%p1 bra A;\nret;\n}\n"
UNIT_CASE(endless_loops_are_interrupted) { interrupt_kernel(BEGIN LONG); }
UNIT_CASE(spin_loops_are_interrupted)
{
    interrupt_kernel(BEGIN "A: ld.volatile.global.u32 %r5, [%rd1];\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra A;\nret;\n}\n");
}
UNIT_CASE(endless_barriers_are_interrupted) { interrupt_kernel(BEGIN "A: bar.sync 0;\nbra A;\n}\n"); }
UNIT_CASE(endless_tables_are_interrupted)
{
    interrupt_kernel(BEGIN "mov.u32 %r5, 0;\nT: .branchtargets A, E;\nA: brx.idx %r5, T;\nE: ret;\n}\n");
}

static bool stop_at_once(void *user, uint64_t thread_inst, uint64_t blocks_done, uint64_t blocks_total)
{
    (void)thread_inst;
    CHECK(blocks_done <= blocks_total && blocks_total == 64);
    return ++*(int *)user < 2;
}

UNIT_CASE(progress_interrupts)
{
    word_fixture f;
    CHECK(load_words(&f, BEGIN LONG));
    for (uint32_t n = 0; f.base.kernel && n < 2; n++) {
        int calls = 0;
        exec_launch l = blocks_of(&f, 64, worker_counts[n]);
        l.services = (exec_services){.user = &calls, .progress = stop_at_once};
        exec_result r = run(&f, &l);
        CHECK_EQ_INT(r.fault.kind, EXEC_INTERRUPTED);
        CHECK_EQ_INT(calls, 2);
        exec_result_free(&r);
    }
    unload(&f.base);
}

/* ---------------------------------------------------------------- spinning */
/* Every block waits for the next one's flag: only the last can go on at first. */
UNIT_CASE(chain_of_waiting_blocks)
{
    word_fixture f;
    CHECK(load_words(&f, BEGIN
                     "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra END;\nmul.wide.u32 %rd4, %r3, 4;\nadd.s64 %rd4, %rd1, %rd4;\n"
                     "setp.eq.u32 %p2, %r3, 23;\n@%p2 bra TELL;\n"
                     "S: ld.acquire.gpu.global.u32 %r5, [%rd4+4];\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra S;\n"
                     "TELL: add.u32 %r6, %r5, 1;\n@%p2 mov.u32 %r6, 1;\nst.release.gpu.global.u32 [%rd4], %r6;\nEND: "
                     "bar.sync 0;\nret;\n}\n"));
    for (uint32_t n = 0; f.base.kernel && n < 12; n++) {
        exec_launch l = blocks_of(&f, 24, worker_counts[n % 3]);
        exec_result r = run(&f, &l);
        CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
        CHECK(r.schedule_dependent);
        for (uint32_t k = 0; k < 24; k++) CHECK_EQ_INT(words(&f)[k], 24 - k);
        exec_result_free(&r);
    }
    unload(&f.base);
}

/* Blocks with even numbers write a vector whose elements are equal, over and over; the others count in the first word how often
 * they see one whose elements differ. A card shows none (CUB's look-back keeps flag and value in one vector). */
static uint32_t parts_of_vectors_seen(const char *order, const char *type, const char *write, const char *read,
                                      const char *differ)
{
    word_fixture f;
    lw_text text = {0};
    lw_text_add(&text,
                "%s.reg .b64 %%v<9>;\nmul.wide.u32 %%rd4, %%r2, 16;\nadd.s64 %%rd4, %%rd1, %%rd4;\nmov.u32 %%r6, 0;\n"
                "and.b32 %%r7, %%r3, 1;\nsetp.ne.u32 %%p1, %%r7, 0;\n@%%p1 bra READ;\n"
                "W: cvt.u64.u32 %%v1, %%r6;\nst.%s.global.%s [%%rd4+64], %s;\n"
                "add.u32 %%r6, %%r6, 1;\nsetp.lt.u32 %%p2, %%r6, 20000;\n@%%p2 bra W;\nret;\n"
                "READ: ld.%s.global.%s %s, [%%rd4+64];\n%s\n@%%p3 red.global.add.u32 [%%rd1], 1;\n"
                "add.u32 %%r6, %%r6, 1;\nsetp.lt.u32 %%p2, %%r6, 20000;\n@%%p2 bra READ;\nret;\n}\n",
                BEGIN, order, type, write, order, type, read, differ);
    CHECK(load_words(&f, text.data));
    exec_launch l = blocks_of(&f, 8, 4);
    exec_result r = run(&f, &l);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    uint32_t seen = words(&f)[0];
    exec_result_free(&r);
    unload(&f.base);
    lw_text_free(&text);
    return seen;
}

UNIT_CASE(vectors_for_other_threads_are_seen_whole)
{
    static const char differ32[] = "setp.ne.u32 %p3, %r8, %r9;", differ64[] = "setp.ne.u64 %p3, %v2, %v3;";
    CHECK_EQ_INT(parts_of_vectors_seen("relaxed.gpu", "v2.u32", "{%r6, %r6}", "{%r8, %r9}", differ32), 0);
    CHECK_EQ_INT(parts_of_vectors_seen("cg", "v2.u32", "{%r6, %r6}", "{%r8, %r9}", differ32), 0);
    CHECK_EQ_INT(
        parts_of_vectors_seen("relaxed.gpu", "v4.u32", "{%r6, %r5, %r5, %r6}", "{%r8, %r5, %r5, %r9}", differ32), 0);
    CHECK_EQ_INT(parts_of_vectors_seen("relaxed.gpu", "v2.u64", "{%v1, %v1}", "{%v2, %v3}", differ64), 0);
}

/* One lock for the threads of all blocks. */
UNIT_CASE(lock_between_blocks)
{
    word_fixture f;
    CHECK(load_words(
        &f, BEGIN "S: atom.global.cas.b32 %r5, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra S;\n"
                  "ld.volatile.global.u32 %r6, [%rd1+4];\nadd.u32 %r6, %r6, 1;\nst.volatile.global.u32 [%rd1+4], %r6;\n"
                  "membar.gl;\natom.global.exch.b32 %r7, [%rd1], 0;\nret;\n}\n"));
    for (uint32_t n = 0; f.base.kernel && n < 9; n++) {
        exec_launch l = blocks_of(&f, 16, worker_counts[n % 3]);
        exec_result r = run(&f, &l);
        CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
        CHECK_EQ_INT(words(&f)[1], 16 * 64);
        exec_result_free(&r);
    }
    unload(&f.base);
}

/* What a host thread of the program adds to words of managed or mapped memory while the kernel runs, and how often. */
typedef struct host_adder {
    uint32_t *words;
    atomic_int stop;
    uint32_t added;
} host_adder;

static void *add_on_the_host(void *argument)
{
    host_adder *a = argument;
    for (; !atomic_load(&a->stop); a->added++)
        for (uint32_t k = 0; k < 3; k++) __atomic_fetch_add(a->words + k, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

/* Operations of scope .sys are atomic to the program's host threads, also with one worker, which is alone otherwise: an
 * add, one of a word of one's own, and a loop of compare-and-swap. */
UNIT_CASE(system_scope_beside_the_host)
{
    word_fixture f;
    CHECK(load_words(
        &f, BEGIN "and.b32 %r9, %r2, 1;\nadd.u32 %r9, %r9, 1;\nmul.wide.u32 %rd4, %r9, 4;\nadd.s64 %rd4, %rd1, %rd4;\n"
                  "mov.u32 %r5, 0;\nL: red.sys.global.add.u32 [%rd1], 1;\nred.sys.global.add.u32 [%rd4], 1;\n"
                  "ld.relaxed.sys.global.u32 %r6, [%rd1];\nC: add.u32 %r7, %r6, 1;\nmov.u32 %r10, %r6;\n"
                  "atom.sys.global.cas.b32 %r6, [%rd1], %r10, %r7;\nsetp.ne.u32 %p2, %r6, %r10;\n@%p2 bra C;\n"
                  "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 300;\n@%p1 bra L;\nret;\n}\n"));
    for (uint32_t n = 0; f.base.kernel && n < 3; n++) {
        exec_launch l = blocks_of(&f, 4, worker_counts[n]);
        host_adder a = {.words = (uint32_t *)(uintptr_t)f.buffer};
        memset(a.words, 0, 12);
        pthread_t thread;
        pthread_create(&thread, NULL, add_on_the_host, &a);
        exec_result r; /* not by run(), which clears what the host adds to */
        CHECK(exec_run(&l, &r, &f.base.error) == LW_OK);
        atomic_store(&a.stop, 1);
        pthread_join(thread, NULL);
        CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
        CHECK_EQ_INT(a.words[0] - a.added, 4 * 64 * 300 * 2);
        CHECK_EQ_INT(a.words[1] - a.added, 4 * 32 * 300);
        CHECK_EQ_INT(a.words[2] - a.added, 4 * 32 * 300);
        exec_result_free(&r);
    }
    unload(&f.base);
}

/* Launches from several threads of the program share one address space and one kernel. */
static void *launch_repeatedly(void *argument)
{
    word_fixture *f = argument;
    static const uint8_t none[8];
    uint64_t wrong = 0;
    for (uint32_t n = 0; n < 40; n++) {
        uint64_t own = 0;
        if (mem_alloc(f->base.memory, 6 * 64 * 4, 0, MEM_PINNED, 0, NULL, &own) != LW_OK) return (void *)none;
        exec_launch l = blocks_of(f, 6, worker_counts[n % 3]);
        l.params = (const uint8_t *)&own;
        exec_result r;
        if (exec_run(&l, &r, NULL) != LW_OK) return (void *)none;
        wrong += r.fault.kind != EXEC_NO_FAULT || ((uint32_t *)(uintptr_t)own)[383] != 383;
        exec_result_free(&r);
        mem_free(f->base.memory, own);
    }
    return wrong ? (void *)none : NULL;
}

UNIT_CASE(launches_side_by_side)
{
    word_fixture f;
    pthread_t threads[3];
    void *failed = NULL;
    CHECK(load_words(&f, BEGIN "st.global.u32 [%rd3], %r1;\nret;\n}\n"));
    for (int k = 0; k < 3; k++) REQUIRE(!pthread_create(&threads[k], NULL, launch_repeatedly, &f));
    for (int k = 0; k < 3; k++) {
        pthread_join(threads[k], &failed);
        CHECK(!failed);
    }
    unload(&f.base);
}

UNIT_MAIN()
