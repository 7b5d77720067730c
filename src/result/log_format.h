/* result, internal: the result log's file.
 *
 * A header, then records at multiples of LOG_ALIGN. Space is taken by adding to header.used; a record's mark names its
 * own place, so that a reader finds the next record behind space that was taken and never written. A record counts only
 * when committed. Places are offsets in the file; 0 = none. Integers in host order: writer and reader are one machine.
 */
#ifndef LW_RESULT_LOG_FORMAT_H
#define LW_RESULT_LOG_FORMAT_H

#include "result/result.h"

#define LOG_MAGIC UINT64_C(0x38676f6c2d776c0a) /* "\nlw-log8" */
#define LOG_MARK UINT64_C(0x9e3779b97f4a7c15)
#define LOG_ALIGN 16u
#define LOG_STEP (UINT64_C(1) << 20) /* the file grows by this */
#define LOG_MAX_BYTES (UINT64_C(4) << 30)
#define LOG_GUARD (UINT64_C(1) << 20) /* of addresses below the mapping, without access */
#define LOG_FIRST 4096u

typedef struct log_header {
    uint64_t magic;
    uint32_t counter_count; /* of the program that made the file */
    uint32_t full;          /* something did not fit below LOG_MAX_BYTES */
    uint64_t used;          /* atomic: bytes taken */
    uint64_t file_bytes;    /* atomic: bytes the file has; grows under a lock on byte 0 */
} log_header;

typedef enum log_kind {
    LOG_STRING = 1,
    LOG_FRAMES,
    LOG_PROCESS,
    LOG_LAUNCH,
    LOG_FINDING,
    LOG_MESSAGE,
    LOG_CHECK, /* as a message: the name of a check that was on */
    LOG_UNCOUNTED,
    LOG_SPAN,
    LOG_SAMPLES,
    LOG_WHAT_IF,
    LOG_BLOCKS
} log_kind;

typedef struct log_record {
    uint64_t mark; /* LOG_MARK ^ own place */
    uint32_t size; /* with this header and padding */
    uint16_t kind;
    uint16_t committed;
} log_record;

typedef struct log_string {
    log_record head;
    uint32_t length;
    char text[]; /* and a NUL */
} log_string;

typedef struct log_frame {
    uint64_t file, function;
    uint32_t line, zero;
} log_frame;

typedef struct log_frames {
    log_record head;
    uint32_t count, zero;
    log_frame frame[];
} log_frames;

typedef struct log_process {
    log_record head;
    uint64_t device_name, device_cc;
    uint32_t pid, closed;
} log_process;

typedef struct log_row {
    uint64_t file, function, inlined, space, op, dir, why, advice, samples;
    uint32_t line, bytes_per_lane, inlined_count;
    uint8_t ptx, exact, zero[2];
    counter_set counters;
    double seconds, seconds_saved;
} log_row;

typedef struct log_samples {
    log_record head;
    result_sample sample[RESULT_SAMPLES];
} log_samples;

typedef struct log_layout {
    uint64_t array, about, now, then, index, refused;
    result_what_if numbers; /* without texts */
} log_layout;

typedef struct log_what_if {
    log_record head;
    uint32_t count, zero;
    log_layout layout[];
} log_what_if;

typedef struct log_blocks {
    log_record head;
    result_blocks blocks; /* without levels */
    uint8_t level[];
} log_blocks;

typedef struct log_launch {
    log_record head;
    uint64_t kernel, kernel_mangled, note, parent, parent_file;
    uint32_t grid[3], block[3], cluster[3], dynamic_shared_bytes;
    uint32_t parent_line, device;
    uint32_t busy; /* an update is under way: totals may hold part of a launch */
    uint32_t schedule_dependent;
    uint64_t count, inst_executed, thread_inst;
    uint64_t what_if; /* place of a log_what_if */
    uint64_t blocks;  /* place of a log_blocks */
    uint64_t ptx;     /* place of a string */
    uint64_t library_bytes;
    double seconds;
    int64_t built;
    result_occupancy occupancy;
    counter_set counters;
    result_time time;
    uint32_t row_count;
    uint32_t library;
    log_row row[];
} log_launch;

typedef struct log_related {
    uint64_t message, file;
    uint32_t line, block[3], thread[3], role_side; /* role | side << 8 */
} log_related;

typedef struct log_finding {
    log_record head;
    uint64_t check, severity, message, kernel, file, call, error, site;
    uint64_t settled; /* the severity once open is 0; 0: it stays what it is */
    uint64_t open;    /* atomic: how many of count are not settled */
    uint64_t call_number;
    uint64_t address, count;
    uint32_t line, block[3], thread[3], bytes;
    uint8_t has_place, has_address, zero[2];
    uint32_t related_count;
    log_related related[];
} log_finding;

typedef struct log_message {
    log_record head;
    uint64_t text;
} log_message;

typedef struct log_uncounted {
    log_record head;
    uint64_t kernel, count;
    uint32_t why, zero;
} log_uncounted;

typedef struct log_span {
    log_record head;
    uint64_t name;
    uint32_t pid, zero;
    result_span span; /* without name and process */
} log_span;

#endif
