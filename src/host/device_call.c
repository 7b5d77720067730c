/* Functions of the CUDA runtime that device code calls: launches, copies, streams, questions (cuda_device_runtime_api.h;
 * the CUDA C++ Programming Guide on dynamic parallelism). */
#include <string.h>

#include "code/code_priv.h"
#include "host/children_priv.h"
#include "host/condition_priv.h"
#include "host/copy_priv.h"
#include "host/device.h"
#include "host/devices.h"
#include "host/finding_priv.h"
#include "host/graph_priv.h"
#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/module_priv.h"
#include "host/refuse.h"
#include "host/services_priv.h"
#include "host/settings_priv.h"
#include "host/state_priv.h"

#define RUNTIME_VERSION 6000 /* what an H200 answers with CUDA 13 */

typedef host_error answer(host_children *l, exec_device_call *call);

static uint64_t number(const exec_device_call *call, int k) { return call->argument[k][0]; }

static void write_int(exec_device_call *call, int value) { memcpy(call->data, &value, sizeof value); }

static host_module *module_of(const host_children *l) { return l->parent->u.kernel.kernel->module; }

/* The kernel whose address an argument is, decoded. */
static host_error kernel_at(host_children *l, uint64_t address, host_kernel **out)
{
    *out = host_module_kernel_at(module_of(l), address);
    return *out ? host_kernel_need(*out) : HOST_INVALID_DEVICE_FUNCTION;
}

/* ---- launches ---- */
static void read_dimensions(const exec_device_call *call, int k, uint32_t out[3])
{
    memcpy(out, call->argument[k], 3 * sizeof *out);
}

/* Says what a launch was refused for: device code rarely asks. */
static void tell_refusal(host_children *l, const exec_device_call *call, const char *kernel, host_error error)
{
    const host_refusal *why = host_refusal_take(error);
    const char *file = NULL;
    uint32_t line = 0;
    host_source_of(l->parent->u.kernel.kernel->code, call->site, &file, &line);
    host_note(l->context, "%s:%u: %s was not launched by a kernel. %s", file ? file : "?", line, kernel,
              why ? why->words : host_error_find(error)->text);
}

/* The kernel of a launch and its sizes. Whatever is wrong with sizes, an H200 says cudaErrorInvalidConfiguration here. */
static host_error prepare(host_children *l, exec_device_call *call, int first, host_kernel **kernel,
                          host_launch_config *config)
{
    host_error error = kernel_at(l, number(call, 0), kernel);
    if (error) {
        tell_refusal(l, call, "what is no kernel", error);
        return error;
    }
    read_dimensions(call, first, config->grid);
    read_dimensions(call, first + 1, config->block);
    config->dynamic_shared = (uint32_t)number(call, first + 2);
    error = host_launch_check(*kernel, config);
    if (!error) return 0;
    tell_refusal(l, call, host_kernel_demangled(*kernel), error);
    return HOST_INVALID_CONFIGURATION;
}

static host_error parameter_buffer_v2(host_children *l, exec_device_call *call)
{
    host_kernel *kernel = NULL;
    host_launch_config config = {0};
    uint64_t address = 0;
    host_error error = prepare(l, call, 1, &kernel, &config);
    if (!error) error = host_children_buffer(l, kernel, &config, &address);
    call->result = address;
    return error;
}

static host_error launch_v2(host_children *l, exec_device_call *call)
{
    return host_children_launch(l, call, number(call, 0), number(call, 1));
}

/* The older pair of calls, which clang makes: the buffer comes without a kernel. */
static host_error parameter_buffer(host_children *l, exec_device_call *call)
{
    call->result = host_children_memory(l, number(call, 1));
    return call->result ? 0 : HOST_MEMORY_ALLOCATION;
}

static host_error launch_v1(host_children *l, exec_device_call *call)
{
    host_kernel *kernel = NULL;
    host_launch_config config = {0};
    uint64_t address = 0, given = number(call, 1);
    mem_allocation a;
    host_error error = prepare(l, call, 2, &kernel, &config);
    if (!error) error = host_children_buffer(l, kernel, &config, &address);
    if (error) return error;
    uint32_t bytes = kernel->code->param_bytes;
    if (bytes && mem_locate(l->context->memory, given, bytes, &a) != MEM_INSIDE) return HOST_INVALID_VALUE;
    if (bytes) memcpy(mem_storage(address), mem_storage(given), bytes);
    return host_children_launch(l, call, address, number(call, 5));
}

/* ---- errors ---- */
static host_thread_error *error_of(host_children *l, const exec_device_call *call)
{
    for (size_t k = 0; k < l->errors.count; k++) {
        host_thread_error *e = &l->errors.items[k];
        if (e->block == call->block && e->thread == call->thread) return e;
    }
    return NULL;
}

static void keep_error(host_children *l, const exec_device_call *call, host_error error)
{
    host_thread_error *e = error_of(l, call);
    if (e) e->error = error;
    else lw_vec_push(&l->errors, ((host_thread_error){call->block, call->thread, error}));
}

static host_error last_error(host_children *l, exec_device_call *call)
{
    host_thread_error *e = error_of(l, call);
    call->result = e ? (uint64_t)e->error : 0;
    if (e && call->function == CODE_LAST_ERROR) e->error = 0;
    return 0;
}

static host_error error_text(host_children *l, exec_device_call *call)
{
    const host_error_desc *d = host_error_find((int)number(call, 0));
    const char *text = "unrecognized error code";
    if (d) text = call->function == CODE_ERROR_NAME ? d->runtime_name : d->text;
    call->result = host_children_memory(l, strlen(text) + 1);
    if (call->result) strcpy(mem_storage(call->result), text);
    return 0;
}

/* ---- questions ---- */
static host_error device_count(host_children *l, exec_device_call *call)
{
    int count = (int)host_device_count(l->context);
    write_int(call, call->function == CODE_DEVICE_COUNT ? count : (int)l->parent->u.kernel.kernel->module->device);
    return 0;
}

static host_error device_attribute(host_children *l, exec_device_call *call)
{
    int value = 0;
    int device = (int)number(call, 2);
    if (!host_device_exists(l->context, device)) return HOST_INVALID_DEVICE;
    host_error error = host_device_attribute(l->context, (uint32_t)device, (int)number(call, 1), &value);
    write_int(call, value);
    return error;
}

static host_error device_limit(host_children *l, exec_device_call *call)
{
    uint64_t value = 0;
    host_error error = host_limit_get_on(l->context, l->device, (int)number(call, 1), &value);
    memcpy(call->data, &value, sizeof value);
    return error;
}

static host_error device_cache(host_children *l, exec_device_call *call)
{
    write_int(call,
              call->function == CODE_DEVICE_CACHE ? l->context->settings->of[l->device].cache : HOST_BANKS_FOUR_BYTES);
    return 0;
}

static host_error runtime_version(host_children *l, exec_device_call *call)
{
    (void)l;
    write_int(call, RUNTIME_VERSION);
    return 0;
}

/* What comes first in cudaFuncAttributes; the rest is left alone, as an H200 does. */
static host_error kernel_attributes(host_children *l, exec_device_call *call)
{
    host_kernel *kernel;
    host_kernel_info info;
    host_error error = kernel_at(l, number(call, 1), &kernel);
    if (!error) error = host_kernel_query(kernel, &info);
    if (error) return error;
    struct {
        uint64_t shared, constant, local;
        int threads, registers, ptx, binary;
    } out = {.shared = info.static_shared_bytes, .constant = info.constant_bytes, .local = info.local_bytes};
    _Static_assert(sizeof out == 40, "the row of builtins.def says how much is written");
    out.threads = info.max_threads_per_block;
    out.registers = info.registers;
    out.ptx = info.ptx_version;
    out.binary = info.binary_version;
    memcpy(call->data, &out, sizeof out);
    return 0;
}

static host_error occupancy(host_children *l, exec_device_call *call)
{
    host_kernel *kernel;
    int blocks = 0;
    host_error error = kernel_at(l, number(call, 1), &kernel);
    if (!error) error = host_occupancy_blocks(kernel, (int)number(call, 2), number(call, 3), &blocks);
    write_int(call, blocks);
    return error;
}

/* ---- streams and events ---- */
/* flags: of streams cudaStreamDefault or cudaStreamNonBlocking; cudaEventDisableTiming is a must. */
static host_error stream_create(host_children *l, exec_device_call *call)
{
    enum { NON_BLOCKING = 1, DISABLE_TIMING = 2 };
    uint32_t flags = (uint32_t)number(call, 1);
    bool good = call->function == CODE_STREAM_CREATE ? flags <= NON_BLOCKING : flags == DISABLE_TIMING;
    if (!good) return HOST_INVALID_VALUE;
    uint64_t handle = host_children_handle(l);
    memcpy(call->data, &handle, sizeof handle);
    return 0;
}

static host_error made_handle(host_children *l, uint64_t handle)
{
    bool made = handle > HOST_STREAM_FORGET && host_children_stream(l, handle);
    return made ? 0 : HOST_INVALID_RESOURCE_HANDLE;
}

static host_error handle_destroy(host_children *l, exec_device_call *call) { return made_handle(l, number(call, 0)); }

/* What a wait is for comes before it: children run in the order in which a block launches them. */
static host_error stream_wait(host_children *l, exec_device_call *call)
{
    return host_children_stream(l, number(call, 0)) ? made_handle(l, number(call, 1)) : HOST_INVALID_RESOURCE_HANDLE;
}

static host_error event_record(host_children *l, exec_device_call *call)
{
    return host_children_stream(l, number(call, 1)) ? made_handle(l, number(call, 0)) : HOST_INVALID_RESOURCE_HANDLE;
}

/* ---- memory ---- */
static host_error device_malloc(host_children *l, exec_device_call *call)
{
    uint64_t address = host_heap_alloc(l->context, l->device, number(call, 1), l->launch);
    memcpy(call->data, &address, sizeof address);
    return address ? 0 : HOST_MEMORY_ALLOCATION;
}

static host_error device_free(host_children *l, exec_device_call *call)
{
    host_heap_free(l->context, number(call, 0), l->launch, NULL);
    return 0;
}

static host_error put_copy(host_children *l, const exec_device_call *call, const host_copy *copy, uint64_t stream)
{
    host_op op = {.kind = HOST_OP_COPY};
    op.u.copy.copy = *copy;
    bool between_device = copy->kind == HOST_COPY_D2D || copy->kind == HOST_COPY_DEFAULT;
    host_error error = between_device ? host_copy_check(l->context, &op.u.copy.copy) : HOST_INVALID_MEMCPY_DIRECTION;
    if (!error && !host_children_stream(l, stream)) error = HOST_INVALID_RESOURCE_HANDLE;
    if (!error && copy->width && copy->height && copy->depth) error = host_children_put(l, call, &op, stream);
    return error;
}

static host_error copy_flat(host_children *l, exec_device_call *call)
{
    host_copy copy = host_copy_flat(number(call, 0), number(call, 1), number(call, 2), (int)number(call, 3));
    return put_copy(l, call, &copy, number(call, 4));
}

static host_error copy_2d(host_children *l, exec_device_call *call)
{
    host_copy copy = {.dst = {number(call, 0), number(call, 1), number(call, 5)},
                      .src = {number(call, 2), number(call, 3), number(call, 5)},
                      .width = number(call, 4),
                      .height = number(call, 5),
                      .depth = 1,
                      .kind = (int)number(call, 6)};
    return put_copy(l, call, &copy, number(call, 7));
}

/* cudaMemcpy3DParms without arrays: cudaPos and cudaPitchedPtr twice, extent, kind. */
static host_error copy_3d(host_children *l, exec_device_call *call)
{
    typedef struct box {
        uint64_t array, x, y, z, pointer, pitch, width, rows;
    } box;
    struct {
        box src, dst;
        uint64_t width, height, depth;
        int kind;
    } p;
    memcpy(&p, call->data, sizeof p);
    if (p.src.array || p.dst.array) return HOST_NOT_SUPPORTED;
    host_copy copy = {.width = p.width, .height = p.height, .depth = p.depth, .kind = p.kind};
    copy.dst =
        (host_side){p.dst.pointer + p.dst.x + (p.dst.y + p.dst.z * p.dst.rows) * p.dst.pitch, p.dst.pitch, p.dst.rows};
    copy.src =
        (host_side){p.src.pointer + p.src.x + (p.src.y + p.src.z * p.src.rows) * p.src.pitch, p.src.pitch, p.src.rows};
    return put_copy(l, call, &copy, number(call, 1));
}

static host_error put_fill(host_children *l, const exec_device_call *call, const host_fill *fill, uint64_t stream)
{
    host_op op = {.kind = HOST_OP_FILL};
    op.u.fill = *fill;
    host_error error = host_fill_check(l->context, fill);
    if (!error && !host_children_stream(l, stream)) error = HOST_INVALID_RESOURCE_HANDLE;
    if (!error && fill->width && fill->height && fill->depth) error = host_children_put(l, call, &op, stream);
    return error;
}

static host_error fill_flat(host_children *l, exec_device_call *call)
{
    host_fill fill = {{number(call, 0), number(call, 2), 1}, (uint8_t)number(call, 1), 1, number(call, 2), 1, 1};
    return put_fill(l, call, &fill, number(call, 3));
}

static host_error fill_2d(host_children *l, exec_device_call *call)
{
    host_fill fill = {{number(call, 0), number(call, 1), number(call, 4)},
                      (uint8_t)number(call, 2),
                      1,
                      number(call, 3),
                      number(call, 4),
                      1};
    return put_fill(l, call, &fill, number(call, 5));
}

/* cudaPitchedPtr: pointer, pitch, width, rows; cudaExtent. */
static host_error fill_3d(host_children *l, exec_device_call *call)
{
    const uint64_t *to = call->argument[0], *extent = call->argument[2];
    host_fill fill = {{to[0], to[1], to[3]}, (uint8_t)number(call, 1), 1, extent[0], extent[1], extent[2]};
    return put_fill(l, call, &fill, number(call, 3));
}

/* ---- graphs ---- */
/* Of several blocks that set a handle, which a program must not do, the one with the highest number decides. */
static host_error set_condition(host_children *l, exec_device_call *call)
{
    host_condition_set_by set = {number(call, 0), call->block, (uint32_t)number(call, 1)};
    call->illegal = !l->in_graph || !host_condition_valid(l->context, set.handle);
    if (call->illegal) return 0;
    size_t k = 0;
    while (k < l->conditions.count && l->conditions.items[k].handle != set.handle) k++;
    if (k == l->conditions.count) lw_vec_push(&l->conditions, set);
    else if (l->conditions.items[k].block <= set.block) l->conditions.items[k] = set;
    return 0;
}

/* Streams of graph launches, driver_types.h, and how many an H200 takes. */
#define STREAM_TAIL UINT64_C(0x0100000000000000)
#define STREAM_FORGET UINT64_C(0x0200000000000000)
#define STREAM_SIBLING UINT64_C(0x0300000000000000)
enum { MOST_TAILS = 255, MOST_FORGOTTEN = 120 };

/* Whether the graph is to follow already; how many are. */
static bool follows(const host_children *l, const host_graph_exec *x, size_t *out_count)
{
    const host_graph_run *run = &l->context->graphs->run;
    bool found = false;
    *out_count = run->tails.count;
    for (size_t k = 0; k < run->tails.count; k++) found |= run->tails.items[k] == x;
    for (size_t k = 0; k < l->list.count; k++) {
        const host_op *op = &l->list.items[k].op;
        if (op->kind != HOST_OP_GRAPH_LAUNCH || !op->u.launch.tail) continue;
        found |= op->u.launch.exec == x;
        ++*out_count;
    }
    return found;
}

static host_error graph_launch(host_children *l, exec_device_call *call)
{
    host_op op = {.kind = HOST_OP_GRAPH_LAUNCH};
    uint64_t stream = number(call, 1);
    host_graph_exec *x = (host_graph_exec *)(uintptr_t)number(call, 0);
    op.u.launch.exec = x;
    op.u.launch.tail = stream == STREAM_TAIL;
    call->illegal = !l->in_graph || !host_graph_exec_valid(l->context, x);
    if (call->illegal) return 0;
    if (!host_graph_exec_launchable(l->context, x)) return HOST_INVALID_VALUE;
    if (op.u.launch.tail) {
        size_t count;
        if (follows(l, x, &count) || count >= MOST_TAILS) return HOST_INVALID_VALUE;
    } else {
        bool known = stream == STREAM_FORGET || stream == STREAM_SIBLING;
        if (!known || x == l->parent->u.kernel.graph) return HOST_INVALID_VALUE;
        if (l->context->graphs->run.forgotten >= MOST_FORGOTTEN) return HOST_INVALID_VALUE;
        l->context->graphs->run.forgotten++;
    }
    return host_children_put(l, call, &op, HOST_STREAM_FORGET);
}

/* ---- the table ---- */
static answer *const answers[CODE_BUILTIN_COUNT] = {
    [CODE_PARAMETER_BUFFER] = parameter_buffer,
    [CODE_PARAMETER_BUFFER_V2] = parameter_buffer_v2,
    [CODE_LAUNCH_V1] = launch_v1,
    [CODE_LAUNCH_V2] = launch_v2,
    [CODE_LAST_ERROR] = last_error,
    [CODE_PEEK_ERROR] = last_error,
    [CODE_ERROR_STRING] = error_text,
    [CODE_ERROR_NAME] = error_text,
    [CODE_DEVICE_COUNT] = device_count,
    [CODE_DEVICE] = device_count,
    [CODE_DEVICE_ATTRIBUTE] = device_attribute,
    [CODE_DEVICE_LIMIT] = device_limit,
    [CODE_DEVICE_CACHE] = device_cache,
    [CODE_DEVICE_BANKS] = device_cache,
    [CODE_RUNTIME_VERSION] = runtime_version,
    [CODE_KERNEL_ATTRIBUTES] = kernel_attributes,
    [CODE_OCCUPANCY] = occupancy,
    [CODE_OCCUPANCY_FLAGS] = occupancy,
    [CODE_STREAM_CREATE] = stream_create,
    [CODE_STREAM_DESTROY] = handle_destroy,
    [CODE_STREAM_WAIT] = stream_wait,
    [CODE_EVENT_CREATE] = stream_create,
    [CODE_EVENT_RECORD] = event_record,
    [CODE_EVENT_RECORD_FLAGS] = event_record,
    [CODE_EVENT_DESTROY] = handle_destroy,
    [CODE_DEVICE_MALLOC] = device_malloc,
    [CODE_DEVICE_FREE] = device_free,
    [CODE_COPY] = copy_flat,
    [CODE_COPY_2D] = copy_2d,
    [CODE_COPY_3D] = copy_3d,
    [CODE_FILL] = fill_flat,
    [CODE_FILL_2D] = fill_2d,
    [CODE_FILL_3D] = fill_3d,
    [CODE_SET_CONDITION] = set_condition,
    [CODE_GRAPH_LAUNCH] = graph_launch,
};

/* Functions that return an error return it; the others say it to who asks for the last one. */
static bool returns_error(int function)
{
    return function != CODE_PARAMETER_BUFFER && function != CODE_PARAMETER_BUFFER_V2;
}

void host_device_call(void *user, exec_device_call *call)
{
    host_children *l = user;
    LW_ASSERT(answers[call->function]);
    pthread_mutex_lock(&l->lock);
    host_error error = answers[call->function](l, call);
    if (error) keep_error(l, call, error);
    if (error && returns_error(call->function)) call->result = (uint64_t)error;
    pthread_mutex_unlock(&l->lock);
}
