#include "time/l2.h"

#define FILL_SECTORS 2u /* DRAM is read in pieces of 64 bytes */

/* The pieces of DRAM that hold these sectors, as sectors; how many pieces they lie in. */
static uint32_t pieces_of(uint32_t sectors)
{
    uint32_t pieces = 0;
    for (uint32_t s = 0; s < 4; s += FILL_SECTORS)
        if (sectors >> s & 3) pieces |= 3u << s;
    return pieces;
}

static uint32_t piece_count(uint32_t sectors) { return cache_sector_count(pieces_of(sectors)) / FILL_SECTORS; }

static cache_site *site_of(cache_l2_use *use, const cache_access *a) { return &use->sites[a->insn]; }

/* ---------------------------------------------------------------- from and to DRAM */
/* Dirty sectors of a line go to memory. Of those written in part the rest is read first. */
static void write_back(cache_l2_use *use, const cache_access *a, const cache_line *line, uint32_t sectors)
{
    bool ours = line->launch == use->session->launches;
    cache_site *site = &use->sites[ours ? line->writer : a->insn];
    uint32_t partial = sectors & ~(uint32_t)line->valid;
    site->dram_write_bytes += CACHE_SECTOR_BYTES * cache_sector_count(sectors);
    site->dram_read_bytes += CACHE_SECTOR_BYTES * cache_sector_count(partial);
    site->dram_openings += (sectors != 0) + (partial != 0);
}

/* They go, and the line stays. */
static void clean(cache_l2_use *use, const cache_access *a, cache_l2 *l2, cache_line *line, uint32_t sectors)
{
    if (!sectors) return;
    write_back(use, a, line, sectors);
    line->valid |= (uint8_t)sectors;
    cache_lru_dirty(&l2->lines, line, line->dirty & ~sectors);
}

/* How soon a line goes that an access found or brought: it is the next of its set, or one of those that go after all others. Measured
 * (tests/hw/h200-hints.csv): what is to go first is gone when the next line comes to its set, though it was loaded as others before; what is to
 * go last stays until as much as may persist is used as it was, and nothing else takes that from it. What is dirty does not go first, but is
 * the first to be written back, which it goes first behind: 16.8 MB that are stored so are not written to DRAM, of 37.7 MB 11
 * (tests/hw/time/h200-hinted.csv, tr). */
static void set_place(const cache_l2_use *use, const cache_access *a, cache_lru *lines, cache_line *line)
{
    double share = use->session->persisting_share;
    line->soon = a->eviction == EVENT_EVICT_FIRST && !line->last;
    lines->soon |= line->soon;
    if (line->soon && !line->dirty) cache_lru_go_first(lines, line);
    if (a->eviction == EVENT_EVICT_LAST && share > 0) cache_lru_keep(lines, line, share);
}

/* NULL: it is not there. Does not count as use. */
static cache_line *find_line(cache_l2 *l2, uint64_t line)
{
    cache_arrivals_settle(&l2->arrivals, &l2->lines, line);
    return cache_lru_find(&l2->lines, line);
}

static cache_line *take_first(cache_l2 *l2, cache_queue *queue)
{
    const size_t worth_moving = 4096;
    cache_line *line = find_line(l2, queue->tags.items[queue->begin++]);
    if (queue->begin < queue->tags.count / 2 || queue->begin < worth_moving) return line;
    size_t left = queue->tags.count - queue->begin;
    for (size_t k = 0; k < left; k++) queue->tags.items[k] = queue->tags.items[queue->begin + k];
    queue->tags.count = left;
    queue->begin = 0;
    return line;
}

static size_t queued(const cache_queue *queue) { return queue->tags.count - queue->begin; }

/* Of a number of lines of both partitions those of the sample in one. */
static uint64_t sampled(const cache_l2_use *use, uint64_t lines)
{
    return LW_MAX(lines / CACHE_PARTITIONS >> use->session->level, (uint64_t)1);
}

/* The dirty lines that this set may have: a whole number, of all sets so many in the mean. */
static uint32_t dirty_limit(const cache_l2_use *use, const cache_l2 *l2, const cache_set *set)
{
    double lines = use->session->dirty_share * l2->lines.ways;
    return (uint32_t)(lines + cache_uniform((uint64_t)(set - l2->lines.sets) * 11));
}

/* Writes back what was used longest ago of the dirty lines of a set, if it has too many. It is the next to go:
 * 33.5 MB that are stored drive out hardly any of 16.8 MB that are read again and again (tests/hw/time/h200-reuse.csv). */
static void limit_dirty(cache_l2_use *use, const cache_access *a, cache_l2 *l2)
{
    const cache_set *set = cache_lru_set(&l2->lines, a->line);
    if (set->dirty <= (uint32_t)(use->session->dirty_share * l2->lines.ways)) return; /* whatever the set */
    uint32_t most = LW_MAX(dirty_limit(use, l2, set), 1u);
    while (set->dirty > most) {
        cache_line *line = cache_lru_oldest_dirty(&l2->lines, set);
        clean(use, a, l2, line, line->dirty);
        cache_lru_go_first(&l2->lines, line);
    }
}

/* Writes back what has been written in part for longest, if there is too much. */
static void limit_partial(cache_l2_use *use, const cache_access *a, cache_l2 *l2)
{
    while (queued(&l2->partial) > sampled(use, use->session->partial_lines)) {
        cache_line *line = take_first(l2, &l2->partial);
        if (!line || !line->queued_partial) continue;
        line->queued_partial = false;
        clean(use, a, l2, line, line->dirty & ~(uint32_t)line->valid);
    }
}

static cache_line *use_line(cache_l2_use *use, const cache_access *a, uint32_t partition)
{
    cache_l2 *l2 = &use->session->l2[partition];
    cache_line evicted;
    cache_arrivals_settle(&l2->arrivals, &l2->lines, a->line);
    cache_line *line = cache_lru_use(&l2->lines, a->line, &evicted);
    if (evicted.touched && evicted.dirty) write_back(use, a, &evicted, evicted.dirty);
    return line;
}

/* DRAM is still at it, for another warp or multiprocessor: its page is open. */
static bool is_coming(const cache_access *a, const cache_line *line)
{
    return line->filled && (uint32_t)a->now + 1 - line->filled <= 1;
}

static void fill(cache_l2_use *use, const cache_access *a, cache_line *line, uint32_t sectors)
{
    uint32_t fresh = pieces_of(sectors) & ~(uint32_t)line->valid;
    site_of(use, a)->dram_requests += fresh != 0;
    site_of(use, a)->dram_openings += fresh && !is_coming(a, line);
    site_of(use, a)->dram_read_bytes += CACHE_SECTOR_BYTES * cache_sector_count(fresh);
    line->valid |= (uint8_t)fresh;
    line->touched |= (uint8_t)fresh;
    if (fresh) line->filled = (uint32_t)a->now + 1;
}

static void watch_pending(cache_l2_use *use, const cache_access *a, const cache_line *line)
{
    site_of(use, a)->dram_pending += is_coming(a, line);
}

/* ---------------------------------------------------------------- lines whose past is not known */
/* Whether a line that the sample does not hold is taken to be there: as often as makes such lines as likely to be there as
 * those whose past is known. */
static bool draw(const cache_l2_use *use, uint64_t line)
{
    double known = use->known_there + use->known_not, other = use->other_there + use->other_not;
    if (!known || !use->other_not) return false;
    double chance = (use->known_there / known * other - use->other_there) / use->other_not;
    return cache_uniform(line * 3) < chance;
}

/* Notes whether a line of the past was there; true: it is taken to be. */
static bool look_back(cache_l2_use *use, const cache_access *a, cache_line *line)
{
    cache_session *s = use->session;
    bool there = line->touched != 0;
    bool past = there && line->launch != s->launches;
    if (there && !past) return false;
    if (!there && a->eviction != EVENT_EVICT_FIRST) s->lines_since += UINT64_C(1) << s->level;
    bool known = cache_level_of(a->line) >= s->known_level;
    if (known) *(past ? &use->known_there : &use->known_not) += 1;
    else *(past ? &use->other_there : &use->other_not) += 1;
    return !there && !known && draw(use, a->line);
}

/* The launch uses the line. */
static void touch(cache_l2_use *use, cache_line *line)
{
    if (line->launch == use->session->launches) return;
    line->launch = use->session->launches;
    line->filled = 0;
    line->stored = false;
    line->seen = 0;
    use->lines++;
}

/* The line at its home. */
static cache_line *home_line(cache_l2_use *use, const cache_access *a)
{
    cache_line *line = use_line(use, a, cache_home_of(a->line));
    if (look_back(use, a, line)) {
        line->valid = CACHE_ALL_SECTORS;
        line->touched = CACHE_ALL_SECTORS;
    }
    touch(use, line);
    return line;
}

/* ---------------------------------------------------------------- accesses */
/* The sectors that the home has from before this launch. They hit in either partition: a profiler runs a launch again and
 * again, and the passes before the one that counts have made the copies. */
static uint32_t sectors_of_past(const cache_l2_use *use, uint64_t line, uint32_t home)
{
    const cache_line *l = find_line(&use->session->l2[home], line);
    return l && l->launch != use->session->launches ? l->valid : 0;
}

/* How often who stored a line is of its home's partition, so that the other one has no copy. */
static double other_writer(const cache_l2_use *use) { return (double)use->session->device.l2_stored_percent / 100; }

/* Loads of a line that is at home elsewhere, in a pass behind the first. Passes have left copies in the partitions where the line was
 * loaded; not of what the launch stores, which is put back in between, but where that was done from there. Blocks behind the first
 * wave run elsewhere in each pass. Measured: of in-place kernels 25 % of what is loaded misses; of others whose blocks come in many
 * waves 5 to 11 %, of one wave nothing. */
static void look_ahead(cache_l2_use *use, const cache_access *a, cache_line *copy, uint32_t home)
{
    double elsewhere = (double)use->session->device.l2_moved_permille / 1000;
    uint32_t fresh = a->sectors & ~(uint32_t)copy->seen;
    if (!fresh || use->session->cold) return;
    copy->seen |= (uint8_t)fresh;
    cache_line *line = find_line(&use->session->l2[home], a->line);
    uint32_t now = use->session->launches;
    bool stored = line && line->stored && line->launch == now;
    double missed = stored ? other_writer(use) : a->placed ? 0 : elsewhere;
    site_of(use, a)->later_misses += missed * cache_sector_count(fresh);
    if (!line || stored) return;
    line->far = (uint8_t)(fresh | (line->far_launch == now ? line->far : 0));
    line->far_insn = a->insn;
    line->far_launch = now;
    line->far_missed = (float)missed;
}

void cache_l2_load(cache_l2_use *use, const cache_access *a)
{
    cache_site *site = site_of(use, a);
    uint32_t home = cache_home_of(a->line);
    site->l2_reads += cache_sector_count(a->sectors);
    site->l2_read_requests++;
    if (home == a->partition) {
        cache_line *line = home_line(use, a);
        site->l2_hits += cache_sector_count(a->sectors & line->valid);
        uint32_t absent = a->sectors & ~(uint32_t)line->valid;
        if (absent) fill(use, a, line, absent);
        else watch_pending(use, a, line);
        set_place(use, a, &use->session->l2[home].lines, line);
        return;
    }
    uint32_t before = use->session->cold ? 0 : sectors_of_past(use, a->line, home);
    cache_line *copy = use_line(use, a, a->partition);
    touch(use, copy);
    copy->valid |= (uint8_t)(a->sectors & before);
    copy->touched |= (uint8_t)(a->sectors & before);
    site->l2_hits += cache_sector_count(a->sectors & copy->valid);
    uint32_t missing = a->sectors & ~(uint32_t)copy->valid;
    copy->valid |= (uint8_t)missing;
    copy->touched |= (uint8_t)missing;
    if (!missing) watch_pending(use, a, copy);
    else {
        cache_line *line = home_line(use, a);
        uint32_t absent = missing & ~(uint32_t)line->valid;
        if (absent) fill(use, a, line, absent);
        else watch_pending(use, a, line);
        copy->filled = line->filled;
        set_place(use, a, &use->session->l2[home].lines, line);
    }
    look_ahead(use, a, copy, home);
    if (a->eviction == EVENT_EVICT_FIRST) cache_lru_go_first(&use->session->l2[a->partition].lines, copy);
}

/* What the other partition has of the line is no longer so. Its place there stays taken; who stores from there takes one. Measured of
 * copies of 20 to 64 MiB: they need as much room for what is written as for what is read, once and a half of it. */
static void drop_copy(cache_l2_use *use, const cache_access *a)
{
    uint32_t other = 1 - cache_home_of(a->line);
    cache_line *copy = find_line(&use->session->l2[other], a->line);
    if (a->partition == other) copy = use_line(use, a, other);
    if (a->partition == other && a->eviction == EVENT_EVICT_FIRST)
        cache_lru_go_first(&use->session->l2[other].lines, copy);
    if (!copy) return;
    copy->valid &= (uint8_t)~a->sectors;
    copy->touched &= (uint8_t)~a->sectors;
    copy->seen &= (uint8_t)~a->sectors;
}

static void make_dirty(cache_l2_use *use, const cache_access *a, cache_line *line)
{
    cache_l2 *l2 = &use->session->l2[cache_home_of(a->line)];
    if (!line->stored) use->stored_lines++;
    if (!line->stored && line->far_launch == use->session->launches)
        use->sites[line->far_insn].later_misses +=
            (other_writer(use) - line->far_missed) * cache_sector_count(line->far);
    line->stored = true;
    cache_lru_dirty(&l2->lines, line, line->dirty | a->sectors);
    line->touched |= (uint8_t)a->sectors;
    line->writer = a->insn;
    set_place(use, a, &l2->lines, line);
    bool partial = a->spread && line->dirty & ~line->valid; /* other stores complete their lines soon, as a rule */
    if (partial && !line->queued_partial) lw_vec_push(&l2->partial.tags, a->line);
    line->queued_partial |= partial;
    limit_dirty(use, a, l2);
    limit_partial(use, a, l2);
}

void cache_l2_store(cache_l2_use *use, const cache_access *a)
{
    cache_site *site = site_of(use, a);
    drop_copy(use, a);
    cache_line *line = home_line(use, a);
    site->l2_writes += cache_sector_count(a->counted);
    site->l2_write_requests += a->counted != 0;
    site->l2_write_packets += piece_count(a->counted);
    site->l2_hits += cache_sector_count(a->counted); /* a sector is made where there is none */
    line->words |= a->words;
    line->valid |= (uint8_t)cache_sectors_full(line->words);
    make_dirty(use, a, line);
}

void cache_l2_atomic(cache_l2_use *use, const cache_access *a)
{
    cache_site *site = site_of(use, a);
    drop_copy(use, a);
    cache_line *line = home_line(use, a);
    site->l2_atomics += cache_sector_count(a->sectors);
    site->l2_hits += cache_sector_count(a->sectors);
    fill(use, a, line, a->sectors & ~(uint32_t)line->valid);
    make_dirty(use, a, line);
}

/* A profiler runs a launch again and again, and counts hits in a pass behind the first. What L2 holds of all that the launch uses, copies
 * in the other partition included, and of what is put back in between, hits then. Measured on an H200 with 60 MiB of L2: reading 33.6 to
 * 41.9 MB (1.5 times as much with copies) in one wave hits at 98 to 90 %, 46.1 MB at 62 %, 50.3 MB at 10 to 18 %; in many waves, which
 * leave more copies, 41.9 MB at 60 %; of copies from 12.6 MB to as much 70 % of what is read, of 14.7 MB 28 %. */
void cache_l2_end(cache_l2_use *use, uint32_t sites, double changed_lines, bool waves)
{
    cache_session *s = use->session;
    const device_profile *d = &s->device;
    double none = (double)d->l2_later_percent / 100, more_copies = (double)d->l2_waves_percent / 100;
    double put_back = (double)d->l2_put_back_percent / 100;
    double scale = (double)(UINT64_C(1) << s->level);
    double lines = use->lines * scale * (waves ? more_copies : 1);
    s->used_lines += (uint64_t)(use->lines * scale);
    lines += put_back * LW_MIN(use->stored_lines * scale, changed_lines);
    double part = LW_MIN((none - lines / (double)s->l2_lines) / (none - 1), 1.0);
    if (s->cold || part <= 0) return;
    for (uint32_t k = 0; k < sites; k++) {
        cache_site *site = &use->sites[k];
        double later = site->l2_reads - LW_MIN(site->later_misses, site->l2_reads) + site->l2_writes + site->l2_atomics;
        site->l2_hits += part * (later - site->l2_hits);
    }
}
