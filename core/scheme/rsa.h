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

/* The numbers of a key, in the order of RSAPrivateKey (RFC 8017, A.1.2). */
enum lb_rsa_part {
    LB_RSA_N,
    LB_RSA_E,
    LB_RSA_D,
    LB_RSA_P,
    LB_RSA_Q,
    LB_RSA_DP,
    LB_RSA_DQ,
    LB_RSA_QI,
    LB_RSA_PARTS
};
#define LB_RSA_PUBLIC_PARTS 2

/* Their names in the API: "n", "e", "d", "p", "q", "dp", "dq", "qi". */
extern const char *const lb_rsa_part_names[LB_RSA_PARTS];

/* Big-endian octets in somebody's memory. */
struct lb_octets {
    const unsigned char *data;
    size_t len;
};

/* Makes a key from its first `count` numbers: LB_RSA_PUBLIC_PARTS or LB_RSA_PARTS. Leading zeros
   are fine. Limits of size come first (GPG_ERR_TOO_SHORT, GPG_ERR_TOO_LARGE); then consistency, in
   constant time up to the verdict (GPG_ERR_BAD_PUBKEY, GPG_ERR_BAD_SECKEY). With `lenient` an
   inconsistent key is made all the same: it can be shown, checked and freed, not used.
   GPG_ERR_NOT_IMPLEMENTED: d or a CRT value is zero. */
gpg_error_t lb_rsa_new(struct lb_rsa **key, const struct lb_octets *parts, unsigned count,
                       bool lenient);
void lb_rsa_free(struct lb_rsa *key);

typedef int (*lb_rsa_progress_fn)(void *opaque, unsigned long tested, unsigned long expected);

/* FIPS 186-5, A.1.3, but for the search of primes (core/number/prime.h). bits even, 1024 to
   LB_RSA_MAX_BITS; e odd, >= 3. */
gpg_error_t lb_rsa_generate(struct lb_rsa **key, size_t bits, uint64_t e,
                            lb_rsa_progress_fn progress, void *opaque);

size_t lb_rsa_bits(const struct lb_rsa *key);
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

/* Signatures over a digest. */
struct lb_rsa_padding {
    bool pss;
    enum limbic_hash hash;     /* resolved: not DEFAULT */
    enum limbic_hash mgf_hash; /* resolved */
    int salt_len;              /* number or LIMBIC_SALT_* */
};
gpg_error_t lb_rsa_sign(struct lb_rsa *key, const struct lb_rsa_padding *padding,
                        const unsigned char *digest, size_t digest_len, unsigned char *signature);
gpg_error_t lb_rsa_verify(struct lb_rsa *key, const struct lb_rsa_padding *padding,
                          const unsigned char *digest, size_t digest_len,
                          const unsigned char *signature, size_t signature_len);

#endif
