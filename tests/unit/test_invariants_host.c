/* test_invariants_host: the invariants of memory/, event/ and host/ are broken on purpose, and each assertion is seen to fire. The
 * checks are compiled here with LW_DEBUG, so that this runs in every build. */
#include "fires.h"

#include "event/invariants.h"
#include "host/invariants.h"
#include "memory/invariants.h"

UNIT_CASE(allocations_are_disjoint)
{
    mem_allocation a = {.address = 0x1000, .bytes = 0x100};
    mem_allocation b = {.address = 0x1200, .bytes = 0};
    mem_allocation c = {.address = 0x1201, .bytes = 0x100};
    mem_allocation *table[] = {&a, &b, &c};
    FIRES("nothing", mem_check_neighbours(table, 3, 0));
    FIRES("nothing", mem_check_neighbours(table, 3, 1));
    FIRES("nothing", mem_check_neighbours(table, 3, 2));
    FIRES("at < count", mem_check_neighbours(table, 3, 3));
    a.bytes = 0x201;
    FIRES("at + 1 == count || mem_end_of(live[at]) <= live[at + 1]->address", mem_check_neighbours(table, 3, 0));
    FIRES("at == 0 || mem_end_of(live[at - 1]) <= live[at]->address", mem_check_neighbours(table, 3, 1));
    a.bytes = 0x100;
    c.address = 0x1200; /* the empty allocation has an address of its own */
    FIRES("at == 0 || mem_end_of(live[at - 1]) <= live[at]->address", mem_check_neighbours(table, 3, 2));
}

UNIT_CASE(what_is_given_out_stays_within_the_limit)
{
    FIRES("nothing", mem_check_charge(512, 512));
    FIRES("used <= limit", mem_check_charge(513, 512));
}

UNIT_CASE(serials_increase_by_one)
{
    FIRES("nothing", host_check_serial(6, 7));
    FIRES("serial == completed + 1", host_check_serial(7, 7));
    FIRES("serial == completed + 1", host_check_serial(5, 7));
}

UNIT_CASE(handles_are_in_the_table_once)
{
    const char there = 0, added = 0;
    const char *expected = "there != added && (uintptr_t)added > 1";
    FIRES("nothing", host_check_handles(&there, &added));
    FIRES(expected, host_check_handles(&there, &there));
    FIRES(expected, host_check_handles(&there, NULL));
    FIRES(expected, host_check_handles(&there, (const void *)1));
}

UNIT_CASE(accesses_have_lanes_and_an_instruction)
{
    event_launch launch = {.insn_count = 4};
    event_memory e = {.launch = &launch, .insn = 3, .mask = 1};
    FIRES("nothing", event_check_memory(&e));
    e.mask = 0;
    FIRES("e->mask != 0", event_check_memory(&e));
    e.mask = 1;
    e.insn = 4;
    FIRES("e->insn < e->launch->insn_count", event_check_memory(&e));
}

UNIT_MAIN()
