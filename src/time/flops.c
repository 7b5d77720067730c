#include "time/flops.h"

#include <stdlib.h>
#include <string.h>

#include "time/time.h"

static bool begins(const char *text, const char *word)
{
    size_t length = strlen(word);
    return !strncmp(text, word, length) && (!text[length] || text[length] == '.');
}

static bool has(const char *mnemonic, const char *part) { return strstr(mnemonic, part) != NULL; }

/* "m16n8k16": 2 * 16 * 8 * 16. */
static double of_shape(const char *mnemonic)
{
    for (const char *at = strstr(mnemonic, ".m"); at; at = strstr(at + 1, ".m")) {
        char *end;
        double m = (double)strtoul(at + 2, &end, 10);
        if (end == at + 2 || *end != 'n') continue;
        double n = (double)strtoul(end + 1, &end, 10);
        if (*end != 'k') continue;
        return 2 * m * n * (double)strtoul(end + 1, NULL, 10);
    }
    return 0;
}

static double tensor_of(const char *mnemonic)
{
    const double warps = 4; /* that carry out a wgmma together */
    if (begins(mnemonic, "mma") || begins(mnemonic, "wmma.mma")) return of_shape(mnemonic);
    return begins(mnemonic, "wgmma.mma_async") ? of_shape(mnemonic) / warps : 0;
}

/* Of one element; 0: it is no arithmetic that counts. */
static double simple(const char *mnemonic)
{
    if (begins(mnemonic, "fma") || begins(mnemonic, "mad")) return 2;
    return begins(mnemonic, "add") || begins(mnemonic, "sub") || begins(mnemonic, "mul");
}

static bool is_sequence(const char *mnemonic)
{
    return begins(mnemonic, "div") || begins(mnemonic, "sqrt") || begins(mnemonic, "rcp");
}

time_flops time_flops_of(const char *mnemonic)
{
    time_flops f = {.tensor = tensor_of(mnemonic)};
    if (f.tensor > 0) return f;
    double each = simple(mnemonic);
    if (has(mnemonic, ".f16x2") || has(mnemonic, ".bf16x2") || has(mnemonic, ".f32x2")) each *= 2;
    time_work work = time_work_of(mnemonic);
    bool sequence = is_sequence(mnemonic); /* of fused multiply-adds, nearly all */
    if (has(mnemonic, ".f64")) f.fp64 = sequence ? 2 * work.fp64 : each;
    else if (has(mnemonic, ".f32")) f.fp32 = sequence ? 2 * work.fp32 : each;
    else if (has(mnemonic, "f16")) f.fp16 = each;
    return f;
}
