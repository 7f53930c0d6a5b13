/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The calls of limbic.h for keys that are encrypted under a passphrase.
 */
#include <stddef.h>

#include "base/error.h"
#include "core/arena.h"
#include "core/growing.h"
#include "core/key/key.h"
#include "core/key/pbes2.h"
#include "core/key/pem.h"
#include "core/number/random.h"
#include "core/output.h"

/* NIST SP 800-132, section 5.1: at least 128 bits. */
#define SALT 16

static gpg_error_t take_passphrase(struct lb_phrase *phrase, const void *passphrase, size_t len)
{
    *phrase = (struct lb_phrase){passphrase, len};
    if (!passphrase)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    if (len > LIMBIC_PASSPHRASE_MOST)
        return lb_error(GPG_ERR_TOO_LARGE, "the passphrase is longer than 65536 octets");
    return 0;
}

gpg_error_t limbic_key_import_encrypted(limbic_key_t *key, const void *data, size_t len,
                                        const void *passphrase, size_t passphrase_len,
                                        unsigned flags)
{
    struct lb_phrase phrase;
    gpg_error_t err = take_passphrase(&phrase, passphrase, passphrase_len);

    if (key)
        *key = NULL;
    return err ? err : lb_key_import(key, data, len, &phrase, flags);
}

#define FIRST_PROTECTION (offsetof(struct limbic_protection, scrypt_p) + sizeof(uint64_t))

gpg_error_t limbic_key_protection(const void *data, size_t len, struct limbic_protection *found)
{
    struct limbic_protection all;
    gpg_error_t err;

    if (!found || found->size < FIRST_PROTECTION || (!data && len))
        return lb_error(GPG_ERR_INV_ARG, "NULL argument, or found->size not set");
    err = lb_key_protection(&all, data, len);
    all.size = found->size;
    memcpy(found, &all, found->size < sizeof all ? found->size : sizeof all);
    return err;
}

/*
 * Writing
 */

static void fill_defaults(struct limbic_protection *how)
{
    if (how->kdf == LIMBIC_KDF_DEFAULT)
        how->kdf = LIMBIC_KDF_PBKDF2;
    if (how->cipher == LIMBIC_CIPHER_DEFAULT)
        how->cipher = LIMBIC_CIPHER_AES256;
    if (how->hash == LIMBIC_HASH_DEFAULT)
        how->hash = LIMBIC_HASH_SHA256;
    if (how->iterations == 0)
        how->iterations = 600000;
    if (how->scrypt_n == 0)
        how->scrypt_n = 1 << 14;
    if (how->scrypt_r == 0)
        how->scrypt_r = 8;
    if (how->scrypt_p == 0)
        how->scrypt_p = 5;
}

#define LEAST_ITERATIONS 1000
#define LEAST_SCRYPT_WORK (1 << 13)

/* What may be written of what can be read. After lb_protection_check, so that products are small. */
static gpg_error_t check_writable(const struct limbic_protection *how)
{
    if (how->kdf == LIMBIC_KDF_PBKDF2 && !lb_pbes2_has_prf(how->hash))
        return lb_error(GPG_ERR_INV_VALUE, "PBKDF2: the hash is neither SHA-1 nor of SHA-2");
    if (how->kdf == LIMBIC_KDF_PBKDF2 && how->iterations < LEAST_ITERATIONS)
        return lb_error(GPG_ERR_TOO_SHORT, "PBKDF2: fewer than 1000 iterations");
    if (how->kdf == LIMBIC_KDF_SCRYPT &&
        how->scrypt_n * how->scrypt_r * how->scrypt_p < LEAST_SCRYPT_WORK)
        return lb_error(GPG_ERR_TOO_SHORT, "scrypt: N r p is below 2^13");
    return 0;
}

static gpg_error_t take_protection(struct limbic_protection *how,
                                   const struct limbic_protection *given)
{
    gpg_error_t err = 0;

    if (given)
        err = lb_growing_take(how, sizeof *how, given, FIRST_PROTECTION);
    if (err)
        return err;
    fill_defaults(how);
    if (how->kdf != LIMBIC_KDF_PBKDF2 && how->kdf != LIMBIC_KDF_SCRYPT)
        return lb_error(GPG_ERR_INV_VALUE, "keys are encrypted with PBKDF2 or scrypt");
    if (!lb_cipher_key_size(how->cipher) || how->cipher == LIMBIC_CIPHER_DES_EDE3)
        return lb_error(GPG_ERR_INV_VALUE, "keys are encrypted with AES");
    err = lb_protection_check(how);
    return err ? err : check_writable(how);
}

/* One key on its way out. */
struct export
{
    limbic_key_t key;
    int pem;
    struct lb_phrase passphrase;
    struct lb_protection protection;
    unsigned char salt[SALT];
    unsigned char
        *memory; /* in the arena: the key, then its ciphertext; behind it the result's DER */
    size_t plain, cipher, der, total;
};

/* All lengths, which random numbers do not change. */
static gpg_error_t measure(struct export *e)
{
    lb_der_writer w;
    gpg_error_t err = lb_key_encode(e->key->rsa, LIMBIC_FORMAT_PKCS8, NULL, 0, &e->plain);

    if (err)
        return err;
    e->protection.salt = (struct lb_phrase){e->salt, SALT};
    e->cipher = lb_protection_padded(&e->protection, e->plain);
    lb_der_put_init(&w, NULL, 0);
    lb_pbes2_put(&w, &e->protection, (lb_der_view){NULL, e->cipher});
    err = lb_der_put_finish(&w, &e->der);
    e->total = e->der;
    /* The writer of PEM only counts, and does not look at the octets. */
    if (!err && e->pem)
        err = lb_pem_write(LB_KEY_LABEL_ENCRYPTED, NULL, e->der, NULL, 0, &e->total);
    return err;
}

static gpg_error_t encrypt(struct export *e)
{
    gpg_error_t err = lb_random(e->salt, SALT);

    if (!err)
        err = lb_random(e->protection.iv, lb_cipher_block_size(e->protection.how.cipher));
    if (!err)
        err = lb_key_encode(e->key->rsa, LIMBIC_FORMAT_PKCS8, e->memory, e->plain, &e->plain);
    return err ? err : lb_protection_encrypt(&e->protection, e->passphrase, e->memory, e->plain);
}

static gpg_error_t write(struct export *e, void *buffer, size_t size)
{
    unsigned char *der = e->pem ? e->memory + e->cipher : buffer;
    lb_der_writer w;
    gpg_error_t err;

    lb_der_put_init(&w, der, e->der);
    lb_pbes2_put(&w, &e->protection, (lb_der_view){e->memory, e->cipher});
    err = lb_der_put_finish(&w, &e->der);
    if (!err && e->pem)
        err = lb_pem_write(LB_KEY_LABEL_ENCRYPTED, der, e->der, buffer, size, &e->total);
    return err;
}

gpg_error_t limbic_key_export_encrypted(limbic_key_t key, unsigned flags, const void *passphrase,
                                        size_t passphrase_len, const struct limbic_protection *how,
                                        void *buffer, size_t size, size_t *length)
{
    struct export e = {.key = key, .pem = (flags & LIMBIC_EXPORT_PEM) != 0};
    gpg_error_t err;

    if (!key || !length)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    *length = 0;
    if (flags & ~LIMBIC_EXPORT_PEM)
        return lb_error(GPG_ERR_INV_ARG, "unknown flag");
    err = take_passphrase(&e.passphrase, passphrase, passphrase_len);
    if (!err && passphrase_len == 0)
        err = lb_error(GPG_ERR_INV_PASSPHRASE, "an empty passphrase protects nothing");
    e.protection.how = (struct limbic_protection)LIMBIC_PROTECTION_INIT;
    if (!err)
        err = take_protection(&e.protection.how, how);
    if (!err)
        err = measure(&e);
    if (!err)
        err = lb_output_fits(buffer, size, e.total, length);
    if (err || !buffer)
        return err;
    e.memory = lb_arena_alloc(LB_ARENA_KEYS, e.cipher + e.der);
    err = e.memory ? encrypt(&e) : lb_error(GPG_ERR_ENOMEM, "no memory to encrypt a key");
    if (!err)
        err = write(&e, buffer, size);
    lb_arena_free(e.memory);
    return err;
}
