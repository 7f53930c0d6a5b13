/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Naturals at which carries go far, and repeatable random ones. Knows nothing of the library.
 */
#ifndef LIMBIC_TESTS_PATTERNS_H
#define LIMBIC_TESTS_PATTERNS_H

#include "limbic-provider.h"

/* Repeatable random numbers: the same sequence in every run after the same seed. */
void patterns_seed(uint64_t seed);
uint64_t patterns_random(void);

/* r[n]: uniform limbs; long runs of ones and zeros. */
void patterns_uniform(limbic_limb_t *r, size_t n);
void patterns_runs(limbic_limb_t *r, size_t n);

/* Pattern number k < PATTERNS of length n. The first PATTERNS_FIXED do not depend on chance. */
#define PATTERNS_FIXED 11
#define PATTERNS 15
void patterns_make(limbic_limb_t *r, size_t n, unsigned k);

/* One bit: the lowest (edge 0) or the highest (edge 1) of limb i. */
void patterns_border(limbic_limb_t *r, size_t n, size_t i, unsigned edge);

#endif
