/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The differential tester: runs the kernels of one row against the plain reference, at every size
 * and every allowed aliasing, over edge patterns, with operands between unreadable pages. Knows the
 * ops table, not which provider filled it.
 *
 * A new provider is tested by calling these for its rows; see tests/test-slots-limbs.c.
 */
#ifndef LIMBIC_TESTS_SLOTS_H
#define LIMBIC_TESTS_SLOTS_H

#include "limbic-provider.h"

/* The largest size in limbs that is tested: a modulus; products are twice as long. */
#define SLOTS_MAX_LIMBS (LIMBIC_MAX_LIMBS < 256 ? LIMBIC_MAX_LIMBS : 256)

/* What came of it. Zero it before the first call, apart from `label`, `glob`, `has` and
   `quiet`. */
struct slots_report {
    const char *label;                  /* names the row in messages */
    const char *glob;                   /* only slots whose name matches; NULL: all */
    const struct limbic_mod_slots *has; /* level 2: only the slots that it has; NULL: all */
    int quiet;                          /* do not print failures */
    unsigned long cases;                /* calls of kernels that were compared */
    unsigned failures;
    char first[240]; /* the first failure: label, slot, limbs, what */
};

/* The sizes that every slot is tested at: 1 .. 66 limbs and some larger ones; 0 ends them. */
extern const size_t slots_sizes[];

/* All level 1 slots of the row at operands of n limbs (products: of n limbs by others, too). */
void slots_check_limbs(const struct limbic_ops *ops, size_t n, struct slots_report *report);

/* All level 2 slots of the row at moduli of n limbs. The row is the one for that many limbs. */
void slots_check_moduli(const struct limbic_ops *ops, size_t n, struct slots_report *report);

/* For the tester's own files: records a failure. */
void slots_failed(struct slots_report *report, const char *slot, size_t n, const char *what,
                  const char *detail);

#endif
