/* test_support: docs/SUPPORT_PTX.md is what the instruction table says. LANEWISE_UPDATE=1 writes it again. */
#include "unit.h"

#include "code/decode.h"

#include <stdlib.h>
#include <string.h>

static void add_base(const char *key, char *out, size_t size)
{
    size_t n = strcspn(key, ".");
    snprintf(out, size, "%.*s", (int)n, key);
}

/* One line an opcode: the types and forms of its rows. */
static void add_supported(lw_text *text)
{
    lw_text_add(text, "| opcode | forms | PTX | target |\n|---|---|---|---|\n");
    for (size_t i = 0; i < code_row_count; i++) {
        char base[64], other[64];
        bool seen = code_rows[i].form == ROW_REFUSED;
        add_base(code_rows[i].key, base, sizeof base);
        for (size_t k = 0; k < i && !seen; k++) {
            add_base(code_rows[k].key, other, sizeof other);
            seen = code_rows[k].form != ROW_REFUSED && !strcmp(base, other);
        }
        if (seen) continue;
        uint32_t ptx = UINT32_MAX, sm = UINT32_MAX, forms = 0;
        lw_text list = {0};
        for (size_t k = i; k < code_row_count; k++) {
            add_base(code_rows[k].key, other, sizeof other);
            if (code_rows[k].form == ROW_REFUSED || strcmp(base, other)) continue;
            ptx = LW_MIN(ptx, code_rows[k].ptx), sm = LW_MIN(sm, code_rows[k].sm);
            const char *rest = code_rows[k].key + strlen(base);
            if (*rest) lw_text_add(&list, "%s`%s`", forms++ ? " " : "", rest);
        }
        lw_text_add(text, "| `%s` | %s | %u.%u | sm_%u |\n", base, list.size ? list.data : "", ptx / 10, ptx % 10, sm);
        lw_text_free(&list);
    }
}

static void add_refused(lw_text *text)
{
    lw_text_add(text, "\n## Refused\n\nA kernel that needs one of these is named when it is launched.\n\n| opcode | "
                      "why |\n|---|---|\n");
    for (size_t i = 0; i < code_row_count; i++)
        if (code_rows[i].form == ROW_REFUSED) lw_text_add(text, "| `%s` | %s |\n", code_rows[i].key, code_rows[i].why);
    size_t count;
    const decode_refusal *refusals = decode_refusals(&count);
    lw_text_add(text, "\nOf instructions of the first table:\n\n| form | why |\n|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        const decode_refusal *r = &refusals[i];
        if (r->opcode) lw_text_add(text, "| `%s` with `.%s` | %s |\n", r->opcode, r->word, r->why);
        else lw_text_add(text, "| %s | %s |\n", r->word, r->why);
    }
}

UNIT_CASE(support_page_is_current)
{
    lw_text text = {0};
    lw_text_add(&text,
                "# PTX instructions\n\nMade from `src/ptx/insns.def` and `src/ptx/refused.def` by "
                "`tests/unit/test_support.c`; the versions are those "
                "the first form of an "
                "opcode needs.\nModifiers for rounding, `.ftz`, `.sat`, cache operators, scopes and hints are not "
                "listed.\nWhat is "
                "in none of the tables is an unknown instruction.\n\n");
    add_supported(&text);
    add_refused(&text);
    const char *path = unit_path("../docs/SUPPORT_PTX.md");
    lw_error error = {0};
    if (getenv("LANEWISE_UPDATE")) CHECK(lw_file_write(path, text.data, text.size, &error) == LW_OK);
    char *have;
    size_t size;
    CHECK(lw_file_read(path, &have, &size, &error) == LW_OK);
    CHECK(have && size == text.size && !memcmp(have, text.data, size));
    free(have);
    lw_text_free(&text);
}

UNIT_MAIN()
