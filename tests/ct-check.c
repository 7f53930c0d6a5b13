/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ct-check.c - that no branch and no address depends on a secret: the program of `make check-ct`.
 *
 * Runs under valgrind's memcheck, with a build of the library in which LB_DECLASSIFY is real
 * (-DLIMBIC_CT_CHECK). Secrets are marked as undefined: the private numbers of keys that come in,
 * as octets and as base64, and every random octet. memcheck follows them through all arithmetic and
 * reports each branch and each address that depends on one, unless LB_DECLASSIFY has said that the
 * value is public (A. Langley, "Checking that functions are constant time with Valgrind", 2010). It
 * does not see instructions whose time depends on operands, such as divisions.
 *
 * Prints TAP. The first cases are leaks made on purpose, which must be reported.
 */
#include <limbic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/arena.h"
#include "core/key/pbes2.h"
#include "core/key/pem.h"
#include "core/key/rsa-der.h"
#include "core/number/arith.h"
#include "core/number/prime.h"
#include "core/number/random.h"
#include "dispatch/dispatch.h"

#define MOST_KEY 32768
#define MOST_SIGNATURE 2048

static unsigned cases, failures;

static void die(const char *what)
{
    printf("Bail out! %s: %s\n", what, limbic_error_detail());
    exit(1);
}

static void must(gpg_error_t err, const char *what)
{
    if (err)
        die(what);
}

/* ---- Counting reports ---------------------------------------------------------------------- */

static unsigned long reports_before;

static void begin(void)
{
    reports_before = VALGRIND_COUNT_ERRORS;
}

/* Ends a case: it is right if there were reports exactly when `leaks` says so. */
static void end(const char *name, int leaks)
{
    unsigned long reports = VALGRIND_COUNT_ERRORS - reports_before;
    int right = (reports != 0) == (leaks != 0);

    failures += !right;
    printf("%s %u - %s\n", right ? "ok" : "not ok", ++cases, name);
    printf("# %s: %lu reports\n", name, reports);
    fflush(stdout);
}

/* ---- Controls ------------------------------------------------------------------------------ */

static volatile unsigned char sink[256];

static __attribute__((noinline)) void leak_by_branch(const unsigned char *secret)
{
    if (secret[0] & 1)
        sink[0] = 1;
}

static __attribute__((noinline)) void leak_by_address(const unsigned char *secret)
{
    sink[secret[0]] = 1;
}

/* A comparison that ends at the first difference. */
static __attribute__((noinline)) int leak_by_time(const limb_t *a, const limb_t *b, size_t n)
{
    return lb_nat_cmp_vartime(a, n, b, n) != 0;
}

static void controls(void)
{
    unsigned char secret[8] = {3};
    limb_t a[4] = {1, 2, 3, 4}, b[4] = {1, 2, 3, 4};

    LB_CLASSIFY(secret, sizeof secret);
    LB_CLASSIFY(a, sizeof a);
    begin();
    leak_by_branch(secret);
    end("control: a branch is reported", 1);
    begin();
    leak_by_address(secret);
    end("control: an address is reported", 1);
    begin();
    sink[1] = (unsigned char)leak_by_time(a, b, 4);
    end("control: a variable-time comparison is reported", 1);
    begin();
    sink[2] = (unsigned char)lb_ct_declassify(lb_nat_eq(a, b, 4));
    end("control: a constant-time comparison is not", 0);
}

/* ---- Randomness ---------------------------------------------------------------------------- */

static gpg_error_t secret_random(void *opaque, void *buf, size_t len)
{
    (void)opaque;
    for (size_t at = 0; at < len;) {
        ssize_t got = getrandom((unsigned char *)buf + at, len - at, 0);
        if (got < 0)
            return gpg_error_from_syserror();
        at += (size_t)got;
    }
    LB_CLASSIFY(buf, len);
    return 0;
}

/* ---- Keys ---------------------------------------------------------------------------------- */

static size_t read_file(const char *name, unsigned char *data)
{
    const char *srcdir = getenv("srcdir");
    char path[4096];
    size_t len;
    FILE *f;

    snprintf(path, sizeof path, "%s/tests/data/%s", srcdir ? srcdir : ".", name);
    f = fopen(path, "rb");
    if (!f)
        die(path);
    len = fread(data, 1, MOST_KEY, f);
    fclose(f);
    return len;
}

/* The DER of a file. */
static size_t read_der(const char *name, unsigned char *der)
{
    unsigned char text[MOST_KEY];
    lb_pem_block block;
    size_t len = read_file(name, text);

    if (!lb_pem_detect(text, len)) {
        memcpy(der, text, len);
        return len;
    }
    must(lb_pem_parse(text, len, &block), name);
    must(lb_pem_decode(&block, der, MOST_KEY, &len), name);
    return len;
}

/* Marks the private numbers in a DER as secret. */
static void classify_der(const unsigned char *der, size_t len)
{
    struct lb_rsa_numbers numbers;

    must(lb_rsa_read_any(&numbers, der, len), "DER");
    for (unsigned i = LB_RSA_D; i < numbers.count; i++)
        LB_CLASSIFY(numbers.part[i].data, numbers.part[i].len);
}

/* Marks the base64 of a PEM as secret, all of it; not its line ends and padding, which are layout.
 */
static void classify_pem(const unsigned char *text, size_t len)
{
    lb_pem_block block;
    const char *body;

    must(lb_pem_parse(text, len, &block), "PEM");
    body = block.body;
    for (size_t i = 0; i < block.body_size; i++)
        if (!strchr("\r\n=", body[i]))
            LB_CLASSIFY(&body[i], 1);
}

static limbic_key_t import_der(const char *name)
{
    unsigned char der[MOST_KEY];
    size_t len = read_der(name, der);
    limbic_key_t key;

    classify_der(der, len);
    must(limbic_key_import(&key, der, len, 0), name);
    return key;
}

/* The public half of a key, whose numbers are public. */
static limbic_key_t public_half(limbic_key_t key)
{
    limbic_key_t half;

    must(limbic_key_public(key, &half), "public half");
    return half;
}

/* ---- Signatures ---------------------------------------------------------------------------- */

static void sign_times(limbic_key_t key, const struct limbic_params *params, int times)
{
    static const char message[] = "message";
    unsigned char signature[MOST_SIGNATURE];
    limbic_key_t half = public_half(key);
    size_t len;

    for (int i = 0; i < times; i++) {
        must(limbic_sign(key, params, message, sizeof message, signature, sizeof signature, &len),
             "signing");
        must(limbic_verify(half, params, message, sizeof message, signature, len), "verifying");
    }
    limbic_key_free(half);
}

static void sign_all(limbic_key_t key, const char *name, int times)
{
    struct limbic_params params = LIMBIC_PARAMS_INIT;
    char what[128];

    snprintf(what, sizeof what, "%s: PKCS#1 signatures", name);
    begin();
    sign_times(key, &params, times);
    end(what, 0);
    params.padding = LIMBIC_PADDING_PSS;
    params.salt_len = 8; /* fits 512 bits */
    snprintf(what, sizeof what, "%s: PSS signatures", name);
    begin();
    sign_times(key, &params, 2);
    end(what, 0);
}

/* ---- Encryption ---------------------------------------------------------------------------- */

/* A secret message to and fro; then the ciphertexts next to it, which PKCS#1 rejects in silence and
   OAEP with an error, and random numbers, almost none of which is padded rightly. */
static void encrypt_times(limbic_key_t key, const struct limbic_params *params, int times)
{
    unsigned char message[8] = {1, 0, 2, 0, 3}, c[MOST_SIGNATURE], out[MOST_SIGNATURE];
    limbic_key_t half = public_half(key);
    size_t len, k;

    for (int i = 0; i < times; i++) {
        LB_CLASSIFY(message, sizeof message);
        must(limbic_encrypt(half, params, message, sizeof message, c, sizeof c, &k), "encrypting");
        must(limbic_decrypt(key, params, c, k, out, sizeof out, &len), "decrypting");
        LB_DECLASSIFY(out, len);
        LB_DECLASSIFY(message, sizeof message);
        if (len < sizeof message ||
            memcmp(out + len - sizeof message, message, sizeof message) != 0)
            die("another message");
        for (int j = 0; j < 4; j++) {
            c[k - 1 - (size_t)j] ^= (unsigned char)(1 << j);
            gpg_error_t err = limbic_decrypt(key, params, c, k, out, sizeof out, &len);
            if (gpg_err_code(err) != GPG_ERR_DECRYPT_FAILED)
                must(err, "decrypting");
        }
    }
    limbic_key_free(half);
}

static void encrypt_all(limbic_key_t key, const char *name, int times)
{
    static const struct {
        const char *name;
        enum limbic_padding padding;
        enum limbic_hash hash;
    } ways[] = {{"OAEP, SHA-1", LIMBIC_PADDING_OAEP, LIMBIC_HASH_SHA1},
                {"OAEP, SHAKE128", LIMBIC_PADDING_OAEP, LIMBIC_HASH_SHAKE128},
                {"PKCS#1", LIMBIC_PADDING_PKCS1, LIMBIC_HASH_DEFAULT},
                {"raw", LIMBIC_PADDING_RAW, LIMBIC_HASH_DEFAULT}};
    struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;
    char what[128];

    must(limbic_key_info(key, &info), name);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct limbic_params params = LIMBIC_PARAMS_INIT;
        params.padding = ways[i].padding;
        params.hash = ways[i].hash;
        if (ways[i].hash == LIMBIC_HASH_SHAKE128 && info.bits < 1024)
            continue;
        snprintf(what, sizeof what, "%s: encryption, %s", name, ways[i].name);
        begin();
        encrypt_times(key, &params, times);
        end(what, 0);
    }
}

/* ---- Export -------------------------------------------------------------------------------- */

static void export_one(limbic_key_t key, enum limbic_format format, unsigned flags)
{
    unsigned char out[MOST_KEY];
    size_t len;

    must(limbic_key_export(key, format, flags, out, sizeof out, &len), "export");
    LB_DECLASSIFY(out, len);
}

static void export_all(limbic_key_t key, const char *name)
{
    static const char *const part[] = {"d",  "p",  "q",  "dp", "dq", "qi",
                                       "r3", "d3", "t3", "r4", "d4", "t4"};
    unsigned char out[MOST_SIGNATURE];
    char what[128];
    size_t len;

    begin();
    export_one(key, LIMBIC_FORMAT_PKCS8, 0);
    export_one(key, LIMBIC_FORMAT_PKCS8, LIMBIC_EXPORT_PEM);
    export_one(key, LIMBIC_FORMAT_PKCS1, 0);
    export_one(key, LIMBIC_FORMAT_PKCS1, LIMBIC_EXPORT_PEM);
    export_one(key, LIMBIC_FORMAT_SPKI, LIMBIC_EXPORT_PEM);
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        gpg_error_t err = limbic_key_get_component(key, part[i], out, sizeof out, &len);
        if (gpg_err_code(err) != GPG_ERR_UNKNOWN_NAME) /* a prime too many */
            must(err, part[i]);
    }
    snprintf(what, sizeof what, "%s: export", name);
    end(what, 0);
}

/* ---- The cases ----------------------------------------------------------------------------- */

static void check_file(const char *name, int times, int in_full)
{
    char what[128];
    limbic_key_t key;

    snprintf(what, sizeof what, "%s: import", name);
    begin();
    key = import_der(name);
    end(what, 0);
    sign_all(key, name, times);
    encrypt_all(key, name, 2);
    export_all(key, name);
    if (in_full) {
        snprintf(what, sizeof what, "%s: full check", name);
        begin();
        must(limbic_key_check(key), name);
        end(what, 0);
    }
    limbic_key_free(key);
}

static void check_pem(const char *name)
{
    unsigned char text[MOST_KEY];
    size_t len = read_file(name, text);
    lb_pem_block block;
    unsigned char der[MOST_KEY];
    size_t der_len;
    char what[128];

    classify_pem(text, len);
    snprintf(what, sizeof what, "%s: base64", name);
    begin();
    must(lb_pem_parse(text, len, &block), name);
    must(lb_pem_decode(&block, der, sizeof der, &der_len), name);
    end(what, 0);
}

/* A key whose numbers do not fit: what is wrong is public, and nothing more. */
static void check_bad(const char *name)
{
    unsigned char der[MOST_KEY];
    size_t len = read_der(name, der);
    limbic_key_t key;
    char what[128];

    classify_der(der, len);
    snprintf(what, sizeof what, "%s: refusal", name);
    begin();
    if (!limbic_key_import(&key, der, len, 0))
        die(name);
    must(limbic_key_import(&key, der, len, LIMBIC_IMPORT_LENIENT), name);
    limbic_key_free(key);
    end(what, 0);
}

/* Components of fixed lengths, as a program has them that does not want lengths to leak. */
static void check_components(const char *name)
{
    static const char *const names[] = {"n", "e", "d", "p", "q", "dp", "dq", "qi"};
    static unsigned char octets[LB_RSA_PARTS][1024];
    struct limbic_component components[LB_RSA_PARTS];
    limbic_key_t key = import_der(name);
    char what[128];
    size_t len;

    for (unsigned i = 0; i < LB_RSA_PARTS; i++) {
        must(limbic_key_get_component(key, names[i], NULL, 0, &len), names[i]);
        size_t room = i == LB_RSA_D ? len + 1 : len;
        components[i] = (struct limbic_component){names[i], octets[i], room};
        must(limbic_key_get_component(key, names[i], octets[i] + room - len, len, &len), names[i]);
        if (i >= LB_RSA_D)
            LB_CLASSIFY(octets[i], room);
    }
    limbic_key_free(key);
    snprintf(what, sizeof what, "%s: components", name);
    begin();
    must(limbic_key_from_components(&key, LIMBIC_KEY_RSA, components, LB_RSA_PARTS, 0), name);
    limbic_key_free(key);
    end(what, 0);
}

/* The primes are looked for with d. */
static void check_d_alone(const char *name)
{
    static const char *const names[] = {"n", "e", "d"};
    static unsigned char octets[3][1024];
    struct limbic_component components[3];
    limbic_key_t key = import_der(name);
    char what[128];
    size_t len;

    for (unsigned i = 0; i < 3; i++) {
        must(limbic_key_get_component(key, names[i], octets[i], sizeof octets[i], &len), names[i]);
        components[i] = (struct limbic_component){names[i], octets[i], len};
    }
    LB_CLASSIFY(octets[LB_RSA_D], components[LB_RSA_D].length);
    limbic_key_free(key);
    snprintf(what, sizeof what, "%s: the primes from d", name);
    begin();
    must(limbic_key_from_components(&key, LIMBIC_KEY_RSA, components, 3, 0), name);
    limbic_key_free(key);
    end(what, 0);
}

/* Batches of a key: signatures, and decryptions of which one is refused. */
static void check_batches(const char *name)
{
    enum { ITEMS = 3 };
    static const char message[] = "message";
    static unsigned char out[ITEMS][MOST_SIGNATURE], c[ITEMS][MOST_SIGNATURE];
    limbic_key_t key = import_der(name), half = public_half(key);
    struct limbic_sign_item sign[ITEMS];
    struct limbic_decrypt_item decrypt[ITEMS];
    char what[128];
    size_t len;

    for (int i = 0; i < ITEMS; i++) {
        must(limbic_encrypt(half, NULL, message, sizeof message, c[i], sizeof c[i], &len), name);
        c[i][len - 1] ^= i == 1;
        sign[i] = (struct limbic_sign_item){.size = sizeof sign[i],
                                            .key = key,
                                            .message = message,
                                            .message_len = sizeof message,
                                            .signature = out[i],
                                            .signature_size = sizeof out[i]};
        decrypt[i] = (struct limbic_decrypt_item){.size = sizeof decrypt[i],
                                                  .key = key,
                                                  .ciphertext = c[i],
                                                  .ciphertext_len = len,
                                                  .message = out[i],
                                                  .message_size = sizeof out[i]};
    }
    snprintf(what, sizeof what, "%s: batches", name);
    begin();
    must(limbic_sign_batch(sign, ITEMS, 0), "signing a batch");
    if (gpg_err_code(limbic_decrypt_batch(decrypt, ITEMS)) != GPG_ERR_DECRYPT_FAILED)
        die("decrypting a batch");
    end(what, 0);
    limbic_key_free(half);
    limbic_key_free(key);
}

/* An encrypted key, as far as the octets that come out, or the verdict on their padding. (scrypt's
   addresses depend on the passphrase: that is its construction.) */
static void decrypt_key(unsigned char *der, size_t len, gpg_err_code_t wanted)
{
    static unsigned char phrase[] = "passphrase";
    const struct lb_phrase passphrase = {phrase, sizeof phrase};
    struct lb_protection protection;
    lb_der_view ciphertext;
    unsigned char *plain;

    must(lb_pbes2_read(&protection, &ciphertext, der, len), "reading what is encrypted");
    LB_CLASSIFY(phrase, sizeof phrase);
    if (gpg_err_code(lb_protection_decrypt(&protection, ciphertext, &passphrase, &plain, &len)) !=
        wanted)
        die("decrypting a key");
    lb_arena_free(plain);
    LB_DECLASSIFY(phrase, sizeof phrase);
}

static void check_encrypted(const char *name)
{
    static const enum limbic_hash hashes[] = {LIMBIC_HASH_SHA1, LIMBIC_HASH_SHA256,
                                              LIMBIC_HASH_SHA512};
    unsigned char der[MOST_KEY], phrase[] = "passphrase";
    limbic_key_t key = import_der(name);
    char what[128];
    size_t len;

    for (size_t i = 0; i < sizeof hashes / sizeof hashes[0]; i++) {
        struct limbic_protection how = LIMBIC_PROTECTION_INIT;

        how.hash = hashes[i];
        how.iterations = 1000;
        snprintf(what, sizeof what, "%s: encrypted, %s", name, limbic_hash_name(hashes[i]));
        begin();
        LB_CLASSIFY(phrase, sizeof phrase);
        must(
            limbic_key_export_encrypted(key, 0, phrase, sizeof phrase, &how, der, sizeof der, &len),
            name);
        LB_DECLASSIFY(phrase, sizeof phrase);
        LB_DECLASSIFY(&len, sizeof len);
        LB_DECLASSIFY(der, len);
        decrypt_key(der, len, GPG_ERR_NO_ERROR);
        for (int bit = 0; bit < 3; bit++) {
            der[len - 17] ^= (unsigned char)(1 << bit); /* of the padding */
            decrypt_key(der, len, GPG_ERR_BAD_PASSPHRASE);
        }
        end(what, 0);
    }
    limbic_key_free(key);
}

static void check_generation(const char *spec, unsigned primes, uint64_t e)
{
    struct limbic_generate options = LIMBIC_GENERATE_INIT;
    limbic_key_t key;
    char what[128];

    options.e = e;
    options.primes = primes;
    options.allow_weak = 1;
    snprintf(what, sizeof what, "%s, %u primes, e = %lu: generation", spec, primes,
             (unsigned long)e);
    begin();
    must(limbic_key_generate(&key, spec, &options), spec);
    end(what, 0);
    sign_all(key, spec, 2);
    export_all(key, spec);
    limbic_key_free(key);
}

/* Prime tests of numbers whose p - 1 ends in many zeros: 2^64 k + 1. */
static void check_prime_test(void)
{
    limb_t a[LB_LIMBS_OF_BITS(256)] = {0};
    unsigned char octets[32];
    int prime;

    must(lb_random(octets, sizeof octets), "randomness");
    lb_nat_from_bytes(a, LB_LIMBS_OF_BITS(256), octets, sizeof octets);
    a[0] = 1;
    a[LB_LIMBS_OF_BITS(256) - 1] |= (limb_t)1 << (LIMB_BITS - 1);
    begin();
    must(lb_prime_test(lb_row_portable(256), &prime, a, LB_LIMBS_OF_BITS(256), 2), "prime test");
    end("prime test of 2^k m + 1", 0);
}

int main(int argc, char **argv)
{
    int quick = argc > 1 && strcmp(argv[1], "quick") == 0;

    if (!RUNNING_ON_VALGRIND) {
        printf("1..0 # SKIP this program runs under valgrind\n");
        return 77;
    }
    must(limbic_init(0), "initialisation");
    controls();
    lb_random_hook(secret_random, NULL);
    check_prime_test();
    check_pem("keys/rsa1024.pkcs8.pem");
    check_file("keys/rsa512.pkcs1.der", 70, 1);
    check_file("keys/rsa1024.pkcs8.der", 2, !quick);
    check_file("rsa/ok-unbalanced-1088-960.pem", 2, 0);
    check_file("rsa/ok-unbalanced-1536-512.pem", 2, 0);
    check_file("rsa/ok-1025.pem", 2, 0);
    check_file("rsa/ok-2047.pem", 2, 0);
    check_file("rsa/e-64bit.pem", 2, 0);
    check_file("rsa/multi-3-1536.pem", 2, !quick);
    check_file("rsa/multi-4-2048.pem", 2, 0);
    check_file("rsa/crt-missing.pem", 2, 0);
    check_file("rsa/crt-no-d.pem", 2, 0);
    check_file("rsa/crt-partial-no-dp.pem", 2, 0);
    check_file("rsa/crt-partial-no-qinv.pem", 2, 0);
    check_components("keys/rsa1024.pkcs8.der");
    check_d_alone("keys/rsa512.pkcs1.der");
    if (!quick)
        check_d_alone("rsa/multi-3-1536.pem");
    check_batches("keys/rsa1024.pkcs8.der");
    check_encrypted("keys/rsa512.pkcs1.der");
    check_bad("rsa/bad-dp.pem");
    check_bad("rsa/bad-dq.pem");
    check_bad("rsa/bad-qi.pem");
    check_bad("rsa/bad-pq.pem");
    check_bad("rsa/bad-multi-dropped.pem");
    check_generation("rsa:1024", 2, 65537);
    if (!quick)
        check_generation("rsa:1025", 3, 3);
    lb_random_hook(NULL, NULL);
    printf("1..%u\n", cases);
    printf("# %u cases, %u wrong\n", cases, failures);
    return failures != 0;
}
