/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The quick parts of the kernel harness, for every tier that can be used here, also those of modules; and that the harness
 * notices kernels that break the convention. `make check-kernels` runs all of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dispatch/dispatch.h"
#include "dispatch/module.h"
#include "tests/kernels.h"
#include "tests/sanitizers.h"
#include "tests/slots.h"

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

        for (size_t n = 1; n <= 50 && subjects[i].limbs; n++) {
            struct limbic_ops row;

            kernels_row(&subjects[i], n, &row);
            slots_check_limbs(&row, n, &report);
        }
        if (report.failures)
            fail_msg("%s", report.first);
        assert_true(report.cases > 0 || !subjects[i].limbs);
    }
}

static void every_tier_against_reference_at_level_2(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 17};

    (void)state;
    for (unsigned i = 0; i < count; i++) {
        struct slots_report report = {.label = subjects[i].label, .has = subjects[i].moduli};

        for (size_t k = 0; k < sizeof sizes / sizeof *sizes && subjects[i].moduli; k++) {
            struct limbic_ops row;

            kernels_row(&subjects[i], sizes[k], &row);
            slots_check_moduli(&row, sizes[k], &report);
        }
        if (report.failures)
            fail_msg("%s", report.first);
        assert_true(report.cases > 0 || !subjects[i].moduli);
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

/* Level 1, and products and reductions of level 2: powers and inverses are of a hundred thousand
   instructions, and left to `make check-kernels`. */
static void step(struct kernels_subject s, size_t n, unsigned long least)
{
    struct kernels_steps steps = {.own = 0};

    assert_no_fault(kernels_check_steps(&s, n, &steps));
    assert_true(steps.own > least);
}

static void signal_at_each_step(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 9, 12, 17, 25};

    (void)state;
    if (!kernels_convention_watched() || SANITIZED)
        skip();
    for (unsigned i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            struct kernels_subject limbs = subjects[i], products = subjects[i];

            limbs.moduli = NULL;
            products.glob = "mont_[msr]*";
            if (limbs.limbs)
                step(limbs, sizes[k], 200);
            if (products.moduli && products.moduli->mont_mul)
                step(products, sizes[k], 20);
        }
    }
}

static void signal_storm(void **state)
{
    (void)state;
    if (SANITIZED)
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
        assert_no_fault(kernels_check_hits(&subjects[i]));
}

/* The kernels called are those of the module's file. */
static void modules_run_their_own(void **state)
{
    (void)state;
    for (unsigned i = 0; i < count; i++) {
        char file[64];

        snprintf(file, sizeof file, "limbic-provider-%.*s.so", (int)strcspn(subjects[i].label, "/"),
                 subjects[i].label);
        if (subjects[i].is_module)
            assert_string_equal(kernels_object(&subjects[i]), file);
        else
            assert_string_not_equal(kernels_object(&subjects[i]), file);
    }
}

/* Whether make says that this build has the module; without make, whether its file is there. */
static bool is_expected(const char *name)
{
    const char *gmp = getenv("TEST_GMP");
    char path[1024];

    if (gmp && strcmp(name, "gmp") == 0)
        return strcmp(gmp, "yes") == 0;
    snprintf(path, sizeof path, "%s/limbic-provider-%s.so",
             lb_module_directory() ? lb_module_directory() : "", name);
    return access(path, F_OK) == 0;
}

/* What is built for this host is among the subjects: portable always, native's tiers with flags, and
   the modules of this build. */
static void subjects_are_complete(void **state)
{
    const struct lb_registry *registry = lb_registry();
    unsigned usable = 0;

    (void)state;
    for (unsigned i = 0; i < registry->tier_count; i++)
        usable += registry->tier[i].state == LB_USABLE;
    assert_int_equal(count, usable);
    assert_true(usable >= 2);
    for (unsigned i = 0; i < count; i++)
        assert_true(subjects[i].hits || strncmp(subjects[i].label, "native", 6) != 0);
    for (unsigned i = 0; i < registry->provider_count; i++)
        if (strcmp(registry->provider[i].name, "gmp") == 0)
            assert_int_equal(registry->provider[i].state,
                             is_expected("gmp") ? LB_USABLE : LB_ABSENT);
}

/* Portable and derived with the bad kernel in its slot. Those of level 2 go on to the kernel itself, not
   to a check of --enable-verify, which would miss the row that it stands in. */
static void spoil(const struct kernels_bad *bad, struct kernels_subject *s,
                  struct limbic_limb_slots *limbs, struct limbic_mod_slots *moduli)
{
    const struct lb_slot *slot = lb_slot_by_id(bad->slot);
    const struct lb_registry *registry = lb_registry();

    *s = *kernels_reference();
    *limbs = *s->limbs;
    *moduli = *s->moduli;
    s->label = "bad";
    s->glob = slot->name;
    s->limbs = limbs;
    s->moduli = moduli;
    if (slot->level == 2)
        lb_bad_next = lb_table_kernel(
            lb_tier_level(registry->tier[registry->family[s->family].tier].tier, 2), slot);
    memcpy((slot->level == 1 ? (char *)limbs : (char *)moduli) + slot->table_offset, &bad->kernel,
           sizeof bad->kernel);
}

static void bad_kernels_are_noticed(void **state)
{
    (void)state;
    if (!kernels_convention_watched() || SANITIZED)
        skip();
    for (const struct kernels_bad *bad = kernels_bad; bad->name; bad++) {
        struct kernels_steps steps = {.own = 0};
        struct limbic_limb_slots limbs;
        struct limbic_mod_slots moduli;
        struct kernels_subject s;

        if (bad->only_with_state && !kernels_state_watched())
            continue;
        spoil(bad, &s, &limbs, &moduli);
        if (!bad->only_in_steps && !kernels_check_convention(&s, 1))
            fail_msg("not noticed: %s", bad->name);
        if (bad->only_in_steps)
            assert_no_fault(kernels_check_convention(&s, 1));
        if (!kernels_check_steps(&s, 1, &steps))
            fail_msg("not noticed at any step: %s", bad->name);
    }
}

/* Whoever has no flags of its own and uses a built-in kernel is noticed. */
static void strangers_hits_are_noticed(void **state)
{
    struct kernels_subject s = *kernels_reference();

    (void)state;
    s.glob = "add"; /* portable's kernel under another name: no flag may be set */
    assert_non_null(kernels_check_hits(&s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subjects_are_complete),
        cmocka_unit_test(every_tier_against_reference),
        cmocka_unit_test(every_tier_against_reference_at_level_2),
        cmocka_unit_test(calling_convention),
        cmocka_unit_test(signal_at_each_step),
        cmocka_unit_test(signal_storm),
        cmocka_unit_test(hit_flags),
        cmocka_unit_test(modules_run_their_own),
        cmocka_unit_test(strangers_hits_are_noticed),
        cmocka_unit_test(bad_kernels_are_noticed),
    };

    lb_registry_open_all();
    count = kernels_subjects(subjects);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
