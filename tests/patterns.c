/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Naturals at which carries go far: see patterns.h.
 */
#include "tests/patterns.h"

#include <string.h>

#define ONES ((limbic_limb_t) ~(limbic_limb_t)0)
#define TOP_BIT ((limbic_limb_t)1 << (LIMBIC_LIMB_BITS - 1))

static uint64_t state = 1;

void patterns_seed(uint64_t seed)
{
    state = seed;
}

/* SplitMix64 (Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014). */
uint64_t patterns_random(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void patterns_uniform(limbic_limb_t *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        r[i] = (limbic_limb_t)patterns_random();
}

/* Runs of 1 to 2 limbs' worth of equal bits. */
void patterns_runs(limbic_limb_t *r, size_t n)
{
    size_t left = 0;
    limbic_limb_t value = (limbic_limb_t)(patterns_random() & 1);

    memset(r, 0, n * sizeof *r);
    for (size_t i = 0; i < n * LIMBIC_LIMB_BITS; i++, left--) {
        if (left == 0) {
            left = 1 + patterns_random() % (2 * LIMBIC_LIMB_BITS);
            value ^= 1;
        }
        r[i / LIMBIC_LIMB_BITS] |= value << (i % LIMBIC_LIMB_BITS);
    }
}

static void fill(limbic_limb_t *r, size_t from, size_t to, limbic_limb_t value)
{
    for (size_t i = from; i < to; i++)
        r[i] = value;
}

void patterns_border(limbic_limb_t *r, size_t n, size_t i, unsigned edge)
{
    fill(r, 0, n, 0);
    r[i] = edge ? TOP_BIT : 1;
}

void patterns_make(limbic_limb_t *r, size_t n, unsigned k)
{
    fill(r, 0, n, 0);
    switch (k) {
    case 0: /* 0 */
        break;
    case 1: /* 1 */
        r[0] = 1;
        break;
    case 2: /* B^n - 1 */
        fill(r, 0, n, ONES);
        break;
    case 3: /* B^n - 2 */
        fill(r, 0, n, ONES);
        r[0]--;
        break;
    case 4: /* the top bit */
        r[n - 1] = TOP_BIT;
        break;
    case 5: /* all but the top bit */
        fill(r, 0, n, ONES);
        r[n - 1] ^= TOP_BIT;
        break;
    case 6: /* all-ones limbs next to zero limbs */
        for (size_t i = 0; i < n; i += 2)
            r[i] = ONES;
        break;
    case 7:
        for (size_t i = 1; i < n; i += 2)
            r[i] = ONES;
        break;
    case 8: /* one half */
        fill(r, 0, (n + 1) / 2, ONES);
        break;
    case 9: /* the other half */
        fill(r, n / 2, n, ONES);
        break;
    case 10: /* the highest bit of each limb */
        fill(r, 0, n, TOP_BIT);
        break;
    case 11:
    case 12:
        patterns_runs(r, n);
        break;
    case 13: /* limbs of all ones, zeros and one */
        for (size_t i = 0; i < n; i++)
            r[i] = (limbic_limb_t)(patterns_random() % 3) - 1;
        break;
    default:
        patterns_uniform(r, n);
        break;
    }
}
