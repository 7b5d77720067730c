/* fill: what memory holds that the program never wrote: bytes of one value, or of a seed. */
#include "memory/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text, uint64_t most, uint64_t *out)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    *out = strtoull(text, &end, 0);
    return !*end && *out <= most;
}

bool mem_fill_parse(const char *text, mem_fill *out)
{
    static const char random[] = "random:";
    uint64_t number;
    *out = (mem_fill){.kind = MEM_FILL_NONE};
    if (!strncmp(text, random, strlen(random))) {
        if (!is_number(text + strlen(random), UINT64_MAX, &number)) return false;
        *out = (mem_fill){.kind = MEM_FILL_RANDOM, .seed = number};
        return true;
    }
    if (!is_number(text, UINT8_MAX, &number)) return false;
    *out = (mem_fill){.kind = MEM_FILL_BYTE, .byte = (uint8_t)number};
    return true;
}

/* splitmix64 */
static uint64_t mix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void mem_fill_bytes(const mem_fill *fill, uint64_t which, void *at, uint64_t bytes)
{
    uint64_t state = fill->seed * UINT64_C(0xd1342543de82ef95) + which;
    uint8_t *p = at;
    if (fill->kind == MEM_FILL_BYTE) memset(at, fill->byte, bytes);
    if (fill->kind != MEM_FILL_RANDOM) return;
    for (uint64_t done = 0; done < bytes; done += sizeof state) {
        uint64_t word = mix(&state);
        memcpy(p + done, &word, LW_MIN(bytes - done, (uint64_t)sizeof word));
    }
}
