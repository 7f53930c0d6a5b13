/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The module gmp: every slot against the plain reference at all sizes, signatures, memory, the time
 * that it takes to start. Skipped where the module is not built.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <dlfcn.h>

#include "dispatch/plan.h"
#include "limbic.h"
#include "tests/slots.h"

static const struct lb_plan *gmp_plan(void)
{
    const struct lb_plan *plan;
    gpg_error_t err = 0;

    lb_test_reset("only:gmp");
    plan = lb_plan_current(&err);
    if (!plan)
        print_message("# %s\n", lb_plan_latest()->why);
    assert_non_null(plan);
    assert_int_equal(err, 0);
    return plan;
}

static bool is_built(void)
{
    char why[240];
    int index;

    lb_test_reset(NULL);
    index = lb_registry_open("gmp", why, sizeof why);
    return index >= 0 && lb_registry()->provider[index].state != LB_ABSENT;
}

static const char *server(const struct limbic_ops *row, enum limbic_slot slot)
{
    const struct lb_registry *r = lb_registry();

    return r->provider[r->tier[r->family[row->family[slot]].tier].provider].name;
}

static void serves_its_slots(void **state)
{
    const struct lb_plan *plan = gmp_plan();

    (void)state;
    for (unsigned c = 0; c < LB_SIZE_CLASSES; c++) {
        const struct limbic_ops *row = lb_plan_row(plan, lb_size_class_bits[c]);

        for (enum limbic_slot slot = LIMBIC_SLOT_ADD; slot <= LIMBIC_SLOT_SQR_VARTIME; slot++)
            assert_string_equal(server(row, slot), "gmp");
        for (enum limbic_slot slot = LIMBIC_SLOT_MONT_MUL; slot <= LIMBIC_SLOT_MONT_POW; slot++)
            assert_string_equal(server(row, slot), "gmp");
        assert_string_equal(server(row, LIMBIC_SLOT_MONT_POW_PAIR), "derived");
    }
}

static void identity(void **state)
{
    const struct limbic_provider *table;

    (void)state;
    (void)gmp_plan();
    table = lb_registry()->provider[lb_registry_provider("gmp")].table;
    assert_string_equal(table->license, "LGPL-3.0-or-later OR GPL-2.0-or-later");
    assert_int_equal(strncmp(table->origin, "GMP ", 4), 0);
    assert_non_null(
        strstr(table->origin, LIMBIC_LIMB_BITS == 64 ? "limbs of 64 bits" : "limbs of 32 bits"));
}

static void assert_report(const struct slots_report *report, unsigned long least)
{
    if (report->failures)
        fail_msg("%u of %lu cases failed, first: %s", report->failures, report->cases,
                 report->first);
    assert_true(report->cases > least);
}

static void limbs(void **state)
{
    const struct lb_plan *plan = gmp_plan();
    struct slots_report report = {.label = "gmp"};

    (void)state;
    for (const size_t *n = slots_sizes; *n; n++)
        slots_check_limbs(lb_plan_row(plan, *n * LIMBIC_LIMB_BITS), *n, &report);
    assert_report(&report, 100000);
}

static void moduli(void **state)
{
    const struct lb_plan *plan = gmp_plan();
    struct slots_report report = {.label = "gmp"};

    (void)state;
    for (const size_t *n = slots_sizes; *n; n++)
        slots_check_moduli(lb_plan_row(plan, *n * LIMBIC_LIMB_BITS), *n, &report);
    assert_report(&report, 1000);
}

/* ---- Signatures ----------------------------------------------------------------------------- */

static const char message[] = "The quick brown fox jumps over the lazy dog";

static size_t sign(const char *words, const unsigned char *key_data, size_t key_length,
                   unsigned char signature[512])
{
    limbic_key_t key;
    size_t length = 0;

    lb_test_reset(words);
    assert_int_equal(limbic_key_import(&key, key_data, key_length, 0), 0);
    assert_int_equal(limbic_sign(key, NULL, message, sizeof message, signature, 512, &length), 0);
    limbic_key_free(key);
    return length;
}

static unsigned char key_data[8192];
static size_t key_length;

static void make_key(void)
{
    limbic_key_t key;

    lb_test_reset("only:gmp");
    assert_int_equal(limbic_key_generate(&key, "rsa:2048", NULL), 0);
    assert_int_equal(
        limbic_key_export(key, LIMBIC_FORMAT_PKCS8, 0, key_data, sizeof key_data, &key_length), 0);
    limbic_key_free(key);
}

static void signatures(void **state)
{
    static const char *const others[] = {"only:portable", "derived,gmp", "gmp"};
    unsigned char mine[512], other[512];
    size_t length;

    (void)state;
    make_key();
    length = sign("only:gmp", key_data, key_length, mine);
    assert_int_equal(length, 256);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(sign(others[i], key_data, key_length, other), length);
        assert_memory_equal(mine, other, length);
    }
}

/* ---- Memory ------------------------------------------------------------------------------- */

static unsigned allocations;

static void *no_allocate(size_t size)
{
    (void)size;
    allocations++;
    return NULL;
}

static void *no_reallocate(void *p, size_t old, size_t size)
{
    (void)p;
    (void)old;
    (void)size;
    allocations++;
    return NULL;
}

static void no_free(void *p, size_t size)
{
    (void)p;
    (void)size;
    allocations++;
}

/* A program that has replaced GMP's memory functions by ones that fail: nothing calls them. */
static void memory_functions(void **state)
{
    typedef void (*set_t)(void *(*)(size_t), void *(*)(void *, size_t, size_t),
                          void (*)(void *, size_t));
    struct slots_report report = {.label = "gmp without memory"};
    const struct lb_plan *plan = gmp_plan();
    unsigned char signature[512];
    void *gmp = dlopen("libgmp.so.10", RTLD_NOW | RTLD_NOLOAD);
    set_t set = NULL;

    (void)state;
    if (gmp)
        *(void **)&set = dlsym(gmp, "__gmp_set_memory_functions");
    if (!set)
        skip();
    make_key();
    set(no_allocate, no_reallocate, no_free);
    plan = gmp_plan();
    for (size_t n = 8; n <= SLOTS_MAX_LIMBS; n *= 2) {
        slots_check_limbs(lb_plan_row(plan, n * LIMBIC_LIMB_BITS), n, &report);
        slots_check_moduli(lb_plan_row(plan, n * LIMBIC_LIMB_BITS), n, &report);
    }
    assert_int_equal(sign("only:gmp", key_data, key_length, signature), 256);
    set(NULL, NULL, NULL);
    assert_report(&report, 100);
    assert_int_equal(allocations, 0);
}

/* ---- Time ----------------------------------------------------------------------------------- */

/* In processes that have not opened the module yet; the fastest of ten, since others compute here.
   It runs first. */
static void initialisation(void **state)
{
    uint64_t best = UINT64_MAX;

    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        uint64_t ns = UINT64_MAX;
        int ends[2];
        pid_t child;

        assert_int_equal(pipe(ends), 0);
        child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            lb_test_reset("only:gmp");
            ns = lb_plan_start()->ns;
            _exit(write(ends[1], &ns, sizeof ns) != sizeof ns);
        }
        close(ends[1]);
        assert_int_equal(read(ends[0], &ns, sizeof ns), sizeof ns);
        close(ends[0]);
        assert_int_equal(waitpid(child, NULL, 0), child);
        if (ns < best)
            best = ns;
    }
    print_message("# initialisation with gmp: %.3f ms\n", (double)best / 1e6);
    assert_true(best < 5000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serves_its_slots),
        cmocka_unit_test(identity),
        cmocka_unit_test(limbs),
        cmocka_unit_test(moduli),
        cmocka_unit_test(signatures),
        cmocka_unit_test(memory_functions),
    };
    const struct CMUnitTest first[] = {cmocka_unit_test(initialisation)};
    int failed;
    pid_t child = fork();
    int status = 0;

    /* Asked in a child, so that this process has not opened it. */
    if (child == 0)
        _exit(is_built() ? 0 : 77);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 99;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        printf("1..0 # SKIP the module gmp is not built\n");
        return 77;
    }
    failed = cmocka_run_group_tests_name("start", first, NULL, NULL);
    return cmocka_run_group_tests_name("gmp", tests, NULL, NULL) + failed;
}
