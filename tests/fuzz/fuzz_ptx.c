/* Fuzz target of room ptx: any bytes parse or give an error; what parses is printed, the print parses, and printing
 * that again gives the same text. */
#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_print(const ptx_module *m)
{
    lw_text text = {0}, again = {0};
    ptx_module *n;
    ptx_print(m, &text);
    if (ptx_parse(&n, "print", text.data, text.size, NULL) != LW_OK) abort();
    ptx_print(n, &again);
    if (again.size != text.size || memcmp(again.data, text.data, text.size)) abort();
    ptx_module_free(n);
    lw_text_free(&text);
    lw_text_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ptx_module *m;
    lw_error error = {0};
    lw_status status = ptx_parse(&m, "fuzz", (const char *)data, size, &error);
    if (status != LW_OK && (m || error.status != status || !error.message[0])) abort();
    if (m) check_print(m);
    ptx_module_free(m);
    return 0;
}
