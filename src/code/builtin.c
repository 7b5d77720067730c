/* builtin.c: functions that device code may call without a definition (builtins.def). */
#include "code/decode.h"

#include <string.h>

/* clang-format off */
const code_builtin_info code_builtins[CODE_BUILTIN_COUNT] = {
#define SYSTEM_CALL(ID, name, arguments) [CODE_##ID] = {arguments, false, 0, 0, 0},
#define DEVICE_CALL(ID, name, arguments, pointer, way, bytes) [CODE_##ID] = {arguments, true, pointer, CODE_##way, bytes},
#include "code/builtins.def"
};
static const char *const names[CODE_BUILTIN_COUNT] = {
#define SYSTEM_CALL(ID, name, ...) [CODE_##ID] = name,
#define DEVICE_CALL(ID, name, ...) [CODE_##ID] = name,
#include "code/builtins.def"
};
/* clang-format on */

/* The name behind a prefix; NULL: it has another one. */
static const char *behind(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(name, prefix, n) ? NULL : name + n;
}

static bool is_called(const char *name, const char *row)
{
    size_t n = strlen(row);
    return !strncmp(name, row, n) && (!name[n] || !strcmp(name + n, "_ptsz"));
}

code_builtin code_builtin_of(const char *name)
{
    const char *runtime = behind(name, "__cudaCDP2");
    if (!runtime) runtime = behind(name, "cuda");
    for (int k = CODE_NO_BUILTIN + 1; k < CODE_BUILTIN_COUNT; k++) {
        bool device_call = code_builtins[k].device_call;
        if (device_call ? runtime && is_called(runtime, names[k]) : !strcmp(name, names[k])) return (code_builtin)k;
    }
    return CODE_NO_BUILTIN;
}

code_builtin code_builtin_called(const ptx_insn *insn)
{
    code_builtin found = CODE_NO_BUILTIN;
    if (strncmp(insn->mnemonic, "call", 4) != 0) return found;
    for (uint32_t k = 0; k < insn->operand_count && !found; k++)
        if (insn->operands[k].kind == PTX_OP_FUNCTION) found = code_builtin_of(insn->operands[k].function->name);
    return found;
}
