/* Where small allocations lie: offsets from the first one, for sequences of cudaMalloc, cudaFree and the like. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <map>
#include <string>
#include <vector>
static char *base;
static const char *seq;
static std::map<int, char *> live;
enum kind { DEV, MAN, PIN, ASY };
static char *get(kind k, size_t n) {
    void *p = 0;
    cudaError_t e = k == DEV ? cudaMalloc(&p, n) : k == MAN ? cudaMallocManaged(&p, n) : k == PIN ? cudaMallocHost(&p, n) : cudaMallocAsync(&p, n, 0);
    if (e) printf("%s,error,%s\n", seq, cudaGetErrorString(e));
    return (char *)p;
}
static void put(kind k, void *p) { k == PIN ? cudaFreeHost(p) : k == ASY ? cudaFreeAsync(p, 0) : cudaFree(p); }
/* "+id:size" allocates, "-id" frees */
static void run(const char *name, kind k, const char *what) {
    seq = name;
    base = 0;
    live.clear();
    std::string s = what;
    size_t at = 0;
    while (at < s.size()) {
        size_t end = s.find(' ', at);
        if (end == std::string::npos) end = s.size();
        std::string w = s.substr(at, end - at);
        int id = atoi(w.c_str() + 1);
        if (w[0] == '+') {
            size_t n = atoll(w.c_str() + w.find(':') + 1);
            char *p = get(k, n);
            if (!base) base = (char *)((size_t)p >> 21 << 21);
            live[id] = p;
            printf("%s,+%d,%zu,%lld,%zu\n", name, id, n, (long long)(p - base), (size_t)p & 2097151);
        } else {
            put(k, live[id]);
            live.erase(id);
            printf("%s,-%d,,,\n", name, id);
        }
        at = end + 1;
    }
    for (auto &l : live) put(k, l.second);
    cudaDeviceSynchronize();
}
__device__ int global_array[1000];
__device__ char global_bytes[3];
__device__ int global_more[256];
int main(int argc, char **argv) {
    kind k = argc > 1 ? (kind)atoi(argv[1]) : DEV;
    puts("sequence,id,bytes,offset,in_2mib");
    run("bump", k, "+1:1 +2:40000 +3:1024 +4:513 +5:512 +6:100000 +7:4 +8:262144 +9:8");
    run("again", k, "+1:40000 +2:1024");
    run("free_first", k, "+1:4096 +2:4096 +3:4096 -1 +4:1024 +5:1024 +6:8192");
    run("free_middle", k, "+1:4096 +2:8192 +3:4096 +4:2048 +5:512 -2 -4 +6:2048 +7:2048 +8:512");
    run("free_last", k, "+1:4096 +2:8192 -2 +3:512 -3 +4:4096");
    run("free_all", k, "+1:4096 +2:8192 -1 -2 +3:512 +4:1024");
    run("merge", k, "+1:4096 +2:4096 +3:4096 +4:512 -1 -2 +5:8192 -3 -5 +6:12288");
    run("large", k, "+1:1000 +2:1048575 +3:512 +4:1048576 +5:700000 +6:700000 +7:700000 +8:700000 +9:100 +10:2000000 +11:2097152 +12:4 +13:3000000 +14:4");
    run("over", k, "+1:524288 +2:524288 +3:524288 +4:524288 +5:524288 +6:512 +7:4096");
    run("order", k, "+1:4 +2:40000000 +3:4 +4:4 +5:1200000 +6:4");
    run("sizes", k, "+1:4096 +2:512 +3:16384 +4:512 +5:2048 +6:512 -1 -3 -5 +7:1024 +8:4096 +9:16384 +10:2048");
    void *g, *b, *m;
    cudaGetSymbolAddress(&g, global_array), cudaGetSymbolAddress(&b, global_bytes), cudaGetSymbolAddress(&m, global_more);
    printf("symbols,array,4000,%zu,\nsymbols,bytes,3,%zu,\nsymbols,more,1024,%zu,\n", (size_t)g & 2097151, (size_t)b & 2097151, (size_t)m & 2097151);
    return 0;
}
