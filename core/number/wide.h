/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The double limb, and division of a double limb by a limb without a division instruction: on many
 * processors the time of one depends on its operands. Method: N. Moeller, T. Granlund, "Improved
 * division by invariant integers", IEEE Transactions on Computers 60 (2011), with masks in place of
 * the branches.
 */
#ifndef LB_NUMBER_WIDE_H
#define LB_NUMBER_WIDE_H

#include "core/number/limb.h"

#if LIMB_BITS == 64
__extension__ typedef unsigned __int128 dlimb_t;
__extension__ typedef __int128 sdlimb_t;
typedef int64_t slimb_t;
#else
typedef uint64_t dlimb_t;
typedef int64_t sdlimb_t;
typedef int32_t slimb_t;
#endif

static inline limb_t lb_high(dlimb_t x)
{
    return (limb_t)(x >> LIMB_BITS);
}

/* floor((B^2 - 1) / d) - B, for d with its top bit set: the fractional part of B/d that the
   division below multiplies with. B^2 - 1 - d B is the double limb (~d, ~0), and ~d < d. One
   quotient bit at a time; `out` is the bit that the doubling of the remainder shifts out. */
static inline limb_t lb_reciprocal(limb_t d)
{
    limb_t rem = ~d, v = 0;

    for (int i = 0; i < LIMB_BITS; i++) {
        limb_t out = lb_ct_mask_of_bit(rem >> (LIMB_BITS - 1));
        rem = rem << 1 | 1;
        limb_t fits = out | ~lb_ct_lt(rem, d);
        rem -= d & fits;
        v = v << 1 | (fits & 1);
    }
    return v;
}

/* The same for a public d. */
static inline limb_t lb_reciprocal_vartime(limb_t d)
{
    return (limb_t)((((dlimb_t)~d << LIMB_BITS) | (limb_t) ~(limb_t)0) / d);
}

/* (u1 B + u0) / d for u1 < d, d with its top bit set, v its reciprocal; the remainder in *rem.
   Algorithm 4 of the paper. v u1 + u1 B + u0 does not overflow: with v + B <= (B^2 - 1)/d and
   u1 <= d - 1 it is at most (B^2 - 1) - (B^2 - 1)/d + B - 1, below B^2 since (B^2 - 1)/d > B. By
   theorem 2 there the first remainder is right but for one d in either direction, and the two
   corrections that follow tell which. */
static inline limb_t lb_div_2by1(limb_t *rem, limb_t u1, limb_t u0, limb_t d, limb_t v)
{
    dlimb_t t = (dlimb_t)v * u1 + ((dlimb_t)u1 << LIMB_BITS | u0);
    limb_t q = lb_high(t) + 1;
    limb_t r = u0 - q * d;
    limb_t over = lb_ct_lt((limb_t)t, r);

    q += over;
    r += d & over;
    limb_t under = ~lb_ct_lt(r, d);
    q -= under;
    r -= d & under;
    *rem = r;
    return q;
}

#endif
