/*
 * Annotations for NVIDIA's profilers: nothing listens here, so every call does nothing.
 */
#ifndef LWC_NVTOOLSEXT_H
#define LWC_NVTOOLSEXT_H

#include <stddef.h>
#include <stdint.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#define LWC_NVTX static inline __attribute__((unused))
LWC_NVTX void nvtxMarkA(const char *s) { (void)s; }
LWC_NVTX void nvtxMarkEx(const nvtxEventAttributes_t *a) { (void)a; }
LWC_NVTX int nvtxRangePushA(const char *s)
{
    (void)s;
    return 0;
}
LWC_NVTX int nvtxRangePushEx(const nvtxEventAttributes_t *a)
{
    (void)a;
    return 0;
}
LWC_NVTX int nvtxRangePop(void) { return 0; }
LWC_NVTX nvtxRangeId_t nvtxRangeStartA(const char *s)
{
    (void)s;
    return 0;
}
LWC_NVTX nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *a)
{
    (void)a;
    return 0;
}
LWC_NVTX void nvtxRangeEnd(nvtxRangeId_t r) { (void)r; }
LWC_NVTX void nvtxNameOsThreadA(uint32_t t, const char *s) { (void)t, (void)s; }
LWC_NVTX void nvtxNameCategoryA(uint32_t c, const char *s) { (void)c, (void)s; }
LWC_NVTX nvtxDomainHandle_t nvtxDomainCreateA(const char *s)
{
    (void)s;
    return 0;
}
LWC_NVTX void nvtxDomainDestroy(nvtxDomainHandle_t d) { (void)d; }
LWC_NVTX int nvtxDomainRangePushEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t *a)
{
    (void)d, (void)a;
    return 0;
}
LWC_NVTX int nvtxDomainRangePop(nvtxDomainHandle_t d)
{
    (void)d;
    return 0;
}
LWC_NVTX void nvtxDomainMarkEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t *a) { (void)d, (void)a; }
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxDomainCreate nvtxDomainCreateA

#endif
