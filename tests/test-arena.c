/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory for secrets: aligned, guarded, zeroed, wiped, counted, locked as far as may be, and what a
 * fork makes of it; then blinding over a fork, which stands on it.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/key/key.h"
#include "core/scheme/rsa-key.h"
#include "tests/data.h"

/* ---- Children ------------------------------------------------------------------------------- */

/* Runs body(argument) in a child; its wait status. What it returns is its exit status. */
static int in_child(int (*body)(void *), void *argument)
{
    int status = -1;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(20); /* a child that hangs is a failure, not a wait */
        _exit(body(argument));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void assert_child(int (*body)(void *), void *argument)
{
    int status = in_child(body, argument);

    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("the child ended with status 0x%x", (unsigned)status);
}

static struct lb_arena_stats stats(void)
{
    struct lb_arena_stats s;

    lb_arena_stats(&s);
    return s;
}

static int all_are(const void *p, unsigned char value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (((const volatile unsigned char *)p)[i] != value)
            return 0;
    return 1;
}

/* ---- One allocation ------------------------------------------------------------------------- */

static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 65535, 65536, 65537, 200000};

#define SIZES (sizeof sizes / sizeof *sizes)

static void test_aligned_and_zero(void **state)
{
    void *p[2 * SIZES];

    (void)state;
    for (size_t i = 0; i < 2 * SIZES; i++) {
        p[i] = lb_arena_alloc(i % 2 ? LB_ARENA_BLINDING : LB_ARENA_KEYS, sizes[i / 2]);
        assert_non_null(p[i]);
        assert_int_equal((uintptr_t)p[i] % 64, 0);
        assert_true(all_are(p[i], 0, sizes[i / 2]));
        memset(p[i], (int)(i + 1), sizes[i / 2]);
    }
    for (size_t i = 0; i < 2 * SIZES; i++) {
        assert_true(all_are(p[i], (unsigned char)(i + 1), sizes[i / 2]));
        lb_arena_free(p[i]);
    }
    lb_arena_free(NULL);
    assert_int_equal(stats().allocations, 0);
    assert_int_equal(stats().used, 0);
    assert_int_equal(stats().locked + stats().unlocked, 0);
}

static void test_impossible_sizes(void **state)
{
    static const size_t huge[] = {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX / 2, SIZE_MAX / 4 + 1};

    (void)state;
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++)
        assert_null(lb_arena_alloc(LB_ARENA_KEYS, huge[i]));
    assert_int_equal(stats().allocations, 0);
}

/* The next allocation gets the same octets, and they are zero. */
static void test_wiped(void **state)
{
    unsigned char *keep, *p, *q;

    (void)state;
    for (int arena = LB_ARENA_KEYS; arena <= LB_ARENA_BLINDING; arena++) {
        keep = lb_arena_alloc((enum lb_arena)arena, 64); /* the region stays mapped */
        p = lb_arena_alloc((enum lb_arena)arena, 1000);
        memset(p, 0xa5, 1000);
        lb_arena_free(p);
        assert_true(all_are(p, 0, 1000)); /* at once, not when it is given out again */
        q = lb_arena_alloc((enum lb_arena)arena, 1000);
        assert_ptr_equal(p, q);
        assert_true(all_are(q, 0, 1000));
        lb_arena_free(q);
        lb_arena_free(keep);
    }
}

/* ---- Guards --------------------------------------------------------------------------------- */

static int touch(void *at)
{
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    *(volatile unsigned char *)at = 1;
    return 0;
}

static int dies(void *at)
{
    int status = in_child(touch, at);

    /* A sanitizer says it with an exit status of its own. */
    return WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0);
}

/* A whole region: the octets before its first and behind its last are out of reach. */
static void test_guards(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 32 * page;
    unsigned char *p;

    (void)state;
    for (int arena = LB_ARENA_KEYS; arena <= LB_ARENA_BLINDING; arena++) {
        p = lb_arena_alloc((enum lb_arena)arena, size);
        assert_non_null(p);
        assert_false(dies(p));
        assert_false(dies(p + size - 1));
        assert_true(dies(p - 1));
        assert_true(dies(p - page));
        assert_true(dies(p + size));
        assert_true(dies(p + size + page - 1));
        lb_arena_free(p);
        assert_true(dies(p)); /* and given back */
    }
}

/* ---- Many ----------------------------------------------------------------------------------- */

enum { MANY = 4000 };

static void test_thousands(void **state)
{
    static unsigned char *p[MANY];
    size_t used = 0;

    (void)state;
    for (unsigned i = 0; i < MANY; i++) {
        size_t size = 1 + i * 37 % 700;

        p[i] = lb_arena_alloc(i % 5 ? LB_ARENA_KEYS : LB_ARENA_BLINDING, size);
        assert_non_null(p[i]);
        memset(p[i], (int)(i % 251), size);
        used += (size + 63) / 64 * 64;
    }
    assert_int_equal(stats().allocations, MANY);
    assert_int_equal(stats().used, used);
    assert_true(stats().locked + stats().unlocked >= used);
    /* Every other one, so that holes are filled again; then all. */
    for (unsigned i = 0; i < MANY; i += 2)
        lb_arena_free(p[i]);
    for (unsigned i = 0; i < MANY; i += 2) {
        p[i] = lb_arena_alloc(LB_ARENA_KEYS, 1 + i % 100);
        assert_non_null(p[i]);
        assert_true(all_are(p[i], 0, 1 + i % 100));
    }
    for (unsigned i = 1; i < MANY; i += 2)
        assert_true(all_are(p[i], (unsigned char)(i % 251), 1 + i * 37 % 700));
    for (unsigned i = 0; i < MANY; i++)
        lb_arena_free(p[MANY - 1 - i]);
    assert_int_equal(stats().allocations, 0);
    assert_int_equal(stats().locked + stats().unlocked, 0);
}

enum { THREADS = 8, ROUNDS = 400 };

static void *churn(void *argument)
{
    unsigned seed = *(unsigned *)argument;
    unsigned char *held[8] = {NULL};
    size_t length[8] = {0};

    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned at = (seed = seed * 1664525u + 1013904223u) >> 29;

        if (held[at] && !all_are(held[at], (unsigned char)(at + 1), length[at]))
            return argument;
        lb_arena_free(held[at]);
        length[at] = 1 + (seed >> 8) % 3000;
        held[at] = lb_arena_alloc(seed & 16 ? LB_ARENA_KEYS : LB_ARENA_BLINDING, length[at]);
        if (!held[at] || !all_are(held[at], 0, length[at]))
            return argument;
        memset(held[at], (int)(at + 1), length[at]);
    }
    for (unsigned i = 0; i < 8; i++)
        lb_arena_free(held[i]);
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t thread[THREADS];
    unsigned seed[THREADS];
    void *failed;

    (void)state;
    for (unsigned i = 0; i < THREADS; i++) {
        seed[i] = i + 1;
        assert_int_equal(pthread_create(&thread[i], NULL, churn, &seed[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(stats().allocations, 0);
}

/* ---- Fork ----------------------------------------------------------------------------------- */

struct pair {
    unsigned char *keys, *blinding;
};

static int look_after_fork(void *argument)
{
    struct pair *p = argument;
    struct lb_arena_stats before = stats();
    unsigned char *more;

    if (!all_are(p->keys, 0x3c, 500) || !all_are(p->blinding, 0, 500))
        return 1;
    /* The child's arenas are as good as the parent's. */
    memset(p->blinding, 7, 500);
    more = lb_arena_alloc(LB_ARENA_BLINDING, 100);
    if (!more || !all_are(more, 0, 100) || more == p->blinding)
        return 2;
    lb_arena_free(more);
    lb_arena_free(p->keys);
    lb_arena_free(p->blinding);
    if (stats().allocations != before.allocations - 2)
        return 3;
    return 0;
}

static void test_fork(void **state)
{
    struct pair p = {lb_arena_alloc(LB_ARENA_KEYS, 500), lb_arena_alloc(LB_ARENA_BLINDING, 500)};

    (void)state;
    assert_non_null(p.keys);
    assert_non_null(p.blinding);
    memset(p.keys, 0x3c, 500);
    memset(p.blinding, 0x3c, 500);
    assert_child(look_after_fork, &p);
    assert_true(all_are(p.blinding, 0x3c, 500)); /* the parent keeps its own */
    lb_arena_free(p.keys);
    lb_arena_free(p.blinding);
}

/* Locks of the kernel are not inherited: a child takes them again, and counts what it got. */
static size_t locked_by_kernel(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    size_t kib = 0;

    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmLck: %zu", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib * 1024;
}

static int count_locked(void *argument)
{
    size_t parent = *(size_t *)argument;

    return stats().locked != parent || locked_by_kernel() < parent;
}

static void test_fork_locks(void **state)
{
    void *p = lb_arena_alloc(LB_ARENA_KEYS, 100);
    size_t locked = stats().locked;

    (void)state;
    assert_non_null(p);
    if (locked == 0 || locked_by_kernel() < locked) {
        lb_arena_free(p);
        skip(); /* nothing may be locked here, or a sanitizer makes nothing of mlock */
    }
    assert_child(count_locked, &locked);
    lb_arena_free(p);
}

static volatile int stop;

static void *allocate_always(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        void *p = lb_arena_alloc(LB_ARENA_KEYS, 64);

        lb_arena_free(p);
    }
    return NULL;
}

static int allocate_once(void *unused)
{
    void *p = lb_arena_alloc(LB_ARENA_KEYS, 64);

    (void)unused;
    lb_arena_free(p);
    return !p;
}

/* The lock may be taken at the moment of a fork: the child must not find it so. */
static void test_fork_with_threads(void **state)
{
    pthread_t thread[3];

    (void)state;
    stop = 0;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, allocate_always, NULL), 0);
    for (int i = 0; i < 100; i++)
        assert_child(allocate_once, NULL);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
}

/* ---- Limits --------------------------------------------------------------------------------- */

#define NOBODY 65534

static void become_nobody(void)
{
    struct rlimit none = {0, 0};

    if (setrlimit(RLIMIT_MEMLOCK, &none) || (getuid() == 0 && setuid(NOBODY)))
        _exit(50);
}

static int without_locks(void *unused)
{
    void *p, *q;

    (void)unused;
    become_nobody();
    p = lb_arena_alloc(LB_ARENA_KEYS, 100);
    if (!p || stats().locked != 0)
        return 1;
    if (stats().unlocked == 0 || stats().allocations != 1)
        return 2;
    limbic_require_locked(1);
    q = lb_arena_alloc(LB_ARENA_KEYS, 100); /* not from the unlocked region either */
    if (q || stats().allocations != 1)
        return 3;
    limbic_require_locked(0);
    q = lb_arena_alloc(LB_ARENA_KEYS, 100);
    if (!q)
        return 4;
    lb_arena_free(p);
    lb_arena_free(q);
    return stats().unlocked ? 5 : 0;
}

static uint8_t *key_data;
static size_t key_length;

static int keys_without_locks(void *unused)
{
    struct limbic_generate options = LIMBIC_GENERATE_INIT;
    limbic_key_t key = NULL, public_key;

    (void)unused;
    become_nobody();
    if (limbic_key_import(&key, key_data, key_length, 0) || stats().unlocked == 0)
        return 1;
    if (limbic_key_public(key, &public_key))
        return 2;
    limbic_key_free(key);
    limbic_require_locked(1);
    key = public_key;
    if (gpg_err_code(limbic_key_import(&key, key_data, key_length, 0)) != GPG_ERR_ENOMEM || key)
        return 3;
    options.allow_weak = 1;
    if (gpg_err_code(limbic_key_generate(&key, "rsa:1024", &options)) != GPG_ERR_ENOMEM || key)
        return 4;
    if (!*limbic_error_detail())
        return 5;
    /* A public key has no secrets. */
    if (limbic_key_public(public_key, &key))
        return 6;
    limbic_key_free(key);
    limbic_key_free(public_key);
    return stats().allocations ? 7 : 0;
}

static void test_nothing_locked(void **state)
{
    (void)state;
    if (locked_by_kernel() == 0) {
        /* Under a sanitizer mlock() does nothing and says that it worked. */
        void *p = lb_arena_alloc(LB_ARENA_KEYS, 64);
        size_t kernel = locked_by_kernel(), ours = stats().locked;

        lb_arena_free(p);
        if (ours && !kernel)
            skip();
    }
    assert_child(without_locks, NULL);
    assert_child(keys_without_locks, NULL);
}

/* ---- Blinding over a fork ------------------------------------------------------------------- */

enum { CHILDREN = 16 };

struct fork_test {
    limbic_key_t key;
    size_t n;
    limb_t *scratch;
    int out;
};

static gpg_error_t take(struct fork_test *t, limb_t *pair)
{
    return lb_blinding_take(t->key->rsa, lb_row_portable(t->key->rsa->bits),
                            &(struct lb_blinding_pair){pair, pair + t->n}, t->scratch);
}

/* Sends the first pair that the child gets; then signs. */
static int take_in_child(void *argument)
{
    struct fork_test *t = argument;
    limb_t pair[2 * LIMBIC_MAX_LIMBS];
    unsigned char signature[512];
    size_t length, size = 2 * t->n * sizeof(limb_t);

    if (take(t, pair) || write(t->out, pair, size) != (ssize_t)size)
        return 1;
    if (limbic_sign(t->key, NULL, "abc", 3, signature, sizeof signature, &length) ||
        limbic_verify(t->key, NULL, "abc", 3, signature, length))
        return 2;
    limbic_key_free(t->key);
    return 0;
}

static void test_blinding_over_fork(void **state)
{
    static limb_t seen[2 * CHILDREN + 2][2 * LIMBIC_MAX_LIMBS];
    struct fork_test t = {0};
    unsigned count = 0;
    int ends[2];
    size_t size;

    (void)state;
    assert_int_equal(limbic_key_import(&t.key, key_data, key_length, 0), 0);
    t.n = t.key->rsa->n.n;
    t.scratch = aligned_alloc(64, (LIMBIC_SCRATCH_POW(t.n) * sizeof(limb_t) + 63) / 64 * 64);
    assert_non_null(t.scratch);
    assert_int_equal(pipe(ends), 0);
    t.out = ends[1];
    size = 2 * t.n * sizeof(limb_t);
    for (unsigned i = 0; i < CHILDREN; i++) {
        assert_child(take_in_child, &t);
        assert_int_equal(read(ends[0], seen[count++], size), (ssize_t)size);
        assert_int_equal(take(&t, seen[count++]), 0);
    }
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < i; j++) {
            assert_memory_not_equal(seen[i], seen[j], size / 2);
            assert_memory_not_equal(seen[i] + t.n, seen[j] + t.n, size / 2);
        }
    close(ends[0]);
    close(ends[1]);
    free(t.scratch);
    limbic_key_free(t.key);
    assert_int_equal(stats().allocations, 0);
}

static void *sign_always(void *argument)
{
    limbic_key_t key = argument;
    unsigned char signature[512];
    size_t length;

    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        if (limbic_sign(key, NULL, "abc", 3, signature, sizeof signature, &length))
            return argument;
    return NULL;
}

static int use_key(void *argument)
{
    unsigned char signature[512];
    limbic_key_t other;
    size_t length;

    if (limbic_sign(argument, NULL, "abc", 3, signature, sizeof signature, &length) ||
        limbic_verify(argument, NULL, "abc", 3, signature, length))
        return 1;
    if (limbic_key_import(&other, key_data, key_length, 0))
        return 2;
    limbic_key_free(other);
    return 0;
}

/* A fork in the middle of other threads' operations, slots claimed and all. */
static void test_fork_while_signing(void **state)
{
    pthread_t thread[2];
    limbic_key_t key;
    void *failed;

    (void)state;
    assert_int_equal(limbic_key_import(&key, key_data, key_length, 0), 0);
    __atomic_store_n(&stop, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, sign_always, key), 0);
    for (int i = 0; i < 20; i++)
        assert_child(use_key, key);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], &failed);
        assert_null(failed);
    }
    limbic_key_free(key);
}

static int setup(void **state)
{
    (void)state;
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aligned_and_zero),
        cmocka_unit_test(test_impossible_sizes),
        cmocka_unit_test(test_wiped),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_thousands),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_fork_locks),
        cmocka_unit_test(test_fork_with_threads),
        cmocka_unit_test(test_nothing_locked),
        cmocka_unit_test(test_blinding_over_fork),
        cmocka_unit_test(test_fork_while_signing),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
