/* The doors' code: finding the core. It depends on the C library alone, because it is linked into programs.
 *
 * Order: the file that LANEWISE_LIB names; then beside the object this code is linked into (the shared library, or the
 * program itself with the static archive): its folder, the one above, ../lib, ../lib/lanewise. */
#define _GNU_SOURCE
#include "door/door.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *open_beside(const char *self)
{
    static const char *const places[] = {"", "../", "../lib/", "../lib/lanewise/"};
    const char *slash = strrchr(self, '/');
    size_t folder = slash ? (size_t)(slash - self) + 1 : 0;
    char path[4096];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int n = snprintf(path, sizeof path, "%.*s%s" LW_CORE_NAME, (int)folder, self, places[i]);
        if (n < 0 || (size_t)n >= sizeof path) continue;
        void *core = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (core) return core;
    }
    return NULL;
}

static void *open_core(void)
{
    const char *given = getenv("LANEWISE_LIB");
    if (given && *given) {
        void *core = dlopen(given, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (!core) fprintf(stderr, "lanewise: LANEWISE_LIB: %s\n", dlerror());
        return core;
    }
    Dl_info self;
    return dladdr((void *)(size_t)&lw_door_bind, &self) && self.dli_fname ? open_beside(self.dli_fname) : NULL;
}

static void fill_without_core(const lw_door *door)
{
    for (size_t i = 0; i < door->count; i++) __atomic_store_n(&door->table[i], door->fail, __ATOMIC_RELAXED);
    for (size_t i = 0; i < door->special_count; i++)
        __atomic_store_n(&door->table[door->special[i].index], door->special[i].function, __ATOMIC_RELAXED);
}

static void open_door(const lw_door *door)
{
    void *core = open_core();
    lw_core_table_fn get = core ? (lw_core_table_fn)dlsym(core, "lw_core_table") : NULL;
    size_t have = 0;
    const void *const *table = get ? get(door->name, LW_DOOR_ABI, &have) : NULL;
    if (!table || have < door->count) {
        if (core)
            fprintf(stderr, "lanewise: %s does not fit this program's runtime: build the program again\n",
                    LW_CORE_NAME);
        fill_without_core(door);
        return;
    }
    for (size_t i = 0; i < door->count; i++) __atomic_store_n(&door->table[i], table[i], __ATOMIC_RELAXED);
}

void lw_door_bind(const lw_door *door, int *state)
{
    enum { NEW, BEING_OPENED, OPEN };
    int expected = NEW;
    if (__atomic_compare_exchange_n(state, &expected, BEING_OPENED, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        open_door(door);
        __atomic_store_n(state, OPEN, __ATOMIC_RELEASE);
        return;
    }
    while (__atomic_load_n(state, __ATOMIC_ACQUIRE) != OPEN) __builtin_ia32_pause(); /* another thread is opening it */
}

void lw_door_complain(void)
{
    static int said;
    if (__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED)) return;
    const char *program = getenv("_");
    fprintf(stderr, "lanewise: this program was built with lanewise's CUDA runtime; start it with: lanewise run %s\n",
            program && *program ? program : "./program");
}
