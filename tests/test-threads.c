/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-threads.c - many threads at once, from the very first call on, and many processes from one
 * parent.
 *
 * Threads and children do not assert: they record what they saw, and the test looks at it.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* syscall */
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limbic.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8
#define ROUNDS 6
#define CHILDREN 16
#define FIRST_USES 200

#define KEY_SPEC "rsa:2048"
#define SIGNATURE 256

static const char message[] = "The quick brown fox jumps over the lazy dog";

/* The private key in PKCS#8, and what PKCS#1 v1.5 makes of the message with it. */
static unsigned char key_data[4096];
static size_t key_length;
static unsigned char expected[SIGNATURE];

static struct limbic_params params_for(enum limbic_padding padding)
{
    struct limbic_params params = LIMBIC_PARAMS_INIT;

    params.padding = padding;
    return params;
}

static gpg_error_t sign(limbic_key_t key, enum limbic_padding padding,
                        unsigned char signature[SIGNATURE])
{
    struct limbic_params params = params_for(padding);
    size_t length;

    return limbic_sign(key, &params, message, sizeof message, signature, SIGNATURE, &length);
}

static gpg_error_t verify(limbic_key_t key, enum limbic_padding padding,
                          const unsigned char signature[SIGNATURE])
{
    struct limbic_params params = params_for(padding);

    return limbic_verify(key, &params, message, sizeof message, signature, SIGNATURE);
}

/* ---- Processes ----------------------------------------------------------------------------- */

static int write_all(int descriptor, const unsigned char *octets, size_t length)
{
    while (length) {
        ssize_t n = write(descriptor, octets, length);

        if (n <= 0)
            return -1;
        octets += n;
        length -= (size_t)n;
    }
    return 0;
}

/* Up to `size` octets, until the other side closes. */
static size_t read_all(int descriptor, unsigned char *octets, size_t size)
{
    size_t used = 0;
    ssize_t n;

    while (used < size && (n = read(descriptor, octets + used, size - used)) > 0)
        used += (size_t)n;
    return used;
}

/* Runs body(argument, pipe) in a child, whose exit status is what it returns. Returns the end of
   the pipe to read from, or -1. */
static int start_child(pid_t *pid, int (*body)(void *, int), void *argument)
{
    int ends[2];

    if (pipe(ends))
        return -1;
    *pid = fork();
    if (*pid == 0) {
        close(ends[0]);
        _exit(body(argument, ends[1]));
    }
    close(ends[1]);
    if (*pid > 0)
        return ends[0];
    close(ends[0]);
    return -1;
}

static int ended_well(pid_t pid)
{
    int status;

    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The signature, then the key: so the parent has both without having called the library. */
static int make_key(void *unused, int out)
{
    unsigned char signature[SIGNATURE];
    limbic_key_t key;
    gpg_error_t error = limbic_key_generate(&key, KEY_SPEC, NULL);

    (void)unused;
    if (!error)
        error = sign(key, LIMBIC_PADDING_PKCS1, signature);
    if (!error)
        error =
            limbic_key_export(key, LIMBIC_FORMAT_PKCS8, 0, key_data, sizeof key_data, &key_length);
    if (error) {
        fprintf(stderr, "making a key: %s (%s)\n", gpg_strerror(error), limbic_error_detail());
        return 1;
    }
    limbic_key_free(key);
    return write_all(out, signature, sizeof signature) || write_all(out, key_data, key_length);
}

static int setup(void **state)
{
    pid_t pid;
    int in = start_child(&pid, make_key, NULL);

    (void)state;
    if (in < 0)
        return -1;
    if (read_all(in, expected, sizeof expected) != sizeof expected)
        return -1;
    key_length = read_all(in, key_data, sizeof key_data);
    close(in);
    return ended_well(pid) && key_length ? 0 : -1;
}

/* ---- Threads ------------------------------------------------------------------------------- */

struct thread {
    pthread_t id;
    unsigned number;
    limbic_key_t key;    /* shared, or NULL: then the thread imports its own */
    const char *failure; /* what went wrong first */
    gpg_error_t error;
    unsigned char pss[ROUNDS][SIGNATURE];
};

static pthread_barrier_t barrier;
static struct thread threads[THREADS];

static int note(struct thread *thread, gpg_error_t error, const char *failure)
{
    if (error && !thread->failure) {
        thread->failure = failure;
        thread->error = error;
    }
    return error == 0;
}

/* Every other thread starts with the other padding. */
static void use_key(struct thread *thread, limbic_key_t key, unsigned round)
{
    unsigned char signature[SIGNATURE];
    int pss_first = (thread->number + round) & 1;

    if (pss_first)
        note(thread, sign(key, LIMBIC_PADDING_PSS, thread->pss[round]), "sign, PSS");
    if (note(thread, sign(key, LIMBIC_PADDING_PKCS1, signature), "sign, PKCS#1") &&
        memcmp(signature, expected, SIGNATURE))
        note(thread, gpg_error(GPG_ERR_GENERAL), "compare, PKCS#1");
    note(thread, verify(key, LIMBIC_PADDING_PKCS1, expected), "verify, PKCS#1");
    if (!pss_first)
        note(thread, sign(key, LIMBIC_PADDING_PSS, thread->pss[round]), "sign, PSS");
    note(thread, verify(key, LIMBIC_PADDING_PSS, thread->pss[round]), "verify, PSS");
    signature[SIGNATURE / 2] ^= 0x10;
    if (gpg_err_code(verify(key, LIMBIC_PADDING_PKCS1, signature)) != GPG_ERR_BAD_SIGNATURE)
        note(thread, gpg_error(GPG_ERR_GENERAL), "refuse");
}

static void *run_thread(void *opaque)
{
    struct thread *thread = opaque;
    limbic_key_t key = thread->key, public_key;

    pthread_barrier_wait(&barrier);
    if (key)
        limbic_key_ref(key);
    else if (!note(thread, limbic_key_import(&key, key_data, key_length, 0), "import"))
        return NULL;
    for (unsigned round = 0; round < ROUNDS; round++)
        use_key(thread, key, round);
    if (note(thread, limbic_key_public(key, &public_key), "public half")) {
        note(thread, verify(public_key, LIMBIC_PADDING_PKCS1, expected), "verify, public key");
        limbic_key_free(public_key);
    }
    limbic_key_free(key);
    return NULL;
}

static void assert_all_different(void)
{
    for (size_t a = 0; a < THREADS * ROUNDS; a++)
        for (size_t b = 0; b < a; b++)
            assert_memory_not_equal(threads[a / ROUNDS].pss[a % ROUNDS],
                                    threads[b / ROUNDS].pss[b % ROUNDS], SIGNATURE);
}

static void run_threads(limbic_key_t key)
{
    memset(threads, 0, sizeof threads);
    assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i].number = i;
        threads[i].key = key;
        assert_int_equal(pthread_create(&threads[i].id, NULL, run_thread, &threads[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i].id, NULL), 0);
    pthread_barrier_destroy(&barrier);
    for (unsigned i = 0; i < THREADS; i++)
        if (threads[i].failure)
            fail_msg("thread %u: %s: %s", i, threads[i].failure, gpg_strerror(threads[i].error));
    assert_all_different();
}

/* The first call of the library in this process is made by all threads at the same moment. */
static void first_use_by_threads(void **state)
{
    (void)state;
    run_threads(NULL);
}

static void *import_once(void *opaque)
{
    struct thread *thread = opaque;
    limbic_key_t key;

    pthread_barrier_wait(&barrier);
    if (note(thread, limbic_key_import(&key, key_data, key_length, 0), "import"))
        limbic_key_free(key);
    return NULL;
}

/* The threads of a process that has not called the library yet, all importing a key. */
static int import_in_threads(void *unused, int out)
{
    (void)unused;
    (void)out;
    if (pthread_barrier_init(&barrier, NULL, THREADS))
        return 1;
    for (unsigned i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i].id, NULL, import_once, &threads[i]))
            return 1;
    for (unsigned i = 0; i < THREADS; i++)
        if (pthread_join(threads[i].id, NULL) || threads[i].failure)
            return 1;
    return 0;
}

/* Initialisation, the library's and that of what it stands on, is a race that only shows now and
   then: hence many processes. This one has not called the library either. */
static void first_use_in_many_processes(void **state)
{
    (void)state;
    for (int i = 0; i < FIRST_USES; i++) {
        pid_t pid;
        int in = start_child(&pid, import_in_threads, NULL);

        assert_true(in >= 0);
        close(in);
        assert_true(ended_well(pid));
    }
}

/* ---- First calls of many kinds -------------------------------------------------------------- */

#define MANY 64

static gpg_error_t call_import(void)
{
    limbic_key_t key;
    gpg_error_t err = limbic_key_import(&key, key_data, key_length, 0);

    if (!err)
        limbic_key_free(key);
    return err;
}

static gpg_error_t call_sign(enum limbic_hash hash, enum limbic_padding padding)
{
    struct limbic_params params = params_for(padding);
    unsigned char signature[SIGNATURE];
    size_t length;
    limbic_key_t key;
    gpg_error_t err = limbic_key_import(&key, key_data, key_length, 0);

    if (err)
        return err;
    params.hash = hash;
    err = limbic_sign(key, &params, message, sizeof message, signature, SIGNATURE, &length);
    if (!err)
        err = limbic_verify(key, &params, message, sizeof message, signature, SIGNATURE);
    limbic_key_free(key);
    return err;
}

static gpg_error_t call_report(enum limbic_report_kind what)
{
    char *text;
    gpg_error_t err = limbic_report(what, 0, &text);

    if (!err)
        limbic_free(text);
    return err;
}

static gpg_error_t first_call(unsigned number)
{
    switch (number % 12) {
    case 0:
        return limbic_init(0);
    case 1:
        return call_sign(LIMBIC_HASH_SHA1, LIMBIC_PADDING_PKCS1);
    case 2:
        return call_sign(LIMBIC_HASH_SHA384, LIMBIC_PADDING_PSS);
    case 3:
        return call_sign(LIMBIC_HASH_SHA3_256, LIMBIC_PADDING_PKCS1);
    case 4:
        return call_sign(LIMBIC_HASH_SHAKE128, LIMBIC_PADDING_PSS);
    case 5:
        return call_report(LIMBIC_REPORT_LIST);
    case 6:
        return call_report(LIMBIC_REPORT_INFO);
    case 7:
        return call_report(LIMBIC_REPORT_EXPLAIN);
    case 8:
        return limbic_reconfigure("derived,portable");
    case 9:
        return call_sign(LIMBIC_HASH_SHA512_256, LIMBIC_PADDING_PSS);
    case 10:
        return limbic_warning() ? GPG_ERR_GENERAL : 0;
    default:
        return call_import();
    }
}

static struct many {
    pthread_t id;
    unsigned number;
    gpg_error_t error;
} many[MANY];

static void *call_first(void *opaque)
{
    struct many *one = opaque;

    pthread_barrier_wait(&barrier);
    one->error = first_call(one->number);
    return NULL;
}

static int call_in_threads(void *unused, int out)
{
    int wrong = 0;

    (void)unused;
    (void)out;
    if (pthread_barrier_init(&barrier, NULL, MANY))
        return 1;
    for (unsigned i = 0; i < MANY; i++) {
        many[i].number = i;
        if (pthread_create(&many[i].id, NULL, call_first, &many[i]))
            return 1;
    }
    for (unsigned i = 0; i < MANY; i++)
        if (pthread_join(many[i].id, NULL) || many[i].error) {
            fprintf(stderr, "first call %u: %s\n", i % 12, gpg_strerror(many[i].error));
            wrong = 1;
        }
    return wrong;
}

/* 64 threads whose first calls, at the same moment, are of many kinds. */
static void first_calls_of_many_kinds(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        pid_t pid;
        int in = start_child(&pid, call_in_threads, NULL);

        assert_true(in >= 0);
        close(in);
        assert_true(ended_well(pid));
    }
}

static limbic_key_t import_key(void)
{
    limbic_key_t key;

    assert_int_equal(limbic_key_import(&key, key_data, key_length, 0), 0);
    return key;
}

static void one_key_for_all_threads(void **state)
{
    limbic_key_t key = import_key();

    (void)state;
    run_threads(key);
    limbic_key_free(key);
}

/* Has an error of its own; returns "" if it began with none and has one now. */
static void *fail_elsewhere(void *key)
{
    static char clean[] = "", found[] = "a new thread begins with an error",
                none[] = "an error has no detail";
    unsigned char signature[SIGNATURE] = {0};

    if (*limbic_error_detail())
        return found;
    if (!verify(key, LIMBIC_PADDING_PKCS1, signature) || !*limbic_error_detail())
        return none;
    return clean;
}

static void errors_belong_to_their_thread(void **state)
{
    limbic_key_t key = import_key(), none;
    pthread_t id;
    void *complaint;
    char detail[256];

    (void)state;
    assert_int_equal(gpg_err_code(limbic_key_import(&none, "", 0, 0)), GPG_ERR_NO_DATA);
    snprintf(detail, sizeof detail, "%s", limbic_error_detail());
    assert_string_not_equal(detail, "");
    assert_int_equal(pthread_create(&id, NULL, fail_elsewhere, key), 0);
    assert_int_equal(pthread_join(id, &complaint), 0);
    assert_string_equal(complaint, "");
    assert_string_equal(limbic_error_detail(), detail);
    limbic_key_free(key);
}

/* ---- Fork ---------------------------------------------------------------------------------- */

static int sign_in_child(void *key, int out)
{
    unsigned char signatures[2][SIGNATURE];

    if (sign(key, LIMBIC_PADDING_PSS, signatures[0]) ||
        sign(key, LIMBIC_PADDING_PSS, signatures[1]))
        return 1;
    limbic_key_free(key);
    return write_all(out, signatures[0], sizeof signatures) != 0;
}

/* A child of a child that has gone, as daemons have it. */
static int sign_in_grandchild(void *key, int out)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(sign_in_child(key, out));
    return pid < 0;
}

/* What CHILDREN children of this process sign, one after the other in `signatures`, two each. */
static void collect(limbic_key_t key, int (*body)(void *, int),
                    unsigned char signatures[][SIGNATURE])
{
    pid_t pids[CHILDREN];
    int in[CHILDREN];

    for (size_t i = 0; i < CHILDREN; i++) {
        in[i] = start_child(&pids[i], body, key);
        assert_true(in[i] >= 0);
    }
    for (size_t i = 0; i < CHILDREN; i++) {
        assert_int_equal(read_all(in[i], signatures[2 * i], 2 * SIGNATURE), 2 * SIGNATURE);
        close(in[i]);
        assert_true(ended_well(pids[i]));
    }
}

static void children_sign_differently(int (*body)(void *, int))
{
    static unsigned char signatures[2 * CHILDREN + 2][SIGNATURE];
    limbic_key_t key = import_key();

    /* Blinding values and random generators are in use when the children are made. */
    assert_int_equal(sign(key, LIMBIC_PADDING_PSS, signatures[2 * CHILDREN]), 0);
    collect(key, body, signatures);
    assert_int_equal(sign(key, LIMBIC_PADDING_PSS, signatures[2 * CHILDREN + 1]), 0);
    for (size_t a = 0; a < 2 * CHILDREN + 2; a++) {
        assert_int_equal(verify(key, LIMBIC_PADDING_PSS, signatures[a]), 0);
        for (size_t b = 0; b < a; b++)
            assert_memory_not_equal(signatures[a], signatures[b], SIGNATURE);
    }
    limbic_key_free(key);
}

static void children_of_one_parent(void **state)
{
    (void)state;
    children_sign_differently(sign_in_child);
}

static void children_of_dead_parents(void **state)
{
    (void)state;
    children_sign_differently(sign_in_grandchild);
}

#if defined SYS_clone && (defined __x86_64__ || defined __i386__ || defined __aarch64__)
/* A copy of the process that no handler of fork() has heard of, as made by those who call the system
   themselves; it has the parent's idea of its process number, should anybody have kept that.
   (Elsewhere the call has its arguments in another order.) */
static void children_by_clone(void **state)
{
    static unsigned char signatures[2 * CHILDREN + 1][SIGNATURE];
    limbic_key_t key = import_key();

    (void)state;
    assert_int_equal(sign(key, LIMBIC_PADDING_PSS, signatures[2 * CHILDREN]), 0);
    for (size_t i = 0; i < CHILDREN; i++) {
        int ends[2];
        long pid;

        assert_int_equal(pipe(ends), 0);
        pid = syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
        if (pid == 0)
            _exit(sign_in_child(key, ends[1]));
        assert_true(pid > 0);
        close(ends[1]);
        assert_int_equal(read_all(ends[0], signatures[2 * i], 2 * SIGNATURE), 2 * SIGNATURE);
        close(ends[0]);
        assert_true(ended_well((pid_t)pid));
    }
    for (size_t a = 0; a <= 2 * CHILDREN; a++)
        for (size_t b = 0; b < a; b++)
            assert_memory_not_equal(signatures[a], signatures[b], SIGNATURE);
    limbic_key_free(key);
}
#endif

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_use_in_many_processes),
        cmocka_unit_test(first_calls_of_many_kinds),
        cmocka_unit_test(first_use_by_threads),
        cmocka_unit_test(one_key_for_all_threads),
        cmocka_unit_test(errors_belong_to_their_thread),
        cmocka_unit_test(children_of_one_parent),
        cmocka_unit_test(children_of_dead_parents),
#if defined SYS_clone && (defined __x86_64__ || defined __i386__ || defined __aarch64__)
        cmocka_unit_test(children_by_clone),
#endif
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
