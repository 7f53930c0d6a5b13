/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Baseline kernels: products and squares of any length over the assembly: columns at the lengths
 * that keys have, rows at the others, and Karatsuba's method above. Lengths are public, so that the
 * choice among them is. Only C: no arithmetic is done here.
 */
#define TIER(name) lb_native_baseline_##name
#include "providers/native/x86_64/baseline/kernels.h"

/* Lengths that are split, measured on Sapphire Rapids. */
#ifndef LB_NATIVE_BASELINE_KARATSUBA_MUL
#define LB_NATIVE_BASELINE_KARATSUBA_MUL 24
#endif
#ifndef LB_NATIVE_BASELINE_KARATSUBA_SQR
#define LB_NATIVE_BASELINE_KARATSUBA_SQR 32
#endif
#define KARATSUBA_MUL(n) ((n) >= LB_NATIVE_BASELINE_KARATSUBA_MUL)
/* Also 24 limbs, the half of RSA-3072: three squares of 12 in columns beat one of 24 in rows. */
#define KARATSUBA_SQR(n) ((n) >= LB_NATIVE_BASELINE_KARATSUBA_SQR || (n) == 24)

static void mul_rows(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn)
{
    r[an] = lb_native_baseline_mul_row(r, a, an, b[0]);
    for (size_t i = 1; i < bn; i++)
        r[an + i] = lb_native_baseline_addmul_row(r + i, a, an, b[i]);
}

/* Half the products: those of a[i] with the limbs above it. */
static void sqr_rows(limb_t *r, const limb_t *a, size_t n)
{
    r[0] = 0;
    r[2 * n - 1] = 0;
    if (n > 1)
        r[n] = lb_native_baseline_mul_row(r + 1, a + 1, n - 1, a[0]);
    for (size_t i = 1; i + 1 < n; i++)
        r[n + i] = lb_native_baseline_addmul_row(r + 2 * i + 1, a + i + 1, n - 1 - i, a[i]);
    lb_native_baseline_double_and_add_diagonal(r, a, n);
}

static void mul_short(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    switch (n) {
    case 4:
        lb_native_baseline_mul_4(r, a, b);
        break;
    case 6:
        lb_native_baseline_mul_6(r, a, b);
        break;
    case 8:
        lb_native_baseline_mul_8(r, a, b);
        break;
    case 12:
        lb_native_baseline_mul_12(r, a, b);
        break;
    case 16:
        lb_native_baseline_mul_16(r, a, b);
        break;
    default:
        mul_rows(r, a, n, b, n);
        break;
    }
}

static void sqr_short(limb_t *r, const limb_t *a, size_t n)
{
    switch (n) {
    case 4:
        lb_native_baseline_sqr_4(r, a);
        break;
    case 6:
        lb_native_baseline_sqr_6(r, a);
        break;
    case 8:
        lb_native_baseline_sqr_8(r, a);
        break;
    case 12:
        lb_native_baseline_sqr_12(r, a);
        break;
    case 16:
        lb_native_baseline_sqr_16(r, a);
        break;
    default:
        sqr_rows(r, a, n);
        break;
    }
}

#include "providers/native/x86_64/karatsuba.h"

void lb_native_baseline_product(limb_t *r, const limb_t *a, const limb_t *b, size_t n,
                                limb_t *scratch)
{
    mul_equal(r, a, b, n, scratch);
}

void lb_native_baseline_square(limb_t *r, const limb_t *a, size_t n, limb_t *scratch)
{
    sqr_any(r, a, n, scratch);
}

void lb_native_baseline_mul(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn,
                            limb_t *scratch)
{
    LB_HIT(LIMBIC_SLOT_MUL);
    mul_any(r, a, an, b, bn, scratch);
}

void lb_native_baseline_sqr(limb_t *r, const limb_t *a, size_t n, limb_t *scratch)
{
    LB_HIT(LIMBIC_SLOT_SQR);
    sqr_any(r, a, n, scratch);
}

/* The same for public operands: zeros are too rare to be looked for. */
void lb_native_baseline_mul_vartime(limb_t *r, const limb_t *a, size_t an, const limb_t *b,
                                    size_t bn, limb_t *scratch)
{
    LB_HIT(LIMBIC_SLOT_MUL_VARTIME);
    mul_any(r, a, an, b, bn, scratch);
}

void lb_native_baseline_sqr_vartime(limb_t *r, const limb_t *a, size_t n, limb_t *scratch)
{
    LB_HIT(LIMBIC_SLOT_SQR_VARTIME);
    sqr_any(r, a, n, scratch);
}
