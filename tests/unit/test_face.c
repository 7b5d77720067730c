/* test_face: the calls that the runtime and the driver share. Each row of calls.def is an entry point of both, and the
 * two answer the same to handles and pointers that are none. */
#include "cuda/cu_calls.h"
#include "cudart/rt_calls.h"
#include "door/door.h"
#include "unit.h"

const void *const *lw_core_table(const char *door, unsigned abi, size_t *count);

static const char *const runtime_names[] = {
#define ENTRY(name, kind, group) #name,
#include "cudart/entrypoints.def"
#undef ENTRY
};

static bool is_runtime_entry(const char *name, const void *function)
{
    size_t count = 0;
    const void *const *table = lw_core_table("cudart", LW_DOOR_ABI, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(runtime_names[i], name)) return table[i] == function;
    return false;
}

static bool is_driver_entry(const char *symbol, const void *function)
{
    for (size_t i = 0; i < lw_cuda_entry_count; i++)
        if (!strcmp(lw_cuda_rows[i].symbol, symbol)) return lw_cuda_entries[i] == function;
    return false;
}

static void check_entries(const char *runtime, const void *of_runtime, const char *driver, const void *of_driver)
{
    if (!is_runtime_entry(runtime, of_runtime)) UNIT_FAIL("%s is no entry point of the runtime", runtime);
    if (!is_driver_entry(driver, of_driver)) UNIT_FAIL("%s is no entry point of the driver", driver);
}

#define FUNCTION(name) (const void *)(size_t)&name

UNIT_CASE(rows_are_entry_points_of_both)
{
#define CALL(need, runtime, driver, params, result)                                                                    \
    check_entries(#runtime, FUNCTION(lw_cudart_##runtime), #driver, FUNCTION(lw_cuda_##driver));
#define TWICE(runtime, driver, suffix, params, result)                                                                 \
    CALL(, runtime, driver, params, result)                                                                            \
    CALL(, runtime##_##suffix, driver##_##suffix, params, result)
#include "face/calls.def"
#undef CALL
#undef TWICE
}

typedef int (*call_fn)();
int lw_cuda_cuInit(unsigned flags);
int lw_cuda_cuCtxCreate_v2(cu_context **out, unsigned flags, int device);

static const struct {
    const char *runtime, *driver;
    call_fn of_runtime, of_driver;
} calls[] = {
#define CALL(need, runtime, driver, params, result)                                                                    \
    {#runtime, #driver, (call_fn)lw_cudart_##runtime, (call_fn)lw_cuda_##driver},
#define TWICE(runtime, driver, suffix, params, result) CALL(, runtime, driver, params, result)
#include "face/calls.def"
#undef CALL
#undef TWICE
};

/* The runtime's functions are host addresses, of which NULL is none; the driver's are handles. */
static bool same_answer(int of_runtime, int of_driver)
{
    if (of_runtime == HOST_INVALID_DEVICE_FUNCTION) return of_driver == HOST_INVALID_RESOURCE_HANDLE;
    return of_runtime == of_driver;
}

UNIT_CASE(both_answer_the_same_to_nothing)
{
    cu_context *context;
    CHECK_EQ_INT(lw_cuda_cuInit(0), 0);
    CHECK_EQ_INT(lw_cuda_cuCtxCreate_v2(&context, 0, 0), 0);
    int refused = 0;
    for (size_t i = 0; i < LW_COUNT(calls); i++) {
        int of_runtime = calls[i].of_runtime(0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L);
        int of_driver = calls[i].of_driver(0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L);
        if (!same_answer(of_runtime, of_driver))
            UNIT_FAIL("%s gives %d, %s %d", calls[i].runtime, of_runtime, calls[i].driver, of_driver);
        refused += of_driver != 0;
    }
    CHECK(refused > 100); /* the rest takes zeros */
}

UNIT_MAIN()
