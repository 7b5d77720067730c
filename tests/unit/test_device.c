/* device: the built-in profiles, finding them, sources of numbers, broken profiles. */
#include "device/data.h"
#include "device/profile.h"
#include "unit.h"

static int boards, capabilities;

static void visit(void *user, const device_profile *p)
{
    (void)user;
    bool capability = !strncmp(p->id, "cc:", 3);
    CHECK(capability || !capabilities); /* boards first */
    capability ? capabilities++ : boards++;
    CHECK(p->name[0]);
    CHECK(p->cc >= 50 && p->cc == 10 * p->cc_major + p->cc_minor);
    CHECK_EQ_INT(p->warp_size, 32);
    CHECK(p->sm_count > 0 && p->memory_bytes > 1 << 30 && p->clock_khz > 500000);
    CHECK(p->shared_per_block <= p->shared_per_block_optin && p->shared_per_block_optin <= p->shared_per_sm);
    CHECK((p->cc >= 70) == (p->shared_carveout_count > 0));
    CHECK((p->cc >= 90) == (p->max_cluster > 0));
    if (p->shared_carveout_count)
        CHECK_EQ_INT(p->shared_carveouts[p->shared_carveout_count - 1], p->shared_per_sm);
    uint32_t sms = 0;
    for (uint32_t i = 0; i < p->gpc_count; i++) sms += p->gpc_sms[i];
    CHECK(!p->gpc_count || sms == p->sm_count);
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
    CHECK_EQ_INT(capabilities, 12);
    CHECK(boards >= 13);
    CHECK_EQ_INT(boards + capabilities + 1, device_data_count); /* and common.json */
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
    CHECK_HAS(id_of("h201"), "did you mean h200?");
    CHECK_HAS(id_of("RTX 3080"), "did you mean rtx3090?");
    CHECK_HAS(id_of("sm_35"), "unknown device 'sm_35'");
    CHECK_HAS(id_of("voodoo"), "there are: a100, b200");
    CHECK_HAS(id_of("common"), "unknown device"); /* only to inherit from */
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

UNIT_CASE(every_number_has_a_source)
{
    for (int field = 0; field < DEVICE_FIELD_COUNT; field++) {
        device_fact fact;
        CHECK_EQ_INT(device_get_fact("h200", (device_field)field, &fact, NULL), LW_OK);
        CHECK(strlen(fact.source) > 10 && fact.confidence[0] && fact.text[0]);
    }
    device_fact fact;
    REQUIRE(device_get_fact("h200", DEVICE_sm_count, &fact, NULL) == LW_OK);
    CHECK_STR(fact.name, "sm_count");
    CHECK_EQ_INT(fact.value, 132);
    CHECK_STR(fact.confidence, "measured");
    REQUIRE(device_get_fact("v100", DEVICE_warps_per_sm, &fact, NULL) == LW_OK);
    CHECK_STR(fact.confidence, "header"); /* inherited */
    CHECK_HAS(fact.source, "cuda_occupancy.h");
    REQUIRE(device_get_fact("v100", DEVICE_sm_count, &fact, NULL) == LW_OK);
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
        "no valid value");
    CHECK_HAS(parse("{\"id\":\"x\",\"cc\":\"nine\",\"numbers\":{}}"), "bad capability");
}

UNIT_MAIN()
