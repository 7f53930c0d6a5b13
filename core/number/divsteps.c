/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Division steps in batches. Right shifts of negative values are arithmetic, as with every compiler
 * that limbic is built with.
 */
#include "core/number/divsteps.h"

_Static_assert(((slimb_t)-3 >> 1) == -2 && ((sdlimb_t)-3 >> 1) == -2, "arithmetic right shift");

/* Theorem 11.2 of the paper: with f^2 + 4 g^2 <= 5 * 2^(2b), the number of steps is
   floor((49 b + 80) / 17) for b < 46 and floor((49 b + 57) / 17) for b >= 46. |f|, |g| < 2^b gives
   the premise, here with b = LIMB_BITS * n. Steps beyond change nothing: once g = 0, f and g stay
   as they are. */
size_t lb_divsteps_batches(size_t n)
{
    size_t b = n * LIMB_BITS;
    size_t steps = (49 * b + (b < 46 ? 80 : 57)) / 17;

    return (steps + LB_DIGIT_BITS - 1) / LB_DIGIT_BITS;
}

/*
 * A step (the definition in section 8 of the paper, from delta = 1):
 *
 *     delta > 0 and g odd:  (delta, f, g) -> (1 - delta, g, (g - f) / 2)
 *     otherwise:            (delta, f, g) -> (1 + delta, f, (g + (g mod 2) f) / 2)
 *
 * With c = [delta > 0], in that order: g += (c ? -f : f) if g is odd; then, if c and g was odd,
 * f += g, which makes f the old g. The words f and g are only right modulo 2^N and lose one right
 * bit with each step, which leaves the lowest bit of each right for all N of them.
 *
 * The rows of the matrix are those of the product of steps times 2^(steps so far): what the halving
 * does to g, doubling does to the row of f instead. Norms |u| + |v|: a new row is a row, the sum or
 * the difference of two rows, or twice a row, so with each step the bound on both norms doubles,
 * from 1: after N steps 2^N < 2^(LIMB_BITS - 1). The words hold the entries in two's complement.
 */
slimb_t lb_divsteps_batch(struct lb_divsteps *t, slimb_t delta, slimb_t f0, slimb_t g0)
{
    limb_t f = (limb_t)f0, fu = 1, fv = 0;
    limb_t g = (limb_t)g0, gu = 0, gv = 1;
    limb_t d = (limb_t)delta;

    for (int i = 0; i < LB_DIGIT_BITS; i++) {
        /* delta > 0 exactly if -delta < 0. |delta| is at most one more than the steps so far. */
        limb_t c = lb_ct_barrier((limb_t)0 - (((limb_t)0 - d) >> (LIMB_BITS - 1)));
        limb_t odd = lb_ct_barrier((limb_t)0 - (g & 1));

        g += ((f ^ c) - c) & odd;
        gu += ((fu ^ c) - c) & odd;
        gv += ((fv ^ c) - c) & odd;

        limb_t swap = c & odd;
        f += g & swap;
        fu += gu & swap;
        fv += gv & swap;
        d = (d ^ swap) - swap + 1;

        g >>= 1;
        fu <<= 1;
        fv <<= 1;
    }
    t->fu = (slimb_t)fu;
    t->fv = (slimb_t)fv;
    t->gu = (slimb_t)gu;
    t->gv = (slimb_t)gv;
    return (slimb_t)d;
}

/*
 * |f|, |g| <= B^n throughout: |fu f + fv g| <= 2^N max(|f|, |g|), and likewise for g. The last
 * digit then is in [-2^(N-2), 2^(N-2)], since len digits have two bits to spare. A sum of two
 * products is at most 2^N 2^N in absolute value, the carry from the sum below at most 2^N + 1, so
 * everything stays below 2^(2N+1) = 2^(2 LIMB_BITS - 3).
 */
void lb_divsteps_apply(const struct lb_divsteps *t, slimb_t *f, slimb_t *g, size_t len)
{
    sdlimb_t fc = (sdlimb_t)t->fu * f[0] + (sdlimb_t)t->fv * g[0];
    sdlimb_t gc = (sdlimb_t)t->gu * f[0] + (sdlimb_t)t->gv * g[0];

    for (size_t i = 1; i < len; i++) {
        slimb_t fi = f[i], gi = g[i];

        fc = (fc >> LB_DIGIT_BITS) + (sdlimb_t)t->fu * fi + (sdlimb_t)t->fv * gi;
        gc = (gc >> LB_DIGIT_BITS) + (sdlimb_t)t->gu * fi + (sdlimb_t)t->gv * gi;
        f[i - 1] = (slimb_t)((limb_t)fc & LB_DIGIT_MASK);
        g[i - 1] = (slimb_t)((limb_t)gc & LB_DIGIT_MASK);
    }
    f[len - 1] = (slimb_t)(fc >> LB_DIGIT_BITS);
    g[len - 1] = (slimb_t)(gc >> LB_DIGIT_BITS);
}

/* One digit from bit `at` on; bits past the end of a are 0. */
static limb_t bits_at(const limb_t *a, size_t n, size_t at)
{
    size_t i = at / LIMB_BITS;
    size_t off = at % LIMB_BITS;
    limb_t low = i < n ? a[i] >> off : 0;

    /* Nothing of the next limb fits when off <= 2: a digit is two bits shorter than a limb. */
    if (off > 2 && i + 1 < n)
        low |= a[i + 1] << (LIMB_BITS - off);
    return low & LB_DIGIT_MASK;
}

void lb_digits_from_nat(slimb_t *x, size_t len, const limb_t *a, size_t n)
{
    for (size_t i = 0; i < len; i++)
        x[i] = (slimb_t)bits_at(a, n, i * LB_DIGIT_BITS);
}

/* A limb starts at an even bit of a digit, so it lies in that digit and the next: from the last
   even bit but one, N - 2, two bits of the first and all N of the second make a limb. The next
   exists, since the digits reach at least two bits past the last limb. */
void lb_digits_to_nat(limb_t *a, size_t n, const slimb_t *x)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = i * LIMB_BITS;
        size_t j = at / LB_DIGIT_BITS;
        size_t off = at % LB_DIGIT_BITS;

        a[i] = (limb_t)x[j] >> off | (limb_t)x[j + 1] << (LB_DIGIT_BITS - off);
    }
}

limb_t lb_digits_negative(const slimb_t *x, size_t len)
{
    return lb_ct_mask_of_bit((limb_t)x[len - 1] >> (LIMB_BITS - 1));
}

/* Brings all digits but the last back to [0, 2^N). Digits are in (-2^(N+1), 2^(N+1)), carries in
   {-2, .. 2}. */
static void propagate(slimb_t *x, size_t len)
{
    slimb_t carry = 0;

    for (size_t i = 0; i + 1 < len; i++) {
        slimb_t sum = x[i] + carry;
        x[i] = (slimb_t)((limb_t)sum & LB_DIGIT_MASK);
        carry = sum >> LB_DIGIT_BITS;
    }
    x[len - 1] += carry;
}

void lb_digits_cond_negate(slimb_t *x, size_t len, limb_t mask)
{
    mask = lb_ct_barrier(mask);
    for (size_t i = 0; i < len; i++)
        x[i] = (slimb_t)(((limb_t)x[i] ^ mask) - mask);
    propagate(x, len);
}

void lb_digits_cond_add(slimb_t *x, const slimb_t *m, size_t len, limb_t mask)
{
    mask = lb_ct_barrier(mask);
    for (size_t i = 0; i < len; i++)
        x[i] += (slimb_t)((limb_t)m[i] & mask);
    propagate(x, len);
}
