/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-key.c - keys in and out: every format, byte equality with files that openssl made,
 * components, damaged and foreign containers, absurd sizes, references.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <time.h>

#include "tests/keys.h"

static const char message[] = "message";
#define MESSAGE message, sizeof message - 1

static const struct {
    enum limbic_format format;
    int is_private;
    const char *suffix, *label;
} formats[] = {
    {LIMBIC_FORMAT_PKCS8, 1, "pkcs8", "PRIVATE KEY"},
    {LIMBIC_FORMAT_PKCS1, 1, "pkcs1", "RSA PRIVATE KEY"},
    {LIMBIC_FORMAT_SPKI, 0, "spki", "PUBLIC KEY"},
    {LIMBIC_FORMAT_PKCS1_PUBLIC, 0, "pkcs1-public", "RSA PUBLIC KEY"},
};

/* keys/rsaBITS.SUFFIX.der or .pem */
static struct text key_file(unsigned bits, size_t format, unsigned flags)
{
    char name[64];

    snprintf(name, sizeof name, "keys/rsa%u.%s.%s", bits, formats[format].suffix,
             flags & LIMBIC_EXPORT_PEM ? "pem" : "der");
    return load(name);
}

static limbic_key_t import_ok(const void *data, size_t len)
{
    limbic_key_t key;

    assert_code(limbic_key_import(&key, data, len, 0), 0);
    return key;
}

/* The error of importing, and that there is no key then. */
static gpg_error_t import(const void *data, size_t len)
{
    limbic_key_t key = (limbic_key_t)(void *)&key;
    gpg_error_t err = limbic_key_import(&key, data, len, 0);

    if (err)
        assert_null(key);
    limbic_key_free(err ? NULL : key);
    return err;
}

static gpg_error_t import_text(const char *text)
{
    return import(text, strlen(text));
}

/*
 * Formats
 */

/* Writing what was read gives openssl's octets, from any private format and from the
   public half. */
static void same_as_openssl(void **state)
{
    static unsigned char out[MAX_KEY];

    (void)state;
    for (unsigned bits = 512; bits <= 1024; bits += 512)
        for (size_t from = 0; from < 2 * SIZE(formats); from++) {
            struct text given = key_file(bits, from / 2, from % 2);
            limbic_key_t key = import_ok(given.data, given.len);
            struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;

            assert_code(limbic_key_info(key, &info), 0);
            assert_int_equal(info.bits, bits);
            assert_int_equal(info.is_private, formats[from / 2].is_private);
            assert_int_equal(info.type, LIMBIC_KEY_RSA);
            assert_string_equal(info.type_name, "RSA");
            assert_int_equal(info.max_signature, bits / 8);
            assert_code(limbic_key_check(key), 0);
            for (size_t to = 0; to < 2 * SIZE(formats); to++) {
                struct text expected = key_file(bits, to / 2, to % 2);
                size_t len = 77;
                gpg_error_t err =
                    limbic_key_export(key, formats[to / 2].format, to % 2, out, sizeof out, &len);
                if (formats[to / 2].is_private && !info.is_private) {
                    assert_code(err, GPG_ERR_NO_SECKEY);
                    assert_int_equal(len, 0);
                } else {
                    assert_code(err, 0);
                    assert_int_equal(len, expected.len);
                    assert_memory_equal(out, expected.data, len);
                }
                free(expected.data);
            }
            limbic_key_free(key);
            free(given.data);
        }
}

/* NULL, too short, exact; not an octet outside. */
static void export_buffers(void **state)
{
    struct text given = key_file(512, 0, 1);
    limbic_key_t key = import_ok(given.data, given.len);
    guarded g = guarded_new(4096);

    (void)state;
    for (size_t to = 0; to < 2 * SIZE(formats); to++) {
        enum limbic_format format = formats[to / 2].format;
        size_t needed = 0, len = 0;
        unsigned char *room;

        assert_code(limbic_key_export(key, format, to % 2, NULL, 0, &needed), 0);
        assert_code(limbic_key_export(key, format, to % 2, NULL, SIZE_MAX, &len), 0);
        assert_int_equal(len, needed);
        for (size_t size = 0; size < needed; size += size + 9 < needed ? 7 : 1) {
            room = guarded_room(g, size);
            memset(g.base, 0x5a, g.room);
            len = 0;
            assert_code(limbic_key_export(key, format, to % 2, room, size, &len),
                        GPG_ERR_BUFFER_TOO_SHORT);
            assert_int_equal(len, needed);
            for (size_t i = 0; i < g.room; i++)
                assert_int_equal(g.base[i], 0x5a);
        }
        room = guarded_room(g, needed);
        assert_code(limbic_key_export(key, format, to % 2, room, needed, &len), 0);
        assert_int_equal(len, needed);
        memset(g.base, 0x5a, g.room);
        assert_code(limbic_key_export(key, format, to % 2, g.base, g.room, &len), 0);
        assert_int_equal(len, needed);
        for (size_t i = needed; i < g.room; i++)
            assert_int_equal(g.base[i], 0x5a);
        if (to % 2) {
            assert_int_equal(g.base[needed - 1], '\n');
            assert_null(memchr(g.base, 0, needed));
        }
    }
    guarded_free(g);
    limbic_key_free(key);
    free(given.data);
}

static void export_errors(void **state)
{
    struct text given = key_file(512, 0, 1);
    limbic_key_t key = import_ok(given.data, given.len);
    unsigned char out[64];
    size_t len;

    (void)state;
    for (int format = -1; format <= 9; format++) {
        if (format >= LIMBIC_FORMAT_PKCS8 && format <= LIMBIC_FORMAT_PKCS1_PUBLIC)
            continue;
        for (unsigned pem = 0; pem < 2; pem++)
            assert_code(limbic_key_export(key, (enum limbic_format)format, pem, out, 64, &len),
                        GPG_ERR_INV_ARG);
    }
    assert_code(limbic_key_export(key, LIMBIC_FORMAT_SPKI, 2, out, 64, &len), GPG_ERR_INV_ARG);
    assert_code(limbic_key_export(NULL, LIMBIC_FORMAT_SPKI, 0, out, 64, &len), GPG_ERR_INV_ARG);
    assert_code(limbic_key_export(key, LIMBIC_FORMAT_SPKI, 0, out, 64, NULL), GPG_ERR_INV_ARG);
    limbic_key_free(key);
    free(given.data);
}

/* A label is a promise. */
static void wrong_labels(void **state)
{
    /* What stands under the label (row) where the other (column) is. */
    static const gpg_err_code_t codes[4][4] = {
        {0, GPG_ERR_INV_TAG, GPG_ERR_INV_TAG, GPG_ERR_UNKNOWN_VERSION},
        {GPG_ERR_INV_TAG, 0, GPG_ERR_INV_TAG, GPG_ERR_UNKNOWN_VERSION},
        {GPG_ERR_INV_TAG, GPG_ERR_INV_TAG, 0, GPG_ERR_INV_TAG},
        {GPG_ERR_INV_TAG, GPG_ERR_BAD_DATA, GPG_ERR_INV_TAG, 0},
    };
    char text[2048];

    (void)state;
    for (size_t label = 0; label < SIZE(formats); label++)
        for (size_t content = 0; content < SIZE(formats); content++) {
            struct text given = key_file(512, content, LIMBIC_EXPORT_PEM);
            const char *body = strchr((char *)given.data, '\n');

            snprintf(text, sizeof text, "-----BEGIN %s-----%.*s\n-----END %s-----\n",
                     formats[label].label, (int)(strstr(body, "\n-----END") - body), body,
                     formats[label].label);
            print_message("# %s as %s\n", formats[content].suffix, formats[label].label);
            assert_code(import_text(text), codes[label][content]);
            free(given.data);
        }
}

/* Labels that promise no RSA key. */
static void foreign_labels(void **state)
{
    static const struct {
        const char *label;
        gpg_err_code_t code;
    } labels[] = {
        {"EC PRIVATE KEY", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {"CERTIFICATE", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {"OPENSSH PRIVATE KEY", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {"ENCRYPTED PRIVATE KEY", GPG_ERR_TOO_SHORT},
        {"private key", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {"RSA PRIVATE KEY ", GPG_ERR_INV_ARMOR},
        {"", GPG_ERR_INV_ARMOR},
    };
    char text[128];

    (void)state;
    for (size_t i = 0; i < SIZE(labels); i++) {
        snprintf(text, sizeof text, "-----BEGIN %s-----\nMAA=\n-----END %s-----\n", labels[i].label,
                 labels[i].label);
        assert_code(import_text(text), labels[i].code);
    }
}

/*
 * Files of the case list
 */

static void case_files(void **state)
{
    static const struct {
        const char *name;
        gpg_err_code_t code;
    } files[] = {
        /* Sound containers with a key of another kind. */
        {"files/crlf.pem", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {"files/no-final-newline.pem", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {"files/text-before.pem", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {"files/wrong-label-ec.pem", GPG_ERR_UNSUPPORTED_ALGORITHM},
        {"files/trailing-in-der.pem", GPG_ERR_BAD_DATA},
        {"files/garbage-after.pem", GPG_ERR_BAD_DATA},
        {"files/second-key-after.pem", GPG_ERR_TOO_MANY},
        {"files/len-7fffffff.der", GPG_ERR_INV_LENGTH},
        {"files/indefinite.der", GPG_ERR_NOT_DER_ENCODED},
        {"files/int-huge-len.der", GPG_ERR_INV_LENGTH},
        {"files/enc-trad-aes256.pem", GPG_ERR_NO_PASSPHRASE},
        {"files/enc-trad-aes128.pem", GPG_ERR_NO_PASSPHRASE},
        {"files/enc-trad-des3.pem", GPG_ERR_NO_PASSPHRASE},
        {"files/enc-pbes2.pem", GPG_ERR_NO_PASSPHRASE},
        {"files/enc-no-dek.pem", GPG_ERR_INV_ARMOR},
        {"files/enc-iter-2e31.pem", GPG_ERR_TOO_LARGE},
    };

    (void)state;
    for (size_t i = 0; i < SIZE(files); i++) {
        limbic_key_t key;

        print_message("# %s\n", files[i].name);
        assert_code(import_file(&key, files[i].name, 0), files[i].code);
        assert_code(import_file(&key, files[i].name, LIMBIC_IMPORT_LENIENT), files[i].code);
    }
}

/* A text made of an RSA key's: head, body with its line ends replaced by `end`, tail. */
static char *spelled(const char *head, const char *end, const char *tail, int last_end)
{
    struct text given = key_file(512, 0, LIMBIC_EXPORT_PEM);
    char *out = malloc(8192), *at = out;

    at += sprintf(at, "%s", head);
    for (size_t i = 0; i < given.len; i++) {
        if (given.data[i] != '\n')
            *at++ = (char)given.data[i];
        else if (i + 1 < given.len || last_end)
            at += sprintf(at, "%s", end);
    }
    sprintf(at, "%s", tail);
    free(given.data);
    return out;
}

/* A good key in PEM, written in ways that are allowed and in ways that are not. */
static void spellings(void **state)
{
    static const struct {
        const char *head, *end, *tail;
        int last_end;
        gpg_err_code_t code;
    } cases[] = {
        {"", "\n", "", 1, 0},
        {"", "\r\n", "", 1, 0},
        {"", "\r", "", 1, 0},
        {"", "\n", "", 0, 0},
        {"", " \t\n", "", 1, 0},
        {"\xef\xbb\xbf", "\n", "", 1, 0},
        {"Key of Alice\n\nsome: text\n", "\n", "", 1, 0},
        {"", "\n", "\n \n\t\r\n", 1, 0},
        {"", "\n", "text", 1, GPG_ERR_BAD_DATA},
        {"", "\n", "text", 0, GPG_ERR_BAD_DATA},
        {"", "\n", "-----BEGIN PRIVATE KEY-----\n", 1, GPG_ERR_TOO_MANY},
        {"-----BEGIN X509 CRL-----\n", "\n", "", 1, GPG_ERR_INV_ARMOR},
        {"-----END PRIVATE KEY-----\n", "\n", "", 1, GPG_ERR_INV_ARMOR},
        {"", "\n\n", "", 1, GPG_ERR_INV_ARMOR},
        {" ", "\n", "", 1, GPG_ERR_BAD_DATA}, /* no BEGIN at the start of a line: no PEM */
    };
    char *text;

    (void)state;
    for (size_t i = 0; i < SIZE(cases); i++) {
        text = spelled(cases[i].head, cases[i].end, cases[i].tail, cases[i].last_end);
        assert_code(import_text(text), cases[i].code);
        free(text);
    }
    /* One long line. */
    text = spelled("", "\n", "", 1);
    char *begin = strchr(text, '\n') + 1, *to = begin, *from = begin;
    for (; *from != '-'; from++)
        if (*from != '\n')
            *to++ = *from;
    *to++ = '\n';
    memmove(to, from, strlen(from) + 1);
    assert_code(import_text(text), 0);
    /* A NUL at the end, as a C string's own. */
    assert_code(import(text, strlen(text) + 1), GPG_ERR_INV_ARMOR);
    free(text);
}

/*
 * Structures made here
 */

/* A DER element around contents of less than 64 KiB; returns its octets. */
static size_t element(unsigned char *out, unsigned tag, const void *contents, size_t len)
{
    unsigned char head[4] = {(unsigned char)tag};
    size_t head_len = 2;

    head[1] = (unsigned char)len;
    if (len >= 0x80) {
        head[1] = len < 0x100 ? 0x81 : 0x82;
        head[2] = (unsigned char)(len < 0x100 ? len : len >> 8);
        head[3] = (unsigned char)len;
        head_len = len < 0x100 ? 3 : 4;
    }
    memmove(out + head_len, contents, len);
    memcpy(out, head, head_len);
    return head_len + len;
}

#define RSA_ALGORITHM "\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00"
#define PSS_ALGORITHM "\x30\x0b\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0a"
#define NO_PARAMETERS "\x30\x0b\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01"
#define EMPTY_PARAMETERS "\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x30\x00"
#define SURPLUS_PARAMETERS "\x30\x0f\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00\x05\x00"
#define EC_ALGORITHM \
    "\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"
#define ATTRIBUTES "\xa0\x0d\x30\x0b\x06\x03\x55\x1d\x0f\x31\x04\x03\x02\x07\x80"
#define STRING(s) \
    { \
        (const unsigned char *)(s), sizeof(s) - 1 \
    }

struct piece {
    const unsigned char *data;
    size_t len;
};

/* PrivateKeyInfo of the 512-bit key with parts to choose. */
static gpg_error_t import_pkcs8(const char *version, struct piece algorithm, struct piece more,
                                struct piece public_copy)
{
    static unsigned char inner[4096], whole[4096];
    struct text pkcs1 = key_file(512, 1, 0);
    unsigned char bits[1024] = {0};
    size_t len = 0;

    memcpy(inner, version, 2 + (unsigned char)version[1]);
    len = 2u + (unsigned char)version[1];
    memcpy(inner + len, algorithm.data, algorithm.len);
    len += algorithm.len;
    len += element(inner + len, 0x04, pkcs1.data, pkcs1.len);
    if (more.len)
        memcpy(inner + len, more.data, more.len);
    len += more.len;
    if (public_copy.len) {
        memcpy(bits + 1, public_copy.data, public_copy.len);
        len += element(inner + len, 0x81, bits, public_copy.len + 1);
    }
    free(pkcs1.data);
    return import(whole, element(whole, 0x30, inner, len));
}

#define V0 "\x02\x01\x00"
#define V1 "\x02\x01\x01"

static void pkcs8_variants(void **state)
{
    static const struct piece rsa = STRING(RSA_ALGORITHM), none = {NULL, 0},
                              attributes = STRING(ATTRIBUTES);
    static const struct {
        struct piece algorithm;
        gpg_err_code_t code;
    } algorithms[] = {
        {STRING(RSA_ALGORITHM), 0},
        {STRING(PSS_ALGORITHM), GPG_ERR_UNSUPPORTED_ALGORITHM},
        {STRING(EC_ALGORITHM), GPG_ERR_UNSUPPORTED_ALGORITHM},
        {STRING(NO_PARAMETERS), GPG_ERR_TOO_SHORT},
        {STRING(EMPTY_PARAMETERS), GPG_ERR_INV_TAG},
        {STRING(SURPLUS_PARAMETERS), GPG_ERR_BAD_DATA},
    };
    struct text own = key_file(512, 3, 0), other = key_file(1024, 3, 0);
    struct piece copy = {own.data, own.len}, foreign = {other.data, other.len};
    unsigned char changed[128];

    (void)state;
    for (size_t i = 0; i < SIZE(algorithms); i++)
        assert_code(import_pkcs8(V0, algorithms[i].algorithm, none, none), algorithms[i].code);
    assert_code(import_pkcs8(V1, rsa, none, none), GPG_ERR_TOO_SHORT);
    assert_code(import_pkcs8(V1, rsa, attributes, none), GPG_ERR_TOO_SHORT);
    assert_code(import_pkcs8(V0, rsa, attributes, none), 0);
    assert_code(import_pkcs8(V1, rsa, attributes, copy), 0);
    assert_code(import_pkcs8(V1, rsa, none, copy), 0);
    assert_code(import_pkcs8(V1, rsa, none, foreign), GPG_ERR_BAD_SECKEY);
    assert_code(import_pkcs8(V0, rsa, none, copy), GPG_ERR_BAD_DATA);
    assert_code(import_pkcs8("\x02\x01\x02", rsa, none, none), GPG_ERR_UNKNOWN_VERSION);
    assert_code(import_pkcs8("\x02\x02\x01\x00", rsa, none, none), GPG_ERR_UNKNOWN_VERSION);
    assert_code(import_pkcs8("\x02\x09\x01\x00\x00\x00\x00\x00\x00\x00\x00", rsa, none, none),
                GPG_ERR_UNKNOWN_VERSION);
    assert_code(import_pkcs8("\x02\x01\xff", rsa, none, none), GPG_ERR_INV_VALUE);
    assert_code(import_pkcs8("\x02\x02\x00\x00", rsa, none, none), GPG_ERR_NOT_DER_ENCODED);
    /* e, then n, one off; then not a key at all. */
    memcpy(changed, own.data, own.len);
    changed[own.len - 1] ^= 2;
    assert_code(import_pkcs8(V1, rsa, none, (struct piece){changed, own.len}), GPG_ERR_BAD_SECKEY);
    changed[own.len - 1] ^= 2;
    changed[10] ^= 1;
    assert_code(import_pkcs8(V1, rsa, none, (struct piece){changed, own.len}), GPG_ERR_BAD_SECKEY);
    changed[0] ^= 1;
    assert_code(import_pkcs8(V1, rsa, none, (struct piece){changed, own.len}), GPG_ERR_INV_TAG);
    /* Attributes twice; something else. */
    unsigned char twice[2 * sizeof ATTRIBUTES];
    memcpy(twice, attributes.data, attributes.len);
    memcpy(twice + attributes.len, attributes.data, attributes.len);
    assert_code(import_pkcs8(V0, rsa, (struct piece){twice, 2 * attributes.len}, none),
                GPG_ERR_BAD_DATA);
    assert_code(import_pkcs8(V0, rsa, (struct piece)STRING("\x05\x00"), none), GPG_ERR_BAD_DATA);
    free(own.data);
    free(other.data);
}

static void public_variants(void **state)
{
    static const struct {
        struct piece algorithm;
        gpg_err_code_t code;
    } algorithms[] = {
        {STRING(RSA_ALGORITHM), 0},
        {STRING(PSS_ALGORITHM), GPG_ERR_UNSUPPORTED_ALGORITHM},
        {STRING(EC_ALGORITHM), GPG_ERR_UNSUPPORTED_ALGORITHM},
        {STRING(NO_PARAMETERS), GPG_ERR_TOO_SHORT},
        {STRING(EMPTY_PARAMETERS), GPG_ERR_INV_TAG},
        {STRING(SURPLUS_PARAMETERS), GPG_ERR_BAD_DATA},
    };
    struct text pkcs1 = key_file(512, 3, 0);
    unsigned char bits[256] = {0}, inner[512], whole[512];

    (void)state;
    memcpy(bits + 1, pkcs1.data, pkcs1.len);
    for (size_t i = 0; i < SIZE(algorithms); i++) {
        size_t len = algorithms[i].algorithm.len;
        memcpy(inner, algorithms[i].algorithm.data, len);
        len += element(inner + len, 0x03, bits, pkcs1.len + 1);
        assert_code(import(whole, element(whole, 0x30, inner, len)), algorithms[i].code);
        if (algorithms[i].code)
            continue;
        /* A surplus element; unused bits; an octet string, as encrypted keys have. */
        memcpy(inner + len, "\x05\x00", 2);
        assert_code(import(whole, element(whole, 0x30, inner, len + 2)), GPG_ERR_BAD_DATA);
        inner[algorithms[i].algorithm.len + 2] = 1;
        assert_code(import(whole, element(whole, 0x30, inner, len)), GPG_ERR_INV_VALUE);
        inner[algorithms[i].algorithm.len] = 0x04;
        assert_code(import(whole, element(whole, 0x30, inner, len)),
                    GPG_ERR_UNSUPPORTED_PROTECTION);
    }
    free(pkcs1.data);
}

/* Octets behind, a surplus element; DER of every format. */
static void surplus(void **state)
{
    unsigned char buffer[4096];

    (void)state;
    for (size_t i = 0; i < SIZE(formats); i++) {
        struct text given = key_file(512, i, 0);

        memcpy(buffer, given.data, given.len);
        buffer[given.len] = 0;
        assert_code(import(buffer, given.len), 0);
        assert_code(import(buffer, given.len + 1), GPG_ERR_BAD_DATA);
        memcpy(buffer + given.len, given.data, given.len);
        assert_code(import(buffer, 2 * given.len), GPG_ERR_BAD_DATA);
        /* The same contents and NULL in a SEQUENCE. */
        size_t head = given.data[1] < 0x80 ? 2 : given.data[1] == 0x81 ? 3 : 4;
        unsigned char inner[4096];
        memcpy(inner, given.data + head, given.len - head);
        memcpy(inner + given.len - head, "\x05\x00", 2);
        size_t len = element(buffer, 0x30, inner, given.len - head + 2);
        assert_code(import(buffer, len), formats[i].format == LIMBIC_FORMAT_PKCS1_PUBLIC
                                             ? GPG_ERR_UNKNOWN_VERSION
                                             : GPG_ERR_BAD_DATA);
        free(given.data);
    }
}

/* Nesting as deep as a megabyte allows costs nothing. */
static void deep_nesting(void **state)
{
    size_t len = 1 << 20, at = len;
    unsigned char *data = malloc(len + 8);
    clock_t start = clock();

    (void)state;
    /* From the inside out: SEQUENCE { SEQUENCE { ... */
    for (size_t inner = 0; at >= 5; inner = len - at) {
        unsigned char head[5] = {0x30};
        size_t n = inner < 0x80 ? 2 : inner < 0x100 ? 3 : inner < 0x10000 ? 4 : 5;
        head[1] = n == 2 ? (unsigned char)inner : (unsigned char)(0x80 + n - 2);
        for (size_t i = 2; i < n; i++)
            head[i] = (unsigned char)(inner >> 8 * (n - 1 - i));
        at -= n;
        memcpy(data + at, head, n);
    }
    assert_code(import(data + at, len - at), GPG_ERR_INV_TAG);
    assert_true(clock() - start < CLOCKS_PER_SEC);
    free(data);
}

/*
 * Sizes
 */

static void empty_and_huge(void **state)
{
    static const size_t lengths[] = {((size_t)1 << 20) + 1,
                                     (((size_t)1 << 29) + 8) / 8,
                                     0xfffffff8u,
                                     SIZE_MAX / 8 + 2,
                                     SIZE_MAX / 2,
                                     SIZE_MAX - 7,
                                     SIZE_MAX};
    static const char *const names[] = {"n", "e", "d", "p", "q", "dp", "dq", "qi"};
    unsigned char one[1] = {1};
    guarded g = guarded_new(4096);
    const unsigned char *unreadable = g.base + g.room;
    limbic_key_t key;

    (void)state;
    assert_code(import(NULL, 0), GPG_ERR_NO_DATA);
    assert_code(import("x", 0), GPG_ERR_NO_DATA);
    assert_code(import("x", 1), GPG_ERR_BAD_DATA);
    assert_code(import("\x30", 1), GPG_ERR_TOO_SHORT);
    assert_code(import("\x30\x00", 2), GPG_ERR_TOO_SHORT);
    assert_code(import_text("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"),
                GPG_ERR_NO_DATA);
    assert_code(import_text("no key here\n"), GPG_ERR_BAD_DATA);
    /* The length comes first; the memory is not even readable. */
    for (size_t i = 0; i < SIZE(lengths); i++) {
        assert_code(import(unreadable, lengths[i]), GPG_ERR_TOO_LARGE);
        for (size_t part = 0; part < SIZE(names); part++) {
            struct limbic_component all[SIZE(names)];
            for (size_t j = 0; j < SIZE(names); j++)
                all[j] = (struct limbic_component){names[j], one, 1};
            all[part] = (struct limbic_component){names[part], unreadable, lengths[i]};
            assert_code(limbic_key_from_components(&key, LIMBIC_KEY_RSA, all, 8, 0),
                        GPG_ERR_TOO_LARGE);
            assert_null(key);
        }
    }
    guarded_free(g);
    /* A megabyte of white space is within the limit and no key. */
    unsigned char *space = malloc((size_t)1 << 20);
    memset(space, ' ', (size_t)1 << 20);
    assert_code(import(space, (size_t)1 << 20), GPG_ERR_BAD_DATA);
    free(space);
}

/* A public key of this modulus and e as DER. */
static gpg_error_t import_public_numbers(const unsigned char *n, size_t n_len, const void *e,
                                         size_t e_len)
{
    struct limbic_component components[] = {{"n", n, n_len}, {"e", e, e_len}};
    limbic_key_t key = (limbic_key_t)(void *)&key;
    gpg_error_t err =
        limbic_key_from_components(&key, LIMBIC_KEY_RSA, components, SIZE(components), 0);

    if (err)
        assert_null(key);
    limbic_key_free(err ? NULL : key);
    return err;
}

/* The limits of lengths to the bit. */
static void modulus_lengths(void **state)
{
    enum { HUGE = 65537 / 8 + 1 };
    static unsigned char n[HUGE], inner[HUGE + 32], der[HUGE + 32];
    clock_t start = clock();
    size_t len;

    (void)state;
    memset(n, 0xff, sizeof n);
    n[0] = 1; /* 2^65537 - 1 */
    for (int i = 0; i < 100; i++) {
        assert_code(import_public_numbers(n, sizeof n, "\x03", 1), GPG_ERR_TOO_LARGE);
        len = element(inner, 0x02, n, sizeof n);
        memcpy(inner + len, "\x02\x01\x03", 3);
        assert_code(import(der, element(der, 0x30, inner, len + 3)), GPG_ERR_TOO_LARGE);
    }
    assert_true((clock() - start) * 1000 / CLOCKS_PER_SEC < 1000); /* 200 imports, 5 ms each */

    n[0] = 0xff;
    assert_code(import_public_numbers(n, 2048, "\x03", 1), 0); /* 16384 */
    n[0] = 1;
    assert_code(import_public_numbers(n, 2049, "\x03", 1), GPG_ERR_TOO_LARGE); /* 16385 */
    assert_code(import_public_numbers(n, 65, "\x03", 1), 0);                   /* 513 */
    n[0] = 0x80;
    assert_code(import_public_numbers(n, 64, "\x03", 1), 0); /* 512 */
    n[0] = 0x7f;
    assert_code(import_public_numbers(n, 64, "\x03", 1), GPG_ERR_TOO_SHORT); /* 511 */
    n[0] = 0;
    assert_code(import_public_numbers(n, 64, "\x03", 1), GPG_ERR_TOO_SHORT);
    assert_code(import_public_numbers(n, 65, "\x03", 1), 0);
    assert_code(import_public_numbers(n, 2049, "\x03", 1), 0);
    assert_code(import_public_numbers(n, 1, "\x03", 1), GPG_ERR_BAD_PUBKEY); /* zero */
    assert_code(import_public_numbers(n, 0, "\x03", 1), GPG_ERR_BAD_PUBKEY);
    n[128] = 0xfe;
    assert_code(import_public_numbers(n, 129, "\x03", 1), GPG_ERR_BAD_PUBKEY); /* even */
    n[128] = 0xff;
    assert_code(import_public_numbers(n, 129, "\x03", 1), 0);
}

static void public_exponents(void **state)
{
    static const struct {
        struct piece e;
        gpg_err_code_t code;
    } exponents[] = {
        {STRING(""), GPG_ERR_BAD_PUBKEY},
        {STRING("\0"), GPG_ERR_BAD_PUBKEY},
        {STRING("\0\0\0"), GPG_ERR_BAD_PUBKEY},
        {STRING("\x01"), GPG_ERR_BAD_PUBKEY},
        {STRING("\x02"), GPG_ERR_BAD_PUBKEY},
        {STRING("\x03"), 0},
        {STRING("\0\0\x03"), 0},
        {STRING("\x01\0\0"), GPG_ERR_BAD_PUBKEY},
        {STRING("\x01\0\x01"), 0},
        {STRING("\0\0\0\0\0\0\0\0\x01\0\x01"), 0},
        {STRING("\xff\xff\xff\xff\xff\xff\xff\xff"), 0},
        {STRING("\xff\xff\xff\xff\xff\xff\xff\xfe"), GPG_ERR_BAD_PUBKEY},
        {STRING("\x01\0\0\0\0\0\0\0\x01"), GPG_ERR_BAD_PUBKEY},
    };
    unsigned char n[64];

    (void)state;
    memset(n, 0xff, sizeof n);
    for (size_t i = 0; i < SIZE(exponents); i++)
        assert_code(import_public_numbers(n, sizeof n, exponents[i].e.data, exponents[i].e.len),
                    exponents[i].code);
}

/*
 * Components
 */

static const char *const names[] = {"n", "e", "d", "p", "q", "dp", "dq", "qi"};

/* All components of a private key in memory of their own. */
struct components {
    unsigned char octets[SIZE(names)][MAX_SIGNATURE];
    struct limbic_component list[SIZE(names) + 1];
};

static void get_components(struct components *c, limbic_key_t key)
{
    for (size_t i = 0; i < SIZE(names); i++) {
        size_t len;
        assert_code(limbic_key_get_component(key, names[i], c->octets[i], MAX_SIGNATURE, &len), 0);
        assert_int_not_equal(c->octets[i][0], 0);
        c->list[i] = (struct limbic_component){names[i], c->octets[i], len};
    }
}

static gpg_error_t from_components(const struct components *c, size_t count)
{
    limbic_key_t key = (limbic_key_t)(void *)&key;
    gpg_error_t err = limbic_key_from_components(&key, LIMBIC_KEY_RSA, c->list, count, 0);

    if (err)
        assert_null(key);
    limbic_key_free(err ? NULL : key);
    return err;
}

static void components_round_trip(void **state)
{
    static struct components c;
    static unsigned char zeros[8][MAX_SIGNATURE + 32], out[MAX_KEY];
    struct text given = key_file(1024, 0, 1);
    limbic_key_t key = import_ok(given.data, given.len), again;
    size_t len;

    (void)state;
    get_components(&c, key);
    limbic_key_free(key);
    /* In order, then backwards, then with leading zeros. */
    for (int turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < 4 && turn == 1; i++) {
            struct limbic_component t = c.list[i];
            c.list[i] = c.list[7 - i];
            c.list[7 - i] = t;
        }
        for (size_t i = 0; i < 8 && turn == 2; i++) {
            memcpy(zeros[i] + 5 * i, c.list[i].value, c.list[i].length);
            c.list[i].value = zeros[i];
            c.list[i].length += 5 * i;
        }
        assert_code(limbic_key_from_components(&again, LIMBIC_KEY_RSA, c.list, 8, 0), 0);
        assert_code(limbic_key_export(again, LIMBIC_FORMAT_PKCS8, 1, out, sizeof out, &len), 0);
        assert_int_equal(len, given.len);
        assert_memory_equal(out, given.data, len);
        limbic_key_free(again);
    }
    free(given.data);
}

static void component_lists(void **state)
{
    static struct components c, good;
    limbic_key_t key = must_import("keys/rsa512.pkcs1.der");

    (void)state;
    get_components(&good, key);
    limbic_key_free(key);
    /* One missing, wherever; one twice; one unknown. */
    for (size_t i = 0; i < 8; i++) {
        c = good;
        c.list[i] = c.list[7];
        assert_code(from_components(&c, 7), i < 2 ? GPG_ERR_MISSING_VALUE : GPG_ERR_NO_ERROR);
        c = good;
        c.list[8] = c.list[i];
        assert_code(from_components(&c, 9), GPG_ERR_DUP_VALUE);
        c.list[8].name = "N";
        assert_code(from_components(&c, 9), GPG_ERR_UNKNOWN_NAME);
        c.list[8].name = "";
        assert_code(from_components(&c, 9), GPG_ERR_UNKNOWN_NAME);
        c.list[8].name = NULL;
        assert_code(from_components(&c, 9), GPG_ERR_UNKNOWN_NAME);
        c = good;
        c.list[i].value = NULL;
        assert_code(from_components(&c, 8), GPG_ERR_INV_ARG);
        c.list[i].length = 0;
        assert_code(from_components(&c, 8), i < 2 ? GPG_ERR_BAD_PUBKEY : GPG_ERR_NO_ERROR);
    }
    assert_code(from_components(&good, 0), GPG_ERR_MISSING_VALUE);
    assert_code(from_components(&good, 1), GPG_ERR_MISSING_VALUE);
    assert_code(from_components(&good, 2), 0);
    for (size_t count = 3; count <= 8; count++)
        assert_code(from_components(&good, count), 0);
    c = good;
    c.list[1] = c.list[2]; /* n and d */
    assert_code(from_components(&c, 2), GPG_ERR_MISSING_VALUE);
    key = (limbic_key_t)(void *)&c;
    assert_code(limbic_key_from_components(&key, (enum limbic_key_type)2, good.list, 8, 0),
                GPG_ERR_UNSUPPORTED_ALGORITHM);
    assert_null(key);
    assert_code(limbic_key_from_components(&key, (enum limbic_key_type)0, good.list, 8, 0),
                GPG_ERR_UNSUPPORTED_ALGORITHM);
    assert_code(limbic_key_from_components(&key, LIMBIC_KEY_RSA, good.list, 8, 2), GPG_ERR_INV_ARG);
    assert_code(limbic_key_from_components(&key, LIMBIC_KEY_RSA, NULL, 8, 0), GPG_ERR_INV_ARG);
    assert_code(limbic_key_from_components(NULL, LIMBIC_KEY_RSA, good.list, 8, 0), GPG_ERR_INV_ARG);
    assert_code(limbic_key_from_components(&key, LIMBIC_KEY_RSA, NULL, 0, 0),
                GPG_ERR_MISSING_VALUE);
}

static void get_component(void **state)
{
    limbic_key_t private_key = must_import("keys/rsa512.pkcs8.der");
    limbic_key_t public_key = must_import("keys/rsa512.spki.der");
    guarded g = guarded_new(128);
    size_t needed, len;

    (void)state;
    for (size_t i = 0; i < SIZE(names); i++) {
        assert_code(limbic_key_get_component(private_key, names[i], NULL, 0, &needed), 0);
        for (size_t size = 0; size < needed; size++) {
            memset(g.base, 0x5a, g.room);
            len = 0;
            assert_code(
                limbic_key_get_component(private_key, names[i], guarded_room(g, size), size, &len),
                GPG_ERR_BUFFER_TOO_SHORT);
            assert_int_equal(len, needed);
            for (size_t j = 0; j < g.room; j++)
                assert_int_equal(g.base[j], 0x5a);
        }
        assert_code(
            limbic_key_get_component(private_key, names[i], guarded_room(g, needed), needed, &len),
            0);
        assert_int_equal(len, needed);
        assert_int_not_equal(*guarded_room(g, needed), 0);
        assert_code(limbic_key_get_component(public_key, names[i], NULL, 0, &len),
                    i < 2 ? GPG_ERR_NO_ERROR : GPG_ERR_NO_SECKEY);
    }
    assert_code(limbic_key_get_component(private_key, "x", NULL, 0, &len), GPG_ERR_UNKNOWN_NAME);
    assert_code(limbic_key_get_component(public_key, "", NULL, 0, &len), GPG_ERR_UNKNOWN_NAME);
    assert_code(limbic_key_get_component(private_key, NULL, NULL, 0, &len), GPG_ERR_INV_ARG);
    assert_code(limbic_key_get_component(NULL, "n", NULL, 0, &len), GPG_ERR_INV_ARG);
    assert_code(limbic_key_get_component(private_key, "n", NULL, 0, NULL), GPG_ERR_INV_ARG);
    guarded_free(g);
    limbic_key_free(private_key);
    limbic_key_free(public_key);
}

/* A lenient key of zeros and long numbers shows what it was given. */
static void lenient_components(void **state)
{
    static struct components c;
    static unsigned char out[MAX_KEY];
    limbic_key_t key = must_import("keys/rsa512.pkcs8.der"), half;
    size_t len;

    (void)state;
    get_components(&c, key);
    limbic_key_free(key);
    c.list[1] = (struct limbic_component){"e", "\0\0", 2};
    c.list[7] = (struct limbic_component){"qi", c.octets[0], c.list[0].length};
    assert_code(from_components(&c, 8), GPG_ERR_BAD_PUBKEY);
    assert_code(limbic_key_from_components(&key, LIMBIC_KEY_RSA, c.list, 8, LIMBIC_IMPORT_LENIENT),
                0);
    assert_code(limbic_key_get_component(key, "e", out, 0, &len), 0);
    assert_int_equal(len, 0);
    assert_code(limbic_key_get_component(key, "qi", out, sizeof out, &len), 0);
    assert_int_equal(len, 64);
    assert_memory_equal(out, c.octets[0], 64);
    assert_code(limbic_key_check(key), GPG_ERR_BAD_PUBKEY);
    assert_code(limbic_key_public(key, &half), GPG_ERR_BAD_PUBKEY);
    assert_null(half);
    /* Out and in again: still lenient, still bad. */
    assert_code(limbic_key_export(key, LIMBIC_FORMAT_PKCS8, 0, out, sizeof out, &len), 0);
    limbic_key_free(key);
    assert_code(import(out, len), GPG_ERR_BAD_PUBKEY);
    assert_code(limbic_key_import(&key, out, len, LIMBIC_IMPORT_LENIENT), 0);
    assert_code(limbic_key_check(key), GPG_ERR_BAD_PUBKEY);
    limbic_key_free(key);

    /* A bad private part leaves the public half as good as it is. */
    key = NULL;
    assert_code(import_file(&key, "rsa/bad-dp.pem", LIMBIC_IMPORT_LENIENT), 0);
    assert_code(limbic_key_public(key, &half), 0);
    assert_code(limbic_key_check(half), 0);
    limbic_key_free(half);
    limbic_key_free(key);
}

/*
 * The object
 */

static void public_half(void **state)
{
    limbic_key_t key = must_import("keys/rsa1024.pkcs8.pem"), half, again;
    struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;
    struct text spki = key_file(1024, 2, 1);
    unsigned char out[4096], signature[128];
    size_t len, i;

    (void)state;
    assert_code(limbic_sign(key, NULL, MESSAGE, signature, sizeof signature, &len), 0);
    assert_code(limbic_key_public(key, &half), 0);
    limbic_key_free(key);
    assert_code(limbic_key_public(half, &again), 0);
    limbic_key_free(half);
    assert_code(limbic_key_info(again, &info), 0);
    assert_int_equal(info.is_private, 0);
    assert_int_equal(info.bits, 1024);
    assert_code(limbic_key_check(again), 0);
    assert_code(limbic_key_ready(again), 0);
    assert_code(limbic_verify(again, NULL, MESSAGE, signature, len), 0);
    assert_code(limbic_key_export(again, LIMBIC_FORMAT_SPKI, 1, out, sizeof out, &len), 0);
    assert_int_equal(len, spki.len);
    assert_memory_equal(out, spki.data, len);
    /* Every private operation. */
    struct limbic_params params = LIMBIC_PARAMS_INIT;
    limbic_stream_t stream;
    for (i = 0; i < 2; i++) {
        params.padding = i ? LIMBIC_PADDING_PSS : LIMBIC_PADDING_PKCS1;
        assert_code(limbic_sign(again, &params, MESSAGE, signature, 128, &len), GPG_ERR_NO_SECKEY);
        assert_code(limbic_sign(again, &params, MESSAGE, NULL, 0, &len), GPG_ERR_NO_SECKEY);
        assert_code(limbic_sign_digest(again, &params, out, 32, signature, 128, &len),
                    GPG_ERR_NO_SECKEY);
        assert_code(limbic_stream_open(&stream, again, &params), 0);
        assert_code(limbic_stream_sign(stream, signature, 128, &len), GPG_ERR_NO_SECKEY);
        limbic_stream_close(stream);
    }
    limbic_key_free(again);
    free(spki.data);
}

static void references(void **state)
{
    limbic_key_t key = must_import("keys/rsa512.pkcs8.pem");
    unsigned char signature[64];
    limbic_stream_t stream;
    size_t len;

    (void)state;
    assert_null(limbic_key_ref(NULL));
    limbic_key_free(NULL);
    assert_ptr_equal(limbic_key_ref(key), key);
    limbic_key_free(key);
    assert_code(limbic_sign(key, NULL, MESSAGE, signature, sizeof signature, &len), 0);
    /* A stream keeps its key. */
    assert_code(limbic_stream_open(&stream, key, NULL), 0);
    limbic_key_free(key);
    assert_code(limbic_stream_update(stream, MESSAGE), 0);
    assert_code(limbic_stream_verify(stream, signature, len), 0);
    limbic_stream_close(stream);
    key = must_import("keys/rsa512.pkcs8.pem");
    for (int i = 0; i < 1000; i++)
        limbic_key_ref(key);
    for (int i = 0; i < 1001; i++)
        limbic_key_free(key);
}

static void other_arguments(void **state)
{
    limbic_key_t key = must_import("keys/rsa512.pkcs8.pem"), half = key;
    struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;
    struct {
        struct limbic_key_facts info;
        unsigned char more[32];
    } longer;

    (void)state;
    assert_code(limbic_key_info(NULL, &info), GPG_ERR_INV_ARG);
    assert_code(limbic_key_info(key, NULL), GPG_ERR_INV_ARG);
    for (info.size = 0; info.size < sizeof info; info.size++)
        assert_code(limbic_key_info(key, &info), GPG_ERR_INV_ARG);
    /* A program built with a later header. */
    memset(&longer, 0x5a, sizeof longer);
    longer.info.size = sizeof longer;
    assert_code(limbic_key_info(key, &longer.info), 0);
    assert_int_equal(longer.info.bits, 512);
    assert_int_equal(longer.more[0], 0x5a);
    assert_code(limbic_key_check(NULL), GPG_ERR_INV_ARG);
    assert_code(limbic_key_ready(NULL), GPG_ERR_INV_ARG);
    assert_code(limbic_key_ready(key), 0);
    assert_code(limbic_key_public(NULL, &half), GPG_ERR_INV_ARG);
    assert_null(half);
    half = key;
    assert_code(limbic_key_public(key, NULL), GPG_ERR_INV_ARG);
    assert_code(limbic_key_import(&half, NULL, 1, 0), GPG_ERR_INV_ARG);
    assert_code(limbic_key_import(NULL, "x", 1, 0), GPG_ERR_INV_ARG);
    assert_code(limbic_key_import(&half, "x", 1, 2), GPG_ERR_INV_ARG);
    assert_null(half);
    limbic_key_free(key);
}

/* The check finds a modulus that is a prime or has a small factor, which import does
   not look for. */
static void public_check(void **state)
{
    /* 2^521 - 1 is prime; 2^520 - 1 = 3 * ... */
    unsigned char n[66];
    limbic_key_t key;

    (void)state;
    for (int i = 0; i < 2; i++) {
        memset(n, 0xff, sizeof n);
        n[0] = i ? 0 : 1;
        struct limbic_component parts[] = {{"n", n, sizeof n}, {"e", "\x03", 1}};
        assert_code(limbic_key_from_components(&key, LIMBIC_KEY_RSA, parts, 2, 0), 0);
        assert_code(limbic_key_check(key), GPG_ERR_BAD_PUBKEY);
        assert_non_null(strstr(limbic_error_detail(), i ? "factor" : "prime"));
        limbic_key_free(key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_openssl),
        cmocka_unit_test(export_buffers),
        cmocka_unit_test(export_errors),
        cmocka_unit_test(wrong_labels),
        cmocka_unit_test(foreign_labels),
        cmocka_unit_test(case_files),
        cmocka_unit_test(spellings),
        cmocka_unit_test(pkcs8_variants),
        cmocka_unit_test(public_variants),
        cmocka_unit_test(surplus),
        cmocka_unit_test(deep_nesting),
        cmocka_unit_test(empty_and_huge),
        cmocka_unit_test(modulus_lengths),
        cmocka_unit_test(public_exponents),
        cmocka_unit_test(components_round_trip),
        cmocka_unit_test(component_lists),
        cmocka_unit_test(get_component),
        cmocka_unit_test(lenient_components),
        cmocka_unit_test(public_half),
        cmocka_unit_test(references),
        cmocka_unit_test(other_arguments),
        cmocka_unit_test(public_check),
    };

    return cmocka_run_group_tests_name("key", tests, NULL, NULL);
}
