/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operands between unreadable pages. Each operand of a case lies flush against one end of memory of
 * its own, so that a limb read or written beyond that end is a crash, and canaries stand at the
 * other end. Knows limbs, not what is computed with them. Single-threaded.
 */
#ifndef LIMBIC_TESTS_GUARDS_H
#define LIMBIC_TESTS_GUARDS_H

#include "limbic-provider.h"

/* Which end the operands of a case touch. */
enum guards_side { GUARDS_LOW, GUARDS_HIGH };

/* Starts a case: gives all operands back. */
void guards_begin(enum guards_side side);

/* An operand that the kernel only reads. `content` must stay as it is until guards_check. */
const limbic_limb_t *guards_read(const limbic_limb_t *content, size_t n);

/* An operand that the kernel writes; junk at first if content is NULL. */
limbic_limb_t *guards_write(const limbic_limb_t *content, size_t n);

/* Scratch: junk; at the low side one limb away from the page, so that it is aligned as a limb is
   and no better. */
limbic_limb_t *guards_scratch(size_t n);

/* Ends a case: NULL if all canaries stand and what is only read is unchanged, else what is
   wrong. */
const char *guards_check(void);

#endif
