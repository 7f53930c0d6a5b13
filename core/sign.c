/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The signature calls of limbic.h: digests of messages in one piece or many.
 */
#include <gcrypt.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/wipe.h"
#include "core/key/key.h"
#include "core/output.h"
#include "core/params.h"
#include "core/scheme/hash.h"

/* What is the same for all ways to sign: arguments, and room for the result. Without `signature`
   the caller only asks for the size. */
static gpg_error_t begin_sign(limbic_key_t key, const void *data, size_t len, void *signature,
                              size_t size, size_t *length)
{
    if (!key || (!data && len) || !length)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    *length = 0;
    if (!lb_rsa_is_private(key->rsa))
        return lb_error(GPG_ERR_NO_SECKEY, "signing needs a private key");
    return lb_output_fits(signature, size, lb_rsa_bytes(key->rsa), length);
}

gpg_error_t limbic_sign(limbic_key_t key, const struct limbic_params *params, const void *message,
                        size_t len, void *signature, size_t size, size_t *length)
{
    struct lb_rsa_padding padding;
    unsigned char buffer[LB_HASH_MAX];
    const unsigned char *digest;
    size_t digest_len;
    gpg_error_t err = begin_sign(key, message, len, signature, size, length);

    if (!err)
        err = lb_params_to_sign(&padding, params);
    if (err || !signature)
        return err;
    err = lb_params_digest(&padding, message, len, buffer, &digest, &digest_len);
    return err ? err : lb_rsa_sign(key->rsa, &padding, digest, digest_len, signature);
}

gpg_error_t limbic_sign_digest(limbic_key_t key, const struct limbic_params *params,
                               const void *digest, size_t digest_len, void *signature, size_t size,
                               size_t *length)
{
    struct lb_rsa_padding padding;
    gpg_error_t err = begin_sign(key, digest, digest_len, signature, size, length);

    if (!err)
        err = lb_params_to_sign(&padding, params);
    if (err || !signature)
        return err;
    return lb_rsa_sign(key->rsa, &padding, digest, digest_len, signature);
}

static gpg_error_t begin_verify(limbic_key_t key, const void *data, size_t len,
                                const void *signature, size_t signature_len)
{
    if (!key || (!data && len) || (!signature && signature_len))
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    return 0;
}

gpg_error_t limbic_verify(limbic_key_t key, const struct limbic_params *params, const void *message,
                          size_t len, const void *signature, size_t signature_len)
{
    struct lb_rsa_padding padding;
    unsigned char buffer[LB_HASH_MAX];
    const unsigned char *digest;
    size_t digest_len;
    gpg_error_t err = begin_verify(key, message, len, signature, signature_len);

    if (!err)
        err = lb_params_to_sign(&padding, params);
    if (!err)
        err = lb_params_digest(&padding, message, len, buffer, &digest, &digest_len);
    return err ? err
               : lb_rsa_verify(key->rsa, &padding, digest, digest_len, signature, signature_len);
}

gpg_error_t limbic_verify_digest(limbic_key_t key, const struct limbic_params *params,
                                 const void *digest, size_t digest_len, const void *signature,
                                 size_t signature_len)
{
    struct lb_rsa_padding padding;
    gpg_error_t err = begin_verify(key, digest, digest_len, signature, signature_len);

    if (!err)
        err = lb_params_to_sign(&padding, params);
    return err ? err
               : lb_rsa_verify(key->rsa, &padding, digest, digest_len, signature, signature_len);
}

/*
 * Streams
 */

struct limbic_stream {
    limbic_key_t key; /* a reference of its own */
    struct lb_rsa_padding padding;
    gcry_md_hd_t context; /* NULL once finished */
    unsigned char digest[LB_HASH_MAX];
};

gpg_error_t limbic_stream_open(limbic_stream_t *result, limbic_key_t key,
                               const struct limbic_params *params)
{
    struct lb_rsa_padding padding;
    struct limbic_stream *stream;
    gpg_error_t err;

    if (!result)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    *result = NULL;
    if (!key)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    err = lb_hash_init();
    if (!err)
        err = lb_params_to_sign(&padding, params);
    if (err)
        return err;
    if (padding.hash == LIMBIC_HASH_NONE)
        return lb_error(GPG_ERR_DIGEST_ALGO, "a stream needs a digest");
    stream = calloc(1, sizeof *stream);
    if (!stream)
        return lb_error(GPG_ERR_ENOMEM, "no memory for a stream");
    err = gcry_md_open(&stream->context, lb_hash_gcrypt(padding.hash), 0);
    if (err) {
        free(stream);
        return lb_hash_refused(err, limbic_hash_name(padding.hash));
    }
    stream->key = limbic_key_ref(key);
    stream->padding = padding;
    *result = stream;
    return 0;
}

static gpg_error_t finished(void)
{
    return lb_error(GPG_ERR_INV_STATE, "the stream has been finished");
}

gpg_error_t limbic_stream_update(limbic_stream_t stream, const void *data, size_t len)
{
    if (!stream || (!data && len))
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    if (!stream->context)
        return finished();
    gcry_md_write(stream->context, data, len);
    return 0;
}

/* The digest of all that was written; then the stream takes no more. */
static gpg_error_t finish(struct limbic_stream *stream, size_t *digest_len)
{
    int algorithm = lb_hash_gcrypt(stream->padding.hash);
    const unsigned char *digest;

    *digest_len = lb_hash_size(stream->padding.hash);
    if (!stream->context)
        return finished();
    if (lb_hash_is_xof(stream->padding.hash)) {
        gcry_md_extract(stream->context, algorithm, stream->digest, *digest_len);
    } else {
        digest = gcry_md_read(stream->context, algorithm);
        for (size_t i = 0; i < *digest_len; i++)
            stream->digest[i] = digest[i];
    }
    gcry_md_close(stream->context);
    stream->context = NULL;
    return 0;
}

gpg_error_t limbic_stream_sign(limbic_stream_t stream, void *signature, size_t size, size_t *length)
{
    size_t digest_len;
    gpg_error_t err;

    if (!stream || !length)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    *length = 0;
    /* Before the length is told: of a stream that is finished there is nothing to sign. */
    if (!stream->context)
        return finished();
    err = begin_sign(stream->key, NULL, 0, signature, size, length);
    if (err || !signature)
        return err;
    err = finish(stream, &digest_len);
    return err ? err
               : lb_rsa_sign(stream->key->rsa, &stream->padding, stream->digest, digest_len,
                             signature);
}

gpg_error_t limbic_stream_verify(limbic_stream_t stream, const void *signature,
                                 size_t signature_len)
{
    size_t digest_len;
    gpg_error_t err;

    if (!stream || (!signature && signature_len))
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    err = finish(stream, &digest_len);
    return err ? err
               : lb_rsa_verify(stream->key->rsa, &stream->padding, stream->digest, digest_len,
                               signature, signature_len);
}

void limbic_stream_close(limbic_stream_t stream)
{
    if (!stream)
        return;
    gcry_md_close(stream->context);
    limbic_key_free(stream->key);
    lb_wipe(stream, sizeof *stream);
    free(stream);
}
