/* picture: one access drawn: lanes against banks, or bytes against 32-byte sectors and 128-byte lines. */
#ifndef LW_CLI_PICTURE_H
#define LW_CLI_PICTURE_H

#include "lanewise/pattern.h"

#include <stdio.h>

/* What a picture shows. */
typedef struct picture {
    const lw_access *access;
    const lw_access_counts *counts;
    const lw_bank_map *banks; /* shared memory; NULL: bytes */
    uint32_t granule;         /* bytes that are moved together: 32, or 128 where whole lines are */
    const char *title;
} picture;

typedef struct picture_look {
    bool colour, unicode;
    unsigned width; /* columns */
} picture_look;

/* What the terminal behind `file` and the locale can show. */
picture_look picture_look_of(FILE *file);
void picture_text(FILE *out, const picture *p, const picture_look *look);
/* false: the file cannot be written (errno says why). */
bool picture_svg(const char *file, const picture *p);

/* ---- bytes, as both pictures see them ---- */
typedef struct picture_bytes {
    int64_t line[4 * 8 * LW_LANES]; /* numbers of the 128-byte lines touched, ascending */
    uint32_t line_count;
} picture_bytes;
void picture_lines(const lw_access *access, picture_bytes *out);
/* Lanes that touch a byte, one bit each. */
uint32_t picture_lanes_at(const lw_access *access, int64_t byte);

#endif
