/*
 * Surface objects.
 */
#ifndef LWC_SURFACE_TYPES_H
#define LWC_SURFACE_TYPES_H
#define __SURFACE_TYPES_H__

#include "driver_types.h"
#include "lanewise_clang/texture_enums.h"

typedef unsigned long long cudaSurfaceObject_t;

#endif
