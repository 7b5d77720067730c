/* random_ptx.h: a tree of random_program.h as PTX. */
#ifndef LW_TESTS_RANDOM_PTX_H
#define LW_TESTS_RANDOM_PTX_H

#include "random_program.h"

typedef struct writer {
    program *p;
    lw_text *out;
    u32 loop_end[4], loop_next[4], loops; /* labels of the loops around this place */
} writer;

static void put_operand(writer *w, const operand *o, u32 class)
{
    if (o->immediate) lw_text_add(w->out, "%u", (u32)o->value);
    else lw_text_add(w->out, "%%%c%u", class_letter[class], (u32)o->value);
}

static void put_guard(writer *w, const statement *s, bool invert)
{
    if (s->guard >= 0) lw_text_add(w->out, "@%s%%p%d ", s->negated != invert ? "!" : "", s->guard);
}

static void put_assign(writer *w, const statement *s)
{
    const operation *o = &operations[s->op];
    bool packs = strchr(o->text, '{') != NULL;
    put_guard(w, s, false);
    lw_text_add(w->out, "%.*s %%%c%u", (int)strcspn(o->text, "{"), o->text, class_letter[o->result], s->dst);
    for (u32 k = 0; k < 3 && o->source[k] != N; k++) {
        lw_text_add(w->out, packs && !k ? ", {" : ", ");
        put_operand(w, &s->source[k], o->source[k]);
    }
    lw_text_add(w->out, "%s%s;\n", packs ? "}" : "", o->suffix);
}

static void put_list(writer *w, const statement *s);

static void put_branch(writer *w, const statement *s)
{
    u32 other = w->p->labels++, end = w->p->labels++;
    put_guard(w, s, true);
    lw_text_add(w->out, "bra L%u;\n", other);
    put_list(w, s->body[0]);
    if (s->body[1]) lw_text_add(w->out, "bra L%u;\n", end);
    lw_text_add(w->out, "L%u:\n", other);
    put_list(w, s->body[1]);
    lw_text_add(w->out, "L%u:\n", end);
}

/* Trips: the low bits of a register, one more when tested at the end. */
static void put_loop(writer *w, const statement *s)
{
    u32 head = w->p->labels++, next = w->p->labels++, end = w->p->labels++, c = w->loops, r = (u32)s->source[0].value;
    lw_text_add(w->out, "and.b32 %%c%u, %%v%u, 7;\n", c, r);
    if (s->flag) lw_text_add(w->out, "add.u32 %%c%u, %%c%u, 1;\nL%u:\n", c, c, head);
    else
        lw_text_add(w->out, "L%u:\nL%u: setp.eq.u32 %%q%u, %%c%u, 0;\n@%%q%u bra L%u;\nsub.u32 %%c%u, %%c%u, 1;\n",
                    head, next, c, c, c, end, c, c);
    w->loop_end[w->loops] = end, w->loop_next[w->loops++] = next;
    put_list(w, s->body[0]);
    w->loops--;
    if (s->flag)
        lw_text_add(w->out, "L%u: sub.u32 %%c%u, %%c%u, 1;\nsetp.ne.u32 %%q%u, %%c%u, 0;\n@%%q%u bra L%u;\n", next, c,
                    c, c, c, c, head);
    else lw_text_add(w->out, "bra L%u;\n", head);
    lw_text_add(w->out, "L%u:\n", end);
}

static void put_switch(writer *w, const statement *s)
{
    u32 first = w->p->labels, end = first + 4;
    w->p->labels += 5;
    lw_text_add(w->out, "T%u: .branchtargets L%u, L%u, L%u, L%u;\nand.b32 %%t0, %%v%u, 3;\nbrx.idx %%t0, T%u;\n", first,
                first, first + 1, first + 2, first + 3, (u32)s->source[0].value, first);
    for (u32 k = 0; k < 4; k++) {
        lw_text_add(w->out, "L%u:\n", first + k);
        put_list(w, s->body[k]);
        if (!(s->number >> k & 1)) lw_text_add(w->out, "bra L%u;\n", end);
    }
    lw_text_add(w->out, "L%u:\n", end);
}

static void put_call(writer *w, const statement *s)
{
    u32 a = (u32)s->source[0].value, b = (u32)s->source[1].value;
    lw_text_add(w->out,
                "{ .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], %%v%u; and.b32 %%t0, %%v%u, 3; "
                "st.param.b32 [b], %%t0;\n",
                a, b);
    if (s->kind == CALL) {
        put_guard(w, s, false);
        lw_text_add(w->out, "call (r), f%u, (a, b);\n", s->number);
        put_guard(w, s, false);
    } else {
        u32 proto = w->p->labels++;
        lw_text_add(w->out, "mov.u64 %%x0, f%u; mov.u64 %%x1, f%u; selp.b64 %%x0, %%x0, %%x1, %%p%d;\n", s->number,
                    s->number + 1, s->guard);
        lw_text_add(
            w->out,
            "C%u: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\ncall (r), %%x0, (a, b), C%u;\n",
            proto, proto);
    }
    lw_text_add(w->out, "ld.param.b32 %%v%u, [r]; }\n", s->dst);
}

static void put_return(writer *w, const statement *s)
{
    u32 on = w->p->labels++;
    put_guard(w, s, true);
    lw_text_add(w->out, "bra L%u;\nst.param.b32 [result], %%v%u;\nret;\nL%u:\n", on, (u32)s->source[0].value, on);
}

static void put_local(writer *w, const statement *s)
{
    u32 value = s->kind == LOCAL_STORE ? (u32)s->source[1].value : s->dst;
    lw_text_add(
        w->out,
        "and.b32 %%t0, %%v%u, %u;\nmul.wide.u32 %%x0, %%t0, 4;\nmov.u64 %%x1, words;\nadd.u64 %%x0, %%x0, %%x1;\n",
        (u32)s->source[0].value, LOCAL_WORDS - 1);
    if (s->kind == LOCAL_STORE) lw_text_add(w->out, "st.local.u32 [%%x0], %%v%u;\n", value);
    else lw_text_add(w->out, "ld.local.u32 %%v%u, [%%x0];\n", value);
}

static void put_bin_address(writer *w, const char *index)
{
    lw_text_add(w->out,
                "and.b32 %%t0, %s, %u;\nshl.b32 %%t0, %%t0, 2;\nmov.u32 %%t1, bins;\nadd.u32 %%t0, %%t0, %%t1;\n",
                index, BINS - 1);
}

static void put_collective(writer *w, const statement *s)
{
    static const char *const ways[] = {"up", "down", "bfly", "idx"}, *const limits[] = {"0", "0x1f", "0x1f", "0x1f"};
    u32 a = (u32)s->source[0].value;
    switch (s->kind) {
    case SHUFFLE:
        lw_text_add(w->out, "shfl.sync.%s.b32 %%v%u|%%p%d, %%v%u, %u, %s, -1;\n", ways[s->op], s->dst, s->guard, a,
                    s->number, limits[s->op]);
        break;
    case BALLOT:
        lw_text_add(w->out, "vote.sync.ballot.b32 %%v%u, %s%%p%d, -1;\n", s->dst, s->negated ? "!" : "", s->guard);
        break;
    case VOTE:
        lw_text_add(w->out, "vote.sync.%s.pred %%p%u, %s%%p%d, -1;\n", s->flag ? "all" : "any", s->dst,
                    s->negated ? "!" : "", s->guard);
        break;
    case REDUCE: lw_text_add(w->out, "redux.sync.add.u32 %%v%u, %%v%u, -1;\n", s->dst, a); break;
    case EXCHANGE:
        lw_text_add(w->out,
                    "shl.b32 %%t0, %%lin, 2;\nmov.u32 %%t1, cells;\nadd.u32 %%t0, %%t0, %%t1;\nst.shared.u32 [%%t0], "
                    "%%v%u;\nbar.sync 0;\n",
                    a);
        lw_text_add(w->out,
                    "mad.lo.u32 %%t0, %%lin, 7, %u;\nrem.u32 %%t0, %%t0, %u;\nshl.b32 %%t0, %%t0, 2;\nadd.u32 %%t0, "
                    "%%t0, %%t1;\n",
                    s->number, w->p->threads);
        lw_text_add(w->out, "ld.shared.u32 %%v%u, [%%t0];\nbar.sync 0;\n", s->dst);
        break;
    default: /* READ_BINS */
        lw_text_add(w->out, "bar.sync 0;\n");
        put_bin_address(w, "%lin");
        lw_text_add(w->out, "ld.shared.u32 %%v%u, [%%t0];\nbar.sync 0;\n", s->dst);
    }
}

static void put_statement(writer *w, const statement *s)
{
    char index[16];
    switch (s->kind) {
    case ASSIGN: put_assign(w, s); break;
    case BRANCH: put_branch(w, s); break;
    case LOOP: put_loop(w, s); break;
    case SWITCH: put_switch(w, s); break;
    case BREAK_IF:
        put_guard(w, s, false);
        lw_text_add(w->out, "bra L%u;\n", w->loop_end[w->loops - 1]);
        break;
    case CONTINUE_IF:
        put_guard(w, s, false);
        lw_text_add(w->out, "bra L%u;\n", w->loop_next[w->loops - 1]);
        break;
    case CALL:
    case CALL_INDIRECT: put_call(w, s); break;
    case RETURN_IF: put_return(w, s); break;
    case EXIT_IF:
        put_guard(w, s, false);
        lw_text_add(w->out, "exit;\n");
        break;
    case STORE:
        lw_text_add(w->out, "st.global.u32 [%%out+%u], %%v%u;\n", 4 * s->number, (u32)s->source[0].value);
        break;
    case LOCAL_STORE:
    case LOCAL_LOAD: put_local(w, s); break;
    case COUNT:
        snprintf(index, sizeof index, "%%v%u", (u32)s->source[0].value);
        put_bin_address(w, index);
        lw_text_add(w->out, "red.shared.add.u32 [%%t0], %%v%u;\n", (u32)s->source[1].value);
        break;
    default: put_collective(w, s);
    }
}

static void put_list(writer *w, const statement *s)
{
    for (; s; s = s->next) put_statement(w, s);
}

static void put_start(writer *w, const char *a, const char *b)
{
    lw_text_add(w->out,
                ".reg .b32 %%v<%u>; .reg .b64 %%w<8>; .reg .b16 %%h<8>; .reg .pred %%p<8>; .reg .pred %%q<4>; .reg "
                ".b32 %%c<4>;\n"
                ".reg .b32 %%t<4>; .reg .b64 %%x<4>; .reg .b64 %%out; .reg .b32 %%lin; .reg .b64 %%y<2>;\n",
                REGISTERS);
    lw_text_add(w->out, "%s%s", a, b); /* sets %t2 and %t3 */
    lw_text_add(w->out, "cvt.u64.u32 %%y0, %%t2; cvt.u64.u32 %%y1, %%t3;\n");
    for (u32 c = 0; c < P; c++)
        for (u32 k = 0; k < class_registers[c]; k++) {
            lw_text_add(w->out, "mul.lo.u64 %%x0, %%y0, %u; mad.lo.u64 %%x0, %%y1, %u, %%x0; add.u64 %%x0, %%x0, %u;\n",
                        2 * k + 1, k + 3, 17 * k);
            lw_text_add(w->out,
                        c == V   ? "cvt.u32.u64 %%v%u, %%x0;\n"
                        : c == W ? "mov.u64 %%w%u, %%x0;\n"
                                 : "cvt.u16.u64 %%h%u, %%x0;\n",
                        k);
        }
    for (u32 k = 0; k < class_registers[P]; k++)
        lw_text_add(
            w->out,
            "shr.u32 %%t0, %%t2, %u; xor.b32 %%t0, %%t0, %%t3; and.b32 %%t0, %%t0, 1; setp.ne.u32 %%p%u, %%t0, 0;\n", k,
            k);
}

static void put_function(writer *w, u32 n)
{
    const function *f = &w->p->functions[n];
    lw_text_add(w->out, ".func (.param .b32 result) f%u(.param .b32 a0, .param .b32 b0)\n{\n", n);
    put_start(w, "ld.param.u32 %t2, [a0];\n", "ld.param.u32 %t3, [b0];\n");
    put_list(w, f->body);
    if (f->recursive) {
        u32 on = w->p->labels++;
        lw_text_add(w->out,
                    "setp.eq.u32 %%q0, %%t3, 0;\n@%%q0 bra L%u;\nsub.u32 %%t0, %%t3, 1;\n{ .param .b32 a; .param .b32 "
                    "b; .param .b32 r; st.param.b32 [a], %%v1; "
                    "st.param.b32 [b], %%t0; call (r), f%u, (a, b); ld.param.b32 %%t1, [r]; }\nadd.u32 %%v0, %%v0, "
                    "%%t1;\nL%u:\n",
                    on, n, on);
    }
    lw_text_add(w->out, "st.param.b32 [result], %%v0;\nret;\n}\n");
}

static void put_finish(writer *w)
{
    u32 slot = 0;
    for (u32 k = 0; k < class_registers[V]; k++)
        lw_text_add(w->out, "st.global.u32 [%%out+%u], %%v%u;\n", 4 * slot++, k);
    for (u32 k = 0; k < class_registers[W]; k++, slot += 2) { /* not 8-byte aligned in general: two words */
        lw_text_add(w->out,
                    "mov.b64 {%%t0, %%t1}, %%w%u; st.global.u32 [%%out+%u], %%t0; st.global.u32 [%%out+%u], %%t1;\n", k,
                    4 * slot, 4 * slot + 4);
    }
    lw_text_add(w->out, "mov.u32 %%t0, 0;\n");
    for (u32 k = 0; k < class_registers[H]; k++)
        lw_text_add(w->out, "cvt.u32.u16 %%t1, %%h%u; mad.lo.u32 %%t0, %%t0, 31, %%t1;\n", k);
    for (u32 k = 0; k < class_registers[P]; k++)
        lw_text_add(w->out, "selp.u32 %%t1, 1, 0, %%p%u; mad.lo.u32 %%t0, %%t0, 31, %%t1;\n", k);
    lw_text_add(w->out, "st.global.u32 [%%out+%u], %%t0;\nret;\n}\n", 4 * slot);
}

static void put_program(program *p, lw_text *out)
{
    writer w = {.p = p, .out = out};
    lw_text_add(out, ".version 8.0\n.target sm_90\n.address_size 64\n");
    for (u32 n = 0; n < FUNCTIONS; n++) put_function(&w, n);
    lw_text_add(out,
                ".visible .entry k(.param .u64 out)\n{\n.shared .align 4 .b8 cells[%u]; .shared .align 4 .b8 bins[%u]; "
                ".local .align 4 .b8 words[%u];\n",
                4 * MOST_THREADS, 4 * BINS, 4 * LOCAL_WORDS);
    put_start(&w,
              "mov.u32 %lin, %tid.x;\nmov.u32 %t0, %ctaid.x;\nmov.u32 %t1, %ntid.x;\nmad.lo.u32 %t2, %t0, %t1, "
              "%lin;\nmov.u32 %t3, 5;\n",
              "ld.param.u64 %out, [out];\n");
    lw_text_add(out, "mul.wide.u32 %%x0, %%t2, %u;\nadd.u64 %%out, %%out, %%x0;\nmov.u32 %%t0, 0;\n", 4 * SLOTS);
    for (u32 k = 0; k < LOCAL_WORDS; k++) lw_text_add(out, "st.local.u32 [words+%u], %%t0;\n", 4 * k);
    put_bin_address(&w, "%lin");
    lw_text_add(out, "mov.u32 %%t1, 0;\nst.shared.u32 [%%t0], %%t1;\nbar.sync 0;\n");
    put_list(&w, p->body);
    put_finish(&w);
}

#endif
