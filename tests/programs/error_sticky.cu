// Faults of kernels: an illegal address is reported at the next synchronisation and sticks until the process ends.
// Each fault needs a process of its own, so the program forks before its first CUDA call.
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

__global__ void wild_store(int *p) { p[threadIdx.x] = 1; }
__global__ void misaligned(char *p) { *(int *)(p + 1 + threadIdx.x * 4) = 1; }
__global__ void trap_kernel() { asm volatile("trap;"); }
__global__ void infinite_recursion_guarded(int *p, int n) { if (n < 0) asm volatile("trap;"); else p[threadIdx.x] = n; }
__global__ void fine(int *p) { p[threadIdx.x] = 3; }

static int child(int which) {
    int *d, h[32];
    if (cudaMalloc(&d, 32 * sizeof(int)) != cudaSuccess) return 10;
    cudaError_t want;
    switch (which) {
    case 0:
        wild_store<<<1, 32>>>((int *)0x10);
        want = cudaErrorIllegalAddress;
        break;
    case 1:
        misaligned<<<1, 4>>>((char *)d);
        want = cudaErrorMisalignedAddress;
        break;
    case 2:
        trap_kernel<<<1, 1>>>();
        want = cudaErrorLaunchFailure;
        break;
    default:
        infinite_recursion_guarded<<<1, 32>>>(d, 5);
        want = cudaSuccess;
        break;
    }
    if (cudaGetLastError() != cudaSuccess) return 11; // the launch itself was right
    cudaError_t e = cudaDeviceSynchronize();
    if (e != want) {
        fprintf(stderr, "fault %d: %s, expected %s\n", which, cudaGetErrorName(e), cudaGetErrorName(want));
        return 12;
    }
    fine<<<1, 32>>>(d);
    e = cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    if (e != want) return 13; // sticky
    if (want != cudaSuccess) {
        cudaGetLastError();
        if (cudaDeviceSynchronize() != want) return 14; // reading it does not clear it
    } else if (h[31] != 3)
        return 15;
    return 0;
}

int main() {
    int bad = 0;
    for (int which = 0; which < 4; which++) {
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) _exit(child(which));
        int status;
        waitpid(pid, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            printf("fault %d: status %d\n", which, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
            bad++;
        }
    }
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
