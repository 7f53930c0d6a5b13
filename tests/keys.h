/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Helpers of the tests for keys and signatures: error codes with their detail, files below
 * tests/data, keys from such files, hexadecimal. Knows limbic.h alone.
 *
 * Included after cmocka.h.
 */
#ifndef TESTS_KEYS_H
#define TESTS_KEYS_H

#include "limbic.h"
#include "tests/octets.h"

#define SIZE(a) (sizeof(a) / sizeof(a)[0])

/* Most octets of a signature, of an exported key. */
#define MAX_SIGNATURE 2048
#define MAX_KEY 16384

/* The code is as expected; an error is limbic's own and has one line of detail. */
static inline void check_error(gpg_error_t err, gpg_err_code_t code, const char *file, int line)
{
    const char *detail = limbic_error_detail();

    if (gpg_err_code(err) != code)
        print_message("# %s: %s; expected %s\n", gpg_strerror(err), detail,
                      gpg_strerror(gpg_err_make(GPG_ERR_SOURCE_USER_1, code)));
    _assert_int_equal(gpg_err_code(err), code, file, line);
    if (code == 0) {
        _assert_int_equal(err, 0, file, line);
        return;
    }
    _assert_int_equal(gpg_err_source(err), GPG_ERR_SOURCE_USER_1, file, line);
    _assert_int_not_equal(strlen(detail), 0, file, line);
    _assert_int_equal(strcspn(detail, "\r\n"), strlen(detail), file, line);
}

#define assert_code(err, code) check_error(err, code, __FILE__, __LINE__)

/* A whole file, to be freed. */
struct text {
    unsigned char *data;
    size_t len;
};

/* The file $srcdir/tests/data/<name>; a NUL stands behind what was read. */
static inline struct text load(const char *name)
{
    const char *srcdir = getenv("srcdir");
    enum { ROOM = 1 << 17 };
    struct text t = {malloc(ROOM), 0};
    char path[4096];
    FILE *f;

    snprintf(path, sizeof path, "%s/tests/data/%s", srcdir ? srcdir : ".", name);
    f = fopen(path, "rb");
    if (!f || !t.data)
        give_up(path);
    t.len = fread(t.data, 1, ROOM, f);
    if (ferror(f) || t.len == ROOM)
        give_up(path);
    fclose(f);
    t.data[t.len] = 0;
    return t;
}

/* Imports the file; whatever happens, *key is the key or NULL. */
static inline gpg_error_t import_file(limbic_key_t *key, const char *name, unsigned flags)
{
    struct text t = load(name);
    gpg_error_t err;

    *key = (limbic_key_t)(void *)&t;
    err = limbic_key_import(key, t.data, t.len, flags);
    free(t.data);
    if ((err != 0) != (*key == NULL))
        fail_msg("%s: error %u, and key %p", name, gpg_err_code(err), (void *)*key);
    return err;
}

static inline limbic_key_t must_import(const char *name)
{
    limbic_key_t key;
    gpg_error_t err = import_file(&key, name, 0);

    if (err)
        fail_msg("%s: %s: %s", name, gpg_strerror(err), limbic_error_detail());
    return key;
}

static inline unsigned hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;

    if (!at)
        give_up("hexadecimal");
    return (unsigned)(at - digits);
}

/* Octets of a number in hexadecimal, of any count of digits; at most room. */
static inline size_t from_hex(unsigned char *out, size_t room, const char *hex, size_t digits)
{
    size_t len = (digits + 1) / 2, at = 0, i = 0;

    if (len > room)
        give_up("from_hex: too long");
    if (digits % 2)
        out[at++] = (unsigned char)hex_digit(hex[i++]);
    for (; i < digits; i += 2)
        out[at++] = (unsigned char)(hex_digit(hex[i]) << 4 | hex_digit(hex[i + 1]));
    return len;
}

/* Parameters with the size set. */
static inline struct limbic_params params_of(enum limbic_padding padding, enum limbic_hash hash,
                                             enum limbic_hash mgf_hash, int salt_len)
{
    struct limbic_params p = LIMBIC_PARAMS_INIT;

    p.padding = padding;
    p.hash = hash;
    p.mgf_hash = mgf_hash;
    p.salt_len = salt_len;
    return p;
}

#endif
