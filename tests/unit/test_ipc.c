/* test_ipc: memory and events that two processes of a run share. The other process is a child that uses CUDA itself, so it is
 * forked before this one does. */
#include "unit.h"

#include "host/host.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct message {
    host_ipc_handle memory, small, event;
} message;

enum { WORDS = 1 << 19, GOOD = 0, WRONG = 1, NO_OPEN = 2, TWICE = 3, NOT_CLOSED = 4, EARLY = 5 };

static uint32_t *words(uint64_t address) { return mem_storage(address); }

/* What the child does: reads, writes after the event, closes. */
static int child(int from, int to)
{
    message m;
    uint64_t big;
    uint64_t again;
    uint64_t small;
    host_event *event;
    char byte = 0;
    host_context *c = host_get();
    host_stream *s = host_stream_resolve(c, NULL, false);
    if (read(from, &m, sizeof m) != sizeof m) return WRONG;
    if (host_ipc_memory_open(c, &m.memory, &big) || host_ipc_memory_open(c, &m.small, &small)) return NO_OPEN;
    if (host_ipc_event_open(c, &m.event, &event)) return NO_OPEN;
    if (host_ipc_memory_open(c, &m.memory, &again) || again != big) return TWICE;
    if (host_event_query(c, event) != HOST_NOT_READY) return EARLY;
    if (host_stream_wait_event(s, event, 0)) return EARLY;
    if (write(to, &byte, 1) != 1) return WRONG; /* the parent lets its event complete now */
    if (host_stream_synchronize(s) || host_event_query(c, event)) return EARLY;
    if (words(big)[7] != 70 || words(small)[0] != 11) return WRONG;
    words(big)[WORDS - 1] = 99;
    words(small)[1] = 22;
    if (host_ipc_memory_close(c, big) || host_ipc_memory_close(c, big) || host_ipc_memory_close(c, small))
        return NOT_CLOSED;
    return host_ipc_memory_close(c, small) == HOST_INVALID_VALUE ? GOOD : NOT_CLOSED;
}

static void wait_for_byte(void *fd)
{
    char byte;
    CHECK_EQ_INT(read(*(int *)fd, &byte, 1), 1);
}

UNIT_CASE(two_processes_share_memory_and_events)
{
    int there[2];
    int back[2];
    int status = 0;
    REQUIRE(!pipe(there) && !pipe(back));
    pid_t pid = fork();
    if (!pid) _exit(child(there[0], back[1]));
    host_context *c = host_get();
    host_stream *s = host_stream_resolve(c, NULL, false);
    uint64_t big = 0;
    uint64_t small = 0;
    uint64_t neighbour = 0;
    host_event *event = NULL;
    message m;
    CHECK_EQ_INT(host_malloc(c, WORDS * 4, MEM_DEVICE, 0, &big), 0);
    CHECK_EQ_INT(host_malloc(c, 64, MEM_DEVICE, 0, &neighbour), 0);
    CHECK_EQ_INT(host_malloc(c, 64, MEM_DEVICE, 0, &small), 0);
    words(neighbour)[0] = 5;
    words(small)[0] = 11;
    CHECK_EQ_INT(host_event_create(c, HOST_EVENT_INTERPROCESS | HOST_EVENT_NO_TIMING, &event), 0);
    CHECK_EQ_INT(host_ipc_memory_handle(c, big, &m.memory), 0);
    CHECK_EQ_INT(host_ipc_memory_handle(c, small, &m.small), 0);
    CHECK_EQ_INT(host_ipc_event_handle(c, event, &m.event), 0);
    CHECK_EQ_INT(host_function_put(s, wait_for_byte, &back[0]), 0);
    CHECK_EQ_INT(host_event_record(event, s, 0), 0);
    words(big)[7] = 70; /* after the handle was made */
    CHECK_EQ_INT(write(there[1], &m, sizeof m), (ssize_t)sizeof m);
    CHECK_EQ_INT(waitpid(pid, &status, 0), pid);
    CHECK_EQ_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, GOOD);
    CHECK_EQ_INT(host_event_synchronize(c, event), 0);
    CHECK_EQ_INT(words(big)[WORDS - 1], 99);
    CHECK_EQ_INT(words(small)[1], 22);
    CHECK_EQ_INT(words(neighbour)[0], 5);
    CHECK_EQ_INT(host_event_destroy(c, event), 0);
    CHECK_EQ_INT(host_free(c, small), 0);
    CHECK_EQ_INT(host_free(c, big), 0);
}

/* ---- pools ---- */
enum { BAD_POOL = 6, BAD_POINTER = 7, ALLOCATED = 8 };

/* The file of the pool is /proc/PID/fd of the parent: a test needs no socket to hand it over. */
typedef struct pool_message {
    int pid, pool_fd, other_fd;
    host_ipc_handle pointer;
} pool_message;

static int import_pool(host_context *c, int pid, int fd, host_pool **out)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
    int own = open(path, O_RDWR | O_CLOEXEC);
    host_error error = host_ipc_pool_import(c, own, out);
    close(own);
    return (int)error;
}

static int pool_child(int from)
{
    pool_message m;
    host_pool *pool;
    host_pool *other;
    uint64_t p = 0;
    uint64_t again = 0;
    host_context *c = host_get();
    host_stream *s = host_stream_resolve(c, NULL, false);
    if (read(from, &m, sizeof m) != sizeof m) return WRONG;
    if (import_pool(c, m.pid, m.pool_fd, &pool) || import_pool(c, m.pid, m.other_fd, &other)) return BAD_POOL;
    if (host_pool_access(c, pool, HOST_LOCATION_DEVICE, 0) != HOST_ACCESS_READ_WRITE) return BAD_POOL;
    if (host_malloc_async(c, pool, s, 64, &p) != HOST_INVALID_VALUE) return ALLOCATED;
    if (host_pool_set_current(c, 0, MEM_DEVICE, pool) != HOST_INVALID_VALUE) return ALLOCATED;
    if (host_ipc_pool_open(c, other, &m.pointer, &p) != HOST_INVALID_VALUE) return BAD_POINTER;
    if (host_ipc_pool_open(c, pool, &m.pointer, &p)) return NO_OPEN;
    if (host_ipc_pool_open(c, pool, &m.pointer, &again) || again != p) return TWICE;
    if (host_ipc_memory_close(c, p) != HOST_INVALID_VALUE) return NOT_CLOSED;
    if (words(p)[7] != 70) return WRONG;
    words(p)[WORDS - 1] = 99;
    if (host_free_async(c, s, p) || host_stream_synchronize(s)) return NOT_CLOSED;
    if (host_free(c, p) != HOST_INVALID_VALUE) return NOT_CLOSED; /* one free unmaps it */
    if (host_ipc_pool_open(c, pool, &m.pointer, &p) || words(p)[WORDS - 1] != 99 || host_free(c, p)) return NO_OPEN;
    return host_pool_destroy(c, pool) || host_pool_destroy(c, other) ? BAD_POOL : GOOD;
}

UNIT_CASE(pools_are_shared)
{
    int there[2];
    int status = 0;
    REQUIRE(!pipe(there));
    pid_t pid = fork();
    if (!pid) _exit(pool_child(there[0]));
    host_context *c = host_get();
    host_stream *s = host_stream_resolve(c, NULL, false);
    host_pool *pool = NULL;
    host_pool *other = NULL;
    host_pool *closed = NULL;
    uint64_t p = 0;
    uint64_t q = 0;
    pool_message m = {.pid = getpid()};
    CHECK_EQ_INT(host_pool_create(c, 0, MEM_DEVICE, 0, true, &pool), 0);
    CHECK_EQ_INT(host_pool_create(c, 0, MEM_DEVICE, 0, true, &other), 0);
    CHECK_EQ_INT(host_pool_create(c, 0, MEM_DEVICE, 0, false, &closed), 0);
    CHECK_EQ_INT(host_ipc_pool_export(c, pool, &m.pool_fd), 0);
    CHECK_EQ_INT(host_ipc_pool_export(c, other, &m.other_fd), 0);
    CHECK_EQ_INT(host_ipc_pool_export(c, closed, &status), HOST_INVALID_VALUE);
    CHECK_EQ_INT(host_malloc_async(c, pool, s, WORDS * 4, &p), 0);
    CHECK_EQ_INT(host_malloc_async(c, closed, s, 64, &q), 0);
    CHECK_EQ_INT(host_ipc_pool_pointer(c, q, &m.pointer), HOST_INVALID_VALUE);
    CHECK_EQ_INT(host_ipc_pool_pointer(c, p + 4, &m.pointer), HOST_INVALID_VALUE);
    CHECK_EQ_INT(host_ipc_memory_handle(c, p, &m.pointer), HOST_INVALID_VALUE); /* as of cudaMalloc it is not */
    CHECK_EQ_INT(host_ipc_pool_pointer(c, p, &m.pointer), 0);
    words(p)[7] = 70; /* after the pointer was exported */
    CHECK_EQ_INT(write(there[1], &m, sizeof m), (ssize_t)sizeof m);
    CHECK_EQ_INT(waitpid(pid, &status, 0), pid);
    CHECK_EQ_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, GOOD);
    CHECK_EQ_INT(words(p)[WORDS - 1], 99);
    CHECK_EQ_INT(host_ipc_pool_open(c, pool, &m.pointer, &q), HOST_INVALID_VALUE); /* it was not imported */
    CHECK_EQ_INT(host_ipc_pool_import(c, there[0], &pool), HOST_INVALID_VALUE);
    CHECK_EQ_INT(host_free_async(c, s, p), 0);
    CHECK_EQ_INT(host_synchronize(c), 0);
}

UNIT_CASE(what_cannot_be_shared)
{
    host_context *c = host_get();
    host_ipc_handle handle = {{0}};
    host_event *event = NULL;
    uint64_t p = 0;
    uint64_t out = 0;
    CHECK_EQ_INT(host_ipc_memory_open(c, &handle, &out), HOST_INVALID_VALUE);
    CHECK_EQ_INT(host_ipc_event_open(c, &handle, &event), HOST_INVALID_VALUE);
    CHECK_EQ_INT(host_malloc(c, 4096, MEM_DEVICE, 0, &p), 0);
    CHECK_EQ_INT(host_ipc_memory_handle(c, p + 4, &handle), HOST_INVALID_VALUE);
    CHECK_EQ_INT(host_ipc_memory_handle(c, p, &handle), 0);
    CHECK_EQ_INT(host_ipc_memory_open(c, &handle, &out), HOST_DEVICE_UNINITIALIZED); /* by its own process */
    CHECK_EQ_INT(host_ipc_memory_close(c, p), HOST_INVALID_VALUE);
    CHECK_EQ_INT(host_event_create(c, 0, &event), 0);
    CHECK_EQ_INT(host_ipc_event_handle(c, event, &handle), HOST_INVALID_RESOURCE_HANDLE);
    for (size_t i = 0; i < sizeof handle.data; i++) CHECK_EQ_INT(handle.data[i], 0);
    CHECK_EQ_INT(host_event_destroy(c, event), 0);
    memset(words(p), 1, 4096);
    CHECK_EQ_INT(host_free(c, p), 0);
    CHECK_EQ_INT(host_malloc(c, 4096, MEM_MANAGED, 0, &p), 0);
    CHECK_EQ_INT(host_ipc_memory_handle(c, p, &handle), HOST_INVALID_VALUE);
    CHECK_EQ_INT(host_free(c, p), 0);
}

UNIT_MAIN()
