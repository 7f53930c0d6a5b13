/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether the numbers of an RSA key belong together: what is checked whenever a key is made, and
 * the full check with primality. Secret numbers meet constant-time arithmetic; what is revealed is
 * each verdict.
 */
#include "core/scheme/rsa-key.h"

#include "base/error.h"
#include "core/arena.h"
#include "core/number/arith.h"
#include "core/number/prime.h"

/* Details are static texts: a lenient key keeps a pointer to its flaw. */
static gpg_error_t bad_public(const char *detail)
{
    return lb_error(GPG_ERR_BAD_PUBKEY, detail);
}

static gpg_error_t bad_secret(const char *detail)
{
    return lb_error(GPG_ERR_BAD_SECKEY, detail);
}

gpg_error_t lb_rsa_validate_public(limb_t n, limb_t e, size_t ebits)
{
    if (!(n & 1))
        return bad_public("RSA: the modulus is even");
    if (ebits == 0)
        return bad_public("RSA: the public exponent e is zero");
    if (ebits > 64)
        return bad_public("RSA: the public exponent e is longer than 64 bits");
    if (!(e & 1))
        return bad_public("RSA: the public exponent e is even");
    if (ebits < 2)
        return bad_public("RSA: the public exponent e is 1");
    return 0;
}

/* Room for the checks of one key, in locked memory. */
struct work {
    const struct limbic_ops *ops;
    const struct lb_rsa *key;
    size_t n;  /* limbs of n, at least those of any other part */
    limb_t *a; /* 2n + 2 */
    limb_t *b; /* 2n + 2 */
    limb_t *scratch;
};

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t scratch_limbs(size_t n)
{
    return max_size(LB_SCRATCH_DIVREM(n), LIMBIC_SCRATCH_MUL(n, n));
}

static const struct lb_natural *prime_of(const struct lb_rsa *key, unsigned i)
{
    return &key->part[lb_rsa_part_prime(i)];
}

/* Parts that a consistent key cannot have longer than their roles allow (see part_lengths in
   rsa-key.c: a longer one got more limbs). */
static gpg_error_t check_lengths(const struct lb_rsa *key)
{
    const struct lb_natural *part = key->part;

    if (part[LB_RSA_D].n > part[LB_RSA_N].n)
        return bad_secret("RSA: d is longer than the modulus");
    for (unsigned i = 0; i < key->primes; i++) {
        size_t n = prime_of(key, i)->n;
        if (n > part[LB_RSA_N].n)
            return bad_secret("RSA: a prime is longer than the modulus");
        if (part[lb_rsa_part_exponent(i)].n > n ||
            (i != 1 && part[lb_rsa_part_coefficient(i)].n > n))
            return bad_secret("RSA: a CRT value is longer than its prime");
    }
    return 0;
}

static limb_t part_lt(const struct lb_natural *a, const struct lb_natural *b)
{
    return lb_nat_lt(a->limb, b->limb, a->n);
}

static limb_t equals_another(const struct lb_rsa *key, unsigned i)
{
    const struct lb_natural *r = prime_of(key, i);
    limb_t equal = 0;

    for (unsigned j = 0; j < i; j++)
        if (prime_of(key, j)->n == r->n)
            equal |= lb_nat_eq(prime_of(key, j)->limb, r->limb, r->n);
    return equal;
}

/* w->a[n] = w->a[n] * r, ~0 if that is all of the product. */
static limb_t multiply_by(struct work *w, const struct lb_natural *r)
{
    limb_t *product = w->b; /* n + r->n <= 2n */

    w->ops->limbs.mul(product, w->a, w->n, r->limb, r->n, w->scratch);
    lb_nat_copy(w->a, product, w->n);
    return lb_nat_is_zero(product + w->n, r->n);
}

static gpg_error_t check_primes(struct work *w)
{
    const struct lb_rsa *key = w->key;
    limb_t product = ~(limb_t)0;

    lb_nat_set(w->a, w->n, 1);
    for (unsigned i = 0; i < key->primes; i++) {
        const struct lb_natural *r = prime_of(key, i);
        if (!lb_ct_declassify(lb_ct_mask_of_bit(r->limb[0]) & ~lb_nat_is_one(r->limb, r->n)))
            return bad_secret(key->primes == 2 ? "RSA: p or q is even or 1"
                                               : "RSA: a prime is even or 1");
        if (lb_ct_declassify(equals_another(key, i)))
            return bad_secret(key->primes == 2 ? "RSA: p and q are equal"
                                               : "RSA: two primes are equal");
        product &= multiply_by(w, r);
    }
    product &= lb_nat_eq(w->a, key->part[LB_RSA_N].limb, w->n);
    if (!lb_ct_declassify(product))
        return bad_secret(key->primes == 2 ? "RSA: p times q is not the modulus"
                                           : "RSA: the primes' product is not the modulus");
    return 0;
}

/* Whether x[xn] = 1 mod (prime - 1). x is in w->a. */
static limb_t is_one_below(struct work *w, size_t xn, const struct lb_natural *prime)
{
    lb_nat_copy(w->b, prime->limb, prime->n);
    w->b[0] &= ~(limb_t)1;
    lb_nat_divrem(w->ops, NULL, w->b + prime->n, w->a, xn, w->b, prime->n, w->scratch);
    return lb_nat_is_one(w->b + prime->n, prime->n);
}

/* e * part = 1 mod prime - 1, and 0 < part < prime; for d both primes. */
static limb_t inverts_e(struct work *w, const struct lb_natural *exponent,
                        const struct lb_natural *prime)
{
    const struct lb_natural *e = &w->key->part[LB_RSA_E];

    w->ops->limbs.mul(w->a, exponent->limb, exponent->n, e->limb, e->n, w->scratch);
    return is_one_below(w, exponent->n + e->n, prime);
}

static gpg_error_t check_exponents(struct work *w)
{
    static const char *const wrong[LB_RSA_MAX_PRIMES] = {
        "RSA: dp is not the inverse of e modulo p - 1",
        "RSA: dq is not the inverse of e modulo q - 1",
        "RSA: d3 is not the inverse of e modulo r3 - 1",
        "RSA: d4 is not the inverse of e modulo r4 - 1",
        "RSA: d5 is not the inverse of e modulo r5 - 1"};
    const struct lb_natural *part = w->key->part;
    limb_t right = part_lt(&part[LB_RSA_D], &part[LB_RSA_N]);

    for (unsigned i = 0; i < w->key->primes; i++)
        right &= inverts_e(w, &part[LB_RSA_D], prime_of(w->key, i));
    if (!lb_ct_declassify(right))
        return bad_secret("RSA: d is not an inverse of e");
    for (unsigned i = 0; i < w->key->primes; i++) {
        const struct lb_natural *exponent = &part[lb_rsa_part_exponent(i)];
        right =
            part_lt(exponent, prime_of(w->key, i)) & inverts_e(w, exponent, prime_of(w->key, i));
        if (!lb_ct_declassify(right))
            return bad_secret(wrong[i]);
    }
    return 0;
}

/* coefficient below = 1 mod r, and coefficient < r; below is in w->a[an], an <= n. */
static limb_t inverts(struct work *w, size_t an, const struct lb_natural *coefficient,
                      const struct lb_natural *r)
{
    w->ops->limbs.mul(w->b, w->a, an, coefficient->limb, coefficient->n, w->scratch);
    lb_nat_divrem(w->ops, NULL, w->a + w->n, w->b, an + coefficient->n, r->limb, r->n, w->scratch);
    return part_lt(coefficient, r) & lb_nat_is_one(w->a + w->n, r->n);
}

/* qi q = 1 mod p; t_i (p q ... r_(i-1)) = 1 mod r_i. */
static gpg_error_t check_coefficients(struct work *w)
{
    static const char *const wrong[LB_RSA_MAX_PRIMES] = {
        "RSA: qi is not the inverse of q modulo p", NULL,
        "RSA: t3 is not the inverse of p q modulo r3",
        "RSA: t4 is not the inverse of p q r3 modulo r4",
        "RSA: t5 is not the inverse of p q r3 r4 modulo r5"};
    const struct lb_natural *part = w->key->part, *q = &part[LB_RSA_Q];

    lb_nat_copy(w->a, q->limb, q->n);
    if (!lb_ct_declassify(inverts(w, q->n, &part[LB_RSA_QI], &part[LB_RSA_P])))
        return bad_secret(wrong[0]);
    lb_nat_extend(w->a, w->n, part[LB_RSA_P].limb, part[LB_RSA_P].n);
    for (unsigned i = 2; i < w->key->primes; i++) {
        (void)multiply_by(w, prime_of(w->key, i - 1)); /* a divisor of n */
        if (!lb_ct_declassify(
                inverts(w, w->n, &part[lb_rsa_part_coefficient(i)], prime_of(w->key, i))))
            return bad_secret(wrong[i]);
    }
    return 0;
}

static gpg_error_t check_numbers(struct work *w)
{
    gpg_error_t err = check_primes(w);

    if (!err)
        err = check_exponents(w);
    if (!err)
        err = check_coefficients(w);
    return err;
}

gpg_error_t lb_rsa_validate_private(const struct lb_rsa *key)
{
    struct work w = {.key = key, .n = key->part[LB_RSA_N].n};
    gpg_error_t err = check_lengths(key);
    limb_t *memory;

    if (err)
        return err;
    w.ops = lb_row_portable(key->bits);
    memory = lb_arena_alloc(LB_ARENA_KEYS,
                            (2 * (2 * w.n + 2) + scratch_limbs(w.n) + 16) * sizeof(limb_t));
    if (!memory)
        return lb_error(GPG_ERR_ENOMEM, "no memory to check a key");
    w.scratch = memory;
    w.a = memory + (scratch_limbs(w.n) + 7) / 8 * 8;
    w.b = w.a + 2 * w.n + 2;
    err = check_numbers(&w);
    lb_arena_free(memory);
    return err;
}

/*
 * The full check
 */

static gpg_error_t check_prime(const struct lb_natural *part, const struct limbic_ops *ops,
                               const char *detail)
{
    int prime = 0;
    gpg_error_t err = lb_prime_test(ops, &prime, part->limb, part->n, LB_PRIME_ROUNDS_FOREIGN);

    if (!err && !prime)
        err = bad_secret(detail);
    return err;
}

/* A modulus is no prime, and has no small factor (SP 800-89, section 5.3.3, gives 752 as the
   bound). */
static gpg_error_t check_modulus(const struct lb_rsa *key)
{
    const struct lb_natural *n = &key->part[LB_RSA_N];
    const struct limbic_ops *ops = lb_row_portable(key->bits);
    limb_t scratch[LB_SCRATCH_DIVREM(1)], rest;
    int prime = 0;
    gpg_error_t err;

    for (limb_t small = 3; small <= 751; small += 2) {
        lb_nat_divrem(ops, NULL, &rest, n->limb, n->n, &small, 1, scratch);
        if (rest == 0)
            return bad_public("RSA: the modulus has a factor below 752");
    }
    err = lb_prime_test(ops, &prime, n->limb, n->n, 1);
    if (!err && prime)
        err = bad_public("RSA: the modulus is a prime");
    return err;
}

gpg_error_t lb_rsa_check(const struct lb_rsa *key)
{
    static const char *const wrong[LB_RSA_MAX_PRIMES] = {
        "RSA: p is not a prime", "RSA: q is not a prime", "RSA: r3 is not a prime",
        "RSA: r4 is not a prime", "RSA: r5 is not a prime"};
    gpg_error_t err;

    if (key->flaw)
        return lb_error(key->flaw_code, key->flaw);
    err = lb_rsa_validate_public(key->part[LB_RSA_N].limb[0], key->part[LB_RSA_E].limb[0],
                                 key->ebits);
    if (!err && key->is_private)
        err = lb_rsa_validate_private(key);
    if (!err)
        err = check_modulus(key);
    for (unsigned i = 0; i < key->primes && !err; i++)
        err = check_prime(prime_of(key, i), lb_row_portable(key->prime[i].m.bits), wrong[i]);
    return err;
}
