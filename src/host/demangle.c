/* C++ names for people: the C++ runtime's own demangler, if the process has or can load one. Without it names stay as
 * they are. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "host/source_priv.h"

typedef char *(*demangle_fn)(const char *mangled, char *buffer, size_t *size, int *status);

char *host_demangle(const char *mangled)
{
    if (strncmp(mangled, "_Z", 2)) return lw_strdup(mangled); /* the demangler takes a kernel "f" for the type float */
    demangle_fn demangle = (demangle_fn)dlsym(RTLD_DEFAULT, "__cxa_demangle");
    if (!demangle) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        if (library) demangle = (demangle_fn)dlsym(library, "__cxa_demangle");
    }
    int status = -1;
    char *text = demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
    return text && !status ? text : lw_strdup(mangled);
}

char *host_demangle_text(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$";
    lw_text out = {0};
    while (*text) {
        size_t n = strspn(text, letters);
        if (n > 2 && !strncmp(text, "_Z", 2)) {
            char *mangled = lw_alloc(n + 1);
            memcpy(mangled, text, n);
            char *pretty = host_demangle(mangled);
            lw_text_append(&out, pretty, strlen(pretty));
            free(mangled);
            free(pretty);
        } else {
            n = n ? n : strcspn(text, letters);
            lw_text_append(&out, text, n);
        }
        text += n;
    }
    char *result = lw_strdup(out.data ? out.data : "");
    lw_text_free(&out);
    return result;
}
