/* devices: include/lanewise/devices.h over the room device: profiles opened by name or from a file, as rows of numbers
 * with their sources, and as JSON. */
#include "lanewise/devices.h"

#include "api/devices.h"
#include "device/profile.h"
#include "lanewise/version.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lw_device_profile {
    lw_device_info info;
    device_profile profile;
    device_fact facts[DEVICE_FACT_COUNT];
    lw_device_number numbers[DEVICE_FACT_COUNT];
    uint64_t gpc_sms[DEVICE_GPCS];
};

static int finish(lw_status status, const lw_error *error, lw_message *message)
{
    if (status && message)
        snprintf(message->text, sizeof message->text, "%s", *error->message ? error->message : lw_status_text(status));
    return (int)status;
}

lw_device_info api_device_info(const device_profile *p)
{
    lw_device_info info = {.major = (int)p->cc_major,
                           .minor = (int)p->cc_minor,
                           .multiprocessors = (int)p->sm_count,
                           .memory_bytes = p->memory_bytes,
                           .l2_bytes = p->l2_bytes,
                           .shared_per_block = p->shared_per_block_optin,
                           .shared_per_multiprocessor = p->shared_per_sm};
    snprintf(info.id, sizeof info.id, "%s", p->id);
    snprintf(info.name, sizeof info.name, "%s", p->name);
    return info;
}

static void fill(lw_device_profile *d)
{
    d->info = api_device_info(&d->profile);
    for (size_t i = 0; i < DEVICE_FACT_COUNT; i++) {
        const device_fact *f = &d->facts[i];
        d->numbers[i] = (lw_device_number){.name = f->name,
                                           .unit = f->unit,
                                           .text = f->text,
                                           .group = f->group,
                                           .value = f->value,
                                           .source = f->source,
                                           .confidence = f->confidence};
    }
    lw_device_number *carveouts = &d->numbers[DEVICE_FIELD_COUNT], *gpcs = carveouts + 1;
    for (size_t i = 0; i < d->profile.gpc_count; i++) d->gpc_sms[i] = d->profile.gpc_sms[i];
    carveouts->list = d->profile.shared_carveouts;
    carveouts->list_count = d->profile.shared_carveout_count;
    gpcs->list = d->gpc_sms;
    gpcs->list_count = d->profile.gpc_count;
}

/* Ends an opening: hands the profile over, or frees it. */
static int opened(lw_device_profile *d, lw_status status, const lw_error *error, lw_device_profile **out,
                  lw_message *message)
{
    if (status) {
        free(d);
        d = NULL;
    } else {
        fill(d);
    }
    *out = d;
    return finish(status, error, message);
}

int lw_device_open(const char *spec, lw_device_profile **out, lw_message *message)
{
    lw_error error = {0};
    lw_device_profile *d = lw_alloc(sizeof *d);
    lw_status status = device_describe(spec, &d->profile, d->facts, &error);
    return opened(d, status, &error, out, message);
}

int lw_device_open_file(const char *path, lw_device_profile **out, lw_message *message)
{
    lw_error error = {0};
    char *text = NULL;
    size_t size = 0;
    lw_device_profile *d = lw_alloc(sizeof *d);
    lw_status status = lw_file_read(path, &text, &size, &error);
    if (!status) status = device_parse_facts(text, size, path, &d->profile, d->facts, &error);
    free(text);
    return opened(d, status, &error, out, message);
}

void lw_device_close(lw_device_profile *profile) { free(profile); }

const lw_device_info *lw_device_profile_info(const lw_device_profile *profile) { return &profile->info; }

size_t lw_device_numbers(const lw_device_profile *profile, const lw_device_number **out)
{
    *out = profile->numbers;
    return DEVICE_FACT_COUNT;
}

/* ---- JSON ---- */

static json_t *json_of_number(const lw_device_number *n)
{
    json_t *value = n->list ? json_array() : json_integer((json_int_t)n->value);
    for (size_t i = 0; i < n->list_count; i++) json_array_append_new(value, json_integer((json_int_t)n->list[i]));
    json_t *o = json_object();
    json_object_set_new(o, "value", value);
    if (*n->unit) json_object_set_new(o, "unit", json_string(n->unit));
    json_object_set_new(o, "text", json_string(n->text));
    json_object_set_new(o, "source", json_string(n->source));
    json_object_set_new(o, "confidence", json_string(n->confidence));
    return o;
}

static json_t *json_of_device(const lw_device_profile *d)
{
    char cc[16];
    snprintf(cc, sizeof cc, "%d.%d", d->info.major, d->info.minor);
    json_t *numbers = json_object(), *o = json_object();
    for (size_t i = 0; i < DEVICE_FACT_COUNT; i++)
        if (*d->numbers[i].confidence) /* a list that is not known is left out */
            json_object_set_new(numbers, d->numbers[i].name, json_of_number(&d->numbers[i]));
    json_object_set_new(o, "id", json_string(d->info.id));
    json_object_set_new(o, "name", json_string(d->info.name));
    json_object_set_new(o, "cc", json_string(cc));
    json_object_set_new(o, "numbers", numbers);
    return o;
}

int lw_device_json(lw_device_profile *const *profiles, size_t count, char **out, lw_message *message)
{
    lw_error error = {0};
    json_t *root = json_object(), *devices = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(devices, json_of_device(profiles[i]));
    json_object_set_new(root, "lanewise", json_string(LANEWISE_VERSION));
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "devices", devices);
    *out = json_dumps(root, JSON_INDENT(1));
    json_decref(root);
    if (*out) return 0;
    return finish(lw_fail(&error, LW_CORRUPT, "the devices cannot be written as JSON"), &error, message);
}
