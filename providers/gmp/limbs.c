/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Level 1 over mpn: a thin coat, since the table was made in mpn's image.
 */
#include "providers/gmp/kernels.h"

static limb_t add(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    return mpn_add_n(mp(r), mpc(a), mpc(b), len(n));
}

static limb_t sub(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    return mpn_sub_n(mp(r), mpc(a), mpc(b), len(n));
}

static limb_t cond_add(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t mask)
{
    return mpn_cnd_add_n(mask, mp(r), mpc(a), mpc(b), len(n));
}

static limb_t cond_sub(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t mask)
{
    return mpn_cnd_sub_n(mask, mp(r), mpc(a), mpc(b), len(n));
}

static void cond_swap(limb_t *a, limb_t *b, size_t n, limb_t mask)
{
    mpn_cnd_swap(mask, mp(a), mp(b), len(n));
}

/* mpn has none of this form. The barrier hides the mask's origin from the optimiser, which could
   otherwise turn it back into a branch. */
static void select_by_mask(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t mask)
{
    __asm__("" : "+r"(mask));
    for (size_t i = 0; i < n; i++)
        r[i] = b[i] ^ ((a[i] ^ b[i]) & mask);
}

static void table_select(limb_t *r, const limb_t *table, size_t entries, size_t n, size_t index)
{
    mpn_sec_tabselect(mp(r), mpc(table), len(n), len(entries), len(index));
}

static limb_t lshift(limb_t *r, const limb_t *a, size_t n, unsigned s)
{
    return mpn_lshift(mp(r), mpc(a), len(n), s);
}

static limb_t rshift(limb_t *r, const limb_t *a, size_t n, unsigned s)
{
    return mpn_rshift(mp(r), mpc(a), len(n), s);
}

static limb_t mul_1(limb_t *r, const limb_t *a, size_t n, limb_t b)
{
    return mpn_mul_1(mp(r), mpc(a), len(n), b);
}

static limb_t addmul_1(limb_t *r, const limb_t *a, size_t n, limb_t b)
{
    return mpn_addmul_1(mp(r), mpc(a), len(n), b);
}

static limb_t submul_1(limb_t *r, const limb_t *a, size_t n, limb_t b)
{
    return mpn_submul_1(mp(r), mpc(a), len(n), b);
}

static void mul(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn, limb_t *scratch)
{
    if (an >= bn)
        mpn_sec_mul(mp(r), mpc(a), len(an), mpc(b), len(bn), mp(scratch));
    else
        mpn_sec_mul(mp(r), mpc(b), len(bn), mpc(a), len(an), mp(scratch));
}

static void sqr(limb_t *r, const limb_t *a, size_t n, limb_t *scratch)
{
    mpn_sec_sqr(mp(r), mpc(a), len(n), mp(scratch));
}

const struct limbic_limb_slots lb_gmp_limbs = {
    .add = add,
    .sub = sub,
    .cond_add = cond_add,
    .cond_sub = cond_sub,
    .cond_swap = cond_swap,
    .select = select_by_mask,
    .table_select = table_select,
    .lshift = lshift,
    .rshift = rshift,
    .mul_1 = mul_1,
    .addmul_1 = addmul_1,
    .submul_1 = submul_1,
    .mul = mul,
    .sqr = sqr,
    .mul_vartime = mul,
    .sqr_vartime = sqr,
};
