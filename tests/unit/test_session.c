/* include/lanewise/session.h: what sessions take and what they leave alone. */
#define _GNU_SOURCE /* environ */
#include "unit.h"

#include "base/base.h"
#include "lanewise/session.h"

#include <unistd.h>

static const char KERNEL[] = ".version 8.0\n.target sm_50\n.address_size 64\n"
                             ".visible .entry put(.param .u64 p)\n"
                             "{\n"
                             "  .reg .b64 %rd<4>;\n  .reg .b32 %r<4>;\n"
                             "  ld.param.u64 %rd1, [p];\n"
                             "  cvta.to.global.u64 %rd1, %rd1;\n"
                             "  mov.u32 %r1, %tid.x;\n"
                             "  mul.wide.u32 %rd2, %r1, 4;\n"
                             "  add.s64 %rd1, %rd1, %rd2;\n"
                             "  st.global.u32 [%rd1], %r1;\n"
                             "  ret;\n"
                             "}\n";

/* All variables of the environment in one text. */
static char *environment(void)
{
    lw_text text = {0};
    for (char **v = environ; *v; v++) lw_text_add(&text, "%s\n", *v);
    return text.data;
}

/* Runs the kernel in a session on the device; the report as JSON. */
static void run_on(const char *device, char **out_json)
{
    lw_session_options options = {.device = device, .threads = 2, .memory_bytes = 64 << 20, .count_ptx = true};
    lw_message message = {""};
    lw_session *s;
    lw_module *m;
    void *buffer;
    lw_results *results;
    *out_json = NULL;
    REQUIRE(!lw_session_create(&s, &options, &message));
    REQUIRE(!lw_module_load(s, KERNEL, strlen(KERNEL), "put.ptx", &m, &message));
    REQUIRE(!lw_buffer_create(s, 256, &buffer, &message));
    lw_shape shape = {.block = {64}};
    REQUIRE(!lw_launch(s, m, "put", &shape, (void *[]){&buffer}, &message));
    CHECK_EQ_INT(((uint32_t *)buffer)[63], 63);
    REQUIRE(!lw_session_results(s, &results, &message));
    REQUIRE(!lw_results_json(results, out_json, &message));
    CHECK_EQ_INT(lw_results_launches(results), 1);
    lw_results_free(results);
    lw_session_destroy(s);
}

UNIT_CASE(a_session_leaves_the_environment_alone)
{
    char *before = environment();
    char *json;
    run_on("h200", &json);
    char *after = environment();
    CHECK_STR(after, before);
    free(json);
    free(before);
    free(after);
}

UNIT_CASE(one_session_after_another_on_another_device)
{
    char *first, *second, *third;
    run_on("cc:9.0", &first);
    run_on("cc:7.0", &second);
    run_on("cc:9.0", &third);
    REQUIRE(first && second && third);
    CHECK_HAS(first, "\"cc\": \"9.0\"");
    CHECK_HAS(second, "\"cc\": \"7.0\"");
    CHECK_HAS(third, "\"cc\": \"9.0\"");
    CHECK_HAS(first, "\"sectors\": 8");
    CHECK_HAS(second, "\"sectors\": 8");
    free(first);
    free(second);
    free(third);
}

UNIT_CASE(the_device_cannot_change_under_a_module)
{
    lw_session_options options = {.device = "cc:9.0"};
    lw_session_options other = {.device = "cc:7.0"};
    lw_message message = {""};
    lw_session *s, *more;
    lw_module *m;
    REQUIRE(!lw_session_create(&s, &options, &message));
    REQUIRE(!lw_module_load(s, KERNEL, strlen(KERNEL), "put.ptx", &m, &message));
    CHECK(lw_session_create(&more, &other, &message) != 0);
    CHECK_HAS(message.text, "uses CUDA already");
    lw_session_destroy(s);
}

/* Neighbours exchange words of shared memory without a barrier. */
static const char RACE[] = ".version 8.0\n.target sm_50\n.address_size 64\n.shared .align 4 .b8 s[512];\n"
                           ".visible .entry shift(.param .u64 p)\n"
                           "{\n"
                           "  .reg .b64 %rd<4>;\n  .reg .b32 %r<8>;\n"
                           "  ld.param.u64 %rd1, [p];\n  cvta.to.global.u64 %rd1, %rd1;\n"
                           "  mov.u32 %r1, %tid.x;\n  shl.b32 %r2, %r1, 2;\n  mov.u32 %r3, s;\n"
                           "  add.u32 %r4, %r3, %r2;\n  st.shared.u32 [%r4], %r1;\n"
                           "  ld.shared.u32 %r5, [%r4+4];\n"
                           "  mul.wide.u32 %rd2, %r1, 4;\n  add.s64 %rd1, %rd1, %rd2;\n  st.global.u32 [%rd1], %r5;\n"
                           "  ret;\n"
                           "}\n";

typedef struct races {
    uint32_t count, related;
    bool shown; /* a note names a schedule that shows one of them */
} races;

static void count_race(void *user, const lw_finding *f)
{
    races *r = user;
    CHECK_STR(f->check, "racecheck");
    CHECK(f->count > 0);
    r->count++;
    r->shown |=
        !strcmp(f->severity, "note") && strstr(f->message, "--schedule=random:") && strstr(f->message, "differs");
    for (size_t n = 0; n < f->related_count; n++) r->related += f->related[n].message != NULL;
}

static races races_found(const char *check, uint32_t find_seed)
{
    lw_session_options options = {.memory_bytes = 64 << 20, .check = check, .find_seed = find_seed};
    lw_message message = {""};
    lw_session *s;
    lw_module *m;
    void *buffer;
    lw_results *results;
    races found = {.count = 99};
    if (lw_session_create(&s, &options, &message)) return found;
    bool fine = !lw_module_load(s, RACE, strlen(RACE), "race.ptx", &m, &message) &&
                !lw_buffer_create(s, 1024, &buffer, &message) &&
                !lw_launch(s, m, "shift", &(lw_shape){.block = {64}}, (void *[]){&buffer}, &message) &&
                !lw_session_results(s, &results, &message);
    if (fine) {
        found.count = 0;
        lw_results_each_finding(results, count_race, &found);
        lw_results_free(results);
    }
    lw_session_destroy(s);
    return found;
}

UNIT_CASE(each_session_has_the_checks_it_asks_for)
{
    CHECK_EQ_INT(races_found(NULL, 0).count, 0);
    races found = races_found("racecheck", 0);
    CHECK(found.count > 0 && found.count < 99 && found.related > 0);
    CHECK_EQ_INT(races_found(NULL, 0).count, 0);
    CHECK(races_found("all", 0).count > 0);
    CHECK_EQ_INT(races_found("memcheck,synccheck", 0).count, 0);
    CHECK_EQ_INT(races_found("races", 0).count, 99);
}

UNIT_CASE(a_session_looks_for_a_schedule_that_shows_a_race)
{
    races first = races_found("racecheck", 0);
    CHECK(!first.shown);
    CHECK_EQ_INT(races_found("racecheck", 0).count, first.count); /* the same once more */
    CHECK(races_found("racecheck", 50).shown);
    CHECK_EQ_INT(races_found("memcheck", 50).count, 0);
}

UNIT_MAIN()
