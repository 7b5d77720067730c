/* mnemonic_priv.h: inside host/: what an instruction is, by its mnemonic, for the model of time. */
#ifndef LW_HOST_MNEMONIC_PRIV_H
#define LW_HOST_MNEMONIC_PRIV_H

#include <stdbool.h>
#include <string.h>

static inline bool begins(const char *text, const char *word) { return !strncmp(text, word, strlen(word)); }

/* bar, barrier: of a block or a cluster; bar.warp.sync is none. */
static inline bool is_block_barrier(const char *mnemonic)
{
    return begins(mnemonic, "bar") && !begins(mnemonic, "bar.warp");
}

#endif
