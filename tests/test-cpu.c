/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CPU features: what is made of CPUID and XCR0, closures, reasons, and tiers that need features.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/cpu.h"
#include "dispatch/plan.h"
#include "dispatch/registry.h"
#include "dispatch/selection.h"

#define OSXSAVE ((uint32_t)1 << 27)

/* Everything, saved. */
static const struct lb_cpu_words whole = {
    .max_leaf = 32,
    .ecx_1 = ~(uint32_t)0,
    .edx_1 = ~(uint32_t)0,
    .eax_7 = 1,
    .ebx_7 = ~(uint32_t)0,
    .ecx_7 = ~(uint32_t)0,
    .edx_7 = ~(uint32_t)0,
    .eax_7_1 = ~(uint32_t)0,
    .xcr0 = 0xe7,
};

static lb_cpu_set bit(const char *name)
{
    int feature = lb_cpu_feature(name);

    assert_true(feature >= 0);
    return (lb_cpu_set)1 << feature;
}

/* What goes with the features whose names match. */
static lb_cpu_set matching(const char *glob)
{
    lb_cpu_set set = 0;

    for (unsigned i = 0; i < lb_cpu_feature_count(); i++)
        if (lb_glob_matches(glob, lb_cpu_feature_name(i)))
            set |= (lb_cpu_set)1 << i;
    return lb_cpu_closure(set);
}

static bool has(const char *name)
{
    return lb_cpu_present() & bit(name);
}

static void answers(const char *needs, enum lb_cpu_answer answer, const char *wanted)
{
    char why[160];

    assert_int_equal(lb_cpu_offers(needs, why, sizeof why), answer);
    assert_string_equal(why, wanted);
}

static int real(void **state)
{
    (void)state;
    lb_test_cpu(NULL);
    lb_test_reset(NULL);
    return 0;
}

static void names(void **state)
{
    unsigned count = 0;

    (void)state;
    for (const char *name; (name = lb_cpu_feature_name(count)); count++) {
        assert_int_equal(lb_cpu_feature(name), count);
        assert_string_equal(lb_cpu_nearest_feature(name), name);
        assert_true(lb_cpu_closure((lb_cpu_set)1 << count) >> count & 1);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_."), strlen(name));
        assert_true(strlen(name) < 16);
    }
    assert_true(count >= 20 && count <= LB_CPU_FEATURE_MAX);
    assert_int_equal(count, lb_cpu_feature_count());
    assert_int_equal(lb_cpu_feature("AVX2"), -1);
    assert_int_equal(lb_cpu_feature(""), -1);
    assert_string_equal(lb_cpu_nearest_feature("avx521ifma"), "avx512ifma");
}

static void closures(void **state)
{
    (void)state;
    assert_true(matching("avx512ifma") == bit("avx512ifma"));
    assert_true(matching("adx") == bit("adx"));
    assert_true(matching("avx512f") == matching("avx512*"));
    assert_true(matching("avx512f") & bit("avx512vbmi2"));
    assert_false(matching("avx512f") & bit("avx2"));
    assert_true(matching("avx2") & bit("avx512ifma"));
    assert_true(matching("avx") & bit("vaes"));
    assert_true(matching("aes") & bit("vaes"));
    assert_false(matching("avx") & bit("bmi2"));
    assert_true(matching("nosuch") == 0);
    for (unsigned i = 0; lb_cpu_feature_name(i); i++)
        assert_true(matching("*") >> i & 1);
    assert_true(matching("*") >> lb_cpu_feature_count() == 0);
    assert_true(lb_cpu_baseline() == bit("sse2"));
}

static void everything(void **state)
{
    (void)state;
    lb_test_cpu(&whole);
    assert_true(lb_cpu_present() == matching("*"));
    answers("", LB_CPU_OFFERS, "");
    answers("bmi2 adx", LB_CPU_OFFERS, "");
    answers("  avx512f avx512vl  avx512ifma ", LB_CPU_OFFERS, "");
}

/* Zero words: not even CPUID's leaf 1; and leaf 7 without leaf 7. */
static void short_cpuid(void **state)
{
    struct lb_cpu_words w = whole;

    (void)state;
    w.max_leaf = 0;
    lb_test_cpu(&w);
    assert_true(lb_cpu_present() == 0);
    w.max_leaf = 6;
    lb_test_cpu(&w);
    assert_true(has("avx") && !has("avx2") && !has("adx"));
    w = whole;
    w.eax_7 = 0; /* no subleaf 1 */
    lb_test_cpu(&w);
    assert_true(has("avx512ifma") && !has("avx_ifma"));
}

static void operating_system(void **state)
{
    struct lb_cpu_words w = whole;

    (void)state;
    w.ecx_1 &= ~OSXSAVE; /* then XCR0 must not count, whatever it would be */
    lb_test_cpu(&w);
    assert_true(has("adx") && has("bmi2") && has("sha_ni") && has("aes") && has("sse4.2"));
    assert_false(has("avx") || has("avx2") || has("vaes") || has("avx512f"));
    answers("avx2", LB_CPU_UNSAVED, "the operating system does not save the registers of avx");

    w = whole;
    for (unsigned missing = 0; missing < 8; missing++) {
        w.xcr0 = 0xe7 & ~((uint64_t)1 << missing);
        lb_test_cpu(&w);
        assert_int_equal(has("avx2"), missing != 1 && missing != 2);
        assert_int_equal(has("avx512ifma"), missing == 0 || missing == 3 || missing == 4);
        assert_true(has("adx"));
    }
    w.xcr0 = 7;
    lb_test_cpu(&w);
    answers("bmi2 avx512ifma", LB_CPU_UNSAVED,
            "the operating system does not save the registers of avx512f");
}

/* A feature without what it rests on, as some hypervisors show, is no feature. */
static void foundations_missing(void **state)
{
    struct lb_cpu_words w = whole;

    (void)state;
    w.ebx_7 &= ~((uint32_t)1 << 16); /* avx512f */
    lb_test_cpu(&w);
    assert_false(has("avx512f") || has("avx512ifma") || has("avx512vbmi"));
    assert_true(has("avx2"));
    answers("avx512ifma", LB_CPU_LACKS, "the CPU lacks avx512f");
    w.xcr0 = 0;
    lb_test_cpu(&w);
    answers("avx512ifma", LB_CPU_LACKS, "the CPU lacks avx512f");
}

/* Whether what is denied meets what is needed. */
static bool meets(const char *needs, lb_cpu_set denied)
{
    return lb_cpu_named(needs) & denied;
}

static void denial(void **state)
{
    (void)state;
    assert_true(lb_cpu_named("bmi2 adx") == (bit("bmi2") | bit("adx")));
    assert_true(lb_cpu_named("  adx nosuch avx ") == (bit("adx") | bit("avx")));
    assert_true(lb_cpu_named("an_extremely_long_name_of_a_feature") == 0);
    assert_true(lb_cpu_named("") == 0);
    assert_true(meets("bmi2 adx", matching("adx")));
    assert_true(meets("avx512ifma", matching("avx")));
    assert_true(meets("avx512ifma", matching("avx2")));
    assert_false(meets("bmi2", matching("avx")));
    assert_false(meets("", matching("*")));
}

static void unknown(void **state)
{
    (void)state;
    lb_test_cpu(&whole);
    answers("adx nosuch", LB_CPU_UNKNOWN,
            "it needs the CPU feature \"nosuch\", which this version does not know");
    answers("an_extremely_long_name_of_a_feature", LB_CPU_UNKNOWN,
            "it needs the CPU feature \"an_extremely_long_name_\", which this version does not "
            "know");
}

/* The hook for other tests: features with what they rest on, nothing else. */
static void chosen(void **state)
{
    (void)state;
    lb_test_cpu_has(0);
    assert_true(lb_cpu_present() == 0);
    lb_test_cpu_has(bit("adx") | bit("avx2"));
    assert_true(has("adx") && has("avx2") && has("avx") && has("sse2"));
    assert_false(has("bmi2") || has("avx512f") || has("vaes"));
    lb_test_cpu_has(~(lb_cpu_set)0);
    assert_true(lb_cpu_present() == matching("*"));
}

/* ---- Tiers -------------------------------------------------------------------------------- */

static struct limbic_tier tiers[3];
static struct limbic_provider provider;

/* A provider with portable's kernels at the tiers ifma, adx and base. */
static unsigned first_tier(const struct lb_cpu_words *words)
{
    const struct lb_registry *registry;
    int index;

    lb_test_reset(NULL);
    registry = lb_registry();
    provider = *registry->provider[registry->last_resort].table;
    for (unsigned i = 0; i < 3; i++)
        tiers[i] = provider.tiers[0];
    tiers[0].name = "ifma", tiers[0].needs = "bmi2 avx512vl avx512ifma";
    tiers[1].name = "adx", tiers[1].needs = "bmi2 adx";
    tiers[2].name = "base", tiers[2].needs = "";
    provider.name = "tiers", provider.tiers = tiers, provider.tier_count = 3;
    lb_test_reset(NULL);
    lb_test_cpu(words);
    lb_test_register(&provider);
    index = lb_registry_provider("tiers");
    assert_true(index >= 0);
    assert_int_equal(lb_registry()->provider[index].state, LB_USABLE);
    return lb_registry()->provider[index].first_tier;
}

static void tier_is(unsigned tier, enum lb_availability state, const char *wanted)
{
    const struct lb_tier_entry *entry = &lb_registry()->tier[tier];

    assert_int_equal(entry->state, state);
    assert_string_equal(entry->why, wanted);
}

static lb_cpu_set needs_of(unsigned tier)
{
    return lb_registry()->tier[tier].needs;
}

static void tiers_of_a_provider(void **state)
{
    struct lb_cpu_words w = whole;
    unsigned first = first_tier(&whole);

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        tier_is(first + i, LB_USABLE, "");
    assert_true(needs_of(first) & matching("avx512*"));
    assert_false(needs_of(first + 1) & matching("avx512*"));
    assert_true(needs_of(first + 1) & matching("*"));
    assert_false(needs_of(first + 2) & matching("*"));

    w.xcr0 = 7;
    w.ebx_7 &= ~((uint32_t)1 << 19); /* adx */
    first = first_tier(&w);
    tier_is(first, LB_NO_CPU, "the operating system does not save the registers of avx512f");
    tier_is(first + 1, LB_NO_CPU, "the CPU lacks adx");
    tier_is(first + 2, LB_USABLE, "");
    assert_true(needs_of(first + 1) == (bit("bmi2") | bit("adx")));
    assert_int_equal(lb_registry()->tier[first].family[1], -1);
    assert_true(lb_registry()->tier[first + 2].family[1] >= 0);
}

/* On the machine at hand: whatever is there, the questions agree with each other. */
static void this_machine(void **state)
{
    lb_cpu_set present = lb_cpu_present();

    (void)state;
    for (unsigned i = 0; lb_cpu_feature_name(i); i++) {
        char why[160];
        bool offers = lb_cpu_offers(lb_cpu_feature_name(i), why, sizeof why) == LB_CPU_OFFERS;

        assert_int_equal(offers, present >> i & 1);
        assert_int_equal(offers, *why == '\0');
        if (!offers)
            assert_false(lb_cpu_closure((lb_cpu_set)1 << i) & present);
    }
#if defined __x86_64__
    assert_true(has("sse2"));
    assert_int_equal(has("avx2"), __builtin_cpu_supports("avx2") != 0);
    assert_int_equal(has("bmi2"), __builtin_cpu_supports("bmi2") != 0);
    assert_int_equal(has("avx512f"), __builtin_cpu_supports("avx512f") != 0);
    assert_int_equal(has("avx512ifma"), __builtin_cpu_supports("avx512ifma") != 0);
#else
    assert_true(present == 0 || has("sse2"));
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(names, real),
        cmocka_unit_test_teardown(closures, real),
        cmocka_unit_test_teardown(everything, real),
        cmocka_unit_test_teardown(short_cpuid, real),
        cmocka_unit_test_teardown(operating_system, real),
        cmocka_unit_test_teardown(foundations_missing, real),
        cmocka_unit_test_teardown(denial, real),
        cmocka_unit_test_teardown(unknown, real),
        cmocka_unit_test_teardown(chosen, real),
        cmocka_unit_test_teardown(tiers_of_a_provider, real),
        cmocka_unit_test_teardown(this_machine, real),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
