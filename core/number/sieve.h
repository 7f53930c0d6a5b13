/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sieve of prime generation: which odd numbers from a secret start on have a small factor. It
 * neither indexes nor branches by a residue: every position of a window is compared with every
 * small prime. Knows no row and draws no randomness.
 */
#ifndef LB_NUMBER_SIEVE_H
#define LB_NUMBER_SIEVE_H

#include "core/number/nat.h"

/* Odd numbers of one window. */
#define LB_SIEVE_WINDOW 256

/* Primes are below 2^15, so that they and twice their residues fit 16 signed bits. */
#define LB_SIEVE_LIMIT 32768
#define LB_SIEVE_PRIMES 3511 /* odd primes below 2^15 */
#define LB_SIEVE_FACTORS 16  /* more than the odd primes whose product is below 2^64 */

/* A vector of lanes, and rows of vectors that the inner loop takes together. */
#define LB_SIEVE_LANES 8
#define LB_SIEVE_BLOCK (4 * LB_SIEVE_LANES)
#define LB_SIEVE_ROOM \
    ((LB_SIEVE_PRIMES + LB_SIEVE_FACTORS + LB_SIEVE_BLOCK - 1) / LB_SIEVE_BLOCK * LB_SIEVE_BLOCK)

struct lb_sieve {
    _Alignas(16) int16_t prime[LB_SIEVE_ROOM];
    _Alignas(16) int16_t left[LB_SIEVE_ROOM]; /* what the current number lacks to a multiple */
    _Alignas(16) int16_t hit[LB_SIEVE_WINDOW][LB_SIEVE_LANES];
    limb_t open[LB_SIEVE_WINDOW]; /* ~0: no small factor */
    size_t primes;                /* small primes */
    size_t factors;               /* small primes that divide e */
    size_t used;                  /* lanes, a multiple of LB_SIEVE_BLOCK */
};

/* The small primes for numbers of `bits` bits are those below this. */
unsigned lb_sieve_limit(size_t bits);

/* Chooses the small primes for numbers of `bits` bits, and those whose successors' multiples would
   give gcd(p - 1, e) > 1, for e[en] odd. All of it public. */
void lb_sieve_init(struct lb_sieve *s, size_t bits, const limb_t *e, size_t en);

/* Begins at the odd number start[n]. */
void lb_sieve_start(struct lb_sieve *s, const limb_t *start, size_t n);

/* Sieves start, start + 2, .. start + 2 (LB_SIEVE_WINDOW - 1) and moves the start behind them. */
void lb_sieve_window(struct lb_sieve *s);

/* The first open position of the window, which is closed then: ~0 and *offset = 2 * position, or 0
   if there is none. */
limb_t lb_sieve_next(struct lb_sieve *s, limb_t *offset);

#endif
