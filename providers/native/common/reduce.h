/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Template: Montgomery reduction of any length by a tier's rows (P. Montgomery, "Modular
 * multiplication without trial division", 1985). The includer defines limb_t and
 *
 *   addmul_row(r, a, n, b)               r[n] += a[n] * b; returns the limb above
 *   sum(r, a, b, n)                      r = a + b; returns the carry, 0 or 1
 *   masked_difference(r, a, b, n, mask)  r = a - (b & mask)
 *
 * Knows no provider.
 */
#ifndef LB_PROVIDERS_NATIVE_REDUCE_H
#define LB_PROVIDERS_NATIVE_REDUCE_H

/*
 * r[n] = t[2n] / R mod m in [0, R), for t < R^2. Step i adds q m B^i, which makes limb i zero; the
 * limb that it carries out belongs at i + n and is parked in the limb just cleared, so that the n
 * carries are added in one pass. The sum is (t + Q m) / R < R + m: one bit above n limbs, and when
 * it is set, less m the sum is below R.
 */
static void reduce_rows(limb_t *r, limb_t *t, const struct limbic_modulus *m)
{
    size_t n = m->n;

    for (size_t i = 0; i < n; i++)
        t[i] = addmul_row(t + i, m->m, n, t[i] * m->neg_inv);
    limb_t carry = sum(r, t + n, t, n);
    (void)masked_difference(r, r, m->m, n, (limb_t)0 - carry);
}

#endif
