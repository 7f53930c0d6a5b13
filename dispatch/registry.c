/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The registry. The only file that names a provider: a built-in one is two lines here. Every table
 * goes through the same examination, whoever wrote it.
 */
#include <config.h>

#include "dispatch/registry.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/locks.h"
#include "dispatch/cpu.h"
#include "dispatch/dispatch.h"
#include "dispatch/module.h"
#include "dispatch/restriction.h"
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

/* Octets of a tier in any later ABI: more leads out of the provider's table. */
enum { TIER_SIZE_MAX = 4096 };

/* Modules that are part of limbic, known also where they are not installed. */
static const struct lb_known_module known_modules[] = {
#ifdef LB_BUILD_GMP
    {"gmp", true},
#else
    {"gmp", false},
#endif
};

/* Names that mean something else in words. */
static const char *const reserved[] = {"auto", "stats", "explain"};

/* What is published never changes. The draft is the one that is being filled; under the lock, or
   while the first one is made. */
static _Atomic(const struct lb_registry *) published;
static struct lb_registry *draft;
static struct lb_registry first_registry;
static atomic_bool filled;

#ifdef LIMBIC_TESTING
static const struct limbic_provider *added[LB_PROVIDER_MAX];
static unsigned added_count;
static bool test_full;
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
    lb_one_line(entry->why);
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

/* A name that may be a mistyped restriction is refused as a word, so it can be nobody's. */
static bool name_is_reserved(const char *name)
{
    if (lb_resembles_restriction(name, strlen(name)))
        return true;
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
    if (p->tier_size > TIER_SIZE_MAX || p->tier_size % _Alignof(struct limbic_tier))
        return refuse(entry, "its tiers have %zu octets; at most %d are possible, in steps of %zu",
                      p->tier_size, TIER_SIZE_MAX, _Alignof(struct limbic_tier));
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
        return refuse(entry, "its name \"%s\" is a word of LIMBIC, or like one", p->name);
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
    if (name_is_reserved(tier->name))
        return refuse(entry, "tier %zu: its name \"%s\" is a word of LIMBIC, or like one",
                      index + 1, tier->name);
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
    if (draft->tier_count + p->tier_count > LB_TIER_MAX)
        return refuse(entry, "there are more than %d tiers", LB_TIER_MAX);
    return true;
}

/* Whether the tier's kernels may run on this machine. Which features are denied is the policy's
   affair, which finds them in `needs`. */
static void judge_tier(struct lb_tier_entry *entry)
{
    const struct limbic_tier *tier = entry->tier;

    entry->needs = lb_cpu_named(tier->needs);
    if (tier->not_built) {
        entry->state = LB_NOT_BUILT;
        snprintf(entry->why, sizeof entry->why, "not built: %s", tier->not_built);
    } else if (lb_cpu_offers(tier->needs, entry->why, sizeof entry->why) != LB_CPU_OFFERS) {
        entry->state = LB_NO_CPU;
    }
    lb_one_line(entry->why);
}

static void number_families(unsigned index)
{
    struct lb_tier_entry *entry = &draft->tier[index];

    for (unsigned level = 1; level <= LB_LEVELS; level++) {
        if (entry->state != LB_USABLE || !lb_tier_level(entry->tier, level))
            continue;
        if (draft->family_count == LIMBIC_FAMILY_MAX) {
            entry->state = LB_REFUSED;
            snprintf(entry->why, sizeof entry->why, "all %d family numbers are taken",
                     LIMBIC_FAMILY_MAX);
            continue;
        }
        entry->family[level] = (int)draft->family_count;
        draft->family[draft->family_count++] = (struct lb_family_entry){
            .tier = index,
            .level = level,
            .over_row = level > 1 && entry->provider == draft->derived,
        };
    }
}

static void add_tiers(unsigned index)
{
    struct lb_provider_entry *entry = &draft->provider[index];

    entry->first_tier = draft->tier_count;
    for (size_t i = 0; i < entry->table->tier_count; i++) {
        struct lb_tier_entry *tier = &draft->tier[draft->tier_count];

        *tier = (struct lb_tier_entry){
            .provider = index, .tier = tier_at(entry->table, i), .family = {-1, -1, -1, -1}};
        judge_tier(tier);
        number_families(draft->tier_count++);
        entry->tier_count++;
    }
}

static int find(const struct lb_registry *registry, const char *name)
{
    for (unsigned i = 0; i < registry->provider_count; i++)
        if (strcmp(registry->provider[i].name, name) == 0)
            return (int)i;
    return -1;
}

static struct lb_provider_entry *new_entry(const char *name)
{
    struct lb_provider_entry *entry = &draft->provider[draft->provider_count++];

    memset(entry, 0, sizeof *entry);
    snprintf(entry->name, sizeof entry->name, "%.*s", LB_NAME_MAX, name);
    return entry;
}

/* `name` is what the one who adds it knows it as; the provider's own is not trusted before the
   table has been examined. */
static void add(const char *name, const struct limbic_provider *p)
{
    bool taken = find(draft, name) >= 0;
    unsigned index = draft->provider_count;
    struct lb_provider_entry *entry;

    if (index == LB_PROVIDER_MAX) {
        draft->left_out++;
        return;
    }
    entry = new_entry(name);
    entry->table = p;
    if (taken)
        refuse(entry, "there already is a provider of that name");
    else if (examine(entry, p))
        add_tiers(index);
}

static void add_known_module(const char *name)
{
    struct lb_provider_entry *entry;

    if (draft->provider_count == LB_PROVIDER_MAX || find(draft, name) >= 0)
        return;
    entry = new_entry(name);
    entry->is_module = true;
    entry->state = LB_UNOPENED;
    snprintf(entry->why, sizeof entry->why, "a module, which is opened when it is named");
    if (!lb_module_directory()) { /* no modules at all: this tells so */
        entry->state = LB_ABSENT;
        (void)lb_module_open(name, &entry->table, entry->why, sizeof entry->why);
    }
}

static void publish(const struct lb_registry *registry)
{
    atomic_store_explicit(&published, registry, memory_order_release);
}

static void fill(void)
{
    draft = &first_registry;
    memset(draft, 0, sizeof *draft);
    draft->default_chain = DEFAULT_CHAIN;
    for (unsigned i = 0; i < sizeof builtin / sizeof *builtin; i++) {
        if (strcmp(builtin[i].name, NAME_OF_DERIVED) == 0)
            draft->derived = i;
        if (strcmp(builtin[i].name, NAME_OF_LAST_RESORT) == 0)
            draft->last_resort = i;
    }
    for (size_t i = 0; i < sizeof builtin / sizeof *builtin; i++)
        add(builtin[i].name, builtin[i].table);
#ifdef LIMBIC_TESTING
    for (unsigned i = 0; i < added_count; i++) {
        unsigned index = draft->provider_count;

        add(added[i]->name, added[i]);
        if (index < draft->provider_count)
            draft->provider[index].is_module = true;
    }
#endif
    for (size_t i = 0; i < sizeof known_modules / sizeof *known_modules; i++)
        add_known_module(known_modules[i].name);
    publish(draft);
}

const struct lb_registry *lb_registry(void)
{
    lb_once(&filled, LB_LOCK_PROVIDERS, fill);
    return atomic_load_explicit(&published, memory_order_acquire);
}

int lb_registry_provider(const char *name)
{
    return find(lb_registry(), name);
}

/* ---- Modules -------------------------------------------------------------------------------- */

/* Writes what opening the module gave into the entry at `index`, a new one or a known module's. */
static void add_module(unsigned index, const struct limbic_provider *table,
                       enum lb_module_state state, const char *why)
{
    struct lb_provider_entry *entry = &draft->provider[index];

    entry->is_module = true;
    entry->table = table;
    entry->state = LB_USABLE;
    *entry->why = '\0';
    if (state == LB_MODULE_OPEN) {
        if (examine(entry, table))
            add_tiers(index);
        return;
    }
    refuse(entry, "%s", why);
    if (state == LB_MODULE_MISSING)
        entry->state = LB_ABSENT;
}

static struct lb_registry *new_registry(void)
{
#ifdef LIMBIC_TESTING
    if (test_full)
        return NULL;
#endif
    return malloc(sizeof(struct lb_registry));
}

/* Opens the module of that name and publishes a registry that has it. Returns its index, or, with a
   line in `why`, -1 or LB_OPEN_NOT_NOW. Under the lock. */
static int open_module(const struct lb_registry *now, int index, const char *name, char *why,
                       size_t size)
{
    const struct limbic_provider *table = NULL;
    enum lb_module_state state = lb_module_open(name, &table, why, size);

    if (state == LB_MODULE_NOT_NOW)
        return LB_OPEN_NOT_NOW;
    if (index < 0 && state == LB_MODULE_MISSING)
        return -1;
    if (index >= 0 && state == LB_MODULE_MISSING && strcmp(now->provider[index].why, why) == 0)
        return index; /* still missing */
    if (index < 0 && now->provider_count == LB_PROVIDER_MAX) {
        snprintf(why, size, "at most %d providers are held", LB_PROVIDER_MAX);
        return -1;
    }
    draft = new_registry();
    if (!draft) {
        snprintf(why, size, "out of memory for a module");
        errno = ENOMEM;
        return LB_OPEN_NOT_NOW;
    }
    *draft = *now;
    draft->previous = now;
    if (index < 0) {
        index = (int)now->provider_count;
        new_entry(name);
    }
    add_module((unsigned)index, table, state, why);
    publish(draft);
    return index;
}

/* A module that was missing is looked for again: it may have been installed since. */
static bool is_open(const struct lb_provider_entry *entry)
{
    return entry->state != LB_UNOPENED && !(entry->is_module && entry->state == LB_ABSENT);
}

int lb_registry_open(const char *name, char *why, size_t size)
{
    int index = lb_registry_provider(name), error;

    *why = '\0';
    if (index >= 0 && is_open(&lb_registry()->provider[index]))
        return index;
    if (!name_is_good(name) || name_is_reserved(name)) {
        snprintf(why, size, "no provider can have that name");
        return -1;
    }
    lb_lock(LB_LOCK_REGISTRY);
    index = lb_registry_provider(name);
    if (index < 0 || !is_open(&lb_registry()->provider[index]))
        index = open_module(lb_registry(), index, name, why, size);
    error = errno;
    lb_unlock(LB_LOCK_REGISTRY);
    errno = error;
    return index;
}

static void open_found(void *opaque, const char *name)
{
    char why[LB_WHY_SIZE];

    (void)opaque;
    (void)lb_registry_open(name, why, sizeof why);
}

const struct lb_known_module *lb_registry_known_module(unsigned number)
{
    return number < sizeof known_modules / sizeof *known_modules ? &known_modules[number] : NULL;
}

void lb_registry_open_all(void)
{
    for (size_t i = 0; i < sizeof known_modules / sizeof *known_modules; i++)
        open_found(NULL, known_modules[i].name);
    lb_module_each(open_found, NULL);
}

/* ---- Tiers and kernels ---------------------------------------------------------------------- */

int lb_registry_tier(unsigned provider, const char *name)
{
    const struct lb_registry *registry = lb_registry();
    const struct lb_provider_entry *entry = &registry->provider[provider];

    for (unsigned i = entry->first_tier; i < entry->first_tier + entry->tier_count; i++)
        if (strcmp(registry->tier[i].tier->name, name) == 0)
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
    const struct lb_registry *registry = lb_registry();
    const struct lb_tier_entry *entry = &registry->tier[tier];
    const char *own = entry->tier->name;

    snprintf(name, LB_TIER_NAME_SIZE, "%s%s%s", registry->provider[entry->provider].name,
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

void lb_test_registry_full(bool full)
{
    test_full = full;
}

void lb_test_registry_reset(void)
{
    added_count = 0;
    for (const struct lb_registry *r = atomic_load(&published), *next; r && r != &first_registry;
         r = next) {
        next = r->previous;
        free((void *)(uintptr_t)r);
    }
    publish(NULL);
    memset(&first_registry, 0, sizeof first_registry);
    atomic_store(&filled, false);
}
#endif
