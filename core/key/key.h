/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The key object of the API and the formats it is read from and written to.
 */
#ifndef LB_KEY_KEY_H
#define LB_KEY_KEY_H

#include "core/key/protect.h"
#include "core/scheme/rsa.h"
#include "limbic.h"

struct limbic_key {
    unsigned references; /* atomic */
    enum limbic_key_type type;
    struct lb_rsa *rsa;
};

/* A key object around the numbers of an RSA key, made ready. Takes over rsa, also on failure. */
gpg_error_t lb_key_new_rsa(limbic_key_t *key, struct lb_rsa *rsa);

/* Decodes one RSA key of any format, PEM or DER; an encrypted one with the passphrase, which may be
   NULL. `lenient` as lb_rsa_new has it. */
gpg_error_t lb_key_decode(struct lb_rsa **rsa, const void *data, size_t len,
                          const struct lb_phrase *passphrase, bool lenient);

/* How the key in a file is encrypted, as limbic_key_protection has it. */
gpg_error_t lb_key_protection(struct limbic_protection *found, const void *data, size_t len);

/* limbic_key_import, with a passphrase or NULL. */
gpg_error_t lb_key_import(limbic_key_t *key, const void *data, size_t len,
                          const struct lb_phrase *passphrase, unsigned flags);

/* Encodes to DER; out NULL: the size only. *length is set in either case. */
gpg_error_t lb_key_encode(const struct lb_rsa *rsa, enum limbic_format format, void *out,
                          size_t size, size_t *length);

/* PEM label of a format, or NULL; and that of EncryptedPrivateKeyInfo. */
#define LB_KEY_LABEL_ENCRYPTED "ENCRYPTED PRIVATE KEY"
const char *lb_key_label(enum limbic_format format);

#endif
