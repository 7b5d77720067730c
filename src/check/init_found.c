/* init_found.c: folding, and the words. */
#include "check/check.h"
#include "check/init_found.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- folding */
static void join(init_found *found, const init_seen *s)
{
    for (size_t k = 0; k < found->count; k++) {
        init_seen *have = &found->items[k];
        if (have->kind != s->kind || have->insn != s->insn || have->origin.insn != s->origin.insn) continue;
        uint64_t count = have->count + s->count;
        if (s->thread < have->thread) *have = *s;
        have->count = count;
        return;
    }
    lw_vec_push(found, *s);
}

void init_found_add(init_found *found, uint32_t kind, const init_who *who, const event_origin *origin)
{
    const uint32_t *dim = who->launch->block;
    uint64_t threads = (uint64_t)dim[0] * dim[1] * dim[2];
    uint64_t lane = (uint64_t)__builtin_ctz(who->mask);
    init_seen s = {.kind = (uint8_t)kind,
                   .insn = who->insn,
                   .origin = *origin,
                   .count = (uint64_t)__builtin_popcount(who->mask),
                   .thread = who->block * threads + 32 * who->warp + lane};
    join(found, &s);
}

void init_found_merge(init_found *into, const init_found *from)
{
    for (size_t k = 0; k < from->count; k++) join(into, &from->items[k]);
}

/* ---------------------------------------------------------------- words */
static const char *const uses[INIT_KINDS] = {
    [EVENT_USE_ADDRESS] = "uses an uninitialised value as an address",
    [EVENT_USE_BRANCH] = "an uninitialised value decides which way a thread goes",
    [EVENT_USE_GUARD] = "an uninitialised value decides whether memory is accessed",
    [EVENT_USE_OPERAND] =
        "an uninitialised value is given to a barrier, warp-level function or copy (mask, lane, number)",
    [EVENT_USE_SYSTEM] = "an uninitialised value is printed, or given to the device runtime",
    [INIT_ATOMIC] = "an atomic operation on an uninitialised value",
    [INIT_READ] = "reads an uninitialised value",
    [INIT_HOST] = "stores what was computed from an uninitialised value where the host reads it",
};

static const char *const spaces[EVENT_SPACE_COUNT] = {
    [EVENT_GLOBAL] = "global memory",
    [EVENT_SHARED] = "shared memory",
    [EVENT_DSHARED] = "shared memory of another block",
    [EVENT_LOCAL] = "local memory",
    [EVENT_CONSTANT] = "constant memory",
    [EVENT_TEXTURE] = "texture memory",
    [EVENT_PARAM] = "parameters",
};

void init_say_origin(lw_text *out, const event_session *services, const event_launch *launch,
                     const event_origin *origin)
{
    char where[600] = "";
    const event_variable *v = origin->insn < launch->insn_count ? launch->insns[origin->insn].variable : NULL;
    if (origin->space == EVENT_GLOBAL && services->describe) {
        services->describe(services->owner, origin->address, where, sizeof where);
        lw_text_add(out, "%s", where);
    } else if (v && origin->space == EVENT_SHARED) {
        lw_text_add(out, "shared variable %s, byte %llu", v->name, (unsigned long long)(origin->address - v->offset));
    } else {
        lw_text_add(out, "byte %llu of %s", (unsigned long long)(origin->address & 0xffffff), spaces[origin->space]);
    }
}

static void split(uint64_t linear, const uint32_t size[3], uint32_t out[3])
{
    out[0] = (uint32_t)(linear % size[0]);
    out[1] = (uint32_t)(linear / size[0] % size[1]);
    out[2] = (uint32_t)(linear / size[0] / size[1]);
}

static void report(const init_seen *s, const event_session *services, const event_launch *l)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    lw_text message = {0};
    lw_text_add(&message, "%s; the bytes were never written: ", uses[s->kind]);
    init_say_origin(&message, services, l, &s->origin);
    event_finding f = {.check = check_rows[CHECK_INITCHECK].name,
                       .severity = "error",
                       .message = message.data,
                       .launch = l,
                       .insn = s->insn,
                       .has_place = true,
                       .address = s->origin.address,
                       .has_address = s->origin.space == EVENT_GLOBAL,
                       .count = s->count};
    split(s->thread / threads, l->grid, f.block);
    split(s->thread % threads, l->block, f.thread);
    event_related read = {.message = "read here", .insn = s->origin.insn};
    memcpy(read.block, f.block, sizeof read.block);
    memcpy(read.thread, f.thread, sizeof read.thread);
    f.related = &read;
    f.related_count = s->origin.insn != s->insn && s->origin.insn < l->insn_count;
    services->finding(services->owner, &f);
    lw_text_free(&message);
}

void init_found_report(const init_found *found, const event_session *services, const event_launch *launch)
{
    for (size_t k = 0; k < found->count; k++) report(&found->items[k], services, launch);
}
