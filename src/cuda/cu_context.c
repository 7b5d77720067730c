/* Calls on contexts: the primary ones and those a program creates, and the stack of each thread. Those of a device all
 * stand for its one device context of the process, which is emptied when the last of them goes. */

#include "cuda/driver.h"

/* With the lock held: whether the device's context is still wanted. */
static bool in_use(const cu_state *s, uint32_t device)
{
    if (s->primary_uses[device] || host_face_made(host_get(), HOST_FACE_RUNTIME)) return true;
    for (const cu_context *c = s->contexts; c; c = c->next)
        if (c->live && c->device == device) return true;
    return false;
}

static void empty_unless_used(cu_state *s, uint32_t device)
{
    pthread_mutex_lock(&s->lock);
    bool used = in_use(s, device);
    pthread_mutex_unlock(&s->lock);
    if (!used) host_reset_device(host_get(), device);
}

/* ---- the primary context ---- */
CU(cuDevicePrimaryCtxRetain)(cu_context **out, int device)
{
    host_error error = out ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (error) return cu_end(error);
    cu_state *s = cu_state_get();
    *out = cu_primary((uint32_t)device);
    pthread_mutex_lock(&s->lock);
    s->primary_uses[device]++;
    s->primary[device].live = true;
    pthread_mutex_unlock(&s->lock);
    return cu_end(0);
}

CU(cuDevicePrimaryCtxRelease_v2)(int device)
{
    host_error error = cu_check_device(device);
    if (error) return cu_end(error);
    cu_state *s = cu_state_get();
    pthread_mutex_lock(&s->lock);
    bool held = s->primary_uses[device] > 0;
    if (held && !--s->primary_uses[device]) s->primary[device].live = false;
    pthread_mutex_unlock(&s->lock);
    if (!held) return cu_end(HOST_DEVICE_UNINITIALIZED);
    empty_unless_used(s, (uint32_t)device);
    return cu_end(0);
}

CU(cuDevicePrimaryCtxRelease)(int device) { return lw_cuda_cuDevicePrimaryCtxRelease_v2(device); }

CU(cuDevicePrimaryCtxReset_v2)(int device)
{
    host_error error = cu_check_device(device);
    return cu_end(error ? error : host_reset_device(host_get(), (uint32_t)device));
}

CU(cuDevicePrimaryCtxReset)(int device) { return lw_cuda_cuDevicePrimaryCtxReset_v2(device); }

static bool flags_known(unsigned flags) { return !(flags & ~0xffu) && face_schedule_known(flags); }

CU(cuDevicePrimaryCtxSetFlags_v2)(int device, unsigned flags)
{
    host_error error = flags_known(flags) ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (!error) cu_primary((uint32_t)device)->flags = flags;
    return cu_end(error);
}

CU(cuDevicePrimaryCtxSetFlags)(int device, unsigned flags)
{
    return lw_cuda_cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

CU(cuDevicePrimaryCtxGetState)(int device, unsigned *flags, int *active)
{
    host_error error = flags && active ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (error) return cu_end(error);
    *flags = cu_primary((uint32_t)device)->flags;
    *active = cu_state_get()->primary_uses[device] > 0 || host_face_made(host_get(), HOST_FACE_RUNTIME);
    return cu_end(0);
}

/* ---- created contexts ---- */
static void drop_top(cu_thread *t)
{
    t->depth--;
    if (t->depth && t->stack[t->depth - 1]) host_device_set(host_get(), t->stack[t->depth - 1]->device);
}

static host_error push(cu_context *context)
{
    cu_thread *t = cu_thread_get();
    if (t->depth == CU_STACK_DEPTH) return HOST_MEMORY_ALLOCATION;
    t->stack[t->depth++] = context;
    host_device_set(host_get(), context->device);
    return 0;
}

CU(cuCtxCreate_v2)(cu_context **out, unsigned flags, int device)
{
    host_error error = out && flags_known(flags) ? cu_check_device(device) : HOST_INVALID_VALUE;
    if (error) return cu_end(error);
    cu_context *c = lw_alloc(sizeof *c);
    cu_state *s = cu_state_get();
    pthread_mutex_lock(&s->lock);
    *c = (cu_context){.next = s->contexts, .flags = flags, .live = true};
    c->id = CU_PRIMARY_ID + HOST_DEVICES_MOST - 1 + ++s->next_id;
    c->device = (uint32_t)device;
    s->contexts = c;
    pthread_mutex_unlock(&s->lock);
    *out = c;
    return cu_end(push(c));
}

CU(cuCtxCreate)(cu_context **out, unsigned flags, int device) { return lw_cuda_cuCtxCreate_v2(out, flags, device); }

CU(cuCtxCreate_v3)(cu_context **out, void *affinities, int count, unsigned flags, int device)
{
    if (affinities && count) return cu_end(cu_unsupported("cuCtxCreate with an execution affinity"));
    return lw_cuda_cuCtxCreate_v2(out, flags, device);
}

CU(cuCtxCreate_v4)(cu_context **out, void *const *params, unsigned flags, int device)
{
    if (params && (params[0] || params[2])) return cu_end(cu_unsupported("cuCtxCreate with parameters"));
    return lw_cuda_cuCtxCreate_v2(out, flags, device);
}

CU(cuCtxDestroy_v2)(cu_context *context)
{
    host_error error = cu_need_init();
    if (error) return cu_end(error);
    if (!cu_context_valid(context)) return cu_end(HOST_DEVICE_UNINITIALIZED);
    if (context->primary) return cu_end(HOST_DEVICE_UNINITIALIZED); /* it is released, not destroyed */
    cu_thread *t = cu_thread_get();
    if (t->depth && t->stack[t->depth - 1] == context) drop_top(t);
    cu_state *s = cu_state_get();
    host_error status = host_synchronize(host_get());
    pthread_mutex_lock(&s->lock);
    context->live = false;
    pthread_mutex_unlock(&s->lock);
    empty_unless_used(s, context->device);
    (void)status; /* a fault of a kernel goes with the context */
    return cu_end(0);
}

CU(cuCtxDestroy)(cu_context *context) { return lw_cuda_cuCtxDestroy_v2(context); }

/* Contexts count their users; the last cuCtxDetach destroys. */
CU(cuCtxAttach)(cu_context **out, unsigned flags)
{
    CU_NEED;
    if (!out || flags) return cu_end(HOST_INVALID_VALUE);
    *out = cu_current();
    __atomic_fetch_add(&(*out)->uses, 1, __ATOMIC_RELAXED);
    return cu_end(0);
}

CU(cuCtxDetach)(cu_context *context)
{
    if (!cu_context_valid(context)) return cu_end(HOST_DEVICE_UNINITIALIZED);
    uint32_t uses = __atomic_load_n(&context->uses, __ATOMIC_RELAXED);
    while (uses &&
           !__atomic_compare_exchange_n(&context->uses, &uses, uses - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return cu_end(uses || context->primary ? 0 : lw_cuda_cuCtxDestroy_v2(context));
}

/* ---- the current context ---- */
CU(cuCtxPushCurrent_v2)(cu_context *context)
{
    host_error error = cu_need_init();
    if (error) return cu_end(error);
    return cu_end(cu_context_valid(context) ? push(context) : HOST_DEVICE_UNINITIALIZED);
}

CU(cuCtxPushCurrent)(cu_context *context) { return lw_cuda_cuCtxPushCurrent_v2(context); }

CU(cuCtxPopCurrent_v2)(cu_context **out)
{
    host_error error = cu_need_init();
    if (error) return cu_end(error);
    cu_thread *t = cu_thread_get();
    if (!t->depth) return cu_end(HOST_DEVICE_UNINITIALIZED);
    cu_context *top = cu_current();
    drop_top(t);
    if (out) *out = top;
    return cu_end(0);
}

CU(cuCtxPopCurrent)(cu_context **out) { return lw_cuda_cuCtxPopCurrent_v2(out); }

CU(cuCtxSetCurrent)(cu_context *context)
{
    host_error error = cu_need_init();
    if (error) return cu_end(error);
    cu_thread *t = cu_thread_get();
    if (!context) {
        if (t->depth) drop_top(t);
        return cu_end(0);
    }
    if (!cu_context_valid(context)) return cu_end(HOST_DEVICE_UNINITIALIZED);
    if (!t->depth) return cu_end(push(context));
    t->stack[t->depth - 1] = context;
    host_device_set(host_get(), context->device);
    return cu_end(0);
}

CU(cuCtxGetCurrent)(cu_context **out)
{
    host_error error = cu_need_init();
    if (error || !out) return cu_end(error ? error : HOST_INVALID_VALUE);
    *out = cu_current();
    return cu_end(0);
}

static int check(const cu_context *context)
{
    host_error error = context ? cu_need_init() : cu_need();
    if (error) return error;
    return !context || cu_context_valid(context) ? 0 : HOST_DEVICE_UNINITIALIZED;
}

CU(cuCtxGetDevice_v2)(int *out, const cu_context *context)
{
    int error = out ? check(context) : HOST_INVALID_VALUE;
    if (!error) *out = (int)(context ? context : cu_current())->device;
    return cu_end(error);
}

CU(cuCtxGetDevice)(int *out) { return lw_cuda_cuCtxGetDevice_v2(out, NULL); }

CU(cuCtxSynchronize_v2)(const cu_context *context)
{
    int error = check(context);
    return cu_end(error ? error : host_synchronize(host_get()));
}

CU(cuCtxSynchronize)(void) { return lw_cuda_cuCtxSynchronize_v2(NULL); }

CU(cuCtxGetId)(const cu_context *context, unsigned long long *out)
{
    int error = out ? check(context) : HOST_INVALID_VALUE;
    if (!error) *out = (context ? context : cu_current())->id;
    return cu_end(error);
}

CU(cuCtxGetApiVersion)(const cu_context *context, unsigned *out)
{
    int error = out ? check(context) : HOST_INVALID_VALUE;
    if (!error) *out = 3020; /* the version of cuCtxCreate that every newer one still answers with */
    return cu_end(error);
}

CU(cuCtxGetFlags)(unsigned *out)
{
    CU_NEED;
    if (!out) return cu_end(HOST_INVALID_VALUE);
    *out = cu_current()->flags;
    return cu_end(0);
}

CU(cuCtxSetFlags)(unsigned flags)
{
    CU_NEED;
    if (!flags_known(flags)) return cu_end(HOST_INVALID_VALUE);
    cu_current()->flags = flags;
    return cu_end(0);
}

CU(cuCtxGetExecAffinity)(uint32_t *out, int type)
{
    CU_NEED;
    return cu_end(out && type == 0 ? HOST_UNSUPPORTED_EXEC_AFFINITY : HOST_INVALID_VALUE);
}
