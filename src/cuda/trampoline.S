/* One trampoline per row of entrypoints.def (x86-64, System V): a jump through a table whose slots first lead to a stub
 * that lets lw_cuda_bind() fill the table, with all argument registers kept, and then jumps again. The preprocessor
 * makes everything from the table. */
    .text

#define ENTRY(name, kind, group, base, version, stream) \
    .globl name ; .type name, @function ; .p2align 4 ; \
name: \
    endbr64 ; \
    jmp *.Lslot_##name(%rip) ; \
.Lstub_##name: \
    endbr64 ; \
    lea .Lslot_##name(%rip), %r11 ; \
    jmp .Lresolve ; \
    .size name, .-name ;
#include "entrypoints.def"
#undef ENTRY

    .p2align 4
.Lresolve:
    push %rbp
    mov %rsp, %rbp
    and $-16, %rsp
    sub $208, %rsp
    mov %rdi, 0(%rsp)
    mov %rsi, 8(%rsp)
    mov %rdx, 16(%rsp)
    mov %rcx, 24(%rsp)
    mov %r8, 32(%rsp)
    mov %r9, 40(%rsp)
    mov %rax, 48(%rsp)
    mov %r11, 56(%rsp)
    movaps %xmm0, 64(%rsp)
    movaps %xmm1, 80(%rsp)
    movaps %xmm2, 96(%rsp)
    movaps %xmm3, 112(%rsp)
    movaps %xmm4, 128(%rsp)
    movaps %xmm5, 144(%rsp)
    movaps %xmm6, 160(%rsp)
    movaps %xmm7, 176(%rsp)
    call lw_cuda_bind
    mov 0(%rsp), %rdi
    mov 8(%rsp), %rsi
    mov 16(%rsp), %rdx
    mov 24(%rsp), %rcx
    mov 32(%rsp), %r8
    mov 40(%rsp), %r9
    mov 48(%rsp), %rax
    mov 56(%rsp), %r11
    movaps 64(%rsp), %xmm0
    movaps 80(%rsp), %xmm1
    movaps 96(%rsp), %xmm2
    movaps 112(%rsp), %xmm3
    movaps 128(%rsp), %xmm4
    movaps 144(%rsp), %xmm5
    movaps 160(%rsp), %xmm6
    movaps 176(%rsp), %xmm7
    mov %rbp, %rsp
    pop %rbp
    jmp *(%r11)

    .data
    .p2align 4
    .globl lw_cuda_table
    .hidden lw_cuda_table
    .hidden lw_cuda_bind
lw_cuda_table:
#define ENTRY(name, kind, group, base, version, stream) .Lslot_##name: .quad .Lstub_##name ;
#include "entrypoints.def"
#undef ENTRY

    .section .note.GNU-stack, "", @progbits
