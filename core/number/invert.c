/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inversion modulo an odd number by division steps, and modulo any number for a public operand.
 */
#include "core/number/divsteps.h"

/* u if x < 0, else -u: what multiplies m when m is added to x < 0 and taken from x >= 0. */
static slimb_t toward_zero(slimb_t u, slimb_t top)
{
    limb_t keep = lb_ct_mask_of_bit(~(limb_t)top >> (LIMB_BITS - 1));

    return (slimb_t)(((limb_t)u ^ keep) - keep);
}

/* The k for which u d + v e + k m is a multiple of 2^N, from the low digits, and within 2^(N-1) of
   `about`: about + c, where c in [-2^(N-1), 2^(N-1)) is the residue of -(u d + v e + about m) / m.
   Shifting c's N bits up by two and down again extends their sign. */
static slimb_t cancel(limb_t uv, slimb_t about, limb_t m0, limb_t neg_inv)
{
    limb_t c = (uv + (limb_t)about * m0) * neg_inv;

    return about + ((slimb_t)(c << 2) >> 2);
}

/*
 * d and e go through the same matrix modulo m: (d, e) = (fu d + fv e, gu d + gv e) / 2^N mod m.
 *
 * Before and after, |d|, |e| <= 3m/2. First m is added to or taken from d and from e, so that they
 * come to lie in [-m, m]: x < 0 becomes x + m in [-m/2, m), x >= 0 becomes x - m in [-m, m/2]. This
 * happens in the coefficient k of m, as u (d +- m) + v (e +- m) = u d + v e + (+-u +- v) m. With
 * another c m, |c| <= 2^(N-1), the sum is a multiple of 2^N, and in absolute value at most
 * (|u| + |v|) m + 2^(N-1) m <= 3m/2 * 2^N.
 *
 * Words: |+-u +- v| <= 2^N, so |k| <= 3/2 * 2^N < 2^(LIMB_BITS - 1). Three products add up to at
 * most (|u| + |v| + |k|) 2^N <= 5/2 * 2^(2N); with the carry, at most 5/2 * 2^N + 1 in absolute
 * value, this is below 2^(2N+2) = 2^(2 LIMB_BITS - 2). The last digit is within 3m/2, below
 * 2^(LIMB_BITS n + 1), which the digits' two spare bits, the sign being one of them, hold.
 */
static void apply_mod(const struct lb_divsteps *t, slimb_t *d, slimb_t *e, const slimb_t *m,
                      size_t len, limb_t neg_inv)
{
    slimb_t fu = t->fu, fv = t->fv, gu = t->gu, gv = t->gv;
    slimb_t d_top = d[len - 1], e_top = e[len - 1];
    limb_t d0 = (limb_t)d[0], e0 = (limb_t)e[0], m0 = (limb_t)m[0];

    slimb_t dk = cancel((limb_t)fu * d0 + (limb_t)fv * e0,
                        toward_zero(fu, d_top) + toward_zero(fv, e_top), m0, neg_inv);
    slimb_t ek = cancel((limb_t)gu * d0 + (limb_t)gv * e0,
                        toward_zero(gu, d_top) + toward_zero(gv, e_top), m0, neg_inv);

    sdlimb_t dc = (sdlimb_t)fu * d[0] + (sdlimb_t)fv * e[0] + (sdlimb_t)dk * m[0];
    sdlimb_t ec = (sdlimb_t)gu * d[0] + (sdlimb_t)gv * e[0] + (sdlimb_t)ek * m[0];

    for (size_t i = 1; i < len; i++) {
        slimb_t di = d[i], ei = e[i], mi = m[i];

        dc = (dc >> LB_DIGIT_BITS) + (sdlimb_t)fu * di + (sdlimb_t)fv * ei + (sdlimb_t)dk * mi;
        ec = (ec >> LB_DIGIT_BITS) + (sdlimb_t)gu * di + (sdlimb_t)gv * ei + (sdlimb_t)ek * mi;
        d[i - 1] = (slimb_t)((limb_t)dc & LB_DIGIT_MASK);
        e[i - 1] = (slimb_t)((limb_t)ec & LB_DIGIT_MASK);
    }
    d[len - 1] = (slimb_t)(dc >> LB_DIGIT_BITS);
    e[len - 1] = (slimb_t)(ec >> LB_DIGIT_BITS);
}

/* ~0 if x is 1 or -1, whose digits are 1, 0, 0 .. and 2^N - 1, .. 2^N - 1, -1. */
static limb_t is_unit(const slimb_t *x, size_t len)
{
    limb_t plus = (limb_t)x[0] ^ 1, minus = (limb_t)x[0] ^ LB_DIGIT_MASK;

    for (size_t i = 1; i + 1 < len; i++) {
        plus |= (limb_t)x[i];
        minus |= (limb_t)x[i] ^ LB_DIGIT_MASK;
    }
    plus |= (limb_t)x[len - 1];
    minus |= ~(limb_t)x[len - 1];
    return lb_ct_is_zero(plus) | lb_ct_is_zero(minus);
}

/* From [-3m/2, 3m/2] to [0, m): add m to negative values twice, giving [0, 3m/2], then take it away
   and put it back if that was too much. m is the modulus, minus_m room for its negative. */
static void to_range(slimb_t *d, const slimb_t *m, slimb_t *minus_m, size_t len)
{
    for (size_t i = 0; i < len; i++)
        minus_m[i] = m[i];
    lb_digits_cond_negate(minus_m, len, ~(limb_t)0);

    lb_digits_cond_add(d, m, len, lb_digits_negative(d, len));
    lb_digits_cond_add(d, m, len, lb_digits_negative(d, len));
    lb_digits_cond_add(d, minus_m, len, ~(limb_t)0);
    lb_digits_cond_add(d, m, len, lb_digits_negative(d, len));
}

/* From (f, g) = (m, a) and (d, e) = (0, 1), each batch keeps f = d a and g = e a modulo m; at the
   end f = +-gcd(m, a). */
limb_t lb_nat_invert_odd(const struct limbic_ops *ops, limb_t *r, const limb_t *a, const limb_t *m,
                         size_t n, limb_t *scratch)
{
    size_t len = LB_DIVSTEPS_DIGITS(n);
    slimb_t *f = (slimb_t *)scratch, *g = f + len, *d = g + len, *e = d + len, *mod = e + len;
    limb_t neg_inv = lb_negated_inverse(m[0]);
    struct lb_divsteps t;
    slimb_t delta = 1;

    (void)ops; /* signed digits have no slots */
    lb_digits_from_nat(mod, len, m, n);
    lb_digits_from_nat(f, len, m, n);
    lb_digits_from_nat(g, len, a, n);
    lb_nat_zero((limb_t *)d, len);
    lb_nat_set((limb_t *)e, len, 1);

    for (size_t i = lb_divsteps_batches(n); i > 0; i--) {
        delta = lb_divsteps_batch(&t, delta, f[0], g[0]);
        lb_divsteps_apply(&t, f, g, len);
        apply_mod(&t, d, e, mod, len, neg_inv);
    }

    limb_t invertible = is_unit(f, len);
    lb_digits_cond_negate(d, len, lb_digits_negative(f, len));
    to_range(d, mod, g, len);
    lb_digits_to_nat(r, n, d);
    for (size_t i = 0; i < n; i++)
        r[i] &= invertible;
    return invertible;
}

/* 1/e mod m = (1 + m k) / e, where k = -1/m mod e makes the division exact. k <= e - 1, so
   1 + m k <= 1 + m (e - 1) <= m e: it fits mn + en limbs, and the quotient is below m, as m > 1. */
limb_t lb_nat_invert_public(const struct limbic_ops *ops, limb_t *r, const limb_t *m, size_t mn,
                            const limb_t *e, size_t en, limb_t *scratch)
{
    limb_t *product = scratch;
    limb_t *k = product + mn + en;
    limb_t *rest = k + en;

    lb_nat_divrem(ops, NULL, k, m, mn, e, en, rest);
    limb_t invertible = lb_nat_invert_odd(ops, k, k, e, en, rest);
    ops->limbs.sub(k, e, k, en);

    ops->limbs.mul(product, m, mn, k, en, rest);
    (void)lb_nat_add_limb(product, product, mn + en, 1);
    lb_nat_divrem(ops, product, NULL, product, mn + en, e, en, rest);
    for (size_t i = 0; i < mn; i++)
        r[i] = product[i] & invertible;
    return invertible;
}
