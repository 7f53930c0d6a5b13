/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ADX kernels: products and squares of multiples of eight limbs, in blocks of eight by eight.
 *
 * Registers: block.h; on the stack, at rsp
 *   0  the multiplicand's first limb    8  its blocks    16  groups of multipliers left    24  blocks
 *   left in a sweep
 *
 * Eight multipliers at a time sweep over the multiplicand from below. What a sweep leaves in the
 * window are the sum's highest limbs, where memory holds none yet. The first sweep finds no sum at
 * all.
 *
 * A square sums up the products of unequal limbs once: group g of multipliers meets itself in a
 * triangle, then the blocks above it. A last pass doubles that and adds the squares of the limbs.
 *
 * Bounds: block.h. In a triangle row i adds 7 - i products to as many limbs of the window, which
 * fits in one limb more. The doubled sum and the squares come to a^2 < B^2n.
 */
#include "providers/native/x86_64/asm.h"
#include "providers/native/x86_64/adx/block.h"

/* One sweep, from rdi, rsi and the window on, rax > 0 blocks, with multipliers at rcx. */
    .macro  sweep add
        mov     %rax, 24(%rsp)
        .balign 32
9:      block   \add
        add     $64, %rsi
        add     $64, %rdi
        subq    $1, 24(%rsp)
        jnz     9b
    .endm

/* void mul_blocks(r, a, blocks of a, b, blocks of b): r[8 (ab + bb)] = a * b */
LB_FUNCTION(lb_native_adx_mul_blocks)
        enter   40
        mov     %rsi, (%rsp)
        mov     %rdx, 8(%rsp)
        mov     %r8, 16(%rsp)
        mov     %rdi, 32(%rsp)
        mov     %rdx, %rax
        clear_window
        sweep   0
        jmp     2f
1:      addq    $64, 32(%rsp)
        mov     32(%rsp), %rdi
        mov     (%rsp), %rsi
        mov     8(%rsp), %rax
        add     $64, %rcx
        clear_window
        sweep   1
2:      store_window
        subq    $1, 16(%rsp)
        jnz     1b
        leave_and_return 40
LB_END(lb_native_adx_mul_blocks)

/* Group of multipliers at rsi times itself, at rdi; the window has weights 1 .. 7, and ends with
   weights 8 .. 15. Row i has weights 2i + 1 .. i + 8, and makes final the two lowest. */
    .macro  triangle
        .irp    i, 0, 1, 2, 3, 4, 5, 6
        mov     8 * \i(%rsi), %rdx
        first_product (\i + 1), (2 * \i + 1), (\i + 8), 0
        .irp    j, 2, 3, 4, 5, 6, 7
        .if     \j > \i + 1
        product \j, (\i + \j), (\i + 8)
        .endif
        .endr
        end_row (\i + 8)
        .if     \i < 4
        put (2 * \i + 1)
        .endif
        .if     \i < 3
        put (2 * \i + 2)
        .endif
        .endr
        xor     %r15d, %r15d
    .endm

/* Limb i of a squared, two limbs of r doubled: CF doubles, OF adds. */
    .macro  diagonal i
        mov     8 * \i(%rsi), %rdx
        mulx    %rdx, %rax, %rbx
        mov     16 * \i(%rdi), %r8
        mov     16 * \i + 8(%rdi), %r9
        adcx    %r8, %r8
        adox    %rax, %r8
        mov     %r8, 16 * \i(%rdi)
        adcx    %r9, %r9
        adox    %rbx, %r9
        mov     %r9, 16 * \i + 8(%rdi)
    .endm

/* void sqr_blocks(r, a, blocks): r[16 blocks] = a^2. Stack: 0 r, 8 a, 16 groups left, 24 blocks left
   in a sweep, 32 blocks; and rdi moves by 128 octets from group to group. */
LB_FUNCTION(lb_native_adx_sqr_blocks)
        enter   56
        mov     %rdi, (%rsp)
        mov     %rsi, 8(%rsp)
        mov     %rdx, 16(%rsp)
        mov     %rdx, 32(%rsp)
        mov     %rdi, 40(%rsp)
        mov     %rsi, %rcx
        clear_window
        mov     %r8, (%rdi)
        triangle
        mov     16(%rsp), %rax
        add     $64, %rsi
        add     $64, %rdi
        sub     $1, %rax
        jz      3f
        sweep   0
        jmp     3f
1:      addq    $128, 40(%rsp)
        mov     40(%rsp), %rdi
        add     $64, %rcx
        mov     %rcx, %rsi
        .irp    w, 1, 2, 3, 4, 5, 6, 7
        get     \w
        .endr
        triangle
        mov     16(%rsp), %rax
        add     $64, %rsi
        add     $64, %rdi
        sub     $1, %rax
        jz      3f
        sweep   1
3:      store_window
        subq    $1, 16(%rsp)
        jnz     1b

        mov     (%rsp), %rdi
        mov     8(%rsp), %rsi
        mov     32(%rsp), %rcx
        xor     %eax, %eax
        .balign 32
4:      .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        diagonal \i
        .endr
        lea     64(%rsi), %rsi
        lea     128(%rdi), %rdi
        lea     -1(%rcx), %rcx
        jrcxz   5f
        jmp     4b
5:      leave_and_return 56
LB_END(lb_native_adx_sqr_blocks)
