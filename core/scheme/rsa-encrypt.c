/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * RSA encryption: RSAES-OAEP and RSAES-PKCS1-v1_5 (RFC 8017, sections 7.1, 7.2), and of a number as
 * it is. A ciphertext that does not decrypt gives one code and one detail, whatever is wrong.
 */
#include "core/scheme/rsa-key.h"

#include <string.h>

#include "base/error.h"
#include "base/wipe.h"
#include "core/number/random.h"
#include "core/scheme/pkcs1.h"

static struct lb_oaep oaep_of(const struct lb_rsa_padding *padding)
{
    return (struct lb_oaep){padding->hash, padding->mgf_hash, padding->label, padding->label_len};
}

gpg_error_t lb_rsa_max_message(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                               size_t *max)
{
    int most;

    switch (padding->padding) {
    case LIMBIC_PADDING_RAW:
        most = (int)key->bytes;
        break;
    case LIMBIC_PADDING_PKCS1:
        most = lb_pkcs1_max_message(key->bytes); /* 512 bits leave 53 octets */
        break;
    default:
        if (lb_hash_size(padding->hash) == 0 || lb_hash_size(padding->mgf_hash) == 0)
            return lb_error(GPG_ERR_DIGEST_ALGO, "OAEP needs a digest");
        most = lb_oaep_max_message(key->bytes, padding->hash);
        break;
    }
    if (most < 0)
        return lb_errorf(GPG_ERR_TOO_SHORT, "OAEP: the key is too short for %s",
                         limbic_hash_name(padding->hash));
    *max = (size_t)most;
    return 0;
}

/*
 * Encryption
 */

/* len octets, none of them zero. A draw leaves 1/256 of them to draw again. */
static gpg_error_t random_nonzero(unsigned char *r, size_t len)
{
    for (size_t have = 0, tries = 0; have < len; tries++) {
        gpg_error_t err = lb_random(r + have, len - have);
        size_t kept = have;
        if (!err && tries == 128) /* 2^-1024 with a source that works */
            err = lb_error(GPG_ERR_NOT_OPERATIONAL, "the source of randomness is broken");
        if (err)
            return err;
        /* Where the zeros were is nothing of those that are kept. */
        for (size_t i = have; i < len; i++)
            if (lb_ct_public(r[i] != 0))
                r[kept++] = r[i];
        have = kept;
    }
    return 0;
}

static gpg_error_t pkcs1_block(const struct lb_rsa *key, const unsigned char *message, size_t len,
                               unsigned char *block)
{
    unsigned char ps[LB_RSA_MAX_BYTES];
    gpg_error_t err = random_nonzero(ps, key->bytes - len - 3);

    if (!err)
        lb_pkcs1_pad(block, key->bytes, message, len, ps);
    lb_wipe(ps, sizeof ps);
    return err;
}

static gpg_error_t oaep_block(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                              const unsigned char *message, size_t len, unsigned char *block)
{
    struct lb_oaep oaep = oaep_of(padding);
    unsigned char seed[LB_HASH_MAX];
    gpg_error_t err = lb_random(seed, lb_hash_size(oaep.hash));

    if (!err)
        err = lb_oaep_encode(block, key->bytes, &oaep, message, len, seed);
    lb_wipe(seed, sizeof seed);
    return err;
}

static gpg_error_t encode(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                          const unsigned char *message, size_t len, unsigned char *block)
{
    switch (padding->padding) {
    case LIMBIC_PADDING_RAW:
        return lb_raw_pad(block, key->bytes, message, len);
    case LIMBIC_PADDING_PKCS1:
        return pkcs1_block(key, message, len, block);
    default:
        return oaep_block(key, padding, message, len, block);
    }
}

gpg_error_t lb_rsa_encrypt(struct lb_rsa *key, const struct lb_rsa_padding *padding,
                           const unsigned char *message, size_t len, unsigned char *ciphertext)
{
    unsigned char block[LB_RSA_MAX_BYTES];
    size_t max;
    gpg_error_t err = lb_rsa_max_message(key, padding, &max);

    if (!err && len > max)
        err =
            lb_errorf(GPG_ERR_TOO_SHORT,
                      "the message has %zu octets; at most %zu fit this key and padding", len, max);
    if (err)
        return err;
    err = encode(key, padding, message, len, block);
    if (!err)
        err = lb_rsa_public(key, ciphertext, block);
    if (!err)
        LB_DECLASSIFY(ciphertext, key->bytes);
    lb_wipe(block, sizeof block);
    return err;
}

/*
 * Decryption
 */

static gpg_error_t failed(void)
{
    return lb_error(GPG_ERR_DECRYPT_FAILED, LB_DECRYPT_FAILED);
}

gpg_error_t lb_rsa_decrypt_begin(const struct lb_rsa *key, const unsigned char *ciphertext,
                                 size_t len, unsigned char *block)
{
    if (len != key->bytes)
        return failed();
    memcpy(block, ciphertext, len);
    return 0;
}

/* What implicit rejection derives its messages from: the hash of d in the modulus's length. */
static gpg_error_t rejection_secret(const struct lb_rsa *key, unsigned char secret[LB_HMAC_SIZE])
{
    const struct lb_natural *d = &key->part[LB_RSA_D];
    unsigned char octets[LB_RSA_MAX_BYTES];
    struct lb_piece piece = {octets, key->bytes};
    gpg_error_t err;

    (void)lb_nat_to_bytes(octets, key->bytes, d->limb, d->n);
    err = lb_hash(LIMBIC_HASH_SHA256, &piece, 1, secret);
    lb_wipe(octets, sizeof octets);
    return err;
}

static gpg_error_t pkcs1_message(const struct lb_rsa *key, const unsigned char *ciphertext,
                                 const unsigned char *block, unsigned char *message, size_t *len)
{
    unsigned char secret[LB_HMAC_SIZE];
    gpg_error_t err = rejection_secret(key, secret);

    if (!err)
        err = lb_pkcs1_unpad(message, len, block, key->bytes, ciphertext, secret);
    lb_wipe(secret, sizeof secret);
    return err;
}

gpg_error_t lb_rsa_decrypt_end(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                               const unsigned char *ciphertext, unsigned char *block,
                               unsigned char *message, size_t *len, gpg_error_t err)
{
    struct lb_oaep oaep = oaep_of(padding);

    *len = 0;
    if (gpg_err_code(err) == GPG_ERR_INV_VALUE) /* not below the modulus */
        return failed();
    if (err)
        return err;
    switch (padding->padding) {
    case LIMBIC_PADDING_RAW:
        if (lb_raw_pad(message, key->bytes, block, key->bytes)) /* zero */
            return failed();
        *len = key->bytes;
        return 0;
    case LIMBIC_PADDING_PKCS1:
        return pkcs1_message(key, ciphertext, block, message, len);
    default:
        return lb_oaep_decode(message, len, block, key->bytes, &oaep);
    }
}

gpg_error_t lb_rsa_decrypt(struct lb_rsa *key, const struct lb_rsa_padding *padding,
                           const unsigned char *ciphertext, size_t len, unsigned char *message,
                           size_t *message_len)
{
    unsigned char block[LB_RSA_MAX_BYTES];
    gpg_error_t err = lb_rsa_decrypt_begin(key, ciphertext, len, block);

    *message_len = 0;
    if (err)
        return err;
    err = lb_rsa_private(key, block, block);
    err = lb_rsa_decrypt_end(key, padding, ciphertext, block, message, message_len, err);
    lb_wipe(block, sizeof block);
    return err;
}
