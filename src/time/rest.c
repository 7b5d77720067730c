#include "time/rest.h"

#include <math.h>

#define SEEN 64.0 /* sectors that missed, from which on a ratio of them says something */

void cache_rest_add(cache_rest *rest, bool kept, uint32_t sectors, uint32_t hits)
{
    if (kept) {
        rest->begun += sectors;
        rest->begun_hits += hits;
    } else {
        rest->after += sectors;
        rest->after_hits += hits;
    }
}

static double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

/* Of the rest of the launch: the share of sectors that miss. The sample of lines knows L1 by the age of lines only: how far it is off
 * shows where both are. */
static double missed_after(const cache_rest *rest, double missed)
{
    double begun = rest->begun - rest->begun_hits;
    double after = share(rest->after - rest->after_hits, rest->after);
    double off = begun >= SEEN ? missed / share(begun, rest->begun) : 1;
    return fmin(after * off, 1);
}

void cache_rest_apply(cache_site *site, const cache_rest *rest, double kept)
{
    double missed = 1 - share(site->l1_hits, site->l1_sectors);
    double all = missed;
    if (!site->l1_sectors || missed <= 0) return;
    if (rest->after > 0) {
        double after = share(rest->after, rest->begun + rest->after);
        all = (1 - after) * missed + after * missed_after(rest, missed);
    } else if (rest->latest > 0 && !rest->begun) {
        all = kept * missed + (1 - kept) * (1 - share(rest->latest_hits, rest->latest));
    }
    if (all == missed) return; /* also of what is kept whole to its end */
    double change = all / missed;
    site->l1_hits = site->l1_sectors * (1 - all);
    site->missed_loads *= change;
    site->missed_lines *= change;
    site->pending_loads *= fmin(change, 1);
}
