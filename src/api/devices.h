/* api, internal: what the public functions say of a device. */
#ifndef LW_API_DEVICES_H
#define LW_API_DEVICES_H

#include "device/profile.h"
#include "lanewise/run.h"

lw_device_info api_device_info(const device_profile *profile);

#endif
