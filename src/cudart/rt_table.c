/* What the core exports to the doors: their functions in the order of their tables. */
#include <string.h>

#include "cudart/cudart.h"
#include "door/door.h"

#define DECLARE_IMPLEMENTED(name) void lw_cudart_##name(void);
#define DECLARE_UNSUPPORTED(name)                                                                                      \
    static int unsupported_##name(void)                                                                                \
    {                                                                                                                  \
        return rt_end_call(rt_unsupported(#name), "lw_cudart_" #name, __builtin_return_address(0));                    \
    }
#define DECLARE_LAUNCH DECLARE_IMPLEMENTED
#define DECLARE_PROBE DECLARE_IMPLEMENTED
#define ENTRY(name, kind, group) DECLARE_##kind(name)
#include "cudart/entrypoints.def"
#undef ENTRY

#define POINTER_IMPLEMENTED(name) (const void *)lw_cudart_##name,
#define POINTER_UNSUPPORTED(name) (const void *)unsupported_##name,
#define POINTER_LAUNCH POINTER_IMPLEMENTED
#define POINTER_PROBE POINTER_IMPLEMENTED
#define ENTRY(name, kind, group) POINTER_##kind(name)
static const void *const cudart_entries[] = {
#include "cudart/entrypoints.def"
};
#undef ENTRY

/* The tables of the rooms that come later, when the core was built with them. */
extern const void *const lw_cuda_entries[] __attribute__((weak));
extern const size_t lw_cuda_entry_count __attribute__((weak));
#define LIBRARY(name)                                                                                                  \
    extern const void *const lw_##name##_entries[] __attribute__((weak));                                              \
    extern const size_t lw_##name##_entry_count __attribute__((weak));
#include "door/libraries.def"
#undef LIBRARY

static const struct {
    const char *door;
    const void *const *entries;
    const size_t *count;
} later[] = {
    {"cuda", lw_cuda_entries, &lw_cuda_entry_count},
#define LIBRARY(name) {#name, lw_##name##_entries, &lw_##name##_entry_count},
#include "door/libraries.def"
#undef LIBRARY
};

LW_API const void *const *lw_core_table(const char *door, unsigned abi, size_t *count)
{
    if (abi != LW_DOOR_ABI) return NULL;
    if (!strcmp(door, "cudart")) {
        *count = LW_COUNT(cudart_entries);
        rt_add_instance(__builtin_return_address(0));
        return cudart_entries;
    }
    for (size_t i = 0; i < LW_COUNT(later); i++) {
        if (strcmp(door, later[i].door) || !later[i].entries || !later[i].count) continue;
        *count = *later[i].count;
        return later[i].entries;
    }
    return NULL;
}
