/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Self-tests on request. Each kernel is tested by itself in a copy of the reference row; a kernel
 * that is written over the row (of `derived`) over the reference's limb functions.
 */
#include "dispatch/selftest-all.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "dispatch/dispatch.h"
#include "dispatch/registry.h"

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
static const char *test_kernel(const struct limbic_ops *reference, const struct lb_slot *slot,
                               const void *table, unsigned family, unsigned size_class)
{
    struct limbic_ops row = *reference;
    lb_kernel kernel = lb_table_kernel(table, slot);

    memcpy((char *)&row + slot->ops_offset, &kernel, sizeof kernel);
    row.family[slot->id] = (uint8_t)family;
    return slot->selftest(&row, reference, lb_size_class_bits[size_class]);
}

/* Whether a level 2 family serves all sizes of the class. */
static bool serves(unsigned family, const struct lb_slot *slot, unsigned size_class)
{
    const struct limbic_mod_family *table = slot->level == 2 ? lb_mod_family(family) : NULL;
    size_t lowest = size_class ? lb_size_class_bits[size_class - 1] + 1 : 2;

    return !table || !table->serves ||
           table->serves(slot->id, lowest, lb_size_class_bits[size_class]);
}

static void test_family(struct run *run, unsigned family, const char *tier_name)
{
    const struct lb_family_entry *entry = &lb_registry()->family[family];
    const void *table = lb_tier_level(lb_registry()->tier[entry->tier].tier, entry->level);
    const char *failure = NULL;
    char what[LB_TIER_NAME_SIZE + 32], text[160] = "";

    snprintf(what, sizeof what, "%s, level %u", tier_name, entry->level);
    for (unsigned c = 0; c < LB_SIZE_CLASSES && !failure; c++)
        for (size_t i = 0; i < lb_slot_count && !failure && is_selected(run, c); i++) {
            const struct lb_slot *slot = &lb_slots[i];
            if (slot->level != entry->level || !slot->selftest || !lb_table_kernel(table, slot) ||
                !serves(family, slot, c))
                continue;
            failure = test_kernel(lb_row_portable(lb_size_class_bits[c]), slot, table, family, c);
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

    for (unsigned t = 0; t < provider->tier_count; t++) {
        unsigned tier = provider->first_tier + t;
        char name[LB_TIER_NAME_SIZE];
        lb_tier_name(name, tier);
        for (unsigned level = 1; level <= LB_LEVELS; level++)
            if (registry->tier[tier].family[level] >= 0)
                test_family(run, (unsigned)registry->tier[tier].family[level], name);
    }
}

gpg_error_t lb_selftest_providers(const char *name, bool all_sizes,
                                  void (*report)(void *opaque, const char *what,
                                                 const char *failure),
                                  void *opaque)
{
    struct run run = {report, opaque, all_sizes, 0, false, false};
    const struct lb_registry *registry = lb_registry();
    int index = name ? lb_registry_provider(name) : -1;

    if (name && (index < 0 || registry->provider[index].state == LB_ABSENT))
        return lb_errorf(GPG_ERR_NOT_FOUND, "there is no provider \"%.31s\" here", name);
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
