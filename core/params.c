/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parameters of operations and their defaults.
 */
#include "core/params.h"

#include "core/growing.h"

/* What the first version had. */
#define FIRST_PARAMS (offsetof(struct limbic_params, salt_len) + sizeof(int))

/* What both uses have in common. */
static gpg_error_t take(struct lb_rsa_padding *padding, const struct limbic_params *given)
{
    struct limbic_params params = LIMBIC_PARAMS_INIT;
    gpg_error_t err = given ? lb_growing_take(&params, sizeof params, given, FIRST_PARAMS) : 0;

    if (err)
        return err;
    padding->padding = params.padding;
    padding->hash = params.hash == LIMBIC_HASH_DEFAULT ? LIMBIC_HASH_SHA256 : params.hash;
    /* To sign without padding is to sign without a digest. */
    if (params.padding == LIMBIC_PADDING_RAW && params.hash == LIMBIC_HASH_DEFAULT)
        padding->hash = LIMBIC_HASH_NONE;
    padding->mgf_hash = params.mgf_hash == LIMBIC_HASH_DEFAULT ? padding->hash : params.mgf_hash;
    padding->salt_len = params.salt_len;
    padding->label = params.label;
    padding->label_len = params.label_len;
    if (!limbic_hash_name(padding->hash) || !limbic_hash_name(padding->mgf_hash))
        return lb_error(GPG_ERR_DIGEST_ALGO, "unknown digest");
    if (padding->label_len && padding->padding != LIMBIC_PADDING_OAEP &&
        padding->padding != LIMBIC_PADDING_DEFAULT)
        return lb_error(GPG_ERR_INV_VALUE, "a label is for OAEP");
    return padding->label_len && !padding->label ? lb_error(GPG_ERR_INV_ARG, "NULL argument") : 0;
}

gpg_error_t lb_params_to_sign(struct lb_rsa_padding *padding, const struct limbic_params *params)
{
    gpg_error_t err = take(padding, params);

    if (err)
        return err;
    if (padding->label_len)
        return lb_error(GPG_ERR_INV_VALUE, "a label is for OAEP");
    switch (padding->padding) {
    case LIMBIC_PADDING_DEFAULT:
        padding->padding = LIMBIC_PADDING_PKCS1;
        return 0;
    case LIMBIC_PADDING_PKCS1:
        return 0;
    case LIMBIC_PADDING_PSS:
        return padding->salt_len < LIMBIC_SALT_AUTO || padding->salt_len > LB_RSA_MAX_BYTES
                   ? lb_error(GPG_ERR_INV_VALUE, "PSS: impossible salt length")
                   : 0;
    case LIMBIC_PADDING_RAW:
        return padding->hash != LIMBIC_HASH_NONE
                   ? lb_error(GPG_ERR_DIGEST_ALGO, "without padding the input itself is signed")
                   : 0;
    case LIMBIC_PADDING_OAEP:
        break;
    }
    return lb_error(GPG_ERR_INV_VALUE, "this padding does not sign");
}

gpg_error_t lb_params_to_encrypt(struct lb_rsa_padding *padding, const struct limbic_params *params)
{
    gpg_error_t err = take(padding, params);

    if (err)
        return err;
    switch (padding->padding) {
    case LIMBIC_PADDING_DEFAULT:
        padding->padding = LIMBIC_PADDING_OAEP;
        return 0;
    case LIMBIC_PADDING_OAEP:
    case LIMBIC_PADDING_PKCS1:
    case LIMBIC_PADDING_RAW:
        return 0;
    case LIMBIC_PADDING_PSS:
        break;
    }
    return lb_error(GPG_ERR_INV_VALUE, "this padding does not encrypt");
}

gpg_error_t lb_params_digest(const struct lb_rsa_padding *padding, const void *message, size_t len,
                             unsigned char buffer[LB_HASH_MAX], const unsigned char **digest,
                             size_t *digest_len)
{
    struct lb_piece piece = {message, len};

    if (padding->hash == LIMBIC_HASH_NONE) {
        *digest = message;
        *digest_len = len;
        return 0;
    }
    *digest = buffer;
    *digest_len = lb_hash_size(padding->hash);
    return lb_hash(padding->hash, &piece, 1, buffer);
}
