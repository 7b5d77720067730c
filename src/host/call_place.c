/* Where in the program a call came from: the first frame above this library that a person wrote. */
#define _GNU_SOURCE
#include "host/call_place.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/code_place.h"
#include "host/source_priv.h"

typedef struct frame {
    enum { FRAME_OWN, FRAME_MADE, FRAME_WRITTEN } kind;
    uint64_t function; /* its first address; 0: not known */
    host_call_place place;
} frame;

/* What nvcc and clang make of <<<>>>: a stub of the kernel, the host function of its name, a wrapper of the call. */
static bool is_made(const char *function, const char *kernel)
{
    if (!kernel) return false;
    return strstr(function, "__device_stub__") || strstr(function, "cudaLaunchKernel") || !strcmp(function, kernel);
}

static void write_site(host_call_place *out, const char *function, const char *path, uint64_t address)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    unsigned long long at = address;
    if (*function) snprintf(out->site, sizeof out->site, "%s (%s+0x%llx)", function, file, at);
    else snprintf(out->site, sizeof out->site, "%s+0x%llx", file, at);
}

/* at: a return address. */
static void read_frame(const void *at, const void *own_base, const char *kernel, frame *out)
{
    Dl_info info;
    host_code_place code;
    struct link_map *map = NULL;
    const char *inside = (const char *)at - 1; /* the call instruction */
    out->kind = FRAME_OWN;
    if (!dladdr1(inside, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || info.dli_fbase == own_base) return;
    bool program = !map->l_name || !map->l_name[0];
    uint64_t address = (uint64_t)(uintptr_t)inside - map->l_addr;
    host_code_place_read(program ? "/proc/self/exe" : map->l_name, address, &code);
    char *function = host_demangle(code.function.name);
    out->kind = is_made(function, kernel) ? FRAME_MADE : FRAME_WRITTEN;
    out->function = code.function.from;
    write_site(&out->place, function, info.dli_fname, address);
    out->place.line = code.line;
    free(function);
}

static bool find_place(void *const *frames, int count, const char *kernel, const void *from, host_call_place *out)
{
    Dl_info own;
    const void *own_base = dladdr((const void *)(uintptr_t)&host_call_place_find, &own) ? own.dli_fbase : NULL;
    frame f;
    frame launch = {.kind = FRAME_OWN};
    bool inside = false; /* the program */
    bool found = false;
    if (kernel && from) read_frame(from, own_base, kernel, &launch);
    for (int i = 0; i < count && !(found && out->line.line); i++) {
        read_frame(frames[i], own_base, kernel, &f);
        if (f.kind == FRAME_OWN && inside) break;
        if (f.kind != FRAME_OWN) inside = true;
        if (f.kind != FRAME_WRITTEN || (found && !f.place.line.line)) continue;
        bool launches = launch.kind == FRAME_WRITTEN && launch.function && launch.function == f.function;
        *out = launches ? launch.place : f.place;
        found = true;
    }
    return found;
}

bool host_call_place_of(void *const *frames, int count, host_call_place *out)
{
    return find_place(frames, count, NULL, NULL, out);
}

/* A loop fails at one place: that is looked up once. */
bool host_call_place_find(const char *kernel, const void *from, host_call_place *out)
{
    static _Thread_local struct {
        void *frames[HOST_CALL_FRAMES];
        int count;
        const void *from;
        host_call_place place;
        bool known;
    } last;
    void *frames[HOST_CALL_FRAMES];
    int count = backtrace(frames, HOST_CALL_FRAMES);
    bool same =
        count == last.count && from == last.from && !memcmp(frames, last.frames, (size_t)count * sizeof *frames);
    if (!same) {
        last.known = find_place(frames, count, kernel, from, &last.place);
        last.count = count;
        last.from = from;
        memcpy(last.frames, frames, sizeof frames);
    }
    if (last.known) *out = last.place;
    return last.known;
}
