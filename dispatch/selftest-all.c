/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Self-tests on request. Each kernel is tested by itself in a copy of the reference row; a kernel
 * that is written over the row (of `derived`) over the reference's limb functions.
 */
#include "dispatch/selftest-all.h"

#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/nearest.h"
#include "dispatch/policy-parts.h"
#include "dispatch/resolve.h"

struct run {
    void (*report)(void *opaque, const char *what, const char *failure);
    void *opaque;
    bool all_sizes;
    unsigned families; /* tested */
    bool failed, no_memory;
};

/* A short run takes the classes of curves, and of RSA-2048's primes and modulus. */
static bool is_selected(const struct run *run, unsigned size_class)
{
    unsigned bits = lb_size_class_bits[size_class];

    return run->all_sizes || bits == 256 || bits == 1024 || bits == 2048;
}

/* The kernel of one slot at one class: NULL, or what failed. */
static const char *test_kernel(const struct lb_slot *slot, unsigned tier, unsigned size_class)
{
    unsigned bits = lb_size_class_bits[size_class];
    struct limbic_ops row = *lb_row_portable(bits);

    lb_resolve_fill(&row, slot, tier);
    return slot->selftest(&row, lb_row_portable(bits), bits);
}

/* The level of a tier. */
static void test_family(struct run *run, unsigned number, unsigned level)
{
    const struct limbic_tier *tier = lb_registry()->tier[number].tier;
    const void *table = lb_tier_level(tier, level);
    const char *failure = NULL;
    char name[LB_TIER_NAME_SIZE], what[LB_TIER_NAME_SIZE + 32], text[160] = "";

    lb_tier_name(name, number);
    snprintf(what, sizeof what, "%s, level %u", name, level);
    for (unsigned c = 0; c < LB_SIZE_CLASSES && !failure; c++)
        for (size_t i = 0; i < lb_slot_count && !failure && is_selected(run, c); i++) {
            const struct lb_slot *slot = &lb_slots[i];
            if (slot->level != level || !slot->selftest || !lb_table_kernel(table, slot) ||
                !lb_tier_serves(tier, slot, c))
                continue;
            failure = test_kernel(slot, number, c);
            if (failure)
                snprintf(text, sizeof text, "%s at %u bits: %s", slot->name, lb_size_class_bits[c],
                         failure);
        }
    run->families++;
    run->no_memory |= failure == lb_selftest_no_memory;
    run->failed |= failure != NULL;
    if (run->report)
        run->report(run->opaque, what, failure ? text : NULL);
}

static void test_provider(struct run *run, const struct lb_provider_entry *provider)
{
    const struct lb_registry *registry = lb_registry();

    for (unsigned t = 0; t < provider->tier_count; t++)
        for (unsigned level = 1; level <= LB_LEVELS; level++)
            if (registry->tier[provider->first_tier + t].family[level] >= 0)
                test_family(run, provider->first_tier + t, level);
}

gpg_error_t lb_selftest_providers(const char *name, bool all_sizes,
                                  void (*report)(void *opaque, const char *what,
                                                 const char *failure),
                                  void *opaque)
{
    struct run run = {report, opaque, all_sizes, 0, false, false};
    char why[160], kept[LB_NAME_MAX + 1], advice[LB_ADVICE_SIZE];
    const struct lb_registry *registry;
    int index = -1, error = 0;

    if (name) {
        index = lb_registry_open(name, why, sizeof why);
        error = errno;
    } else {
        lb_registry_open_all();
    }
    registry = lb_registry();
    if (index == LB_OPEN_NOT_NOW)
        return lb_errorf(gpg_err_code_from_errno(error), "%s", why);
    if (name && (index < 0 || registry->provider[index].state == LB_ABSENT))
        return lb_errorf(GPG_ERR_NOT_FOUND, "there is no provider \"%.31s\" here%s", name,
                         lb_nearest_advice(advice, lb_nearest_provider(name, kept)));
    for (unsigned i = 0; i < registry->provider_count; i++)
        if (index < 0 || i == (unsigned)index)
            test_provider(&run, &registry->provider[i]);
    if (run.no_memory)
        return lb_error(GPG_ERR_ENOMEM, "no memory for a self-test");
    if (run.failed)
        return lb_error(GPG_ERR_SELFTEST_FAILED, "a kernel fails its self-test");
    if (run.families == 0)
        return lb_errorf(GPG_ERR_NOT_SUPPORTED, "nothing of the provider \"%.31s\" is usable here",
                         name ? name : "");
    return 0;
}
