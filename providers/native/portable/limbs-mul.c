/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Portable kernels: products and squares. Schoolbook rows, and from a measured length on
 * Karatsuba's method in its subtractive form, whose sign is a mask: no branch depends on a value.
 */
#include "providers/native/portable/kernels.h"

/* Lengths from which one more level of Karatsuba pays, measured with gcc 12 and clang 14 and much
   the same for limbs of 64 and 32 bits. Not below 4. */
#ifndef LB_PORTABLE_KARATSUBA_MUL
#define LB_PORTABLE_KARATSUBA_MUL 32
#endif
#ifndef LB_PORTABLE_KARATSUBA_SQR
#define LB_PORTABLE_KARATSUBA_SQR 56
#endif

/* r[an + bn] = a[an] * b[bn], an >= bn: few long rows beat many short ones. */
static void mul_rows(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn)
{
    r[an] = lb_portable_mul_row(r, a, an, b[0]);
    for (size_t i = 1; i < bn; i++)
        r[an + i] = lb_portable_addmul_row(r + i, a, an, b[i]);
}

/* r[2n] = 2 r[2n] + the squares a[i]^2 at their places: twice the products of unequal limbs, and
   the diagonal. The total is a^2 < B^2n, so that nothing is carried out at the end. */
static void double_and_add_diagonal(limb_t *r, const limb_t *a, size_t n)
{
    limb_t out = 0, carry = 0;

    for (size_t i = 0; i < n; i++) {
        dlimb_t p = (dlimb_t)a[i] * a[i];
        limb_t low = r[2 * i], high = r[2 * i + 1];

        carry = add_step(r + 2 * i, (limb_t)p, (low << 1) | out, carry);
        carry = add_step(r + 2 * i + 1, (limb_t)(p >> LIMB_BITS),
                         (high << 1) | (low >> (LIMB_BITS - 1)), carry);
        out = high >> (LIMB_BITS - 1);
    }
}

/* r[2n] = a[n]^2 with half the products. */
static void sqr_rows(limb_t *r, const limb_t *a, size_t n)
{
    r[0] = 0;
    r[2 * n - 1] = 0;
    if (n > 1)
        r[n] = lb_portable_mul_row(r + 1, a + 1, n - 1, a[0]);
    for (size_t i = 1; i + 1 < n; i++)
        r[n + i] = lb_portable_addmul_row(r + 2 * i + 1, a + i + 1, n - 1 - i, a[i]);
    double_and_add_diagonal(r, a, n);
}

/* r[h] = |a[h] - b[l]|, l <= h; returns ~0 if the difference was negative, else 0. */
static limb_t abs_difference(limb_t *r, const limb_t *a, size_t h, const limb_t *b, size_t l)
{
    limb_t borrow = 0, negative, carry;

    for (size_t i = 0; i < l; i++)
        borrow = sub_step(r + i, a[i], b[i], borrow);
    for (size_t i = l; i < h; i++)
        borrow = sub_step(r + i, a[i], 0, borrow);
    negative = hidden((limb_t)0 - borrow);
    carry = negative & 1;
    for (size_t i = 0; i < h; i++)
        carry = add_step(r + i, r[i] ^ negative, 0, carry);
    return negative;
}

/* As the template describes it. A subtraction is the addition of ~d + 1 with the extension ~0. */
static void karatsuba_join(limb_t *r, limb_t *d, size_t n, size_t h, limb_t subtract)
{
    const limb_t *z0 = r, *z2 = r + 2 * h;
    size_t l2 = 2 * (n - h);
    limb_t c0 = subtract & 1, c1 = 0, top;

    for (size_t i = 0; i < 2 * h; i++) {
        limb_t s;

        c0 = add_step(&s, z0[i], d[i] ^ subtract, c0);
        c1 = add_step(d + i, s, i < l2 ? z2[i] : 0, c1);
    }
    top = subtract + c0 + c1;
    c0 = 0;
    for (size_t i = 0; i < 2 * h; i++)
        c0 = add_step(r + h + i, r[h + i], d[i], c0);
    top += c0;
    for (size_t i = 3 * h; i < 2 * n; i++)
        top = add_step(r + i, r[i], top, 0);
}

#define KARATSUBA_MUL(n) ((n) >= LB_PORTABLE_KARATSUBA_MUL)
#define KARATSUBA_SQR(n) ((n) >= LB_PORTABLE_KARATSUBA_SQR)
#define mul_short(r, a, b, n) mul_rows(r, a, n, b, n)
#define sqr_short(r, a, n) sqr_rows(r, a, n)

#include "providers/native/common/karatsuba.h"

void lb_portable_mul(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn,
                     limb_t *scratch)
{
    LB_HIT(LIMBIC_SLOT_MUL);
    mul_any(r, a, an, b, bn, scratch);
}

void lb_portable_sqr(limb_t *r, const limb_t *a, size_t n, limb_t *scratch)
{
    LB_HIT(LIMBIC_SLOT_SQR);
    sqr_any(r, a, n, scratch);
}

/* Public operands are no reason for other code here: skipping zeros would help none but contrived
   operands. */
void lb_portable_mul_vartime(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn,
                             limb_t *scratch)
{
    LB_HIT(LIMBIC_SLOT_MUL_VARTIME);
    mul_any(r, a, an, b, bn, scratch);
}

void lb_portable_sqr_vartime(limb_t *r, const limb_t *a, size_t n, limb_t *scratch)
{
    LB_HIT(LIMBIC_SLOT_SQR_VARTIME);
    sqr_any(r, a, n, scratch);
}
