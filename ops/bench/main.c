/*
 * lanewise-ops-bench: measures the ops on this machine's GPU and writes one CSV line per row.
 * usage: lanewise-ops-bench [--out FILE] [--only OP] [--seed N] [--shapes N] [--rounds N] [--limit SECONDS]
 *                           [--skip-copy] [--skip-hist]
 * --limit: the run ends within that time, with fewer rounds a row if need be; rows there is no time for are left out,
 * and a line of the CSV says how many.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench.h"

static void header(bench_state *b, int argc, char **argv)
{
    struct cudaDeviceProp prop;
    int driver = 0, runtime = 0;
    char date[32];
    time_t now = time(NULL);
    cudaGetDeviceProperties(&prop, 0);
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
    fprintf(b->csv, "# device %s, %d SMs, L2 %d bytes, cc %d.%d\n", prop.name, prop.multiProcessorCount,
            prop.l2CacheSize, prop.major, prop.minor);
    fprintf(b->csv, "# CUDA driver API %d, runtime %d, liblanewise-ops %s, %s\n", driver, runtime, lw_ops_version(),
            date);
    fprintf(b->csv, "# command: lanewise-ops-bench");
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--out")) i++; /* a path of this machine says nothing */
        else fprintf(b->csv, " %s", argv[i]);
    }
    fprintf(b->csv, "\nop,case,plan,useful_bytes,ms,GB_per_s,ratio,ratio_p10,ratio_p90,denominator,denominator_ms,peer,"
                    "peer_ratio,peers\n");
}

static void all_rows(bench_state *b, uint64_t seed, int shapes, bool copy, bool hist)
{
    if (copy) bench_rows_copy(b, seed, shapes);
    if (hist) bench_rows_hist(b);
    bench_rows_record(b);
    if (copy) bench_rows_convert(b);
    bench_rows_cached(b);
    bench_rows_calls(b, seed, shapes);
    if (copy) bench_rows_inplace(b, seed, shapes);
    bench_rows_host(b);
}

int main(int argc, char **argv)
{
    bench_state b;
    lw_ops_error err;
    const char *out = NULL;
    uint64_t seed = 1;
    int shapes = 200, skip_copy = 0, skip_hist = 0;
    memset(&b, 0, sizeof b);
    b.rounds = 15;
    b.started = bench_now();
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--skip-copy")) {
            skip_copy = 1;
            continue;
        }
        if (!strcmp(argv[i], "--skip-hist")) {
            skip_hist = 1;
            continue;
        }
        if (!strcmp(argv[i], "--out")) out = value;
        else if (!strcmp(argv[i], "--only")) b.filter = value;
        else if (!strcmp(argv[i], "--seed")) seed = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i], "--shapes")) shapes = atoi(value);
        else if (!strcmp(argv[i], "--rounds")) b.rounds = atoi(value);
        else if (!strcmp(argv[i], "--limit")) b.limit.seconds = atof(value);
        else {
            fprintf(stderr, "unknown option %s\n", argv[i]);
            return 2;
        }
        i++;
    }
    int l2 = 0;
    if (lw_ops_create(&b.ops, 0, &err) != LW_OPS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    b.csv = out ? fopen(out, "w") : stdout;
    if (!b.csv) {
        perror(out);
        return 1;
    }
    cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0);
    cudaDeviceGetAttribute(&b.sms, cudaDevAttrMultiProcessorCount, 0);
    b.l2 = l2;
    b.size = ((size_t)4100 << 20);
    cudaStreamCreateWithFlags(&b.stream, cudaStreamNonBlocking);
    cudaEventCreate(&b.start);
    cudaEventCreate(&b.stop);
    if (cudaMalloc((void **)&b.a, b.size) != cudaSuccess || cudaMalloc((void **)&b.b, b.size) != cudaSuccess ||
        bench_fill(b.a, b.size, 1, b.stream) || bench_fill(b.b, b.size, 2, b.stream)) {
        fprintf(stderr, "no device memory\n");
        return 1;
    }
    header(&b, argc, argv);
    b.limit.counting = b.limit.seconds > 0;
    if (b.limit.counting) all_rows(&b, seed, shapes, !skip_copy, !skip_hist);
    b.limit.counting = false;
    all_rows(&b, seed, shapes, !skip_copy, !skip_hist);
    cudaError_t e = cudaDeviceSynchronize();
    if (b.limit.skipped) {
        fprintf(b.csv, "# %d of %d rows were not measured: the time of %g s was up\n", b.limit.skipped, b.limit.done,
                b.limit.seconds);
        fprintf(stderr, "%d of %d rows were not measured: the time of %g s was up\n", b.limit.skipped, b.limit.done,
                b.limit.seconds);
    }
    if (e != cudaSuccess) fprintf(stderr, "at the end: %s\n", cudaGetErrorString(e));
    if (out) fclose(b.csv);
    cudaFree(b.a);
    cudaFree(b.b);
    lw_ops_destroy(b.ops);
    return e != cudaSuccess;
}
