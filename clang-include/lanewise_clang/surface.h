/*
 * Surface reads and writes through surface objects; x is in bytes.
 * The PTX instruction moves 1, 2 or 4 words of 8 to 64 bits; the C++ type's size says which.
 */
#ifndef LWC_SURFACE_H
#define LWC_SURFACE_H

#include "../surface_types.h"

template <int Size> struct lwc_surface;

/* Both directions for one geometry, operand size and boundary mode. `at` is the coordinate text from %n on. */
#define LWC_SURF_MODE(rd, wr, geom, at_r, at_w, params, args, asmt, c, w)                                              \
    static LWC_TFN w rd params                                                                                         \
    {                                                                                                                  \
        w r;                                                                                                           \
        if (m == cudaBoundaryModeTrap)                                                                                 \
            asm volatile("suld.b." geom "." asmt ".trap {%0}, [%1, " at_r "];"                                         \
                         : "=" c(r)                                                                                    \
                         : LWC_SURF_STRIP args                                                                         \
                         : "memory");                                                                                  \
        else if (m == cudaBoundaryModeClamp)                                                                           \
            asm volatile("suld.b." geom "." asmt ".clamp {%0}, [%1, " at_r "];"                                        \
                         : "=" c(r)                                                                                    \
                         : LWC_SURF_STRIP args                                                                         \
                         : "memory");                                                                                  \
        else                                                                                                           \
            asm volatile("suld.b." geom "." asmt ".zero {%0}, [%1, " at_r "];"                                         \
                         : "=" c(r)                                                                                    \
                         : LWC_SURF_STRIP args                                                                         \
                         : "memory");                                                                                  \
        return r;                                                                                                      \
    }                                                                                                                  \
    static LWC_TFN void wr(w v, LWC_SURF_STRIP params)                                                                 \
    {                                                                                                                  \
        if (m == cudaBoundaryModeTrap)                                                                                 \
            asm volatile("sust.b." geom "." asmt ".trap [%1, " at_w "], {%0};" ::c(v), LWC_SURF_STRIP args             \
                         : "memory");                                                                                  \
        else if (m == cudaBoundaryModeClamp)                                                                           \
            asm volatile("sust.b." geom "." asmt ".clamp [%1, " at_w "], {%0};" ::c(v), LWC_SURF_STRIP args            \
                         : "memory");                                                                                  \
        else                                                                                                           \
            asm volatile("sust.b." geom "." asmt ".zero [%1, " at_w "], {%0};" ::c(v), LWC_SURF_STRIP args             \
                         : "memory");                                                                                  \
    }
#define LWC_SURF_STRIP(...) __VA_ARGS__
#define LWC_SURF_WORD(size, asmt, c, w)                                                                                \
    template <> struct lwc_surface<size> {                                                                             \
        typedef w word;                                                                                                \
        LWC_SURF_MODE(read1, write1, "1d", "{%2}", "{%2}", (cudaSurfaceObject_t s, int x, cudaSurfaceBoundaryMode m),  \
                      ("l"(s), "r"(x)), asmt, c, w)                                                                    \
        LWC_SURF_MODE(read2, write2, "2d", "{%2,%3}", "{%2,%3}",                                                       \
                      (cudaSurfaceObject_t s, int x, int y, cudaSurfaceBoundaryMode m), ("l"(s), "r"(x), "r"(y)),      \
                      asmt, c, w)                                                                                      \
        LWC_SURF_MODE(read3, write3, "3d", "{%2,%3,%4,%4}", "{%2,%3,%4,%4}",                                           \
                      (cudaSurfaceObject_t s, int x, int y, int z, cudaSurfaceBoundaryMode m),                         \
                      ("l"(s), "r"(x), "r"(y), "r"(z)), asmt, c, w)                                                    \
        LWC_SURF_MODE(readl1, writel1, "a1d", "{%3,%2}", "{%3,%2}",                                                    \
                      (cudaSurfaceObject_t s, int x, int z, cudaSurfaceBoundaryMode m), ("l"(s), "r"(x), "r"(z)),      \
                      asmt, c, w)                                                                                      \
        LWC_SURF_MODE(readl2, writel2, "a2d", "{%4,%2,%3,%3}", "{%4,%2,%3,%3}",                                        \
                      (cudaSurfaceObject_t s, int x, int y, int z, cudaSurfaceBoundaryMode m),                         \
                      ("l"(s), "r"(x), "r"(y), "r"(z)), asmt, c, w)                                                    \
    };
LWC_SURF_WORD(1, "b8", "h", unsigned short)
LWC_SURF_WORD(2, "b16", "h", unsigned short)
LWC_SURF_WORD(4, "b32", "r", unsigned)
LWC_SURF_WORD(8, "b64", "l", unsigned long long)
#undef LWC_SURF_WORD
#undef LWC_SURF_MODE
#undef LWC_SURF_STRIP

/* Types of 16 bytes are two words of 64 bits at neighbouring addresses. */
template <class T, int Size = sizeof(T)> struct lwc_surface_value {
    typedef lwc_surface<Size> io;
    template <class F> static LWC_TFN T read(F f)
    {
        typename io::word w = f.template get<Size>(0);
        T v;
        __builtin_memcpy(&v, &w, Size);
        return v;
    }
    template <class F> static LWC_TFN void write(F f, T v)
    {
        typename io::word w = 0;
        __builtin_memcpy(&w, &v, Size);
        f.template put<Size>(0, w);
    }
};
template <class T> struct lwc_surface_value<T, 16> {
    template <class F> static LWC_TFN T read(F f)
    {
        unsigned long long w[2] = {f.template get<8>(0), f.template get<8>(8)};
        T v;
        __builtin_memcpy(&v, w, 16);
        return v;
    }
    template <class F> static LWC_TFN void write(F f, T v)
    {
        unsigned long long w[2];
        __builtin_memcpy(w, &v, 16);
        f.template put<8>(0, w[0]);
        f.template put<8>(8, w[1]);
    }
};

#define LWC_SURF_AT(tag, n, members, call)                                                                             \
    struct tag {                                                                                                       \
        cudaSurfaceObject_t s;                                                                                         \
        int members;                                                                                                   \
        cudaSurfaceBoundaryMode m;                                                                                     \
        template <int S> LWC_TFN typename lwc_surface<S>::word get(int d) const                                        \
        {                                                                                                              \
            return lwc_surface<S>::read##n call;                                                                       \
        }                                                                                                              \
        template <int S> LWC_TFN void put(int d, typename lwc_surface<S>::word w) const                                \
        {                                                                                                              \
            lwc_surface<S>::write##n LWC_SURF_W call;                                                                  \
        }                                                                                                              \
    };
#define LWC_SURF_W(...) (w, __VA_ARGS__)
LWC_SURF_AT(lwc_surface_at1, 1, x, (s, x + d, m))
#define LWC_SURF_XY x, y
#define LWC_SURF_XYZ x, y, z
LWC_SURF_AT(lwc_surface_at2, 2, LWC_SURF_XY, (s, x + d, y, m))
#define LWC_SURF_XZ x, z
LWC_SURF_AT(lwc_surface_at3, 3, LWC_SURF_XYZ, (s, x + d, y, z, m))
LWC_SURF_AT(lwc_surface_atl1, l1, LWC_SURF_XZ, (s, x + d, z, m))
LWC_SURF_AT(lwc_surface_atl2, l2, LWC_SURF_XYZ, (s, x + d, y, z, m))
#undef LWC_SURF_AT
#undef LWC_SURF_W
#undef LWC_SURF_XY
#undef LWC_SURF_XZ
#undef LWC_SURF_XYZ

#define LWC_MODE cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap
template <class T> static LWC_TFN T surf1Dread(cudaSurfaceObject_t s, int x, LWC_MODE)
{
    return lwc_surface_value<T>::read(lwc_surface_at1{s, x, m});
}
template <class T> static LWC_TFN void surf1Dread(T *out, cudaSurfaceObject_t s, int x, LWC_MODE)
{
    *out = surf1Dread<T>(s, x, m);
}
template <class T> static LWC_TFN void surf1Dwrite(T v, cudaSurfaceObject_t s, int x, LWC_MODE)
{
    lwc_surface_value<T>::write(lwc_surface_at1{s, x, m}, v);
}
template <class T> static LWC_TFN T surf2Dread(cudaSurfaceObject_t s, int x, int y, LWC_MODE)
{
    return lwc_surface_value<T>::read(lwc_surface_at2{s, x, y, m});
}
template <class T> static LWC_TFN void surf2Dread(T *out, cudaSurfaceObject_t s, int x, int y, LWC_MODE)
{
    *out = surf2Dread<T>(s, x, y, m);
}
template <class T> static LWC_TFN void surf2Dwrite(T v, cudaSurfaceObject_t s, int x, int y, LWC_MODE)
{
    lwc_surface_value<T>::write(lwc_surface_at2{s, x, y, m}, v);
}
template <class T> static LWC_TFN T surf3Dread(cudaSurfaceObject_t s, int x, int y, int z, LWC_MODE)
{
    return lwc_surface_value<T>::read(lwc_surface_at3{s, x, y, z, m});
}
template <class T> static LWC_TFN void surf3Dwrite(T v, cudaSurfaceObject_t s, int x, int y, int z, LWC_MODE)
{
    lwc_surface_value<T>::write(lwc_surface_at3{s, x, y, z, m}, v);
}
/* z: a layer, a face, or six times a layer and a face. */
#define LWC_SURF_LAYERS(name, at, params, args)                                                                        \
    template <class T> static LWC_TFN T name##read(cudaSurfaceObject_t s, LWC_SURF_STRIP params, LWC_MODE)             \
    {                                                                                                                  \
        return lwc_surface_value<T>::read(at{s, LWC_SURF_STRIP args, m});                                              \
    }                                                                                                                  \
    template <class T> static LWC_TFN void name##read(T *out, cudaSurfaceObject_t s, LWC_SURF_STRIP params, LWC_MODE)  \
    {                                                                                                                  \
        *out = name##read<T>(s, LWC_SURF_STRIP args, m);                                                               \
    }                                                                                                                  \
    template <class T> static LWC_TFN void name##write(T v, cudaSurfaceObject_t s, LWC_SURF_STRIP params, LWC_MODE)    \
    {                                                                                                                  \
        lwc_surface_value<T>::write(at{s, LWC_SURF_STRIP args, m}, v);                                                 \
    }
#define LWC_SURF_STRIP(...) __VA_ARGS__
LWC_SURF_LAYERS(surf1DLayered, lwc_surface_atl1, (int x, int z), (x, z))
LWC_SURF_LAYERS(surf2DLayered, lwc_surface_atl2, (int x, int y, int z), (x, y, z))
LWC_SURF_LAYERS(surfCubemap, lwc_surface_atl2, (int x, int y, int z), (x, y, z))
LWC_SURF_LAYERS(surfCubemapLayered, lwc_surface_atl2, (int x, int y, int z), (x, y, z))
#undef LWC_SURF_LAYERS
#undef LWC_SURF_STRIP
#undef LWC_MODE

#endif
