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
#include "core/number/arith.h"
#include "core/number/prime.h"

/* Everything secret of one generation; one allocation. */
struct work {
    size_t bits;
    size_t half;                         /* limbs of a prime */
    size_t n;                            /* twice that: the modulus's limbs, or one more */
    const struct limbic_ops *ops;        /* portable row for the modulus */
    const struct limbic_ops *half_ops;   /* the same for a prime */
    const struct limbic_ops *search_ops; /* the plan's row for a prime: here the time goes */
    limb_t e[LB_RSA_E_LIMBS];
    limb_t *p, *q, *p1, *q1, *dp, *dq, *qi; /* half */
    limb_t *modulus, *d, *phi, *lambda;     /* n */
    limb_t *scratch;
    unsigned char *octets; /* LB_RSA_PARTS times the modulus's octets */
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

static size_t scratch_limbs(size_t n, size_t half)
{
    size_t need = LB_SCRATCH_INVERT_PUBLIC(n, LB_RSA_E_LIMBS);
    size_t others[] = {LB_SCRATCH_GCD(half), LB_SCRATCH_DIVREM(n), LIMBIC_SCRATCH_INV(half),
                       LIMBIC_SCRATCH_MUL(half, half)};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        need = others[i] > need ? others[i] : need;
    return (need + 7) / 8 * 8;
}

static struct work *work_new(size_t bits, uint64_t e)
{
    size_t half = LB_LIMBS_OF_BITS(bits / 2), n = 2 * half;
    size_t header = (sizeof(struct work) + 63) / 64 * 64;
    size_t limbs = scratch_limbs(n, half) + 7 * half + 4 * n;
    struct work *w = lb_arena_alloc(LB_ARENA_KEYS, header + limbs * sizeof(limb_t) +
                                                       LB_RSA_PARTS * n * LIMB_BYTES);
    limb_t *next;

    if (!w)
        return NULL;
    w->bits = bits;
    w->n = n;
    w->half = half;
    w->ops = lb_row_portable(bits);
    w->half_ops = lb_row_portable(bits / 2);
    for (size_t i = 0; i < LB_RSA_E_LIMBS; i++)
        w->e[i] = (limb_t)(e >> (i * LIMB_BITS % 64));
    w->scratch = (limb_t *)(void *)((unsigned char *)w + header);
    next = w->scratch + scratch_limbs(n, half);
    limb_t **const halves[] = {&w->p, &w->q, &w->p1, &w->q1, &w->dp, &w->dq, &w->qi};
    for (size_t i = 0; i < 7; i++, next += half)
        *halves[i] = next;
    limb_t **const wholes[] = {&w->modulus, &w->d, &w->phi, &w->lambda};
    for (size_t i = 0; i < 4; i++, next += n)
        *wholes[i] = next;
    w->octets = (unsigned char *)next;
    return w;
}

static gpg_error_t make_primes(struct work *w, struct counter *counter)
{
    gpg_error_t err = lb_prime_generate(w->search_ops, w->p, w->bits / 2, w->e, LB_RSA_E_LIMBS,
                                        NULL, count_candidate, counter);

    if (!err)
        err = lb_prime_generate(w->search_ops, w->q, w->bits / 2, w->e, LB_RSA_E_LIMBS, w->p,
                                count_candidate, counter);
    if (!err) /* p > q, as most software writes it */
        w->half_ops->limbs.cond_swap(w->p, w->q, w->half, lb_nat_lt(w->p, w->q, w->half));
    return err;
}

/* d = 1/e mod lcm(p - 1, q - 1) = 1/e mod (p - 1) (q - 1) / gcd(p - 1, q - 1). */
static limb_t make_d(struct work *w)
{
    limb_t *gcd = w->dp; /* not used yet */

    lb_nat_gcd(w->half_ops, gcd, w->p1, w->q1, w->half, w->scratch);
    w->ops->limbs.mul(w->phi, w->p1, w->half, w->q1, w->half, w->scratch);
    lb_nat_divrem(w->ops, w->lambda, NULL, w->phi, w->n, gcd, w->half, w->scratch);
    return lb_nat_invert_public(w->ops, w->d, w->lambda, w->n, w->e, LB_RSA_E_LIMBS, w->scratch);
}

/* The CRT values. qi needs a modulus of one length with q: both have exactly bits / 2 bits. */
static limb_t make_crt(struct work *w)
{
    limb_t ok =
        lb_nat_invert_public(w->ops, w->dp, w->p1, w->half, w->e, LB_RSA_E_LIMBS, w->scratch);

    ok &= lb_nat_invert_public(w->ops, w->dq, w->q1, w->half, w->e, LB_RSA_E_LIMBS, w->scratch);
    return ok & lb_nat_invert_odd(w->half_ops, w->qi, w->q, w->p, w->half, w->scratch);
}

/* All numbers from the primes; 0 if they do not serve (never but with a vanishing probability). */
static int derive(struct work *w)
{
    limb_t ok;

    lb_nat_copy(w->p1, w->p, w->half);
    lb_nat_copy(w->q1, w->q, w->half);
    w->p1[0] &= ~(limb_t)1;
    w->q1[0] &= ~(limb_t)1;
    w->ops->limbs.mul(w->modulus, w->p, w->half, w->q, w->half, w->scratch);
    ok = make_d(w);
    ok &= make_crt(w);
    /* A.1.1, criterion 3: d > 2^(bits / 2). */
    ok &= ~lb_ct_lt((limb_t)lb_nat_bits(w->d, w->n), (limb_t)(w->bits / 2 + 1));
    return lb_ct_declassify(ok);
}

static gpg_error_t assemble(struct work *w, struct lb_rsa **key)
{
    const struct lb_natural numbers[LB_RSA_PARTS] = {
        {w->modulus, w->n}, {w->e, LB_RSA_E_LIMBS}, {w->d, w->n},     {w->p, w->half},
        {w->q, w->half},    {w->dp, w->half},       {w->dq, w->half}, {w->qi, w->half}};
    struct lb_octets parts[LB_RSA_PARTS];
    unsigned char *next = w->octets;

    for (unsigned i = 0; i < LB_RSA_PARTS; i++) {
        parts[i] = (struct lb_octets){next, numbers[i].n * LIMB_BYTES};
        lb_nat_to_bytes(next, parts[i].len, numbers[i].limb, numbers[i].n);
        next += w->n * LIMB_BYTES;
    }
    LB_DECLASSIFY(parts[LB_RSA_N].data, parts[LB_RSA_N].len);
    /* Checks the numbers again, by other ways than they were made. */
    return lb_rsa_new(key, parts, LB_RSA_PARTS, false);
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

gpg_error_t lb_rsa_generate(struct lb_rsa **key, size_t bits, uint64_t e,
                            lb_rsa_progress_fn progress, void *opaque)
{
    struct counter counter = {progress, opaque, 0, 2 * lb_prime_expected(bits / 2)};
    gpg_error_t err = lb_dispatch_ready(bits / 2);
    const struct lb_plan *plan = err ? NULL : lb_plan_current(&err);
    struct work *w;

    *key = NULL;
    if (!plan)
        return err;
    w = work_new(bits, e);
    if (!w)
        return lb_error(GPG_ERR_ENOMEM, "no memory for a key");
    w->search_ops = lb_plan_row(plan, bits / 2);
    do
        err = make_primes(w, &counter);
    while (!err && !derive(w));
    if (!err)
        err = assemble(w, key);
    lb_arena_free(w);
    if (!err) {
        err = try_key(*key);
        if (err) {
            lb_rsa_free(*key);
            *key = NULL;
        }
    }
    return err;
}
