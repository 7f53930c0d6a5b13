/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Level 2 against the plain reference: the rows of portable (with derived), and those of the plan
 * in force where they differ.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/number/modulus.h"
#include "dispatch/dispatch.h"
#include "tests/patterns.h"
#include "tests/reference.h"
#include "tests/slots.h"

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

/* Sizes from `low` to `high` limbs. */
static void portable_sizes(size_t low, size_t high)
{
    struct slots_report report = {.label = "portable"};

    for (const size_t *n = slots_sizes; *n; n++)
        if (low <= *n && *n <= high)
            slots_check_moduli(portable_row(*n), *n, &report);
    assert_report(&report);
    assert_true(report.cases > 1000);
}

static void portable_to_16_limbs(void **state)
{
    (void)state;
    portable_sizes(1, 16);
}

static void portable_to_66_limbs(void **state)
{
    (void)state;
    portable_sizes(17, 66);
}

static void portable_to_256_limbs(void **state)
{
    (void)state;
    portable_sizes(67, 256);
}

/* A row that is portable's has just been tested. */
static void plan_against_reference(void **state)
{
    struct slots_report report = {.label = "plan in force"};

    (void)state;
    for (const size_t *n = slots_sizes; *n; n++) {
        const struct limbic_ops *row = plan_row(*n), *tested = portable_row(*n);
        if (memcmp(&row->limbs, &tested->limbs, sizeof row->limbs) != 0 ||
            memcmp(&row->moduli, &tested->moduli, sizeof row->moduli) != 0)
            slots_check_moduli(row, *n, &report);
    }
    assert_report(&report);
}

/* The library's modulus objects: -1/m mod B, R mod m, R^2 mod m. */
static void modulus_objects(void **state)
{
    static limbic_limb_t value[256], want[256], storage[LB_MODULUS_STORAGE(256)],
        scratch[LIMBIC_SCRATCH_MONT(256)];

    (void)state;
    patterns_seed(2);
    for (const size_t *size = slots_sizes; *size; size++) {
        size_t n = *size;
        for (unsigned k = 0; k < 6; k++) {
            struct limbic_modulus m;
            size_t bits = (n - 1) * LIMBIC_LIMB_BITS + (k % 2 ? LIMBIC_LIMB_BITS : 2);

            if (k < 2)
                memset(value, 0xff, sizeof value);
            else
                patterns_make(value, n, k < 4 ? 0 : 11);
            value[0] |= 1;
            if (k % 2)
                value[n - 1] |= (limbic_limb_t)1 << (LIMBIC_LIMB_BITS - 1);
            else
                value[n - 1] = (value[n - 1] & 3) | 2;
            if (n == 1)
                value[0] |= 1;
            lb_modulus_init(&m, portable_row(n), storage, value, n, bits, 0, scratch);
            assert_int_equal(m.n, n);
            assert_int_equal(m.bits, bits);
            assert_memory_equal(m.m, value, n * sizeof *value);
            assert_true((limbic_limb_t)(m.neg_inv * value[0]) == (limbic_limb_t)-1);
            reference_mont_one(want, value, n);
            assert_memory_equal(m.one, want, n * sizeof *want);
            reference_mod_mul(want, want, want, value, n);
            assert_memory_equal(m.r2, want, n * sizeof *want);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modulus_objects),        cmocka_unit_test(portable_to_16_limbs),
        cmocka_unit_test(portable_to_66_limbs),   cmocka_unit_test(portable_to_256_limbs),
        cmocka_unit_test(plan_against_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
