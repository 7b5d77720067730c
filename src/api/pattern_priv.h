/* api, internal: what the files behind include/lanewise/pattern.h share. */
#ifndef LW_PATTERN_PRIV_H
#define LW_PATTERN_PRIV_H

#include "base/base.h"
#include "device/profile.h"
#include "lanewise/pattern.h"

/* Fills message and returns 1. */
int pattern_fail(lw_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- pattern_types.c ---- */
typedef struct pattern_type {
    uint32_t bytes, align;
} pattern_type;
/* "float4", "unsigned  short", "const int *". false: no such type. */
bool pattern_type_find(const char *text, pattern_type *out);

typedef struct pattern_member {
    uint32_t struct_bytes, struct_align, offset, bytes;
} pattern_member;
int pattern_struct_find(const char *structure, const char *member, pattern_member *out, lw_message *message);

/* ---- pattern_describe.c ---- */
/* A whole decimal number, nothing behind it. */
bool pattern_int(const char *text, int64_t least, int64_t most, int64_t *out);
/* 32 numbers separated by blanks or commas; "-" and -1: inactive. */
int pattern_offsets(const char *text, uint32_t bytes, int64_t out[LW_LANES], lw_message *message);
/* Recomputes offset[] from the fields that describe it (not for LW_LAYOUT_OFFSETS). */
int pattern_place(lw_access *access, lw_message *message);

/* ---- pattern_count.c ---- */
/* What a search calls many times: the device is looked up once, nothing is checked twice. */
int pattern_count_on(const device_profile *device, const lw_access *access, const lw_access_options *options,
                     lw_access_counts *out, lw_message *message);
/* The same with an op of model_pattern() that has no row in pattern_ops.def. */
int pattern_count_as(const device_profile *device, const char *op, const lw_access *access,
                     const lw_access_options *options, lw_access_counts *out, lw_message *message);
/* Fails if a lane lies beyond the memory that the space has there. */
int pattern_fits(const device_profile *device, const lw_access *access, lw_message *message);
int pattern_device(const char *spec, device_profile *out, lw_message *message);

#endif
