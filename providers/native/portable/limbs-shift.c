/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Portable kernels: shifts by less than a limb. The distance is public and never 0, so that no C
 * shift is by the width of its operand.
 */
#include "providers/native/portable/kernels.h"

/* From the top down, as a limb's new low bits come from the limb below: r may be a. */
limb_t lb_portable_lshift(limb_t *r, const limb_t *a, size_t n, unsigned s)
{
    limb_t out = a[n - 1] >> (LIMB_BITS - s);

    LB_HIT(LIMBIC_SLOT_LSHIFT);
    for (size_t i = n - 1; i > 0; i--)
        r[i] = (a[i] << s) | (a[i - 1] >> (LIMB_BITS - s));
    r[0] = a[0] << s;
    return out;
}

/* From the bottom up, for the mirrored reason. */
limb_t lb_portable_rshift(limb_t *r, const limb_t *a, size_t n, unsigned s)
{
    limb_t out = a[0] << (LIMB_BITS - s);

    LB_HIT(LIMBIC_SLOT_RSHIFT);
    for (size_t i = 0; i + 1 < n; i++)
        r[i] = (a[i] >> s) | (a[i + 1] << (LIMB_BITS - s));
    r[n - 1] = a[n - 1] >> s;
    return out;
}
