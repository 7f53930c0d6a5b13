/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From names to tiers: what the elements of the chain and the overrides stand for here, after the
 * restrictions; and what is to be said of those that stand for nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "dispatch/license.h"
#include "dispatch/policy-parts.h"

/* ---- Restrictions --------------------------------------------------------------------------- */

const char *lb_policy_feature_ban(const struct lb_policy *policy, unsigned tier,
                                  char text[LB_BAN_SIZE])
{
    uint64_t hit = lb_registry()->tier[tier].needs & policy->selection.denied;
    char source[LB_SOURCE_TEXT_SIZE];

    for (unsigned i = 0; i < lb_cpu_feature_count(); i++) {
        const struct lb_denial *denial = &policy->denial[i];

        if (!(hit >> i & 1))
            continue;
        lb_source_text(source, denial->source);
        if (denial->root == i)
            snprintf(text, LB_BAN_SIZE, "needs %s, denied by %s", lb_cpu_feature_name(i), source);
        else
            snprintf(text, LB_BAN_SIZE, "needs %s, which depends on %s, denied by %s",
                     lb_cpu_feature_name(i), lb_cpu_feature_name(denial->root), source);
        return text;
    }
    return NULL;
}

const char *lb_policy_license_ban(const struct lb_policy *policy, unsigned provider,
                                  char text[LB_BAN_SIZE])
{
    const struct lb_provider_entry *entry = &lb_registry()->provider[provider];

    if (!entry->is_module || entry->state != LB_USABLE)
        return NULL;
    for (unsigned i = 0; i < policy->license_count; i++) {
        char source[LB_SOURCE_TEXT_SIZE];

        if (lb_license_allows(policy->license[i].list, entry->table->license))
            continue;
        snprintf(text, LB_BAN_SIZE, "its licence %.60s is not among those of license= (%s)",
                 entry->table->license, lb_source_text(source, policy->license[i].source));
        lb_one_line(text);
        return text;
    }
    return NULL;
}

static void bar_provider(struct lb_policy *policy, unsigned provider)
{
    char text[LB_BAN_SIZE];

    if (lb_policy_license_ban(policy, provider, text))
        policy->selection.barred |= (uint32_t)1 << provider;
}

static void bar_providers(struct lb_policy *policy)
{
    for (unsigned i = 0; i < lb_registry()->provider_count; i++)
        bar_provider(policy, i);
}

/* ---- Tiers ---------------------------------------------------------------------------------- */

static bool is_admitted(const struct lb_policy *policy, unsigned tier)
{
    const struct lb_tier_entry *entry = &lb_registry()->tier[tier];

    return entry->state == LB_USABLE && !(entry->needs & policy->selection.denied) &&
           !(policy->selection.barred >> entry->provider & 1);
}

/* Appends the admitted tiers of a provider from `first` downwards; false if there are none. */
static bool append_tiers(struct lb_order *order, const struct lb_policy *policy, unsigned provider,
                         unsigned first)
{
    const struct lb_provider_entry *entry = &lb_registry()->provider[provider];
    bool any = false;

    for (unsigned i = first; i < entry->first_tier + entry->tier_count; i++) {
        if (is_admitted(policy, i)) {
            lb_order_append(order, i);
            any = true;
        }
    }
    return any;
}

/* What a name stands for. */
struct finding {
    gpg_err_code_t code;     /* 0: it is there, and admitted */
    char why[LB_BAN_SIZE];   /* if not */
    unsigned provider, tier; /* if code is 0 or GPG_ERR_NOT_SUPPORTED: the best tier named */
    bool has_tier;
};

static void miss(struct finding *finding, gpg_err_code_t code, const char *format, const char *what)
    __attribute__((format(printf, 3, 0)));

static void miss(struct finding *finding, gpg_err_code_t code, const char *format, const char *what)
{
    finding->code = code;
    snprintf(finding->why, sizeof finding->why, format, what);
}

static void find_tier(struct finding *finding, const struct lb_policy *policy, const char *name)
{
    const struct lb_registry *registry = lb_registry();
    int tier = *name ? lb_registry_tier(finding->provider, name)
                     : (int)registry->provider[finding->provider].first_tier;
    char ban[LB_BAN_SIZE];

    if (tier < 0) {
        char advice[LB_ADVICE_SIZE];
        bool has_names =
            *registry->tier[registry->provider[finding->provider].first_tier].tier->name != '\0';

        lb_nearest_advice(advice, lb_nearest_tier(finding->provider, name));
        miss(finding, GPG_ERR_NOT_FOUND,
             has_names ? "no tier of that name%s" : "the provider has no tiers to choose from",
             advice);
        return;
    }
    finding->has_tier = true;
    finding->tier = (unsigned)tier;
    if (is_admitted(policy, finding->tier))
        return;
    if (registry->tier[tier].state != LB_USABLE)
        miss(finding, GPG_ERR_NOT_SUPPORTED, "%s", registry->tier[tier].why);
    else if (lb_policy_license_ban(policy, finding->provider, ban) ||
             lb_policy_feature_ban(policy, finding->tier, ban))
        miss(finding, GPG_ERR_NOT_SUPPORTED, "%s", ban);
}

/* A provider, or one of its tiers ("": the best). If it is a module, it is opened here. Its licence
   stands in its table: so it is loaded before it is judged, and nothing of it runs but that. */
static struct finding find(struct lb_policy *policy, const char *name, const char *tier)
{
    struct finding finding = {.code = GPG_ERR_NO_ERROR};
    const struct lb_provider_entry *entry;
    char why[LB_WHY_SIZE], kept[LB_NAME_MAX + 1], advice[LB_ADVICE_SIZE];
    int index = lb_registry_open(name, why, sizeof why);

    if (index == LB_OPEN_NOT_NOW) {
        miss(&finding, gpg_err_code_from_errno(errno), "%s", why);
        return finding;
    }
    if (index < 0) {
        finding.code = GPG_ERR_NOT_FOUND;
        lb_nearest_advice(advice, lb_nearest_provider(name, kept));
        snprintf(finding.why, sizeof finding.why, "no provider of that name%s; %s", advice, why);
        return finding;
    }
    entry = &lb_registry()->provider[index];
    finding.provider = (unsigned)index;
    bar_provider(policy, finding.provider);
    if (entry->state != LB_USABLE)
        miss(&finding, entry->state == LB_ABSENT ? GPG_ERR_NOT_FOUND : GPG_ERR_NOT_SUPPORTED, "%s",
             entry->why);
    else
        find_tier(&finding, policy, tier);
    return finding;
}

/* Puts what is named into the order. A tier that cannot run caps all the same: the tiers below it
   serve, and a provider is missing only when none of its tiers does. */
static struct finding place(struct lb_order *order, struct lb_policy *policy, const char *provider,
                            const char *tier)
{
    struct finding finding = find(policy, provider, tier);

    if (finding.has_tier && append_tiers(order, policy, finding.provider, finding.tier) && !*tier)
        finding.code = GPG_ERR_NO_ERROR;
    return finding;
}

/* ---- The chain ------------------------------------------------------------------------------ */

static void place_element(struct lb_policy *policy, struct lb_element *element)
{
    struct finding finding =
        place(&policy->selection.order, policy, element->provider, element->tier);
    const char *slash = *element->tier ? "/" : "";
    char place[LB_SOURCE_TEXT_SIZE], where[LB_SOURCE_TEXT_SIZE + 32];

    if (!finding.code)
        return;
    snprintf(element->missing, sizeof element->missing, "%s", finding.why);
    if (element->quiet)
        return;
    snprintf(where, sizeof where, "%s, element %u", lb_source_place(place, policy->chain_source),
             element->number);
    if (policy->chain_policy == LB_CHAIN_ONLY)
        lb_policy_fail(policy, finding.code, "%s, \"%s%s%s\": %s", where, element->provider, slash,
                       element->tier, finding.why);
    else if (policy->chain_policy == LB_CHAIN_WARN)
        lb_policy_warn(policy, "%s, \"%s%s%s\": %s; passed over", where, element->provider, slash,
                       element->tier, finding.why);
}

/* What stands behind every chain. */
static void close_chain(struct lb_policy *policy)
{
    const struct lb_registry *registry = lb_registry();

    append_tiers(&policy->selection.order, policy, registry->derived,
                 registry->provider[registry->derived].first_tier);
    if (policy->chain_policy != LB_CHAIN_ONLY)
        append_tiers(&policy->selection.order, policy, registry->last_resort,
                     registry->provider[registry->last_resort].first_tier);
}

/* ---- Overrides ------------------------------------------------------------------------------ */

static void miss_override(struct lb_policy *policy, unsigned number, const struct finding *finding)
{
    struct lb_override_words *words = &policy->override[number];
    char place[LB_SOURCE_TEXT_SIZE];

    lb_source_place(place, words->source);
    snprintf(words->missing, sizeof words->missing, "%s", finding->why);
    if (policy->chain_policy == LB_CHAIN_ONLY)
        lb_policy_fail(policy, finding->code, "%s, \"%s\": %s", place, words->shown, finding->why);
    else if (policy->chain_policy == LB_CHAIN_WARN)
        lb_policy_warn(policy, "%s, \"%s\": %s; passed over", place, words->shown, finding->why);
}

/* Under only: an override chooses among what is listed: without a tier it means the tiers listed of
   its provider, and a tier that it names must be one of them. */
static void keep_to_list(struct lb_policy *policy, struct finding *finding, const char *tier,
                         struct lb_order *order)
{
    const struct lb_order *list = &policy->selection.order;
    struct lb_order kept = {.count = 0};

    for (unsigned i = 0; i < order->count; i++)
        if (lb_order_has(list, order->tier[i]))
            lb_order_append(&kept, order->tier[i]);
    *order = kept;
    if (finding->code || (kept.count > 0 && (!*tier || lb_order_has(list, finding->tier))))
        return;
    order->count = 0;
    miss(finding, GPG_ERR_CONFLICT, "the chain, closed by only:, does not list it%s", "");
}

static void place_override(struct lb_policy *policy, unsigned number)
{
    const struct lb_override_words *words = &policy->override[number];
    struct lb_order *order = &policy->selection.override[number].order;
    struct finding finding = place(order, policy, words->provider, words->tier);

    if (policy->chain_policy == LB_CHAIN_ONLY)
        keep_to_list(policy, &finding, words->tier, order);
    if (finding.code)
        miss_override(policy, number, &finding);
}

/* ---- Another chain's list ------------------------------------------------------------------- */

gpg_err_code_t lb_policy_list(struct lb_order *order, struct lb_policy *policy,
                              const char *provider, const char *tier, char why[LB_BAN_SIZE])
{
    struct finding finding = place(order, policy, provider, tier);

    memcpy(why, finding.why, sizeof finding.why);
    return finding.code;
}

void lb_policy_list_default(struct lb_order *order, struct lb_policy *policy)
{
    const char *list = lb_registry()->default_chain;

    for (;;) {
        size_t length = strcspn(list, ",");
        char name[LB_NAME_MAX + 1];

        snprintf(name, sizeof name, "%.*s", (int)length, list);
        (void)place(order, policy, name, "");
        if (!list[length])
            return;
        list += length + 1;
    }
}

static bool all_listed(const struct lb_order *order, const struct lb_order *listed)
{
    const struct lb_registry *registry = lb_registry();

    for (unsigned i = 0; i < order->count; i++)
        if (registry->tier[order->tier[i]].provider != registry->derived &&
            !lb_order_has(listed, order->tier[i]))
            return false;
    return true;
}

bool lb_policy_uses_only(const struct lb_policy *policy, const struct lb_order *listed)
{
    if (!all_listed(&policy->selection.order, listed))
        return false;
    for (unsigned i = 0; i < policy->selection.override_count; i++)
        if (!all_listed(&policy->selection.override[i].order, listed))
            return false;
    return true;
}

/* ---- The whole ------------------------------------------------------------------------------ */

void lb_policy_place(struct lb_policy *policy)
{
    bar_providers(policy);
    for (unsigned i = 0; i < policy->element_count; i++)
        place_element(policy, &policy->element[i]);
    close_chain(policy);
    for (unsigned i = 0; i < policy->selection.override_count; i++)
        place_override(policy, i);
}

/* No restriction touches what is built in without needs. */
void lb_policy_reference(struct lb_selection *selection)
{
    const struct lb_registry *registry = lb_registry();
    const unsigned both[] = {registry->last_resort, registry->derived};

    memset(selection, 0, sizeof *selection);
    for (unsigned b = 0; b < 2; b++) {
        const struct lb_provider_entry *entry = &registry->provider[both[b]];

        for (unsigned i = entry->first_tier; i < entry->first_tier + entry->tier_count; i++)
            if (registry->tier[i].state == LB_USABLE)
                lb_order_append(&selection->order, i);
    }
}
