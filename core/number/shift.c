/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shifts of naturals by secret counts. One pass for each bit of the count, the largest steps whole
 * limbs; every pass reads and writes all limbs, and a mask decides what it writes (a barrel
 * shifter).
 */
#include "core/number/arith.h"

static limb_t limb_at(const limb_t *x, size_t n, size_t i)
{
    return i < n ? x[i] : 0;
}

/* A count of n * LIMB_BITS or more leaves nothing. The passes see only the bits of the count below
   that, so such a count is dealt with by a mask. */
static void clear_if_all(limb_t *x, size_t n, size_t s)
{
    limb_t keep = lb_ct_lt((limb_t)s, (limb_t)(n * LIMB_BITS));

    for (size_t i = 0; i < n; i++)
        x[i] &= keep;
}

/* From the top down: a limb is made of lower ones, which are still the old ones. An index below 0
   wraps to one past the end. */
void lb_nat_shift_left(limb_t *x, size_t n, size_t s)
{
    clear_if_all(x, n, s);
    for (size_t step = 1; step < n * LIMB_BITS; step *= 2, s >>= 1) {
        limb_t mask = lb_ct_mask_of_bit((limb_t)s);
        size_t limbs = step / LIMB_BITS;
        size_t bits = step % LIMB_BITS;

        for (size_t i = n; i-- > 0;) {
            limb_t moved = limb_at(x, n, i - limbs);
            if (bits != 0)
                moved = moved << bits | limb_at(x, n, i - limbs - 1) >> (LIMB_BITS - bits);
            x[i] = lb_ct_select(mask, moved, x[i]);
        }
    }
}

void lb_nat_shift_right(limb_t *x, size_t n, size_t s)
{
    clear_if_all(x, n, s);
    for (size_t step = 1; step < n * LIMB_BITS; step *= 2, s >>= 1) {
        limb_t mask = lb_ct_mask_of_bit((limb_t)s);
        size_t limbs = step / LIMB_BITS;
        size_t bits = step % LIMB_BITS;

        for (size_t i = 0; i < n; i++) {
            limb_t moved = limb_at(x, n, i + limbs);
            if (bits != 0)
                moved = moved >> bits | limb_at(x, n, i + limbs + 1) << (LIMB_BITS - bits);
            x[i] = lb_ct_select(mask, moved, x[i]);
        }
    }
}

size_t lb_nat_ctz(const limb_t *a, size_t n)
{
    limb_t zeros = 0, so_far = ~(limb_t)0;

    /* ~x & (x - 1) has ones exactly where x has trailing zeros; all of them when x = 0. */
    for (size_t i = 0; i < n; i++) {
        limb_t ones = ~a[i] & (a[i] - 1);
        zeros += (limb_t)lb_nat_bits(&ones, 1) & so_far;
        so_far &= lb_ct_is_zero(a[i]);
    }
    return (size_t)zeros;
}
