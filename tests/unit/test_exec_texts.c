/* test_exec_texts: what kernels print, and what their failed assertions say. */
#include "fixture.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

typedef struct printed {
    char format[100];
    size_t size;
    uint64_t bytes;
} printed;

static int keep_print(void *user, const char *format, const uint8_t *arguments, uint64_t bytes, exec_printed *out,
                      const exec_strings *strings)
{
    (void)strings;
    *out = (exec_printed){0};
    printed *p = user;
    p->size = strlen(format);
    snprintf(p->format, sizeof p->format, "%s", format);
    p->bytes = arguments ? bytes : 0;
    return 1;
}

#define VPRINTF ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
#define ASSERTFAIL                                                                                                     \
    ".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);\n"
#define HEAD_CALL(declaration)                                                                                         \
    HEAD declaration ".visible .entry k(.param .u64 p, .param .u64 a) {\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"        \
                     "ld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [a];\n"

static printed print(const char *text, uint64_t arguments)
{
    fixture f;
    printed out = {{0}, 0, 0};
    CHECK(load(&f,
               HEAD_CALL(VPRINTF) "{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], %rd1;\n"
                                  "st.param.b64 [y], %rd2; call.uni (z), vprintf, (x, y); }\nret;\n}\n",
               "k"));
    size_t n = strlen(text); /* without the end */
    uint64_t params[2] = {buffer(&f, n), 0};
    memcpy((void *)(uintptr_t)params[0], text, n);
    if (arguments) params[1] = buffer(&f, 12);
    exec_launch l = launch_of(&f, 1, 1, params);
    l.services = (exec_services){.user = &out, .print = keep_print};
    exec_result r;
    CHECK(exec_run(&l, &r, &f.error) == LW_OK);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    exec_result_free(&r);
    unload(&f);
    return out;
}

/* A kernel of which every thread fails: message, file and function are the text at p. */
static void load_failing_assertion(fixture *f)
{
    CHECK(load(
        f,
        HEAD_CALL(
            ASSERTFAIL) "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 c;\n"
                        "st.param.b64 [m], %rd1; st.param.b64 [f], %rd1; st.param.b32 [l], 5; st.param.b64 [n], %rd1;\n"
                        "st.param.b64 [c], 1; call.uni __assertfail, (m, f, l, n, c); }\nret;\n}\n",
        "k"));
}

UNIT_CASE(texts_end_with_their_allocation)
{
    printed p = print("eight by", 12);
    CHECK_STR(p.format, "eight by[cut: no end of text]");
    CHECK_EQ_INT(p.bytes, 12);
    char *large = lw_alloc((1 << 17) + 1);
    memset(large, 'x', 1 << 17);
    p = print(large, 0);
    CHECK_EQ_INT(p.size, (1 << 16) + strlen("[cut]"));
    free(large);
    fixture f;
    load_failing_assertion(&f);
    uint64_t params[2] = {buffer(&f, 4), 0};
    memcpy((void *)(uintptr_t)params[0], "abcd", 4);
    exec_launch l = launch_of(&f, 1, 1, params);
    l.stop_at_errors = true;
    exec_result r;
    CHECK(exec_run(&l, &r, &f.error) == LW_OK);
    CHECK_EQ_INT(r.fault.kind, EXEC_ASSERT);
    CHECK(strstr(r.fault.message, "abcd[cut: no end of text]:5: abcd[cut"));
    exec_result_free(&r);
    unload(&f);
}

/* ---------------------------------------------------------------- asserts */
static void count_line(void *user, const char *line)
{
    CHECK_HAS(line, "Assertion `text` failed.");
    ++*(uint64_t *)user;
}

/* Every thread that fails has its line, also in other blocks; the fault is the first of the grid. */
UNIT_CASE(each_failed_assert_has_a_line)
{
    fixture f;
    load_failing_assertion(&f);
    uint64_t params[2] = {buffer(&f, 8), 0};
    uint64_t lines = 0;
    memcpy((void *)(uintptr_t)params[0], "text", 5);
    exec_launch l = launch_of(&f, 3, 40, params);
    l.services = (exec_services){.user = &lines, .assertion = count_line};
    l.device.sm_count = 1;
    l.device.max_blocks_per_sm = 2;
    exec_result r;
    CHECK(exec_run(&l, &r, &f.error) == LW_OK);
    CHECK_EQ_INT(lines, 80);
    CHECK_EQ_INT(r.fault.kind, EXEC_ASSERT);
    CHECK_EQ_INT(r.fault.count, 80);
    CHECK_EQ_INT(r.fault.block[0] + r.fault.thread[0], 0);
    exec_result_free(&r);
    unload(&f);
}

UNIT_MAIN()
