/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Little memory. Heap: in a child for each N, the N-th allocation of an operation fails, the first
 * use of the library included; the operation then succeeds rightly, or says GPG_ERR_ENOMEM and
 * succeeds when it is called again. Only libgcrypt's own initialisation, which ends the process
 * when it finds no memory (1.10), is made beforehand. Stack: the largest key and key generation on
 * threads with 128 KiB.
 *
 * The program has malloc and its like itself, in front of the C library's, and so fails the calls
 * of limbic, of libgcrypt and of libgpg-error alike. Under a sanitizer, whose malloc must stay in
 * front, those tests are left out.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <gcrypt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/key/key.h"
#include "core/scheme/rsa-key.h"
#include "dispatch/module.h"
#include "tests/data.h"
#include "tests/sanitizers.h"

/* ---- The failing allocation ----------------------------------------------------------------- */

static volatile unsigned long failing; /* 0: none */
static volatile unsigned long calls;

/* Fails the calls from the N-th on, or that one alone. */
static volatile int for_good;

static void arm(unsigned long n, int from_then_on)
{
    calls = 0;
    for_good = from_then_on;
    failing = n;
}

#if !SANITIZED_FRAMES

static int allocation_refused(void)
{
    if (!failing)
        return 0;
    calls = calls + 1;
    if (calls != failing && !(for_good && calls > failing))
        return 0;
    errno = ENOMEM;
    return 1;
}

#include "tests/malloc-in-front.h"

#endif

/* ---- Operations ----------------------------------------------------------------------------- */

static uint8_t *key_data;
static size_t key_length;
static const char message[] = "The quick brown fox jumps over the lazy dog";

/* Of an operation; in a child, so nobody else's. */
static struct {
    limbic_key_t key, other;
    limbic_stream_t stream;
    unsigned char signature[512];
    size_t length;
    char *text;
} w;

static gpg_error_t no_setup(void)
{
    return 0;
}

static gpg_error_t have_key(void)
{
    return limbic_key_import(&w.key, key_data, key_length, 0);
}

static struct limbic_params params_of(enum limbic_padding padding, enum limbic_hash hash)
{
    struct limbic_params params = LIMBIC_PARAMS_INIT;

    params.padding = padding;
    params.hash = hash;
    return params;
}

static gpg_error_t sign_with(enum limbic_padding padding, enum limbic_hash hash)
{
    struct limbic_params params = params_of(padding, hash);

    return limbic_sign(w.key, &params, message, sizeof message, w.signature, sizeof w.signature,
                       &w.length);
}

static gpg_error_t verify_with(enum limbic_padding padding, enum limbic_hash hash)
{
    struct limbic_params params = params_of(padding, hash);

    return limbic_verify(w.key, &params, message, sizeof message, w.signature, w.length);
}

static int signature_is_good(void)
{
    return verify_with(LIMBIC_PADDING_PKCS1, LIMBIC_HASH_SHA256) == 0;
}

static int always_good(void)
{
    return 1;
}

static gpg_error_t do_init(void)
{
    return limbic_init(0);
}

static int key_is_good(void)
{
    return !sign_with(LIMBIC_PADDING_PKCS1, LIMBIC_HASH_SHA256) && signature_is_good();
}

static gpg_error_t do_generate(void)
{
    struct limbic_generate options = LIMBIC_GENERATE_INIT;

    options.allow_weak = 1;
    return limbic_key_generate(&w.key, "rsa:1024", &options);
}

static gpg_error_t do_public(void)
{
    return limbic_key_public(w.key, &w.other);
}

static gpg_error_t do_check(void)
{
    return limbic_key_check(w.key);
}

static gpg_error_t do_export(void)
{
    static unsigned char text[8192];
    size_t length;

    return limbic_key_export(w.key, LIMBIC_FORMAT_PKCS8, LIMBIC_EXPORT_PEM, text, sizeof text,
                             &length);
}

/* A file with the key under a passphrase, by scrypt. */
static unsigned char sealed[8192];
static size_t sealed_length;

static gpg_error_t seal(enum limbic_kdf kdf)
{
    struct limbic_protection how = LIMBIC_PROTECTION_INIT;

    how.kdf = kdf;
    how.iterations = 1000;
    how.scrypt_n = 1024;
    how.scrypt_p = 1;
    return limbic_key_export_encrypted(w.key, LIMBIC_EXPORT_PEM, "limbic", 6, &how, sealed,
                                       sizeof sealed, &sealed_length);
}

/* Once encrypted: libgcrypt tests a cipher at its first use, and a test that lacked memory then has
   failed for good. */
static gpg_error_t have_sealed_key(void)
{
    gpg_error_t err = have_key();

    return err ? err : seal(LIMBIC_KDF_SCRYPT);
}

static gpg_error_t have_sealed(void)
{
    gpg_error_t err = have_sealed_key();

    limbic_key_free(w.key);
    w.key = NULL;
    return err;
}

static gpg_error_t do_import_encrypted(void)
{
    return limbic_key_import_encrypted(&w.key, sealed, sealed_length, "limbic", 6, 0);
}

static gpg_error_t do_export_encrypted(void)
{
    return seal(LIMBIC_KDF_PBKDF2);
}

static gpg_error_t do_sign(void)
{
    return sign_with(LIMBIC_PADDING_PKCS1, LIMBIC_HASH_SHA256);
}

static gpg_error_t do_sign_pss(void)
{
    return sign_with(LIMBIC_PADDING_PSS, LIMBIC_HASH_SHA512);
}

static int pss_is_good(void)
{
    return verify_with(LIMBIC_PADDING_PSS, LIMBIC_HASH_SHA512) == 0;
}

/* SHAKE: libgcrypt allocates a context. */
static gpg_error_t do_sign_shake(void)
{
    return sign_with(LIMBIC_PADDING_PSS, LIMBIC_HASH_SHAKE256);
}

static int shake_is_good(void)
{
    return verify_with(LIMBIC_PADDING_PSS, LIMBIC_HASH_SHAKE256) == 0;
}

static gpg_error_t have_signature(void)
{
    gpg_error_t err = have_key();

    return err ? err : do_sign();
}

static gpg_error_t do_verify(void)
{
    return verify_with(LIMBIC_PADDING_PKCS1, LIMBIC_HASH_SHA256);
}

static gpg_error_t have_shake_signature(void)
{
    gpg_error_t err = have_key();

    return err ? err : do_sign_shake();
}

static gpg_error_t do_verify_shake(void)
{
    return verify_with(LIMBIC_PADDING_PSS, LIMBIC_HASH_SHAKE256);
}

static gpg_error_t do_stream(void)
{
    gpg_error_t err = limbic_stream_open(&w.stream, w.key, NULL);

    if (!err)
        err = limbic_stream_update(w.stream, message, 10);
    if (!err)
        err = limbic_stream_update(w.stream, message + 10, sizeof message - 10);
    if (!err)
        err = limbic_stream_sign(w.stream, w.signature, sizeof w.signature, &w.length);
    limbic_stream_close(w.stream);
    w.stream = NULL;
    return err;
}

static gpg_error_t do_report(void)
{
    return limbic_report(LIMBIC_REPORT_EXPLAIN, LIMBIC_REPORT_JSON, &w.text);
}

static gpg_error_t do_info(void)
{
    return limbic_report(LIMBIC_REPORT_INFO, 0, &w.text);
}

static int report_is_good(void)
{
    return w.text && w.text[strlen(w.text) - 1] == '\n';
}

static gpg_error_t do_selftest(void)
{
    return limbic_selftest(NULL, 0, NULL, NULL);
}

/* Without the module there is nothing to open, and nothing to fail. */
static int module_is_there(void)
{
    const char *directory = lb_module_directory();
    char path[4096];

    if (!directory)
        return 0;
    snprintf(path, sizeof path, "%s/limbic-provider-gmp.so", directory);
    return access(path, R_OK) == 0;
}

static gpg_error_t do_open_module(void)
{
    return module_is_there() ? limbic_reconfigure("only:gmp") : 0;
}

static const struct operation {
    const char *name;
    gpg_error_t (*setup)(void); /* before any call fails */
    gpg_error_t (*run)(void);
    int (*good)(void);
    unsigned long stride; /* of N: more than 1 where most calls are alike and take long */
} operations[] = {
    {"init", no_setup, do_init, always_good, 1},
    {"import", no_setup, have_key, key_is_good, 1},
    {"import, another", do_init, have_key, key_is_good, 1},
    {"generate", no_setup, do_generate, key_is_good, 7},
    {"public", have_key, do_public, always_good, 1},
    {"check", have_key, do_check, always_good, 1},
    {"export", have_key, do_export, always_good, 1},
    {"import, encrypted", have_sealed, do_import_encrypted, key_is_good, 1},
    {"export, encrypted", have_sealed_key, do_export_encrypted, always_good, 1},
    {"sign", have_key, do_sign, signature_is_good, 1},
    {"sign, PSS", have_key, do_sign_pss, pss_is_good, 1},
    {"sign, SHAKE", have_key, do_sign_shake, shake_is_good, 1},
    {"verify", have_signature, do_verify, always_good, 1},
    {"verify, SHAKE", have_shake_signature, do_verify_shake, always_good, 1},
    {"stream", have_key, do_stream, signature_is_good, 1},
    {"report, explain", no_setup, do_report, report_is_good, 1},
    {"report, info", no_setup, do_info, report_is_good, 1},
    {"selftest", no_setup, do_selftest, always_good, 7},
    {"open a module", do_init, do_open_module, always_good, 1},
    {"import, over GMP", do_open_module, have_key, key_is_good, 1},
    {"generate, over GMP", do_open_module, do_generate, key_is_good, 7},
};

static void let_go(void)
{
    limbic_key_free(w.key);
    limbic_key_free(w.other);
    limbic_free(w.text);
}

/* ---- One child ------------------------------------------------------------------------------ */

enum verdict { DONE, SURVIVED, REFUSED, WRONG_CODE, WRONG_RESULT, NOT_AGAIN, LEAK, NO_SETUP };

static const char *const verdict_text[] = {
    [DONE] = "done",
    [SURVIVED] = "right without the memory",
    [REFUSED] = "refused",
    [WRONG_CODE] = "an error other than GPG_ERR_ENOMEM",
    [WRONG_RESULT] = "a wrong result",
    [NOT_AGAIN] = "fails also when there is memory again",
    [LEAK] = "secret memory is lost",
    [NO_SETUP] = "fails before",
};

static enum verdict judge(const struct operation *operation, unsigned long n, int from_then_on)
{
    unsigned long made;
    gpg_error_t err;

    if (operation->setup())
        return NO_SETUP;
    arm(n, from_then_on);
    err = operation->run();
    made = calls;
    arm(0, 0);
    if (err && gpg_err_code(err) != GPG_ERR_ENOMEM) {
        fprintf(stderr, "# %s, call %lu: %s (%s)\n", operation->name, n, gpg_strerror(err),
                limbic_error_detail());
        return WRONG_CODE;
    }
    if (!err && !operation->good())
        return WRONG_RESULT;
    if (err && (operation->run() || !operation->good())) {
        fprintf(stderr, "# %s, call %lu: %s\n", operation->name, n, limbic_error_detail());
        return NOT_AGAIN;
    }
    let_go();
    struct lb_arena_stats stats;
    lb_arena_stats(&stats);
    if (stats.allocations)
        return LEAK;
    return err ? REFUSED : made < n ? DONE : SURVIVED;
}

static enum verdict in_child(const struct operation *operation, unsigned long n, int from_then_on)
{
    int status = -1;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(20);
        _exit((int)judge(operation, n, from_then_on));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > NO_SETUP)
        fail_msg("%s: call %lu: the child ended with status 0x%x", operation->name, n,
                 (unsigned)status);
    return (enum verdict)WEXITSTATUS(status);
}

static void fail_each(const struct operation *operation, int from_then_on)
{
    unsigned count[NO_SETUP + 1] = {0};
    unsigned long n = 0, last = 0, stride = operation->stride * (from_then_on ? 5 : 1);
    enum verdict verdict;

    do {
        last = n;
        n += n < 20 ? 1 : stride;
        verdict = in_child(operation, n, from_then_on);
        count[verdict]++;
        if (verdict > REFUSED)
            fail_msg("%s: call %lu: %s", operation->name, n, verdict_text[verdict]);
    } while (verdict != DONE);
    print_message("%s: at least %lu allocations; %u failures refused, %u done without\n",
                  operation->name, last, count[REFUSED], count[SURVIVED]);
}

static void test_each_allocation(void **state)
{
    (void)state;
    if (SANITIZED_FRAMES)
        skip();
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        fail_each(&operations[i], 0);
}

static void test_from_each_on(void **state)
{
    (void)state;
    if (SANITIZED_FRAMES)
        skip();
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        fail_each(&operations[i], 1);
}

/* ---- An address space that is full ---------------------------------------------------------- */

/* Keys until there is no more memory for one; those that there are go on working. */
static int fill_up(void)
{
    enum { MAX = 20000 };
    static limbic_key_t keys[MAX];
    struct rlimit limit = {64u << 20, 64u << 20};
    gpg_error_t err = 0;
    size_t count = 0;

    if (limbic_init(0) || have_key() || setrlimit(RLIMIT_AS, &limit))
        return 1;
    while (count < MAX && !(err = limbic_key_import(&keys[count], key_data, key_length, 0)))
        count++;
    if (gpg_err_code(err) != GPG_ERR_ENOMEM || count == 0)
        return 2;
    for (size_t i = 0; i < count; i += count / 4 + 1) {
        w.length = sizeof w.signature;
        if (limbic_sign(keys[i], NULL, message, sizeof message, w.signature, sizeof w.signature,
                        &w.length) ||
            limbic_verify(w.key, NULL, message, sizeof message, w.signature, w.length))
            return 3;
    }
    while (count > 0)
        limbic_key_free(keys[--count]);
    return key_is_good() ? 0 : 4;
}

/* In a process of its own, whose memory is limited. */
static void in_little_memory(int (*body)(void))
{
    int status = -1;
    pid_t pid;

    if (SANITIZED_FRAMES)
        skip();
    pid = fork();
    if (pid == 0) {
        alarm(20);
        _exit(body());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_full(void **state)
{
    (void)state;
    in_little_memory(fill_up);
}

/* ---- Lengths that promise much ---------------------------------------------------------------- */

/* Files whose lengths promise gigabytes are refused for what they are, where there is no more than
   another MiB of memory. */
static int refuse_hostile(void)
{
    static const struct {
        const char *name;
        gpg_err_code_t code;
    } files[] = {{"files/len-7fffffff.der", GPG_ERR_INV_LENGTH},
                 {"files/int-huge-len.der", GPG_ERR_INV_LENGTH},
                 {"files/indefinite.der", GPG_ERR_NOT_DER_ENCODED},
                 {"files/enc-iter-2e31.pem", GPG_ERR_TOO_LARGE}};
    uint8_t *data[sizeof files / sizeof *files];
    size_t length[sizeof files / sizeof *files];
    struct rlimit limit;
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        data[i] = data_read(files[i].name, &length[i]);
    if (limbic_init(0) || have_key())
        return 1;
    if (!f || fscanf(f, "%lu", &pages) != 1)
        return 0; /* no such file: cannot be told */
    limit.rlim_cur = limit.rlim_max = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (1u << 20);
    if (setrlimit(RLIMIT_AS, &limit))
        return 2;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        limbic_key_t key;

        if (gpg_err_code(limbic_key_import_encrypted(&key, data[i], length[i], "limbic", 6, 0)) !=
            files[i].code)
            return 3 + (int)i;
    }
    return key_is_good() ? 0 : 10;
}

static void test_hostile_lengths(void **state)
{
    (void)state;
    in_little_memory(refuse_hostile);
}

/* ---- Stack ---------------------------------------------------------------------------------- */

#define STACK ((size_t)128 * 1024)
#define FILLING 0x5a

struct job {
    int (*body)(void);
    int result;
};

static void *run_job(void *argument)
{
    struct job *job = argument;

    job->result = job->body();
    return NULL;
}

/* Runs body on a thread with that stack, between guard pages; prints what it took. */
static void on_stack(const char *name, size_t size, int (*body)(void))
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), used;
    struct job job = {body, -1};
    pthread_attr_t attributes;
    pthread_t thread;
    unsigned char *map = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *stack = map + page;

    assert_ptr_not_equal(map, MAP_FAILED);
    assert_int_equal(mprotect(stack, size, PROT_READ | PROT_WRITE), 0);
    memset(stack, FILLING, size);
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, size), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run_job, &job), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    used = size;
    while (used > 0 && stack[size - used] == FILLING)
        used--;
    print_message("%s: %zu octets of stack\n", name, used);
    munmap(map, size + 2 * page);
    assert_int_equal(job.result, 0);
}

/* A sanitizer's frames are larger. */
static size_t small_stack(void)
{
    return SANITIZED_FRAMES ? 16 * STACK : STACK;
}

/* p and q are known primes of 8192 bits, those of RFC 7919's ffdhe8192 and RFC 3526's group 18: two
   such of one's own take minutes to find. */
static limbic_key_t large;

static int import_large(void)
{
    size_t length = 0;
    uint8_t *data = data_read("keys/rsa-16384.pem", &length);
    gpg_error_t err = limbic_key_import(&large, data, length, 0);

    free(data);
    return err != 0;
}

static int sign_large(void)
{
    static unsigned char signature[LB_RSA_MAX_BYTES];
    struct limbic_params params = params_of(LIMBIC_PADDING_PSS, LIMBIC_HASH_SHA512);
    size_t length;

    params.salt_len = LIMBIC_SALT_MAX;
    if (limbic_sign(large, &params, message, sizeof message, signature, sizeof signature, &length))
        return 1;
    if (limbic_verify(large, &params, message, sizeof message, signature, length))
        return 2;
    params = params_of(LIMBIC_PADDING_PKCS1, LIMBIC_HASH_SHA256);
    return limbic_verify(large, &params, message, sizeof message, signature, length) == 0;
}

/* The way that computes most: everything again, by the portable rows, with another
   blinding pair. */
static int sign_spoilt(void)
{
    static unsigned char signature[LB_RSA_MAX_BYTES];
    size_t length;
    gpg_error_t err;

    large->rsa->part[LB_RSA_DP].limb[0] ^= 2;
    err = limbic_sign(large, NULL, message, sizeof message, signature, sizeof signature, &length);
    large->rsa->part[LB_RSA_DP].limb[0] ^= 2;
    return gpg_err_code(err) != GPG_ERR_BAD_SECKEY;
}

static void test_large_key(void **state)
{
    (void)state;
    on_stack("RSA-16384, import", small_stack(), import_large);
    on_stack("RSA-16384, PSS signature and verification", small_stack(), sign_large);
    on_stack("RSA-16384, with a spoilt key", small_stack(), sign_spoilt);
    /* GMP has large temporaries of its own on the stack. */
    if (module_is_there()) {
        assert_int_equal(limbic_reconfigure("only:gmp"), 0);
        on_stack("RSA-16384, over GMP", small_stack(), sign_large);
        assert_int_equal(limbic_reconfigure(NULL), 0);
    }
    limbic_key_free(large);
}

static int generate(void)
{
    limbic_key_t key;
    gpg_error_t err = limbic_key_generate(&key, SANITIZED_FRAMES ? "rsa:2048" : "rsa:4096", NULL);

    if (!err)
        limbic_key_free(key);
    return err != 0;
}

static void test_generation(void **state)
{
    (void)state;
    on_stack(SANITIZED_FRAMES ? "key generation, RSA-2048" : "key generation, RSA-4096",
             small_stack(), generate);
}

static int full_check(void)
{
    limbic_key_t key;
    gpg_error_t err = limbic_key_import(&key, key_data, key_length, 0);

    if (!err)
        err = limbic_key_check(key);
    if (!err)
        limbic_key_free(key);
    return err != 0;
}

static void test_check(void **state)
{
    (void)state;
    on_stack("import and check, RSA-2048", small_stack(), full_check);
}

static int setup(void **state)
{
    (void)state;
    if (!gcry_check_version(NULL))
        return -1;
    key_data = data_read("rsa/ok-2048.pem", &key_length);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(key_data);
    return 0;
}

int main(void)
{
    /* Children first: this process has not used the library before. */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_allocation),
        cmocka_unit_test(test_from_each_on),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_hostile_lengths),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_generation),
        cmocka_unit_test(test_large_key),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
