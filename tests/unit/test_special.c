/* test_special: every row of special.def is read by a kernel and must hold what is written here of it: a row without a
 * case fails. */
#include "fixture.h"
#include "unit.h"

#include "code/code_priv.h"

#include <string.h>

/* 2 x 2 x 1 clusters of 2 x 1 x 1 blocks of two warps and a half. */
enum { BLOCKS = 8, THREADS = 80, SMS = 5, GRID_ID = 7, DYNAMIC = 200 };
static const uint32_t grid[3] = {4, 2, 1}, block[3] = {8, 5, 2}, cluster[3] = {2, 1, 1};
#define WORKSPACE UINT64_C(0x1234567890abcdef)
#define EPOCH UINT64_C(1700000000000000000) /* %globaltimer when the clock is 0 */

/* Where a thread stands. */
typedef struct thread_place {
    uint32_t thread[3], block[3];
    uint32_t linear_thread, linear_block;
} thread_place;

static thread_place place_of(uint32_t linear_block, uint32_t linear_thread)
{
    return (thread_place){
        .thread = {linear_thread % block[0], linear_thread / block[0] % block[1], linear_thread / block[0] / block[1]},
        .block = {linear_block % grid[0], linear_block / grid[0] % grid[1], linear_block / grid[0] / grid[1]},
        .linear_thread = linear_thread,
        .linear_block = linear_block};
}

/* A clock has started, and is young. */
static bool is_clock(uint64_t v) { return v > 0 && v < 1000000; }

/* May register `which`, component c, hold v in this thread? Without a case: false. */
static bool holds(ptx_special which, const thread_place *t, uint32_t c, uint64_t v)
{
    uint32_t lane = t->linear_thread % 32, bit = UINT32_C(1) << lane;
    switch (which) {
    case PTX_SPECIAL_TID: return v == t->thread[c];
    case PTX_SPECIAL_NTID: return v == block[c];
    case PTX_SPECIAL_LANEID: return v == lane;
    case PTX_SPECIAL_WARPID: return v == t->linear_thread / 32;
    case PTX_SPECIAL_NWARPID: return v == 64;
    case PTX_SPECIAL_CTAID: return v == t->block[c];
    case PTX_SPECIAL_NCTAID: return v == grid[c];
    case PTX_SPECIAL_SMID: return v == t->linear_block % SMS;
    case PTX_SPECIAL_NSMID: return v == SMS;
    case PTX_SPECIAL_GRIDID: return v == GRID_ID;
    case PTX_SPECIAL_IS_EXPLICIT_CLUSTER: return v == 1;
    case PTX_SPECIAL_CLUSTERID: return v == t->block[c] / cluster[c];
    case PTX_SPECIAL_NCLUSTERID: return v == grid[c] / cluster[c];
    case PTX_SPECIAL_CLUSTER_CTAID: return v == t->block[c] % cluster[c];
    case PTX_SPECIAL_CLUSTER_NCTAID: return v == cluster[c];
    case PTX_SPECIAL_CLUSTER_CTARANK: return v == t->block[0] % 2;
    case PTX_SPECIAL_CLUSTER_NCTARANK: return v == 2;
    case PTX_SPECIAL_LANEMASK_EQ: return v == bit;
    case PTX_SPECIAL_LANEMASK_LE: return v == (bit | (bit - 1));
    case PTX_SPECIAL_LANEMASK_LT: return v == bit - 1;
    case PTX_SPECIAL_LANEMASK_GE: return v == (uint32_t)~(bit - 1);
    case PTX_SPECIAL_LANEMASK_GT: return v == (uint32_t)~(bit | (bit - 1));
    case PTX_SPECIAL_CLOCK:
    case PTX_SPECIAL_CLOCK64: return is_clock(v);
    case PTX_SPECIAL_CLOCK_HI: return v == 0;
    case PTX_SPECIAL_GLOBALTIMER: return is_clock(v - EPOCH);
    case PTX_SPECIAL_GLOBALTIMER_LO: return is_clock(v - (uint32_t)EPOCH);
    case PTX_SPECIAL_GLOBALTIMER_HI: return v == EPOCH >> 32;
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_BEGIN:
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_0: return v == 256; /* behind DYNAMIC, aligned to 128 */
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_1: return v == 256 + 1024;
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_END:
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_CAP: return v == 256 + 2 * 1024;
    case PTX_SPECIAL_TOTAL_SMEM_SIZE:
    case PTX_SPECIAL_AGGR_SMEM_SIZE:
    case PTX_SPECIAL_DYNAMIC_SMEM_SIZE: return v == DYNAMIC;
    case PTX_SPECIAL_CURRENT_GRAPH_EXEC: return v == 0;
    case PTX_SPECIAL_ENVREG1: return v == WORKSPACE >> 32;
    case PTX_SPECIAL_ENVREG2: return v == (uint32_t)WORKSPACE;
    case PTX_SPECIAL_ENVREG:
    case PTX_SPECIAL_PM:
    case PTX_SPECIAL_PM64: return v == 0;
    case PTX_SPECIAL_COUNT: break;
    }
    return false;
}

/* The register's name, the last of a numbered one, with a component. */
static void spell(const ptx_special_row *row, uint32_t c, char *out, size_t size)
{
    size_t head = strcspn(row->name, "#");
    int n = snprintf(out, size, "%.*s", (int)head, row->name);
    if (row->numbers) n += snprintf(out + n, size - (size_t)n, "%u%s", row->numbers - 1u, row->name + head + 1);
    if (row->components) snprintf(out + n, size - (size_t)n, ".%c", "xyzw"[c]);
}

/* A kernel in which every thread stores the register at p + 8 * its number in the grid. */
static bool load_reader(fixture *f, const ptx_special_row *row, uint32_t c)
{
    char name[64];
    lw_text text = {0};
    spell(row, c, name, sizeof name);
    lw_text_add(&text,
                ".version 8.8\n.target sm_90\n.address_size 64\n"
                ".visible .entry k(.param .u64 p) {\n.reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\n"
                ".reg .pred %%p;\nld.param.u64 %%rd1, [p];\n"
                "mov.u32 %%r1, %%ctaid.y;\nmov.u32 %%r2, %%ctaid.x;\nmad.lo.u32 %%r1, %%r1, 4, %%r2;\n"
                "mov.u32 %%r2, %%tid.z;\nmad.lo.u32 %%r1, %%r1, 2, %%r2;\n"
                "mov.u32 %%r2, %%tid.y;\nmad.lo.u32 %%r1, %%r1, 5, %%r2;\n"
                "mov.u32 %%r2, %%tid.x;\nmad.lo.u32 %%r1, %%r1, 8, %%r2;\nmad.wide.u32 %%rd1, %%r1, 8, %%rd1;\n");
    if (row->type == PTX_PRED) lw_text_add(&text, "mov.pred %%p, %s;\nselp.b64 %%rd2, 1, 0, %%p;\n", name);
    else
        lw_text_add(&text, "mov.u%u %%r%s2, %s;\n", 8 * ptx_type_bytes(row->type), row->type == PTX_U64 ? "d" : "",
                    name);
    if (row->type != PTX_PRED && row->type != PTX_U64) lw_text_add(&text, "cvt.u64.u32 %%rd2, %%r2;\n");
    lw_text_add(&text, "st.global.u64 [%%rd1], %%rd2;\nret;\n}\n");
    bool loaded = load(f, text.data, "k");
    lw_text_free(&text);
    return loaded;
}

static void run_reader(fixture *f, uint64_t values)
{
    exec_launch l = {.kernel = f->kernel,
                     .params = (const uint8_t *)&values,
                     .threads = 1,
                     .memory = f->memory,
                     .grid_id = GRID_ID,
                     .grid_workspace = WORKSPACE,
                     .dynamic_shared_bytes = DYNAMIC,
                     .device = {.cc = 90, .sm_count = SMS, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    memcpy(l.grid, grid, sizeof grid);
    memcpy(l.block, block, sizeof block);
    memcpy(l.cluster, cluster, sizeof cluster);
    exec_result r;
    CHECK(exec_run(&l, &r, &f->error) == LW_OK);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    exec_result_free(&r);
}

static void check_values(ptx_special which, uint32_t c, const uint64_t *values)
{
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t k = 0; k < THREADS; k++) {
            uint64_t v = values[b * THREADS + k];
            thread_place t = place_of(b, k);
            bool right = c == 3 ? v == 0 : holds(which, &t, c, v);
            if (right) continue;
            UNIT_FAIL("%s, component %u: block %u thread %u has %llu", ptx_specials[which].name, c, b, k,
                      (unsigned long long)v);
            return;
        }
}

static void check_row(ptx_special which, uint32_t c)
{
    const ptx_special_row *row = &ptx_specials[which];
    fixture f;
    if (load_reader(&f, row, c)) {
        uint64_t values = buffer(&f, (uint64_t)8 * BLOCKS * THREADS);
        run_reader(&f, values);
        check_values(which, c, (const uint64_t *)values);
        CHECK_EQ_INT(f.kernel->uses_grid_sync, row->makes == PTX_MAKES_GRID_SYNC);
        CHECK_EQ_INT(f.kernel->body->uses_system_shared, row->makes == PTX_MAKES_SYSTEM_SHARED);
    } else {
        UNIT_FAIL("%s cannot be read", row->name);
    }
    unload(&f);
}

UNIT_CASE(every_special_register_holds_its_value)
{
    for (uint32_t k = 0; k < PTX_SPECIAL_COUNT; k++)
        for (uint32_t c = 0; c < LW_MAX(ptx_specials[k].components, 1u); c++) check_row((ptx_special)k, c);
}

UNIT_MAIN()
