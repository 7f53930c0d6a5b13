/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report's part about slots: for each one the kernel chosen, and the reason against every other
 * candidate. Every verdict is asked of resolve with the plan's own inputs, so what is said here is
 * what was done.
 */
#include "dispatch/report-view.h"

#include <stdio.h>
#include <string.h>

/* What was decided for one slot at one size class. */
struct decision {
    int override; /* the number of the one that holds, or -1 */
    enum lb_verdict verdict[LB_TIER_MAX];
};

enum { REASON_SIZE = LB_BAN_SIZE };

static void decide(const struct lb_view *v, const struct lb_slot *slot, unsigned size_class,
                   struct decision *decision)
{
    decision->override = lb_selection_override(&v->policy->selection, slot, size_class);
    for (unsigned i = 0; i < v->registry->tier_count; i++)
        decision->verdict[i] = lb_resolve_verdict(
            v->policy, &v->plan->quarantine.column[size_class], slot, size_class, i);
}

static const char *class_name(const struct lb_slot *slot)
{
    return slot->ct == LIMBIC_CT_SECRET_OK ? "secret-ok" : "public-only";
}

/* A reason that names the word which it comes from. */
static void reason_with_source(char text[REASON_SIZE], const char *what, struct lb_source source)
{
    char name[LB_SOURCE_TEXT_SIZE];

    snprintf(text, REASON_SIZE, "%s (%s)", what, lb_source_text(name, source));
}

static void override_reason(const struct lb_view *v, int override, char text[REASON_SIZE])
{
    if (override >= 0)
        reason_with_source(text, "override", v->policy->override[override].source);
}

static int chosen_tier(const struct lb_view *v, const struct decision *decision)
{
    for (unsigned i = 0; i < v->registry->tier_count; i++)
        if (decision->verdict[i] == LB_VERDICT_CHOSEN)
            return (int)i;
    return -1;
}

/* Whether all limb functions of the row are this tier's. */
static bool has_the_limbs(const struct lb_view *v, unsigned tier, unsigned size_class)
{
    for (size_t i = 0; i < lb_slot_count; i++)
        if (lb_slots[i].level == 1 && v->registry->tier[tier].family[1] !=
                                          (int)v->plan->rows[size_class].family[lb_slots[i].id])
            return false;
    return true;
}

/* A tier leaves a slot empty where it has nothing that is better, or nothing that keeps the slot's
   class. Its limb functions may be at work there all the same, below what is written over the row. */
static void empty_reason(const struct lb_view *v, unsigned size_class, unsigned tier,
                         const struct decision *decision, char text[REASON_SIZE])
{
    int chosen = chosen_tier(v, decision);
    char name[LB_TIER_NAME_SIZE];

    snprintf(text, REASON_SIZE, "has no kernel for it");
    if (chosen < 0 || v->registry->tier[chosen].provider != v->registry->derived || v->plan->code ||
        !has_the_limbs(v, tier, size_class))
        return;
    lb_tier_name(name, (unsigned)chosen);
    snprintf(text, REASON_SIZE, "has no kernel for it; %s computes it over its limb functions",
             name);
}

/* The reason against a candidate, for people. */
static void reason(const struct lb_view *v, const struct lb_slot *slot, unsigned size_class,
                   unsigned tier, const struct decision *decision, char text[REASON_SIZE])
{
    const struct lb_tier_entry *entry = &v->registry->tier[tier];
    struct lb_source chain = v->policy->chain_source;
    char fault[REASON_SIZE - 16];

    snprintf(text, REASON_SIZE, "%s", "priority");
    switch (decision->verdict[tier]) {
    case LB_VERDICT_OVERRIDE:
        override_reason(v, decision->override, text);
        break;
    case LB_VERDICT_EMPTY:
        empty_reason(v, size_class, tier, decision, text);
        break;
    case LB_VERDICT_SIZE:
        snprintf(text, REASON_SIZE, "does not serve this size");
        break;
    case LB_VERDICT_QUARANTINE:
        lb_fault_reason((unsigned)entry->family[slot->level], slot->id, size_class, fault,
                        sizeof fault);
        snprintf(text, REASON_SIZE, "quarantined: %s", fault);
        break;
    case LB_VERDICT_UNUSABLE:
        snprintf(text, REASON_SIZE, "%s", entry->why);
        break;
    case LB_VERDICT_FEATURE:
        (void)lb_policy_feature_ban(v->policy, tier, text);
        break;
    case LB_VERDICT_LICENSE:
        (void)lb_policy_license_ban(v->policy, entry->provider, text);
        break;
    case LB_VERDICT_CAPPED:
        reason_with_source(text, "the chain names a lower tier", chain);
        break;
    case LB_VERDICT_NOT_LISTED:
        reason_with_source(text, "not in the chain", chain);
        break;
    case LB_VERDICT_DENIED:
        reason_with_source(text, "denied by only:", chain);
        break;
    case LB_VERDICT_PRIORITY:
    case LB_VERDICT_CHOSEN:
    case LB_NO_CANDIDATE:
    default:
        break;
    }
}

static const char *reason_key(enum lb_verdict verdict, enum lb_availability state)
{
    switch (verdict) {
    case LB_VERDICT_PRIORITY:
        return "priority";
    case LB_VERDICT_OVERRIDE:
        return "override";
    case LB_VERDICT_FEATURE:
        return "feature-denied";
    case LB_VERDICT_LICENSE:
        return "license";
    case LB_VERDICT_EMPTY:
        return "empty";
    case LB_VERDICT_SIZE:
        return "size";
    case LB_VERDICT_QUARANTINE:
        return "quarantined";
    case LB_VERDICT_UNUSABLE:
        return state == LB_NOT_BUILT ? "not-built" : state == LB_NO_CPU ? "cpu" : "refused";
    case LB_VERDICT_CAPPED:
        return "capped";
    case LB_VERDICT_NOT_LISTED:
        return "not-in-chain";
    case LB_VERDICT_DENIED:
        return "denied";
    case LB_VERDICT_CHOSEN:
    case LB_NO_CANDIDATE:
    default:
        return "";
    }
}

static bool same_decision(const struct lb_view *v, const struct lb_slot *slot, unsigned a,
                          const struct decision *da, unsigned b, const struct decision *db)
{
    if (da->override != db->override)
        return false;
    for (unsigned i = 0; i < v->registry->tier_count; i++) {
        char ra[REASON_SIZE], rb[REASON_SIZE];

        if (da->verdict[i] != db->verdict[i])
            return false;
        if (da->verdict[i] != LB_VERDICT_QUARANTINE && da->verdict[i] != LB_VERDICT_EMPTY)
            continue;
        reason(v, slot, a, i, da, ra);
        reason(v, slot, b, i, db, rb);
        if (strcmp(ra, rb) != 0)
            return false;
    }
    return true;
}

/* Decides for the class `first` and returns the last class up to which the decision is the same. */
static unsigned decide_group(const struct lb_view *v, const struct lb_slot *slot, unsigned first,
                             struct decision *decision)
{
    unsigned last = first;

    decide(v, slot, first, decision);
    while (last + 1 < LB_SIZE_CLASSES) {
        struct decision next;

        decide(v, slot, last + 1, &next);
        if (!same_decision(v, slot, first, decision, last + 1, &next))
            break;
        last++;
    }
    return last;
}

/* Whether the kernel chosen is there because of the override. */
static bool by_override(const struct lb_view *v, const struct decision *decision)
{
    int chosen = chosen_tier(v, decision);

    return decision->override >= 0 && chosen >= 0 &&
           lb_order_has(&v->policy->selection.override[decision->override].order, (unsigned)chosen);
}

static bool is_rejected(const struct decision *decision, unsigned tier)
{
    return decision->verdict[tier] != LB_VERDICT_CHOSEN &&
           decision->verdict[tier] != LB_NO_CANDIDATE;
}

static void range_text(struct lb_text *out, unsigned first, unsigned last)
{
    size_t begin = out->length;

    if (first == 0 && last == LB_SIZE_CLASSES - 1)
        lb_text_put(out, "all sizes");
    else if (first == 0)
        lb_text_printf(out, "to %u bits", lb_size_class_bits[last]);
    else
        lb_text_printf(out, "%u to %u bits", lb_size_class_min_bits(first),
                       lb_size_class_bits[last]);
    while (out->length < begin + 20 && !out->failed)
        lb_text_put(out, " ");
}

static void group_text(const struct lb_view *v, const struct lb_slot *slot, unsigned first,
                       unsigned last, const struct decision *decision)
{
    int chosen = chosen_tier(v, decision);
    char name[LB_TIER_NAME_SIZE] = "NONE";

    if (chosen >= 0)
        lb_tier_name(name, (unsigned)chosen);
    lb_text_printf(v->out, "%-18s %-12s", slot->name, class_name(slot));
    range_text(v->out, first, last);
    lb_text_put(v->out, name);
    if (by_override(v, decision)) {
        char text[REASON_SIZE];

        override_reason(v, decision->override, text);
        lb_text_printf(v->out, " by %s", text);
    }
    for (unsigned i = 0; i < v->registry->tier_count; i++) {
        char text[REASON_SIZE];

        if (!is_rejected(decision, i))
            continue;
        lb_tier_name(name, i);
        reason(v, slot, first, i, decision, text);
        lb_text_printf(v->out, "; not %s: ", name);
        lb_text_foreign(v->out, text);
    }
    lb_text_put(v->out, "\n");
}

static void slot_text(const struct lb_view *v, const struct lb_slot *slot)
{
    for (unsigned first = 0; first < LB_SIZE_CLASSES;) {
        struct decision decision;
        unsigned last = decide_group(v, slot, first, &decision);

        group_text(v, slot, first, last, &decision);
        first = last + 1;
    }
}

static void rejected_json(const struct lb_view *v, const struct lb_slot *slot, unsigned size_class,
                          const struct decision *decision, unsigned tier)
{
    char name[LB_TIER_NAME_SIZE], text[REASON_SIZE];

    lb_tier_name(name, tier);
    reason(v, slot, size_class, tier, decision, text);
    lb_json_open(v->out, NULL, '{');
    lb_json_string(v->out, "kernel", name);
    lb_json_string(v->out, "reason",
                   reason_key(decision->verdict[tier], v->registry->tier[tier].state));
    lb_json_string(v->out, "text", text);
    lb_json_close(v->out, '}');
}

static void group_json(const struct lb_view *v, const struct lb_slot *slot, unsigned first,
                       unsigned last, const struct decision *decision)
{
    int chosen = chosen_tier(v, decision);
    char name[LB_TIER_NAME_SIZE];

    if (chosen >= 0)
        lb_tier_name(name, (unsigned)chosen);
    lb_json_open(v->out, NULL, '{');
    lb_json_number(v->out, "min_bits", lb_size_class_min_bits(first));
    lb_json_number(v->out, "max_bits", lb_size_class_bits[last]);
    lb_json_string(v->out, "kernel", chosen >= 0 ? name : NULL);
    lb_json_string(v->out, "by", by_override(v, decision) ? "override" : "chain");
    lb_report_source_json(v->out, by_override(v, decision)
                                      ? v->policy->override[decision->override].source
                                      : v->policy->chain_source);
    lb_json_open(v->out, "others", '[');
    for (unsigned i = 0; i < v->registry->tier_count; i++)
        if (is_rejected(decision, i))
            rejected_json(v, slot, first, decision, i);
    lb_json_close(v->out, ']');
    lb_json_close(v->out, '}');
}

static void slot_json(const struct lb_view *v, const struct lb_slot *slot)
{
    lb_json_open(v->out, NULL, '{');
    lb_json_string(v->out, "slot", slot->name);
    lb_json_number(v->out, "level", slot->level);
    lb_json_string(v->out, "class", class_name(slot));
    lb_json_open(v->out, "sizes", '[');
    for (unsigned first = 0; first < LB_SIZE_CLASSES;) {
        struct decision decision;
        unsigned last = decide_group(v, slot, first, &decision);

        group_json(v, slot, first, last, &decision);
        first = last + 1;
    }
    lb_json_close(v->out, ']');
    lb_json_close(v->out, '}');
}

void lb_report_slots_text(const struct lb_view *v)
{
    lb_text_printf(v->out, "\n%-18s %-12s%-20s%s\n", "slot", "class", "moduli", "kernel");
    for (size_t i = 0; i < lb_slot_count; i++)
        if (lb_slots[i].level <= LB_RESOLVED_LEVELS)
            slot_text(v, &lb_slots[i]);
}

void lb_report_slots_json(const struct lb_view *v)
{
    lb_json_open(v->out, "slots", '[');
    for (size_t i = 0; i < lb_slot_count; i++)
        if (lb_slots[i].level <= LB_RESOLVED_LEVELS)
            slot_json(v, &lb_slots[i]);
    lb_json_close(v->out, ']');
}
