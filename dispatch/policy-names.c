/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names that words may hold, and the one nearest to a mistyped one.
 */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "dispatch/module.h"
#include "dispatch/policy-parts.h"

static const char *const settings[] = {"ab", "shadow", "check", "stats", "license"};

#define SETTINGS (sizeof settings / sizeof *settings)

/* Whether the provider has a tier that is in this build. */
static bool is_built(const struct lb_registry *registry, const struct lb_provider_entry *entry)
{
    for (unsigned i = 0; i < entry->tier_count; i++)
        if (registry->tier[entry->first_tier + i].state != LB_NOT_BUILT)
            return true;
    return false;
}

struct provider_search {
    struct lb_nearest nearest;
    char *kept; /* room for the name of a module, which is not for long */
};

static void offer_module(void *opaque, const char *name)
{
    struct provider_search *search = opaque;

    if (strlen(name) <= LB_NAME_MAX && lb_nearest_offer(&search->nearest, name))
        search->nearest.name = strcpy(search->kept, name);
}

/* What is built in, and the modules that are installed, open or not. */
static const char *offer_providers(struct lb_nearest nearest, char kept[LB_NAME_MAX + 1])
{
    const struct lb_registry *registry = lb_registry();
    struct provider_search search = {nearest, kept};

    for (unsigned i = 0; i < registry->provider_count; i++)
        if (registry->provider[i].state == LB_USABLE && is_built(registry, &registry->provider[i]))
            lb_nearest_offer(&search.nearest, registry->provider[i].name);
    lb_module_each(offer_module, &search);
    return lb_nearest_name(&search.nearest);
}

const char *lb_nearest_provider(const char *name, char kept[LB_NAME_MAX + 1])
{
    return offer_providers((struct lb_nearest){.word = name}, kept);
}

const char *lb_nearest_tier(unsigned provider, const char *name)
{
    const struct lb_registry *registry = lb_registry();
    const struct lb_provider_entry *entry = &registry->provider[provider];
    struct lb_nearest nearest = {.word = name};

    for (unsigned i = 0; i < entry->tier_count; i++)
        if (registry->tier[entry->first_tier + i].state != LB_NOT_BUILT)
            lb_nearest_offer(&nearest, registry->tier[entry->first_tier + i].tier->name);
    return lb_nearest_name(&nearest);
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
    return lb_nearest_name(&nearest);
}

const char *lb_nearest_lone_word(const char *name, char kept[LB_NAME_MAX + 1])
{
    struct lb_nearest nearest = {.word = name};

    lb_nearest_offer(&nearest, "auto");
    lb_nearest_offer(&nearest, "stats");
    lb_nearest_offer(&nearest, "explain");
    return offer_providers(nearest, kept);
}

static struct lb_nearest offer_keys(const char *name)
{
    struct lb_nearest nearest = {.word = name};

    for (size_t i = 0; i < SETTINGS; i++)
        lb_nearest_offer(&nearest, settings[i]);
    offer_slots(&nearest);
    return nearest;
}

const char *lb_nearest_key(const char *name)
{
    struct lb_nearest nearest = offer_keys(name);

    return lb_nearest_name(&nearest);
}

bool lb_resembles_license(const char *key)
{
    return strcmp(key, "license") != 0 && strcmp(offer_keys(key).name, "license") == 0;
}

const char *lb_nearest_chain_policy(const char *name)
{
    struct lb_nearest nearest = {.word = name};

    for (int i = LB_CHAIN_TRY; i <= LB_CHAIN_ONLY; i++)
        lb_nearest_offer(&nearest, lb_chain_policy_name((enum lb_chain_policy)i));
    return lb_nearest_name(&nearest);
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
