/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Baseline kernels: a row times one limb.
 *
 * Registers
 *   rdi  r    rsi  a    rdx  n on entry    rcx  b
 *   r8 r9, r10 r11, rbx rbp, rax rdx: low and high halves of four products
 *   r12  the limb carried from turn to turn    r13  turns left    r14  limbs beyond the last turn
 *
 * A turn makes four products and adds them up in two chains of adc. The first chain, of low halves
 * and limbs of r, waits for no carry limb; the second, of high halves one limb up, takes the carry
 * limb in at its bottom, so that from carry limb to carry limb there are five additions for four
 * limbs. mul writes the flags, so both chains run after the four products.
 *
 * Bounds: a turn's sum is at most (B^4 - 1) + (B^4 - 1)(B - 1) + (B - 1) = B^5 - 1: five limbs. The
 * fifth is the high half of the last product, at most B - 2, and at most B - 1 after either chain,
 * as the sum of both chains is below B^5. In submul the products and the carry limb come to at most
 * (B^4 - 1)(B - 1) + (B - 1) = B^5 - B^4: the fifth limb is at most B - 1, and B - 1 only above
 * four zero limbs, which borrow nothing from r.
 */
#include "providers/native/x86_64/asm.h"

#define HITS lb_native_baseline_hits

    .macro save
        .irp    reg, rbx, rbp, r12, r13, r14
        push    %\reg
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %\reg, 0
        .endr
    .endm

    .macro restore
        .irp    reg, r14, r13, r12, rbp, rbx
        pop     %\reg
        .cfi_adjust_cfa_offset -8
        .cfi_restore %\reg
        .endr
    .endm

    .macro products
        mov     (%rsi), %rax
        mul     %rcx
        mov     %rax, %r8
        mov     %rdx, %r9
        mov     8(%rsi), %rax
        mul     %rcx
        mov     %rax, %r10
        mov     %rdx, %r11
        mov     16(%rsi), %rax
        mul     %rcx
        mov     %rax, %rbx
        mov     %rdx, %rbp
        mov     24(%rsi), %rax
        mul     %rcx
    .endm

/* Low halves plus the high halves one limb down plus the carry limb. */
    .macro join
        add     %r12, %r8
        adc     %r9, %r10
        adc     %r11, %rbx
        adc     %rbp, %rax
        adc     $0, %rdx
    .endm

/* Writes the turn's limbs, with the carry limb of the next turn in rdx. */
    .macro put
        mov     %r8, (%rdi)
        mov     %r10, 8(%rdi)
        mov     %rbx, 16(%rdi)
        mov     %rax, 24(%rdi)
        mov     %rdx, %r12
    .endm

    .macro turn_mul
        products
        join
        put
    .endm

    .macro turn_addmul
        products
        add     (%rdi), %r8
        adc     8(%rdi), %r10
        adc     16(%rdi), %rbx
        adc     24(%rdi), %rax
        adc     $0, %rdx
        join
        put
    .endm

    .macro turn_submul
        products
        join
        mov     %rdx, %r12
        mov     (%rdi), %r9
        mov     8(%rdi), %r11
        mov     16(%rdi), %rbp
        mov     24(%rdi), %rdx
        sub     %r8, %r9
        sbb     %r10, %r11
        sbb     %rbx, %rbp
        sbb     %rax, %rdx
        adc     $0, %r12
        mov     %r9, (%rdi)
        mov     %r11, 8(%rdi)
        mov     %rbp, 16(%rdi)
        mov     %rdx, 24(%rdi)
    .endm

    .macro single
        mov     (%rsi), %rax
        mul     %rcx
        add     %r12, %rax
        adc     $0, %rdx
    .endm

    .macro single_mul
        single
        mov     %rax, (%rdi)
        mov     %rdx, %r12
    .endm

    .macro single_addmul
        single
        add     %rax, (%rdi)
        adc     $0, %rdx
        mov     %rdx, %r12
    .endm

    .macro single_submul
        single
        sub     %rax, (%rdi)
        adc     $0, %rdx
        mov     %rdx, %r12
    .endm

    .macro row kind
        save
        xor     %r12d, %r12d
        mov     %rdx, %r13
        mov     %edx, %r14d
        and     $3, %r14d
        jz      2f
1:      single_\kind
        add     $8, %rsi
        add     $8, %rdi
        sub     $1, %r14d
        jnz     1b
2:      shr     $2, %r13
        jz      4f
        .balign 32
3:      turn_\kind
        add     $32, %rsi
        add     $32, %rdi
        sub     $1, %r13
        jnz     3b
4:      mov     %r12, %rax
        restore
        ret
    .endm

/* limb mul_1(r, a, n, b), limb addmul_1(r, a, n, b), limb submul_1(r, a, n, b) */
LB_FUNCTION(lb_native_baseline_mul_1)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_MUL_1)
LB_ENTRY(lb_native_baseline_mul_row)
        row     mul
LB_END(lb_native_baseline_mul_1)

LB_FUNCTION(lb_native_baseline_addmul_1)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_ADDMUL_1)
LB_ENTRY(lb_native_baseline_addmul_row)
        row     addmul
LB_END(lb_native_baseline_addmul_1)

LB_FUNCTION(lb_native_baseline_submul_1)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_SUBMUL_1)
        row     submul
LB_END(lb_native_baseline_submul_1)
