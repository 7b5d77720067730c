/* test_tensor_map_forms: copies by tensor maps in clusters, the spellings of their instructions, maps changed on the device, faults
 * and refusals, and the events that clients see. */
#include "tensor_copy.h"

/* ---------------------------------------------------------------- clusters, forms */
/* Every block waits for its own mbarrier; the first copies to all. All write the same dump. */
UNIT_CASE(multicast)
{
    static char text[8192];
    machine m;
    uint32_t seed = 5;
    copy_case c = {.rank = 2, .type = 2, .dims = {32, 8}, .box = {32, 8}, .steps = {1, 1}, .swizzle = 3};
    snprintf(
        text, sizeof text,
        ".version 8.6\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .u64 map, .param .align 4 .b8 at[32], .param .u32 bytes, .param "
        ".u32 extent)\n"
        "{\n.reg .b32 %%r<30>; .reg .b16 %%h<4>; .reg .b64 %%rd<8>; .reg .pred %%p<4>;\n"
        ".shared .align 1024 .b8 tile[1024]; .shared .align 8 .b64 bar;\n"
        "ld.param.u64 %%rd1, [out]; ld.param.u64 %%rd2, [map]; ld.param.u32 %%r6, [bytes];\n"
        "mov.u32 %%r10, %%tid.x; mov.u32 %%r20, %%cluster_ctarank; or.b32 %%r21, %%r10, %%r20; mov.u32 %%r1, 0;\n"
        "setp.ne.u32 %%p1, %%r10, 0; setp.ne.u32 %%p3, %%r21, 0; mov.b16 %%h1, 13;\n"
        "@!%%p1 mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;\n"
        "@!%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], %%r6;\n"
        "barrier.cluster.arrive; barrier.cluster.wait;\n"
        "mov.u32 %%r11, tile; setp.eq.u32 %%p1, %%r20, 1; @%%p1 bra LAST;\n"
        "@!%%p3 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%%r11], [%%rd2, {%%r1, %%r1}], [bar], %%h1;\n"
        "WAIT: mbarrier.try_wait.parity.shared.b64 %%p2, [bar], 0; @!%%p2 bra WAIT;\n"
        "shl.b32 %%r12, %%r10, 5; add.u32 %%r13, %%r11, %%r12; shl.b32 %%r14, %%r20, 10; add.u32 %%r12, %%r12, %%r14;\n"
        "cvt.u64.u32 %%rd3, %%r12; add.u64 %%rd3, %%rd3, %%rd1;\n"
        "ld.shared.v4.b32 {%%r1, %%r2, %%r3, %%r4}, [%%r13]; st.global.v4.b32 [%%rd3], {%%r1, %%r2, %%r3, %%r4};\n"
        "ld.shared.v4.b32 {%%r1, %%r2, %%r3, %%r4}, [%%r13+16]; st.global.v4.b32 [%%rd3+16], {%%r1, %%r2, %%r3, "
        "%%r4};\n"
        "LAST: barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n");
    if (!open_text(&m, text)) {
        UNIT_FAIL("%s", m.f.error.message);
        unload(&m.f);
        return;
    }
    fill_random(m.tensor, TENSOR_BYTES, &seed);
    make_map(&c, (uintptr_t)m.tensor, m.map);
    memset(m.data, 0, 4096);
    m.cluster = 4;
    runs(&m, &c, 8);
    for (uint32_t rank = 0; rank < 4; rank++)
        for (uint32_t k = 0; k < 1024; k++)
            if (m.data[rank * 1024 + place_in_tile(&c, k / 128, k % 128)] != (rank == 1 ? 0 : m.tensor[k])) {
                UNIT_FAIL("block %u, byte %u", rank, k);
                break;
            }
    close_machine(&m);
}

UNIT_CASE(other_spellings)
{
    static const char *const insns[] = {
        "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [tile], [%rd2, {%r1}], "
        "[bar], %rd4",
        "prefetch.tensormap [%rd2]; cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd2, {%r1}]; "
        "fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128; "
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd2, %r1], [bar]"};
    uint32_t seed = 6;
    for (size_t k = 0; k < LW_COUNT(insns); k++) {
        machine m;
        copy_case c = {.rank = 1, .type = 2, .dims = {20}, .box = {24}, .steps = {1}, .at = {4}};
        if (!open_body(&m, load_text, "%s", insns[k])) continue;
        check_load(&m, &c, &seed);
        close_machine(&m);
    }
}

UNIT_CASE(forms_that_are_refused)
{
    static const struct {
        const char *insn, *why;
    } rows[] = {
        {"cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2 [%r11], [%rd2, "
         "{%r1}], "
         "[bar]",
         "needs sm_100a"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%r11], [%rd2, "
         "{%r1, "
         "%r2, %r3, %r4, %r5}], [bar]",
         "needs sm_100a"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd2, {%r1}], [bar]",
         "2 coordinates"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.bulk_group [%r11], [%rd2, {%r1, %r2}], [bar]",
         "completion mechanism"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r11], [%rd2, {%r1, "
         "%r2}], "
         "[bar], {%h1}",
         "not possible in this mode"},
        {"tensormap.replace.tile.box_dim.global.b1024.b32 [%rd2], 5, 1", "not a constant of its range"}};
    for (size_t k = 0; k < LW_COUNT(rows); k++) {
        static char text[8192];
        fixture f;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(text, sizeof text, load_text, rows[k].insn);
#pragma GCC diagnostic pop
        CHECK(!load(&f, text, "k"));
        CHECK_HAS(f.error.message, rows[k].why);
        f.error.message[0] = 0;
        unload(&f);
    }
}

/* ---------------------------------------------------------------- maps made on the device */
/* Every field of a map of zeros in shared memory, then to global memory, then a copy by it. */
UNIT_CASE(maps_built_on_the_device)
{
    static char text[8192];
    machine m;
    uint32_t seed = 7;
    copy_case c = {
        .rank = 2, .type = 10, .dims = {40, 9}, .pad = 1, .box = {32, 8}, .steps = {1, 2}, .swizzle = 2, .fill = 1};
    c.at[0] = 16;
    c.at[1] = -2;
    snprintf(text, sizeof text,
             ".version 8.6\n.target sm_90a\n.address_size 64\n"
             ".visible .entry k(.param .u64 out, .param .u64 map, .param .align 4 .b8 at[32], .param .u32 bytes, "
             ".param .u32 extent)\n"
             "{\n.reg .b32 %%r<30>; .reg .b64 %%rd<8>; .reg .pred %%p<4>;\n.shared .align 128 .b8 made[128];\n"
             "ld.param.u64 %%rd1, [out]; ld.param.u64 %%rd2, [map]; mov.u32 %%r10, %%tid.x; mov.u32 %%r11, made;\n"
             "shl.b32 %%r12, %%r10, 2; add.u32 %%r13, %%r11, %%r12; st.shared.u32 [%%r13], 0; bar.warp.sync -1;\n"
             "setp.ne.u32 %%p1, %%r10, 0; @%%p1 bra COPY; mov.u32 %%r1, 40; mov.u64 %%rd3, %llu;\n"
             "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%%r11], %%rd1;\n"
             "tensormap.replace.tile.rank.shared::cta.b1024.b32 [made], 1;\n"
             "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%%r11], 0, 32;\n"
             "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%%r11], 1, 8;\n"
             "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%%r11], 0, %%r1;\n"
             "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%%r11], 1, 9;\n"
             "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%%r11], 0, %%rd3;\n"
             "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%%r11], 1, 2;\n"
             "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%%r11], 10;\n"
             "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%%r11], 0;\n"
             "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%%r11], 2;\n"
             "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%%r11], 1;\n"
             "COPY: bar.warp.sync -1;\n"
             "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%%rd2], [%%r11], "
             "128;\n"
             "ret;\n}\n",
             (unsigned long long)stride_of(&c, 1));
    if (!open_text(&m, text)) {
        UNIT_FAIL("%s", m.f.error.message);
        unload(&m.f);
        return;
    }
    exec_tensor_map want, made;
    make_map(&c, (uintptr_t)m.data, &want); /* the kernel takes its first parameter for the tensor */
    memset(m.map, 0xff, sizeof *m.map);
    if (runs(&m, &c, 1)) memcpy(&made, m.map, sizeof made);
    CHECK(!memcmp(&made, &want, sizeof made));
    close_machine(&m);
    REQUIRE(open_load(&m, 2, false, ""));
    check_load(&m, &c, &seed);
    close_machine(&m);
}

/* Before PTX 8.5 strides came in units of 16 bytes. */
UNIT_CASE(strides_of_older_programs)
{
    for (uint32_t newer = 0; newer < 2; newer++) {
        static char text[2048];
        machine m;
        copy_case c = {.rank = 2, .type = 0, .dims = {16, 16}, .box = {16, 1}};
        snprintf(text, sizeof text,
                 ".version %s\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry k(.param .u64 out, .param .u64 map, .param .align 4 .b8 at[32], .param .u32 bytes, "
                 ".param .u32 extent)\n{\n.reg .b64 %%rd<4>;\nld.param.u64 %%rd1, [map];\nmov.u64 %%rd2, 64;\n"
                 "tensormap.replace.tile.global_stride.global.b1024.b64 [%%rd1], 0, %%rd2;\nret;\n}\n",
                 newer ? "8.5" : "8.4");
        if (!open_text(&m, text)) {
            UNIT_FAIL("%s", m.f.error.message);
            unload(&m.f);
            return;
        }
        make_map(&c, (uintptr_t)m.tensor, m.map);
        if (runs(&m, &c, 1)) CHECK_EQ_INT(m.map->stride[0], newer ? 64 : 1024);
        close_machine(&m);
    }
}

/* ---------------------------------------------------------------- faults */
static void expect_fault(machine *m, const copy_case *c, exec_fault_kind kind, const char *part)
{
    CHECK_EQ_INT(run(m, c, 1), kind);
    CHECK_HAS(m->result.fault.message, part);
}

UNIT_CASE(faults)
{
    machine m;
    const copy_case good = {.rank = 2, .type = 7, .dims = {8, 8}, .box = {8, 1}, .steps = {1, 1}};
    const uint64_t beyond = TENSOR_BYTES - 64; /* the tensor's second row lies behind its allocation */
    REQUIRE(open_load(&m, 2, false, ""));
    make_map(&good, (uintptr_t)m.tensor, m.map);
    runs(&m, &good, 1);
    m.map->rank_1 = 2;
    expect_fault(&m, &good, EXEC_ILLEGAL_INSTRUCTION, "number of dimensions");
    make_map(&good, (uintptr_t)m.tensor, m.map);
    m.map->mode = EXEC_TENSOR_IM2COL;
    expect_fault(&m, &good, EXEC_ILLEGAL_INSTRUCTION, "the other mode");
    make_map(&good, (uintptr_t)m.tensor, m.map);
    m.map->interleave = 3;
    expect_fault(&m, &good, EXEC_ILLEGAL_INSTRUCTION, "interleave mode");
    m.map->interleave = 1;
    expect_fault(&m, &good, EXEC_ILLEGAL_INSTRUCTION, "fewer than 3 dimensions");
    make_map(&good, (uintptr_t)m.tensor, m.map);
    m.map->atomicity = 1;
    expect_fault(&m, &good, EXEC_ILLEGAL_INSTRUCTION, "compute capability 10.0");
    make_map(&good, (uintptr_t)m.tensor, m.map);
    m.map->box_1[0] = 2;
    expect_fault(&m, &good, EXEC_ILLEGAL_INSTRUCTION, "multiple of 16 bytes");
    make_map(&good, (uintptr_t)m.tensor, m.map);
    copy_case far = good;
    far.at[0] = 2;
    expect_fault(&m, &far, EXEC_ILLEGAL_INSTRUCTION, "no multiple of 16 bytes along dimension 0");
    far.at[0] = 0;
    far.at[1] = 2;
    make_map(&far, (uintptr_t)m.tensor + beyond, m.map);
    expect_fault(&m, &far, EXEC_ILLEGAL_ADDRESS, "past the end");
    close_machine(&m);
    REQUIRE(open_body(&m, load_text,
                      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                      "[%%r11+64], [%%rd2, {%%r1, %%r2}], [bar]"));
    make_map(&good, (uintptr_t)m.tensor, m.map);
    expect_fault(&m, &good, EXEC_MISALIGNED, "multiple of 128");
    close_machine(&m);
    REQUIRE(open_store(&m, 2, false, "add"));
    copy_case bytes = good;
    bytes.type = 0;
    bytes.box[0] = 16;
    make_map(&bytes, (uintptr_t)m.tensor, m.map);
    expect_fault(&m, &bytes, EXEC_ILLEGAL_INSTRUCTION, "element type");
    close_machine(&m);
}

/* ---------------------------------------------------------------- events */
typedef struct seen {
    event_memory mem[64];
    uint64_t address[64], address2[64];
    uint32_t count;
    uint32_t bytes; /* of the completed transaction */
} seen;

static void note_mem(void *state, const event_memory *e)
{
    seen *s = state;
    if (s->count == 64 || !(e->flags & EVENT_BULK)) return;
    s->mem[s->count] = *e;
    s->address[s->count] = e->address[__builtin_ctz(e->mask)];
    if (e->address2) s->address2[s->count] = e->address2[__builtin_ctz(e->mask)];
    s->count++;
}

static void note_sync(void *state, const event_sync *e)
{
    if (e->op == EVENT_MBARRIER_COMPLETE_TX) ((seen *)state)->bytes = e->bytes;
}

static const event_client noter = {.kinds =
                                       EVENT_BIT(EVENT_COUNTED) | EVENT_BIT(EVENT_ACCESS) | EVENT_BIT(EVENT_MBARRIER),
                                   .memory = note_mem,
                                   .sync = note_sync};

/* Bytes of the events of a kind, operation and space; the first of them. */
static uint64_t told(const seen *s, event_kind kind, event_op op, event_space space, uint32_t *out_count,
                     uint32_t *out_first)
{
    uint64_t bytes = 0;
    *out_count = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        const event_memory *e = &s->mem[k];
        if (e->kind != kind || e->op != op || e->space != space) continue;
        if (!(*out_count)++) *out_first = k;
        bytes += e->bytes_total;
    }
    return bytes;
}

/* Rows that follow each other are one piece of global memory; the box hangs over the tensor's end by a row, which is
 * counted as on a card, and accessed nowhere. */
UNIT_CASE(events_of_a_load)
{
    static seen s;
    event_listener listener = {&noter, &s};
    machine m;
    uint32_t count, first = 0;
    copy_case c = {.rank = 2, .type = 2, .dims = {8, 4}, .box = {8, 4}, .steps = {1, 1}, .swizzle = 1};
    c.at[1] = 1;
    s = (seen){0};
    REQUIRE(open_load(&m, 2, false, ""));
    make_map(&c, (uintptr_t)m.tensor, m.map);
    m.listener = &listener;
    runs(&m, &c, 4);
    CHECK_EQ_INT(s.bytes, 128);
    CHECK_EQ_INT(told(&s, EVENT_COUNTED, EVENT_COPY_READ, EVENT_GLOBAL, &count, &first), 128);
    CHECK_EQ_INT(count, 2); /* what is read, and the row that is filled */
    CHECK_EQ_INT(s.address[first], (uintptr_t)m.tensor + 32);
    CHECK_EQ_INT(s.mem[first].bytes_total, 96);
    CHECK_EQ_INT(s.mem[first].flags & EVENT_FILLED, 0);
    CHECK_EQ_INT(s.mem[first + 1].bytes_total, 32);
    CHECK_EQ_INT(s.mem[first + 1].flags & (EVENT_FILLED | EVENT_PART), EVENT_FILLED | EVENT_PART);
    CHECK_EQ_INT(told(&s, EVENT_COUNTED, EVENT_COPY_WRITE, EVENT_SHARED, &count, &first), 128);
    CHECK_EQ_INT(count, 1);
    CHECK_EQ_INT(told(&s, EVENT_ACCESS, EVENT_COPY_READ, EVENT_GLOBAL, &count, &first), 96);
    CHECK_EQ_INT(told(&s, EVENT_ACCESS, EVENT_COPY_WRITE, EVENT_SHARED, &count, &first), 128);
    CHECK_EQ_INT(count, 8);
    CHECK_EQ_INT(s.address2[first + 1], (uintptr_t)m.tensor + 48);
    CHECK(s.mem[first].address2 && !s.mem[s.count - 2].address2);
    CHECK(m.f.kernel->sites[s.mem[first].insn].exact);
    close_machine(&m);
}

UNIT_CASE(events_of_a_store)
{
    static seen s;
    event_listener listener = {&noter, &s};
    machine m;
    uint32_t count, first = 0;
    copy_case c = {.rank = 2, .type = 2, .dims = {8, 4}, .pad = 2, .box = {8, 4}, .steps = {1, 1}};
    c.at[0] = 4;
    s = (seen){0};
    REQUIRE(open_store(&m, 2, false, ""));
    make_map(&c, (uintptr_t)m.tensor, m.map);
    m.listener = &listener;
    runs(&m, &c, 4);
    CHECK_EQ_INT(told(&s, EVENT_COUNTED, EVENT_COPY_READ, EVENT_SHARED, &count, &first), 128);
    CHECK_EQ_INT(told(&s, EVENT_COUNTED, EVENT_COPY_WRITE, EVENT_GLOBAL, &count, &first), 64);
    CHECK_EQ_INT(count, 4);
    CHECK_EQ_INT(s.address[first], (uintptr_t)m.tensor + 16);
    CHECK(!(s.mem[first].flags & EVENT_PART));
    CHECK_EQ_INT(told(&s, EVENT_ACCESS, EVENT_COPY_WRITE, EVENT_GLOBAL, &count, &first), 64);
    CHECK_EQ_INT(s.address2[first], 0);
    close_machine(&m);
    s = (seen){0};
    REQUIRE(open_store(&m, 2, false, "add"));
    make_map(&c, (uintptr_t)m.tensor, m.map);
    m.listener = &listener;
    runs(&m, &c, 4);
    CHECK_EQ_INT(told(&s, EVENT_ACCESS, EVENT_REDUCTION, EVENT_GLOBAL, &count, &first), 64);
    CHECK_EQ_INT(told(&s, EVENT_COUNTED, EVENT_REDUCTION, EVENT_GLOBAL, &count, &first), 64);
    close_machine(&m);
}

UNIT_MAIN()
