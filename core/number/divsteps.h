/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Division steps: D. J. Bernstein, B.-Y. Yang, "Fast constant-time gcd computation and modular
 * inversion", IACR TCHES 2019(3), eprint 2019/266, section 8 (integers). What the gcd and the
 * inverse share.
 *
 * The numbers f and g are kept in signed form: `len` digits of N = LIMB_BITS - 2 bits, least
 * significant first, all in [0, 2^N) but the last, which carries the sign. N steps depend on the
 * low N bits of f and g only and act on (f, g) as a matrix of integers divided by 2^N, so a batch
 * of N steps is computed on single words and then applied to the long numbers, where the division
 * by 2^N drops a digit.
 */
#ifndef LB_NUMBER_DIVSTEPS_H
#define LB_NUMBER_DIVSTEPS_H

#include "core/number/arith.h"
#include "core/number/wide.h"

#define LB_DIGIT_BITS (LIMB_BITS - 2)
#define LB_DIGIT_MASK (((limb_t)1 << LB_DIGIT_BITS) - 1)

/* 2^N (f', g') = ((fu, fv), (gu, gv)) (f, g). Both |fu| + |fv| and |gu| + |gv| are at most 2^N. */
struct lb_divsteps {
    slimb_t fu, fv, gu, gv;
};

/* Batches after which g = 0 and f = +-gcd(f, g), for any odd f and any g with |f|, |g| < B^n. */
size_t lb_divsteps_batches(size_t n);

/* One batch from delta and the low digits of f and g; returns the new delta. */
slimb_t lb_divsteps_batch(struct lb_divsteps *t, slimb_t delta, slimb_t f0, slimb_t g0);

/* (f, g) = (f', g') as above. Exact: the digit that is dropped is zero. */
void lb_divsteps_apply(const struct lb_divsteps *t, slimb_t *f, slimb_t *g, size_t len);

/* Between limbs and digits; len = LB_DIVSTEPS_DIGITS(n). To limbs: 0 <= x < B^n. */
void lb_digits_from_nat(slimb_t *x, size_t len, const limb_t *a, size_t n);
void lb_digits_to_nat(limb_t *a, size_t n, const slimb_t *x);

/* ~0 if x < 0. */
limb_t lb_digits_negative(const slimb_t *x, size_t len);

/* x = mask ? -x : x, and x += mask ? m : 0. */
void lb_digits_cond_negate(slimb_t *x, size_t len, limb_t mask);
void lb_digits_cond_add(slimb_t *x, const slimb_t *m, size_t len, limb_t mask);

#endif
