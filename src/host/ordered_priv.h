/* ordered: arrays whose contents depend on the order in which blocks ran, since an atomic said where they go: lists that a kernel
 * compacts, bins that it fills. What a later kernel counts at addresses that it computes from them depends on that order, too. The
 * engine's thread alone. */
#ifndef LW_HOST_ORDERED_PRIV_H
#define LW_HOST_ORDERED_PRIV_H

#include "host/launch_priv.h"
#include "host/state_priv.h"

#define HOST_ORDERED_WHY "the address comes from data that an earlier kernel's atomics put in the order of its blocks"

host_ordered *host_ordered_make(void);
/* The launch's arrays of such data: bit k stands for the parameter at byte 8 (k - 1), as in code_site.address_from. */
uint32_t host_ordered_of_launch(const host_context *context, const host_launch_facts *facts);
/* What the launch leaves in such an order; arrays: what it found. */
void host_ordered_note(const host_context *context, const host_launch_facts *facts, uint32_t arrays);

#endif
