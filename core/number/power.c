/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exponentiation over the Montgomery slots of a row: the kernels of `derived` for mont_pow and its
 * kin. Secret exponents meet a fixed window, a table scan that reads every entry, and a number of
 * steps that depends on ebits alone.
 */
#include "core/number/montgomery.h"
#include "core/number/nat.h"

/* Window for a secret exponent: the table costs 2^w - 2 multiplications, the windows ebits / w. At
   most 5, and 4 above 4096 bits, which is what LIMBIC_SCRATCH_POW has room for. */
static unsigned window_bits(size_t ebits, size_t n)
{
    if (ebits <= 12)
        return 1;
    if (ebits <= 48)
        return 2;
    if (ebits <= 128)
        return 3;
    if (ebits <= 512 || n * LIMB_BITS > 4096)
        return 4;
    return 5;
}

/* `count` bits of e from bit `at` up; the position is public, the value is not. */
static size_t exponent_window(const limb_t *e, size_t limbs, size_t at, unsigned count)
{
    size_t i = at / LIMB_BITS;
    unsigned shift = (unsigned)(at % LIMB_BITS);
    limb_t bits = e[i] >> shift;

    if (shift + count > LIMB_BITS && i + 1 < limbs)
        bits |= e[i + 1] << (LIMB_BITS - shift);
    return (size_t)(bits & (((limb_t)1 << count) - 1));
}

static void sqr_times(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                      unsigned times, limb_t *scratch)
{
    while (times-- > 0)
        ops->moduli.mont_sqr(ops, m, r, r, scratch);
}

/* Scratch: the table, 2^w n limbs; the accumulator, 2n; one entry, n; then MONT. That is 35n of
   48n, and 19n of 24n above 4096 bits. */
void lb_derived_mont_pow(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                         const limb_t *a, const limb_t *e, size_t ebits, limb_t *scratch)
{
    size_t n = m->n;
    size_t elimbs = LB_LIMBS_OF_BITS(ebits);
    unsigned w = window_bits(ebits, n);
    size_t entries = (size_t)1 << w;
    limb_t *table = scratch;
    limb_t *acc = table + entries * n;
    limb_t *entry = acc + 2 * n;
    limb_t *rest = entry + n;

    LB_DERIVED_HIT(LIMBIC_SLOT_MONT_POW);
    lb_nat_copy(table, m->one, n);
    ops->moduli.mont_mul(ops, m, table + n, a, m->r2, rest);
    for (size_t i = 2; i < entries; i += 2) {
        ops->moduli.mont_sqr(ops, m, table + i * n, table + i / 2 * n, rest);
        ops->moduli.mont_mul(ops, m, table + (i + 1) * n, table + i * n, table + n, rest);
    }

    /* The top window has what is left of ebits above a multiple of w, or a whole w. */
    size_t at = (ebits - 1) / w * w;
    ops->limbs.table_select(acc, table, entries, n,
                            exponent_window(e, elimbs, at, (unsigned)(ebits - at)));
    while (at > 0) {
        at -= w;
        sqr_times(ops, m, acc, w, rest);
        ops->limbs.table_select(entry, table, entries, n, exponent_window(e, elimbs, at, w));
        ops->moduli.mont_mul(ops, m, acc, acc, entry, rest);
    }
    lb_nat_zero(acc + n, n);
    ops->moduli.mont_reduce(ops, m, r, acc, rest);
}

void lb_derived_mont_pow_pair(const struct limbic_ops *ops, const struct limbic_pair *pair,
                              limb_t *const r[2], const limb_t *const a[2],
                              const limb_t *const e[2], size_t ebits, limb_t *scratch)
{
    LB_DERIVED_HIT(LIMBIC_SLOT_MONT_POW_PAIR);
    for (int i = 0; i < 2; i++)
        ops->moduli.mont_pow(ops, pair->m[i], r[i], a[i], e[i], ebits, scratch);
}

void lb_derived_mont_pow_x8(const struct limbic_ops *ops, const struct limbic_modulus *const m[8],
                            limb_t *const r[8], const limb_t *const a[8], const limb_t *const e[8],
                            size_t ebits, limb_t *scratch)
{
    LB_DERIVED_HIT(LIMBIC_SLOT_MONT_POW_X8);
    for (int i = 0; i < 8; i++)
        ops->moduli.mont_pow(ops, m[i], r[i], a[i], e[i], ebits, scratch);
}

/*
 * Left to right, branching on the bits of e, which are public. For an odd e the last multiplication
 * takes a itself instead of aR: it cancels the R of the accumulator and so leaves Montgomery form,
 * which saves a reduction: 65537 costs one conversion, 16 squarings and one multiplication.
 * Scratch: 4n of 24n.
 */
void lb_derived_mont_pow_public(const struct limbic_ops *ops, const struct limbic_modulus *m,
                                limb_t *r, const limb_t *a, const limb_t *e, size_t ebits,
                                limb_t *scratch)
{
    size_t n = m->n;
    limb_t *base = scratch;
    limb_t *acc = base + n;
    limb_t *rest = acc + 2 * n;

    LB_DERIVED_HIT(LIMBIC_SLOT_MONT_POW_PUBLIC);
    ops->moduli.mont_mul(ops, m, base, a, m->r2, rest);
    lb_nat_copy(acc, base, n);
    for (size_t i = ebits - 1; i-- > 1;) {
        ops->moduli.mont_sqr(ops, m, acc, acc, rest);
        if (lb_nat_bit(e, i))
            ops->moduli.mont_mul(ops, m, acc, acc, base, rest);
    }
    if (ebits > 1)
        ops->moduli.mont_sqr(ops, m, acc, acc, rest);
    if (ebits > 1 && lb_nat_bit(e, 0)) {
        ops->moduli.mont_mul(ops, m, r, acc, a, rest);
        return;
    }
    lb_nat_zero(acc + n, n);
    ops->moduli.mont_reduce(ops, m, r, acc, rest);
}

void lb_derived_mont_pow_base(const struct limbic_ops *ops, const struct limbic_base *base,
                              limb_t *r, const limb_t *e, size_t ebits, limb_t *scratch)
{
    LB_DERIVED_HIT(LIMBIC_SLOT_MONT_POW_BASE);
    ops->moduli.mont_pow(ops, base->m, r, base->a, e, ebits, scratch);
}

/* table[4i + j] = x^i y^j in Montgomery form, for i, j in 0 .. 3. */
static void pow2_table(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *table,
                       const limb_t *x, const limb_t *y, limb_t *rest)
{
    size_t n = m->n;

    lb_nat_copy(table, m->one, n);
    ops->moduli.mont_mul(ops, m, table + n, y, m->r2, rest);
    ops->moduli.mont_mul(ops, m, table + 4 * n, x, m->r2, rest);
    for (size_t j = 2; j < 4; j++)
        ops->moduli.mont_mul(ops, m, table + j * n, table + (j - 1) * n, table + n, rest);
    for (size_t i = 5; i < 16; i++)
        ops->moduli.mont_mul(ops, m, table + i * n, table + (i - 4) * n, table + 4 * n, rest);
}

/* Both exponents two bits at a time (Shamir's trick with a joint table of 16). Scratch: 18n. */
void lb_derived_mont_pow2_vartime(const struct limbic_ops *ops,
                                  const struct limbic_base *const base[2], limb_t *r,
                                  const limb_t *const e[2], size_t ebits, limb_t *scratch)
{
    const struct limbic_modulus *m = base[0]->m;
    size_t n = m->n;
    size_t elimbs = LB_LIMBS_OF_BITS(ebits);
    limb_t *table = scratch;
    limb_t *acc = table + 16 * n;
    limb_t *rest = acc + 2 * n;

    LB_DERIVED_HIT(LIMBIC_SLOT_MONT_POW2_VARTIME);
    pow2_table(ops, m, table, base[0]->a, base[1]->a, rest);
    lb_nat_copy(acc, m->one, n);
    for (size_t at = (ebits + 1) / 2 * 2; at > 0;) {
        at -= 2;
        sqr_times(ops, m, acc, 2, rest);
        size_t index =
            4 * exponent_window(e[0], elimbs, at, 2) + exponent_window(e[1], elimbs, at, 2);
        if (index)
            ops->moduli.mont_mul(ops, m, acc, acc, table + index * n, rest);
    }
    lb_nat_zero(acc + n, n);
    ops->moduli.mont_reduce(ops, m, r, acc, rest);
}
