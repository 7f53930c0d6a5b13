/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Random primes: a random start, the sieve, and the tests.
 */
#include "base/error.h"
#include "base/wipe.h"
#include "core/number/arith.h"
#include "core/number/prime.h"
#include "core/number/random.h"
#include "core/number/sieve.h"
#include "dispatch/dispatch.h"
#include "dispatch/slots.h"

/* A draw is in range with probability above 1/2, a stretch holds a prime with one near 1 - e^-11:
   a source of randomness that fails so often is broken. */
#define DRAWS 128
#define STARTS 64

/* After so many stretches without a prime, one chance in e^22, the row that tests is no longer
   believed, and the row of last resort searches on. */
#define TRUSTED_STARTS 2

struct search {
    const struct limbic_ops *ops;
    size_t bits, n;
    const limb_t *e;
    size_t en;
    const limb_t *other;
    lb_progress_fn progress;
    void *opaque;
};

static gpg_error_t report(const struct search *s, int what)
{
    if (s->progress && s->progress(s->opaque, what))
        return lb_error(GPG_ERR_CANCELED, "the generation of a prime was cancelled");
    return 0;
}

static gpg_error_t broken_source(void)
{
    return lb_error(GPG_ERR_NOT_OPERATIONAL, "the source of randomness leads to no prime");
}

/* The 64 bits of a from bit `at` on, at + 64 <= n * LIMB_BITS. */
static uint64_t bits64_at(const limb_t *a, size_t at)
{
    uint64_t x = 0;

    for (size_t i = 0; i < 64; i += 32) {
        size_t bit = at + i, limb = bit / LIMB_BITS, off = bit % LIMB_BITS;
        uint64_t low = a[limb] >> off;
        if (off > LIMB_BITS - 32)
            low |= (uint64_t)a[limb + 1] << (LIMB_BITS - off);
        x |= (low & 0xffffffff) << i;
    }
    return x;
}

/*
 * 0xb504f333f9de6484 is floor(2^63 sqrt(2)). A number whose top 64 bits exceed it is at least
 * (floor(2^63 sqrt(2)) + 1) 2^(bits-64), above sqrt(2) 2^(bits-1); those between the two, one in
 * 2^63, are not used. Top bits of all ones are not either: so the start stays below 2^bits when the
 * whole stretch, at most 2^17, is added, as the other bits (64 or more) can carry but once.
 */
static gpg_error_t draw_start(const struct search *s, limb_t *start)
{
    for (int i = 0; i < DRAWS; i++) {
        gpg_error_t err = lb_random_bits(start, s->n, s->bits);
        if (err)
            return err;
        start[0] |= 1;
        start[(s->bits - 1) / LIMB_BITS] |= (limb_t)1 << ((s->bits - 1) % LIMB_BITS);

        uint64_t top = bits64_at(start, s->bits - 64);
        limb_t high = (limb_t)(top >> 32), low = (limb_t)(top & 0xffffffff);
        limb_t above =
            lb_ct_lt(0xb504f333, high) | (lb_ct_eq(0xb504f333, high) & lb_ct_lt(0xf9de6484, low));
        limb_t ones = lb_ct_eq(high & low, 0xffffffff);
        if (lb_ct_declassify(above & ~ones))
            return 0;
    }
    return broken_source();
}

/* ~0 if gcd(p - 1, e) = 1. */
static limb_t suits_exponent(const struct search *s, const limb_t *p)
{
    size_t n = s->n, en = s->en;
    limb_t less_one[n], rem[en];
    limb_t scratch[LB_SCRATCH_GCD(en)];

    _Static_assert(LB_SCRATCH_GCD(1) >= LB_SCRATCH_DIVREM(1),
                   "2n + 2 (n + 1) against 3n + 1 limbs");
    lb_nat_copy(less_one, p, n);
    less_one[0] -= 1; /* p is odd */
    lb_nat_divrem(s->ops, NULL, rem, less_one, n, s->e, en, scratch);
    lb_nat_gcd(s->ops, rem, rem, s->e, en, scratch);
    limb_t coprime = lb_nat_is_one(rem, en);

    lb_wipe(less_one, sizeof less_one);
    lb_wipe(rem, sizeof rem);
    lb_wipe(scratch, sizeof scratch);
    return coprime;
}

/* ~0 if |p - other| >= 2^(bits - 99), which is more than 2^(bits - 100): if its bit length is at
   least bits - 98. */
static limb_t is_far(const struct search *s, const limb_t *p)
{
    size_t n = s->n;
    limb_t diff[n], negated[n];

    if (!s->other)
        return ~(limb_t)0;
    limb_t borrow = s->ops->limbs.sub(diff, p, s->other, n);
    s->ops->limbs.sub(negated, s->other, p, n);
    s->ops->limbs.select(diff, negated, diff, n, lb_ct_mask_of_bit(borrow));
    limb_t far = ~lb_ct_lt((limb_t)lb_nat_bits(diff, n), (limb_t)(s->bits - 98));

    lb_wipe(diff, sizeof diff);
    lb_wipe(negated, sizeof negated);
    return far;
}

/* One round first: it rejects nearly all composites. */
static gpg_error_t try_candidate(const struct search *s, int *found, const limb_t *p)
{
    *found = 0;

    int probably;
    gpg_error_t err = lb_prime_miller_rabin(s->ops, &probably, p, s->n, 1);
    if (err)
        return err;
    if (!probably)
        return report(s, '.');
    err = report(s, '+');
    if (err || !lb_ct_declassify(suits_exponent(s, p) & is_far(s, p)))
        return err;
    err = lb_prime_test(s->ops, &probably, p, s->n, lb_prime_rounds(s->bits) - 1);
    if (err || !probably)
        return err;
    *found = 1;
    return report(s, '*');
}

/* The candidates of one window that begins at `start`. */
static gpg_error_t try_window(const struct search *s, struct lb_sieve *sieve, int *found, limb_t *p,
                              const limb_t *start)
{
    gpg_error_t err = 0;
    limb_t offset;

    lb_sieve_window(sieve);
    while (!err && !*found && lb_ct_declassify(lb_sieve_next(sieve, &offset))) {
        (void)lb_nat_add_limb(p, start, s->n, offset);
        err = try_candidate(s, found, p);
    }
    return err;
}

/* The stretch of 8 * bits or, for want of a whole window at its end, somewhat less. */
static gpg_error_t try_stretch(const struct search *s, struct lb_sieve *sieve, int *found,
                               limb_t *p, limb_t *start)
{
    size_t windows = 8 * s->bits / (2 * LB_SIEVE_WINDOW);

    gpg_error_t err = draw_start(s, start);
    if (!err)
        err = report(s, '!');
    if (err)
        return err;
    lb_sieve_start(sieve, start, s->n);
    for (size_t i = 0; i < windows && !err && !*found; i++) {
        err = try_window(s, sieve, found, p, start);
        (void)lb_nat_add_limb(start, start, s->n, 2 * LB_SIEVE_WINDOW);
    }
    return err;
}

/* Whether the row takes this prime for a composite. Without randomness there is no verdict. */
static bool denies(const struct limbic_ops *row, const limb_t *p, size_t n)
{
    int is_prime;

    return !lb_prime_test(row, &is_prime, p, n, 1) && !is_prime;
}

/* A prime was found by the row of last resort alone: if the row that should have found one denies
   it, the kernel that does so alone is to blame, or else whoever stands in the outermost slot. */
static void blame(const struct search *s, const struct limbic_ops *suspect, const limb_t *p)
{
    static const enum limbic_slot slots[] = {LIMBIC_SLOT_MONT_POW, LIMBIC_SLOT_MONT_SQR,
                                             LIMBIC_SLOT_MONT_MUL, LIMBIC_SLOT_MONT_REDUCE};
    static const char why[] = "found no prime where portable did, and took that one for composite";
    enum limbic_slot guilty = slots[0];

    if (!denies(suspect, p, s->n))
        return;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        struct limbic_ops one = *s->ops;

        if (suspect->family[slots[i]] == one.family[slots[i]])
            continue;
        lb_slot_put(&one, suspect, lb_slot_by_id(slots[i]));
        if (denies(&one, p, s->n)) {
            guilty = slots[i];
            break;
        }
    }
    lb_dispatch_blame(guilty, suspect, s->bits, why);
}

gpg_error_t lb_prime_generate(const struct limbic_ops *ops, limb_t *r, size_t bits, const limb_t *e,
                              size_t en, const limb_t *other, lb_progress_fn progress, void *opaque)
{
    size_t n = LB_LIMBS_OF_BITS(bits);
    struct search s = {ops, bits, n, e, en, other, progress, opaque};
    struct lb_sieve sieve;
    limb_t start[n];
    gpg_error_t err = 0;
    int found = 0;

    lb_sieve_init(&sieve, bits, e, en);
    for (int i = 0; i < STARTS && !err && !found; i++) {
        if (i == TRUSTED_STARTS)
            s.ops = lb_row_portable(bits);
        err = try_stretch(&s, &sieve, &found, r, start);
    }
    if (found && s.ops != ops)
        blame(&s, ops, r);
    if (!err && !found)
        err = broken_source();
    if (err)
        lb_wipe(r, n * sizeof *r);
    lb_wipe(&sieve, sizeof sieve);
    lb_wipe(start, sizeof start);
    return err;
}

/* 256 log2(x), x >= 2, with a straight line between powers of two, so up to 22 too low. */
static unsigned long log2_256(unsigned long x)
{
    unsigned long whole = 0;

    while (x >> (whole + 1))
        whole++;
    return 256 * whole + (256 * x >> whole) - 256;
}

/* bits ln 2 / (e^gamma ln L) = bits / (e^gamma log2 L), and e^-gamma = 0.561459. */
unsigned long lb_prime_expected(size_t bits)
{
    return (unsigned long)((uint64_t)bits * 256 * 561459 / 1000000 /
                           log2_256(lb_sieve_limit(bits)));
}
