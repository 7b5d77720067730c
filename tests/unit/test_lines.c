/* test_lines: functions and source lines of addresses in host code. Every address of three samples (DWARF 3 to 5; built
 * by tests/fuzz/corpus/fatbin/make.sh) is beside what addr2line says of it, in lines.txt. */
#include "fatbin/fatbin.h"

#include <stdlib.h>

#include "unit.h"

typedef struct sample {
    char name[32];
    char *data;
    size_t size;
} sample;

/* Loads a sample once. */
static lw_span bytes_of(sample *s, const char *name)
{
    char path[128];
    if (strcmp(s->name, name)) {
        free(s->data);
        snprintf(s->name, sizeof s->name, "%s", name);
        snprintf(path, sizeof path, "fuzz/corpus/fatbin/%s", name);
        CHECK_EQ_INT(lw_file_read(unit_path(path), &s->data, &s->size, NULL), LW_OK);
    }
    return lw_span_of(s->data, s->size);
}

/* Before version 5 a table does not name the compiler's folder, which addr2line adds. */
static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t tail = strlen(end);
    return tail && length >= tail && !strcmp(text + length - tail, end);
}

UNIT_CASE(every_address_has_the_line_that_addr2line_says)
{
    char name[32], place[256];
    unsigned long long address;
    struct fatbin_line line;
    sample s = {0};
    size_t seen = 0;
    FILE *expected = fopen(unit_path("unit/lines.txt"), "r");
    CHECK(expected);
    while (expected && fscanf(expected, "%31s %llu %255s", name, &address, place) == 3) {
        char *colon = strrchr(place, ':');
        *colon = 0;
        bool known = fatbin_line_at(bytes_of(&s, name), 0, address, NULL, &line);
        if (!known || line.line != (uint32_t)atoi(colon + 1) || !ends_with(place, line.file))
            UNIT_FAIL("%s, %llu: %s:%u instead of %s:%s", name, address, line.file, line.line, place, colon + 1);
        if (!strcmp(name, "lines5.elf")) CHECK_STR(line.file, place);
        seen++;
    }
    if (expected) fclose(expected);
    CHECK(seen > 150);
    free(s.data);
}

static bool is_header(const char *path) { return ends_with(path, ".h"); }

UNIT_CASE(code_inlined_from_a_header_has_the_line_before_it)
{
    char name[32], place[256];
    unsigned long long address;
    struct fatbin_line line;
    sample s = {0};
    size_t inlined = 0;
    FILE *expected = fopen(unit_path("unit/lines.txt"), "r");
    while (expected && fscanf(expected, "%31s %llu %255s", name, &address, place) == 3) {
        lw_span file = bytes_of(&s, name);
        struct fatbin_function function;
        if (!strstr(place, "lines.h:")) continue;
        inlined++;
        CHECK(fatbin_function_at(file, address, &function));
        CHECK_STR(function.name, "add_all");
        CHECK(function.from < address);
        CHECK(fatbin_line_at(file, function.from, address, is_header, &line));
        CHECK(ends_with(line.file, "lines.c") && line.line == 10);
        CHECK(!fatbin_line_at(file, address, address, is_header, &line)); /* nothing before it that counts */
    }
    if (expected) fclose(expected);
    CHECK(inlined);
    free(s.data);
}

UNIT_CASE(what_no_table_covers_has_no_line)
{
    struct fatbin_line line;
    struct fatbin_function function;
    sample s = {0};
    lw_span file = bytes_of(&s, "lines5.elf");
    CHECK(!fatbin_line_at(file, 0, 0x10, NULL, &line));
    CHECK(!fatbin_line_at(file, 0, 0x7fffffff, NULL, &line));
    CHECK(!fatbin_function_at(file, 0x7fffffff, &function));
    CHECK(!fatbin_line_at(bytes_of(&s, "sm80.cubin"), 0, 0x10, NULL, &line));
    CHECK(!fatbin_line_at(bytes_of(&s, "text.ptx"), 0, 0x10, NULL, &line));
    free(s.data);
}

UNIT_MAIN()
