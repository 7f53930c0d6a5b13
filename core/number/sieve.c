/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sieve. For each small prime p a lane of 16 bits holds left = -start mod p; going on to the
 * next odd number takes 2 from it modulo p, and left = 0 says that p divides the number. Eight
 * lanes make a vector, in the vector extensions that gcc and clang share: SSE2, NEON, or plain code
 * for others.
 */
#include "core/number/sieve.h"

#include <string.h>

#include "core/number/wide.h"

typedef int16_t lanes __attribute__((vector_size(2 * LB_SIEVE_LANES), may_alias));

/* How far the small primes go: the optimum of sieving, which costs time for each prime, and tests,
   of which bits * ln 2 * e^-gamma / ln(limit) are to be expected. Measured from 256 to 4096 bits,
   with tests as slow as those of plain C and three times as fast: within 4 % of the best limit up
   to 2^15. From 1536 bits on a higher limit would still gain a little, but residues would not fit
   the lanes. */
unsigned lb_sieve_limit(size_t bits)
{
    size_t limit = bits * bits / 32;

    if (limit < 512)
        return 512;
    return limit < LB_SIEVE_LIMIT ? (unsigned)limit : LB_SIEVE_LIMIT;
}

/* The odd primes below the limit, by Eratosthenes; composite[i] stands for 2i + 1. */
static size_t small_primes(int16_t *prime, unsigned limit)
{
    unsigned char composite[LB_SIEVE_LIMIT / 2] = {0};
    size_t count = 0;

    for (unsigned p = 3; p < limit; p += 2) {
        if (composite[p / 2])
            continue;
        prime[count++] = (int16_t)p;
        for (unsigned q = p * p; q < limit; q += 2 * p)
            composite[q / 2] = 1;
    }
    return count;
}

/* a mod p for public values, by pieces of 32 bits, which a division of 64 bits takes
   on any host. */
static unsigned remainder_vartime(const limb_t *a, size_t n, unsigned p)
{
    uint64_t rem = 0;

    while (n-- > 0)
        for (unsigned at = LIMB_BITS; at > 0; at -= 32)
            rem = (rem << 32 | ((a[n] >> (at - 32)) & 0xffffffff)) % p;
    return (unsigned)rem;
}

void lb_sieve_init(struct lb_sieve *s, size_t bits, const limb_t *e, size_t en)
{
    s->primes = small_primes(s->prime, lb_sieve_limit(bits));
    s->factors = 0;
    for (size_t i = 0; i < s->primes && s->factors < LB_SIEVE_FACTORS; i++)
        if (remainder_vartime(e, en, (unsigned)s->prime[i]) == 0)
            s->prime[s->primes + s->factors++] = s->prime[i];

    /* Lanes to fill the last block repeat the first prime. */
    s->used = s->primes + s->factors;
    while (s->used % LB_SIEVE_BLOCK != 0)
        s->prime[s->used++] = s->prime[0];
}

/* a mod d for the public d < 2^(LIMB_BITS - 1): long division by the normalised d 2^s of a 2^s. */
static limb_t remainder_limb(const limb_t *a, size_t n, limb_t d)
{
    unsigned s = 0;

    while ((d << s) >> (LIMB_BITS - 1) == 0)
        s++;
    d <<= s;

    limb_t v = lb_reciprocal_vartime(d);
    limb_t rem = a[n - 1] >> (LIMB_BITS - s);
    for (size_t i = n; i-- > 1;)
        lb_div_2by1(&rem, rem, a[i] << s | a[i - 1] >> (LIMB_BITS - s), d, v);
    lb_div_2by1(&rem, rem, a[0] << s, d, v);
    return rem >> s;
}

/* x mod p without division by a secret. With w = floor((B - 1) / p) >= B/p - 1, the quotient
   estimate floor(x w / B) is above x/p - x/B - 1 > x/p - 2, so it is the quotient or one less. */
static limb_t small_remainder(limb_t x, limb_t p)
{
    limb_t w = ~(limb_t)0 / p;
    limb_t rem = x - lb_high((dlimb_t)x * w) * p;

    return rem - (p & ~lb_ct_lt(rem, p));
}

/* -x mod p for x in [0, p). */
static int16_t negated(limb_t x, limb_t p)
{
    return (int16_t)((p - x) & lb_ct_is_nonzero(x));
}

/* Residues by way of products of as many primes as are sure to fit a limb with a bit to spare: the
   long division is done once for each product. */
#define GROUP (LIMB_BITS / 16)

void lb_sieve_start(struct lb_sieve *s, const limb_t *start, size_t n)
{
    for (size_t i = 0; i < s->used; i += GROUP) {
        limb_t product = 1;
        for (size_t j = 0; j < GROUP; j++)
            product *= (limb_t)(uint16_t)s->prime[i + j];
        limb_t rem = remainder_limb(start, n, product);
        for (size_t j = 0; j < GROUP; j++) {
            limb_t p = (limb_t)s->prime[i + j];
            s->left[i + j] = negated(small_remainder(rem, p), p);
        }
    }

    /* For a factor f of e the lane is to be zero when f divides the number less one: one more is
       missing, modulo f. */
    for (size_t i = s->primes; i < s->primes + s->factors; i++) {
        limb_t f = (limb_t)s->prime[i];
        limb_t left = (limb_t)s->left[i] + 1;
        s->left[i] = (int16_t)(left & ~lb_ct_eq(left, f));
    }
}

/* left -= 2 modulo p in every lane: the sign, spread by an arithmetic shift, selects p. Four
   vectors at a time stay in registers for the whole window; a hit is noted as -1. */
static void sieve_block(struct lb_sieve *s, size_t at)
{
    lanes *hit = (lanes *)&s->hit[0];
    const lanes *prime = (const lanes *)(s->prime + at);
    lanes *left = (lanes *)(s->left + at);
    lanes p0 = prime[0], p1 = prime[1], p2 = prime[2], p3 = prime[3];
    lanes l0 = left[0], l1 = left[1], l2 = left[2], l3 = left[3];

    for (size_t i = 0; i < LB_SIEVE_WINDOW; i++) {
        hit[i] |= (l0 == 0) | (l1 == 0) | (l2 == 0) | (l3 == 0);
        l0 -= 2;
        l1 -= 2;
        l2 -= 2;
        l3 -= 2;
        l0 += (l0 >> 15) & p0;
        l1 += (l1 >> 15) & p1;
        l2 += (l2 >> 15) & p2;
        l3 += (l3 >> 15) & p3;
    }
    left[0] = l0;
    left[1] = l1;
    left[2] = l2;
    left[3] = l3;
}

void lb_sieve_window(struct lb_sieve *s)
{
    memset(s->hit, 0, sizeof s->hit);
    for (size_t at = 0; at < s->used; at += LB_SIEVE_BLOCK)
        sieve_block(s, at);

    for (size_t i = 0; i < LB_SIEVE_WINDOW; i++) {
        limb_t any = 0;
        for (size_t j = 0; j < LB_SIEVE_LANES; j++)
            any |= (limb_t)(uint16_t)s->hit[i][j];
        s->open[i] = lb_ct_is_zero(any);
    }
}

limb_t lb_sieve_next(struct lb_sieve *s, limb_t *offset)
{
    limb_t found = 0;

    *offset = 0;
    for (size_t i = 0; i < LB_SIEVE_WINDOW; i++) {
        limb_t first = s->open[i] & ~found;
        *offset |= first & (limb_t)(2 * i);
        found |= first;
        s->open[i] &= ~first;
    }
    return found;
}
