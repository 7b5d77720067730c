/* test_exec: small PTX kernels through parse, link, decode and execution: control flow, memory, barriers, faults. */
#include "unit.h"

#include "exec/exec.h"

#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    mem_space *memory;
    ptx_module *module;
    code_image *image;
    code_kernel *kernel;
    lw_error error;
} fixture;

static lw_status place(void *user, const ptx_variable *v, uint64_t *out_address, lw_error *error)
{
    (void)error;
    return mem_alloc(((fixture *)user)->memory, v->bytes, 0, v->space == PTX_CONST ? MEM_CONST_VAR : MEM_GLOBAL_VAR, 0, v->name, out_address);
}

static bool load(fixture *f, const char *text, const char *kernel)
{
    *f = (fixture){0};
    code_linker linker = {f, place, NULL};
    if (mem_create(&f->memory, UINT64_C(1) << 30, &f->error) != LW_OK) return false;
    if (ptx_parse(&f->module, "test.ptx", text, strlen(text), &f->error) != LW_OK) return false;
    const ptx_module *modules[] = {f->module};
    if (code_link(&f->image, modules, 1, &linker, &f->error) != LW_OK) return false;
    const ptx_function *entry = code_find_entry(f->image, kernel);
    if (!entry || code_kernel_build(&f->kernel, f->image, entry, NULL, &f->error) != LW_OK) return false;
    exec_prepare(f->kernel);
    return true;
}

static void unload(fixture *f)
{
    if (f->error.message[0]) printf("    %s\n", f->error.message);
    code_kernel_free(f->kernel);
    code_image_free(f->image);
    ptx_module_free(f->module);
    mem_destroy(f->memory);
}

static uint64_t buffer(fixture *f, uint64_t bytes)
{
    uint64_t a = 0;
    CHECK(mem_alloc(f->memory, bytes, 0, MEM_DEVICE, 0, NULL, &a) == LW_OK);
    return a;
}

static exec_result run(fixture *f, uint32_t blocks, uint32_t threads, const void *params, uint32_t workers)
{
    exec_launch l = {.kernel = f->kernel, .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .cluster = {1, 1, 1},
                     .params = params, .threads = workers, .memory = f->memory,
                     .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    exec_result r;
    CHECK(exec_run(&l, &r, &f->error) == LW_OK);
    return r;
}

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* %r1 = global thread index, %rd1 = buffer, %rd3 = &buffer[index] */
#define BEGIN                                                                                                          \
    HEAD ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n.reg .pred %p<10>;\n.reg .f32 %f<9>;\n"     \
         "ld.param.u64 %rd1, [p];\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\n"              \
         "mad.lo.s32 %r1, %r3, %r4, %r2;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"

UNIT_CASE(stores_indices)
{
    fixture f;
    CHECK(load(&f, BEGIN "st.global.u32 [%rd3], %r1;\nret;\n}\n", "k"));
    uint64_t p = buffer(&f, 4 * 1000);
    exec_result r = run(&f, 10, 100, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    for (uint32_t k = 0; k < 1000; k++) CHECK_EQ_INT(((uint32_t *)p)[k], k);
    CHECK_EQ_INT(r.inst_executed, 10 * 4 * 9);
    CHECK_EQ_INT(r.thread_inst, 1000 * 9);
    exec_result_free(&r);
    unload(&f);
}

/* Collatz steps: a loop every lane leaves at its own time; the store after it is executed once per warp. */
UNIT_CASE(divergent_loop_reconverges)
{
    fixture f;
    CHECK(load(&f, BEGIN "add.u32 %r5, %r1, 1;\nmov.u32 %r6, 0;\n"
                         "LOOP: setp.eq.u32 %p1, %r5, 1;\n@%p1 bra DONE;\nand.b32 %r7, %r5, 1;\nsetp.eq.u32 %p2, %r7, 0;\n@%p2 bra EVEN;\n"
                         "mad.lo.u32 %r5, %r5, 3, 1;\nbra NEXT;\nEVEN: shr.u32 %r5, %r5, 1;\nNEXT: add.u32 %r6, %r6, 1;\nbra LOOP;\n"
                         "DONE: st.global.u32 [%rd3], %r6;\nret;\n}\n", "k"));
    uint64_t p = buffer(&f, 4 * 64);
    exec_result r = run(&f, 1, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    for (uint32_t k = 0; k < 64; k++) {
        uint32_t n = k + 1, steps = 0;
        for (; n != 1; steps++) n = n & 1 ? 3 * n + 1 : n / 2;
        CHECK_EQ_INT(((uint32_t *)p)[k], steps);
    }
    for (uint32_t s = 0; s < f.kernel->site_count; s++)
        if (!strncmp(f.kernel->sites[s].insn->mnemonic, "st.global", 9)) CHECK_EQ_INT(r.site_inst[s], 2);
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(shared_memory_and_barrier)
{
    fixture f;
    CHECK(load(&f, HEAD ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.shared .align 4 .b8 s[512];\n"
                        "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.s32 %r4, %r3, %r2;\n"
                        "st.shared.u32 [%r4], %r1;\nbar.sync 0;\nsub.s32 %r5, 127, %r1;\nshl.b32 %r5, %r5, 2;\nadd.s32 %r6, %r3, %r5;\n"
                        "ld.shared.u32 %r7, [%r6];\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r7;\nret;\n}\n", "k"));
    uint64_t p = buffer(&f, 512);
    exec_result r = run(&f, 1, 128, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    for (uint32_t k = 0; k < 128; k++) CHECK_EQ_INT(((uint32_t *)p)[k], 127 - k);
    exec_result_free(&r);
    unload(&f);
}

/* A lock between the lanes of one warp, as old textbooks write it. */
UNIT_CASE(spin_lock_in_a_warp)
{
    fixture f;
    CHECK(load(&f, BEGIN "SPIN: atom.global.cas.b32 %r5, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra SPIN;\n"
                         "ld.volatile.global.u32 %r6, [%rd1+4];\nadd.u32 %r6, %r6, 1;\nst.volatile.global.u32 [%rd1+4], %r6;\n"
                         "membar.gl;\natom.global.exch.b32 %r7, [%rd1], 0;\nret;\n}\n", "k"));
    for (uint32_t workers = 1; workers <= 2; workers++) {
        uint64_t p = buffer(&f, 8);
        exec_result r = run(&f, 4, 64, &p, workers);
        CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
        CHECK_EQ_INT(((uint32_t *)p)[1], 256);
        CHECK(r.schedule_dependent);
        exec_result_free(&r);
    }
    unload(&f);
}

/* Block 0 waits for a flag that the last block sets. */
UNIT_CASE(blocks_wait_for_each_other)
{
    fixture f;
    CHECK(load(&f, BEGIN "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra OTHERS;\n"
                         "WAIT: ld.volatile.global.u32 %r5, [%rd1];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra WAIT;\nbra END;\n"
                         "OTHERS: setp.ne.u32 %p3, %r3, 7;\n@%p3 bra END;\nmov.u32 %r6, 1;\nst.volatile.global.u32 [%rd1], %r6;\n"
                         "END: ret;\n}\n", "k"));
    for (uint32_t workers = 1; workers <= 2; workers++) {
        uint64_t p = buffer(&f, 8);
        exec_result r = run(&f, 8, 32, &p, workers);
        CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
        exec_result_free(&r);
    }
    unload(&f);
}

/* Half of a warp goes to a barrier; the other half past it: lanes let go from the join finish, no hang. */
UNIT_CASE(barrier_in_divergent_code)
{
    fixture f;
    CHECK(load(&f, BEGIN "setp.gt.u32 %p1, %r2, 15;\n@%p1 bra PAST;\nbar.sync 0;\nPAST: st.global.u32 [%rd3], %r1;\nret;\n}\n", "k"));
    uint64_t p = buffer(&f, 4 * 64);
    exec_result r = run(&f, 1, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    for (uint32_t k = 0; k < 64; k++) CHECK_EQ_INT(((uint32_t *)p)[k], k);
    CHECK_EQ_INT(r.warning.kind, EXEC_DIVERGENT_BARRIER);
    CHECK(strstr(r.warning.message, "16 of the warp's 32 threads are here") != NULL);
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(hang_is_reported)
{
    fixture f;
    CHECK(load(&f, BEGIN "setp.gt.u32 %p1, %r2, 31;\n@%p1 bra B;\nbar.sync 1, 64;\nret;\nB: bar.sync 2, 64;\nret;\n}\n", "k"));
    uint64_t p = buffer(&f, 4 * 64);
    exec_result r = run(&f, 1, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_HANG);
    CHECK(strstr(r.fault.message, "barrier") != NULL);
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(out_of_bounds_and_misaligned)
{
    fixture f;
    CHECK(load(&f, BEGIN "st.global.u32 [%rd3+4], %r1;\nret;\n}\n", "k"));
    uint64_t p = buffer(&f, 4 * 64);
    exec_result r = run(&f, 1, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_ILLEGAL_ADDRESS);
    CHECK_EQ_INT(r.fault.thread[0], 63);
    CHECK(strstr(r.fault.message, "0 bytes past the end") != NULL);
    exec_result_free(&r);
    p += 2;
    r = run(&f, 1, 32, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_MISALIGNED);
    exec_result_free(&r);
    unload(&f);
}

/* fib(n) by recursion: frames, parameters, results, divergence inside calls. */
UNIT_CASE(recursion)
{
    fixture f;
    CHECK(load(&f, HEAD ".func (.param .b32 r) fib(.param .b32 n) {\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\nld.param.u32 %r1, [n];\n"
                        "setp.lt.u32 %p1, %r1, 2;\n@%p1 bra BASE;\nsub.u32 %r2, %r1, 1;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;\n"
                        "call (b), fib, (a);\nld.param.b32 %r3, [b]; }\nsub.u32 %r4, %r1, 2;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r4;\n"
                        "call (b), fib, (a);\nld.param.b32 %r5, [b]; }\nadd.u32 %r1, %r3, %r5;\nBASE: st.param.b32 [r], %r1;\nret;\n}\n"
                        ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
                        "and.b32 %r2, %r1, 7;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;\ncall (b), fib, (a);\nld.param.b32 %r3, [b]; }\n"
                        "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r3;\nret;\n}\n", "k"));
    uint64_t p = buffer(&f, 4 * 64);
    exec_result r = run(&f, 1, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    static const uint32_t fib[8] = {0, 1, 1, 2, 3, 5, 8, 13};
    for (uint32_t k = 0; k < 64; k++) CHECK_EQ_INT(((uint32_t *)p)[k], fib[k & 7]);
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(shuffles_and_votes)
{
    fixture f;
    CHECK(load(&f, BEGIN "shfl.sync.down.b32 %r5|%p1, %r1, 1, 0x1f, -1;\nselp.b32 %r6, %r5, 1000, %p1;\nvote.sync.ballot.b32 %r7, %p1, -1;\n"
                         "add.u32 %r6, %r6, %r7;\nst.global.u32 [%rd3], %r6;\nret;\n}\n", "k"));
    uint64_t p = buffer(&f, 4 * 32);
    exec_result r = run(&f, 1, 32, &p, 1);
    for (uint32_t k = 0; k < 32; k++) CHECK_EQ_INT(((uint32_t *)p)[k], (k < 31 ? k + 1 : 1000) + 0x7fffffffu);
    exec_result_free(&r);
    unload(&f);
}

UNIT_MAIN()
