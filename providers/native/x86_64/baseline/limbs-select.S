/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Baseline kernels: choices by a secret mask or index, in SSE2. Every operand is read in full
 * whatever is chosen.
 *
 * Registers
 *   cond_swap     rdi a, rsi b, rdx n, rcx mask
 *   select        rdi r, rsi a, rdx b, rcx n, r8 mask
 *   table_select  rdi r, rsi table, rdx entries, rcx n, r8 index
 *   xmm4          the mask in both lanes
 *   table_select: xmm0 .. xmm7 sums, xmm8 index, xmm9 entry, xmm10 one, in four lanes of 32 bits;
 *                 xmm11 the mask of the entry, xmm12 the entry's limbs; r9 octets from an entry to
 *                 the next, r10 a place in the table, r11 entries left
 *
 * Bounds: indices are below 64, so a comparison of 32 bits decides.
 */
#include "providers/native/x86_64/asm.h"

#define HITS lb_native_baseline_hits

/* void cond_swap(a, b, n, mask) */
LB_FUNCTION(lb_native_baseline_cond_swap)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_COND_SWAP)
        movq    %rcx, %xmm4
        punpcklqdq %xmm4, %xmm4
        sub     $2, %rdx
        jb      2f
        .balign 32
1:      movdqu  (%rdi), %xmm0
        movdqu  (%rsi), %xmm1
        movdqa  %xmm0, %xmm2
        pxor    %xmm1, %xmm2
        pand    %xmm4, %xmm2
        pxor    %xmm2, %xmm0
        pxor    %xmm2, %xmm1
        movdqu  %xmm0, (%rdi)
        movdqu  %xmm1, (%rsi)
        add     $16, %rdi
        add     $16, %rsi
        sub     $2, %rdx
        jae     1b
2:      add     $2, %rdx
        jz      3f
        mov     (%rdi), %rax
        mov     (%rsi), %r8
        mov     %rax, %r9
        xor     %r8, %r9
        and     %rcx, %r9
        xor     %r9, %rax
        xor     %r9, %r8
        mov     %rax, (%rdi)
        mov     %r8, (%rsi)
3:      ret
LB_END(lb_native_baseline_cond_swap)

/* void select(r, a, b, n, mask): r = b ^ ((a ^ b) & mask) */
LB_FUNCTION(lb_native_baseline_select)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_SELECT)
LB_ENTRY(lb_native_baseline_choice)
        movq    %r8, %xmm4
        punpcklqdq %xmm4, %xmm4
        sub     $2, %rcx
        jb      2f
        .balign 32
1:      movdqu  (%rsi), %xmm0
        movdqu  (%rdx), %xmm1
        pxor    %xmm1, %xmm0
        pand    %xmm4, %xmm0
        pxor    %xmm1, %xmm0
        movdqu  %xmm0, (%rdi)
        add     $16, %rsi
        add     $16, %rdx
        add     $16, %rdi
        sub     $2, %rcx
        jae     1b
2:      add     $2, %rcx
        jz      3f
        mov     (%rsi), %rax
        mov     (%rdx), %r9
        xor     %r9, %rax
        and     %r8, %rax
        xor     %r9, %rax
        mov     %rax, (%rdi)
3:      ret
LB_END(lb_native_baseline_select)

/* One pass over the table: sums `octets` octets of every entry, 16 at a time, or 8. */
    .macro pass octets
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     16 * \i < \octets
        pxor    %xmm\i, %xmm\i
        .endif
        .endr
        pxor    %xmm9, %xmm9
        mov     %rsi, %r10
        mov     %rdx, %r11
        .balign 16
1:      movdqa  %xmm9, %xmm11
        pcmpeqd %xmm8, %xmm11
        paddd   %xmm10, %xmm9
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     16 * \i < \octets
        .if     \octets == 8
        movq    (%r10), %xmm12
        .else
        movdqu  16 * \i(%r10), %xmm12
        .endif
        pand    %xmm11, %xmm12
        por     %xmm12, %xmm\i
        .endif
        .endr
        add     %r9, %r10
        sub     $1, %r11
        jnz     1b
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     16 * \i < \octets
        .if     \octets == 8
        movq    %xmm\i, (%rdi)
        .else
        movdqu  %xmm\i, 16 * \i(%rdi)
        .endif
        .endif
        .endr
        add     $\octets, %rsi
        add     $\octets, %rdi
    .endm

/* void table_select(r, table, entries, n, index) */
LB_FUNCTION(lb_native_baseline_table_select)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_TABLE_SELECT)
LB_ENTRY(lb_native_baseline_table_entry)
        movd    %r8d, %xmm8
        pshufd  $0, %xmm8, %xmm8
        mov     $1, %eax
        movd    %eax, %xmm10
        pshufd  $0, %xmm10, %xmm10
        lea     (,%rcx,8), %r9
        jmp     3f
2:      pass    128
        sub     $16, %rcx
3:      cmp     $16, %rcx
        jae     2b
        cmp     $8, %rcx
        jb      5f
        pass    64
        sub     $8, %rcx
        jmp     5f
4:      pass    16
        sub     $2, %rcx
5:      cmp     $2, %rcx
        jae     4b
        test    %rcx, %rcx
        jz      6f
        pass    8
6:      ret
LB_END(lb_native_baseline_table_select)
