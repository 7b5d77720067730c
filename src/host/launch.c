/* Launches: the configuration is checked when the program calls (launch_check.c), the parameters are copied, and the engine
 * later runs the kernel (launch_run.c). */
#include <stdlib.h>
#include <string.h>

#include "host/devices.h"
#include "host/graph.h"
#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/module_priv.h"
#include "host/refuse.h"
#include "host/settings_priv.h"
#include "host/state_priv.h"
#include "host/stream_priv.h"
#include "host/submit_priv.h"

/* The values of the parameters, copied into the image that the kernel reads. */
static host_error fill_params(const code_kernel *code, void *const *params, uint8_t *image)
{
    for (uint32_t i = 0; i < code->param_count; i++) {
        if (!params[i])
            return host_refuse(HOST_INVALID_VALUE, "The address of argument %u of %u is NULL.", i + 1,
                               code->param_count);
        memcpy(image + code->params[i].offset, params[i], code->params[i].bytes);
    }
    return 0;
}

static host_error make_kernel_op(host_kernel *k, const host_launch_config *config, void *const *params,
                                 const void *packed, size_t packed_bytes, host_op *out)
{
    *out = (host_op){.kind = HOST_OP_KERNEL};
    out->u.kernel.kernel = k;
    out->u.kernel.config = *config;
    host_error error = host_launch_check(k, &out->u.kernel.config);
    if (error) return error;
    const code_kernel *code = k->code;
    if (code->param_count && !params && !packed)
        return host_refuse(HOST_INVALID_VALUE, "The kernel takes %u arguments; the launch gives none.",
                           code->param_count);
    uint8_t *image = lw_alloc(code->param_bytes);
    if (params) error = fill_params(code, params, image);
    else if (packed) memcpy(image, packed, LW_MIN(packed_bytes, (size_t)code->param_bytes));
    if (error) {
        free(image);
        return error;
    }
    out->u.kernel.params = image;
    out->u.kernel.param_bytes = code->param_bytes;
    int banks = k->bank_config ? k->bank_config : k->module->context->settings->of[k->module->device].banks;
    out->u.kernel.bank_bytes = banks == HOST_BANKS_EIGHT_BYTES ? 8 : 4;
    return 0;
}

host_error host_kernel_op(host_kernel *k, const host_launch_config *config, void *const *params, const void *packed,
                          size_t packed_bytes, host_op *out)
{
    host_error error = host_kernel_need(k);
    if (error)
        host_refuse(error, "lanewise cannot run its code (a remark says why): what follows is not the program's own "
                           "result.");
    else error = make_kernel_op(k, config, params, packed, packed_bytes, out);
    if (error) host_refuse_kernel(host_kernel_demangled(k));
    return error;
}

host_error host_launch(host_kernel *k, const host_launch_config *config, void *const *params, const void *packed,
                       size_t packed_bytes)
{
    host_context *c = k->module->context;
    host_error error = host_status(c);
    if (error) return error;
    if (k->module->device != config->stream->device)
        return host_refuse_other_device("kernel", k->module->device, config->stream->device);
    host_op op;
    host_launch_config own = *config;
    if (!own.window_given) own.window = host_stream_window(own.stream);
    error = host_kernel_op(k, &own, params, packed, packed_bytes, &op);
    if (error) return error;
    error = host_submit(config->stream, &op, false);
    if (!error && config->completion_event) error = host_event_record(config->completion_event, config->stream, 0);
    return error;
}
