/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Montgomery multiplication, squaring and reduction over the limb slots of a row (P. Montgomery,
 * "Modular multiplication without trial division", 1985; word by word as in Menezes et al.,
 * Handbook of Applied Cryptography, 14.32). Knows no provider.
 */
#include "core/number/montgomery.h"

#include "core/number/arith.h"
#include "core/number/nat.h"

#ifdef LIMBIC_TESTING
unsigned char lb_derived_hits[LIMBIC_SLOT_COUNT];
#endif

/*
 * r = a / R mod m for a[2n] < m * R; t[n] is room.
 *
 * Step i adds q m B^i with q = -a_i/m mod B, which makes limb i zero. The limb that step i carries
 * out belongs at i + n; it is parked in the limb just cleared, so that the n carries are added in
 * one pass. The sum is (a + Q m) / R < (m R + R m) / R = 2m, hence one conditional subtraction, in
 * which the carry of the last pass counts as a limb above.
 */
static void reduce(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                   limb_t *a, limb_t *t)
{
    size_t n = m->n;

    for (size_t i = 0; i < n; i++)
        a[i] = ops->limbs.addmul_1(a + i, m->m, n, a[i] * m->neg_inv);
    limb_t carry = ops->limbs.add(r, a + n, a, n);
    limb_t borrow = ops->limbs.sub(t, r, m->m, n);
    ops->limbs.select(r, t, r, n, lb_ct_mask_of_bit(carry | (borrow ^ 1)));
}

/* In the kernels below scratch is a product of 2n limbs, n limbs for reduce, and 4n + 64 for the
   multiplication: 7n + 64 of 8n + 128. */

void lb_derived_mont_mul(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                         const limb_t *a, const limb_t *b, limb_t *scratch)
{
    size_t n = m->n;

    LB_DERIVED_HIT(LIMBIC_SLOT_MONT_MUL);
    ops->limbs.mul(scratch, a, n, b, n, scratch + 3 * n);
    reduce(ops, m, r, scratch, scratch + 2 * n);
}

void lb_mont_sqr_plain(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                       const limb_t *a, limb_t *scratch)
{
    size_t n = m->n;

    ops->limbs.sqr(scratch, a, n, scratch + 3 * n);
    reduce(ops, m, r, scratch, scratch + 2 * n);
}

void lb_derived_mont_sqr(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                         const limb_t *a, limb_t *scratch)
{
    LB_DERIVED_HIT(LIMBIC_SLOT_MONT_SQR);
    lb_mont_sqr_plain(ops, m, r, a, scratch);
}

void lb_derived_mont_reduce(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                            limb_t *a, limb_t *scratch)
{
    size_t n = m->n;

    LB_DERIVED_HIT(LIMBIC_SLOT_MONT_REDUCE);
    /* r may be a: the result is built aside, since reduce reads both halves of a while
       it writes. */
    reduce(ops, m, scratch, a, scratch + n);
    lb_nat_copy(r, scratch, n);
}

limb_t lb_derived_mont_inv(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                           const limb_t *a, limb_t *scratch)
{
    LB_DERIVED_HIT(LIMBIC_SLOT_MONT_INV);
    return lb_nat_invert_odd(ops, r, a, m->m, m->n, scratch);
}
