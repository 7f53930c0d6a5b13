/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ADX kernels: products and squares of any length over the assembly: blocks at multiples of eight
 * limbs, and of the multiple below when others are long; rows for the rest; Karatsuba's method
 * above. Lengths are public, so that the choice among them is. Only C: no arithmetic is done here.
 */
#define TIER(name) lb_native_adx_##name
#include "providers/native/x86_64/adx/kernels.h"

/* Lengths that are split, measured on Sapphire Rapids: halves should be multiples of eight. */
#ifndef LB_NATIVE_ADX_KARATSUBA_MUL
#define LB_NATIVE_ADX_KARATSUBA_MUL 32
#endif
#ifndef LB_NATIVE_ADX_KARATSUBA_SQR
#define LB_NATIVE_ADX_KARATSUBA_SQR 48
#endif
#define KARATSUBA_MUL(n) ((n) >= LB_NATIVE_ADX_KARATSUBA_MUL && ((n) % 16 == 0 || (n) > 64))
#define KARATSUBA_SQR(n) ((n) >= LB_NATIVE_ADX_KARATSUBA_SQR && ((n) % 16 == 0 || (n) > 64))

/* Blocks for the low limbs of both, an >= bn; then the rows of b's other limbs by a's low ones, and of a's
   by all of b. Each row's highest limb is the first at its place. */
static void mul_rows(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn)
{
    size_t al = an / 8 * 8, bl = bn / 8 * 8;

    if (bl == 0) {
        r[an] = lb_native_adx_mul_row(r, a, an, b[0]);
        for (size_t i = 1; i < bn; i++)
            r[an + i] = lb_native_adx_addmul_row(r + i, a, an, b[i]);
        return;
    }
    lb_native_adx_mul_blocks(r, a, al / 8, b, bl / 8);
    for (size_t i = bl; i < bn; i++)
        r[al + i] = lb_native_adx_addmul_row(r + i, a, al, b[i]);
    for (size_t i = al; i < an; i++)
        r[bn + i] = lb_native_adx_addmul_row(r + i, b, bn, a[i]);
}

/* Half the products: those of a[i] with the limbs above it. */
static void sqr_rows(limb_t *r, const limb_t *a, size_t n)
{
    r[0] = 0;
    r[2 * n - 1] = 0;
    if (n > 1)
        r[n] = lb_native_adx_mul_row(r + 1, a + 1, n - 1, a[0]);
    for (size_t i = 1; i + 1 < n; i++)
        r[n + i] = lb_native_adx_addmul_row(r + 2 * i + 1, a + i + 1, n - 1 - i, a[i]);
    lb_native_baseline_double_and_add_diagonal(r, a, n);
}

static void mul_short(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    mul_rows(r, a, n, b, n);
}

static void sqr_short(limb_t *r, const limb_t *a, size_t n)
{
    if (n % 8 == 0)
        lb_native_adx_sqr_blocks(r, a, n / 8);
    else if (n == 4)
        lb_native_baseline_sqr_4(r, a);
    else if (n == 6)
        lb_native_baseline_sqr_6(r, a);
    else if (n == 12)
        lb_native_baseline_sqr_12(r, a);
    else
        sqr_rows(r, a, n);
}

#include "providers/native/x86_64/karatsuba.h"

void lb_native_adx_product(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t *scratch)
{
    mul_equal(r, a, b, n, scratch);
}

void lb_native_adx_square(limb_t *r, const limb_t *a, size_t n, limb_t *scratch)
{
    sqr_any(r, a, n, scratch);
}

void lb_native_adx_mul(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn,
                       limb_t *scratch)
{
    LB_HIT(LIMBIC_SLOT_MUL);
    mul_any(r, a, an, b, bn, scratch);
}

void lb_native_adx_sqr(limb_t *r, const limb_t *a, size_t n, limb_t *scratch)
{
    LB_HIT(LIMBIC_SLOT_SQR);
    sqr_any(r, a, n, scratch);
}

/* The same for public operands: zeros are too rare to be looked for. */
void lb_native_adx_mul_vartime(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn,
                               limb_t *scratch)
{
    LB_HIT(LIMBIC_SLOT_MUL_VARTIME);
    mul_any(r, a, an, b, bn, scratch);
}

void lb_native_adx_sqr_vartime(limb_t *r, const limb_t *a, size_t n, limb_t *scratch)
{
    LB_HIT(LIMBIC_SLOT_SQR_VARTIME);
    sqr_any(r, a, n, scratch);
}
