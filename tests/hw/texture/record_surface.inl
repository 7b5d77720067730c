/* record_surface.inl: surfaces (boundary modes, layers, conversions), what txq and suq say, accesses that may end a launch. */

static const float stored[] = {0,
                               -0.0f,
                               1,
                               -1,
                               0.5f,
                               0.25f,
                               2,
                               -2,
                               1.0f / 255,
                               0.5f / 255,
                               1.5f / 255,
                               2.5f / 255,
                               0.999f,
                               0.998f,
                               126.4f / 127,
                               -126.5f / 127,
                               NAN,
                               INFINITY,
                               -INFINITY,
                               65504,
                               65519,
                               65520,
                               1e-7f,
                               3e-8f,
                               2.98e-8f,
                               0.3333333f,
                               -0.3333333f,
                               1.00048828125f,
                               1.00146484375f,
                               100,
                               -100,
                               3e38f,
                               1e-40f,
                               0.7f,
                               -0.7f,
                               0.1f};
static const uint32_t stored_bits[] = {0,          1,          127,        128,        129,        255,
                                       256,        257,        32767,      32768,      65535,      65536,
                                       0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xffffff80, 0xffffff7f,
                                       0xffff8000, 0xffff7fff, 0x12345678, 0xcafebabe};

#if PART == 2
__global__ void store_formatted(cudaSurfaceObject_t s, const uint32_t *values, int count)
{
    int n = threadIdx.x;
    uint32_t v = n < count ? values[n] : 0;
    if (n < count)
        asm volatile("sust.p.1d.v4.b32.trap [%0, {%1}], {%2, %3, %4, %5};" ::"l"(s), "r"(n), "r"(v), "r"(v), "r"(v),
                     "r"(v)
                     : "memory");
}
#else
__global__ void store_formatted(cudaSurfaceObject_t, const uint32_t *, int) {}
#endif

static cudaSurfaceObject_t make_surface(cudaArray_t array)
{
    cudaResourceDesc r = {};
    cudaSurfaceObject_t s;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&s, &r));
    return s;
}

static void stores_of(const char *name, const cudaChannelFormatDesc &d, const void *values, int count)
{
    cudaArray_t array;
    uint32_t *in, kept[64 * 4] = {0};
    size_t texel = (d.x + d.y + d.z + d.w) / 8;
    CHECK(cudaMallocArray(&array, &d, 64, 0, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocManaged(&in, 64 * 4));
    memcpy(in, values, 4 * count);
    cudaSurfaceObject_t s = make_surface(array);
    store_formatted<<<1, 64>>>(s, in, count);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy2DFromArray(kept, texel * 64, array, 0, 0, texel * count, 1, cudaMemcpyDeviceToHost));
    emit(name, kept, (texel * count + 3) / 4);
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(in));
}

/* What a load gives at x bytes, row y, slice or layer z. */
template <typename T> __global__ void load_2d(cudaSurfaceObject_t s, int boundary, uint32_t *out)
{
    int x = ((int)threadIdx.x - 4) * (int)sizeof(T), y = (int)threadIdx.y - 2;
    T v;
    if (boundary == 0) v = surf2Dread<T>(s, x, y, cudaBoundaryModeClamp);
    else v = surf2Dread<T>(s, x, y, cudaBoundaryModeZero);
    memcpy(out + (threadIdx.y * 16 + threadIdx.x) * (sizeof(T) + 3 & ~3) / 4, &v, sizeof v);
}
__global__ void load_others(cudaSurfaceObject_t s, int boundary, int kind, uint32_t *out)
{
    int x = ((int)threadIdx.x - 3) * 4, y = 1, z = (int)threadIdx.y - 2;
    uint32_t v;
    if (kind == 0)
        v = boundary ? surf3Dread<uint32_t>(s, x, y, z, cudaBoundaryModeZero)
                     : surf3Dread<uint32_t>(s, x, y, z, cudaBoundaryModeClamp);
    else
        v = boundary ? surf2DLayeredread<uint32_t>(s, x, y, z, cudaBoundaryModeZero)
                     : surf2DLayeredread<uint32_t>(s, x, y, z, cudaBoundaryModeClamp);
    out[threadIdx.y * 16 + threadIdx.x] = v;
}
__global__ void store_others(cudaSurfaceObject_t s, int boundary)
{
    int x = ((int)threadIdx.x - 3) * 4, y = 1, z = (int)threadIdx.y - 2;
    uint32_t v = 1000 + threadIdx.y * 16 + threadIdx.x;
    if (boundary) surf2DLayeredwrite<uint32_t>(v, s, x, y, z, cudaBoundaryModeZero);
    else surf2DLayeredwrite<uint32_t>(v, s, x, y, z, cudaBoundaryModeClamp);
}

template <typename T> static void loads_2d(const char *name, const format &f)
{
    static uint32_t kept[16 * 8 * 4];
    memory m = make_memory({2, 8, 3, 0, 0, cudaArraySurfaceLoadStore}, f, BITS, 900);
    cudaSurfaceObject_t s = make_surface(m.array);
    uint32_t *out = (uint32_t *)results;
    char full[96];
    for (int boundary = 0; boundary < 2; boundary++) {
        memset(out, 0, sizeof kept);
        load_2d<T><<<1, dim3(16, 8)>>>(s, boundary, out);
        CHECK(cudaDeviceSynchronize());
        memcpy(kept, out, sizeof kept);
        snprintf(full, sizeof full, "%s boundary %d", name, boundary);
        emit(full, kept, 16 * 8 * (sizeof(T) + 3 & ~3) / 4);
    }
    CHECK(cudaDestroySurfaceObject(s));
    free_memory(m);
}

static void conversions_of_stores(void)
{
    char name[96];
    const int floats = sizeof stored / 4, integers = sizeof stored_bits / 4;
    struct {
        const char *name;
        int bits;
        cudaChannelFormatKind kind;
    } kinds[] = {{"f32", 32, cudaChannelFormatKindFloat},    {"f16", 16, cudaChannelFormatKindFloat},
                 {"u8", 8, cudaChannelFormatKindUnsigned},   {"s8", 8, cudaChannelFormatKindSigned},
                 {"u16", 16, cudaChannelFormatKindUnsigned}, {"s16", 16, cudaChannelFormatKindSigned},
                 {"u32", 32, cudaChannelFormatKindUnsigned}, {"s32", 32, cudaChannelFormatKindSigned}};
    for (auto &k : kinds)
        for (int n : {1, 2, 4}) {
            cudaChannelFormatDesc d =
                cudaCreateChannelDesc(k.bits, n > 1 ? k.bits : 0, n > 2 ? k.bits : 0, n > 2 ? k.bits : 0, k.kind);
            snprintf(name, sizeof name, "sust.p %sx%d", k.name, n);
            if (k.kind == cudaChannelFormatKindFloat) stores_of(name, d, stored, floats);
            else stores_of(name, d, stored_bits, integers);
        }
    stores_of("sust.p unorm8x4", cudaCreateChannelDesc<cudaChannelFormatKindUnsignedNormalized8X4>(), stored, floats);
    stores_of("sust.p snorm8x4", cudaCreateChannelDesc<cudaChannelFormatKindSignedNormalized8X4>(), stored, floats);
    stores_of("sust.p unorm16x4", cudaCreateChannelDesc<cudaChannelFormatKindUnsignedNormalized16X4>(), stored, floats);
    stores_of("sust.p snorm16x4", cudaCreateChannelDesc<cudaChannelFormatKindSignedNormalized16X4>(), stored, floats);
}

static void surfaces(void)
{
    char name[96];
    loads_2d<uint8_t>("suld u8x1 1 byte", U8x1);
    loads_2d<uint32_t>("suld u8x4 4 bytes", U8x4);
    loads_2d<uint16_t>("suld u8x4 2 bytes", U8x4);
    loads_2d<uint2>("suld u8x4 8 bytes", U8x4);
    loads_2d<uint4>("suld u8x4 16 bytes", U8x4);
    loads_2d<uint32_t>("suld u32x4 4 bytes", U32x4);
    loads_2d<uint4>("suld u32x4 16 bytes", U32x4);
    loads_2d<uint2>("suld u16x4 8 bytes", U16x4);
    for (int kind = 0; kind < 2; kind++) {
        memory m = make_memory(
            {kind ? 2 : 3, 5, 3, 4, 0, cudaArraySurfaceLoadStore | (kind ? (unsigned)cudaArrayLayered : 0u)}, U8x4,
            BITS, 910);
        cudaSurfaceObject_t s = make_surface(m.array);
        for (int boundary = 0; boundary < 2; boundary++) {
            load_others<<<1, dim3(16, 8)>>>(s, boundary, kind, (uint32_t *)results);
            CHECK(cudaDeviceSynchronize());
            snprintf(name, sizeof name, "suld %s boundary %d", kind ? "layers" : "3d", boundary);
            emit(name, (uint32_t *)results, 16 * 8);
        }
        for (int boundary = 0; kind && boundary < 2; boundary++) {
            uint32_t kept[5 * 3 * 4];
            store_others<<<1, dim3(16, 8)>>>(s, boundary);
            CHECK(cudaDeviceSynchronize());
            cudaMemcpy3DParms p = {};
            p.srcArray = m.array;
            p.dstPtr = make_cudaPitchedPtr(kept, 20, 5, 3);
            p.extent = make_cudaExtent(5, 3, 4);
            p.kind = cudaMemcpyDeviceToHost;
            CHECK(cudaMemcpy3D(&p));
            snprintf(name, sizeof name, "sust layers boundary %d", boundary);
            emit(name, kept, 60);
        }
        CHECK(cudaDestroySurfaceObject(s));
        free_memory(m);
    }
}

/* ---- queries ---- */
#if PART >= 3
#define ASK(n, what) asm volatile("txq." what ".b32 %0, [%1];" : "=r"(out[n]) : "l"(t))
#define ASK_SURFACE(n, what) asm volatile("suq." what ".b32 %0, [%1];" : "=r"(out[n]) : "l"(s))
__global__ void ask_texture(cudaTextureObject_t t, uint32_t *out)
{
#if PART == 3
    ASK(0, "width");
    ASK(1, "height");
    ASK(2, "depth");
    ASK(6, "num_mipmap_levels");
    ASK(7, "array_size");
#elif PART == 4
    ASK(3, "channel_data_type");
    ASK(4, "channel_order");
    ASK(5, "normalized_coords");
    ASK(8, "num_samples");
#endif
}
__global__ void ask_level(cudaTextureObject_t t, uint32_t *out)
{
    for (int k = 0; PART == 5 && k < 8; k++) {
        asm volatile("txq.level.width.b32 %0, [%1], %2;" : "=r"(out[3 * k]) : "l"(t), "r"(k));
        asm volatile("txq.level.height.b32 %0, [%1], %2;" : "=r"(out[3 * k + 1]) : "l"(t), "r"(k));
        asm volatile("txq.level.depth.b32 %0, [%1], %2;" : "=r"(out[3 * k + 2]) : "l"(t), "r"(k));
    }
}
__global__ void ask_surface(cudaSurfaceObject_t s, uint32_t *out)
{
#if PART == 6
    ASK_SURFACE(0, "width");
    ASK_SURFACE(1, "height");
    ASK_SURFACE(2, "depth");
    ASK_SURFACE(3, "channel_data_type");
    ASK_SURFACE(4, "channel_order");
    ASK_SURFACE(5, "array_size");
#endif
}

static void queries(void)
{
    uint32_t *out = (uint32_t *)results;
    struct {
        const char *name;
        shape s;
    } shapes[] = {{"1d", {1, 40, 0, 0, 0, cudaArraySurfaceLoadStore}},
                  {"2d", {2, 40, 24, 0, 0, cudaArraySurfaceLoadStore}},
                  {"3d", {3, 40, 24, 10, 0, cudaArraySurfaceLoadStore}},
                  {"layers 1d", {1, 40, 0, 5, 0, cudaArrayLayered | cudaArraySurfaceLoadStore}},
                  {"layers 2d", {2, 40, 24, 5, 0, cudaArrayLayered | cudaArraySurfaceLoadStore}},
                  {"cube", {2, 16, 16, 6, 0, cudaArrayCubemap | cudaArraySurfaceLoadStore}},
                  {"cube layers", {2, 16, 16, 12, 0, cudaArrayCubemap | cudaArrayLayered | cudaArraySurfaceLoadStore}},
                  {"levels 2d", {2, 40, 24, 0, 4, 0}},
                  {"levels 3d", {3, 40, 24, 10, 4, 0}},
                  {"levels layers", {2, 40, 24, 5, 4, cudaArrayLayered}}};
    format formats[] = {F32x4, F32x1, F16x4, F16x1, U8x4, U8x2, S8x4, S8x1, U16x4, S16x4, U32x4};
    char name[96];
    for (auto &c : shapes)
        for (auto &f : formats) {
            if (&f != formats && &c != &shapes[1]) continue;
            memory m = make_memory(c.s, f, LEVEL, 0);
            cudaTextureDesc d = description(cudaAddressModeClamp, cudaFilterModePoint, true,
                                            f.bits < 32 && f.kind != cudaChannelFormatKindFloat);
            for (int fractions = 0; fractions < 2; fractions++) {
                if (fractions && (f.bits == 32 || f.kind == cudaChannelFormatKindFloat)) continue;
                d.readMode = fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
                cudaTextureObject_t t = make_texture(m, d);
                memset(out, 0, 256);
                ask_texture<<<1, 1>>>(t, out);
                ask_level<<<1, 1>>>(t, out + 9);
                CHECK(cudaGetLastError());
                CHECK(cudaDeviceSynchronize());
                snprintf(name, sizeof name, "txq %s %dx%d kind %d fractions %d", c.name, f.bits, f.channels,
                         (int)f.kind, fractions);
                emit(name, out, 33);
                CHECK(cudaDestroyTextureObject(t));
            }
            if (c.s.flags & cudaArraySurfaceLoadStore) {
                cudaSurfaceObject_t s = make_surface(m.array);
                memset(out, 0, 256);
                ask_surface<<<1, 1>>>(s, out);
                CHECK(cudaGetLastError());
                CHECK(cudaDeviceSynchronize());
                snprintf(name, sizeof name, "suq %s %dx%d kind %d", c.name, f.bits, f.channels, (int)f.kind);
                emit(name, out, 6);
                CHECK(cudaDestroySurfaceObject(s));
            }
            free_memory(m);
        }
}
#else
static void queries(void) {}
#endif

/* ---- accesses that may end the launch: 0 to 15 ---- */
__global__ void trap_access(cudaSurfaceObject_t s, int which, uint32_t *out)
{
    uint32_t v = 0;
    switch (which) {
    case 0: v = surf2DLayeredread<uint32_t>(s, 20, 0, 0, cudaBoundaryModeTrap); break;
    case 1: v = surf2DLayeredread<uint32_t>(s, -4, 0, 0, cudaBoundaryModeTrap); break;
    case 2: v = surf2DLayeredread<uint32_t>(s, 0, 3, 0, cudaBoundaryModeTrap); break;
    case 3: v = surf2DLayeredread<uint32_t>(s, 0, 0, 4, cudaBoundaryModeTrap); break;
    case 4: surf2DLayeredwrite<uint32_t>(7, s, 20, 0, 0, cudaBoundaryModeTrap); break;
    case 5: surf2DLayeredwrite<uint32_t>(7, s, 0, 0, 4, cudaBoundaryModeTrap); break;
    case 6: v = surf2DLayeredread<uint32_t>(s, 2, 0, 0, cudaBoundaryModeTrap); break; /* not aligned */
    case 7: v = surf2DLayeredread<uint32_t>(s, 2, 0, 0, cudaBoundaryModeClamp); break;
    case 8: v = surf2DLayeredread<uint32_t>(s, 3, 0, 0, cudaBoundaryModeZero); break;
    case 9: surf2DLayeredwrite<uint32_t>(7, s, 2, 0, 0, cudaBoundaryModeZero); break;
    case 10: v = surf2DLayeredread<uint32_t>(s, 0, 0, 4, cudaBoundaryModeZero); break;
    case 11: v = surf2DLayeredread<uint2>(s, 4, 0, 0, cudaBoundaryModeZero).x; break;   /* aligned to a texel only */
    case 12: v = surf2DLayeredread<uint2>(s, 16, 0, 0, cudaBoundaryModeClamp).x; break; /* half of it inside */
    case 13: v = surf2DLayeredread<uint2>(s, 16, 0, 0, cudaBoundaryModeZero).x; break;
    case 14: v = surf2DLayeredread<uint4>(s, 16, 0, 0, cudaBoundaryModeClamp).x; break;
    case 15: surf2DLayeredwrite<uint2>(make_uint2(7, 8), s, 16, 0, 0, cudaBoundaryModeZero); break;
    }
    *out = v;
}

static int one_trap(int which)
{
    uint32_t *out, first[15];
    memory m = make_memory({2, 5, 3, 4, 0, cudaArraySurfaceLoadStore | cudaArrayLayered}, U8x4, BITS, 910);
    CHECK(cudaMallocManaged(&out, 4));
    *out = 0;
    cudaSurfaceObject_t s = make_surface(m.array);
    trap_access<<<1, 1>>>(s, which, out);
    CHECK(cudaGetLastError());
    cudaError_t status = cudaDeviceSynchronize();
    printf("trap %d: %s", which, cudaGetErrorName(status));
    if (!status) {
        cudaMemcpy3DParms p = {};
        p.srcArray = m.array;
        p.dstPtr = make_cudaPitchedPtr(first, 20, 5, 3);
        p.extent = make_cudaExtent(5, 3, 1);
        p.kind = cudaMemcpyDeviceToHost;
        CHECK(cudaMemcpy3D(&p));
        printf(", read %08x, row 0:", *out);
        for (int k = 0; k < 5; k++) printf(" %08x", first[k]);
    }
    printf("\n");
    return 0;
}
