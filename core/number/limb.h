/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The limb type under its short name, and constant-time predicates of single limbs. Everything in
 * core that makes a decision on a secret goes through the masks of this file.
 */
#ifndef LB_NUMBER_LIMB_H
#define LB_NUMBER_LIMB_H

#include "limbic-provider.h"

typedef limbic_limb_t limb_t;

#define LIMB_BITS LIMBIC_LIMB_BITS
#define LIMB_BYTES (LIMBIC_LIMB_BITS / 8)

/* Limbs that hold so many bits or octets. */
#define LB_LIMBS_OF_BITS(bits) (((size_t)(bits) + LIMB_BITS - 1) / LIMB_BITS)
#define LB_LIMBS_OF_BYTES(bytes) (((size_t)(bytes) + LIMB_BYTES - 1) / LIMB_BYTES)

/* Hides a value from the optimiser, so that it cannot turn a mask back into a branch (gcc and clang
   both do when they can prove that a mask has two values only). */
static inline limb_t lb_ct_barrier(limb_t x)
{
    __asm__("" : "+r"(x));
    return x;
}

/* ~0 if the low bit is set, else 0. */
static inline limb_t lb_ct_mask_of_bit(limb_t bit)
{
    return (limb_t)0 - lb_ct_barrier(bit & 1);
}

/* ~0 if x is not zero, else 0. x | -x has its top bit set exactly if x != 0. */
static inline limb_t lb_ct_is_nonzero(limb_t x)
{
    return lb_ct_mask_of_bit((x | ((limb_t)0 - x)) >> (LIMB_BITS - 1));
}

static inline limb_t lb_ct_is_zero(limb_t x)
{
    return ~lb_ct_is_nonzero(x);
}

static inline limb_t lb_ct_eq(limb_t a, limb_t b)
{
    return lb_ct_is_zero(a ^ b);
}

/* ~0 if a < b: the borrow out of the top bit of a - b (Hacker's Delight, section 2-12). */
static inline limb_t lb_ct_lt(limb_t a, limb_t b)
{
    return lb_ct_mask_of_bit(((~a & b) | (~(a ^ b) & (a - b))) >> (LIMB_BITS - 1));
}

static inline limb_t lb_ct_select(limb_t mask, limb_t a, limb_t b)
{
    return b ^ (lb_ct_barrier(mask) & (a ^ b));
}

/* -1/m mod B for odd m, by Newton's iteration x <- x (2 - m x), which doubles the number of right
   low bits. x = 3m xor 2 is right to 5 bits; 5, 10, 20, 40, 80 >= 64. */
static inline limb_t lb_negated_inverse(limb_t m)
{
    limb_t x = (3 * m) ^ 2;

    for (int i = 0; i < 4; i++)
        x *= 2 - m * x;
    return (limb_t)0 - x;
}

/* States that a value derived from secrets is public from here on (a verdict, a public key). Under
   valgrind-based tests it marks the memory as defined; otherwise it does nothing. */
#ifdef LIMBIC_CT_CHECK
#include <valgrind/memcheck.h>
#define LB_DECLASSIFY(p, n) VALGRIND_MAKE_MEM_DEFINED((p), (n))
#define LB_CLASSIFY(p, n) VALGRIND_MAKE_MEM_UNDEFINED((p), (n))
#else
#define LB_DECLASSIFY(p, n) ((void)(p), (void)(n))
#define LB_CLASSIFY(p, n) ((void)(p), (void)(n))
#endif

/* The public truth of a mask. */
static inline int lb_ct_declassify(limb_t mask)
{
    LB_DECLASSIFY(&mask, sizeof mask);
    return mask != 0;
}

/* A fact on a secret that is public all the same: the layout of an encoding, its length. */
static inline int lb_ct_public(int fact)
{
    LB_DECLASSIFY(&fact, sizeof fact);
    return fact;
}

#endif
