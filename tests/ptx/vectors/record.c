/* record.c: runs the kernels of gen_ptx on a GPU through the driver API and writes their results.
 * usage: record MODULE.cubin OUT COUNT COUNT16: COUNT results a form, COUNT16 for forms with one 16-bit source (then
 * the index is the operand when COUNT16 is 65536). OUT: for every form and statement that the module has, in their
 * order: its text, newline, results. Standard error: two lines that name the device. */
#include <cuda.h>

#include "forms.h"
#include "irregular.h"

typedef struct recorder {
    CUmodule module;
    FILE *out;
    uint32_t number, recorded, count, count16;
    CUdeviceptr table[3], result;
    uint8_t *host;
} recorder;

static void must(CUresult r, const char *what)
{
    const char *text = "?";
    if (r == CUDA_SUCCESS) return;
    cuGetErrorString(r, &text);
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

static void fill_table(recorder *w, const form_row *r, uint32_t k, uint32_t count)
{
    uint32_t bytes = lane_name_bytes(r->lane[k + 1]);
    enum vector_class c = class_of_operand(r, r->lane[k + 1]);
    for (uint32_t n = 0; n < count; n++) {
        uint64_t value = count == 65536 ? n : vector_input(c, form_sources(r), k, n);
        memcpy(w->host + (size_t)n * bytes, &value, bytes);
    }
    must(cuMemcpyHtoD(w->table[k], w->host, (size_t)count * bytes), "copy");
}

static void record_form(void *user, const form *f)
{
    recorder *w = user;
    const form_row *r = f->row;
    char name[16];
    snprintf(name, sizeof name, "k%u", w->number++);
    CUfunction kernel;
    if (cuModuleGetFunction(&kernel, w->module, name) != CUDA_SUCCESS) return;
    uint32_t count = form_sources(r) == 1 && lane_name_bytes(r->lane[1]) == 2 ? w->count16 : w->count;
    for (uint32_t k = 0; k < form_sources(r); k++) fill_table(w, r, k, count);
    void *params[] = {&w->table[0], &w->table[1], &w->table[2], &w->result};
    must(cuLaunchKernel(kernel, count / 128, 1, 1, 128, 1, 1, 0, NULL, params, NULL), f->mnemonic);
    must(cuCtxSynchronize(), f->mnemonic);
    size_t bytes = (size_t)count * lane_name_bytes(r->lane[0]);
    must(cuMemcpyDtoH(w->host, w->result, bytes), "copy back");
    fprintf(w->out, "%s\n", f->mnemonic);
    fwrite(w->host, 1, bytes, w->out);
    w->recorded++;
}

static void record_irregular(void *user, const irregular *i)
{
    recorder *w = user;
    char name[16];
    snprintf(name, sizeof name, "i%u", w->number++);
    CUfunction kernel;
    if (cuModuleGetFunction(&kernel, w->module, name) != CUDA_SUCCESS) return;
    size_t bytes = (size_t)IRREGULAR_COUNT * i->bytes;
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t n = 0; n < IRREGULAR_COUNT; n++) {
            uint64_t value = irregular_input(i, k, n);
            memcpy(w->host + (size_t)n * i->bytes, &value, i->bytes);
        }
        must(cuMemcpyHtoD(w->table[k], w->host, bytes), "copy");
    }
    void *params[] = {&w->table[0], &w->table[1], &w->table[2], &w->result};
    must(cuLaunchKernel(kernel, 1, 1, 1, IRREGULAR_COUNT, 1, 1, 0, NULL, params, NULL), i->text);
    must(cuMemcpyDtoH(w->host, w->result, bytes), i->text);
    fprintf(w->out, "%s\n", i->text);
    fwrite(w->host, 1, bytes, w->out);
    w->recorded++;
}

int main(int argc, char **argv)
{
    if (argc != 5) return 2;
    recorder w = {.out = fopen(argv[2], "wb"), .count = (uint32_t)atoi(argv[3]), .count16 = (uint32_t)atoi(argv[4])};
    w.host = malloc(65536 * 8);
    CUdevice device;
    CUcontext context;
    char device_name[128];
    int driver;
    must(cuInit(0), "init");
    must(cuDeviceGet(&device, 0), "device");
    must(cuDevicePrimaryCtxRetain(&context, device), "context");
    must(cuCtxSetCurrent(context), "context");
    must(cuDeviceGetName(device_name, sizeof device_name, device), "name");
    must(cuDriverGetVersion(&driver), "driver");
    must(cuModuleLoad(&w.module, argv[1]), "module");
    for (int k = 0; k < 3; k++) must(cuMemAlloc(&w.table[k], 65536 * 8), "memory");
    must(cuMemAlloc(&w.result, 65536 * 8), "memory");
    fprintf(stderr, "device: %s\nCUDA driver API: %d.%d\n", device_name, driver / 1000, driver % 1000 / 10);
    each_form(record_form, &w);
    printf("%u of %u forms recorded on %s\n", w.recorded, w.number, device_name);
    w.number = w.recorded = 0;
    each_irregular(record_irregular, &w);
    printf("%u of %u irregular statements recorded\n", w.recorded, w.number);
    return fclose(w.out) != 0;
}
