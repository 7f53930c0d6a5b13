/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ADX kernels: level 2, common/moduli.h over the assembly of the tier: reduction in blocks at
 * multiples of eight limbs, which keys mostly have, and by rows at other lengths. Only C: no
 * arithmetic is done here.
 */
#define TIER(name) lb_native_adx_##name
#include "providers/native/x86_64/adx/kernels.h"

#define product lb_native_adx_product
#define square lb_native_adx_square
#define difference lb_native_baseline_difference
#define select lb_native_baseline_choice
#define table_select lb_native_adx_table_entry

#define addmul_row lb_native_adx_addmul_row
#define sum lb_native_baseline_sum
#define masked_difference lb_native_baseline_masked_difference
#include "providers/native/common/reduce.h"

static void reduce(limb_t *r, limb_t *t, const struct limbic_modulus *m)
{
    if (m->n % 8 == 0)
        lb_native_adx_reduce_blocks(r, t, m->m, m->n / 8, m->neg_inv);
    else
        reduce_rows(r, t, m);
}

#include "providers/native/common/moduli.h"
