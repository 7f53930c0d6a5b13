/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Modules in the registry: when they are opened, what stays as it was, what is looked for again.
 * What can be wrong with one is tests/run-module's.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>

#include "dispatch/module.h"
#include "dispatch/plan.h"
#include "dispatch/registry.h"
#include "limbic.h"

static char why[240];

static const struct lb_provider_entry *entry_of(const struct lb_registry *registry,
                                                const char *name)
{
    for (unsigned i = 0; i < registry->provider_count; i++)
        if (strcmp(registry->provider[i].name, name) == 0)
            return &registry->provider[i];
    return NULL;
}

static int reset(void **state)
{
    (void)state;
    lb_test_module_directory(NULL);
    lb_test_reset(NULL);
    return 0;
}

static bool has_modules(void)
{
    return lb_module_directory() != NULL;
}

static bool gmp_is_built(void)
{
    bool built;

    lb_test_reset(NULL);
    built = has_modules() && lb_registry_open("gmp", why, sizeof why) >= 0 &&
            entry_of(lb_registry(), "gmp")->state == LB_USABLE;
    lb_test_reset(NULL);
    return built;
}

/* The default chain opens nothing. */
static void unopened(void **state)
{
    gpg_error_t err;

    (void)state;
    lb_test_reset("auto");
    assert_non_null(lb_plan_current(&err));
    if (lb_module_directory()) {
        assert_int_equal(entry_of(lb_registry(), "gmp")->state, LB_UNOPENED);
    } else {
        assert_int_equal(entry_of(lb_registry(), "gmp")->state, LB_ABSENT);
        assert_non_null(strstr(entry_of(lb_registry(), "gmp")->why, "this build loads no modules"));
    }
    assert_null(lb_registry()->previous);
}

static void opened_when_named(void **state)
{
    const struct lb_registry *before;
    gpg_error_t err;
    int index;

    (void)state;
    if (!gmp_is_built())
        skip();
    lb_test_reset("try:portable,gmp");
    before = lb_registry();
    assert_non_null(lb_plan_current(&err));
    index = lb_registry_provider("gmp");
    assert_int_equal(lb_registry()->provider[index].state, LB_USABLE);
    assert_true(lb_registry()->provider[index].is_module);
    assert_int_equal(lb_registry()->family_count, before->family_count + 2);
    /* What was given out before is as it was, and says the same. */
    assert_int_equal(before->provider[index].state, LB_UNOPENED);
    assert_ptr_equal(lb_registry()->previous, before);
    assert_memory_equal(before->family, lb_registry()->family,
                        before->family_count * sizeof before->family[0]);
    assert_memory_equal(before->tier, lb_registry()->tier,
                        before->tier_count * sizeof before->tier[0]);
    /* Once. */
    before = lb_registry();
    assert_int_equal(lb_registry_open("gmp", why, sizeof why), index);
    lb_registry_open_all();
    assert_ptr_equal(lb_registry(), before);
}

static void copy(const char *to)
{
    char command[8192];

    snprintf(command, sizeof command, "cp '%s/limbic-provider-gmp.so' '%s/'", lb_module_directory(),
             to);
    assert_int_equal(system(command), 0);
}

/* A module that was missing may come later, without a new process. */
static void missing_then_there(void **state)
{
    char directory[] = "tests/test-modules-XXXXXX", absolute[4096];
    const struct lb_registry *before;

    (void)state;
    if (!gmp_is_built())
        skip();
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chmod(directory, 0755), 0);
    assert_non_null(realpath(directory, absolute));
    lb_test_module_directory(absolute);
    assert_true(lb_registry_open("gmp", why, sizeof why) >= 0);
    assert_int_equal(entry_of(lb_registry(), "gmp")->state, LB_ABSENT);
    assert_non_null(strstr(entry_of(lb_registry(), "gmp")->why, "module not found: /"));
    before = lb_registry();
    assert_true(lb_registry_open("gmp", why, sizeof why) >= 0);
    assert_ptr_equal(lb_registry(), before); /* nothing new, no new registry */
    lb_test_module_directory(NULL);
    copy(absolute);
    lb_test_module_directory(absolute);
    assert_true(lb_registry_open("gmp", why, sizeof why) >= 0);
    assert_int_equal(entry_of(lb_registry(), "gmp")->state, LB_USABLE);
    snprintf(why, sizeof why, "rm -r '%.200s'", directory);
    assert_int_equal(system(why), 0);
}

/* The same for words that are given again: that they were given before does not matter. */
static void reconfigured(void **state)
{
    char directory[] = "tests/test-modules-XXXXXX", absolute[4096];
    const struct lb_policy *policy;

    (void)state;
    if (!gmp_is_built())
        skip();
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chmod(directory, 0755), 0);
    assert_non_null(realpath(directory, absolute));
    lb_test_module_directory(absolute);
    lb_test_reset("portable");
    assert_int_equal(limbic_reconfigure("gmp"), 0);
    assert_non_null(strstr(lb_plan_policy(lb_plan_latest())->warning_line, "module not found"));
    assert_int_equal(gpg_err_code(limbic_reconfigure("only:gmp")), GPG_ERR_NOT_FOUND);
    lb_test_module_directory(NULL);
    copy(absolute);
    lb_test_module_directory(absolute);
    assert_int_equal(limbic_reconfigure("gmp"), 0);
    policy = lb_plan_policy(lb_plan_latest());
    assert_string_equal(policy->warning_line, "");
    assert_int_equal(policy->selection.order.tier[0], entry_of(lb_registry(), "gmp")->first_tier);
    assert_int_equal(limbic_reconfigure("only:gmp"), 0);
    assert_int_equal(limbic_reconfigure("portable"), 0);
    assert_int_equal(limbic_reconfigure("mul=gmp"), 0);
    snprintf(why, sizeof why, "rm -r '%.200s'", directory);
    assert_int_equal(system(why), 0);
}

/* And for the words of first use. */
static void first_words_again(void **state)
{
    char directory[] = "tests/test-modules-XXXXXX", absolute[4096];

    (void)state;
    if (!gmp_is_built())
        skip();
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chmod(directory, 0755), 0);
    assert_non_null(realpath(directory, absolute));
    lb_test_module_directory(absolute);
    lb_test_reset("only:gmp");
    assert_int_equal(gpg_err_code(limbic_init(0)), GPG_ERR_NOT_FOUND);
    assert_int_equal(gpg_err_code(limbic_reconfigure(NULL)), GPG_ERR_NOT_FOUND);
    lb_test_module_directory(NULL);
    copy(absolute);
    lb_test_module_directory(absolute);
    assert_int_equal(limbic_reconfigure(NULL), 0);
    assert_int_equal(limbic_init(0), 0);
    assert_int_equal(lb_plan_policy(lb_plan_latest())->selection.order.tier[0],
                     entry_of(lb_registry(), "gmp")->first_tier);
    snprintf(why, sizeof why, "rm -r '%.200s'", directory);
    assert_int_equal(system(why), 0);
}

/* A long path loses its middle, not its end, nor does what stands behind it. */
static void long_path(void **state)
{
    char directory[3072] = "/", wanted[] = "/limbic-provider-nosuch.so";
    size_t length;

    (void)state;
    if (!has_modules())
        skip();
    while (strlen(directory) < sizeof directory - 16)
        strcat(directory, "nowhere/");
    lb_test_module_directory(directory);
    lb_test_reset("portable");
    assert_int_equal(gpg_err_code(limbic_reconfigure("only:nosuch")), GPG_ERR_NOT_FOUND);
    length = strlen(limbic_error_detail());
    assert_non_null(strstr(limbic_error_detail(), "module not found: /nowhere/"));
    assert_non_null(strstr(limbic_error_detail(), "..."));
    assert_string_equal(limbic_error_detail() + length - strlen(wanted), wanted);
    assert_int_equal(limbic_reconfigure("nosuch,portable"), 0);
    assert_non_null(strstr(limbic_warning(), "/limbic-provider-nosuch.so; passed over"));
}

/* Want of memory is not taken for a provider that does not exist. */
static void no_memory(void **state)
{
    (void)state;
    if (!gmp_is_built())
        skip();
    lb_test_reset("portable");
    assert_int_equal(limbic_init(0), 0);
    lb_test_registry_full(true);
    assert_int_equal(lb_registry_open("gmp", why, sizeof why), LB_OPEN_NOT_NOW);
    assert_int_equal(gpg_err_code(limbic_reconfigure("only:gmp")), GPG_ERR_ENOMEM);
    assert_non_null(strstr(limbic_error_detail(), "\"gmp\": out of memory for a module"));
    assert_int_equal(gpg_err_code(limbic_selftest("gmp", 0, NULL, NULL)), GPG_ERR_ENOMEM);
    assert_int_equal(limbic_reconfigure("gmp"), 0);
    assert_non_null(strstr(limbic_warning(), "\"gmp\": out of memory for a module; passed over"));
    lb_test_registry_full(false);
    assert_int_equal(limbic_reconfigure("only:gmp"), 0);
}

/* While no file can be opened, that says nothing about a module, be it there or not; afterwards it
   opens. */
static void no_files(void **state)
{
    const struct lb_registry *before;
    struct rlimit limit, none;

    (void)state;
    if (!gmp_is_built())
        skip();
    lb_test_reset("portable");
    assert_int_equal(limbic_init(0), 0);
    before = lb_registry();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = limit;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(lb_registry_open("gmp", why, sizeof why), LB_OPEN_NOT_NOW);
        assert_int_equal(errno, EMFILE);
        assert_non_null(strstr(why, strerror(EMFILE)));
        assert_int_equal(lb_registry_open("nosuch", why, sizeof why), LB_OPEN_NOT_NOW);
    }
    assert_ptr_equal(lb_registry(), before);
    assert_int_equal(gpg_err_code(limbic_selftest("gmp", 0, NULL, NULL)), GPG_ERR_EMFILE);
    assert_int_equal(gpg_err_code(limbic_reconfigure("only:gmp")), GPG_ERR_EMFILE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(limbic_reconfigure("only:gmp"), 0);
}

/* license= holds for a module that the same words, or later ones, open. */
static void licences(void **state)
{
    gpg_error_t err;

    (void)state;
    if (!gmp_is_built())
        skip();
    lb_test_reset("license=MIT");
    assert_int_equal(gpg_err_code(limbic_reconfigure("only:gmp")), GPG_ERR_NOT_SUPPORTED);
    assert_int_equal(limbic_reconfigure("gmp"), 0);
    assert_non_null(strstr(lb_plan_policy(lb_plan_latest())->warning_line, "its licence LGPL-3.0"));
    for (unsigned i = 0; i < lb_registry()->tier_count; i++)
        if (strcmp(lb_registry()->provider[lb_registry()->tier[i].provider].name, "gmp") == 0)
            assert_false(lb_order_has(&lb_plan_policy(lb_plan_latest())->selection.order, i));
    lb_test_reset("license=MIT only:gmp");
    assert_null(lb_plan_current(&err));
    assert_int_equal(gpg_err_code(err), GPG_ERR_NOT_SUPPORTED);
    lb_test_reset("license=LGPL-3.0-or-later only:gmp");
    assert_non_null(lb_plan_current(&err));
}

static void names(void **state)
{
    static const char *const bad[] = {"",     ".",    "..",      "a/b",   "/etc", "-gmp", "gmp.so",
                                      "auto", "gmp ", "explain", "stats", "GMP",  "g\np"};
    const struct lb_registry *before = lb_registry();

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(lb_registry_open(bad[i], why, sizeof why), -1);
        assert_true(*why);
    }
    assert_int_equal(lb_registry_open("nosuch", why, sizeof why), -1);
    assert_true(*why);
    assert_ptr_equal(lb_registry(), before);
    assert_int_equal(lb_registry_open("portable", why, sizeof why), lb_registry()->last_resort);
    assert_int_equal(entry_of(lb_registry(), "portable")->state, LB_USABLE);
}

static void *open_many(void *opaque)
{
    char reason[240];

    for (unsigned i = 0; i < 100; i++) {
        if (lb_registry_open(i % 2 ? "gmp" : "nosuch", reason, sizeof reason) < 0 && i % 2)
            *(int *)opaque = 1;
        if (lb_registry()->provider_count < 4)
            *(int *)opaque = 1;
    }
    return NULL;
}

/* Threads that name modules at once, and a child of a fork in the middle of it. */
static void threads(void **state)
{
    pthread_t thread[8];
    int wrong[8] = {0}, status;
    pid_t child;

    (void)state;
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, open_many, &wrong[i]), 0);
    (void)lb_plan_latest(); /* watches for forks */
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char reason[240];

        alarm(20);
        _exit(lb_registry_open("gmp", reason, sizeof reason) < 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(wrong[i], 0);
    }
}

/* A build without modules has neither the names of files nor a way to open one. */
static void without_modules(void **state)
{
    (void)state;
    if (has_modules())
        skip();
    lb_test_reset("gmp");
    (void)lb_plan_latest();
    assert_int_equal(entry_of(lb_registry(), "gmp")->state, LB_ABSENT);
    assert_string_equal(entry_of(lb_registry(), "gmp")->why,
                        "not built: this build loads no modules");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(unopened, reset),
        cmocka_unit_test_teardown(opened_when_named, reset),
        cmocka_unit_test_teardown(missing_then_there, reset),
        cmocka_unit_test_teardown(reconfigured, reset),
        cmocka_unit_test_teardown(first_words_again, reset),
        cmocka_unit_test_teardown(long_path, reset),
        cmocka_unit_test_teardown(no_memory, reset),
        cmocka_unit_test_teardown(no_files, reset),
        cmocka_unit_test_teardown(licences, reset),
        cmocka_unit_test_teardown(names, reset),
        cmocka_unit_test_teardown(threads, reset),
        cmocka_unit_test_teardown(without_modules, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
