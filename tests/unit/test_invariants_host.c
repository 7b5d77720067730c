/* test_invariants_host: the invariants of memory/, event/ and host/ are broken on purpose, and each assertion is seen to fire. The
 * checks are compiled here with LW_DEBUG, so that this runs in every build. */
#ifndef LW_DEBUG
#define LW_DEBUG
#endif
#include "unit.h"

#include "event/invariants.h"
#include "host/invariants.h"
#include "memory/invariants.h"

#include <setjmp.h>

static jmp_buf fired;
static const char *fired_what;

/* In place of base's, which ends the process. */
void lw_assert_failed(const char *what, const char *file, int line)
{
    (void)file;
    (void)line;
    fired_what = what;
    longjmp(fired, 1);
}

#define FIRES(check, expected)                                                                                         \
    do {                                                                                                               \
        fired_what = "nothing";                                                                                        \
        if (!setjmp(fired)) check;                                                                                     \
        CHECK_STR(fired_what, expected);                                                                               \
    } while (0)

UNIT_CASE(allocations_are_disjoint)
{
    mem_allocation a = {.address = 0x1000, .bytes = 0x100};
    mem_allocation b = {.address = 0x1200, .bytes = 0};
    mem_allocation c = {.address = 0x1201, .bytes = 0x100};
    mem_allocation *table[] = {&a, &b, &c};
    FIRES(mem_check_neighbours(table, 3, 0), "nothing");
    FIRES(mem_check_neighbours(table, 3, 1), "nothing");
    FIRES(mem_check_neighbours(table, 3, 2), "nothing");
    FIRES(mem_check_neighbours(table, 3, 3), "at < count");
    a.bytes = 0x201;
    FIRES(mem_check_neighbours(table, 3, 0), "at + 1 == count || mem_end_of(live[at]) <= live[at + 1]->address");
    FIRES(mem_check_neighbours(table, 3, 1), "at == 0 || mem_end_of(live[at - 1]) <= live[at]->address");
    a.bytes = 0x100;
    c.address = 0x1200; /* the empty allocation has an address of its own */
    FIRES(mem_check_neighbours(table, 3, 2), "at == 0 || mem_end_of(live[at - 1]) <= live[at]->address");
}

UNIT_CASE(what_is_given_out_stays_within_the_limit)
{
    FIRES(mem_check_charge(512, 512), "nothing");
    FIRES(mem_check_charge(513, 512), "used <= limit");
}

UNIT_CASE(serials_increase_by_one)
{
    FIRES(host_check_serial(6, 7), "nothing");
    FIRES(host_check_serial(7, 7), "serial == completed + 1");
    FIRES(host_check_serial(5, 7), "serial == completed + 1");
}

UNIT_CASE(handles_are_in_the_table_once)
{
    const char there = 0, added = 0;
    const char *expected = "there != added && (uintptr_t)added > 1";
    FIRES(host_check_handles(&there, &added), "nothing");
    FIRES(host_check_handles(&there, &there), expected);
    FIRES(host_check_handles(&there, NULL), expected);
    FIRES(host_check_handles(&there, (const void *)1), expected);
}

UNIT_CASE(accesses_have_lanes_and_an_instruction)
{
    event_launch launch = {.insn_count = 4};
    event_memory e = {.launch = &launch, .insn = 3, .mask = 1};
    FIRES(event_check_memory(&e), "nothing");
    e.mask = 0;
    FIRES(event_check_memory(&e), "e->mask != 0");
    e.mask = 1;
    e.insn = 4;
    FIRES(event_check_memory(&e), "e->insn < e->launch->insn_count");
}

UNIT_MAIN()
