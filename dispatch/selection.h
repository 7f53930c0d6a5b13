/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A selection: what the words come to, as far as resolution needs it. The order of tiers, what goes
 * before it for single slots, sizes and curves, and what is kept out altogether. A plain value;
 * knows tiers and slots, and no words.
 */
#ifndef LB_DISPATCH_SELECTION_H
#define LB_DISPATCH_SELECTION_H

#include "dispatch/dispatch.h"
#include "dispatch/registry.h"

enum {
    LB_GLOB_MAX = 31,    /* octets in the pattern of an override's slot */
    LB_OVERRIDE_MAX = 32 /* overrides of one selection */
};

/* Tiers, best first, each at most once: the order in which a slot looks for its kernel. */
struct lb_order {
    unsigned count;
    uint8_t tier[LB_TIER_MAX];
};

enum lb_place { LB_ANYWHERE, LB_AT_SIZE, LB_AT_CURVE };

/* For the slots whose name matches, at the place, these tiers stand before the order. */
struct lb_override {
    char slot[LB_GLOB_MAX + 1]; /* `*`: any octets; `?`: any one */
    bool final;                 /* stands before those behind it */
    enum lb_place place;
    unsigned size_class;        /* LB_AT_SIZE */
    enum limbic_curve_id curve; /* LB_AT_CURVE; no curve slot is resolved yet */
    struct lb_order order;      /* empty: it names nothing that is there */
};

struct lb_selection {
    struct lb_order order;
    unsigned override_count;
    struct lb_override override[LB_OVERRIDE_MAX];
    uint64_t denied; /* CPU features, closed under dependency */
    uint32_t barred; /* providers, a bit for each number */
};

/* Whether a name matches a pattern. Both in lower case. */
bool lb_glob_matches(const char *glob, const char *name);

/* The number of the override for this slot and size class: of those that apply the first final one,
   or the last one; -1: none. */
int lb_selection_override(const struct lb_selection *selection, const struct lb_slot *slot,
                          unsigned size_class);

/* The order that holds for this slot and size class. Returns how many tiers, at its beginning, are
   there by an override. */
unsigned lb_selection_order(struct lb_order *order, const struct lb_selection *selection,
                            const struct lb_slot *slot, unsigned size_class);

static inline bool lb_order_has(const struct lb_order *order, unsigned tier)
{
    for (unsigned i = 0; i < order->count; i++)
        if (order->tier[i] == tier)
            return true;
    return false;
}

static inline void lb_order_append(struct lb_order *order, unsigned tier)
{
    if (!lb_order_has(order, tier))
        order->tier[order->count++] = (uint8_t)tier;
}

#endif
