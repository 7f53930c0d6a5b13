/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The provider `portable`: its tables. Level 1 whole, one tier without a name, no CPU feature
 * needed. Levels 2 and 3 are left to other families.
 */
#include "providers/native/portable/kernels.h"

#ifdef LIMBIC_TESTING
unsigned char lb_portable_hits[LIMBIC_SLOT_COUNT];
#endif

static const struct limbic_limb_slots limbs = {
    .add = lb_portable_add,
    .sub = lb_portable_sub,
    .cond_add = lb_portable_cond_add,
    .cond_sub = lb_portable_cond_sub,
    .cond_swap = lb_portable_cond_swap,
    .select = lb_portable_select,
    .table_select = lb_portable_table_select,
    .lshift = lb_portable_lshift,
    .rshift = lb_portable_rshift,
    .mul_1 = lb_portable_mul_1,
    .addmul_1 = lb_portable_addmul_1,
    .submul_1 = lb_portable_submul_1,
    .mul = lb_portable_mul,
    .sqr = lb_portable_sqr,
    .mul_vartime = lb_portable_mul_vartime,
    .sqr_vartime = lb_portable_sqr_vartime,
};

static const struct limbic_tier tiers[] = {
    {.name = "", .needs = "", .not_built = NULL, .limbs = &limbs, .moduli = NULL, .curves = NULL},
};

const struct limbic_provider lb_provider_portable = {
    .size = sizeof(struct limbic_provider),
    .abi_major = LIMBIC_PROVIDER_ABI_MAJOR,
    .abi_minor = LIMBIC_PROVIDER_ABI_MINOR,
    .limb_bits = LIMBIC_LIMB_BITS,
    .name = "portable",
    .version = "1",
    .license = "LGPL-2.1-or-later",
    .origin = "portable C",
    .limb_slots_size = sizeof(struct limbic_limb_slots),
    .tier_size = sizeof(struct limbic_tier),
    .tier_count = sizeof tiers / sizeof tiers[0],
    .tiers = tiers,
};
