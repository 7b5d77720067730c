/* The errors of both APIs: rows of errors.def. */
#include "host/types.h"

const host_error_desc *host_error_find(int number)
{
    static const host_error_desc rows[] = {
#define HOST_ERROR(id, number, runtime_name, driver_name, text) {number, runtime_name, driver_name, text},
#include "host/errors.def"
#undef HOST_ERROR
    };
    for (size_t i = 0; i < LW_COUNT(rows); i++)
        if (rows[i].number == number) return &rows[i];
    return NULL;
}
