/* References of AoS <-> SoA: record by record, field by field. */
#include <string.h>
#include "ref.h"

void lw_ref_aos_to_soa(const lw_record *l, int64_t records, void *const *fields, const void *aos)
{
    for (int64_t r = 0; r < records; r++) {
        for (int f = 0; f < l->fields; f++) {
            memcpy((char *)fields[f] + r * l->size[f], (const char *)aos + r * l->record_bytes + l->offset[f],
                   (size_t)l->size[f]);
        }
    }
}

void lw_ref_soa_to_aos(const lw_record *l, int64_t records, int padding, void *aos, const void *const *fields)
{
    for (int64_t r = 0; r < records; r++) {
        char *record = (char *)aos + r * l->record_bytes;
        if (padding == LW_PAD_ZERO) memset(record, 0, (size_t)l->record_bytes);
        for (int f = 0; f < l->fields; f++) {
            memcpy(record + l->offset[f], (const char *)fields[f] + r * l->size[f], (size_t)l->size[f]);
        }
    }
}
