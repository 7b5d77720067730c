/* Tests of the instruction table: every form of every regular row through its executors of each host instruction set,
 * on edge and random values, against an independent reference (ref_float.h, ref_ops.h, ref_float_ops.h); with full and
 * partial masks, inactive lanes untouched, the result in the place of an operand. Fails if a row has no reference. */
#include "unit.h"

#include "lane_rows.h"
#include "ref_float_ops.h"

enum { LANES_TESTED = 512 };

typedef struct progress {
    uint32_t forms, failures;
} progress;

static double number_of(uint64_t bits, const char *type)
{
    ref_format f;
    if (!ref_format_of(type, &f)) return NAN;
    return (double)ref_value(ref_unpack(bits, f));
}

static bool near(const ref_call *c, uint64_t got, uint64_t want)
{
    if (got == want) return true;
    if (!c->relative && !c->absolute) return false;
    uint32_t halves = strstr(c->type, "x2") ? 2 : 1;
    for (uint32_t k = 0; k < halves; k++) {
        uint64_t g = halves == 1 ? got : got >> 16 * k & 0xffff, w = halves == 1 ? want : want >> 16 * k & 0xffff;
        if (g == w) continue;
        double a = number_of(g, c->type), b = number_of(w, c->type);
        if (isinf(a) || isinf(b) || !(fabs(a - b) <= fmax(2 * c->relative * fabs(b), 2 * c->absolute))) return false;
    }
    return true;
}

static void report(const form *f, int level, const ref_call *c, uint64_t got, uint64_t want, const char *how)
{
    UNIT_FAIL("%s (%s%s): %llx %llx %llx gives %llx, expected %llx", f->mnemonic, lane_level_name[level], how,
              (unsigned long long)c->in[0], (unsigned long long)c->in[1], (unsigned long long)c->in[2],
              (unsigned long long)got, (unsigned long long)want);
}

typedef struct batch {
    lane_file file;
    uint64_t want[32];
    ref_call call[32];
} batch;

/* 32 lanes of operands from vector n on, and what they should give. */
static bool prepare(batch *b, const form *f, uint32_t n)
{
    const form_row *r = f->row;
    memset(&b->file, 0, sizeof b->file);
    for (uint32_t l = 0; l < 32; l++) {
        ref_prepare(&b->call[l], r->key, f->mods, (uint64_t)f->imm);
        for (uint32_t k = 0; k < form_sources(r); k++) {
            uint32_t bytes = lane_name_bytes(r->lane[k + 1]);
            uint64_t v =
                ref_cut(vector_input(class_of_operand(r, r->lane[k + 1]), form_sources(r), k, n + l), 8 * (int)bytes);
            lane_put(&b->file, LANE_A + 256 * k, l, bytes, b->call[l].in[k] = v);
        }
        if (!reference(&b->call[l], &b->want[l])) return false;
    }
    return true;
}

/* One run; d: where the result goes. */
static void check_run(progress *p, const form *f, const batch *b, int level, uint32_t mask, uint32_t d, const char *how)
{
    lane_file file = b->file;
    uint32_t bytes = lane_name_bytes(f->row->lane[0]), shown = 0;
    if (d == LANE_D) memset(file.bytes, 0xa5, 32 * bytes);
    lane_file before = file;
    lane_run(level, f, &file, mask, d);
    for (uint32_t l = 0; l < 32; l++) {
        uint64_t got = lane_get(&file, d, l, bytes), kept = lane_get(&before, d, l, bytes);
        bool on = mask >> l & 1;
        if (on ? near(&b->call[l], got, b->want[l]) : got == kept) continue;
        p->failures++;
        if (shown++ < 2) report(f, level, &b->call[l], got, on ? b->want[l] : kept, on ? how : ", inactive lane");
    }
}

/* Nothing beyond the result is written. */
static void check_bounds(progress *p, const form *f, const batch *b, int level)
{
    lane_file file = b->file, before = b->file;
    uint32_t end = 32 * lane_name_bytes(f->row->lane[0]);
    lane_run(level, f, &file, FULL_MASK, LANE_D);
    uint32_t limit = f->row->kind == 'C' ? LANE_PRED : LANE_FILE_BYTES;
    if (memcmp(file.bytes + end, before.bytes + end, limit - end)) {
        p->failures++;
        UNIT_FAIL("%s (%s) writes beyond its result", f->mnemonic, lane_level_name[level]);
    }
}

static void test_form(void *user, const form *f)
{
    progress *p = user;
    const form_row *r = f->row;
    batch b;
    p->forms++;
    for (uint32_t n = 0; n < LANES_TESTED; n += 32) {
        if (!prepare(&b, f, n)) {
            if (!n) UNIT_FAIL("row %s (%s) has no reference in ref_ops.h or ref_float_ops.h", r->id, r->key);
            return;
        }
        uint32_t mask = (uint32_t)vector_random(n + p->forms);
        for (int level = 0; level < LANE_LEVEL_COUNT; level++) {
            if (!lane_level_runs_here(level)) continue;
            check_run(p, f, &b, level, FULL_MASK, LANE_D, "");
            check_run(p, f, &b, level, mask, LANE_D, ", partial mask");
            for (uint32_t k = 0; k < form_sources(r); k++)
                if (r->kind != 'C' && lane_name_bytes(r->lane[k + 1]) == lane_name_bytes(r->lane[0]))
                    check_run(p, f, &b, level, n & 32 ? FULL_MASK : mask, LANE_A + 256 * k, ", in place of an operand");
            if (!n) check_bounds(p, f, &b, level);
        }
    }
}

UNIT_CASE(every_row_agrees_with_its_reference)
{
    progress p = {0};
    each_form(test_form, &p);
    CHECK_EQ_INT(p.failures, 0);
    CHECK(p.forms > 2000);
}

/* ---------------------------------------------------------------- division, which has ways of its own on some hosts */
/* Numbers of all magnitudes, next to powers of two, and small ones. */
static uint64_t divided(uint64_t n)
{
    uint64_t r = vector_random(n), kind = vector_random(r), power = (uint64_t)1 << (r & 63);
    uint64_t near[] = {r >> (kind >> 8 & 63),       power,    power - 1, power + 1, ~r,
                       0 - (r >> (kind >> 8 & 63)), r & kind, r % 5 - 2};
    return near[kind & 7];
}

static uint64_t quotient_or_rest(const form *f, uint64_t a, uint64_t b)
{
    const char *type = f->row->lane[0];
    i128 x = ref_int(a, type), y = ref_int(b, type);
    i128 result = y == 0 ? -1 : f->row->key[0] == 'd' ? x / y : x % y;
    return ref_cut((uint64_t)result, ref_width(type));
}

static void test_division(void *user, const form *f)
{
    uint32_t *forms = user;
    if (strncmp(f->row->key, "div.", 4) && strncmp(f->row->key, "rem.", 4)) return;
    if (!strchr("us", f->row->lane[0][0])) return;
    int width = ref_width(f->row->lane[0]);
    uint32_t bytes = (uint32_t)width / 8, wrong = 0;
    ++*forms;
    for (uint64_t n = 0; n < 60000; n += 32) {
        lane_file from = {{0}};
        uint64_t a[32], b[32];
        for (uint32_t l = 0; l < 32; l++) {
            b[l] = ref_cut(divided(2 * (n + l)), width);
            a[l] = divided(2 * (n + l) + 1);
            if (l & 1) a[l] = b[l] * a[l] + l % 5 - 2; /* near a multiple */
            a[l] = ref_cut(a[l], width);
            lane_put(&from, LANE_A, l, bytes, a[l]);
            lane_put(&from, LANE_B, l, bytes, b[l]);
        }
        for (int level = 0; level < LANE_LEVEL_COUNT; level++) {
            if (!lane_level_runs_here(level)) continue;
            lane_file file = from;
            lane_run(level, f, &file, FULL_MASK, LANE_D);
            for (uint32_t l = 0; l < 32; l++) {
                uint64_t got = lane_get(&file, LANE_D, l, bytes), want = quotient_or_rest(f, a[l], b[l]);
                if (got != want && !wrong++)
                    UNIT_FAIL("%s (%s): %llx %llx gives %llx, expected %llx", f->mnemonic, lane_level_name[level],
                              (unsigned long long)a[l], (unsigned long long)b[l], (unsigned long long)got,
                              (unsigned long long)want);
            }
        }
    }
}

UNIT_CASE(division_is_exact)
{
    uint32_t forms = 0;
    each_form(test_division, &forms);
    CHECK_EQ_INT(forms, 12);
}

/* ---------------------------------------------------------------- the reference itself, where the host can tell */
UNIT_CASE(reference_agrees_with_the_host)
{
    for (uint32_t n = 0; n < 20000; n++) {
        uint64_t in[3], got;
        ref_call c;
        volatile double x[3], r;
        for (uint32_t k = 0; k < 3; k++) {
            in[k] = vector_input(CLASS_F64, 3, k, n + 300);
            double v;
            memcpy(&v, &in[k], 8);
            x[k] = v;
        }
        static const char *const keys[] = {"add.f64", "mul.f64", "div.f64", "fma.f64", "sqrt.f64"};
        for (int op = 0; op < 5; op++) {
            r = op == 0   ? x[0] + x[1]
                : op == 1 ? x[0] * x[1]
                : op == 2 ? x[0] / x[1]
                : op == 3 ? fma(x[0], x[1], x[2])
                          : sqrt(x[0]);
            if (isnan(r)) continue;
            ref_prepare(&c, keys[op], 0, 0);
            memcpy(c.in, in, sizeof in);
            double w = r;
            uint64_t want;
            memcpy(&want, &w, 8);
            REQUIRE(reference(&c, &got));
            CHECK_EQ_INT(got, want);
        }
        volatile float narrow = (float)x[0];
        float w = narrow;
        uint32_t want;
        memcpy(&want, &w, 4);
        ref_prepare(&c, "cvt.f32.f64", 0, 0);
        c.in[0] = in[0];
        if (!isnan(w) && reference(&c, &got)) CHECK_EQ_INT(got, want);
    }
}

/* ---------------------------------------------------------------- predicates */
/* Runs an operation on predicate words a b c -> d, e. */
static void run_words(int level, uint16_t op, uint8_t sub, uint32_t words[5], uint32_t mask, bool second,
                      const lane_file *lanes)
{
    lane_file file = *lanes;
    exec_ctx x = {0};
    for (int k = 0; k < 4; k++) x.file[k] = file.bytes;
    enum { WORDS = 1536 };
    memcpy(file.bytes + WORDS, words, 20);
    bool compares =
        op != OP_and_pred && op != OP_or_pred && op != OP_xor_pred && op != OP_not_pred && op != OP_mov_pred;
    code_insn i = {.op = op,
                   .guard = CODE_NO_REF,
                   .d = WORDS + 12,
                   .a = compares ? LANE_A : WORDS,
                   .b = compares ? LANE_B : WORDS + 4,
                   .c = WORDS + 8,
                   .e = second ? WORDS + 16 : CODE_NO_REF,
                   .alu = {.combine = sub}};
    lane_executor(level, op)(&x, &i, mask);
    memcpy(words, file.bytes + WORDS, 20);
}

UNIT_CASE(predicate_operations)
{
    static const uint16_t ops[] = {OP_and_pred, OP_or_pred, OP_xor_pred, OP_not_pred, OP_mov_pred};
    lane_file none = {0};
    for (int level = 0; level < LANE_LEVEL_COUNT; level++)
        for (uint32_t n = 0; n < 200 && lane_level_runs_here(level); n++)
            for (int k = 0; k < 5; k++) {
                uint32_t w[5], mask = n & 1 ? FULL_MASK : (uint32_t)vector_random(n + 99);
                for (uint32_t j = 0; j < 5; j++) w[j] = (uint32_t)vector_random(5 * n + j);
                uint32_t a = w[0], b = w[1], d = w[3];
                run_words(level, ops[k], 0, w, mask, false, &none);
                for (uint32_t l = 0; l < 32; l++) {
                    bool p = a >> l & 1, q = b >> l & 1,
                         r = k == 0   ? p && q
                             : k == 1 ? p || q
                             : k == 2 ? p != q
                             : k == 3 ? !p
                                      : p;
                    CHECK_EQ_INT(w[3] >> l & 1, mask >> l & 1 ? r : d >> l & 1);
                }
            }
}

/* setp.lt.<bool>.s32 p|q, a, b, c: p = (a < b) bool c, q = !(a < b) bool c */
UNIT_CASE(comparisons_combine_and_write_two_predicates)
{
    for (int level = 0; level < LANE_LEVEL_COUNT; level++)
        for (uint32_t n = 0; n < 200 && lane_level_runs_here(level); n++) {
            lane_file lanes = {0};
            for (uint32_t l = 0; l < 32; l++)
                for (uint32_t k = 0; k < 2; k++)
                    lane_put(&lanes, LANE_A + 256 * k, l, 4, vector_random(64 * n + 2 * l + k) % 5);
            uint32_t w[5], mask = n & 1 ? FULL_MASK : (uint32_t)vector_random(n + 7), sub = n / 2 % 4;
            for (uint32_t j = 0; j < 5; j++) w[j] = (uint32_t)vector_random(5 * n + j);
            uint32_t before[5];
            memcpy(before, w, sizeof w);
            run_words(level, OP_setp_lt_s32, (uint8_t)sub, w, mask, true, &lanes);
            for (uint32_t l = 0; l < 32; l++) {
                bool lt = (int32_t)lane_get(&lanes, LANE_A, l, 4) < (int32_t)lane_get(&lanes, LANE_B, l, 4),
                     c = before[2] >> l & 1;
                bool p = sub == 0 ? lt : sub == 1 ? lt && c : sub == 2 ? lt || c : lt != c;
                bool q = sub == 0 ? !lt : sub == 1 ? !lt && c : sub == 2 ? !lt || c : !lt != c;
                bool on = mask >> l & 1;
                CHECK_EQ_INT(w[3] >> l & 1, on ? p : before[3] >> l & 1);
                CHECK_EQ_INT(w[4] >> l & 1, on ? q : before[4] >> l & 1);
            }
        }
}

UNIT_MAIN()
