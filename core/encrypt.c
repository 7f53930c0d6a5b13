/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The encryption calls of limbic.h.
 */
#include "base/error.h"
#include "core/key/key.h"
#include "core/output.h"
#include "core/params.h"

gpg_error_t limbic_encrypt(limbic_key_t key, const struct limbic_params *params,
                           const void *message, size_t len, void *ciphertext, size_t size,
                           size_t *length)
{
    struct lb_rsa_padding padding;
    gpg_error_t err;

    if (!key || (!message && len) || !length)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    *length = 0;
    err = lb_params_to_encrypt(&padding, params);
    if (!err)
        err = lb_output_fits(ciphertext, size, lb_rsa_bytes(key->rsa), length);
    return err || !ciphertext ? err : lb_rsa_encrypt(key->rsa, &padding, message, len, ciphertext);
}

gpg_error_t limbic_decrypt(limbic_key_t key, const struct limbic_params *params,
                           const void *ciphertext, size_t len, void *message, size_t size,
                           size_t *length)
{
    struct lb_rsa_padding padding;
    size_t max = 0;
    gpg_error_t err;

    if (!key || (!ciphertext && len) || !length)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    *length = 0;
    if (!lb_rsa_is_private(key->rsa))
        return lb_error(GPG_ERR_NO_SECKEY, "decryption needs a private key");
    err = lb_params_to_encrypt(&padding, params);
    if (!err)
        err = lb_rsa_max_message(key->rsa, &padding, &max);
    if (!err)
        err = lb_output_fits(message, size, max, length);
    return err || !message ? err
                           : lb_rsa_decrypt(key->rsa, &padding, ciphertext, len, message, length);
}
