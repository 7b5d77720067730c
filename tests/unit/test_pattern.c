/* pattern: descriptions against offsets computed by hand and by the compiler, tables against counters measured on an
 * H200, pictures against counts, remedies against a recount. */
#include "api/pattern_priv.h"
#include "lanewise/pattern.h"
#include "model/model.h"
#include "unit.h"

static lw_message message;

static lw_access described(lw_access_text text)
{
    lw_access a;
    *message.text = 0;
    if (lw_access_describe(&text, &a, &message)) UNIT_FAIL("refused: %s", message.text);
    return a;
}

/* ---- types and structs ---- */

UNIT_CASE(types_have_their_sizes)
{
    static const struct {
        const char *name;
        uint32_t bytes, align;
    } types[] = {{"float", 4, 4},       {"double", 8, 8},
                 {"float4", 16, 16},    {"float3", 12, 4},
                 {"int8", 1, 1},        {"char4", 4, 4},
                 {"uint16_t", 2, 2},    {"half", 2, 2},
                 {"half2", 4, 4},       {"unsigned long long", 8, 8},
                 {"unsigned", 4, 4},    {"long unsigned int", 8, 8},
                 {"signed char", 1, 1}, {"short int", 2, 2},
                 {"const float", 4, 4}, {"double2", 16, 16},
                 {"double4", 32, 16},   {"ulonglong2", 16, 16},
                 {"void *", 8, 8},      {"size_t", 8, 8},
                 {"  int2 ", 8, 8},     {"signed", 4, 4}};
    static const char *const no_types[] = {
        "",  "foo",   "float5", "float float",  "long long long", "short long", "int *x", "unsigned float",
        "*", "bool2", " ",      "double double"};
    for (size_t i = 0; i < LW_COUNT(types); i++) {
        pattern_type t;
        if (!pattern_type_find(types[i].name, &t)) UNIT_FAIL("no type %s", types[i].name);
        CHECK_EQ_INT(t.bytes, types[i].bytes);
        CHECK_EQ_INT(t.align, types[i].align);
    }
    for (size_t i = 0; i < LW_COUNT(no_types); i++) {
        pattern_type t;
        if (pattern_type_find(no_types[i], &t)) UNIT_FAIL("'%s' is taken for a type", no_types[i]);
    }
}

struct mixed {
    char tag, name[3];
    short s;
    double d, m[2][3];
    float *p, q;
    unsigned long long u;
    signed char last;
};
static const char mixed_text[] =
    "struct mixed { char tag, name[3]; short s; double d, m[2][3]; float *p, q; unsigned long "
    "long u; signed char last; };";

UNIT_CASE(structs_are_laid_out_as_by_the_compiler)
{
    static const struct {
        const char *member;
        size_t offset, bytes;
    } want[] = {{"tag", offsetof(struct mixed, tag), 1},
                {"name[2]", offsetof(struct mixed, name[2]), 1},
                {"s", offsetof(struct mixed, s), 2},
                {"d", offsetof(struct mixed, d), 8},
                {"m[1][2]", offsetof(struct mixed, m[1][2]), 8},
                {"p", offsetof(struct mixed, p), 8},
                {"q", offsetof(struct mixed, q), 4},
                {"u", offsetof(struct mixed, u), 8},
                {"last", offsetof(struct mixed, last), 1}};
    for (size_t i = 0; i < LW_COUNT(want); i++) {
        pattern_member m;
        if (pattern_struct_find(mixed_text, want[i].member, &m, &message))
            UNIT_FAIL("%s: %s", want[i].member, message.text);
        CHECK_EQ_INT(m.struct_bytes, sizeof(struct mixed));
        CHECK_EQ_INT(m.struct_align, _Alignof(struct mixed));
        CHECK_EQ_INT(m.offset, want[i].offset);
        CHECK_EQ_INT(m.bytes, want[i].bytes);
    }
}

UNIT_CASE(bad_structs_are_named)
{
    static const char *const bad[][3] = {{"float x, y", "z", "no member 'z'"},
                                         {"float x; int x", "x", "two members"},
                                         {"float x[3]", "x", "name one element"},
                                         {"float x[3]", "x[3]", "outside"},
                                         {"float x", "x[0]", "not an array"},
                                         {"float x:3", "x", "bit-field"},
                                         {"float", "x", "expected"},
                                         {"fluat x", "x", "fluat"},
                                         {"float x[0]", "x", "array size"},
                                         {"float x[", "x", "array size"},
                                         {"float x[1048577]", "x", "array size"},
                                         {"double x[200000]", "x", "larger than"},
                                         {"float x,", "x", "name of a member"},
                                         {"float x y", "y", "unknown type"},
                                         {"", "x", "no member"},
                                         {"float x; }; int", "x", "expected"},
                                         {"float x", "", "member"},
                                         {"float x[2]", "x[1", "']'"}};
    for (size_t i = 0; i < LW_COUNT(bad); i++) {
        pattern_member m;
        *message.text = 0;
        if (!pattern_struct_find(bad[i][0], bad[i][1], &m, &message)) UNIT_FAIL("'%s' is accepted", bad[i][0]);
        CHECK_HAS(message.text, bad[i][2]);
        CHECK(!strchr(message.text, '\n'));
    }
}

/* ---- descriptions ---- */

UNIT_CASE(descriptions_become_offsets)
{
    lw_access a = described((lw_access_text){
        .type = "double", .stride = "3", .lanes = "20", .offset = "16", .op = "store", .space = "global"});
    CHECK_STR(a.op->name, "stg64");
    for (int i = 0; i < 32; i++) CHECK_EQ_INT(a.offset[i], i < 20 ? 16 + 24 * i : -1);
    a = described((lw_access_text){.structure = "float x, y, z", .member = "z"});
    CHECK_STR(a.op->name, "lds32");
    for (int i = 0; i < 32; i++) CHECK_EQ_INT(a.offset[i], 12 * i + 8);
    a = described((lw_access_text){.tile = "32x33", .by = "column"});
    for (int i = 0; i < 32; i++) CHECK_EQ_INT(a.offset[i], i * 33 * 4);
    a = described((lw_access_text){.tile = "16x32+2", .type = "short"});
    for (int i = 0; i < 32; i++) CHECK_EQ_INT(a.offset[i], (i % 16 * 34 + i / 16) * 2);
    a = described((lw_access_text){.tile = "8x8+1", .by = "row"});
    for (int i = 0; i < 32; i++) CHECK_EQ_INT(a.offset[i], (i / 8 * 9 + i % 8) * 4);
    a = described((lw_access_text){.permute = "reverse", .lanes = "4"});
    for (int i = 0; i < 4; i++) CHECK_EQ_INT(a.offset[i], (3 - i) * 4);
    a = described((lw_access_text){.permute = "xor:5"});
    for (int i = 0; i < 32; i++) CHECK_EQ_INT(a.offset[i], (i ^ 5) * 4);
    a = described((lw_access_text){.permute = "rotate:-1"});
    for (int i = 0; i < 32; i++) CHECK_EQ_INT(a.offset[i], (i + 31) % 32 * 4);
    a = described((lw_access_text){.permute = "2 0,1", .lanes = "3", .stride = "-2", .offset = "16"});
    CHECK_EQ_INT(a.offset[0], 0);
    CHECK_EQ_INT(a.offset[1], 16);
    CHECK_EQ_INT(a.offset[2], 8);
    a = described((lw_access_text){.offsets = "0 16 - -1 4 4 4 4 4 4 4 4 4 4 4 4,4,4 4 4 4 4 4 4 4 4 4 4 4 4 4 124",
                                   .op = "atomic",
                                   .space = "global"});
    CHECK_STR(a.op->name, "atom32");
    CHECK_EQ_INT(a.offset[1], 16);
    CHECK_EQ_INT(a.offset[2], -1);
    CHECK_EQ_INT(a.offset[3], -1);
    CHECK_EQ_INT(a.offset[31], 124);
    CHECK_STR(described((lw_access_text){.op = "ldmatrix.x4", .stride = "2"}).op->name, "ldsm4");
}

UNIT_CASE(bad_descriptions_are_named)
{
    static const struct {
        lw_access_text text;
        const char *part;
    } bad[] = {
        {{.type = "float3"}, "12 bytes"},
        {{.type = "flout"}, "flout"},
        {{.stride = "x"}, "stride"},
        {{.stride = "1.5"}, "1.5"},
        {{.stride = "99999999999"}, "stride"},
        {{.stride = "-1"}, "byte -4"},
        {{.lanes = "0"}, "lanes"},
        {{.lanes = "33"}, "lanes"},
        {{.offset = "-4"}, "offset"},
        {{.offset = "2"}, "multiple"},
        {{.op = "jump"}, "jump"},
        {{.space = "moon"}, "moon"},
        {{.op = "cas", .type = "double"}, "cas of 8 bytes"},
        {{.op = "lds32", .space = "global"}, "lds32"},
        {{.op = "lds32", .type = "double"}, "4 bytes"},
        {{.space = "constant", .op = "store"}, "store"},
        {{.tile = "32"}, "32x33"},
        {{.tile = "0x4"}, "0x4"},
        {{.tile = "4x4x4"}, "4x4x4"},
        {{.tile = "70000x4"}, "70000x4"},
        {{.tile = "4x4"}, "too few"},
        {{.tile = "32x32", .by = "diagonal"}, "diagonal"},
        {{.tile = "32x32", .stride = "2"}, "tile"},
        {{.by = "row"}, "tile"},
        {{.member = "x"}, "struct"},
        {{.structure = "float x"}, "member"},
        {{.structure = "float x", .member = "x", .type = "int"}, "struct"},
        {{.permute = "xor:32"}, "32"},
        {{.permute = "xor:"}, "xor"},
        {{.permute = "rotate:a"}, "rotate"},
        {{.permute = "1 2 3"}, "3 indices"},
        {{.permute = "backwards"}, "'backwards'"},
        {{.permute = "a", .lanes = "1"}, "'a'"},
        {{.offsets = "0 4"}, "2 instead of 32"},
        {{.offsets = "0", .stride = "2"}, "offsets"},
    };
    for (size_t i = 0; i < LW_COUNT(bad); i++) {
        lw_access a;
        *message.text = 0;
        if (!lw_access_describe(&bad[i].text, &a, &message)) UNIT_FAIL("description %zu is accepted", i);
        CHECK_HAS(message.text, bad[i].part);
        CHECK(!strchr(message.text, '\n'));
    }
}

UNIT_CASE(accesses_are_those_of_the_model)
{
    device_profile d;
    REQUIRE(device_find("h200", &d, NULL) == LW_OK);
    for (size_t i = 0; lw_access_op_at(i); i++) {
        const lw_access_op *op = lw_access_op_at(i);
        int64_t offsets[32];
        counter_set set;
        CHECK(lw_access_op_find(op->name) == op);
        for (int k = 0; k < 32; k++) offsets[k] = k * op->bytes;
        lw_status status = model_pattern(&d, NULL, op->name, offsets, &set, NULL, NULL);
        if (status && op->bytes < 32) UNIT_FAIL("%s: the model has no such access", op->name); /* 32 bytes: cc 10.0 */
        bool shared = !strcmp(op->space, "shared");
        if (!status) CHECK_EQ_INT(set.present >> COUNTER_WAVEFRONTS & 1, shared);
        offsets[5] += op->bytes / 2;
        if (op->bytes > 1) CHECK(model_pattern(&d, NULL, op->name, offsets, &set, NULL, NULL) != LW_OK);
    }
    CHECK(lw_access_op_find("lds31") == NULL);
    CHECK(lw_access_op_find(NULL) == NULL);
}

/* ---- pictures ---- */

static uint32_t random_state = 12345;
static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 4) * n >> 28);
}

static void random_access(const lw_access_op *op, lw_access *a)
{
    *a = (lw_access){.op = op, .lanes = 32, .stride = 1};
    uint32_t kind = random_below(5), range = 1u << random_below(11), stride = random_below(70), holes = random_below(3);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t unit = kind == 0 ? i * stride : kind == 1 ? i / 2 * stride : kind == 2 ? i / 4 : random_below(range);
        a->index[i] = (uint8_t)i;
        a->offset[i] = holes == 2 && random_below(3) == 0 ? -1 : (int64_t)(unit * op->bytes) % (48 << 10);
    }
}

struct sweep {
    unsigned compared;
    const char *only; /* a device, or NULL: all generic ones */
};

static void compare_pictures(void *user, const lw_device_info *device)
{
    struct sweep *sweep = user;
    if (strncmp(device->id, "cc:", 3)) return;
    for (size_t i = 0; lw_access_op_at(i); i++)
        for (int n = 0; n < 4 && !strcmp(lw_access_op_at(i)->space, "shared"); n++) {
            lw_access a;
            lw_access_counts counts;
            lw_bank_map map;
            lw_access_options options = {n % 2 ? 8 : 4, false, false};
            uint64_t wavefronts;
            random_access(lw_access_op_at(i), &a);
            if (device->major < 2)
                for (int k = 0; k < 32; k++) a.offset[k] = a.offset[k] < 0 ? -1 : a.offset[k] % (15 << 10);
            if (lw_access_count(device->id, &a, &options, &counts, NULL)) continue; /* there is no such access */
            if (!lw_access_counter(&counts, "wavefronts", &wavefronts)) continue;
            CHECK_EQ_INT(lw_access_banks(device->id, &a, &options, &map, NULL), 0);
            if ((map.passes + map.extra) * map.factor != wavefronts)
                UNIT_FAIL("%s %s, %u-byte banks: %u passes drawn, %u added, %llu wavefronts counted", device->id,
                          a.op->name, options.bank_bytes, map.passes, map.extra, (unsigned long long)wavefronts);
            sweep->compared++;
        }
}

UNIT_CASE(pictures_show_what_is_counted)
{
    struct sweep sweep = {0, NULL};
    CHECK_EQ_INT(lw_device_each(compare_pictures, &sweep, NULL), 0);
    printf("%u pictures compared\n", sweep.compared);
    CHECK(sweep.compared > 1500);
}

/* ---- tables ---- */

enum { COLUMNS = 16 };
static int split(char *line, char *column[COLUMNS])
{
    int n = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *next; n < COLUMNS; line = next) {
        next = strchr(line, ',');
        column[n++] = line;
        if (!next) break;
        *next++ = 0;
    }
    return n;
}

/* Columns of the result that the measured table has in other places. */
static const struct {
    int result, measured;
} same_columns[] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 8}, {7, 9}, {8, 10}};

UNIT_CASE(the_measured_table_is_reproduced)
{
    char *text, *result, *in, *out;
    size_t size;
    unsigned rows = 0, compared = 0, constant = 0, ruleless = 0;
    REQUIRE(lw_file_read(unit_path("hw/h200-patterns.csv"), &text, &size, NULL) == LW_OK);
    REQUIRE(lw_access_table(text, size, "h200-patterns.csv", "cc:9.0", NULL, &result, &message) == 0);
    char *measured = text, *counted = result;
    for (bool heading = true; (in = strsep(&measured, "\n")) && *in && (out = strsep(&counted, "\n"));
         heading = false) {
        char *have[COLUMNS], *want[COLUMNS];
        REQUIRE(split(in, want) >= 11);
        REQUIRE(split(out, have) == 9);
        rows += !heading;
        constant += !strcmp(want[0], "ldci");
        if (!strcmp(want[0], "cpg16")) { /* its wavefronts are recorded, but have no rule: empty */
            ruleless++;
            CHECK_STR(have[4], "");
            CHECK(*have[6] && *have[7]);
            want[4] = "";
        }
        for (size_t c = 0; c < LW_COUNT(same_columns); c++) {
            const char *expected = want[same_columns[c].measured], *got = have[same_columns[c].result];
            if (!*expected) continue;
            if (strcmp(expected, got)) UNIT_FAIL("%s %s: %s: %s", want[0], want[1], got, expected);
            compared += c > 2 && !heading;
        }
    }
    CHECK_EQ_INT(rows, 553);
    CHECK_EQ_INT(constant, 5);
    CHECK_EQ_INT(ruleless, 6);
    CHECK_EQ_INT(compared, 1287);
    free(text);
    free(result);
}

#define FOURS "0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 108 112 116 120"
#define HEAD "op,name,offsets,requests,wavefronts,conflicts,sectors,tags,t_wavefronts\n"

static void check_table(const char *in, const char *want)
{
    char *out = NULL;
    *message.text = 0;
    if (lw_access_table(in, strlen(in), "t.csv", "cc:9.0", NULL, &out, &message)) UNIT_FAIL("%s", message.text);
    CHECK_STR(out, want);
    free(out);
}

UNIT_CASE(tables_are_csv)
{
    check_table("op,offsets\nlds32," FOURS " 124\n", HEAD "lds32,," FOURS " 124,,1,0,,,\n");
    check_table("\xef\xbb\xbfoffsets , x,\"op\"\r\n\r\n\"" FOURS " -1\",\"a,\"\"b\nc\",ldg32\r\n",
                HEAD "ldg32,," FOURS " -1,1,,,4,1,1\n");
    check_table("name,op,offsets,\"more\"\n\"a,\"\"b\",stg32 ,\"" FOURS ",128\"", HEAD "stg32,\"a,\"\"b\","
                                                                                       "\"" FOURS ",128\""
                                                                                       ",1,,,5,2,\n");
    check_table("op,offsets", HEAD);
    check_table("op,offsets\nlds32,- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n",
                HEAD "lds32,,- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -,,,,,,\n");
}

UNIT_CASE(bad_tables_are_named)
{
    static const char *const bad[][2] = {
        {"", "t.csv:1: "},
        {"op,name\n", "t.csv:1: the heading has no column offsets"},
        {"op,offsets,op\n", "t.csv:1: two columns"},
        {"op,offsets\n\nlds32," FOURS "\n", "t.csv:3: offsets: 31 instead of 32"},
        {"op,offsets\nlds32," FOURS " 124 128\n", "t.csv:2: offsets: 33 instead of 32"},
        {"op,offsets\nlds32\n", "t.csv:2: offsets: 0 instead of 32"},
        {"op,offsets\nlds32," FOURS " -2\n", "t.csv:2: offsets: lane 31: -2 is negative"},
        {"op,offsets\nlds32," FOURS " 6\n", "t.csv:2: offsets: lane 31: 6 is not a multiple of the 4"},
        {"op,offsets\nlds32," FOURS " 4.5\n", "t.csv:2: offsets: lane 31: '4.5'"},
        {"op,offsets\nlds32," FOURS " 99999999999999999999999\n", "t.csv:2: offsets: lane 31"},
        {"op,offsets\nlds32," FOURS " 9999999999999999\n", "too large"},
        {"op,name,offsets\n\"lds32\",\"a\nb\"," FOURS " 124\nlds31,," FOURS " 124\n",
         "t.csv:4: unknown access 'lds31'"},
        {"op,offsets\n\"lds32,", "t.csv:2: a quote"},
        {"op,offsets\n\"lds32\"x," FOURS " 124\n", "t.csv:2: a comma"},
        {"op,offsets\nlds32," FOURS " 124,7\n", "t.csv:2: 3 fields"},
    };
    for (size_t i = 0; i < LW_COUNT(bad); i++) {
        char *out = NULL;
        *message.text = 0;
        if (!lw_access_table(bad[i][0], strlen(bad[i][0]), "t.csv", "h200", NULL, &out, &message))
            UNIT_FAIL("table %zu is accepted: %s", i, out);
        CHECK(out == NULL);
        CHECK_HAS(message.text, bad[i][1]);
        CHECK(!strchr(message.text, '\n'));
    }
    char *out = NULL;
    CHECK(lw_access_table("op,offsets\n\0", 12, "t.csv", NULL, NULL, &out, &message));
    CHECK_HAS(message.text, "NUL");
    CHECK(lw_access_table("op,offsets\n", 11, "t.csv", "no such device", NULL, &out, &message));
    CHECK_HAS(message.text, "no such device");
}

/* ---- remedies ---- */

static lw_remedy remedies[LW_REMEDIES];

/* Searches, and counts every remedy anew. */
static size_t remedies_of(const char *device, const lw_access *a)
{
    size_t n = 0;
    lw_access_counts before;
    *message.text = 0;
    if (lw_access_remedies(device, a, NULL, remedies, &n, &message)) UNIT_FAIL("%s", message.text);
    if (lw_access_count(device, a, NULL, &before, NULL)) return 0;
    CHECK_EQ_INT(n > 0, before.cost > before.ideal);
    for (size_t i = 0; i < n; i++) {
        lw_access_counts after;
        CHECK(remedies[i].text[0] != 0);
        if (remedies[i].kind == LW_REMEDY_HINT) continue;
        CHECK_EQ_INT(lw_access_count(device, &remedies[i].access, NULL, &after, NULL), 0);
        CHECK_EQ_INT(after.cost, remedies[i].cost);
        CHECK_EQ_INT(after.ideal, remedies[i].ideal);
        if (remedies[i].kind != LW_REMEDY_WHOLE) CHECK(after.cost < before.cost);
    }
    return n;
}

static const lw_remedy *find_remedy(size_t n, lw_remedy_kind kind)
{
    for (size_t i = 0; i < n; i++)
        if (remedies[i].kind == kind) return &remedies[i];
    return NULL;
}

UNIT_CASE(tiles_are_padded_or_swizzled)
{
    static const struct {
        const char *tile, *type, *text;
        uint64_t bytes;
    } rows[] = {
        {"32x32", "float", "tile[32][33] instead of tile[32][32]; by row it is free too", 128},
        {"16x32", "int", "tile[16][34] instead of tile[16][32]", 128}, /* two columns a warp: one word is not enough */
        {"32x32", "double", "tile[32][33]", 256},
        {"32x64", "half", "tile[32][66]", 128}};
    for (size_t i = 0; i < LW_COUNT(rows); i++) {
        lw_access a = described((lw_access_text){.tile = rows[i].tile, .type = rows[i].type});
        size_t n = remedies_of("h200", &a);
        const lw_remedy *pad = find_remedy(n, LW_REMEDY_PAD), *swizzle = find_remedy(n, LW_REMEDY_SWIZZLE);
        REQUIRE(pad && swizzle);
        CHECK_HAS(pad->text, rows[i].text);
        CHECK_EQ_INT(pad->bytes, rows[i].bytes);
        CHECK_EQ_INT(pad->cost, pad->ideal);
        CHECK_EQ_INT(swizzle->cost, swizzle->ideal);
        CHECK_EQ_INT(swizzle->bytes, 0);
    }
    lw_access a = described((lw_access_text){.tile = "32x32"});
    CHECK_HAS(find_remedy(remedies_of("h200", &a), LW_REMEDY_SWIZZLE)->text, "tile[row][column ^ row]");
    a = described((lw_access_text){.tile = "32x33"});
    CHECK_EQ_INT(remedies_of("h200", &a), 0);
}

UNIT_CASE(strides_and_structs_are_mended)
{
    lw_access a = described((lw_access_text){.stride = "32"});
    const lw_remedy *pad = find_remedy(remedies_of("h200", &a), LW_REMEDY_PAD);
    REQUIRE(pad != NULL);
    CHECK_EQ_INT(pad->access.stride, 33);
    CHECK_EQ_INT(pad->bytes, 128);
    a = described((lw_access_text){.structure = "float x, y", .member = "x"});
    size_t n = remedies_of("h200", &a);
    REQUIRE(n >= 2);
    CHECK_EQ_INT(find_remedy(n, LW_REMEDY_PAD)->access.struct_bytes, 12);
    CHECK_EQ_INT(find_remedy(n, LW_REMEDY_SOA)->cost, 1);
    a = described((lw_access_text){.structure = "float x, y, z, w", .member = "y", .space = "global"});
    n = remedies_of("h200", &a);
    REQUIRE(find_remedy(n, LW_REMEDY_SOA) && find_remedy(n, LW_REMEDY_WHOLE));
    CHECK_EQ_INT(find_remedy(n, LW_REMEDY_SOA)->cost, 4);
    CHECK_EQ_INT(find_remedy(n, LW_REMEDY_WHOLE)->cost, 16);
    CHECK_STR(find_remedy(n, LW_REMEDY_WHOLE)->access.op->name, "ldg128");
    a = described((lw_access_text){.offset = "4", .space = "global"});
    n = remedies_of("h200", &a);
    REQUIRE(find_remedy(n, LW_REMEDY_ALIGN) != NULL);
    CHECK_EQ_INT(find_remedy(n, LW_REMEDY_ALIGN)->cost, 4);
    a = described((lw_access_text){.op = "atomic", .stride = "0"});
    n = remedies_of("h200", &a);
    REQUIRE(n > 0);
    CHECK_HAS(remedies[n - 1].text, "reduce over the warp");
    a = described((lw_access_text){.space = "constant"});
    n = remedies_of("h200", &a);
    REQUIRE(n == 1);
    CHECK_HAS(remedies[0].text, "constant memory");
}

/* A swizzle must lose no element: different elements stay different, within blocks of 2^21 elements. */
UNIT_CASE(random_accesses_and_their_remedies)
{
    static const char *const devices[] = {"h200", "cc:7.5", "cc:6.1"};
    unsigned found = 0;
    for (int n = 0; n < 200; n++) {
        lw_access a;
        size_t ops = 0;
        while (lw_access_op_at(ops)) ops++;
        const lw_access_op *op = lw_access_op_at(random_below((uint32_t)ops));
        random_access(op, &a);
        lw_access_counts counts;
        const char *device = devices[n % 3];
        if (lw_access_count(device, &a, NULL, &counts, NULL)) continue;
        size_t count = remedies_of(device, &a);
        const lw_remedy *swizzle = find_remedy(count, LW_REMEDY_SWIZZLE);
        for (int i = 0; swizzle && i < 32; i++)
            for (int k = 0; k < i; k++)
                if (a.offset[i] >= 0 && a.offset[k] >= 0)
                    CHECK_EQ_INT(swizzle->access.offset[i] == swizzle->access.offset[k], a.offset[i] == a.offset[k]);
        found += swizzle != NULL;
    }
    CHECK(found > 2);
}

UNIT_CASE(what_lies_outside_is_refused)
{
    lw_access a = described((lw_access_text){.stride = "2000"});
    lw_access_counts counts;
    CHECK(lw_access_count("h200", &a, NULL, &counts, &message));
    CHECK_HAS(message.text, "shared memory");
    a = described((lw_access_text){.stride = "600", .space = "constant"});
    CHECK(lw_access_count("h200", &a, NULL, &counts, &message));
    CHECK_HAS(message.text, "65536 bytes of constant memory");
    CHECK(lw_access_count("h2000", &a, NULL, &counts, &message));
    CHECK_HAS(message.text, "h2000");
    lw_bank_map map;
    CHECK(lw_access_banks("h200", &a, NULL, &map, &message));
    lw_access_options options = {5, false, false};
    a = described((lw_access_text){.stride = "1"});
    CHECK(lw_access_count("h200", &a, &options, &counts, &message));
    CHECK(!strchr(message.text, '\n'));
}

UNIT_MAIN()
