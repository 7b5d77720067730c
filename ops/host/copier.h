/*
 * What the two files of the host copier share. A copy of pageable memory is cut into chunks, one ring slot each,
 * counted through the copier's life: chunk g lies in slot g % slots and travels on lane g % 2 (a stream of the copier).
 * On a lane, every chunk is a host function that waits until the chunk may travel, and then the copy itself; so a host
 * function also tells that all earlier copies of its lane have ended, and no thread but the caller's ever calls CUDA.
 * Threads move pieces of chunks between the ring and the caller's memory, in the order of each lane's chunks. Host
 * functions wait only for such pieces, and these only for copies that the same lane has already done and has told of:
 * so nothing can wait in a circle, though the driver calls the host functions of all streams from one thread. (In the
 * order of all chunks it could: a lane that is ahead waits for a piece behind one of the other lane, whose arrival that
 * lane cannot tell while the thread waits.)
 */
#ifndef LW_OPS_COPIER_H
#define LW_OPS_COPIER_H

#include <pthread.h>
#include <stdatomic.h>
#include <cuda_runtime_api.h>
#include "common/base.h"

#define COPIER_LANES 2
#define COPIER_SLOTS 16 /* even: a slot keeps its lane */

typedef enum copier_source { COPIER_MEMORY, COPIER_FILE } copier_source;

/* A copy on its way. Rows of `row` bytes, `rows` of them per plane. */
typedef struct copier_job {
    uint64_t id; /* of the ticket; 0: unused record */
    bool direct; /* one copy of the runtime; `event` follows it */
    bool to_host;
    bool kept; /* somebody holds the ticket */
    copier_source source;
    int fd;
    int64_t file_offset;
    char *host, *device;
    int64_t row, rows, planes, host_row, host_plane, device_row, device_plane;
    int64_t chunk;         /* bytes at most */
    int64_t rows_each;     /* rows per chunk; 0: rows are longer than a chunk and cut */
    int64_t per_unit;      /* chunks per row (cut rows) or per plane */
    uint64_t first, count; /* chunks */
    uint64_t chunks_left;  /* not yet filled or drained */
    int tails_left;        /* lanes that have not passed the job's end */
    lw_ops_status status;
    int error; /* errno or cudaError_t */
    cudaEvent_t event;
} copier_job;

/* Part of a job: `rows` rows of `bytes` bytes. */
typedef struct copier_chunk {
    int64_t host, device; /* offsets */
    int64_t bytes, rows;
} copier_chunk;

typedef enum slot_state { SLOT_FREE, SLOT_FILLED, SLOT_ARRIVED } slot_state;

typedef struct copier_slot {
    slot_state state;
    uint64_t chunk;
    int pieces_left;
} copier_slot;

typedef struct copier_lane {
    struct lw_copier *copier;
    cudaStream_t stream;
    cudaEvent_t end;
    uint64_t next;   /* chunk of the lane's next host function */
    uint64_t done;   /* chunks of this lane below have been copied */
    uint64_t cursor; /* its chunk and piece that the next idle thread takes */
    int cursor_piece;
} copier_lane;

/* Copies at once: copier_quick.c. */
#define QUICK_SLOTS 16
#define QUICK_CHUNK (256 << 10) /* what is enqueued at once */
#define QUICK_PIECE (64 << 10)  /* what a thread moves at once */
typedef struct copier_quick {
    pthread_mutex_t one;            /* one copy at once */
    char *area;                     /* QUICK_SLOTS chunks of pinned memory */
    cudaEvent_t event[QUICK_SLOTS]; /* behind the slot's last copy */
    uint64_t first;                 /* chunks of all copies before this one */
    bool on;                        /* with the copier's lock */
    int users;                      /* threads at it; with the copier's lock */
    bool to_host;
    char *host;
    int64_t bytes;
    uint64_t pieces;
    atomic_uint_least64_t next, open; /* piece that is taken next; pieces that may be taken */
    atomic_int left[QUICK_SLOTS];     /* pieces not yet moved */
} copier_quick;

struct lw_copier {
    const lw_ops *ops;
    lw_copier_options opt;
    char *ring;
    bool registered;
    bool late; /* the device reads pageable memory by itself: the runtime's copies of it may return before they end */
    int64_t slot_bytes;
    pthread_t *threads;
    int started;
    pthread_mutex_t enqueue; /* one caller at a time */
    pthread_mutex_t lock;    /* everything below */
    pthread_cond_t work, news;
    atomic_uint epoch; /* bumped with every change that threads or host functions may wait for */
    bool stop, broken;
    uint64_t next_id, chunks; /* chunks given out so far */
    copier_slot slot[COPIER_SLOTS];
    copier_lane lane[COPIER_LANES];
    cudaEvent_t begin;
    copier_job *jobs;
    copier_quick quick;
};

/* copier_base.c */
void copier_changed(lw_copier *c); /* with the lock held */
void copier_wake(lw_copier *c);    /* without it */
/* Past the caches: lines are not read before they are written, and what is copied need not fit there. */
void copier_stream(char *to, const char *from, size_t bytes);

/* copier_work.c */
copier_chunk copier_chunk_of(const copier_job *j, uint64_t k);
int copier_pieces(const copier_job *j, const copier_chunk *c);
bool copier_start_threads(lw_copier *c, lw_ops_error *err);
void copier_stop_threads(lw_copier *c);
void CUDART_CB copier_gate(void *lane); /* host function before a copy */
void CUDART_CB copier_tail(void *lane); /* host function behind a job's last copy on a lane */

/* copier_quick.c */
int copier_quick_init(copier_quick *q, char *area); /* cudaError_t */
void copier_quick_free(copier_quick *q);
bool copier_quick_work(const copier_quick *q); /* is there a piece? with the copier's lock held */
void copier_quick_help(copier_quick *q);
/* Returns when the host memory is free (down: filled); `one` is held. cudaError_t */
int copier_quick_copy(lw_copier *c, bool down, char *device, char *host, int64_t bytes, cudaStream_t stream);

#endif
