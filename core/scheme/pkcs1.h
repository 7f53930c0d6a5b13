/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encodings of PKCS#1 (RFC 8017): of signatures EMSA-PKCS1-v1_5 and EMSA-PSS (pkcs1.c), of
 * encryption EME-PKCS1-v1_5 and EME-OAEP (pkcs1-encrypt.c). Octets in, octets out; knows no key.
 */
#ifndef LB_SCHEME_PKCS1_H
#define LB_SCHEME_PKCS1_H

#include <gpg-error.h>
#include <stddef.h>

#include "core/number/limb.h"
#include "core/scheme/hash.h"

/* Octets of the longest encoded message: the largest modulus. */
#define LB_EM_MAX 2048

/* db[len] xored with MGF1 of the seed (RFC 8017, appendix B.2.1), or with the XOF's output itself
   (RFC 8702, section 2). len <= LB_EM_MAX. Constant time in the octets. */
gpg_error_t lb_mgf_xor(unsigned char *db, size_t len, enum limbic_hash hash,
                       const unsigned char *seed, size_t seed_len);

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

/* Most octets of a message in em_len octets (RFC 8017, section 7.2.1), or -1 if there is no room
   even for none. */
int lb_pkcs1_max_message(size_t em_len);

/* em[em_len] for a message that fits; ps: em_len - len - 3 octets, none of them zero. */
void lb_pkcs1_pad(unsigned char *em, size_t em_len, const unsigned char *message, size_t len,
                  const unsigned char *ps);

/* The message in em[em_len] to out, which has room for lb_pkcs1_max_message(em_len) octets. When
   em is not of the form, a message made from `secret` and the ciphertext takes its place (implicit
   rejection), so that there is no failure to be told: the same one for the same ciphertext,
   unpredictable without the secret. Constant time in all but *length. em_len as that of ciphertext;
   lb_pkcs1_max_message(em_len) >= 0. Errors: of hashing only. */
gpg_error_t lb_pkcs1_unpad(unsigned char *out, size_t *length, const unsigned char *em,
                           size_t em_len, const unsigned char *ciphertext,
                           const unsigned char secret[LB_HMAC_SIZE]);

/* No padding but zeros: em[em_len] is the number of message[len], len <= em_len. GPG_ERR_INV_VALUE
   for zero, which every power leaves as it is. */
gpg_error_t lb_raw_pad(unsigned char *em, size_t em_len, const unsigned char *message, size_t len);

struct lb_oaep {
    enum limbic_hash hash;
    enum limbic_hash mgf_hash;
    const void *label;
    size_t label_len;
};

/* The same for OAEP (RFC 8017, section 7.1.1). */
int lb_oaep_max_message(size_t em_len, enum limbic_hash hash);

/* em[em_len] for a message that fits; seed: as many octets as the hash has. */
gpg_error_t lb_oaep_encode(unsigned char *em, size_t em_len, const struct lb_oaep *oaep,
                           const unsigned char *message, size_t len, const unsigned char *seed);

/* The one line for whatever keeps a ciphertext from being decrypted: it must not tell more than the
   code. */
#define LB_DECRYPT_FAILED "the ciphertext does not decrypt"

/* The message in em[em_len], which is clobbered, to out, which has room for
   lb_oaep_max_message(em_len) >= 0 octets. GPG_ERR_DECRYPT_FAILED, whatever is wrong with em: in
   constant time but for that verdict and, when it is good, the length (section 7.1.2, step 3). */
gpg_error_t lb_oaep_decode(unsigned char *out, size_t *length, unsigned char *em, size_t em_len,
                           const struct lb_oaep *oaep);

#endif
