/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ADX kernels: an entry of a table by a secret index, in AVX2. Every entry is read in full whatever
 * is chosen.
 *
 * Registers
 *   rdi r, rsi table, rdx entries, rcx n, r8 index
 *   ymm0 .. ymm7 sums, ymm8 index, ymm9 entry, ymm10 one, in eight lanes of 32 bits; ymm11 the mask of
 *   the entry, ymm12 the entry's limbs; r9 octets from an entry to the next, r10 a place in the table,
 *   r11 entries left
 *
 * Bounds: indices are below 64, so a comparison of 32 bits decides.
 */
#include "providers/native/x86_64/asm.h"

#define HITS lb_native_adx_hits

/* One pass over the table: sums `octets` octets of every entry, 32 at a time, or 8. */
    .macro  pass octets
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     32 * \i < \octets
        vpxor   %xmm\i, %xmm\i, %xmm\i
        .endif
        .endr
        vpxor   %xmm9, %xmm9, %xmm9
        mov     %rsi, %r10
        mov     %rdx, %r11
        .balign 32
1:      vpcmpeqd %ymm8, %ymm9, %ymm11
        vpaddd  %ymm10, %ymm9, %ymm9
        .if     \octets == 8
        vmovq   (%r10), %xmm12
        vpand   %xmm11, %xmm12, %xmm12
        vpor    %xmm12, %xmm0, %xmm0
        .else
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     32 * \i < \octets
        vpand   32 * \i(%r10), %ymm11, %ymm12
        vpor    %ymm12, %ymm\i, %ymm\i
        .endif
        .endr
        .endif
        add     %r9, %r10
        sub     $1, %r11
        jnz     1b
        .if     \octets == 8
        vmovq   %xmm0, (%rdi)
        .else
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .if     32 * \i < \octets
        vmovdqu %ymm\i, 32 * \i(%rdi)
        .endif
        .endr
        .endif
        add     $\octets, %rsi
        add     $\octets, %rdi
    .endm

/* void table_select(r, table, entries, n, index) */
LB_FUNCTION(lb_native_adx_table_select)
        LB_ASM_HIT(HITS, LB_ASM_SLOT_TABLE_SELECT)
LB_ENTRY(lb_native_adx_table_entry)
        vmovd   %r8d, %xmm8
        vpbroadcastd %xmm8, %ymm8
        mov     $1, %eax
        vmovd   %eax, %xmm10
        vpbroadcastd %xmm10, %ymm10
        lea     (,%rcx,8), %r9
        jmp     3f
2:      pass    256
        sub     $32, %rcx
3:      cmp     $32, %rcx
        jae     2b
        cmp     $16, %rcx
        jb      4f
        pass    128
        sub     $16, %rcx
4:      cmp     $8, %rcx
        jb      6f
        pass    64
        sub     $8, %rcx
        jmp     6f
5:      pass    32
        sub     $4, %rcx
6:      cmp     $4, %rcx
        jae     5b
        jmp     8f
7:      pass    8
        sub     $1, %rcx
8:      test    %rcx, %rcx
        jnz     7b
        vzeroupper
        ret
LB_END(lb_native_adx_table_select)
