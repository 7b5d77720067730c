/*
 * Texture objects and their descriptor.
 */
#ifndef LWC_TEXTURE_TYPES_H
#define LWC_TEXTURE_TYPES_H
#define __TEXTURE_TYPES_H__

#include "driver_types.h"
#include "lanewise_clang/texture_enums.h"

typedef unsigned long long cudaTextureObject_t;

struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    int seamlessCubemap;
};

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0c
#define cudaTextureType1DLayered 0xf1
#define cudaTextureType2DLayered 0xf2
#define cudaTextureTypeCubemapLayered 0xfc

#endif
