/* map: addresses that programs reserve below the window, and memory of files mapped there. */
#define _GNU_SOURCE /* memfd_create */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory/window_priv.h"

/* The addresses and their storage, both without access. */
static bool take(uint64_t address, uint64_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    void *got = mmap((void *)(uintptr_t)address, bytes, PROT_NONE, flags, -1, 0);
    if (got == MAP_FAILED) return false;
    bool taken = got == (void *)(uintptr_t)address;
    void *storage = taken ? mmap(mem_storage(address), bytes, PROT_NONE, flags, -1, 0) : MAP_FAILED;
    if (storage == mem_storage(address)) return true;
    if (storage != MAP_FAILED) munmap(storage, bytes);
    munmap(got, bytes);
    return false;
}

/* The lowest address from `from` on where a reservation fits, and which one it stands before; 0: there is none. */
static uint64_t place_reserved(const mem_window *window, uint64_t from, uint64_t bytes, uint64_t alignment, size_t *out)
{
    uint64_t candidate = lw_round_up(from, alignment);
    for (*out = 0; *out < window->reserved.count; ++*out) {
        const mem_range *r = &window->reserved.items[*out];
        if (candidate + bytes <= r->address) break;
        candidate = LW_MAX(candidate, lw_round_up(r->address + r->bytes, alignment));
    }
    return candidate <= MEM_WINDOW && bytes <= MEM_WINDOW - candidate ? candidate : 0;
}

lw_status mem_reserve(mem_window *window, uint64_t bytes, uint64_t alignment, uint64_t wanted, uint64_t *out)
{
    if (!bytes || bytes % MEM_BIG_GRAIN || (alignment && !lw_is_power_of_2(alignment))) return LW_INVALID_ARGUMENT;
    alignment = LW_MAX(alignment, MEM_BIG_GRAIN);
    if (bytes > MEM_VIRTUAL_BYTES || alignment > MEM_VIRTUAL_BYTES) return LW_NO_MEMORY;
    bool wish = wanted >= MEM_VIRTUAL && wanted < MEM_WINDOW && wanted % alignment == 0;
    size_t at;
    pthread_rwlock_wrlock(&window->lock);
    uint64_t address = wish ? place_reserved(window, wanted, bytes, alignment, &at) : 0;
    if (address != wanted || !address) address = place_reserved(window, MEM_VIRTUAL, bytes, alignment, &at);
    bool done = address && take(address, bytes);
    if (done) {
        lw_vec_push(&window->reserved, ((mem_range){0, 0}));
        mem_range *r = &window->reserved.items[at];
        memmove(r + 1, r, (window->reserved.count - 1 - at) * sizeof *r);
        *r = (mem_range){address, bytes};
        *out = address;
    }
    pthread_rwlock_unlock(&window->lock);
    return done ? LW_OK : LW_NO_MEMORY;
}

/* Whether an entry of the table lies in the range. */
static bool is_mapped(const mem_window *window, uint64_t address, uint64_t bytes)
{
    size_t at = mem_count_up_to(window, address + bytes - 1);
    const mem_allocation *a = at > 0 ? window->table.items[at - 1] : NULL;
    return a && a->address + a->bytes > address;
}

lw_status mem_unreserve(mem_window *window, uint64_t address, uint64_t bytes)
{
    lw_status status = LW_INVALID_ARGUMENT;
    pthread_rwlock_wrlock(&window->lock);
    for (size_t k = 0; k < window->reserved.count; k++) {
        mem_range *r = &window->reserved.items[k];
        if (r->address != address || r->bytes != bytes || is_mapped(window, address, bytes)) continue;
        mem_let_go(address, bytes);
        memmove(r, r + 1, (--window->reserved.count - k) * sizeof *r);
        status = LW_OK;
        break;
    }
    pthread_rwlock_unlock(&window->lock);
    return status;
}

static bool is_reserved(const mem_window *window, uint64_t address, uint64_t bytes)
{
    for (size_t k = 0; k < window->reserved.count; k++) {
        const mem_range *r = &window->reserved.items[k];
        if (address >= r->address && bytes <= r->bytes && address - r->address <= r->bytes - bytes) return true;
    }
    return false;
}

/* The whole pages of storage that a range lies in. */
static mem_range pages_of(uint64_t address, uint64_t bytes)
{
    uint64_t storage = (uint64_t)(uintptr_t)mem_storage(address);
    uint64_t from = storage / MEM_PAGE * MEM_PAGE;
    return (mem_range){from, lw_round_up(storage + bytes, MEM_PAGE) - from};
}

/* The file's pages from the one with the offset on, or no access (fd -1). */
static bool map_pages(mem_range pages, int fd, uint64_t offset)
{
    int kind = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    int access = fd < 0 ? PROT_NONE : PROT_READ | PROT_WRITE;
    void *at = (void *)(uintptr_t)pages.address;
    return mmap(at, pages.bytes, access, kind | MAP_FIXED, fd, (off_t)(offset / MEM_PAGE * MEM_PAGE)) == at;
}

lw_status mem_map(mem_window *window, uint32_t device, uint64_t address, uint64_t bytes, int fd, uint64_t offset)
{
    lw_status status = LW_INVALID_ARGUMENT;
    mem_allocation a = {.address = address, .bytes = bytes, .owned = bytes, .kind = MEM_DEVICE};
    a.device = (uint8_t)device;
    a.listed = a.mapped = true;
    pthread_rwlock_wrlock(&window->lock);
    if (is_reserved(window, address, bytes) && !is_mapped(window, address, bytes)) {
        status = map_pages(pages_of(address, bytes), fd, offset) ? LW_OK : LW_NO_MEMORY;
    }
    if (!status) {
        a.serial = ++window->serial;
        mem_forget_freed(window, address, bytes);
        mem_insert(window, &a);
    }
    pthread_rwlock_unlock(&window->lock);
    return status;
}

lw_status mem_unmap(mem_window *window, uint64_t address)
{
    pthread_rwlock_wrlock(&window->lock);
    size_t at = mem_count_up_to(window, address);
    mem_allocation *a = at > 0 ? window->table.items[at - 1] : NULL;
    bool found = a && a->address == address && a->mapped;
    if (found) {
        map_pages(pages_of(address, a->bytes), -1, 0);
        mem_end_entry(window, a);
        mem_remove_entry(window, at - 1);
    }
    pthread_rwlock_unlock(&window->lock);
    return found ? LW_OK : LW_NOT_FOUND;
}

/* The lock is held. The file that stands for the whole window, for what is shared of it. */
static bool has_file(mem_window *window)
{
    if (window->file) return true;
    int fd = memfd_create("lanewise-memory", MFD_CLOEXEC);
    if (fd < 0) return false;
    bool sized = !ftruncate(fd, (off_t)MEM_WINDOW_BYTES);
    if (sized) window->file = fd;
    else close(fd);
    return sized;
}

static bool write_all(int fd, const uint8_t *from, uint64_t bytes, uint64_t offset)
{
    while (bytes) {
        ssize_t done = pwrite(fd, from, bytes, (off_t)offset);
        if (done <= 0) return false;
        from += done;
        offset += (uint64_t)done;
        bytes -= (uint64_t)done;
    }
    return true;
}

lw_status mem_share(mem_window *window, uint64_t address, int *out_fd, uint64_t *out_offset)
{
    lw_status status = LW_NOT_FOUND;
    pthread_rwlock_wrlock(&window->lock);
    size_t at = mem_count_up_to(window, address);
    const mem_allocation *a = at > 0 ? window->table.items[at - 1] : NULL;
    if (a && a->address == address && !a->freed && !a->mapped && a->kind == MEM_DEVICE) {
        mem_range pages = pages_of(address, a->owned);
        const uint8_t *now = (const uint8_t *)(uintptr_t)pages.address;
        uint64_t offset = pages.address - MEM_STORAGE;
        bool done = has_file(window) && write_all(window->file, now, pages.bytes, offset) &&
                    map_pages(pages, window->file, offset);
        *out_fd = window->file;
        *out_offset = address - MEM_WINDOW;
        status = done ? LW_OK : LW_NO_MEMORY;
    }
    pthread_rwlock_unlock(&window->lock);
    return status;
}

lw_status mem_charge(mem_window *window, uint32_t device, uint64_t bytes)
{
    pthread_rwlock_wrlock(&window->lock);
    bool fits = bytes <= window->limit - window->used[device];
    if (fits) window->used[device] += bytes;
    pthread_rwlock_unlock(&window->lock);
    return fits ? LW_OK : LW_NO_MEMORY;
}

void mem_discharge(mem_window *window, uint32_t device, uint64_t bytes)
{
    pthread_rwlock_wrlock(&window->lock);
    window->used[device] -= bytes;
    pthread_rwlock_unlock(&window->lock);
}
