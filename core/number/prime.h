/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Primality (FIPS 186-5, appendix B.3: Miller-Rabin with random bases, and the Lucas test) and the
 * generation of random primes with a sieve. Knows no key.
 *
 * `ops` is the row for the number's size. Where its families keep prepared state for a modulus, the
 * tests make it on the stack.
 */
#ifndef LB_NUMBER_PRIME_H
#define LB_NUMBER_PRIME_H

#include <gpg-error.h>

#include "core/number/nat.h"

/* Rounds of Miller-Rabin for primes of `bits` bits made at random for RSA keys. From 1024 bits on
   at least FIPS 186-5 table B.1 (error 2^-112 at 1024, 2^-128 at 1536, 2^-144 at 2048 and above);
   below, by the formula of its appendix C.1 for 2^-112. These count on candidates that nobody
   chose: for values from outside, which may be made to deceive, always LB_PRIME_ROUNDS_FOREIGN. */
unsigned lb_prime_rounds(size_t bits);
#define LB_PRIME_ROUNDS_FOREIGN 64

/* *is_prime = 1 or 0 for any a[n], including 0, 1, 2, even ones: `rounds` rounds of Miller-Rabin
   with random bases, then the Lucas test. Constant time in a up to the verdict. What shows besides:
   a's bit length; the number of trailing zeros of a - 1, rounded up to a multiple of 8; the round
   in which a composite fails; and, of a number that passes Miller-Rabin, how many values of D the
   Lucas test tried, that is, (D/a) for the first of them, about two. n <= LIMBIC_MAX_LIMBS,
   and the tests take up to 100 KiB of stack at 16384 bits. Errors: randomness failed. */
gpg_error_t lb_prime_test(const struct limbic_ops *ops, int *is_prime, const limb_t *a, size_t n,
                          unsigned rounds);

/* The two parts by themselves. a is odd, > 3 (Lucas: odd, > 2), high limbs zero or not. */
gpg_error_t lb_prime_miller_rabin(const struct limbic_ops *ops, int *probably, const limb_t *a,
                                  size_t n, unsigned rounds);
int lb_prime_lucas(const struct limbic_ops *ops, const limb_t *a, size_t n);

/* Called now and then during slow work, with `what` a sign for a progress line: '!' a new random
   start, '.' a candidate was composite, '+' a candidate passed its first round, '*' a prime. A
   nonzero return cancels with GPG_ERR_CANCELED. */
typedef int (*lb_progress_fn)(void *opaque, int what);

/* How many candidates of `bits` bits are tested on the average until one is a prime. Of the numbers
   that survive a sieve up to L, the primes are a share of e^gamma ln L / ln 2^bits (Mertens'
   theorem). */
unsigned long lb_prime_expected(size_t bits);

/* A random prime p of exactly `bits` bits for an RSA key, with the properties of FIPS 186-5, A.1.3:
   p >= sqrt(2) * 2^(bits-1); gcd(p - 1, e) = 1 for the public odd e[en] >= 3; and, unless other is
   NULL, |p - other| > 2^(bits - 100) for other[n] of as many bits. r has n = LB_LIMBS_OF_BITS(bits)
   limbs; 128 <= bits <= LIMBIC_MAX_BITS. progress may be NULL.

   A.1.3 draws each candidate anew. Here candidates are the odd numbers in a stretch of at most
   8 * bits (about 11 times the mean distance of primes) from a random start, so p is near uniform:
   a prime is as likely as the gap before it is wide (J. Brandt, I. Damgard, "On generation of
   probable primes by incremental search", CRYPTO '92).

   What running time shows: the number of starts; for each window of 512 numbers, how many
   candidates survived the sieve and were tested, not where they were; and what lb_prime_test shows
   of p. Nothing depends on the value of a candidate or its residues. Errors: randomness failed;
   GPG_ERR_NOT_OPERATIONAL, when a source that gives no prime must be broken; cancelled. Then r = 0.
   Where `ops` finds none for long and the row of last resort does, the kernel of `ops` that denies
   this prime is blamed.
   */
gpg_error_t lb_prime_generate(const struct limbic_ops *ops, limb_t *r, size_t bits, const limb_t *e,
                              size_t en, const limb_t *other, lb_progress_fn progress,
                              void *opaque);

#endif
