/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fake-provider.h - providers for tests: up to three tiers whose kernels are portable's and
 * derived's, and count how often they are called.
 */
#ifndef LIMBIC_TESTS_FAKE_PROVIDER_H
#define LIMBIC_TESTS_FAKE_PROVIDER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "limbic-provider.h"

enum { FAKE_TIERS = 3 };

struct fake_provider {
    struct limbic_provider provider;
    struct limbic_tier tier[FAKE_TIERS];
};

/* Each has level 1 whole, and of level 2 mont_mul and mont_pow. fake_a has the tiers "high" (needs
   avx2 and adx), "mid" (needs bmi2) and "low", licence "MIT OR Apache-2.0"; fake_b has one without
   a name, licence "GPL-3.0-or-later". */
extern struct fake_provider fake_a, fake_b;

/* As they were in the beginning. */
void fake_providers_reset(void);

/* Calls of mont_mul, mont_pow and mul, by provider. */
struct fake_hits {
    atomic_uint mont_mul, mont_pow, mul;
};
extern struct fake_hits fake_a_hits, fake_b_hits;
void fake_hits_reset(void);

/* From now on fake_b's mont_mul is wrong in the moduli of more than so many bits; 0: right. */
extern _Atomic(size_t) fake_b_lies_above;

#endif
