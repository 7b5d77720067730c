/*
 * CUDA C++ as ordinary programs use it: the language's built-ins for device code and the runtime API with its C++
 * overloads. For clang 16 or later in CUDA mode with -nocudainc -nocudalib; the compile driver includes it first in
 * every .cu file, as nvcc does. In plain C or C++ it is the runtime API alone.
 */
#ifndef LWC_CUDA_RUNTIME_H
#define LWC_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* programs and sample helpers ask for it */

#include "host_defines.h"

#if defined(__CUDA__)
#include "lanewise_clang/math_declare.h"
#include "lanewise_clang/driver_calls.h"
#include <stdlib.h>
#endif

#if defined(__cplusplus)
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_runtime_api.h"
#include "vector_functions.h"
#include "channel_descriptor.h"
#include "library_types.h"

#if defined(__CUDA__)
#include "lanewise_clang/libc.h"
#include "lanewise_clang/builtins.h"
#include "lanewise_clang/integer.h"
#include "lanewise_clang/rounding.h"
#include "lanewise_clang/math_device.h"
#include "lanewise_clang/atomics.h"
#include "lanewise_clang/warp.h"
#include "lanewise_clang/loads.h"
#include "lanewise_clang/simd.h"
#include "lanewise_clang/texture.h"
#include "lanewise_clang/surface.h"
#include "lanewise_clang/managed.h"
#endif

#if defined(__cplusplus)
#include "lanewise_clang/runtime_templates.h"
#include "lanewise_clang/before_13.h"
#include "lanewise_clang/device_runtime.h"
#endif

#endif
