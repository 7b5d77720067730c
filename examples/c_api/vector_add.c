/* vector_add.c: the C API in fifty lines: PTX text in, a launch, counters out. No GPU, no CUDA.
 *   cc vector_add.c $(pkg-config --cflags --libs lanewise) && ./a.out */
#include <lanewise/session.h>

#include <stdio.h>
#include <string.h>

static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n{\n"
    "  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<8>; .reg .f32 %f<4>;\n"
    "  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c]; ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.u32 %p, %r5, %r1; @%p bra END;\n"
    "  mul.wide.u32 %d4, %r5, 4; add.u64 %d5, %d1, %d4; add.u64 %d6, %d2, %d4; add.u64 %d7, %d3, %d4;\n"
    "  ld.global.f32 %f1, [%d5]; ld.global.f32 %f2, [%d6]; add.f32 %f3, %f1, %f2; st.global.f32 [%d7], %f3;\n"
    "END: ret;\n}\n";

static void show(void *user, const lw_row *row)
{
    (void)user;
    printf("%s:%u %s %s", row->file, row->line, row->space, row->op);
    for (size_t k = 0; k < row->counter_count; k++)
        printf("  %s %llu", row->counters[k].name, (unsigned long long)row->counters[k].value);
    printf("\n");
}

int main(void)
{
    enum { N = 1000 };
    lw_message message;
    lw_session *session;
    lw_module *module;
    lw_results *results;
    float *v[3];
    unsigned n = N, wrong = 0;
    if (lw_session_create(&session, NULL, &message)) goto failed;
    if (lw_module_load(session, ptx, strlen(ptx), "add.ptx", &module, &message)) goto failed;
    for (int k = 0; k < 3; k++)
        if (lw_buffer_create(session, N * sizeof(float), (void **)&v[k], &message)) goto failed;
    for (int k = 0; k < N; k++) v[0][k] = (float)k, v[1][k] = 2.0f * (float)k;
    lw_shape shape = {.grid = {(N + 255) / 256}, .block = {256}};
    if (lw_launch(session, module, "add", &shape, (void *[]){&v[0], &v[1], &v[2], &n}, &message)) goto failed;
    for (int k = 0; k < N; k++) wrong += v[2][k] != 3.0f * (float)k;
    printf("%s\n", wrong ? "FAIL" : "PASS");
    if (lw_session_results(session, &results, &message)) goto failed;
    lw_results_each(results, show, NULL);
    lw_results_free(results);
    lw_session_destroy(session);
    return wrong != 0;
failed:
    fprintf(stderr, "%s\n", message.text);
    return 1;
}
