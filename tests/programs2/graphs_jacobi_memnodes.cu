// CUDA graphs as the samples build them: a Jacobi solver whose graph is captured once and updated, a graph made by hand
// with kernel, copy, memset and host nodes, cloned, and a graph with its own allocations.
#include <cmath>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
namespace cg = cooperative_groups;
#define CK(x) do { cudaError_t e = (x); if (e) { printf("line %d %s: %s\n", __LINE__, #x, cudaGetErrorString(e)); exit(1); } } while (0)
#define N 64
__global__ void jacobi(const float *A, const double *b, float conv, const double *x, double *xn, double *sum) {
    cg::thread_block cta = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cta);
    for (int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank(); row < N; row += gridDim.x * tile.meta_group_size()) {
        double s = 0;
        for (int j = tile.thread_rank(); j < N; j += 32) s += (double)A[row * N + j] * x[j];
        for (int k = 16; k; k >>= 1) s += tile.shfl_down(s, k);
        if (tile.thread_rank() == 0) { double dx = b[row] - s; xn[row] = x[row] + dx / A[row * N + row]; atomicAdd(sum, fabs(dx)); }
    }
}
__global__ void reduceK(const float *in, double *out, size_t n) {
    __shared__ double t[64]; cg::thread_block cta = cg::this_thread_block(); double s = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += in[i];
    t[cta.thread_rank()] = s; cg::sync(cta);
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cta);
    double b = t[cta.thread_rank()]; for (int i = 16; i; i >>= 1) b += tile.shfl_xor(b, i);
    if (tile.thread_rank() == 0) atomicAdd(out, b);
}
__global__ void square(float *p, int n, float k) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = k * i * i; }
struct cb { const char *name; double *data; int calls; };
static void CUDART_CB hostNode(void *p) { cb *c = (cb *)p; c->calls++; }
int main() {
    int bad = 0; float *A; double *b, *x, *xn, *d_sum, sum; CK(cudaMallocManaged(&A, N * N * 4)); CK(cudaMallocManaged(&b, N * 8)); CK(cudaMalloc(&x, N * 8)); CK(cudaMalloc(&xn, N * 8)); CK(cudaMalloc(&d_sum, 8));
    for (int i = 0; i < N; i++) { double r = 0; for (int j = 0; j < N; j++) { A[i * N + j] = i == j ? 2.0f * N : 1.0f / (1 + abs(i - j)); r += A[i * N + j] * (j % 5); } b[i] = r; }
    cudaStream_t s; CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)); CK(cudaMemset(x, 0, N * 8)); CK(cudaMemset(xn, 0, N * 8));
    cudaGraphExec_t ge = NULL; int k;
    for (k = 0; k < 200; k++) {
        CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        CK(cudaMemsetAsync(d_sum, 0, 8, s));
        if (k & 1) jacobi<<<8, 64, 0, s>>>(A, b, 1e-9f, xn, x, d_sum); else jacobi<<<8, 64, 0, s>>>(A, b, 1e-9f, x, xn, d_sum);
        CK(cudaMemcpyAsync(&sum, d_sum, 8, cudaMemcpyDeviceToHost, s));
        cudaGraph_t g; CK(cudaStreamEndCapture(s, &g));
        if (!ge) CK(cudaGraphInstantiate(&ge, g, NULL, NULL, 0));
        else { cudaGraphExecUpdateResultInfo info; CK(cudaGraphExecUpdate(ge, g, &info)); bad += info.result != cudaGraphExecUpdateSuccess; }
        CK(cudaGraphLaunch(ge, s)); CK(cudaStreamSynchronize(s)); CK(cudaGraphDestroy(g));
        if (sum < 1e-9) break;
    }
    double hx[N]; CK(cudaMemcpy(hx, xn, N * 8, cudaMemcpyDeviceToHost)); for (int i = 0; i < N; i++) bad += fabs(hx[i] - i % 5) > 1e-6;
    printf("jacobi: %d iterations, bad %d\n", k, bad);

    // by hand
    const size_t n = 10000; float *hin, *din; double *dout, res = 0; CK(cudaMallocHost(&hin, n * 4)); CK(cudaMalloc(&din, n * 4)); CK(cudaMalloc(&dout, 8));
    double want = 0; for (size_t i = 0; i < n; i++) want += hin[i] = (i * 7 % 13) * 0.5f;
    cudaGraph_t g, clone; cudaGraphNode_t cp, ms, kn, back, host; std::vector<cudaGraphNode_t> deps; CK(cudaGraphCreate(&g, 0));
    cudaMemcpy3DParms mp = {0}; mp.srcPtr = make_cudaPitchedPtr(hin, n * 4, n, 1); mp.dstPtr = make_cudaPitchedPtr(din, n * 4, n, 1); mp.extent = make_cudaExtent(n * 4, 1, 1); mp.kind = cudaMemcpyHostToDevice;
    CK(cudaGraphAddMemcpyNode(&cp, g, NULL, 0, &mp));
    cudaMemsetParams msp = {0}; msp.dst = dout; msp.value = 0; msp.elementSize = 4; msp.width = 2; msp.height = 1; CK(cudaGraphAddMemsetNode(&ms, g, NULL, 0, &msp));
    deps.push_back(cp); deps.push_back(ms);
    size_t nn = n; void *args[3] = {&din, &dout, &nn}; cudaKernelNodeParams kp = {0}; kp.func = (void *)reduceK; kp.gridDim = dim3(4); kp.blockDim = dim3(64); kp.kernelParams = args;
    CK(cudaGraphAddKernelNode(&kn, g, deps.data(), deps.size(), &kp)); deps.assign(1, kn);
    mp.srcPtr = make_cudaPitchedPtr(dout, 8, 1, 1); mp.dstPtr = make_cudaPitchedPtr(&res, 8, 1, 1); mp.extent = make_cudaExtent(8, 1, 1); mp.kind = cudaMemcpyDeviceToHost;
    CK(cudaGraphAddMemcpyNode(&back, g, deps.data(), 1, &mp)); deps.assign(1, back);
    cb data = {"x", &res, 0}; cudaHostNodeParams hp = {0}; hp.fn = hostNode; hp.userData = &data; CK(cudaGraphAddHostNode(&host, g, deps.data(), 1, &hp));
    size_t count; CK(cudaGraphGetNodes(g, NULL, &count)); bad += count != 5;
    CK(cudaGraphClone(&clone, g)); cudaGraphExec_t e1, e2; CK(cudaGraphInstantiate(&e1, g, NULL, NULL, 0)); CK(cudaGraphInstantiate(&e2, clone, NULL, NULL, 0));
    for (int i = 0; i < 3; i++) { res = 0; CK(cudaGraphLaunch(i == 1 ? e2 : e1, s)); CK(cudaStreamSynchronize(s)); bad += res != want; }
    bad += data.calls != 3; printf("by hand: bad %d\n", bad);

    // memory nodes, captured and explicit
    cudaGraph_t mg; CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal)); float *tmp, out[256]; CK(cudaMallocAsync(&tmp, 1024, s)); square<<<2, 128, 0, s>>>(tmp, 256, 0.5f);
    CK(cudaMemcpyAsync(out, tmp, 1024, cudaMemcpyDeviceToHost, s)); CK(cudaFreeAsync(tmp, s)); CK(cudaStreamEndCapture(s, &mg));
    cudaGraphExec_t me; CK(cudaGraphInstantiate(&me, mg, NULL, NULL, 0)); CK(cudaGraphLaunch(me, s)); CK(cudaStreamSynchronize(s)); for (int i = 0; i < 256; i++) bad += out[i] != 0.5f * i * i;
    cudaGraph_t ag; CK(cudaGraphCreate(&ag, 0)); cudaMemAllocNodeParams ap = {}; ap.bytesize = 1024; ap.poolProps.allocType = cudaMemAllocationTypePinned; ap.poolProps.location.type = cudaMemLocationTypeDevice; ap.poolProps.location.id = 0;
    cudaGraphNode_t an, kn2, cn, fn; CK(cudaGraphAddMemAllocNode(&an, ag, NULL, 0, &ap)); float *q = (float *)ap.dptr; int cnt = 256; float kk = 2; void *sa[3] = {&q, &cnt, &kk};
    cudaKernelNodeParams kq = {0}; kq.func = (void *)square; kq.gridDim = 2; kq.blockDim = 128; kq.kernelParams = sa; CK(cudaGraphAddKernelNode(&kn2, ag, &an, 1, &kq));
    CK(cudaGraphAddMemcpyNode1D(&cn, ag, &kn2, 1, out, q, 1024, cudaMemcpyDeviceToHost)); CK(cudaGraphAddMemFreeNode(&fn, ag, &cn, 1, q));
    cudaGraphExec_t ae; CK(cudaGraphInstantiate(&ae, ag, NULL, NULL, 0)); CK(cudaGraphLaunch(ae, s)); CK(cudaStreamSynchronize(s)); for (int i = 0; i < 256; i++) bad += out[i] != 2.f * i * i;
    CK(cudaDeviceGraphMemTrim(0)); puts(bad ? "FAIL" : "PASS"); return bad != 0;
}
