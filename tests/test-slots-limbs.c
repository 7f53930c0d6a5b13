/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Level 1 against the plain reference: the rows of portable, and those of the plan in force where
 * they differ. Then, for every tier that can be used here, modules' too, properties that hold between
 * kernels, at counts that a reference is too slow for, and operands that carry chains are lost on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/dispatch.h"
#include "tests/kernels.h"
#include "tests/patterns.h"
#include "tests/reference.h"
#include "tests/slots.h"

#define ONES ((limbic_limb_t) ~(limbic_limb_t)0)

typedef limbic_limb_t limb;

static void assert_report(const struct slots_report *report)
{
    if (report->failures)
        fail_msg("%u of %lu cases failed, first: %s", report->failures, report->cases,
                 report->first);
}

static const struct limbic_ops *portable_row(size_t n)
{
    return lb_row_portable(n * LIMBIC_LIMB_BITS);
}

static const struct limbic_ops *plan_row(size_t n)
{
    gpg_error_t err = 0;
    const struct lb_plan *plan = lb_plan_current(&err);

    assert_non_null(plan);
    assert_int_equal(err, 0);
    return lb_plan_row(plan, n * LIMBIC_LIMB_BITS);
}

static void portable_against_reference(void **state)
{
    struct slots_report report = {.label = "portable"};

    (void)state;
    for (const size_t *n = slots_sizes; *n; n++)
        slots_check_limbs(portable_row(*n), *n, &report);
    assert_report(&report);
    assert_true(report.cases > 100000);
}

/* A row that is portable's has just been tested. */
static void plan_against_reference(void **state)
{
    struct slots_report report = {.label = "plan in force"};

    (void)state;
    for (const size_t *n = slots_sizes; *n; n++)
        if (memcmp(&plan_row(*n)->limbs, &portable_row(*n)->limbs, sizeof portable_row(1)->limbs))
            slots_check_limbs(plan_row(*n), *n, &report);
    assert_report(&report);
}

static struct kernels_subject subjects[KERNELS_SUBJECTS];
static unsigned count;

static void assert_same(const limb *got, const limb *want, size_t n, const char *slot,
                        const char *label)
{
    if (memcmp(got, want, n * sizeof *got) != 0)
        fail_msg("%s: %s is wrong at %zu limbs", label, slot, n / 2);
}

/* Squaring is multiplication by oneself: 10^5 values with long runs, at 1 to 65 limbs. A kernel for
   squares that is wrong with tiny probability shows here (CVE-2014-3570). */
static void square_is_product(const struct limbic_limb_slots *slots, const char *label)
{
    static limb a[65], product[130], square[130], scratch[LIMBIC_SCRATCH_MUL(65, 65)];

    patterns_seed(5);
    for (size_t i = 0; i < 100000; i++) {
        size_t n = 1 + i % 65;

        patterns_runs(a, n);
        slots->mul(product, a, n, a, n, scratch);
        slots->sqr(square, a, n, scratch);
        assert_same(square, product, 2 * n, "sqr", label);
        slots->sqr_vartime(square, a, n, scratch);
        assert_same(square, product, 2 * n, "sqr_vartime", label);
        slots->mul_vartime(square, a, n, a, n, scratch);
        assert_same(square, product, 2 * n, "mul_vartime", label);
    }
}

static void every_square_is_product(void **state)
{
    (void)state;
    for (unsigned i = 0; i < count; i++)
        if (subjects[i].limbs)
            square_is_product(subjects[i].limbs, subjects[i].label);
}

static void check_product(const limb *a, const limb *b, size_t n)
{
    static limb want[2 * 66], got[2 * 66], scratch[LIMBIC_SCRATCH_MUL(66, 66)];

    reference_mul(want, a, n, b, n);
    for (unsigned which = 0; which < count; which++) {
        const struct limbic_limb_slots *slots = subjects[which].limbs;
        const char *label = subjects[which].label;

        if (!slots)
            continue;
        slots->mul(got, a, n, b, n, scratch);
        assert_same(got, want, 2 * n, "mul", label);
        slots->mul_vartime(got, a, n, b, n, scratch);
        assert_same(got, want, 2 * n, "mul_vartime", label);
        got[n] = slots->mul_1(got, a, n, b[0]);
        for (size_t i = 1; i < n; i++)
            got[n + i] = slots->addmul_1(got + i, a, n, b[i]);
        assert_same(got, want, 2 * n, "addmul_1", label);
        if (a != b)
            continue;
        slots->sqr(got, a, n, scratch);
        assert_same(got, want, 2 * n, "sqr", label);
        slots->sqr_vartime(got, a, n, scratch);
        assert_same(got, want, 2 * n, "sqr_vartime", label);
    }
}

/* Kernels with two carry chains lose carries where all-ones limbs meet a carry-in. All operands of
   up to 3 limbs from {0, 1, B - 2, B - 1}, and longer ones of all ones but for one limb. */
static void carry_chains(void **state)
{
    static const limb limbs[] = {0, 1, ONES - 1, ONES};
    static limb a[66], b[66];

    (void)state;
    for (size_t n = 1; n <= 3; n++) {
        for (size_t k = 0; k < (size_t)1 << (4 * n); k++) {
            for (size_t i = 0; i < n; i++) {
                a[i] = limbs[k >> (2 * i) & 3];
                b[i] = limbs[k >> (2 * (n + i)) & 3];
            }
            check_product(a, b, n);
        }
    }
    for (size_t n = 4; n <= 66; n += n < 34 ? 1 : 16) {
        memset(a, 0xff, sizeof a);
        memset(b, 0xff, sizeof b);
        for (size_t k = 0; k < 3 * n; k++) {
            a[k / 3] = limbs[k % 3];
            check_product(a, b, n);
            check_product(b, a, n);
            check_product(a, a, n);
            a[k / 3] = ONES;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portable_against_reference),
        cmocka_unit_test(plan_against_reference),
        cmocka_unit_test(every_square_is_product),
        cmocka_unit_test(carry_chains),
    };

    lb_registry_open_all();
    count = kernels_subjects(subjects);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
