/* AoS <-> SoA: parameters of the kernels and their launchers, which return the launch's own cudaError_t. Not installed. */
#ifndef LW_OPS_RECORD_H
#define LW_OPS_RECORD_H

#include "common/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Records and their fields. Work on the fields' side is dealt out in groups: 8 lanes, each with `turns` windows of 16
 * bytes. Groups side by side in a warp share a stretch of a field, their windows alternating, where it is long
 * enough.
 */
#define LW_RECORD_GROUP 8
#define LW_RECORD_TURNS 4
#define LW_RECORD_GROUPS 320 /* most of a block */
typedef struct lw_record_field {
    char *data;
    uint32_t offset, size; /* bytes in the record */
    uint32_t kind;         /* 5 x log2 of the bytes of a unit + log2 of units per element; + 4: any number of them */
    lw_fdiv units;         /* of one element */
} lw_record_field;

typedef struct lw_record_params {
    char *aos;
    int64_t records;
    uint32_t per_block, record_bytes;
    int32_t fields, keep, zero; /* bytes between fields: keep what there is, or write zeros */
    int32_t even;               /* all pointers and all runs of a full block are multiples of 16 */
    uint32_t groups;
    uint32_t turns; /* windows of a lane: 1 or LW_RECORD_TURNS */
    lw_record_field field[64];
    uint32_t group[LW_RECORD_GROUPS]; /* field, 2 bits log2 of groups side by side, first window / 8 */
} lw_record_params;

/* Records of 2 or 4 fields of one size: see record_direct.cu. */
typedef struct lw_record_direct_params {
    char *aos;
    char *field[4]; /* by their place in the record */
    int64_t records;
} lw_record_direct_params;

int lw_record_launch(const lw_record_params *p, bool to_soa, uint32_t grid, uint32_t threads, uint32_t shared,
                     lw_stream stream);
int lw_record_direct_launch(const lw_record_direct_params *p, int size, int fields, bool to_soa, uint32_t grid,
                            lw_stream stream);
int lw_record_direct_records(int size, int fields); /* of a thread; 0: no such kernel */

#ifdef __cplusplus
}
#endif
#endif
