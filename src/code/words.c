/* words.c: the modifiers of irregular instructions, per opcode, as the PTX ISA 9.0 lists them. A decoder looks for the
 * words that matter to it; a word that is not here is refused by name before, so that none is ever passed over.
 *
 * Opcodes that are not in the table check their words themselves (decode_async.c, decode_ctrl.c, decode_mem.c). */
#include "code/decode.h"

#include <string.h>

#define SPACES " global shared shared::cta shared::cluster local const param param::entry param::func"
#define SCOPES " cta cluster gpu sys"
#define EVICT                                                                                                          \
    " L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::evict_last"              \
    " L2::evict_normal L2::evict_first L2::cache_hint"
#define COMPARISONS " eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz"
#define ATOMICS                                                                                                        \
    " relaxed acquire release acq_rel and or xor cas exch add inc dec min max noftz v2 v4 v8" SPACES SCOPES EVICT
#define ASYNC " async mbarrier::complete_tx::bytes"

typedef struct row_words {
    const char *key;
    bool types; /* any type name may stand among them */
    const char *words;
} row_words;

static const row_words table[] = {
    {"ld", true,
     "weak relaxed acquire volatile mmio nc ca cg cs lu cv L2::64B L2::128B L2::256B v2 v4 v8" SPACES SCOPES EVICT},
    {"ldu", true, "global v2 v4"},
    {"st", true, "weak relaxed release volatile mmio wb cg cs wt v2 v4 v8 bulk" SPACES SCOPES EVICT ASYNC},
    {"atom", true, ATOMICS},
    {"red", true, ATOMICS ASYNC},
    {"prefetch", false, "global local const param tensormap L1 L2 L2::evict_last L2::evict_normal"},
    {"prefetchu", false, "L1"},
    {"discard", false, "global L2"},
    {"applypriority", false, "global L2::evict_normal"},
    {"createpolicy", false,
     "range fractional cvt global L2 L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged b64"},
    {"cvta", false, "to u32 u64" SPACES},
    {"isspacep", false, SPACES},
    {"setp", true, COMPARISONS},
    {"set", true, COMPARISONS},
    {"selp", true, ""},
    {"bfi", true, ""},
    {"add.cc", true, "cc"},
    {"addc", true, "cc"},
    {"sub.cc", true, "cc"},
    {"subc", true, "cc"},
    {"mad.lo.cc", true, "lo cc"},
    {"mad.hi.cc", true, "hi cc"},
    {"madc", true, "lo hi cc"},
    {"lop3.or", true, "or"},
    {"lop3.and", true, "and"},
    {"membar", false, "cta gl sys proxy alias"},
    {"fence", false,
     "sc acq_rel acquire release proxy alias async async::generic tensormap::generic mbarrier_init"
     " sync_restrict::shared::cta sync_restrict::shared::cluster" SPACES SCOPES},
    {"activemask", false, "b32"},
    {"elect", false, "sync"},
    {"griddepcontrol", false, "wait launch_dependents"},
    {"setmaxnreg", false, "inc dec sync aligned u32"},
    {"nanosleep", false, "u32"},
    {"pmevent", false, "mask"},
    {"stacksave", false, "u32 u64"},
    {"stackrestore", false, "u32 u64"},
    {"bra", false, "uni"},
    {"brx", false, "idx uni"},
    {"call", false, "uni"},
    {"ret", false, "uni"},
    {"exit", false, ""},
    {"trap", false, ""},
    {"brkpt", false, ""},
};

bool decode_words_known(decoder *d, const code_row *r, const decode_parts *p)
{
    const row_words *w = table;
    while (w < table + LW_COUNT(table) && strcmp(w->key, r->key)) w++;
    if (w == table + LW_COUNT(table)) return true;
    for (uint32_t k = 1; k < p->count; k++) {
        if (w->types && decode_part_type(p, k) != PTX_NO_TYPE) continue;
        if (!decode_known_part(d, p, k, w->words)) return false;
    }
    return true;
}
