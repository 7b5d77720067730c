/* Calls of libraries that are made again with the same arguments and operands: benchmarks repeat a product a hundred times. Such
 * a call has nothing to compute: its results are kept, or, where they are large, may still be there. That nothing changed is told
 * by a digest of 256 bits, which is taken only where it costs a tenth of the computation at most. */
#include <stdlib.h>
#include <string.h>

#include "host/library_priv.h"
#include "host/memory_priv.h"
#include "host/op_priv.h"
#include "host/state_priv.h"

#define KEPT 8 /* calls: one loop seldom makes more different ones */
#define MOST_MISSES 3
#define MOST_SAID 64 /* pieces of memory of a call: a batch of many small products is not kept */
#define LEAST_SECONDS 1e-3
#define RESULT_MOST (UINT64_C(64) << 20)   /* bytes of the results of one call that are kept */
#define RESULTS_MOST (UINT64_C(256) << 20) /* of all */
#define SLOWEST_BYTES 1e9                  /* a second, of a call that is worth it: a digest takes 10^10 */

typedef struct digest {
    uint64_t lane[4];
} digest;

typedef struct kept_call {
    host_library_call call;
    void *args;
    host_library_said *said;
    size_t count;
    digest is;        /* of what it reads, and, without `results`, of what it wrote */
    int misses;       /* how often that was not so when it came again */
    uint8_t *results; /* what it wrote, piece by piece; NULL: too large */
    uint64_t result_bytes;
} kept_call;

struct host_repeats {
    kept_call kept[KEPT];
    size_t next;
    uint64_t result_bytes; /* of all */
};

host_repeats *host_repeats_make(void) { return lw_alloc(sizeof(host_repeats)); }

/* ---- the digest: four lanes, each a bijection of its word and of what it was ---- */
static uint64_t stir(uint64_t lane, uint64_t word)
{
    lane += word * UINT64_C(0xc2b2ae3d27d4eb4f);
    return (lane << 31 | lane >> 33) * UINT64_C(0x9e3779b185ebca87);
}

static void add_bytes(digest *d, const uint8_t *at, uint64_t bytes)
{
    uint64_t words[4];
    digest now = *d;
    for (; bytes >= sizeof words; at += sizeof words, bytes -= sizeof words) {
        memcpy(words, at, sizeof words);
        for (int i = 0; i < 4; i++) now.lane[i] = stir(now.lane[i], words[i]);
    }
    memset(words, 0, sizeof words);
    memcpy(words, at, bytes);
    for (int i = 0; i < 4; i++) now.lane[i] = stir(now.lane[i], words[i] + bytes);
    *d = now;
}

/* false: some of it is no memory any more. */
static bool take_digest(host_context *c, const kept_call *k, digest *out)
{
    *out = (digest){{1, 2, 3, 4}};
    for (size_t i = 0; i < k->count; i++) {
        host_library_memory m = k->said[i].memory;
        mem_allocation a;
        mem_zone zone = mem_locate(c->memory, m.address, (m.rows - 1) * m.pitch + m.bytes, &a);
        if (zone != MEM_INSIDE && zone != MEM_SLACK) return false;
        if (k->results && k->said[i].access == HOST_LIBRARY_WRITES) continue;
        if (m.pitch == m.bytes) m = (host_library_memory){m.address, m.bytes * m.rows, 1, 0};
        for (uint64_t row = 0; row < m.rows; row++) add_bytes(out, mem_storage(m.address + row * m.pitch), m.bytes);
    }
    return true;
}

/* Between the memory that the call writes and what is kept of it. */
static void copy_results(const kept_call *k, bool keep)
{
    uint8_t *kept = k->results;
    for (size_t i = 0; kept && i < k->count; i++) {
        host_library_memory m = k->said[i].memory;
        for (uint64_t row = 0; k->said[i].access == HOST_LIBRARY_WRITES && row < m.rows; row++, kept += m.bytes) {
            void *there = mem_storage(m.address + row * m.pitch);
            memcpy(keep ? kept : there, keep ? there : kept, m.bytes);
        }
    }
}

/* ---- calls ---- */
static bool is_same(const kept_call *k, const host_library_call *call, const void *args)
{
    return k->args && k->call.run == call->run && k->call.args_bytes == call->args_bytes &&
           !strcmp(k->call.name, call->name) && !memcmp(k->args, args, call->args_bytes);
}

static kept_call *find(host_repeats *r, const host_library_call *call, const void *args)
{
    for (size_t i = 0; i < KEPT; i++)
        if (is_same(&r->kept[i], call, args)) return &r->kept[i];
    return NULL;
}

static kept_call *find_unchanged(host_context *c, const host_library_call *call, const void *args)
{
    kept_call *k = find(c->repeats, call, args);
    digest now;
    if (!k || k->misses >= MOST_MISSES) return NULL;
    if (take_digest(c, k, &now) && !memcmp(&now, &k->is, sizeof now)) return k;
    k->misses++;
    return NULL;
}

const host_library_said *host_repeat(host_context *c, const host_library_call *call, const void *args,
                                     size_t *out_count)
{
    const kept_call *k = find_unchanged(c, call, args);
    if (!k) return NULL;
    copy_results(k, false);
    *out_count = k->count;
    return k->said;
}

/* Whether it reads something that it also writes: then it does not do the same again. */
static bool reads_what_it_writes(const host_library_said *said, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (said[i].access == HOST_LIBRARY_UPDATES) return true;
        for (size_t j = 0; j < count; j++) {
            host_library_memory x = said[i].memory, y = said[j].memory;
            bool both = said[i].access == HOST_LIBRARY_READS && said[j].access == HOST_LIBRARY_WRITES;
            if (both && x.address < y.address + (y.rows - 1) * y.pitch + y.bytes &&
                y.address < x.address + (x.rows - 1) * x.pitch + x.bytes)
                return true;
        }
    }
    return false;
}

static void drop(host_repeats *r, kept_call *k)
{
    r->result_bytes -= k->result_bytes;
    free(k->args);
    free(k->said);
    free(k->results);
    *k = (kept_call){.args = NULL};
}

static uint64_t bytes_of(const host_library_said *said, size_t count, bool written_alone)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (!written_alone || said[i].access == HOST_LIBRARY_WRITES)
            bytes += said[i].memory.bytes * said[i].memory.rows;
    return bytes;
}

void host_repeat_keep(host_context *c, const host_library_call *call, const void *args, const host_library_said *said,
                      size_t count, double seconds)
{
    host_repeats *r = c->repeats;
    if (count > MOST_SAID || seconds < LEAST_SECONDS || seconds < (double)bytes_of(said, count, false) / SLOWEST_BYTES)
        return;
    kept_call *k = find(r, call, args);
    if ((k && k->misses >= MOST_MISSES) || reads_what_it_writes(said, count)) return;
    int misses = k ? k->misses : 0;
    if (!k) k = &r->kept[r->next++ % KEPT];
    drop(r, k);
    k->call = *call;
    k->args = host_op_copy_args(call, args);
    k->said = lw_alloc(LW_MAX(count, 1u) * sizeof *said);
    memcpy(k->said, said, count * sizeof *said);
    k->count = count;
    k->misses = misses;
    uint64_t results = bytes_of(said, count, true);
    if (results && results <= RESULT_MOST && r->result_bytes + results <= RESULTS_MOST) {
        k->results = lw_alloc(results);
        k->result_bytes = results;
        r->result_bytes += results;
        copy_results(k, true);
    }
    if (!take_digest(c, k, &k->is)) k->misses = MOST_MISSES;
}
