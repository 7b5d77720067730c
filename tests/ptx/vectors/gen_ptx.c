/* gen_ptx.c: writes a PTX module with one kernel per instruction form (forms.h): kernel kN applies form N to three
 * tables and stores the results; and one, iN, per irregular statement (irregular.h). usage: gen_ptx OUT.ptx [REJECTED];
 * REJECTED names forms (one a line) that the assembler refused. */
#include "forms.h"
#include "irregular.h"

typedef struct writer {
    FILE *out;
    char **rejected;
    size_t rejected_count;
    uint32_t number;
} writer;

static const char *load_type(const char *lane)
{
    static char text[8];
    if (!strcmp(lane, "h16") || !strcmp(lane, "b16")) return "b16";
    snprintf(text, sizeof text, "%s", lane);
    return text;
}

static const char *reg_of(const char *lane, uint32_t k)
{
    static char text[4][8];
    uint32_t bytes = lane_name_bytes(lane);
    const char *file = lane[0] == 'f' ? (bytes == 4 ? "f" : "g") : bytes <= 2 ? "h" : bytes == 4 ? "r" : "d";
    snprintf(text[k], sizeof text[k], "%%%s%u", file, 10 + k);
    return text[k];
}

static bool is_rejected(const writer *w, const char *text)
{
    for (size_t k = 0; k < w->rejected_count; k++)
        if (!strcmp(w->rejected[k], text)) return true;
    return false;
}

static void write_irregular(void *user, const irregular *i)
{
    writer *w = user;
    char name[16];
    snprintf(name, sizeof name, "i%u", w->number++);
    if (!is_rejected(w, i->text)) irregular_kernel(w->out, i, name);
}

static void write_form(void *user, const form *f)
{
    writer *w = user;
    uint32_t number = w->number++;
    if (is_rejected(w, f->mnemonic)) return;
    const form_row *r = f->row;
    uint32_t sources = form_sources(r);
    fprintf(
        w->out,
        ".visible .entry k%u(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)\n{\n"
        ".reg .b16 %%h<20>; .reg .b32 %%r<20>; .reg .b64 %%d<20>; .reg .f32 %%f<20>; .reg .f64 %%g<20>; .reg .pred "
        "%%p<4>;\n"
        "mov.u32 %%r0, %%ctaid.x; mov.u32 %%r1, %%ntid.x; mov.u32 %%r2, %%tid.x; mad.lo.u32 %%r0, %%r0, %%r1, %%r2;\n",
        number);
    for (uint32_t k = 1; k <= sources; k++)
        fprintf(w->out,
                "ld.param.u64 %%d0, [p%u]; mul.wide.u32 %%d1, %%r0, %u; add.u64 %%d0, %%d0, %%d1; ld.global.%s %s, "
                "[%%d0];\n",
                k - 1, lane_name_bytes(r->lane[k]), load_type(r->lane[k]), reg_of(r->lane[k], k));
    char mnemonic[80], imm[16] = "";
    snprintf(mnemonic, sizeof mnemonic, "%s", f->mnemonic);
    if (r->allowed & M_IMM) *strchr(mnemonic, ' ') = 0, snprintf(imm, sizeof imm, ", %u", (unsigned)f->imm);
    const char *d = r->kind == 'C' ? form_is_packed_compare(r) ? "%p0|%p1" : "%p0" : reg_of(r->lane[0], 0);
    fprintf(w->out, "%s %s", mnemonic, d);
    for (uint32_t k = 1; k <= sources; k++) fprintf(w->out, ", %s", reg_of(r->lane[k], k));
    fprintf(w->out, "%s; // %s\n", imm, f->mnemonic);
    if (r->kind == 'C') {
        fprintf(w->out, "selp.u16 %%h10, 1, 0, %%p0;\n");
        if (form_is_packed_compare(r)) fprintf(w->out, "selp.u16 %%h11, 2, 0, %%p1; or.b16 %%h10, %%h10, %%h11;\n");
    }
    uint32_t bytes = lane_name_bytes(r->lane[0]);
    fprintf(w->out,
            "ld.param.u64 %%d0, [p3]; mul.wide.u32 %%d1, %%r0, %u; add.u64 %%d0, %%d0, %%d1; st.global.%s%u [%%d0], "
            "%s;\nret;\n}\n",
            bytes, r->lane[0][0] == 'f' ? "f" : "b", 8 * bytes, r->kind == 'C' ? "%h10" : reg_of(r->lane[0], 0));
}

int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    writer w = {.out = fopen(argv[1], "w")};
    if (!w.out) return 1;
    FILE *in = argc > 2 ? fopen(argv[2], "r") : NULL;
    char line[256];
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = 0;
        w.rejected = realloc(w.rejected, (w.rejected_count + 1) * sizeof *w.rejected);
        w.rejected[w.rejected_count++] = strdup(line);
    }
    if (in) fclose(in);
    fprintf(w.out, ".version 9.0\n.target sm_90\n.address_size 64\n");
    each_form(write_form, &w);
    uint32_t forms = w.number;
    w.number = 0;
    each_irregular(write_irregular, &w);
    printf("%u forms and %u irregular statements, %zu rejected\n", forms, w.number, w.rejected_count);
    return fclose(w.out) != 0;
}
