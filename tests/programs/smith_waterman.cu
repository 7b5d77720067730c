// Smith-Waterman local alignment with affine gaps: one pair of sequences per thread, and one per warp with shuffles.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define QLEN 32
#define TLEN 64
#define MATCH 3
#define MISMATCH (-2)
#define GAP_OPEN 4
#define GAP_EXTEND 1

__global__ void sw_thread(const char *q, const char *t, int *score, int pairs) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    short H[QLEN + 1], E[QLEN + 1];
    for (int i = 0; i <= QLEN; i++) H[i] = E[i] = 0;
    int best = 0;
    for (int j = 0; j < TLEN; j++) {
        char c = t[j * pairs + p];
        short diag = 0, F = 0;
        for (int i = 1; i <= QLEN; i++) {
            short e = max(E[i] - GAP_EXTEND, H[i] - GAP_OPEN);
            F = max(F - GAP_EXTEND, H[i - 1] - GAP_OPEN);
            short h = diag + (q[(i - 1) * pairs + p] == c ? MATCH : MISMATCH);
            h = max(max((int)h, 0), max((int)e, (int)F));
            diag = H[i];
            H[i] = h;
            E[i] = e;
            best = max(best, (int)h);
        }
    }
    score[p] = best;
}

// Lane i owns query letter i; the anti-diagonal moves through the target.
__global__ void sw_warp(const char *q, const char *t, int *score, int pairs) {
    int p = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (p >= pairs) return;
    char mine = q[lane * pairs + p];
    int H = 0, Hup_prev = 0, E = 0, F = 0, best = 0;
    for (int step = 0; step < TLEN + 31; step++) {
        int Hup = __shfl_up_sync(~0u, H, 1), Fup = __shfl_up_sync(~0u, F, 1);
        if (lane == 0) Hup = Fup = 0;
        int j = step - lane;
        if (j >= 0 && j < TLEN) {
            int e = max(E - GAP_EXTEND, H - GAP_OPEN);
            int f = max(Fup - GAP_EXTEND, Hup - GAP_OPEN);
            int h = Hup_prev + (mine == t[j * pairs + p] ? MATCH : MISMATCH);
            h = max(max(h, 0), max(e, f));
            H = h;
            E = e;
            F = f;
            best = max(best, h);
        }
        Hup_prev = Hup;
    }
    best = __reduce_max_sync(~0u, best);
    if (lane == 0) score[p] = best;
}

int main() {
    const int pairs = 70;
    std::vector<char> q(QLEN * pairs), t(TLEN * pairs);
    for (auto &c : t) c = "ACGT"[rand() & 3];
    for (int p = 0; p < pairs; p++)
        for (int i = 0; i < QLEN; i++) {
            q[i * pairs + p] = t[(i + 10) * pairs + p];
            if (rand() % 4 == 0) q[i * pairs + p] = "ACGT"[rand() & 3];
        }
    std::vector<int> want(pairs), got(pairs), got2(pairs);
    for (int p = 0; p < pairs; p++) {
        int H[QLEN + 1][TLEN + 1] = {}, E[QLEN + 1][TLEN + 1] = {}, F[QLEN + 1][TLEN + 1] = {}, best = 0;
        for (int i = 1; i <= QLEN; i++)
            for (int j = 1; j <= TLEN; j++) {
                E[i][j] = std::max(E[i][j - 1] - GAP_EXTEND, H[i][j - 1] - GAP_OPEN);
                F[i][j] = std::max(F[i - 1][j] - GAP_EXTEND, H[i - 1][j] - GAP_OPEN);
                int s = q[(i - 1) * pairs + p] == t[(j - 1) * pairs + p] ? MATCH : MISMATCH;
                H[i][j] = std::max(std::max(0, H[i - 1][j - 1] + s), std::max(E[i][j], F[i][j]));
                best = std::max(best, H[i][j]);
            }
        want[p] = best;
    }
    char *dq, *dt;
    int *ds;
    cudaMalloc(&dq, q.size());
    cudaMalloc(&dt, t.size());
    cudaMalloc(&ds, pairs * sizeof(int));
    cudaMemcpy(dq, q.data(), q.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dt, t.data(), t.size(), cudaMemcpyHostToDevice);
    sw_thread<<<(pairs + 31) / 32, 32>>>(dq, dt, ds, pairs);
    cudaMemcpy(got.data(), ds, pairs * sizeof(int), cudaMemcpyDeviceToHost);
    sw_warp<<<(pairs + 3) / 4, 128>>>(dq, dt, ds, pairs);
    cudaMemcpy(got2.data(), ds, pairs * sizeof(int), cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess && got == want && got2 == want;
    for (int p = 0; p < pairs && !ok; p++)
        if (got[p] != want[p] || got2[p] != want[p])
            printf("pair %d: %d %d, expected %d\n", p, got[p], got2[p], want[p]);
    cudaFree(dq); cudaFree(dt); cudaFree(ds);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
