/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Division of naturals by any divisor, one limb of the quotient at a time, without a branch.
 */
#include "core/number/arith.h"
#include "core/number/wide.h"

/* An estimate of floor((t1 B^n + t0 B^(n-1) + ...) / d) from the top limbs, where the quotient is
   below B and d1, the top limb of d, has its top bit set: the lesser of floor((t1 B + t0) / d1) and
   B - 1. It is the quotient, or up to two more (Knuth, The Art of Computer Programming, volume 2,
   4.3.1, theorems A and B). The first exceeds B - 1 only if t1 = d1, as t1 > d1 cannot be. */
static limb_t estimate(limb_t t1, limb_t t0, limb_t d1, limb_t v)
{
    limb_t rem;
    limb_t full = lb_ct_eq(t1, d1);

    return full | lb_div_2by1(&rem, t1 & ~full, t0, d1, v);
}

/* t[n + 1] -= q d for the greatest q with q d <= t; returns q. 0 <= t < d B. */
static limb_t take_quotient(const struct limbic_ops *ops, limb_t *t, const limb_t *d, size_t n,
                            limb_t v)
{
    limb_t q = estimate(t[n], t[n - 1], d[n - 1], v);

    t[n] -= ops->limbs.submul_1(t, d, n, q);

    /* Now -2d <= t < d, and d < B^n, so the top limb is 0, -1 or -2 and shows the sign. */
    for (int i = 0; i < 2; i++) {
        limb_t negative = lb_ct_mask_of_bit(t[n] >> (LIMB_BITS - 1));
        t[n] += ops->limbs.cond_add(t, t, d, n, negative);
        q += negative;
    }
    return q;
}

/*
 * Schoolbook division with a normalised divisor d 2^s, whose top bit is bit LIMB_BITS * dn - 1; s
 * is secret. The dividend need not be shifted: the loop keeps t = rem 2^s, where rem < d is the
 * remainder so far, and brings the next limb a[i] down as a[i] 2^s, a multiple of the constant 2^s.
 *
 * rem <= d - 1, so t B + a[i] 2^s <= (d - 1) 2^s B + (B - 1) 2^s < d 2^s B, as take_quotient wants.
 * The quotient of t B + a[i] 2^s by d 2^s is that of rem B + a[i] by d.
 */
void lb_nat_divrem(const struct limbic_ops *ops, limb_t *q, limb_t *r, const limb_t *a, size_t an,
                   const limb_t *d, size_t dn, limb_t *scratch)
{
    limb_t *t = scratch;
    limb_t *divisor = t + dn + 1;
    limb_t *factor = divisor + dn;
    size_t s = dn * LIMB_BITS - lb_nat_bits(d, dn);

    lb_nat_copy(divisor, d, dn);
    lb_nat_shift_left(divisor, dn, s);
    lb_nat_set(factor, dn, 1);
    lb_nat_shift_left(factor, dn, s);
    limb_t v = lb_reciprocal(divisor[dn - 1]);

    lb_nat_zero(t, dn + 1);
    for (size_t i = an; i-- > 0;) {
        lb_nat_copy(t + 1, t, dn);
        t[0] = 0;
        t[dn] += ops->limbs.addmul_1(t, factor, dn, a[i]);
        limb_t qi = take_quotient(ops, t, divisor, dn, v);
        if (q)
            q[i] = qi;
    }
    if (r) {
        lb_nat_shift_right(t, dn, s);
        lb_nat_copy(r, t, dn);
    }
}
