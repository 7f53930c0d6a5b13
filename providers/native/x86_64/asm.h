/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What every assembly file of this directory opens with: the head and the end of a function, the
 * notes of the object file, the hit flags of test builds. For the C preprocessor in front of an
 * assembler with AT&T syntax; System V calling convention, ELF. Knows no kernel.
 *
 * Operand contract of all kernels (limbic-provider.h): limb arrays of n >= 1 limbs, little-endian;
 * no read or write outside them; results in rdi's array, the limb returned in rax. Clobbered: what
 * the calling convention leaves free. No kernel's branches or addresses depend on anything but
 * lengths, shift distances and pointers.
 *
 * A carry lives in CF only between instructions that leave CF alone. It crosses the turn of a loop as
 * a mask or a limb in a register, since counters, masks and mul write flags; so no branch reads
 * flags that a secret had a part in.
 */
#ifndef LB_PROVIDERS_X86_64_ASM_H
#define LB_PROVIDERS_X86_64_ASM_H

/* Entered through a pointer, hence the landing pad of indirect-branch tracking. */
/* clang-format off */
#define LB_FUNCTION(name) \
    .text; \
    .balign 64; \
    .globl name; \
    .hidden name; \
    .type name, @function; \
name: \
    .cfi_startproc; \
    endbr64

#define LB_END(name) \
    .cfi_endproc; \
    .size name, . - name

/* A second entry of the function that is open, for direct calls: behind the hit flag, so that a
   kernel made of rows is not taken for the row. */
#define LB_ENTRY(name) \
    .globl name; \
    .hidden name; \
    .type name, @function; \
    .set name, .

/* Numbers of the slots, for the hit flags. The tier's C file asserts that they are the header's. */
#define LB_ASM_SLOT_ADD 0
#define LB_ASM_SLOT_SUB 1
#define LB_ASM_SLOT_COND_ADD 2
#define LB_ASM_SLOT_COND_SUB 3
#define LB_ASM_SLOT_COND_SWAP 4
#define LB_ASM_SLOT_SELECT 5
#define LB_ASM_SLOT_TABLE_SELECT 6
#define LB_ASM_SLOT_LSHIFT 7
#define LB_ASM_SLOT_RSHIFT 8
#define LB_ASM_SLOT_MUL_1 9
#define LB_ASM_SLOT_ADDMUL_1 10
#define LB_ASM_SLOT_SUBMUL_1 11

#ifdef LIMBIC_TESTING
#define LB_ASM_HIT(hits, slot) movb $1, hits + slot(%rip)
#else
#define LB_ASM_HIT(hits, slot)
#endif

#ifdef __ASSEMBLER__
/* No executable stack. */
    .section .note.GNU-stack, "", @progbits
/* GNU_PROPERTY_X86_FEATURE_1_AND: indirect-branch tracking and shadow stack both work. */
    .section .note.gnu.property, "a", @note
    .balign 8
    .long 4, 16, 5
    .asciz "GNU"
    .long 0xc0000002, 4, 3, 0
    .text
#endif
/* clang-format on */

#endif
