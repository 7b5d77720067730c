// match_any, match_all, redux of every kind, with full and partial masks; grouping equal keys.
#include <cstdio>
#include <cstdlib>

struct Out {
    unsigned any32, any64, all, pred, fany;
    unsigned add, mn, mx, and_, or_, xor_;
    int sadd, smin, smax;
    unsigned part;
};

__global__ void kernel(const int *keys, const long long *wide, Out *out) {
    int t = threadIdx.x;
    int k = keys[t];
    Out o;
    int pred;
    o.any32 = __match_any_sync(~0u, k);
    o.any64 = __match_any_sync(~0u, wide[t]);
    o.fany = __match_any_sync(~0u, k * 0.5f);
    o.all = __match_all_sync(~0u, t < 32 ? 5 : k, &pred);
    o.pred = pred;
    unsigned u = (unsigned)k * 2654435761u;
    o.add = __reduce_add_sync(~0u, u);
    o.mn = __reduce_min_sync(~0u, u);
    o.mx = __reduce_max_sync(~0u, u);
    o.and_ = __reduce_and_sync(~0u, u | 0x100);
    o.or_ = __reduce_or_sync(~0u, 1u << (k & 31));
    o.xor_ = __reduce_xor_sync(~0u, u);
    o.sadd = __reduce_add_sync(~0u, k - 5);
    o.smin = __reduce_min_sync(~0u, k - 5);
    o.smax = __reduce_max_sync(~0u, -k);
    o.part = 0;
    if ((t & 31) < 8) o.part = __reduce_max_sync(0xFF, (unsigned)k);
    else o.part = __reduce_min_sync(0xFFFFFF00, (unsigned)k);
    out[t] = o;
}

int main() {
    const int T = 64;
    int keys[T], *dk;
    long long wide[T], *dw;
    Out h[T], *d;
    for (int i = 0; i < T; i++) {
        keys[i] = rand() % 9;
        wide[i] = ((long long)(rand() % 3) << 40) | 17;
    }
    cudaMalloc(&dk, sizeof keys);
    cudaMalloc(&dw, sizeof wide);
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(dk, keys, sizeof keys, cudaMemcpyHostToDevice);
    cudaMemcpy(dw, wide, sizeof wide, cudaMemcpyHostToDevice);
    kernel<<<1, T>>>(dk, dw, d);
    if (cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    int bad = 0;
    for (int t = 0; t < T; t++) {
        int w = t / 32 * 32;
        Out e = {};
        e.mn = ~0u;
        e.and_ = ~0u;
        e.smin = 1 << 30;
        e.smax = -(1 << 30);
        bool same = true;
        unsigned lo = 0, hi = ~0u;
        for (int l = 0; l < 32; l++) {
            int k = keys[w + l];
            unsigned u = (unsigned)k * 2654435761u;
            e.any32 |= (unsigned)(k == keys[t]) << l;
            e.any64 |= (unsigned)(wide[w + l] == wide[t]) << l;
            same &= w == 0 || k == keys[w];
            e.add += u;
            e.mn = u < e.mn ? u : e.mn;
            e.mx = u > e.mx ? u : e.mx;
            e.and_ &= u | 0x100;
            e.or_ |= 1u << (k & 31);
            e.xor_ ^= u;
            e.sadd += k - 5;
            e.smin = k - 5 < e.smin ? k - 5 : e.smin;
            e.smax = -k > e.smax ? -k : e.smax;
            if (l < 8) lo = (unsigned)k > lo ? k : lo;
            else hi = (unsigned)k < hi ? k : hi;
        }
        e.fany = e.any32;
        e.all = same ? ~0u : 0;
        e.pred = same;
        e.part = t % 32 < 8 ? lo : hi;
        Out &g = h[t];
        bad += g.any32 != e.any32 || g.any64 != e.any64 || g.fany != e.fany || g.all != e.all || !g.pred != !e.pred ||
               g.add != e.add || g.mn != e.mn || g.mx != e.mx || g.and_ != e.and_ || g.or_ != e.or_ ||
               g.xor_ != e.xor_ || g.sadd != e.sadd || g.smin != e.smin || g.smax != e.smax || g.part != e.part;
    }
    cudaFree(dk); cudaFree(dw); cudaFree(d);
    printf(bad ? "%d threads wrong\nFAIL\n" : "PASS\n", bad);
    return bad != 0;
}
