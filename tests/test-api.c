/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-api.c - what limbic.h promises of every call: error codes, buffers, streams, structures that
 * know their size, the report, versions, initialisation. What is signed is the matter of other
 * tests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <ctype.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/keys.h"

static const char message[] = "message";
#define MESSAGE message, sizeof message - 1

static limbic_key_t private_key, public_key;

/* A value that no call leaves behind. */
static void *const poison = (void *)(uintptr_t)0x5a5a5a;

/*
 * The library
 */

static void versions(void **state)
{
    static const struct {
        const char *text;
        int fits;
    } cases[] = {
        {LIMBIC_VERSION, 1}, {"0.0.1", 1},          {"0.0.0", 1},   {"0.1.1", 0},  {"0.2.0", 0},
        {"1.0.0", 0},        {"255.0.0", 0},        {"256.0.0", 0}, {"", 0},       {"0", 0},
        {"0.1", 0},          {"0.1.", 0},           {"0.1.0.0", 0}, {"0.1.0x", 0}, {"x0.1.0", 0},
        {" 0.1.0", 0},       {"0.-1.0", 0},         {"+0.1.0", 0},  {"0. 1.0", 0}, {"0.1.0 ", 0},
        {"0.0.256", 0},      {"0.0.4294967297", 0},
    };

    (void)state;
    assert_string_equal(limbic_version(NULL), LIMBIC_VERSION);
    assert_int_equal(LIMBIC_VERSION_NUMBER, 0x000100);
    for (size_t i = 0; i < SIZE(cases); i++) {
        const char *got = limbic_version(cases[i].text);
        if ((got != NULL) != cases[i].fits)
            fail_msg("limbic_version(\"%s\")", cases[i].text);
        if (got)
            assert_string_equal(got, LIMBIC_VERSION);
    }
}

static void initialisation(void **state)
{
    (void)state;
    assert_code(limbic_init(2), GPG_ERR_INV_ARG);
    assert_code(limbic_init(~0u), GPG_ERR_INV_ARG);
    assert_code(limbic_init(0), 0);
    assert_code(limbic_init(0), 0);
    assert_code(limbic_init(LIMBIC_INIT_TEST_ALL), 0);
    assert_null(limbic_warning());
    limbic_free(NULL);
}

/* What a fresh process with this in its environment says; 0 if all of it agrees with `code`. */
static int in_child(const char *words, gpg_err_code_t code, int warns)
{
    struct text given = load("keys/rsa512.pkcs8.der");
    limbic_key_t key = NULL;
    char *text = NULL;

    setenv("LIMBIC", words, 1);
    for (int i = 0; i < 2; i++) {
        gpg_error_t err = limbic_init(0);
        if (gpg_err_code(err) != code || (err && !*limbic_error_detail()))
            return 1;
    }
    if (gpg_err_code(limbic_key_import(&key, given.data, given.len, 0)) != code ||
        (code && (key || !*limbic_error_detail())))
        return 2;
    if (gpg_err_code(limbic_key_generate(&key, "rsa:2048", NULL)) != code && code)
        return 3;
    if ((limbic_warning() != NULL) != warns)
        return 4;
    for (int what = LIMBIC_REPORT_LIST; what <= LIMBIC_REPORT_EXPLAIN; what++) {
        if (limbic_report((enum limbic_report_kind)what, 0, &text) || !text || !*text)
            return 5;
        limbic_free(text);
    }
    return 0;
}

/* An unusable word is an error of every operation; the report works all the same. */
static void words(void **state)
{
    static const struct {
        const char *words;
        gpg_err_code_t code;
        int warns;
    } cases[] = {
        {"", 0, 0},
        {"portable", 0, 0},
        {"only:portable", 0, 0},
        {"nosuchprovider", 0, 1},
        {"only:nosuchprovider", GPG_ERR_NOT_FOUND, 0},
        {"only:portable,nosuchprovider", GPG_ERR_NOT_FOUND, 0},
        {"onyl:portable", GPG_ERR_UNKNOWN_NAME, 0},
        {"only:", GPG_ERR_SYNTAX, 0},
        {"only:portable only:portable", GPG_ERR_CONFLICT, 0},
        {"-nosuch", GPG_ERR_UNKNOWN_NAME, 0},
    };

    (void)state;
    for (size_t i = 0; i < SIZE(cases); i++) {
        pid_t pid = fork();
        int status;

        if (pid == 0)
            _exit(in_child(cases[i].words, cases[i].code, cases[i].warns));
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (status)
            fail_msg("LIMBIC=\"%s\": status %#x", cases[i].words, (unsigned)status);
    }
}

/* Run before memory for keys is there: without the right to lock memory. */
static int unlocked_child(void)
{
    struct text given = load("keys/rsa512.pkcs8.der"), half = load("keys/rsa512.spki.der");
    const struct rlimit none = {0, 0};
    limbic_key_t key;

    if (setrlimit(RLIMIT_MEMLOCK, &none) || (geteuid() == 0 && setreuid(65534, 65534)))
        return 77;
    /* Under AddressSanitizer mlock() does nothing and says that it worked. */
    if (mlock(&none, sizeof none) == 0)
        return 77;
    if (limbic_key_import(&key, given.data, given.len, 0))
        return 1;
    limbic_key_free(key);
    limbic_require_locked(1);
    if (gpg_err_code(limbic_init(0)) != GPG_ERR_ENOMEM || !*limbic_error_detail())
        return 2;
    key = poison;
    if (gpg_err_code(limbic_key_import(&key, given.data, given.len, 0)) != GPG_ERR_ENOMEM || key)
        return 3;
    if (gpg_err_code(limbic_key_generate(&key, "rsa:2048", NULL)) != GPG_ERR_ENOMEM || key)
        return 4;
    if (limbic_key_import(&key, half.data, half.len, 0))
        return 5;
    limbic_key_free(key);
    limbic_require_locked(0);
    if (limbic_init(0) || limbic_key_import(&key, given.data, given.len, 0))
        return 6;
    return 0;
}

static void locked_memory(void **state)
{
    pid_t pid = fork();
    int status;

    (void)state;
    if (pid == 0)
        _exit(unlocked_child());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

/* Details are a thread's own. */
static void *other_thread(void *detail)
{
    limbic_key_t key;

    strcpy(detail, limbic_error_detail());
    limbic_key_import(&key, "x", 1, 0);
    return NULL;
}

static void details(void **state)
{
    char there[256] = "x", here[256];
    limbic_key_t key;
    pthread_t thread;

    (void)state;
    assert_code(limbic_key_import(&key, "", 0, 0), GPG_ERR_NO_DATA);
    strcpy(here, limbic_error_detail());
    assert_int_equal(pthread_create(&thread, NULL, other_thread, there), 0);
    pthread_join(thread, NULL);
    assert_string_equal(there, "");
    assert_string_equal(limbic_error_detail(), here);
}

/*
 * The report
 */

/* Whether a text is JSON (RFC 8259): each function steps over what it reads, or returns NULL. */
static const char *json_value(const char *p, int depth);

static const char *json_space(const char *p)
{
    return p ? p + strspn(p, " \t\r\n") : NULL;
}

static const char *json_string(const char *p)
{
    if (*p++ != '"')
        return NULL;
    for (; *p != '"'; p++) {
        if ((unsigned char)*p < 0x20)
            return NULL;
        if (*p != '\\')
            continue;
        p++;
        if (*p == 'u') {
            for (int i = 0; i < 4; i++)
                if (!isxdigit((unsigned char)*++p))
                    return NULL;
        } else if (!*p || !strchr("\"\\/bfnrt", *p)) {
            return NULL;
        }
    }
    return p + 1;
}

static const char *json_digits(const char *p)
{
    size_t n = strspn(p, "0123456789");

    return n ? p + n : NULL;
}

static const char *json_number(const char *p)
{
    p += *p == '-';
    p = *p == '0' ? p + 1 : json_digits(p);
    if (p && *p == '.')
        p = json_digits(p + 1);
    if (p && (*p == 'e' || *p == 'E'))
        p = json_digits(p + 1 + (p[1] == '+' || p[1] == '-'));
    return p;
}

/* Members up to the closing bracket; `pairs` for an object. */
static const char *json_members(const char *p, char close, int pairs, int depth)
{
    p = json_space(p + 1);
    if (*p == close)
        return p + 1;
    for (;;) {
        if (pairs) {
            p = json_space(json_string(p));
            if (!p || *p != ':')
                return NULL;
            p = json_space(p + 1);
        }
        p = json_space(json_value(p, depth + 1));
        if (!p || (*p != ',' && *p != close))
            return NULL;
        if (*p == close)
            return p + 1;
        p = json_space(p + 1);
    }
}

static const char *json_value(const char *p, int depth)
{
    static const char *const words[] = {"true", "false", "null"};

    if (depth > 16)
        return NULL;
    if (*p == '{' || *p == '[')
        return json_members(p, *p == '{' ? '}' : ']', *p == '{', depth);
    if (*p == '"')
        return json_string(p);
    for (size_t i = 0; i < SIZE(words); i++)
        if (strncmp(p, words[i], strlen(words[i])) == 0)
            return p + strlen(words[i]);
    return json_number(p);
}

static int is_json_object(const char *text)
{
    const char *p = json_space(text);

    p = *p == '{' ? json_space(json_value(p, 0)) : NULL;
    return p && !*p;
}

static void json_checker(void **state)
{
    static const char *const good[] = {"{}", " {\"a\": [1, -0.5e+3, true, null, \"\\u00e9\\n\"]}\n",
                                       "{\"a\":{\"b\":[]},\"c\":\"\"}"};
    static const char *const bad[] = {
        "",           "[]",         "{\"a\"}",         "{\"a\":1,}",
        "{\"a\":01}", "{a:1}",      "{\"a\":\"\n\"}",  "{\"a\":[1 2]}",
        "{} x",       "{\"a\":+1}", "{\"a\":\"\\x\"}", "{\"a\":1"};

    (void)state;
    for (size_t i = 0; i < SIZE(good); i++)
        assert_true(is_json_object(good[i]));
    for (size_t i = 0; i < SIZE(bad); i++)
        assert_false(is_json_object(bad[i]));
}

static void reports(void **state)
{
    char *text;

    (void)state;
    for (int what = LIMBIC_REPORT_LIST; what <= LIMBIC_REPORT_EXPLAIN; what++)
        for (unsigned json = 0; json < 2; json++) {
            text = NULL;
            assert_code(limbic_report((enum limbic_report_kind)what, json, &text), 0);
            assert_non_null(text);
            assert_true(strlen(text) > 20);
            assert_int_equal(text[strlen(text) - 1], '\n');
            assert_int_equal(is_json_object(text), json);
            assert_non_null(strstr(text, what == LIMBIC_REPORT_INFO ? LIMBIC_VERSION : "portable"));
            for (const char *p = text; *p; p++)
                assert_true(*p == '\n' || (unsigned char)*p >= 0x20);
            limbic_free(text);
        }
    for (int what = -1; what <= 4; what += what == 0 ? 4 : 1) {
        text = poison;
        assert_code(limbic_report((enum limbic_report_kind)what, 0, &text), GPG_ERR_INV_ARG);
        assert_null(text);
    }
    text = poison;
    assert_code(limbic_report(LIMBIC_REPORT_INFO, 2, &text), GPG_ERR_INV_ARG);
    assert_null(text);
    assert_code(limbic_report(LIMBIC_REPORT_INFO, 0, NULL), GPG_ERR_INV_ARG);
}

/*
 * Self-tests
 */

static void on_selftest(void *opaque, const char *what, const char *failure)
{
    unsigned *lines = opaque;

    assert_non_null(what);
    assert_true(strlen(what) > 0);
    assert_null(failure);
    ++*lines;
}

static void selftests(void **state)
{
    unsigned all = 0, one = 0;

    (void)state;
    assert_code(limbic_selftest(NULL, 0, on_selftest, &all), 0);
    assert_code(limbic_selftest("portable", 0, on_selftest, &one), 0);
    assert_true(one > 0);
    assert_true(all > one);
    assert_code(limbic_selftest("derived", 0, NULL, NULL), 0);
    one = 0;
    assert_code(limbic_selftest("nosuchprovider", 0, on_selftest, &one), GPG_ERR_NOT_FOUND);
    assert_code(limbic_selftest("", 0, on_selftest, &one), GPG_ERR_NOT_FOUND);
    assert_code(limbic_selftest(NULL, 2, on_selftest, &one), GPG_ERR_INV_ARG);
    assert_int_equal(one, 0);
}

/*
 * Digests
 */

static void hashes(void **state)
{
    static const struct {
        enum limbic_hash hash;
        const char *name;
        size_t size;
    } table[] = {
        {LIMBIC_HASH_NONE, "none", 0},
        {LIMBIC_HASH_SHA1, "sha1", 20},
        {LIMBIC_HASH_SHA224, "sha224", 28},
        {LIMBIC_HASH_SHA256, "sha256", 32},
        {LIMBIC_HASH_SHA384, "sha384", 48},
        {LIMBIC_HASH_SHA512, "sha512", 64},
        {LIMBIC_HASH_SHA512_224, "sha512-224", 28},
        {LIMBIC_HASH_SHA512_256, "sha512-256", 32},
        {LIMBIC_HASH_SHA3_224, "sha3-224", 28},
        {LIMBIC_HASH_SHA3_256, "sha3-256", 32},
        {LIMBIC_HASH_SHA3_384, "sha3-384", 48},
        {LIMBIC_HASH_SHA3_512, "sha3-512", 64},
        {LIMBIC_HASH_SHAKE128, "shake128", 32},
        {LIMBIC_HASH_SHAKE256, "shake256", 64},
        {LIMBIC_HASH_SM3, "sm3", 32},
        {LIMBIC_HASH_STREEBOG256, "streebog256", 32},
        {LIMBIC_HASH_STREEBOG512, "streebog512", 64},
        {LIMBIC_HASH_GOSTR94, "gostr94", 32},
        {LIMBIC_HASH_MD5, "md5", 16},
    };
    char upper[32];

    (void)state;
    for (size_t i = 0; i < SIZE(table); i++) {
        assert_string_equal(limbic_hash_name(table[i].hash), table[i].name);
        assert_int_equal(limbic_hash_by_name(table[i].name), table[i].hash);
        assert_int_equal(limbic_hash_size(table[i].hash), table[i].size);
        for (size_t j = 0; j <= strlen(table[i].name); j++)
            upper[j] = (char)toupper((unsigned char)table[i].name[j]);
        assert_int_equal(limbic_hash_by_name(upper), table[i].hash);
    }
    assert_int_equal(limbic_hash_by_name(NULL), -1);
    assert_int_equal(limbic_hash_by_name(""), -1);
    assert_int_equal(limbic_hash_by_name("sha-256"), -1);
    assert_int_equal(limbic_hash_by_name("sha256 "), -1);
    assert_null(limbic_hash_name(LIMBIC_HASH_DEFAULT));
    assert_null(limbic_hash_name((enum limbic_hash)20));
    assert_null(limbic_hash_name((enum limbic_hash) - 1));
    assert_int_equal(limbic_hash_size(LIMBIC_HASH_DEFAULT), 0);
    assert_int_equal(limbic_hash_size((enum limbic_hash)20), 0);
    assert_int_equal(limbic_hash_size((enum limbic_hash) - 1), 0);
}

/*
 * Sign and verify
 */

/* One way to sign `message`: all take the buffer alike. */
typedef gpg_error_t (*signer)(limbic_key_t key, const struct limbic_params *params, void *signature,
                              size_t size, size_t *length);

static gpg_error_t by_message(limbic_key_t key, const struct limbic_params *params, void *signature,
                              size_t size, size_t *length)
{
    return limbic_sign(key, params, MESSAGE, signature, size, length);
}

static gpg_error_t by_digest(limbic_key_t key, const struct limbic_params *params, void *signature,
                             size_t size, size_t *length)
{
    return limbic_sign_digest(key, params, "0123456789abcdef0123456789abcdef", 32, signature, size,
                              length);
}

static gpg_error_t by_stream(limbic_key_t key, const struct limbic_params *params, void *signature,
                             size_t size, size_t *length)
{
    limbic_stream_t stream = poison;
    gpg_error_t err = limbic_stream_open(&stream, key, params);

    if (err) {
        assert_null(stream);
        return err;
    }
    assert_code(limbic_stream_update(stream, MESSAGE), 0);
    err = limbic_stream_sign(stream, signature, size, length);
    limbic_stream_close(stream);
    return err;
}

static const signer signers[] = {by_message, by_digest, by_stream};

static void sign_buffers(void **state)
{
    guarded g = guarded_new(1024);
    size_t len;

    (void)state;
    for (size_t way = 0; way < SIZE(signers); way++) {
        len = 0;
        assert_code(signers[way](private_key, NULL, NULL, 0, &len), 0);
        assert_int_equal(len, 128);
        assert_code(signers[way](private_key, NULL, NULL, 5, &len), 0);
        for (size_t size = 0; size < 128; size++) {
            memset(g.base, 0x5a, g.room);
            len = 0;
            assert_code(signers[way](private_key, NULL, guarded_room(g, size), size, &len),
                        GPG_ERR_BUFFER_TOO_SHORT);
            assert_int_equal(len, 128);
            for (size_t i = 0; i < g.room; i++)
                assert_int_equal(g.base[i], 0x5a);
        }
        len = 0;
        assert_code(signers[way](private_key, NULL, guarded_room(g, 128), 128, &len), 0);
        assert_int_equal(len, 128);
        for (size_t i = 0; i < g.room - 128; i++)
            assert_int_equal(g.base[i], 0x5a);
        memset(g.base, 0x5a, g.room);
        assert_code(signers[way](private_key, NULL, g.base, g.room, &len), 0);
        assert_int_equal(len, 128);
        for (size_t i = 128; i < g.room; i++)
            assert_int_equal(g.base[i], 0x5a);
        assert_code(signers[way](private_key, NULL, g.base, g.room, NULL), GPG_ERR_INV_ARG);
        assert_code(signers[way](NULL, NULL, g.base, g.room, &len), GPG_ERR_INV_ARG);
        assert_code(signers[way](public_key, NULL, g.base, g.room, &len), GPG_ERR_NO_SECKEY);
    }
    guarded_free(g);
}

/* Parameters that no call takes, or that do not sign. */
static void sign_params(void **state)
{
    const struct {
        struct limbic_params params;
        gpg_err_code_t sign, verify;
        int at_open; /* a stream with these does not open */
    } cases[] = {
        {params_of((enum limbic_padding)3, 0, 0, -1), GPG_ERR_INV_VALUE, GPG_ERR_INV_VALUE, 1},
        {params_of((enum limbic_padding) - 1, 0, 0, -1), GPG_ERR_INV_VALUE, GPG_ERR_INV_VALUE, 1},
        {params_of(0, (enum limbic_hash)20, 0, -1), GPG_ERR_DIGEST_ALGO, GPG_ERR_DIGEST_ALGO, 1},
        {params_of(0, (enum limbic_hash) - 1, 0, -1), GPG_ERR_DIGEST_ALGO, GPG_ERR_DIGEST_ALGO, 1},
        {params_of(2, 0, (enum limbic_hash)20, -1), GPG_ERR_DIGEST_ALGO, GPG_ERR_DIGEST_ALGO, 1},
        {params_of(2, 0, (enum limbic_hash) - 1, -1), GPG_ERR_DIGEST_ALGO, GPG_ERR_DIGEST_ALGO, 1},
        {params_of(2, 0, 0, -5), GPG_ERR_INV_VALUE, GPG_ERR_INV_VALUE, 1},
        {params_of(2, 0, 0, 2049), GPG_ERR_INV_VALUE, GPG_ERR_INV_VALUE, 1},
        {params_of(2, 0, 0, 0x7fffffff), GPG_ERR_INV_VALUE, GPG_ERR_INV_VALUE, 1},
        {params_of(2, 0, 0, -0x7fffffff - 1), GPG_ERR_INV_VALUE, GPG_ERR_INV_VALUE, 1},
        {params_of(2, 0, 0, LIMBIC_SALT_AUTO), GPG_ERR_INV_VALUE, GPG_ERR_BAD_SIGNATURE, 0},
        {params_of(2, 0, 0, 2048), GPG_ERR_TOO_SHORT, GPG_ERR_BAD_SIGNATURE, 0},
        {params_of(2, 0, LIMBIC_HASH_NONE, -1), GPG_ERR_DIGEST_ALGO, GPG_ERR_DIGEST_ALGO, 0},
        {params_of(1, LIMBIC_HASH_SHAKE128, 0, -1), GPG_ERR_DIGEST_ALGO, GPG_ERR_DIGEST_ALGO, 0},
        /* What concerns PSS alone says nothing here. */
        {params_of(1, 0, LIMBIC_HASH_NONE, -5), 0, GPG_ERR_BAD_SIGNATURE, 0},
    };
    unsigned char signature[128], none[128] = {0};
    size_t len;

    (void)state;
    for (size_t i = 0; i < SIZE(cases); i++) {
        limbic_stream_t stream;

        print_message("# case %zu\n", i);
        for (size_t way = 0; way < SIZE(signers); way++) {
            memset(signature, 0, sizeof signature);
            assert_code(signers[way](private_key, &cases[i].params, signature, 128, &len),
                        cases[i].sign);
            if (cases[i].sign)
                assert_memory_equal(signature, none, 128);
        }
        assert_code(limbic_verify(public_key, &cases[i].params, MESSAGE, none, 128),
                    cases[i].verify);
        assert_code(limbic_verify_digest(public_key, &cases[i].params, none, 32, none, 128),
                    cases[i].verify);
        stream = poison;
        assert_code(limbic_stream_open(&stream, public_key, &cases[i].params),
                    cases[i].at_open ? cases[i].verify : GPG_ERR_NO_ERROR);
        if (cases[i].at_open) {
            assert_null(stream);
            continue;
        }
        assert_code(limbic_stream_verify(stream, none, 128), cases[i].verify);
        limbic_stream_close(stream);
    }
}

/* A structure knows its size: shorter is an error, longer a later header's. */
static void params_size(void **state)
{
    struct {
        struct limbic_params params;
        unsigned char more[16];
    } longer = {.params = LIMBIC_PARAMS_INIT};
    unsigned char signature[128];
    limbic_stream_t stream = poison;
    size_t len;

    (void)state;
    for (size_t size = 0; size < offsetof(struct limbic_params, salt_len) + sizeof(int); size++) {
        longer.params.size = size;
        for (size_t way = 0; way < SIZE(signers); way++)
            assert_code(signers[way](private_key, &longer.params, signature, 128, &len),
                        GPG_ERR_INV_ARG);
        assert_code(limbic_verify(private_key, &longer.params, MESSAGE, signature, 128),
                    GPG_ERR_INV_ARG);
        assert_code(
            limbic_verify_digest(private_key, &longer.params, signature, 32, signature, 128),
            GPG_ERR_INV_ARG);
    }
    longer.params.size = sizeof longer;
    for (size_t way = 0; way < SIZE(signers); way++)
        assert_code(signers[way](private_key, &longer.params, signature, 128, &len), 0);
    /* The first version's, with what then was behind it. */
    longer.params.size = offsetof(struct limbic_params, salt_len) + sizeof(int);
    longer.params.label_len = 1;
    for (size_t way = 0; way < SIZE(signers); way++)
        assert_code(signers[way](private_key, &longer.params, signature, 128, &len), 0);
    longer.params.label_len = 0;
    longer.params.size = sizeof longer;
    assert_code(limbic_stream_open(&stream, private_key, &longer.params), 0);
    limbic_stream_close(stream);

    /* A wish that this version does not know. */
    longer.more[sizeof longer.more - 1] = 1;
    for (size_t way = 0; way < SIZE(signers); way++)
        assert_code(signers[way](private_key, &longer.params, signature, 128, &len),
                    GPG_ERR_INV_ARG);
}

/* Facts: no octet beyond the size that the caller states is written. */
static void info_size(void **state)
{
    struct {
        struct limbic_key_facts info;
        unsigned char more[16];
    } longer = {.info = LIMBIC_KEY_FACTS_INIT};

    (void)state;
    longer.info.size = sizeof longer;
    memset(longer.more, 0x5a, sizeof longer.more);
    assert_code(limbic_key_info(private_key, &longer.info), 0);
    assert_int_equal(longer.info.size, sizeof longer);
    assert_int_equal(longer.info.bits, 1024);
    for (size_t i = 0; i < sizeof longer.more; i++)
        assert_int_equal(longer.more[i], 0x5a);
    longer.info.size = sizeof longer.info - 1;
    assert_code(limbic_key_info(private_key, &longer.info), GPG_ERR_INV_ARG);
}

static void digest_lengths(void **state)
{
    unsigned char digest[65] = {0}, signature[128] = {0};
    size_t len;

    (void)state;
    for (int padding = LIMBIC_PADDING_DEFAULT; padding <= LIMBIC_PADDING_PSS; padding++)
        for (int hash = LIMBIC_HASH_DEFAULT; hash <= LIMBIC_HASH_SHA3_512; hash++) {
            struct limbic_params params =
                params_of((enum limbic_padding)padding, (enum limbic_hash)hash, 0, 0);
            size_t size = hash ? limbic_hash_size((enum limbic_hash)hash) : 32;

            if (hash == LIMBIC_HASH_NONE)
                continue;
            for (size_t n = 0; n <= 65; n++) {
                gpg_err_code_t code = n == size ? GPG_ERR_NO_ERROR : GPG_ERR_INV_LENGTH;
                if (code || padding == 0)
                    assert_code(
                        limbic_sign_digest(private_key, &params, digest, n, signature, 128, &len),
                        code);
                if (code)
                    assert_code(
                        limbic_verify_digest(public_key, &params, digest, n, signature, 128), code);
            }
        }
    assert_code(limbic_sign_digest(private_key, NULL, digest, SIZE_MAX, signature, 128, &len),
                GPG_ERR_INV_LENGTH);
}

static void null_arguments(void **state)
{
    unsigned char signature[128], digest[32] = {0};
    size_t len;

    (void)state;
    assert_code(limbic_sign(private_key, NULL, NULL, 1, signature, 128, &len), GPG_ERR_INV_ARG);
    assert_code(limbic_sign_digest(private_key, NULL, NULL, 32, signature, 128, &len),
                GPG_ERR_INV_ARG);
    assert_code(limbic_verify(NULL, NULL, MESSAGE, signature, 128), GPG_ERR_INV_ARG);
    assert_code(limbic_verify(public_key, NULL, NULL, 1, signature, 128), GPG_ERR_INV_ARG);
    assert_code(limbic_verify(public_key, NULL, MESSAGE, NULL, 128), GPG_ERR_INV_ARG);
    assert_code(limbic_verify(public_key, NULL, MESSAGE, NULL, 0), GPG_ERR_BAD_SIGNATURE);
    assert_code(limbic_verify_digest(NULL, NULL, digest, 32, signature, 128), GPG_ERR_INV_ARG);
    assert_code(limbic_verify_digest(public_key, NULL, NULL, 32, signature, 128), GPG_ERR_INV_ARG);
    assert_code(limbic_verify_digest(public_key, NULL, digest, 32, NULL, 128), GPG_ERR_INV_ARG);
    /* An empty message is one, with or without an address. */
    assert_code(limbic_sign(private_key, NULL, NULL, 0, signature, 128, &len), 0);
    assert_code(limbic_verify(public_key, NULL, "", 0, signature, 128), 0);
    assert_code(limbic_verify(public_key, NULL, NULL, 0, signature, 128), 0);
    assert_code(limbic_verify(public_key, NULL, MESSAGE, signature, 128), GPG_ERR_BAD_SIGNATURE);
}

/*
 * Streams
 */

/* Pieces of any size are the message in one. */
static void stream_pieces(void **state)
{
    static unsigned char text[3000];
    static const size_t steps[] = {1, 2, 3, 7, 63, 64, 65, 127, 128, 129, 1000, 2999, 3000};
    unsigned char once[128], pieces[128];
    rng r = rng_start();
    size_t len;

    (void)state;
    rng_fill(&r, text, sizeof text);
    for (int hash = LIMBIC_HASH_DEFAULT; hash <= LIMBIC_HASH_MD5; hash++) {
        struct limbic_params params = params_of(LIMBIC_PADDING_PSS, (enum limbic_hash)hash, 0, 0);

        if (hash == LIMBIC_HASH_NONE)
            continue;
        assert_code(limbic_sign(private_key, &params, text, sizeof text, once, 128, &len), 0);
        for (size_t i = 0; i < SIZE(steps); i++) {
            limbic_stream_t sign, verify;

            assert_code(limbic_stream_open(&sign, private_key, &params), 0);
            assert_code(limbic_stream_open(&verify, public_key, &params), 0);
            for (size_t at = 0; at < sizeof text; at += steps[i]) {
                size_t n = steps[i] < sizeof text - at ? steps[i] : sizeof text - at;
                assert_code(limbic_stream_update(sign, text + at, n), 0);
                assert_code(limbic_stream_update(sign, NULL, 0), 0);
                assert_code(limbic_stream_update(verify, text + at, n), 0);
            }
            assert_code(limbic_stream_sign(sign, pieces, 128, &len), 0);
            assert_memory_equal(once, pieces, 128); /* no salt: equal */
            assert_code(limbic_stream_verify(verify, once, 128), 0);
            limbic_stream_close(sign);
            limbic_stream_close(verify);
        }
    }
}

static void stream_misuse(void **state)
{
    struct limbic_params none = params_of(LIMBIC_PADDING_PKCS1, LIMBIC_HASH_NONE, 0, 0);
    unsigned char signature[128], empty[128], other[128];
    limbic_stream_t stream = poison;
    size_t len;

    (void)state;
    limbic_stream_close(NULL);
    assert_code(limbic_stream_open(NULL, private_key, NULL), GPG_ERR_INV_ARG);
    assert_code(limbic_stream_open(&stream, NULL, NULL), GPG_ERR_INV_ARG);
    assert_code(limbic_stream_open(&stream, private_key, &none), GPG_ERR_DIGEST_ALGO);
    assert_null(stream);
    assert_code(limbic_stream_update(NULL, "x", 1), GPG_ERR_INV_ARG);
    assert_code(limbic_stream_sign(NULL, signature, 128, &len), GPG_ERR_INV_ARG);
    assert_code(limbic_stream_verify(NULL, signature, 128), GPG_ERR_INV_ARG);

    /* Asking for the size and too short a buffer end nothing. */
    assert_code(limbic_stream_open(&stream, private_key, NULL), 0);
    assert_code(limbic_stream_update(stream, NULL, 1), GPG_ERR_INV_ARG);
    assert_code(limbic_stream_sign(stream, NULL, 0, &len), 0);
    assert_int_equal(len, 128);
    assert_code(limbic_stream_sign(stream, signature, 127, &len), GPG_ERR_BUFFER_TOO_SHORT);
    assert_code(limbic_stream_sign(stream, signature, 128, NULL), GPG_ERR_INV_ARG);
    assert_code(limbic_stream_verify(stream, NULL, 128), GPG_ERR_INV_ARG);
    assert_code(limbic_stream_update(stream, MESSAGE), 0);
    assert_code(limbic_stream_sign(stream, signature, 128, &len), 0);
    assert_code(limbic_verify(public_key, NULL, MESSAGE, signature, 128), 0);
    /* Once finished, that was it. */
    assert_code(limbic_stream_update(stream, MESSAGE), GPG_ERR_INV_STATE);
    memset(other, 0x5a, sizeof other);
    memcpy(empty, other, sizeof other);
    assert_code(limbic_stream_sign(stream, other, 128, &len), GPG_ERR_INV_STATE);
    assert_memory_equal(other, empty, 128);
    assert_code(limbic_stream_sign(stream, NULL, 0, &len), GPG_ERR_INV_STATE);
    assert_int_equal(len, 0);
    assert_code(limbic_stream_sign(stream, other, 127, &len), GPG_ERR_INV_STATE);
    assert_int_equal(len, 0);
    assert_code(limbic_stream_verify(stream, signature, 128), GPG_ERR_INV_STATE);
    limbic_stream_close(stream);

    /* A public key cannot sign, before as after. */
    assert_code(limbic_stream_open(&stream, public_key, NULL), 0);
    assert_code(limbic_stream_update(stream, MESSAGE), 0);
    assert_code(limbic_stream_sign(stream, other, 128, &len), GPG_ERR_NO_SECKEY);
    assert_code(limbic_stream_verify(stream, signature, 128), 0);
    assert_code(limbic_stream_sign(stream, other, 128, &len), GPG_ERR_INV_STATE);
    limbic_stream_close(stream);

    /* Likewise after a verification, good or bad. */
    for (int good = 0; good < 2; good++) {
        assert_code(limbic_stream_open(&stream, private_key, NULL), 0);
        assert_code(limbic_stream_update(stream, message, sizeof message - 1 - !good), 0);
        assert_code(limbic_stream_verify(stream, signature, 128), good ? 0 : GPG_ERR_BAD_SIGNATURE);
        assert_code(limbic_stream_update(stream, MESSAGE), GPG_ERR_INV_STATE);
        assert_code(limbic_stream_verify(stream, signature, 128), GPG_ERR_INV_STATE);
        assert_code(limbic_stream_sign(stream, other, 128, &len), GPG_ERR_INV_STATE);
        limbic_stream_close(stream);
    }

    /* Nothing written is the empty message; a stream closed early is no more. */
    assert_code(limbic_stream_open(&stream, private_key, NULL), 0);
    assert_code(limbic_stream_sign(stream, empty, 128, &len), 0);
    limbic_stream_close(stream);
    assert_code(limbic_verify(public_key, NULL, NULL, 0, empty, 128), 0);
    assert_code(limbic_stream_open(&stream, private_key, NULL), 0);
    assert_code(limbic_stream_update(stream, MESSAGE), 0);
    limbic_stream_close(stream);
}

static int set_up(void **state)
{
    (void)state;
    private_key = must_import("keys/rsa1024.pkcs8.pem");
    public_key = must_import("keys/rsa1024.spki.pem");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    limbic_key_free(private_key);
    limbic_key_free(public_key);
    return 0;
}

int main(void)
{
    /* Children that must find the library as it is at a program's start. */
    const struct CMUnitTest fresh[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(locked_memory),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions),       cmocka_unit_test(initialisation),
        cmocka_unit_test(details),        cmocka_unit_test(json_checker),
        cmocka_unit_test(reports),        cmocka_unit_test(selftests),
        cmocka_unit_test(hashes),         cmocka_unit_test(sign_buffers),
        cmocka_unit_test(sign_params),    cmocka_unit_test(params_size),
        cmocka_unit_test(info_size),      cmocka_unit_test(digest_lengths),
        cmocka_unit_test(null_arguments), cmocka_unit_test(stream_pieces),
        cmocka_unit_test(stream_misuse),
    };

    unsetenv("LIMBIC");
    return cmocka_run_group_tests_name("start", fresh, NULL, NULL) +
           cmocka_run_group_tests_name("api", tests, set_up, tear_down);
}
