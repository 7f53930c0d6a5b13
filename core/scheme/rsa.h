/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * RSA (RFC 8017): keys as numbers, the private and the public operation, signatures. Knows no
 * container format and no provider.
 */
#ifndef LB_SCHEME_RSA_H
#define LB_SCHEME_RSA_H

#include <gpg-error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/scheme/hash.h"

#define LB_RSA_MIN_BITS 512
#define LB_RSA_MAX_BITS 16384
#define LB_RSA_MAX_BYTES (LB_RSA_MAX_BITS / 8)

struct lb_rsa;

/* Primes of a key (RFC 8017, section 3.1: u of them). */
#define LB_RSA_MAX_PRIMES 5

/* The numbers of a key, in the order of RSAPrivateKey (RFC 8017, A.1.2). After those of two primes
   come, for each further one, the prime r_i, its exponent d_i and its coefficient t_i. */
enum lb_rsa_part {
    LB_RSA_N,
    LB_RSA_E,
    LB_RSA_D,
    LB_RSA_P,
    LB_RSA_Q,
    LB_RSA_DP,
    LB_RSA_DQ,
    LB_RSA_QI,
    LB_RSA_PARTS,
    LB_RSA_PARTS_MAX = LB_RSA_PARTS + 3 * (LB_RSA_MAX_PRIMES - 2)
};
#define LB_RSA_PUBLIC_PARTS 2

/* Parts of a private key of so many primes, and primes of a key of so many parts. */
#define LB_RSA_PARTS_OF(primes) (LB_RSA_PARTS + 3 * ((primes)-2))
#define LB_RSA_PRIMES_OF(parts) (((parts)-LB_RSA_PARTS) / 3 + 2)

/* Prime i = 0, 1, ... (p, q, r_3, ...), its exponent, and its coefficient, which q has none of. */
static inline unsigned lb_rsa_part_prime(unsigned i)
{
    return i < 2 ? LB_RSA_P + i : LB_RSA_PARTS_OF(i);
}

static inline unsigned lb_rsa_part_exponent(unsigned i)
{
    return i < 2 ? LB_RSA_DP + i : LB_RSA_PARTS_OF(i) + 1;
}

static inline unsigned lb_rsa_part_coefficient(unsigned i)
{
    return i < 2 ? LB_RSA_QI : LB_RSA_PARTS_OF(i) + 2;
}

/* Their names in the API: "n", "e", "d", "p", "q", "dp", "dq", "qi", "r3", "d3", "t3", "r4", ... */
extern const char *const lb_rsa_part_names[LB_RSA_PARTS_MAX];

/* Big-endian octets in somebody's memory. */
struct lb_octets {
    const unsigned char *data;
    size_t len;
};

/* Makes a key from its first `count` numbers: LB_RSA_PUBLIC_PARTS or LB_RSA_PARTS_OF its primes.
   Leading zeros are fine. Secret numbers that are zero or empty are missing, and are computed from
   the others: d and the CRT values from the primes, the primes from d (see rsa-complete.c). Limits
   of size come first (GPG_ERR_TOO_SHORT, GPG_ERR_TOO_LARGE); then what is missing; then
   consistency, in constant time up to the verdict (GPG_ERR_BAD_PUBKEY, GPG_ERR_BAD_SECKEY). With
   `lenient` an inconsistent key is made all the same: it can be shown, checked and freed, not used.
   */
gpg_error_t lb_rsa_new(struct lb_rsa **key, const struct lb_octets *parts, unsigned count,
                       bool lenient);
void lb_rsa_free(struct lb_rsa *key);

typedef int (*lb_rsa_progress_fn)(void *opaque, unsigned long tested, unsigned long expected);

/* The most primes that a new key of so many bits may have, so that none becomes too short for its
   share of security. */
unsigned lb_rsa_primes_allowed(size_t bits);

/* FIPS 186-5, A.1.3, but for the search of primes (core/number/prime.h), and as far as it goes for
   more than two of them. 1024 <= bits <= LB_RSA_MAX_BITS; e odd, >= 3; 2 <= primes <=
   lb_rsa_primes_allowed(bits). */
gpg_error_t lb_rsa_generate(struct lb_rsa **key, size_t bits, unsigned primes, uint64_t e,
                            lb_rsa_progress_fn progress, void *opaque);

size_t lb_rsa_bits(const struct lb_rsa *key);
unsigned lb_rsa_primes(const struct lb_rsa *key); /* 0 of a public key */
unsigned lb_rsa_parts(const struct lb_rsa *key);  /* how many numbers it has */
size_t lb_rsa_bytes(const struct lb_rsa *key);
bool lb_rsa_is_private(const struct lb_rsa *key);
bool lb_rsa_is_flawed(const struct lb_rsa *key); /* made leniently of numbers that do not fit */

/* Octets of a part without leading zeros (0 has none): its length, and the octets themselves when
   out is not NULL. The part must be there. Of secret parts the length leaks. */
size_t lb_rsa_part(const struct lb_rsa *key, enum lb_rsa_part part, unsigned char *out);

/* Makes the key ready for the plan in force. Of a flawed one, its error. */
gpg_error_t lb_rsa_ready(struct lb_rsa *key);

#ifdef LIMBIC_TESTING
/* Holds the lock under which states are made, and lets it go. */
void lb_test_hold_states(int hold);
#endif

/* Full validation. */
gpg_error_t lb_rsa_check(const struct lb_rsa *key);

/* The trapdoor and its inverse, on lb_rsa_bytes octets; out may be in. GPG_ERR_INV_VALUE if in >=
   n. Public: variable time in e only. Private: blinded, constant time, checked with e before
   release: GPG_ERR_BAD_SECKEY if the key's own values give a wrong result. */
gpg_error_t lb_rsa_public(struct lb_rsa *key, unsigned char *out, const unsigned char *in);
gpg_error_t lb_rsa_private(struct lb_rsa *key, unsigned char *out, const unsigned char *in);

/* Many of them at once. Each has a block of lb_rsa_bytes(key) octets, which is replaced by the
   result, and an error; those that have one already are passed over. */
struct lb_rsa_job {
    struct lb_rsa *key;
    unsigned char *block;
    gpg_error_t err;
};
void lb_rsa_private_batch(struct lb_rsa_job *jobs, size_t count);
void lb_rsa_public_batch(struct lb_rsa_job *jobs, size_t count);

/* What an operation does with octets, every default resolved. */
struct lb_rsa_padding {
    enum limbic_padding padding;
    enum limbic_hash hash;
    enum limbic_hash mgf_hash;
    int salt_len; /* PSS: number or LIMBIC_SALT_* */
    const void *label;
    size_t label_len;
};

/* Before the trapdoor and after it: block[lb_rsa_bytes(key)] is made of a digest and signed, or was
   made of a signature and is compared. What must be random is drawn by the former.

   sign_begin and sign_end: block becomes the signature by lb_rsa_private. verify_begin copies the
   signature (GPG_ERR_BAD_SIGNATURE if it has another length), lb_rsa_public is next. */
gpg_error_t lb_rsa_sign_begin(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                              const unsigned char *digest, size_t digest_len, unsigned char *block);
gpg_error_t lb_rsa_verify_begin(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                                size_t digest_len, const unsigned char *signature,
                                size_t signature_len, unsigned char *block);
gpg_error_t lb_rsa_verify_end(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                              const unsigned char *digest, size_t digest_len,
                              const unsigned char *block, gpg_error_t err);

/* The whole of it. Nothing is written when it fails. */
gpg_error_t lb_rsa_sign(struct lb_rsa *key, const struct lb_rsa_padding *padding,
                        const unsigned char *digest, size_t digest_len, unsigned char *signature);
gpg_error_t lb_rsa_verify(struct lb_rsa *key, const struct lb_rsa_padding *padding,
                          const unsigned char *digest, size_t digest_len,
                          const unsigned char *signature, size_t signature_len);

/* Encryption: the most octets that a message has. GPG_ERR_TOO_SHORT: the key takes none. */
gpg_error_t lb_rsa_max_message(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                               size_t *max);

/* ciphertext[lb_rsa_bytes(key)]. */
gpg_error_t lb_rsa_encrypt(struct lb_rsa *key, const struct lb_rsa_padding *padding,
                           const unsigned char *message, size_t len, unsigned char *ciphertext);

/* decrypt_begin copies the ciphertext, lb_rsa_private is next, decrypt_end takes the message out to
   where there is room for the longest. GPG_ERR_DECRYPT_FAILED with one detail for all that a
   ciphertext can have wrong. */
gpg_error_t lb_rsa_decrypt_begin(const struct lb_rsa *key, const unsigned char *ciphertext,
                                 size_t len, unsigned char *block);
gpg_error_t lb_rsa_decrypt_end(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                               const unsigned char *ciphertext, unsigned char *block,
                               unsigned char *message, size_t *len, gpg_error_t err);
gpg_error_t lb_rsa_decrypt(struct lb_rsa *key, const struct lb_rsa_padding *padding,
                           const unsigned char *ciphertext, size_t len, unsigned char *message,
                           size_t *message_len);

#endif
