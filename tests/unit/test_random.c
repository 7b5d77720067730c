/* test_random: random kernels, executed and compared with a reference that evaluates the generator's own tree, one
 * thread at a time: arithmetic of several widths with many live registers, nested divergence, loops whose trip counts
 * differ between lanes, break, continue, switches, guarded instructions, calls (direct, guarded, indirect, recursive),
 * early returns and exits, shared memory between barriers, shuffles and votes where all lanes meet. Memory must be as
 * the reference says, counts must not depend on the number of host threads, and what all lanes of a warp reach together
 * must be executed once per warp. LW_RANDOM_SEED picks the first seed, LW_RANDOM_COUNT how many kernels there are. */
#include "fixture.h"
#include "random_program.h"
#include "random_ptx.h"
#include "random_reference.h"
#include "unit.h"

#include "exec/exec.h"

#include <stdlib.h>
#include <string.h>

static exec_result run(fixture *f, const program *p, u64 out, u32 workers)
{
    exec_launch l = launch_of(f, BLOCKS, p->threads, &out);
    l.threads = workers;
    l.device.stack_bytes = 4096;
    exec_result r;
    CHECK(exec_run(&l, &r, &f->error) == LW_OK);
    return r;
}

/* The first difference only: one wrong value makes many. */
static bool same_memory(const program *p, const u32 *got, const u32 *want, u32 workers)
{
    for (u32 k = 0; k < BLOCKS * p->threads * SLOTS; k++) {
        if (got[k] == want[k]) continue;
        UNIT_FAIL("seed %llu, %u workers: thread %u slot %u is 0x%x, expected 0x%x", (unsigned long long)p->seed,
                  workers, k / SLOTS, k % SLOTS, got[k], want[k]);
        return false;
    }
    return true;
}

/* What stands where all lanes meet is executed once per warp. */
static void check_once_per_warp(const fixture *f, const program *p, const exec_result *r)
{
    u32 warps = BLOCKS * ((p->threads + 31) / 32);
    for (u32 s = 0; s < f->kernel->site_count; s++) {
        const char *m = f->kernel->sites[s].insn->mnemonic;
        if (strncmp(m, "shfl", 4) && strncmp(m, "vote", 4) && strncmp(m, "redux", 5) && strncmp(m, "bar.", 4)) continue;
        if (r->site_inst[s] == warps) continue;
        UNIT_FAIL("seed %llu: %s was executed %llu times by %u warps", (unsigned long long)p->seed, m,
                  (unsigned long long)r->site_inst[s], warps);
        return;
    }
}

static void check_program(u64 seed)
{
    program p = {0};
    lw_text text = {0};
    fixture f = {0};
    make_program(&p, seed);
    put_program(&p, &text);
    if (getenv("LW_RANDOM_PRINT")) fwrite(text.data, 1, text.size, stdout);
    size_t bytes = (size_t)BLOCKS * p.threads * SLOTS * 4;
    u32 *want = lw_alloc(bytes);
    run_reference(&p, want);
    if (!load(&f, text.data, "k")) UNIT_FAIL("seed %llu: %s", (unsigned long long)seed, f.error.message);
    exec_result r[2] = {0};
    for (u32 workers = 1; workers <= 2 && f.kernel; workers++) {
        u64 out = 0;
        CHECK(mem_alloc(f.memory, bytes, 0, MEM_PINNED, 0, NULL, &out) == LW_OK);
        r[workers - 1] = run(&f, &p, out, workers);
        const exec_fault *fault = &r[workers - 1].fault;
        if (fault->kind != EXEC_NO_FAULT) UNIT_FAIL("seed %llu: %s", (unsigned long long)seed, fault->message);
        else if (same_memory(&p, (const u32 *)(uintptr_t)out, want, workers))
            check_once_per_warp(&f, &p, &r[workers - 1]);
    }
    if (f.kernel && memcmp(r[0].site_inst, r[1].site_inst, f.kernel->site_count * sizeof(u64)))
        UNIT_FAIL("seed %llu: executions depend on the number of workers", (unsigned long long)seed);
    if (f.kernel && memcmp(r[0].site_lanes, r[1].site_lanes, f.kernel->site_count * sizeof(u64)))
        UNIT_FAIL("seed %llu: lanes depend on the number of workers", (unsigned long long)seed);
    exec_result_free(&r[0]), exec_result_free(&r[1]);
    unload(&f);
    free(want);
    lw_text_free(&text);
    lw_arena_free(&p.arena);
}

UNIT_CASE(random_kernels)
{
    u64 first = getenv("LW_RANDOM_SEED") ? strtoull(getenv("LW_RANDOM_SEED"), NULL, 0) : 1;
    u64 count = getenv("LW_RANDOM_COUNT") ? strtoull(getenv("LW_RANDOM_COUNT"), NULL, 0) : 300;
    for (u64 seed = first; seed < first + count && unit_failures < 10; seed++) check_program(seed);
}

UNIT_MAIN()
