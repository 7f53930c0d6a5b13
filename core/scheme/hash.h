/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Digests, by libgcrypt: names, sizes, one-shot hashing of a few pieces, and the DigestInfo
 * prefixes of PKCS#1. Knows no key.
 */
#ifndef LB_SCHEME_HASH_H
#define LB_SCHEME_HASH_H

#include <gpg-error.h>
#include <stddef.h>

#include "limbic.h"

#define LB_HASH_MAX 64 /* octets of the longest digest */

struct lb_piece {
    const void *data;
    size_t len;
};

/* Octets of output; 0 for NONE, DEFAULT and unknown numbers. */
size_t lb_hash_size(enum limbic_hash hash);

/* libgcrypt's number of the algorithm, 0 for those that are none. */
int lb_hash_gcrypt(enum limbic_hash hash);

/* Whether it is an XOF, which then stands for its mask generation function itself (RFC 8702). */
int lb_hash_is_xof(enum limbic_hash hash);

/* out[lb_hash_size] = hash of the pieces one after another, count <= 8. Allocates only for MD5,
   SHAKE, Streebog and GOST R 34.11-94. GPG_ERR_DIGEST_ALGO if libgcrypt does not have it. */
gpg_error_t lb_hash(enum limbic_hash hash, const struct lb_piece *pieces, unsigned count,
                    unsigned char *out);

/* The XOF's first len octets over the pieces. */
gpg_error_t lb_hash_xof(enum limbic_hash hash, const struct lb_piece *pieces, unsigned count,
                        unsigned char *out, size_t len);

/* out = HMAC-SHA-256 (RFC 2104) of the pieces, count <= 7, under a key of 32 octets. Allocates
   nothing. */
#define LB_HMAC_SIZE 32
gpg_error_t lb_hmac_sha256(const unsigned char key[LB_HMAC_SIZE], const struct lb_piece *pieces,
                           unsigned count, unsigned char out[LB_HMAC_SIZE]);

/* Writes the DER of DigestInfo up to the digest (RFC 8017, section 9.2, note 1); returns its
   octets, or 0 if there is none for this hash. */
#define LB_DIGESTINFO_MAX 19
size_t lb_hash_digestinfo(enum limbic_hash hash, unsigned char prefix[LB_DIGESTINFO_MAX]);

/* Tells libgcrypt that its version is known, as it asks for before anything else. Once, cheap. */
gpg_error_t lb_hash_init(void);

/* The error for one of libgcrypt's, met with the digest of that name. */
gpg_error_t lb_hash_refused(gpg_error_t err, const char *name);

#endif
