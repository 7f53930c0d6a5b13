/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-rsa.c - RSA: published and made cases of the private operation and of both signature
 * schemes, odd key shapes, bad keys, blinding, and key generation. The conditions on generated keys
 * are checked with libgcrypt's integers, which share no code with limbic's.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <gcrypt.h>

#include "core/key/key.h"
#include "core/number/random.h"
#include "core/scheme/hash.h"
#include "core/scheme/rsa.h"
#include "dispatch/plan.h"
#include "tests/keys.h"

static const char message[] = "limbic-case";
#define MESSAGE message, sizeof message - 1

/*
 * Cases from files
 */

/* Names of keys in the case files. */
static const struct {
    const char *name, *file;
} case_keys[] = {
    {"main", "rsa/ok-2048.pem"},
    {"e3", "rsa/ok-2048-e3.pem"},
    {"odd1017", "rsa/ok-1017.pem"},
    {"odd1025", "rsa/ok-1025.pem"},
    {"odd2047", "rsa/ok-2047.pem"},
    {"unbalanced", "rsa/ok-unbalanced-1088-960.pem"},
    {"unbalanced2", "rsa/ok-unbalanced-1536-512.pem"},
    {"multi3512", "rsa/multi-3-1536.pem"},
    {"multi3683", "rsa/multi-3-2049.pem"},
    {"multi4512", "rsa/multi-4-2048.pem"},
};

static size_t case_key(const char *name, size_t len)
{
    for (size_t i = 0; i < SIZE(case_keys); i++)
        if (strlen(case_keys[i].name) == len && memcmp(case_keys[i].name, name, len) == 0)
            return i;
    fail_msg("no key %.*s", (int)len, name);
    return 0;
}

/* The next line of a text that is no comment; NULL at the end. */
static char *next_line(char **text)
{
    char *line;

    do {
        line = *text;
        if (!*line)
            return NULL;
        *text += strcspn(line, "\n");
        if (**text)
            *(*text)++ = 0;
    } while (*line == '#' || !*line);
    return line;
}

/* A number of the file as octets of the modulus's length. */
static void field(unsigned char *out, size_t bytes, const char *hex)
{
    unsigned char number[MAX_SIGNATURE];
    size_t len = from_hex(number, sizeof number, hex, strcspn(hex, " \n"));

    if (len > bytes)
        fail_msg("a number longer than its modulus");
    memset(out, 0, bytes);
    memcpy(out + bytes - len, number, len);
}

static void raw_row(limbic_key_t key, const char *input, const char *output)
{
    unsigned char in[MAX_SIGNATURE], expected[MAX_SIGNATURE], out[MAX_SIGNATURE];
    size_t bytes = lb_rsa_bytes(key->rsa);

    field(in, bytes, input);
    field(expected, bytes, output);
    assert_code(lb_rsa_private(key->rsa, out, in), 0);
    assert_memory_equal(out, expected, bytes);
    assert_code(lb_rsa_public(key->rsa, out, out), 0); /* in place */
    assert_memory_equal(out, in, bytes);
    memcpy(out, in, bytes);
    assert_code(lb_rsa_private(key->rsa, out, out), 0);
    assert_memory_equal(out, expected, bytes);
}

static void raw_private(void **state)
{
    struct text t = load("rsa/raw_private.txt");
    char *rest = (char *)t.data, *line;
    limbic_key_t keys[SIZE(case_keys)] = {NULL};
    unsigned rows = 0;

    (void)state;
    for (size_t i = 0; i < SIZE(case_keys); i++)
        keys[i] = must_import(case_keys[i].file);
    while ((line = next_line(&rest))) {
        size_t name = strcspn(line, " ");
        limbic_key_t key = keys[case_key(line, name)];
        char *input = line + name + 1, *output;
        input += strcspn(input, " ") + 1; /* the label */
        output = input + strcspn(input, " ") + 1;
        raw_row(key, input, output);
        rows++;
    }
    assert_int_equal(rows, 60);
    for (size_t i = 0; i < SIZE(case_keys); i++)
        limbic_key_free(keys[i]);
    free(t.data);
}

/* Above the modulus, by one bit or by the whole range, is refused by both directions, and nothing
   is written. 0, 1 and n - 1 are what they are: it is the padding that keeps them out of
   signatures. */
static void raw_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZE(case_keys); i++) {
        limbic_key_t key;
        unsigned char n[MAX_SIGNATURE], in[MAX_SIGNATURE], out[MAX_SIGNATURE];
        size_t bytes;

        key = must_import(case_keys[i].file);
        bytes = lb_rsa_part(key->rsa, LB_RSA_N, n);
        assert_int_equal(bytes, lb_rsa_bytes(key->rsa));
        for (int above = 0; above < 3; above++) {
            memcpy(in, n, bytes);
            if (above == 1) {
                in[bytes - 1]++; /* n is odd, and n + 1 may carry */
                for (size_t j = bytes - 1; j > 0 && in[j] == 0; j--)
                    in[j - 1]++;
            } else if (above == 2) {
                memset(in, 0xff, bytes);
            }
            memset(out, 0x5a, sizeof out);
            assert_code(lb_rsa_private(key->rsa, out, in), GPG_ERR_INV_VALUE);
            assert_code(lb_rsa_public(key->rsa, out, in), GPG_ERR_INV_VALUE);
            for (size_t j = 0; j < sizeof out; j++)
                assert_int_equal(out[j], 0x5a);
        }
        for (int value = 0; value < 3; value++) {
            memset(in, 0, bytes);
            in[bytes - 1] = (unsigned char)value;
            if (value == 2) {
                memcpy(in, n, bytes);
                in[bytes - 1] &= 0xfe;
            }
            assert_code(lb_rsa_private(key->rsa, out, in), 0);
            assert_memory_equal(out, in, bytes);
            assert_code(lb_rsa_public(key->rsa, out, in), 0);
            assert_memory_equal(out, in, bytes);
        }
        limbic_key_free(key);
    }
}

/* A row `key:name | expected | hexadecimal | why`. */
struct row {
    limbic_key_t key; /* to be freed */
    char name[64], expected[128];
    unsigned char signature[MAX_SIGNATURE];
    size_t len;
};

static int next_row(struct row *row, char **rest)
{
    char *line = next_line(rest), hex[2 * MAX_SIGNATURE + 1], key[32];

    if (!line)
        return 0;
    if (sscanf(line, "%31[^:]:%63s | %127[^|]| %4096[0-9a-f]", key, row->name, row->expected,
               hex) != 4)
        fail_msg("a malformed row: %.60s", line);
    row->key = must_import(case_keys[case_key(key, strlen(key))].file);
    row->len = from_hex(row->signature, sizeof row->signature, hex, strlen(hex));
    return 1;
}

/* The same verdict by the private key, its public half, the digest and the stream. */
static void expect(const struct row *row, const struct limbic_params *params, gpg_err_code_t code)
{
    unsigned char digest[LB_HASH_MAX];
    enum limbic_hash hash = params->hash ? params->hash : LIMBIC_HASH_SHA256;
    struct lb_piece piece = {MESSAGE};
    limbic_stream_t stream;
    limbic_key_t public_key;

    assert_code(limbic_verify(row->key, params, MESSAGE, row->signature, row->len), code);
    assert_code(lb_hash(hash, &piece, 1, digest), 0);
    assert_code(limbic_key_public(row->key, &public_key), 0);
    assert_code(limbic_verify_digest(public_key, params, digest, limbic_hash_size(hash),
                                     row->signature, row->len),
                code);
    assert_code(limbic_stream_open(&stream, public_key, params), 0);
    assert_code(limbic_stream_update(stream, MESSAGE), 0);
    assert_code(limbic_stream_verify(stream, row->signature, row->len), code);
    limbic_stream_close(stream);
    assert_code(limbic_verify(row->key, params, "limbic-casf", 11, row->signature, row->len),
                GPG_ERR_BAD_SIGNATURE);
    limbic_key_free(public_key);
}

static void pkcs1_cases(void **state)
{
    struct text t = load("rsa/pkcs1_sig.txt");
    char *rest = (char *)t.data;
    struct limbic_params params = LIMBIC_PARAMS_INIT;
    unsigned rows = 0, valid = 0;
    struct row row;

    (void)state;
    for (; next_row(&row, &rest); rows++) {
        int good = strncmp(row.expected, "valid", 5) == 0;
        /* The rows without NULL are for the verifier to decide: limbic.h says no. */
        if (!good && strncmp(row.expected, "invalid", 7) != 0)
            assert_string_equal(row.name, "no-null");
        expect(&row, &params, good ? 0 : GPG_ERR_BAD_SIGNATURE);
        valid += (unsigned)good;
        limbic_key_free(row.key);
    }
    assert_int_equal(rows, 18);
    assert_int_equal(valid, 4);
    free(t.data);
}

/* What a signature with this salt length is under each rule, for a 2048-bit key and SHA-256, whose
   longest salt is 222. */
static void expect_salt(const struct row *row, int salt)
{
    static const int rules[] = {0,
                                1,
                                19,
                                20,
                                21,
                                31,
                                32,
                                33,
                                221,
                                222,
                                223,
                                2048,
                                LIMBIC_SALT_DEFAULT,
                                LIMBIC_SALT_AUTO,
                                LIMBIC_SALT_DIGEST,
                                LIMBIC_SALT_MAX};

    for (size_t i = 0; i < SIZE(rules); i++) {
        struct limbic_params params =
            params_of(LIMBIC_PADDING_PSS, LIMBIC_HASH_SHA256, LIMBIC_HASH_DEFAULT, rules[i]);
        int valid = salt >= 0 && (rules[i] == salt || rules[i] == LIMBIC_SALT_DEFAULT ||
                                  rules[i] == LIMBIC_SALT_AUTO ||
                                  (rules[i] == LIMBIC_SALT_DIGEST && salt == 32) ||
                                  (rules[i] == LIMBIC_SALT_MAX && salt == 222));
        expect(row, &params, valid ? 0 : GPG_ERR_BAD_SIGNATURE);
    }
}

static void pss_cases(void **state)
{
    struct text t = load("rsa/pss_sig.txt");
    char *rest = (char *)t.data;
    unsigned rows = 0, valid = 0;
    struct row row;

    (void)state;
    for (; next_row(&row, &rest); rows++) {
        struct limbic_params params = params_of(LIMBIC_PADDING_PSS, LIMBIC_HASH_SHA256,
                                                LIMBIC_HASH_DEFAULT, LIMBIC_SALT_AUTO);
        int salt = -1;

        if (sscanf(row.name, "salt%d", &salt) == 1)
            valid++;
        else
            assert_int_equal(strncmp(row.expected, "invalid", 7), 0);
        expect_salt(&row, salt);
        if (strcmp(row.name, "mgf-sha1") == 0) {
            params.mgf_hash = LIMBIC_HASH_SHA1;
            expect(&row, &params, 0);
            params.salt_len = 32;
            expect(&row, &params, 0);
        }
        if (strcmp(row.name, "hash-sha1") == 0) {
            params.hash = LIMBIC_HASH_SHA1;
            expect(&row, &params, GPG_ERR_BAD_SIGNATURE);
            params.mgf_hash = LIMBIC_HASH_SHA256;
            expect(&row, &params, 0);
        }
        /* A PSS signature is none of the other scheme, which is the default. */
        params = params_of(LIMBIC_PADDING_DEFAULT, LIMBIC_HASH_SHA256, LIMBIC_HASH_DEFAULT,
                           LIMBIC_SALT_AUTO);
        expect(&row, &params, GPG_ERR_BAD_SIGNATURE);
        limbic_key_free(row.key);
    }
    assert_int_equal(rows, 9);
    assert_int_equal(valid, 4);
    free(t.data);
}

/*
 * Both ways
 */

static void sign_and_verify(limbic_key_t key, const struct limbic_params *params)
{
    unsigned char signature[MAX_SIGNATURE];
    size_t len = 0;

    assert_code(limbic_sign(key, params, MESSAGE, signature, sizeof signature, &len), 0);
    assert_int_equal(len, lb_rsa_bytes(key->rsa));
    assert_code(limbic_verify(key, params, MESSAGE, signature, len), 0);
    assert_code(limbic_verify(key, params, message, sizeof message - 2, signature, len),
                GPG_ERR_BAD_SIGNATURE);
    signature[len / 2] ^= 1;
    assert_code(limbic_verify(key, params, MESSAGE, signature, len), GPG_ERR_BAD_SIGNATURE);
}

/* Every way to say a salt length, up to the longest and above it. */
static void salt_rules(limbic_key_t key, enum limbic_hash hash)
{
    int em_len = ((int)lb_rsa_bits(key->rsa) - 1 + 7) / 8;
    int digest = (int)limbic_hash_size(hash), max = em_len - digest - 2;
    const struct {
        int rule, salt; /* salt < 0: does not fit */
    } rules[] = {
        {0, 0},
        {1, 1},
        {digest, digest <= max ? digest : -1},
        {LIMBIC_SALT_DEFAULT, digest <= max ? digest : -1},
        {LIMBIC_SALT_DIGEST, digest <= max ? digest : -1},
        {LIMBIC_SALT_MAX, max},
        {max, max},
        {max + 1, -1},
        {2048, -1},
    };
    unsigned char signature[MAX_SIGNATURE];
    size_t len;

    for (size_t i = 0; i < SIZE(rules); i++) {
        struct limbic_params params =
            params_of(LIMBIC_PADDING_PSS, hash, LIMBIC_HASH_DEFAULT, rules[i].rule);
        gpg_error_t err = limbic_sign(key, &params, MESSAGE, signature, sizeof signature, &len);

        assert_code(err, rules[i].salt < 0 ? GPG_ERR_TOO_SHORT : 0);
        if (err)
            continue;
        for (size_t j = 0; j < SIZE(rules); j++) {
            params.salt_len = rules[j].rule;
            gpg_err_code_t code = rules[j].salt == rules[i].salt || rules[j].rule == -1
                                      ? GPG_ERR_NO_ERROR
                                      : GPG_ERR_BAD_SIGNATURE;
            assert_code(limbic_verify(key, &params, MESSAGE, signature, len), code);
        }
        params.salt_len = LIMBIC_SALT_AUTO;
        assert_code(limbic_verify(key, &params, MESSAGE, signature, len), 0);
        assert_code(limbic_sign(key, &params, MESSAGE, signature, sizeof signature, &len),
                    GPG_ERR_INV_VALUE);
    }
}

/* Lengths that are no multiple of 8, unequal primes, small and long
   e, more than two primes, numbers that are missing. */
static void key_shapes(void **state)
{
    static const char *const files[] = {
        "rsa/ok-1017.pem",
        "rsa/ok-1025.pem",
        "rsa/ok-2047.pem",
        "rsa/ok-2048.pem",
        "rsa/ok-2048-e3.pem",
        "rsa/ok-unbalanced-1088-960.pem",
        "rsa/ok-unbalanced-1536-512.pem",
        "rsa/e-2p32p1.pem",
        "rsa/e-33bit.pem",
        "rsa/e-64bit.pem",
        "rsa/multi-3-1536.pem",
        "rsa/multi-3-2049.pem",
        "rsa/multi-4-2048.pem",
        "rsa/crt-missing.pem",
        "rsa/crt-partial-no-dp.pem",
        "rsa/crt-partial-no-qinv.pem",
        "rsa/crt-no-d.pem",
        "keys/rsa1024.pkcs1.pem",
    };

    (void)state;
    for (size_t i = 0; i < SIZE(files); i++) {
        limbic_key_t key = must_import(files[i]);

        assert_code(limbic_key_check(key), 0);
        sign_and_verify(key, NULL);
        salt_rules(key, LIMBIC_HASH_SHA256);
        salt_rules(key, LIMBIC_HASH_SHA512);
        limbic_key_free(key);
    }
}

static void too_short(void **state)
{
    limbic_key_t key = must_import("keys/rsa512.pkcs8.pem");
    unsigned char signature[64], text[64] = {0};
    struct limbic_params params =
        params_of(LIMBIC_PADDING_PSS, LIMBIC_HASH_SHA512, LIMBIC_HASH_DEFAULT, 0);
    size_t len;

    (void)state;
    /* 64 octets take no digest of 64, whatever the salt rule. */
    memset(signature, 1, sizeof signature);
    for (int salt = LIMBIC_SALT_AUTO; salt <= 2048; salt += salt < 2 ? 1 : 341) {
        params.salt_len = salt;
        assert_code(limbic_sign(key, &params, MESSAGE, signature, 64, &len),
                    salt == LIMBIC_SALT_AUTO ? GPG_ERR_INV_VALUE : GPG_ERR_TOO_SHORT);
        assert_code(limbic_verify(key, &params, MESSAGE, signature, 64), GPG_ERR_BAD_SIGNATURE);
    }
    /* PKCS#1: 19 octets of prefix and 11 of padding leave 34: SHA-256 fits, SHA-384 does not. */
    params = params_of(LIMBIC_PADDING_PKCS1, LIMBIC_HASH_SHA384, LIMBIC_HASH_DEFAULT, 0);
    assert_code(limbic_sign(key, &params, MESSAGE, signature, 64, &len), GPG_ERR_TOO_SHORT);
    assert_code(limbic_verify(key, &params, MESSAGE, signature, 64), GPG_ERR_BAD_SIGNATURE);
    params.hash = LIMBIC_HASH_SHA256;
    sign_and_verify(key, &params);
    /* No digest: 64 - 11 octets. */
    params.hash = LIMBIC_HASH_NONE;
    assert_code(limbic_sign(key, &params, text, 53, signature, 64, &len), 0);
    assert_code(limbic_verify(key, &params, text, 53, signature, 64), 0);
    assert_code(limbic_sign(key, &params, text, 54, signature, 64, &len), GPG_ERR_TOO_SHORT);
    assert_code(limbic_verify(key, &params, text, 54, signature, 64), GPG_ERR_BAD_SIGNATURE);
    limbic_key_free(key);

    /* The case of the list: SHA-512, 64 octets of salt, 1017 bits. */
    key = must_import("rsa/ok-1017.pem");
    params = params_of(LIMBIC_PADDING_PSS, LIMBIC_HASH_SHA512, LIMBIC_HASH_DEFAULT, 64);
    unsigned char long_signature[128] = {1};
    assert_code(limbic_sign(key, &params, MESSAGE, long_signature, 128, &len), GPG_ERR_TOO_SHORT);
    long_signature[0] = 0;
    assert_code(limbic_verify(key, &params, MESSAGE, long_signature, 128), GPG_ERR_BAD_SIGNATURE);
    limbic_key_free(key);
}

/* Every digest with every mask. */
static void pss_hashes(void **state)
{
    limbic_key_t key = must_import("keys/rsa1024.pkcs1.pem");

    (void)state;
    for (int hash = LIMBIC_HASH_SHA1; hash <= LIMBIC_HASH_MD5; hash++)
        for (int mgf = LIMBIC_HASH_DEFAULT; mgf <= LIMBIC_HASH_MD5; mgf++) {
            struct limbic_params params =
                params_of(LIMBIC_PADDING_PSS, (enum limbic_hash)hash, (enum limbic_hash)mgf, 20);
            unsigned char signature[128];
            size_t len;

            if (mgf == LIMBIC_HASH_NONE) {
                assert_code(limbic_sign(key, &params, MESSAGE, signature, 128, &len),
                            GPG_ERR_DIGEST_ALGO);
                assert_code(limbic_verify(key, &params, MESSAGE, signature, 128),
                            GPG_ERR_DIGEST_ALGO);
                continue;
            }
            sign_and_verify(key, &params);
        }
    limbic_key_free(key);
}

/* The digest's name is in the encoding; a mask by another digest is another signature. */
static void pss_binds_parameters(void **state)
{
    limbic_key_t key = must_import("keys/rsa1024.pkcs1.pem");
    struct limbic_params params =
        params_of(LIMBIC_PADDING_PSS, LIMBIC_HASH_SHA256, LIMBIC_HASH_SHA256, 20);
    unsigned char signature[128], digest[32] = {7};
    size_t len;

    (void)state;
    assert_code(limbic_sign_digest(key, &params, digest, 32, signature, 128, &len), 0);
    for (int hash = LIMBIC_HASH_SHA1; hash <= LIMBIC_HASH_MD5; hash++) {
        params.hash = LIMBIC_HASH_SHA256;
        params.mgf_hash = (enum limbic_hash)hash;
        assert_code(limbic_verify_digest(key, &params, digest, 32, signature, 128),
                    hash == LIMBIC_HASH_SHA256 ? 0 : GPG_ERR_BAD_SIGNATURE);
        params.mgf_hash = LIMBIC_HASH_SHA256;
        params.hash = (enum limbic_hash)hash;
        if (limbic_hash_size((enum limbic_hash)hash) == 32)
            assert_code(limbic_verify_digest(key, &params, digest, 32, signature, 128),
                        hash == LIMBIC_HASH_SHA256 ? 0 : GPG_ERR_BAD_SIGNATURE);
    }
    limbic_key_free(key);
}

static int has_digestinfo(enum limbic_hash hash)
{
    return !lb_hash_is_xof(hash) && hash != LIMBIC_HASH_STREEBOG256 &&
           hash != LIMBIC_HASH_STREEBOG512 && hash != LIMBIC_HASH_GOSTR94;
}

/* libgcrypt's own prefix; where it has none it gives one octet in its place, and for SM3 it has
   1.2.156.10197.401, which GM/T 0006 does not. */
static void compare_digestinfo(enum limbic_hash hash)
{
    unsigned char ours[LB_DIGESTINFO_MAX], theirs[64];
    size_t len = sizeof theirs, own = lb_hash_digestinfo(hash, ours);

    static const unsigned char sm3[] = {0x30, 0x30, 0x30, 0x0c, 0x06, 0x08, 0x2a, 0x81, 0x1c,
                                        0xcf, 0x55, 0x01, 0x83, 0x11, 0x05, 0x00, 0x04, 0x20};

    assert_int_not_equal(own, 0);
    if (hash == LIMBIC_HASH_SM3) {
        assert_int_equal(own, sizeof sm3);
        assert_memory_equal(ours, sm3, sizeof sm3);
    } else if (gcry_md_algo_info(lb_hash_gcrypt(hash), GCRYCTL_GET_ASNOID, theirs, &len) == 0 &&
               len > 1) {
        assert_int_equal(own, len);
        assert_memory_equal(ours, theirs, len);
    }
}

static void pkcs1_hashes(void **state)
{
    limbic_key_t key = must_import("rsa/ok-1025.pem");
    unsigned char signature[129], em[129], digest[LB_HASH_MAX];
    unsigned with = 0;
    size_t len;

    (void)state;
    for (int i = LIMBIC_HASH_SHA1; i <= LIMBIC_HASH_MD5; i++) {
        enum limbic_hash hash = (enum limbic_hash)i;
        struct limbic_params params =
            params_of(LIMBIC_PADDING_PKCS1, hash, LIMBIC_HASH_DEFAULT, LIMBIC_SALT_DEFAULT);
        struct lb_piece piece = {MESSAGE};
        size_t size = limbic_hash_size(hash);

        if (!has_digestinfo(hash)) {
            assert_code(limbic_sign(key, &params, MESSAGE, signature, 129, &len),
                        GPG_ERR_DIGEST_ALGO);
            memset(signature, 0, sizeof signature);
            assert_code(limbic_verify(key, &params, MESSAGE, signature, 129), GPG_ERR_DIGEST_ALGO);
            continue;
        }
        with++;
        compare_digestinfo(hash);
        sign_and_verify(key, &params);
        /* The encoded message: 00 01 FF..FF 00 prefix digest. */
        assert_code(limbic_sign(key, &params, MESSAGE, signature, 129, &len), 0);
        assert_code(lb_rsa_public(key->rsa, em, signature), 0);
        assert_code(lb_hash(hash, &piece, 1, digest), 0);
        assert_int_equal(em[0], 0);
        assert_int_equal(em[1], 1);
        for (len = 2; em[len] == 0xff; len++)
            ;
        assert_true(len >= 10);
        assert_int_equal(em[len], 0);
        assert_memory_equal(em + 129 - size, digest, size);
        unsigned char prefix[LB_DIGESTINFO_MAX];
        size_t prefix_len = lb_hash_digestinfo(hash, prefix);
        assert_int_equal(len + 1 + prefix_len + size, 129);
        assert_memory_equal(em + len + 1, prefix, prefix_len);
    }
    assert_int_equal(with, 13);
    limbic_key_free(key);
}

static void no_hash(void **state)
{
    limbic_key_t key = must_import("rsa/ok-1017.pem");
    struct limbic_params params =
        params_of(LIMBIC_PADDING_PKCS1, LIMBIC_HASH_NONE, LIMBIC_HASH_DEFAULT, 0);
    unsigned char signature[128], text[128], em[128];
    size_t len;

    (void)state;
    memset(text, 0x42, sizeof text);
    for (size_t n = 0; n <= 117; n += 13) {
        assert_code(limbic_sign(key, &params, text, n, signature, 128, &len), 0);
        assert_code(limbic_verify(key, &params, text, n, signature, 128), 0);
        assert_code(limbic_verify_digest(key, &params, text, n, signature, 128), 0);
        assert_code(limbic_verify(key, &params, text, n + 1, signature, 128),
                    GPG_ERR_BAD_SIGNATURE);
        assert_code(lb_rsa_public(key->rsa, em, signature), 0);
        assert_int_equal(em[127 - n], 0);
        assert_memory_equal(em + 128 - n, text, n);
    }
    assert_code(limbic_sign(key, &params, text, 118, signature, 128, &len), GPG_ERR_TOO_SHORT);
    params.padding = LIMBIC_PADDING_PSS;
    assert_code(limbic_sign(key, &params, text, 32, signature, 128, &len), GPG_ERR_DIGEST_ALGO);
    assert_code(limbic_verify(key, &params, text, 32, signature, 128), GPG_ERR_DIGEST_ALGO);
    limbic_key_free(key);
}

/* Wrong lengths, values above the modulus, leading zeros. */
static void wrong_signatures(void **state)
{
    limbic_key_t key = must_import("rsa/ok-1017.pem");
    unsigned char signature[140] = {0}, n[128], sum[128];
    unsigned carry = 0;
    size_t len;

    (void)state;
    assert_code(limbic_sign(key, NULL, MESSAGE, signature + 2, 128, &len), 0);
    assert_code(limbic_verify(key, NULL, MESSAGE, signature + 2, 128), 0);
    assert_code(limbic_verify(key, NULL, MESSAGE, signature + 1, 129), GPG_ERR_BAD_SIGNATURE);
    assert_code(limbic_verify(key, NULL, MESSAGE, signature, 130), GPG_ERR_BAD_SIGNATURE);
    assert_code(limbic_verify(key, NULL, MESSAGE, signature + 2, 129), GPG_ERR_BAD_SIGNATURE);
    for (size_t cut = 0; cut < 128; cut++) {
        assert_code(limbic_verify(key, NULL, MESSAGE, signature + 2, cut), GPG_ERR_BAD_SIGNATURE);
        assert_code(limbic_verify(key, NULL, MESSAGE, signature + 130 - cut, cut),
                    GPG_ERR_BAD_SIGNATURE);
    }
    assert_code(limbic_verify(key, NULL, MESSAGE, NULL, 0), GPG_ERR_BAD_SIGNATURE);
    /* s + n, which is congruent and fits into 128 octets. */
    assert_int_equal(lb_rsa_part(key->rsa, LB_RSA_N, n), 128);
    for (size_t i = 128; i-- > 0;) {
        carry += (unsigned)signature[2 + i] + n[i];
        sum[i] = (unsigned char)carry;
        carry >>= 8;
    }
    assert_int_equal(carry, 0);
    assert_code(limbic_verify(key, NULL, MESSAGE, sum, 128), GPG_ERR_BAD_SIGNATURE);
    memset(sum, 0, sizeof sum);
    assert_code(limbic_verify(key, NULL, MESSAGE, sum, 128), GPG_ERR_BAD_SIGNATURE);
    sum[127] = 1;
    assert_code(limbic_verify(key, NULL, MESSAGE, sum, 128), GPG_ERR_BAD_SIGNATURE);
    assert_code(limbic_verify(key, NULL, MESSAGE, n, 128), GPG_ERR_BAD_SIGNATURE);
    limbic_key_free(key);
}

/* PKCS#1 is a function of key and message; PSS has its salt, unless that is empty. */
static void twice(void **state)
{
    limbic_key_t key = must_import("rsa/ok-1025.pem");
    unsigned char a[129], b[129];
    size_t len;
    const struct {
        struct limbic_params params;
        int same;
    } ways[] = {
        {params_of(LIMBIC_PADDING_PKCS1, LIMBIC_HASH_DEFAULT, LIMBIC_HASH_DEFAULT, 0), 1},
        {params_of(LIMBIC_PADDING_PSS, LIMBIC_HASH_DEFAULT, LIMBIC_HASH_DEFAULT, 0), 1},
        {params_of(LIMBIC_PADDING_PSS, LIMBIC_HASH_DEFAULT, LIMBIC_HASH_DEFAULT, 32), 0},
        {params_of(LIMBIC_PADDING_PSS, LIMBIC_HASH_DEFAULT, LIMBIC_HASH_DEFAULT, LIMBIC_SALT_MAX),
         0},
    };

    (void)state;
    for (size_t i = 0; i < SIZE(ways); i++) {
        assert_code(limbic_sign(key, &ways[i].params, MESSAGE, a, sizeof a, &len), 0);
        assert_code(limbic_sign(key, &ways[i].params, MESSAGE, b, sizeof b, &len), 0);
        assert_int_equal(memcmp(a, b, sizeof a) == 0, ways[i].same);
    }
    limbic_key_free(key);
}

/*
 * Blinding and randomness
 */

struct source {
    rng random;
    unsigned long draws;
    int broken;
};

static gpg_error_t draw(void *opaque, void *buf, size_t len)
{
    struct source *source = opaque;

    source->draws++;
    if (source->broken) {
        memset(buf, 0, len);
        return gpg_err_make(GPG_ERR_SOURCE_USER_1, GPG_ERR_EIO);
    }
    rng_fill(&source->random, buf, len);
    return 0;
}

/* One thread uses one slot: its pair serves 64 times, then comes a new one. PKCS#1 draws nothing
   else. */
static void blinding(void **state)
{
    struct source source = {{1}, 0, 0};
    limbic_key_t key = must_import("rsa/ok-1025.pem");
    unsigned char first[129], next[129];
    unsigned long before, renewals = 0;
    size_t len;

    (void)state;
    assert_code(limbic_sign(key, NULL, MESSAGE, first, sizeof first, &len), 0);
    lb_random_hook(draw, &source);
    for (unsigned i = 0; i < 64 * 4; i++) {
        before = source.draws;
        memset(next, 0, sizeof next);
        assert_code(limbic_sign(key, NULL, MESSAGE, next, sizeof next, &len), 0);
        assert_memory_equal(first, next, sizeof first);
        renewals += source.draws != before;
    }
    assert_int_equal(renewals, 4);
    lb_random_hook(NULL, NULL);
    limbic_key_free(key);
}

/* Without randomness there is no new pair, no salt, and so no signature; with it
   again, there is. */
static void no_randomness(void **state)
{
    struct source source = {{1}, 0, 1};
    struct limbic_params pss = params_of(LIMBIC_PADDING_PSS, LIMBIC_HASH_DEFAULT,
                                         LIMBIC_HASH_DEFAULT, LIMBIC_SALT_DEFAULT);
    struct limbic_generate options = LIMBIC_GENERATE_INIT;
    limbic_key_t key = must_import("rsa/ok-1025.pem"), none = key;
    unsigned char signature[129], zero[129] = {0};
    gpg_error_t err = 0;
    unsigned good = 0;
    size_t len;

    (void)state;
    options.allow_weak = 1;
    lb_random_hook(draw, &source);
    memset(signature, 0, sizeof signature);
    assert_int_equal(gpg_err_code(limbic_sign(key, &pss, MESSAGE, signature, 129, &len)),
                     GPG_ERR_EIO);
    assert_memory_equal(signature, zero, 129);
    for (; good < 100 && !err; good++) {
        memset(signature, 0, sizeof signature);
        err = limbic_sign(key, NULL, MESSAGE, signature, sizeof signature, &len);
    }
    assert_int_equal(gpg_err_code(err), GPG_ERR_EIO);
    assert_memory_equal(signature, zero, 129);
    assert_int_equal(gpg_err_code(limbic_key_generate(&none, "rsa:1024", &options)), GPG_ERR_EIO);
    assert_null(none);
    source.broken = 0;
    assert_code(limbic_sign(key, NULL, MESSAGE, signature, sizeof signature, &len), 0);
    assert_code(limbic_verify(key, NULL, MESSAGE, signature, len), 0);
    lb_random_hook(NULL, NULL);
    limbic_key_free(key);
}

/*
 * Bad keys
 */

/* Those that leniency lets in are found by the check, and sign
   nothing. */
static void bad_keys(void **state)
{
    static const struct {
        const char *file;
        gpg_err_code_t code;
        int lenient, is_private;
    } bad[] = {
        {"rsa/bad-e1.pem", GPG_ERR_BAD_PUBKEY, 1, 1},
        {"rsa/bad-e1-pub.pem", GPG_ERR_BAD_PUBKEY, 1, 0},
        {"rsa/bad-neven.pem", GPG_ERR_BAD_PUBKEY, 1, 1},
        {"rsa/bad-neven-pub.pem", GPG_ERR_BAD_PUBKEY, 1, 0},
        {"rsa/e-as-long-as-n.pem", GPG_ERR_BAD_PUBKEY, 1, 1},
        {"rsa/bad-dp.pem", GPG_ERR_BAD_SECKEY, 1, 1},
        {"rsa/bad-dq.pem", GPG_ERR_BAD_SECKEY, 1, 1},
        {"rsa/bad-qi.pem", GPG_ERR_BAD_SECKEY, 1, 1},
        {"rsa/bad-pq.pem", GPG_ERR_BAD_SECKEY, 1, 1},
        {"rsa/bad-multi-dropped.pem", GPG_ERR_BAD_SECKEY, 1, 1},
        {"rsa/bad-multi-v0.pem", GPG_ERR_BAD_DATA, 0, 1},
        {"rsa/bad-multi-v1-none.pem", GPG_ERR_TOO_SHORT, 0, 1},
    };
    unsigned char signature[MAX_SIGNATURE];
    size_t len;

    (void)state;
    for (size_t i = 0; i < SIZE(bad); i++) {
        struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;
        limbic_key_t key;

        print_message("# %s\n", bad[i].file);
        assert_code(import_file(&key, bad[i].file, 0), bad[i].code);
        assert_code(import_file(&key, bad[i].file, LIMBIC_IMPORT_LENIENT),
                    bad[i].lenient ? 0 : bad[i].code);
        if (!bad[i].lenient)
            continue;
        assert_code(limbic_key_info(key, &info), 0);
        assert_int_equal(info.is_private, bad[i].is_private);
        assert_code(limbic_key_check(key), bad[i].code);
        memset(signature, 0, sizeof signature);
        assert_code(limbic_sign(key, NULL, MESSAGE, signature, sizeof signature, &len),
                    bad[i].is_private ? GPG_ERR_UNUSABLE_SECKEY : GPG_ERR_NO_SECKEY);
        for (size_t j = 0; j < sizeof signature; j++)
            assert_int_equal(signature[j], 0);
        assert_code(limbic_verify(key, NULL, MESSAGE, signature, info.max_signature),
                    GPG_ERR_UNUSABLE_PUBKEY);
        assert_code(limbic_key_ready(key), bad[i].code);
        limbic_key_free(key);
    }
}

/* A key from numbers of libgcrypt. */
struct numbers {
    gcry_mpi_t n, e, d, p, q, dp, dq, qi;
};

static gcry_mpi_t less_one(gcry_mpi_t x)
{
    gcry_mpi_t r = gcry_mpi_new(0);

    gcry_mpi_sub_ui(r, x, 1);
    return r;
}

/* The rest from p, q, e; d = 1/e mod (p - 1)(q - 1). Any p and q, prime or not. */
static struct numbers derive(gcry_mpi_t p, gcry_mpi_t q, unsigned long e)
{
    struct numbers k = {gcry_mpi_new(0), gcry_mpi_set_ui(NULL, e), gcry_mpi_new(0), p, q,
                        gcry_mpi_new(0), gcry_mpi_new(0),          gcry_mpi_new(0)};
    gcry_mpi_t p1 = less_one(p), q1 = less_one(q), phi = gcry_mpi_new(0);

    gcry_mpi_mul(k.n, p, q);
    gcry_mpi_mul(phi, p1, q1);
    if (!gcry_mpi_invm(k.d, k.e, phi) || !gcry_mpi_invm(k.qi, q, p))
        fail_msg("unsuitable numbers");
    gcry_mpi_mod(k.dp, k.d, p1);
    gcry_mpi_mod(k.dq, k.d, q1);
    gcry_mpi_release(p1);
    gcry_mpi_release(q1);
    gcry_mpi_release(phi);
    return k;
}

static void numbers_free(struct numbers *k)
{
    gcry_mpi_t *all[] = {&k->n, &k->e, &k->d, &k->p, &k->q, &k->dp, &k->dq, &k->qi};

    for (size_t i = 0; i < SIZE(all); i++)
        gcry_mpi_release(*all[i]);
}

static gpg_error_t import_numbers(limbic_key_t *key, const struct numbers *k, unsigned flags)
{
    const gcry_mpi_t all[] = {k->n, k->e, k->d, k->p, k->q, k->dp, k->dq, k->qi};
    static unsigned char room[SIZE(all)][MAX_SIGNATURE];
    struct limbic_component components[SIZE(all)];

    for (size_t i = 0; i < SIZE(all); i++) {
        size_t len;
        if (gcry_mpi_print(GCRYMPI_FMT_USG, room[i], sizeof room[i], &len, all[i]))
            fail_msg("gcry_mpi_print");
        components[i] = (struct limbic_component){lb_rsa_part_names[i], room[i], len};
    }
    return limbic_key_from_components(key, LIMBIC_KEY_RSA, components, SIZE(all), flags);
}

static gcry_mpi_t number(const char *hex)
{
    gcry_mpi_t r;

    if (gcry_mpi_scan(&r, GCRYMPI_FMT_HEX, hex, 0, NULL))
        fail_msg("gcry_mpi_scan");
    return r;
}

/* A component of a key as libgcrypt's number. */
static gcry_mpi_t component(limbic_key_t key, const char *name)
{
    unsigned char octets[MAX_SIGNATURE];
    gcry_mpi_t r;
    size_t len;

    assert_code(limbic_key_get_component(key, name, octets, sizeof octets, &len), 0);
    assert_true(len == 0 || octets[0] != 0);
    if (gcry_mpi_scan(&r, GCRYMPI_FMT_USG, octets, len, NULL))
        fail_msg("gcry_mpi_scan");
    return r;
}

/* Consistent by the letter, but p is no prime: import cannot know, the check and the result do. */
static void composite_prime(void **state)
{
    limbic_key_t good = must_import("rsa/ok-1025.pem"), key;
    gcry_mpi_t p = component(good, "p"), q = component(good, "q");
    struct numbers k;
    unsigned char signature[MAX_SIGNATURE], zero[MAX_SIGNATURE] = {0};
    size_t len;

    (void)state;
    /* p + 2j, until e is coprime to p - 1 and 3 does not show it at once. */
    do
        gcry_mpi_add_ui(p, p, 2);
    while (gcry_prime_check(p, 0) == 0 || !gcry_mpi_test_bit(p, 1));
    k = derive(p, q, 65537);
    assert_code(import_numbers(&key, &k, 0), 0);
    assert_code(limbic_key_check(key), GPG_ERR_BAD_SECKEY);
    memset(signature, 0, sizeof signature);
    assert_code(limbic_sign(key, NULL, MESSAGE, signature, sizeof signature, &len),
                GPG_ERR_BAD_SECKEY);
    assert_memory_equal(signature, zero, sizeof signature);
    limbic_key_free(key);
    numbers_free(&k);
    limbic_key_free(good);
}

/* p = q; p or q of 1; primes of a few bits, which import accepts and so use must. */
static void strange_primes(void **state)
{
    static const struct {
        const char *q;
        unsigned long e;
    } small[] = {{"03", 65537},
                 {"05", 3},
                 {"0101", 65537},
                 {"FFF1", 17},
                 {"0FFFFFFFB", 65537},
                 {"00FFFFFFFFFFFFFFC5", 65537},
                 {"01000000000000000000000000000000"
                  "33",
                  5}};
    limbic_key_t good = must_import("rsa/ok-1025.pem"), key;
    gcry_mpi_t prime = component(good, "p");
    struct numbers k;

    (void)state;
    for (size_t i = 0; i < SIZE(small); i++) {
        gcry_mpi_t p = gcry_mpi_copy(prime);
        /* the next prime that goes with e */
        for (unsigned long rest = 1;; gcry_mpi_add_ui(p, p, 2)) {
            gcry_mpi_t m = gcry_mpi_new(0), e = gcry_mpi_set_ui(NULL, small[i].e);
            gcry_mpi_mod(m, p, e);
            rest = (unsigned long)gcry_mpi_cmp_ui(m, 1);
            gcry_mpi_release(m);
            gcry_mpi_release(e);
            if (rest != 0 && gcry_prime_check(p, 0) == 0)
                break;
        }
        k = derive(p, number(small[i].q), small[i].e);
        print_message("# q = %s\n", small[i].q);
        assert_code(import_numbers(&key, &k, 0), 0);
        sign_and_verify(key, NULL);
        /* 751 is the bound of the check for small factors. */
        assert_code(limbic_key_check(key), strlen(small[i].q) <= 4 && small[i].q[0] == '0'
                                               ? GPG_ERR_BAD_PUBKEY
                                               : GPG_ERR_NO_ERROR);
        limbic_key_free(key);
        /* The same the other way round. */
        struct numbers swapped = derive(gcry_mpi_copy(k.q), gcry_mpi_copy(k.p), small[i].e);
        assert_code(import_numbers(&key, &swapped, 0), 0);
        sign_and_verify(key, NULL);
        limbic_key_free(key);
        numbers_free(&swapped);
        numbers_free(&k);
    }

    k = derive(gcry_mpi_copy(prime), component(good, "q"), 65537);
    /* p = q, n = p^2 */
    gcry_mpi_set(k.q, k.p);
    gcry_mpi_mul(k.n, k.p, k.q);
    assert_code(import_numbers(&key, &k, 0), GPG_ERR_BAD_SECKEY);
    assert_code(import_numbers(&key, &k, LIMBIC_IMPORT_LENIENT), 0);
    assert_code(limbic_key_check(key), GPG_ERR_BAD_SECKEY);
    limbic_key_free(key);
    /* q = 1, n = p: 513 bits */
    gcry_mpi_set_ui(k.q, 1);
    gcry_mpi_set(k.n, k.p);
    assert_code(import_numbers(&key, &k, 0), GPG_ERR_BAD_SECKEY);
    /* p = 1 */
    gcry_mpi_swap(k.p, k.q);
    assert_code(import_numbers(&key, &k, 0), GPG_ERR_BAD_SECKEY);
    /* p even */
    gcry_mpi_set_ui(k.p, 2);
    assert_code(import_numbers(&key, &k, 0), GPG_ERR_BAD_SECKEY);
    numbers_free(&k);
    gcry_mpi_release(prime);
    limbic_key_free(good);
}

/* Each number off by the amounts that keep it odd or even, or replaced by a multiple that is
   congruent: nothing but the one value is accepted. */
static void off_by_some(void **state)
{
    limbic_key_t good = must_import("rsa/ok-1017.pem"), key;
    struct numbers k = derive(component(good, "p"), component(good, "q"), 65537);
    gcry_mpi_t *all[] = {&k.n, &k.d, &k.p, &k.q, &k.dp, &k.dq, &k.qi};
    gcry_mpi_t p1 = less_one(k.p), q1 = less_one(k.q), saved = gcry_mpi_new(0);
    gcry_mpi_t steps[][2] = {{k.d, k.n}, {k.dp, p1}, {k.dq, q1}, {k.qi, k.p}};

    (void)state;
    assert_code(import_numbers(&key, &k, 0), 0);
    limbic_key_free(key);
    for (size_t i = 0; i < SIZE(all); i++)
        for (unsigned long step = 1; step <= 4; step *= 2) {
            gcry_mpi_set(saved, *all[i]);
            gcry_mpi_add_ui(*all[i], *all[i], step);
            assert_code(import_numbers(&key, &k, 0),
                        i == 0 && step == 1 ? GPG_ERR_BAD_PUBKEY : GPG_ERR_BAD_SECKEY);
            gcry_mpi_sub_ui(*all[i], saved, step);
            assert_code(import_numbers(&key, &k, 0),
                        i == 0 && step == 1 ? GPG_ERR_BAD_PUBKEY : GPG_ERR_BAD_SECKEY);
            gcry_mpi_set(*all[i], saved);
        }
    for (size_t i = 0; i < SIZE(steps); i++) {
        gcry_mpi_set(saved, steps[i][0]);
        gcry_mpi_add(steps[i][0], saved, steps[i][1]);
        assert_code(import_numbers(&key, &k, 0), GPG_ERR_BAD_SECKEY);
        gcry_mpi_set(steps[i][0], saved);
    }
    /* d longer than the modulus, by limbs. */
    gcry_mpi_set(saved, k.d);
    gcry_mpi_mul_2exp(k.d, k.d, 300);
    assert_code(import_numbers(&key, &k, 0), GPG_ERR_BAD_SECKEY);
    assert_code(import_numbers(&key, &k, LIMBIC_IMPORT_LENIENT), 0);
    assert_code(limbic_key_check(key), GPG_ERR_BAD_SECKEY);
    limbic_key_free(key);
    gcry_mpi_set(k.d, saved);
    assert_code(import_numbers(&key, &k, 0), 0);
    assert_code(limbic_key_check(key), 0);
    limbic_key_free(key);
    gcry_mpi_release(p1);
    gcry_mpi_release(q1);
    gcry_mpi_release(saved);
    numbers_free(&k);
    limbic_key_free(good);
}

/* p < q, which RFC 8017 allows. */
static void swapped_primes(void **state)
{
    static const char *const files[] = {"rsa/ok-1025.pem", "rsa/ok-unbalanced-1536-512.pem",
                                        "keys/rsa1024.pkcs1.pem"};

    (void)state;
    for (size_t i = 0; i < SIZE(files); i++) {
        limbic_key_t given = must_import(files[i]), key;
        struct numbers k = derive(component(given, "q"), component(given, "p"), 65537);
        unsigned char a[MAX_SIGNATURE], b[MAX_SIGNATURE];
        size_t len;

        assert_code(import_numbers(&key, &k, 0), 0);
        assert_code(limbic_key_check(key), 0);
        sign_and_verify(key, NULL);
        assert_code(limbic_sign(given, NULL, MESSAGE, a, sizeof a, &len), 0);
        assert_code(limbic_sign(key, NULL, MESSAGE, b, sizeof b, &len), 0);
        assert_memory_equal(a, b, len);
        limbic_key_free(key);
        numbers_free(&k);
        limbic_key_free(given);
    }
}

/*
 * Key generation
 */

static void swap_to_order(gcry_mpi_t low, gcry_mpi_t high)
{
    if (gcry_mpi_cmp(low, high) > 0)
        gcry_mpi_swap(low, high);
}

/* FIPS 186-5, appendix A.1.1 and A.1.3, on the components. */
static void check_generated(limbic_key_t key, unsigned bits, uint64_t e)
{
    struct numbers k = {component(key, "n"),  component(key, "e"), component(key, "d"),
                        component(key, "p"),  component(key, "q"), component(key, "dp"),
                        component(key, "dq"), component(key, "qi")};
    gcry_mpi_t p1 = less_one(k.p), q1 = less_one(k.q), t = gcry_mpi_new(0),
               lambda = gcry_mpi_new(0);
    gcry_mpi_t const primes[] = {k.p, k.q}, less[] = {p1, q1}, exponents[] = {k.dp, k.dq};
    gcry_mpi_t e_wanted = gcry_mpi_set_ui(NULL, (unsigned long)(e >> 32));

    gcry_mpi_mul_2exp(e_wanted, e_wanted, 32);
    gcry_mpi_add_ui(e_wanted, e_wanted, (unsigned long)(e & 0xffffffff));
    assert_int_equal(gcry_mpi_cmp(k.e, e_wanted), 0);
    assert_int_equal(gcry_mpi_get_nbits(k.n), bits);
    gcry_mpi_mul(t, k.p, k.q);
    assert_int_equal(gcry_mpi_cmp(t, k.n), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gcry_prime_check(primes[i], 0), 0);
        /* The first has one bit more if bits is odd. p >= sqrt(2) 2^(half - 1): p^2 has twice as
           many bits. */
        unsigned half = bits / 2 + (i == 0 ? bits % 2 : 0);
        assert_int_equal(gcry_mpi_get_nbits(primes[i]), half);
        gcry_mpi_mul(t, primes[i], primes[i]);
        assert_int_equal(gcry_mpi_get_nbits(t), 2 * half);
        assert_int_not_equal(gcry_mpi_gcd(t, less[i], k.e), 0);
        gcry_mpi_mod(t, k.d, less[i]);
        assert_int_equal(gcry_mpi_cmp(t, exponents[i]), 0);
    }
    gcry_mpi_mulm(t, k.qi, k.q, k.p);
    assert_int_equal(gcry_mpi_cmp_ui(t, 1), 0);
    assert_true(gcry_mpi_cmp(k.qi, k.p) < 0);
    /* 2^(bits/2) < d < lcm(p - 1, q - 1), e d = 1 mod it. */
    gcry_mpi_gcd(t, p1, q1);
    gcry_mpi_mul(lambda, p1, q1);
    gcry_mpi_div(lambda, NULL, lambda, t, 0);
    assert_true(gcry_mpi_cmp(k.d, lambda) < 0);
    assert_true(gcry_mpi_get_nbits(k.d) > bits / 2);
    gcry_mpi_mulm(t, k.d, k.e, lambda);
    assert_int_equal(gcry_mpi_cmp_ui(t, 1), 0);
    /* |p - q| > 2^(bits/2 - 100) */
    swap_to_order(k.p, k.q);
    gcry_mpi_sub(t, k.q, k.p);
    assert_true(gcry_mpi_get_nbits(t) > bits / 2 - 100);
    gcry_mpi_release(p1);
    gcry_mpi_release(q1);
    gcry_mpi_release(t);
    gcry_mpi_release(lambda);
    gcry_mpi_release(e_wanted);
    numbers_free(&k);
}

static void generated(const char *spec, unsigned bits, uint64_t e, int weak)
{
    struct limbic_generate options = LIMBIC_GENERATE_INIT;
    struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;
    limbic_key_t key;

    options.e = e;
    options.allow_weak = weak;
    assert_code(limbic_key_generate(&key, spec, &options), 0);
    assert_code(limbic_key_info(key, &info), 0);
    assert_int_equal(info.bits, bits);
    assert_int_equal(info.is_private, 1);
    check_generated(key, bits, e ? e : 65537);
    assert_code(limbic_key_check(key), 0);
    sign_and_verify(key, NULL);
    limbic_key_free(key);
}

static void generate_1024(void **state)
{
    static const uint64_t exponents[] = {
        0, 3, 5, 17, 65537, 4294967295, 4294967297, (uint64_t)1 << 63 | 1, UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < SIZE(exponents); i++)
        generated("rsa:1024", 1024, exponents[i], 1);
}

static void generate_larger(void **state)
{
    (void)state;
    generated("rsa:1536", 1536, 3, 1);
    generated("rsa:1536", 1536, 0, 1);
    generated("rsa:2048", 2048, 0, 0);
    generated("rsa:2048", 2048, 4294967297, 0);
    generated("rsa:2050", 2050, 65537, 0);
    generated("rsa:2062", 2062, 65537, 0);
}

static void generate_3072(void **state)
{
    (void)state;
    generated("rsa:3072", 3072, 65537, 0);
}

static void generate_odd(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        generated("rsa:1025", 1025, i % 2 ? 3 : 65537, 1);
        generated("rsa:1087", 1087, 0, 1);
    }
    generated("rsa:2047", 2047, 3, 1);
    generated("rsa:2049", 2049, 0, 0);
}

/* The modulus has any number of octets above or below a whole limb, and of bits in its first octet:
   buffers that are an octet short, or a mask of the wrong width, show at one of them. */
static void every_length(void **state)
{
    struct limbic_params pss =
        params_of(LIMBIC_PADDING_PSS, LIMBIC_HASH_DEFAULT, LIMBIC_HASH_DEFAULT, LIMBIC_SALT_MAX);
    struct limbic_generate options = LIMBIC_GENERATE_INIT;

    (void)state;
    options.allow_weak = 1;
    for (unsigned bits = 1024; bits <= 1024 + 64; bits++) {
        unsigned char c[MAX_SIGNATURE], out[MAX_SIGNATURE];
        size_t len, out_len;
        limbic_key_t key;
        char spec[16];

        options.e = bits % 2 ? 3 : 65537;
        snprintf(spec, sizeof spec, "rsa:%u", bits);
        assert_code(limbic_key_generate(&key, spec, &options), 0);
        check_generated(key, bits, options.e);
        sign_and_verify(key, NULL);
        sign_and_verify(key, &pss);
        assert_code(limbic_encrypt(key, NULL, MESSAGE, c, sizeof c, &len), 0);
        assert_int_equal(len, (bits + 7) / 8);
        assert_code(limbic_decrypt(key, NULL, c, len, out, sizeof out, &out_len), 0);
        assert_int_equal(out_len, sizeof message - 1);
        assert_memory_equal(out, message, out_len);
        limbic_key_free(key);
    }
}

static unsigned long component_bits(limbic_key_t key, const char *name)
{
    gcry_mpi_t x = component(key, name);
    unsigned long bits = gcry_mpi_get_nbits(x);

    gcry_mpi_release(x);
    return bits;
}

/* More than two primes: what import checks holds, the lengths are as told, and the key works. */
static void generate_more_primes(void **state)
{
    static const struct {
        const char *spec;
        unsigned bits, primes;
    } keys[] = {{"rsa:1024", 1024, 3}, {"rsa:1025", 1025, 3}, {"rsa:1535", 1535, 3},
                {"rsa:2048", 2048, 3}, {"rsa:4096", 4096, 4}, {"rsa:8192", 8192, 5}};
    static const char *const names[] = {"p", "q", "r3", "r4", "r5"};
    struct limbic_generate options = LIMBIC_GENERATE_INIT;
    struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;
    limbic_key_t key, public_key;
    size_t len;

    (void)state;
    options.allow_weak = 1;
    for (size_t i = 0; i < SIZE(keys); i++) {
        options.primes = keys[i].primes;
        assert_code(limbic_key_generate(&key, keys[i].spec, &options), 0);
        assert_code(limbic_key_info(key, &info), 0);
        assert_int_equal(info.bits, keys[i].bits);
        for (unsigned j = 0; j < keys[i].primes; j++)
            assert_int_equal(component_bits(key, names[j]),
                             keys[i].bits / keys[i].primes + (j < keys[i].bits % keys[i].primes));
        assert_code(limbic_key_get_component(key, keys[i].primes == 3 ? "r4" : "r6", NULL, 0, &len),
                    GPG_ERR_UNKNOWN_NAME);
        assert_code(limbic_key_check(key), 0);
        sign_and_verify(key, NULL);
        assert_code(limbic_key_public(key, &public_key), 0);
        limbic_key_free(public_key);
        limbic_key_free(key);
    }
}

static void generate_specs(void **state)
{
    static const struct {
        const char *spec;
        gpg_err_code_t code;
    } specs[] = {
        {"", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {"rsa", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {"rsa2048", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {"RSA:2048", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {" rsa:2048", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {"ed25519", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {"dsa:2048", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {"rsa:", GPG_ERR_INV_VALUE},
        {"rsa:x", GPG_ERR_INV_VALUE},
        {"rsa: 2048", GPG_ERR_INV_VALUE},
        {"rsa:+2048", GPG_ERR_INV_VALUE},
        {"rsa:-2048", GPG_ERR_INV_VALUE},
        {"rsa:02048", GPG_ERR_INV_VALUE},
        {"rsa:0", GPG_ERR_INV_VALUE},
        {"rsa:2048 ", GPG_ERR_INV_VALUE},
        {"rsa:2048:3", GPG_ERR_INV_VALUE},
        {"rsa:0x800", GPG_ERR_INV_VALUE},
        {"rsa:1025", GPG_ERR_TOO_SHORT},
        {"rsa:2047", GPG_ERR_TOO_SHORT},
        {"rsa:2", GPG_ERR_TOO_SHORT},
        {"rsa:512", GPG_ERR_TOO_SHORT},
        {"rsa:1022", GPG_ERR_TOO_SHORT},
        {"rsa:1024", GPG_ERR_TOO_SHORT},
        {"rsa:1536", GPG_ERR_TOO_SHORT},
        {"rsa:2046", GPG_ERR_TOO_SHORT},
        {"rsa:16385", GPG_ERR_TOO_LARGE},
        {"rsa:16386", GPG_ERR_TOO_LARGE},
        {"rsa:99999999999999999999999999", GPG_ERR_TOO_LARGE},
        {"rsa:18446744073709553664", GPG_ERR_TOO_LARGE},
    };
    static const uint64_t bad_exponents[] = {1, 2, 4, 65536, (uint64_t)1 << 63, UINT64_MAX - 1};
    struct limbic_generate options = LIMBIC_GENERATE_INIT;
    limbic_key_t key;

    (void)state;
    for (size_t i = 0; i < SIZE(specs); i++) {
        key = (limbic_key_t)(void *)&options;
        print_message("# \"%s\"\n", specs[i].spec);
        assert_code(limbic_key_generate(&key, specs[i].spec, NULL), specs[i].code);
        assert_null(key);
    }
    options.allow_weak = 1;
    assert_code(limbic_key_generate(&key, "rsa:1023", &options), GPG_ERR_TOO_SHORT);
    assert_code(limbic_key_generate(&key, "rsa:768", &options), GPG_ERR_TOO_SHORT);
    for (size_t i = 0; i < SIZE(bad_exponents); i++) {
        options.e = bad_exponents[i];
        assert_code(limbic_key_generate(&key, "rsa:1024", &options), GPG_ERR_INV_VALUE);
    }
    options.e = 0;
    options.size = offsetof(struct limbic_generate, primes) - 1;
    assert_code(limbic_key_generate(&key, "rsa:1024", &options), GPG_ERR_INV_ARG);
    options.size = sizeof options;
    options.primes = 1;
    assert_code(limbic_key_generate(&key, "rsa:1024", &options), GPG_ERR_INV_VALUE);
    options.primes = 4;
    assert_code(limbic_key_generate(&key, "rsa:4095", &options), GPG_ERR_TOO_LARGE);
    options.primes = 5;
    assert_code(limbic_key_generate(&key, "rsa:8191", &options), GPG_ERR_TOO_LARGE);
    options.primes = 6;
    assert_code(limbic_key_generate(&key, "rsa:16384", &options), GPG_ERR_TOO_LARGE);
    assert_null(key);
    assert_code(limbic_key_generate(NULL, "rsa:1024", NULL), GPG_ERR_INV_ARG);
    assert_code(limbic_key_generate(&key, NULL, NULL), GPG_ERR_INV_ARG);
}

struct progress {
    unsigned long calls, tested, expected, cancel_at;
};

static int on_progress(void *opaque, unsigned long tested, unsigned long expected)
{
    struct progress *progress = opaque;

    progress->calls++;
    if (tested < progress->tested || tested > progress->tested + 1)
        fail_msg("progress went from %lu to %lu", progress->tested, tested);
    if (progress->calls > 1 && expected != progress->expected)
        fail_msg("another expectation");
    progress->tested = tested;
    progress->expected = expected;
    return progress->calls == progress->cancel_at;
}

static void generate_progress(void **state)
{
    struct limbic_generate options = LIMBIC_GENERATE_INIT;
    struct progress progress = {0, 0, 0, 0};
    limbic_key_t key;

    (void)state;
    options.allow_weak = 1;
    options.progress = on_progress;
    options.opaque = &progress;
    assert_code(limbic_key_generate(&key, "rsa:1024", &options), 0);
    limbic_key_free(key);
    assert_true(progress.calls >= 2);
    assert_true(progress.tested >= 2);
    /* Some hundred odd candidates in ln 2^512 / 2, most of which the sieve takes out. */
    assert_in_range(progress.expected, 10, 1000);
    for (unsigned long at = 1; at <= 3; at++) {
        progress = (struct progress){0, 0, 0, at};
        key = (limbic_key_t)(void *)&options;
        assert_code(limbic_key_generate(&key, at == 1 ? "rsa:16384" : "rsa:2048", &options),
                    GPG_ERR_CANCELED);
        assert_null(key);
        assert_int_equal(progress.calls, at);
    }
}

/*
 * Over every tier
 */

/* What gives the kernels of one tier and nothing else's: the provider by name, and of native the
   tiers above the one wanted denied. */
static const struct {
    const char *words, *tier;
} each_tier[] = {
    {"only:portable", "portable"},
    {"only:native", "native/adx"},
    {"only:native -adx", "native/baseline"},
    {"only:gmp", "gmp"},
};

static int has_tier(const char *label)
{
    const struct lb_registry *r = lb_registry();
    char name[LB_TIER_NAME_SIZE];

    for (unsigned i = 0; i < r->tier_count; i++) {
        lb_tier_name(name, i);
        if (r->tier[i].state == LB_USABLE && strcmp(name, label) == 0)
            return 1;
    }
    return 0;
}

static const char *server_of_mul(void)
{
    static char name[LB_TIER_NAME_SIZE];
    gpg_error_t err = 0;
    const struct lb_plan *plan = lb_plan_current(&err);

    assert_non_null(plan);
    lb_tier_name(name,
                 lb_registry()->family[lb_plan_row(plan, 2048)->family[LIMBIC_SLOT_MUL]].tier);
    return name;
}

/* Special sizes are reached by odd keys alone, and by each tier's own kernels: 512 bits in keys of
   two and of three primes, halves of unequal length, lengths that are no multiple of 8. */
static void over_every_tier(void **state)
{
    unsigned tiers = 0;

    for (size_t i = 0; i < SIZE(each_tier); i++) {
        lb_test_reset(NULL);
        lb_registry_open_all();
        if (!has_tier(each_tier[i].tier))
            continue;
        print_message("# %s\n", each_tier[i].tier);
        lb_test_reset(each_tier[i].words);
        assert_string_equal(server_of_mul(), each_tier[i].tier);
        raw_private(state);
        raw_limits(state);
        key_shapes(state);
        swapped_primes(state);
        tiers++;
    }
    lb_test_reset(NULL);
    assert_true(tiers > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_private),
        cmocka_unit_test(raw_limits),
        cmocka_unit_test(pkcs1_cases),
        cmocka_unit_test(pss_cases),
        cmocka_unit_test(key_shapes),
        cmocka_unit_test(too_short),
        cmocka_unit_test(pss_hashes),
        cmocka_unit_test(pss_binds_parameters),
        cmocka_unit_test(pkcs1_hashes),
        cmocka_unit_test(no_hash),
        cmocka_unit_test(wrong_signatures),
        cmocka_unit_test(twice),
        cmocka_unit_test(blinding),
        cmocka_unit_test(no_randomness),
        cmocka_unit_test(bad_keys),
        cmocka_unit_test(composite_prime),
        cmocka_unit_test(strange_primes),
        cmocka_unit_test(off_by_some),
        cmocka_unit_test(swapped_primes),
        cmocka_unit_test(generate_specs),
        cmocka_unit_test(generate_1024),
        cmocka_unit_test(generate_larger),
        cmocka_unit_test(generate_odd),
        cmocka_unit_test(every_length),
        cmocka_unit_test(generate_more_primes),
        cmocka_unit_test(generate_3072),
        cmocka_unit_test(generate_progress),
        cmocka_unit_test(over_every_tier),
    };

    if (!gcry_check_version(NULL))
        return 99;
    return cmocka_run_group_tests_name("rsa", tests, NULL, NULL);
}
