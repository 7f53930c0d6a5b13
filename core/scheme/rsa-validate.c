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

gpg_error_t lb_rsa_validate_public(const struct lb_rsa *key)
{
    const struct lb_natural *n = &key->part[LB_RSA_N], *e = &key->part[LB_RSA_E];

    if (!lb_nat_bit(n->limb, 0))
        return bad_public("RSA: the modulus is even");
    if (key->ebits == 0)
        return bad_public("RSA: the public exponent e is zero");
    if (key->ebits > 64)
        return bad_public("RSA: the public exponent e is longer than 64 bits");
    if (!lb_nat_bit(e->limb, 0))
        return bad_public("RSA: the public exponent e is even");
    if (key->ebits < 2)
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

/* Parts that a consistent key cannot have longer than their roles allow (see part_lengths in
   rsa-key.c: a longer one got more limbs). */
static gpg_error_t check_lengths(const struct lb_rsa *key)
{
    const struct lb_natural *part = key->part;

    if (part[LB_RSA_P].n > part[LB_RSA_N].n || part[LB_RSA_Q].n > part[LB_RSA_N].n)
        return bad_secret("RSA: a prime is longer than the modulus");
    if (part[LB_RSA_D].n > part[LB_RSA_N].n)
        return bad_secret("RSA: d is longer than the modulus");
    if (part[LB_RSA_DP].n > part[LB_RSA_P].n || part[LB_RSA_DQ].n > part[LB_RSA_Q].n ||
        part[LB_RSA_QI].n > part[LB_RSA_P].n)
        return bad_secret("RSA: a CRT value is longer than its prime");
    return 0;
}

static limb_t part_lt(const struct lb_natural *a, const struct lb_natural *b)
{
    return lb_nat_lt(a->limb, b->limb, a->n);
}

static gpg_error_t check_primes(struct work *w)
{
    const struct lb_natural *p = &w->key->part[LB_RSA_P], *q = &w->key->part[LB_RSA_Q];
    limb_t odd = lb_ct_mask_of_bit(p->limb[0]) & lb_ct_mask_of_bit(q->limb[0]);
    limb_t one = lb_nat_is_one(p->limb, p->n) | lb_nat_is_one(q->limb, q->n);
    limb_t equal = p->n == q->n ? lb_nat_eq(p->limb, q->limb, p->n) : 0;

    if (!lb_ct_declassify(odd & ~one))
        return bad_secret("RSA: p or q is even or 1");
    if (lb_ct_declassify(equal))
        return bad_secret("RSA: p and q are equal");
    lb_nat_zero(w->a, 2 * w->n + 2);
    w->ops->limbs.mul(w->a, p->limb, p->n, q->limb, q->n, w->scratch);
    limb_t product =
        lb_nat_eq(w->a, w->key->part[LB_RSA_N].limb, w->n) & lb_nat_is_zero(w->a + w->n, w->n + 2);
    if (!lb_ct_declassify(product))
        return bad_secret("RSA: p times q is not the modulus");
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
    const struct lb_natural *part = w->key->part;

    if (!lb_ct_declassify(part_lt(&part[LB_RSA_D], &part[LB_RSA_N]) &
                          inverts_e(w, &part[LB_RSA_D], &part[LB_RSA_P]) &
                          inverts_e(w, &part[LB_RSA_D], &part[LB_RSA_Q])))
        return bad_secret("RSA: d is not an inverse of e");
    if (!lb_ct_declassify(part_lt(&part[LB_RSA_DP], &part[LB_RSA_P]) &
                          inverts_e(w, &part[LB_RSA_DP], &part[LB_RSA_P])))
        return bad_secret("RSA: dp is not the inverse of e modulo p - 1");
    if (!lb_ct_declassify(part_lt(&part[LB_RSA_DQ], &part[LB_RSA_Q]) &
                          inverts_e(w, &part[LB_RSA_DQ], &part[LB_RSA_Q])))
        return bad_secret("RSA: dq is not the inverse of e modulo q - 1");
    return 0;
}

/* qi q = 1 mod p, and qi < p. */
static gpg_error_t check_coefficient(struct work *w)
{
    const struct lb_natural *p = &w->key->part[LB_RSA_P], *q = &w->key->part[LB_RSA_Q];
    const struct lb_natural *qi = &w->key->part[LB_RSA_QI];

    w->ops->limbs.mul(w->a, qi->limb, qi->n, q->limb, q->n, w->scratch);
    lb_nat_divrem(w->ops, NULL, w->b, w->a, qi->n + q->n, p->limb, p->n, w->scratch);
    if (!lb_ct_declassify(part_lt(qi, p) & lb_nat_is_one(w->b, p->n)))
        return bad_secret("RSA: qi is not the inverse of q modulo p");
    return 0;
}

static gpg_error_t check_numbers(struct work *w)
{
    gpg_error_t err = check_primes(w);

    if (!err)
        err = check_exponents(w);
    if (!err)
        err = check_coefficient(w);
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
    gpg_error_t err;

    if (key->flaw)
        return lb_error(key->flaw_code, key->flaw);
    err = lb_rsa_validate_public(key);
    if (!err && key->is_private)
        err = lb_rsa_validate_private(key);
    if (!err)
        err = check_modulus(key);
    if (err || !key->is_private)
        return err;
    err = check_prime(&key->part[LB_RSA_P], lb_row_portable(key->p.bits), "RSA: p is not a prime");
    if (!err)
        err = check_prime(&key->part[LB_RSA_Q], lb_row_portable(key->q.bits),
                          "RSA: q is not a prime");
    return err;
}
