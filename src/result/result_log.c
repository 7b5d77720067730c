/* result log, the writing side: see log_format.h for the file.
 *
 * A process maps the file once, beyond its end, and extends the file before it writes there. Its launches are found in
 * a table in memory and their records are added to in place; only the process that wrote a record changes it. A forked
 * child is noticed by its process id: it starts with empty tables and records of its own, and the reader sums. Rows of
 * a launch are matched by position first, then by identity; rows not seen before go to a further record of the same
 * launch. A log that cannot grow drops what does not fit and says so in its header. Limits: a fork while another thread
 * is inside these functions leaks that thread's half of the work. */
#include "result/log_format.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A launch that this process has written. */
typedef struct log_entry {
    log_launch *first;
    LW_VEC(log_row *) rows; /* of all its records */
} log_entry;

struct result_log {
    int fd;
    char *base; /* LOG_MAX_BYTES of addresses */
    char *device_name, *device_cc;
    pthread_mutex_t lock;
    pid_t pid; /* the process that the tables below belong to; atomic */
    log_process *process;
    lw_map strings;   /* text -> log_string */
    lw_map launches;  /* identity -> log_entry */
    lw_map findings;  /* identity -> log_finding */
    lw_map messages;  /* text -> log_message */
    lw_map uncounted; /* reason and name -> log_uncounted */
    lw_map spans;     /* stream, kind and name -> log_span: the folded ones */
    size_t span_count, fold_count;
    LW_VEC(log_entry *) entries;
    lw_arena arena; /* keys and entries */
};

/* ---- the file ---- */

static uint64_t place_of(const result_log *log, const void *p)
{
    return p ? (uint64_t)((const char *)p - log->base) : 0;
}
static log_header *header_of(const result_log *log) { return (log_header *)log->base; }

/* Makes the file hold at least bytes. The lock excludes other processes (it vanishes with its owner), the caller's
 * mutex other threads. */
static bool grow(result_log *log, uint64_t bytes)
{
    log_header *header = header_of(log);
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    while (fcntl(log->fd, F_SETLKW, &range))
        if (errno != EINTR) return false;
    struct stat st;
    uint64_t want = lw_round_up(bytes, LOG_STEP);
    bool ok = !fstat(log->fd, &st) && ((uint64_t)st.st_size >= want || !ftruncate(log->fd, (off_t)want));
    if (ok) __atomic_store_n(&header->file_bytes, LW_MAX(want, (uint64_t)st.st_size), __ATOMIC_RELEASE);
    range.l_type = F_UNLCK;
    fcntl(log->fd, F_SETLK, &range);
    return ok;
}

/* A zeroed record, not yet committed; NULL when the log is full. */
static void *take(result_log *log, log_kind kind, uint64_t size)
{
    log_header *header = header_of(log);
    size = lw_round_up(size, LOG_ALIGN);
    bool fits = size <= LOG_MAX_BYTES / 4 && __atomic_load_n(&header->used, __ATOMIC_RELAXED) < LOG_MAX_BYTES / 4 * 3;
    uint64_t place = fits ? __atomic_fetch_add(&header->used, size, __ATOMIC_RELAXED) : 0, end = place + size;
    fits = fits && end <= LOG_MAX_BYTES;
    if (!fits || (end > __atomic_load_n(&header->file_bytes, __ATOMIC_ACQUIRE) && !grow(log, end))) {
        header->full = 1;
        return NULL;
    }
    log_record *record = (log_record *)(log->base + place);
    record->size = (uint32_t)size;
    record->kind = (uint16_t)kind;
    __atomic_store_n(&record->mark, LOG_MARK ^ place, __ATOMIC_RELEASE);
    return record;
}

static void commit(void *record) { __atomic_store_n(&((log_record *)record)->committed, 1, __ATOMIC_RELEASE); }

lw_status result_log_create(const char *path, lw_error *error)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    log_header header = {LOG_MAGIC, COUNTER_COUNT, 0, LOG_FIRST, LOG_STEP};
    bool ok = fd >= 0 && !ftruncate(fd, LOG_STEP) && pwrite(fd, &header, sizeof header, 0) == (ssize_t)sizeof header;
    lw_status status =
        ok ? LW_OK : lw_fail(error, LW_IO, "cannot create the result file %s: %s", path, strerror(errno));
    if (fd >= 0) close(fd);
    return status;
}

/* ---- strings ---- */

static uint64_t put_string(result_log *log, const char *text)
{
    if (!text) return 0;
    size_t length = LW_MIN(strlen(text), (size_t)1 << 20);
    log_string *s = lw_map_get(&log->strings, text, length);
    if (s) return place_of(log, s);
    s = take(log, LOG_STRING, sizeof *s + length + 1);
    if (!s) return 0;
    memcpy(s->text, text, length);
    s->length = (uint32_t)length;
    commit(s);
    lw_map_put(&log->strings, lw_arena_strndup(&log->arena, text, length), length, s);
    return place_of(log, s);
}

/* The text at a place of ours equals text (NULL = 0). */
static bool is_text(const result_log *log, uint64_t place, const char *text)
{
    if (!place || !text) return !place && !text;
    return !strcmp(((const log_string *)(log->base + place))->text, text);
}

static uint64_t put_frames(result_log *log, const result_frame *frames, uint32_t count)
{
    if (!count) return 0;
    log_frames *f = take(log, LOG_FRAMES, sizeof *f + count * sizeof f->frame[0]);
    if (!f) return 0;
    f->count = count;
    for (uint32_t i = 0; i < count; i++) {
        f->frame[i].file = put_string(log, frames[i].file);
        f->frame[i].function = put_string(log, frames[i].function);
        f->frame[i].line = frames[i].line;
    }
    commit(f);
    return place_of(log, f);
}

/* ---- opening ---- */

static void add_process(result_log *log)
{
    uint64_t name = put_string(log, log->device_name), cc = put_string(log, log->device_cc);
    log->process = take(log, LOG_PROCESS, sizeof(log_process));
    if (!log->process) return;
    log->process->device_name = name;
    log->process->device_cc = cc;
    log->process->pid = (uint32_t)log->pid;
    commit(log->process);
}

/* Maps the file behind a range without access, so that a program that runs past its own memory faults before it is in
 * what was counted. NULL: errno says why. */
static char *map_guarded(int fd)
{
    char *guard = mmap(NULL, LOG_GUARD + LOG_MAX_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (guard == MAP_FAILED) return NULL;
    int protection = PROT_READ | PROT_WRITE;
    int flags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED;
    char *base = mmap(guard + LOG_GUARD, LOG_MAX_BYTES, protection, flags, fd, 0);
    if (base != MAP_FAILED) return base;
    int why = errno;
    munmap(guard, LOG_GUARD + LOG_MAX_BYTES);
    errno = why;
    return NULL;
}

lw_status result_log_open(result_log **out, const char *path, const char *device_name, const char *device_cc,
                          lw_error *error)
{
    *out = NULL;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    log_header header;
    if (fd < 0) return lw_fail(error, LW_IO, "cannot open the result file %s: %s", path, strerror(errno));
    if (pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header || header.magic != LOG_MAGIC ||
        header.counter_count != COUNTER_COUNT) {
        close(fd);
        return lw_fail(error, LW_CORRUPT, "%s is not a result file of this version", path);
    }
    char *base = map_guarded(fd);
    if (!base) {
        close(fd);
        return lw_fail(error, LW_IO, "cannot map the result file %s: %s", path, strerror(errno));
    }
    result_log *log = lw_alloc(sizeof *log);
    log->fd = fd;
    log->base = base;
    log->device_name = lw_strdup(device_name ? device_name : "");
    log->device_cc = lw_strdup(device_cc ? device_cc : "");
    log->pid = getpid();
    pthread_mutex_init(&log->lock, NULL);
    add_process(log);
    *out = log;
    return LW_OK;
}

static void free_tables(result_log *log)
{
    for (size_t i = 0; i < log->entries.count; i++) lw_vec_free(&log->entries.items[i]->rows);
    lw_vec_free(&log->entries);
    lw_map_free(&log->strings);
    lw_map_free(&log->launches);
    lw_map_free(&log->findings);
    lw_map_free(&log->messages);
    lw_map_free(&log->uncounted);
    lw_map_free(&log->spans);
    lw_arena_free(&log->arena);
    log->arena = (lw_arena){0};
}

/* Takes the lock. In a forked child the tables are the parent's, perhaps half changed: they are left alone (leaked) and
 * new ones begun. */
static void enter(result_log *log)
{
    pid_t mine = getpid(), was = __atomic_load_n(&log->pid, __ATOMIC_ACQUIRE);
    if (was != mine) {
        memset(&log->strings, 0, sizeof log->strings);
        memset(&log->launches, 0, sizeof log->launches);
        memset(&log->findings, 0, sizeof log->findings);
        memset(&log->messages, 0, sizeof log->messages);
        memset(&log->uncounted, 0, sizeof log->uncounted);
        memset(&log->spans, 0, sizeof log->spans);
        log->span_count = 0;
        log->fold_count = 0;
        memset(&log->entries, 0, sizeof log->entries);
        memset(&log->arena, 0, sizeof log->arena);
        pthread_mutex_init(&log->lock, NULL);
        __atomic_store_n(&log->pid, mine, __ATOMIC_RELEASE);
        pthread_mutex_lock(&log->lock);
        add_process(log);
        return;
    }
    pthread_mutex_lock(&log->lock);
}

static void leave(result_log *log) { pthread_mutex_unlock(&log->lock); }

void result_log_close(result_log *log)
{
    if (!log) return;
    if (log->pid == getpid()) { /* a child that wrote nothing has nothing to close */
        if (log->process) __atomic_store_n(&log->process->closed, 1, __ATOMIC_RELEASE);
        free_tables(log);
        pthread_mutex_destroy(&log->lock);
    }
    munmap(log->base - LOG_GUARD, LOG_GUARD + LOG_MAX_BYTES);
    close(log->fd);
    free(log->device_name);
    free(log->device_cc);
    free(log);
}

/* ---- launches ---- */

static bool is_row(const result_log *log, const log_row *r, const result_row *row)
{
    if (r->line != row->line || r->bytes_per_lane != row->bytes_per_lane || r->inlined_count != row->inlined_count)
        return false;
    if (r->ptx != row->ptx || !is_text(log, r->space, row->space) || !is_text(log, r->op, row->op)) return false;
    if (!is_text(log, r->dir, row->dir) || !is_text(log, r->file, row->file) ||
        !is_text(log, r->function, row->function))
        return false;
    const log_frames *f = r->inlined ? (const log_frames *)(log->base + r->inlined) : NULL;
    for (uint32_t i = 0; f && i < row->inlined_count; i++)
        if (f->frame[i].line != row->inlined[i].line || !is_text(log, f->frame[i].file, row->inlined[i].file) ||
            !is_text(log, f->frame[i].function, row->inlined[i].function))
            return false;
    return true;
}

static void fill_row(result_log *log, log_row *r, const result_row *row)
{
    r->file = put_string(log, row->file);
    r->function = put_string(log, row->function);
    r->inlined = put_frames(log, row->inlined, row->inlined_count);
    r->inlined_count = r->inlined ? row->inlined_count : 0;
    r->space = put_string(log, row->space);
    r->op = put_string(log, row->op);
    r->dir = put_string(log, row->dir);
    r->line = row->line;
    r->bytes_per_lane = row->bytes_per_lane;
    r->ptx = row->ptx;
    r->exact = true;
}

/* The first launch's samples stay, but for a worse access of a later one. */
static void add_samples(result_log *log, log_row *r, const result_sample *samples)
{
    log_samples *known = r->samples ? (log_samples *)(log->base + r->samples) : take(log, LOG_SAMPLES, sizeof *known);
    if (!known) return;
    if (!r->samples) memcpy(known->sample, samples, sizeof known->sample);
    else if (samples[RESULT_WORST].cost > known->sample[RESULT_WORST].cost)
        known->sample[RESULT_WORST] = samples[RESULT_WORST];
    if (!r->samples) commit(known);
    r->samples = place_of(log, known);
}

/* Words may come with a later launch: the first that are there stay; one inexact launch makes the sum inexact. */
static void add_row(result_log *log, log_row *r, const result_row *row)
{
    counter_set_add(&r->counters, &row->counters);
    r->seconds += row->seconds;
    r->seconds_saved += row->seconds_saved;
    if (!row->exact) r->exact = false;
    if (row->samples) add_samples(log, r, row->samples);
    if (row->why && !r->why) r->why = put_string(log, row->why);
    if (row->advice && !r->advice) r->advice = put_string(log, row->advice);
}

static log_row *find_row(const result_log *log, const log_entry *e, size_t position, const result_row *row)
{
    if (position < e->rows.count && is_row(log, e->rows.items[position], row)) return e->rows.items[position];
    for (size_t i = 0; i < e->rows.count; i++)
        if (is_row(log, e->rows.items[i], row)) return e->rows.items[i];
    return NULL;
}

/* A record for this launch with the given rows, zero counters. */
static log_launch *put_launch(result_log *log, log_entry *e, const result_launch *launch, const result_row *const *rows,
                              size_t count)
{
    log_launch *l = take(log, LOG_LAUNCH, sizeof *l + count * sizeof l->row[0]);
    if (!l) return NULL;
    l->kernel = put_string(log, launch->kernel);
    l->kernel_mangled = put_string(log, launch->kernel_mangled);
    l->parent = put_string(log, launch->parent);
    l->parent_file = put_string(log, launch->parent_file);
    l->parent_line = launch->parent_line;
    l->device = launch->device;
    memcpy(l->grid, launch->grid, sizeof l->grid);
    memcpy(l->block, launch->block, sizeof l->block);
    memcpy(l->cluster, launch->cluster, sizeof l->cluster);
    l->dynamic_shared_bytes = launch->dynamic_shared_bytes;
    l->built = launch->built;
    l->occupancy = launch->occupancy;
    l->row_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        fill_row(log, &l->row[i], rows[i]);
        lw_vec_push(&e->rows, &l->row[i]);
    }
    commit(l);
    return l;
}

/* What tells launches apart: name and configuration, and who launched. */
static void key_of(const result_launch *launch, lw_text *out)
{
    const char *name = launch->kernel_mangled ? launch->kernel_mangled : "";
    uint32_t numbers[12] = {launch->dynamic_shared_bytes, launch->parent_line, launch->device};
    memcpy(numbers + 3, launch->grid, 12);
    memcpy(numbers + 6, launch->block, 12);
    memcpy(numbers + 9, launch->cluster, 12);
    lw_text_append(out, (const char *)numbers, sizeof numbers);
    lw_text_append(out, name, strlen(name) + 1);
    if (launch->parent) lw_text_append(out, launch->parent, strlen(launch->parent) + 1);
    if (launch->parent_file) lw_text_append(out, launch->parent_file, strlen(launch->parent_file) + 1);
}

static log_entry *find_entry(result_log *log, const result_launch *launch)
{
    lw_text key = {0};
    key_of(launch, &key);
    log_entry *e = lw_map_get(&log->launches, key.data, key.size);
    if (!e) {
        e = LW_NEW(&log->arena, log_entry);
        lw_vec_push(&log->entries, e);
        lw_map_put(&log->launches, lw_arena_strndup(&log->arena, key.data, key.size), key.size, e);
    }
    lw_text_free(&key);
    return e;
}

/* Rows that no record has yet get one. */
static void put_new_rows(result_log *log, log_entry *e, const result_launch *launch)
{
    LW_VEC(const result_row *) fresh = {0};
    for (size_t i = 0; i < launch->row_count; i++)
        if (!find_row(log, e, i, &launch->rows[i])) lw_vec_push(&fresh, &launch->rows[i]);
    if (fresh.count || !e->first) {
        log_launch *l = put_launch(log, e, launch, fresh.items, fresh.count);
        if (!e->first) e->first = l;
    }
    lw_vec_free(&fresh);
}

static uint64_t put_what_if(result_log *log, const result_what_if *all, size_t count)
{
    log_what_if *w = take(log, LOG_WHAT_IF, sizeof *w + count * sizeof w->layout[0]);
    if (!w) return 0;
    w->count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        log_layout *to = &w->layout[i];
        to->array = put_string(log, all[i].array);
        to->about = put_string(log, all[i].about);
        to->now = put_string(log, all[i].now);
        to->then = put_string(log, all[i].then);
        to->index = put_string(log, all[i].index);
        to->refused = put_string(log, all[i].refused);
        to->numbers = all[i];
    }
    commit(w);
    return place_of(log, w);
}

static uint64_t put_blocks(result_log *log, const result_blocks *blocks)
{
    size_t cells = (size_t)blocks->columns * blocks->rows;
    log_blocks *b = take(log, LOG_BLOCKS, sizeof *b + cells);
    if (!b) return 0;
    b->blocks = *blocks;
    memcpy(b->level, blocks->level, cells);
    commit(b);
    return place_of(log, b);
}

void result_log_launch(result_log *log, const result_launch *launch)
{
    enter(log);
    log_entry *e = find_entry(log, launch);
    put_new_rows(log, e, launch);
    log_launch *l = e->first;
    if (l) {
        __atomic_store_n(&l->busy, 1, __ATOMIC_SEQ_CST);
        l->count += launch->count;
        l->seconds += launch->seconds;
        l->inst_executed += launch->inst_executed;
        l->thread_inst += launch->thread_inst;
        l->library = launch->library;
        l->library_bytes += launch->library_bytes;
        if (launch->schedule_dependent) l->schedule_dependent = true;
        if (launch->note && !l->note) l->note = put_string(log, launch->note);
        if (launch->what_if_count && !l->what_if) l->what_if = put_what_if(log, launch->what_if, launch->what_if_count);
        if (launch->blocks && !l->blocks) l->blocks = put_blocks(log, launch->blocks);
        if (launch->ptx && !l->ptx) l->ptx = put_string(log, launch->ptx);
        counter_set_add(&l->counters, &launch->counters);
        result_time_add(&l->time, &launch->time);
        for (size_t i = 0; i < launch->row_count; i++) {
            log_row *r = find_row(log, e, i, &launch->rows[i]);
            if (r) add_row(log, r, &launch->rows[i]);
        }
        __atomic_store_n(&l->busy, 0, __ATOMIC_SEQ_CST);
    }
    leave(log);
}

/* ---- findings and messages ---- */

static void put_related(result_log *log, log_related *to, const result_related *from)
{
    to->message = put_string(log, from->message);
    to->file = put_string(log, from->file);
    to->line = from->line;
    to->role_side = from->role | (uint32_t)from->side << 8;
    memcpy(to->block, from->block, sizeof to->block);
    memcpy(to->thread, from->thread, sizeof to->thread);
}

static log_finding *put_finding(result_log *log, const result_finding *f)
{
    log_finding *r = take(log, LOG_FINDING, sizeof *r + (f->related_count + f->step_count) * sizeof r->related[0]);
    if (!r) return NULL;
    r->check = put_string(log, f->check);
    r->severity = put_string(log, f->severity);
    r->message = put_string(log, f->message);
    r->kernel = put_string(log, f->kernel);
    r->file = put_string(log, f->file);
    r->call = put_string(log, f->call);
    r->error = put_string(log, f->error);
    r->site = put_string(log, f->site);
    r->call_number = f->call_number;
    r->line = f->line;
    memcpy(r->block, f->block, sizeof r->block);
    memcpy(r->thread, f->thread, sizeof r->thread);
    r->has_place = f->has_place;
    r->address = f->address;
    r->has_address = f->has_address;
    r->bytes = f->bytes;
    r->related_count = (uint32_t)(f->related_count + f->step_count);
    for (size_t i = 0; i < f->related_count; i++) put_related(log, &r->related[i], &f->related[i]);
    for (size_t i = 0; i < f->step_count; i++) put_related(log, &r->related[f->related_count + i], &f->steps[i]);
    commit(r);
    return r;
}

/* The record of the finding, new or as it was written before, counted. NULL: no room. Inside the lock. */
static log_finding *add_finding(result_log *log, const result_finding *f)
{
    lw_text key = {0};
    lw_text_add(&key, "%s\n%s\n%s\n%s\n%s\n%u\n%s", f->check, f->severity, f->message, f->kernel ? f->kernel : "",
                f->file ? f->file : "", f->line, f->site ? f->site : "");
    log_finding *r = lw_map_get(&log->findings, key.data, key.size);
    if (!r && (r = put_finding(log, f)))
        lw_map_put(&log->findings, lw_arena_strndup(&log->arena, key.data, key.size), key.size, r);
    if (r) r->count += f->count ? f->count : 1;
    lw_text_free(&key);
    return r;
}

void result_log_finding(result_log *log, const result_finding *f)
{
    enter(log);
    add_finding(log, f);
    leave(log);
}

result_open *result_log_open_finding(result_log *log, const result_finding *f, const char *settled)
{
    enter(log);
    log_finding *r = add_finding(log, f);
    if (r) {
        if (!r->settled) r->settled = put_string(log, settled);
        r->open += 1;
    }
    leave(log);
    return (result_open *)r;
}

void result_log_settle(result_log *log, result_open *finding)
{
    if (!finding) return;
    enter(log);
    log_finding *r = (log_finding *)finding;
    if (r->open) r->open -= 1;
    leave(log);
}

/* put_string() without the table. */
static uint64_t put_text(result_log *log, const char *text)
{
    if (!text) return 0;
    size_t length = strlen(text);
    log_string *s = take(log, LOG_STRING, sizeof *s + length + 1);
    if (!s) return 0;
    memcpy(s->text, text, length);
    s->length = (uint32_t)length;
    commit(s);
    return place_of(log, s);
}

void result_log_finding_in_signal(result_log *log, const result_finding *f)
{
    log_finding *r = take(log, LOG_FINDING, sizeof *r);
    if (!r) return;
    r->check = put_text(log, f->check);
    r->severity = put_text(log, f->severity);
    r->message = put_text(log, f->message);
    r->site = put_text(log, f->site);
    r->file = put_text(log, f->file);
    r->line = f->line;
    r->address = f->address;
    r->has_address = f->has_address;
    r->count = f->count;
    commit(r);
}

void result_log_message(result_log *log, const char *message)
{
    enter(log);
    size_t length = strlen(message);
    if (!lw_map_get(&log->messages, message, length)) {
        uint64_t text = put_string(log, message);
        log_message *m = text ? take(log, LOG_MESSAGE, sizeof *m) : NULL;
        if (m) {
            m->text = text;
            commit(m);
            lw_map_put(&log->messages, lw_arena_strndup(&log->arena, message, length), length, m);
        }
    }
    leave(log);
}

void result_log_check(result_log *log, const char *name)
{
    enter(log);
    uint64_t text = put_string(log, name);
    log_message *m = text ? take(log, LOG_CHECK, sizeof *m) : NULL;
    if (m) {
        m->text = text;
        commit(m);
    }
    leave(log);
}

static log_uncounted *put_uncounted(result_log *log, const char *kernel, result_why_uncounted why)
{
    uint64_t name = put_string(log, kernel);
    log_uncounted *u = name ? take(log, LOG_UNCOUNTED, sizeof *u) : NULL;
    if (!u) return NULL;
    u->kernel = name;
    u->why = why;
    commit(u);
    return u;
}

void result_log_uncounted(result_log *log, const char *kernel, result_why_uncounted why)
{
    enter(log);
    lw_text key = {0};
    lw_text_add(&key, "%u%s", why, kernel);
    log_uncounted *u = lw_map_get(&log->uncounted, key.data, key.size);
    if (!u && (u = put_uncounted(log, kernel, why)))
        lw_map_put(&log->uncounted, lw_arena_strndup(&log->arena, key.data, key.size), key.size, u);
    if (u) u->count++;
    lw_text_free(&key);
    leave(log);
}

/* ---- the timeline ---- */

static log_span *put_span(result_log *log, const result_span *span)
{
    uint64_t name = put_string(log, span->name);
    log_span *s = take(log, LOG_SPAN, sizeof *s);
    if (!s) return NULL;
    s->name = name;
    s->pid = (uint32_t)log->pid;
    s->span = *span;
    s->span.name = NULL;
    commit(s);
    return s;
}

/* Where there are too many streams or kernels, all of one kind become one. */
static void fold_span(result_log *log, const result_span *span)
{
    result_span folded = *span;
    if (log->fold_count >= RESULT_SPANS_MOST) {
        folded.stream = 0;
        folded.name = NULL;
    }
    lw_text key = {0};
    lw_text_add(&key, "%u %llu %s", folded.kind, (unsigned long long)folded.stream, folded.name ? folded.name : "");
    log_span *known = lw_map_get(&log->spans, key.data, key.size);
    if (known) {
        result_span_add(&known->span, span);
    } else {
        known = put_span(log, &folded);
        log->fold_count++;
        if (known) lw_map_put(&log->spans, lw_arena_strndup(&log->arena, key.data, key.size), key.size, known);
    }
    lw_text_free(&key);
}

void result_log_span(result_log *log, const result_span *span)
{
    enter(log);
    if (log->span_count++ < RESULT_SPANS_MOST) put_span(log, span);
    else fold_span(log, span);
    leave(log);
}
