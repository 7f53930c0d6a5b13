/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pbes2.c - EncryptedPrivateKeyInfo with PBES2: see pbes2.h.
 */
#include "core/key/pbes2.h"

#include <string.h>

#include "base/error.h"

/* pkcs-5, 1.2.840.113549.1.5.n: 13 is PBES2, 12 is PBKDF2, those below 12 are PBES1 */
static const uint8_t oid_pkcs5[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05};
/* pkcs-12PbeIds, 1.2.840.113549.1.12.1.n */
static const uint8_t oid_pkcs12[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x01};
static const uint8_t oid_pbes2[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0d};
static const uint8_t oid_pbkdf2[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0c};
/* id-scrypt, 1.3.6.1.4.1.11591.4.11 */
static const uint8_t oid_scrypt[] = {0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x04, 0x0b};

/* digestAlgorithm, 1.2.840.113549.2.n (RFC 8018, appendix B.1) */
#define HMAC(n) \
    { \
        0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, n \
    }
static const struct {
    enum limbic_hash hash;
    uint8_t oid[8];
} prfs[] = {
    {LIMBIC_HASH_SHA1, HMAC(7)},        {LIMBIC_HASH_SHA224, HMAC(8)},
    {LIMBIC_HASH_SHA256, HMAC(9)},      {LIMBIC_HASH_SHA384, HMAC(10)},
    {LIMBIC_HASH_SHA512, HMAC(11)},     {LIMBIC_HASH_SHA512_224, HMAC(12)},
    {LIMBIC_HASH_SHA512_256, HMAC(13)},
};
#undef HMAC

#define PRFS (sizeof prfs / sizeof prfs[0])

/* NIST's aes, 2.16.840.1.101.3.4.1.n, in mode CBC; des-EDE3-CBC, 1.2.840.113549.3.7 */
#define AES(n) \
    9, \
    { \
        0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, n \
    }
static const struct {
    enum limbic_cipher cipher;
    uint8_t oid_len;
    uint8_t oid[9];
} ciphers[] = {
    {LIMBIC_CIPHER_AES128, AES(2)},
    {LIMBIC_CIPHER_AES192, AES(22)},
    {LIMBIC_CIPHER_AES256, AES(42)},
    {LIMBIC_CIPHER_DES_EDE3, 8, {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x03, 0x07}},
};
#undef AES

#define CIPHERS (sizeof ciphers / sizeof ciphers[0])

/*
 * Reading
 */

static bool begins_with(lb_der_view oid, const uint8_t *prefix, size_t n)
{
    return oid.size >= n && memcmp(oid.data, prefix, n) == 0;
}

static gpg_error_t unsupported(const char *detail)
{
    return lb_error(GPG_ERR_UNSUPPORTED_PROTECTION, detail);
}

/* AlgorithmIdentifier: *r reads its parameters. */
static gpg_error_t enter_algorithm(lb_der_reader *outer, lb_der_reader *r, lb_der_view *oid)
{
    gpg_error_t err = lb_der_enter(outer, LB_DER_SEQUENCE, r);

    return err ? err : lb_der_oid(r, oid);
}

/* prf AlgorithmIdentifier DEFAULT algid-hmacWithSHA1. The parameters are NULL; some leave them out. */
static gpg_error_t read_prf(lb_der_reader *outer, enum limbic_hash *hash)
{
    lb_der_reader r;
    lb_der_view oid;
    gpg_error_t err;

    *hash = LIMBIC_HASH_SHA1;
    if (!lb_der_next_is(outer, LB_DER_SEQUENCE))
        return 0;
    err = enter_algorithm(outer, &r, &oid);
    if (!err && lb_der_next_is(&r, LB_DER_NULL))
        err = lb_der_null(&r);
    if (!err)
        err = lb_der_end(&r);
    for (unsigned i = 0; i < PRFS && !err; i++)
        if (lb_der_view_equal(oid, LB_DER_VIEW(prfs[i].oid))) {
            *hash = prfs[i].hash;
            return 0;
        }
    return err ? err : unsupported("PBKDF2 with a function other than HMAC over SHA-1 or SHA-2");
}

/* keyLength INTEGER OPTIONAL: judged when the cipher is known; 0 when it is not there. */
static gpg_error_t read_key_length(lb_der_reader *r, uint64_t *key_length)
{
    gpg_error_t err;

    *key_length = 0;
    if (!lb_der_next_is(r, LB_DER_INTEGER))
        return 0;
    err = lb_der_integer_small(r, UINT64_MAX, key_length);
    if (!err && *key_length == 0)
        err = lb_error(GPG_ERR_INV_LENGTH, "PBES2: a key of no octets");
    return err;
}

static gpg_error_t read_salt(lb_der_reader *r, struct lb_phrase *salt)
{
    lb_der_view view;
    gpg_error_t err = lb_der_octets(r, &view);

    *salt = (struct lb_phrase){view.data ? view.data : (const uint8_t *)"", view.size};
    if (!err && view.size > LIMBIC_SALT_MOST)
        err =
            lb_errorf(GPG_ERR_TOO_LARGE, "PBES2: a salt of more than %u octets", LIMBIC_SALT_MOST);
    return err;
}

/* PBKDF2-params (RFC 8018, appendix A.2). */
static gpg_error_t read_pbkdf2(lb_der_reader *outer, struct lb_protection *p, uint64_t *key_length)
{
    lb_der_reader r;
    gpg_error_t err = lb_der_enter(outer, LB_DER_SEQUENCE, &r);

    p->how.kdf = LIMBIC_KDF_PBKDF2;
    if (!err && lb_der_next_is(&r, LB_DER_SEQUENCE))
        err = unsupported("PBKDF2 with a salt from another source");
    if (!err)
        err = read_salt(&r, &p->salt);
    if (!err)
        err = lb_der_integer_small(&r, UINT64_MAX, &p->how.iterations);
    if (!err)
        err = read_key_length(&r, key_length);
    if (!err)
        err = read_prf(&r, &p->how.hash);
    return err ? err : lb_der_end(&r);
}

/* scrypt-params (RFC 7914, section 7). */
static gpg_error_t read_scrypt(lb_der_reader *outer, struct lb_protection *p, uint64_t *key_length)
{
    lb_der_reader r;
    gpg_error_t err = lb_der_enter(outer, LB_DER_SEQUENCE, &r);

    p->how.kdf = LIMBIC_KDF_SCRYPT;
    if (!err)
        err = read_salt(&r, &p->salt);
    if (!err)
        err = lb_der_integer_small(&r, UINT64_MAX, &p->how.scrypt_n);
    if (!err)
        err = lb_der_integer_small(&r, UINT64_MAX, &p->how.scrypt_r);
    if (!err)
        err = lb_der_integer_small(&r, UINT64_MAX, &p->how.scrypt_p);
    if (!err)
        err = read_key_length(&r, key_length);
    return err ? err : lb_der_end(&r);
}

static gpg_error_t read_kdf(lb_der_reader *outer, struct lb_protection *p, uint64_t *key_length)
{
    lb_der_reader r;
    lb_der_view oid;
    gpg_error_t err = enter_algorithm(outer, &r, &oid);

    if (err)
        return err;
    if (lb_der_view_equal(oid, LB_DER_VIEW(oid_pbkdf2)))
        err = read_pbkdf2(&r, p, key_length);
    else if (lb_der_view_equal(oid, LB_DER_VIEW(oid_scrypt)))
        err = read_scrypt(&r, p, key_length);
    else
        err = unsupported("PBES2 with a key derivation other than PBKDF2 and scrypt");
    return err ? err : lb_der_end(&r);
}

static gpg_error_t read_cipher(lb_der_reader *outer, struct lb_protection *p, uint64_t key_length)
{
    lb_der_reader r;
    lb_der_view oid, iv;
    gpg_error_t err = enter_algorithm(outer, &r, &oid);

    for (unsigned i = 0; i < CIPHERS && !err; i++)
        if (lb_der_view_equal(oid, (lb_der_view){ciphers[i].oid, ciphers[i].oid_len}))
            p->how.cipher = ciphers[i].cipher;
    if (!err && !p->how.cipher)
        err = unsupported("PBES2 with a cipher other than AES and DES-EDE3 in mode CBC");
    if (!err)
        err = lb_der_octets(&r, &iv);
    if (!err)
        err = lb_der_end(&r);
    if (err)
        return err;
    if (iv.size != lb_cipher_block_size(p->how.cipher))
        return lb_error(GPG_ERR_INV_LENGTH, "PBES2: an initialisation vector of a wrong length");
    if (key_length && key_length != lb_cipher_key_size(p->how.cipher))
        return lb_error(GPG_ERR_INV_LENGTH, "PBES2: a key length that is not the cipher's");
    memcpy(p->iv, iv.data, iv.size);
    return 0;
}

/* PBES2-params (RFC 8018, appendix A.4). */
static gpg_error_t read_pbes2(lb_der_reader *outer, struct lb_protection *p)
{
    lb_der_reader r;
    uint64_t key_length;
    gpg_error_t err = lb_der_enter(outer, LB_DER_SEQUENCE, &r);

    if (!err)
        err = read_kdf(&r, p, &key_length);
    if (!err)
        err = read_cipher(&r, p, key_length);
    return err ? err : lb_der_end(&r);
}

static gpg_error_t read_algorithm(lb_der_reader *outer, struct lb_protection *p)
{
    lb_der_reader r;
    lb_der_view oid;
    gpg_error_t err = enter_algorithm(outer, &r, &oid);

    if (err)
        return err;
    if (!lb_der_view_equal(oid, LB_DER_VIEW(oid_pbes2))) {
        if (begins_with(oid, oid_pkcs12, sizeof oid_pkcs12))
            return unsupported("encrypted in the old way of PKCS#12, not with PBES2");
        if (begins_with(oid, oid_pkcs5, sizeof oid_pkcs5))
            return unsupported("encrypted with PBES1 of PKCS#5, not with PBES2");
        return unsupported("encrypted in an unknown way, not with PBES2");
    }
    err = read_pbes2(&r, p);
    return err ? err : lb_der_end(&r);
}

bool lb_pbes2_detect(const void *der, size_t len)
{
    lb_der_reader r;
    bool yes = !lb_der_whole(der, len, LB_DER_SEQUENCE, &r) &&
               lb_der_next_is(&r, LB_DER_SEQUENCE) && !lb_der_skip(&r) &&
               lb_der_next_is(&r, LB_DER_OCTET_STRING);

    (void)lb_error(GPG_ERR_NO_ERROR, NULL);
    return yes;
}

gpg_error_t lb_pbes2_read(struct lb_protection *protection, lb_der_view *ciphertext,
                          const void *der, size_t len)
{
    lb_der_reader r;
    gpg_error_t err = lb_der_whole(der, len, LB_DER_SEQUENCE, &r);

    *protection = (struct lb_protection){.how = LIMBIC_PROTECTION_INIT};
    *ciphertext = (lb_der_view){NULL, 0};
    if (!err)
        err = read_algorithm(&r, protection);
    if (!err)
        err = lb_der_octets(&r, ciphertext);
    return err ? err : lb_der_end(&r);
}

/*
 * Writing
 */

bool lb_pbes2_has_prf(enum limbic_hash hash)
{
    for (unsigned i = 0; i < PRFS; i++)
        if (prfs[i].hash == hash)
            return true;
    return false;
}

static void put_prf(lb_der_writer *w, enum limbic_hash hash)
{
    if (hash == LIMBIC_HASH_SHA1) /* the default, which DER leaves out */
        return;
    lb_der_put_open(w, LB_DER_SEQUENCE);
    for (unsigned i = 0; i < PRFS; i++)
        if (prfs[i].hash == hash)
            lb_der_put_oid(w, LB_DER_VIEW(prfs[i].oid));
    lb_der_put_null(w);
    lb_der_put_close(w);
}

static void put_kdf(lb_der_writer *w, const struct lb_protection *p)
{
    bool scrypt = p->how.kdf == LIMBIC_KDF_SCRYPT;

    lb_der_put_open(w, LB_DER_SEQUENCE);
    lb_der_put_oid(w, scrypt ? LB_DER_VIEW(oid_scrypt) : LB_DER_VIEW(oid_pbkdf2));
    lb_der_put_open(w, LB_DER_SEQUENCE);
    lb_der_put_octets(w, p->salt.data, p->salt.len);
    if (scrypt) {
        lb_der_put_integer_small(w, p->how.scrypt_n);
        lb_der_put_integer_small(w, p->how.scrypt_r);
        lb_der_put_integer_small(w, p->how.scrypt_p);
    } else {
        lb_der_put_integer_small(w, p->how.iterations);
        put_prf(w, p->how.hash);
    }
    lb_der_put_close(w);
    lb_der_put_close(w);
}

static void put_cipher(lb_der_writer *w, const struct lb_protection *p)
{
    lb_der_put_open(w, LB_DER_SEQUENCE);
    for (unsigned i = 0; i < CIPHERS; i++)
        if (ciphers[i].cipher == p->how.cipher)
            lb_der_put_oid(w, (lb_der_view){ciphers[i].oid, ciphers[i].oid_len});
    lb_der_put_octets(w, p->iv, lb_cipher_block_size(p->how.cipher));
    lb_der_put_close(w);
}

void lb_pbes2_put(lb_der_writer *w, const struct lb_protection *protection, lb_der_view ciphertext)
{
    lb_der_put_open(w, LB_DER_SEQUENCE);
    lb_der_put_open(w, LB_DER_SEQUENCE);
    lb_der_put_oid(w, LB_DER_VIEW(oid_pbes2));
    lb_der_put_open(w, LB_DER_SEQUENCE);
    put_kdf(w, protection);
    put_cipher(w, protection);
    lb_der_put_close(w);
    lb_der_put_close(w);
    lb_der_put_octets(w, ciphertext.data, ciphertext.size);
    lb_der_put_close(w);
}
