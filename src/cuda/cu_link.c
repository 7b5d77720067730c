/* cuLink*: joins images into one. A linked image is one fatbin container when there is one input; else an envelope:
 * "LWLINKED", u32 1, u32 count, u64 bytes in all, then per part u64 offset and u64 bytes; the parts are containers. It can
 * be copied and loaded like a cubin. */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"
#include "fatbin/fatbin.h"

#define ENVELOPE_MAGIC "LWLINKED"
typedef struct envelope {
    char magic[8];
    uint32_t version, count;
    uint64_t bytes;
} envelope;
_Static_assert(sizeof(envelope) == CU_LINKED_HEAD, "the head of a linked image");
typedef struct envelope_row {
    uint64_t offset, bytes;
} envelope_row;

size_t cu_linked_parts(const void *image, host_part *out, size_t capacity)
{
    envelope head;
    if (strncmp(image, ENVELOPE_MAGIC, sizeof head.magic)) return 0; /* never past the end of a shorter text */
    memcpy(&head, image, sizeof head);
    if (head.version != 1 || head.count > (head.bytes - sizeof head) / sizeof(envelope_row)) return 0;
    for (size_t i = 0; i < head.count && i < capacity; i++) {
        envelope_row row;
        memcpy(&row, (const char *)image + sizeof head + i * sizeof row, sizeof row);
        if (row.offset > head.bytes || row.bytes > head.bytes - row.offset) return 0;
        out[i] = (host_part){NULL, (const char *)image + row.offset, row.bytes};
    }
    return head.count;
}

struct cu_link {
    struct cu_link *next;
    lw_arena arena;
    cu_jit jit; /* the options given at creation: their arrays must stay until cuLinkDestroy() */
    LW_VEC(struct fatbin_entry) inputs;
    LW_VEC(const char *) names;
    lw_text image;
};

static bool link_valid(const cu_link *link)
{
    cu_state *s = cu_state_get();
    pthread_mutex_lock(&s->lock);
    const cu_link *l = s->links;
    while (l && l != link) l = l->next;
    pthread_mutex_unlock(&s->lock);
    return l != NULL;
}

CU(cuLinkCreate_v2)(unsigned count, int *options, void **values, cu_link **out)
{
    CU_NEED;
    if (!out) return cu_end(HOST_INVALID_VALUE);
    cu_link *link = lw_alloc(sizeof *link);
    cu_jit_begin(&link->jit, count, options, values);
    cu_state *s = cu_state_get();
    pthread_mutex_lock(&s->lock);
    link->next = s->links;
    s->links = link;
    pthread_mutex_unlock(&s->lock);
    *out = link;
    return cu_end(0);
}

CU(cuLinkCreate)(unsigned count, int *options, void **values, cu_link **out)
{
    return lw_cuda_cuLinkCreate_v2(count, options, values, out);
}

/* Keeps the PTX of one image, uncompressed. */
static lw_status link_image(cu_link *link, lw_span image, const char *name, lw_error *error)
{
    lw_span text;
    struct fatbin_entry entry;
    LW_TRY(host_select_ptx(host_get(), image, &link->arena, &text, &entry, error));
    entry.stored = text;
    entry.flags = 0;
    entry.uncompressed_size = 0;
    entry.options = (lw_span){0}; /* the cap on registers is kept in the way that nvcc's containers do */
    if (cu_jit_max_registers(&link->jit)) {
        const char *option = lw_arena_printf(&link->arena, " -maxrregcount=%u ", cu_jit_max_registers(&link->jit));
        entry.options = lw_span_of(option, strlen(option));
    }
    entry.file_name = lw_span_of(name, name ? strlen(name) : 0);
    lw_vec_push(&link->inputs, entry);
    lw_vec_push(&link->names, name);
    return LW_OK;
}

/* Members of an archive ("!<arch>\n", headers of 60 bytes with the size at 48). Members without PTX are passed over:
 * what they would have defined is named when the link is completed. */
static lw_status link_archive(cu_link *link, lw_span file, const char *name, lw_error *error)
{
    size_t at = 8;
    while (at + 60 <= file.size) {
        char number[11] = {0};
        memcpy(number, file.data + at + 48, 10);
        uint64_t bytes = strtoull(number, NULL, 10);
        lw_span member;
        if (!lw_span_slice(file, at + 60, bytes, &member))
            return lw_fail(error, LW_CORRUPT, "%s: truncated archive", name);
        if (file.data[at] != '/') link_image(link, member, name, NULL);
        at += 60 + bytes + (bytes & 1);
    }
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    if (strncmp(base, "libcudadevrt", 12)) return LW_OK;
    const char *text = cu_device_runtime();
    return link_image(link, lw_span_of(text, strlen(text)), "cudadevrt.ptx", error);
}

static lw_status link_add(cu_link *link, lw_span data, const char *name, lw_error *error)
{
    lw_span copy = lw_span_of(memcpy(lw_arena_alloc(&link->arena, data.size + 1), data.data, data.size), data.size);
    if (copy.size >= 8 && !memcmp(copy.data, "!<arch>\n", 8)) return link_archive(link, copy, name, error);
    if (copy.size < sizeof(envelope) || !cu_linked_parts(copy.data, NULL, 0))
        return link_image(link, copy, name, error);
    size_t count = cu_linked_parts(copy.data, NULL, 0);
    host_part *parts = LW_NEW_ARRAY(&link->arena, host_part, count);
    envelope head;
    memcpy(&head, copy.data, sizeof head);
    if (head.bytes > copy.size || cu_linked_parts(copy.data, parts, count) != count)
        return lw_fail(error, LW_CORRUPT, "%s: a truncated linked image", name);
    for (size_t i = 0; i < count; i++) LW_TRY(link_image(link, lw_span_of(parts[i].data, parts[i].bytes), name, error));
    return LW_OK;
}

static host_error link_failed(cu_link *link, int type, lw_status status, const lw_error *error)
{
    cu_jit_end(&link->jit, NULL, error);
    if (status == LW_UNSUPPORTED || status == LW_CORRUPT) /* no image of any kind */
        return type == CU_INPUT_PTX ? HOST_INVALID_PTX : HOST_INVALID_KERNEL_IMAGE;
    if (status != LW_NO_PTX) return HOST_INVALID_PTX;
    cu_note_no_ptx(error);
    return HOST_NO_KERNEL_IMAGE_FOR_DEVICE;
}

CU(cuLinkAddData_v2)
(cu_link *link, int type, const void *data, size_t bytes, const char *name, unsigned count, int *options, void **values)
{
    (void)count, (void)options, (void)values;
    if (!link_valid(link)) return cu_end(HOST_INVALID_RESOURCE_HANDLE);
    if (!data || !bytes || type < CU_INPUT_CUBIN || type > CU_INPUT_NVVM) return cu_end(HOST_INVALID_VALUE);
    if (type == CU_INPUT_NVVM) return cu_end(cu_unsupported("cuLinkAddData of NVVM or LTO input"));
    lw_error error = {0};
    const char *kept = lw_arena_strdup(&link->arena, name ? name : "linked.ptx");
    lw_status status = link_add(link, lw_span_of(data, bytes), kept, &error);
    return cu_end(status ? link_failed(link, type, status, &error) : 0);
}

CU(cuLinkAddData)(cu_link *link, int type, void *data, size_t bytes, const char *name, unsigned count, int *options,
                  void **values)
{
    return lw_cuda_cuLinkAddData_v2(link, type, data, bytes, name, count, options, values);
}

CU(cuLinkAddFile_v2)(cu_link *link, int type, const char *path, unsigned count, int *options, void **values)
{
    char *data;
    size_t bytes;
    if (!path) return cu_end(HOST_INVALID_VALUE);
    if (!link_valid(link)) return cu_end(HOST_INVALID_RESOURCE_HANDLE);
    if (lw_file_read(path, &data, &bytes, NULL)) return cu_end(HOST_FILE_NOT_FOUND);
    int error = lw_cuda_cuLinkAddData_v2(link, type, data, bytes, path, count, options, values);
    free(data);
    return cu_end(error);
}

CU(cuLinkAddFile)(cu_link *link, int type, const char *path, unsigned count, int *options, void **values)
{
    return lw_cuda_cuLinkAddFile_v2(link, type, path, count, options, values);
}

/* Parses and links the inputs once, for their errors. */
static host_error link_try(cu_link *link, lw_error *error)
{
    size_t count = link->inputs.count;
    host_part *parts = lw_alloc(count * sizeof *parts);
    for (size_t i = 0; i < count; i++)
        parts[i] =
            (host_part){link->names.items[i], link->inputs.items[i].stored.data, link->inputs.items[i].stored.size};
    host_module *module = NULL;
    host_error status = host_module_load(host_get(), parts, count, &module, error);
    cu_jit_end(&link->jit, module, status ? error : NULL);
    if (!status) host_module_unload(host_get(), module);
    free(parts);
    if (status && error->status == LW_NOT_FOUND) return HOST_UNKNOWN; /* as drivers do for an undefined reference */
    return status == HOST_INVALID_KERNEL_IMAGE ? HOST_INVALID_PTX : status; /* all inputs are PTX: names that clash */
}

static lw_status link_write(cu_link *link, lw_error *error)
{
    size_t count = link->inputs.count;
    link->image.size = 0;
    if (count == 1) return fatbin_write(link->inputs.items, 1, &link->image, error);
    envelope head = {.version = 1, .count = (uint32_t)count};
    memcpy(head.magic, ENVELOPE_MAGIC, sizeof head.magic);
    envelope_row *rows = lw_alloc(count * sizeof *rows);
    lw_text_append(&link->image, (const char *)&head, sizeof head);
    lw_text_append(&link->image, (const char *)rows, count * sizeof *rows);
    lw_status status = LW_OK;
    for (size_t i = 0; i < count && !status; i++) {
        rows[i].offset = link->image.size;
        status = fatbin_write(&link->inputs.items[i], 1, &link->image, error);
        rows[i].bytes = link->image.size - rows[i].offset;
    }
    head.bytes = link->image.size;
    memcpy(link->image.data, &head, sizeof head);
    memcpy(link->image.data + sizeof head, rows, count * sizeof *rows);
    free(rows);
    return status;
}

CU(cuLinkComplete)(cu_link *link, void **out, size_t *out_bytes)
{
    lw_error error = {0};
    if (!link_valid(link)) return cu_end(HOST_INVALID_RESOURCE_HANDLE);
    if (!out) return cu_end(HOST_INVALID_VALUE);
    if (!link->inputs.count) return cu_end(HOST_INVALID_KERNEL_IMAGE);
    host_error status = link_try(link, &error);
    if (status) return cu_end(status);
    lw_status written = link_write(link, &error);
    if (written) return cu_end(link_failed(link, CU_INPUT_FATBINARY, written, &error));
    *out = link->image.data;
    if (out_bytes) *out_bytes = link->image.size;
    return cu_end(0);
}

CU(cuLinkDestroy)(cu_link *link)
{
    if (!link_valid(link)) return cu_end(HOST_INVALID_RESOURCE_HANDLE);
    cu_state *s = cu_state_get();
    pthread_mutex_lock(&s->lock);
    cu_link **at = &s->links;
    while (*at != link) at = &(*at)->next;
    *at = link->next;
    pthread_mutex_unlock(&s->lock);
    lw_vec_free(&link->inputs);
    lw_vec_free(&link->names);
    lw_text_free(&link->image);
    lw_arena_free(&link->arena);
    free(link);
    return cu_end(0);
}
