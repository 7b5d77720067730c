// printf from kernels: its output is captured by redirecting stdout to a file, then compared line by line.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

__global__ void hello() { printf("Hello from thread %d of block %d\n", threadIdx.x, blockIdx.x); }

__global__ void formats(const char *text, double d, long long big) {
    printf("%5d|%-5d|%05d|%+d|%x|%X|%#o\n", 42, 42, 42, 42, 0xbeef, 0xbeef, 8);
    printf("%.3f|%10.2e|%g|%c|%s|%%\n", d, d, d, 'z', text);
    printf("%lld|%llu|%lu|%hd|%u\n", big, (unsigned long long)big, 7ul, (short)-3, 4000000000u);
    int n = printf("%s %d\n", "two args", 5);
    printf("returned %d\n", n);
    printf("no newline");
    printf("\n");
}

__device__ void nested(int depth) {
    if (depth > 0) nested(depth - 1);
    printf("depth %d\n", depth);
}
__global__ void recursion() { nested(3); }

int main() {
    char path[] = "/tmp/device_printf_XXXXXX";
    int file = mkstemp(path), saved = dup(1);
    size_t limit;
    bool ok = cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize) == cudaSuccess && limit >= 1 << 16;
    fflush(stdout);
    dup2(file, 1);
    hello<<<2, 3>>>();
    cudaDeviceSynchronize();
    char *text;
    cudaMallocManaged(&text, 16);
    snprintf(text, 16, "managed");
    formats<<<1, 1>>>(text, 3.14159, -1234567890123LL);
    recursion<<<1, 1>>>();
    cudaError_t e = cudaDeviceSynchronize();
    fflush(stdout);
    dup2(saved, 1);
    close(file);
    cudaFree(text);

    std::vector<std::string> lines;
    FILE *f = fopen(path, "r");
    char line[256];
    while (fgets(line, sizeof line, f)) lines.push_back(line);
    fclose(f);
    unlink(path);
    std::vector<std::string> first(lines.begin(), lines.begin() + std::min<size_t>(6, lines.size())), want;
    for (int b = 0; b < 2; b++)
        for (int t = 0; t < 3; t++)
            want.push_back("Hello from thread " + std::to_string(t) + " of block " + std::to_string(b) + "\n");
    std::sort(first.begin(), first.end()); // blocks come in any order
    std::sort(want.begin(), want.end());
    ok &= e == cudaSuccess && first == want;
    const char *rest[] = {"   42|42   |00042|+42|beef|BEEF|010\n", "3.142|  3.14e+00|3.14159|z|managed|%\n",
                          "-1234567890123|18446742839141661493|7|-3|4000000000\n", "two args 5\n", "returned 2\n",
                          "no newline\n", "depth 0\n", "depth 1\n", "depth 2\n", "depth 3\n"};
    if (lines.size() != 16) ok = false;
    for (size_t i = 0; i < 10 && 6 + i < lines.size(); i++)
        if (lines[6 + i] != rest[i]) {
            printf("line %zu is %s instead of %s", 6 + i, lines[6 + i].c_str(), rest[i]);
            ok = false;
        }
    printf("%zu lines\n%s\n", lines.size(), ok ? "PASS" : "FAIL");
    return !ok;
}
