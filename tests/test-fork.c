/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forks at the moment of first use. Each case is a process of its own that has not called the
 * library yet: its threads do while it forks, and the child of that fork must find the library as if
 * it were the first to call. What children see is their exit status; a child that waits for a thread
 * which it does not have is ended by its alarm.
 *
 * Children allocate memory. The sanitizers' allocators of gcc 12 do not know of forks: a child may wait
 * in them for a lock that a thread of its parent held, so with those such cases are skipped.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/locks.h"
#include "dispatch/plan.h"
#include "limbic.h"
#include "tests/data.h"
#include "tests/sanitizers.h"

#define SIGNATURE 256
#define THREADS 8
#define FIRST_USES 80
#define PATIENCE 5 /* seconds until a child is taken for stuck */

static const char message[] = "The quick brown fox jumps over the lazy dog";

static uint8_t *key_data;
static size_t key_length;
static unsigned char expected[SIGNATURE];

static int sign(unsigned char signature[SIGNATURE])
{
    limbic_key_t key;
    size_t length;
    int failed = limbic_key_import(&key, key_data, key_length, 0) != 0;

    if (failed)
        return 1;
    failed = limbic_sign(key, NULL, message, sizeof message, signature, SIGNATURE, &length) != 0;
    limbic_key_free(key);
    return failed;
}

static int sign_well(void)
{
    unsigned char signature[SIGNATURE];

    return sign(signature) || memcmp(signature, expected, SIGNATURE);
}

static int status_of(pid_t child)
{
    int status;

    return waitpid(child, &status, 0) == child ? status : -1;
}

/* Made in a child, so that this process remains one that has not called the library. */
static int setup(void **state)
{
    int ends[2];
    pid_t child;

    (void)state;
    key_data = data_read("rsa/ok-2048.pem", &key_length);
    if (pipe(ends))
        return -1;
    child = fork();
    if (child == 0)
        _exit(sign(expected) || write(ends[1], expected, SIGNATURE) != SIGNATURE);
    if (read(ends[0], expected, SIGNATURE) != SIGNATURE || status_of(child))
        return -1;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(key_data);
    return 0;
}

static void wait_us(long us)
{
    struct timespec t = {.tv_nsec = us * 1000};

    nanosleep(&t, NULL);
}

/* ---- Anywhere in first use ------------------------------------------------------------------ */

static pthread_barrier_t barrier;
static atomic_bool wrong;

static int first_call(unsigned number)
{
    char *text;

    switch (number % 5) {
    case 0:
        return limbic_init(0) != 0;
    case 1:
        (void)limbic_configure("only:portable"); /* others may have been faster */
        return 0;
    case 2:
        return limbic_reconfigure("portable") != 0;
    case 3:
        if (limbic_report(LIMBIC_REPORT_LIST, 0, &text))
            return 1;
        limbic_free(text);
        return 0;
    default:
        return sign_well();
    }
}

static void *call_first(void *opaque)
{
    unsigned number = *(unsigned *)opaque;

    pthread_barrier_wait(&barrier);
    if (first_call(number))
        atomic_store(&wrong, true);
    return NULL;
}

/* A process with threads at first use, which forks `us` after they began. Without words of the
   threads' own, the program's must be the child's as well. */
static int fork_amid_first_use(const char *words, unsigned first, unsigned step, long us)
{
    pthread_t thread[THREADS];
    unsigned number[THREADS];
    pid_t child;
    int status;

    if (pthread_barrier_init(&barrier, NULL, THREADS + 1) || (words && limbic_configure(words)))
        return 1;
    for (unsigned i = 0; i < THREADS; i++) {
        number[i] = first + step * i;
        if (pthread_create(&thread[i], NULL, call_first, &number[i]))
            return 1;
    }
    pthread_barrier_wait(&barrier);
    wait_us(us);
    child = fork();
    if (child == 0) {
        alarm(PATIENCE);
        if (sign_well())
            _exit(1);
        _exit(words && lb_plan_policy(lb_plan_latest())->chain_policy != LB_CHAIN_ONLY);
    }
    status = status_of(child);
    for (unsigned i = 0; i < THREADS; i++)
        if (pthread_join(thread[i], NULL))
            return 1;
    return status != 0 || atomic_load(&wrong);
}

static void fork_often(const char *words, unsigned step)
{
    unsigned seed = 1;

    for (unsigned i = 0; i < FIRST_USES; i++) {
        long us = (long)(seed >> 16) % 400;
        pid_t process = fork();

        seed = seed * 1103515245U + 12345U;
        if (process == 0)
            _exit(fork_amid_first_use(words, i * (step > 0), step, us));
        assert_int_equal(status_of(process), 0);
    }
}

/* Of many kinds at once; where a child finds a lock held or half a plan is a matter of chance. */
static void amid_calls_of_many_kinds(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    fork_often(NULL, 1);
}

static void with_the_words_of_the_program(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    fork_often("only:portable", 0);
}

/* ---- At every lock -------------------------------------------------------------------------- */

static sem_t taken;
static enum lb_lock taken_first;
static pthread_t holder;

static void *hold_a_while(void *unused)
{
    (void)unused;
    lb_lock(taken_first);
    sem_post(&taken);
    wait_us(10000);
    lb_unlock(taken_first);
    return NULL;
}

/* A handler that was registered later than the library's runs before it: the fork has begun when the
   thread takes the library's first lock. */
static void take_late(void)
{
    if (pthread_create(&holder, NULL, hold_a_while, NULL))
        _exit(1);
    while (sem_wait(&taken))
        ;
}

static int fork_under(enum lb_lock which)
{
    pid_t child;
    int status;

    taken_first = which;
    if (sem_init(&taken, 0, 0) || pthread_atfork(take_late, NULL, NULL))
        return 1;
    child = fork();
    if (child == 0) {
        alarm(PATIENCE);
        for (unsigned i = 0; i < LB_LOCKS; i++)
            lb_lock((enum lb_lock)i);
        for (unsigned i = LB_LOCKS; i-- > 0;)
            lb_unlock((enum lb_lock)i);
        _exit(sign_well());
    }
    status = status_of(child);
    return pthread_join(holder, NULL) || status != 0;
}

/* Each, by a thread that is the first to call the library. */
static void while_a_lock_is_held(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    for (unsigned i = 0; i < LB_LOCKS; i++) {
        pid_t process = fork();

        if (process == 0) {
            alarm(2 * PATIENCE);
            _exit(fork_under((enum lb_lock)i));
        }
        assert_int_equal(status_of(process), 0);
    }
}

/* ---- In the middle of what happens once ----------------------------------------------------- */

static atomic_bool done;
static atomic_uint begun, ended;

static void make_slowly(void)
{
    atomic_fetch_add(&begun, 1);
    sem_post(&taken);
    wait_us(10000);
    atomic_fetch_add(&ended, 1);
}

static void *make_once(void *unused)
{
    (void)unused;
    lb_once(&done, LB_LOCK_START, make_slowly);
    return NULL;
}

static int fork_amid_once(void)
{
    pthread_t thread;
    pid_t child;
    int status;

    if (sem_init(&taken, 0, 0) || pthread_create(&thread, NULL, make_once, NULL))
        return 1;
    while (sem_wait(&taken))
        ;
    child = fork();
    if (child == 0) {
        alarm(PATIENCE);
        (void)make_once(NULL);
        _exit(atomic_load(&begun) != 1 || atomic_load(&ended) != 1);
    }
    status = status_of(child);
    return pthread_join(thread, NULL) || status != 0;
}

/* The child finds it whole, and does not do it again. */
static void amid_what_happens_once(void **state)
{
    pid_t process = fork();

    (void)state;
    if (process == 0)
        _exit(fork_amid_once());
    assert_int_equal(status_of(process), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(while_a_lock_is_held),
        cmocka_unit_test(amid_what_happens_once),
        cmocka_unit_test(amid_calls_of_many_kinds),
        cmocka_unit_test(with_the_words_of_the_program),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
