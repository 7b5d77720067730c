/* Fuzz target: any bytes as a table of accesses, and as a description: fields in lines, in the order of lw_access_text.
 * Nothing may crash; what is refused is named in one line; what is accepted can be counted, drawn and searched. */
#include "lanewise/pattern.h"

#include <stdlib.h>
#include <string.h>

static void check_message(const lw_message *message)
{
    if (!*message->text || strchr(message->text, '\n')) abort();
}

static void fuzz_table(const uint8_t *data, size_t size)
{
    lw_message message = {""};
    char *out;
    if (lw_access_table((const char *)data, size, "t", NULL, NULL, &out, &message)) {
        if (out) abort();
        check_message(&message);
    } else if (strncmp(out, "op,name,offsets,", 16)) {
        abort();
    }
    free(out);
}

static void fuzz_description(const uint8_t *data, size_t size)
{
    lw_access_text text = {0};
    const char **fields = (const char **)&text;
    char *copy = malloc(size + 1), *rest = copy, *line;
    if (!copy) return;
    memcpy(copy, data, size);
    copy[size] = 0;
    for (size_t i = 0; i < sizeof text / sizeof *fields && (line = strsep(&rest, "\n")); i++) fields[i] = line;
    lw_message message = {""};
    lw_access access;
    lw_access_counts counts;
    lw_remedy remedies[LW_REMEDIES];
    lw_bank_map map;
    size_t n;
    if (lw_access_describe(&text, &access, &message)) {
        check_message(&message);
    } else if (lw_access_count(NULL, &access, NULL, &counts, &message)) {
        check_message(&message);
    } else {
        if (lw_access_remedies(NULL, &access, NULL, remedies, &n, &message) || n > LW_REMEDIES) abort();
        if (!strcmp(access.op->space, "shared") && lw_access_banks(NULL, &access, NULL, &map, &message)) abort();
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_table(data, size);
    fuzz_description(data, size);
    return 0;
}
