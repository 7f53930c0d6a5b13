/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the portable provider share: the kernels' prototypes, the double limb, the
 * steps of which rows are made, the barrier behind every mask, and the hit flags of test builds.
 * Private to this directory; knows the provider ABI and the C library's headers only.
 */
#ifndef LB_PROVIDERS_PORTABLE_KERNELS_H
#define LB_PROVIDERS_PORTABLE_KERNELS_H

#include <string.h>

#include "limbic-provider.h"
#include "providers/native/portable/portable.h"

typedef limbic_limb_t limb_t;
#define LIMB_BITS LIMBIC_LIMB_BITS

#if LIMBIC_LIMB_BITS == 64
__extension__ typedef unsigned __int128 dlimb_t;
#else
typedef uint64_t dlimb_t;
#endif

#ifdef LIMBIC_TESTING
#define LB_HIT(slot) __atomic_store_n(&lb_portable_hits[slot], 1, __ATOMIC_RELAXED)
#else
#define LB_HIT(slot) ((void)0)
#endif

/* Hides a mask's origin from the optimiser, which could otherwise turn it back into a branch. */
static inline limb_t hidden(limb_t x)
{
    __asm__("" : "+r"(x));
    return x;
}

/*
 * The steps. Each returns the carry limb and writes one limb of the row. The carries are spelt as
 * comparisons of limbs, not as additions of double limbs: gcc makes an add/adc pair of each
 * comparison, and of the double additions several moves more (measured: 1.9 against 2.8 cycles a
 * limb for a row of addmul_1).
 */

/* *r = a * b + c: at most (B-1)^2 + (B-1) < B^2. */
static inline limb_t mul_step(limb_t *r, limb_t a, limb_t b, limb_t c)
{
    dlimb_t p = (dlimb_t)a * b;
    limb_t low = (limb_t)p, high = (limb_t)(p >> LIMB_BITS);

    low += c;
    high += (limb_t)(low < c);
    *r = low;
    return high;
}

/* *r = *r + a * b + c: at most (B-1)^2 + 2 (B-1) = B^2 - 1. */
static inline limb_t addmul_step(limb_t *r, limb_t a, limb_t b, limb_t c)
{
    dlimb_t p = (dlimb_t)a * b;
    limb_t low = (limb_t)p, high = (limb_t)(p >> LIMB_BITS), x = *r;

    low += x;
    high += (limb_t)(low < x);
    low += c;
    high += (limb_t)(low < c);
    *r = low;
    return high;
}

/* *r = *r - a * b - c; the limb to subtract above is at most B - 1: a * b + c <= B (B - 1). */
static inline limb_t submul_step(limb_t *r, limb_t a, limb_t b, limb_t c)
{
    dlimb_t p = (dlimb_t)a * b;
    limb_t low = (limb_t)p, high = (limb_t)(p >> LIMB_BITS), x = *r;

    low += c;
    high += (limb_t)(low < c);
    *r = x - low;
    return high + (limb_t)(x < low);
}

/* *r = a + b + c and *r = a - b - c for c in {0, 1}; the new carry or borrow, 0 or 1: at most one
   of the two comparisons holds. */
static inline limb_t add_step(limb_t *r, limb_t a, limb_t b, limb_t c)
{
    limb_t t = a + b, carry = (limb_t)(t < a);

    t += c;
    *r = t;
    return carry + (limb_t)(t < c);
}

static inline limb_t sub_step(limb_t *r, limb_t a, limb_t b, limb_t c)
{
    limb_t t = a - b, borrow = (limb_t)(a < b);

    *r = t - c;
    return borrow + (limb_t)(t < c);
}

/* Rows without hit flags, for the kernels that are made of them. Called, not inlined: alone, they
   get the registers that they need. */
limb_t lb_portable_mul_row(limb_t *r, const limb_t *a, size_t n, limb_t b);
limb_t lb_portable_addmul_row(limb_t *r, const limb_t *a, size_t n, limb_t b);

limb_t lb_portable_add(limb_t *r, const limb_t *a, const limb_t *b, size_t n);
limb_t lb_portable_sub(limb_t *r, const limb_t *a, const limb_t *b, size_t n);
limb_t lb_portable_cond_add(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t mask);
limb_t lb_portable_cond_sub(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t mask);
void lb_portable_cond_swap(limb_t *a, limb_t *b, size_t n, limb_t mask);
void lb_portable_select(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t mask);
void lb_portable_table_select(limb_t *r, const limb_t *table, size_t entries, size_t n,
                              size_t index);
limb_t lb_portable_lshift(limb_t *r, const limb_t *a, size_t n, unsigned s);
limb_t lb_portable_rshift(limb_t *r, const limb_t *a, size_t n, unsigned s);
limb_t lb_portable_mul_1(limb_t *r, const limb_t *a, size_t n, limb_t b);
limb_t lb_portable_addmul_1(limb_t *r, const limb_t *a, size_t n, limb_t b);
limb_t lb_portable_submul_1(limb_t *r, const limb_t *a, size_t n, limb_t b);
void lb_portable_mul(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn,
                     limb_t *scratch);
void lb_portable_sqr(limb_t *r, const limb_t *a, size_t n, limb_t *scratch);
void lb_portable_mul_vartime(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn,
                             limb_t *scratch);
void lb_portable_sqr_vartime(limb_t *r, const limb_t *a, size_t n, limb_t *scratch);

#endif
