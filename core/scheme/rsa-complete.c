/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * RSA keys of which not all numbers are given: the others are computed, so that every private key
 * is used by its primes. From the primes d and the CRT values follow; from d the primes do (RFC
 * 8017 has a representation of (n, d) alone, section 3.2).
 *
 * To use d itself, modulo n, would be as safe, but four times as slow on every operation, and such
 * a key could not be checked. So the primes are looked for, in constant time but for what
 * recover_primes says. All numbers here have n's length, in locked memory.
 */
#include "core/scheme/rsa-key.h"

#include "base/error.h"
#include "core/arena.h"
#include "core/number/arith.h"
#include "core/number/random.h"

/* An honest key is refused with a probability below 10 / 2^64. */
#define MAX_BASES 64

struct work {
    const struct limbic_ops *ops;
    size_t bits, n;
    unsigned primes;
    limb_t e[LB_RSA_E_LIMBS];
    limb_t *modulus, *d;
    limb_t *prime[LB_RSA_MAX_PRIMES];
    enum { UNKNOWN, SPLITS, PRIME } kind[LB_RSA_MAX_PRIMES]; /* in recovery; see judge_factors */
    limb_t *wide;                                            /* 2n */
    limb_t *a, *b, *c, *x;                                   /* n */
    limb_t *k, *t;                                           /* e d - 1 and its odd part: KN(n) */
    struct limbic_modulus m;                                 /* for recovery */
    limb_t *storage;                                         /* LB_MODULUS_STORAGE(n) */
    limb_t *scratch;
    unsigned char *octets; /* what is left of the room for results */
};

#define KN(n) ((n) + LB_RSA_E_LIMBS)

static gpg_error_t bad(const char *detail)
{
    return lb_error(GPG_ERR_BAD_SECKEY, detail);
}

static size_t scratch_limbs(size_t n)
{
    size_t need = LIMBIC_SCRATCH_POW(n);
    size_t others[] = {LB_SCRATCH_DIVREM(n),         LB_SCRATCH_GCD(n),
                       LB_SCRATCH_INVERT_ODD(n),     LB_SCRATCH_INVERT_PUBLIC(n, LB_RSA_E_LIMBS),
                       LIMBIC_SCRATCH_MUL(n, KN(n)), LB_SCRATCH_CONVERT(n)};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        need = others[i] > need ? others[i] : need;
    return need;
}

/* Limbs of an array, so that the next one is aligned. */
static size_t padded(size_t limbs)
{
    return (limbs + 7) / 8 * 8;
}

static limb_t *take(limb_t **memory, size_t limbs)
{
    limb_t *taken = *memory;

    *memory += padded(limbs);
    return taken;
}

static size_t memory_limbs(size_t n)
{
    return padded(sizeof(struct work) / LIMB_BYTES + 1) + (6 + LB_RSA_MAX_PRIMES) * padded(n) +
           padded(2 * n) + 2 * padded(KN(n)) + padded(LB_MODULUS_STORAGE(n)) +
           padded(scratch_limbs(n)) + LB_RSA_PARTS_MAX * padded(n);
}

static struct work *work_new(size_t bits)
{
    size_t n = LB_LIMBS_OF_BITS(bits);
    limb_t *memory = lb_arena_alloc(LB_ARENA_KEYS, memory_limbs(n) * LIMB_BYTES);
    struct work *w = (struct work *)(void *)memory;

    if (!w)
        return NULL;
    (void)take(&memory, sizeof(struct work) / LIMB_BYTES + 1);
    w->ops = lb_row_portable(bits);
    w->bits = bits;
    w->n = n;
    limb_t **const numbers[] = {&w->modulus, &w->d, &w->a, &w->b, &w->c, &w->x};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        *numbers[i] = take(&memory, n);
    for (unsigned i = 0; i < LB_RSA_MAX_PRIMES; i++)
        w->prime[i] = take(&memory, n);
    w->wide = take(&memory, 2 * n);
    w->k = take(&memory, KN(n));
    w->t = take(&memory, KN(n));
    w->storage = take(&memory, LB_MODULUS_STORAGE(n));
    w->scratch = take(&memory, scratch_limbs(n));
    w->octets = (unsigned char *)memory;
    return w;
}

static bool load(const struct work *w, limb_t *number, struct lb_octets part)
{
    if (part.len > w->n * LIMB_BYTES)
        return false;
    lb_nat_from_bytes(number, w->n, part.data, part.len);
    return true;
}

/* A result, in `len` octets. */
static void give(struct work *w, struct lb_octets *part, const limb_t *number, size_t len)
{
    (void)lb_nat_to_bytes(w->octets, len, number, w->n);
    *part = (struct lb_octets){w->octets, len};
    w->octets += len;
}

/*
 * The primes from d (after G. L. Miller, "Riemann's hypothesis and tests for primality", 1976). k =
 * e d - 1 = 2^s t is a multiple of every r - 1. Modulo a prime r, with 2^a the power of two in r - 1,
 * g^t is uniform in the group of order 2^a, for a random g, and g^t, g^2t, g^4t, ... become 1 at some
 * place. For two primes that place differs with a probability of at least 1/2: where their a differ,
 * since half of all g have the full order for the greater one; where they are the same, since both
 * have it for a quarter of all g, and come together with half of it, a quarter and so on for no more
 * than that in all. At the place of the first, g^(2^i t) - 1 has it in common with n and not the other.
 * So each pair of primes is separated by one base in two at least, and that one of the ten pairs of
 * five primes stays together through b bases has a probability of at most 10 / 2^b.
 */

/* A power of two in some r - 1 that chance does not bring, nor that of a multiplier: it would make the
   search as long as whoever made the key likes. */
#define MAX_ROUNDS 256

/* k and t; *rounds is s, rounded up to a multiple of 8, which is all that is shown of it. */
static gpg_error_t make_exponent(struct work *w, size_t *rounds)
{
    size_t s;

    w->ops->limbs.mul(w->k, w->d, w->n, w->e, LB_RSA_E_LIMBS, w->scratch);
    (void)lb_nat_sub_limb(w->k, w->k, KN(w->n), 1);
    if (lb_ct_declassify(lb_ct_mask_of_bit(w->k[0])))
        return bad("RSA: d is even");
    s = lb_nat_ctz(w->k, KN(w->n));
    lb_nat_copy(w->t, w->k, KN(w->n));
    lb_nat_shift_right(w->t, KN(w->n), s);
    *rounds = (s + 7) / 8 * 8;
    LB_DECLASSIFY(rounds, sizeof *rounds);
    return *rounds <= MAX_ROUNDS ? 0 : bad("RSA: e d - 1 is no number to find primes with");
}

/* A prime and a power of one are not split by any base, and the search would go on in vain: with these,
   and so with a factor that is one, 2^f - 2 has a factor in common. (With a product of other primes it
   has one for certain only if one of them is 3, else with a chance of about 1/o, for o the order of 2
   modulo a prime: for primes of ordinary size it is none.) */
static gpg_error_t refuse_prime_power(struct work *w, const limb_t *f)
{
    lb_nat_set(w->b, w->n, 2);
    w->ops->moduli.mont_pow(w->ops, &w->m, w->a, w->b, f, w->bits, w->scratch);
    lb_mod_sub(w->ops, &w->m, w->a, w->a, w->b);
    lb_nat_gcd(w->ops, w->a, w->a, f, w->n, w->scratch);
    return lb_ct_declassify(lb_nat_is_one(w->a, w->n))
               ? 0
               : bad("RSA: the modulus is no product of random primes");
}

/* Splits those of the factors so far that w->c, which may be zero, splits. */
static gpg_error_t split_factors(struct work *w)
{
    unsigned before = w->primes;

    for (unsigned i = 0; i < before; i++) {
        if (w->kind[i] == PRIME)
            continue;
        lb_nat_gcd(w->ops, w->a, w->c, w->prime[i], w->n, w->scratch);
        if (lb_ct_declassify(lb_nat_is_one(w->a, w->n) | lb_nat_eq(w->a, w->prime[i], w->n)))
            continue;
        if (w->primes == LB_RSA_MAX_PRIMES)
            return bad("RSA: the modulus has more than five primes");
        w->kind[i] = w->kind[w->primes] = UNKNOWN;
        lb_nat_divrem(w->ops, w->prime[w->primes++], NULL, w->prime[i], w->n, w->a, w->n,
                      w->scratch);
        lb_nat_copy(w->prime[i], w->a, w->n);
    }
    return 0;
}

/* In the end every power is 1, unless the base and n have a factor in common, which is one to split by. */
static gpg_error_t judge_last_power(struct work *w)
{
    if (lb_ct_declassify(lb_nat_eq(w->x, w->m.one, w->n)))
        return 0;
    lb_nat_copy(w->c, w->x, w->n);
    lb_nat_gcd(w->ops, w->a, w->c, w->modulus, w->n, w->scratch);
    if (lb_ct_declassify(lb_nat_is_one(w->a, w->n)))
        return bad("RSA: d is not an inverse of e");
    return split_factors(w);
}

/* One random base. The powers are in Montgomery form: R times what is to be looked at, and R has no
   factor in common with n. */
static gpg_error_t try_base(struct work *w, size_t rounds)
{
    const struct limbic_mod_slots *mod = &w->ops->moduli;
    gpg_error_t err = lb_random_below(w->x, w->modulus, w->n, w->bits);

    if (err)
        return err;
    mod->mont_pow(w->ops, &w->m, w->x, w->x, w->t, KN(w->n) * LIMB_BITS, w->scratch);
    lb_mont_in(w->ops, &w->m, w->x, w->x, w->scratch);
    for (size_t i = 0; i < rounds && !err; i++) {
        lb_nat_copy(w->c, w->x, w->n);
        lb_mod_sub(w->ops, &w->m, w->c, w->c, w->m.one);
        err = split_factors(w);
        mod->mont_sqr(w->ops, &w->m, w->x, w->x, w->scratch);
    }
    return err ? err : judge_last_power(w);
}

/* A factor r is a prime when k is a multiple of r - 1; that a product of primes has this property
   is a matter of malice, and no more harmful than to give it as a prime. */
static bool is_prime(struct work *w, const limb_t *r)
{
    lb_nat_copy(w->a, r, w->n);
    w->a[0] &= ~(limb_t)1;
    lb_nat_divrem(w->ops, NULL, w->b, w->k, KN(w->n), w->a, w->n, w->scratch);
    return lb_ct_declassify(lb_nat_is_zero(w->b, w->n));
}

/* Of each factor that is new: a prime, or no power of one and so split by some base, or an error.
   *all: whether all are primes. */
static gpg_error_t judge_factors(struct work *w, bool *all)
{
    gpg_error_t err = 0;

    *all = true;
    for (unsigned i = 0; i < w->primes && !err; i++) {
        if (w->kind[i] == UNKNOWN) {
            w->kind[i] = is_prime(w, w->prime[i]) ? PRIME : SPLITS;
            err = w->kind[i] == PRIME ? 0 : refuse_prime_power(w, w->prime[i]);
        }
        *all &= w->kind[i] == PRIME;
    }
    return err;
}

/* What running time shows: how many bases it took, the rounds of each, and which of them split. */
static gpg_error_t recover_primes(struct work *w)
{
    size_t rounds = 0;
    bool all = false;
    gpg_error_t err = make_exponent(w, &rounds);

    lb_modulus_init(&w->m, w->ops, w->storage, w->modulus, w->n, w->bits, 0, w->scratch);
    w->primes = 1;
    w->kind[0] = UNKNOWN;
    lb_nat_copy(w->prime[0], w->modulus, w->n);
    if (!err)
        err = judge_factors(w, &all);
    for (int i = 0; i < MAX_BASES && !err && !all; i++) {
        err = try_base(w, rounds);
        if (!err)
            err = judge_factors(w, &all);
    }
    if (!err && (w->primes < 2 || !all))
        err = bad("RSA: d is not an inverse of e");
    if (!err && w->primes == 2) /* p > q, as most software writes it */
        w->ops->limbs.cond_swap(w->prime[0], w->prime[1], w->n,
                                lb_nat_lt(w->prime[0], w->prime[1], w->n));
    return err;
}

/* What primes the file has must be among them; that some are missing is no licence for others. */
static gpg_error_t check_given_primes(const struct work *w, const struct lb_octets *parts,
                                      unsigned count)
{
    for (unsigned i = 0; i < LB_RSA_PRIMES_OF(count); i++) {
        struct lb_octets given = parts[lb_rsa_part_prime(i)];
        limb_t known = 0;

        if (given.len == 0)
            continue;
        if (!load(w, w->a, given))
            return bad("RSA: a prime is longer than the modulus");
        for (unsigned j = 0; j < w->primes; j++)
            known |= lb_nat_eq(w->a, w->prime[j], w->n);
        if (!lb_ct_declassify(known))
            return bad("RSA: a prime does not divide the modulus");
    }
    return 0;
}

static gpg_error_t recover(struct work *w, struct lb_octets *parts, unsigned *count)
{
    gpg_error_t err;

    if (parts[LB_RSA_D].len == 0)
        return bad("RSA: neither d nor all primes are there");
    err = recover_primes(w);
    if (!err)
        err = check_given_primes(w, parts, *count);
    if (err)
        return err;
    *count = LB_RSA_PARTS_OF(w->primes);
    for (unsigned i = LB_RSA_P; i < *count; i++)
        parts[i].len = 0;
    for (unsigned i = 0; i < w->primes; i++) {
        size_t bits = lb_nat_bits(w->prime[i], w->n);
        LB_DECLASSIFY(&bits, sizeof bits);
        give(w, &parts[lb_rsa_part_prime(i)], w->prime[i], (bits + 7) / 8);
    }
    return 0;
}

/*
 * The other numbers from the primes
 */

/* All that follows rests on this: odd primes, whose product is n. */
static gpg_error_t check_product(struct work *w)
{
    limb_t right = ~(limb_t)0;

    lb_nat_set(w->a, w->n, 1);
    for (unsigned i = 0; i < w->primes; i++) {
        right &= lb_ct_mask_of_bit(w->prime[i][0]) & ~lb_nat_is_one(w->prime[i], w->n);
        w->ops->limbs.mul(w->wide, w->a, w->n, w->prime[i], w->n, w->scratch);
        right &= lb_nat_is_zero(w->wide + w->n, w->n);
        lb_nat_copy(w->a, w->wide, w->n);
    }
    right &= lb_nat_eq(w->a, w->modulus, w->n);
    if (lb_ct_declassify(right))
        return 0;
    return bad(w->primes == 2 ? "RSA: p times q is not the modulus"
                              : "RSA: the primes' product is not the modulus");
}

static gpg_error_t load_primes(struct work *w, const struct lb_octets *parts, unsigned count)
{
    w->primes = LB_RSA_PRIMES_OF(count);
    for (unsigned i = 0; i < w->primes; i++) {
        if (!load(w, w->prime[i], parts[lb_rsa_part_prime(i)]))
            return bad("RSA: a prime is longer than the modulus");
    }
    return check_product(w);
}

/* r[n] = prime i - 1. */
static void one_less(const struct work *w, limb_t *r, unsigned i)
{
    lb_nat_copy(r, w->prime[i], w->n);
    r[0] &= ~(limb_t)1;
}

/* d = 1/e modulo the least common multiple of all r - 1, which is below n. */
static gpg_error_t make_d(struct work *w)
{
    limb_t *lcm = w->x, *less = w->b, *gcd = w->c;

    one_less(w, lcm, 0);
    for (unsigned i = 1; i < w->primes; i++) {
        one_less(w, less, i);
        lb_nat_gcd(w->ops, gcd, lcm, less, w->n, w->scratch);
        lb_nat_divrem(w->ops, lcm, NULL, lcm, w->n, gcd, w->n, w->scratch);
        w->ops->limbs.mul(w->wide, lcm, w->n, less, w->n, w->scratch);
        lb_nat_copy(lcm, w->wide, w->n);
    }
    return lb_ct_declassify(
               lb_nat_invert_public(w->ops, w->d, lcm, w->n, w->e, LB_RSA_E_LIMBS, w->scratch))
               ? 0
               : bad("RSA: e has no inverse modulo p - 1 for one of the primes p");
}

static void make_exponent_of(struct work *w, struct lb_octets *parts, unsigned i)
{
    struct lb_octets *part = &parts[lb_rsa_part_exponent(i)];

    if (part->len)
        return;
    one_less(w, w->b, i);
    lb_nat_divrem(w->ops, NULL, w->c, w->d, w->n, w->b, w->n, w->scratch);
    give(w, part, w->c, parts[lb_rsa_part_prime(i)].len);
}

/* w->a holds the product of the primes that are joined before this one. */
static gpg_error_t make_coefficient(struct work *w, struct lb_octets *parts, unsigned i)
{
    struct lb_octets *part = &parts[lb_rsa_part_coefficient(i)];

    if (part->len)
        return 0;
    lb_nat_divrem(w->ops, NULL, w->b, w->a, w->n, w->prime[i], w->n, w->scratch);
    if (!lb_ct_declassify(lb_nat_invert_odd(w->ops, w->c, w->b, w->prime[i], w->n, w->scratch)))
        return bad("RSA: two primes have a common factor");
    give(w, part, w->c, parts[lb_rsa_part_prime(i)].len);
    return 0;
}

static gpg_error_t make_coefficients(struct work *w, struct lb_octets *parts)
{
    gpg_error_t err;

    lb_nat_copy(w->a, w->prime[1], w->n);
    err = make_coefficient(w, parts, 0);
    lb_nat_copy(w->a, w->prime[0], w->n);
    for (unsigned i = 2; i < w->primes && !err; i++) {
        w->ops->limbs.mul(w->wide, w->a, w->n, w->prime[i - 1], w->n, w->scratch);
        lb_nat_copy(w->a, w->wide, w->n);
        err = make_coefficient(w, parts, i);
    }
    return err;
}

static gpg_error_t complete(struct work *w, struct lb_octets *parts, unsigned *count)
{
    bool all_primes = true;
    gpg_error_t err;

    lb_nat_from_bytes(w->modulus, w->n, parts[LB_RSA_N].data, parts[LB_RSA_N].len);
    lb_nat_from_bytes(w->e, LB_RSA_E_LIMBS, parts[LB_RSA_E].data, parts[LB_RSA_E].len);
    if (!load(w, w->d, parts[LB_RSA_D]))
        return bad("RSA: d is longer than the modulus");
    for (unsigned i = 0; i < LB_RSA_PRIMES_OF(*count); i++)
        all_primes &= parts[lb_rsa_part_prime(i)].len != 0;
    err = all_primes ? load_primes(w, parts, *count) : recover(w, parts, count);
    if (!err && parts[LB_RSA_D].len == 0) {
        err = make_d(w);
        give(w, &parts[LB_RSA_D], w->d, parts[LB_RSA_N].len);
    }
    for (unsigned i = 0; i < w->primes && !err; i++)
        make_exponent_of(w, parts, i);
    return err ? err : make_coefficients(w, parts);
}

gpg_error_t lb_rsa_complete(struct lb_octets parts[LB_RSA_PARTS_MAX], unsigned *count, size_t bits,
                            void **memory)
{
    struct work *w = work_new(bits);

    *memory = w;
    return w ? complete(w, parts, count) : lb_error(GPG_ERR_ENOMEM, "no memory for a key");
}
