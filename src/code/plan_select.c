/* plan_select.c: a select of which the assembler makes none: the operand that is computed last, if nothing else reads it, is
 * computed for those lanes alone that take it, into the other operand's register. If that is what a load gives, the load is
 * executed under the select's predicate.
 *
 * What ptxas 13.0 was seen to do for sm_90 (tests/unit/test_plan.c; tests/programs/connected_components.cu: join): both stand in
 * the select's basic block, or the other one before; the other one is in a register that nothing reads behind the select; and the
 * load can be executed just before the select. If the last one cannot, the same holds with their parts exchanged. Of 64 bits, and
 * for words of joined loads, there is none of this. Where it is not clear whether the other one is read later, rows are marked. */
#include "code/plan.h"

#include <stdlib.h>
#include <string.h>

enum { NOWHERE = UINT32_MAX };
typedef enum answer { NO, YES, PERHAPS } answer;

typedef struct selects {
    decoder *d;
    const uint32_t *reads; /* by virtual register: how often it is read */
    uint32_t *written;     /* by virtual register: the micro-operation that writes it, the last one of several */
    uint32_t *placed;      /* by virtual register: the same, where it has its value from in machine code */
    uint32_t *writes;      /* by virtual register: how many do */
    uint32_t *last_read;   /* by virtual register: in the text */
    uint32_t *around;      /* by micro-operation: where the innermost loop that it stands in begins, or NOWHERE */
    uint32_t *late;        /* by micro-operation: the load that goes before it, or NOWHERE */
    uint32_t u;            /* scratch of visitors */
    bool any;
} selects;

static void note_written(void *user, code_ref r, code_operand what)
{
    (void)what;
    selects *s = user;
    s->written[code_vreg_of(r)] = s->placed[code_vreg_of(r)] = s->u;
    s->writes[code_vreg_of(r)]++;
}

static void note_read(void *user, code_ref r, code_operand what)
{
    (void)what;
    selects *s = user;
    s->last_read[code_vreg_of(r)] = s->u;
}

/* Backward branches from the last to the first: what an inner one says comes last. */
static void note_loops(selects *s)
{
    const decoder *d = s->d;
    uint32_t head = NOWHERE;
    for (uint32_t u = (uint32_t)d->insns.count; u-- > 0;) {
        const code_insn *i = &d->insns.items[u];
        if (i->op == OP_bra && i->branch.to->backward)
            head = LW_MIN(head, (uint32_t)(i->branch.to->target - d->out->insns));
        s->around[u] = head;
        if (head == u) head = NOWHERE;
    }
}

static bool is_copy(const code_insn *i) { return i->op == OP_mov_b32 && i->guard == CODE_NO_REF; }

/* What a copy that nothing else reads is a copy of. */
static code_ref behind_copies(const selects *s, code_ref r)
{
    for (int copies = 0; copies < 4 && code_is_virtual(r); copies++) {
        uint32_t v = code_vreg_of(r);
        if (s->writes[v] != 1 || s->reads[v] != 1 || !is_copy(&s->d->insns.items[s->written[v]])) break;
        r = s->d->insns.items[s->written[v]].a;
    }
    return r;
}

/* Does nothing read the register behind the select at u? */
static answer ends_at(const selects *s, code_ref r, uint32_t u)
{
    uint32_t v = code_vreg_of(r);
    if (s->d->insns.items[u].d == r) return YES;
    if (s->writes[v] != 1) return PERHAPS;
    const code_insn *i = &s->d->insns.items[s->written[v]];
    if (is_copy(i) && !code_is_virtual(i->a)) return (i->a & 3) == CODE_WARP || (i->a & 3) == CODE_BLOCK ? PERHAPS : NO;
    if (s->last_read[v] > u) return NO;
    return s->around[u] != NOWHERE && s->written[v] < s->around[u] ? NO : YES;
}

static bool passes(const code_insn *i, const code_insn *load, bool read_only)
{
    bool known = i->mem.space == PTX_GLOBAL || i->mem.space == PTX_SHARED || i->mem.space == PTX_LOCAL;
    switch (i->op) {
    case OP_ld: return !i->mem.access.ordered;
    case OP_st:
    case OP_atom: return read_only || (known && i->mem.space != load->mem.space);
    case OP_shfl:
    case OP_vote:
    case OP_redux:
    case OP_special: return true;
    default: return code_uops[i->op].computes && i->op != OP_block && !plan_has_slow_path(i->op);
    }
}

/* Is it a load that may be executed under a predicate, or arithmetic? */
static answer may_be_guarded(const selects *s, uint32_t at)
{
    const code_insn *i = &s->d->insns.items[at];
    if (i->guard != CODE_NO_REF) return NO;
    if (code_uops[i->op].computes) return plan_has_slow_path(i->op) ? NO : YES;
    if (i->op != OP_ld || i->event_op != EVENT_LOAD || i->mem.access.ordered || i->mem.vector != 1) return NO;
    if (i->mem.bytes > 4 || i->mem.access.joined_words || i->mem.access.apart) return NO;
    return i->mem.space == PTX_GLOBAL || i->mem.space == PTX_SHARED ? YES : PERHAPS;
}

/* Is it executed, as operand `own` of the select at u, for those lanes alone that take it, into `other`? */
static answer is_guarded(const selects *s, uint32_t u, code_ref own, code_ref other)
{
    const decoder *d = s->d;
    if (!code_is_virtual(own) || !code_is_virtual(other) || own == other) return NO;
    uint32_t v = code_vreg_of(own), at = s->written[v];
    if (s->writes[v] != 1 || s->reads[v] != 1 || at == NOWHERE || at > u) return NO;
    answer may = may_be_guarded(s, at);
    uint32_t insn = d->infos.items[at].ptx_insn;
    bool read_only = insn < d->f->insn_count && strstr(d->f->insns[insn].mnemonic, ".nc");
    for (uint32_t k = at + 1; may && k < u; k++)
        if (!passes(&d->insns.items[k], &d->insns.items[at], read_only || d->insns.items[at].op != OP_ld)) return NO;
    answer ends = may ? ends_at(s, other, u) : NO;
    return ends == NO ? NO : ends == YES ? may : PERHAPS;
}

/* The predicate of the lanes that take operand `own`. */
static code_ref taking(const code_insn *select, bool first) { return first ? select->c : select->c ^ 1u; }

static void guard_load(selects *s, uint32_t u, uint32_t at, bool first)
{
    decoder *d = s->d;
    code_insn *load = &d->insns.items[at];
    code_ref predicate = d->insns.items[u].c;
    load->guard = taking(&d->insns.items[u], first);
    if (s->written[code_vreg_of(predicate)] < at) return;
    s->late[u] = at;
    s->any = true;
}

static uint32_t where_written(const selects *s, code_ref r)
{
    return code_is_virtual(r) ? s->placed[code_vreg_of(r)] + 1 : 0;
}

/* Does what is said of one operand settle the matter? */
static bool settles(selects *s, uint32_t u, code_ref own, code_ref other, bool first)
{
    answer is = is_guarded(s, u, own, other);
    if (is == NO) return false;
    uint32_t at = s->written[code_vreg_of(own)];
    const code_insn *i = &s->d->insns.items[at];
    if (i->op != OP_ld) return is == YES;
    if (is == PERHAPS) plan_mark(s->d, i->site, PLAN_SELECTED_PERHAPS);
    else if (s->writes[code_vreg_of(s->d->insns.items[u].c)] != 1) plan_mark(s->d, i->site, PLAN_SELECTED_PERHAPS);
    else guard_load(s, u, at, first);
    return true;
}

static void plan_one(selects *s, uint32_t u)
{
    const code_insn *i = &s->d->insns.items[u];
    if (i->guard != CODE_NO_REF || !code_is_virtual(i->c)) return;
    code_ref a = behind_copies(s, i->a), b = behind_copies(s, i->b);
    bool first = where_written(s, a) > where_written(s, b);
    code_ref last = first ? a : b, other = first ? b : a;
    /* of a select that is none its result is where the other operand is: the next one may take it as that */
    if (settles(s, u, last, other, first)) s->placed[code_vreg_of(i->d)] = s->placed[code_vreg_of(other)];
    else settles(s, u, other, last, !first);
}

/* Puts each late load before its select, behind what stood between them. */
static void move_late(const selects *s)
{
    decoder *d = s->d;
    code_insn *insns = lw_alloc(d->insns.count * sizeof *insns);
    uop_info *infos = lw_alloc(d->insns.count * sizeof *infos);
    bool *moves = lw_alloc(d->insns.count);
    uint32_t count = 0;
    for (uint32_t u = 0; u < d->insns.count; u++)
        if (s->late[u] != NOWHERE) moves[s->late[u]] = true;
    for (uint32_t u = 0; u < d->insns.count; u++) {
        uint32_t from[] = {s->late[u], moves[u] ? NOWHERE : u};
        for (uint32_t k = 0; k < LW_COUNT(from); k++) {
            if (from[k] == NOWHERE) continue;
            insns[count] = d->insns.items[from[k]];
            infos[count++] = d->infos.items[from[k]];
        }
    }
    memcpy(d->insns.items, insns, count * sizeof *insns);
    memcpy(d->infos.items, infos, count * sizeof *infos);
    free(insns);
    free(infos);
    free(moves);
}

static uint32_t *new_places(size_t count)
{
    uint32_t *places = lw_alloc((count + 1) * sizeof *places);
    for (size_t k = 0; k < count; k++) places[k] = NOWHERE;
    return places;
}

static bool has_selects(const decoder *d)
{
    for (uint32_t u = 0; u < d->insns.count; u++)
        if (d->insns.items[u].op == OP_selp32) return true;
    return false;
}

void plan_select(decoder *d, const uint32_t *reads)
{
    if (!has_selects(d)) return;
    selects s = {.d = d, .reads = reads, .written = new_places(d->vregs.count), .placed = new_places(d->vregs.count)};
    s.writes = lw_alloc((d->vregs.count + 1) * sizeof *s.writes);
    s.last_read = lw_alloc((d->vregs.count + 1) * sizeof *s.last_read);
    s.around = new_places(d->insns.count);
    s.late = new_places(d->insns.count);
    for (s.u = 0; s.u < d->insns.count; s.u++) {
        code_each_read(&d->insns.items[s.u], &d->infos.items[s.u], note_read, &s);
        code_each_written(&d->insns.items[s.u], &d->infos.items[s.u], note_written, &s);
    }
    note_loops(&s);
    for (uint32_t u = 0; u < d->insns.count; u++)
        if (d->insns.items[u].op == OP_selp32) plan_one(&s, u);
    if (s.any) move_late(&s);
    free(s.written);
    free(s.placed);
    free(s.writes);
    free(s.last_read);
    free(s.around);
    free(s.late);
}
