/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * RSA signatures over a digest: RSASSA-PKCS1-v1_5 and RSASSA-PSS (RFC 8017, sections 8.1, 8.2), and
 * of a number as it is.
 */
#include "core/scheme/rsa.h"

#include <string.h>

#include "base/error.h"
#include "base/wipe.h"
#include "core/number/random.h"
#include "core/scheme/pkcs1.h"

/* PSS works on one bit less than the modulus (section 8.1.1, step 1); when that makes the encoded
   message an octet shorter, the octet before it is zero. */
static size_t pss_em_bits(const struct lb_rsa *key)
{
    return lb_rsa_bits(key) - 1;
}

static size_t pss_em_offset(const struct lb_rsa *key)
{
    return lb_rsa_bytes(key) - (pss_em_bits(key) + 7) / 8;
}

static gpg_error_t pss_encode(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                              const unsigned char *digest, unsigned char *em)
{
    struct lb_pss pss = {padding->hash, padding->mgf_hash, padding->salt_len};
    int max = lb_pss_max_salt(pss_em_bits(key), padding->hash);
    unsigned char salt[LB_RSA_MAX_BYTES];
    gpg_error_t err;

    if (pss.salt_len == LIMBIC_SALT_DIGEST || pss.salt_len == LIMBIC_SALT_DEFAULT)
        pss.salt_len = (int)lb_hash_size(padding->hash);
    else if (pss.salt_len == LIMBIC_SALT_MAX)
        pss.salt_len = max;
    else if (pss.salt_len < 0)
        return lb_error(GPG_ERR_INV_VALUE, "PSS: this salt length is for verification only");
    if (max < 0)
        return lb_errorf(GPG_ERR_TOO_SHORT, "PSS: the key is too short for %s",
                         limbic_hash_name(padding->hash));
    if (pss.salt_len > max)
        return lb_errorf(GPG_ERR_TOO_SHORT, "PSS: at most %d octets of salt fit this key and %s",
                         max, limbic_hash_name(padding->hash));
    err = lb_random(salt, (size_t)pss.salt_len);
    if (!err)
        err = lb_pss_encode(em + pss_em_offset(key), pss_em_bits(key), &pss, digest, salt);
    return err;
}

static gpg_error_t check_digest(const struct lb_rsa_padding *padding, size_t digest_len)
{
    size_t size = lb_hash_size(padding->hash);

    bool pss = padding->padding == LIMBIC_PADDING_PSS;

    if (pss && size == 0)
        return lb_error(GPG_ERR_DIGEST_ALGO, "PSS needs a digest");
    if (pss && lb_hash_size(padding->mgf_hash) == 0)
        return lb_error(GPG_ERR_DIGEST_ALGO, "PSS needs a digest for its mask");
    if (padding->hash != LIMBIC_HASH_NONE && digest_len != size)
        return lb_errorf(GPG_ERR_INV_LENGTH, "the digest has %zu octet%s; %s has %zu", digest_len,
                         digest_len == 1 ? "" : "s", limbic_hash_name(padding->hash), size);
    return 0;
}

static gpg_error_t raw_encode(const struct lb_rsa *key, const unsigned char *message, size_t len,
                              unsigned char *block)
{
    if (len > lb_rsa_bytes(key))
        return lb_error(GPG_ERR_TOO_SHORT, "RSA: the input is longer than the modulus");
    return lb_raw_pad(block, lb_rsa_bytes(key), message, len);
}

gpg_error_t lb_rsa_sign_begin(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                              const unsigned char *digest, size_t digest_len, unsigned char *block)
{
    gpg_error_t err = check_digest(padding, digest_len);

    if (err)
        return err;
    block[0] = 0;
    switch (padding->padding) {
    case LIMBIC_PADDING_PSS:
        return pss_encode(key, padding, digest, block);
    case LIMBIC_PADDING_RAW:
        return raw_encode(key, digest, digest_len, block);
    default:
        return lb_pkcs1_encode(block, lb_rsa_bytes(key), padding->hash, digest, digest_len);
    }
}

gpg_error_t lb_rsa_sign(struct lb_rsa *key, const struct lb_rsa_padding *padding,
                        const unsigned char *digest, size_t digest_len, unsigned char *signature)
{
    unsigned char em[LB_RSA_MAX_BYTES];
    gpg_error_t err = lb_rsa_sign_begin(key, padding, digest, digest_len, em);

    if (!err)
        err = lb_rsa_private(key, signature, em);
    if (!err)
        LB_DECLASSIFY(signature, lb_rsa_bytes(key));
    return err;
}

static gpg_error_t pss_verify(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                              const unsigned char *digest, const unsigned char *em)
{
    struct lb_pss pss = {padding->hash, padding->mgf_hash, padding->salt_len};
    size_t offset = pss_em_offset(key);

    if (pss.salt_len == LIMBIC_SALT_DEFAULT)
        pss.salt_len = LIMBIC_SALT_AUTO;
    else if (pss.salt_len == LIMBIC_SALT_DIGEST)
        pss.salt_len = (int)lb_hash_size(padding->hash);
    else if (pss.salt_len == LIMBIC_SALT_MAX)
        pss.salt_len = lb_pss_max_salt(pss_em_bits(key), padding->hash);
    if (offset && em[0])
        return lb_error(GPG_ERR_BAD_SIGNATURE, "PSS: a bit above the encoded message is set");
    return lb_pss_verify_vartime(em + offset, pss_em_bits(key), &pss, digest);
}

/* The one encoding that a right signature has (section 8.2.2, note: comparing whole encodings
   leaves nothing to parse). A digest for which the key is too short has no signature. */
static gpg_error_t pkcs1_verify(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                                const unsigned char *digest, size_t digest_len,
                                const unsigned char *em)
{
    unsigned char expected[LB_RSA_MAX_BYTES];
    size_t len = lb_rsa_bytes(key);
    gpg_error_t err = lb_pkcs1_encode(expected, len, padding->hash, digest, digest_len);

    if (gpg_err_code(err) == GPG_ERR_TOO_SHORT || (!err && memcmp(em, expected, len) != 0))
        return lb_error(GPG_ERR_BAD_SIGNATURE, "PKCS#1: not the encoding of this digest");
    return err;
}

static gpg_error_t raw_verify(const struct lb_rsa *key, const unsigned char *message, size_t len,
                              const unsigned char *em)
{
    unsigned char expected[LB_RSA_MAX_BYTES];

    if (raw_encode(key, message, len, expected) || memcmp(em, expected, lb_rsa_bytes(key)) != 0)
        return lb_error(GPG_ERR_BAD_SIGNATURE, "RSA: not the signature of this input");
    return 0;
}

gpg_error_t lb_rsa_verify_begin(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                                size_t digest_len, const unsigned char *signature,
                                size_t signature_len, unsigned char *block)
{
    gpg_error_t err = check_digest(padding, digest_len);

    if (err)
        return err;
    if (signature_len != lb_rsa_bytes(key))
        return lb_errorf(GPG_ERR_BAD_SIGNATURE,
                         "RSA: the signature has %zu octet%s, those of this key have %zu",
                         signature_len, signature_len == 1 ? "" : "s", lb_rsa_bytes(key));
    memcpy(block, signature, signature_len);
    return 0;
}

gpg_error_t lb_rsa_verify_end(const struct lb_rsa *key, const struct lb_rsa_padding *padding,
                              const unsigned char *digest, size_t digest_len,
                              const unsigned char *block, gpg_error_t err)
{
    if (gpg_err_code(err) == GPG_ERR_INV_VALUE)
        return lb_error(GPG_ERR_BAD_SIGNATURE, "RSA: the signature is not below the modulus");
    if (err)
        return err;
    switch (padding->padding) {
    case LIMBIC_PADDING_PSS:
        return pss_verify(key, padding, digest, block);
    case LIMBIC_PADDING_RAW:
        return raw_verify(key, digest, digest_len, block);
    default:
        return pkcs1_verify(key, padding, digest, digest_len, block);
    }
}

gpg_error_t lb_rsa_verify(struct lb_rsa *key, const struct lb_rsa_padding *padding,
                          const unsigned char *digest, size_t digest_len,
                          const unsigned char *signature, size_t signature_len)
{
    unsigned char em[LB_RSA_MAX_BYTES];
    gpg_error_t err = lb_rsa_verify_begin(key, padding, digest_len, signature, signature_len, em);

    if (err)
        return err;
    err = lb_rsa_public(key, em, em);
    return lb_rsa_verify_end(key, padding, digest, digest_len, em, err);
}
