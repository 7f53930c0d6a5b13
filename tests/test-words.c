/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of the words of LIMBIC beyond the chain: overrides, features, licences, explain, the
 * program's words; that the report has the reason for every decision, and that every name it prints
 * is accepted in a word.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "dispatch/cpu.h"
#include "dispatch/curve-names.h"
#include "dispatch/license.h"
#include "dispatch/module.h"
#include "dispatch/plan.h"
#include "dispatch/report.h"
#include "tests/fake-provider.h"

/* ---- Helpers -------------------------------------------------------------------------------- */

static uint64_t features(const char *names)
{
    char copy[128];
    uint64_t set = 0;

    snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok(copy, " "); name; name = strtok(NULL, " ")) {
        assert_true(lb_cpu_feature(name) >= 0);
        set |= (uint64_t)1 << lb_cpu_feature(name);
    }
    return set;
}

/* Why the module of that name is not there, in a text that lasts until the next call. */
static const char *no_module(const char *before, const char *name)
{
    static char text[256];

    if (lb_module_directory())
        snprintf(text, sizeof text, "%smodule not found: /nowhere/limbic-provider-%s.so", before,
                 name);
    else
        snprintf(text, sizeof text, "%snot built: this build loads no modules", before);
    return text;
}

/* Begins anew, with both providers, on a CPU with these features. */
static void begin_on(const char *words, const char *cpu)
{
    lb_test_module_directory("/nowhere");
    lb_test_reset(words);
    lb_test_cpu_has(features(cpu));
    fake_providers_reset();
    lb_test_register(&fake_a.provider);
    lb_test_register(&fake_b.provider);
}

/* All that the fake providers need, and not what native needs above its baseline. */
static void begin(const char *words)
{
    begin_on(words, "bmi2 sha_ni avx avx2");
}

static int setup(void **state)
{
    (void)state;
    begin("");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lb_test_module_directory(NULL);
    lb_test_reset("");
    lb_test_cpu(NULL);
    return 0;
}

/* The kernel in the slot, "fake_a/low". */
static const char *server(enum limbic_slot slot, size_t bits)
{
    static char name[LB_TIER_NAME_SIZE];
    gpg_error_t err;
    const struct lb_plan *plan = lb_plan_current(&err);

    if (!plan)
        return lb_error_detail();
    lb_tier_name(name, lb_registry()->family[lb_plan_row(plan, bits)->family[slot]].tier);
    return name;
}

static void fails(const char *words, gpg_err_code_t code, const char *detail)
{
    gpg_error_t err = 0;

    begin(words);
    assert_null(lb_plan_current(&err));
    if (gpg_err_code(err) != code || !strstr(lb_error_detail(), detail))
        print_error("%s: %s (%s)\n", words, gpg_strerror(err), lb_error_detail());
    assert_int_equal(gpg_err_code(err), code);
    assert_non_null(strstr(lb_error_detail(), detail));
}

/* All the warnings of the words, which are no error. */
static void warns(const char *words, const char *wanted)
{
    const struct lb_policy *policy;
    bool found = false;

    begin(words);
    policy = lb_plan_policy(lb_plan_latest());
    assert_int_equal(policy->code, 0);
    for (unsigned i = 0; i < policy->warning_count && i < LB_WARNINGS_MAX; i++)
        found |= strstr(policy->warning[i], wanted) != NULL;
    if (!found)
        print_error("%s: %s\n", words, policy->warning_line);
    assert_true(found);
}

static void quiet(const char *words)
{
    begin(words);
    if (lb_policy_warning())
        print_error("%s: %s\n", words, lb_policy_warning());
    assert_null(lb_policy_warning());
}

static void says(enum lb_report_kind kind, int json, const char *wanted)
{
    char *text;

    assert_int_equal(lb_report(&text, kind, json, NULL, 0), 0);
    if (!strstr(text, wanted))
        print_error("no \"%s\" in:\n%s", wanted, text);
    assert_non_null(strstr(text, wanted));
    free(text);
}

/* The reason, in the text and with its key in the JSON. */
static void explains(const char *text, const char *key)
{
    char member[64];

    says(LB_REPORT_EXPLAIN, 0, text);
    snprintf(member, sizeof member, "\"reason\":\"%s\"", key);
    says(LB_REPORT_EXPLAIN, 1, member);
}

/* ---- Parts ---------------------------------------------------------------------------------- */

static void test_globs(void **state)
{
    static const struct {
        const char *glob, *name;
        bool matches;
    } cases[] = {
        {"mont_pow", "mont_pow", true},
        {"mont_pow", "mont_pow_x8", false},
        {"mont_pow*", "mont_pow", true},
        {"mont_pow*", "mont_pow_x8", true},
        {"*", "add", true},
        {"*", "", true},
        {"", "", true},
        {"", "add", false},
        {"?dd", "add", true},
        {"??dd", "add", false},
        {"*_vartime", "mul_vartime", true},
        {"*_*e", "mul_vartime", true},
        {"*a*b*c", "xaybzc", true},
        {"*a*b*c", "xaybz", false},
        {"**", "add", true},
        {"a*?", "a", false},
        {"*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(lb_glob_matches(cases[i].glob, cases[i].name), cases[i].matches);
}

static void test_licenses(void **state)
{
    (void)state;
    assert_true(lb_license_allows("mit", "MIT"));
    assert_true(lb_license_allows("isc,mit", "MIT"));
    assert_false(lb_license_allows("mit", "MIT-0"));
    assert_false(lb_license_allows("mit-0", "MIT"));
    assert_true(lb_license_allows("mit", "Apache-2.0 OR MIT"));
    assert_true(lb_license_allows("gpl-2.0-or-later", "LGPL-3.0-or-later OR GPL-2.0-or-later"));
    assert_false(lb_license_allows("gpl-3.0-only", "LGPL-3.0-or-later OR GPL-2.0-or-later"));
    assert_false(lb_license_allows("mit", "MIT AND ISC"));
    assert_true(lb_license_allows("mit,isc", "MIT AND ISC"));
    assert_true(lb_license_allows("isc", "MIT AND Zlib OR ISC"));
    assert_false(lb_license_allows("mit", "MIT AND (Zlib OR ISC)"));
    assert_true(lb_license_allows("mit,isc", "(MIT AND (Zlib or ISC))"));
    assert_true(lb_license_allows("gpl-3.0-only", "GPL-3.0-only WITH GCC-exception-3.1"));
    for (size_t i = 0; i < 9; i++) {
        static const char *const malformed[] = {
            "",         "MIT OR", "OR MIT",
            "(MIT",     "MIT)",   "MIT MIT",
            "MIT WITH", "()",     "MIT OR (((((((((MIT)))))))))"};

        assert_false(lb_license_allows("mit", malformed[i]));
    }
    assert_true(lb_license_is_known("lgpl-2.1-OR-later"));
    assert_true(lb_license_is_known("LicenseRef-x"));
    assert_false(lb_license_is_known("LicenseRef-"));
    assert_false(lb_license_is_known("GPL"));
    assert_string_equal(lb_license_nearest("apache-2"), "Apache-2.0");
}

/* ---- Overrides ------------------------------------------------------------------------------ */

static void test_overrides(void **state)
{
    (void)state;
    begin("mont_pow=fake_b");
    assert_string_equal(server(LIMBIC_SLOT_MONT_POW, 256), "fake_b");
    assert_string_equal(server(LIMBIC_SLOT_MONT_POW, 16384), "fake_b");
    assert_string_equal(server(LIMBIC_SLOT_MONT_INV, 256), "derived");
    begin("MONT_Pow*=FAKE_B");
    assert_string_equal(server(LIMBIC_SLOT_MONT_POW, 2048), "fake_b");
    /* fake_b has none, so the chain goes on */
    assert_string_equal(server(LIMBIC_SLOT_MONT_POW_BASE, 2048), "derived");
    begin("fake_a mont_*/2048=fake_b mont_mul/2048=fake_a/low");
    assert_string_equal(server(LIMBIC_SLOT_MONT_MUL, 2048), "fake_a/low");
    assert_string_equal(server(LIMBIC_SLOT_MONT_POW, 2048), "fake_b");
    assert_string_equal(server(LIMBIC_SLOT_MONT_POW, 1537), "fake_b");
    assert_string_equal(server(LIMBIC_SLOT_MONT_POW, 1536), "fake_a/high");
    assert_string_equal(server(LIMBIC_SLOT_MONT_POW, 3072), "fake_a/high");
    assert_string_equal(server(LIMBIC_SLOT_ADD, 2048), "fake_a/high");
    begin("mul=fake_a mul=fake_b");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_b");
    begin("mul=fake_b mul=fake_a/mid");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_a/mid");
    /* what is not there is passed over, and the one before it counts */
    begin("mul=fake_b mul=gmp");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_b");
    says(LB_REPORT_EXPLAIN, 0, no_module("override         mul=gmp (LIMBIC, word 2): ", "gmp"));
    assert_non_null(strstr(lb_policy_warning(), no_module("word 2, \"mul=gmp\": ", "gmp")));
    quiet("try:portable mul=gmp mul=nosuch");
    quiet("only:fake_a,fake_b mul=fake_b add=derived mont_*=fake_a/mid");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_b");
    /* under only: without a tier it means the tiers that are listed */
    quiet("only:fake_a/low mul=fake_a");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_a/low");
}

static void test_override_faults(void **state)
{
    char many[LB_WORDS_MAX] = "";

    (void)state;
    warns("mont_pwo=fake_b", "word 1, \"mont_pwo=fake_b\": unknown setting; the nearest is "
                             "\"mont_pow\"");
    warns("mont_pwo/2048=fake_b", "no slot has that name; the nearest is \"mont_pow\"");
    warns("x*=fake_b", "no slot has that name");
    warns("mont_pow/2000=fake_b", "no size class; moduli of 2000 bits belong to 2048");
    warns("mont_pow/99999=fake_b", "belong to 16384");
    warns("mont_pow/=fake_b", "neither a size class nor a curve");
    warns("ec_mul/P-2566=fake_b", "neither a size class nor a curve; the nearest is \"P-256\"");
    warns("ec_mul/2048=fake_b", "slots of curves have no size classes");
    warns("mont_pow/P-256=fake_b", "only slots of curves are chosen by curve");
    warns("ec_mul/P-256=fake_b", "no slot of curves is in use in this version");
    warns("ec_mul=fake_b", "no slot of curves is in use in this version");
    warns("mul=", "behind the = stands neither");
    warns("mul=a,b", "behind the = stands neither");
    warns("mul=fake_a/", "behind the = stands neither");
    warns("mul=fake_a/hihg", "no tier of that name; the nearest is \"high\"; passed over");
    warns("mul=fake_c",
          no_module("no provider of that name; the nearest is \"fake_a\"; ", "fake_c"));
    warns("mul=fake_c", "; passed over");
    fails("only:fake_a mul=fake_b", GPG_ERR_CONFLICT,
          "LIMBIC: word 2, \"mul=fake_b\": the chain, closed by only:, does not list it");
    fails("mul=fake_b only:fake_a", GPG_ERR_CONFLICT, "word 1");
    fails("only:fake_a/mid mul=fake_a/high", GPG_ERR_CONFLICT, "word 2");
    fails("only:fake_a mul=gmp", GPG_ERR_NOT_FOUND, "word 2, \"mul=gmp\"");
    fails("only:fake_a mul=fake_a -all mul=fake_a/high", GPG_ERR_NOT_SUPPORTED, "denied by LIMBIC");
    fails("only:fake_a mlu=fake_a", GPG_ERR_UNKNOWN_NAME, "\"mlu=fake_a\"");
    fails("only:fake_a mul/1=fake_a", GPG_ERR_UNKNOWN_NAME, "no size class");
    for (int i = 0; i <= LB_OVERRIDE_MAX; i++)
        strcat(many, "mul=fake_b ");
    fails(many, GPG_ERR_TOO_LARGE, "more than 32 overrides");
}

static void test_curves(void **state)
{
    (void)state;
    for (int id = 1; id < LIMBIC_CURVE_COUNT; id++) {
        const char *name = lb_curve_name((enum limbic_curve_id)id);
        char word[64];

        assert_non_null(name);
        assert_int_equal(lb_curve_by_name(name), id);
        snprintf(word, sizeof word, "ec_mul*/%s=fake_b", name);
        warns(word, "no effect yet");
        assert_int_equal(lb_plan_policy(lb_plan_latest())->warning_count, 1);
        says(LB_REPORT_EXPLAIN, 0, name);
    }
    assert_int_equal(lb_curve_by_name("PRIME256V1"), LIMBIC_CURVE_P256);
    assert_int_equal(lb_curve_by_name("P-265"), LIMBIC_CURVE_NONE);
}

/* ---- Features ------------------------------------------------------------------------------- */

static void test_features(void **state)
{
    (void)state;
    begin("fake_a");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_a/high");
    begin("fake_a -sha_ni");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_a/mid");
    explains("not fake_a/high: needs sha_ni, denied by LIMBIC, word 2", "feature-denied");
    begin("-AVX fake_a");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_a/mid");
    explains("needs avx2, which depends on avx, denied by LIMBIC, word 1", "feature-denied");
    says(LB_REPORT_EXPLAIN, 0, "denied           avx (LIMBIC, word 1)\n");
    says(LB_REPORT_EXPLAIN, 0, "avx512ifma (LIMBIC, word 1; it depends on avx)\n");
    begin("fake_a -all");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_a/low");
    assert_true(lb_plan_policy(lb_plan_latest())->selection.denied ==
                (((uint64_t)1 << lb_cpu_feature_count()) - 1 - lb_cpu_baseline()));
    begin("fake_a -avx512*");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_a/high");
    says(LB_REPORT_EXPLAIN, 1, "\"feature\":\"avx512ifma\"");
    begin("fake_a -sha_ni -bmi2");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_a/low");
    begin("only:fake_a -sha_ni");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_a/mid");
    warns("fake_a/high -sha_ni",
          "\"fake_a/high\": needs sha_ni, denied by LIMBIC, word 2; passed over");
    fails("only:fake_a/high -sha_ni", GPG_ERR_NOT_SUPPORTED, "denied by LIMBIC, word 2");
    fails("-adxx", GPG_ERR_UNKNOWN_NAME,
          "word 1, \"-adxx\": unknown CPU feature; the nearest is "
          "\"adx\"");
    fails("-xyz*", GPG_ERR_UNKNOWN_NAME, "unknown CPU feature");
    fails("portable -", GPG_ERR_SYNTAX, "no feature is named");
    fails("-native", GPG_ERR_UNKNOWN_NAME, "unknown CPU feature");
    says(LB_REPORT_LIST, 0, "portable ");
}

static void test_other_cpus(void **state)
{
    (void)state;
    begin_on("fake_a", "bmi2");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_a/mid");
    explains("not fake_a/high: the CPU lacks sse2", "cpu"); /* which avx2 rests on */
    says(LB_REPORT_INFO, 0, "CPU features     bmi2\n");
    begin_on("fake_a", "bmi2 avx2");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_a/mid");
    explains("not fake_a/high: the CPU lacks sha_ni", "cpu");
    begin_on("fake_a -bmi2", "bmi2");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_a/low");
    says(LB_REPORT_INFO, 0, "CPU features     bmi2 (denied)\n");
    begin_on("only:fake_a/high", "");
    assert_non_null(strstr(server(LIMBIC_SLOT_MUL, 512), "the CPU lacks"));
}

/* ---- Licences ------------------------------------------------------------------------------- */

static void test_license_words(void **state)
{
    (void)state;
    begin("fake_b,fake_a license=MIT");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_a/high");
    explains(
        "not fake_b: its licence GPL-3.0-or-later is not among those of license= (LIMBIC, word "
        "2)",
        "license");
    assert_non_null(strstr(lb_policy_warning(), "element 1, \"fake_b\": its licence"));
    begin("fake_b,fake_a license=apache-2.0,gpl-3.0-or-later");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_b");
    /* each word restricts */
    begin("fake_b,fake_a license=apache-2.0,gpl-3.0-or-later license=mit");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_a/high");
    says(LB_REPORT_INFO, 0, "modules under    apache-2.0,gpl-3.0-or-later (LIMBIC, word 2)\n");
    /* what is built in is exempt */
    begin("fake_b license=zlib");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "portable");
    fails("only:fake_b license=MIT", GPG_ERR_NOT_SUPPORTED, "its licence GPL-3.0-or-later");
    fails("license=", GPG_ERR_SYNTAX, "no licence is named");
    fails("license=MITT", GPG_ERR_UNKNOWN_NAME, "unknown licence \"mitt\"; the nearest is \"MIT\"");
    fails("license=MIT,", GPG_ERR_UNKNOWN_NAME, "unknown licence \"\"");
    fails("license=MIT license=MIT license=MIT license=MIT license=MIT", GPG_ERR_TOO_LARGE,
          "word 5");
    fails("licence=MIT", GPG_ERR_UNKNOWN_NAME, "the nearest is \"license\"");
    /* an identifier that only the module itself has */
    begin("fake_b license=Foo-1.0");
    fake_b.provider.license = "Foo-1.0";
    assert_string_equal(server(LIMBIC_SLOT_MUL, 512), "fake_b");
}

/* ---- Restrictions where none can stand ------------------------------------------------------- */

/* Each would be lost, were it taken for a name that is not there, or for a word that nobody knows. */
static const struct hidden_case {
    const char *words;
    gpg_err_code_t code;
    const char *found; /* what is said to hide */
} hidden_cases[] = {
    {"try:auto,-avx2", GPG_ERR_SYNTAX, "octet 10, \"-avx2\""},
    {"auto,-avx2", GPG_ERR_SYNTAX, "\"-avx2\""},
    {"try:auto,-avx512*", GPG_ERR_SYNTAX, "\"-avx512\""},
    {"try:-avx2", GPG_ERR_SYNTAX, "\"-avx2\""},
    {"try:fake_a/-avx2", GPG_ERR_SYNTAX, "\"-avx2\""},
    {"'-avx2'", GPG_ERR_SYNTAX, "\"-avx2\""},
    {"limbic=-avx2", GPG_ERR_SYNTAX, "\"-avx2\""},
    {"mul=-avx2", GPG_ERR_SYNTAX, "\"-avx2\""},
    {"try:portable mul=-avx2", GPG_ERR_SYNTAX, "LIMBIC: word 2, \"mul=-avx2\""},
    {"try:portable mul=fake_b,-avx2", GPG_ERR_SYNTAX, "\"-avx2\""},
    {"ab=fake_a,-avx2", GPG_ERR_SYNTAX, "\"-avx2\""},
    {"\xe2\x80\x93"
     "avx2",
     GPG_ERR_SYNTAX, "words are printable ASCII"},                         /* U+2013 */
    {"license=MIT\xc2\xa0-avx2", GPG_ERR_UNKNOWN_NAME, "unknown licence"}, /* U+00A0 */
    {"try:portable,only:fake_a", GPG_ERR_UNKNOWN_NAME, "\"only\""},
    {"fake_a,only:portable", GPG_ERR_UNKNOWN_NAME, "\"only\""},
    {"try:portable,onyl:fake_a", GPG_ERR_UNKNOWN_NAME, "\"onyl\""},
    {"try:portable,x:fake_a", GPG_ERR_SYNTAX, "\":\""},
    {"try:portable:fake_a", GPG_ERR_SYNTAX, "\":\""},
    {"try:portable,mul=fake_a", GPG_ERR_SYNTAX, "\"=\""},
    {"portable,mul=fake_a", GPG_ERR_SYNTAX, "\"=\""},
    {"try:mul=fake_a", GPG_ERR_SYNTAX, "\"=\""},
    {"chain=x:fake_a", GPG_ERR_SYNTAX, "\":\""},
    {"mul=mul=fake_a", GPG_ERR_SYNTAX, "\"=\""},
    {"try:portable,!fake_a", GPG_ERR_SYNTAX, "\"!\""},
    {"try:!portable", GPG_ERR_SYNTAX, "\"!\""},
    {"license =MIT", GPG_ERR_UNKNOWN_NAME, "the nearest is \"license\""},
    {"license = MIT fake_b", GPG_ERR_UNKNOWN_NAME, "word 1, \"license\""},
    {"license", GPG_ERR_UNKNOWN_NAME, "\"license\""},
    {"=MIT", GPG_ERR_SYNTAX, "\"=\""},
    {"license*=MIT fake_b", GPG_ERR_UNKNOWN_NAME, "\"license\""},
    {"license/=MIT fake_b", GPG_ERR_UNKNOWN_NAME, "\"license\""},
    {"license/MIT", GPG_ERR_UNKNOWN_NAME, "\"license\""},
    {"license,MIT", GPG_ERR_UNKNOWN_NAME, "\"license\""},
    {"license(MIT)", GPG_ERR_UNKNOWN_NAME, "\"license\""},
    {"license-MIT", GPG_ERR_UNKNOWN_NAME, "\"license-mit\""},
    {"Lisence MIT", GPG_ERR_UNKNOWN_NAME, "\"lisence\""},
    {"try:lisence,MIT", GPG_ERR_UNKNOWN_NAME, "\"lisence\""},
    {"lic=MIT fake_b", GPG_ERR_UNKNOWN_NAME, "\"lic\""},
    {"fake_b,license=MIT", GPG_ERR_UNKNOWN_NAME, "\"license\""},
    {"try:license=MIT", GPG_ERR_UNKNOWN_NAME, "\"license\""},
    {"try:fake_b mul=license=MIT", GPG_ERR_UNKNOWN_NAME, "\"license\""},
    {"only portable", GPG_ERR_UNKNOWN_NAME, "the nearest is \"only:\""},
    {"only=portable", GPG_ERR_UNKNOWN_NAME, "\"only\""},
    {"only,portable", GPG_ERR_UNKNOWN_NAME, "\"only\""},
    {"try:only,portable", GPG_ERR_UNKNOWN_NAME, "octet 5, \"only\""},
    {"try:only:portable", GPG_ERR_UNKNOWN_NAME, "\"only\""},
    {"only/portable", GPG_ERR_UNKNOWN_NAME, "\"only\""},
    {"only*=portable", GPG_ERR_UNKNOWN_NAME, "\"only\""},
    {"only-portable", GPG_ERR_UNKNOWN_NAME, "\"only-portable\""},
    {"onlyportable", GPG_ERR_UNKNOWN_NAME, "\"onlyportable\""},
    {"only2", GPG_ERR_UNKNOWN_NAME, "\"only2\""},
    {"try:onyl,portable", GPG_ERR_UNKNOWN_NAME, "\"onyl\""},
    {"try:portable mul=only", GPG_ERR_UNKNOWN_NAME, "\"only\""},
};

static void test_hidden_restrictions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hidden_cases / sizeof *hidden_cases; i++) {
        const struct hidden_case *c = &hidden_cases[i];
        char second[128];

        fails(c->words, c->code, c->found);
        /* nor where it stands in a chain that is not in force */
        snprintf(second, sizeof second, "fake_a %s", c->words);
        fails(second, c->code, "LIMBIC: word ");
    }
    for (size_t i = 0; i < lb_slot_count; i++) {
        char word[64];

        snprintf(word, sizeof word, "try:portable %s*=fake_b", lb_slots[i].name);
        begin(word);
        assert_int_equal(lb_plan_policy(lb_plan_latest())->code, 0);
    }
    warns("ab=fake_a:10%,fake_b:20%", "not in this version");
    warns("one-provider,silence,an-onion", "passed over");
}

/* What restricts beyond the chain is not lost either where other words take its place. */
static void test_hidden_and_replaced(void **state)
{
    static const char *const held[] = {"try:auto,-avx2",
                                       "mul=-avx2",
                                       "license MIT",
                                       "fake_b,license=MIT",
                                       "fake_b,mul=fake_a,-avx2",
                                       "only:fake_a,only:fake_b,-avx2",
                                       ("\xe2\x88\x92"
                                        "avx2")};
    static const char *const given_up[] = {"only portable", "try:only,portable", "x,y:z",
                                           "only=portable"};
    static struct lb_policy policy;
    struct lb_asked asked = {.program = "fake_b"};

    (void)state;
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        asked.variable = held[i];
        assert_int_not_equal(lb_policy_make(&policy, &asked), 0);
        assert_non_null(strstr(lb_error_detail(), "LIMBIC: word 1"));
    }
    for (size_t i = 0; i < sizeof given_up / sizeof *given_up; i++) {
        asked.variable = given_up[i];
        assert_int_equal(lb_policy_make(&policy, &asked), 0);
    }
}

/* ---- One line ------------------------------------------------------------------------------- */

static void is_one_line(const char *text)
{
    for (; *text; text++) {
        assert_false((unsigned char)*text < ' ' || *text == 0x7f);
        assert_false((unsigned char)text[0] == 0xc2 && ((unsigned char)text[1] & 0xe0) == 0x80);
    }
}

/* No line ends early, whatever stands in words and in what modules say of themselves. */
static void is_told_in_one_line(const char *wanted)
{
    gpg_error_t err;
    const struct lb_policy *policy = lb_plan_policy(lb_plan_latest());
    char *text, *at;

    if (!lb_plan_current(&err)) {
        is_one_line(lb_error_detail());
        assert_non_null(strstr(lb_error_detail(), wanted));
    } else {
        assert_non_null(lb_policy_warning());
        is_one_line(lb_policy_warning());
        assert_non_null(strstr(lb_policy_warning(), wanted));
    }
    for (unsigned i = 0; i < policy->warning_count && i < LB_WARNINGS_MAX; i++)
        is_one_line(policy->warning[i]);
    for (unsigned i = 0; i < policy->element_count; i++)
        is_one_line(policy->element[i].missing);
    assert_int_equal(lb_report(&text, LB_REPORT_EXPLAIN, 0, NULL, 0), 0);
    for (at = text; *at; at++)
        if (*at == '\n')
            *at = ' ';
    is_one_line(text);
    free(text);
    assert_int_equal(lb_report(&text, LB_REPORT_LIST, 0, NULL, 0), 0);
    assert_null(strstr(text, "\nerror: "));
    assert_null(strchr(text, '\033'));
    free(text);
}

static void test_one_line_of_foreign_strings(void **state)
{
    (void)state;
    begin("license=\033[31mX");
    is_told_in_one_line("unknown licence \"?[31mx\"");
    begin("license=\x7f\xc2\x9bX");
    is_told_in_one_line("unknown licence \"???x\"");
    begin("only:fake_b license=MIT");
    fake_b.provider.license = "MIT\nerror: \033[31mfake";
    is_told_in_one_line("its licence MIT?error: ?[31mfake is not among");
    begin("fake_b license=MIT");
    fake_b.provider.license = "MIT\nerror: \033[31mfake\xc2\x9b";
    is_told_in_one_line("its licence MIT?error: ?[31mfake?? is not among");
    begin("fake_a/low");
    fake_a.tier[2].not_built = "no\nerror: second\033";
    is_told_in_one_line("not built: no?error: second?");
    begin("fake_a/low");
    fake_a.tier[2].needs = "a\nerror:\033";
    is_told_in_one_line("the CPU feature \"a?error:?\"");
    begin("only:fake_b");
    fake_b.provider.version = "1\nerror: \033";
    fake_b.provider.limb_bits = 7;
    is_told_in_one_line("its limbs have 7 bits");
}

/* ---- Every other reason --------------------------------------------------------------------- */

static void test_reasons(void **state)
{
    (void)state;
    begin("fake_b mul/2048=fake_a/mid");
    explains("1537 to 2048 bits   fake_a/mid by override (LIMBIC, word 2)", "override");
    explains("not portable: override (LIMBIC, word 2)", "override");
    explains("not fake_b: override (LIMBIC, word 2)", "priority");
    says(LB_REPORT_EXPLAIN, 1, "\"by\":\"override\",\"origin\":\"variable\",\"word\":2");
    says(LB_REPORT_EXPLAIN, 1, "\"by\":\"chain\",\"origin\":\"variable\",\"word\":1");
    explains("not fake_a/high: not in the chain (LIMBIC, word 1)", "not-in-chain");
    begin("fake_a/low");
    explains("not fake_a/high: the chain names a lower tier (LIMBIC, word 1)", "capped");
    explains("not derived: priority", "priority");
    explains("not fake_a/low: has no kernel for it; derived computes it over its limb functions",
             "empty");
    begin("only:fake_b");
    explains("not portable: denied by only: (LIMBIC, word 1)", "denied");
    begin("");
    explains("not fake_b: not in the chain (built-in default)", "not-in-chain");
    says(LB_REPORT_EXPLAIN, 1, "\"by\":\"chain\",\"origin\":\"default\",\"word\":null");
    begin("fake_a");
    fake_a.tier[1].not_built = "the assembler lacks it";
    explains("not fake_a/mid: not built: the assembler lacks it", "not-built");
    begin("fake_b");
    atomic_store(&fake_b_lies_above, 2);
    assert_int_equal(lb_dispatch_ready(256), 0);
    assert_string_equal(server(LIMBIC_SLOT_MONT_MUL, 256), "derived");
    explains("; not fake_b: quarantined: failed its self-test: ", "quarantined");
    begin("fake_b");
    fake_b.provider.limb_bits = 7;
    says(LB_REPORT_EXPLAIN, 0, "refused          fake_b: its limbs have 7 bits");
}

/* ---- The program's words -------------------------------------------------------------------- */

static void test_program(void **state)
{
    static struct lb_policy policy;
    struct lb_asked asked = {.variable = "only:nosuch license=MIT -sha_ni x=y",
                             .program = "fake_b,fake_a"};

    (void)state;
    assert_int_equal(lb_policy_make(&policy, &asked), 0);
    assert_int_equal(policy.origin, LB_ORIGIN_PROGRAM);
    assert_string_equal(policy.words, "fake_b,fake_a");
    assert_string_equal(policy.replaced, asked.variable);
    assert_int_equal(policy.warning_count, 1); /* fake_b's licence */
    assert_int_equal(policy.chain_source.origin, LB_ORIGIN_PROGRAM);
    assert_int_equal(policy.denial[lb_cpu_feature("sha_ni")].source.origin, LB_ORIGIN_VARIABLE);
    assert_int_equal(policy.denial[lb_cpu_feature("sha_ni")].source.word, 3);
    assert_int_equal(policy.selection.order.tier[0],
                     lb_registry_tier((unsigned)lb_registry_provider("fake_a"), "mid"));
    /* a restriction that is not understood cannot be replaced */
    asked.variable = "-nosuch";
    assert_int_equal(gpg_err_code(lb_policy_make(&policy, &asked)), GPG_ERR_UNKNOWN_NAME);
    asked.variable = "licence=MIT";
    assert_int_equal(gpg_err_code(lb_policy_make(&policy, &asked)), GPG_ERR_UNKNOWN_NAME);
    /* what does not restrict can */
    asked.variable = "onyl:gmp";
    assert_int_equal(lb_policy_make(&policy, &asked), 0);
    asked.program = "onyl:gmp";
    assert_int_equal(gpg_err_code(lb_policy_make(&policy, &asked)), GPG_ERR_UNKNOWN_NAME);
    assert_non_null(strstr(lb_error_detail(), "the program's words: word 1"));
    asked = (struct lb_asked){.ignored = true, .program = "fake_b"};
    assert_int_equal(lb_policy_make(&policy, &asked), 0);
    assert_true(policy.ignored);
}

/* ---- Names round trip ----------------------------------------------------------------------- */

/* Takes the next string or number that is the value of the member `key`; NULL: no more. */
static const char *next_value(const char **at, const char *key, char value[64])
{
    char member[32];
    const char *from;
    size_t length;

    snprintf(member, sizeof member, "\"%s\":", key);
    from = strstr(*at, member);
    if (!from)
        return NULL;
    from += strlen(member);
    from += *from == '"';
    length = strcspn(from, "\",}");
    assert_true(length < 64);
    snprintf(value, 64, "%.*s", (int)length, from);
    *at = from;
    return value;
}

/* Puts every value of the member into the word and has it read: nothing may be amiss. */
static unsigned walk(enum lb_report_kind kind, const char *key, const char *format)
{
    static struct lb_policy policy;
    char *json, value[64];
    const char *at;
    unsigned count = 0;

    assert_int_equal(lb_report(&json, kind, 1, NULL, 0), 0);
    for (at = json; next_value(&at, key, value); count++) {
        char word[160];

        if (!*value)
            continue;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(word, sizeof word, format, value);
#pragma GCC diagnostic pop
        (void)lb_policy_make(&policy, &(struct lb_asked){.variable = word});
        if (policy.code || policy.warning_count)
            print_error("%s: %s%s\n", word, policy.error, policy.warning_line);
        assert_int_equal(policy.code, 0);
        assert_int_equal(policy.warning_count, 0);
    }
    free(json);
    return count;
}

static void test_round_trip(void **state)
{
    (void)state;
    begin("-all -sse2 mul=fake_b license=MIT,GPL-3.0-or-later");
    assert_true(walk(LB_REPORT_LIST, "name", "try:%s") > 4);
    assert_true(walk(LB_REPORT_EXPLAIN, "kernel", "try:%s") > 20);
    assert_true(walk(LB_REPORT_EXPLAIN, "kernel", "try:portable mul=%s") > 20);
    assert_true(walk(LB_REPORT_EXPLAIN, "provider", "try:%s") > 1);
    assert_true(walk(LB_REPORT_EXPLAIN, "slot", "%s=portable") > 20);
    assert_true(walk(LB_REPORT_EXPLAIN, "max_bits", "mul/%s=portable") > 20);
    assert_true(walk(LB_REPORT_EXPLAIN, "min_bits", "mul/%s=portable") > 20);
    assert_true(walk(LB_REPORT_EXPLAIN, "feature", "-%s") == lb_cpu_feature_count());
    assert_true(walk(LB_REPORT_EXPLAIN, "policy", "%s:portable") == 1);
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++) {
        char word[64];

        snprintf(word, sizeof word, "mont_*/%u=fake_a", lb_size_class_bits[i]);
        quiet(word);
        assert_string_equal(server(LIMBIC_SLOT_MONT_MUL, lb_size_class_bits[i]), "fake_a/high");
    }
    for (unsigned i = 0; i < lb_cpu_feature_count(); i++) {
        char word[64];

        snprintf(word, sizeof word, "-%s", lb_cpu_feature_name(i));
        quiet(word);
    }
}

/* ---- explain -------------------------------------------------------------------------------- */

/* What is written to standard error while the library is used, by two first uses. */
static size_t written(const char *words, char *text, size_t size)
{
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    size_t length;
    gpg_error_t err;

    assert_non_null(file);
    fflush(stderr);
    begin(words);
    dup2(fileno(file), STDERR_FILENO);
    (void)lb_plan_current(&err);
    (void)lb_plan_current(&err);
    (void)lb_row_portable(512);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    length = fread(text, 1, size - 1, file);
    text[length] = '\0';
    fclose(file);
    return length;
}

static void test_explain(void **state)
{
    static char text[65536];
    char *report;

    (void)state;
    assert_int_equal(written("fake_b", text, sizeof text), 0);
    assert_true(written("fake_b Explain", text, sizeof text) > 1000);
    assert_int_equal(lb_report(&report, LB_REPORT_EXPLAIN, 0, NULL, 0), 0);
    assert_string_equal(text, report);
    free(report);
    /* also where nothing works */
    assert_true(written("explain only:gmp", text, sizeof text) > 100);
    assert_non_null(strstr(text, "every operation fails"));
}

/* One line says who computes, in which version, and why. */
static void test_one_line(void **state)
{
    (void)state;
    begin("fake_b");
    says(LB_REPORT_INFO, 0,
         "arithmetic by    derived 0.1.0 (8 slots at 2048 bits), fake_b 1.0 (18 slots at 2048 "
         "bits); "
         "asked for by: the variable LIMBIC\n");
    begin("only:gmp");
    says(LB_REPORT_INFO, 0, "arithmetic by    nobody; asked for by: the variable LIMBIC\n");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_globs, setup),
        cmocka_unit_test_setup(test_licenses, setup),
        cmocka_unit_test_setup(test_overrides, setup),
        cmocka_unit_test_setup(test_override_faults, setup),
        cmocka_unit_test_setup(test_curves, setup),
        cmocka_unit_test_setup(test_features, setup),
        cmocka_unit_test_setup(test_other_cpus, setup),
        cmocka_unit_test_setup(test_license_words, setup),
        cmocka_unit_test_setup(test_hidden_restrictions, setup),
        cmocka_unit_test_setup(test_hidden_and_replaced, setup),
        cmocka_unit_test_setup(test_one_line_of_foreign_strings, setup),
        cmocka_unit_test_setup(test_reasons, setup),
        cmocka_unit_test_setup(test_program, setup),
        cmocka_unit_test_setup(test_round_trip, setup),
        cmocka_unit_test_setup(test_explain, setup),
        cmocka_unit_test_setup(test_one_line, setup),
    };

    return cmocka_run_group_tests_name("words", tests, NULL, teardown);
}
