/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The registry. The only file that names a provider: a built-in one is two lines here. Every table
 * goes through the same examination, whoever wrote it.
 */
#include "dispatch/registry.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dispatch/cpu.h"
#include "dispatch/dispatch.h"
#include "providers/native/native.h"
#include "providers/native/portable/portable.h"

/* Core's own, of which dispatch includes nothing. */
extern const struct limbic_provider lb_provider_derived;

#define NAME_OF_LAST_RESORT "portable"
#define NAME_OF_DERIVED "derived"
#define DEFAULT_CHAIN "native,portable"

static const struct {
    const char *name;
    const struct limbic_provider *table;
} builtin[] = {
    {"native", &lb_provider_native},
    {NAME_OF_LAST_RESORT, &lb_provider_portable},
    {NAME_OF_DERIVED, &lb_provider_derived},
};

/* Names that words may use although nothing stands behind them in this build. */
static const struct {
    const char *name, *why;
} absent[] = {
    {"gmp", "this version loads no modules"},
};

/* Names that mean something else in words. */
static const char *const reserved[] = {"auto", "stats", "explain"};

static struct lb_registry registry;
static pthread_once_t registry_once = PTHREAD_ONCE_INIT;

#ifdef LIMBIC_TESTING
static const struct limbic_provider *added[LB_PROVIDER_MAX];
static unsigned added_count;
#endif

static bool refuse(struct lb_provider_entry *entry, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Always false, so that an examination can end in it. */
static bool refuse(struct lb_provider_entry *entry, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(entry->why, sizeof entry->why, format, args);
    va_end(args);
    entry->state = LB_REFUSED;
    return false;
}

/* [a-z0-9_-]+, not beginning with `-`, which subtracts in words, and short. */
static bool name_is_good(const char *name)
{
    size_t length = strlen(name);

    return length > 0 && length <= LB_NAME_MAX && name[0] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == length;
}

static bool name_is_reserved(const char *name)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return false;
}

/* The head of the table, whose place is the same in every ABI. Nothing behind it is read before it
   has passed. */
static bool examine_head(struct lb_provider_entry *entry, const struct limbic_provider *p)
{
    if (p->size < offsetof(struct limbic_provider, name))
        return refuse(entry, "its table has %zu octets, too few to say which ABI it is for",
                      p->size);
    if (p->abi_major != LIMBIC_PROVIDER_ABI_MAJOR || p->abi_minor > LIMBIC_PROVIDER_ABI_MINOR)
        return refuse(entry, "it is for ABI %u.%u; this library has %u.%u", p->abi_major,
                      p->abi_minor, LIMBIC_PROVIDER_ABI_MAJOR, LIMBIC_PROVIDER_ABI_MINOR);
    if (p->limb_bits != LIMBIC_LIMB_BITS)
        return refuse(entry, "its limbs have %lu bits; this library's have %d",
                      (unsigned long)p->limb_bits, LIMBIC_LIMB_BITS);
    if (p->size < sizeof(struct limbic_provider))
        return refuse(entry, "its table has %zu octets; the ABI needs %zu", p->size,
                      sizeof(struct limbic_provider));
    if (p->limb_slots_size < sizeof(struct limbic_limb_slots))
        return refuse(entry, "its table of limb slots has %zu octets; the ABI needs %zu",
                      p->limb_slots_size, sizeof(struct limbic_limb_slots));
    if (p->tier_size < sizeof(struct limbic_tier))
        return refuse(entry, "its tiers have %zu octets; the ABI needs %zu", p->tier_size,
                      sizeof(struct limbic_tier));
    return true;
}

static bool examine_identity(struct lb_provider_entry *entry, const struct limbic_provider *p)
{
    if (!p->name || !name_is_good(p->name))
        return refuse(entry, "its name is not one of 1 to %d characters out of [a-z0-9_-]",
                      LB_NAME_MAX);
    if (name_is_reserved(p->name))
        return refuse(entry, "its name \"%s\" is a word of LIMBIC", p->name);
    if (strcmp(p->name, entry->name) != 0)
        return refuse(entry, "it calls itself \"%s\"", p->name);
    if (!p->version || !*p->version)
        return refuse(entry, "it does not state its version");
    if (!p->license || !*p->license)
        return refuse(entry, "it does not state its licence");
    if (!p->origin || !*p->origin)
        return refuse(entry, "it does not state where it comes from");
    if (p->tier_count == 0 || p->tier_count > LB_PROVIDER_TIERS || !p->tiers)
        return refuse(entry, "it has %zu tiers; 1 to %d are possible", p->tiers ? p->tier_count : 0,
                      LB_PROVIDER_TIERS);
    return true;
}

/* Tiers lie at the stride that the provider was compiled with. */
static const struct limbic_tier *tier_at(const struct limbic_provider *p, size_t index)
{
    return (const struct limbic_tier *)(const void *)((const char *)p->tiers +
                                                      index * p->tier_size);
}

/* Level 1 is whole: whoever looks for a limb function need never look elsewhere. */
static bool examine_limbs(struct lb_provider_entry *entry, const struct limbic_tier *tier)
{
    for (size_t i = 0; i < lb_slot_count; i++)
        if (lb_slots[i].level == 1 && !lb_table_kernel(tier->limbs, &lb_slots[i]))
            return refuse(entry, "tier \"%s\": level 1 is not whole, it lacks %s", tier->name,
                          lb_slots[i].name);
    return true;
}

/* A state with a size and nobody to make it, or the other way round. */
static bool examine_states(struct lb_provider_entry *entry, const struct limbic_tier *tier)
{
    const struct limbic_mod_family *m = tier->moduli;
    const struct limbic_curve_family *c = tier->curves;
    const char *kind = NULL;

    if (m && !m->modulus_state_size != !m->modulus_state_init)
        kind = "modulus";
    else if (m && !m->pair_state_size != !m->pair_state_init)
        kind = "pair";
    else if (m && !m->base_state_size != !m->base_state_init)
        kind = "base";
    else if (c && !c->point_state_size != !c->point_state_init)
        kind = "point";
    return !kind || refuse(entry,
                           "tier \"%s\": of the size and the making of its state for a %s it has "
                           "one only",
                           tier->name, kind);
}

static bool examine_tier(struct lb_provider_entry *entry, const struct limbic_provider *p,
                         size_t index)
{
    const struct limbic_tier *tier = tier_at(p, index);

    if (!tier->name || !tier->needs)
        return refuse(entry, "tier %zu: it has no name, or does not say what it needs", index + 1);
    if (*tier->name == '\0' ? p->tier_count != 1 : !name_is_good(tier->name))
        return refuse(entry,
                      "tier %zu: its name is not one of 1 to %d characters out of "
                      "[a-z0-9_-]",
                      index + 1, LB_NAME_MAX);
    for (size_t i = 0; i < index; i++)
        if (strcmp(tier_at(p, i)->name, tier->name) == 0)
            return refuse(entry, "two of its tiers are named \"%s\"", tier->name);
    if (!tier->limbs && !tier->moduli && !tier->curves && !tier->not_built)
        return refuse(entry, "tier \"%s\": it has no kernels, and does not say why", tier->name);
    if (tier->moduli && tier->moduli->size < sizeof(struct limbic_mod_family))
        return refuse(entry, "tier \"%s\": its level 2 table has %zu octets; the ABI needs %zu",
                      tier->name, tier->moduli->size, sizeof(struct limbic_mod_family));
    if (tier->curves && tier->curves->size < sizeof(struct limbic_curve_family))
        return refuse(entry, "tier \"%s\": its level 3 table has %zu octets; the ABI needs %zu",
                      tier->name, tier->curves->size, sizeof(struct limbic_curve_family));
    return examine_states(entry, tier) && (!tier->limbs || examine_limbs(entry, tier));
}

static bool examine(struct lb_provider_entry *entry, const struct limbic_provider *p)
{
    if (!examine_head(entry, p) || !examine_identity(entry, p))
        return false;
    for (size_t i = 0; i < p->tier_count; i++)
        if (!examine_tier(entry, p, i))
            return false;
    if (registry.tier_count + p->tier_count > LB_TIER_MAX)
        return refuse(entry, "there are more than %d tiers", LB_TIER_MAX);
    return true;
}

/* The features named in `needs`. A name that is unknown is one that nothing is known to have: it is
   copied to `unknown`. */
static uint64_t features_of(const char *needs, char unknown[LB_NAME_MAX + 1])
{
    uint64_t set = 0;

    *unknown = '\0';
    for (needs += strspn(needs, " "); *needs; needs += strspn(needs, " ")) {
        size_t length = strcspn(needs, " ");
        char name[LB_NAME_MAX + 1];
        int feature;

        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
                 needs);
        feature = lb_cpu_feature(name);
        if (feature >= 0)
            set |= (uint64_t)1 << feature;
        else
            memcpy(unknown, name, sizeof name);
        needs += length;
    }
    return set;
}

/* Whether the tier's kernels may run here. */
static void judge_tier(struct lb_tier_entry *entry)
{
    const struct limbic_tier *tier = entry->tier;
    char unknown[LB_NAME_MAX + 1], why[128];

    entry->needs = features_of(tier->needs, unknown);
    if (tier->not_built) {
        entry->state = LB_NOT_BUILT;
        snprintf(entry->why, sizeof entry->why, "not built: %s", tier->not_built);
    } else if (*unknown) {
        entry->state = LB_NO_CPU;
        snprintf(entry->why, sizeof entry->why, "it needs %s, which is no CPU feature known here",
                 unknown);
    } else if (lb_cpu_missing_reason(entry->needs, 0, why, sizeof why)) {
        entry->state = LB_NO_CPU;
        snprintf(entry->why, sizeof entry->why, "%s", why);
    }
}

static void number_families(unsigned index)
{
    struct lb_tier_entry *entry = &registry.tier[index];

    for (unsigned level = 1; level <= LB_LEVELS; level++) {
        if (entry->state != LB_USABLE || !lb_tier_level(entry->tier, level))
            continue;
        if (registry.family_count == LIMBIC_FAMILY_MAX) {
            entry->state = LB_REFUSED;
            snprintf(entry->why, sizeof entry->why, "all %d family numbers are taken",
                     LIMBIC_FAMILY_MAX);
            continue;
        }
        entry->family[level] = (int)registry.family_count;
        registry.family[registry.family_count++] = (struct lb_family_entry){
            .tier = index,
            .level = level,
            .over_row = level > 1 && entry->provider == registry.derived,
        };
    }
}

static void add_tiers(unsigned index)
{
    struct lb_provider_entry *entry = &registry.provider[index];

    entry->first_tier = registry.tier_count;
    for (size_t i = 0; i < entry->table->tier_count; i++) {
        struct lb_tier_entry *tier = &registry.tier[registry.tier_count];

        *tier = (struct lb_tier_entry){
            .provider = index, .tier = tier_at(entry->table, i), .family = {-1, -1, -1, -1}};
        judge_tier(tier);
        number_families(registry.tier_count++);
        entry->tier_count++;
    }
}

static struct lb_provider_entry *new_entry(const char *name)
{
    struct lb_provider_entry *entry = &registry.provider[registry.provider_count++];

    memset(entry, 0, sizeof *entry);
    snprintf(entry->name, sizeof entry->name, "%.*s", LB_NAME_MAX, name);
    return entry;
}

/* `name` is what the one who adds it knows it as; the provider's own is not trusted before the
   table has been examined. */
static void add(const char *name, const struct limbic_provider *p)
{
    bool taken = lb_registry_provider(name) >= 0;
    unsigned index = registry.provider_count;
    struct lb_provider_entry *entry;

    if (index == LB_PROVIDER_MAX) {
        registry.left_out++;
        return;
    }
    entry = new_entry(name);
    entry->table = p;
    if (taken)
        refuse(entry, "there already is a provider of that name");
    else if (examine(entry, p))
        add_tiers(index);
}

static void add_absent(const char *name, const char *why)
{
    struct lb_provider_entry *entry;

    if (registry.provider_count == LB_PROVIDER_MAX || lb_registry_provider(name) >= 0)
        return;
    entry = new_entry(name);
    entry->state = LB_ABSENT;
    snprintf(entry->why, sizeof entry->why, "%s", why);
}

static void fill(void)
{
    memset(&registry, 0, sizeof registry);
    registry.default_chain = DEFAULT_CHAIN;
    for (unsigned i = 0; i < sizeof builtin / sizeof *builtin; i++) {
        if (strcmp(builtin[i].name, NAME_OF_DERIVED) == 0)
            registry.derived = i;
        if (strcmp(builtin[i].name, NAME_OF_LAST_RESORT) == 0)
            registry.last_resort = i;
    }
    for (size_t i = 0; i < sizeof builtin / sizeof *builtin; i++)
        add(builtin[i].name, builtin[i].table);
#ifdef LIMBIC_TESTING
    for (unsigned i = 0; i < added_count; i++) {
        add(added[i]->name, added[i]);
        registry.provider[registry.provider_count - 1].is_module = true;
    }
#endif
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        add_absent(absent[i].name, absent[i].why);
}

const struct lb_registry *lb_registry(void)
{
    pthread_once(&registry_once, fill);
    return &registry;
}

/* Also used while the registry is being filled, hence not through lb_registry(). */
int lb_registry_provider(const char *name)
{
    for (unsigned i = 0; i < registry.provider_count; i++)
        if (strcmp(registry.provider[i].name, name) == 0)
            return (int)i;
    return -1;
}

int lb_registry_tier(unsigned provider, const char *name)
{
    const struct lb_provider_entry *entry = &registry.provider[provider];

    for (unsigned i = entry->first_tier; i < entry->first_tier + entry->tier_count; i++)
        if (strcmp(registry.tier[i].tier->name, name) == 0)
            return (int)i;
    return -1;
}

const void *lb_tier_level(const struct limbic_tier *tier, unsigned level)
{
    switch (level) {
    case 1:
        return tier->limbs;
    case 2:
        return tier->moduli ? &tier->moduli->slots : NULL;
    case 3:
        return tier->curves ? &tier->curves->slots : NULL;
    default:
        return NULL;
    }
}

lb_kernel lb_table_kernel(const void *table, const struct lb_slot *slot)
{
    lb_kernel kernel;

    memcpy(&kernel, (const char *)table + slot->table_offset, sizeof kernel);
    return kernel;
}

void lb_tier_name(char name[LB_TIER_NAME_SIZE], unsigned tier)
{
    const struct lb_tier_entry *entry = &registry.tier[tier];
    const char *own = entry->tier->name;

    snprintf(name, LB_TIER_NAME_SIZE, "%s%s%s", registry.provider[entry->provider].name,
             *own ? "/" : "", own);
}

const struct limbic_mod_family *lb_mod_family(unsigned family)
{
    const struct lb_registry *r = lb_registry();

    if (family >= r->family_count || r->family[family].level != 2)
        return NULL;
    return r->tier[r->family[family].tier].tier->moduli;
}

#ifdef LIMBIC_TESTING
void lb_test_register(const struct limbic_provider *provider)
{
    if (added_count < LB_PROVIDER_MAX)
        added[added_count++] = provider;
}

void lb_test_registry_reset(void)
{
    static const pthread_once_t anew = PTHREAD_ONCE_INIT;

    added_count = 0;
    memcpy(&registry_once, &anew, sizeof anew);
    memset(&registry, 0, sizeof registry);
}
#endif
