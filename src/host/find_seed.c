/* find_seed.c: --find-seed. Before a launch a child process is forked: the copy-on-write snapshot of all memory. If racecheck
 * then finds something in the launch, the child forks a process for each seed, which runs the launch again, without clients,
 * under --schedule=random:SEED, and compares hashes of what memory holds with those of the parent; chunks that differ are
 * sent to the parent, which counts the bytes. The first of these processes runs the launch in the usual order: what differs
 * there already (the host wrote meanwhile) is left out. Else the child ends without having done anything. */
#define _GNU_SOURCE /* pipe2 */
#include "host/find_seed_priv.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/finding_priv.h"
#include "host/results_priv.h"

enum { CHUNK = 65536 };
#define SECONDS_LEAST 10.0 /* that a run may take at least; else TIMES_LONGER the time of the launch with its checks */
#define TIMES_LONGER 5.0

typedef struct seed_range {
    uint64_t address, bytes;
} seed_range;

/* In memory that the processes share. Chunks are numbered through all ranges. */
typedef struct seed_chunk {
    uint64_t hash; /* as the parent's launch left it */
    bool ignored;  /* differs in the usual order as well */
} seed_chunk;

struct host_seed_search {
    pid_t child;
    int go, back; /* the parent's ends of two pipes */
    uint64_t races;
    double started;
    LW_VEC(seed_range) ranges;
    seed_chunk *chunks; /* chunk_count; shared */
    size_t chunk_count;
};

typedef enum seed_kind {
    SEED_CHUNK,  /* `bytes` bytes of memory at `address` follow */
    SEED_ENDED,  /* the run is over */
    SEED_FAILED, /* the kernel failed; so many bytes of text follow */
    SEED_LOST    /* it took too long, or could not be made */
} seed_kind;

typedef struct seed_message {
    uint64_t kind; /* seed_kind */
    uint64_t seed, address, bytes;
} seed_message;

/* What the parent hears of the runs. */
typedef struct seed_outcome {
    uint64_t seed;         /* of the run that it is about */
    uint64_t bytes, first; /* that differ, and where */
    bool differs, failed, lost;
    char message[256]; /* failed */
} seed_outcome;

/* ---------------------------------------------------------------- memory */
static bool is_result(const mem_allocation *a)
{
    return a->bytes && (a->kind == MEM_DEVICE || a->kind == MEM_MANAGED || a->kind == MEM_PINNED ||
                        a->kind == MEM_REGISTERED || a->kind == MEM_GLOBAL_VAR);
}

static void add_range(void *user, const mem_allocation *a)
{
    host_seed_search *s = user;
    if (!is_result(a)) return;
    lw_vec_push(&s->ranges, ((seed_range){a->address, a->bytes}));
    s->chunk_count += (a->bytes + CHUNK - 1) / CHUNK;
}

/* Memory that fork() does not copy: a second run would write what the program sees. */
static bool is_shared(const host_seed_search *s)
{
    char line[4608];
    bool shared = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps) return true;
    while (!shared && fgets(line, sizeof line, maps)) {
        unsigned long first, end;
        char access[8];
        if (sscanf(line, "%lx-%lx %7s", &first, &end, access) != 3 || access[3] != 's') continue;
        for (size_t k = 0; k < s->ranges.count && !shared; k++) {
            uint64_t at = (uint64_t)(uintptr_t)mem_storage(s->ranges.items[k].address);
            shared = at < end && at + s->ranges.items[k].bytes > first;
        }
    }
    fclose(maps);
    return shared;
}

/* false: nobody has touched it, it is zero. */
static bool is_touched(const uint8_t *data, uint64_t bytes)
{
    unsigned char pages[CHUNK / 4096 + 2] = {0};
    uintptr_t first = (uintptr_t)data & ~(uintptr_t)4095;
    size_t length = (uintptr_t)data + bytes - first;
    if (mincore((void *)first, length, pages)) return true;
    for (size_t k = 0; k < (length + 4095) / 4096; k++)
        if (pages[k] & 1) return true;
    return false;
}

/* 0: all zero. */
static uint64_t hash_of(uint64_t address, uint64_t bytes)
{
    const uint8_t *data = mem_storage(address);
    uint64_t hash = 0, any = 0, word;
    if (!is_touched(data, bytes)) return 0;
    for (uint64_t k = 0; k < bytes; k += 8) {
        word = 0;
        memcpy(&word, data + k, LW_MIN(bytes - k, (uint64_t)8));
        any |= word;
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return any ? hash | 1 : 0;
}

static void each_chunk(host_seed_search *s, void (*visit)(void *, seed_chunk *, uint64_t, uint64_t), void *user)
{
    seed_chunk *chunk = s->chunks;
    for (size_t k = 0; k < s->ranges.count; k++) {
        seed_range r = s->ranges.items[k];
        for (uint64_t at = 0; at < r.bytes; at += CHUNK)
            visit(user, chunk++, r.address + at, LW_MIN(r.bytes - at, (uint64_t)CHUNK));
    }
}

/* ---------------------------------------------------------------- pipes */
static bool write_all(int to, const void *data, size_t bytes)
{
    for (const uint8_t *p = data; bytes;) {
        ssize_t n = write(to, p, bytes);
        if (n <= 0) return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

static bool read_all(int from, void *data, size_t bytes)
{
    for (uint8_t *p = data; bytes;) {
        ssize_t n = read(from, p, bytes);
        if (n <= 0) return false;
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* ---------------------------------------------------------------- one run, in a process of its own */
typedef struct seed_run {
    const exec_services *real;
    int back;
    uint64_t seed; /* 0: the usual order */
    double started, limit;
} seed_run;

static int no_print(void *user, const char *format, const uint8_t *arguments, uint64_t bytes, exec_printed *out,
                    const exec_strings *strings)
{
    (void)user, (void)format, (void)arguments, (void)strings;
    *out = (exec_printed){.read = bytes};
    return 0;
}

static void no_assertion(void *user, const char *line) { (void)user, (void)line; }

static uint64_t own_alloc(void *user, uint64_t bytes)
{
    const exec_services *real = ((seed_run *)user)->real;
    return real->heap_alloc(real->user, bytes);
}

static bool own_free(void *user, uint64_t address, uint64_t *out_bytes)
{
    const exec_services *real = ((seed_run *)user)->real;
    return real->heap_free(real->user, address, out_bytes);
}

static void own_call(void *user, exec_device_call *call)
{
    const exec_services *real = ((seed_run *)user)->real;
    real->device_call(real->user, call);
}

static bool own_texture(void *user, const exec_texture_fetch *fetch, uint32_t *out_bad)
{
    const exec_services *real = ((seed_run *)user)->real;
    return real->texture(real->user, fetch, out_bad);
}

static bool own_query(void *user, uint64_t handle, bool surface, uint32_t query, uint32_t level, uint32_t *out)
{
    const exec_services *real = ((seed_run *)user)->real;
    return real->texture_query(real->user, handle, surface, query, level, out);
}

static bool own_surface(void *user, uint64_t handle, exec_surface *out)
{
    const exec_services *real = ((seed_run *)user)->real;
    return real->surface(real->user, handle, out);
}

static bool own_progress(void *user, uint64_t thread_inst, uint64_t done, uint64_t total)
{
    const seed_run *r = user;
    (void)thread_inst, (void)done, (void)total;
    return lw_now() - r->started < r->limit;
}

static void say(const seed_run *r, seed_kind kind, uint64_t address, const void *data, uint64_t bytes)
{
    seed_message m = {kind, r->seed, address, bytes};
    if (!write_all(r->back, &m, sizeof m) || !write_all(r->back, data, bytes)) _exit(1);
}

static void compare_chunk(void *user, seed_chunk *chunk, uint64_t address, uint64_t bytes)
{
    const seed_run *r = user;
    if (chunk->ignored || hash_of(address, bytes) == chunk->hash) return;
    if (r->seed) say(r, SEED_CHUNK, address, mem_storage(address), bytes);
    else chunk->ignored = true;
}

static void run_again(host_seed_search *s, const exec_launch *launch, seed_run *r)
{
    exec_launch again = *launch;
    exec_result result = {0};
    lw_error error = {0};
    r->real = &launch->services;
    r->started = lw_now();
    signal(SIGALRM, SIG_DFL); /* for a lock that another thread held when this process was made */
    alarm((unsigned)(2 * r->limit) + 1);
    again.services = (exec_services){r,        no_print,    no_assertion, own_alloc,   own_free,
                                     own_call, own_texture, own_query,    own_surface, own_progress};
    again.listeners = NULL;
    again.listener_count = 0;
    again.event = NULL;
    again.interrupt = NULL;
    again.threads = 1;
    again.timeout = 0;
    if (r->seed) again.schedule = (exec_schedule){.kind = EXEC_SCHEDULE_RANDOM, .seed = r->seed};
    bool lost = exec_run(&again, &result, &error) || result.fault.kind == EXEC_INTERRUPTED;
    bool failed = !lost && result.fault.kind != EXEC_NO_FAULT;
    if (lost || (failed && !r->seed)) {
        say(r, SEED_LOST, 0, NULL, 0);
    } else if (failed) {
        say(r, SEED_FAILED, 0, result.fault.message, strlen(result.fault.message));
    } else {
        each_chunk(s, compare_chunk, r);
        say(r, SEED_ENDED, 0, NULL, 0);
    }
    _exit(0);
}

/* The child: waits for the word to begin, which is the time that a run may take. */
static void serve(host_seed_search *s, const exec_launch *launch, uint64_t seeds, int go, int back)
{
    seed_run r = {.back = back};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    if (!read_all(go, &r.limit, sizeof r.limit)) _exit(0);
    for (r.seed = 0; r.seed <= seeds; r.seed++) {
        int status = 0;
        pid_t runner = fork();
        if (!runner) run_again(s, launch, &r);
        if (runner < 0 || waitpid(runner, &status, 0) != runner || status) {
            say(&r, SEED_LOST, 0, NULL, 0);
            break;
        }
    }
    _exit(0);
}

/* ---------------------------------------------------------------- the parent */
static void search_free(host_seed_search *s)
{
    if (s->chunks) munmap(s->chunks, LW_MAX(s->chunk_count, (size_t)1) * sizeof *s->chunks);
    lw_vec_free(&s->ranges);
    free(s);
}

static uint64_t races_of(host_context *c) { return atomic_load(&c->results->races); }

/* Makes the child. false: it cannot be made. */
static bool fork_child(host_context *c, host_seed_search *s, const exec_launch *launch)
{
    int go[2], back[2];
    if (pipe2(go, O_CLOEXEC)) return false;
    if (pipe2(back, O_CLOEXEC)) {
        close(go[0]);
        close(go[1]);
        return false;
    }
    s->child = fork();
    if (!s->child) {
        close(go[1]);
        close(back[0]);
        serve(s, launch, c->options.find_seed, go[0], back[1]);
    }
    close(go[0]);
    close(back[1]);
    s->go = go[1];
    s->back = back[0];
    return s->child > 0;
}

host_seed_search *host_find_seed_begin(host_context *c, const exec_launch *launch)
{
    if (!c->options.find_seed || !check_wanted(&c->options.checks, CHECK_RACECHECK)) return NULL;
    host_seed_search *s = lw_alloc(sizeof *s);
    s->races = races_of(c);
    s->started = lw_now();
    mem_each(c->memory, add_range, s);
    void *shared = mmap(NULL, LW_MAX(s->chunk_count, (size_t)1) * sizeof *s->chunks, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    s->chunks = shared == MAP_FAILED ? NULL : shared;
    if (s->chunks && is_shared(s))
        host_note(c, "--find-seed: not while the program shares memory with other processes");
    else if (s->chunks && fork_child(c, s, launch)) return s;
    search_free(s);
    return NULL;
}

static void note_chunk(void *user, seed_chunk *chunk, uint64_t address, uint64_t bytes)
{
    (void)user;
    chunk->hash = hash_of(address, bytes);
}

static bool take_chunk(int from, const seed_message *m, seed_outcome *o)
{
    static uint8_t theirs[CHUNK]; /* the engine's thread alone */
    const uint8_t *ours = mem_storage(m->address);
    if (m->bytes > CHUNK || !read_all(from, theirs, m->bytes)) return false;
    for (uint64_t k = 0; k < m->bytes; k++) {
        if (theirs[k] == ours[k]) continue;
        if (!o->bytes++) o->first = m->address + k;
    }
    return true;
}

static bool take_text(int from, uint64_t bytes, seed_outcome *o)
{
    char rest;
    uint64_t kept = LW_MIN(bytes, (uint64_t)sizeof o->message - 1);
    if (!read_all(from, o->message, kept)) return false;
    o->message[kept] = 0;
    for (uint64_t k = kept; k < bytes; k++)
        if (!read_all(from, &rest, 1)) return false;
    return true;
}

/* Reads until a run differs, or the last one has ended. */
static void hear(int from, seed_outcome *o)
{
    seed_message m;
    while (read_all(from, &m, sizeof m)) {
        if (m.kind != SEED_LOST || m.seed > o->seed) o->seed = m.seed;
        switch (m.kind) {
        case SEED_CHUNK:
            if (!take_chunk(from, &m, o)) return;
            break;
        case SEED_ENDED:
            o->differs = o->bytes != 0;
            if (o->differs) return;
            break;
        case SEED_FAILED: o->failed = take_text(from, m.bytes, o); return;
        default: o->lost = true; return;
        }
    }
}

static char *words_of(host_context *c, const seed_outcome *o)
{
    char where[640];
    mem_allocation a;
    unsigned long long seed = o->seed;
    if (o->failed) return lw_printf("with --schedule=random:%llu this launch fails: %s", seed, o->message);
    if (o->differs && mem_find(c->memory, o->first, &a)) {
        mem_describe_block(c->memory, &a, where, sizeof where);
        return lw_printf(
            "with --schedule=random:%llu the result of this launch differs: %llu byte%s, first at byte %llu of %s",
            seed, (unsigned long long)o->bytes, o->bytes == 1 ? "" : "s", (unsigned long long)(o->first - a.address),
            where);
    }
    if (o->lost && seed <= 1) return lw_printf("--find-seed: this launch could not be run again, or took too long");
    return lw_printf("the result of this launch is the same with --schedule=random:1 to random:%llu%s",
                     o->lost ? seed - 1 : seed, o->lost ? "; the next one took too long" : "");
}

void host_find_seed_end(host_context *c, host_seed_search *s, const event_launch *shown, bool ran)
{
    seed_outcome o = {0};
    if (!s) return;
    bool wanted = ran && races_of(c) > s->races;
    if (wanted) {
        double limit = LW_MAX(TIMES_LONGER * (lw_now() - s->started), SECONDS_LEAST);
        each_chunk(s, note_chunk, NULL);
        if (write_all(s->go, &limit, sizeof limit)) hear(s->back, &o);
    }
    close(s->go);
    close(s->back);
    if (wanted) kill(s->child, SIGKILL); /* it may be at the next seed */
    waitpid(s->child, NULL, 0);
    search_free(s);
    if (!wanted) return;
    char *message = words_of(c, &o);
    event_finding f = {.check = "racecheck",
                       .severity = "note",
                       .message = message,
                       .launch = shown,
                       .insn = EVENT_NO_INSN,
                       .count = 1};
    host_report(c, &f);
    free(message);
}
