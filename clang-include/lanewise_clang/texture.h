/*
 * Texture fetches through texture objects.
 * A fetch is one PTX instruction with four results of the kind the texel type asks for: f32 for floats (and for
 * normalised reads), s32 and u32 for integers. Template argument T is the C++ type of the texel.
 */
#ifndef LWC_TEXTURE_H
#define LWC_TEXTURE_H

#include "../texture_types.h"

struct lwc_texel_f {
    float x, y, z, w;
};
struct lwc_texel_s {
    int x, y, z, w;
};
struct lwc_texel_u {
    unsigned x, y, z, w;
};

template <class T> struct lwc_texel;
#define LWC_TEXEL1(type, kind)                                                                                         \
    template <> struct lwc_texel<type> {                                                                               \
        typedef lwc_texel_##kind raw;                                                                                  \
        static LWC_TFN type from(raw v) { return (type)v.x; }                                                          \
    };
#define LWC_TEXELN(name, scalar, kind)                                                                                 \
    template <> struct lwc_texel<name##1> {                                                                            \
        typedef lwc_texel_##kind raw;                                                                                  \
        static LWC_TFN name##1 from(raw v) { return name##1 {(scalar)v.x}; }                                           \
    };                                                                                                                 \
    template <> struct lwc_texel<name##2> {                                                                            \
        typedef lwc_texel_##kind raw;                                                                                  \
        static LWC_TFN name##2 from(raw v) { return name##2 {(scalar)v.x, (scalar)v.y}; }                              \
    };                                                                                                                 \
    template <> struct lwc_texel<name##4> {                                                                            \
        typedef lwc_texel_##kind raw;                                                                                  \
        static LWC_TFN name##4 from(raw v) { return name##4 {(scalar)v.x, (scalar)v.y, (scalar)v.z, (scalar)v.w}; }    \
    };
LWC_TEXEL1(float, f)
LWC_TEXEL1(int, s)
LWC_TEXEL1(unsigned, u)
LWC_TEXEL1(short, s)
LWC_TEXEL1(unsigned short, u)
LWC_TEXEL1(char, s)
LWC_TEXEL1(signed char, s)
LWC_TEXEL1(unsigned char, u)
LWC_TEXELN(float, float, f)
LWC_TEXELN(int, int, s)
LWC_TEXELN(uint, unsigned, u)
LWC_TEXELN(short, short, s)
LWC_TEXELN(ushort, unsigned short, u)
LWC_TEXELN(char, signed char, s)
LWC_TEXELN(uchar, unsigned char, u)
#undef LWC_TEXEL1
#undef LWC_TEXELN

/* One raw fetch per kind. `coords` is PTX text using operands from %5 on; %4 is the object. */
#define LWC_TEX_RAW1(fn, insn, raw, suffix, c, coords, params, ...)                                                    \
    LWC_FN void fn(raw &r, cudaTextureObject_t t LWC_UNPAREN params)                                                   \
    {                                                                                                                  \
        asm volatile(insn "." suffix " {%0,%1,%2,%3}, [%4, " coords ";"                                                \
                     : "=" c(r.x), "=" c(r.y), "=" c(r.z), "=" c(r.w)                                                  \
                     : "l"(t), __VA_ARGS__);                                                                           \
    }
#define LWC_UNPAREN(...) , __VA_ARGS__
#define LWC_TEX_RAW(fn, insn, ctype, coords, params, ...)                                                              \
    LWC_TEX_RAW1(fn, insn ".v4", lwc_texel_f, "f32." ctype, "f", coords, params, __VA_ARGS__)                          \
    LWC_TEX_RAW1(fn, insn ".v4", lwc_texel_s, "s32." ctype, "r", coords, params, __VA_ARGS__)                          \
    LWC_TEX_RAW1(fn, insn ".v4", lwc_texel_u, "u32." ctype, "r", coords, params, __VA_ARGS__)

LWC_TEX_RAW(lwc_tex1dfetch, "tex.1d", "s32", "{%5}]", (int x), "r"(x))
LWC_TEX_RAW(lwc_tex1d, "tex.1d", "f32", "{%5}]", (float x), "f"(x))
LWC_TEX_RAW(lwc_tex2d, "tex.2d", "f32", "{%5,%6}]", (float x, float y), "f"(x), "f"(y))
LWC_TEX_RAW(lwc_tex3d, "tex.3d", "f32", "{%5,%6,%7,%7}]", (float x, float y, float z), "f"(x), "f"(y), "f"(z))
LWC_TEX_RAW(lwc_texcube, "tex.cube", "f32", "{%5,%6,%7,%7}]", (float x, float y, float z), "f"(x), "f"(y), "f"(z))
LWC_TEX_RAW(lwc_tex1dlayered, "tex.a1d", "f32", "{%5,%6}]", (int l, float x), "r"(l), "f"(x))
LWC_TEX_RAW(lwc_tex2dlayered, "tex.a2d", "f32", "{%5,%6,%7,%7}]", (int l, float x, float y), "r"(l), "f"(x), "f"(y))
LWC_TEX_RAW(lwc_tex1dlod, "tex.level.1d", "f32", "{%5}], %6", (float x, float l), "f"(x), "f"(l))
LWC_TEX_RAW(lwc_tex2dlod, "tex.level.2d", "f32", "{%5,%6}], %7", (float x, float y, float l), "f"(x), "f"(y), "f"(l))
LWC_TEX_RAW(lwc_tex3dlod, "tex.level.3d", "f32", "{%5,%6,%7,%7}], %8", (float x, float y, float z, float l), "f"(x),
            "f"(y), "f"(z), "f"(l))
LWC_TEX_RAW(lwc_tex2dgrad, "tex.grad.2d", "f32", "{%5,%6}], {%7,%8}, {%9,%10}", (float x, float y, float2 a, float2 b),
            "f"(x), "f"(y), "f"(a.x), "f"(a.y), "f"(b.x), "f"(b.y))
LWC_TEX_RAW(lwc_texcubel, "tex.acube", "f32", "{%5,%6,%7,%8}]", (int l, float x, float y, float z), "r"(l), "f"(x),
            "f"(y), "f"(z))
LWC_TEX_RAW(lwc_texcubelod, "tex.level.cube", "f32", "{%5,%6,%7,%7}], %8", (float x, float y, float z, float l), "f"(x),
            "f"(y), "f"(z), "f"(l))
LWC_TEX_RAW(lwc_tex2dllod, "tex.level.a2d", "f32", "{%5,%6,%7,%7}], %8", (int n, float x, float y, float l), "r"(n),
            "f"(x), "f"(y), "f"(l))
LWC_TEX_RAW(lwc_texcubellod, "tex.level.acube", "f32", "{%5,%6,%7,%8}], %9",
            (int n, float x, float y, float z, float l), "r"(n), "f"(x), "f"(y), "f"(z), "f"(l))
LWC_TEX_RAW(lwc_tex1dgrad, "tex.grad.1d", "f32", "{%5}], {%6}, {%7}", (float x, float a, float b), "f"(x), "f"(a),
            "f"(b))
LWC_TEX_RAW(lwc_tex3dgrad, "tex.grad.3d", "f32", "{%5,%6,%7,%7}], {%8,%9,%10,%10}, {%11,%12,%13,%13}",
            (float x, float y, float z, float4 a, float4 b), "f"(x), "f"(y), "f"(z), "f"(a.x), "f"(a.y), "f"(a.z),
            "f"(b.x), "f"(b.y), "f"(b.z))
LWC_TEX_RAW(lwc_texcubegrad, "tex.grad.cube", "f32", "{%5,%6,%7,%7}], {%8,%9,%10,%10}, {%11,%12,%13,%13}",
            (float x, float y, float z, float4 a, float4 b), "f"(x), "f"(y), "f"(z), "f"(a.x), "f"(a.y), "f"(a.z),
            "f"(b.x), "f"(b.y), "f"(b.z))
LWC_TEX_RAW(lwc_tex2dgather0, "tld4.r.2d", "f32", "{%5,%6}]", (float x, float y), "f"(x), "f"(y))
LWC_TEX_RAW(lwc_tex2dgather1, "tld4.g.2d", "f32", "{%5,%6}]", (float x, float y), "f"(x), "f"(y))
LWC_TEX_RAW(lwc_tex2dgather2, "tld4.b.2d", "f32", "{%5,%6}]", (float x, float y), "f"(x), "f"(y))
LWC_TEX_RAW(lwc_tex2dgather3, "tld4.a.2d", "f32", "{%5,%6}]", (float x, float y), "f"(x), "f"(y))
#undef LWC_TEX_RAW
#undef LWC_TEX_RAW1
#undef LWC_UNPAREN

/* The public templates: returning the texel, and the older form that writes it. */
#define LWC_TEX_API(name, get, params, args)                                                                           \
    template <class T> static LWC_TFN T name LWC_TEX_PARAMS(params)                                                    \
    {                                                                                                                  \
        typename lwc_texel<T>::raw v;                                                                                  \
        get LWC_TEX_ARGS(args);                                                                                        \
        return lwc_texel<T>::from(v);                                                                                  \
    }                                                                                                                  \
    template <class T> static LWC_TFN void name LWC_TEX_OUT(params) { *out = name<T> LWC_TEX_PASS(args); }
#define LWC_TEX_PARAMS(...) (cudaTextureObject_t t, LWC_TEX_STRIP __VA_ARGS__)
#define LWC_TEX_OUT(...) (T * out, cudaTextureObject_t t, LWC_TEX_STRIP __VA_ARGS__)
#define LWC_TEX_ARGS(...) (v, t, LWC_TEX_STRIP __VA_ARGS__)
#define LWC_TEX_PASS(...) (t, LWC_TEX_STRIP __VA_ARGS__)
#define LWC_TEX_STRIP(...) __VA_ARGS__
LWC_TEX_API(tex1Dfetch, lwc_tex1dfetch, (int x), (x))
LWC_TEX_API(tex1D, lwc_tex1d, (float x), (x))
LWC_TEX_API(tex2D, lwc_tex2d, (float x, float y), (x, y))
LWC_TEX_API(tex3D, lwc_tex3d, (float x, float y, float z), (x, y, z))
LWC_TEX_API(texCubemap, lwc_texcube, (float x, float y, float z), (x, y, z))
LWC_TEX_API(tex1DLod, lwc_tex1dlod, (float x, float l), (x, l))
LWC_TEX_API(tex2DLod, lwc_tex2dlod, (float x, float y, float l), (x, y, l))
LWC_TEX_API(tex3DLod, lwc_tex3dlod, (float x, float y, float z, float l), (x, y, z, l))
LWC_TEX_API(tex2DGrad, lwc_tex2dgrad, (float x, float y, float2 a, float2 b), (x, y, a, b))
LWC_TEX_API(texCubemapLod, lwc_texcubelod, (float x, float y, float z, float l), (x, y, z, l))
LWC_TEX_API(tex1DGrad, lwc_tex1dgrad, (float x, float a, float b), (x, a, b))
LWC_TEX_API(tex3DGrad, lwc_tex3dgrad, (float x, float y, float z, float4 a, float4 b), (x, y, z, a, b))
LWC_TEX_API(texCubemapGrad, lwc_texcubegrad, (float x, float y, float z, float4 a, float4 b), (x, y, z, a, b))
#undef LWC_TEX_API
#undef LWC_TEX_PARAMS
#undef LWC_TEX_OUT
#undef LWC_TEX_ARGS
#undef LWC_TEX_PASS
#undef LWC_TEX_STRIP

template <class T> static LWC_TFN T tex1DLayered(cudaTextureObject_t t, float x, int layer)
{
    typename lwc_texel<T>::raw v;
    lwc_tex1dlayered(v, t, layer, x);
    return lwc_texel<T>::from(v);
}
template <class T> static LWC_TFN T tex2DLayered(cudaTextureObject_t t, float x, float y, int layer)
{
    typename lwc_texel<T>::raw v;
    lwc_tex2dlayered(v, t, layer, x, y);
    return lwc_texel<T>::from(v);
}
template <class T> static LWC_TFN T tex2DLayeredLod(cudaTextureObject_t t, float x, float y, int layer, float level)
{
    typename lwc_texel<T>::raw v;
    lwc_tex2dllod(v, t, layer, x, y, level);
    return lwc_texel<T>::from(v);
}
template <class T> static LWC_TFN T texCubemapLayered(cudaTextureObject_t t, float x, float y, float z, int layer)
{
    typename lwc_texel<T>::raw v;
    lwc_texcubel(v, t, layer, x, y, z);
    return lwc_texel<T>::from(v);
}
template <class T>
static LWC_TFN T texCubemapLayeredLod(cudaTextureObject_t t, float x, float y, float z, int layer, float level)
{
    typename lwc_texel<T>::raw v;
    lwc_texcubellod(v, t, layer, x, y, z, level);
    return lwc_texel<T>::from(v);
}
template <class T> static LWC_TFN T tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0)
{
    typename lwc_texel<T>::raw v;
    if (component == 0) lwc_tex2dgather0(v, t, x, y);
    else if (component == 1) lwc_tex2dgather1(v, t, x, y);
    else if (component == 2) lwc_tex2dgather2(v, t, x, y);
    else lwc_tex2dgather3(v, t, x, y);
    return lwc_texel<T>::from(v);
}

#endif
