/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operands for self-tests.
 */
#include "core/selftest-pattern.h"

/* SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014):
   good enough to vary operands; nothing here is secret. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void lb_pattern(limb_t *a, size_t n, unsigned which)
{
    const limb_t ones = (limb_t) ~(limb_t)0;
    uint64_t state = which;

    for (size_t i = 0; i < n; i++) {
        limb_t random = (limb_t)next(&state);
        switch (which) {
        case 0: /* all ones */
            a[i] = ones;
            break;
        case 1: /* one */
            a[i] = i == 0;
            break;
        case 2: /* ones and zeros limb by limb */
            a[i] = i & 1 ? 0 : ones;
            break;
        case 3: /* the top bit of each limb */
            a[i] = (limb_t)1 << (LIMB_BITS - 1);
            break;
        case 4: /* runs: each limb a stretch of ones in zeros or of zeros in ones */
            a[i] = (random & 1 ? ones : 0) ^ (ones >> (random >> 3) % LIMB_BITS);
            break;
        default:
            a[i] = random;
        }
    }
}
