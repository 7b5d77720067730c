/* Where in the program a call came from: the first frame above this library that a person wrote. */
#define _GNU_SOURCE
#include "host/call_place.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fatbin/fatbin.h"
#include "host/source_priv.h"

#define LARGEST_FILE (64 << 20) /* bytes; the symbols of a larger one are not read: it would take too long */

typedef struct place {
    char file[256]; /* without its folder */
    uint64_t address;
    char function[512]; /* demangled; "" if it has no symbol */
} place;

static void read_function(const char *path, place *p)
{
    struct stat st;
    char *data = NULL;
    size_t size = 0;
    char mangled[512];
    if (stat(path, &st) || st.st_size > LARGEST_FILE || lw_file_read(path, &data, &size, NULL)) return;
    if (fatbin_function_at((lw_span){(const uint8_t *)data, size}, p->address, mangled, sizeof mangled)) {
        char *text = host_demangle(mangled);
        snprintf(p->function, sizeof p->function, "%s", text);
        free(text);
    }
    free(data);
}

/* frame: a return address. */
static bool read_frame(const void *frame, const void *own_base, place *out)
{
    Dl_info info;
    struct link_map *map = NULL;
    const char *inside = (const char *)frame - 1; /* the call instruction */
    if (!dladdr1(inside, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || info.dli_fbase == own_base) return false;
    bool program = !map->l_name || !map->l_name[0];
    const char *slash = strrchr(info.dli_fname, '/');
    *out = (place){.address = (uint64_t)(uintptr_t)inside - map->l_addr};
    snprintf(out->file, sizeof out->file, "%s", slash ? slash + 1 : info.dli_fname);
    read_function(program ? "/proc/self/exe" : map->l_name, out);
    return true;
}

/* What nvcc and clang make of <<<>>>: a stub of the kernel, the host function of its name, a wrapper of the call. */
static bool is_made(const char *function, const char *kernel)
{
    if (!kernel) return false;
    return strstr(function, "__device_stub__") || strstr(function, "cudaLaunchKernel") || !strcmp(function, kernel);
}

static const char *find_place(void *const *frames, int count, const char *kernel, char *out, size_t room)
{
    Dl_info own;
    const void *own_base = dladdr((const void *)(uintptr_t)&host_call_place, &own) ? own.dli_fbase : NULL;
    place p;
    bool found = false;
    for (int i = 0; i < count; i++) {
        if (!read_frame(frames[i], own_base, &p)) {
            if (found) break;
            continue;
        }
        found = true;
        if (is_made(p.function, kernel)) continue;
        if (p.function[0]) snprintf(out, room, "%s (%s+0x%llx)", p.function, p.file, (unsigned long long)p.address);
        else snprintf(out, room, "%s+0x%llx", p.file, (unsigned long long)p.address);
        return out;
    }
    return NULL;
}

/* A loop fails at one place: that is looked up once. */
const char *host_call_place(const char *kernel, char *out, size_t room)
{
    enum { MOST_FRAMES = 24 };
    static _Thread_local struct {
        void *frames[MOST_FRAMES];
        int count;
        char text[1024];
        bool known;
    } last;
    void *frames[MOST_FRAMES];
    int count = backtrace(frames, MOST_FRAMES);
    bool same = count == last.count && !memcmp(frames, last.frames, (size_t)count * sizeof *frames);
    if (!same) {
        last.known = find_place(frames, count, kernel, last.text, sizeof last.text) != NULL;
        last.count = count;
        memcpy(last.frames, frames, sizeof frames);
    }
    if (!last.known) return NULL;
    snprintf(out, room, "%s", last.text);
    return out;
}
