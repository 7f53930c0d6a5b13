/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Baseline kernels: shifts by 1 to 63 bits, a public distance.
 *
 * Registers
 *   rdi  r    rsi  a    rdx  n, then an index    ecx  s
 *   xmm4 s, xmm5 64 - s: distances    xmm0 .. xmm3  two limbs each    rax, r8  limbs
 *
 * Four limbs a turn in two vectors: each is combined from its own limbs and those one limb on, an
 * unaligned load. lshift goes from the top down and rshift from the bottom up, so that what a turn
 * writes is never read again and r may be a. Loads stay inside a: a turn that combines four limbs
 * reads five, hence it runs only while five are left; the last one to four go by shld and shrd.
 *
 * Bounds: none; bits move, and those that leave are returned.
 */
#include "providers/native/x86_64/asm.h"

#define HITS lb_native_baseline_hits

    .macro distances
        movd    %ecx, %xmm4
        mov     $64, %eax
        sub     %ecx, %eax
        movd    %eax, %xmm5
    .endm

/* limb lshift(r, a, n, s) */
LB_FUNCTION(lb_native_baseline_lshift)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_LSHIFT)
        distances
        mov     -8(%rsi,%rdx,8), %r8
        xor     %r9d, %r9d
        shld    %cl, %r8, %r9
        sub     $5, %rdx
        jb      2f
        .balign 32
/* rdx + 5 limbs are left; makes limbs rdx + 4 .. rdx + 1. */
1:      movdqu  24(%rsi,%rdx,8), %xmm0
        movdqu  16(%rsi,%rdx,8), %xmm1
        movdqu  8(%rsi,%rdx,8), %xmm2
        movdqu  (%rsi,%rdx,8), %xmm3
        psllq   %xmm4, %xmm0
        psrlq   %xmm5, %xmm1
        psllq   %xmm4, %xmm2
        psrlq   %xmm5, %xmm3
        por     %xmm1, %xmm0
        por     %xmm3, %xmm2
        movdqu  %xmm0, 24(%rdi,%rdx,8)
        movdqu  %xmm2, 8(%rdi,%rdx,8)
        sub     $4, %rdx
        jae     1b
2:      add     $4, %rdx
        jz      4f
/* rdx + 1 limbs are left. */
3:      mov     (%rsi,%rdx,8), %rax
        mov     -8(%rsi,%rdx,8), %r8
        shld    %cl, %r8, %rax
        mov     %rax, (%rdi,%rdx,8)
        sub     $1, %rdx
        jnz     3b
4:      mov     (%rsi), %rax
        shl     %cl, %rax
        mov     %rax, (%rdi)
        mov     %r9, %rax
        ret
LB_END(lb_native_baseline_lshift)

/* limb rshift(r, a, n, s) */
LB_FUNCTION(lb_native_baseline_rshift)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_RSHIFT)
        distances
        mov     (%rsi), %r8
        xor     %r9d, %r9d
        shrd    %cl, %r8, %r9
        sub     $5, %rdx
        jb      2f
        .balign 32
1:      movdqu  (%rsi), %xmm0
        movdqu  8(%rsi), %xmm1
        movdqu  16(%rsi), %xmm2
        movdqu  24(%rsi), %xmm3
        psrlq   %xmm4, %xmm0
        psllq   %xmm5, %xmm1
        psrlq   %xmm4, %xmm2
        psllq   %xmm5, %xmm3
        por     %xmm1, %xmm0
        por     %xmm3, %xmm2
        movdqu  %xmm0, (%rdi)
        movdqu  %xmm2, 16(%rdi)
        add     $32, %rsi
        add     $32, %rdi
        sub     $4, %rdx
        jae     1b
2:      add     $4, %rdx
        jz      4f
3:      mov     (%rsi), %rax
        mov     8(%rsi), %r8
        shrd    %cl, %r8, %rax
        mov     %rax, (%rdi)
        add     $8, %rsi
        add     $8, %rdi
        sub     $1, %rdx
        jnz     3b
4:      mov     (%rsi), %rax
        shr     %cl, %rax
        mov     %rax, (%rdi)
        mov     %r9, %rax
        ret
LB_END(lb_native_baseline_rshift)
