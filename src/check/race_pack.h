/* race_pack: what a split line remembers in less room: units of one warp's access share a state (all of a slot but the
 * lane, and the block), and each unit has the number of its state and its lane, in 16 bits.
 *
 *   by words: 30 states in the room of two arrays of slots (512 bytes);  by bytes: the same room and 4 states (576 bytes)
 *
 * Where values that lanes stored make most of the difference, they are left to the bytes (race_values.h) from then on.
 *
 * More states take SHADOW_PART bytes for each 15, of which all lines of a shadow_memory together have SHADOW_MORE. When
 * that is used up, units whose states are next in turn are forgotten. */
#ifndef LW_CHECK_RACE_PACK_H
#define LW_CHECK_RACE_PACK_H

#include "check/race_shadow.h"

/* The line is packed from now on, and nothing is known of its units. by_bytes: also from packed by words. */
void shadow_pack_begin(shadow_memory *m, shadow_line *l, bool by_bytes);
shadow_cell shadow_pack_get(const shadow_line *l, uint32_t unit);
/* was: what shadow_pack_get() gave. */
void shadow_pack_put(shadow_memory *m, shadow_line *l, uint32_t unit, const shadow_cell *was, const shadow_cell *now);

#endif
