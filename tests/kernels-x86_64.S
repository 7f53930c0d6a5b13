/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The call that watches the calling convention (System V, x86-64), and kernels that break it one way
 * each, to see that it is noticed. kernels-convention.c says what the frame's fields are. Empty on
 * other hosts.
 */
#if defined __x86_64__ && defined __LP64__ && defined __ELF__
#include "providers/native/x86_64/asm.h"

/* Offsets in struct kernels_frame. */
#define F_FUNCTION 0
#define F_ARG(i) 8 + 8 * i
#define F_RESULT 56
#define F_POISON(i) 64 + 8 * i
#define F_SAVED(i) 112 + 8 * i
#define F_RFLAGS 160
#define F_STACK 168
#define F_STACK_AFTER 176
#define F_ABOVE 184
#define F_TRAP 192
#define F_ASK_IN_USE 200
#define F_IN_USE 208
#define F_MXCSR 216
#define F_MXCSR_AFTER 220
#define F_X87 224
#define F_X87_AFTER 226
#define F_ENVIRONMENT 232
#define F_SEVENTH 264
#define F_HAS_SEVENTH 272

#define ABOVE 256 /* octets of canaries above the return address */
#define ROOM ABOVE + 8

/* void lb_kernels_call(struct kernels_frame *) */
LB_FUNCTION(lb_kernels_call)
        .irp    reg, rbx, rbp, r12, r13, r14, r15
        push    %\reg
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %\reg, 0
        .endr
        sub     $(ROOM), %rsp
        .cfi_adjust_cfa_offset ROOM
        mov     %rdi, lb_kernels_frame(%rip)
        mov     %rdi, %r10

        mov     $0xa5a5a5a5a5a5a5a5, %rax
        mov     $(ABOVE / 8), %ecx
        mov     %rsp, %rdi
        rep stosq
        mov     %rsp, F_STACK(%r10)
        cmpq    $0, F_HAS_SEVENTH(%r10)
        je      4f
        mov     F_SEVENTH(%r10), %rax /* in the first canary's place, which is the callee's then */
        mov     %rax, (%rsp)

4:      cmpq    $0, F_ASK_IN_USE(%r10)
        je      1f
        vzeroupper
1:      ldmxcsr F_MXCSR(%r10)
        fldcw   F_X87(%r10)
        mov     F_ARG(0)(%r10), %rdi
        mov     F_ARG(1)(%r10), %rsi
        mov     F_ARG(2)(%r10), %rdx
        mov     F_ARG(3)(%r10), %rcx
        mov     F_ARG(4)(%r10), %r8
        mov     F_ARG(5)(%r10), %r9
        mov     F_FUNCTION(%r10), %rax
        mov     F_POISON(0)(%r10), %rbx
        mov     F_POISON(1)(%r10), %rbp
        mov     F_POISON(2)(%r10), %r12
        mov     F_POISON(3)(%r10), %r13
        mov     F_POISON(4)(%r10), %r14
        mov     F_POISON(5)(%r10), %r15
        cmpq    $0, F_TRAP(%r10)
        je      2f
        pushfq
        .cfi_adjust_cfa_offset 8
        orq     $0x100, (%rsp)
        popfq
        .cfi_adjust_cfa_offset -8
2:      call    *%rax

        mov     lb_kernels_frame(%rip), %r10
        mov     %rsp, F_STACK_AFTER(%r10)
        mov     F_STACK(%r10), %rsp
        pushfq
        .cfi_adjust_cfa_offset 8
        mov     (%rsp), %r11
        andq    $~0x500, (%rsp)
        popfq
        .cfi_adjust_cfa_offset -8
        mov     %r11, F_RFLAGS(%r10)
        mov     %rax, F_RESULT(%r10)
        mov     %rbx, F_SAVED(0)(%r10)
        mov     %rbp, F_SAVED(1)(%r10)
        mov     %r12, F_SAVED(2)(%r10)
        mov     %r13, F_SAVED(3)(%r10)
        mov     %r14, F_SAVED(4)(%r10)
        mov     %r15, F_SAVED(5)(%r10)
        stmxcsr F_MXCSR_AFTER(%r10)
        fnstcw  F_X87_AFTER(%r10)
        fnstenv F_ENVIRONMENT(%r10)
        fninit
        movl    $0x1f80, -4(%rsp)
        ldmxcsr -4(%rsp)
        cmpq    $0, F_ASK_IN_USE(%r10)
        je      3f
        mov     $1, %ecx
        xgetbv
        mov     %rax, F_IN_USE(%r10)
        vzeroupper
3:      mov     $0xa5a5a5a5a5a5a5a5, %rax
        cmpq    $0, F_HAS_SEVENTH(%r10)
        je      5f
        mov     %rax, (%rsp)
5:      mov     $(ABOVE / 8), %ecx
        mov     %rsp, %rdi
        repe scasq
        setne   %al
        movzbl  %al, %eax
        mov     %rax, F_ABOVE(%r10)

        add     $(ROOM), %rsp
        .cfi_adjust_cfa_offset -(ROOM)
        .irp    reg, r15, r14, r13, r12, rbp, rbx
        pop     %\reg
        .cfi_adjust_cfa_offset -8
        .cfi_restore %\reg
        .endr
        ret
LB_END(lb_kernels_call)

        .local  lb_kernels_frame
        .comm   lb_kernels_frame, 8, 8

/* uint64_t lb_kernels_in_use(void): XINUSE, which parts of the vector state are not clean. */
LB_FUNCTION(lb_kernels_in_use)
        vzeroupper
        mov     $1, %ecx
        xgetbv
        ret
LB_END(lb_kernels_in_use)

/* The bad ones: limb add(r, a, b, n) for n = 1, each with its own fault. */
    .macro one
        mov     (%rsi), %rax
        add     (%rdx), %rax
        mov     %rax, (%rdi)
        sbb     %rax, %rax
        neg     %rax
    .endm

LB_FUNCTION(lb_bad_saved_register)
        mov     $1, %r13d
        one
        ret
LB_END(lb_bad_saved_register)

LB_FUNCTION(lb_bad_direction)
        one
        std
        ret
LB_END(lb_bad_direction)

LB_FUNCTION(lb_bad_mxcsr)
        one
        movl    $0x1f80, -4(%rsp)
        ldmxcsr -4(%rsp)
        ret
LB_END(lb_bad_mxcsr)

LB_FUNCTION(lb_bad_x87)
        one
        fninit
        ret
LB_END(lb_bad_x87)

LB_FUNCTION(lb_bad_mmx)
        one
        pxor    %mm0, %mm0
        ret
LB_END(lb_bad_mmx)

LB_FUNCTION(lb_bad_upper_half)
        one
        vpcmpeqd %xmm0, %xmm0, %xmm0
        vinsertf128 $1, %xmm0, %ymm0, %ymm0
        ret
LB_END(lb_bad_upper_half)

LB_FUNCTION(lb_bad_above)
        one
        movq    $0, 64(%rsp)
        ret
LB_END(lb_bad_above)

/* Below the red zone: only a signal shows it. */
LB_FUNCTION(lb_bad_below)
        one
        mov     %rax, -512(%rsp)
        xor     %eax, %eax
        mov     -512(%rsp), %rax
        ret
LB_END(lb_bad_below)

/* The frame description forgets a push; of an address, which the unwinder may try to read. */
LB_FUNCTION(lb_bad_frame)
        push    %rsi
        one
        pop     %rsi
        ret
LB_END(lb_bad_frame)

/* Those of level 2 go on to a good kernel. */
LB_FUNCTION(lb_bad_moduli_register)
        sub     $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    *lb_bad_next(%rip)
        mov     $1, %r13d
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
        ret
LB_END(lb_bad_moduli_register)

/* The seventh argument is the callee's, what lies above it is not. */
LB_FUNCTION(lb_bad_moduli_above)
        movq    $0, 16(%rsp)
        jmp     *lb_bad_next(%rip)
LB_END(lb_bad_moduli_above)

LB_FUNCTION(lb_bad_moduli_frame)
        push    %rsi
        pop     %rsi
        jmp     *lb_bad_next(%rip)
LB_END(lb_bad_moduli_frame)

        .globl  lb_bad_next
        .hidden lb_bad_next
        .comm   lb_bad_next, 8, 8
#endif
