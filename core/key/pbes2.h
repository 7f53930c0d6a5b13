/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pbes2.h - EncryptedPrivateKeyInfo (RFC 5958, section 3) with PBES2 (RFC 8018, appendix A.4):
 * PBKDF2, or scrypt (RFC 7914, section 7), and a cipher in mode CBC. It knows how they are written
 * down. It must not know any key, and decrypts nothing.
 */
#ifndef LB_KEY_PBES2_H
#define LB_KEY_PBES2_H

#include "core/key/protect.h"

/* Whether der is one, rather than a SubjectPublicKeyInfo, which begins alike but has a bit string:
   a SEQUENCE of a SEQUENCE and an OCTET STRING. */
bool lb_pbes2_detect(const void *der, size_t len);

/* Reads all of it; *ciphertext and the salt point into der. Numbers are as they stand there:
   lb_protection_check judges them. Errors: those of der.h; GPG_ERR_UNSUPPORTED_PROTECTION (another
   way of encryption), GPG_ERR_INV_LENGTH (of an initialisation vector or key). */
gpg_error_t lb_pbes2_read(struct lb_protection *protection, lb_der_view *ciphertext,
                          const void *der, size_t len);

/* Whether HMAC over the hash is a function that PBKDF2 has here. */
bool lb_pbes2_has_prf(enum limbic_hash hash);

/* Writes it. The ciphers are those of AES. With the writer that only counts, ciphertext.data may be
   NULL. */
void lb_pbes2_put(lb_der_writer *w, const struct lb_protection *protection, lb_der_view ciphertext);

#endif
