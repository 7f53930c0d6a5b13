/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Template: products and squares by recursion over a provider's own kernels for short ones, by
 * Karatsuba's method in its subtractive form, whose sign is a mask: no branch depends on a value.
 * (A. Karatsuba, Yu. Ofman, "Multiplication of many-digital numbers by automatic computers", 1962.)
 *
 * The includer defines limb_t and, as functions or macros with side effects on their results only,
 *
 *   KARATSUBA_MUL(n), KARATSUBA_SQR(n)  whether n limbs are to be split; never below 4
 *   mul_short(r, a, b, n)               r[2n] = a[n] * b[n], for lengths that are not split
 *   mul_rows(r, a, an, b, bn)           r[an + bn] = a[an] * b[bn], an >= bn
 *   sqr_short(r, a, n)                  r[2n] = a[n]^2, for lengths that are not split
 *   abs_difference(r, a, h, b, l)       r[h] = |a[h] - b[l]|, h - 1 <= l <= h; returns ~0 if the
 *                                       difference was negative, else 0
 *   karatsuba_join(r, d, n, h, subtract)  below
 *
 * Knows no provider.
 *
 * karatsuba_join: r[2n] holds z0 = a0 b0 in its low 2h limbs and z2 = a1 b1 above; d[2h] is
 * |a0 - a1| |b0 - b1|, to be subtracted when `subtract` is ~0 and added when it is 0. Adds
 * z0 + z2 -+ d at limb h; d may be overwritten. The middle sum is a0 b1 + a1 b0 < 2 B^2h, so it has
 * one bit above its 2h limbs. It ends below limb 3h <= 2n, as n >= 4.
 */
#ifndef LB_PROVIDERS_NATIVE_KARATSUBA_H
#define LB_PROVIDERS_NATIVE_KARATSUBA_H

/* Both need 2h + (the same for h) <= 2n + 2 log2 n limbs of scratch, h = ceil(n / 2): the
   differences wait in r until z0 and z2 overwrite them. */
static void mul_equal(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t *scratch)
{
    size_t h = (n + 1) / 2, l = n - h;
    limb_t negative;

    if (!KARATSUBA_MUL(n)) {
        mul_short(r, a, b, n);
        return;
    }
    negative = abs_difference(r, a, h, a + h, l);
    negative ^= abs_difference(r + h, b, h, b + h, l);
    mul_equal(scratch, r, r + h, h, scratch + 2 * h);
    mul_equal(r, a, b, h, scratch + 2 * h);
    mul_equal(r + 2 * h, a + h, b + h, l, scratch + 2 * h);
    karatsuba_join(r, scratch, n, h, ~negative);
}

static void sqr_any(limb_t *r, const limb_t *a, size_t n, limb_t *scratch)
{
    size_t h = (n + 1) / 2, l = n - h;

    if (!KARATSUBA_SQR(n)) {
        sqr_short(r, a, n);
        return;
    }
    (void)abs_difference(r, a, h, a + h, l);
    sqr_any(scratch, r, h, scratch + 2 * h);
    sqr_any(r, a, h, scratch + 2 * h);
    sqr_any(r + 2 * h, a + h, l, scratch + 2 * h);
    karatsuba_join(r, scratch, n, h, ~(limb_t)0);
}

/* Unequal lengths: few long rows beat many short ones. */
static void mul_any(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn,
                    limb_t *scratch)
{
    if (an == bn)
        mul_equal(r, a, b, an, scratch);
    else if (an > bn)
        mul_rows(r, a, an, b, bn);
    else
        mul_rows(r, b, bn, a, an);
}

#endif
