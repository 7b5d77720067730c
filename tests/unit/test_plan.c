/* test_plan: every rule of the count plan (plan.def) on a kernel that it changes or marks, and on a like one that it
 * leaves alone. The recorded kernels that prove the rules are compared apart, where there is a compiler. */
#include "fixture.h"
#include "unit.h"

#include "code/code_priv.h"
#include "code/plan.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    RULE_COUNT = 0
#define PLAN(id, exact, why, proof) +1
#include "code/plan.def"
#undef PLAN
};
static const struct {
    const char *id, *why, *proof;
    bool exact;
} rules[] = {
#define PLAN(id, exact, why, proof) {#id, why, proof, exact},
#include "code/plan.def"
#undef PLAN
};

#include "plan_cases.h"

static bool micro_operation_shows(const code_kernel *k, effect wanted)
{
    const code_function *f = k->body->functions[0];
    for (uint32_t u = 0; u < f->insn_count; u++) {
        const code_insn *i = &f->insns[u];
        switch (wanted) {
        case IS_IN_PIECES:
            if (i->op == OP_bra && i->branch.to->pieces) return true;
            break;
        case IS_REDUCTION:
            if (i->op == OP_atom && i->event_op == EVENT_REDUCTION) return true;
            break;
        case IS_ADD_1:
            if (i->op == OP_atom && i->mem.atomic.event_class == EVENT_ATOMIC_ADD_1) return true;
            break;
        case IS_ONE_LANE:
            if (i->op == OP_atom && i->event_flags & EVENT_ONE_LANE) return true;
            break;
        case IS_MERGED:
            if ((i->op == OP_ld || i->op == OP_st) && i->event_op == CODE_NO_EVENT &&
                (i->mem.space == PTX_SHARED || i->mem.space == PTX_GLOBAL || i->op == OP_ld))
                return true;
            break;
        case IS_GONE:
            if (i->op == OP_st && i->mem.space == PTX_LOCAL && i->event_op == CODE_NO_EVENT) return true;
            break;
        case IS_NARROWED:
            if (i->op == OP_ld && i->mem.access.joined_words == 2 && i->mem.access.joined_at == 8) return true;
            break;
        case IS_GUARDED:
            if (i->op == OP_ld && i->guard != CODE_NO_REF) return true;
            break;
        case IS_MOVED:
            if (i->op == OP_ld && k->sites[i->site].moved) return true;
            break;
        case IS_APART:
            if (i->op == OP_ld && i->mem.access.apart) return true;
            break;
        case IS_OF_ROUNDS:
            if (i->op == OP_ld && i->mem.access.by_rounds) return true;
            break;
        case IS_QUAD:
            if (i->op == OP_ld && i->mem.access.joined_words == 4) return true;
            break;
        case IS_HALVED:
            if (i->op == OP_ld && i->mem.bytes * i->mem.vector == 8 && i->mem.access.joined_words == 1) return true;
            break;
        default: break;
        }
    }
    return false;
}

/* Machine code that has just the loads and stores of the plan. */
static void add_as_planned(const char *ptx, const code_options *options, code_accesses out)
{
    fixture f;
    plan_access a;
    if (!load_with(&f, ptx, "k", options)) UNIT_FAIL("the kernel does not load");
    const code_function *k = f.kernel->body->functions[0];
    for (uint32_t u = 0; u < k->insn_count; u++)
        if (plan_access_of(&k->insns[u], &a)) out[a.space][a.direction][a.width]++;
    unload(&f);
}

/* Loads of a loop that stands so often in machine code: those of 8 bytes are joined by twos. */
static void join_rounds(uint32_t *loads, uint32_t copies)
{
    loads[4] = copies * loads[4] + copies * loads[3] / 2;
    loads[3] = 0;
}

/* `more`: loads and stores of a word of global, and of shared memory, that machine code has beside those of the plan, if it is known. */
static bool shows_beside(const plan_case *c, const char *body, const char *directive, uint32_t more)
{
    fixture f;
    lw_text text = {0};
    bool has_stack = c->directive && c->directive[0] != '.';
    const char *open = strstr(BEGIN, ".visible"), *brace = strchr(open, '{');
    lw_text_add(&text, "%.*s%s\n%s%s" END, (int)(brace - BEGIN), BEGIN, directive && !has_stack ? directive : "", brace,
                body);
    bool found = false;
    code_accesses accesses = {0};
    code_options options = {.stack_known = has_stack, .accesses = has_stack ? &accesses : NULL};
    unsigned linked = 0, local_loads = 0;
    if (has_stack) sscanf(c->directive, "%u %u %u", &options.stack_bytes, &local_loads, &linked);
    options.relocatable = linked;
    if (has_stack && strchr("=U", c->directive[0])) {
        add_as_planned(text.data, &options, accesses);
        uint32_t number = (uint32_t)strtoul(c->directive + 1, NULL, 10);
        if (c->directive[0] == 'U') join_rounds(accesses[CODE_OF_SHARED][CODE_LOADS], number);
        else more += number;
    }
    accesses[CODE_OF_LOCAL][CODE_LOADS][2] += local_loads;
    for (uint32_t k = CODE_LOADS; k <= CODE_STORES; k++) {
        accesses[CODE_OF_GLOBAL][k][2] += more;
        accesses[CODE_OF_SHARED][k][2] += more;
    }
    if (!load_with(&f, text.data, "k", &options)) {
        UNIT_FAIL("%s: the kernel does not load", rules[c->rule].id);
    } else if (c->effect == MARKED_IF_PARTED) {
        for (uint32_t k = 0; k < f.kernel->parting_count; k++)
            found |= !strcmp(f.kernel->partings[k].why, rules[c->rule].why);
    } else if (c->effect != MARKED) {
        found = micro_operation_shows(f.kernel, c->effect);
    } else {
        for (uint32_t s = 0; s < f.kernel->site_count; s++) {
            const code_site *site = &f.kernel->sites[s];
            found |= site->is_memory && !site->exact && site->why && !strcmp(site->why, rules[c->rule].why);
        }
    }
    unload(&f);
    lw_text_free(&text);
    return found;
}

static bool shows(const plan_case *c, const char *body, const char *directive)
{
    return shows_beside(c, body, directive, 0);
}

/* Machine code with just what the plan has was not unrolled further, and loads were neither joined nor left out. */
UNIT_CASE(rules_that_machine_code_rules_out_mark_nothing)
{
    uint32_t tried = 0;
    for (size_t k = 0; k < LW_COUNT(cases); k++) {
        plan_case c = cases[k];
        bool counted = c.rule == PLAN_LANE_LOOP || c.rule == PLAN_UNROLLED || c.rule == PLAN_SHARED_TWICE ||
                       c.rule == PLAN_SHARED_ELSEWHERE || c.rule == PLAN_LOADED_AGAIN;
        if (!counted || c.directive) continue;
        c.directive = "=";
        tried++;
        if (shows(&c, c.hit, NULL)) UNIT_FAIL("%s marks what the machine code has: %s", rules[c.rule].id, c.hit);
        if (!shows_beside(&c, c.hit, NULL, 3)) UNIT_FAIL("%s does not act: %s", rules[c.rule].id, c.hit);
    }
    CHECK(tried >= 10);
}

/* Machine code has copies of what is planned, but of other widths only what the plan knows nothing of. */
UNIT_CASE(other_widths_than_planned_are_marked)
{
    static const char wide[] = EACH("u64", "%rd5");
    static const char half[] = "mov.b16 %h1, 0;\natom.global.add.noftz.f16 %h2, [%rd1], %h1;\n";
    plan_case c = {PLAN_OTHER_WIDTHS, MARKED, wide, wide, "="};
    CHECK(!shows(&c, wide, NULL)); /* just as planned */
    CHECK(shows_beside(&c, wide, NULL, 1));
    lw_text text = {0};
    lw_text_add(&text, "%s%s", wide, half);
    CHECK(!shows_beside(&c, text.data, NULL, 1)); /* words that the loop of an atomic may load */
    lw_text_free(&text);
}

UNIT_CASE(every_rule_acts_where_it_should_and_only_there)
{
    for (size_t k = 0; k < LW_COUNT(cases); k++) {
        const plan_case *c = &cases[k];
        if (!shows(c, c->hit, c->directive)) UNIT_FAIL("%s does not act", rules[c->rule].id);
        if (shows(c, c->miss, NULL)) UNIT_FAIL("%s acts where it should not: %s", rules[c->rule].id, c->miss);
        CHECK(rules[c->rule].exact == (c->effect != MARKED && c->effect != MARKED_IF_PARTED));
    }
}

UNIT_CASE(every_rule_has_a_case)
{
    for (int rule = 0; rule < RULE_COUNT; rule++) {
        bool found = false;
        for (size_t k = 0; k < LW_COUNT(cases); k++) found |= (int)cases[k].rule == rule;
        if (!found) UNIT_FAIL("%s has no case", rules[rule].id);
    }
}

/* Whether the .cu file of that name is there: a path, or one of tests/hw/kernels. */
static bool is_source(const char *name, size_t length)
{
    char kernel[256];
    char path[256];
    snprintf(path, sizeof path, "%.*s", (int)length, name);
    snprintf(kernel, sizeof kernel, "tests/hw/kernels/%.*s", (int)length, name);
    return access(path, R_OK) == 0 || access(kernel, R_OK) == 0;
}

UNIT_CASE(every_source_named_as_proof_is_there)
{
    for (int rule = 0; rule < RULE_COUNT; rule++) {
        const char *word = rules[rule].proof;
        for (const char *end; (end = strstr(word, ".cu")); word = end + 3) {
            const char *start = end; /* the last word before .cu */
            while (start > word && start[-1] != ' ') start--;
            size_t length = (size_t)(end + 3 - start);
            if (!is_source(start, length)) UNIT_FAIL("%s names %.*s", rules[rule].id, (int)length, start);
        }
    }
}

UNIT_MAIN()
