/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ADX kernels: Montgomery reduction of multiples of eight limbs, in blocks of eight by eight (P.
 * Montgomery, "Modular multiplication without trial division", 1985).
 *
 * Registers: block.h; on the stack, at rsp
 *   0  m    8  -1/m mod B    16  groups left    24  blocks left in a sweep    32  the carry out of
 *   the last group, as a mask    40  r    48  n / 8    56  t at the group
 *
 * Eight quotient digits at a time: the first block finds them, one in each row, from the window's
 * lowest limb, which its row then makes zero; they go to memory where the limbs were that became
 * zero, and are the multipliers of the sweep over the rest of m. The window that a sweep leaves is
 * added to the eight limbs of t above.
 *
 * Bounds: block.h; the first block's rows have the window and the products only. After a group the
 * sum is less than t + m B^8(g+1) in the limbs that it has reached, so that one carry goes up to
 * the next group. In all (t + Q m) / R < t / R + m: for t < R^2 less than R + m, one bit above n
 * limbs. When that is set, less m it is below R.
 */
#include "providers/native/x86_64/asm.h"
#include "providers/native/x86_64/adx/block.h"

/* void reduce_blocks(r, t, m, blocks, neg_inv): r[n] = (t[2n] + Q m) / R, less m if that is not
   below R; n = 8 blocks, Q = -t / m mod R. t is overwritten. r may be t or t + n. */
LB_FUNCTION(lb_native_adx_reduce_blocks)
        enter   72
        mov     %rdx, (%rsp)
        mov     %r8, 8(%rsp)
        mov     %rcx, 16(%rsp)
        movq    $0, 32(%rsp)
        mov     %rdi, 40(%rsp)
        mov     %rcx, 48(%rsp)
        mov     %rsi, %rdi
1:      mov     (%rsp), %rsi
        mov     %rdi, %rcx
        .irp    w, 0, 1, 2, 3, 4, 5, 6, 7
        get     \w
        .endr
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        mov     8(%rsp), %rdx
        limb    imul, \i, ", %rdx"
        mov     %rdx, 8 * \i(%rdi)
        first_product 0, \i, (\i + 8), 0
        rest_of_row \i
        .endr
        mov     48(%rsp), %rax
        add     $64, %rdi
        sub     $1, %rax
        jz      3f
        mov     %rax, 24(%rsp)
        .balign 32
2:      add     $64, %rsi
        block   1
        add     $64, %rdi
        subq    $1, 24(%rsp)
        jnz     2b
/* rdi is n limbs above the group. */
3:      mov     32(%rsp), %rax
        add     %rax, %rax
        .irp    w, 0, 1, 2, 3, 4, 5, 6, 7
        limb    "adc 8 * \w(%rdi),", \w
        put \w
        .endr
        sbb     %rax, %rax
        mov     %rax, 32(%rsp)
        lea     64(%rcx), %rdi
        subq    $1, 16(%rsp)
        jnz     1b

/* r = t above, less m & rax; the borrow between turns is a mask in rbp. */
        mov     (%rsp), %rsi
        mov     40(%rsp), %rdx
        mov     48(%rsp), %rcx
        xor     %ebp, %ebp
        .balign 32
4:      .irp    w, 0, 1, 2, 3, 4, 5, 6, 7
        limb    "mov 8 * \w(%rsi),", \w
        limb    "and %rax,", \w
        .endr
        add     %rbp, %rbp
        .irp    w, 0, 1, 2, 3, 4, 5, 6, 7
        mov     8 * \w(%rdi), %rbx
        limb    sbb, \w, ", %rbx"
        mov     %rbx, 8 * \w(%rdx)
        .endr
        sbb     %rbp, %rbp
        add     $64, %rsi
        add     $64, %rdi
        add     $64, %rdx
        sub     $1, %rcx
        jnz     4b
        leave_and_return 72
LB_END(lb_native_adx_reduce_blocks)
