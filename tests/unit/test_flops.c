/* flops: what instructions count, and that lines of a launch are found. */
#include "host/time_lines_priv.h"
#include "time/flops.h"
#include "unit.h"

static void expect(const char *mnemonic, double fp16, double fp32, double fp64, double tensor)
{
    time_flops f = time_flops_of(mnemonic);
    bool equal = f.fp16 == fp16 && f.fp32 == fp32 && f.fp64 == fp64 && f.tensor == tensor;
    if (!equal) UNIT_FAIL("%s: %g %g %g %g", mnemonic, f.fp16, f.fp32, f.fp64, f.tensor);
}

UNIT_CASE(an_operation_is_one_and_a_fused_one_two)
{
    expect("add.f32", 0, 1, 0, 0);
    expect("mul.rn.f32", 0, 1, 0, 0);
    expect("sub.ftz.f32", 0, 1, 0, 0);
    expect("fma.rn.f32", 0, 2, 0, 0);
    expect("fma.rn.f64", 0, 0, 2, 0);
    expect("add.rn.f64", 0, 0, 1, 0);
    expect("fma.rn.f16x2", 4, 0, 0, 0);
    expect("add.bf16", 1, 0, 0, 0);
    expect("fma.rn.f32x2", 0, 4, 0, 0);
}

UNIT_CASE(what_is_no_floating_point_arithmetic_counts_nothing)
{
    expect("add.s32", 0, 0, 0, 0);
    expect("mad.lo.s32", 0, 0, 0, 0);
    expect("addc.u32", 0, 0, 0, 0);
    expect("min.f32", 0, 0, 0, 0);
    expect("setp.lt.f32", 0, 0, 0, 0);
    expect("cvt.rn.f32.s32", 0, 0, 0, 0);
    expect("ld.global.f32", 0, 0, 0, 0);
    expect("atom.global.add.f32", 0, 0, 0, 0);
    expect("ex2.approx.f32", 0, 0, 0, 0);
}

UNIT_CASE(sequences_and_matrices)
{
    CHECK(time_flops_of("div.rn.f32").fp32 >= 8);
    CHECK(time_flops_of("div.rn.f64").fp64 >= 12);
    expect("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 0, 0, 0, 4096);
    expect("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 0, 0, 0, 8192);
    expect("wmma.load.a.sync.aligned.row.m16n16k16.global.f16", 0, 0, 0, 0);
    expect("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", 0, 0, 0, 65536);
}

/* ---- lines ---- */
static time_line_work no_work(void *user, const result_row *row)
{
    (void)user, (void)row;
    return (time_line_work){0};
}

static result_row shared_row(uint32_t line, uint64_t wavefronts, uint64_t ideal)
{
    result_row row = {.file = "f.cu", .line = line, .space = "shared", .op = "load", .exact = true};
    row.counters.present = 1u << COUNTER_WAVEFRONTS | 1u << COUNTER_WAVEFRONTS_IDEAL;
    row.counters.value[COUNTER_WAVEFRONTS] = wavefronts;
    row.counters.value[COUNTER_WAVEFRONTS_IDEAL] = ideal;
    return row;
}

UNIT_CASE(the_line_that_costs_most_and_what_its_ideal_saves)
{
    enum { ROWS = 40, WORST = 31 };
    device_profile d;
    CHECK_EQ_INT(device_find("h200", &d, NULL), LW_OK);
    result_row rows[ROWS];
    time_demand t = {.blocks = 132 * 8, .warps_per_block = 8, .blocks_per_sm = 8};
    for (uint32_t k = 0; k < ROWS; k++) {
        uint64_t wavefronts = k == WORST ? 132u * 1980000 : 132u * 1000;
        rows[k] = shared_row(k, wavefronts, k == WORST ? wavefronts / 4 : wavefronts);
        t.shared_wavefronts += (double)wavefronts;
    }
    double all = time_predict(&d, &t).seconds; /* a millisecond */
    host_time_lines(&d, &t, rows, ROWS, no_work, NULL);
    for (uint32_t k = 0; k < ROWS; k++) CHECK(k == WORST || rows[k].seconds < all / 10);
    CHECK(rows[WORST].seconds > 0.9 * all);
    CHECK_NEAR(all - rows[WORST].seconds_saved, all / 4, all / 10);
    CHECK_NEAR(rows[0].seconds_saved, 0, 0);
}

UNIT_MAIN()
