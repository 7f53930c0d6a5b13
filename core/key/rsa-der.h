/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * RSA keys in DER: RSAPrivateKey, RSAPublicKey (RFC 8017, A.1), and the PKCS#8 (RFC 5208, 5958) and
 * SubjectPublicKeyInfo (RFC 5280) around them.
 */
#ifndef LB_KEY_RSA_DER_H
#define LB_KEY_RSA_DER_H

#include "core/key/der.h"
#include "core/scheme/rsa.h"

/* What was read: views into the DER. count as lb_rsa_new has it. */
struct lb_rsa_numbers {
    struct lb_octets part[LB_RSA_PARTS_MAX];
    unsigned count;
};

/* Each reads the whole of der[len]. */
gpg_error_t lb_rsa_read_pkcs1(struct lb_rsa_numbers *numbers, const unsigned char *der, size_t len);
gpg_error_t lb_rsa_read_pkcs1_public(struct lb_rsa_numbers *numbers, const unsigned char *der,
                                     size_t len);
gpg_error_t lb_rsa_read_pkcs8(struct lb_rsa_numbers *numbers, const unsigned char *der, size_t len);
gpg_error_t lb_rsa_read_spki(struct lb_rsa_numbers *numbers, const unsigned char *der, size_t len);

/* The same when only the content tells which of the four it is. */
gpg_error_t lb_rsa_read_any(struct lb_rsa_numbers *numbers, const unsigned char *der, size_t len);

void lb_rsa_put_pkcs1(lb_der_writer *w, const struct lb_rsa_numbers *numbers);
void lb_rsa_put_pkcs1_public(lb_der_writer *w, const struct lb_rsa_numbers *numbers);
void lb_rsa_put_pkcs8(lb_der_writer *w, const struct lb_rsa_numbers *numbers);
void lb_rsa_put_spki(lb_der_writer *w, const struct lb_rsa_numbers *numbers);

#endif
