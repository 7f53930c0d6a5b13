/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-corrupt.c - damaged keys and signatures: every prefix, every change of one octet, and random
 * changes. Input ends at an unreadable page, and the sanitizers' builds run this too.
 *
 * What may come of a damaged key:
 *
 *   DER, private   an error: every octet of a private key is bound by another, so no change of one
 *                  octet leaves a key.
 *   DER, public    an error, or the other key that the octets say: one text for one key, so
 *                  writing it gives the same octets. It accepts no signature of the sound key.
 *   PEM            the same, but for the layout, in which one key has many texts: then it is the
 *                  sound key.
 *
 * No damaged signature is accepted, and every refusal has a code that limbic.h lists.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/keys.h"

static const char message[] = "message";
#define MESSAGE message, sizeof message - 1

static guarded area;

/* A key, its texts, and signatures of its. */
struct sample {
    unsigned bits;
    limbic_key_t key;
    struct text pkcs8, spki;         /* DER */
    unsigned char signature[2][128]; /* PKCS#1, PSS */
} samples[2];

static const struct limbic_params *scheme(int pss)
{
    static struct limbic_params params[2];

    params[0] = params_of(LIMBIC_PADDING_PKCS1, LIMBIC_HASH_SHA256, 0, 0);
    params[1] = params_of(LIMBIC_PADDING_PSS, LIMBIC_HASH_SHA256, 0, LIMBIC_SALT_AUTO);
    return &params[pss];
}

/* What import may say of octets that are no key (limbic.h, limbic_key_import). */
static int is_listed(gpg_err_code_t code)
{
    static const gpg_err_code_t codes[] = {
        GPG_ERR_NO_DATA,
        GPG_ERR_TOO_LARGE,
        GPG_ERR_TOO_SHORT,
        GPG_ERR_INV_ARMOR,
        GPG_ERR_BAD_DATA,
        GPG_ERR_TOO_MANY,
        GPG_ERR_INV_LENGTH,
        GPG_ERR_INV_TAG,
        GPG_ERR_NOT_DER_ENCODED,
        GPG_ERR_INV_VALUE,
        GPG_ERR_INV_OID_STRING,
        GPG_ERR_UNKNOWN_VERSION,
        GPG_ERR_BAD_PUBKEY,
        GPG_ERR_BAD_SECKEY,
        GPG_ERR_UNSUPPORTED_ALGORITHM,
        GPG_ERR_UNSUPPORTED_PROTECTION,
        GPG_ERR_NO_PASSPHRASE,
    };

    for (size_t i = 0; i < SIZE(codes); i++)
        if (codes[i] == code)
            return 1;
    return 0;
}

static int exports_as(limbic_key_t key, enum limbic_format format, const unsigned char *der,
                      size_t len)
{
    static unsigned char out[MAX_KEY];
    size_t written;

    assert_code(limbic_key_export(key, format, 0, out, sizeof out, &written), 0);
    return written == len && memcmp(out, der, len) == 0;
}

static void accepts_nothing(const struct sample *s, limbic_key_t other)
{
    for (int pss = 0; pss < 2; pss++)
        assert_int_equal(gpg_err_code(limbic_verify(other, scheme(pss), MESSAGE, s->signature[pss],
                                                    s->bits / 8)),
                         GPG_ERR_BAD_SIGNATURE);
}

/* One damaged text, which starts at p; whether it became a key. */
static int try_text(const struct sample *s, enum limbic_format format, int is_pem, const void *p,
                    size_t len)
{
    limbic_key_t key = (limbic_key_t)(void *)&key;
    gpg_error_t err = limbic_key_import(&key, p, len, 0);
    struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;
    int same;

    if (err) {
        assert_null(key);
        if (!is_listed(gpg_err_code(err)) || !*limbic_error_detail())
            fail_msg("import: %s: %s", gpg_strerror(err), limbic_error_detail());
        return 0;
    }
    assert_code(limbic_key_info(key, &info), 0);
    if (info.is_private) {
        same = exports_as(key, LIMBIC_FORMAT_PKCS8, s->pkcs8.data, s->pkcs8.len);
        if (!same || !is_pem)
            fail_msg("a damaged private key was accepted");
    } else {
        same = exports_as(key, LIMBIC_FORMAT_SPKI, s->spki.data, s->spki.len);
        if (!same)
            accepts_nothing(s, key);
        if (!is_pem && !exports_as(key, format, p, len))
            fail_msg("a public key with two encodings");
    }
    limbic_key_free(key);
    return 1;
}

/* The end of a text: a key only where it is the PKCS#1 key inside of PKCS#8 or
   SubjectPublicKeyInfo. */
static void try_suffix(const struct sample *s, enum limbic_format format, const void *p, size_t len)
{
    enum limbic_format inner = format == LIMBIC_FORMAT_PKCS8  ? LIMBIC_FORMAT_PKCS1
                               : format == LIMBIC_FORMAT_SPKI ? LIMBIC_FORMAT_PKCS1_PUBLIC
                                                              : format;
    limbic_key_t key;
    gpg_error_t err = limbic_key_import(&key, p, len, 0);

    if (err) {
        assert_true(is_listed(gpg_err_code(err)));
        return;
    }
    assert_int_not_equal(inner, format);
    assert_true(exports_as(key, inner, p, len));
    assert_true(exports_as(key, LIMBIC_FORMAT_SPKI, s->spki.data, s->spki.len));
    limbic_key_free(key);
}

/* An import with leniency, which must be no less safe; the key is looked at, not used. */
static void try_lenient(const void *p, size_t len)
{
    static unsigned char out[MAX_KEY];
    limbic_key_t key;
    size_t written;
    gpg_error_t err = limbic_key_import(&key, p, len, LIMBIC_IMPORT_LENIENT), usable;

    if (err) {
        assert_true(is_listed(gpg_err_code(err)));
        return;
    }
    assert_code(limbic_key_export(key, LIMBIC_FORMAT_SPKI, 0, out, sizeof out, &written), 0);
    err = limbic_key_export(key, LIMBIC_FORMAT_PKCS8, 0, out, sizeof out, &written);
    if (gpg_err_code(err) != GPG_ERR_NO_SECKEY) {
        assert_code(err, 0);
        usable = limbic_sign(key, NULL, MESSAGE, out, sizeof out, &written);
        assert_true(!usable || gpg_err_code(usable) == GPG_ERR_UNUSABLE_SECKEY ||
                    gpg_err_code(usable) == GPG_ERR_TOO_SHORT);
    }
    limbic_key_free(key);
}

/* Which values an octet takes: all, or those next to it, at its single bits, and the extremes. */
static int next_value(unsigned original, int value, int all)
{
    for (value++; value < 256; value++) {
        unsigned v = (unsigned)value, changed = original ^ v;
        if (changed == 0)
            continue;
        if (all || (changed & (changed - 1)) == 0 || v == 0 || v == 0xff || v == original + 1 ||
            v + 1 == original)
            return value;
    }
    return -1;
}

static void damage(const struct sample *s, const char *kind, enum limbic_format format, int is_pem,
                   int all)
{
    struct text given;
    char name[64];
    unsigned char *p;
    unsigned accepted = 0;

    snprintf(name, sizeof name, "keys/rsa%u.%s.%s", s->bits, kind, is_pem ? "pem" : "der");
    given = load(name);
    for (size_t len = 0; len < given.len; len++) {
        p = guarded_copy(area, given.data, len);
        /* The last newline of a PEM may be missing. */
        assert_int_equal(try_text(s, format, is_pem, p, len), is_pem && len == given.len - 1);
    }
    for (size_t len = 1; len < given.len; len++) {
        p = guarded_copy(area, given.data + len, given.len - len);
        try_suffix(s, format, p, given.len - len);
    }
    p = guarded_copy(area, given.data, given.len);
    for (size_t i = 0; i < given.len; i++) {
        for (int v = next_value(given.data[i], -1, all); v >= 0;
             v = next_value(given.data[i], v, all)) {
            p[i] = (unsigned char)v;
            accepted += (unsigned)try_text(s, format, is_pem, p, given.len);
        }
        p[i] = given.data[i] ^ 1;
        try_lenient(p, given.len);
        p[i] = given.data[i];
    }
    print_message("# %s: %u damaged texts are keys\n", name, accepted);
    free(given.data);
}

static void private_512(void **state)
{
    (void)state;
    damage(&samples[0], "pkcs1", LIMBIC_FORMAT_PKCS1, 0, 1);
    damage(&samples[0], "pkcs8", LIMBIC_FORMAT_PKCS8, 0, 1);
    damage(&samples[0], "pkcs1", LIMBIC_FORMAT_PKCS1, 1, 1);
    damage(&samples[0], "pkcs8", LIMBIC_FORMAT_PKCS8, 1, 1);
}

static void private_1024(void **state)
{
    (void)state;
    damage(&samples[1], "pkcs1", LIMBIC_FORMAT_PKCS1, 0, 0);
    damage(&samples[1], "pkcs8", LIMBIC_FORMAT_PKCS8, 0, 0);
    damage(&samples[1], "pkcs1", LIMBIC_FORMAT_PKCS1, 1, 0);
    damage(&samples[1], "pkcs8", LIMBIC_FORMAT_PKCS8, 1, 0);
}

static void public_512(void **state)
{
    (void)state;
    damage(&samples[0], "pkcs1-public", LIMBIC_FORMAT_PKCS1_PUBLIC, 0, 1);
    damage(&samples[0], "spki", LIMBIC_FORMAT_SPKI, 0, 1);
    damage(&samples[0], "pkcs1-public", LIMBIC_FORMAT_PKCS1_PUBLIC, 1, 1);
    damage(&samples[0], "spki", LIMBIC_FORMAT_SPKI, 1, 1);
}

static void public_1024(void **state)
{
    (void)state;
    damage(&samples[1], "pkcs1-public", LIMBIC_FORMAT_PKCS1_PUBLIC, 0, 0);
    damage(&samples[1], "spki", LIMBIC_FORMAT_SPKI, 0, 0);
    damage(&samples[1], "pkcs1-public", LIMBIC_FORMAT_PKCS1_PUBLIC, 1, 0);
    damage(&samples[1], "spki", LIMBIC_FORMAT_SPKI, 1, 0);
}

/* Some changes at once. Anything may come of a PEM's text before the block, so nothing is asked of
   accepted texts but that they are sound. */
static void random_damage(void **state)
{
    static const char *const names[] = {"keys/rsa512.pkcs8.der", "keys/rsa512.pkcs8.pem",
                                        "keys/rsa512.pkcs1.pem", "keys/rsa512.pkcs1.der",
                                        "keys/rsa512.spki.pem",  "keys/rsa512.spki.der"};
    static unsigned char text[4096];
    rng r = rng_start();

    (void)state;
    for (size_t i = 0; i < SIZE(names); i++) {
        struct text given = load(names[i]);
        for (int turn = 0; turn < 3000; turn++) {
            size_t len = given.len, changes = 1 + rng_below(&r, 4);
            limbic_key_t key;
            unsigned char *p;
            gpg_error_t err;

            memcpy(text, given.data, len);
            while (changes--)
                mutate(&r, text, &len, sizeof text);
            p = guarded_copy(area, text, len);
            try_lenient(p, len);
            err = limbic_key_import(&key, p, len, 0);
            if (err) {
                assert_true(is_listed(gpg_err_code(err)));
                continue;
            }
            /* What load accepts, the check may refuse only for what load does not look at. */
            err = limbic_key_check(key);
            assert_true(!err || gpg_err_code(err) == GPG_ERR_BAD_PUBKEY ||
                        gpg_err_code(err) == GPG_ERR_BAD_SECKEY);
            limbic_key_free(key);
        }
        free(given.data);
    }
}

/*
 * Signatures
 */

static void refuse(const struct sample *s, int pss, const unsigned char *p, size_t len)
{
    gpg_error_t err = limbic_verify(s->key, scheme(pss), MESSAGE, p, len);

    if (gpg_err_code(err) != GPG_ERR_BAD_SIGNATURE || !*limbic_error_detail())
        fail_msg("a damaged signature: %s", gpg_strerror(err));
}

static void signatures(void **state)
{
    static unsigned char longer[256];

    (void)state;
    for (size_t i = 0; i < 2 * SIZE(samples); i++) {
        const struct sample *s = &samples[i / 2];
        int pss = i % 2;
        size_t len = s->bits / 8;
        unsigned char *p;

        for (size_t n = 0; n < len; n++) {
            refuse(s, pss, guarded_copy(area, s->signature[pss], n), n);
            refuse(s, pss, guarded_copy(area, s->signature[pss] + len - n, n), n);
        }
        memcpy(longer + 64, s->signature[pss], len);
        for (size_t n = 1; n <= 64; n++) {
            refuse(s, pss, longer + 64, len + n);
            refuse(s, pss, longer + 64 - n, len + n);
        }
        memset(longer, 0, sizeof longer);
        p = guarded_copy(area, s->signature[pss], len);
        for (size_t at = 0; at < len; at++) {
            for (int v = next_value(s->signature[pss][at], -1, 1); v >= 0;
                 v = next_value(s->signature[pss][at], v, 1)) {
                p[at] = (unsigned char)v;
                refuse(s, pss, p, len);
            }
            p[at] = s->signature[pss][at];
        }
        assert_code(limbic_verify(s->key, scheme(pss), MESSAGE, p, len), 0);
        /* One scheme's signature under the other; another key's. */
        refuse(s, !pss, p, len);
        refuse(&samples[1 - i / 2], pss, p, len);
    }
}

/* A changed message or digest. */
static void messages(void **state)
{
    unsigned char digest[32] = {0};
    unsigned char signature[128];
    size_t len;

    (void)state;
    for (int pss = 0; pss < 2; pss++) {
        const struct sample *s = &samples[1];
        struct limbic_params params = *scheme(pss);
        params.salt_len = 0;
        assert_code(limbic_sign_digest(s->key, &params, digest, 32, signature, 128, &len), 0);
        for (size_t bit = 0; bit < 256; bit++) {
            digest[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_int_equal(
                gpg_err_code(limbic_verify_digest(s->key, &params, digest, 32, signature, len)),
                GPG_ERR_BAD_SIGNATURE);
            digest[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
        assert_code(limbic_verify_digest(s->key, &params, digest, 32, signature, len), 0);
    }
}

static int set_up(void **state)
{
    (void)state;
    area = guarded_new(4096);
    for (size_t i = 0; i < SIZE(samples); i++) {
        struct sample *s = &samples[i];
        char name[64];
        size_t len;

        s->bits = i ? 1024 : 512;
        snprintf(name, sizeof name, "keys/rsa%u.pkcs8.der", s->bits);
        s->pkcs8 = load(name);
        s->key = must_import(name);
        snprintf(name, sizeof name, "keys/rsa%u.spki.der", s->bits);
        s->spki = load(name);
        for (int pss = 0; pss < 2; pss++) {
            struct limbic_params params = *scheme(pss);
            params.salt_len = 20;
            assert_code(limbic_sign(s->key, &params, MESSAGE, s->signature[pss], 128, &len), 0);
        }
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZE(samples); i++) {
        limbic_key_free(samples[i].key);
        free(samples[i].pkcs8.data);
        free(samples[i].spki.data);
    }
    guarded_free(area);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(private_512),   cmocka_unit_test(private_1024),
        cmocka_unit_test(public_512),    cmocka_unit_test(public_1024),
        cmocka_unit_test(random_damage), cmocka_unit_test(signatures),
        cmocka_unit_test(messages),
    };

    return cmocka_run_group_tests_name("corrupt", tests, set_up, tear_down);
}
