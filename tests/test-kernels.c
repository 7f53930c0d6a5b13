/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The quick parts of the kernel harness, for every tier that can be used here; and that the harness
 * notices kernels that break the convention. `make check-kernels` runs all of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/dispatch.h"
#include "dispatch/registry.h"
#include "tests/kernels.h"
#include "tests/slots.h"

/* Valgrind and the sanitizers have stacks and signals of their own. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define INSTRUMENTED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define INSTRUMENTED 1
#endif
#endif
#ifndef INSTRUMENTED
#define INSTRUMENTED 0
#endif

static struct kernels_subject subjects[KERNELS_SUBJECTS];
static unsigned count;

static void assert_no_fault(const char *fault)
{
    if (fault)
        fail_msg("%s", fault);
}

static void every_tier_against_reference(void **state)
{
    (void)state;
    for (unsigned i = 0; i < count; i++) {
        struct slots_report report = {.label = subjects[i].label};
        struct limbic_ops row = *lb_row_portable(256);

        row.limbs = *subjects[i].limbs;
        for (size_t n = 1; n <= 50; n++)
            slots_check_limbs(&row, n, &report);
        if (report.failures)
            fail_msg("%s", report.first);
    }
}

static void calling_convention(void **state)
{
    (void)state;
    if (!kernels_convention_watched())
        skip();
    for (unsigned i = 0; i < count; i++)
        assert_no_fault(kernels_check_convention(&subjects[i], KERNELS_MAX_LIMBS));
}

static void signal_at_each_step(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 9, 12, 17, 25};

    (void)state;
    if (!kernels_convention_watched() || INSTRUMENTED)
        skip();
    for (unsigned i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            unsigned long steps;

            assert_no_fault(kernels_check_steps(&subjects[i], sizes[k], &steps));
            assert_true(steps > 200);
        }
    }
}

static void signal_storm(void **state)
{
    (void)state;
    if (INSTRUMENTED)
        skip();
    for (unsigned i = 0; i < count; i++) {
        unsigned long signals;

        assert_no_fault(kernels_check_storm(&subjects[i], 0.4, &signals));
        assert_true(signals > 10);
    }
}

static void hit_flags(void **state)
{
    (void)state;
    for (unsigned i = 0; i < count; i++)
        if (subjects[i].hits)
            assert_no_fault(kernels_check_hits(&subjects[i]));
}

/* What is built for this host is among the subjects, and portable always is. */
static void subjects_are_complete(void **state)
{
    const struct lb_registry *registry = lb_registry();
    unsigned usable = 0;

    (void)state;
    for (unsigned i = 0; i < registry->tier_count; i++)
        usable += registry->tier[i].state == LB_USABLE && registry->tier[i].tier->limbs;
    assert_int_equal(count, usable);
    assert_true(usable >= 1);
}

static void bad_kernels_are_noticed(void **state)
{
    (void)state;
    if (!kernels_convention_watched() || INSTRUMENTED)
        skip();
    for (const struct kernels_bad *bad = kernels_bad; bad->name; bad++) {
        struct limbic_limb_slots limbs = *subjects[0].limbs;
        struct kernels_subject s = {.label = "bad", .limbs = &limbs, .glob = "add"};
        unsigned long steps;

        if (bad->only_with_state && !kernels_state_watched())
            continue;
        limbs.add = bad->add;
        if (!bad->only_in_steps && !kernels_check_convention(&s, 1))
            fail_msg("not noticed: %s", bad->name);
        if (bad->only_in_steps)
            assert_no_fault(kernels_check_convention(&s, 1));
        if (!kernels_check_steps(&s, 1, &steps))
            fail_msg("not noticed at any step: %s", bad->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subjects_are_complete),
        cmocka_unit_test(every_tier_against_reference),
        cmocka_unit_test(calling_convention),
        cmocka_unit_test(signal_at_each_step),
        cmocka_unit_test(signal_storm),
        cmocka_unit_test(hit_flags),
        cmocka_unit_test(bad_kernels_are_noticed),
    };

    count = kernels_subjects(subjects);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
