/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of dispatch: words, the registry's examination of providers, resolution, self-tests with
 * kernels that are wrong on purpose, blame, the report, and first use from many threads.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/nearest.h"
#include "dispatch/cpu.h"
#include "dispatch/environment.h"
#include "dispatch/module.h"
#include "dispatch/plan.h"
#include "dispatch/report.h"
#include "dispatch/text.h"
#include "providers/native/native.h"

extern const struct limbic_provider lb_provider_portable, lb_provider_derived;

/* What stands first in the default chain, where this build has it. */
#define BUILTINS 3 /* native, portable, derived */
#if LB_BUILD_BASELINE == LB_BUILD_YES
#define HAVE_NATIVE true
#define NATIVE "native/baseline,"
#define FIRST "native"
#define FIRST_POWER "native"
#else
#define HAVE_NATIVE false
#define NATIVE ""
#define FIRST "portable"
#define FIRST_POWER "derived"
#endif

/* ---- Providers for the tests ---------------------------------------------------------------- */

/* A provider with one tier whose level 1 begins as portable's. */
struct fake {
    struct limbic_provider provider;
    struct limbic_tier tier[2];
    struct limbic_limb_slots limbs;
    struct limbic_mod_family moduli;
};

static void make_fake(struct fake *f, const char *name)
{
    memset(f, 0, sizeof *f);
    f->limbs = *lb_provider_portable.tiers[0].limbs;
    f->moduli.size = sizeof f->moduli;
    f->tier[0] = (struct limbic_tier){.name = "", .needs = "", .limbs = &f->limbs};
    f->provider = (struct limbic_provider){
        .size = sizeof f->provider,
        .abi_major = LIMBIC_PROVIDER_ABI_MAJOR,
        .abi_minor = LIMBIC_PROVIDER_ABI_MINOR,
        .limb_bits = LIMBIC_LIMB_BITS,
        .name = name,
        .version = "1.0",
        .license = "MIT",
        .origin = "a test",
        .limb_slots_size = sizeof(struct limbic_limb_slots),
        .tier_size = sizeof(struct limbic_tier),
        .tier_count = 1,
        .tiers = f->tier,
    };
}

/* Schoolbook multiplication that loses the carry of its last row. */
static void mul_without_carry(limbic_limb_t *r, const limbic_limb_t *a, size_t an,
                              const limbic_limb_t *b, size_t bn, limbic_limb_t *scratch)
{
    const struct limbic_limb_slots *limbs = lb_provider_portable.tiers[0].limbs;

    (void)scratch;
    memset(r, 0, (an + bn) * sizeof *r);
    for (size_t i = 0; i < bn; i++)
        r[i + an] = limbs->addmul_1(r + i, a, an, b[i]);
    r[an + bn - 1] = 0;
}

/* Right until the sleeper awakes. */
static bool awake;

static limbic_limb_t sleeping_addmul_1(limbic_limb_t *r, const limbic_limb_t *a, size_t n,
                                       limbic_limb_t b)
{
    limbic_limb_t high = lb_provider_portable.tiers[0].limbs->addmul_1(r, a, n, b);

    r[0] ^= awake;
    return high;
}

static void sleeping_mul(limbic_limb_t *r, const limbic_limb_t *a, size_t an,
                         const limbic_limb_t *b, size_t bn, limbic_limb_t *scratch)
{
    lb_provider_portable.tiers[0].limbs->mul(r, a, an, b, bn, scratch);
    r[0] ^= awake;
}

static void sleeping_sqr(limbic_limb_t *r, const limbic_limb_t *a, size_t n, limbic_limb_t *scratch)
{
    lb_provider_portable.tiers[0].limbs->sqr(r, a, n, scratch);
    r[0] ^= awake;
}

/* A right mont_mul that wakes the sleeper: the first slot of level 2, so all of level 1 has passed.
   */
static void waking_mont_mul(const struct limbic_ops *ops, const struct limbic_modulus *m,
                            limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b,
                            limbic_limb_t *scratch)
{
    awake = true;
    lb_provider_derived.tiers[0].moduli->slots.mont_mul(ops, m, r, a, b, scratch);
}

static void right_mont_mul(const struct limbic_ops *ops, const struct limbic_modulus *m,
                           limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b,
                           limbic_limb_t *scratch)
{
    lb_provider_derived.tiers[0].moduli->slots.mont_mul(ops, m, r, a, b, scratch);
}

static void wrong_mont_sqr(const struct limbic_ops *ops, const struct limbic_modulus *m,
                           limbic_limb_t *r, const limbic_limb_t *a, limbic_limb_t *scratch)
{
    lb_provider_derived.tiers[0].moduli->slots.mont_sqr(ops, m, r, a, scratch);
    r[0] ^= 1;
}

static bool serves_512_to_2048(enum limbic_slot slot, size_t min_bits, size_t max_bits)
{
    (void)slot;
    return min_bits > 384 && max_bits <= 2048;
}

/* ---- Helpers -------------------------------------------------------------------------------- */

static char *report(enum lb_report_kind kind, int json)
{
    char *text = NULL;

    assert_int_equal(lb_report(&text, kind, json, NULL, 0), 0);
    assert_non_null(text);
    assert_int_equal(text[strlen(text) - 1], '\n');
    return text;
}

static void assert_says(enum lb_report_kind kind, int json, const char *wanted)
{
    char *text = report(kind, json);

    if (!strstr(text, wanted))
        print_error("no \"%s\" in:\n%s", wanted, text);
    assert_non_null(strstr(text, wanted));
    free(text);
}

static void assert_explains(const char *wanted)
{
    assert_says(LB_REPORT_EXPLAIN, 0, wanted);
}

/* That a slot is explained by `server`, then by why the tiers of native do not serve it: those that
   cannot be used say so themselves; then by the rest. */
static void assert_explains_all(const char *server, const char *why_not_native, const char *rest)
{
    const struct lb_registry *registry = lb_registry();
    char wanted[512];

    snprintf(wanted, sizeof wanted, "%s; ", server);
    for (unsigned i = 0; HAVE_NATIVE && i < registry->tier_count; i++) {
        char name[LB_TIER_NAME_SIZE];
        size_t used = strlen(wanted);

        lb_tier_name(name, i);
        if (strncmp(name, "native/", strlen("native/")) == 0)
            snprintf(wanted + used, sizeof wanted - used, "not %s: %s; ", name,
                     registry->tier[i].why[0] ? registry->tier[i].why : why_not_native);
    }
    snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s", rest);
    assert_explains(wanted);
}

/* The name of the provider whose kernel stands in the slot. */
static const char *server(const struct lb_plan *plan, enum limbic_slot slot, size_t bits)
{
    const struct lb_registry *registry = lb_registry();
    unsigned family = lb_plan_row(plan, bits)->family[slot];

    return registry->provider[registry->tier[registry->family[family].tier].provider].name;
}

static const struct lb_plan *plan_of(const char *words)
{
    const struct lb_plan *plan;
    gpg_error_t err = 1;

    lb_test_reset(words);
    plan = lb_plan_current(&err);
    assert_non_null(plan);
    assert_int_equal(err, 0);
    return plan;
}

static void assert_no_plan(gpg_err_code_t code, const char *detail)
{
    gpg_error_t err = 0;

    assert_null(lb_plan_current(&err));
    assert_int_equal(gpg_err_code(err), code);
    if (!strstr(lb_error_detail(), detail))
        print_error("detail: %s\n", lb_error_detail());
    assert_non_null(strstr(lb_error_detail(), detail));
    assert_int_equal(gpg_err_code(lb_dispatch_ready(256)), code);
    assert_int_equal(gpg_err_code(lb_dispatch_ready(2048)), code);
}

static const char *state_of(const char *provider)
{
    int index = lb_registry_provider(provider);

    assert_true(index >= 0);
    return lb_registry()->provider[index].why;
}

static int clean(void **state)
{
    (void)state;
    lb_test_module_directory("/nowhere");
    lb_test_reset("");
    lb_test_cpu_has(0); /* of native, the baseline only */
    awake = false;
    return 0;
}

/* ---- Slots and sizes ------------------------------------------------------------------------ */

static void test_slot_table(void **state)
{
    static const size_t level_size[] = {0, sizeof(struct limbic_limb_slots),
                                        sizeof(struct limbic_mod_slots),
                                        sizeof(struct limbic_curve_slots)};
    static const size_t level_offset[] = {0, offsetof(struct limbic_ops, limbs),
                                          offsetof(struct limbic_ops, moduli),
                                          offsetof(struct limbic_ops, curves)};
    size_t count[4] = {0};

    (void)state;
    for (size_t i = 0; i < lb_slot_count; i++) {
        const struct lb_slot *slot = &lb_slots[i];
        size_t length = strlen(slot->name);
        bool public = length > 8 && strcmp(slot->name + length - 8, "_vartime") == 0;

        assert_in_range(slot->level, 1, 3);
        assert_ptr_equal(lb_slot_by_id(slot->id), slot);
        assert_int_equal(slot->ct, public ? LIMBIC_CT_PUBLIC_ONLY : LIMBIC_CT_SECRET_OK);
        assert_int_equal(slot->ops_offset, level_offset[slot->level] + slot->table_offset);
        assert_int_equal(slot->table_offset % sizeof(lb_kernel), 0);
        assert_int_equal(slot->id / 32, slot->level - 1);
        assert_true(slot->level > LB_RESOLVED_LEVELS || slot->selftest);
        count[slot->level]++;
    }
    for (unsigned level = 1; level <= 3; level++)
        assert_int_equal(count[level], level_size[level] / sizeof(lb_kernel));
    assert_null(lb_slot_by_id(LIMBIC_SLOT_COUNT));
}

static void test_size_classes(void **state)
{
    (void)state;
    assert_int_equal(lb_size_class(0), 0);
    assert_int_equal(lb_size_class(256), 0);
    assert_int_equal(lb_size_class(257), 1);
    assert_int_equal(lb_size_class(2048), 6);
    assert_int_equal(lb_size_class(16384), LB_SIZE_CLASSES - 1);
    assert_int_equal(lb_size_class(SIZE_MAX), LB_SIZE_CLASSES - 1);
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++) {
        assert_int_equal(lb_size_class(lb_size_class_bits[i]), i);
        assert_int_equal(lb_size_class(lb_size_class_min_bits(i)), i);
    }
    assert_int_equal(lb_size_class_bits[LB_SIZE_CLASSES - 1], LIMBIC_MAX_BITS);
}

static void test_edit_distance(void **state)
{
    struct lb_nearest nearest = {.word = "portabel"};

    (void)state;
    assert_int_equal(lb_edit_distance("", ""), 0);
    assert_int_equal(lb_edit_distance("", "abc"), 3);
    assert_int_equal(lb_edit_distance("abc", ""), 3);
    assert_int_equal(lb_edit_distance("kitten", "sitting"), 3);
    assert_int_equal(lb_edit_distance("gmp", "gpm"), 1);
    assert_int_equal(lb_edit_distance("ca", "abc"), 3); /* nothing is changed twice */
    assert_int_equal(lb_edit_distance("GMP", "gmp"), 0);
    lb_nearest_offer(&nearest, "native");
    lb_nearest_offer(&nearest, "portable");
    lb_nearest_offer(&nearest, "derived");
    assert_string_equal(lb_nearest_name(&nearest), "portable");
}

/* Only what can have been meant is suggested. */
static void test_nearest_is_near(void **state)
{
    static const struct {
        const char *word, *name;
        bool near;
    } cases[] = {
        {"onyl", "only", true},
        {"gmpp", "gmp", true},
        {"g", "x", false},
        {"gm", "gmp", true},
        {"gpu", "gmp", false},
        {"foo", "mul", false},
        {"nosuch", "avx", false},
        {"native", "nativ", true},
        {"cuda", "derived", false},
        {"licences", "license", true},
        {"frobnicate", "portable", false},
    };
    char advice[LB_ADVICE_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lb_nearest nearest = {.word = cases[i].word};

        assert_null(lb_nearest_name(&nearest));
        assert_true(lb_nearest_offer(&nearest, cases[i].name));
        if (cases[i].near)
            assert_string_equal(lb_nearest_name(&nearest), cases[i].name);
        else
            assert_null(lb_nearest_name(&nearest));
    }
    assert_string_equal(lb_nearest_advice(advice, NULL), "");
    assert_string_equal(lb_nearest_advice(advice, "gmp"), "; the nearest is \"gmp\"");
}

/* ---- Words ---------------------------------------------------------------------------------- */

static struct lb_policy policy;

static gpg_error_t parse(const char *words)
{
    return lb_policy_make(&policy, &(struct lb_asked){.variable = words});
}

static void order_is(const char *wanted)
{
    char all[256] = "", name[LB_TIER_NAME_SIZE];

    for (unsigned i = 0; i < policy.selection.order.count; i++) {
        lb_tier_name(name, policy.selection.order.tier[i]);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? "," : "", name);
    }
    assert_string_equal(all, wanted);
}

static void gives(const char *words, enum lb_chain_policy chain_policy, const char *order)
{
    assert_int_equal(parse(words), 0);
    assert_int_equal(policy.chain_policy, chain_policy);
    order_is(order);
}

static void test_chains(void **state)
{
    (void)state;
    gives(NULL, LB_CHAIN_WARN, NATIVE "portable,derived");
    gives("", LB_CHAIN_WARN, NATIVE "portable,derived");
    gives(" ;; \t", LB_CHAIN_WARN, NATIVE "portable,derived");
    gives("auto", LB_CHAIN_WARN, NATIVE "portable,derived");
    gives("AUTO", LB_CHAIN_WARN, NATIVE "portable,derived");
    gives("portable", LB_CHAIN_WARN, "portable,derived");
    gives("derived", LB_CHAIN_WARN, "derived,portable");
    gives("Derived,PORTABLE", LB_CHAIN_WARN, "derived,portable");
    gives("derived,auto", LB_CHAIN_WARN, "derived," NATIVE "portable");
    gives("try:portable", LB_CHAIN_TRY, "portable,derived");
    gives("Warn:portable", LB_CHAIN_WARN, "portable,derived");
    gives("only:portable", LB_CHAIN_ONLY, "portable,derived");
    gives("only:derived", LB_CHAIN_ONLY, "derived");
    gives("only:auto", LB_CHAIN_ONLY, NATIVE "portable,derived");
    assert_int_equal(policy.warning_count, 0);
    assert_string_equal(policy.warning_line, "");
}

static void warns(const char *words, const char *wanted)
{
    assert_int_equal(parse(words), 0);
    assert_int_not_equal(policy.warning_count, 0);
    if (!strstr(policy.warning_line, wanted))
        print_error("warning: %s\n", policy.warning_line);
    assert_non_null(strstr(policy.warning_line, wanted));
    assert_null(strchr(policy.warning_line, '\n'));
}

static void lacks(const char *words, const char *unwanted)
{
    assert_int_equal(parse(words), 0);
    assert_true(policy.warning_count >= 1);
    if (strstr(policy.warning_line, unwanted))
        print_error("warning: %s\n", policy.warning_line);
    assert_null(strstr(policy.warning_line, unwanted));
}

static void test_warnings(void **state)
{
    (void)state;
    warns("portabel", "LIMBIC: word 1, \"portabel\": neither a provider nor a word; the nearest is "
                      "\"portable\"");
    order_is(NATIVE "portable,derived");
    warns("portable explan", "word 2, \"explan\"");
    if (!HAVE_NATIVE)
        warns("native", "word 1, element 1, \"native\": not built");
    lacks("cuda", "nearest");
    lacks("nosuch,portable", "nearest");
    lacks("x,portable", "nearest");
    lacks("gmpp,portable", "nearest"); /* which is not there */
    lacks("portable,natve", HAVE_NATIVE ? "nothing" : "nearest");
    lacks("foo=portable", "nearest");
    lacks("zzz*=portable", "nearest");
    lacks("mul/zzz=portable", "nearest");
    warns("gmp,portable", lb_module_directory()
                              ? "word 1, element 1, \"gmp\": module not found: "
                                "/nowhere/limbic-provider-gmp.so; passed over"
                              : "word 1, element 1, \"gmp\": not built: this build loads no "
                                "modules; passed over");
    warns("portable,nativ/adx",
          HAVE_NATIVE ? "element 2, \"nativ/adx\": no provider of that name; the nearest is "
                        "\"native\""
                      : "element 2, \"nativ/adx\": no provider of that name; ");
    warns("portable/adx", "no tiers to choose from");
    warns("portable,,derived", "element 2, \"\": neither PROVIDER nor");
    warns("port*ble/x", "\"port*ble/x\": neither PROVIDER nor");
    warns("portable derived", "word 2, \"derived\": a second chain; the first one is in force");
    warns("ab=gmp:10%", "this setting is not in this version");
    warns("shadow=gmp:1%", "this setting is not in this version");
    warns("check=full", "this setting is not in this version");
    warns("stats", "this word is not in this version");
    warns("stats=/var/lib/x", "this setting is not in this version");
    warns("chekc=full", "unknown setting; the nearest is \"check\"");
    warns("stats stats", "(and 1 more warnings: limbic explain)");
    warns("ab=gmp:1% ab=gmp:2%", "(and 1 more warnings");
    assert_non_null(strstr(policy.warning[1], "word 2, \"ab=gmp:2%\": a second ab="));
    assert_int_equal(parse("try:gmp,nosuch"), 0);
    assert_int_equal(policy.warning_count, 0);
    assert_string_not_equal(policy.element[1].missing, "");
}

static void fails(const char *words, gpg_err_code_t code, const char *wanted)
{
    assert_int_equal(gpg_err_code(parse(words)), code);
    assert_int_equal(policy.code, code);
    if (!strstr(lb_error_detail(), wanted))
        print_error("detail: %s\n", lb_error_detail());
    assert_non_null(strstr(lb_error_detail(), wanted));
}

static void test_errors(void **state)
{
    char *huge = malloc(LB_WORDS_MAX + 2);

    (void)state;
    assert_non_null(huge);
    fails("only:portible", GPG_ERR_NOT_FOUND,
          "LIMBIC: word 1, element 1, \"portible\": no provider of that name; the nearest is "
          "\"portable\"");
    fails("explain only:portable,gmp", GPG_ERR_NOT_FOUND,
          lb_module_directory() ? "word 2, element 2, \"gmp\": module not found: /nowhere/"
                                : "word 2, element 2, \"gmp\": not built: this build");
    fails("only:portable/x", GPG_ERR_NOT_FOUND, "portable/x");
    fails("only:", GPG_ERR_SYNTAX, "\"\": neither PROVIDER nor PROVIDER/TIER");
    fails("only:portable,", GPG_ERR_SYNTAX, "element 2");
    fails("only:portable//", GPG_ERR_SYNTAX, "\"portable//\"");
    fails("onyl:gmp", GPG_ERR_UNKNOWN_NAME, "the nearest is \"only:\"");
    fails(":portable", GPG_ERR_UNKNOWN_NAME, "unknown policy before the colon; there are try:");
    fails("frobnicate:portable", GPG_ERR_UNKNOWN_NAME, "there are try:, warn: and only:");
    fails("licence=MIT", GPG_ERR_UNKNOWN_NAME, "the nearest is \"license\"");
    fails("\x01\xff", GPG_ERR_SYNTAX, "word 1, \"??\": octet 1, \"?\"");
    fails("only:portable portable", GPG_ERR_CONFLICT, "word 2, \"portable\": a second chain");
    fails("portable;only:portable", GPG_ERR_CONFLICT, "word 2, \"only:portable\"");
    fails("only:portable stats frobnicate", GPG_ERR_UNKNOWN_NAME, "word 3, \"frobnicate\"");
    fails("frobnicate only:portable", GPG_ERR_UNKNOWN_NAME, "word 1, \"frobnicate\"");

    memset(huge, 'a', LB_WORDS_MAX + 1);
    huge[LB_WORDS_MAX + 1] = '\0';
    fails(huge, GPG_ERR_TOO_LARGE, "LIMBIC: more than 4096 octets");
    huge[LB_WORDS_MAX] = '\0';
    warns(huge, "aaa...\"");
    for (size_t i = 0; i < LB_WORDS_MAX; i++)
        huge[i] = "a,"[i % 2];
    fails(huge, GPG_ERR_TOO_LARGE, "more than 32 elements");
    for (size_t i = 0; i < LB_WORDS_MAX; i++)
        huge[i] = "a "[i % 2];
    warns(huge, "(and 2047 more warnings");
    free(huge);
}

/* A text without a NUL inside and made of what words are made of, for many seeds. */
static void test_arbitrary_words(void **state)
{
    static const char *const piece[] = {
        "only:", "try:",    "portable", "derived", "native", ",", "/",     " ",        ";", "-",
        "=",     "license", "\xff",     ":",       "auto",   "*", "stats", "mont_pow", "a", "\n"};
    uint32_t random = 1;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        char words[200] = "";
        gpg_error_t err;

        for (int j = 0; j < 1 + i % 12; j++) {
            random = random * 1664525u + 1013904223u;
            strcat(words, piece[(random >> 16) % (sizeof piece / sizeof *piece)]);
        }
        err = parse(words);
        assert_int_equal(gpg_err_code(err), policy.code);
        assert_int_equal(policy.code != 0, *policy.error != '\0');
        assert_int_equal(policy.warning_count != 0, *policy.warning_line != '\0');
        assert_string_equal(policy.words, words);
    }
}

static void test_environment(void **state)
{
    struct lb_asked asked;

    (void)state;
    asked = lb_environment_from_values(NULL, NULL);
    assert_int_equal(lb_policy_make(&policy, &asked), 0);
    assert_int_equal(policy.origin, LB_ORIGIN_DEFAULT);
    asked = lb_environment_from_values("derived", "derived");
    assert_int_equal(lb_policy_make(&policy, &asked), 0);
    assert_int_equal(policy.origin, LB_ORIGIN_VARIABLE);
    order_is("derived,portable");
    /* set-id: only getenv sees it */
    asked = lb_environment_from_values(NULL, "only:nosuch");
    assert_int_equal(lb_policy_make(&policy, &asked), 0);
    assert_int_equal(policy.origin, LB_ORIGIN_IGNORED);
    assert_non_null(strstr(lb_origin_text(policy.origin), "set-id"));
    order_is(NATIVE "portable,derived");

    setenv("LIMBIC", "only:portable", 1);
    assert_string_equal(server(plan_of(NULL), LIMBIC_SLOT_ADD, 256), "portable");
    unsetenv("LIMBIC");
    assert_says(LB_REPORT_INFO, 0, "the variable LIMBIC");
    assert_says(LB_REPORT_INFO, 0, "words            only:portable\n");
}

/* ---- Examination of providers --------------------------------------------------------------- */

static struct fake fake, other;

static void refused(void (*spoil)(struct fake *), const char *why)
{
    make_fake(&fake, "fake");
    spoil(&fake);
    lb_test_reset("only:fake");
    lb_test_register(&fake.provider);
    (void)lb_registry();
    if (!strstr(state_of("fake"), why))
        print_error("why: %s\n", state_of("fake"));
    assert_non_null(strstr(state_of("fake"), why));
    assert_no_plan(GPG_ERR_NOT_SUPPORTED, why);
    assert_says(LB_REPORT_LIST, 0, "fake: refused: ");
    assert_says(LB_REPORT_LIST, 0, why);
    assert_explains(why);
    lb_test_reset("fake,portable");
    lb_test_register(&fake.provider);
    assert_non_null(strstr(lb_policy_warning(), why));
}

static void spoil_size(struct fake *f)
{
    f->provider.size -= 8;
}
static void spoil_head(struct fake *f)
{
    f->provider.size = 8;
}
static void spoil_major(struct fake *f)
{
    f->provider.abi_major++;
}
static void spoil_minor(struct fake *f)
{
    f->provider.abi_minor++;
}
static void spoil_limb(struct fake *f)
{
    f->provider.limb_bits = 96 - LIMBIC_LIMB_BITS;
}
static void spoil_limb_slots(struct fake *f)
{
    f->provider.limb_slots_size -= sizeof(void *);
}
static void spoil_tier_size(struct fake *f)
{
    f->provider.tier_size -= sizeof(void *);
}
/* The second tier then lies where nothing need be. */
static void spoil_tier_stride(struct fake *f)
{
    f->provider.tier_size = (size_t)1 << (sizeof(size_t) > 4 ? 40 : 24);
    f->provider.tier_count = 2;
}
static void spoil_tier_alignment(struct fake *f)
{
    f->provider.tier_size += 1;
}
static void spoil_version(struct fake *f)
{
    f->provider.version = "";
}
static void spoil_license(struct fake *f)
{
    f->provider.license = NULL;
}
static void spoil_origin(struct fake *f)
{
    f->provider.origin = NULL;
}
static void spoil_tiers(struct fake *f)
{
    f->provider.tier_count = 0;
}
static size_t some_size(const struct limbic_pair *pair)
{
    (void)pair;
    return 64;
}
static void spoil_state(struct fake *f)
{
    f->moduli.pair_state_size = some_size;
    f->tier[0].moduli = &f->moduli;
}
static void spoil_many_tiers(struct fake *f)
{
    f->provider.tier_count = 1000;
}
static void spoil_tier_name(struct fake *f)
{
    f->tier[0].name = "ADX";
}
static void spoil_tier_reserved(struct fake *f)
{
    f->tier[0].name = "only";
}
static void spoil_tier_null(struct fake *f)
{
    f->tier[0].needs = NULL;
}
static void spoil_limbs(struct fake *f)
{
    f->limbs.sqr_vartime = NULL;
}
static void spoil_empty(struct fake *f)
{
    f->tier[0].limbs = NULL;
}

static void spoil_tier_twice(struct fake *f)
{
    f->tier[0].name = "a";
    f->tier[1] = f->tier[0];
    f->provider.tier_count = 2;
}

static void spoil_moduli(struct fake *f)
{
    f->tier[0].moduli = &f->moduli;
    f->moduli.size -= 8;
}

static void test_refusals(void **state)
{
    (void)state;
    refused(spoil_size, "octets; the ABI needs");
    refused(spoil_head, "its table has 8 octets, too few");
    refused(spoil_major, "it is for ABI 1.1; this library has 0.1");
    refused(spoil_minor, "it is for ABI 0.2; this library has 0.1");
    refused(spoil_limb, "its limbs have");
    refused(spoil_limb_slots, "its table of limb slots has");
    refused(spoil_tier_size, "its tiers have");
    refused(spoil_tier_stride, "octets; at most 4096 are possible");
    refused(spoil_tier_alignment, "octets; at most 4096 are possible, in steps of");
    refused(spoil_version, "it does not state its version");
    refused(spoil_license, "it does not state its licence");
    refused(spoil_origin, "it does not state where it comes from");
    refused(spoil_tiers, "it has 0 tiers");
    refused(spoil_many_tiers, "it has 1000 tiers");
    refused(spoil_state, "of the size and the making of its state for a pair it has one only");
    refused(spoil_tier_name, "tier 1: its name is not");
    refused(spoil_tier_reserved, "tier 1: its name \"only\" is a word of LIMBIC, or like one");
    refused(spoil_tier_null, "does not say what it needs");
    refused(spoil_tier_twice, "two of its tiers are named \"a\"");
    refused(spoil_limbs, "level 1 is not whole, it lacks sqr_vartime");
    refused(spoil_empty, "it has no kernels");
    refused(spoil_moduli, "its level 2 table has");
}

static void test_names(void **state)
{
    static const char *const bad[] = {
        "",     "Fake",  "a b",   "-x",       "a,b",
        "auto", "stats", "only2", "licenses", "a-name-that-is-longer-than-31-octets"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct lb_registry *registry;

        make_fake(&fake, bad[i]);
        lb_test_reset("");
        lb_test_register(&fake.provider);
        registry = lb_registry();
        assert_int_equal(registry->provider[BUILTINS].state, LB_REFUSED);
        assert_non_null(strstr(registry->provider[BUILTINS].why, "name"));
    }
    make_fake(&fake, "portable");
    lb_test_reset("");
    lb_test_register(&fake.provider);
    assert_int_equal(lb_registry()->provider[BUILTINS].state, LB_REFUSED);
    assert_string_equal(state_of("portable"), "");
    assert_says(LB_REPORT_LIST, 0, "there already is a provider of that name");
}

static void test_registry_limits(void **state)
{
    (void)state;
    lb_test_reset("");
    for (int i = 0; i < LB_PROVIDER_MAX; i++)
        lb_test_register(&fake.provider);
    make_fake(&fake, "fake");
    assert_int_equal(lb_registry()->provider_count, LB_PROVIDER_MAX);
    assert_true(lb_registry()->left_out > 0);
    assert_says(LB_REPORT_LIST, 0, "more: refused: at most 16 providers");
    assert_true(lb_registry()->family_count <= LIMBIC_FAMILY_MAX);
}

static void test_builtins(void **state)
{
    const struct lb_registry *registry = lb_registry();

    (void)state;
    assert_string_equal(state_of("portable"), "");
    assert_string_equal(state_of("derived"), "");
    assert_string_equal(registry->provider[registry->derived].name, "derived");
    assert_string_equal(registry->provider[registry->last_resort].name, "portable");
    for (unsigned i = 0; i < registry->family_count; i++)
        assert_int_equal(lb_mod_family(i) != NULL, registry->family[i].level == 2);
    assert_null(lb_mod_family(registry->family_count));
    assert_null(lb_mod_family(1000));
}

/* A tier caps; one that cannot run here is refused with its reason. */
static void test_tiers(void **state)
{
    static const struct lb_cpu_words no_cpu = {.max_leaf = 7};

    (void)state;
    make_fake(&fake, "fake");
    fake.provider.tier_count = 2;
    fake.tier[0].name = "high";
    fake.tier[1] = fake.tier[0];
    fake.tier[1].name = "low";
    lb_test_reset("fake");
    lb_test_register(&fake.provider);
    gives("fake", LB_CHAIN_WARN, "fake/high,fake/low,derived,portable");
    gives("fake/low", LB_CHAIN_WARN, "fake/low,derived,portable");
    gives("fake/high", LB_CHAIN_WARN, "fake/high,fake/low,derived,portable");
    gives("only:fake/low", LB_CHAIN_ONLY, "fake/low,derived");
    fails("only:fake/lwo", GPG_ERR_NOT_FOUND, "no tier of that name; the nearest is \"low\"");

    plan_of("fake/low");
    lb_test_reset("fake/low");
    lb_test_register(&fake.provider);
    assert_explains_all("fake/low", "not in the chain (LIMBIC, word 1)",
                        "not portable: priority; not fake/high: the chain names a lower tier "
                        "(LIMBIC, word 1)");
    lb_test_reset("only:portable");
    lb_test_register(&fake.provider);
    assert_explains_all("portable", "denied by only: (LIMBIC, word 1)",
                        "not fake/high: denied by only: (LIMBIC, word 1); not fake/low: denied by "
                        "only: (LIMBIC, word 1)");
    lb_test_reset("portable");
    lb_test_register(&fake.provider);
    assert_explains("not fake/low: not in the chain (LIMBIC, word 1)");

    fake.tier[0].needs = "bmi2 adx";
    lb_test_cpu(&no_cpu);
    lb_test_reset("fake");
    lb_test_register(&fake.provider);
    gives("fake", LB_CHAIN_WARN, "fake/low,derived,portable");
    gives("only:fake", LB_CHAIN_ONLY, "fake/low,derived");
    fails("only:fake/high", GPG_ERR_NOT_SUPPORTED, "\"fake/high\": the CPU lacks bmi2");
    assert_explains("not fake/high: the CPU lacks bmi2");
    lb_test_cpu(NULL);

    fake.tier[0].needs = "adx nosuch";
    lb_test_cpu_has(lb_cpu_named("adx"));
    lb_test_reset("fake");
    lb_test_register(&fake.provider);
    gives("fake", LB_CHAIN_WARN, "fake/low,derived,portable");
    gives("only:fake", LB_CHAIN_ONLY, "fake/low,derived");
    fails("only:fake/high", GPG_ERR_NOT_SUPPORTED,
          "\"fake/high\": it needs the CPU feature \"nosuch\", which this version does not know");
    assert_explains("not fake/high: it needs the CPU feature \"nosuch\"");
    lb_test_cpu(NULL);

    fake.tier[0].needs = "";
    fake.tier[0].not_built = "the assembler is too old";
    fake.tier[0].limbs = NULL;
    lb_test_reset("fake/high");
    lb_test_register(&fake.provider);
    assert_explains("fake/high: not built: the assembler is too old");
    assert_says(LB_REPORT_LIST, 0, "tier high: no kernels; not built: the assembler");
    assert_non_null(strstr(lb_policy_warning(), "the assembler is too old"));

    fake.tier[1] =
        (struct limbic_tier){.name = "low", .needs = "", .not_built = "the assembler is too old"};
    lb_test_reset("fake");
    lb_test_register(&fake.provider);
    assert_says(LB_REPORT_LIST, 0, ": not built: the assembler is too old\n    licence");
    assert_says(LB_REPORT_LIST, 1, "\"name\":\"fake\",\"state\":\"not-built\"");
}

/* ---- Resolution ----------------------------------------------------------------------------- */

static void test_default_plan(void **state)
{
    const struct lb_plan *plan = plan_of("");

    (void)state;
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++) {
        const struct limbic_ops *row = lb_plan_row(plan, lb_size_class_bits[i]);

        assert_int_equal(row->size, sizeof *row);
        if (!HAVE_NATIVE)
            assert_memory_equal(row, lb_row_portable(lb_size_class_bits[i]), sizeof *row);
        assert_non_null(row->limbs.sqr_vartime);
        assert_non_null(row->moduli.mont_inv);
        assert_null(row->curves.ec_mul);
    }
    assert_string_equal(server(plan, LIMBIC_SLOT_MUL, 2048), FIRST);
    assert_string_equal(server(plan, LIMBIC_SLOT_MONT_POW, 2048), FIRST_POWER);
    assert_string_equal(server(plan, LIMBIC_SLOT_MONT_INV, 2048), "derived");
    assert_int_equal(lb_plan_generation(plan), 1);
    assert_null(lb_policy_warning());
    print_message("initialisation: %.3f ms, %u self-tests%s\n", (double)lb_plan_start()->ns / 1e6,
                  lb_plan_start()->tests, lb_plan_start()->complete ? "" : " (out of time)");
}

static void test_only(void **state)
{
    (void)state;
    assert_string_equal(server(plan_of("only:portable"), LIMBIC_SLOT_MONT_MUL, 256), "derived");
    lb_test_reset("only:derived");
    assert_no_plan(GPG_ERR_NOT_SUPPORTED,
                   "LIMBIC: word 1: no provider that only: allows has level 1, the limb functions");
    assert_explains("every operation fails");
    assert_non_null(lb_row_portable(2048)->limbs.mul);
    assert_non_null(lb_row_portable(2048)->moduli.mont_pow);
    lb_test_reset("-nosuch");
    assert_no_plan(GPG_ERR_UNKNOWN_NAME, "unknown CPU feature");
    assert_says(LB_REPORT_LIST, 0, "portable ");
}

static void test_sizes_served(void **state)
{
    const struct lb_plan *plan;
    gpg_error_t err;

    (void)state;
    make_fake(&fake, "fake");
    fake.tier[0].limbs = NULL;
    fake.tier[0].moduli = &fake.moduli;
    fake.moduli.slots.mont_mul = right_mont_mul;
    fake.moduli.serves = serves_512_to_2048;
    lb_test_reset("fake");
    lb_test_register(&fake.provider);
    plan = lb_plan_current(&err);
    assert_string_equal(server(plan, LIMBIC_SLOT_MONT_MUL, 384), "derived");
    assert_string_equal(server(plan, LIMBIC_SLOT_MONT_MUL, 385), "fake");
    assert_string_equal(server(plan, LIMBIC_SLOT_MONT_MUL, 2048), "fake");
    assert_string_equal(server(plan, LIMBIC_SLOT_MONT_MUL, 2049), "derived");
    assert_ptr_equal(lb_mod_family(lb_plan_row(plan, 512)->family[LIMBIC_SLOT_MONT_MUL]),
                     &fake.moduli);
    assert_explains_all("to 384 bits         derived", "not in the chain (LIMBIC, word 1)",
                        "not fake: does not serve this size\n");
    assert_explains_all("385 to 2048 bits    fake", "not in the chain (LIMBIC, word 1)",
                        "not derived: priority\n");
    assert_explains_all("2049 to 16384 bits  derived", "not in the chain (LIMBIC, word 1)",
                        "not fake: does not serve this size\n");
    assert_explains_all("all sizes           derived", "not in the chain (LIMBIC, word 1)",
                        "not fake: has no kernel for it");
    assert_int_equal(lb_dispatch_ready(512), 0);
    plan = lb_plan_current(&err);
    assert_string_equal(server(plan, LIMBIC_SLOT_MONT_MUL, 512), "fake");

    lb_test_reset("only:fake");
    lb_test_register(&fake.provider);
    assert_no_plan(GPG_ERR_NOT_SUPPORTED, "has level 1");
}

/* ---- Self-tests ----------------------------------------------------------------------------- */

static void test_lost_carry(void **state)
{
    const struct lb_plan *plan;
    gpg_error_t err;

    (void)state;
    make_fake(&fake, "fake");
    fake.limbs.mul = mul_without_carry;
    lb_test_reset("fake");
    lb_test_register(&fake.provider);
    plan = lb_plan_current(&err);
    assert_non_null(plan);
    /* the start tests 256 bits */
    assert_string_equal(server(plan, LIMBIC_SLOT_MUL, 256), "portable");
    assert_string_equal(server(plan, LIMBIC_SLOT_ADD, 256), "fake");
    assert_string_equal(server(plan, LIMBIC_SLOT_MUL, 512), "fake");
    assert_int_equal(lb_plan_generation(plan), 1);
    /* and a key of another size that one */
    assert_int_equal(lb_dispatch_ready(512), 0);
    assert_int_equal(lb_dispatch_ready(512), 0);
    plan = lb_plan_current(&err);
    assert_int_equal(lb_plan_generation(plan), 2);
    assert_string_equal(server(plan, LIMBIC_SLOT_MUL, 512), "portable");
    assert_string_equal(server(plan, LIMBIC_SLOT_ADD, 512), "fake");
    assert_string_equal(server(plan, LIMBIC_SLOT_MUL, 384), "fake");
    assert_explains("not fake: quarantined: failed its self-test: ");
    assert_explains("fake:mul at 256 512 bits: failed its self-test: ");
    assert_says(LB_REPORT_EXPLAIN, 1, "\"reason\":\"quarantined\"");
    assert_says(LB_REPORT_INFO, 0, "sizes tested     ");
}

static void test_lost_carry_only(void **state)
{
    (void)state;
    make_fake(&fake, "fake");
    fake.limbs.mul = mul_without_carry;
    lb_test_reset("only:fake");
    lb_test_register(&fake.provider);
    assert_no_plan(GPG_ERR_SELFTEST_FAILED, "LIMBIC: word 1: mul at up to 256 bits: every kernel "
                                            "that only: allows has failed its self-test");
    assert_explains_all("NONE", "denied by only: (LIMBIC, word 1)",
                        "not portable: denied by only: (LIMBIC, word 1); not fake: quarantined");
    assert_non_null(lb_row_portable(256)->limbs.mul);
}

static void test_wrong_level_2(void **state)
{
    const struct lb_plan *plan;
    gpg_error_t err;

    (void)state;
    make_fake(&fake, "fake");
    fake.tier[0].moduli = &fake.moduli;
    fake.moduli.slots.mont_mul = right_mont_mul;
    fake.moduli.slots.mont_sqr = wrong_mont_sqr;
    lb_test_reset("fake");
    lb_test_register(&fake.provider);
    assert_int_equal(lb_dispatch_ready(256), 0);
    plan = lb_plan_current(&err);
    assert_string_equal(server(plan, LIMBIC_SLOT_MONT_MUL, 256), "fake");
    assert_string_equal(server(plan, LIMBIC_SLOT_MONT_SQR, 256), "derived");
    assert_string_equal(server(plan, LIMBIC_SLOT_MONT_SQR, 257), "fake");
    assert_string_equal(server(plan, LIMBIC_SLOT_MUL, 256), "fake");
}

/* A limb function that passes alone and fails under a kernel of level 2. */
static void test_guilty_below(void **state)
{
    const struct lb_plan *plan;
    gpg_error_t err;

    (void)state;
    make_fake(&fake, "sleeper");
    fake.limbs.addmul_1 = sleeping_addmul_1;
    fake.limbs.mul = sleeping_mul;
    fake.limbs.sqr = sleeping_sqr;
    make_fake(&other, "waker");
    other.tier[0].limbs = NULL;
    other.tier[0].moduli = &other.moduli;
    other.moduli.slots.mont_mul = waking_mont_mul;
    lb_test_reset("waker,sleeper");
    lb_test_register(&fake.provider);
    lb_test_register(&other.provider);
    assert_int_equal(lb_dispatch_ready(256), 0);
    plan = lb_plan_current(&err);
    assert_true(awake);
    assert_string_equal(server(plan, LIMBIC_SLOT_MONT_MUL, 256), "waker");
    assert_string_equal(server(plan, LIMBIC_SLOT_MUL, 256), "portable");
    assert_string_equal(server(plan, LIMBIC_SLOT_ADD, 256), "portable");
    assert_string_equal(server(plan, LIMBIC_SLOT_MONT_SQR, 256), "derived");
    assert_explains("quarantined: a kernel over it failed its self-test: ");
    assert_true(lb_plan_settled(0));
}

/* ---- Blame and republication ---------------------------------------------------------------- */

static void test_blame(void **state)
{
    const struct lb_plan *before, *after;
    struct limbic_ops odd;
    gpg_error_t err;

    (void)state;
    make_fake(&fake, "fake");
    lb_test_reset("fake");
    lb_test_register(&fake.provider);
    assert_int_equal(lb_dispatch_ready(1024), 0);
    before = lb_plan_current(&err);
    assert_string_equal(server(before, LIMBIC_SLOT_MUL, 1024), "fake");
    lb_dispatch_blame(LIMBIC_SLOT_MUL, lb_plan_row(before, 1024), 1024, "wrong product");
    after = lb_plan_current(&err);
    assert_int_equal(lb_plan_generation(after), lb_plan_generation(before) + 1);
    assert_string_equal(server(after, LIMBIC_SLOT_MUL, 1024), "portable");
    assert_string_equal(server(after, LIMBIC_SLOT_MUL, 2048), "fake");
    assert_string_equal(server(after, LIMBIC_SLOT_SQR, 1024), "fake");
    assert_string_equal(server(before, LIMBIC_SLOT_MUL, 1024), "fake"); /* plans stay as they are */
    assert_explains("quarantined: was wrong in an operation: wrong product");

    /* again: nothing happens */
    lb_dispatch_blame(LIMBIC_SLOT_MUL, lb_plan_row(before, 1024), 1024, "wrong product");
    assert_ptr_equal(lb_plan_current(&err), after);
    /* nonsense: nothing happens */
    odd = *lb_plan_row(before, 1024);
    odd.family[LIMBIC_SLOT_MUL] = 200;
    lb_dispatch_blame(LIMBIC_SLOT_MUL, &odd, 1024, "?");
    lb_dispatch_blame(LIMBIC_SLOT_COUNT, &odd, 1024, "?");
    assert_ptr_equal(lb_plan_current(&err), after);
    /* for the sizes not blamed everything is as before */
    assert_int_equal(lb_dispatch_ready(1024), 0);
}

/* Blame of the reference falls on what it stood on. */
static void test_blame_reference(void **state)
{
    const struct lb_plan *before, *after;
    gpg_error_t err;

    (void)state;
    make_fake(&fake, "fake");
    lb_test_reset("fake");
    lb_test_register(&fake.provider);
    before = lb_plan_current(&err);
    assert_string_equal(server(before, LIMBIC_SLOT_MONT_POW, 512), "derived");
    lb_dispatch_blame(LIMBIC_SLOT_MONT_POW, lb_plan_row(before, 512), 512, "wrong power");
    after = lb_plan_current(&err);
    assert_string_equal(server(after, LIMBIC_SLOT_MONT_POW, 512), "derived");
    assert_string_equal(server(after, LIMBIC_SLOT_MUL, 512), "portable");
    assert_string_equal(server(after, LIMBIC_SLOT_ADD, 512), "portable");
    assert_string_equal(server(after, LIMBIC_SLOT_ADD, 768), "fake");
    /* late blame of the same row by another thread */
    lb_dispatch_blame(LIMBIC_SLOT_MONT_POW, lb_plan_row(before, 512), 512, "wrong power");
    assert_ptr_equal(lb_plan_current(&err), after);
    /* nobody else in the row: the machine */
    lb_dispatch_blame(LIMBIC_SLOT_MONT_POW, lb_plan_row(after, 512), 512, "a flipped bit");
    assert_ptr_equal(lb_plan_current(&err), after);
    assert_explains(
        "derived:mont_pow at 512 bits: was wrong, then right: suspect the machine: a flipped");
}

static void test_no_memory(void **state)
{
    const struct lb_plan *first, *plan;
    gpg_error_t err;

    (void)state;
    make_fake(&fake, "fake");
    lb_test_reset("fake");
    lb_test_register(&fake.provider);
    first = lb_plan_current(&err);
    lb_test_fail_allocations(1);
    lb_dispatch_blame(LIMBIC_SLOT_MUL, lb_plan_row(first, 256), 256, "wrong");
    plan = lb_plan_current(&err);
    assert_int_equal(lb_plan_generation(plan), 0);
    assert_string_equal(server(plan, LIMBIC_SLOT_ADD, 2048), "portable");
    assert_says(LB_REPORT_INFO, 0, "of last resort");
    /* the next publication finds memory again */
    lb_dispatch_blame(LIMBIC_SLOT_SQR, lb_plan_row(first, 256), 256, "wrong too");
    plan = lb_plan_current(&err);
    assert_int_equal(lb_plan_generation(plan), 2);
    assert_string_equal(server(plan, LIMBIC_SLOT_ADD, 2048), "fake");
    assert_string_equal(server(plan, LIMBIC_SLOT_MUL, 256), "portable");
    assert_string_equal(server(plan, LIMBIC_SLOT_SQR, 256), "portable");

    lb_test_reset("only:fake");
    lb_test_register(&fake.provider);
    plan = lb_plan_current(&err);
    lb_test_fail_allocations(3);
    lb_dispatch_blame(LIMBIC_SLOT_MUL, lb_plan_row(plan, 256), 256, "wrong");
    assert_null(lb_plan_current(&err));
    assert_int_equal(gpg_err_code(err), GPG_ERR_ENOMEM);
    assert_null(lb_plan_current(&err));
    assert_int_equal(gpg_err_code(err), GPG_ERR_ENOMEM);
    assert_null(lb_plan_current(&err));
    assert_int_equal(gpg_err_code(err), GPG_ERR_SELFTEST_FAILED);
}

/* ---- Threads -------------------------------------------------------------------------------- */

enum { THREADS = 8 };

static pthread_barrier_t barrier;

static void *first_use(void *seen)
{
    gpg_error_t err;

    pthread_barrier_wait(&barrier);
    *(const struct lb_plan **)seen = lb_plan_current(&err);
    return NULL;
}

static void test_first_use_by_threads(void **state)
{
    pthread_t thread[THREADS];
    const struct lb_plan *seen[THREADS] = {NULL};

    (void)state;
    for (int round = 0; round < 20; round++) {
        lb_test_reset("");
        assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, first_use, &seen[i]), 0);
        for (int i = 0; i < THREADS; i++)
            pthread_join(thread[i], NULL);
        pthread_barrier_destroy(&barrier);
        for (int i = 0; i < THREADS; i++) {
            assert_non_null(seen[i]);
            assert_ptr_equal(seen[i], seen[0]);
        }
    }
}

static const enum limbic_slot blamed[THREADS] = {
    LIMBIC_SLOT_ADD,   LIMBIC_SLOT_SUB,      LIMBIC_SLOT_MUL, LIMBIC_SLOT_SQR,
    LIMBIC_SLOT_MUL_1, LIMBIC_SLOT_ADDMUL_1, LIMBIC_SLOT_ADD, LIMBIC_SLOT_MUL};

/* Blames, makes ready, and reads plans and reports, all at once. */
static void *quarrel(void *number)
{
    unsigned i = *(unsigned *)number;
    size_t bits = i % 2 ? 256 : 512;
    gpg_error_t err;
    char *text;

    pthread_barrier_wait(&barrier);
    for (int round = 0; round < 3; round++) {
        const struct lb_plan *plan = lb_plan_current(&err);

        (void)lb_dispatch_ready(bits);
        lb_dispatch_blame(blamed[i], lb_plan_row(plan, bits), bits, "a quarrel");
        (void)lb_policy_warning();
        if (i < 2 && lb_report(&text, LB_REPORT_EXPLAIN, (int)i, NULL, 0) == 0)
            free(text);
        for (int j = 0; j < 1000; j++) {
            plan = lb_plan_current(&err);
            if (!plan || !lb_plan_row(plan, bits)->limbs.mul)
                return number;
        }
    }
    return NULL;
}

static void test_blame_by_threads(void **state)
{
    pthread_t thread[THREADS];
    unsigned number[THREADS];
    void *result;
    gpg_error_t err;

    (void)state;
    make_fake(&fake, "fake");
    lb_test_reset("fake");
    lb_test_register(&fake.provider);
    assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        number[i] = i;
        assert_int_equal(pthread_create(&thread[i], NULL, quarrel, &number[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &result);
        assert_null(result);
    }
    pthread_barrier_destroy(&barrier);
    for (unsigned i = 0; i < THREADS; i++)
        assert_string_equal(server(lb_plan_current(&err), blamed[i], i % 2 ? 256 : 512),
                            "portable");
    assert_string_equal(server(lb_plan_current(&err), LIMBIC_SLOT_RSHIFT, 256), "fake");
}

/* The child of a fork goes on with the same plan, and its locks are free. */
static void test_fork(void **state)
{
    const struct lb_plan *plan;
    gpg_error_t err;
    int status;
    pid_t child;

    (void)state;
    make_fake(&fake, "fake");
    lb_test_reset("fake");
    lb_test_register(&fake.provider);
    plan = lb_plan_current(&err);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        lb_dispatch_blame(LIMBIC_SLOT_MUL, lb_plan_row(plan, 256), 256, "in the child");
        _exit(lb_plan_current(&err) != plan && lb_dispatch_ready(384) == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_ptr_equal(lb_plan_current(&err), plan);
}

/* ---- The report ----------------------------------------------------------------------------- */

/* A strict reader of JSON (RFC 8259): returns what follows the value at s, or NULL. */
static const char *json_value(const char *s);

static const char *json_string(const char *s)
{
    if (*s++ != '"')
        return NULL;
    for (; *s != '"'; s++) {
        if ((unsigned char)*s < ' ')
            return NULL;
        if (*s == '\\' && !strchr("\"\\/bfnrtu", *++s))
            return NULL;
    }
    return s + 1;
}

static const char *json_members(const char *s, char close)
{
    if (*s == close)
        return s + 1;
    for (;; s++) {
        if (close == '}') {
            s = json_string(s);
            if (!s || *s++ != ':')
                return NULL;
        }
        s = json_value(s);
        if (!s || (*s != ',' && *s != close))
            return NULL;
        if (*s == close)
            return s + 1;
    }
}

static const char *json_value(const char *s)
{
    static const char *const words[] = {"true", "false", "null"};

    if (*s == '{' || *s == '[')
        return json_members(s + 1, *s == '{' ? '}' : ']');
    if (*s == '"')
        return json_string(s);
    for (int i = 0; i < 3; i++)
        if (strncmp(s, words[i], strlen(words[i])) == 0)
            return s + strlen(words[i]);
    return *s >= '0' && *s <= '9' ? s + strspn(s, "0123456789") : NULL;
}

static void reports_are_whole(const char *words)
{
    lb_test_reset(words);
    lb_test_register(&fake.provider);
    for (enum lb_report_kind kind = LB_REPORT_LIST; kind <= LB_REPORT_EXPLAIN; kind++) {
        char *text = report(kind, 0), *json = report(kind, 1);
        const char *end = json_value(json);

        if (!end)
            print_error("not JSON: %s\n", json);
        assert_non_null(end);
        assert_string_equal(end, "\n");
        for (const char *s = text; *s; s++)
            assert_true(*s == '\n' || (unsigned char)*s >= ' ');
        free(text);
        free(json);
    }
}

static void test_reports(void **state)
{
    static const char *const words[] = {"",
                                        "fake",
                                        "only:fake",
                                        "only:derived",
                                        "-adx",
                                        "\"\\\x01\xff",
                                        "nosuch",
                                        "a b c d",
                                        "fake/high",
                                        "only:nosuch",
                                        "stats",
                                        "add=fake mul/2048=nosuch ec_*/P-256=derived -all",
                                        "license=MIT,Apache-2.0 licence=MIT"};

    (void)state;
    make_fake(&fake, "fake");
    fake.provider.origin =
        "quote \", backslash \\, newline \n, bad \xc3( \xed\xa0\x80 \xf5, good \xc3\xa9";
    fake.provider.version = "\x1b[31m";
    fake.limbs.mul = mul_without_carry;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        reports_are_whole(words[i]);
    assert_says(LB_REPORT_LIST, 1,
                "bad \xef\xbf\xbd( \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd, "
                "good \xc3\xa9");
}

static void test_facts(void **state)
{
    const struct lb_fact facts[] = {
        {.name = "version", .key = "version", .text = "0.1"},
        {.name = "locked memory",
         .key = "locked",
         .text = "12 KiB",
         .number = 12288,
         .is_number = 1},
    };
    char *text;

    (void)state;
    assert_int_equal(lb_report(&text, LB_REPORT_INFO, 0, facts, 2), 0);
    assert_non_null(strstr(text, "version          0.1\nlocked memory    12 KiB\n"));
    free(text);
    assert_int_equal(lb_report(&text, LB_REPORT_INFO, 1, facts, 2), 0);
    assert_non_null(strstr(text, "{\"version\":\"0.1\",\"locked\":12288,"));
    assert_non_null(json_value(text));
    free(text);
}

/* Every provider that is listed, and every tier, is accepted in a word. */
static void test_names_round_trip(void **state)
{
    (void)state;
    make_fake(&fake, "fake_2-x");
    fake.tier[0].name = "t-1";
    lb_test_reset("");
    lb_test_register(&fake.provider);
    for (unsigned i = 0; i < lb_registry()->provider_count; i++) {
        const char *name = lb_registry()->provider[i].name;

        assert_int_equal(parse(name), 0);
        assert_string_equal(policy.element[0].provider, name);
    }
    for (unsigned i = 0; i < lb_registry()->tier_count; i++) {
        char name[LB_TIER_NAME_SIZE];

        lb_tier_name(name, i);
        assert_int_equal(parse(name), 0);
        if (lb_registry()->tier[i].state != LB_USABLE)
            continue;
        assert_int_equal(policy.warning_count, 0);
        assert_int_equal(policy.selection.order.tier[0], i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_slot_table, clean),
        cmocka_unit_test_setup(test_size_classes, clean),
        cmocka_unit_test_setup(test_edit_distance, clean),
        cmocka_unit_test_setup(test_nearest_is_near, clean),
        cmocka_unit_test_setup(test_chains, clean),
        cmocka_unit_test_setup(test_warnings, clean),
        cmocka_unit_test_setup(test_errors, clean),
        cmocka_unit_test_setup(test_arbitrary_words, clean),
        cmocka_unit_test_setup(test_environment, clean),
        cmocka_unit_test_setup(test_refusals, clean),
        cmocka_unit_test_setup(test_names, clean),
        cmocka_unit_test_setup(test_registry_limits, clean),
        cmocka_unit_test_setup(test_builtins, clean),
        cmocka_unit_test_setup(test_tiers, clean),
        cmocka_unit_test_setup(test_default_plan, clean),
        cmocka_unit_test_setup(test_only, clean),
        cmocka_unit_test_setup(test_sizes_served, clean),
        cmocka_unit_test_setup(test_lost_carry, clean),
        cmocka_unit_test_setup(test_lost_carry_only, clean),
        cmocka_unit_test_setup(test_wrong_level_2, clean),
        cmocka_unit_test_setup(test_guilty_below, clean),
        cmocka_unit_test_setup(test_blame, clean),
        cmocka_unit_test_setup(test_blame_reference, clean),
        cmocka_unit_test_setup(test_no_memory, clean),
        cmocka_unit_test_setup(test_first_use_by_threads, clean),
        cmocka_unit_test_setup(test_blame_by_threads, clean),
        cmocka_unit_test_setup(test_fork, clean),
        cmocka_unit_test_setup(test_reports, clean),
        cmocka_unit_test_setup(test_facts, clean),
        cmocka_unit_test_setup(test_names_round_trip, clean),
    };
    int failed = cmocka_run_group_tests_name("dispatch", tests, NULL, NULL);

    lb_test_reset("");
    return failed;
}
