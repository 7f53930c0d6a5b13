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
    enum lb_verdict verdict[LB_TIER_MAX];
};

enum { REASON_SIZE = 192 };

static void decide(const struct lb_view *v, const struct lb_slot *slot, unsigned size_class,
                   struct decision *decision)
{
    for (unsigned i = 0; i < v->registry->tier_count; i++)
        decision->verdict[i] = lb_resolve_verdict(
            v->policy, &v->plan->quarantine.column[size_class], slot, size_class, i);
}

static const char *class_name(const struct lb_slot *slot)
{
    return slot->ct == LIMBIC_CT_SECRET_OK ? "secret-ok" : "public-only";
}

/* The reason against a candidate, for people. */
static void reason(const struct lb_view *v, const struct lb_slot *slot, unsigned size_class,
                   unsigned tier, enum lb_verdict verdict, char text[REASON_SIZE])
{
    static const char *const fixed[] = {
        [LB_VERDICT_PRIORITY] = "priority",
        [LB_VERDICT_SIZE] = "does not serve this size",
        [LB_VERDICT_CAPPED] = "the chain names a lower tier",
        [LB_VERDICT_NOT_LISTED] = "not in the chain",
        [LB_VERDICT_DENIED] = "denied by only:",
    };
    const struct lb_tier_entry *entry = &v->registry->tier[tier];
    char fault[REASON_SIZE - 16];

    if (verdict == LB_VERDICT_QUARANTINE) {
        lb_fault_reason((unsigned)entry->family[slot->level], slot->id, size_class, fault,
                        sizeof fault);
        snprintf(text, REASON_SIZE, "quarantined: %s", fault);
    } else if (verdict == LB_VERDICT_EMPTY) {
        snprintf(text, REASON_SIZE, "has no kernel of class %s for it", class_name(slot));
    } else if (verdict == LB_VERDICT_UNUSABLE) {
        snprintf(text, REASON_SIZE, "%s", entry->why);
    } else {
        snprintf(text, REASON_SIZE, "%s", fixed[verdict]);
    }
}

static const char *reason_key(enum lb_verdict verdict, enum lb_availability state)
{
    switch (verdict) {
    case LB_VERDICT_PRIORITY:
        return "priority";
    case LB_VERDICT_EMPTY:
        return "class";
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
    for (unsigned i = 0; i < v->registry->tier_count; i++) {
        char ra[REASON_SIZE], rb[REASON_SIZE];

        if (da->verdict[i] != db->verdict[i])
            return false;
        if (da->verdict[i] != LB_VERDICT_QUARANTINE)
            continue;
        reason(v, slot, a, i, da->verdict[i], ra);
        reason(v, slot, b, i, db->verdict[i], rb);
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

static int chosen_tier(const struct lb_view *v, const struct decision *decision)
{
    for (unsigned i = 0; i < v->registry->tier_count; i++)
        if (decision->verdict[i] == LB_VERDICT_CHOSEN)
            return (int)i;
    return -1;
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
    for (unsigned i = 0; i < v->registry->tier_count; i++) {
        char text[REASON_SIZE];

        if (!is_rejected(decision, i))
            continue;
        lb_tier_name(name, i);
        reason(v, slot, first, i, decision->verdict[i], text);
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
    reason(v, slot, size_class, tier, decision->verdict[tier], text);
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
