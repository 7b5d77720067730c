/* blocks: the client that adds up what blocks cost (client_blocks.c), for who writes the rows of a launch. */
#ifndef LW_HOST_BLOCKS_PRIV_H
#define LW_HOST_BLOCKS_PRIV_H

#include "host/state_priv.h"
#include "result/result.h"

/* Of the launch that has just ended, until the next begins; NULL: not asked for. */
const result_blocks *host_blocks_of_launch(const host_context *context);

#endif
