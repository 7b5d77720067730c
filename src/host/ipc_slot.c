/* Events that processes share: two counters in a file without a name that all of them map. A record takes a number when
 * it is put into a stream; who waits for the event waits until that number is done. */
#define _GNU_SOURCE /* memfd_create */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/ipc_priv.h"

#define SLOT_BYTES (HOST_IPC_SLOTS * sizeof(host_ipc_slot))

host_ipc *host_ipc_make(void)
{
    host_ipc *i = lw_alloc(sizeof *i);
    i->slots_fd = -1;
    return i;
}

static host_ipc_slot *map_slots(int fd)
{
    void *at = mmap(NULL, SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Lock held. */
static void make_slots(host_ipc *i)
{
    int fd = memfd_create("lanewise-events", MFD_CLOEXEC);
    if (fd < 0) return;
    if (!ftruncate(fd, SLOT_BYTES)) i->slots = map_slots(fd);
    if (i->slots) i->slots_fd = fd;
    else close(fd);
}

host_ipc_slot *host_ipc_slot_make(host_context *c)
{
    host_ipc *i = c->ipc;
    host_lock(c);
    if (!i->slots) make_slots(i);
    host_ipc_slot *slot = i->slots && i->slot_count < HOST_IPC_SLOTS ? &i->slots[i->slot_count++] : NULL;
    host_unlock(c);
    return slot;
}

int host_ipc_open_file(const host_ipc_content *content)
{
    char path[64];
    char name[64] = "";
    snprintf(path, sizeof path, "/proc/%d/fd/%d", content->pid, content->fd);
    bool ours =
        readlink(path, name, sizeof name - 1) > 0 && !strncmp(name, "/memfd:lanewise", strlen("/memfd:lanewise"));
    return ours ? open(path, O_RDWR | O_CLOEXEC) : -1;
}

host_ipc_slot *host_ipc_slot_open(const host_ipc_content *content)
{
    int fd = content->slot < HOST_IPC_SLOTS ? host_ipc_open_file(content) : -1;
    host_ipc_slot *slots = fd >= 0 ? map_slots(fd) : NULL;
    if (fd >= 0) close(fd);
    return slots ? slots + content->slot : NULL;
}

uint64_t host_ipc_recorded(const host_ipc_slot *slot) { return __atomic_load_n(&slot->recorded, __ATOMIC_ACQUIRE); }

bool host_ipc_done(const host_ipc_slot *slot, uint64_t number)
{
    return __atomic_load_n(&slot->completed, __ATOMIC_ACQUIRE) >= number;
}

void host_ipc_complete(host_ipc_slot *slot, uint64_t number)
{
    uint64_t was = __atomic_load_n(&slot->completed, __ATOMIC_RELAXED);
    while (was < number &&
           !__atomic_compare_exchange_n(&slot->completed, &was, number, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}
