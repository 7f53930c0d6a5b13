/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-rsa-encrypt.c - RSA encryption: published and made cases of decryption, round trips over
 * paddings, digests and key shapes, what is refused and how; and the batch calls.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/key/key.h"
#include "core/number/random.h"
#include "core/scheme/pkcs1.h"
#include "tests/keys.h"

static const char message[] = "a message of no importance";
#define MESSAGE message, sizeof message - 1
#define MESSAGE_LEN (sizeof message - 1)

static struct limbic_params encrypting(enum limbic_padding padding, enum limbic_hash hash,
                                       enum limbic_hash mgf_hash)
{
    return params_of(padding, hash, mgf_hash, LIMBIC_SALT_DEFAULT);
}

/* The fields of a row, at the bars, without blanks around them; NULL at the end of the file. */
static char *next_row(char **text, char *fields[], int count)
{
    char *line, *at;

    do {
        line = *text;
        if (!*line)
            return NULL;
        *text += strcspn(line, "\n");
        if (**text)
            *(*text)++ = 0;
    } while (*line == '#' || !*line);
    at = line;
    for (int i = 0; i < count; i++) {
        size_t len = strcspn(at, "|");
        char *next = at + len + (at[len] == '|');
        at[len] = 0;
        at += strspn(at, " ");
        fields[i] = at;
        for (len = strlen(at); len && at[len - 1] == ' ';)
            at[--len] = 0;
        at = next;
    }
    return line;
}

static size_t hex(unsigned char *out, const char *text)
{
    return from_hex(out, MAX_SIGNATURE, text, strlen(text));
}

/*
 * Decryption of given ciphertexts
 */

/* Decrypts by the call for one and by the batch, which agree. */
static gpg_error_t decrypt(limbic_key_t key, const struct limbic_params *params,
                           const unsigned char *c, size_t len, unsigned char *out, size_t *out_len)
{
    unsigned char other[MAX_SIGNATURE];
    struct limbic_decrypt_item item = {sizeof item, key,          params, c, len,
                                       other,       sizeof other, 12345,  0};
    gpg_error_t err, batch = limbic_decrypt_batch(&item, 1);

    assert_int_equal(batch, item.error);
    err = limbic_decrypt(key, params, c, len, out, MAX_SIGNATURE, out_len);
    assert_int_equal(err, batch);
    assert_int_equal(*out_len, item.message_len);
    assert_memory_equal(out, other, *out_len);
    return err;
}

/* Whatever is wrong gives one code and one detail. */
static void oaep_cases(void **state)
{
    struct text t = load("rsa/oaep.txt");
    char *rest = (char *)t.data, *f[4];
    limbic_key_t key = must_import("rsa/ok-2048.pem");
    unsigned char label[64], c[MAX_SIGNATURE], out[MAX_SIGNATURE], expected[MAX_SIGNATURE];
    unsigned rows = 0, good = 0;
    size_t len;

    (void)state;
    for (; next_row(&rest, f, 4); rows++) {
        struct limbic_params params =
            encrypting(LIMBIC_PADDING_OAEP, LIMBIC_HASH_SHA256, LIMBIC_HASH_DEFAULT);
        char *plain = strncmp(f[2], "plaintext ", 10) == 0 ? f[2] + 10 : NULL;
        size_t c_len = hex(c, f[3]);

        params.label = label;
        params.label_len = strcmp(f[1], "-") == 0 ? 0 : hex(label, f[1]);
        gpg_error_t err = decrypt(key, &params, c, c_len, out, &len);
        assert_code(err, plain ? GPG_ERR_NO_ERROR : GPG_ERR_DECRYPT_FAILED);
        if (plain) {
            plain[strcspn(plain, " ")] = 0;
            assert_int_equal(len, hex(expected, plain));
            assert_memory_equal(out, expected, len);
            good++;
        } else {
            assert_string_equal(limbic_error_detail(), LB_DECRYPT_FAILED);
        }
        /* Another label, hash or mask: never. */
        params.label = "lbm";
        params.label_len = 3;
        assert_code(decrypt(key, &params, c, c_len, out, &len), GPG_ERR_DECRYPT_FAILED);
        params.label_len = 0;
        params.hash = LIMBIC_HASH_SHA384;
        assert_code(decrypt(key, &params, c, c_len, out, &len), GPG_ERR_DECRYPT_FAILED);
        assert_string_equal(limbic_error_detail(), LB_DECRYPT_FAILED);
        if (strcmp(f[0], "main:mgf-sha1") == 0) {
            params = encrypting(LIMBIC_PADDING_OAEP, LIMBIC_HASH_SHA256, LIMBIC_HASH_SHA1);
            assert_code(decrypt(key, &params, c, c_len, out, &len), 0);
        }
    }
    assert_int_equal(rows, 7);
    assert_int_equal(good, 2);
    limbic_key_free(key);
    free(t.data);
}

/* Below the modulus there is always a message, the same each time. */
static void pkcs1_cases(void **state)
{
    struct text t = load("rsa/pkcs1_dec.txt");
    char *rest = (char *)t.data, *f[4];
    limbic_key_t key = must_import("rsa/ok-2048.pem");
    struct limbic_params params = encrypting(LIMBIC_PADDING_PKCS1, 0, 0);
    unsigned char c[MAX_SIGNATURE], out[MAX_SIGNATURE], expected[MAX_SIGNATURE];
    unsigned rows = 0, good = 0, rejected = 0;
    size_t len, again;

    (void)state;
    for (; next_row(&rest, f, 4); rows++) {
        size_t c_len = hex(c, f[3]);
        gpg_error_t err = decrypt(key, &params, c, c_len, out, &len);

        if (strcmp(f[2], "error") == 0) {
            assert_code(err, GPG_ERR_DECRYPT_FAILED);
            assert_string_equal(limbic_error_detail(), LB_DECRYPT_FAILED);
            continue;
        }
        assert_code(err, 0);
        if (strncmp(f[2], "plaintext ", 10) == 0) {
            assert_int_equal(len, hex(expected, f[2] + 10));
            assert_memory_equal(out, expected, len);
            good++;
        } else {
            assert_in_range(len, 0, 245);
            assert_code(decrypt(key, &params, c, c_len, expected, &again), 0);
            assert_int_equal(len, again);
            assert_memory_equal(out, expected, len);
            rejected++;
        }
    }
    assert_int_equal(rows, 14);
    assert_int_equal(good, 2);
    assert_int_equal(rejected, 8);
    limbic_key_free(key);
    free(t.data);
}

static void rejection_vectors(void **state)
{
    struct text t = load("rsa/rejection.txt");
    char *rest = (char *)t.data, *f[3];
    limbic_key_t key = must_import("rsa/rejection-2048.pem");
    struct limbic_params params = encrypting(LIMBIC_PADDING_PKCS1, 0, 0);
    unsigned char c[MAX_SIGNATURE], out[MAX_SIGNATURE], expected[MAX_SIGNATURE];
    unsigned rows = 0;
    size_t len;

    (void)state;
    for (; next_row(&rest, f, 3); rows++) {
        size_t c_len = hex(c, f[1]), expected_len = hex(expected, f[2]);

        print_message("# %s\n", f[0]);
        assert_code(decrypt(key, &params, c, c_len, out, &len), 0);
        assert_int_equal(len, expected_len);
        assert_memory_equal(out, expected, len);
        if (c[0] == 0) /* a ciphertext is not a number that one may write shorter */
            assert_code(decrypt(key, &params, c + 1, c_len - 1, out, &len), GPG_ERR_DECRYPT_FAILED);
    }
    assert_int_equal(rows, 9);
    limbic_key_free(key);
    free(t.data);
}

/* Every place where the padding can be wrong, by itself, and the border of what is right. */
static void pkcs1_paddings(void **state)
{
    static const unsigned char secret[32] = {1}, ciphertext[64] = {2};
    unsigned char em[64], out[64], other[64];
    size_t len, other_len;

    (void)state;
    for (size_t at = 2; at < 64; at++) {
        memset(em, 7, sizeof em);
        em[0] = 0;
        em[1] = 2;
        em[at] = 0;
        assert_code(lb_pkcs1_unpad(out, &len, em, 64, ciphertext, secret), 0);
        if (at >= 10) { /* eight octets before it */
            assert_int_equal(len, 63 - at);
            for (size_t i = 0; i < len; i++)
                assert_int_equal(out[i], 7);
        }
        for (int i = 0; i < 2; i++)
            for (int bit = 0; bit < 8; bit++) {
                em[i] ^= (unsigned char)(1 << bit);
                assert_code(lb_pkcs1_unpad(other, &other_len, em, 64, ciphertext, secret), 0);
                em[i] ^= (unsigned char)(1 << bit);
                /* What takes its place depends on key and ciphertext alone. */
                if (at < 10) {
                    assert_int_equal(len, other_len);
                    assert_memory_equal(out, other, len);
                } else {
                    assert_true(len != other_len || len == 0 || memcmp(out, other, len) != 0);
                }
            }
    }
}

/* OAEP's encoding taken apart: each octet of the seed, the label's hash, the padding and the
   separator wrong by each bit. */
static void oaep_paddings(void **state)
{
    static const unsigned char seed[32] = {9, 8, 7};
    struct lb_oaep oaep = {LIMBIC_HASH_SHA256, LIMBIC_HASH_SHA256, "label", 5};
    unsigned char em[96], wrong[96], out[96];
    size_t len;

    (void)state;
    assert_int_equal(lb_oaep_max_message(96, LIMBIC_HASH_SHA256), 30);
    assert_int_equal(lb_oaep_max_message(66, LIMBIC_HASH_SHA256), 0);
    assert_int_equal(lb_oaep_max_message(65, LIMBIC_HASH_SHA256), -1);
    for (size_t size = 0; size <= 30; size++) {
        assert_code(lb_oaep_encode(em, 96, &oaep, (const unsigned char *)message, size % 27, seed),
                    0);
        memcpy(wrong, em, 96);
        assert_code(lb_oaep_decode(out, &len, wrong, 96, &oaep), 0);
        assert_int_equal(len, size % 27);
        assert_memory_equal(out, message, len);
    }
    for (size_t at = 0; at < 96; at++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(wrong, em, 96);
            wrong[at] ^= (unsigned char)(1 << bit);
            gpg_error_t err = lb_oaep_decode(out, &len, wrong, 96, &oaep);
            /* A changed mask changes the hash of the label, but with a probability of 2^-256; the
               message itself is not protected by it: the seed is. */
            assert_code(err, GPG_ERR_DECRYPT_FAILED);
            assert_string_equal(limbic_error_detail(), LB_DECRYPT_FAILED);
        }
}

/*
 * Round trips
 */

static const char *const shapes[] = {
    "keys/rsa512.pkcs8.pem",
    "rsa/ok-1017.pem",
    "rsa/ok-1025.pem",
    "rsa/ok-2047.pem",
    "rsa/ok-2048-e3.pem",
    "rsa/ok-unbalanced-1088-960.pem",
    "rsa/ok-unbalanced-1536-512.pem",
    "rsa/e-64bit.pem",
    "rsa/multi-3-1536.pem",
    "rsa/multi-3-2049.pem",
    "rsa/multi-4-2048.pem",
    "rsa/crt-missing.pem",
};

/* Lengths from none to the longest, and one more. */
static void round_trip(limbic_key_t key, const struct limbic_params *params)
{
    static unsigned char text[MAX_SIGNATURE];
    unsigned char c[MAX_SIGNATURE], second[MAX_SIGNATURE], out[MAX_SIGNATURE];
    size_t max, k, len;
    gpg_error_t err = limbic_decrypt(key, params, NULL, 0, NULL, 0, &max);

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)(i % 5); /* zeros too */
    assert_code(limbic_encrypt(key, params, NULL, 0, NULL, 0, &k), 0);
    if (err) {
        assert_code(err, GPG_ERR_TOO_SHORT);
        assert_code(limbic_encrypt(key, params, text, 0, c, sizeof c, &len), GPG_ERR_TOO_SHORT);
        return;
    }
    const size_t lengths[] = {0, 1, max / 2, max - (max > 0), max};
    for (size_t i = 0; i < SIZE(lengths); i++) {
        assert_code(limbic_encrypt(key, params, text, lengths[i], c, sizeof c, &len), 0);
        assert_int_equal(len, k);
        assert_code(limbic_encrypt(key, params, text, lengths[i], second, sizeof c, &len), 0);
        assert_memory_not_equal(c, second, k);
        assert_code(decrypt(key, params, c, k, out, &len), 0);
        assert_int_equal(len, lengths[i]);
        assert_memory_equal(out, text, len);
        /* In place. */
        assert_code(limbic_decrypt(key, params, second, k, second, sizeof second, &len), 0);
        assert_int_equal(len, lengths[i]);
        assert_memory_equal(second, text, len);
    }
    memset(c, 0x5a, sizeof c);
    assert_code(limbic_encrypt(key, params, text, max + 1, c, sizeof c, &len), GPG_ERR_TOO_SHORT);
    for (size_t i = 0; i < sizeof c; i++)
        assert_int_equal(c[i], 0x5a);
}

static void raw_trip(limbic_key_t key)
{
    struct limbic_params params = encrypting(LIMBIC_PADDING_RAW, 0, 0);
    unsigned char c[MAX_SIGNATURE], out[MAX_SIGNATURE], n[MAX_SIGNATURE];
    size_t len, k, k2;

    assert_code(limbic_encrypt(key, &params, MESSAGE, c, sizeof c, &k), 0);
    assert_code(decrypt(key, &params, c, k, out, &len), 0);
    assert_int_equal(len, k);
    assert_memory_equal(out + k - MESSAGE_LEN, message, MESSAGE_LEN);
    for (size_t i = 0; i < k - MESSAGE_LEN; i++)
        assert_int_equal(out[i], 0);
    /* The same the other way round is a signature. */
    assert_code(limbic_sign(key, &params, MESSAGE, c, sizeof c, &len), 0);
    assert_code(limbic_verify(key, &params, MESSAGE, c, len), 0);
    assert_code(limbic_verify(key, &params, out, k, c, len), 0);
    assert_code(limbic_verify(key, &params, message, MESSAGE_LEN - 1, c, len),
                GPG_ERR_BAD_SIGNATURE);
    assert_code(limbic_encrypt(key, &params, c, len, out, sizeof out, &len), 0);
    assert_memory_equal(out + k - MESSAGE_LEN, message, MESSAGE_LEN);

    /* 0, n and more. */
    assert_code(limbic_key_get_component(key, "n", n, sizeof n, &k2), 0);
    assert_int_equal(k, k2);
    memset(c, 0, sizeof c);
    assert_code(limbic_encrypt(key, &params, c, k, out, sizeof out, &len), GPG_ERR_INV_VALUE);
    assert_code(limbic_encrypt(key, &params, c, 0, out, sizeof out, &len), GPG_ERR_INV_VALUE);
    assert_code(limbic_sign(key, &params, c, k, out, sizeof out, &len), GPG_ERR_INV_VALUE);
    assert_code(limbic_encrypt(key, &params, n, k, out, sizeof out, &len), GPG_ERR_INV_VALUE);
    assert_code(limbic_sign(key, &params, n, k, out, sizeof out, &len), GPG_ERR_INV_VALUE);
    assert_code(limbic_verify(key, &params, n, k, n, k), GPG_ERR_BAD_SIGNATURE);
    assert_code(decrypt(key, &params, c, k, out, &len), GPG_ERR_DECRYPT_FAILED);
    assert_code(decrypt(key, &params, n, k, out, &len), GPG_ERR_DECRYPT_FAILED);
    assert_code(decrypt(key, &params, c, k + 1, out, &len), GPG_ERR_DECRYPT_FAILED);
    assert_code(decrypt(key, &params, n, k - 1, out, &len), GPG_ERR_DECRYPT_FAILED);
    assert_code(limbic_encrypt(key, &params, c, k + 1, out, sizeof out, &len), GPG_ERR_TOO_SHORT);
    assert_code(limbic_sign(key, &params, c, k + 1, out, sizeof out, &len), GPG_ERR_TOO_SHORT);
    params.hash = LIMBIC_HASH_SHA256;
    assert_code(limbic_sign(key, &params, MESSAGE, out, sizeof out, &len), GPG_ERR_DIGEST_ALGO);
}

static void key_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZE(shapes); i++) {
        limbic_key_t key = must_import(shapes[i]);
        struct limbic_params sha1 = encrypting(LIMBIC_PADDING_OAEP, LIMBIC_HASH_SHA1, 0);
        struct limbic_params sha256 = encrypting(LIMBIC_PADDING_DEFAULT, 0, 0);
        struct limbic_params sha512 = encrypting(LIMBIC_PADDING_OAEP, LIMBIC_HASH_SHA512, 0);
        struct limbic_params pkcs1 = encrypting(LIMBIC_PADDING_PKCS1, 0, 0);

        print_message("# %s\n", shapes[i]);
        round_trip(key, &sha1);
        round_trip(key, &sha256);
        round_trip(key, &sha512);
        round_trip(key, &pkcs1);
        raw_trip(key);
        limbic_key_free(key);
    }
}

/* Every digest with every mask, with a label and without. */
static void oaep_hashes(void **state)
{
    limbic_key_t key = must_import("rsa/multi-3-2049.pem");
    unsigned char c[MAX_SIGNATURE], out[MAX_SIGNATURE];
    size_t k, len;

    (void)state;
    for (int hash = LIMBIC_HASH_SHA1; hash <= LIMBIC_HASH_MD5; hash++)
        for (int mgf = LIMBIC_HASH_DEFAULT; mgf <= LIMBIC_HASH_MD5; mgf++) {
            struct limbic_params params =
                encrypting(LIMBIC_PADDING_OAEP, (enum limbic_hash)hash, (enum limbic_hash)mgf);

            if (mgf == LIMBIC_HASH_NONE) {
                assert_code(limbic_encrypt(key, &params, MESSAGE, c, sizeof c, &k),
                            GPG_ERR_DIGEST_ALGO);
                assert_code(limbic_decrypt(key, &params, c, 257, out, sizeof out, &len),
                            GPG_ERR_DIGEST_ALGO);
                continue;
            }
            params.label = "label";
            params.label_len = (size_t)(mgf % 6);
            assert_code(limbic_encrypt(key, &params, MESSAGE, c, sizeof c, &k), 0);
            assert_code(decrypt(key, &params, c, k, out, &len), 0);
            assert_int_equal(len, MESSAGE_LEN);
            assert_memory_equal(out, message, len);
            params.label_len++;
            assert_code(decrypt(key, &params, c, k, out, &len), GPG_ERR_DECRYPT_FAILED);
        }
    limbic_key_free(key);
}

/*
 * What is refused
 */

static void parameters(void **state)
{
    limbic_key_t key = must_import("rsa/ok-1025.pem"), half;
    struct limbic_params params = LIMBIC_PARAMS_INIT;
    unsigned char c[129], out[129];
    size_t len, k;

    (void)state;
    assert_code(limbic_key_public(key, &half), 0);
    assert_code(limbic_encrypt(half, NULL, MESSAGE, c, sizeof c, &k), 0);
    assert_int_equal(k, 129);
    assert_code(limbic_decrypt(half, NULL, c, k, out, sizeof out, &len), GPG_ERR_NO_SECKEY);
    assert_code(limbic_decrypt(half, NULL, c, k, NULL, 0, &len), GPG_ERR_NO_SECKEY);
    /* Room: for the longest message, however short this one is. */
    assert_code(limbic_decrypt(key, NULL, c, k, NULL, 0, &len), 0);
    assert_int_equal(len, 129 - 66);
    memset(out, 0x5a, sizeof out);
    assert_code(limbic_decrypt(key, NULL, c, k, out, len - 1, &len), GPG_ERR_BUFFER_TOO_SHORT);
    assert_int_equal(len, 129 - 66);
    assert_int_equal(out[0], 0x5a);
    assert_code(limbic_decrypt(key, NULL, c, k, out, len, &len), 0);
    assert_int_equal(len, MESSAGE_LEN);
    assert_code(limbic_encrypt(key, NULL, MESSAGE, out, 128, &len), GPG_ERR_BUFFER_TOO_SHORT);
    assert_int_equal(len, 129);
    /* NULL */
    assert_code(limbic_encrypt(NULL, NULL, MESSAGE, out, 129, &len), GPG_ERR_INV_ARG);
    assert_code(limbic_encrypt(key, NULL, NULL, 1, out, 129, &len), GPG_ERR_INV_ARG);
    assert_code(limbic_encrypt(key, NULL, MESSAGE, out, 129, NULL), GPG_ERR_INV_ARG);
    assert_code(limbic_decrypt(NULL, NULL, c, k, out, 129, &len), GPG_ERR_INV_ARG);
    assert_code(limbic_decrypt(key, NULL, NULL, 1, out, 129, &len), GPG_ERR_INV_ARG);
    assert_code(limbic_decrypt(key, NULL, c, k, out, 129, NULL), GPG_ERR_INV_ARG);
    /* Paddings that are for something else; labels without OAEP. */
    params.padding = LIMBIC_PADDING_PSS;
    assert_code(limbic_encrypt(key, &params, MESSAGE, out, 129, &len), GPG_ERR_INV_VALUE);
    assert_code(limbic_decrypt(key, &params, c, k, out, 129, &len), GPG_ERR_INV_VALUE);
    params.padding = (enum limbic_padding)5;
    assert_code(limbic_encrypt(key, &params, MESSAGE, out, 129, &len), GPG_ERR_INV_VALUE);
    assert_code(limbic_sign(key, &params, MESSAGE, out, 129, &len), GPG_ERR_INV_VALUE);
    params.padding = LIMBIC_PADDING_OAEP;
    assert_code(limbic_sign(key, &params, MESSAGE, out, 129, &len), GPG_ERR_INV_VALUE);
    params.label_len = 1;
    assert_code(limbic_encrypt(key, &params, MESSAGE, out, 129, &len), GPG_ERR_INV_ARG);
    params.label = "x";
    for (int padding = 0; padding <= LIMBIC_PADDING_RAW; padding++) {
        params.padding = (enum limbic_padding)padding;
        assert_code(limbic_sign(key, &params, MESSAGE, out, 129, &len), GPG_ERR_INV_VALUE);
        assert_code(limbic_encrypt(key, &params, MESSAGE, out, 129, &len),
                    padding == LIMBIC_PADDING_DEFAULT || padding == LIMBIC_PADDING_OAEP
                        ? GPG_ERR_NO_ERROR
                        : GPG_ERR_INV_VALUE);
    }
    params = encrypting(LIMBIC_PADDING_OAEP, LIMBIC_HASH_NONE, LIMBIC_HASH_SHA1);
    assert_code(limbic_encrypt(key, &params, MESSAGE, out, 129, &len), GPG_ERR_DIGEST_ALGO);
    params.hash = (enum limbic_hash)99;
    assert_code(limbic_decrypt(key, &params, c, k, out, 129, &len), GPG_ERR_DIGEST_ALGO);
    limbic_key_free(half);
    limbic_key_free(key);
}

/* A key whose values do not fit decrypts nothing. */
static void bad_keys(void **state)
{
    struct limbic_params paddings[] = {encrypting(LIMBIC_PADDING_OAEP, 0, 0),
                                       encrypting(LIMBIC_PADDING_PKCS1, 0, 0),
                                       encrypting(LIMBIC_PADDING_RAW, 0, 0)};
    limbic_key_t key;
    unsigned char out[MAX_SIGNATURE] = {0};
    size_t len;

    (void)state;
    assert_code(import_file(&key, "rsa/bad-dp.pem", LIMBIC_IMPORT_LENIENT), 0);
    for (size_t i = 0; i < SIZE(paddings); i++) {
        assert_code(limbic_decrypt(key, &paddings[i], out, 256, out, sizeof out, &len),
                    GPG_ERR_UNUSABLE_SECKEY);
        assert_code(limbic_encrypt(key, &paddings[i], MESSAGE, out, sizeof out, &len),
                    GPG_ERR_UNUSABLE_PUBKEY);
    }
    limbic_key_free(key);
}

struct source {
    int broken;
    unsigned draws;
};

/* Mostly zeros: PS takes the others only. */
static gpg_error_t draw(void *opaque, void *buf, size_t len)
{
    struct source *source = opaque;
    unsigned char *out = buf;

    if (source->broken)
        return gpg_err_make(GPG_ERR_SOURCE_USER_1, GPG_ERR_EIO);
    for (size_t i = 0; i < len; i++)
        out[i] = (i + source->draws) % 3 ? 0 : (unsigned char)(i | 1);
    source->draws++;
    return 0;
}

static void randomness(void **state)
{
    struct limbic_params pkcs1 = encrypting(LIMBIC_PADDING_PKCS1, 0, 0);
    limbic_key_t key = must_import("rsa/ok-1025.pem");
    struct source source = {0, 0};
    unsigned char c[129], out[129];
    size_t len;

    (void)state;
    lb_random_hook(draw, &source);
    assert_code(limbic_encrypt(key, &pkcs1, MESSAGE, c, sizeof c, &len), 0);
    assert_in_range(source.draws, 2, 128);
    source.broken = 1;
    memset(out, 0x5a, sizeof out);
    assert_int_equal(gpg_err_code(limbic_encrypt(key, &pkcs1, MESSAGE, out, 129, &len)),
                     GPG_ERR_EIO);
    assert_int_equal(gpg_err_code(limbic_encrypt(key, NULL, MESSAGE, out, 129, &len)), GPG_ERR_EIO);
    assert_int_equal(out[0], 0x5a);
    lb_random_hook(NULL, NULL);
    assert_code(limbic_decrypt(key, &pkcs1, c, sizeof c, out, sizeof out, &len), 0);
    assert_int_equal(len, MESSAGE_LEN);
    assert_memory_equal(out, message, len);
    limbic_key_free(key);
}

/*
 * Batches
 */

#define ITEMS 21

/* Many keys, sizes and paddings; some items are bad, and only those fail. */
static void batch_signatures(void **state)
{
    static unsigned char signatures[ITEMS][MAX_SIGNATURE];
    struct limbic_sign_item sign[ITEMS];
    struct limbic_verify_item verify[ITEMS];
    struct limbic_params pss = params_of(LIMBIC_PADDING_PSS, LIMBIC_HASH_SHA384, 0, 20);
    struct limbic_params digest = params_of(LIMBIC_PADDING_PKCS1, LIMBIC_HASH_SHA1, 0, 0);
    limbic_key_t keys[SIZE(shapes)], large = must_import("keys/rsa-16384.pem");

    (void)state;
    for (size_t i = 0; i < SIZE(shapes); i++)
        keys[i] = must_import(shapes[i]);
    for (size_t i = 0; i < ITEMS; i++)
        sign[i] = (struct limbic_sign_item){.size = sizeof sign[i],
                                            .key = i == 13 ? large : keys[1 + i % 11],
                                            .params = i % 2 ? &pss : NULL,
                                            .message = message,
                                            .message_len = i,
                                            .signature = signatures[i],
                                            .signature_size = MAX_SIGNATURE,
                                            .error = 1};
    assert_code(limbic_sign_batch(sign, ITEMS, 0), 0);
    for (size_t i = 0; i < ITEMS; i++) {
        struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;
        assert_code(sign[i].error, 0);
        assert_code(limbic_key_info(sign[i].key, &info), 0);
        assert_int_equal(sign[i].signature_len, info.max_signature);
        assert_code(limbic_verify(sign[i].key, sign[i].params, message, i, signatures[i],
                                  sign[i].signature_len),
                    0);
        verify[i] = (struct limbic_verify_item){.size = sizeof verify[i],
                                                .key = sign[i].key,
                                                .params = sign[i].params,
                                                .message = message,
                                                .message_len = i,
                                                .signature = signatures[i],
                                                .signature_len = sign[i].signature_len,
                                                .error = 1};
    }
    assert_code(limbic_verify_batch(verify, ITEMS, 0), 0);
    signatures[3][60] ^= 1;
    verify[8].signature_len--;
    verify[11].key = NULL;
    verify[20].message_len--;
    assert_code(limbic_verify_batch(verify, ITEMS, 0), GPG_ERR_BAD_SIGNATURE);
    for (size_t i = 0; i < ITEMS; i++)
        assert_int_equal(gpg_err_code(verify[i].error), i == 3 || i == 8 || i == 20
                                                            ? GPG_ERR_BAD_SIGNATURE
                                                        : i == 11 ? GPG_ERR_INV_ARG
                                                                  : GPG_ERR_NO_ERROR);

    /* Digests; a failed item's buffer stays as it was. */
    memset(signatures, 0x5a, sizeof signatures);
    for (size_t i = 0; i < ITEMS; i++) {
        sign[i].params = &digest;
        sign[i].message_len = i == 5 ? 19 : 20;
    }
    sign[6].signature_size = 10;
    sign[7].signature = NULL;
    assert_code(limbic_sign_batch(sign, ITEMS, LIMBIC_BATCH_DIGEST), GPG_ERR_INV_ARG);
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(gpg_err_code(sign[i].error), i == 5   ? GPG_ERR_INV_LENGTH
                                                      : i == 6 ? GPG_ERR_BUFFER_TOO_SHORT
                                                      : i == 7 ? GPG_ERR_INV_ARG
                                                               : GPG_ERR_NO_ERROR);
        if (sign[i].error)
            assert_int_equal(signatures[i][0] ^ signatures[i][200], 0);
        else
            assert_code(limbic_verify_digest(sign[i].key, &digest, message, 20, signatures[i],
                                             sign[i].signature_len),
                        0);
    }
    limbic_key_free(large);
    for (size_t i = 0; i < SIZE(shapes); i++)
        limbic_key_free(keys[i]);
}

static void batch_decryption(void **state)
{
    static unsigned char c[ITEMS][MAX_SIGNATURE], out[ITEMS][MAX_SIGNATURE];
    struct limbic_decrypt_item items[ITEMS];
    struct limbic_params pkcs1 = encrypting(LIMBIC_PADDING_PKCS1, 0, 0);
    limbic_key_t keys[SIZE(shapes)];
    size_t len;

    (void)state;
    for (size_t i = 0; i < SIZE(shapes); i++)
        keys[i] = must_import(shapes[i]);
    for (size_t i = 0; i < ITEMS; i++) {
        limbic_key_t key = keys[1 + i % 11];
        assert_code(
            limbic_encrypt(key, i % 2 ? &pkcs1 : NULL, message, i, c[i], MAX_SIGNATURE, &len), 0);
        items[i] = (struct limbic_decrypt_item){.size = sizeof items[i],
                                                .key = key,
                                                .params = i % 2 ? &pkcs1 : NULL,
                                                .ciphertext = c[i],
                                                .ciphertext_len = len,
                                                .message = out[i],
                                                .message_size = MAX_SIGNATURE};
    }
    c[4][50] ^= 1;
    assert_code(limbic_decrypt_batch(items, ITEMS), GPG_ERR_DECRYPT_FAILED);
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(gpg_err_code(items[i].error),
                         i == 4 ? GPG_ERR_DECRYPT_FAILED : GPG_ERR_NO_ERROR);
        assert_int_equal(items[i].message_len, i == 4 ? 0 : i);
        assert_memory_equal(out[i], message, items[i].message_len);
    }
    for (size_t i = 0; i < SIZE(shapes); i++)
        limbic_key_free(keys[i]);
}

/* A batch of one against the call for one: the same code, and the same length. */
static void same_of_each(limbic_key_t key, const struct limbic_params *params, const void *input,
                         size_t input_len, size_t room)
{
    static unsigned char one[MAX_SIGNATURE], other[MAX_SIGNATURE];
    size_t len = 1;
    struct limbic_verify_item verify = {.size = sizeof verify,
                                        .key = key,
                                        .params = params,
                                        .message = message,
                                        .message_len = 9,
                                        .signature = input,
                                        .signature_len = input_len};
    struct limbic_decrypt_item decrypt = {.size = sizeof decrypt,
                                          .key = key,
                                          .params = params,
                                          .ciphertext = input,
                                          .ciphertext_len = input_len,
                                          .message = other,
                                          .message_size = room,
                                          .message_len = 1};
    struct limbic_sign_item sign = {.size = sizeof sign,
                                    .key = key,
                                    .params = params,
                                    .message = message,
                                    .message_len = 9,
                                    .signature = other,
                                    .signature_size = room,
                                    .signature_len = 1};

    assert_code(limbic_verify_batch(&verify, 1, 0),
                gpg_err_code(limbic_verify(key, params, message, 9, input, input_len)));
    assert_code(limbic_decrypt_batch(&decrypt, 1),
                gpg_err_code(limbic_decrypt(key, params, input, input_len, one, room, &len)));
    assert_int_equal(decrypt.message_len, len);
    len = 1;
    assert_code(limbic_sign_batch(&sign, 1, 0),
                gpg_err_code(limbic_sign(key, params, message, 9, one, room, &len)));
    assert_int_equal(sign.signature_len, len);
}

static void batch_errors_of_one(void **state)
{
    static const unsigned char label[] = "label";
    static unsigned char input[256];
    struct limbic_params wrong[] = {
        params_of((enum limbic_padding)77, LIMBIC_HASH_SHA256, 0, 0),
        params_of(LIMBIC_PADDING_PKCS1, (enum limbic_hash)99, 0, 0),
        params_of(LIMBIC_PADDING_PSS, LIMBIC_HASH_SHA256, 0, 99999),
        params_of(LIMBIC_PADDING_PKCS1, LIMBIC_HASH_SHA256, 0, 0), /* with a label */
        params_of(LIMBIC_PADDING_OAEP, LIMBIC_HASH_SHA256, 0, 0),
        params_of(LIMBIC_PADDING_RAW, LIMBIC_HASH_DEFAULT, 0, 0),
        params_of(LIMBIC_PADDING_DEFAULT, LIMBIC_HASH_DEFAULT, 0, 0),
    };
    limbic_key_t key = must_import("rsa/ok-2048.pem");

    (void)state;
    wrong[3].label = label;
    wrong[3].label_len = sizeof label;
    for (size_t i = 0; i < SIZE(wrong); i++)
        for (int octet = 0; octet < 0x100; octet += 0x7f) {
            memset(input, octet, sizeof input);
            same_of_each(key, &wrong[i], input, sizeof input, MAX_SIGNATURE);
            same_of_each(key, &wrong[i], input, sizeof input, 3);
            same_of_each(key, &wrong[i], input, sizeof input - 1, MAX_SIGNATURE);
        }
    limbic_key_free(key);
}

/* Items of a later version of the header, and of none. */
static void batch_sizes(void **state)
{
    struct {
        struct limbic_sign_item item;
        unsigned char more[16];
    } items[2] = {{{0}, {0}}, {{0}, {0}}};
    limbic_key_t key = must_import("rsa/ok-1025.pem");
    unsigned char signatures[2][129];

    (void)state;
    for (int i = 0; i < 2; i++)
        items[i].item = (struct limbic_sign_item){.size = sizeof items[i],
                                                  .key = key,
                                                  .message = message,
                                                  .message_len = 5,
                                                  .signature = signatures[i],
                                                  .signature_size = 129,
                                                  .error = 77};
    assert_code(limbic_sign_batch(&items[0].item, 2, 0), 0);
    assert_memory_equal(signatures[0], signatures[1], 129);
    assert_int_equal(items[1].item.error, 0);
    items[1].item.error = 77;
    items[1].more[15] = 1;
    assert_code(limbic_sign_batch(&items[0].item, 2, 0), GPG_ERR_INV_ARG);
    assert_int_equal(items[1].item.error, 77);
    items[1].more[15] = 0;
    items[1].item.size--;
    assert_code(limbic_sign_batch(&items[0].item, 2, 0), GPG_ERR_INV_ARG);
    items[0].item.size = 8;
    assert_code(limbic_sign_batch(&items[0].item, 1, 0), GPG_ERR_INV_ARG);
    items[0].item.size = sizeof items[0];
    assert_code(limbic_sign_batch(&items[0].item, 1, 2), GPG_ERR_INV_ARG);
    assert_code(limbic_sign_batch(NULL, 1, 0), GPG_ERR_INV_ARG);
    assert_code(limbic_sign_batch(NULL, 0, 0), 0);
    assert_code(limbic_verify_batch(NULL, 0, 0), 0);
    assert_code(limbic_decrypt_batch(NULL, 0), 0);
    limbic_key_free(key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oaep_cases),        cmocka_unit_test(pkcs1_cases),
        cmocka_unit_test(rejection_vectors), cmocka_unit_test(pkcs1_paddings),
        cmocka_unit_test(oaep_paddings),     cmocka_unit_test(key_shapes),
        cmocka_unit_test(oaep_hashes),       cmocka_unit_test(parameters),
        cmocka_unit_test(bad_keys),          cmocka_unit_test(randomness),
        cmocka_unit_test(batch_signatures),  cmocka_unit_test(batch_decryption),
        cmocka_unit_test(batch_sizes),       cmocka_unit_test(batch_errors_of_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
