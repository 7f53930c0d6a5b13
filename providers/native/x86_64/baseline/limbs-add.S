/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Baseline kernels: sums and differences, plain, under a mask, and with a sign.
 *
 * Registers
 *   rdi  r    rsi  a    rdx  b    rcx  n, then the limbs beyond the last turn
 *   r8   mask; in the plain kernels turns left
 *   r9   the carry between turns, as a mask: 0 or ~0; r9 + r9 puts it into CF
 *   r10, r11, rbx, rbp, r12 and rax: limbs in flight; in the masked kernels rax counts turns
 *
 * Four limbs a turn. Inside a turn the carry stays in CF; between turns it waits in r9, since the
 * counter and the masks write flags. A turn reads all its limbs of b before it writes r, and limb i
 * of a before limb i of r, so r may be a or b.
 *
 * Bounds: limb sums with a carry of 0 or 1 are at most 2 (B - 1) + 1 = 2B - 1: one bit of carry.
 */
#include "providers/native/x86_64/asm.h"

#define HITS lb_native_baseline_hits

/* r = a OP b with carry: OP is adc or sbb. */
    .macro plain op
        xor     %r9d, %r9d
        mov     %rcx, %r8
        and     $3, %ecx
        shr     $2, %r8
        jz      2f
        .balign 32
1:      add     %r9, %r9
        mov     (%rsi), %rax
        \op     (%rdx), %rax
        mov     8(%rsi), %r10
        mov     %rax, (%rdi)
        \op     8(%rdx), %r10
        mov     16(%rsi), %r11
        mov     %r10, 8(%rdi)
        \op     16(%rdx), %r11
        mov     24(%rsi), %rax
        mov     %r11, 16(%rdi)
        \op     24(%rdx), %rax
        mov     %rax, 24(%rdi)
        sbb     %r9, %r9
        add     $32, %rsi
        add     $32, %rdx
        add     $32, %rdi
        sub     $1, %r8
        jnz     1b
2:      test    %ecx, %ecx
        jz      4f
3:      add     %r9, %r9
        mov     (%rsi), %rax
        \op     (%rdx), %rax
        mov     %rax, (%rdi)
        sbb     %r9, %r9
        add     $8, %rsi
        add     $8, %rdx
        add     $8, %rdi
        sub     $1, %ecx
        jnz     3b
4:      mov     %r9, %rax
        neg     %rax
        ret
    .endm

/* r = a OP (b MIX r8), carry in r9: MIX is and, for a condition, or xor, for a sign. r8 a mask. */
    .macro masked op, mix
        mov     %rcx, %rax
        and     $3, %ecx
        shr     $2, %rax
        jz      2f
        push    %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        push    %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        push    %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r12, 0
        .balign 32
1:      mov     (%rdx), %r10
        mov     8(%rdx), %r11
        mov     16(%rdx), %rbx
        mov     24(%rdx), %rbp
        \mix    %r8, %r10
        \mix    %r8, %r11
        \mix    %r8, %rbx
        \mix    %r8, %rbp
        .ifc \op, adc
        add     %r9, %r9
        adc     (%rsi), %r10
        adc     8(%rsi), %r11
        adc     16(%rsi), %rbx
        adc     24(%rsi), %rbp
        sbb     %r9, %r9
        mov     %r10, (%rdi)
        mov     %r11, 8(%rdi)
        mov     %rbx, 16(%rdi)
        mov     %rbp, 24(%rdi)
        .else
        add     %r9, %r9
        mov     (%rsi), %r12
        sbb     %r10, %r12
        mov     8(%rsi), %r10
        mov     %r12, (%rdi)
        sbb     %r11, %r10
        mov     16(%rsi), %r11
        mov     %r10, 8(%rdi)
        sbb     %rbx, %r11
        mov     24(%rsi), %rbx
        mov     %r11, 16(%rdi)
        sbb     %rbp, %rbx
        mov     %rbx, 24(%rdi)
        sbb     %r9, %r9
        .endif
        add     $32, %rsi
        add     $32, %rdx
        add     $32, %rdi
        sub     $1, %rax
        jnz     1b
        pop     %r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r12
        pop     %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbp
        pop     %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
2:      test    %ecx, %ecx
        jz      4f
3:      mov     (%rdx), %r10
        \mix    %r8, %r10
        add     %r9, %r9
        mov     (%rsi), %rax
        \op     %r10, %rax
        mov     %rax, (%rdi)
        sbb     %r9, %r9
        add     $8, %rsi
        add     $8, %rdx
        add     $8, %rdi
        sub     $1, %ecx
        jnz     3b
4:      mov     %r9, %rax
        neg     %rax
        ret
    .endm

/* limb add(r, a, b, n), limb sub(r, a, b, n) */
LB_FUNCTION(lb_native_baseline_add)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_ADD)
LB_ENTRY(lb_native_baseline_sum)
        plain   adc
LB_END(lb_native_baseline_add)

LB_FUNCTION(lb_native_baseline_sub)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_SUB)
LB_ENTRY(lb_native_baseline_difference)
        plain   sbb
LB_END(lb_native_baseline_sub)

/* limb cond_add(r, a, b, n, mask), limb cond_sub(r, a, b, n, mask) */
LB_FUNCTION(lb_native_baseline_cond_add)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_COND_ADD)
        xor     %r9d, %r9d
        masked  adc, and
LB_END(lb_native_baseline_cond_add)

LB_FUNCTION(lb_native_baseline_cond_sub)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_COND_SUB)
LB_ENTRY(lb_native_baseline_masked_difference)
        xor     %r9d, %r9d
        masked  sbb, and
LB_END(lb_native_baseline_cond_sub)

/* limb signed_sum(r, a, b, n, mask): r = a + b for mask 0; for mask ~0 a + (B^n - 1 - b) + 1, that
   is a - b + B^n. Returns the carry. r may be a or b. */
LB_FUNCTION(lb_native_baseline_signed_sum)
        mov     %r8, %r9
        masked  adc, xor
LB_END(lb_native_baseline_signed_sum)

/* limb increment(r, n, mask, c): r[n] = (r[n] ^ mask) + c, c any limb; returns the carry, which is
   c for n = 0. Every limb is read and written, however far the carry goes. Registers: rdi r, rsi
   turns, rdx mask, ecx limbs beyond the last turn, r9 c and then the carry. */
LB_FUNCTION(lb_native_baseline_increment)
        mov     %rcx, %r9
        mov     %esi, %ecx
        and     $3, %ecx
        shr     $2, %rsi
        jz      2f
        .balign 32
1:      mov     (%rdi), %rax
        mov     8(%rdi), %r8
        mov     16(%rdi), %r10
        mov     24(%rdi), %r11
        xor     %rdx, %rax
        xor     %rdx, %r8
        xor     %rdx, %r10
        xor     %rdx, %r11
        add     %r9, %rax
        adc     $0, %r8
        adc     $0, %r10
        adc     $0, %r11
        mov     $0, %r9d
        adc     %r9, %r9
        mov     %rax, (%rdi)
        mov     %r8, 8(%rdi)
        mov     %r10, 16(%rdi)
        mov     %r11, 24(%rdi)
        add     $32, %rdi
        sub     $1, %rsi
        jnz     1b
2:      test    %ecx, %ecx
        jz      4f
3:      mov     (%rdi), %rax
        xor     %rdx, %rax
        add     %r9, %rax
        mov     $0, %r9d
        adc     %r9, %r9
        mov     %rax, (%rdi)
        add     $8, %rdi
        sub     $1, %ecx
        jnz     3b
4:      mov     %r9, %rax
        ret
LB_END(lb_native_baseline_increment)
