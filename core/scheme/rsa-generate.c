/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * RSA key generation (FIPS 186-5, appendix A.1.3: random probable primes; core/number/prime.h says
 * where the search for them differs). All numbers are made in locked memory, in constant time but
 * for the count of candidates tried.
 */
#include "core/scheme/rsa-key.h"

#include <string.h>

#include "base/error.h"
#include "core/arena.h"
#include "core/number/prime.h"

/* Everything secret of one generation; one allocation. */
struct work {
    size_t bits;
    unsigned primes;
    const struct limbic_ops *rows[LB_RSA_MAX_PRIMES]; /* of the plan: here the time goes */
    limb_t e[LB_RSA_E_LIMBS];
    size_t size;                      /* limbs of the longest prime */
    limb_t *prime[LB_RSA_MAX_PRIMES]; /* size */
    size_t n;                         /* limbs of the product, or a few more */
    limb_t *product, *wide;           /* n, n + size */
    limb_t *scratch;
    unsigned char *octets; /* the modulus, e, the primes */
};

struct counter {
    lb_rsa_progress_fn progress;
    void *opaque;
    unsigned long tested, expected;
};

static int count_candidate(void *opaque, int what)
{
    struct counter *counter = opaque;

    counter->tested += what == '.' || what == '+';
    return counter->progress
               ? counter->progress(counter->opaque, counter->tested, counter->expected)
               : 0;
}

/* Bits of prime i: the lengths differ by one at most. */
static size_t prime_bits(size_t bits, unsigned primes, unsigned i)
{
    return bits / primes + (i < bits % primes);
}

static size_t memory_limbs(size_t n, size_t size, unsigned primes)
{
    return primes * size + 2 * n + size + LIMBIC_SCRATCH_MUL(n, size) + n + LB_RSA_E_LIMBS +
           primes * size;
}

static struct work *work_new(size_t bits, unsigned primes, uint64_t e)
{
    size_t size = LB_LIMBS_OF_BITS(prime_bits(bits, primes, 0)), n = primes * size;
    size_t header = (sizeof(struct work) + 63) / 64 * 64;
    struct work *w =
        lb_arena_alloc(LB_ARENA_KEYS, header + memory_limbs(n, size, primes) * sizeof(limb_t));
    limb_t *next;

    if (!w)
        return NULL;
    w->bits = bits;
    w->primes = primes;
    w->size = size;
    w->n = n;
    for (size_t i = 0; i < LB_RSA_E_LIMBS; i++)
        w->e[i] = (limb_t)(e >> (i * LIMB_BITS % 64));
    next = (limb_t *)(void *)((unsigned char *)w + header);
    w->scratch = next;
    next += LIMBIC_SCRATCH_MUL(n, size);
    for (unsigned i = 0; i < primes; i++, next += size)
        w->prime[i] = next;
    w->product = next;
    w->wide = w->product + n;
    w->octets = (unsigned char *)(w->wide + n + size);
    return w;
}

/* Of primes of one length each is kept apart from the one before it. That others come out near each
   other, or equal, has a probability below 2^-90, and equal ones make no key. */
static gpg_error_t make_primes(struct work *w, struct counter *counter)
{
    gpg_error_t err = 0;

    for (unsigned i = 0; i < w->primes && !err; i++) {
        size_t bits = prime_bits(w->bits, w->primes, i);
        bool apart = i > 0 && prime_bits(w->bits, w->primes, i - 1) == bits;
        lb_nat_zero(w->prime[i], w->size);
        err = lb_prime_generate(w->rows[i], w->prime[i], bits, w->e, LB_RSA_E_LIMBS,
                                apart ? w->prime[i - 1] : NULL, count_candidate, counter);
    }
    if (!err) /* p > q, as most software writes it */
        w->rows[0]->limbs.cond_swap(w->prime[0], w->prime[1], w->size,
                                    lb_nat_lt(w->prime[0], w->prime[1], w->size));
    return err;
}

/* The modulus; whether it has as many bits as it should. Two primes of at least sqrt(2) times half
   the power of two above them always give it; more may not, and are then all drawn again. */
static int multiply(struct work *w)
{
    size_t bits;

    lb_nat_extend(w->product, w->n, w->prime[0], w->size);
    for (unsigned i = 1; i < w->primes; i++) {
        lb_row_portable(w->bits)->limbs.mul(w->wide, w->product, w->n, w->prime[i], w->size,
                                            w->scratch);
        lb_nat_copy(w->product, w->wide, w->n);
    }
    bits = lb_nat_bits(w->product, w->n);
    return lb_ct_declassify(lb_ct_eq((limb_t)bits, (limb_t)w->bits));
}

static void put(unsigned char **next, struct lb_octets *part, const limb_t *number, size_t n)
{
    *part = (struct lb_octets){*next, n * LIMB_BYTES};
    (void)lb_nat_to_bytes(*next, n * LIMB_BYTES, number, n);
    *next += n * LIMB_BYTES;
}

/* From n, e and the primes; the other numbers follow, and are checked by other ways than they are
   made. */
static gpg_error_t assemble(struct work *w, struct lb_rsa **key)
{
    struct lb_octets parts[LB_RSA_PARTS_MAX] = {{NULL, 0}};
    unsigned char *next = w->octets;

    put(&next, &parts[LB_RSA_N], w->product, w->n);
    LB_DECLASSIFY(parts[LB_RSA_N].data, parts[LB_RSA_N].len);
    put(&next, &parts[LB_RSA_E], w->e, LB_RSA_E_LIMBS);
    for (unsigned i = 0; i < w->primes; i++)
        put(&next, &parts[lb_rsa_part_prime(i)], w->prime[i], w->size);
    return lb_rsa_new(key, parts, LB_RSA_PARTS_OF(w->primes), false);
}

/* FIPS 186-5, A.1.1, criterion 3: d > 2^(bits / 2). */
static int d_is_long(const struct lb_rsa *key)
{
    const struct lb_natural *d = &key->part[LB_RSA_D];

    return lb_ct_declassify(
        ~lb_ct_lt((limb_t)lb_nat_bits(d->limb, d->n), (limb_t)(key->bits / 2 + 1)));
}

static gpg_error_t find_key(struct work *w, struct counter *counter, struct lb_rsa **key)
{
    gpg_error_t err;

    do {
        lb_rsa_free(*key);
        *key = NULL;
        do
            err = make_primes(w, counter);
        while (!err && !multiply(w));
        if (!err)
            err = assemble(w, key);
    } while (!err && !d_is_long(*key));
    return err;
}

/* One private operation, checked with e as always: the pairwise consistency test. */
static gpg_error_t try_key(struct lb_rsa *key)
{
    unsigned char octets[LB_RSA_MAX_BYTES];
    gpg_error_t err = lb_rsa_ready(key);

    memset(octets, 0x5a, lb_rsa_bytes(key));
    octets[0] = 0;
    return err ? err : lb_rsa_private(key, octets, octets);
}

/* As openssl has them: a prime has at least 342 bits, at 4096 bits 1024, at 8192 bits 1638. */
unsigned lb_rsa_primes_allowed(size_t bits)
{
    if (bits < 1024)
        return 2;
    if (bits < 4096)
        return 3;
    return bits < 8192 ? 4 : 5;
}

static gpg_error_t find_rows(struct work *w)
{
    const struct lb_plan *plan;
    gpg_error_t err = 0;

    for (unsigned i = 0; i < w->primes && !err; i++)
        err = lb_dispatch_ready(prime_bits(w->bits, w->primes, i));
    plan = err ? NULL : lb_plan_current(&err);
    for (unsigned i = 0; i < w->primes && plan; i++)
        w->rows[i] = lb_plan_row(plan, prime_bits(w->bits, w->primes, i));
    return err;
}

gpg_error_t lb_rsa_generate(struct lb_rsa **key, size_t bits, unsigned primes, uint64_t e,
                            lb_rsa_progress_fn progress, void *opaque)
{
    struct counter counter = {progress, opaque, 0, primes * lb_prime_expected(bits / primes)};
    struct work *w = work_new(bits, primes, e);
    gpg_error_t err;

    *key = NULL;
    if (!w)
        return lb_error(GPG_ERR_ENOMEM, "no memory for a key");
    err = find_rows(w);
    if (!err)
        err = find_key(w, &counter, key);
    lb_arena_free(w);
    if (!err)
        err = try_key(*key);
    if (err) {
        lb_rsa_free(*key);
        *key = NULL;
    }
    return err;
}
