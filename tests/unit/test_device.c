/* device: the built-in profiles, finding them, sources of numbers, broken profiles. */
#include "device/data.h"
#include "device/profile.h"
#include "unit.h"

static const char *const generations[] = {"1.0", "1.1", "1.2", "1.3", "2.0",  "2.1",  "3.0",  "3.2",  "3.5",  "3.7",
                                          "5.0", "5.2", "5.3", "6.0", "6.1",  "6.2",  "7.0",  "7.2",  "7.5",  "8.0",
                                          "8.6", "8.7", "8.9", "9.0", "10.0", "10.1", "10.3", "11.0", "12.0", "12.1"};
static const char *const cards[] = {"c870", "gtx280",   "m2090",     "k20x",    "k40",     "k80",     "gtx980",
                                    "p100", "gtx1080",  "v100",      "t4",      "a100",    "h100",    "h200",
                                    "b200", "gtx580",   "gtx680",    "rtx3090", "rtx4090", "rtx5090", "a10",
                                    "a40",  "gtx750ti", "rtx2080ti", "l4",      "l40s",    "rtx3060"};

static int boards, capabilities;

static void check_multiprocessor(const device_profile *p)
{
    CHECK_EQ_INT(p->warp_size, 32);
    CHECK(p->threads_per_block <= p->warps_per_sm * p->warp_size);
    CHECK(p->threads_per_block == (p->cc < 20 ? 512u : 1024u) && p->block_dim_x == p->threads_per_block);
    CHECK(p->blocks_per_sm <= p->warps_per_sm);
    CHECK(p->registers_per_block <= p->registers_per_sm && p->registers_per_thread < 256);
    CHECK(p->registers_per_sm % (p->register_unit * p->register_partitions) == 0);
    CHECK(p->register_partitions == 1 || p->warps_per_sm % p->register_partitions == 0);
    CHECK_EQ_INT(p->registers_by_block, p->cc < 20);
    CHECK((p->cc >= 90) == (p->barriers_per_sm > 0));
    CHECK((p->cc >= 80) == (p->shared_reserved == 1024));
    CHECK_EQ_INT(p->shared_reserved % 1024, 0);
    CHECK(p->shared_per_block <= p->shared_per_block_optin);
    CHECK(p->shared_per_block_optin + p->shared_reserved <= p->shared_per_sm);
    CHECK(p->cc < 70 || p->shared_per_block_optin + p->shared_reserved == p->shared_per_sm);
    CHECK(p->shared_per_sm % p->shared_unit == 0);
    CHECK_EQ_INT(p->shared_banks, p->cc < 20 ? 16 : 32);
    CHECK_EQ_INT(p->shared_bank_bytes, p->cc / 10 == 3 ? 8 : 4);
    CHECK((p->cc >= 90) == (p->max_cluster > 0) && p->max_cluster_portable <= p->max_cluster);
}

static void check_caches(const device_profile *p)
{
    bool unified = p->cc / 10 == 2 || p->cc / 10 == 3 || p->cc >= 70; /* L1 and shared memory are one */
    CHECK_EQ_INT(p->shared_carveout_count > 0, unified);
    if (unified) {
        CHECK_EQ_INT(p->shared_carveouts[p->shared_carveout_count - 1], p->shared_per_sm);
        CHECK(p->l1_bytes > p->shared_per_sm);
    }
    CHECK_EQ_INT(p->l1_bytes > 0, p->cc >= 20);
    CHECK_EQ_INT(p->l2_bytes > 0, p->cc >= 20);
    CHECK((p->persisting_l2_bytes > 0) == (p->cc >= 80 && p->cc != 87));
    CHECK(p->persisting_l2_bytes < p->l2_bytes || !p->l2_bytes);
}

/* A board is a chip of its capability: what is a matter of the multiprocessor is the same. */
static void check_like_its_capability(const device_profile *p)
{
    char name[16];
    device_profile c;
    snprintf(name, sizeof name, "cc:%u.%u", p->cc_major, p->cc_minor);
    REQUIRE(device_find(name, &c, NULL) == LW_OK);
#define SAME(field) CHECK_EQ_INT(p->field, c.field)
    SAME(warps_per_sm), SAME(blocks_per_sm), SAME(threads_per_block), SAME(registers_per_sm), SAME(registers_per_block);
    SAME(registers_per_thread), SAME(register_unit), SAME(register_partitions), SAME(registers_by_block);
    SAME(warp_unit);
    SAME(barriers_per_sm), SAME(shared_per_sm), SAME(shared_per_block), SAME(shared_per_block_optin);
    SAME(shared_reserved), SAME(shared_unit), SAME(shared_banks), SAME(shared_bank_bytes), SAME(l1_bytes);
    SAME(max_cluster), SAME(constant_bytes), SAME(local_bytes), SAME(grid_dim_x), SAME(grid_dim_z);
    SAME(texture2d_width), SAME(shared_carveout_count);
#undef SAME
    CHECK(!memcmp(p->shared_carveouts, c.shared_carveouts, sizeof c.shared_carveouts));
}

static void visit(void *user, const device_profile *p)
{
    (void)user;
    bool capability = !strncmp(p->id, "cc:", 3);
    CHECK(capability || !capabilities); /* boards first */
    capability ? capabilities++ : boards++;
    CHECK(p->name[0]);
    CHECK(p->cc >= 10 && p->cc == 10 * p->cc_major + p->cc_minor);
    CHECK(p->sm_count > 0 && p->memory_bytes >= 1 << 29 && p->clock_khz > 500000);
    CHECK(p->memory_bus_bits % 32 == 0 && p->memory_clock_khz > 100000);
    check_multiprocessor(p);
    check_caches(p);
    uint32_t sms = 0;
    for (uint32_t i = 0; i < p->gpc_count; i++) sms += p->gpc_sms[i];
    CHECK(!p->gpc_count || sms == p->sm_count);
    if (!capability) check_like_its_capability(p);
    device_profile again;
    CHECK_EQ_INT(device_find(p->name, &again, NULL) == LW_OK || capability, true);
    CHECK_EQ_INT(device_find(p->id, &again, NULL), LW_OK);
    CHECK(!memcmp(&again, p, sizeof again));
}

UNIT_CASE(every_profile_is_whole)
{
    lw_error error = {0};
    boards = capabilities = 0;
    CHECK_EQ_INT(device_each(visit, NULL, &error), LW_OK);
    CHECK_STR(error.message, "");
    CHECK_EQ_INT(capabilities, LW_COUNT(generations));
    CHECK(boards >= (int)LW_COUNT(cards));
    size_t only_to_inherit_from = 0;
    for (size_t i = 0; i < device_data_count; i++) only_to_inherit_from += !strncmp(device_data[i].file, "common", 6);
    CHECK_EQ_INT(boards + capabilities + only_to_inherit_from, device_data_count);
}

UNIT_CASE(every_generation_and_card_is_there)
{
    device_profile p;
    for (size_t i = 0; i < LW_COUNT(generations); i++) {
        REQUIRE(device_find(generations[i], &p, NULL) == LW_OK);
        CHECK_EQ_INT(p.id[0] == 'c' && !strcmp(p.id + 3, generations[i]), true);
    }
    for (size_t i = 0; i < LW_COUNT(cards); i++) {
        REQUIRE(device_find(cards[i], &p, NULL) == LW_OK);
        CHECK_STR(p.id, cards[i]);
    }
}

static const char *id_of(const char *name)
{
    static device_profile p;
    static lw_error error;
    memset(&error, 0, sizeof error);
    return device_find(name, &p, &error) == LW_OK ? p.id : error.message;
}

UNIT_CASE(names)
{
    CHECK_STR(id_of(NULL), "h200");
    CHECK_STR(id_of(""), "h200");
    CHECK_STR(id_of("H200"), "h200");
    CHECK_STR(id_of("NVIDIA H200"), "h200");
    CHECK_STR(id_of("rtx 4090"), "rtx4090");
    CHECK_STR(id_of("RTX-3090"), "rtx3090");
    CHECK_STR(id_of("Tesla V100"), "v100");
    CHECK_STR(id_of("cc:9.0"), "cc:9.0");
    CHECK_STR(id_of("12.0"), "cc:12.0");
    CHECK_STR(id_of("sm_90a"), "cc:9.0");
    CHECK_STR(id_of("compute_120"), "cc:12.0");
    CHECK_STR(id_of("sm_13"), "cc:1.3");
    CHECK_STR(id_of("GTX 280"), "gtx280");
    CHECK_STR(id_of("Orin"), "jetson-orin");
    CHECK_HAS(id_of("h201"), "did you mean h200?");
    CHECK_HAS(id_of("RTX 3080"), "did you mean rtx3060 or rtx3090?");
    CHECK_HAS(id_of("Tesla K40x"), "did you mean k40?");
    CHECK_HAS(id_of("sm_36"), "unknown device 'sm_36' (did you mean cc:3.0 or cc:3.2 or cc:3.5 or cc:3.7?");
    CHECK_HAS(id_of("4.0"), "unknown device '4.0'; `lanewise devices` lists them");
    CHECK_HAS(id_of("voodoo"), "unknown device 'voodoo'; `lanewise devices` lists them");
    CHECK_HAS(id_of("common"), "unknown device"); /* only to inherit from */
    CHECK_HAS(id_of("common-1.x"), "unknown device");
}

UNIT_CASE(the_h200_as_measured)
{
    device_profile p;
    REQUIRE(device_find("h200", &p, NULL) == LW_OK);
    CHECK_STR(p.name, "NVIDIA H200");
    CHECK_EQ_INT(p.cc, 90);
    CHECK_EQ_INT(p.sm_count, 132);
    CHECK_EQ_INT(p.l2_bytes, 62914560);
    CHECK_EQ_INT(p.memory_bytes, 150109880320);
    CHECK_EQ_INT(p.memory_bus_bits, 6016);
    CHECK_EQ_INT(p.shared_per_block_optin, 232448);
    CHECK_EQ_INT(p.max_cluster, 16);
    REQUIRE(device_find("cc:9.0", &p, NULL) == LW_OK);
    CHECK_STR(p.name, "generic device 9.0");
    CHECK_EQ_INT(p.sm_count, 132); /* of the chip that stands in */
    REQUIRE(device_find("cc:5.0", &p, NULL) == LW_OK);
    CHECK_EQ_INT(p.texture3d_width, 4096); /* its own, not the common one */
}

UNIT_CASE(old_generations)
{
    device_profile p;
    REQUIRE(device_find("c870", &p, NULL) == LW_OK);
    CHECK_EQ_INT(p.cc, 10);
    CHECK_EQ_INT(p.sm_count, 16);
    CHECK_EQ_INT(p.warps_per_sm, 24);
    CHECK_EQ_INT(p.shared_per_sm, 16384);
    CHECK_EQ_INT(p.grid_dim_z, 1);
    REQUIRE(device_find("k80", &p, NULL) == LW_OK);
    CHECK_EQ_INT(p.registers_per_sm, 131072);
    CHECK_EQ_INT(p.shared_carveouts[0], 81920);
    REQUIRE(device_find("cc:2.1", &p, NULL) == LW_OK);
    CHECK_EQ_INT(p.sm_count, 7); /* of the GTX 460 */
    CHECK_EQ_INT(p.registers_per_thread, 63);
}

/* The text is not just the key of a source that the file does not explain. */
static void check_sources(void *user, const device_profile *p)
{
    device_fact *facts = user;
    device_profile again;
    REQUIRE(device_describe(p->id, &again, facts, NULL) == LW_OK);
    for (int i = 0; i < DEVICE_FIELD_COUNT; i++) {
        const device_fact *f = &facts[i];
        CHECK(strlen(f->source) > 10 && f->confidence[0] && f->text[0] && f->group[0]);
        CHECK(strlen(f->source) + 1 < sizeof f->source);
        CHECK((strstr(f->source, "remembered") == NULL) || strcmp(f->confidence, "measured"));
    }
    const device_fact *carve = &facts[DEVICE_FIELD_COUNT], *gpcs = carve + 1;
    CHECK_STR(carve->name, "shared_carveouts");
    CHECK_EQ_INT(carve->value, p->shared_carveout_count);
    CHECK_EQ_INT(carve->confidence[0] != 0, p->shared_carveout_count > 0);
    CHECK_STR(gpcs->name, "gpc_sms");
    CHECK_EQ_INT(gpcs->confidence[0] != 0, p->gpc_count > 0);
}

UNIT_CASE(every_number_has_a_source)
{
    static device_fact facts[DEVICE_FACT_COUNT];
    CHECK_EQ_INT(device_each(check_sources, facts, NULL), LW_OK);
    device_fact fact;
    REQUIRE(device_get_fact("h200", DEVICE_sm_count, &fact, NULL) == LW_OK);
    CHECK_STR(fact.name, "sm_count");
    CHECK_EQ_INT(fact.value, 132);
    CHECK_STR(fact.confidence, "measured");
    REQUIRE(device_get_fact("v100", DEVICE_warps_per_sm, &fact, NULL) == LW_OK);
    CHECK_STR(fact.confidence, "header"); /* inherited */
    CHECK_HAS(fact.source, "cuda_occupancy.h");
    REQUIRE(device_get_fact("v100", DEVICE_sm_count, &fact, NULL) == LW_OK);
    CHECK_STR(fact.confidence, "reported");
    REQUIRE(device_get_fact("v100", DEVICE_ecc, &fact, NULL) == LW_OK);
    CHECK_STR(fact.confidence, "remembered");
    CHECK_EQ_INT(device_get_fact("v100", DEVICE_FIELD_COUNT, &fact, NULL), LW_INVALID_ARGUMENT);
}

static const char *parse(const char *json)
{
    static lw_error error;
    device_profile p;
    memset(&error, 0, sizeof error);
    return device_parse(json, strlen(json), "x.json", &p, &error) == LW_OK ? "ok" : error.message;
}

UNIT_CASE(broken_profiles_are_named)
{
    CHECK_STR(parse("{\"id\":\"x\",\"inherits\":\"cc:8.0\",\"chip\":\"a100\",\"numbers\":{}}"), "ok");
    CHECK_HAS(parse("{"), "x.json:1:");
    CHECK_HAS(parse("[]"), "not an object");
    CHECK_HAS(parse("{\"numbers\":{}}"), "missing 'id'");
    CHECK_HAS(parse("{\"id\":\"x\"}"), "missing 'numbers'");
    CHECK_HAS(parse("{\"id\":\"x\",\"inherits\":\"cc:8.0\",\"numbers\":{}}"), "missing number");
    CHECK_HAS(parse("{\"id\":\"x\",\"inherits\":\"y\",\"numbers\":{}}"), "unknown profile 'y'");
    CHECK_HAS(parse("{\"id\":\"x\",\"numbers\":{\"sms\":{\"value\":1,\"source\":\"s\",\"confidence\":\"header\"}}}"),
              "unknown number 'sms'");
    CHECK_HAS(parse("{\"id\":\"x\",\"numbers\":{\"sm_count\":{\"value\":1,\"confidence\":\"header\"}}}"), "no source");
    CHECK_HAS(parse("{\"id\":\"x\",\"numbers\":{\"sm_count\":{\"value\":1,\"source\":\"s\",\"confidence\":\"hope\"}}}"),
              "confidence");
    CHECK_HAS(
        parse("{\"id\":\"x\",\"numbers\":{\"sm_count\":{\"value\":-1,\"source\":\"s\",\"confidence\":\"header\"}}}"),
        "invalid value");
    CHECK_HAS(parse("{\"id\":\"x\",\"cc\":\"nine\",\"numbers\":{}}"), "bad capability");
}

/* Appends numbers to an heir of a whole profile. */
static const char *heir(const char *more)
{
    static char text[2048];
    snprintf(text, sizeof text, "{\"id\": \"x\",\n \"inherits\": \"h200\",\n%s}", more);
    return parse(text);
}

UNIT_CASE(messages_name_the_line)
{
    CHECK_STR(heir(" \"numbers\": {}"), "ok");
    CHECK_STR(heir(" \"nummbers\": {}"), "device profile x.json:3: unknown key 'nummbers'");
    CHECK_STR(heir(" \"numbers\": {},\n \"name\": 5"), "device profile x.json:4: not a text: 'name'");
    CHECK_STR(heir(" \"numbers\": {\n\"sms\": 3}"), "device profile x.json:4: unknown number 'sms'");
    CHECK_STR(heir(" \"numbers\": {\n\"sm_count\": 3}"),
              "device profile x.json:4: missing value, source or confidence for 'sm_count'");
    CHECK_STR(heir(" \"numbers\": {\n\n\"sm_count\": {\"value\": 0, \"source\": \"me\", \"confidence\": \"assumed\"}}"),
              "device profile x.json:5: must not be 0: 'sm_count'");
    CHECK_STR(heir(" \"numbers\": {\"sm_count\": {\"value\": 3, \"sauce\": \"me\", \"confidence\": \"assumed\"}}"),
              "device profile x.json:3: a number has no key 'sauce'");
    CHECK_STR(heir(" \"numbers\": {\"shared_per_sm\": {\"value\": 4096, \"source\": \"me\", "
                   "\"confidence\": \"assumed\"}}"),
              "device profile x.json:3: less than shared_per_block_optin: 'shared_per_sm'");
    CHECK_STR(heir(" \"numbers\": {\"shared_carveouts\": {\"value\": [8, 4], \"source\": \"me\", "
                   "\"confidence\": \"assumed\"}}"),
              "device profile x.json:3: invalid value for 'shared_carveouts'");
}

UNIT_MAIN()
