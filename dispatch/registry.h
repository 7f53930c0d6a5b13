/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The registry: which providers there are, which of their tiers can be used here, and the numbers
 * of their families. It only grows: opening a module publishes a new registry, in which all numbers
 * that were given out stand as before. Knows providers; knows no policy, and what a slot computes
 * only through its descriptor.
 */
#ifndef LB_DISPATCH_REGISTRY_H
#define LB_DISPATCH_REGISTRY_H

#include "dispatch/cpu.h"
#include "dispatch/slots.h"
#include "limbic-provider.h"

enum {
    LB_NAME_MAX = 31,      /* octets in the name of a provider or a tier */
    LB_PROVIDER_MAX = 16,  /* providers of one process, refused ones included */
    LB_PROVIDER_TIERS = 8, /* tiers of one provider */
    LB_TIER_MAX = 48,      /* tiers of all providers together */
    LB_LEVELS = 3,
    LB_WHY_SIZE = 240 /* octets for a reason, with the path of a module */
};

enum lb_availability {
    LB_USABLE = 0,
    LB_REFUSED,   /* provider: its module or table is not as it must be */
    LB_ABSENT,    /* provider: known by name only */
    LB_NOT_BUILT, /* tier: not in this build */
    LB_NO_CPU,    /* tier: needs what the CPU, or the operating system, does not offer */
    LB_UNOPENED   /* provider: a module that nobody has named yet */
};

struct lb_provider_entry {
    char name[LB_NAME_MAX + 1];
    const struct limbic_provider *table; /* NULL if absent; if refused, not to be read */
    enum lb_availability state;
    bool is_module;                  /* not part of the library */
    char why[LB_WHY_SIZE];           /* "" if usable */
    unsigned first_tier, tier_count; /* in the registry's tiers */
};

struct lb_tier_entry {
    unsigned provider;
    const struct limbic_tier *tier;
    enum lb_availability state;
    lb_cpu_set needs;          /* CPU features; the names that are known */
    char why[160];             /* "" if usable */
    int family[LB_LEVELS + 1]; /* by level; -1: none, or not usable */
};

struct lb_family_entry {
    unsigned tier, level;
    bool over_row; /* written over the slots below of whatever row it stands in */
};

struct lb_registry {
    unsigned provider_count, tier_count, family_count;
    struct lb_provider_entry provider[LB_PROVIDER_MAX];
    struct lb_tier_entry tier[LB_TIER_MAX];
    struct lb_family_entry family[LIMBIC_FAMILY_MAX];
    unsigned derived;     /* the provider that ends every chain */
    unsigned last_resort; /* the provider that is trusted as the reference */
    unsigned left_out;    /* providers beyond LB_PROVIDER_MAX */
    const char *default_chain;
    const struct lb_registry *previous; /* keeps all registries reachable */
};

/* The registry as it is now, which never changes again; fills it on first use (thread-safe, needs
   no memory, cannot fail: whatever is wrong with a provider is written beside it). */
const struct lb_registry *lb_registry(void);

/* Index of the provider with that name, whose module is opened if it has one and is not open yet;
   the entry says what came of it. -1, with a line in `why`: there is no such provider, and no such
   module. LB_OPEN_NOT_NOW, with a line and errno: that could not be found out for a shortage of
   memory, of open files or the like, and may be another time; nothing is recorded. Thread-safe. May
   take the time of loading a library. */
enum { LB_OPEN_NOT_NOW = -2 };
int lb_registry_open(const char *name, char *why, size_t size);

/* Opens every module that is installed. For listings and tests. */
void lb_registry_open_all(void);

/* The modules that are part of limbic, by number, and whether configure had them built; NULL behind the
   last. */
struct lb_known_module {
    const char *name;
    bool is_built;
};
const struct lb_known_module *lb_registry_known_module(unsigned number);

/* Index of the provider or tier with that name, or -1. Names are compared exactly. */
int lb_registry_provider(const char *name);
int lb_registry_tier(unsigned provider, const char *name);

/* The table in which a tier has the slots of a level, or NULL. Also for tiers that are not usable.
   */
const void *lb_tier_level(const struct limbic_tier *tier, unsigned level);

/* The kernel of this slot in that table. */
lb_kernel lb_table_kernel(const void *table, const struct lb_slot *slot);

/* "PROVIDER" or "PROVIDER/TIER", as it is written in words. */
#define LB_TIER_NAME_SIZE (2 * LB_NAME_MAX + 2)
void lb_tier_name(char name[LB_TIER_NAME_SIZE], unsigned tier);

#ifdef LIMBIC_TESTING
/* Adds a provider behind the built-in ones, before the first use of the registry. */
void lb_test_register(const struct limbic_provider *provider);
/* Whether there is no memory for a new registry. */
void lb_test_registry_full(bool full);
/* Forgets everything, added providers too. No other thread may use the library. */
void lb_test_registry_reset(void);
#endif

#endif
