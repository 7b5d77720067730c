/* Loading images: PTX, containers and what cuLinkComplete gave. */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

static bool is_text(const host_part *part)
{
    const char *p = part->data;
    size_t i = 0;
    while ((!part->bytes || i < part->bytes) && (p[i] == ' ' || p[i] == '\t' || p[i] == '\r' || p[i] == '\n')) i++;
    return (!part->bytes || i < part->bytes) && (p[i] == '.' || p[i] == '/');
}

/* PTX text for a newer device is refused as the assembler does; images choose among what they hold. */
static host_error check_target(const host_part *part, lw_error *error)
{
    lw_arena arena = {0};
    lw_span text, image = lw_span_of(part->data, part->bytes ? part->bytes : strlen(part->data));
    lw_status status = host_select_ptx(host_get(), image, &arena, &text, NULL, error);
    lw_arena_free(&arena);
    if (status == LW_NO_PTX) return HOST_INVALID_PTX;
    if (error) *error = (lw_error){0}; /* the parser says it better, with its place */
    return 0;
}

static host_error load_parts(const host_part *part, host_module **out, lw_error *error)
{
    size_t count = part->bytes && part->bytes < CU_LINKED_HEAD ? 0 : cu_linked_parts(part->data, NULL, 0);
    if (!count) return host_module_load(host_get(), part, 1, out, error);
    host_part *parts = lw_alloc(count * sizeof *parts);
    host_error status = cu_linked_parts(part->data, parts, count) == count ? 0 : HOST_INVALID_KERNEL_IMAGE;
    if (!status) status = host_module_load(host_get(), parts, count, out, error);
    free(parts);
    return status;
}

host_error cu_load(const host_part *part, const cu_jit *jit, host_module **out)
{
    lw_error error = {0};
    if (!part->data || !out) return HOST_INVALID_VALUE;
    bool text = is_text(part);
    host_error status = text ? check_target(part, &error) : 0;
    if (!status) status = load_parts(part, out, &error);
    if (status == HOST_NO_KERNEL_IMAGE_FOR_DEVICE && error.status) cu_note_no_ptx(&error);
    if (!status) host_module_cap_registers(*out, cu_jit_max_registers(jit));
    cu_jit_end(jit, status ? NULL : *out, status ? &error : NULL);
    return status;
}

host_error cu_load_file(const char *path, const cu_jit *jit, host_module **out)
{
    host_part part = {path, NULL, 0};
    char *data = NULL;
    if (!path || !out) return HOST_INVALID_VALUE;
    if (lw_file_read(path, &data, &part.bytes, NULL)) return HOST_FILE_NOT_FOUND;
    part.data = data;
    host_error status = part.bytes ? cu_load(&part, jit, out) : HOST_INVALID_KERNEL_IMAGE;
    free(data);
    return status;
}
