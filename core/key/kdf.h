/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kdf.h - from a passphrase to a key: PBKDF2, scrypt, and what the traditional PEM encryption does.
 * It knows octets and digests. It must not know any file format, nor any limit: the caller has
 * checked its numbers.
 *
 * The derived key goes to the caller's memory only. What else stands for the passphrase lives in
 * the arena, in memory of its own or on the stack, and is wiped. Why not gcry_kdf_derive: in
 * libgcrypt 1.10 its scrypt leaves the derived key behind in the heap, and knows r = 8 only; its
 * PBKDF2 takes no empty salt, and ends the process when there is no memory.
 *
 * Errors: GPG_ERR_ENOMEM; GPG_ERR_DIGEST_ALGO where this libgcrypt refuses the digest.
 */
#ifndef LB_KEY_KDF_H
#define LB_KEY_KDF_H

#include <gpg-error.h>
#include <stddef.h>
#include <stdint.h>

#include "limbic.h"

/* Octets in somebody else's memory: a passphrase, a salt. data is not NULL, also where len is 0. */
struct lb_phrase {
    const void *data;
    size_t len;
};

/* PBKDF2 with HMAC over `hash`, SHA-1 or of SHA-2 (RFC 8018, section 5.2): iterations >= 1, and len below 2^32 - 1
   digests. */
gpg_error_t lb_kdf_pbkdf2(enum limbic_hash hash, struct lb_phrase passphrase, struct lb_phrase salt,
                          uint64_t iterations, unsigned char *out, size_t len);

/* scrypt (RFC 7914): n a power of two above 1, r and p at least 1, 128 r (n + p + 2) octets of memory,
   which is less than SIZE_MAX. */
gpg_error_t lb_kdf_scrypt(struct lb_phrase passphrase, struct lb_phrase salt, uint64_t n,
                          uint64_t r, uint64_t p, unsigned char *out, size_t len);

/* D_1 = MD5(passphrase, salt), D_i = MD5(D_{i-1}, passphrase, salt); their concatenation: the key of
   traditional PEM encryption, as the manual of OpenSSL has it under EVP_BytesToKey. */
gpg_error_t lb_kdf_md5(struct lb_phrase passphrase, struct lb_phrase salt, unsigned char *out,
                       size_t len);

#endif
