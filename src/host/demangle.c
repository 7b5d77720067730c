/* C++ names for people: the C++ runtime's own demangler, if the process has or can load one. Without it names stay as
 * they are. */
#include <dlfcn.h>
#include <stdlib.h>

#include "host/host_priv.h"

typedef char *(*demangle_fn)(const char *mangled, char *buffer, size_t *size, int *status);

char *host_demangle(const char *mangled)
{
    demangle_fn demangle = (demangle_fn)dlsym(RTLD_DEFAULT, "__cxa_demangle");
    if (!demangle) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        if (library) demangle = (demangle_fn)dlsym(library, "__cxa_demangle");
    }
    int status = -1;
    char *text = demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
    return text && !status ? text : lw_strdup(mangled);
}
