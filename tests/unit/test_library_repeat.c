/* test_library_repeat: calls of libraries that are made again are carried out where their arguments, operands or what they wrote
 * changed, and nowhere else; their results are the same. */
#include "unit.h"

#include <string.h>
#include <time.h>

#include "host/host.h"
#include "host/library.h"

enum { SMALL = 1 << 12, LARGE = 20 << 20 }; /* elements; the results of the larger one are not kept */

typedef struct product {
    uint64_t in, out, elements;
    float factor;
    int kind;
} product;
enum { PLAIN, SILENT, UPDATES }; /* kinds: SILENT does not say that it repeats */

static int carried_out;

static void run_product(host_library *l, const void *args)
{
    const product *p = args;
    uint64_t bytes = p->elements * 4;
    const float *in = host_library_use(l, (host_library_memory){p->in, bytes, 1, bytes}, HOST_LIBRARY_READS);
    float *out = host_library_use(l, (host_library_memory){p->out, bytes / 2, 2, bytes / 2},
                                  p->kind == UPDATES ? HOST_LIBRARY_UPDATES : HOST_LIBRARY_WRITES);
    carried_out++;
    if (!in || !out) return;
    for (uint64_t i = 0; i < p->elements; i++) out[i] = p->factor * in[i] + (p->kind == UPDATES ? out[i] : 0);
    nanosleep(&(struct timespec){0, p->elements == LARGE ? 250000000 : 3000000}, NULL);
    if (p->kind != SILENT) host_library_repeats(l);
}

static float *put(const product *p)
{
    host_context *c = host_get();
    host_library_call call = {.name = "product", .run = run_product, .args_bytes = sizeof *p};
    CHECK_EQ_INT(host_library_put(host_stream_resolve(c, NULL, false), &call, p, true), 0);
    return mem_storage(p->out);
}

static product fresh(uint64_t elements, int kind)
{
    product p;
    memset(&p, 0, sizeof p);
    p.elements = elements;
    p.factor = 2;
    p.kind = kind;
    CHECK_EQ_INT(host_malloc(host_get(), elements * 4, MEM_DEVICE, 0, &p.in), 0);
    CHECK_EQ_INT(host_malloc(host_get(), elements * 4, MEM_DEVICE, 0, &p.out), 0);
    float *in = mem_storage(p.in);
    for (uint64_t i = 0; i < elements; i++) in[i] = (float)(i % 100);
    carried_out = 0;
    return p;
}

static void end(const product *p)
{
    CHECK_EQ_INT(host_free(host_get(), p->in), 0);
    CHECK_EQ_INT(host_free(host_get(), p->out), 0);
}

UNIT_CASE(what_did_not_change_is_not_computed_again)
{
    product p = fresh(SMALL, PLAIN);
    float *out = put(&p);
    put(&p);
    CHECK_EQ_INT(carried_out, 1);
    out[7] = -1; /* the results are written all the same */
    put(&p);
    CHECK_EQ_INT(carried_out, 1);
    CHECK(out[7] == 14 && out[SMALL - 1] == 2 * ((SMALL - 1) % 100));
    ((float *)mem_storage(p.in))[SMALL - 1] = 1000;
    put(&p);
    CHECK_EQ_INT(carried_out, 2);
    CHECK(out[SMALL - 1] == 2000);
    p.factor = 3;
    put(&p);
    CHECK_EQ_INT(carried_out, 3);
    CHECK(out[7] == 21);
    p.factor = 2;
    put(&p); /* still known */
    CHECK_EQ_INT(carried_out, 3);
    CHECK(out[7] == 14);
    end(&p);
}

UNIT_CASE(what_changes_all_the_time_is_given_up)
{
    product p = fresh(SMALL, PLAIN);
    for (int i = 0; i < 6; i++) {
        ((float *)mem_storage(p.in))[3] = (float)i;
        CHECK(put(&p)[3] == 2 * (float)i);
    }
    put(&p);
    CHECK_EQ_INT(carried_out, 7);
    end(&p);
}

UNIT_CASE(large_results_must_be_there)
{
    product p = fresh(LARGE, PLAIN);
    float *out = put(&p);
    put(&p);
    CHECK_EQ_INT(carried_out, 1);
    out[LARGE - 1] = -1;
    put(&p);
    CHECK_EQ_INT(carried_out, 2);
    CHECK(out[LARGE - 1] == 2 * ((LARGE - 1) % 100));
    end(&p);
}

UNIT_CASE(other_calls_are_always_carried_out)
{
    for (int kind = SILENT; kind <= UPDATES; kind++) {
        product p = fresh(SMALL, kind);
        put(&p);
        put(&p);
        float *out = put(&p);
        CHECK_EQ_INT(carried_out, 3);
        CHECK(out[7] == (kind == UPDATES ? 42 : 14));
        end(&p);
    }
    product p = fresh(SMALL, PLAIN); /* in place */
    p.out = p.in;
    put(&p);
    CHECK(put(&p)[7] == 28);
    CHECK_EQ_INT(carried_out, 2);
}

UNIT_MAIN()
