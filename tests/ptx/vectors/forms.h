/* forms.h: every form of the regular rows of insns.def: a row with one choice of its modifiers, and its PTX spelling.
 * Shared by the generator of the recording program and by the tests. */
#ifndef LW_TEST_VECTOR_FORMS_H
#define LW_TEST_VECTOR_FORMS_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/mods.h"
#include "inputs.h"

typedef struct form_row {
    const char *id, *key, *expr;
    char kind; /* R, F, C (comparison) */
    uint8_t sources;
    const char *lane[4]; /* d a b c, as insns.def spells them */
    uint32_t allowed;
    uint16_t index; /* among the regular rows, in the order of the table */
} form_row;

static const form_row form_rows[] = {
#define R1(id, key, mods, ptx, sm, D, A, e) {#id, key, #e, 'R', 1, {#D, #A, "", ""}, mods, 0},
#define R2(id, key, mods, ptx, sm, D, A, B, e) {#id, key, #e, 'R', 2, {#D, #A, #B, ""}, mods, 0},
#define R3(id, key, mods, ptx, sm, D, A, B, C, e) {#id, key, #e, 'R', 3, {#D, #A, #B, #C}, mods, 0},
#define F1(id, key, mods, ptx, sm, T, e) {#id, key, #e, 'F', 1, {#T, #T, "", ""}, mods, 0},
#define F2(id, key, mods, ptx, sm, T, e) {#id, key, #e, 'F', 2, {#T, #T, #T, ""}, mods, 0},
#define F3(id, key, mods, ptx, sm, T, e) {#id, key, #e, 'F', 3, {#T, #T, #T, #T}, mods, 0},
#define RC(id, key, mods, ptx, sm, A, e) {#id, key, #e, 'C', 2, {"pred", #A, #A, ""}, mods, 0},
#include "ptx/insns.def"
};
#define FORM_ROWS (sizeof form_rows / sizeof form_rows[0])

typedef struct form {
    const form_row *row;
    uint32_t mods;
    int64_t imm;
    char mnemonic[80];
} form;

static bool is_type_part(const char *part)
{
    return strchr("usbfet", part[0]) &&
           (isdigit((unsigned char)part[1]) || isdigit((unsigned char)part[2]) || !strncmp(part, "tf32", 4));
}

/* Puts the modifiers before the first type of the key: the order that the ISA's syntax has. */
static void form_spell(form *f, const char *rounding)
{
    char mods[64] = "";
    const char *key = f->row->key;
    bool fp8 = strstr(key, ".e4m3x2.") || strstr(key, ".e5m2x2.") || strstr(key, ".tf32.");
    strcat(mods, rounding);
    if (f->mods & PTX_FTZ) strcat(mods, ".ftz");
    if (f->mods & PTX_OOB) strcat(mods, ".oob");
    if ((f->mods & PTX_SATFINITE) && fp8) strcat(mods, ".satfinite");
    if (f->mods & PTX_RELU) strcat(mods, ".relu");
    if ((f->mods & PTX_SATFINITE) && !fp8) strcat(mods, ".satfinite");
    if (f->mods & PTX_SAT) strcat(mods, ".sat");
    if (f->mods & PTX_NAN) strcat(mods, ".NaN");
    if (f->mods & PTX_XORSIGN) strcat(mods, ".xorsign.abs");
    const char *at = strchr(key, '.');
    while (at && !is_type_part(at + 1)) at = strchr(at + 1, '.');
    snprintf(f->mnemonic, sizeof f->mnemonic, "%.*s%s%s", (int)(at - key), key, mods, at);
}

/* Calls visit for every form of a row. */
static void each_form_of(const form_row *r, void (*visit)(void *user, const form *f), void *user)
{
    static const struct {
        const char *text;
        uint32_t mods, need;
    } rounding[] = {
        {"", 0, 0},
        {".rn", PTX_RND_RN, M_RN},
        {".rz", PTX_RND_RZ, M_RZ},
        {".rm", PTX_RND_RM, M_RMP},
        {".rp", PTX_RND_RP, M_RMP},
        {".rni", PTX_RINT | PTX_RND_RN, M_RINT},
        {".rzi", PTX_RINT | PTX_RND_RZ, M_RINT},
        {".rmi", PTX_RINT | PTX_RND_RM, M_RINT},
        {".rpi", PTX_RINT | PTX_RND_RP, M_RINT},
        {".rna", PTX_RNA, M_RNA},
    };
    static const uint32_t flags[] = {PTX_FTZ, PTX_SAT, PTX_RELU, PTX_SATFINITE, PTX_NAN, PTX_XORSIGN, PTX_OOB};
    for (size_t k = 0; k < sizeof rounding / sizeof rounding[0]; k++) {
        if (rounding[k].need & ~r->allowed) continue;
        if (k == 0 && (r->allowed & M_RN) && strncmp(r->key, "cvt", 3)) continue; /* none means .rn */
        for (uint32_t set = 0; set < 1u << 7; set++) {
            form f = {.row = r, .mods = rounding[k].mods};
            bool ok = true;
            for (uint32_t b = 0; b < 7; b++)
                if (set >> b & 1) f.mods |= flags[b], ok &= (r->allowed & flags[b]) != 0;
            if (!ok) continue;
            static const int64_t tables[] = {0xca, 0x96, 0x1d};
            for (uint32_t t = 0; t < (r->allowed & M_IMM ? 3u : 1u); t++) {
                f.imm = r->allowed & M_IMM ? tables[t] : 0;
                form_spell(&f, rounding[k].text);
                if (r->allowed & M_IMM) snprintf(f.mnemonic + strlen(f.mnemonic), 8, " 0x%02x", (unsigned)f.imm);
                visit(user, &f);
            }
        }
    }
}

static void each_form(void (*visit)(void *user, const form *f), void *user)
{
    for (size_t k = 0; k < FORM_ROWS; k++) each_form_of(&form_rows[k], visit, user);
}

static uint32_t lane_name_bytes(const char *t)
{
    if (!strcmp(t, "pred")) return 1;
    if (!strcmp(t, "h16") || !strcmp(t, "b16")) return 2;
    return (uint32_t)atoi(t + 1) / 8;
}

/* The class of an operand: from its lane type, and for packed or short floats from the key's last type. */
static inline enum vector_class class_of_operand(const form_row *r, const char *lane)
{
    const char *last = strrchr(r->key, '.') + 1;
    if (!strcmp(lane, "f32")) return CLASS_F32;
    if (!strcmp(lane, "f64")) return CLASS_F64;
    if (!strcmp(lane, "h16")) return CLASS_H16;
    if (!strcmp(lane, "b16")) return CLASS_B16;
    if (!strcmp(last, "f16x2")) return CLASS_H16X2;
    if (!strcmp(last, "bf16x2")) return CLASS_B16X2;
    if (!strcmp(last, "f32") && !strcmp(lane, "u32")) return CLASS_F32;
    if (!strcmp(last, "f64") && !strcmp(lane, "u64")) return CLASS_F64;
    return CLASS_INT;
}

static bool form_is_packed_compare(const form_row *r) { return r->kind == 'C' && strstr(r->key, "x2"); }
static bool form_is_test(const form_row *r) { return !strncmp(r->key, "testp", 5); }
static uint32_t form_sources(const form_row *r) { return form_is_test(r) ? 1 : r->sources; }

#endif
