/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The provider `derived`: core's own C for the levels above the limbs, written over the slots below
 * of the same row. It has no limbs of its own, needs no state and no CPU feature, and stands at the
 * end of every chain.
 */
#include "core/derived.h"

#include "core/number/montgomery.h"
#include "limbic.h"

static const struct limbic_mod_family moduli = {
    .size = sizeof(struct limbic_mod_family),
    .slots =
        {
            .mont_mul = lb_derived_mont_mul,
            .mont_sqr = lb_derived_mont_sqr,
            .mont_reduce = lb_derived_mont_reduce,
            .mont_pow = lb_derived_mont_pow,
            .mont_pow_pair = lb_derived_mont_pow_pair,
            .mont_pow_x8 = lb_derived_mont_pow_x8,
            .mont_pow_public = lb_derived_mont_pow_public,
            .mont_pow_base = lb_derived_mont_pow_base,
            .mont_pow2_vartime = lb_derived_mont_pow2_vartime,
            .mont_inv = lb_derived_mont_inv,
        },
};

static const struct limbic_tier tiers[] = {
    {.name = "", .needs = "", .moduli = &moduli},
};

const struct limbic_provider lb_provider_derived = {
    .size = sizeof(struct limbic_provider),
    .abi_major = LIMBIC_PROVIDER_ABI_MAJOR,
    .abi_minor = LIMBIC_PROVIDER_ABI_MINOR,
    .limb_bits = LIMBIC_LIMB_BITS,
    .name = "derived",
    .version = LIMBIC_VERSION,
    .license = "LGPL-2.1-or-later",
    .origin = "C over the limb slots of the row it stands in",
    .limb_slots_size = sizeof(struct limbic_limb_slots),
    .tier_size = sizeof(struct limbic_tier),
    .tier_count = sizeof tiers / sizeof tiers[0],
    .tiers = tiers,
};
