/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ADX kernels: a row times one limb.
 *
 * Registers
 *   rdi  r    rsi  a    rcx  n, then turns left    rdx  b    rax  the limb carried from turn to turn
 *   r8, r9, r10, r11 and in submul rbx, rbp: products in flight
 *
 * mulx leaves the flags alone, so that a turn of eight limbs is one run of products with the chains
 * between them. The chain in CF joins each low half with the high half one limb down; in addmul the
 * chain in OF adds the limbs of r. Both end in the carry limb, so no flag crosses the turn of a
 * loop. Limb i of a is read before limb i of r is written, and r is never read again: r may be a.
 *
 * Bounds: a turn of k limbs comes to at most (B^k - 1) + (B^k - 1)(B - 1) + (B - 1) = B^(k+1) - 1:
 * k limbs and a carry limb, in which both chains end without a carry. In submul the products and the
 * carry limb come to at most (B^k - 1)(B - 1) + (B - 1) = B^(k+1) - B^k: the carry limb is at most
 * B - 1, and B - 1 only above k zero limbs, which borrow nothing from r.
 */
#include "providers/native/x86_64/asm.h"

#define HITS lb_native_adx_hits

/* Limb i of a turn: the high half of the limb below is in \h, this limb's goes to \g. */
    .macro mul_limb i, h, g
        mulx    8 * \i(%rsi), %r8, %\g
        adc     %\h, %r8
        mov     %r8, 8 * \i(%rdi)
    .endm

    .macro turn_mul limbs
        mulx    (%rsi), %r8, %r9
        add     %rax, %r8
        mov     %r8, (%rdi)
        mul_limb 1, r9, r10
        mul_limb 2, r10, r9
        .if     \limbs == 8
        mul_limb 3, r9, r10
        mul_limb 4, r10, r9
        mul_limb 5, r9, r10
        mul_limb 6, r10, r9
        mul_limb 7, r9, rax
        .else
        mul_limb 3, r9, rax
        .endif
        adc     $0, %rax
    .endm

    .macro addmul_limb i, h, g
        mulx    8 * \i(%rsi), %r8, %\g
        adcx    %\h, %r8
        adox    8 * \i(%rdi), %r8
        mov     %r8, 8 * \i(%rdi)
    .endm

    .macro turn_addmul limbs
        xor     %r11d, %r11d
        mulx    (%rsi), %r8, %r9
        adcx    %rax, %r8
        adox    (%rdi), %r8
        mov     %r8, (%rdi)
        addmul_limb 1, r9, r10
        addmul_limb 2, r10, r9
        .if     \limbs == 8
        addmul_limb 3, r9, r10
        addmul_limb 4, r10, r9
        addmul_limb 5, r9, r10
        addmul_limb 6, r10, r9
        addmul_limb 7, r9, rax
        .else
        addmul_limb 3, r9, rax
        .endif
        adcx    %r11, %rax
        adox    %r11, %rax
    .endm

/* Four limbs; the products first, then the borrows. */
    .macro turn_submul limbs
        .rept   \limbs / 4
        mulx    (%rsi), %r8, %r9
        mulx    8(%rsi), %r10, %r11
        mulx    16(%rsi), %rbx, %rbp
        add     %rax, %r8
        mulx    24(%rsi), %r12, %rax
        adc     %r9, %r10
        adc     %r11, %rbx
        adc     %rbp, %r12
        adc     $0, %rax
        mov     (%rdi), %r9
        mov     8(%rdi), %r11
        mov     16(%rdi), %rbp
        sub     %r8, %r9
        mov     24(%rdi), %r8
        sbb     %r10, %r11
        sbb     %rbx, %rbp
        sbb     %r12, %r8
        adc     $0, %rax
        mov     %r9, (%rdi)
        mov     %r11, 8(%rdi)
        mov     %rbp, 16(%rdi)
        mov     %r8, 24(%rdi)
        .if     \limbs == 8
        add     $32, %rsi
        add     $32, %rdi
        .endif
        .endr
        .if     \limbs == 8
        sub     $64, %rsi
        sub     $64, %rdi
        .endif
    .endm

    .macro single kind
        mulx    (%rsi), %r8, %r9
        add     %rax, %r8
        adc     $0, %r9
        .ifc    \kind, mul
        mov     %r8, (%rdi)
        .else
        .ifc    \kind, addmul
        add     %r8, (%rdi)
        .else
        sub     %r8, (%rdi)
        .endif
        adc     $0, %r9
        .endif
        mov     %r9, %rax
    .endm

    .macro save
        .irp    reg, rbx, rbp, r12
        push    %\reg
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %\reg, 0
        .endr
    .endm

    .macro restore
        .irp    reg, r12, rbp, rbx
        pop     %\reg
        .cfi_adjust_cfa_offset -8
        .cfi_restore %\reg
        .endr
    .endm

/* The limbs beyond a multiple of four singly, then four if they are left, then eight a turn. */
    .macro row kind
        .ifc    \kind, submul
        save
        .endif
        mov     %rdx, %r10
        mov     %rcx, %rdx
        mov     %r10, %rcx
        xor     %eax, %eax
        and     $3, %r10d
        jz      2f
1:      single  \kind
        add     $8, %rsi
        add     $8, %rdi
        sub     $1, %r10d
        jnz     1b
2:      test    $4, %cl
        jz      3f
        turn_\kind 4
        add     $32, %rsi
        add     $32, %rdi
3:      shr     $3, %rcx
        jz      5f
        .balign 32
4:      turn_\kind 8
        add     $64, %rsi
        add     $64, %rdi
        sub     $1, %rcx
        jnz     4b
5:
        .ifc    \kind, submul
        restore
        .endif
        ret
    .endm

/* limb mul_1(r, a, n, b), limb addmul_1(r, a, n, b), limb submul_1(r, a, n, b) */
LB_FUNCTION(lb_native_adx_mul_1)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_MUL_1)
LB_ENTRY(lb_native_adx_mul_row)
        row     mul
LB_END(lb_native_adx_mul_1)

LB_FUNCTION(lb_native_adx_addmul_1)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_ADDMUL_1)
LB_ENTRY(lb_native_adx_addmul_row)
        row     addmul
LB_END(lb_native_adx_addmul_1)

LB_FUNCTION(lb_native_adx_submul_1)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_SUBMUL_1)
        row     submul
LB_END(lb_native_adx_submul_1)
