/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The provider `native`: its tiers, best first. A tier that this build does not have stands here
 * with the reason. Which there are is configure's finding (LB_BUILD_*); what the CPU can run is
 * dispatch's.
 */
#include "providers/native/native.h"

/* Of a tier that is not built: why. `lacks` is what an assembler that is too old does not know. */
#define WHY_NOT(build, lacks) \
    ((build) == LB_BUILD_YES        ? NULL \
     : (build) == LB_BUILD_DISABLED ? "--disable-asm" \
     : (build) == LB_BUILD_LIMBS    ? "the assembly is for limbs of 64 bits" \
     : (build) == LB_BUILD_NO_HOST  ? "no assembly for this host" \
     : (build) == LB_BUILD_NO_BELOW ? "it takes functions from the tier below, which is not built" \
                                    : "the assembler lacks " lacks)

#if LB_BUILD_ADX == LB_BUILD_YES
#define ADX_LIMBS &lb_native_adx_limbs
#define ADX_MODULI &lb_native_adx_moduli
#else
#define ADX_LIMBS NULL
#define ADX_MODULI NULL
#endif

#if LB_BUILD_BASELINE == LB_BUILD_YES
#define BASELINE_LIMBS &lb_native_baseline_limbs
#define BASELINE_MODULI &lb_native_baseline_moduli
#else
#define BASELINE_LIMBS NULL
#define BASELINE_MODULI NULL
#endif

#ifdef LIMBIC_TESTING
#if LB_BUILD_ADX != LB_BUILD_YES
unsigned char lb_native_adx_hits[LIMBIC_SLOT_COUNT];
#endif
#if LB_BUILD_BASELINE != LB_BUILD_YES
unsigned char lb_native_baseline_hits[LIMBIC_SLOT_COUNT];
#endif
#endif

static const struct limbic_tier tiers[] = {
    {
        .name = "adx",
        .needs = "bmi2 adx avx2",
        .not_built = WHY_NOT(LB_BUILD_ADX, "ADX, BMI2 or AVX2"),
        .limbs = ADX_LIMBS,
        .moduli = ADX_MODULI,
        .curves = NULL,
    },
    {
        .name = "baseline",
        .needs = "",
        .not_built = WHY_NOT(LB_BUILD_BASELINE, "CFI directives, endbr64 or macros"),
        .limbs = BASELINE_LIMBS,
        .moduli = BASELINE_MODULI,
        .curves = NULL,
    },
};

const struct limbic_provider lb_provider_native = {
    .size = sizeof(struct limbic_provider),
    .abi_major = LIMBIC_PROVIDER_ABI_MAJOR,
    .abi_minor = LIMBIC_PROVIDER_ABI_MINOR,
    .limb_bits = LIMBIC_LIMB_BITS,
    .name = "native",
    .version = "1",
    .license = "LGPL-2.1-or-later",
    .origin = "assembly for the host's processors",
    .limb_slots_size = sizeof(struct limbic_limb_slots),
    .tier_size = sizeof(struct limbic_tier),
    .tier_count = sizeof tiers / sizeof tiers[0],
    .tiers = tiers,
};
