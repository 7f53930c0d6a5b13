/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resolution: slot by slot, the first tier of the order that holds there that can fill it.
 */
#include "dispatch/resolve.h"

#include <stdio.h>
#include <string.h>

#include "dispatch/policy-parts.h"

const unsigned lb_size_class_bits[LB_SIZE_CLASSES] = {256,  384,  512,  768,  1024, 1536,
                                                      2048, 3072, 4096, 6144, 8192, 16384};

unsigned lb_size_class(size_t bits)
{
    unsigned size_class = 0;

    while (size_class < LB_SIZE_CLASSES - 1 && bits > lb_size_class_bits[size_class])
        size_class++;
    return size_class;
}

unsigned lb_size_class_min_bits(unsigned size_class)
{
    return size_class ? lb_size_class_bits[size_class - 1] + 1 : 2; /* a modulus is at least 3 */
}

/* Only level 2 families choose their sizes; limb functions have no say. */
bool lb_tier_serves(const struct limbic_tier *tier, const struct lb_slot *slot, unsigned size_class)
{
    if (slot->level != 2 || !tier->moduli->serves)
        return true;
    return tier->moduli->serves(slot->id, lb_size_class_min_bits(size_class),
                                lb_size_class_bits[size_class]);
}

/* Whether the tier could fill the slot, whatever the order: LB_VERDICT_PRIORITY if it could. */
static enum lb_verdict fitness(const struct lb_selection *selection,
                               const struct lb_quarantine_column *column,
                               const struct lb_slot *slot, unsigned size_class, unsigned tier)
{
    const struct lb_tier_entry *entry = &lb_registry()->tier[tier];
    const void *table = lb_tier_level(entry->tier, slot->level);

    if (!table)
        return LB_NO_CANDIDATE;
    if (entry->state != LB_USABLE)
        return LB_VERDICT_UNUSABLE;
    if (selection->barred >> entry->provider & 1)
        return LB_VERDICT_LICENSE;
    if (entry->needs & selection->denied)
        return LB_VERDICT_FEATURE;
    if (!lb_table_kernel(table, slot))
        return LB_VERDICT_EMPTY;
    if (!lb_tier_serves(entry->tier, slot, size_class))
        return LB_VERDICT_SIZE;
    if (lb_quarantined(column, (unsigned)entry->family[slot->level], slot->id))
        return LB_VERDICT_QUARANTINE;
    return LB_VERDICT_PRIORITY;
}

/* The tier whose kernel fills the slot, or -1. */
static int pick(const struct lb_selection *selection, const struct lb_quarantine_column *column,
                const struct lb_slot *slot, unsigned size_class)
{
    struct lb_order order;

    (void)lb_selection_order(&order, selection, slot, size_class);
    for (unsigned i = 0; i < order.count; i++)
        if (fitness(selection, column, slot, size_class, order.tier[i]) == LB_VERDICT_PRIORITY)
            return order.tier[i];
    return -1;
}

void lb_resolve_fill(struct limbic_ops *row, const struct lb_slot *slot, unsigned tier)
{
    const struct lb_tier_entry *entry = &lb_registry()->tier[tier];
    lb_kernel kernel = lb_table_kernel(lb_tier_level(entry->tier, slot->level), slot);

#ifdef VERIFY
    if (slot->verify)
        kernel = slot->verify((unsigned)entry->family[slot->level]);
#endif
    memcpy((char *)row + slot->ops_offset, &kernel, sizeof kernel);
    row->family[slot->id] = (uint8_t)entry->family[slot->level];
}

const struct lb_slot *lb_resolve_row(struct limbic_ops *row, const struct lb_selection *selection,
                                     const struct lb_quarantine_column *column, unsigned size_class)
{
    const struct lb_slot *unfilled = NULL;

    memset(row, 0, sizeof *row);
    row->size = sizeof *row;
    for (size_t i = 0; i < lb_slot_count; i++) {
        int tier;

        if (lb_slots[i].level > LB_RESOLVED_LEVELS)
            continue;
        tier = pick(selection, column, &lb_slots[i], size_class);
        if (tier >= 0)
            lb_resolve_fill(row, &lb_slots[i], (unsigned)tier);
        else if (!unfilled)
            unfilled = &lb_slots[i];
    }
    return unfilled;
}

static bool has_level(const struct lb_order *order, unsigned level)
{
    for (unsigned i = 0; i < order->count; i++)
        if (lb_registry()->tier[order->tier[i]].family[level] >= 0)
            return true;
    return false;
}

static bool any_quarantined(const struct lb_selection *selection,
                            const struct lb_quarantine_column *column, const struct lb_slot *slot,
                            unsigned size_class)
{
    struct lb_order order;

    (void)lb_selection_order(&order, selection, slot, size_class);
    for (unsigned i = 0; i < order.count; i++)
        if (fitness(selection, column, slot, size_class, order.tier[i]) == LB_VERDICT_QUARANTINE)
            return true;
    return false;
}

/* Says why a row is not whole; under only: also which word asked for that. */
static gpg_err_code_t explain_unfilled(const struct lb_policy *policy,
                                       const struct lb_quarantine_column *column,
                                       const struct lb_slot *slot, unsigned size_class, char *why,
                                       size_t size)
{
    unsigned bits = lb_size_class_bits[size_class];
    bool failed = any_quarantined(&policy->selection, column, slot, size_class);
    bool is_only = policy->chain_policy == LB_CHAIN_ONLY;
    const char *only = is_only ? " that only: allows" : "", *colon = is_only ? ": " : "";
    char place[LB_SOURCE_TEXT_SIZE] = "";

    if (is_only)
        lb_source_place(place, policy->chain_source);
    if (!has_level(&policy->selection.order, slot->level))
        snprintf(why, size, "%s%sno provider%s has level %u, %s", place, colon, only, slot->level,
                 slot->level == 1 ? "the limb functions" : "the functions of moduli");
    else if (failed)
        snprintf(why, size, "%s%s%s at up to %u bits: every kernel%s has failed its self-test",
                 place, colon, slot->name, bits, only);
    else
        snprintf(why, size, "%s%s%s at up to %u bits: no provider%s has a kernel for it", place,
                 colon, slot->name, bits, only);
    return failed ? GPG_ERR_SELFTEST_FAILED : GPG_ERR_NOT_SUPPORTED;
}

gpg_err_code_t lb_resolve(struct limbic_ops rows[LB_SIZE_CLASSES], const struct lb_policy *policy,
                          const struct lb_quarantine *quarantine, char *why, size_t size)
{
    gpg_err_code_t code = policy->code;

    snprintf(why, size, "%s", policy->error);
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++) {
        const struct lb_quarantine_column *column = &quarantine->column[i];
        const struct lb_slot *slot = lb_resolve_row(&rows[i], &policy->selection, column, i);

        if (slot && !code)
            code = explain_unfilled(policy, column, slot, i, why, size);
    }
    return code;
}

/* Why a tier that could serve is not in the order. */
static enum lb_verdict not_in_order(const struct lb_policy *policy, unsigned tier)
{
    const struct lb_registry *registry = lb_registry();
    const char *provider = registry->provider[registry->tier[tier].provider].name;

    for (unsigned i = 0; i < policy->element_count; i++)
        if (strcmp(policy->element[i].provider, provider) == 0)
            return LB_VERDICT_CAPPED;
    return policy->chain_policy == LB_CHAIN_ONLY ? LB_VERDICT_DENIED : LB_VERDICT_NOT_LISTED;
}

enum lb_verdict lb_resolve_verdict(const struct lb_policy *policy,
                                   const struct lb_quarantine_column *column,
                                   const struct lb_slot *slot, unsigned size_class, unsigned tier)
{
    const struct lb_selection *selection = &policy->selection;
    enum lb_verdict fit = fitness(selection, column, slot, size_class, tier);
    struct lb_order order;
    unsigned first;
    int chosen;

    if (fit != LB_VERDICT_PRIORITY)
        return fit;
    first = lb_selection_order(&order, selection, slot, size_class);
    chosen = pick(selection, column, slot, size_class);
    if (chosen == (int)tier)
        return LB_VERDICT_CHOSEN;
    order.count = first;
    if (chosen >= 0 && lb_order_has(&order, (unsigned)chosen) && !lb_order_has(&order, tier))
        return LB_VERDICT_OVERRIDE;
    if (!lb_order_has(&selection->order, tier) && !lb_order_has(&order, tier))
        return not_in_order(policy, tier);
    return LB_VERDICT_PRIORITY;
}
