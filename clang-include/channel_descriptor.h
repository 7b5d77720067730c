/*
 * cudaCreateChannelDesc<T>(): the texel format of a C++ type.
 */
#ifndef LWC_CHANNEL_DESCRIPTOR_H
#define LWC_CHANNEL_DESCRIPTOR_H
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"

#if defined(__cplusplus)
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define LWC_CHANNEL(type, bits, n, kind)                                                                               \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>()                                             \
    {                                                                                                                  \
        return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,                       \
                                     cudaChannelFormatKind##kind);                                                     \
    }
#define LWC_CHANNELS(scalar, name, bits, kind)                                                                         \
    LWC_CHANNEL(scalar, bits, 1, kind)                                                                                 \
    LWC_CHANNEL(name##1, bits, 1, kind) LWC_CHANNEL(name##2, bits, 2, kind) LWC_CHANNEL(name##4, bits, 4, kind)
LWC_CHANNEL(char, 8, 1, Signed)
LWC_CHANNELS(signed char, char, 8, Signed)
LWC_CHANNELS(unsigned char, uchar, 8, Unsigned)
LWC_CHANNELS(short, short, 16, Signed)
LWC_CHANNELS(unsigned short, ushort, 16, Unsigned)
LWC_CHANNELS(int, int, 32, Signed)
LWC_CHANNELS(unsigned int, uint, 32, Unsigned)
LWC_CHANNELS(float, float, 32, Float)
#undef LWC_CHANNEL
#undef LWC_CHANNELS

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf()
{
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2()
{
    return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4()
{
    return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}
#endif

#endif
