/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the calls of limbic.h that compute have in common: struct limbic_params with every default
 * resolved, and the digest of a message.
 */
#ifndef LB_CORE_PARAMS_H
#define LB_CORE_PARAMS_H

#include "core/scheme/rsa.h"

/* The padding that the parameters (NULL: defaults) ask for, to sign and verify, or to encrypt and
   decrypt. */
gpg_error_t lb_params_to_sign(struct lb_rsa_padding *padding, const struct limbic_params *params);
gpg_error_t lb_params_to_encrypt(struct lb_rsa_padding *padding,
                                 const struct limbic_params *params);

/* The digest of a message, in the buffer; with LIMBIC_HASH_NONE the message is its own. */
gpg_error_t lb_params_digest(const struct lb_rsa_padding *padding, const void *message, size_t len,
                             unsigned char buffer[LB_HASH_MAX], const unsigned char **digest,
                             size_t *digest_len);

#endif
