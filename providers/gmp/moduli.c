/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Level 2 over mpn. The Montgomery arithmetic is limbic's own, one row of mpn_addmul_1 for each
 * limb: mpn_sec_powm looks up and branches by its modulus, so it must not see a secret one, and
 * mpn has no documented Montgomery function.
 */
#include "providers/gmp/kernels.h"

#include <string.h>

/*
 * r = a / R mod m for a[2n] < m R (P. Montgomery, "Modular multiplication without trial division",
 * 1985). Row i clears limb i and parks the limb that it carries out there, for limb i + n. The sum
 * is below 2m, its top bit the carry: too much is subtracted exactly if the borrow exceeds it.
 * r may be a or a + n.
 */
static void reduce(const struct limbic_modulus *m, limb_t *r, limb_t *a)
{
    size_t n = m->n;
    mp_limb_t carry, borrow;

    for (size_t i = 0; i < n; i++)
        a[i] = mpn_addmul_1(mp(a + i), mpc(m->m), len(n), a[i] * m->neg_inv);
    carry = mpn_add_n(mp(r), mpc(a + n), mpc(a), len(n));
    borrow = mpn_sub_n(mp(r), mpc(r), mpc(m->m), len(n));
    mpn_cnd_add_n(borrow & ~carry, mp(r), mpc(r), mpc(m->m), len(n));
}

/* Scratch: the product, 2n, and what GMP wants: ROOM_MONT. */
static void multiply(const struct limbic_modulus *m, limb_t *r, const limb_t *a, const limb_t *b,
                     limb_t *scratch)
{
    size_t n = m->n;

    mpn_sec_mul(mp(scratch), mpc(a), len(n), mpc(b), len(n), mp(scratch + 2 * n));
    reduce(m, r, scratch);
}

static void square(const struct limbic_modulus *m, limb_t *r, const limb_t *a, limb_t *scratch)
{
    size_t n = m->n;

    mpn_sec_sqr(mp(scratch), mpc(a), len(n), mp(scratch + 2 * n));
    reduce(m, r, scratch);
}

static void mont_mul(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                     const limb_t *a, const limb_t *b, limb_t *scratch)
{
    (void)ops;
    multiply(m, r, a, b, scratch);
}

static void mont_sqr(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                     const limb_t *a, limb_t *scratch)
{
    (void)ops;
    square(m, r, a, scratch);
}

static void mont_reduce(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                        limb_t *a, limb_t *scratch)
{
    (void)ops;
    (void)scratch;
    reduce(m, r, a);
}

/* ---- Exponentiation ------------------------------------------------------------------------- */

/* The table costs 2^w - 2 products, the windows ebits / w. 5 bits at most, and 4 above 4096 bits:
   what LIMBIC_SCRATCH_POW has room for. */
static unsigned window_bits(size_t ebits, size_t n)
{
    static const size_t limit[] = {12, 48, 128, 512}; /* up to which 1, 2, 3, 4 bits are best */
    unsigned w = 1;

    while (w < 5 && ebits > limit[w - 1])
        w++;
    return w == 5 && n * LIMB_BITS > 4096 ? 4 : w;
}

/* `count` bits of e from bit `at` up. The place is public, the bits are not. */
static size_t window(const limb_t *e, size_t elimbs, size_t at, unsigned count)
{
    size_t i = at / LIMB_BITS;
    unsigned shift = (unsigned)(at % LIMB_BITS);
    limb_t bits = e[i] >> shift;

    if (shift + count > LIMB_BITS && i + 1 < elimbs)
        bits |= e[i + 1] << (LIMB_BITS - shift);
    return (size_t)(bits & (((limb_t)1 << count) - 1));
}

/* Fixed windows over a table that is read whole. Scratch: the table, 2^w n; a double-length
   accumulator; an entry; MONT: 35n of 48n, and 19n of 24n above 4096 bits. */
static void power(const struct limbic_modulus *m, limb_t *r, const limb_t *a, const limb_t *e,
                  size_t ebits, limb_t *scratch)
{
    size_t n = m->n, elimbs = (ebits + LIMB_BITS - 1) / LIMB_BITS;
    unsigned w = window_bits(ebits, n);
    size_t entries = (size_t)1 << w, at = (ebits - 1) / w * w;
    limb_t *table = scratch, *acc = table + entries * n, *entry = acc + 2 * n, *rest = entry + n;

    memcpy(table, m->one, n * sizeof *table);
    multiply(m, table + n, a, m->r2, rest);
    for (size_t i = 2; i < entries; i += 2) {
        square(m, table + i * n, table + i / 2 * n, rest);
        multiply(m, table + (i + 1) * n, table + i * n, table + n, rest);
    }
    mpn_sec_tabselect(mp(acc), mpc(table), len(n), len(entries),
                      len(window(e, elimbs, at, (unsigned)(ebits - at))));
    while (at > 0) {
        at -= w;
        for (unsigned i = 0; i < w; i++)
            square(m, acc, acc, rest);
        mpn_sec_tabselect(mp(entry), mpc(table), len(n), len(entries),
                          len(window(e, elimbs, at, w)));
        multiply(m, acc, acc, entry, rest);
    }
    memset(acc + n, 0, n * sizeof *acc);
    reduce(m, r, acc);
}

/* Whether mpn_sec_powm may serve: its modulus is public, and its scratch, with a copy of the base
   in front, fits. */
static bool powm_may(const struct limbic_modulus *m, size_t ebits)
{
    if (m->flags & LIMBIC_MODULUS_SECRET)
        return false;
    return m->n + (size_t)mpn_sec_powm_itch(len(m->n), ebits, len(m->n)) <=
           LIMBIC_SCRATCH_POW(m->n);
}

static void mont_pow(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                     const limb_t *a, const limb_t *e, size_t ebits, limb_t *scratch)
{
    size_t n = m->n;

    (void)ops;
    if (powm_may(m, ebits)) {
        memcpy(scratch, a, n * sizeof *a); /* r may be a */
        mpn_sec_powm(mp(r), mpc(scratch), len(n), mpc(e), ebits, mpc(m->m), len(n),
                     mp(scratch + n));
    } else {
        power(m, r, a, e, ebits, scratch);
    }
}

const struct limbic_mod_family lb_gmp_moduli = {
    .size = sizeof(struct limbic_mod_family),
    .slots =
        {
            .mont_mul = mont_mul,
            .mont_sqr = mont_sqr,
            .mont_reduce = mont_reduce,
            .mont_pow = mont_pow,
        },
};
