/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-encrypted.c - encrypted key files: key derivations against published values, files that
 * openssl made, every combination written and read again, passphrases of every kind, limits, and
 * damage at every octet.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <time.h>

#include "core/arena.h"
#include "core/key/pbes2.h"
#include "core/key/pem.h"
#include "core/number/random.h"
#include "tests/keys.h"

static const char pass[] = "limbic";
#define PASS pass, sizeof pass - 1

/* Cheap, for tests that derive often. */
static struct limbic_protection cheap(void)
{
    struct limbic_protection how = LIMBIC_PROTECTION_INIT;

    how.iterations = 1000;
    return how;
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/*
 * Derivations
 */

/* RFC 6070; RFC 7914, sections 11 and 12; the others computed with Python's hashlib. */
static const char x200[] =
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

#define LIT(text) \
    { \
        text, sizeof(text) - 1 \
    }

static const struct {
    enum limbic_hash hash;
    struct lb_phrase passphrase, salt;
    uint64_t iterations;
    const char *key;
} pbkdf2[] = {
    {LIMBIC_HASH_SHA1, LIT("password"), LIT("salt"), 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"},
    {LIMBIC_HASH_SHA1, LIT("password"), LIT("salt"), 4096,
     "4b007901b765489abead49d926f721d065a429c1"},
    {LIMBIC_HASH_SHA1, LIT("passwordPASSWORDpassword"), LIT("saltSALTsaltSALTsaltSALTsaltSALTsalt"),
     4096, "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"},
    {LIMBIC_HASH_SHA1, LIT("pass\0word"), LIT("sa\0lt"), 4096, "56fa6aa75548099dcc37d7f03425e0c3"},
    {LIMBIC_HASH_SHA256, LIT("passwd"), LIT("salt"), 1,
     "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
     "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"},
    {LIMBIC_HASH_SHA512, LIT(x200), LIT(""), 3,
     "9642db3511db3c34dbb0146bacd68d565c49a40bac0866b2a344a29158ccca20"
     "240c2866a7c5dfc72dbdf39d5114e98bd32b4c780d5b3d089233fe287ad25f38c7"},
    {LIMBIC_HASH_SHA224, LIT(""), LIT("salt"), 2,
     "a0c09a7692accf2a54436ecef00381912fc2bdaee5fcf7bfaa7bc8362327deaa"
     "09eeba5bd061fdfbc061042cb12b9399125b61c32c58c529c2"},
    {LIMBIC_HASH_SHA384, LIT("p"), LIT("salt"), 2,
     "80e5c0d3b4f13a8c1cdfb693c15da96ba189e35878e53963b6777ba924026363"
     "78f7dd1e78d8d6010bf1e4f9dacddb93e1"},
    {LIMBIC_HASH_SHA512_224, LIT("p"), LIT("salt"), 2,
     "cdcc4dc4fd71808e388e2745211a76ec9281d3ca95b531bec7ad85b12e"},
    {LIMBIC_HASH_SHA512_256, LIT("p"), LIT("salt"), 2,
     "712f7d4af998510cdf853601d0c3d73ba97d1413460bea28cf28d05f7de8311128"},
};

static const struct {
    struct lb_phrase passphrase, salt;
    uint64_t n, r, p;
    const char *key;
} scrypt[] = {
    {LIT(""), LIT(""), 16, 1, 1,
     "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
     "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"},
    {LIT("password"), LIT("NaCl"), 1024, 8, 16,
     "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
     "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"},
    {LIT("pleaseletmein"), LIT("SodiumChloride"), 16384, 8, 1,
     "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
     "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"},
    {LIT("p"), LIT("salt"), 2, 3, 5,
     "4cd2ae5c892b00958373c98c214c2b5d312f68420ca4c86e06395b73d14312a0"
     "a2c23a53a72cb320bb6cb333d095337abd1f976ec778f8d437f5fba4c0f49186"},
};

static void derivations(void **state)
{
    unsigned char expected[80], key[80];

    (void)state;
    for (size_t i = 0; i < SIZE(pbkdf2); i++) {
        size_t len = from_hex(expected, sizeof expected, pbkdf2[i].key, strlen(pbkdf2[i].key));

        memset(key, 0xaa, sizeof key);
        assert_code(lb_kdf_pbkdf2(pbkdf2[i].hash, pbkdf2[i].passphrase, pbkdf2[i].salt,
                                  pbkdf2[i].iterations, key, len),
                    0);
        assert_memory_equal(key, expected, len);
        assert_int_equal(key[len], 0xaa);
    }
    for (size_t i = 0; i < SIZE(scrypt); i++) {
        size_t len = from_hex(expected, sizeof expected, scrypt[i].key, strlen(scrypt[i].key));

        assert_code(lb_kdf_scrypt(scrypt[i].passphrase, scrypt[i].salt, scrypt[i].n, scrypt[i].r,
                                  scrypt[i].p, key, len),
                    0);
        assert_memory_equal(key, expected, len);
    }
}

/*
 * Helpers
 */

/* The error of importing, and that there is no key then; a key is compared with `same`. */
static gpg_error_t import(const void *data, size_t len, const void *passphrase, size_t n,
                          const struct text *same)
{
    limbic_key_t key = (limbic_key_t)(void *)&key;
    gpg_error_t err = limbic_key_import_encrypted(&key, data, len, passphrase, n, 0);
    static unsigned char out[MAX_KEY];
    size_t size;

    if (err) {
        assert_null(key);
        return err;
    }
    if (same) {
        assert_code(limbic_key_export(key, LIMBIC_FORMAT_PKCS8, 0, out, sizeof out, &size), 0);
        assert_int_equal(size, same->len);
        assert_memory_equal(out, same->data, size);
    }
    limbic_key_free(key);
    return 0;
}

static gpg_error_t export(limbic_key_t key, unsigned flags, const void *passphrase, size_t n,
                          const struct limbic_protection *how, struct text *out)
{
    out->data = malloc(MAX_KEY);
    return limbic_key_export_encrypted(key, flags, passphrase, n, how, out->data, MAX_KEY,
                                       &out->len);
}

/* A small key, its PKCS#8. */
static limbic_key_t small_key(struct text *pkcs8)
{
    *pkcs8 = load("keys/rsa512.pkcs8.der");
    return must_import("keys/rsa512.pkcs8.der");
}

/* An EncryptedPrivateKeyInfo with these parameters and so many octets of nonsense. */
static size_t forge(const struct lb_protection *p, size_t octets, unsigned char *out, size_t room)
{
    static const unsigned char nonsense[64] = {2};
    lb_der_writer w;
    size_t len;

    lb_der_put_init(&w, out, room);
    lb_pbes2_put(&w, p, (lb_der_view){nonsense, octets});
    assert_code(lb_der_put_finish(&w, &len), 0);
    return len;
}

static struct lb_protection forged(enum limbic_kdf kdf)
{
    struct lb_protection p = {.how = LIMBIC_PROTECTION_INIT, .salt = LIT("saltsalt")};

    p.how.kdf = kdf;
    p.how.cipher = LIMBIC_CIPHER_AES128;
    p.how.hash = LIMBIC_HASH_SHA256;
    p.how.iterations = 1000;
    p.how.scrypt_n = 16;
    p.how.scrypt_r = 8;
    p.how.scrypt_p = 1;
    return p;
}

/*
 * Files as others make them, and damaged ones
 */

static void case_files(void **state)
{
    static const struct {
        const char *name;
        enum limbic_kdf kdf;
        enum limbic_cipher cipher;
        gpg_err_code_t code;
    } files[] = {
        {"files/enc-trad-aes128.pem", LIMBIC_KDF_PEM_MD5, LIMBIC_CIPHER_AES128, 0},
        {"files/enc-trad-aes256.pem", LIMBIC_KDF_PEM_MD5, LIMBIC_CIPHER_AES256, 0},
        {"files/enc-trad-des3.pem", LIMBIC_KDF_PEM_MD5, LIMBIC_CIPHER_DES_EDE3, 0},
        /* Ed25519: the passphrase is right, and the kind of key is told. */
        {"files/enc-pbes2.pem", LIMBIC_KDF_PBKDF2, LIMBIC_CIPHER_AES256,
         GPG_ERR_UNSUPPORTED_ALGORITHM},
    };
    limbic_key_t key = must_import("rsa/ok-2048.pem");
    struct text same = {malloc(MAX_KEY), 0};

    (void)state;
    assert_code(limbic_key_export(key, LIMBIC_FORMAT_PKCS8, 0, same.data, MAX_KEY, &same.len), 0);
    for (size_t i = 0; i < SIZE(files); i++) {
        struct limbic_protection found = LIMBIC_PROTECTION_INIT;
        struct text t = load(files[i].name);

        print_message("# %s\n", files[i].name);
        assert_code(limbic_key_protection(t.data, t.len, &found), 0);
        assert_int_equal(found.kdf, files[i].kdf);
        assert_int_equal(found.cipher, files[i].cipher);
        assert_code(import(t.data, t.len, PASS, &same), files[i].code);
        assert_code(import(t.data, t.len, "Limbic", 6, NULL), GPG_ERR_BAD_PASSPHRASE);
        assert_code(import(t.data, t.len, "", 0, NULL), GPG_ERR_BAD_PASSPHRASE);
        assert_code(import(t.data, t.len, "limbic\n", 7, NULL), GPG_ERR_BAD_PASSPHRASE);
        free(t.data);
    }
    free(same.data);
    limbic_key_free(key);
}

/* What is not encrypted needs no passphrase, and has one all the same. */
static void plain_files(void **state)
{
    static const char *const names[] = {"rsa/ok-2048.pem", "keys/rsa512.spki.der"};
    static const char garbage[] = "garbage";
    struct limbic_protection found = LIMBIC_PROTECTION_INIT;

    (void)state;
    for (size_t i = 0; i < SIZE(names); i++) {
        struct text t = load(names[i]);

        found.kdf = LIMBIC_KDF_SCRYPT;
        found.iterations = 5;
        assert_code(limbic_key_protection(t.data, t.len, &found), 0);
        assert_int_equal(found.kdf, LIMBIC_KDF_DEFAULT);
        assert_int_equal(found.iterations, 0);
        assert_int_equal(found.size, sizeof found);
        assert_code(import(t.data, t.len, PASS, NULL), 0);
        free(t.data);
    }
    assert_code(limbic_key_protection(garbage, 7, &found), GPG_ERR_BAD_DATA);
    assert_code(limbic_key_protection(garbage, 0, &found), GPG_ERR_NO_DATA);
}

/* Header lines, damaged. */
static void dek_lines(void **state)
{
#define HEAD "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: "
#define TAIL "\n\nAAAAAAAAAAAAAAAAAAAAAA==\n-----END RSA PRIVATE KEY-----\n"
#define IV "00112233445566778899AABBCCDDEEFF"
    static const struct {
        const char *text;
        gpg_err_code_t code;
    } texts[] = {
        {HEAD "AES-128-CBC," IV TAIL, GPG_ERR_BAD_PASSPHRASE},
        {HEAD "AES-128-CBC,00112233445566778899aabbccddeeff" TAIL, GPG_ERR_BAD_PASSPHRASE},
        {HEAD "AES-192-CBC," IV TAIL, GPG_ERR_BAD_PASSPHRASE},
        {HEAD "DES-EDE3-CBC,0011223344556677" TAIL, GPG_ERR_BAD_PASSPHRASE},
        {HEAD "AES-128-CBC" TAIL, GPG_ERR_INV_ARMOR},
        {HEAD "AES-128-CBC," TAIL, GPG_ERR_INV_ARMOR},
        {HEAD "AES-128-CBC,0011223344556677" TAIL, GPG_ERR_INV_ARMOR},
        {HEAD "AES-128-CBC," IV "00" TAIL, GPG_ERR_INV_ARMOR},
        {HEAD "AES-128-CBC,0" IV TAIL, GPG_ERR_INV_ARMOR},
        {HEAD "AES-128-CBC, " IV TAIL, GPG_ERR_INV_ARMOR},
        {HEAD "AES-128-CBC,0011223344556677x899AABBCCDDEEFF" TAIL, GPG_ERR_INV_ARMOR},
        {HEAD "DES-EDE3-CBC," IV TAIL, GPG_ERR_INV_ARMOR},
        {HEAD "," IV TAIL, GPG_ERR_UNSUPPORTED_PROTECTION},
        {HEAD "DES-CBC,0011223344556677" TAIL, GPG_ERR_UNSUPPORTED_PROTECTION},
        {HEAD "AES-128-GCM," IV TAIL, GPG_ERR_UNSUPPORTED_PROTECTION},
        {HEAD "aes-128-cbc," IV TAIL, GPG_ERR_UNSUPPORTED_PROTECTION},
        {HEAD "AES-128-CBC," IV "\n\nAAAA\n-----END RSA PRIVATE KEY-----\n", GPG_ERR_INV_LENGTH},
        {"-----BEGIN PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC," IV
         "\n\nAAAA\n-----END PRIVATE KEY-----\n",
         GPG_ERR_INV_ARMOR},
        {"-----BEGIN PUBLIC KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC," IV
         "\n\nAAAA\n-----END PUBLIC KEY-----\n",
         GPG_ERR_INV_ARMOR},
        {"-----BEGIN ENCRYPTED PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC," IV
         "\n\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
         GPG_ERR_INV_ARMOR},
        {"-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC," IV
         "\n\nAAAA\n-----END EC PRIVATE KEY-----\n",
         GPG_ERR_UNSUPPORTED_ALGORITHM},
    };

    (void)state;
    for (size_t i = 0; i < SIZE(texts); i++) {
        gpg_err_code_t code = texts[i].code;
        limbic_key_t key;

        print_message("# row %zu\n", i);
        assert_code(import(texts[i].text, strlen(texts[i].text), PASS, NULL), code);
        /* What can be judged without the passphrase is. */
        if (code == GPG_ERR_BAD_PASSPHRASE)
            code = GPG_ERR_NO_PASSPHRASE;
        assert_code(limbic_key_import(&key, texts[i].text, strlen(texts[i].text), 0), code);
        assert_null(key);
    }
}

/*
 * Written and read again
 */

static void check_found(const struct text *t, const struct limbic_protection *how)
{
    struct limbic_protection found = LIMBIC_PROTECTION_INIT;

    assert_code(limbic_key_protection(t->data, t->len, &found), 0);
    assert_int_equal(found.kdf, how->kdf ? how->kdf : LIMBIC_KDF_PBKDF2);
    assert_int_equal(found.cipher, how->cipher ? how->cipher : LIMBIC_CIPHER_AES256);
    if (found.kdf == LIMBIC_KDF_SCRYPT) {
        assert_int_equal(found.hash, 0);
        assert_int_equal(found.iterations, 0);
        assert_int_equal(found.scrypt_n, how->scrypt_n ? how->scrypt_n : 16384);
        assert_int_equal(found.scrypt_r, how->scrypt_r ? how->scrypt_r : 8);
        assert_int_equal(found.scrypt_p, how->scrypt_p ? how->scrypt_p : 5);
    } else {
        assert_int_equal(found.hash, how->hash ? how->hash : LIMBIC_HASH_SHA256);
        assert_int_equal(found.iterations, how->iterations ? how->iterations : 600000);
        assert_int_equal(found.scrypt_n, 0);
    }
}

/* Two files of one key: salt and vector are drawn anew, 16 octets each. */
static void check_fresh(const struct text *a, const struct text *b)
{
    struct lb_protection p, q;
    lb_der_view ciphertext;

    assert_code(lb_pbes2_read(&p, &ciphertext, a->data, a->len), 0);
    assert_code(lb_pbes2_read(&q, &ciphertext, b->data, b->len), 0);
    assert_int_equal(p.salt.len, 16);
    assert_memory_not_equal(p.salt.data, q.salt.data, 16);
    assert_memory_not_equal(p.iv, q.iv, 16);
}

static void round_trip(limbic_key_t key, const struct text *same,
                       const struct limbic_protection *how)
{
    for (unsigned flags = 0; flags <= LIMBIC_EXPORT_PEM; flags++) {
        struct text a, b;
        limbic_key_t none;

        assert_code(export(key, flags, PASS, how, &a), 0);
        assert_code(export(key, flags, PASS, how, &b), 0);
        assert_int_equal(a.len, b.len);
        if (flags == 0)
            check_fresh(&a, &b);
        check_found(&a, how);
        assert_code(import(a.data, a.len, PASS, same), 0);
        assert_code(import(a.data, a.len, "other", 5, same), GPG_ERR_BAD_PASSPHRASE);
        assert_code(limbic_key_import(&none, a.data, a.len, 0), GPG_ERR_NO_PASSPHRASE);
        free(a.data);
        free(b.data);
    }
}

static void round_trips(void **state)
{
    static const enum limbic_hash hashes[] = {
        LIMBIC_HASH_DEFAULT, LIMBIC_HASH_SHA1,   LIMBIC_HASH_SHA224,     LIMBIC_HASH_SHA256,
        LIMBIC_HASH_SHA384,  LIMBIC_HASH_SHA512, LIMBIC_HASH_SHA512_224, LIMBIC_HASH_SHA512_256,
    };
    struct text same;
    limbic_key_t key = small_key(&same);
    struct limbic_protection how;

    (void)state;
    for (int cipher = LIMBIC_CIPHER_DEFAULT; cipher <= LIMBIC_CIPHER_AES256; cipher++) {
        how = cheap();
        how.cipher = (enum limbic_cipher)cipher;
        for (size_t i = 0; i < SIZE(hashes); i++) {
            how.hash = hashes[i];
            round_trip(key, &same, &how);
        }
        how.kdf = LIMBIC_KDF_SCRYPT;
        how.scrypt_n = 1024;
        how.scrypt_p = 1;
        round_trip(key, &same, &how);
        how.scrypt_r = 1;
        how.scrypt_p = 9;
        round_trip(key, &same, &how);
    }
    how = (struct limbic_protection)LIMBIC_PROTECTION_INIT;
    round_trip(key, &same, &how);
    how.kdf = LIMBIC_KDF_SCRYPT;
    round_trip(key, &same, &how);
    limbic_key_free(key);
    free(same.data);
}

/* Every length of padding: DER of consecutive lengths, decrypted again. */
static void paddings(void **state)
{
    struct lb_protection p = forged(LIMBIC_KDF_PBKDF2);
    unsigned char der[80], out[96], *plain;
    const struct lb_phrase phrase = {PASS};
    size_t plain_len;

    (void)state;
    memset(der, 0, sizeof der);
    for (size_t len = 5; len < sizeof der; len++) {
        size_t padded = lb_protection_padded(&p, len);

        assert_true(padded > len && padded <= len + 16 && padded % 16 == 0);
        der[0] = 0x30;
        der[1] = (unsigned char)(len - 2);
        der[2] = 0x02;
        memcpy(out, der, len);
        assert_code(lb_protection_encrypt(&p, phrase, out, len), 0);
        assert_code(
            lb_protection_decrypt(&p, (lb_der_view){out, padded}, &phrase, &plain, &plain_len), 0);
        assert_int_equal(plain_len, len);
        assert_memory_equal(plain, der, len);
        lb_arena_free(plain);
    }
}

/* Wrong paddings and contents are one error. The cipher is undone by its own mode: a flip in a block
   of ciphertext flips the same bit of the next block's plaintext. */
static void wrong_paddings(void **state)
{
    struct lb_protection p = forged(LIMBIC_KDF_PBKDF2);
    const struct lb_phrase phrase = {PASS};
    unsigned char der[48] = {0x30, 40, 0x02}, out[48], *plain;
    size_t plain_len;

    (void)state;
    assert_code(lb_protection_encrypt(&p, phrase, der, 42), 0); /* six octets of padding */
    for (unsigned last = 0; last < 256; last++)
        for (unsigned at = 26; at <= 31; at++) {
            memcpy(out, der, sizeof out);
            out[31] ^= (unsigned char)(6 ^ last);
            if (at < 31)
                out[at] ^= 1;
            /* Padding 1 is well-formed by itself, but then the DER is not all. */
            assert_code(
                lb_protection_decrypt(&p, (lb_der_view){out, 48}, &phrase, &plain, &plain_len),
                at == 31 && last == 6 ? 0 : GPG_ERR_BAD_PASSPHRASE);
            assert_int_equal(plain != NULL, at == 31 && last == 6);
            lb_arena_free(plain);
        }
    /* The vector is in front of the first block: tag of the whole, its length, tag of the first. */
    for (unsigned at = 0; at < 3; at++) {
        p.iv[at] ^= 1;
        assert_code(lb_protection_decrypt(&p, (lb_der_view){der, 48}, &phrase, &plain, &plain_len),
                    GPG_ERR_BAD_PASSPHRASE);
        p.iv[at] ^= 1;
    }
}

/*
 * Passphrases
 */

static void passphrases(void **state)
{
    static unsigned char big[LIMBIC_PASSPHRASE_MOST + 1];
    const struct limbic_protection how = cheap();
    static const size_t lengths[] = {1, 63, 64, 65, 200, 1024, LIMBIC_PASSPHRASE_MOST};
    struct text same, t;
    limbic_key_t key = small_key(&same), none;

    (void)state;
    for (size_t i = 0; i < sizeof big; i++)
        big[i] = (unsigned char)(i % 251); /* NUL, CR, LF among them */
    for (size_t i = 0; i < SIZE(lengths); i++) {
        assert_code(export(key, 0, big, lengths[i], &how, &t), 0);
        assert_code(import(t.data, t.len, big, lengths[i], &same), 0);
        if (lengths[i] > 1)
            assert_code(import(t.data, t.len, big, lengths[i] - 1, &same), GPG_ERR_BAD_PASSPHRASE);
        assert_code(import(t.data, t.len, big + 1, lengths[i], &same), GPG_ERR_BAD_PASSPHRASE);
        free(t.data);
    }
    /* Octets behind a NUL count; an end of line is one octet more. */
    assert_code(export(key, 0, "a\0b", 3, &how, &t), 0);
    assert_code(import(t.data, t.len, "a\0b", 3, &same), 0);
    assert_code(import(t.data, t.len, "a\0c", 3, &same), GPG_ERR_BAD_PASSPHRASE);
    assert_code(import(t.data, t.len, "a", 1, &same), GPG_ERR_BAD_PASSPHRASE);
    assert_code(import(t.data, t.len, "a\0b\n", 4, &same), GPG_ERR_BAD_PASSPHRASE);
    /* Refusals. */
    assert_code(import(t.data, t.len, NULL, 0, &same), GPG_ERR_INV_ARG);
    assert_code(import(t.data, t.len, big, sizeof big, &same), GPG_ERR_TOO_LARGE);
    assert_code(limbic_key_import_encrypted(NULL, t.data, t.len, PASS, 0), GPG_ERR_INV_ARG);
    assert_code(limbic_key_import_encrypted(&none, t.data, t.len, PASS, 2), GPG_ERR_INV_ARG);
    assert_code(limbic_key_import_encrypted(&none, NULL, 1, PASS, 0), GPG_ERR_INV_ARG);
    free(t.data);
    assert_code(export(key, 0, big, sizeof big, &how, &t), GPG_ERR_TOO_LARGE);
    free(t.data);
    assert_code(export(key, 0, "", 0, &how, &t), GPG_ERR_INV_PASSPHRASE);
    assert_int_equal(t.len, 0);
    free(t.data);
    assert_code(export(key, 0, NULL, 0, &how, &t), GPG_ERR_INV_ARG);
    free(t.data);
    limbic_key_free(key);
    free(same.data);
}

/* A file with parameters that the library reads and would not write. */
static struct text sealed(const struct lb_protection *p, struct lb_phrase passphrase,
                          const struct text *pkcs8, int pem)
{
    unsigned char cipher[1024], der[1200];
    struct text t = {malloc(MAX_KEY), 0};
    lb_der_writer w;
    size_t len;

    memcpy(cipher, pkcs8->data, pkcs8->len);
    assert_code(lb_protection_encrypt(p, passphrase, cipher, pkcs8->len), 0);
    lb_der_put_init(&w, der, sizeof der);
    lb_pbes2_put(&w, p, (lb_der_view){cipher, lb_protection_padded(p, pkcs8->len)});
    assert_code(lb_der_put_finish(&w, &len), 0);
    if (pem) {
        assert_code(
            lb_pem_write("ENCRYPTED PRIVATE KEY", der, len, (char *)t.data, MAX_KEY, &t.len), 0);
    } else {
        memcpy(t.data, der, len);
        t.len = len;
    }
    return t;
}

/* Others write keys under the empty passphrase: it can be read. */
static void empty_passphrase(void **state)
{
    struct lb_protection p = forged(LIMBIC_KDF_PBKDF2);
    struct text same, t;
    limbic_key_t key = small_key(&same);

    (void)state;
    t = sealed(&p, (struct lb_phrase){"", 0}, &same, 0);
    assert_code(import(t.data, t.len, "", 0, &same), 0);
    assert_code(import(t.data, t.len, "x", 1, &same), GPG_ERR_BAD_PASSPHRASE);
    free(t.data);
    limbic_key_free(key);
    free(same.data);
}

/* Inside the encryption the rules are those of plain files: nothing behind the key, and no
   other format than the outside promises. */
static void contents(void **state)
{
    static const char *const names[] = {"keys/rsa512.pkcs1.der", "keys/rsa512.spki.der"};
    static const gpg_err_code_t codes[] = {GPG_ERR_INV_TAG, GPG_ERR_BAD_PASSPHRASE};
    struct lb_protection p = forged(LIMBIC_KDF_PBKDF2);
    struct lb_phrase phrase = {PASS};
    struct text same, t;
    limbic_key_t key = small_key(&same);

    (void)state;
    for (size_t more = 1; more < 20; more++) {
        struct text longer = {calloc(1, same.len + more), same.len + more};

        memcpy(longer.data, same.data, same.len);
        t = sealed(&p, phrase, &longer, more % 2);
        assert_code(import(t.data, t.len, PASS, NULL), GPG_ERR_BAD_PASSPHRASE);
        free(t.data);
        free(longer.data);
    }
    for (size_t i = 0; i < SIZE(names); i++) {
        struct text other = load(names[i]);

        t = sealed(&p, phrase, &other, 0);
        assert_code(import(t.data, t.len, PASS, NULL), codes[i]);
        free(t.data);
        free(other.data);
    }
    limbic_key_free(key);
    free(same.data);
}

/* Numbers that do not fit: an error of the key, or a key to be checked. */
static void bad_numbers(void **state)
{
    struct lb_protection p = forged(LIMBIC_KDF_PBKDF2);
    struct text same, t;
    limbic_key_t key = small_key(&same), lenient;

    (void)state;
    same.data[same.len - 1] ^= 2; /* of q^-1 mod p */
    t = sealed(&p, (struct lb_phrase){PASS}, &same, 0);
    assert_code(import(t.data, t.len, PASS, NULL), GPG_ERR_BAD_SECKEY);
    assert_code(limbic_key_import_encrypted(&lenient, t.data, t.len, PASS, LIMBIC_IMPORT_LENIENT),
                0);
    assert_code(limbic_key_check(lenient), GPG_ERR_BAD_SECKEY);
    limbic_key_free(lenient);
    free(t.data);
    limbic_key_free(key);
    free(same.data);
}

/*
 * Limits
 */

static void limits(void **state)
{
    static const struct {
        enum limbic_kdf kdf;
        uint64_t a, n, r, p; /* a: iterations */
        gpg_err_code_t code;
    } rows[] = {
        {LIMBIC_KDF_PBKDF2, 0, 0, 0, 0, GPG_ERR_INV_VALUE},
        {LIMBIC_KDF_PBKDF2, 1, 0, 0, 0, GPG_ERR_BAD_PASSPHRASE},
        {LIMBIC_KDF_PBKDF2, LIMBIC_PBKDF2_MOST_ITERATIONS + 1, 0, 0, 0, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_PBKDF2, 0x7fffffff, 0, 0, 0, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_PBKDF2, 0x80000000, 0, 0, 0, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_PBKDF2, 0x100000001, 0, 0, 0, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_PBKDF2, UINT64_MAX, 0, 0, 0, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_SCRYPT, 0, 2, 1, 1, GPG_ERR_BAD_PASSPHRASE},
        {LIMBIC_KDF_SCRYPT, 0, 0, 8, 1, GPG_ERR_INV_VALUE},
        {LIMBIC_KDF_SCRYPT, 0, 1, 8, 1, GPG_ERR_INV_VALUE},
        {LIMBIC_KDF_SCRYPT, 0, 3, 8, 1, GPG_ERR_INV_VALUE},
        {LIMBIC_KDF_SCRYPT, 0, 16383, 8, 1, GPG_ERR_INV_VALUE},
        {LIMBIC_KDF_SCRYPT, 0, 16, 0, 1, GPG_ERR_INV_VALUE},
        {LIMBIC_KDF_SCRYPT, 0, 16, 8, 0, GPG_ERR_INV_VALUE},
        {LIMBIC_KDF_SCRYPT, 0, 1 << 15, 1, 1, GPG_ERR_BAD_PASSPHRASE},
        {LIMBIC_KDF_SCRYPT, 0, 1 << 16, 1, 1, GPG_ERR_INV_VALUE},
        {LIMBIC_KDF_SCRYPT, 0, 1 << 18, 8, 1, GPG_ERR_TOO_LARGE}, /* 256 MiB and a block */
        {LIMBIC_KDF_SCRYPT, 0, UINT64_C(1) << 40, 8, 1, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_SCRYPT, 0, UINT64_C(1) << 63, 8, 1, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_SCRYPT, 0, UINT64_C(1) << 32, UINT64_C(1) << 32, 1, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_SCRYPT, 0, 2, UINT64_C(1) << 61, 1, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_SCRYPT, 0, 2, 8, UINT64_C(1) << 61, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_SCRYPT, 0, 2, 8, UINT64_MAX, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_SCRYPT, 0, 2, 1 << 20, 1, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_SCRYPT, 0, 2, 1, 1 << 21, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_SCRYPT, 0, 1 << 14, 8, 129, GPG_ERR_TOO_LARGE}, /* work above 2^24 */
        {LIMBIC_KDF_SCRYPT, 0, 2, 1, (1 << 16) + 1, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_SCRYPT, 0, 2, (1 << 16) + 1, 1, GPG_ERR_TOO_LARGE},
        {LIMBIC_KDF_SCRYPT, 0, 1 << 15, 64, 1, GPG_ERR_TOO_LARGE}, /* 256 MiB and two blocks */
    };
    unsigned char der[256];

    (void)state;
    for (size_t i = 0; i < SIZE(rows); i++) {
        struct lb_protection p = forged(rows[i].kdf);
        struct limbic_protection found = LIMBIC_PROTECTION_INIT;
        double start = seconds();
        size_t len;

        p.how.iterations = rows[i].a;
        p.how.scrypt_n = rows[i].n;
        p.how.scrypt_r = rows[i].r;
        p.how.scrypt_p = rows[i].p;
        len = forge(&p, 64, der, sizeof der);
        print_message("# row %zu\n", i);
        assert_code(import(der, len, PASS, NULL), rows[i].code);
        assert_true(seconds() - start < 5);
        /* They are told all the same. */
        assert_code(limbic_key_protection(der, len, &found), 0);
        assert_int_equal(found.kdf, rows[i].kdf);
        assert_true(rows[i].kdf == LIMBIC_KDF_PBKDF2 ? found.iterations == rows[i].a
                                                     : found.scrypt_p == rows[i].p);
    }
}

/* What costs in products: a salt that is hashed for every piece, iterations for every piece. */
static void limits_of_pieces(void **state)
{
    static const struct {
        enum limbic_cipher cipher;
        enum limbic_hash hash;
        uint64_t most;
    } rows[] = {
        {LIMBIC_CIPHER_AES256, LIMBIC_HASH_SHA1, LIMBIC_PBKDF2_MOST_ITERATIONS / 2},
        {LIMBIC_CIPHER_AES256, LIMBIC_HASH_SHA512_224, LIMBIC_PBKDF2_MOST_ITERATIONS / 2},
        {LIMBIC_CIPHER_AES192, LIMBIC_HASH_SHA1, LIMBIC_PBKDF2_MOST_ITERATIONS / 2},
        {LIMBIC_CIPHER_AES128, LIMBIC_HASH_SHA1, LIMBIC_PBKDF2_MOST_ITERATIONS},
        {LIMBIC_CIPHER_AES256, LIMBIC_HASH_SHA256, LIMBIC_PBKDF2_MOST_ITERATIONS},
    };
    static const unsigned char salt[LIMBIC_SALT_MOST + 1];
    unsigned char der[LIMBIC_SALT_MOST + 256];
    struct lb_protection p;
    size_t len;

    (void)state;
    for (size_t i = 0; i < SIZE(rows); i++) {
        p = forged(LIMBIC_KDF_PBKDF2);
        p.how.cipher = rows[i].cipher;
        p.how.hash = rows[i].hash;
        p.how.iterations = rows[i].most + 1;
        len = forge(&p, 64, der, sizeof der);
        assert_code(import(der, len, PASS, NULL), GPG_ERR_TOO_LARGE);
        p.how.iterations = rows[i].most;
        assert_code(lb_protection_check(&p.how), 0);
    }
    for (int kdf = LIMBIC_KDF_PBKDF2; kdf <= LIMBIC_KDF_SCRYPT; kdf++) {
        p = forged((enum limbic_kdf)kdf);
        p.salt = (struct lb_phrase){salt, LIMBIC_SALT_MOST};
        len = forge(&p, 64, der, sizeof der);
        assert_code(import(der, len, PASS, NULL), GPG_ERR_BAD_PASSPHRASE);
        p.salt.len++;
        len = forge(&p, 64, der, sizeof der);
        assert_code(import(der, len, PASS, NULL), GPG_ERR_TOO_LARGE);
    }
}

/* Parameters as octets: numbers that are negative or larger than any, other algorithms, lengths. */
static void parameters(void **state)
{
#define PBKDF2 "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0c"
#define SHA256 "\x30\x0c\x06\x08\x2a\x86\x48\x86\xf7\x0d\x02\x09\x05\x00"
#define AES128 "\x06\x09\x60\x86\x48\x01\x65\x03\x04\x01\x02"
#define IV16 "\x04\x10iviviviviviviviv"
#define CIPHER "\x30\x1d" AES128 IV16
#define TEXT "\x04\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    static const struct {
        const char *text;
        struct lb_phrase kdf, cipher, more, ciphertext;
        gpg_err_code_t code;
    } rows[] = {
        {"sound", LIT(PBKDF2 "\x30\x15\x04\x01s\x02\x02\x03\xe8" SHA256), LIT(CIPHER), LIT(""),
         LIT(TEXT), GPG_ERR_BAD_PASSPHRASE},
        {"the default function", LIT(PBKDF2 "\x30\x07\x04\x01s\x02\x02\x03\xe8"), LIT(CIPHER),
         LIT(""), LIT(TEXT), GPG_ERR_BAD_PASSPHRASE},
        {"no salt", LIT(PBKDF2 "\x30\x06\x04\x00\x02\x02\x03\xe8"), LIT(CIPHER), LIT(""), LIT(TEXT),
         GPG_ERR_BAD_PASSPHRASE},
        {"a function without NULL",
         LIT(PBKDF2
             "\x30\x13\x04\x01s\x02\x02\x03\xe8\x30\x0a\x06\x08\x2a\x86\x48\x86\xf7\x0d\x02\x09"),
         LIT(CIPHER), LIT(""), LIT(TEXT), GPG_ERR_BAD_PASSPHRASE},
        {"key length", LIT(PBKDF2 "\x30\x0a\x04\x01s\x02\x02\x03\xe8\x02\x01\x10"), LIT(CIPHER),
         LIT(""), LIT(TEXT), GPG_ERR_BAD_PASSPHRASE},
        {"another key length", LIT(PBKDF2 "\x30\x0a\x04\x01s\x02\x02\x03\xe8\x02\x01\x20"),
         LIT(CIPHER), LIT(""), LIT(TEXT), GPG_ERR_INV_LENGTH},
        {"key length 0", LIT(PBKDF2 "\x30\x0a\x04\x01s\x02\x02\x03\xe8\x02\x01\x00"), LIT(CIPHER),
         LIT(""), LIT(TEXT), GPG_ERR_INV_LENGTH},
        {"-1 iterations", LIT(PBKDF2 "\x30\x06\x04\x01s\x02\x01\xff"), LIT(CIPHER), LIT(""),
         LIT(TEXT), GPG_ERR_INV_VALUE},
        {"iterations of 9 octets", LIT(PBKDF2 "\x30\x0e\x04\x01s\x02\x09\x01\0\0\0\0\0\0\0\0"),
         LIT(CIPHER), LIT(""), LIT(TEXT), GPG_ERR_TOO_LARGE},
        {"iterations that are not minimal", LIT(PBKDF2 "\x30\x08\x04\x01s\x02\x03\x00\x03\xe8"),
         LIT(CIPHER), LIT(""), LIT(TEXT), GPG_ERR_NOT_DER_ENCODED},
        {"no iterations", LIT(PBKDF2 "\x30\x03\x04\x01s"), LIT(CIPHER), LIT(""), LIT(TEXT),
         GPG_ERR_TOO_SHORT},
        {"a salt from elsewhere", LIT(PBKDF2 "\x30\x06\x30\x00\x02\x02\x03\xe8"), LIT(CIPHER),
         LIT(""), LIT(TEXT), GPG_ERR_UNSUPPORTED_PROTECTION},
        {"HMAC over MD5",
         LIT(PBKDF2 "\x30\x15\x04\x01s\x02\x02\x03\xe8\x30\x0c\x06\x08\x2a\x86\x48\x86\xf7\x0d\x02"
                    "\x06\x05\x00"),
         LIT(CIPHER), LIT(""), LIT(TEXT), GPG_ERR_UNSUPPORTED_PROTECTION},
        {"another derivation", LIT("\x06\x01\x2a\x30\x00"), LIT(CIPHER), LIT(""), LIT(TEXT),
         GPG_ERR_UNSUPPORTED_PROTECTION},
        {"a surplus element in PBKDF2", LIT(PBKDF2 "\x30\x09\x04\x01s\x02\x02\x03\xe8\x05\x00"),
         LIT(CIPHER), LIT(""), LIT(TEXT), GPG_ERR_BAD_DATA},
        {"a surplus element behind it", LIT(PBKDF2 "\x30\x07\x04\x01s\x02\x02\x03\xe8\x05\x00"),
         LIT(CIPHER), LIT(""), LIT(TEXT), GPG_ERR_BAD_DATA},
        {"a surplus element in PBES2", LIT(PBKDF2 "\x30\x07\x04\x01s\x02\x02\x03\xe8"),
         LIT(CIPHER "\x05\x00"), LIT(""), LIT(TEXT), GPG_ERR_BAD_DATA},
        {"a surplus element behind the ciphertext", LIT(PBKDF2 "\x30\x07\x04\x01s\x02\x02\x03\xe8"),
         LIT(CIPHER), LIT(""), LIT(TEXT "\x05\x00"), GPG_ERR_BAD_DATA},
        {"a surplus element in the algorithm", LIT(PBKDF2 "\x30\x07\x04\x01s\x02\x02\x03\xe8"),
         LIT(CIPHER), LIT("\x05\x00"), LIT(TEXT), GPG_ERR_BAD_DATA},
        {"a short vector", LIT(PBKDF2 "\x30\x07\x04\x01s\x02\x02\x03\xe8"),
         LIT("\x30\x1c" AES128 "\x04\x0fivivivivivivivi"), LIT(""), LIT(TEXT), GPG_ERR_INV_LENGTH},
        {"no vector", LIT(PBKDF2 "\x30\x07\x04\x01s\x02\x02\x03\xe8"),
         LIT("\x30\x0d" AES128 "\x05\x00"), LIT(""), LIT(TEXT), GPG_ERR_INV_TAG},
        {"AES-128 in mode GCM", LIT(PBKDF2 "\x30\x07\x04\x01s\x02\x02\x03\xe8"),
         LIT("\x30\x1d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x01\x06" IV16), LIT(""), LIT(TEXT),
         GPG_ERR_UNSUPPORTED_PROTECTION},
        {"half a block", LIT(PBKDF2 "\x30\x07\x04\x01s\x02\x02\x03\xe8"), LIT(CIPHER), LIT(""),
         LIT("\x04\x08\0\0\0\0\0\0\0\0"), GPG_ERR_INV_LENGTH},
        {"no ciphertext", LIT(PBKDF2 "\x30\x07\x04\x01s\x02\x02\x03\xe8"), LIT(CIPHER), LIT(""),
         LIT("\x04\x00"), GPG_ERR_INV_LENGTH},
    };
    static const unsigned char pbes2[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0d};
    unsigned char der[256];

    (void)state;
    for (size_t i = 0; i < SIZE(rows); i++) {
        gpg_err_code_t code = rows[i].code;
        limbic_key_t none;
        lb_der_writer w;
        size_t len;

        lb_der_put_init(&w, der, sizeof der);
        lb_der_put_open(&w, LB_DER_SEQUENCE);
        lb_der_put_open(&w, LB_DER_SEQUENCE);
        lb_der_put_oid(&w, LB_DER_VIEW(pbes2));
        lb_der_put_open(&w, LB_DER_SEQUENCE);
        lb_der_put_open(&w, LB_DER_SEQUENCE);
        lb_der_put_raw(&w, rows[i].kdf.data, rows[i].kdf.len);
        lb_der_put_close(&w);
        lb_der_put_raw(&w, rows[i].cipher.data, rows[i].cipher.len);
        lb_der_put_close(&w);
        lb_der_put_raw(&w, rows[i].more.data, rows[i].more.len);
        lb_der_put_close(&w);
        lb_der_put_raw(&w, rows[i].ciphertext.data, rows[i].ciphertext.len);
        lb_der_put_close(&w);
        assert_code(lb_der_put_finish(&w, &len), 0);
        print_message("# %s\n", rows[i].text);
        assert_code(import(der, len, PASS, NULL), code);
        if (code == GPG_ERR_BAD_PASSPHRASE)
            code = GPG_ERR_NO_PASSPHRASE;
        assert_code(limbic_key_import(&none, der, len, 0), code);
    }
}

/* The old ways are named. */
static void old_ways(void **state)
{
    static const struct {
        struct lb_phrase oid;
        const char *name;
    } rows[] = {
        {LIT("\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01\x03"), "PKCS#12"},
        {LIT("\x2a\x86\x48\x86\xf7\x0d\x01\x05\x03"), "PBES1"},
        {LIT("\x2a\x03"), "unknown"},
    };
    unsigned char der[128];

    (void)state;
    for (size_t i = 0; i < SIZE(rows); i++) {
        lb_der_writer w;
        size_t len;

        lb_der_put_init(&w, der, sizeof der);
        lb_der_put_open(&w, LB_DER_SEQUENCE);
        lb_der_put_open(&w, LB_DER_SEQUENCE);
        lb_der_put_oid(&w, (lb_der_view){rows[i].oid.data, rows[i].oid.len});
        lb_der_put_open(&w, LB_DER_SEQUENCE);
        lb_der_put_octets(&w, (const uint8_t *)"saltsalt", 8);
        lb_der_put_integer_small(&w, 2048);
        lb_der_put_close(&w);
        lb_der_put_close(&w);
        lb_der_put_octets(&w, (const uint8_t *)"ciphertext......", 16);
        lb_der_put_close(&w);
        assert_code(lb_der_put_finish(&w, &len), 0);
        assert_code(import(der, len, PASS, NULL), GPG_ERR_UNSUPPORTED_PROTECTION);
        assert_non_null(strstr(limbic_error_detail(), rows[i].name));
    }
}

static void export_limits(void **state)
{
    static const struct {
        enum limbic_kdf kdf;
        enum limbic_cipher cipher;
        enum limbic_hash hash;
        uint64_t a, n, r, p;
        gpg_err_code_t code;
    } rows[] = {
        {0, 0, 0, 999, 0, 0, 0, GPG_ERR_TOO_SHORT},
        {0, 0, 0, LIMBIC_PBKDF2_MOST_ITERATIONS + 1, 0, 0, 0, GPG_ERR_TOO_LARGE},
        {0, 0, LIMBIC_HASH_MD5, 0, 0, 0, 0, GPG_ERR_INV_VALUE},
        {0, 0, LIMBIC_HASH_NONE, 0, 0, 0, 0, GPG_ERR_INV_VALUE},
        {0, 0, LIMBIC_HASH_SHA3_256, 0, 0, 0, 0, GPG_ERR_INV_VALUE},
        {0, 0, 99, 0, 0, 0, 0, GPG_ERR_INV_VALUE},
        {0, LIMBIC_CIPHER_DES_EDE3, 0, 0, 0, 0, 0, GPG_ERR_INV_VALUE},
        {0, 5, 0, 0, 0, 0, 0, GPG_ERR_INV_VALUE},
        {LIMBIC_KDF_PEM_MD5, 0, 0, 0, 0, 0, 0, GPG_ERR_INV_VALUE},
        {4, 0, 0, 0, 0, 0, 0, GPG_ERR_INV_VALUE},
        {LIMBIC_KDF_SCRYPT, 0, 0, 0, 3, 0, 0, GPG_ERR_INV_VALUE},
        {LIMBIC_KDF_SCRYPT, 0, 0, 0, 512, 8, 1, GPG_ERR_TOO_SHORT},
        {LIMBIC_KDF_SCRYPT, 0, 0, 0, 1 << 20, 8, 1, GPG_ERR_TOO_LARGE},
    };
    struct text same, t;
    limbic_key_t key = small_key(&same), public_key;
    struct limbic_protection how = cheap();

    (void)state;
    for (size_t i = 0; i < SIZE(rows); i++) {
        struct limbic_protection p = {sizeof p,  rows[i].kdf, rows[i].cipher, rows[i].hash,
                                      rows[i].a, rows[i].n,   rows[i].r,      rows[i].p};

        assert_code(export(key, 0, PASS, &p, &t), rows[i].code);
        assert_int_equal(t.len, 0);
        free(t.data);
    }
    how.size = 0;
    assert_code(export(key, 0, PASS, &how, &t), GPG_ERR_INV_ARG);
    free(t.data);
    how = cheap();
    assert_code(export(key, 2, PASS, &how, &t), GPG_ERR_INV_ARG);
    free(t.data);
    assert_code(export(NULL, 0, PASS, &how, &t), GPG_ERR_INV_ARG);
    free(t.data);
    assert_code(limbic_key_public(key, &public_key), 0);
    assert_code(export(public_key, 0, PASS, &how, &t), GPG_ERR_NO_SECKEY);
    free(t.data);
    limbic_key_free(public_key);
    limbic_key_free(key);
    free(same.data);
}

/* Lengths asked for, too small, exact. */
static void buffers(void **state)
{
    const struct limbic_protection how = cheap();
    struct text same;
    limbic_key_t key = small_key(&same);
    guarded g = guarded_new(4096);

    (void)state;
    for (unsigned flags = 0; flags <= LIMBIC_EXPORT_PEM; flags++) {
        size_t needed, length;
        unsigned char *p;

        assert_code(limbic_key_export_encrypted(key, flags, PASS, &how, NULL, 0, &needed), 0);
        p = guarded_room(g, needed);
        memset(p, 0x55, needed);
        assert_code(limbic_key_export_encrypted(key, flags, PASS, &how, p, needed - 1, &length),
                    GPG_ERR_BUFFER_TOO_SHORT);
        assert_int_equal(length, needed);
        for (size_t i = 0; i < needed; i++)
            assert_int_equal(p[i], 0x55);
        assert_code(limbic_key_export_encrypted(key, flags, PASS, &how, p, needed, &length), 0);
        assert_int_equal(length, needed);
        assert_code(import(p, length, PASS, &same), 0);
    }
    guarded_free(g);
    limbic_key_free(key);
    free(same.data);
}

static gpg_error_t no_random(void *opaque, void *buf, size_t len)
{
    (void)opaque;
    memset(buf, 0, len);
    return gpg_err_make(GPG_ERR_SOURCE_USER_1, GPG_ERR_NOT_OPERATIONAL);
}

static void without_randomness(void **state)
{
    const struct limbic_protection how = cheap();
    struct text same, t;
    limbic_key_t key = small_key(&same);

    (void)state;
    lb_random_hook(no_random, NULL);
    t.data = calloc(1, MAX_KEY);
    assert_int_equal(
        gpg_err_code(limbic_key_export_encrypted(key, 0, PASS, &how, t.data, MAX_KEY, &t.len)),
        GPG_ERR_NOT_OPERATIONAL);
    lb_random_hook(NULL, NULL);
    for (size_t i = 0; i < MAX_KEY; i++)
        assert_int_equal(t.data[i], 0);
    free(t.data);
    limbic_key_free(key);
    free(same.data);
}

/*
 * Damage
 */

/* Every prefix, and every bit changed: an error, or the key itself where the text says the same. */
static void damage(const struct text *t, const struct text *same, unsigned *alike)
{
    guarded g = guarded_new(t->len);

    *alike = 0;
    for (size_t len = 0; len < t->len; len++) {
        gpg_error_t err = import(guarded_copy(g, t->data, len), len, PASS, same);

        *alike += err == 0;
        if (err == 0 && len + 2 < t->len)
            fail_msg("the first %zu octets of %zu are a key", len, t->len);
    }
    for (size_t bit = 0; bit < 8 * t->len; bit++) {
        unsigned char *p = guarded_copy(g, t->data, t->len);
        gpg_error_t err;

        p[bit / 8] ^= (unsigned char)(1 << bit % 8);
        err = import(p, t->len, PASS, same);
        *alike += err == 0;
        if (err && !*limbic_error_detail())
            fail_msg("bit %zu: no detail", bit);
    }
    guarded_free(g);
}

static void damaged(void **state)
{
    static const char *const trad = "keys/rsa512.traditional-aes128.pem";
    struct lb_arena_stats before, after;
    struct text same, t;
    limbic_key_t key = small_key(&same);
    unsigned alike;

    (void)state;
    lb_arena_stats(&before);
    for (int pem = 0; pem < 2; pem++)
        for (int kdf = LIMBIC_KDF_PBKDF2; kdf <= LIMBIC_KDF_SCRYPT; kdf++) {
            struct lb_protection p = forged((enum limbic_kdf)kdf);

            p.how.iterations = 3;
            p.how.scrypt_r = 1;
            t = sealed(&p, (struct lb_phrase){PASS}, &same, pem);
            damage(&t, &same, &alike);
            print_message("# PEM %d, kdf %d: %u say the same\n", pem, kdf, alike);
            assert_int_equal(alike, pem); /* without the last end of line */
            free(t.data);
        }
    t = load(trad);
    damage(&t, &same, &alike);
    print_message("# traditional: %u say the same\n", alike);
    assert_true(alike < 33); /* hexadecimal digits of either case */
    free(t.data);
    lb_arena_stats(&after);
    assert_int_equal(after.allocations, before.allocations);
    limbic_key_free(key);
    free(same.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivations),      cmocka_unit_test(case_files),
        cmocka_unit_test(plain_files),      cmocka_unit_test(dek_lines),
        cmocka_unit_test(round_trips),      cmocka_unit_test(paddings),
        cmocka_unit_test(wrong_paddings),   cmocka_unit_test(passphrases),
        cmocka_unit_test(empty_passphrase), cmocka_unit_test(contents),
        cmocka_unit_test(bad_numbers),      cmocka_unit_test(limits),
        cmocka_unit_test(limits_of_pieces), cmocka_unit_test(parameters),
        cmocka_unit_test(old_ways),         cmocka_unit_test(export_limits),
        cmocka_unit_test(buffers),          cmocka_unit_test(without_randomness),
        cmocka_unit_test(damaged),
    };

    return cmocka_run_group_tests_name("encrypted", tests, NULL, NULL);
}
