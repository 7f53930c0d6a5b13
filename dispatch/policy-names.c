/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names that words may hold, and the one nearest to a mistyped one.
 */
#include <stdio.h>
#include <string.h>

#include "dispatch/nearest.h"
#include "dispatch/policy-parts.h"

static const char *const settings[] = {"ab", "shadow", "check", "stats", "license"};

#define SETTINGS (sizeof settings / sizeof *settings)

const char *lb_nearest_provider(const char *name)
{
    const struct lb_registry *registry = lb_registry();
    struct lb_nearest nearest = {.word = name};

    for (unsigned i = 0; i < registry->provider_count; i++)
        lb_nearest_offer(&nearest, registry->provider[i].name);
    return nearest.name;
}

const char *lb_nearest_tier(unsigned provider, const char *name)
{
    const struct lb_registry *registry = lb_registry();
    const struct lb_provider_entry *entry = &registry->provider[provider];
    struct lb_nearest nearest = {.word = name};

    for (unsigned i = 0; i < entry->tier_count; i++)
        lb_nearest_offer(&nearest, registry->tier[entry->first_tier + i].tier->name);
    return nearest.name;
}

static void offer_slots(struct lb_nearest *nearest)
{
    for (size_t i = 0; i < lb_slot_count; i++)
        lb_nearest_offer(nearest, lb_slots[i].name);
}

const char *lb_nearest_slot(const char *name)
{
    struct lb_nearest nearest = {.word = name};

    offer_slots(&nearest);
    return nearest.name;
}

const char *lb_nearest_lone_word(const char *name)
{
    struct lb_nearest nearest = {.word = name};

    lb_nearest_offer(&nearest, lb_nearest_provider(name));
    lb_nearest_offer(&nearest, "auto");
    lb_nearest_offer(&nearest, "stats");
    lb_nearest_offer(&nearest, "explain");
    return nearest.name;
}

const char *lb_nearest_key(const char *name)
{
    struct lb_nearest nearest = {.word = name};

    for (size_t i = 0; i < SETTINGS; i++)
        lb_nearest_offer(&nearest, settings[i]);
    offer_slots(&nearest);
    return nearest.name;
}

const char *lb_nearest_chain_policy(const char *name)
{
    struct lb_nearest nearest = {.word = name};

    for (int i = LB_CHAIN_TRY; i <= LB_CHAIN_ONLY; i++)
        lb_nearest_offer(&nearest, lb_chain_policy_name((enum lb_chain_policy)i));
    return nearest.name;
}

bool lb_is_setting(const char *key)
{
    for (size_t i = 0; i < SETTINGS; i++)
        if (strcmp(settings[i], key) == 0)
            return true;
    return false;
}

int lb_size_class_by_name(const char *name)
{
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++) {
        char most[16], least[16];

        snprintf(most, sizeof most, "%u", lb_size_class_bits[i]);
        snprintf(least, sizeof least, "%u", lb_size_class_min_bits(i));
        if (strcmp(most, name) == 0 || strcmp(least, name) == 0)
            return (int)i;
    }
    return -1;
}
