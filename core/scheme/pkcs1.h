/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encodings of PKCS#1 (RFC 8017): EMSA-PKCS1-v1_5 and EMSA-PSS. Octets in, octets out; knows no
 * numbers and no key.
 */
#ifndef LB_SCHEME_PKCS1_H
#define LB_SCHEME_PKCS1_H

#include <gpg-error.h>
#include <stddef.h>

#include "core/scheme/hash.h"

/* EM of em_len octets for a digest (RFC 8017, section 9.2). hash NONE: the digest is what stands
   after the padding, without DigestInfo. GPG_ERR_TOO_SHORT: em_len < tLen + 11.
   GPG_ERR_DIGEST_ALGO: no DigestInfo for this hash. */
gpg_error_t lb_pkcs1_encode(unsigned char *em, size_t em_len, enum limbic_hash hash,
                            const unsigned char *digest, size_t digest_len);

struct lb_pss {
    enum limbic_hash hash;
    enum limbic_hash mgf_hash;
    int salt_len; /* octets, or LIMBIC_SALT_AUTO to verify */
};

/* Most octets of salt that fit into em_bits bits, or -1 if not even none does. */
int lb_pss_max_salt(size_t em_bits, enum limbic_hash hash);

/* EM of ceil(em_bits / 8) octets (RFC 8017, section 9.1.1). The salt is salt_len
   octets that fit. */
gpg_error_t lb_pss_encode(unsigned char *em, size_t em_bits, const struct lb_pss *pss,
                          const unsigned char *digest, const unsigned char *salt);

/* Section 9.1.2. Variable time: all is public. GPG_ERR_BAD_SIGNATURE, or an error of hashing. */
gpg_error_t lb_pss_verify_vartime(const unsigned char *em, size_t em_bits, const struct lb_pss *pss,
                                  const unsigned char *digest);

#endif
