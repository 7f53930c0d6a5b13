/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Baseline kernels: products and squares of fixed length, column by column (product scanning,
 * P. Comba, "Exponentiation cryptosystems on the IBM PC", 1990), without a loop; and the last pass
 * of a square that is built from rows.
 *
 * Registers
 *   rdi  r    rsi  a    rcx  b, in products
 *   rax rdx  one product
 *   products: r8 r9 r10 in turn: the column's sum of three limbs; its lowest limb is stored and the
 *             register becomes the top of the next column's sum
 *   squares:  r8, and r9 r10 or r11 rcx: the sum of the column's products of unequal limbs, doubled;
 *             the other two: what the column below carries
 *
 * Why columns: a product costs a load, a mul, and three additions that are a cycle each from one
 * product to the next; nothing but the finished limb is ever stored.
 *
 * Bounds, for n <= 16: a column has at most n products, each at most (B - 1)^2, and what the column
 * below carries is less than 2nB; in all less than 3n B^2 < B^3. In a square the doubled sum has at
 * most n products too. The top column's sum is below B, as the whole is below B^2n.
 */
#include "providers/native/x86_64/asm.h"

/* c2:c1:c0 += a[i] b[j] */
    .macro muladd from, i, j, c0, c1, c2
        mov     8 * (\i)(%rsi), %rax
        mulq    8 * (\j)(%\from)
        add     %rax, %\c0
        adc     %rdx, %\c1
        adc     $0, %\c2
    .endm

/* Column k of a product of n limbs by n. */
    .macro mul_column n, c0, c1, c2
        .set    lb_i, 0
        .if     lb_k >= \n
        .set    lb_i, lb_k - \n + 1
        .endif
        .rept   lb_k + 1 - 2 * lb_i
        muladd  rcx, lb_i, lb_k-lb_i, \c0, \c1, \c2
        .set    lb_i, lb_i + 1
        .endr
        mov     %\c0, 8 * lb_k(%rdi)
        xor     %\c0, %\c0
        .set    lb_k, lb_k + 1
    .endm

    .macro mul_columns n
        mov     %rdx, %rcx
        xor     %r8d, %r8d
        xor     %r9d, %r9d
        xor     %r10d, %r10d
        .set    lb_k, 0
        .rept   (2 * \n) / 3 + 1
        .if     lb_k < 2 * \n - 1
        mul_column \n, r8, r9, r10
        .endif
        .if     lb_k < 2 * \n - 1
        mul_column \n, r9, r10, r8
        .endif
        .if     lb_k < 2 * \n - 1
        mul_column \n, r10, r8, r9
        .endif
        .endr
        .if     lb_k % 3 == 0
        mov     %r8, 8 * lb_k(%rdi)
        .elseif lb_k % 3 == 1
        mov     %r9, 8 * lb_k(%rdi)
        .else
        mov     %r10, 8 * lb_k(%rdi)
        .endif
        ret
    .endm

/* Column k of a square of n limbs: x2:x1:x0 is made from nothing, y2:y1 comes from below. */
    .macro sqr_column n, x0, x1, x2, y1, y2
        .set    lb_i, 0
        .if     lb_k >= \n
        .set    lb_i, lb_k - \n + 1
        .endif
        .set    lb_pairs, (lb_k + 1 - 2 * lb_i) / 2
        .if     lb_pairs > 0
        mov     8 * lb_i(%rsi), %rax
        mulq    8 * (lb_k - lb_i)(%rsi)
        mov     %rax, %\x0
        mov     %rdx, %\x1
        xor     %\x2, %\x2
        .set    lb_i, lb_i + 1
        .rept   lb_pairs - 1
        muladd  rsi, lb_i, lb_k-lb_i, \x0, \x1, \x2
        .set    lb_i, lb_i + 1
        .endr
        add     %\x0, %\x0
        adc     %\x1, %\x1
        adc     %\x2, %\x2
        .if     lb_k % 2 == 0
        muladd  rsi, lb_i, lb_i, \x0, \x1, \x2
        .endif
        .else
        mov     8 * lb_i(%rsi), %rax
        mul     %rax
        mov     %rax, %\x0
        mov     %rdx, %\x1
        xor     %\x2, %\x2
        .endif
        add     %\y1, %\x0
        adc     %\y2, %\x1
        adc     $0, %\x2
        mov     %\x0, 8 * lb_k(%rdi)
        .set    lb_k, lb_k + 1
    .endm

    .macro sqr_columns n
        xor     %r11d, %r11d
        xor     %ecx, %ecx
        .set    lb_k, 0
        .rept   \n - 1
        sqr_column \n, r8, r9, r10, r11, rcx
        sqr_column \n, r8, r11, rcx, r9, r10
        .endr
        sqr_column \n, r8, r9, r10, r11, rcx
        mov     %r9, 8 * lb_k(%rdi)
        ret
    .endm

/* void mul_N(r, a, b), void sqr_N(r, a): r[2N], apart from a and b. */
LB_FUNCTION(lb_native_baseline_mul_4)
        mul_columns 4
LB_END(lb_native_baseline_mul_4)
LB_FUNCTION(lb_native_baseline_mul_6)
        mul_columns 6
LB_END(lb_native_baseline_mul_6)
LB_FUNCTION(lb_native_baseline_mul_8)
        mul_columns 8
LB_END(lb_native_baseline_mul_8)
LB_FUNCTION(lb_native_baseline_mul_12)
        mul_columns 12
LB_END(lb_native_baseline_mul_12)
LB_FUNCTION(lb_native_baseline_mul_16)
        mul_columns 16
LB_END(lb_native_baseline_mul_16)

LB_FUNCTION(lb_native_baseline_sqr_4)
        sqr_columns 4
LB_END(lb_native_baseline_sqr_4)
LB_FUNCTION(lb_native_baseline_sqr_6)
        sqr_columns 6
LB_END(lb_native_baseline_sqr_6)
LB_FUNCTION(lb_native_baseline_sqr_8)
        sqr_columns 8
LB_END(lb_native_baseline_sqr_8)
LB_FUNCTION(lb_native_baseline_sqr_12)
        sqr_columns 12
LB_END(lb_native_baseline_sqr_12)
LB_FUNCTION(lb_native_baseline_sqr_16)
        sqr_columns 16
LB_END(lb_native_baseline_sqr_16)

/* void double_and_add_diagonal(r, a, n): r[2n] = 2 r[2n] + the squares a[i]^2 at their places.
   rdi r, rsi a, rcx n; r8 the bit that doubling moves out, r9 the carry, as a mask. The total is
   a^2 < B^2n, so that nothing is carried out at the end. */
LB_FUNCTION(lb_native_baseline_double_and_add_diagonal)
        mov     %rdx, %rcx
        xor     %r8d, %r8d
        xor     %r9d, %r9d
1:      mov     (%rsi), %rax
        mul     %rax
        mov     (%rdi), %r10
        mov     8(%rdi), %r11
        add     %r8, %r8
        adc     %r10, %r10
        adc     %r11, %r11
        sbb     %r8, %r8
        add     %r9, %r9
        adc     %rax, %r10
        adc     %rdx, %r11
        sbb     %r9, %r9
        mov     %r10, (%rdi)
        mov     %r11, 8(%rdi)
        add     $8, %rsi
        add     $16, %rdi
        sub     $1, %rcx
        jnz     1b
        ret
LB_END(lb_native_baseline_double_and_add_diagonal)
