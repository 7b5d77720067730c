/* The door of one library: its table, and what its calls answer when there is no core. src/door/library.cmake defines
 * ENTRYPOINTS, NAME (a string), TABLE, BIND, MARKER and NOT_INITIALIZED. */
#include "door/door.h"

enum {
#define ENTRY(symbol, kind, group) ROW_##symbol,
#include ENTRYPOINTS
#undef ENTRY
    ROW_COUNT
};

extern const void *TABLE[] __attribute__((visibility("hidden")));
void BIND(void) __attribute__((visibility("hidden")));

/* Tells this library from NVIDIA's. */
extern const char MARKER[];
const char MARKER[] __attribute__((visibility("default"), used)) = "lanewise " NAME;

static int fail(void)
{
    lw_door_complain();
    return NOT_INITIALIZED;
}

void BIND(void)
{
    static int state;
    static const lw_door door = {NAME, TABLE, ROW_COUNT, (const void *)fail, NULL, 0};
    lw_door_bind(&door, &state);
}
