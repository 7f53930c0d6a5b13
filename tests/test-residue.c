/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-residue.c - what operations with a private key leave behind: nothing of its numbers or of the
 * random octets drawn for it, on the stack or on the heap.
 *
 * The operations run in a thread whose stack is the test's. Afterwards the main thread, which alone
 * handles what is looked for, searches that stack and the heap for any 8 octets in a row of a
 * secret, in either order of octets. What it looks for is stored complemented. Controls show that
 * leftovers are found.
 *
 * The program starts itself again with all functions bound: binding one at its first call saves the
 * vector registers on the stack.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/number/random.h"
#include "tests/keys.h"
#include "tests/sanitizers.h"

/* ---- What is looked for -------------------------------------------------------------------- */

#define WINDOWS ((size_t)1 << 19) /* a power of two, sparsely filled */

static uint64_t *windows; /* complements; 0 stands for none */
static size_t window_count;

static size_t place(uint64_t complement)
{
    return (size_t)(complement * 0x9e3779b97f4a7c15u >> 45) & (WINDOWS - 1);
}

static void add_window(uint64_t complement)
{
    size_t i = place(complement);

    while (windows[i] && windows[i] != complement)
        i = (i + 1) & (WINDOWS - 1);
    window_count += !windows[i];
    windows[i] = complement;
    assert_true(window_count < WINDOWS / 2);
}

static int is_window(uint64_t value)
{
    size_t i = place(~value);

    while (windows[i] && windows[i] != ~value)
        i = (i + 1) & (WINDOWS - 1);
    return windows[i] != 0;
}

static void add_secret(const unsigned char *octets, size_t len)
{
    for (size_t i = 0; i + 8 <= len; i++) {
        uint64_t forward = 0, backward = 0;

        for (size_t j = 0; j < 8; j++) {
            forward |= (uint64_t)(unsigned char)~octets[i + j] << (8 * j);
            backward |= (uint64_t)(unsigned char)~octets[i + j] << (56 - 8 * j);
        }
        add_window(forward);
        add_window(backward);
    }
}

static void forget_secrets(void)
{
    memset(windows, 0, WINDOWS * sizeof *windows);
    window_count = 0;
}

static void add_key(limbic_key_t key)
{
    static const char *const names[] = {"d", "p", "q", "dp", "dq", "qi"};
    static unsigned char octets[MAX_KEY];
    size_t len;

    for (size_t i = 0; i < SIZE(names); i++) {
        assert_code(limbic_key_get_component(key, names[i], octets, sizeof octets, &len), 0);
        add_secret(octets, len);
    }
    explicit_bzero(octets, sizeof octets);
}

/* What was drawn, complemented, until the main thread takes it. */
static unsigned char *drawn;
static size_t drawn_len;
#define DRAWN_MOST ((size_t)1 << 17)

static gpg_error_t draw(void *opaque, void *buf, size_t len)
{
    unsigned char *octets = buf;

    (void)opaque;
    for (size_t at = 0; at < len;) {
        ssize_t got = getrandom(octets + at, len - at, 0);
        if (got < 0)
            return gpg_error_from_syserror();
        at += (size_t)got;
    }
    for (size_t i = 0; i < len && drawn_len < DRAWN_MOST; i++)
        drawn[drawn_len++] = (unsigned char)~octets[i];
    return 0;
}

static void add_drawn(void)
{
    for (size_t i = 0; i < drawn_len; i++)
        drawn[i] = (unsigned char)~drawn[i];
    add_secret(drawn, drawn_len);
    explicit_bzero(drawn, drawn_len);
    drawn_len = 0;
}

/* ---- The search ---------------------------------------------------------------------------- */

#define STACK ((size_t)2 << 20)

static unsigned char *stack;

static size_t search(const unsigned char *from, const unsigned char *to)
{
    size_t found = 0;

    for (; from + 8 <= to; from++) {
        uint64_t value;

        memcpy(&value, from, 8);
        found += value != 0 && is_window(value);
    }
    return found;
}

static size_t search_heap(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    size_t found = 0;

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long from, to;

        if (strstr(line, "[heap]") && sscanf(line, "%lx-%lx", &from, &to) == 2)
            found += search((const unsigned char *)from, (const unsigned char *)to);
    }
    fclose(maps);
    return found;
}

static void run(void *(*operation)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;

    memset(stack, 0, STACK);
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, operation, argument), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}

static void assert_nothing_left(void)
{
    assert_true(window_count > 0);
    assert_int_equal(search(stack, stack + STACK), 0);
    assert_int_equal(search_heap(), 0);
}

/* ---- Operations ---------------------------------------------------------------------------- */

static struct text file; /* the key's, wiped by who imports it */
static limbic_key_t key;
static gpg_error_t outcome;

static void *import(void *unused)
{
    outcome = limbic_key_import(&key, file.data, file.len, 0);
    return unused;
}

static void *sign(void *unused)
{
    unsigned char signature[MAX_SIGNATURE];
    size_t len;

    outcome = 0;
    for (int i = 0; i < 70 && !outcome; i++) /* a blinding pair is made anew after 64 uses */
        outcome = limbic_sign(key, NULL, "message", 7, signature, sizeof signature, &len);
    return unused;
}

static void *check(void *unused)
{
    outcome = limbic_key_check(key);
    return unused;
}

static void *release(void *unused)
{
    limbic_key_free(key);
    return unused;
}

static void *generate(void *unused)
{
    struct limbic_generate options = LIMBIC_GENERATE_INIT;

    options.allow_weak = 1;
    outcome = limbic_key_generate(&key, "rsa:1024", &options);
    return unused;
}

/* Deep enough for the end of the thread not to reach it. */
static void *leave_on_stack(void *unused)
{
    unsigned char octets[8192];
    size_t len;

    outcome = limbic_key_get_component(key, "p", octets, sizeof octets, &len);
    return unused;
}

static void import_and_use(const char *name)
{
    static void *(*const operations[])(void *) = {import, sign, check};

    file = load(name);
    for (size_t i = 0; i < SIZE(operations); i++) {
        run(operations[i], NULL);
        assert_code(outcome, 0);
        if (i == 0) {
            explicit_bzero(file.data, file.len);
            free(file.data);
            add_key(key);
        }
        add_drawn();
        assert_nothing_left();
    }
    run(release, NULL);
    assert_nothing_left();
}

/* ---- The tests ----------------------------------------------------------------------------- */

static int begin(void **state)
{
    (void)state;
    if (SANITIZED)
        return 0;
    forget_secrets();
    drawn_len = 0;
    lb_random_hook(draw, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lb_random_hook(NULL, NULL);
    return 0;
}

static void skip_if_sanitized(void)
{
    if (SANITIZED)
        skip();
}

static void test_imported(void **state)
{
    (void)state;
    skip_if_sanitized();
    import_and_use("keys/rsa1024.pkcs8.der");
    import_and_use("keys/rsa1024.pkcs8.pem");
    import_and_use("rsa/ok-unbalanced-1088-960.pem");
}

static void test_generated(void **state)
{
    (void)state;
    skip_if_sanitized();
    run(generate, NULL);
    assert_code(outcome, 0);
    add_key(key);
    add_drawn();
    assert_nothing_left();
    run(release, NULL);
    assert_nothing_left();
}

static void test_control(void **state)
{
    unsigned char *heap;
    size_t len;

    (void)state;
    skip_if_sanitized();
    key = must_import("keys/rsa1024.pkcs1.der");
    add_key(key);
    run(leave_on_stack, NULL);
    assert_true(search(stack, stack + STACK) > 0);
    heap = malloc(256);
    assert_non_null(heap);
    assert_code(limbic_key_get_component(key, "dq", heap, 256, &len), 0);
    assert_true(search_heap() > 0);
    explicit_bzero(heap, 256);
    free(heap);
    limbic_key_free(key);
}

static void *map(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        give_up("mmap");
    return p;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_imported, begin, end),
        cmocka_unit_test_setup_teardown(test_generated, begin, end),
        cmocka_unit_test_setup_teardown(test_control, begin, end),
    };

    (void)argc;
    if (!getenv("LD_BIND_NOW") && setenv("LD_BIND_NOW", "1", 1) == 0)
        execv("/proc/self/exe", argv);
    mallopt(M_ARENA_MAX, 1);
    windows = map(WINDOWS * sizeof *windows);
    drawn = map(DRAWN_MOST);
    stack = map(STACK);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
