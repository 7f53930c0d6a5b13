/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A plain reference for every slot of levels 1 and 2, written for clarity: schoolbook arithmetic on
 * digits of 16 bits, long division, square and multiply, Euclid's algorithm, straight from the
 * formulas of limbic-provider.h. Shares no code with the library, so that the two cannot be wrong
 * together. Variable time, no aliasing, no scratch; for tests only.
 */
#ifndef LIMBIC_TESTS_REFERENCE_H
#define LIMBIC_TESTS_REFERENCE_H

#include "limbic-provider.h"

/* Level 1. Results, carries and sizes as in the slots of the same name. */
limbic_limb_t reference_add(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b,
                            size_t n);
limbic_limb_t reference_sub(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b,
                            size_t n);
limbic_limb_t reference_lshift(limbic_limb_t *r, const limbic_limb_t *a, size_t n, unsigned s);
limbic_limb_t reference_rshift(limbic_limb_t *r, const limbic_limb_t *a, size_t n, unsigned s);
limbic_limb_t reference_mul_1(limbic_limb_t *r, const limbic_limb_t *a, size_t n, limbic_limb_t b);
/* r = low limbs of c + a * b and of c - a * b. */
limbic_limb_t reference_addmul_1(limbic_limb_t *r, const limbic_limb_t *c, const limbic_limb_t *a,
                                 size_t n, limbic_limb_t b);
limbic_limb_t reference_submul_1(limbic_limb_t *r, const limbic_limb_t *c, const limbic_limb_t *a,
                                 size_t n, limbic_limb_t b);
void reference_mul(limbic_limb_t *r, const limbic_limb_t *a, size_t an, const limbic_limb_t *b,
                   size_t bn);

/* Division by any d > 0, high limbs of d may be zero: q[an], r[dn]; either may be NULL. */
void reference_divrem(limbic_limb_t *q, limbic_limb_t *r, const limbic_limb_t *a, size_t an,
                      const limbic_limb_t *d, size_t dn);

/* Level 2, for any m > 0 of n limbs. r[n] = a[n] * b[n] mod m; r[n] = a[n]^e mod m, e of ebits
   bits. */
void reference_mod_mul(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b,
                       const limbic_limb_t *m, size_t n);
void reference_mod_pow(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *e,
                       size_t ebits, const limbic_limb_t *m, size_t n);

/* r[n] = 1/a mod m; returns 1, or 0 with r = 0 when gcd(a, m) != 1. */
int reference_mod_inv(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *m, size_t n);

/* r[n] = R mod m, and 1/R mod m for odd m (1 halved as often as R has factors 2), R = B^n. */
void reference_mont_one(limbic_limb_t *r, const limbic_limb_t *m, size_t n);
void reference_mont_inv_r(limbic_limb_t *r, const limbic_limb_t *m, size_t n);

#endif
