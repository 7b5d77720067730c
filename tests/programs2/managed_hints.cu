// Hints about managed memory come back when they are asked for: of a whole range, of parts of it, and not of memory
// that was freed and given out again.
#include <cstdio>
#include <cuda_runtime.h>

#define CK(call)                                                                                                       \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            printf("%s: %s\nFAIL\n", #call, cudaGetErrorString(error_));                                               \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

static int bad;

static void expect(const char *what, cudaMemRangeAttribute attribute, const char *from, size_t bytes, int wanted)
{
    int got = 99;
    cudaError_t error = cudaMemRangeGetAttribute(&got, sizeof got, attribute, from, bytes);
    if (!error && got == wanted) return;
    printf("%s: %d, not %d (%s)\n", what, got, wanted, cudaGetErrorString(error));
    bad++;
}

int main()
{
    const size_t all = 1 << 20, page = 4096;
    const int nowhere = cudaInvalidDeviceId;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    char *p;
    int users[3];
    CK(cudaMallocManaged(&p, all));
    expect("no hint", cudaMemRangeAttributeReadMostly, p, all, 0);
    expect("no place", cudaMemRangeAttributePreferredLocation, p, all, nowhere);
    CK(cudaMemAdvise(p, all, cudaMemAdviseSetReadMostly, device));
    expect("read mostly", cudaMemRangeAttributeReadMostly, p, all, 1);
    CK(cudaMemAdvise(p + page, page, cudaMemAdviseUnsetReadMostly, device));
    expect("not all of it", cudaMemRangeAttributeReadMostly, p, all, 0);
    expect("before the hole", cudaMemRangeAttributeReadMostly, p, page, 1);
    expect("the hole", cudaMemRangeAttributeReadMostly, p + page, page, 0);
    expect("behind the hole", cudaMemRangeAttributeReadMostly, p + 2 * page, all - 2 * page, 1);

    CK(cudaMemAdvise(p, all, cudaMemAdviseSetPreferredLocation, host));
    expect("on the host", cudaMemRangeAttributePreferredLocation, p, all, cudaCpuDeviceId);
    CK(cudaMemAdvise(p, all / 2, cudaMemAdviseSetPreferredLocation, device));
    expect("half on the device", cudaMemRangeAttributePreferredLocation, p, all / 2, 0);
    expect("half on the host", cudaMemRangeAttributePreferredLocation, p + all / 2, all / 2, cudaCpuDeviceId);
    expect("two places", cudaMemRangeAttributePreferredLocation, p, all, nowhere);

    CK(cudaMemAdvise(p, all, cudaMemAdviseSetAccessedBy, host));
    CK(cudaMemAdvise(p, all, cudaMemAdviseSetAccessedBy, device));
    CK(cudaMemRangeGetAttribute(users, sizeof users, cudaMemRangeAttributeAccessedBy, p, 100));
    if (users[0] != 0 || users[1] != cudaCpuDeviceId || users[2] != nowhere)
        printf("accessed by %d %d %d\n", users[0], users[1], users[2]), bad++;

    expect("no prefetch", cudaMemRangeAttributeLastPrefetchLocation, p, all, nowhere);
    CK(cudaMemPrefetchAsync(p, all, device, 0));
    expect("prefetched", cudaMemRangeAttributeLastPrefetchLocation, p, all, 0);
    CK(cudaFree(p));
    CK(cudaMallocManaged(&p, all));
    expect("new memory", cudaMemRangeAttributeReadMostly, p, all, 0);
    expect("new memory's place", cudaMemRangeAttributePreferredLocationType, p, all, cudaMemLocationTypeInvalid);
    CK(cudaFree(p));
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
