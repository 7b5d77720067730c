/* Fuzz target: any bytes as a device profile. Nothing may crash; a profile that is accepted is whole. */
#include "device/profile.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    device_profile p;
    lw_error error = {0};
    if (device_parse((const char *)data, size, "input", &p, &error) == LW_OK) {
        if (!p.id[0] || !p.name[0] || !p.cc || p.shared_carveout_count > DEVICE_CARVEOUTS || p.gpc_count > DEVICE_GPCS)
            abort();
    } else if (!error.message[0]) {
        abort();
    }
    return 0;
}
