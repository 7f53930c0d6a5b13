/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-noheap.c - operations with a ready key allocate nothing, first use included.
 *
 * The program has malloc and its like itself, in front of the C library's, and so sees the calls of
 * limbic, of libgcrypt and of the C library alike; mmap and its like are counted too. Under a
 * sanitizer, whose malloc must stay in front, its hook counts instead. A control shows that the
 * counter counts.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gcrypt.h>
#include <limbic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/derived.h"
#include "dispatch/plan.h"
#include "dispatch/registry.h"
#include "tests/sanitizers.h"

/* ---- The counter --------------------------------------------------------------------------- */

/* volatile: compilers know of malloc that it reads and writes no variable of the program. */
static volatile int counting;
static volatile unsigned long counted;

static void count(void)
{
    if (counting)
        counted = counted + 1;
}

#if SANITIZED

int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));

static void on_malloc(const volatile void *block, size_t size)
{
    (void)block;
    (void)size;
    count();
}

static void on_free(const volatile void *block)
{
    (void)block;
}

static void start_counter(void)
{
    __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}

#define COUNTS_MAPPINGS 0

#else

static int allocation_refused(void)
{
    count();
    return 0;
}

#include "tests/malloc-in-front.h"

static void start_counter(void)
{
}

#define COUNTS_MAPPINGS 1

#endif

/* ---- The operations ------------------------------------------------------------------------ */

#define MAX_SIGNATURE 512

static const char message[] = "The quick brown fox jumps over the lazy dog";

static limbic_key_t private_key, public_key;

static const enum limbic_hash hashes[] = {
    LIMBIC_HASH_SHA1,     LIMBIC_HASH_SHA224,     LIMBIC_HASH_SHA256,     LIMBIC_HASH_SHA384,
    LIMBIC_HASH_SHA512,   LIMBIC_HASH_SHA512_224, LIMBIC_HASH_SHA512_256, LIMBIC_HASH_SHA3_224,
    LIMBIC_HASH_SHA3_256, LIMBIC_HASH_SHA3_384,   LIMBIC_HASH_SHA3_512,   LIMBIC_HASH_SM3,
};

#define HASHES (sizeof hashes / sizeof *hashes)

static void begin(void)
{
    counted = 0;
    counting = 1;
}

static unsigned long end(void)
{
    counting = 0;
    return counted;
}

/* cmocka's assertions may allocate: counting has ended before any of them runs. */
static void assert_none(gpg_error_t error, unsigned long calls, const char *what,
                        enum limbic_hash hash)
{
    if (error)
        fail_msg("%s with %s: %s (%s)", what, limbic_hash_name(hash), gpg_strerror(error),
                 limbic_error_detail());
    if (calls)
        fail_msg("%s with %s: %lu allocations", what, limbic_hash_name(hash), calls);
}

static void messages_with(const struct limbic_params *params)
{
    unsigned char signature[MAX_SIGNATURE];
    size_t length;
    gpg_error_t error;

    begin();
    error = limbic_sign(private_key, params, message, sizeof message, signature, sizeof signature,
                        &length);
    assert_none(error, end(), "limbic_sign", params->hash);
    begin();
    error = limbic_verify(public_key, params, message, sizeof message, signature, length);
    assert_none(error, end(), "limbic_verify", params->hash);
    begin();
    error = limbic_verify(private_key, params, message, sizeof message, signature, length);
    assert_none(error, end(), "limbic_verify, private key", params->hash);
}

static void digests_with(const struct limbic_params *params)
{
    unsigned char signature[MAX_SIGNATURE], digest[64] = {1, 2, 3};
    size_t length, size = limbic_hash_size(params->hash);
    gpg_error_t error;

    begin();
    error =
        limbic_sign_digest(private_key, params, digest, size, signature, sizeof signature, &length);
    assert_none(error, end(), "limbic_sign_digest", params->hash);
    begin();
    error = limbic_verify_digest(public_key, params, digest, size, signature, length);
    assert_none(error, end(), "limbic_verify_digest", params->hash);
}

static void refused_with(const struct limbic_params *params)
{
    unsigned char signature[MAX_SIGNATURE], digest[64] = {4, 5, 6};
    size_t length, size = limbic_hash_size(params->hash);
    unsigned long calls;
    gpg_error_t error =
        limbic_sign_digest(private_key, params, digest, size, signature, sizeof signature, &length);

    assert_none(error, 0, "limbic_sign_digest", params->hash);
    signature[length - 1] ^= 1;
    begin();
    error = limbic_verify_digest(public_key, params, digest, size, signature, length);
    calls = end();
    assert_int_equal(gpg_err_code(error), GPG_ERR_BAD_SIGNATURE);
    assert_none(0, calls, "refusing", params->hash);
}

static void for_each_hash(enum limbic_padding padding, void (*test)(const struct limbic_params *))
{
    struct limbic_params params = LIMBIC_PARAMS_INIT;

    params.padding = padding;
    for (size_t i = 0; i < HASHES; i++) {
        params.hash = hashes[i];
        test(&params);
    }
}

static void pkcs1_digests(void **state)
{
    (void)state;
    for_each_hash(LIMBIC_PADDING_PKCS1, digests_with);
}

static void pkcs1_messages(void **state)
{
    (void)state;
    for_each_hash(LIMBIC_PADDING_PKCS1, messages_with);
}

static void pss_digests(void **state)
{
    (void)state;
    for_each_hash(LIMBIC_PADDING_PSS, digests_with);
}

static void pss_messages(void **state)
{
    (void)state;
    for_each_hash(LIMBIC_PADDING_PSS, messages_with);
}

static void refusing_allocates_nothing(void **state)
{
    (void)state;
    for_each_hash(LIMBIC_PADDING_PKCS1, refused_with);
    for_each_hash(LIMBIC_PADDING_PSS, refused_with);
}

/* ---- Encryption, batches, keys of every shape ---- */

static void encrypts_with(limbic_key_t encrypting, limbic_key_t decrypting,
                          const struct limbic_params *params)
{
    unsigned char ciphertext[MAX_SIGNATURE], out[MAX_SIGNATURE];
    size_t length, got;
    unsigned long calls;
    gpg_error_t error;

    begin();
    error = limbic_encrypt(encrypting, params, message, 5, ciphertext, sizeof ciphertext, &length);
    assert_none(error, end(), "limbic_encrypt", params->hash);
    begin();
    error = limbic_decrypt(decrypting, params, ciphertext, length, out, sizeof out, &got);
    assert_none(error, end(), "limbic_decrypt", params->hash);
    ciphertext[length - 1] ^= 1;
    begin();
    error = limbic_decrypt(decrypting, params, ciphertext, length, out, sizeof out, &got);
    calls = end();
    if (params->padding == LIMBIC_PADDING_OAEP)
        assert_int_equal(gpg_err_code(error), GPG_ERR_DECRYPT_FAILED);
    assert_none(0, calls, "limbic_decrypt of a wrong ciphertext", params->hash);
}

static void encryption(const struct limbic_params *params)
{
    encrypts_with(public_key, private_key, params);
}

static void oaep(void **state)
{
    (void)state;
    for_each_hash(LIMBIC_PADDING_OAEP, encryption);
}

static void pkcs1_encryption(void **state)
{
    (void)state;
    for_each_hash(LIMBIC_PADDING_PKCS1, encryption);
}

static void no_padding(void **state)
{
    struct limbic_params params = LIMBIC_PARAMS_INIT;

    (void)state;
    params.padding = LIMBIC_PADDING_RAW;
    encryption(&params);
    messages_with(&params);
}

static void batches(void **state)
{
    enum { N = 9 };
    static unsigned char signatures[N][MAX_SIGNATURE], out[N][MAX_SIGNATURE];
    struct limbic_sign_item sign[N];
    struct limbic_verify_item verify[N];
    struct limbic_decrypt_item decrypt[N];
    gpg_error_t error;

    (void)state;
    for (size_t i = 0; i < N; i++)
        sign[i] = (struct limbic_sign_item){.size = sizeof sign[i],
                                            .key = private_key,
                                            .message = message,
                                            .message_len = i,
                                            .signature = signatures[i],
                                            .signature_size = MAX_SIGNATURE};
    begin();
    error = limbic_sign_batch(sign, N, 0);
    assert_none(error, end(), "limbic_sign_batch", LIMBIC_HASH_SHA256);
    for (size_t i = 0; i < N; i++)
        verify[i] = (struct limbic_verify_item){.size = sizeof verify[i],
                                                .key = public_key,
                                                .message = message,
                                                .message_len = i,
                                                .signature = signatures[i],
                                                .signature_len = sign[i].signature_len};
    begin();
    error = limbic_verify_batch(verify, N, 0);
    assert_none(error, end(), "limbic_verify_batch", LIMBIC_HASH_SHA256);
    for (size_t i = 0; i < N; i++) {
        decrypt[i] = (struct limbic_decrypt_item){.size = sizeof decrypt[i],
                                                  .key = private_key,
                                                  .ciphertext = signatures[i],
                                                  .message = out[i],
                                                  .message_size = MAX_SIGNATURE};
        error = limbic_encrypt(public_key, NULL, message, i, signatures[i], MAX_SIGNATURE,
                               &decrypt[i].ciphertext_len);
        assert_int_equal(error, 0);
    }
    begin();
    error = limbic_decrypt_batch(decrypt, N);
    assert_none(error, end(), "limbic_decrypt_batch", LIMBIC_HASH_SHA256);
}

static void three_primes(void **state)
{
    struct limbic_generate options = LIMBIC_GENERATE_INIT;
    struct limbic_params params = LIMBIC_PARAMS_INIT;
    unsigned char signature[MAX_SIGNATURE];
    limbic_key_t key;
    size_t length;
    gpg_error_t error;

    (void)state;
    options.primes = 3;
    assert_int_equal(limbic_key_generate(&key, "rsa:2048", &options), 0);
    begin();
    error = limbic_sign(key, NULL, message, sizeof message, signature, sizeof signature, &length);
    assert_none(error, end(), "limbic_sign, three primes", LIMBIC_HASH_SHA256);
    params.padding = LIMBIC_PADDING_OAEP;
    encrypts_with(key, key, &params);
    limbic_key_free(key);
}

/* ---- The counter counts -------------------------------------------------------------------- */

static unsigned long calls_of(void *(*allocate)(size_t), void (*release)(void *))
{
    void *block;

    begin();
    block = allocate(100);
    end();
    assert_non_null(block);
    release(block);
    return counted;
}

static void *allocate_directly(size_t size)
{
    void *volatile block = (malloc)(size); /* volatile: a pair of calls may not be optimised away */

    return block;
}

static void *allocate_resized(size_t size)
{
    void *volatile block = (realloc)(NULL, size);

    return block;
}

static void *allocate_zeroed(size_t size)
{
    void *volatile block = (calloc)(1, size);

    return block;
}

static void release_directly(void *block)
{
    (free)(block);
}

static void control_direct(void **state)
{
    (void)state;
    assert_int_equal(calls_of(allocate_directly, release_directly), 1);
    assert_int_equal(calls_of(allocate_resized, release_directly), 1);
    assert_int_equal(calls_of(allocate_zeroed, release_directly), 1);
}

/* Calls from within a shared library are seen. */
static void control_library(void **state)
{
    (void)state;
    assert_true(calls_of(gcry_malloc, gcry_free) >= 1);
}

static void control_mapping(void **state)
{
    void *page;

    (void)state;
    if (!COUNTS_MAPPINGS)
        skip();
    begin();
    page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    end();
    assert_true(page != MAP_FAILED);
    munmap(page, 4096);
    assert_int_equal(counted, 1);
}

/* Opening a stream allocates, as documented. */
static void control_stream(void **state)
{
    limbic_stream_t stream;
    gpg_error_t error;

    (void)state;
    begin();
    error = limbic_stream_open(&stream, private_key, NULL);
    end();
    assert_int_equal(error, 0);
    assert_true(counted >= 1);
    limbic_stream_close(stream);
}

/* ---- Another plan --------------------------------------------------------------------------- */

/* Kernels of derived's that keep a state for each modulus, which they do not use. */
static struct limbic_mod_family stateful_moduli;
static const struct limbic_tier stateful_tiers[] = {
    {.name = "", .needs = "", .moduli = &stateful_moduli}};
static const struct limbic_provider stateful = {
    .size = sizeof stateful,
    .abi_major = LIMBIC_PROVIDER_ABI_MAJOR,
    .abi_minor = LIMBIC_PROVIDER_ABI_MINOR,
    .limb_bits = LIMBIC_LIMB_BITS,
    .name = "stateful",
    .version = "1",
    .license = "MIT",
    .origin = "tests",
    .limb_slots_size = sizeof(struct limbic_limb_slots),
    .tier_size = sizeof(struct limbic_tier),
    .tier_count = 1,
    .tiers = stateful_tiers,
};

static size_t state_size(const struct limbic_modulus *m)
{
    (void)m;
    return 64;
}

static void state_init(const struct limbic_ops *ops, const struct limbic_modulus *m, void *memory)
{
    (void)ops;
    (void)m;
    memset(memory, 1, 64);
}

static unsigned long allocations_of_a_signature(limbic_key_t key)
{
    unsigned char signature[MAX_SIGNATURE];
    size_t length;
    gpg_error_t error;

    begin();
    error = limbic_sign(key, NULL, message, sizeof message, signature, sizeof signature, &length);
    end();
    assert_int_equal(error, 0);
    return counted;
}

/* The first operation of a key under a new plan may allocate once, for states that the plan's
   kernels keep; after limbic_key_ready none does. */
static void another_plan(void **state)
{
    limbic_key_t unready, ready;

    (void)state;
    stateful_moduli = *lb_provider_derived.tiers[0].moduli;
    stateful_moduli.modulus_state_size = state_size;
    stateful_moduli.modulus_state_init = state_init;
    lb_test_reset("portable");
    lb_test_register(&stateful);
    assert_int_equal(limbic_key_generate(&unready, "rsa:2048", NULL), 0);
    assert_int_equal(limbic_key_generate(&ready, "rsa:2048", NULL), 0);
    assert_int_equal(limbic_reconfigure("stateful,portable"), 0);
    assert_true(allocations_of_a_signature(unready) >= 1);
    assert_int_equal(allocations_of_a_signature(unready), 0);
    assert_int_equal(limbic_key_ready(ready), 0);
    assert_int_equal(allocations_of_a_signature(ready), 0);
    assert_int_equal(limbic_reconfigure("portable"), 0);
    assert_int_equal(allocations_of_a_signature(ready), 0);
    assert_int_equal(limbic_reconfigure("stateful,portable"), 0);
    assert_int_equal(allocations_of_a_signature(ready), 0);
    limbic_key_free(ready);
    limbic_key_free(unready);
}

static int setup(void **state)
{
    gpg_error_t error;

    (void)state;
    start_counter();
    error = limbic_key_generate(&private_key, "rsa:2048", NULL);
    if (!error)
        error = limbic_key_public(private_key, &public_key);
    if (error)
        print_error("setup: %s (%s)\n", gpg_strerror(error), limbic_error_detail());
    return error != 0;
}

static int teardown(void **state)
{
    (void)state;
    limbic_key_free(public_key);
    limbic_key_free(private_key);
    return 0;
}

/* valgrind puts a malloc of its own in front of everybody's. */
static int under_valgrind(void)
{
    const char *preloaded = getenv("LD_PRELOAD");

    return preloaded && strstr(preloaded, "vgpreload");
}

int main(void)
{
    /* First of all the operations, so that the first use of each hash is counted too. */
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(pkcs1_digests),
        cmocka_unit_test(pkcs1_messages),
        cmocka_unit_test(pss_digests),
        cmocka_unit_test(pss_messages),
        cmocka_unit_test(refusing_allocates_nothing),
        cmocka_unit_test(oaep),
        cmocka_unit_test(pkcs1_encryption),
        cmocka_unit_test(no_padding),
        cmocka_unit_test(batches),
        cmocka_unit_test(three_primes),
        cmocka_unit_test(control_direct),
        cmocka_unit_test(control_library),
        cmocka_unit_test(control_mapping),
        cmocka_unit_test(control_stream),
        cmocka_unit_test(another_plan),
    };

    if (under_valgrind()) {
        puts("1..0 # SKIP allocations cannot be counted under valgrind");
        return 77;
    }
    return cmocka_run_group_tests(tests, setup, teardown);
}
