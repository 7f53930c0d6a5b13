/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of limbic_configure and limbic_reconfigure: when words count and when they do not, which
 * kernels then serve which calls, that keys stay ready and faults stay known, that words which
 * cannot be used change nothing, and that threads which sign meanwhile never notice.
 *
 * The key and its signatures are made first by portable alone; PKCS#1 v1.5 gives the same octets
 * under every choice of kernels.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dispatch/cpu.h"
#include "dispatch/plan.h"
#include "limbic.h"
#include "tests/data.h"
#include "tests/fake-provider.h"
#include "tests/sanitizers.h"

#if defined __GLIBC__ && defined __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define HEAP_IN_USE() (mallinfo2().uordblks)
#endif
#endif

#define SIGNATURE 256
#define THREADS 16

static const char message[] = "The quick brown fox jumps over the lazy dog";

static uint8_t *key_data;
static size_t key_length;
static unsigned char expected[SIGNATURE];

/* Begins anew, the variable having these words. */
static void begin(const char *words)
{
    lb_test_reset(words);
    lb_test_cpu_has(~(uint64_t)0);
    fake_providers_reset();
    lb_test_register(&fake_a.provider);
    lb_test_register(&fake_b.provider);
}

static limbic_key_t import(void)
{
    limbic_key_t key = NULL;

    assert_int_equal(limbic_key_import(&key, key_data, key_length, 0), 0);
    return key;
}

static gpg_error_t sign(limbic_key_t key, unsigned char signature[SIGNATURE])
{
    size_t length;

    return limbic_sign(key, NULL, message, sizeof message, signature, SIGNATURE, &length);
}

static void signs(limbic_key_t key)
{
    unsigned char signature[SIGNATURE];

    fake_hits_reset();
    assert_int_equal(sign(key, signature), 0);
    assert_memory_equal(signature, expected, SIGNATURE);
    assert_int_equal(limbic_verify(key, NULL, message, sizeof message, signature, SIGNATURE), 0);
}

static int group_setup(void **state)
{
    limbic_key_t key;

    (void)state;
    key_data = data_read("rsa/ok-2048.pem", &key_length);
    begin("only:portable");
    key = import();
    if (sign(key, expected))
        return -1;
    limbic_key_free(key);
    return 0;
}

static int group_teardown(void **state)
{
    (void)state;
    free(key_data);
    lb_test_reset("");
    lb_test_cpu(NULL);
    return 0;
}

static int setup(void **state)
{
    (void)state;
    begin("");
    return 0;
}

static const char *server(enum limbic_slot slot, size_t bits)
{
    const struct lb_registry *registry = lb_registry();
    gpg_error_t err;
    const struct lb_plan *plan = lb_plan_current(&err);
    unsigned family;

    if (!plan)
        return "nobody";
    family = lb_plan_row(plan, bits)->family[slot];
    return registry->provider[registry->tier[registry->family[family].tier].provider].name;
}

static bool info_has(const char *wanted)
{
    char *text;
    bool found;

    assert_int_equal(limbic_report(LIMBIC_REPORT_INFO, 0, &text), 0);
    found = strstr(text, wanted) != NULL;
    if (!found)
        print_error("no \"%s\" in:\n%s", wanted, text);
    limbic_free(text);
    return found;
}

static void refused(gpg_error_t err, gpg_err_code_t code, const char *detail)
{
    if (!strstr(limbic_error_detail(), detail))
        print_error("%s (%s)\n", gpg_strerror(err), limbic_error_detail());
    assert_int_equal(gpg_err_code(err), code);
    assert_non_null(strstr(limbic_error_detail(), detail));
}

/* ---- Before first use ----------------------------------------------------------------------- */

static void test_configure(void **state)
{
    (void)state;
    begin("fake_b -adx x=y");
    assert_int_equal(limbic_configure("fake_b"), 0);
    assert_int_equal(limbic_configure("fake_a"), 0); /* the last one counts */
    assert_string_equal(server(LIMBIC_SLOT_MUL, 2048), "fake_a");
    assert_true(info_has("words            fake_a\n"));
    assert_true(info_has("asked for by     the program\n"));
    assert_true(
        info_has("replaced         the variable LIMBIC, but for what only restricts: fake_b "
                 "-adx x=y\n"));
    assert_true(info_has("denied           adx (LIMBIC, word 2)\n"));
    assert_null(limbic_warning());
    refused(limbic_configure("fake_b"), GPG_ERR_INV_STATE, "limbic_reconfigure");
    refused(limbic_configure(NULL), GPG_ERR_INV_STATE, "in use");
    refused(limbic_configure("only:nosuch"), GPG_ERR_INV_STATE, "in use");
}

static void test_configure_nothing(void **state)
{
    const char *usual;

    (void)state;
    begin("fake_b");
    assert_int_equal(limbic_configure("fake_a"), 0);
    assert_int_equal(limbic_configure(NULL), 0);
    assert_string_equal(server(LIMBIC_SLOT_MUL, 2048), "fake_b");
    begin("");
    usual = server(LIMBIC_SLOT_MUL, 2048);
    begin("fake_b");
    assert_int_equal(limbic_configure(""), 0); /* no words are words too */
    assert_string_equal(server(LIMBIC_SLOT_MUL, 2048), usual);
}

static void test_configure_refused(void **state)
{
    char huge[LB_WORDS_MAX + 2];

    (void)state;
    begin("");
    memset(huge, 'a', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    assert_int_equal(limbic_configure("fake_a"), 0);
    refused(limbic_configure("only:nosuch"), GPG_ERR_NOT_FOUND,
            "the program's words: word 1, element 1, \"nosuch\"");
    refused(limbic_configure("-adx only:derived"), GPG_ERR_NOT_SUPPORTED,
            "the program's words: word 2: no provider that only: allows has level 1");
    refused(limbic_configure("-nosuch"), GPG_ERR_UNKNOWN_NAME, "-nosuch");
    refused(limbic_configure(huge), GPG_ERR_TOO_LARGE, "the program's words: more than 4096");
    lb_test_fail_allocations(1);
    refused(limbic_configure("fake_b"), GPG_ERR_ENOMEM, "memory");
    lb_test_fail_allocations(0);
    assert_string_equal(server(LIMBIC_SLOT_MUL, 2048), "fake_a");
    begin("-nosuch");
    refused(limbic_configure("fake_a"), GPG_ERR_UNKNOWN_NAME, "LIMBIC: word 1, \"-nosuch\"");
    begin("only:nosuch");
    assert_int_equal(limbic_configure("fake_a"), 0);
    assert_int_equal(limbic_init(0), 0);
}

/* ---- At any time ---------------------------------------------------------------------------- */

static void test_reconfigure(void **state)
{
    limbic_key_t key;

    (void)state;
    begin("fake_a");
    key = import();
    signs(key);
    assert_true(fake_a_hits.mont_mul > 0);
    assert_true(fake_a_hits.mul > 0);
    assert_int_equal(fake_b_hits.mont_mul, 0);
    assert_int_equal(limbic_reconfigure("fake_b"), 0);
    signs(key);
    assert_true(fake_b_hits.mont_mul > 0);
    assert_int_equal(fake_a_hits.mont_mul + fake_a_hits.mul + fake_a_hits.mont_pow, 0);
    assert_int_equal(limbic_reconfigure("portable mont_mul/2048=fake_b"), 0);
    signs(key); /* n has 2048 bits; p and q have not */
    assert_true(fake_b_hits.mont_mul > 0);
    assert_int_equal(fake_b_hits.mul + fake_a_hits.mont_mul, 0);
    assert_int_equal(limbic_reconfigure("portable mont_mul/4096=fake_b"), 0);
    signs(key);
    assert_int_equal(fake_b_hits.mont_mul, 0);
    assert_int_equal(limbic_reconfigure("only:portable"), 0);
    signs(key);
    assert_int_equal(fake_a_hits.mont_mul + fake_b_hits.mont_mul, 0);
    assert_true(info_has("replaced         the variable LIMBIC"));
    /* back to the words of first use */
    assert_int_equal(limbic_reconfigure(NULL), 0);
    signs(key);
    assert_true(fake_a_hits.mont_mul > 0);
    assert_true(info_has("asked for by     the variable LIMBIC\n"));
    limbic_key_free(key);
}

static void test_reconfigure_first(void **state)
{
    (void)state;
    begin("only:nosuch -adx");
    assert_int_equal(gpg_err_code(limbic_init(0)), GPG_ERR_NOT_FOUND);
    assert_int_equal(limbic_reconfigure("fake_a"), 0);
    assert_int_equal(limbic_init(0), 0);
    assert_true(info_has("denied           adx (LIMBIC, word 2)\n"));
    assert_int_equal(gpg_err_code(limbic_reconfigure(NULL)), GPG_ERR_NOT_FOUND);
    assert_string_equal(server(LIMBIC_SLOT_MUL, 2048), "fake_a");
}

static void test_refused(void **state)
{
    const struct lb_plan *plan;
    gpg_error_t err;

    (void)state;
    begin("fake_a");
    plan = lb_plan_current(&err);
    refused(limbic_reconfigure("only:nosuch"), GPG_ERR_NOT_FOUND, "\"nosuch\"");
    refused(limbic_reconfigure("only:derived"), GPG_ERR_NOT_SUPPORTED, "level 1");
    refused(limbic_reconfigure("-nosuch"), GPG_ERR_UNKNOWN_NAME, "-nosuch");
    refused(limbic_reconfigure("license=x"), GPG_ERR_UNKNOWN_NAME, "licence");
    lb_test_fail_allocations(1);
    refused(limbic_reconfigure("fake_b"), GPG_ERR_ENOMEM, "memory");
    assert_ptr_equal(lb_plan_current(&err), plan);
    assert_true(info_has("words            fake_a\n"));
    assert_null(limbic_warning());
    assert_int_equal(limbic_reconfigure("fake_b frobnicate"), 0);
    assert_non_null(strstr(limbic_warning(), "the program's words: word 2, \"frobnicate\""));
}

/* The same words give the same plan, so that going back and forth costs no memory. */
static void test_plans_are_kept(void **state)
{
    const struct lb_plan *a, *b;
    gpg_error_t err;

    (void)state;
    begin("");
    assert_int_equal(limbic_reconfigure("fake_a"), 0);
    a = lb_plan_current(&err);
    assert_int_equal(limbic_reconfigure("fake_b"), 0);
    b = lb_plan_current(&err);
    assert_ptr_not_equal(a, b);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(limbic_reconfigure("fake_a"), 0);
        assert_ptr_equal(lb_plan_current(&err), a);
        assert_int_equal(limbic_reconfigure("fake_b"), 0);
        assert_ptr_equal(lb_plan_current(&err), b);
    }
    assert_int_equal(lb_plan_generation(b), lb_plan_generation(a) + 1);
}

#ifdef HEAP_IN_USE
/* Different words that end in the same refusal, again and again. */
static void refused_often(const char *words, gpg_err_code_t code)
{
    size_t before = 0;

    for (int i = 0; i < 40; i++) {
        char text[256];

        snprintf(text, sizeof text, "%s%*s", words, i, "");
        assert_int_equal(gpg_err_code(limbic_reconfigure(text)), code);
        if (i == 0)
            before = HEAP_IN_USE();
    }
    assert_in_range(HEAP_IN_USE(), 0, before + 4096); /* a plan alone has more */
}

/* Nothing is kept for words that were refused, be it at once or after their self-tests. */
static void test_refusals_are_forgotten(void **state)
{
    const struct lb_plan *plan;
    unsigned generation;
    gpg_error_t err;

    (void)state;
    begin("fake_b");
    lb_dispatch_blame(LIMBIC_SLOT_MUL, lb_plan_row(lb_plan_current(&err), 2048), 2048, "a test");
    assert_int_equal(limbic_reconfigure("portable"), 0);
    plan = lb_plan_current(&err);
    generation = lb_plan_generation(plan);
    refused_often("only:nosuch", GPG_ERR_NOT_FOUND);
    refused_often("only:derived", GPG_ERR_NOT_SUPPORTED);
    refused_often("only:fake_b", GPG_ERR_SELFTEST_FAILED);
    assert_ptr_equal(lb_plan_current(&err), plan);
    assert_int_equal(limbic_reconfigure("fake_a"), 0);
    assert_int_equal(lb_plan_generation(lb_plan_current(&err)), generation + 1);
}
#endif

/* A size that keys have is tested before the new plan is published; others later. */
static void test_selftests(void **state)
{
    limbic_key_t key;

    (void)state;
    begin("fake_a");
    key = import();
    atomic_store(&fake_b_lies_above, 1024);
    assert_int_equal(limbic_reconfigure("fake_b"), 0);
    assert_string_equal(server(LIMBIC_SLOT_MONT_MUL, 2048), "derived");
    assert_string_equal(server(LIMBIC_SLOT_MONT_MUL, 1024), "fake_b");
    assert_string_equal(server(LIMBIC_SLOT_MONT_MUL, 4096), "fake_b"); /* nobody has used it */
    signs(key);
    assert_true(fake_b_hits.mont_mul > 0);
    /* a fault stays known, also when it is gone, and for other words */
    atomic_store(&fake_b_lies_above, 0);
    assert_int_equal(limbic_reconfigure("portable"), 0);
    assert_int_equal(limbic_reconfigure("only:fake_b"), 0);
    assert_string_equal(server(LIMBIC_SLOT_MONT_MUL, 2048), "derived");
    assert_int_equal(limbic_reconfigure(NULL), 0);
    signs(key);
    assert_true(fake_a_hits.mont_mul > 0);
    limbic_key_free(key);
}

/* What is blamed under one choice is out of use under all. */
static void test_blame(void **state)
{
    const struct lb_plan *plan;
    gpg_error_t err;

    (void)state;
    begin("fake_b");
    assert_int_equal(lb_dispatch_ready(2048), 0);
    plan = lb_plan_current(&err);
    assert_int_equal(limbic_reconfigure("fake_a"), 0);
    lb_dispatch_blame(LIMBIC_SLOT_MUL, lb_plan_row(plan, 2048), 2048, "a late blame");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 2048), "fake_a");
    assert_int_equal(limbic_reconfigure("fake_b"), 0);
    assert_string_equal(server(LIMBIC_SLOT_MUL, 2048), "portable");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 1024), "fake_b");
    assert_int_equal(limbic_reconfigure(NULL), 0);
    assert_string_equal(server(LIMBIC_SLOT_MUL, 2048), "portable");
}

static void test_fork(void **state)
{
    limbic_key_t key;
    int status;
    pid_t child;

    (void)state;
    begin("fake_a");
    key = import();
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        unsigned char signature[SIGNATURE];

        _exit(limbic_reconfigure("fake_b") || sign(key, signature) ||
              memcmp(signature, expected, SIGNATURE) || fake_b_hits.mont_mul == 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    signs(key);
    assert_true(fake_a_hits.mont_mul > 0);
    limbic_key_free(key);
}

/* ---- Threads -------------------------------------------------------------------------------- */

static atomic_bool stop;
static atomic_uint signatures, wrong;

static void *keep_signing(void *shared)
{
    limbic_key_t key = shared, own = NULL;
    unsigned char signature[SIGNATURE];

    for (unsigned round = 0; !atomic_load(&stop); round++) {
        if (round % 8 == 0) {
            limbic_key_free(own);
            if (limbic_key_import(&own, key_data, key_length, 0))
                atomic_fetch_add(&wrong, 1);
        }
        if (sign(round & 1 ? key : own, signature) || memcmp(signature, expected, SIGNATURE))
            atomic_fetch_add(&wrong, 1);
        atomic_fetch_add(&signatures, 1);
    }
    limbic_key_free(own);
    return NULL;
}

static void test_threads(void **state)
{
    static const char *const words[] = {"fake_a",
                                        "fake_b",
                                        "only:portable",
                                        "derived,fake_b mont_mul=fake_a/low",
                                        "-all fake_a",
                                        "only:nosuch",
                                        NULL};
    limbic_key_t key;
    pthread_t thread[THREADS];

    (void)state;
    begin("fake_b");
    key = import();
    atomic_store(&stop, false);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, keep_signing, key), 0);
    for (unsigned i = 0; i < 400 || atomic_load(&signatures) < 200; i++) {
        const char *now = words[i % (sizeof words / sizeof *words)];
        gpg_error_t err = limbic_reconfigure(now);

        if (now && strcmp(now, "only:nosuch") == 0)
            err = gpg_err_code(err) != GPG_ERR_NOT_FOUND;
        if (err)
            atomic_fetch_add(&wrong, 1);
        if (i == 200) /* a kernel falls out of use amid all this */
            atomic_store(&fake_b_lies_above, 1536);
        usleep(500);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(atomic_load(&wrong), 0);
    assert_true(fake_a_hits.mont_mul > 0 && fake_b_hits.mont_mul > 0);
    print_message("%u signatures\n", atomic_load(&signatures));
    atomic_store(&fake_b_lies_above, 0);
    assert_int_equal(limbic_reconfigure("only:fake_a"), 0);
    signs(key);
    assert_true(fake_a_hits.mont_mul > 0);
    limbic_key_free(key);
}

/* ---- The environment ------------------------------------------------------------------------ */

/* Replaces the value; glibc keeps old values, so that a reader finds one or the other. */
static void *keep_setting(void *unused)
{
    (void)unused;
    while (!atomic_load(&stop)) {
        setenv("LIMBIC", "only:portable", 1);
        setenv("LIMBIC", "derived,portable", 1);
    }
    return NULL;
}

/* The variable is read once: whatever it was then, it is from then on. ThreadSanitizer, rightly, has
   no use for getenv beside setenv. */
static void test_environment_once(void **state)
{
    (void)state;
#if SANITIZED_THREADS
    skip();
#endif
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        const struct lb_policy *policy;

        setenv("LIMBIC", "derived,portable", 1);
        begin(NULL);
        atomic_store(&stop, false);
        assert_int_equal(pthread_create(&thread, NULL, keep_setting, NULL), 0);
        assert_int_equal(limbic_init(0), 0);
        policy = lb_plan_policy(lb_plan_latest());
        assert_true(strcmp(policy->words, "only:portable") == 0 ||
                    strcmp(policy->words, "derived,portable") == 0);
        atomic_store(&stop, true);
        assert_int_equal(pthread_join(thread, NULL), 0);
        setenv("LIMBIC", "-nosuch", 1);
        assert_int_equal(limbic_reconfigure("fake_a"), 0);
        assert_int_equal(limbic_reconfigure(NULL), 0);
        unsetenv("LIMBIC");
        assert_true(policy == lb_plan_policy(lb_plan_latest()));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_configure, setup),
        cmocka_unit_test_setup(test_configure_nothing, setup),
        cmocka_unit_test_setup(test_configure_refused, setup),
        cmocka_unit_test_setup(test_reconfigure, setup),
        cmocka_unit_test_setup(test_reconfigure_first, setup),
        cmocka_unit_test_setup(test_refused, setup),
#ifdef HEAP_IN_USE
        cmocka_unit_test_setup(test_refusals_are_forgotten, setup),
#endif
        cmocka_unit_test_setup(test_plans_are_kept, setup),
        cmocka_unit_test_setup(test_selftests, setup),
        cmocka_unit_test_setup(test_blame, setup),
        cmocka_unit_test_setup(test_fork, setup),
        cmocka_unit_test_setup(test_threads, setup),
        cmocka_unit_test_setup(test_environment_once, setup),
    };

    return cmocka_run_group_tests_name("reconfigure", tests, group_setup, group_teardown);
}
