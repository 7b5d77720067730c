/* Registration: what the constructors of a compiled program say of its fatbins, kernels and variables, and the look-up
 * of kernels and symbols by host address. Nothing is loaded here; the host room loads a module at its first use. */
#include <pthread.h>
#include <stdlib.h>

#include "cudart/cudart.h"
#include "host/refuse_memory.h"

typedef struct rt_function {
    host_module *module;
    const char *name;
    host_kernel *kernel; /* NULL until resolved */
} rt_function;

typedef struct rt_variable {
    host_module *module;
    const char *name;
    void **managed; /* the program's shadow pointer of a __managed__ variable, or NULL */
    uint64_t bytes;
} rt_variable;

typedef struct rt_binary {
    struct rt_binary *next;
    host_module *module;
    LW_VEC(rt_variable *) managed;
    LW_VEC(const void *) keys; /* host addresses registered through it */
    bool placed;
    bool at_home; /* it has managed variables in the program's own memory */
} rt_binary;

typedef struct rt_entry {
    const void *key;
    rt_function *function;
    rt_variable *variable;
} rt_entry;

/* Memory of the program, [from, to). */
typedef struct rt_section {
    const char *from, *to;
} rt_section;

/* Kept in the host context's place for the runtime face: one per process. */
typedef struct rt_registry {
    pthread_mutex_t lock;
    rt_entry *slots; /* open addressing by key; removed entries keep their key with both pointers NULL */
    size_t capacity, used;
    rt_binary *binaries;
    LW_VEC(rt_section) managed; /* where clang's __managed__ variables lie */
} rt_registry;

static rt_registry *registry(void) { return host_face(host_get(), HOST_FACE_RUNTIME, sizeof(rt_registry)); }

void rt_use(void) { registry(); }

static rt_entry *find(rt_registry *r, const void *key)
{
    if (!r->capacity) return NULL;
    for (size_t i = lw_hash(&key, sizeof key, 7) & (r->capacity - 1);; i = (i + 1) & (r->capacity - 1)) {
        if (r->slots[i].key == key) return &r->slots[i];
        if (!r->slots[i].key) return NULL;
    }
}

static rt_entry *insert(rt_registry *r, const void *key)
{
    rt_entry *known = find(r, key);
    if (known) return known;
    if ((r->used + 1) * 2 > r->capacity) {
        rt_registry old = *r;
        r->capacity = old.capacity ? old.capacity * 2 : 256;
        r->slots = lw_alloc(r->capacity * sizeof *r->slots);
        r->used = 0;
        for (size_t i = 0; i < old.capacity; i++)
            if (old.slots[i].function || old.slots[i].variable) *insert(r, old.slots[i].key) = old.slots[i];
        free(old.slots);
    }
    size_t i = lw_hash(&key, sizeof key, 7) & (r->capacity - 1);
    while (r->slots[i].key) i = (i + 1) & (r->capacity - 1);
    r->slots[i].key = key;
    r->used++;
    return &r->slots[i];
}

void **lw_cudart___cudaRegisterFatBinary(void *wrapper)
{
    rt_registry *r = registry();
    rt_binary *b = lw_alloc(sizeof *b);
    b->module = host_module_declare(host_get(), wrapper);
    pthread_mutex_lock(&r->lock);
    b->next = r->binaries;
    r->binaries = b;
    pthread_mutex_unlock(&r->lock);
    return (void **)b;
}

/* The host may use managed variables from now on: they get their first values. */
void lw_cudart___cudaRegisterFatBinaryEnd(void **handle)
{
    const rt_binary *b = (const rt_binary *)handle;
    if (b->at_home) host_module_need(b->module);
}

static void forget_entries(rt_registry *r, rt_binary *b)
{
    for (size_t i = 0; i < b->keys.count; i++) {
        rt_entry *e = find(r, b->keys.items[i]);
        if (!e) continue;
        if (e->function && e->function->module == b->module) {
            free(e->function);
            e->function = NULL;
        }
        if (e->variable && e->variable->module == b->module) {
            free(e->variable);
            e->variable = NULL;
        }
    }
}

void lw_cudart___cudaUnregisterFatBinary(void **handle)
{
    rt_registry *r = registry();
    rt_binary *b = (rt_binary *)handle;
    pthread_mutex_lock(&r->lock);
    rt_binary **at = &r->binaries;
    while (*at && *at != b) at = &(*at)->next;
    bool known = *at == b && b;
    if (known) {
        *at = b->next;
        forget_entries(r, b);
    }
    pthread_mutex_unlock(&r->lock);
    if (!known) return;
    host_module_unload(host_get(), b->module);
    lw_vec_free(&b->managed);
    lw_vec_free(&b->keys);
    free(b);
}

void lw_cudart___cudaRegisterFunction(void **handle, const char *host_function, char *device_function, const char *name,
                                      int thread_limit, void *tid, void *bid, rt_dim3 *block, rt_dim3 *grid, int *warp)
{
    (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    rt_registry *r = registry();
    rt_binary *b = (rt_binary *)handle;
    rt_function *f = lw_alloc(sizeof *f);
    *f = (rt_function){b->module, name, NULL};
    pthread_mutex_lock(&r->lock);
    insert(r, host_function)->function = f;
    lw_vec_push(&b->keys, (const void *)host_function);
    pthread_mutex_unlock(&r->lock);
}

/* Locked. In a section of managed variables? Its memory is the program's own then. */
static bool is_at_home(const rt_registry *r, const char *key)
{
    for (size_t i = 0; i < r->managed.count; i++)
        if (key >= r->managed.items[i].from && key < r->managed.items[i].to) return true;
    return false;
}

static void register_variable(void **handle, const void *key, const char *name, size_t bytes, void **managed)
{
    rt_registry *r = registry();
    rt_binary *b = (rt_binary *)handle;
    rt_variable *v = lw_alloc(sizeof *v);
    *v = (rt_variable){b->module, name, managed, bytes};
    pthread_mutex_lock(&r->lock);
    insert(r, key)->variable = v;
    lw_vec_push(&b->keys, key);
    if (managed) lw_vec_push(&b->managed, v);
    if (is_at_home(r, key)) {
        host_module_home(b->module, name, (void *)key);
        b->at_home = true;
    }
    pthread_mutex_unlock(&r->lock);
}

void lw_cudart___cudaRegisterVar(void **handle, char *host_variable, char *device_address, const char *name,
                                 int external, size_t bytes, int constant, int global)
{
    (void)device_address, (void)external, (void)constant, (void)global;
    register_variable(handle, host_variable, name, bytes, NULL);
}

void lw_cudart___cudaRegisterHostVar(void **handle, const char *name, char *host_variable, size_t bytes)
{
    register_variable(handle, host_variable, name, bytes, NULL);
}

void lw_cudart___cudaRegisterManagedVar(void **handle, void **shadow, char *device_address, const char *name,
                                        int external, size_t bytes, int constant, int global)
{
    (void)device_address, (void)external, (void)constant, (void)global;
    register_variable(handle, shadow, name, bytes, shadow);
}

/* Clang's way (clang-include/lanewise_clang/managed.h): a __managed__ variable is an ordinary one of the host, in a
 * section of its own, and is registered like a __device__ variable, after this. */
void lw_cudart___cudaLanewiseManaged(void *start, void *stop)
{
    rt_registry *r = registry();
    rt_section section = {start, stop};
    pthread_mutex_lock(&r->lock);
    lw_vec_push(&r->managed, section);
    pthread_mutex_unlock(&r->lock);
}

static void place_binary(rt_binary *b)
{
    if (b->placed) return;
    b->placed = true;
    for (size_t i = 0; i < b->managed.count; i++) {
        uint64_t address;
        const rt_variable *v = b->managed.items[i];
        if (!host_module_symbol(v->module, v->name, &address, NULL)) *v->managed = (void *)(uintptr_t)address;
    }
}

char lw_cudart___cudaInitModule(void **handle)
{
    rt_registry *r = registry();
    pthread_mutex_lock(&r->lock);
    place_binary((rt_binary *)handle);
    pthread_mutex_unlock(&r->lock);
    return 1;
}

/* Locked. */
static host_error resolve_function(rt_function *f, host_kernel **out)
{
    if (!f->kernel) {
        host_error error = host_module_kernel(f->module, f->name, &f->kernel);
        if (error) return error == HOST_SYMBOL_NOT_FOUND ? HOST_INVALID_DEVICE_FUNCTION : error;
    }
    *out = f->kernel;
    return 0;
}

host_error rt_kernel_on(const void *function, int device, host_kernel **out)
{
    if (!function) return HOST_INVALID_DEVICE_FUNCTION;
    rt_registry *r = registry();
    pthread_mutex_lock(&r->lock);
    rt_entry *e = find(r, function);
    bool known = e && e->function;
    host_error error = known ? resolve_function(e->function, out) : 0;
    pthread_mutex_unlock(&r->lock);
    if (known && error) return error;
    if (!known && !host_kernel_valid(host_get(), function)) return HOST_INVALID_RESOURCE_HANDLE;
    if (!known) *out = (host_kernel *)function;
    return host_kernel_on(*out, (uint32_t)device, out);
}

host_error rt_kernel(const void *function, host_kernel **out)
{
    return rt_kernel_on(function, (int)host_device_current(host_get()), out);
}

host_error rt_symbol(const void *symbol, uint64_t *out_address, uint64_t *out_bytes)
{
    rt_registry *r = registry();
    pthread_mutex_lock(&r->lock);
    rt_entry *e = find(r, symbol);
    rt_variable v = e && e->variable ? *e->variable : (rt_variable){0};
    pthread_mutex_unlock(&r->lock);
    if (v.name) {
        host_module *module;
        host_error error = host_module_on(v.module, host_device_current(host_get()), &module);
        if (!error) error = host_module_symbol(module, v.name, out_address, out_bytes);
        return error == HOST_SYMBOL_NOT_FOUND ? HOST_INVALID_SYMBOL : error;
    }
    mem_allocation a; /* a managed variable stands for its own storage */
    if (!host_pointer_find(host_get(), (uint64_t)(uintptr_t)symbol, &a) || a.kind != MEM_MANAGED || !a.name[0])
        return HOST_INVALID_SYMBOL;
    if (out_address) *out_address = a.address;
    if (out_bytes) *out_bytes = a.bytes;
    return 0;
}

host_error rt_symbol_range(const void *symbol, size_t bytes, size_t offset, uint64_t *out)
{
    uint64_t address, size;
    host_error error = rt_symbol(symbol, &address, &size);
    if (error) return error;
    if (offset > size || bytes > size - offset)
        return host_refuse_side(host_get(), "the symbol", address, (uint64_t)offset + bytes);
    *out = address + offset;
    return 0;
}

/* The handle a launch site keeps: the host address itself; it is resolved, and its errors are reported, at the launch.
 */
RT(__cudaGetKernel)(void **out, const void *function)
{
    if (!out) return rt_end(HOST_INVALID_VALUE);
    *out = (void *)function;
    return rt_end(0);
}

RT(cudaGetKernel)(void **out, const void *function)
{
    host_kernel *k;
    if (!out) return rt_end(HOST_INVALID_VALUE);
    host_error error = rt_kernel(function, &k);
    if (!error) *out = k;
    return rt_end(error);
}

RT(cudaGetFuncBySymbol)(void **out, const void *symbol) { return lw_cudart_cudaGetKernel(out, symbol); }

RT(cudaGetSymbolAddress)(void **out, const void *symbol)
{
    uint64_t address;
    if (!out) return rt_end(HOST_INVALID_VALUE);
    host_error error = rt_symbol(symbol, &address, NULL);
    if (!error) *out = (void *)(uintptr_t)address;
    return rt_end(error);
}

RT(cudaGetSymbolSize)(size_t *out, const void *symbol)
{
    uint64_t bytes;
    if (!out) return rt_end(HOST_INVALID_VALUE);
    host_error error = rt_symbol(symbol, NULL, &bytes);
    if (!error) *out = bytes;
    return rt_end(error);
}
