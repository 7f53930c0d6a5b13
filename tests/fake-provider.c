/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fake-provider.c - providers for tests that call through to the reference.
 */
#include "tests/fake-provider.h"

#include <string.h>

extern const struct limbic_provider lb_provider_portable, lb_provider_derived;

struct fake_hits fake_a_hits, fake_b_hits;
_Atomic(size_t) fake_b_lies_above;

static const struct limbic_mod_slots *derived(void)
{
    return &lb_provider_derived.tiers[0].moduli->slots;
}

static const struct limbic_limb_slots *portable(void)
{
    return lb_provider_portable.tiers[0].limbs;
}

#define KERNELS(name) \
    static void name##_mul(limbic_limb_t *r, const limbic_limb_t *a, size_t an, \
                           const limbic_limb_t *b, size_t bn, limbic_limb_t *scratch) \
    { \
        atomic_fetch_add(&name##_hits.mul, 1); \
        portable()->mul(r, a, an, b, bn, scratch); \
    } \
    static void name##_mont_mul(const struct limbic_ops *ops, const struct limbic_modulus *m, \
                                limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b, \
                                limbic_limb_t *scratch) \
    { \
        atomic_fetch_add(&name##_hits.mont_mul, 1); \
        derived()->mont_mul(ops, m, r, a, b, scratch); \
        name##_spoil(m, r); \
    } \
    static void name##_mont_pow(const struct limbic_ops *ops, const struct limbic_modulus *m, \
                                limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *e, \
                                size_t ebits, limbic_limb_t *scratch) \
    { \
        atomic_fetch_add(&name##_hits.mont_pow, 1); \
        derived()->mont_pow(ops, m, r, a, e, ebits, scratch); \
    } \
    static struct limbic_limb_slots name##_limbs; \
    static struct limbic_mod_family name##_moduli; \
    static void name##_fill(void) \
    { \
        name##_limbs = *portable(); \
        name##_limbs.mul = name##_mul; \
        name##_moduli = (struct limbic_mod_family){ \
            .size = sizeof name##_moduli, \
            .slots = {.mont_mul = name##_mont_mul, .mont_pow = name##_mont_pow}, \
        }; \
    }

static void fake_a_spoil(const struct limbic_modulus *m, limbic_limb_t *r)
{
    (void)m;
    (void)r;
}

static void fake_b_spoil(const struct limbic_modulus *m, limbic_limb_t *r)
{
    size_t above = atomic_load(&fake_b_lies_above);

    if (above && m->bits > above)
        r[0] ^= 1;
}

KERNELS(fake_a)
KERNELS(fake_b)

struct fake_provider fake_a, fake_b;

static void make(struct fake_provider *fake, const char *name, const char *license, size_t tiers)
{
    fake->provider = (struct limbic_provider){
        .size = sizeof fake->provider,
        .abi_major = LIMBIC_PROVIDER_ABI_MAJOR,
        .abi_minor = LIMBIC_PROVIDER_ABI_MINOR,
        .limb_bits = LIMBIC_LIMB_BITS,
        .name = name,
        .version = "1.0",
        .license = license,
        .origin = "a test",
        .limb_slots_size = sizeof(struct limbic_limb_slots),
        .tier_size = sizeof(struct limbic_tier),
        .tier_count = tiers,
        .tiers = fake->tier,
    };
}

void fake_providers_reset(void)
{
    static const char *const names[] = {"high", "mid", "low"};
    static const char *const needs[] = {"avx2 sha_ni", "bmi2", ""};

    fake_a_fill();
    fake_b_fill();
    make(&fake_a, "fake_a", "MIT OR Apache-2.0", FAKE_TIERS);
    make(&fake_b, "fake_b", "GPL-3.0-or-later", 1);
    for (int i = 0; i < FAKE_TIERS; i++)
        fake_a.tier[i] = (struct limbic_tier){
            .name = names[i], .needs = needs[i], .limbs = &fake_a_limbs, .moduli = &fake_a_moduli};
    fake_b.tier[0] = (struct limbic_tier){
        .name = "", .needs = "", .limbs = &fake_b_limbs, .moduli = &fake_b_moduli};
    atomic_store(&fake_b_lies_above, 0);
    fake_hits_reset();
}

static void clear(struct fake_hits *hits)
{
    atomic_store(&hits->mont_mul, 0);
    atomic_store(&hits->mont_pow, 0);
    atomic_store(&hits->mul, 0);
}

void fake_hits_reset(void)
{
    clear(&fake_a_hits);
    clear(&fake_b_hits);
}
