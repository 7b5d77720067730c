/*
 * The moving parts of the host copier: how a job is cut, the threads that fill and drain the ring, the host functions
 * that hold a lane back. See copier.h for the order of things.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/copier.h"

#define PIECE_BYTES (256 << 10) /* what a thread moves at once */
#define SPINS 4000              /* looks at the epoch before sleeping: some tens of microseconds */

copier_chunk copier_chunk_of(const copier_job *j, uint64_t k)
{
    copier_chunk c;
    int64_t unit = (int64_t)k / j->per_unit, at = (int64_t)k % j->per_unit;
    if (j->rows_each) {
        int64_t row = at * j->rows_each;
        c.host = unit * j->host_plane + row * j->host_row;
        c.device = unit * j->device_plane + row * j->device_row;
        c.bytes = j->row;
        c.rows = j->rows - row < j->rows_each ? j->rows - row : j->rows_each;
        return c;
    }
    int64_t plane = unit / j->rows, row = unit % j->rows, x = at * j->chunk;
    c.host = plane * j->host_plane + row * j->host_row + x;
    c.device = plane * j->device_plane + row * j->device_row + x;
    c.bytes = j->row - x < j->chunk ? j->row - x : j->chunk;
    c.rows = 1;
    return c;
}

static int64_t piece_rows(const copier_chunk *c)
{
    int64_t n = PIECE_BYTES / c->bytes;
    return n < 1 ? 1 : n;
}

int copier_pieces(const copier_job *j, const copier_chunk *c)
{
    (void)j;
    if (c->rows == 1) return (int)((c->bytes + PIECE_BYTES - 1) / PIECE_BYTES);
    return (int)((c->rows + piece_rows(c) - 1) / piece_rows(c));
}

/* Waits for a change, first by looking, then asleep; the lock is held before and after. */
static void wait_for_change(lw_copier *c, pthread_cond_t *cond)
{
    unsigned seen = atomic_load_explicit(&c->epoch, memory_order_acquire);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < SPINS && atomic_load_explicit(&c->epoch, memory_order_acquire) == seen; i++) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    pthread_mutex_lock(&c->lock);
    if (atomic_load_explicit(&c->epoch, memory_order_acquire) == seen) pthread_cond_wait(cond, &c->lock);
}

/* ---- pieces ---- */

static int move_file(const copier_job *j, char *ring, int64_t at, int64_t bytes)
{
    while (bytes > 0) {
        ssize_t n =
            j->to_host ? pwrite(j->fd, ring, (size_t)bytes, (off_t)at) : pread(j->fd, ring, (size_t)bytes, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) return ENODATA; /* the file ends too early */
        ring += n;
        at += n;
        bytes -= n;
    }
    return 0;
}

static int move_piece(const copier_job *j, const copier_chunk *c, int piece, char *ring)
{
    if (c->rows == 1) {
        int64_t x = (int64_t)piece * PIECE_BYTES, bytes = c->bytes - x < PIECE_BYTES ? c->bytes - x : PIECE_BYTES;
        if (j->source == COPIER_FILE) return move_file(j, ring + x, j->file_offset + c->host + x, bytes);
        if (j->to_host) copier_stream(j->host + c->host + x, ring + x, (size_t)bytes);
        else memcpy(ring + x, j->host + c->host + x, (size_t)bytes);
        return 0;
    }
    int64_t each = piece_rows(c), row = piece * each, end = row + each < c->rows ? row + each : c->rows;
    for (; row < end; row++) {
        char *host = j->host + c->host + row * j->host_row, *slot = ring + row * c->bytes;
        if (j->to_host) memcpy(host, slot, (size_t)c->bytes);
        else memcpy(slot, host, (size_t)c->bytes);
    }
    return 0;
}

/* ---- threads ---- */

static copier_job *job_of(lw_copier *c, uint64_t g)
{
    for (int i = 0; i < c->opt.tickets; i++) {
        copier_job *j = &c->jobs[i];
        if (j->id && !j->direct && g >= j->first && g - j->first < j->count) return j;
    }
    return NULL;
}

/* May pieces of chunk g be moved? A slot serves one chunk after the other. */
static bool slot_open(lw_copier *c, const copier_job *j, uint64_t g, copier_slot *s)
{
    if (j->to_host) return s->state == SLOT_ARRIVED && s->chunk == g;
    if (s->state == SLOT_FREE && (s->chunk != g || s->pieces_left == 0)) {
        if (g >= COPIER_SLOTS && c->lane[g % COPIER_LANES].done <= g - COPIER_SLOTS) return false;
        copier_chunk k = copier_chunk_of(j, g - j->first);
        s->chunk = g;
        s->pieces_left = copier_pieces(j, &k);
    }
    return s->state == SLOT_FREE && s->chunk == g;
}

/* A piece has been moved: perhaps the chunk is complete, perhaps the job. */
static void piece_done(lw_copier *c, copier_job *j, copier_slot *s, int error)
{
    if (error && !j->error) {
        j->status = LW_OPS_FILE;
        j->error = error;
    }
    if (--s->pieces_left) return;
    s->state = j->to_host ? SLOT_FREE : SLOT_FILLED;
    j->chunks_left--;
    copier_changed(c);
}

/* The lane whose next piece may be moved, the one that is behind if both have such; its job. */
static copier_lane *lane_with_work(lw_copier *c, copier_job **job)
{
    copier_lane *found = NULL;
    for (int i = 0; i < COPIER_LANES; i++) {
        copier_lane *l = &c->lane[i];
        copier_job *j = l->cursor < c->chunks ? job_of(c, l->cursor) : NULL;
        if (!j || (found && found->cursor < l->cursor)) continue;
        if (!slot_open(c, j, l->cursor, &c->slot[l->cursor % COPIER_SLOTS])) continue;
        found = l;
        *job = j;
    }
    return found;
}

static void *thread_main(void *arg)
{
    lw_copier *c = arg;
    pthread_mutex_lock(&c->lock);
    while (!c->stop) {
        if (copier_quick_work(&c->quick)) {
            c->quick.users++;
            pthread_mutex_unlock(&c->lock);
            copier_quick_help(&c->quick);
            pthread_mutex_lock(&c->lock);
            c->quick.users--;
            continue;
        }
        copier_job *j = NULL;
        copier_lane *l = c->broken ? NULL : lane_with_work(c, &j);
        if (!l) {
            wait_for_change(c, &c->work);
            continue;
        }
        uint64_t g = l->cursor;
        copier_slot *s = &c->slot[g % COPIER_SLOTS];
        copier_chunk k = copier_chunk_of(j, g - j->first);
        int piece = l->cursor_piece++;
        if (l->cursor_piece == copier_pieces(j, &k)) {
            l->cursor += COPIER_LANES;
            l->cursor_piece = 0;
        }
        char *ring = c->ring + (int64_t)(g % COPIER_SLOTS) * c->slot_bytes;
        pthread_mutex_unlock(&c->lock);
        int error = move_piece(j, &k, piece, ring);
        pthread_mutex_lock(&c->lock);
        piece_done(c, j, s, error);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---- lanes ---- */

/* All copies of the lane below chunk g have ended: what they brought can be taken, what they took can be replaced. */
static void lane_passed(lw_copier *c, copier_lane *l, uint64_t g)
{
    for (uint64_t k = l->done; k < g; k += COPIER_LANES) {
        copier_job *j = job_of(c, k);
        copier_slot *s = &c->slot[k % COPIER_SLOTS];
        if (!j) continue;
        if (j->to_host) {
            copier_chunk chunk = copier_chunk_of(j, k - j->first);
            s->state = SLOT_ARRIVED;
            s->chunk = k;
            s->pieces_left = copier_pieces(j, &chunk);
        } else {
            s->state = SLOT_FREE;
        }
    }
    l->done = g;
}

/* May the copy of chunk g begin? To the device: its slot is filled. To the host: its slot was emptied. */
static bool gate_open(lw_copier *c, uint64_t g)
{
    copier_job *j = job_of(c, g);
    copier_slot *s = &c->slot[g % COPIER_SLOTS];
    if (!j) return true;
    if (!j->to_host) return s->state == SLOT_FILLED && s->chunk == g;
    return s->state == SLOT_FREE;
}

void CUDART_CB copier_gate(void *arg)
{
    copier_lane *l = arg;
    lw_copier *c = l->copier;
    pthread_mutex_lock(&c->lock);
    uint64_t g = l->next;
    l->next += COPIER_LANES;
    lane_passed(c, l, g);
    copier_changed(c);
    while (!c->broken && !gate_open(c, g)) wait_for_change(c, &c->news);
    pthread_mutex_unlock(&c->lock);
}

void CUDART_CB copier_tail(void *arg)
{
    copier_lane *l = arg;
    lw_copier *c = l->copier;
    pthread_mutex_lock(&c->lock);
    copier_job *j = l->next >= COPIER_LANES ? job_of(c, l->next - COPIER_LANES) : NULL;
    lane_passed(c, l, l->next);
    if (j) j->tails_left--;
    copier_changed(c);
    pthread_mutex_unlock(&c->lock);
}

/* ---- start and stop ---- */

static bool node_cpus(int node, cpu_set_t *set)
{
    char path[80];
    int from, to, found = 0;
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
    FILE *f = fopen(path, "r");
    CPU_ZERO(set);
    if (!f) return false;
    while (fscanf(f, "%d", &from) == 1) {
        int next = fgetc(f);
        to = from;
        if (next == '-' && fscanf(f, "%d", &to) == 1) next = fgetc(f);
        for (int i = from; i <= to && i < CPU_SETSIZE; i++, found++) CPU_SET(i, set);
        if (next != ',') break;
    }
    fclose(f);
    return found > 0;
}

bool copier_start_threads(lw_copier *c, lw_ops_error *err)
{
    pthread_attr_t attr;
    cpu_set_t set;
    pthread_attr_init(&attr);
    if (c->opt.numa_node >= 0) {
        if (!node_cpus(c->opt.numa_node, &set)) {
            pthread_attr_destroy(&attr);
            lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "there is no NUMA node %d with processors", c->opt.numa_node);
            return false;
        }
        pthread_attr_setaffinity_np(&attr, sizeof set, &set);
    }
    int e = 0;
    for (; c->started < c->opt.threads && !e; c->started += !e)
        e = pthread_create(&c->threads[c->started], &attr, thread_main, c);
    pthread_attr_destroy(&attr);
    if (e) lw_ops_fail(err, LW_OPS_NO_MEMORY, "thread %d of the copier: %s", c->started, strerror(e));
    return !e;
}

void copier_stop_threads(lw_copier *c)
{
    pthread_mutex_lock(&c->lock);
    c->stop = true;
    copier_changed(c);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < c->started; i++) pthread_join(c->threads[i], NULL);
}
