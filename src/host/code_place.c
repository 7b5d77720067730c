/* What stands at an address of the program's own code: function and source line, read from its file. */
#define _GNU_SOURCE
#include "host/code_place.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/source_priv.h"

#define LARGEST_FILE ((off_t)256 << 20) /* bytes; a larger one is not read: it would take too long */

void host_code_place_read(const char *path, uint64_t address, host_code_place *out)
{
    struct stat st;
    *out = (host_code_place){.line.line = 0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    void *bytes = MAP_FAILED;
    if (!fstat(fd, &st) && st.st_size > 0 && st.st_size <= LARGEST_FILE)
        bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED) return;
    lw_span file = {bytes, (size_t)st.st_size};
    fatbin_function_at(file, address, &out->function);
    fatbin_line_at(file, out->function.from, address, host_is_toolkit_file, &out->line);
    munmap(bytes, (size_t)st.st_size);
}
