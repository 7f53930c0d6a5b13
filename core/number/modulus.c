/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Odd moduli: the constants of Montgomery form, conversion, reduction of longer values.
 */
#include "core/number/modulus.h"

#include <string.h>

#include "core/number/montgomery.h"

void lb_mod_add(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                const limb_t *a, const limb_t *b)
{
    limb_t carry = ops->limbs.add(r, a, b, m->n);
    limb_t borrow = ops->limbs.sub(r, r, m->m, m->n);

    /* a + b < 2m: too much was subtracted exactly if the borrow exceeds the carry. */
    ops->limbs.cond_add(r, r, m->m, m->n, lb_ct_mask_of_bit(borrow & ~carry));
}

void lb_mod_sub(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                const limb_t *a, const limb_t *b)
{
    limb_t borrow = ops->limbs.sub(r, a, b, m->n);

    ops->limbs.cond_add(r, r, m->m, m->n, lb_ct_mask_of_bit(borrow));
}

static void double_times(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                         size_t times)
{
    while (times-- > 0)
        lb_mod_add(ops, m, r, r, r);
}

void lb_modulus_init(struct limbic_modulus *m, const struct limbic_ops *ops, limb_t *storage,
                     const limb_t *value, size_t n, size_t bits, unsigned flags, limb_t *scratch)
{
    limb_t *copy = storage, *one = storage + n, *r2 = storage + 2 * n;

    memset(m, 0, sizeof *m);
    lb_nat_copy(copy, value, n);
    m->n = n;
    m->bits = bits;
    m->flags = flags;
    m->m = copy;
    m->one = one;
    m->r2 = r2;
    m->neg_inv = lb_negated_inverse(value[0]);

    /* 2^(bits-1) < m, since m is odd and not 1; doubling leads to R. */
    lb_nat_zero(one, n);
    one[(bits - 1) / LIMB_BITS] = (limb_t)1 << ((bits - 1) % LIMB_BITS);
    double_times(ops, m, one, n * LIMB_BITS - (bits - 1));

    /* n doublings give 2^n R; each squaring in Montgomery form then doubles the exponent of the 2,
       up to 2^(n LIMB_BITS) R = R^2. LIMB_BITS is a power of two. */
    lb_nat_copy(r2, one, n);
    double_times(ops, m, r2, n);
    for (size_t k = 1; k < LIMB_BITS; k *= 2)
        lb_mont_sqr_plain(ops, m, r2, r2, scratch);
}

void lb_mont_in(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                const limb_t *a, limb_t *scratch)
{
    ops->moduli.mont_mul(ops, m, r, a, m->r2, scratch);
}

void lb_mont_out(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                 const limb_t *a, limb_t *scratch)
{
    lb_nat_extend(scratch, 2 * m->n, a, m->n);
    ops->moduli.mont_reduce(ops, m, r, scratch, scratch + 2 * m->n);
}

/* Horner's rule in digits of R, from the top: acc <- (acc R + digit) mod m. The double-length value
   acc R + digit is below m R, since acc < m, so mont_reduce takes it and divides by R; the
   multiplication by R^2 in Montgomery's sense gives the R back. */
void lb_mod_reduce(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                   const limb_t *a, size_t an, limb_t *scratch)
{
    size_t n = m->n;
    limb_t *wide = scratch;
    limb_t *rest = scratch + 2 * n;

    lb_nat_zero(wide + n, n);
    for (size_t at = (an - 1) / n * n;; at -= n) {
        size_t len = an - at < n ? an - at : n;
        lb_nat_extend(wide, n, a + at, len);
        ops->moduli.mont_reduce(ops, m, wide, wide, rest);
        ops->moduli.mont_mul(ops, m, wide + n, wide, m->r2, rest);
        if (at == 0)
            break;
    }
    lb_nat_copy(r, wide + n, n);
}
