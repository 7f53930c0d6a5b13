/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The provider `native`: assembly for the host, in tiers. This header is what the registry sees of
 * it, and what its tiers share. Knows the provider ABI only.
 */
#ifndef LB_PROVIDERS_NATIVE_H
#define LB_PROVIDERS_NATIVE_H

#include "limbic-provider.h"

extern const struct limbic_provider lb_provider_native;

/* Tables of the tiers; each is there only where the tier is built. */
extern const struct limbic_limb_slots lb_native_baseline_limbs, lb_native_adx_limbs;
extern const struct limbic_mod_family lb_native_baseline_moduli, lb_native_adx_moduli;

/* What configure found for a tier: LB_BUILD_<TIER> is one of these. */
#define LB_BUILD_YES 1
#define LB_BUILD_DISABLED 2     /* --disable-asm */
#define LB_BUILD_NO_HOST 3      /* no assembly for this kind of host */
#define LB_BUILD_LIMBS 4        /* limbs of another width */
#define LB_BUILD_NO_ASSEMBLER 5 /* the assembler does not take the tier's instructions */
#define LB_BUILD_NO_BELOW 6     /* the tier that it takes functions from is not built */

#ifdef LIMBIC_TESTING
/* For each tier one flag for each slot, set when its kernel has run. There whether or not the tier
   is built. */
extern unsigned char lb_native_baseline_hits[LIMBIC_SLOT_COUNT];
extern unsigned char lb_native_adx_hits[LIMBIC_SLOT_COUNT];

/* A kernel written in C has run. TIER(name) is how the kernel's file names what its tier has. */
#define LB_HIT(slot) __atomic_store_n(&TIER(hits)[slot], 1, __ATOMIC_RELAXED)
#else
#define LB_HIT(slot) ((void)0)
#endif

#endif
