/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * protect.h - the encryption of a private key under a passphrase: what a file says of it, its
 * limits, and doing it. It knows ciphers and derivations; pbes2.h and the header DEK-Info of PEM
 * are how it is written down. It must not know any key.
 */
#ifndef LB_KEY_PROTECT_H
#define LB_KEY_PROTECT_H

#include "core/key/der.h"
#include "core/key/kdf.h"

#define LB_CIPHER_BLOCK_MAX 16
#define LB_CIPHER_KEY_MAX 32

/* What stands in a file. */
struct lb_protection {
    struct limbic_protection how; /* kdf and cipher are never DEFAULT */
    struct lb_phrase salt;
    unsigned char iv[LB_CIPHER_BLOCK_MAX]; /* as many octets as the cipher's block has */
};

/* Octets of the cipher's key and block; 0 for one that is unknown. */
size_t lb_cipher_key_size(enum limbic_cipher cipher);
size_t lb_cipher_block_size(enum limbic_cipher cipher);

/* The limits of limbic.h for numbers that a file or a program gives: GPG_ERR_INV_VALUE,
   GPG_ERR_TOO_LARGE. */
gpg_error_t lb_protection_check(const struct limbic_protection *how);

/* The value of a header DEK-Info, as lb_pem_block has it. The salt is in *protection itself. */
gpg_error_t lb_protection_from_dek(struct lb_protection *protection, const char *dek, size_t size);

/* Decrypts to *plain of *plain_len octets, in the arena, which the caller frees; NULL and 0 on
   error. passphrase NULL: GPG_ERR_NO_PASSPHRASE, when everything else is in order. What comes out
   must be a SEQUENCE that begins with an INTEGER and has nothing behind it, as every private key is:
   all else, wrong padding or contents, is the one error GPG_ERR_BAD_PASSPHRASE. */
gpg_error_t lb_protection_decrypt(const struct lb_protection *protection, lb_der_view ciphertext,
                                  const struct lb_phrase *passphrase, unsigned char **plain,
                                  size_t *plain_len);

/* Octets of the ciphertext for so many octets: whole blocks, with a padding of at least one octet
   (RFC 8018, section 6.1.1). */
size_t lb_protection_padded(const struct lb_protection *protection, size_t len);

/* Encrypts buffer[len] in place; it has room for lb_protection_padded(len) octets. */
gpg_error_t lb_protection_encrypt(const struct lb_protection *protection,
                                  struct lb_phrase passphrase, unsigned char *buffer, size_t len);

#endif
