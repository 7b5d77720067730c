/* Memory of all kinds, copies and sets of every shape, pointer attributes, pools, arrays. */
#include "driver_test.h"

static void check_flat(void)
{
    CUdeviceptr a, b, base;
    size_t bytes = 0, available = 0, total = 0;
    unsigned words[16];
    unsigned short halves[16];
    EXPECT_ERROR(cuMemAlloc(&a, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAlloc(&a, 64));
    CHECK(cuMemAlloc(&b, 64));
    CHECK(cuMemGetAddressRange(&base, &bytes, a + 10));
    EXPECT(base == a && bytes == 64);
    CHECK(cuMemGetInfo(&available, &total));
    EXPECT(available > 0 && available < total);
    CHECK(cuMemsetD32(a, 0x01020304, 16));
    CHECK(cuMemsetD16(a + 32, 0xabcd, 8));
    CHECK(cuMemsetD8(a + 60, 0x11, 4));
    CHECK(cuMemcpyDtoD(b, a, 64));
    CHECK(cuMemcpyDtoH(words, b, 64));
    EXPECT(words[0] == 0x01020304 && words[15] == 0x11111111);
    CHECK(cuMemcpyDtoHAsync(halves, b + 32, 16, CU_STREAM_PER_THREAD));
    CHECK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    EXPECT(halves[0] == 0xabcd && halves[7] == 0xabcd);
    EXPECT_ERROR(cuMemsetD32(a + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
    words[3] = 99;
    CHECK(cuMemcpy((CUdeviceptr)(size_t)&words[4], (CUdeviceptr)(size_t)&words[3], 4));
    EXPECT(words[4] == 99);
    EXPECT_ERROR(cuMemcpyHtoD(a + 32, words, 64), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemFree(a));
    CHECK(cuMemFree(b));
    EXPECT_ERROR(cuMemFree(b), CUDA_ERROR_INVALID_VALUE);
}

static void check_shapes(void)
{
    CUdeviceptr p;
    size_t pitch = 0;
    unsigned char host[6 * 4], back[6 * 4];
    for (int i = 0; i < 24; i++) host[i] = (unsigned char)i;
    CHECK(cuMemAllocPitch(&p, &pitch, 6, 8, 4));
    EXPECT(pitch >= 6 && pitch % 32 == 0);
    CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = host,
                        .srcPitch = 6,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = p,
                        .dstPitch = pitch,
                        .WidthInBytes = 6,
                        .Height = 4};
    CHECK(cuMemcpy2D(&in));
    CUDA_MEMCPY2D out = {.srcXInBytes = 1,
                         .srcY = 1,
                         .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = p,
                         .srcPitch = pitch,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = back,
                         .dstPitch = 6,
                         .WidthInBytes = 5,
                         .Height = 3};
    CHECK(cuMemcpy2DUnaligned(&out));
    EXPECT(back[0] == 7 && back[4] == 11 && back[12] == 19);
    in.WidthInBytes = 7;
    EXPECT_ERROR(cuMemcpy2D(&in), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemsetD2D8(p, pitch, 0x5a, 6, 4));
    CHECK(cuMemcpyDtoH(back, p + pitch, 6));
    EXPECT(back[5] == 0x5a);
    CUDA_MEMCPY3D volume = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                            .srcHost = host,
                            .srcPitch = 6,
                            .srcHeight = 2,
                            .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                            .dstDevice = p,
                            .dstPitch = pitch,
                            .dstHeight = 4,
                            .WidthInBytes = 6,
                            .Height = 2,
                            .Depth = 2};
    CHECK(cuMemcpy3D(&volume));
    CHECK(cuMemcpyDtoH(back, p + 4 * pitch, 6));
    EXPECT(back[0] == 12 && back[5] == 17);
    CHECK(cuMemFree(p));
}

static void check_pinned(void)
{
    void *pinned;
    CUdeviceptr device, managed;
    unsigned flags = 0, type = 0, is_managed = 0;
    int ordinal = -5;
    static char own[8192];
    CHECK(cuMemHostAlloc(&pinned, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
    CHECK(cuMemHostGetDevicePointer(&device, pinned, 0));
    CHECK(cuMemHostGetFlags(&flags, pinned));
    EXPECT(flags & CU_MEMHOSTALLOC_DEVICEMAP);
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device));
    EXPECT(type == CU_MEMORYTYPE_HOST);
    CHECK(cuMemFreeHost(pinned));
    CHECK(cuMemAllocHost(&pinned, 100));
    CHECK(cuMemFreeHost(pinned));
    CHECK(cuMemHostRegister(own, sizeof own, 0));
    EXPECT_ERROR(cuMemHostRegister(own, sizeof own, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    CHECK(cuMemHostUnregister(own));
    EXPECT_ERROR(cuMemHostUnregister(own), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    CHECK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                   CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    size_t size = 0;
    void *values[] = {&is_managed, &ordinal, &size};
    CHECK(cuPointerGetAttributes(3, which, values, managed));
    EXPECT((is_managed & 1) && ordinal == 0 && size == 4096);
    CHECK(cuPointerGetAttributes(3, which, values, (CUdeviceptr)(size_t)own));
    EXPECT(!(is_managed & 1) && ordinal == -2 && size == 0);
    EXPECT_ERROR(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)own),
                 CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemFree(managed));
}

static void check_pools(void)
{
    CUmemoryPool pool, made;
    CUdeviceptr p;
    CUstream stream;
    cuuint64_t used = 1;
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cuMemAllocAsync(&p, 1000, stream));
    CHECK(cuMemsetD8Async(p, 1, 1000, stream));
    CHECK(cuMemFreeAsync(p, stream));
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location.type = CU_MEM_LOCATION_TYPE_DEVICE};
    CHECK(cuMemPoolCreate(&made, &props));
    CHECK(cuMemAllocFromPoolAsync(&p, 1000, made, stream));
    CHECK(cuMemFreeAsync(p, stream));
    p = 1;
    CHECK(cuMemAllocFromPoolAsync(&p, 0, made, stream));
    EXPECT(p == 0);
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuMemPoolGetAttribute(made, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    EXPECT(used == 0);
    CHECK(cuMemPoolDestroy(made));
    CHECK(cuStreamDestroy(stream));
}

/* Pools of the host's and of managed memory: the host writes what it was given. */
static void check_pools_elsewhere(void)
{
    static const struct {
        CUmemAllocationType type;
        CUmemLocationType location;
        CUmemorytype memory;
    } kinds[] = {{CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST, CU_MEMORYTYPE_HOST},
                 {CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST_NUMA, CU_MEMORYTYPE_HOST},
                 {CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_DEVICE, CU_MEMORYTYPE_UNIFIED}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        CUmemPoolProps props = {.allocType = kinds[i].type, .location.type = kinds[i].location};
        CUmemLocation where = props.location, device = {.type = CU_MEM_LOCATION_TYPE_DEVICE};
        CUmemoryPool pool, current, of_device;
        CUmemAccess_flags access = 0;
        CUdeviceptr p;
        cuuint64_t used = 0;
        unsigned memory = 0;
        CHECK(cuMemPoolCreate(&pool, &props));
        CHECK(cuMemPoolGetAccess(&access, pool, &device));
        EXPECT(access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
        CHECK(cuMemSetMemPool(&where, props.allocType, pool));
        CHECK(cuMemGetMemPool(&current, &where, props.allocType));
        CHECK(cuDeviceGetMemPool(&of_device, 0));
        EXPECT(current == pool && of_device != pool);
        EXPECT(cuDeviceSetMemPool(0, pool) == CUDA_ERROR_INVALID_VALUE);
        CHECK(cuMemAllocFromPoolAsync(&p, 1000, pool, NULL));
        CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
        EXPECT(used == 1000);
        CHECK(cuStreamSynchronize(NULL));
        memset((void *)(uintptr_t)p, 7, 1000);
        CHECK(cuPointerGetAttribute(&memory, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
        EXPECT(memory == (kinds[i].memory == CU_MEMORYTYPE_UNIFIED ? CU_MEMORYTYPE_DEVICE : kinds[i].memory));
        CHECK(cuMemFreeAsync(p, NULL));
        CHECK(cuStreamSynchronize(NULL));
        CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
        EXPECT(used == 0);
        CHECK(cuMemPoolDestroy(pool));
        CHECK(cuMemGetDefaultMemPool(&pool, &where, props.allocType));
        CHECK(cuMemAllocFromPoolAsync(&p, 1000, pool, NULL));
        CHECK(cuMemFree(p));
        CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
        EXPECT(used == 0);
    }
}

static void check_arrays(void)
{
    CUarray array;
    CUDA_ARRAY_DESCRIPTOR desc = {.Width = 8, .Height = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1}, back;
    float host[32], copy[32];
    for (int i = 0; i < 32; i++) host[i] = (float)i;
    CHECK(cuArrayCreate(&array, &desc));
    CHECK(cuArrayGetDescriptor(&back, array));
    EXPECT(!memcmp(&back, &desc, sizeof desc));
    CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = host,
                        .srcPitch = 32,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = array,
                        .WidthInBytes = 32,
                        .Height = 4};
    CHECK(cuMemcpy2D(&in));
    CUDA_MEMCPY2D out = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                         .srcArray = array,
                         .srcY = 2,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = copy,
                         .dstPitch = 32,
                         .WidthInBytes = 32,
                         .Height = 2};
    CHECK(cuMemcpy2D(&out));
    EXPECT(copy[0] == 16 && copy[15] == 31);
    CHECK(cuMemcpyAtoH(copy, array, 4, 8));
    EXPECT(copy[0] == 1 && copy[1] == 2);
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    CUDA_TEXTURE_DESC texture = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP}};
    CUtexObject object;
    CHECK(cuTexObjectCreate(&object, &resource, &texture, NULL));
    CHECK(cuTexObjectDestroy(object));
    CHECK(cuArrayDestroy(array));
    desc.Format = CU_AD_FORMAT_SIGNED_INT32; /* the driver takes a linear filter, and nothing is filtered */
    CHECK(cuArrayCreate(&array, &desc));
    resource.res.array.hArray = array;
    texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
    CHECK(cuTexObjectCreate(&object, &resource, &texture, NULL));
    CHECK(cuTexObjectGetTextureDesc(&texture, object));
    EXPECT(texture.filterMode == CU_TR_FILTER_MODE_POINT);
    CHECK(cuTexObjectDestroy(object));
    CHECK(cuArrayDestroy(array));
}

int main(void)
{
    begin();
    check_flat();
    check_shapes();
    check_pinned();
    check_pools();
    check_pools_elsewhere();
    check_arrays();
    printf("ok memory_calls\n");
    return 0;
}
