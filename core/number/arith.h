/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arithmetic of naturals that the ops table has no slot for: shifts by secret counts, division and
 * remainder by any divisor, odd or even, greatest common divisor, inversion modulo any modulus.
 * Used in key generation, import checks and self-tests. Everything here is constant time in the
 * values; lengths are public. `ops` is the row whose limb slots are used; nothing here needs
 * prepared state. Operands, results and scratch do not overlap, unless a call says otherwise.
 * Whoever gives scratch wipes it.
 */
#ifndef LB_NUMBER_ARITH_H
#define LB_NUMBER_ARITH_H

#include "core/number/nat.h"

/* x[n] = x * 2^s mod B^n and x[n] = floor(x / 2^s), for a secret s of any size. O(n log s). */
void lb_nat_shift_left(limb_t *x, size_t n, size_t s);
void lb_nat_shift_right(limb_t *x, size_t n, size_t s);

/* The number of trailing zero bits of a[n], as secret as a is; n * LIMB_BITS for 0. */
size_t lb_nat_ctz(const limb_t *a, size_t n);

/* q[an] = floor(a[an] / d[dn]), r[dn] = a mod d, for any d > 0, even or odd, high limbs zero or
   not, dn and an in any order. q may be a or NULL; r may be NULL.
   Scratch: the remainder with one limb more, the normalised divisor, the normalising factor. */
#define LB_SCRATCH_DIVREM(dn) (3 * (size_t)(dn) + 1)
void lb_nat_divrem(const struct limbic_ops *ops, limb_t *q, limb_t *r, const limb_t *a, size_t an,
                   const limb_t *d, size_t dn, limb_t *scratch);

/* Digits of LIMB_BITS - 2 bits that hold any value of n limbs with two bits to spare: the form in
   which the gcd and the inverse are computed (core/number/divsteps.h). */
#define LB_DIVSTEPS_DIGITS(n) (((size_t)(n)*LIMB_BITS + 2 + LIMB_BITS - 3) / (LIMB_BITS - 2))

/* r[n] = gcd(a[n], b[n]); gcd(0, x) = gcd(x, 0) = x, gcd(0, 0) = 0. r may be a or b, which may be
   the same. Scratch: both numbers, as limbs and as digits. */
#define LB_SCRATCH_GCD(n) (2 * (size_t)(n) + 2 * LB_DIVSTEPS_DIGITS(n))
void lb_nat_gcd(const struct limbic_ops *ops, limb_t *r, const limb_t *a, const limb_t *b, size_t n,
                limb_t *scratch);

/* r[n] = 1/a mod m, for odd m[n] >= 3 and a[n] < m; ~0 on success, 0 (and r = 0) if gcd(a, m) != 1.
   High limbs of m may be zero. r may be a.
   Scratch: five numbers as digits, 5 * LB_DIVSTEPS_DIGITS(n), which is at most 6n + 10 and so
   within LIMBIC_SCRATCH_INV(n). */
#define LB_SCRATCH_INVERT_ODD(n) (5 * LB_DIVSTEPS_DIGITS(n))
limb_t lb_nat_invert_odd(const struct limbic_ops *ops, limb_t *r, const limb_t *a, const limb_t *m,
                         size_t n, limb_t *scratch);

/* r[mn] = 1/e mod m for any m[mn] >= 2, even or odd, and odd e[en] >= 3 of public length; ~0 on
   success, 0 (and r = 0) if gcd(e, m) != 1. r may be m.
   Scratch: a product of mn + en limbs, a residue of e, and the larger of what the multiplication
   and the inversion modulo e take (a division takes less than the latter). */
#define LB_SCRATCH_INVERT_PUBLIC(mn, en) \
    ((size_t)(mn) + 2 * (size_t)(en) + \
     (LIMBIC_SCRATCH_MUL(mn, en) > LB_SCRATCH_INVERT_ODD(en) ? LIMBIC_SCRATCH_MUL(mn, en) \
                                                             : LB_SCRATCH_INVERT_ODD(en)))
limb_t lb_nat_invert_public(const struct limbic_ops *ops, limb_t *r, const limb_t *m, size_t mn,
                            const limb_t *e, size_t en, limb_t *scratch);

#endif
