/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * RSA keys in DER.
 */
#include "core/key/rsa-der.h"

#include <string.h>

#include "base/error.h"

/* rsaEncryption, 1.2.840.113549.1.1.1 */
static const uint8_t oid_rsa[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01};
/* id-RSASSA-PSS, 1.2.840.113549.1.1.10 */
static const uint8_t oid_pss[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a};

/*
 * Reading
 */

static gpg_error_t read_number(lb_der_reader *r, struct lb_octets *number)
{
    lb_der_view view;
    gpg_error_t err = lb_der_integer(r, &view);

    *number = (struct lb_octets){view.data, view.size};
    return err;
}

/* The next `count` numbers, after those that were read. */
static gpg_error_t read_numbers(lb_der_reader *r, struct lb_rsa_numbers *numbers, unsigned count)
{
    gpg_error_t err = 0;

    for (unsigned i = 0; i < count && !err; i++)
        err = read_number(r, &numbers->part[numbers->count++]);
    return err;
}

gpg_error_t lb_rsa_read_pkcs1_public(struct lb_rsa_numbers *numbers, const unsigned char *der,
                                     size_t len)
{
    lb_der_reader r;
    gpg_error_t err = lb_der_whole(der, len, LB_DER_SEQUENCE, &r);

    numbers->count = 0;
    if (!err)
        err = read_numbers(&r, numbers, LB_RSA_PUBLIC_PARTS);
    return err ? err : lb_der_end(&r);
}

/* A version, whatever its size: one that no small number holds is unknown. */
static gpg_error_t read_version(lb_der_reader *r, uint64_t *version)
{
    gpg_error_t err = lb_der_integer_small(r, UINT64_MAX, version);

    return gpg_err_code(err) == GPG_ERR_TOO_LARGE
               ? lb_error(GPG_ERR_UNKNOWN_VERSION, "the key's version is no small number")
               : err;
}

/* OtherPrimeInfos: one or more of (r, d, t). */
static gpg_error_t read_further_primes(lb_der_reader *outer, struct lb_rsa_numbers *numbers)
{
    lb_der_reader primes, r;
    gpg_error_t err = lb_der_enter(outer, LB_DER_SEQUENCE, &primes);

    do {
        if (!err && numbers->count == LB_RSA_PARTS_MAX)
            err = lb_error(GPG_ERR_TOO_LARGE, "RSA: a key of more than five primes");
        if (!err)
            err = lb_der_enter(&primes, LB_DER_SEQUENCE, &r);
        if (!err)
            err = read_numbers(&r, numbers, 3);
        if (!err)
            err = lb_der_end(&r);
    } while (!err && lb_der_peek(&primes) >= 0);
    return err;
}

gpg_error_t lb_rsa_read_pkcs1(struct lb_rsa_numbers *numbers, const unsigned char *der, size_t len)
{
    lb_der_reader r;
    uint64_t version;
    gpg_error_t err = lb_der_whole(der, len, LB_DER_SEQUENCE, &r);

    if (!err)
        err = read_version(&r, &version);
    if (!err && version > 1)
        err = lb_error(GPG_ERR_UNKNOWN_VERSION, "RSAPrivateKey: unknown version");
    numbers->count = 0;
    if (!err)
        err = read_numbers(&r, numbers, LB_RSA_PARTS);
    if (!err && version == 1) /* if and only if there are further primes (RFC 8017, A.1.2) */
        err = read_further_primes(&r, numbers);
    return err ? err : lb_der_end(&r);
}

/* AlgorithmIdentifier of rsaEncryption, whose parameters are NULL (RFC 8017, A.1). */
static gpg_error_t read_algorithm(lb_der_reader *outer)
{
    lb_der_reader r;
    lb_der_view oid;
    gpg_error_t err = lb_der_enter(outer, LB_DER_SEQUENCE, &r);

    if (!err)
        err = lb_der_oid(&r, &oid);
    if (err)
        return err;
    if (lb_der_view_equal(oid, LB_DER_VIEW(oid_pss)))
        return lb_error(GPG_ERR_UNSUPPORTED_ALGORITHM,
                        "keys restricted to RSASSA-PSS are not in this version");
    if (!lb_der_view_equal(oid, LB_DER_VIEW(oid_rsa)))
        return lb_error(GPG_ERR_UNSUPPORTED_ALGORITHM,
                        "the key is not an RSA key: this version has RSA");
    err = lb_der_null(&r);
    return err ? err : lb_der_end(&r);
}

static bool same_octets(struct lb_octets a, struct lb_octets b)
{
    return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

/* [1] publicKey of version 2 (RFC 5958): must be the key's own. n and e are public. */
static gpg_error_t read_public_copy(lb_der_reader *r, const struct lb_rsa_numbers *numbers)
{
    struct lb_rsa_numbers copy;
    lb_der_view view;
    gpg_error_t err = lb_der_bits_as(r, LB_DER_CONTEXT_PRIMITIVE(1), &view);

    if (!err)
        err = lb_rsa_read_pkcs1_public(&copy, view.data, view.size);
    if (!err && !(same_octets(copy.part[LB_RSA_N], numbers->part[LB_RSA_N]) &&
                  same_octets(copy.part[LB_RSA_E], numbers->part[LB_RSA_E])))
        err = lb_error(GPG_ERR_BAD_SECKEY, "PKCS#8: the public key inside is another key's");
    return err;
}

gpg_error_t lb_rsa_read_pkcs8(struct lb_rsa_numbers *numbers, const unsigned char *der, size_t len)
{
    lb_der_reader r;
    lb_der_view key;
    uint64_t version;
    gpg_error_t err = lb_der_whole(der, len, LB_DER_SEQUENCE, &r);

    if (!err)
        err = read_version(&r, &version);
    if (!err && version > 1)
        err = lb_error(GPG_ERR_UNKNOWN_VERSION, "PKCS#8: unknown version");
    if (!err)
        err = read_algorithm(&r);
    if (!err)
        err = lb_der_octets(&r, &key);
    if (!err && lb_der_next_is(&r, LB_DER_CONTEXT(0))) /* attributes: not looked at */
        err = lb_der_skip(&r);
    if (err)
        return err;
    err = lb_rsa_read_pkcs1(numbers, key.data, key.size);
    if (!err && version == 1) /* RFC 5958, section 2: version v2 if and only if it is there */
        err = read_public_copy(&r, numbers);
    return err ? err : lb_der_end(&r);
}

gpg_error_t lb_rsa_read_spki(struct lb_rsa_numbers *numbers, const unsigned char *der, size_t len)
{
    lb_der_reader r;
    lb_der_view key;
    gpg_error_t err = lb_der_whole(der, len, LB_DER_SEQUENCE, &r);

    if (!err)
        err = read_algorithm(&r);
    if (!err)
        err = lb_der_bits(&r, &key);
    if (!err)
        err = lb_der_end(&r);
    return err ? err : lb_rsa_read_pkcs1_public(numbers, key.data, key.size);
}

/* EncryptedPrivateKeyInfo begins like SubjectPublicKeyInfo, but has an octet string (RFC 5958,
   section 3). */
static bool is_encrypted(lb_der_reader r)
{
    return !lb_der_skip(&r) && lb_der_next_is(&r, LB_DER_OCTET_STRING);
}

gpg_error_t lb_rsa_read_any(struct lb_rsa_numbers *numbers, const unsigned char *der, size_t len)
{
    lb_der_reader r, rest;
    gpg_error_t err = lb_der_whole(der, len, LB_DER_SEQUENCE, &r);

    if (err)
        return err;
    if (lb_der_next_is(&r, LB_DER_SEQUENCE)) {
        if (is_encrypted(r))
            return lb_error(GPG_ERR_UNSUPPORTED_PROTECTION,
                            "encrypted private keys are not in this version");
        return lb_rsa_read_spki(numbers, der, len);
    }
    rest = r;
    err = lb_der_skip(&rest);
    if (err)
        return err;
    if (lb_der_next_is(&rest, LB_DER_SEQUENCE))
        return lb_rsa_read_pkcs8(numbers, der, len);
    /* Two integers, or nine and more with a version before them. */
    if (!lb_der_skip(&rest) && lb_der_peek(&rest) < 0)
        return lb_rsa_read_pkcs1_public(numbers, der, len);
    return lb_rsa_read_pkcs1(numbers, der, len);
}

/*
 * Writing
 */

static void put_numbers(lb_der_writer *w, const struct lb_rsa_numbers *numbers, unsigned from,
                        unsigned to)
{
    for (unsigned i = from; i < to; i++)
        lb_der_put_integer(w, numbers->part[i].data, numbers->part[i].len);
}

static void put_further_primes(lb_der_writer *w, const struct lb_rsa_numbers *numbers)
{
    lb_der_put_open(w, LB_DER_SEQUENCE);
    for (unsigned i = LB_RSA_PARTS; i < numbers->count; i += 3) {
        lb_der_put_open(w, LB_DER_SEQUENCE);
        put_numbers(w, numbers, i, i + 3);
        lb_der_put_close(w);
    }
    lb_der_put_close(w);
}

static void put_algorithm(lb_der_writer *w)
{
    lb_der_put_open(w, LB_DER_SEQUENCE);
    lb_der_put_oid(w, LB_DER_VIEW(oid_rsa));
    lb_der_put_null(w);
    lb_der_put_close(w);
}

void lb_rsa_put_pkcs1(lb_der_writer *w, const struct lb_rsa_numbers *numbers)
{
    lb_der_put_open(w, LB_DER_SEQUENCE);
    lb_der_put_integer_small(w, numbers->count > LB_RSA_PARTS); /* the version */
    put_numbers(w, numbers, 0, LB_RSA_PARTS);
    if (numbers->count > LB_RSA_PARTS)
        put_further_primes(w, numbers);
    lb_der_put_close(w);
}

void lb_rsa_put_pkcs1_public(lb_der_writer *w, const struct lb_rsa_numbers *numbers)
{
    lb_der_put_open(w, LB_DER_SEQUENCE);
    put_numbers(w, numbers, 0, LB_RSA_PUBLIC_PARTS);
    lb_der_put_close(w);
}

void lb_rsa_put_pkcs8(lb_der_writer *w, const struct lb_rsa_numbers *numbers)
{
    lb_der_put_open(w, LB_DER_SEQUENCE);
    lb_der_put_integer_small(w, 0);
    put_algorithm(w);
    lb_der_put_open(w, LB_DER_OCTET_STRING);
    lb_rsa_put_pkcs1(w, numbers);
    lb_der_put_close(w);
    lb_der_put_close(w);
}

void lb_rsa_put_spki(lb_der_writer *w, const struct lb_rsa_numbers *numbers)
{
    lb_der_put_open(w, LB_DER_SEQUENCE);
    put_algorithm(w);
    lb_der_put_open_bits(w, LB_DER_BIT_STRING);
    lb_rsa_put_pkcs1_public(w, numbers);
    lb_der_put_close(w);
    lb_der_put_close(w);
}
