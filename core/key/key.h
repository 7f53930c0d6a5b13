/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The key object of the API and the formats it is read from and written to.
 */
#ifndef LB_KEY_KEY_H
#define LB_KEY_KEY_H

#include "core/scheme/rsa.h"
#include "limbic.h"

struct limbic_key {
    unsigned references; /* atomic */
    enum limbic_key_type type;
    struct lb_rsa *rsa;
};

/* A key object around the numbers of an RSA key, made ready. Takes over rsa, also on failure. */
gpg_error_t lb_key_new_rsa(limbic_key_t *key, struct lb_rsa *rsa);

/* Decodes one RSA key of any format, PEM or DER. `lenient` as lb_rsa_new has it. */
gpg_error_t lb_key_decode(struct lb_rsa **rsa, const void *data, size_t len, bool lenient);

/* Encodes to DER; out NULL: the size only. *length is set in either case. */
gpg_error_t lb_key_encode(const struct lb_rsa *rsa, enum limbic_format format, void *out,
                          size_t size, size_t *length);

/* PEM label of a format, or NULL. */
const char *lb_key_label(enum limbic_format format);

#endif
