/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The greatest common divisor, a binary gcd in constant time: powers of two by shifts, the rest by
 * division steps.
 */
#include "core/number/divsteps.h"

/* gcd(a, b) = 2^z gcd(a / 2^z, b / 2^z), where z is the number of trailing zeros that a and b have
   in common; then one of the two is odd and takes the part of f. If both are 0, f and g stay 0. */
void lb_nat_gcd(const struct limbic_ops *ops, limb_t *r, const limb_t *a, const limb_t *b, size_t n,
                limb_t *scratch)
{
    size_t len = LB_DIVSTEPS_DIGITS(n);
    limb_t *x = scratch, *y = scratch + n;
    slimb_t *f = (slimb_t *)(scratch + 2 * n), *g = f + len;
    struct lb_divsteps t;
    slimb_t delta = 1;

    for (size_t i = 0; i < n; i++)
        x[i] = a[i] | b[i];
    size_t z = lb_nat_ctz(x, n);
    lb_nat_copy(x, a, n);
    lb_nat_copy(y, b, n);
    lb_nat_shift_right(x, n, z);
    lb_nat_shift_right(y, n, z);
    ops->limbs.cond_swap(x, y, n, ~lb_ct_mask_of_bit(x[0]));

    lb_digits_from_nat(f, len, x, n);
    lb_digits_from_nat(g, len, y, n);
    for (size_t i = lb_divsteps_batches(n); i > 0; i--) {
        delta = lb_divsteps_batch(&t, delta, f[0], g[0]);
        lb_divsteps_apply(&t, f, g, len);
    }
    lb_digits_cond_negate(f, len, lb_digits_negative(f, len));
    lb_digits_to_nat(r, n, f);
    lb_nat_shift_left(r, n, z);
}
