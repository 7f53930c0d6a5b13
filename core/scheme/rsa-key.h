/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The inside of an RSA key, for the files rsa-*.c alone.
 */
#ifndef LB_SCHEME_RSA_KEY_H
#define LB_SCHEME_RSA_KEY_H

#include "core/number/modulus.h"
#include "core/scheme/rsa.h"
#include "dispatch/dispatch.h"

/* e < 2^64. */
#define LB_RSA_E_LIMBS LB_LIMBS_OF_BITS(64)

/* Scratch on the stack: its length is a function of the modulus length, which is public and bounded
   by LIMBIC_MAX_LIMBS. */
#define LB_STACK(name, limbs) limb_t name[limbs] __attribute__((aligned(64)))

struct lb_natural {
    limb_t *limb;
    size_t n;
};

struct lb_blinding;

/* Memory of prepared states, made as plans come; one list per key. */
struct lb_state_chunk {
    struct lb_state_chunk *next;
    bool secret;
};

/*
 * A prime of a key with what the CRT needs of it (RFC 8017, section 3.2). Results modulo the primes
 * are joined one after another (H. L. Garner, "The residue number system", 1959): q's with p's, that
 * of p q with r_3's, and so on. When a prime's turn comes, `below` is the product of those joined
 * before it; q comes first and has none.
 */
struct lb_rsa_prime {
    struct limbic_modulus m;
    const limb_t *exponent;  /* d mod r - 1, as many limbs as m has */
    limb_t *t_mont;          /* 1 / below mod r, in Montgomery form */
    struct lb_natural below; /* at most n's length */
};

/*
 * The object and its numbers are one allocation: in locked memory for a private key (the modulus
 * objects of primes hold -1/p mod B, which gives p's low limb away), on the heap for a public one.
 * Immutable once made, except what stands from `ready` on, and what `blinding` points to.
 */
struct lb_rsa {
    struct lb_natural part[LB_RSA_PARTS_MAX];
    unsigned parts, primes;
    size_t bits, bytes, ebits;
    bool is_private;
    bool paired;      /* p and q have one length: the pair slot serves */
    const char *flaw; /* lenient: what is wrong, NULL if nothing */
    gpg_err_code_t flaw_code;
    struct limbic_modulus n;
    struct lb_rsa_prime *prime; /* [primes] */
    struct limbic_pair pair;    /* p and q */

    const struct lb_plan *ready; /* the plan that all states are there for; atomic */
    struct lb_state_chunk *chunks;
    struct lb_blinding *blinding;
};

/* The rows of one operation: of a plan, or the portable ones. */
struct lb_rsa_rows {
    const struct limbic_ops *n, *prime[LB_RSA_MAX_PRIMES];
};

/* The rows for this key under the plan in force, prepared if there is memory for it; else the rows
   of last resort, which need no states. */
gpg_error_t lb_rsa_rows(struct lb_rsa *key, struct lb_rsa_rows *rows);
void lb_rsa_rows_portable(const struct lb_rsa *key, struct lb_rsa_rows *rows);

/* Consistency of the numbers (parts filled, moduli not made yet): 0 or the error, with
   its detail. Of the public ones the lowest octets or limbs tell, and the length of e. */
gpg_error_t lb_rsa_validate_public(limb_t n, limb_t e, size_t ebits);
gpg_error_t lb_rsa_validate_private(const struct lb_rsa *key);

/* Computes the secret numbers of parts[*count] that are missing, which means of length 0, from the
   others. Those that it computes lie in *memory, for the caller to free with lb_arena_free; NULL if
   nothing was missing. The number of primes, and with it *count, may turn out to be larger. n is
   odd, has `bits` bits and fits LB_RSA_MAX_BYTES as all parts do; e is right. GPG_ERR_BAD_SECKEY,
   with a static detail. */
gpg_error_t lb_rsa_complete(struct lb_octets parts[LB_RSA_PARTS_MAX], unsigned *count, size_t bits,
                            void **memory);

/*
 * Blinding pairs (a, b) = (r^e, 1/r) mod n, in Montgomery form.
 */
struct lb_blinding_pair {
    limb_t *a, *b; /* n limbs each, the caller's */
};

/* Slots for a private key; NULL if the system cannot wipe memory on fork or has none left: then
   every operation computes a pair of its own. */
struct lb_blinding *lb_blinding_new(size_t n);
void lb_blinding_free(struct lb_blinding *blinding);

/* A pair that no other operation has or gets. scratch: LIMBIC_SCRATCH_POW(n). */
gpg_error_t lb_blinding_take(struct lb_rsa *key, const struct limbic_ops *row,
                             const struct lb_blinding_pair *pair, limb_t *scratch);

/* A pair made now. scratch: LIMBIC_SCRATCH_POW(n). */
gpg_error_t lb_blinding_make(struct lb_rsa *key, const struct limbic_ops *row,
                             const struct lb_blinding_pair *pair, limb_t *scratch);

/* Empties the slots that nobody holds: a pair has turned out to be wrong. */
void lb_blinding_forget(struct lb_rsa *key);

/* Whether a pair made and squared by `row` is right in the eyes of `judge`. room: 3n;
   scratch: LIMBIC_SCRATCH_POW(n). */
gpg_error_t lb_blinding_try(struct lb_rsa *key, const struct limbic_ops *row,
                            const struct limbic_ops *judge, limb_t *room, limb_t *scratch,
                            bool *right);

#endif
