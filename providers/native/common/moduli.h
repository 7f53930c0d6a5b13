/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Template: Montgomery arithmetic and exponentiation, level 2, over a tier's own products and
 * reduction, which are called directly and not through the row.
 *
 * The includer defines LB_HIT(slot), TIER(name), the name of a slot's kernel, limb_t and
 *
 *   product(t, a, b, n, scratch)     t[2n] = a[n] * b[n]
 *   square(t, a, n, scratch)         t[2n] = a[n]^2; scratch of both: LIMBIC_SCRATCH_MUL(n, n)
 *   reduce(r, t, m)                  r[n] = t[2n] / R mod m in [0, R), for t < R^2; t is overwritten;
 *                                    in [0, 2m) for t < m R; r may be t or t + n
 *   difference(r, a, b, n)           r = a - b; returns the borrow, 0 or 1
 *   select(r, a, b, n, mask)         r = mask ? a : b
 *   table_select(r, table, entries, n, index)
 *
 * Knows no provider.
 *
 * Bounds. Inside an exponentiation residues are in [0, R), not in [0, m): a product of two is below
 * R^2, so that reduce brings it back with at most one subtraction of m, under a mask. The last step
 * has t < m R, whether it multiplies by a value below m or reduces a single length, so its result is
 * below 2m and `lessen` brings it into [0, m).
 *
 * Secrets are in scratch and results only, so that nothing in a frame here is to be wiped.
 */
#ifndef LB_PROVIDERS_NATIVE_MODULI_H
#define LB_PROVIDERS_NATIVE_MODULI_H

#include <string.h>

#define LIMB_BITS LIMBIC_LIMB_BITS

/* r[n] in [0, 2m), as far as n limbs hold it, to [0, m); t[n] is room. */
static void lessen(const struct limbic_modulus *m, limb_t *r, limb_t *t)
{
    limb_t borrow = difference(t, r, m->m, m->n);

    select(r, r, t, m->n, (limb_t)0 - borrow);
}

/* r = a b / R mod m, a^2 / R mod m, and a / R mod m, all in [0, R). Scratch: a product, 2n limbs, and
   4n + 64 for it, of 8n + 128. */
static void multiply(const struct limbic_modulus *m, limb_t *r, const limb_t *a, const limb_t *b,
                     limb_t *scratch)
{
    product(scratch, a, b, m->n, scratch + 2 * m->n);
    reduce(r, scratch, m);
}

static void square_times(const struct limbic_modulus *m, limb_t *r, unsigned times, limb_t *scratch)
{
    while (times-- > 0) {
        square(scratch, r, m->n, scratch + 2 * m->n);
        reduce(r, scratch, m);
    }
}

/* r = a / R mod m in [0, m), for a[n]: out of Montgomery form. */
static void leave(const struct limbic_modulus *m, limb_t *r, const limb_t *a, limb_t *scratch)
{
    size_t n = m->n;

    memcpy(scratch, a, n * sizeof *a);
    memset(scratch + n, 0, n * sizeof *a);
    reduce(r, scratch, m);
    lessen(m, r, scratch);
}

void TIER(mont_mul)(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                    const limb_t *a, const limb_t *b, limb_t *scratch)
{
    (void)ops;
    LB_HIT(LIMBIC_SLOT_MONT_MUL);
    multiply(m, r, a, b, scratch);
    lessen(m, r, scratch);
}

void TIER(mont_sqr)(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                    const limb_t *a, limb_t *scratch)
{
    (void)ops;
    LB_HIT(LIMBIC_SLOT_MONT_SQR);
    square(scratch, a, m->n, scratch + 2 * m->n);
    reduce(r, scratch, m);
    lessen(m, r, scratch);
}

void TIER(mont_reduce)(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                       limb_t *a, limb_t *scratch)
{
    (void)ops;
    LB_HIT(LIMBIC_SLOT_MONT_REDUCE);
    reduce(r, a, m);
    lessen(m, r, scratch);
}

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

/* Scratch aligned to 64 octets: at most 63 octets on. */
static limb_t *aligned(limb_t *scratch)
{
    return scratch + (0 - (uintptr_t)scratch) % 64 / sizeof *scratch;
}

/* table[i] = a^i in Montgomery form. */
static void fill_table(const struct limbic_modulus *m, limb_t *table, size_t entries,
                       const limb_t *a, limb_t *rest)
{
    size_t n = m->n;

    memcpy(table, m->one, n * sizeof *table);
    multiply(m, table + n, a, m->r2, rest);
    for (size_t i = 2; i < entries; i++) {
        if (i % 2) {
            multiply(m, table + i * n, table + (i - 1) * n, table + n, rest);
        } else {
            square(rest, table + i / 2 * n, n, rest + 2 * n);
            reduce(table + i * n, rest, m);
        }
    }
}

/* A fixed window, every entry of the table read for each. Scratch: the table, 2^w n limbs; the
   accumulator and one entry, 2n; then MONT; and 8 for alignment. That is 34n + 8 of 48n + 256, and
   18n + 8 of 24n + 256 above 4096 bits. */
static void power(const struct limbic_modulus *m, limb_t *r, const limb_t *a, const limb_t *e,
                  size_t ebits, limb_t *scratch)
{
    size_t n = m->n;
    size_t elimbs = (ebits + LIMB_BITS - 1) / LIMB_BITS;
    unsigned w = window_bits(ebits, n);
    size_t entries = (size_t)1 << w;
    limb_t *table = aligned(scratch);
    limb_t *acc = table + entries * n;
    limb_t *entry = acc + n;
    limb_t *rest = entry + n;

    fill_table(m, table, entries, a, rest);
    /* The top window has what is left of ebits above a multiple of w, or a whole w. */
    size_t at = (ebits - 1) / w * w;
    table_select(acc, table, entries, n, exponent_window(e, elimbs, at, (unsigned)(ebits - at)));
    while (at > 0) {
        at -= w;
        square_times(m, acc, w, rest);
        table_select(entry, table, entries, n, exponent_window(e, elimbs, at, w));
        multiply(m, acc, acc, entry, rest);
    }
    leave(m, r, acc, rest);
}

void TIER(mont_pow)(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                    const limb_t *a, const limb_t *e, size_t ebits, limb_t *scratch)
{
    (void)ops;
    LB_HIT(LIMBIC_SLOT_MONT_POW);
    power(m, r, a, e, ebits, scratch);
}

void TIER(mont_pow_pair)(const struct limbic_ops *ops, const struct limbic_pair *pair,
                         limb_t *const r[2], const limb_t *const a[2], const limb_t *const e[2],
                         size_t ebits, limb_t *scratch)
{
    (void)ops;
    LB_HIT(LIMBIC_SLOT_MONT_POW_PAIR);
    for (int i = 0; i < 2; i++)
        power(pair->m[i], r[i], a[i], e[i], ebits, scratch);
}

/*
 * Left to right, branching on the bits of e, which are public. For an odd e the last multiplication
 * takes a itself instead of aR: it cancels the R of the accumulator and so leaves Montgomery form:
 * 65537 costs one conversion, 16 squarings and one multiplication. Scratch: 2n and MONT.
 */
void TIER(mont_pow_public)(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                           const limb_t *a, const limb_t *e, size_t ebits, limb_t *scratch)
{
    size_t n = m->n;
    limb_t *base = scratch;
    limb_t *acc = base + n;
    limb_t *rest = acc + n;

    (void)ops;
    LB_HIT(LIMBIC_SLOT_MONT_POW_PUBLIC);
    multiply(m, base, a, m->r2, rest);
    memcpy(acc, base, n * sizeof *acc);
    for (size_t i = ebits - 1; i-- > 1;) {
        square_times(m, acc, 1, rest);
        if (e[i / LIMB_BITS] >> i % LIMB_BITS & 1)
            multiply(m, acc, acc, base, rest);
    }
    if (ebits > 1)
        square_times(m, acc, 1, rest);
    if (ebits > 1 && (e[0] & 1)) {
        multiply(m, r, acc, a, rest);
        lessen(m, r, rest);
    } else {
        leave(m, r, acc, rest);
    }
}

#endif
