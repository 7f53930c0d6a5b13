/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is built in and what is used without a word: the kernels of this build are those of
 * tests/data/kernels.txt; a machine that has what a tier needs, as the operating system tells it,
 * is served by that tier and by none below it; and what the library says of this is the same before
 * its first use and after.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/plan.h"
#include "dispatch/registry.h"
#include "limbic.h"
#include "tests/data.h"

static int reset(void **state)
{
    (void)state;
    lb_test_reset("");
    return 0;
}

/* ---- The list ------------------------------------------------------------------------------- */

/* The kernels of a tier, in a line as the file has them. */
static void describe(char *line, size_t size, unsigned tier)
{
    char name[LB_TIER_NAME_SIZE];
    size_t used;

    lb_tier_name(name, tier);
    used = (size_t)snprintf(line, size, "%s:", name);
    for (size_t i = 0; i < lb_slot_count; i++) {
        const void *table = lb_tier_level(lb_registry()->tier[tier].tier, lb_slots[i].level);

        if (table && lb_table_kernel(table, &lb_slots[i]))
            used += (size_t)snprintf(line + used, size - used, " %s", lb_slots[i].name);
        assert_true(used < size);
    }
}

/* A tier that this build does not have, for a reason that somebody chose or that the host gives; an
   assembler that is too old is one too, and configure and the report say so. */
static bool is_left_out(unsigned tier)
{
    return lb_registry()->tier[tier].tier->not_built != NULL;
}

static void kernels_are_those_listed(void **state)
{
    bool found[LB_TIER_MAX] = {false};
    size_t length = 0;
    char *list = (char *)data_read("kernels.txt", &length), *rest = list;

    (void)state;
    list[length] = '\0';
    for (char *line = strtok_r(rest, "\n", &rest); line; line = strtok_r(rest, "\n", &rest)) {
        char wanted[1024], name[LB_TIER_NAME_SIZE];
        unsigned tier;

        if (*line == '#')
            continue;
        for (tier = 0; tier < lb_registry()->tier_count; tier++) {
            lb_tier_name(name, tier);
            if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
                break;
        }
        if (tier == lb_registry()->tier_count)
            fail_msg("listed, and not in the registry: %s", line);
        found[tier] = true;
        describe(wanted, sizeof wanted, tier);
        if (is_left_out(tier))
            print_message("# %s: not built: %s\n", name, lb_registry()->tier[tier].tier->not_built);
        else
            assert_string_equal(wanted, line);
    }
    for (unsigned tier = 0; tier < lb_registry()->tier_count; tier++) {
        char line[1024];

        describe(line, sizeof line, tier);
        if (!found[tier])
            fail_msg("in the registry, and not listed: %s", line);
    }
    free(list);
}

/* ---- Eligible machines ---------------------------------------------------------------------- */

#if defined __x86_64__
/* The flags of the first processor as Linux tells them, between spaces; what the kernel does not
   save the state of it leaves out. Empty where there is no such file. */
static void read_flags(char *flags, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    bool found = false;

    while (f && !found && fgets(flags, (int)size, f))
        found = strncmp(flags, "flags", 5) == 0;
    if (f)
        fclose(f);
    if (!found)
        *flags = '\0';
    flags[strcspn(flags, "\n")] = ' ';
}

/* Linux has names of its own for two. */
static const char *linux_name(const char *feature)
{
    return strcmp(feature, "sse4.1") == 0   ? "sse4_1"
           : strcmp(feature, "sse4.2") == 0 ? "sse4_2"
           : strcmp(feature, "sse3") == 0   ? "pni"
                                            : feature;
}

static bool is_eligible(const struct limbic_tier *tier, const char *flags)
{
    char needs[256], *rest = needs;

    if (tier->not_built)
        return false;
    snprintf(needs, sizeof needs, "%s", tier->needs);
    for (char *name = strtok_r(rest, " ", &rest); name; name = strtok_r(rest, " ", &rest)) {
        char word[64];

        snprintf(word, sizeof word, " %s ", linux_name(name));
        if (!strstr(flags, word))
            return false;
    }
    return true;
}

/* The first of native's tiers that the machine is eligible for and that has the slot, or none. */
static int expected_tier(const struct lb_slot *slot, const char *flags)
{
    const struct lb_registry *r = lb_registry();
    int native = lb_registry_provider("native");

    for (unsigned i = 0; i < r->tier_count; i++) {
        const void *table = lb_tier_level(r->tier[i].tier, slot->level);

        if ((int)r->tier[i].provider == native && is_eligible(r->tier[i].tier, flags) && table &&
            lb_table_kernel(table, slot))
            return (int)i;
    }
    return -1;
}

/* At some size at least: others may be left to a lower tier that is faster there. */
static bool is_served_by(const struct lb_slot *slot, int tier)
{
    gpg_error_t err;
    const struct lb_plan *plan = lb_plan_current(&err);

    assert_non_null(plan);
    for (unsigned c = 0; c < LB_SIZE_CLASSES; c++) {
        const struct limbic_ops *row = lb_plan_row(plan, lb_size_class_bits[c]);

        if (lb_registry()->family[row->family[slot->id]].tier == (unsigned)tier)
            return true;
    }
    return false;
}

static void the_best_tier_serves(void **state)
{
    static char flags[16384];
    unsigned seen = 0;

    (void)state;
    read_flags(flags, sizeof flags);
    if (!*flags || flags[1] == '\0')
        skip();
    assert_int_equal(limbic_init(LIMBIC_INIT_TEST_ALL), 0);
    for (size_t i = 0; i < lb_slot_count; i++) {
        int tier = lb_slots[i].level > LB_RESOLVED_LEVELS ? -1 : expected_tier(&lb_slots[i], flags);
        char name[LB_TIER_NAME_SIZE];

        if (tier < 0)
            continue;
        lb_tier_name(name, (unsigned)tier);
        if (!is_served_by(&lb_slots[i], tier))
            fail_msg("%s could be served by %s, and is not", lb_slots[i].name, name);
        seen++;
    }
    print_message("# %u slots by native\n", seen);
}
#else
static void the_best_tier_serves(void **state)
{
    (void)state;
    skip();
}
#endif

/* ---- Answers -------------------------------------------------------------------------------- */

/* Who serves which slot, and why no other. */
static char *slots_explained(void)
{
    char *text, *slots;

    assert_int_equal(limbic_report(LIMBIC_REPORT_EXPLAIN, LIMBIC_REPORT_JSON, &text), 0);
    slots = strstr(text, "\"slots\":[{");
    assert_non_null(slots);
    memmove(text, slots, strlen(slots) + 1);
    return text;
}

static void answers_do_not_change(void **state)
{
    char *early = slots_explained(), *late;
    size_t length = 0;
    uint8_t *data = data_read("rsa/ok-2048.pem", &length);
    unsigned char signature[256];
    limbic_key_t key;

    (void)state;
    assert_int_equal(limbic_key_import(&key, data, length, 0), 0);
    assert_int_equal(limbic_sign(key, NULL, "x", 1, signature, sizeof signature, &length), 0);
    limbic_key_free(key);
    late = slots_explained();
    assert_string_equal(early, late);
    limbic_free(early);
    limbic_free(late);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(answers_do_not_change, reset),
        cmocka_unit_test_setup(kernels_are_those_listed, reset),
        cmocka_unit_test_setup(the_best_tier_serves, reset),
    };

    return cmocka_run_group_tests_name("default", tests, NULL, NULL);
}
