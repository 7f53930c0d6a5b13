/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report's part about providers: what each says of itself, its tiers, its state and why.
 */
#include "dispatch/report-view.h"

#include <string.h>

#include "dispatch/module.h"

static bool family_is_active(const struct lb_view *v, unsigned family)
{
    unsigned level = v->registry->family[family].level;

    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++)
        for (size_t j = 0; j < lb_slot_count; j++)
            if (lb_slots[j].level == level && level <= LB_RESOLVED_LEVELS &&
                v->plan->rows[i].family[lb_slots[j].id] == family)
                return true;
    return false;
}

static bool tier_is_active(const struct lb_view *v, unsigned tier)
{
    if (v->plan->code)
        return false;
    for (unsigned level = 1; level <= LB_LEVELS; level++) {
        int family = v->registry->tier[tier].family[level];

        if (family >= 0 && family_is_active(v, (unsigned)family))
            return true;
    }
    return false;
}

static const char *tier_state(const struct lb_view *v, unsigned tier)
{
    switch (v->registry->tier[tier].state) {
    case LB_USABLE:
        return tier_is_active(v, tier) ? "active" : "available";
    case LB_NOT_BUILT:
        return "not-built";
    case LB_NO_CPU:
    case LB_REFUSED:
    case LB_ABSENT:
    default:
        return "refused";
    }
}

/* The state of a provider is the best one of its tiers; *why is "" or says why it is no better: the
   reason of the last tier, which asks least. */
static const char *provider_state(const struct lb_view *v, const struct lb_provider_entry *entry,
                                  const char **why)
{
    const struct lb_tier_entry *last;
    const char *state = "refused";

    *why = entry->why;
    if (entry->state != LB_USABLE)
        return entry->state == LB_ABSENT     ? "absent"
               : entry->state == LB_UNOPENED ? "unopened"
                                             : "refused";
    last = &v->registry->tier[entry->first_tier + entry->tier_count - 1];
    *why = last->why;
    if (last->state == LB_NOT_BUILT)
        state = "not-built";
    for (unsigned i = entry->first_tier; i < entry->first_tier + entry->tier_count; i++) {
        const char *own = tier_state(v, i);

        if (strcmp(own, "active") == 0 || strcmp(own, "available") == 0) {
            if (strcmp(state, "active") != 0)
                state = own;
            *why = "";
        }
    }
    return state;
}

/* The state and the reason in a line for people. The reason of what is not built says so itself. */
static void state_text(struct lb_text *out, const char *state, const char *why)
{
    if (strcmp(state, "not-built") != 0)
        lb_text_printf(out, "%s%s", state, *why ? ": " : "");
    lb_text_foreign(out, why);
}

/* Whether its table may be read. */
static bool is_readable(const struct lb_provider_entry *entry)
{
    return entry->table && entry->state == LB_USABLE;
}

static void levels_text(struct lb_text *out, const struct limbic_tier *tier)
{
    const char *before = "level ";

    for (unsigned level = 1; level <= LB_LEVELS; level++) {
        if (!lb_tier_level(tier, level))
            continue;
        lb_text_printf(out, "%s%u", before, level);
        before = ", ";
    }
    if (strcmp(before, "level ") == 0)
        lb_text_put(out, "no kernels");
}

static void tier_text(const struct lb_view *v, unsigned index)
{
    const struct lb_tier_entry *entry = &v->registry->tier[index];

    lb_text_put(v->out, "    ");
    if (*entry->tier->name)
        lb_text_printf(v->out, "tier %s: ", entry->tier->name);
    levels_text(v->out, entry->tier);
    if (*entry->tier->name || *entry->why) {
        lb_text_put(v->out, "; ");
        state_text(v->out, tier_state(v, index), entry->why);
    }
    lb_text_put(v->out, "\n");
}

static void provider_text(const struct lb_view *v, const struct lb_provider_entry *entry)
{
    const char *why, *state = provider_state(v, entry, &why);

    lb_text_foreign(v->out, entry->name);
    if (is_readable(entry)) {
        lb_text_put(v->out, " ");
        lb_text_foreign(v->out, entry->table->version);
    }
    lb_text_put(v->out, ": ");
    state_text(v->out, state, why);
    lb_text_put(v->out, "\n");
    if (!is_readable(entry))
        return;
    lb_text_put(v->out, "    licence ");
    lb_text_foreign(v->out, entry->table->license);
    lb_text_put(v->out, "; from ");
    lb_text_foreign(v->out, entry->table->origin);
    lb_text_put(v->out, "\n");
    for (unsigned i = 0; i < entry->tier_count; i++)
        tier_text(v, entry->first_tier + i);
}

void lb_report_list_text(const struct lb_view *v)
{
    for (unsigned i = 0; i < v->registry->provider_count; i++)
        provider_text(v, &v->registry->provider[i]);
    if (v->registry->left_out)
        lb_text_printf(v->out, "%u more: refused: at most %d providers are held\n",
                       v->registry->left_out, LB_PROVIDER_MAX);
    if (lb_module_directory())
        lb_text_printf(v->out, "modules: %s/limbic-provider-NAME.so\n", lb_module_directory());
}

static void tier_json(const struct lb_view *v, unsigned index)
{
    const struct lb_tier_entry *entry = &v->registry->tier[index];

    lb_json_open(v->out, NULL, '{');
    lb_json_string(v->out, "name", entry->tier->name);
    lb_json_open(v->out, "levels", '[');
    for (unsigned level = 1; level <= LB_LEVELS; level++)
        if (lb_tier_level(entry->tier, level))
            lb_json_number(v->out, NULL, level);
    lb_json_close(v->out, ']');
    lb_json_string(v->out, "needs", entry->tier->needs);
    lb_json_string(v->out, "state", tier_state(v, index));
    lb_json_string(v->out, "why", lb_or_null(entry->why));
    lb_json_close(v->out, '}');
}

static void provider_json(const struct lb_view *v, const struct lb_provider_entry *entry)
{
    const struct limbic_provider *table = is_readable(entry) ? entry->table : NULL;
    const char *why, *state = provider_state(v, entry, &why);

    lb_json_open(v->out, NULL, '{');
    lb_json_string(v->out, "name", entry->name);
    lb_json_string(v->out, "state", state);
    lb_json_string(v->out, "why", lb_or_null(why));
    lb_json_string(v->out, "version", table ? table->version : NULL);
    lb_json_string(v->out, "license", table ? table->license : NULL);
    lb_json_string(v->out, "origin", table ? table->origin : NULL);
    lb_json_open(v->out, "tiers", '[');
    for (unsigned i = 0; i < entry->tier_count; i++)
        tier_json(v, entry->first_tier + i);
    lb_json_close(v->out, ']');
    lb_json_close(v->out, '}');
}

void lb_report_list_json(const struct lb_view *v)
{
    lb_json_open(v->out, "providers", '[');
    for (unsigned i = 0; i < v->registry->provider_count; i++)
        provider_json(v, &v->registry->provider[i]);
    lb_json_close(v->out, ']');
    lb_json_number(v->out, "left_out", v->registry->left_out);
    lb_json_string(v->out, "module_directory", lb_module_directory());
}

/* ---- Who computes --------------------------------------------------------------------------- */

enum { SAMPLE_BITS = 2048 }; /* the size whose row is counted */

static unsigned slots_of(const struct lb_view *v, unsigned tier)
{
    const struct limbic_ops *row = &v->plan->rows[lb_size_class(SAMPLE_BITS)];
    unsigned count = 0;

    for (size_t i = 0; i < lb_slot_count; i++)
        if (lb_slots[i].level <= LB_RESOLVED_LEVELS &&
            v->registry->tier[tier].family[lb_slots[i].level] == (int)row->family[lb_slots[i].id])
            count++;
    return count;
}

/* Whose the chain is: a final one of a file may stand against the words of another origin. */
static const char *chain_origin(char text[LB_SOURCE_TEXT_SIZE], const struct lb_policy *policy)
{
    if (policy->chain_source.file && policy->origin != LB_ORIGIN_FILE)
        return lb_source_text(text, policy->chain_source);
    return lb_origin_text(policy->origin);
}

void lb_report_in_use_text(const struct lb_view *v)
{
    char source[LB_SOURCE_TEXT_SIZE];
    const char *before = "";

    lb_report_label(v->out, "arithmetic by");
    for (unsigned i = 0; i < v->registry->tier_count; i++) {
        char name[LB_TIER_NAME_SIZE];

        if (!tier_is_active(v, i))
            continue;
        lb_tier_name(name, i);
        lb_text_printf(v->out, "%s%s ", before, name);
        lb_text_foreign(v->out,
                        v->registry->provider[v->registry->tier[i].provider].table->version);
        lb_text_printf(v->out, " (%u slots at %d bits)", slots_of(v, i), SAMPLE_BITS);
        before = ", ";
    }
    lb_text_printf(v->out, "%s; asked for by: %s\n", *before ? "" : "nobody",
                   chain_origin(source, v->policy));
}

void lb_report_in_use_json(const struct lb_view *v)
{
    lb_json_open(v->out, "arithmetic", '[');
    for (unsigned i = 0; i < v->registry->tier_count; i++) {
        char name[LB_TIER_NAME_SIZE];

        if (!tier_is_active(v, i))
            continue;
        lb_tier_name(name, i);
        lb_json_open(v->out, NULL, '{');
        lb_json_string(v->out, "kernels", name);
        lb_json_string(v->out, "version",
                       v->registry->provider[v->registry->tier[i].provider].table->version);
        lb_json_number(v->out, "slots", slots_of(v, i));
        lb_json_close(v->out, '}');
    }
    lb_json_close(v->out, ']');
}

/* ---- What is not there ---------------------------------------------------------------------- */

/* Tiers whose kernels are not even known by slot, and providers that were refused. */
void lb_report_unusable_text(const struct lb_view *v)
{
    for (unsigned i = 0; i < v->registry->provider_count; i++) {
        const struct lb_provider_entry *entry = &v->registry->provider[i];

        if (entry->state == LB_USABLE)
            continue;
        lb_report_label(v->out, entry->state == LB_ABSENT     ? "not there"
                                : entry->state == LB_UNOPENED ? "not opened"
                                                              : "refused");
        lb_text_foreign(v->out, entry->name);
        lb_text_put(v->out, ": ");
        lb_text_foreign(v->out, entry->why);
        lb_text_put(v->out, "\n");
    }
    for (unsigned i = 0; i < v->registry->tier_count; i++) {
        char name[LB_TIER_NAME_SIZE];

        if (v->registry->tier[i].state == LB_USABLE)
            continue;
        lb_tier_name(name, i);
        lb_report_label(v->out, "not usable");
        lb_text_printf(v->out, "%s: ", name);
        lb_text_foreign(v->out, v->registry->tier[i].why);
        lb_text_put(v->out, "\n");
    }
}

void lb_report_unusable_json(const struct lb_view *v)
{
    lb_json_open(v->out, "unusable", '[');
    for (unsigned i = 0; i < v->registry->provider_count; i++) {
        if (v->registry->provider[i].state == LB_USABLE)
            continue;
        lb_json_open(v->out, NULL, '{');
        lb_json_string(v->out, "name", v->registry->provider[i].name);
        lb_json_string(v->out, "why", v->registry->provider[i].why);
        lb_json_close(v->out, '}');
    }
    for (unsigned i = 0; i < v->registry->tier_count; i++) {
        char name[LB_TIER_NAME_SIZE];

        if (v->registry->tier[i].state == LB_USABLE)
            continue;
        lb_tier_name(name, i);
        lb_json_open(v->out, NULL, '{');
        lb_json_string(v->out, "name", name);
        lb_json_string(v->out, "why", v->registry->tier[i].why);
        lb_json_close(v->out, '}');
    }
    lb_json_close(v->out, ']');
}
