/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Template: common/karatsuba.h with differences and the join over the assembly of native/baseline,
 * which the tiers above have no better of. The includer defines what it wants beside them.
 */
#ifndef LB_PROVIDERS_X86_64_KARATSUBA_H
#define LB_PROVIDERS_X86_64_KARATSUBA_H

#include "providers/native/x86_64/baseline/kernels.h"

/* At most one limb of a has no partner in b. The difference is B^h too large when it borrows, and
   its negative is its complement plus 1. */
static limb_t abs_difference(limb_t *r, const limb_t *a, size_t h, const limb_t *b, size_t l)
{
    limb_t borrow = lb_native_baseline_difference(r, a, b, l);

    if (l < h) {
        limb_t top = a[l];

        r[l] = top - borrow;
        borrow = (limb_t)(top < borrow);
    }
    (void)lb_native_baseline_increment(r, h, (limb_t)0 - borrow, borrow);
    return (limb_t)0 - borrow;
}

/* As the template describes it: d becomes z0 -+ d + z2, whose limb above is 0 or 1;
   with the carry of the last sum, what goes above limb 3h is at most 2. */
static void karatsuba_join(limb_t *r, limb_t *d, size_t n, size_t h, limb_t subtract)
{
    size_t l = n - h;
    limb_t top = lb_native_baseline_signed_sum(d, r, d, 2 * h, subtract) - (subtract & 1);
    limb_t carry = lb_native_baseline_sum(d, d, r + 2 * h, 2 * l);

    top += lb_native_baseline_increment(d + 2 * l, 2 * (h - l), 0, carry);
    top += lb_native_baseline_sum(r + h, r + h, d, 2 * h);
    (void)lb_native_baseline_increment(r + 3 * h, 2 * n - 3 * h, 0, top);
}

#include "providers/native/common/karatsuba.h"

#endif
