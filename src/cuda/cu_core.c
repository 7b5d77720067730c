/* The driver face's foundations: the state of the process and of a thread, which context is current, what a call needs
 * before it looks at its parameters, and how it ends. */
#include "cuda/driver.h"

cu_state *cu_state_get(void) { return host_face(host_get(), HOST_FACE_DRIVER, sizeof(cu_state)); }

cu_thread *cu_thread_get(void)
{
    host_thread *t = host_thread_get(host_get());
    if (!t->driver) t->driver = lw_alloc(sizeof(cu_thread));
    return t->driver;
}

/* Numbers that only the runtime API has come from the host room where both faces use it. */
static host_error driver_error(host_error error)
{
    const host_error_desc *row = host_error_find(error);
    return row && row->driver_name ? error : HOST_INVALID_VALUE;
}

int cu_end_call(host_error error, const char *function)
{
    host_error out = driver_error(error);
    face_end(&cu_book, function, out);
    return out;
}

host_error cu_need_init(void)
{
    if (cu_state_get()->initialised || host_face_made(host_get(), HOST_FACE_RUNTIME)) return 0;
    return HOST_INITIALIZATION_ERROR;
}

/* ---- contexts ---- */
static bool context_known(const cu_state *s, const cu_context *context)
{
    if (context >= s->primary && context < s->primary + HOST_DEVICES_MOST) return true;
    for (const cu_context *c = s->contexts; c; c = c->next)
        if (c == context) return true;
    return false;
}

bool cu_context_valid(const cu_context *context)
{
    cu_state *s = cu_state_get();
    pthread_mutex_lock(&s->lock);
    bool valid = context && context_known(s, context) && (context->live || context->primary);
    pthread_mutex_unlock(&s->lock);
    return valid;
}

cu_context *cu_primary(uint32_t device)
{
    cu_context *primary = &cu_state_get()->primary[device];
    primary->primary = true;
    primary->device = device;
    primary->id = CU_PRIMARY_ID + device;
    return primary;
}

cu_context *cu_current(void)
{
    cu_thread *t = cu_thread_get();
    uint32_t device = host_device_current(host_get());
    cu_context **top = t->depth ? &t->stack[t->depth - 1] : NULL;
    if (top && *top && (*top)->device != device) *top = cu_primary(device); /* cudaSetDevice() came after it */
    if (top && *top) return *top;
    return host_face_made(host_get(), HOST_FACE_RUNTIME) ? cu_primary(device) : NULL;
}

host_error cu_need(void)
{
    host_error error = cu_need_init();
    if (error) return error;
    cu_context *current = cu_current();
    if (!current) return HOST_DEVICE_UNINITIALIZED;
    return current->live || current->primary ? 0 : HOST_CONTEXT_IS_DESTROYED;
}

host_error cu_unsupported(const char *name) { return face_unsupported("", name, CU_NOT_SUPPORTED); }

host_error cu_check_device(int device)
{
    host_error error = cu_need_init();
    if (error) return error;
    return host_device_exists(host_get(), device) ? 0 : HOST_INVALID_DEVICE;
}

host_error cu_kernel(const void *function)
{
    return host_kernel_valid(host_get(), function) ? 0 : HOST_INVALID_RESOURCE_HANDLE;
}
