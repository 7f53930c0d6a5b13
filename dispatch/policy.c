/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading the words of LIMBIC. Each word goes to one function that knows its kind; what it finds
 * wrong is either an error (the first one stands) or a warning, with the word's position and text.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include "dispatch/policy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dispatch/nearest.h"

#define SEPARATORS " \t\r\n\v\f;"

/* A word in hand. */
struct word {
    unsigned number;             /* from 1 */
    char text[LB_WORDS_MAX + 1]; /* in lower case */
    char shown[48];              /* as given, fit for a message */
};

/* State of one reading. */
struct reading {
    struct lb_policy *policy;
    bool has_chain;
    char unknown[240]; /* about the first unknown word, "" if there is none */
};

static const char *const chain_policy_names[] = {
    [LB_CHAIN_TRY] = "try", [LB_CHAIN_WARN] = "warn", [LB_CHAIN_ONLY] = "only"};

static const char *const keys[] = {"ab", "shadow", "check", "stats", "license"};

const char *lb_chain_policy_name(enum lb_chain_policy chain_policy)
{
    return chain_policy_names[chain_policy];
}

const char *lb_origin_text(enum lb_origin origin)
{
    switch (origin) {
    case LB_ORIGIN_VARIABLE:
        return "the variable LIMBIC";
    case LB_ORIGIN_IGNORED:
        return "built-in default; the variable LIMBIC is ignored in a set-id process";
    case LB_ORIGIN_PROGRAM:
        return "the program";
    case LB_ORIGIN_DEFAULT:
    default:
        return "built-in default";
    }
}

/* ---- Faults --------------------------------------------------------------------------------- */

static void fail(struct lb_policy *policy, gpg_err_code_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void warn(struct lb_policy *policy, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void fail(struct lb_policy *policy, gpg_err_code_t code, const char *format, ...)
{
    va_list args;

    if (policy->code)
        return;
    policy->code = code;
    va_start(args, format);
    vsnprintf(policy->error, sizeof policy->error, format, args);
    va_end(args);
}

static void warn(struct lb_policy *policy, const char *format, ...)
{
    unsigned index = policy->warning_count++;
    va_list args;

    if (index >= LB_WARNINGS_MAX)
        return;
    va_start(args, format);
    vsnprintf(policy->warning[index], sizeof policy->warning[index], format, args);
    va_end(args);
}

/* Where the words stand, to begin a message with. */
static const char *place(const struct lb_policy *policy)
{
    return policy->origin == LB_ORIGIN_PROGRAM ? "the program's words" : "LIMBIC";
}

/* Copies text, at most `length` octets, into a message: printable ASCII only, and cut. */
static void show(char *shown, size_t size, const char *text, size_t length)
{
    size_t i;

    for (i = 0; i < length && i + 1 < size; i++)
        shown[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    shown[i] = '\0';
    if (i < length)
        memcpy(shown + i - 3, "...", 3);
}

static void lower(char *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        out[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
    out[length] = '\0';
}

/* ---- Nearest names -------------------------------------------------------------------------- */

static const char *nearest_provider(const char *name)
{
    const struct lb_registry *registry = lb_registry();
    struct lb_nearest nearest = {.word = name};

    for (unsigned i = 0; i < registry->provider_count; i++)
        lb_nearest_offer(&nearest, registry->provider[i].name);
    return nearest.name;
}

static const char *nearest_tier(unsigned provider, const char *name)
{
    const struct lb_registry *registry = lb_registry();
    const struct lb_provider_entry *entry = &registry->provider[provider];
    struct lb_nearest nearest = {.word = name};

    for (unsigned i = 0; i < entry->tier_count; i++)
        lb_nearest_offer(&nearest, registry->tier[entry->first_tier + i].tier->name);
    return nearest.name;
}

/* Among providers and the words that stand alone. */
static const char *nearest_lone_word(const char *name)
{
    struct lb_nearest nearest = {.word = name};

    lb_nearest_offer(&nearest, nearest_provider(name));
    lb_nearest_offer(&nearest, "auto");
    lb_nearest_offer(&nearest, "stats");
    lb_nearest_offer(&nearest, "explain");
    return nearest.name;
}

/* Among what may stand before a `=`. */
static const char *nearest_key(const char *name)
{
    struct lb_nearest nearest = {.word = name};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        lb_nearest_offer(&nearest, keys[i]);
    for (size_t i = 0; i < lb_slot_count; i++)
        lb_nearest_offer(&nearest, lb_slots[i].name);
    return nearest.name;
}

static const char *nearest_chain_policy(const char *name)
{
    struct lb_nearest nearest = {.word = name};

    for (size_t i = 0; i < sizeof chain_policy_names / sizeof *chain_policy_names; i++)
        lb_nearest_offer(&nearest, chain_policy_names[i]);
    return nearest.name;
}

/* ---- The chain ------------------------------------------------------------------------------ */

static bool element_name(char name[LB_NAME_MAX + 1], const char *text, size_t length)
{
    if (length == 0 || length > LB_NAME_MAX ||
        strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") < length)
        return false;
    memcpy(name, text, length);
    name[length] = '\0';
    return true;
}

static struct lb_element *new_element(struct lb_policy *policy)
{
    if (policy->element_count == LB_CHAIN_MAX) {
        fail(policy, GPG_ERR_TOO_LARGE, "%s: the chain has more than %d elements", place(policy),
             LB_CHAIN_MAX);
        return NULL;
    }
    return &policy->element[policy->element_count];
}

static void read_element(struct lb_policy *policy, const char *text, size_t length, bool quiet,
                         const char *where);

static void read_elements(struct lb_policy *policy, const char *list, bool quiet, const char *where)
{
    for (unsigned number = 1;; number++) {
        size_t length = strcspn(list, ",");
        char position[96];

        snprintf(position, sizeof position, "%s, element %u", where, number);
        read_element(policy, list, length, quiet, position);
        if (!list[length])
            break;
        list += length + 1;
    }
}

static void bad_element(struct lb_policy *policy, const char *text, size_t length,
                        const char *where)
{
    char shown[48];

    show(shown, sizeof shown, text, length);
    if (policy->chain_policy == LB_CHAIN_ONLY)
        fail(policy, GPG_ERR_SYNTAX, "%s, \"%s\": neither PROVIDER nor PROVIDER/TIER", where,
             shown);
    else
        warn(policy, "%s, \"%s\": neither PROVIDER nor PROVIDER/TIER; passed over", where, shown);
}

/* What is wrong with the element under this chain's policy. */
static void missing(struct lb_policy *policy, const struct lb_element *element, gpg_err_code_t code,
                    const char *where)
{
    const char *slash = *element->tier ? "/" : "";

    if (element->quiet)
        return;
    if (policy->chain_policy == LB_CHAIN_ONLY)
        fail(policy, code, "%s, \"%s%s%s\": %s", where, element->provider, slash, element->tier,
             element->missing);
    else if (policy->chain_policy == LB_CHAIN_WARN)
        warn(policy, "%s, \"%s%s%s\": %s; passed over", where, element->provider, slash,
             element->tier, element->missing);
}

static void append_tier(struct lb_order *order, unsigned tier)
{
    for (unsigned i = 0; i < order->count; i++)
        if (order->tier[i] == tier)
            return;
    order->tier[order->count++] = (uint8_t)tier;
}

/* Appends the usable tiers of a provider from `first` downwards; false if there are none. */
static bool append_tiers(struct lb_order *order, unsigned provider, unsigned first)
{
    const struct lb_registry *registry = lb_registry();
    const struct lb_provider_entry *entry = &registry->provider[provider];
    bool any = false;

    for (unsigned i = first; i < entry->first_tier + entry->tier_count; i++) {
        if (registry->tier[i].state == LB_USABLE) {
            append_tier(order, i);
            any = true;
        }
    }
    return any;
}

/* Finds what the element names, puts its tiers into the order, and says in element->missing what is
   not there. A tier that is refused caps all the same: the tiers below it serve. */
static gpg_err_code_t place_element(struct lb_policy *policy, struct lb_element *element)
{
    const struct lb_registry *registry = lb_registry();
    const struct lb_provider_entry *provider;
    int index = lb_registry_provider(element->provider);
    int tier;

    if (index < 0) {
        snprintf(element->missing, sizeof element->missing,
                 "no provider of that name; the nearest is \"%s\"",
                 nearest_provider(element->provider));
        return GPG_ERR_NOT_FOUND;
    }
    provider = &registry->provider[index];
    if (provider->state != LB_USABLE) {
        snprintf(element->missing, sizeof element->missing, "%s", provider->why);
        return provider->state == LB_ABSENT ? GPG_ERR_NOT_FOUND : GPG_ERR_NOT_SUPPORTED;
    }
    tier = *element->tier ? lb_registry_tier((unsigned)index, element->tier)
                          : (int)provider->first_tier;
    if (tier < 0) {
        const char *nearest = nearest_tier((unsigned)index, element->tier);

        snprintf(element->missing, sizeof element->missing,
                 *nearest ? "no tier of that name; the nearest is \"%s\""
                          : "the provider has no tiers to choose from%s",
                 nearest);
        return GPG_ERR_NOT_FOUND;
    }
    if (!append_tiers(&policy->order, (unsigned)index, (unsigned)tier) ||
        (*element->tier && registry->tier[tier].state != LB_USABLE)) {
        snprintf(element->missing, sizeof element->missing, "%s", registry->tier[tier].why);
        return GPG_ERR_NOT_SUPPORTED;
    }
    return GPG_ERR_NO_ERROR;
}

static void read_element(struct lb_policy *policy, const char *text, size_t length, bool quiet,
                         const char *where)
{
    const char *slash = memchr(text, '/', length);
    size_t head = slash ? (size_t)(slash - text) : length;
    struct lb_element *element;
    gpg_err_code_t code;

    if (length == 4 && memcmp(text, "auto", 4) == 0) {
        read_elements(policy, lb_registry()->default_chain, true, where);
        return;
    }
    element = new_element(policy);
    if (!element)
        return;
    memset(element, 0, sizeof *element);
    if (!element_name(element->provider, text, head) ||
        (slash && !element_name(element->tier, slash + 1, length - head - 1))) {
        bad_element(policy, text, length, where);
        return;
    }
    element->quiet = quiet;
    policy->element_count++;
    code = place_element(policy, element);
    if (code)
        missing(policy, element, code, where);
}

/* What stands behind every chain. */
static void close_chain(struct lb_policy *policy)
{
    const struct lb_registry *registry = lb_registry();

    append_tiers(&policy->order, registry->derived,
                 registry->provider[registry->derived].first_tier);
    if (policy->chain_policy != LB_CHAIN_ONLY)
        append_tiers(&policy->order, registry->last_resort,
                     registry->provider[registry->last_resort].first_tier);
}

void lb_policy_reference_order(struct lb_order *order)
{
    const struct lb_registry *registry = lb_registry();

    order->count = 0;
    append_tiers(order, registry->last_resort,
                 registry->provider[registry->last_resort].first_tier);
    append_tiers(order, registry->derived, registry->provider[registry->derived].first_tier);
}

/* ---- Kinds of words ------------------------------------------------------------------------- */

static void unknown_word(struct reading *reading, const struct word *word, const char *what,
                         const char *nearest)
{
    char text[sizeof reading->unknown];

    snprintf(text, sizeof text, "%s: word %u, \"%s\": %s; the nearest is \"%s\"",
             place(reading->policy), word->number, word->shown, what, nearest);
    warn(reading->policy, "%s", text);
    if (!*reading->unknown)
        memcpy(reading->unknown, text, sizeof text);
}

static void later_word(struct reading *reading, const struct word *word, const char *what)
{
    warn(reading->policy, "%s: word %u, \"%s\": %s not in this version; passed over",
         place(reading->policy), word->number, word->shown, what);
}

/* A restriction that cannot be honoured. */
static void later_restriction(struct reading *reading, const struct word *word, const char *what)
{
    fail(reading->policy, GPG_ERR_NOT_IMPLEMENTED, "%s: word %u, \"%s\": %s not in this version",
         place(reading->policy), word->number, word->shown, what);
}

/* Splits off `try:`, `warn:` or `only:`; -1 if something else stands before the `:`. */
static int take_chain_policy(const char **text)
{
    const char *colon = strchr(*text, ':');

    if (!colon)
        return LB_CHAIN_WARN;
    for (size_t i = 0; i < sizeof chain_policy_names / sizeof *chain_policy_names; i++) {
        size_t length = strlen(chain_policy_names[i]);

        if ((size_t)(colon - *text) == length &&
            memcmp(*text, chain_policy_names[i], length) == 0) {
            *text = colon + 1;
            return (int)i;
        }
    }
    return -1;
}

static void read_chain(struct reading *reading, struct word *word)
{
    struct lb_policy *policy = reading->policy;
    const char *list = word->text;
    int chain_policy = take_chain_policy(&list);
    char where[64];

    snprintf(where, sizeof where, "%s: word %u", place(policy), word->number);
    if (chain_policy < 0) {
        /* It may have been meant to be only:, so it must not be passed over. */
        *strchr(word->text, ':') = '\0';
        fail(policy, GPG_ERR_UNKNOWN_NAME,
             "%s, \"%s\": unknown policy before the colon; the nearest is \"%s:\"", where,
             word->shown, nearest_chain_policy(word->text));
        return;
    }
    if (reading->has_chain) {
        if (chain_policy == LB_CHAIN_ONLY || policy->chain_policy == LB_CHAIN_ONLY)
            fail(policy, GPG_ERR_CONFLICT, "%s, \"%s\": a second chain, where only: stands", where,
                 word->shown);
        else
            warn(policy, "%s, \"%s\": a second chain; the first one is in force", where,
                 word->shown);
        return;
    }
    reading->has_chain = true;
    policy->chain_policy = (enum lb_chain_policy)chain_policy;
    read_elements(policy, list, false, where);
}

/* SLOT=..., SLOT/SIZE=..., with globs. */
static bool is_override(const char *key)
{
    size_t length = strcspn(key, "/");

    if (strpbrk(key, "*?["))
        return true;
    for (size_t i = 0; i < lb_slot_count; i++)
        if (strlen(lb_slots[i].name) == length && memcmp(lb_slots[i].name, key, length) == 0)
            return true;
    return false;
}

static bool is_key(const char *key)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

static void read_setting(struct reading *reading, struct word *word)
{
    struct lb_policy *policy = reading->policy;
    char *key = word->text;
    const char *nearest;

    *strchr(key, '=') = '\0';
    nearest = nearest_key(key);
    if (strcmp(key, "license") == 0)
        later_restriction(reading, word, "a choice of licences is");
    else if (is_key(key))
        later_word(reading, word, "this setting is");
    else if (is_override(key))
        later_word(reading, word, "the choice for a single slot is");
    else if (strcmp(nearest, "license") == 0)
        fail(policy, GPG_ERR_UNKNOWN_NAME,
             "%s: word %u, \"%s\": unknown setting; the nearest is \"license\"", place(policy),
             word->number, word->shown);
    else
        unknown_word(reading, word, "unknown setting", nearest);
}

static void read_word(struct reading *reading, struct word *word)
{
    const char *text = word->text;

    if (*text == '-')
        later_restriction(reading, word, "subtracting CPU features is");
    else if (strchr(text, '='))
        read_setting(reading, word);
    else if (strcmp(text, "stats") == 0 || strcmp(text, "explain") == 0)
        later_word(reading, word, "this word is");
    else if (strpbrk(text, ":,/") || strcmp(text, "auto") == 0 || lb_registry_provider(text) >= 0)
        read_chain(reading, word);
    else
        unknown_word(reading, word, "neither a provider nor a word", nearest_lone_word(text));
}

/* ---- The whole ------------------------------------------------------------------------------ */

static void read_words(struct reading *reading, const char *words)
{
    struct word word = {.number = 0};

    for (words += strspn(words, SEPARATORS); *words; words += strspn(words, SEPARATORS)) {
        size_t length = strcspn(words, SEPARATORS);

        word.number++;
        lower(word.text, words, length);
        show(word.shown, sizeof word.shown, words, length);
        read_word(reading, &word);
        words += length;
    }
}

/* Under only: nothing may be passed over that nobody understands. */
static void judge_unknown_words(const struct reading *reading)
{
    struct lb_policy *policy = reading->policy;

    if (*reading->unknown && policy->chain_policy == LB_CHAIN_ONLY)
        fail(policy, GPG_ERR_UNKNOWN_NAME, "%s", reading->unknown);
}

static void summarise(struct lb_policy *policy)
{
    if (policy->warning_count == 1)
        snprintf(policy->warning_line, sizeof policy->warning_line, "%s", policy->warning[0]);
    else if (policy->warning_count > 1)
        snprintf(policy->warning_line, sizeof policy->warning_line,
                 "%s (and %u more warnings: limbic explain)", policy->warning[0],
                 policy->warning_count - 1);
}

gpg_error_t lb_policy_parse(struct lb_policy *policy, const char *words, enum lb_origin origin)
{
    struct reading reading = {.policy = policy};

    memset(policy, 0, sizeof *policy);
    policy->origin = origin;
    policy->chain_policy = LB_CHAIN_WARN;
    (void)lb_registry();
    if (words && strlen(words) > LB_WORDS_MAX) {
        fail(policy, GPG_ERR_TOO_LARGE, "%s: %zu octets; at most %d are read", place(policy),
             strlen(words), LB_WORDS_MAX);
        show(policy->words, 48, words, strlen(words));
    } else if (words) {
        memcpy(policy->words, words, strlen(words) + 1);
        read_words(&reading, words);
    }
    judge_unknown_words(&reading);
    if (!reading.has_chain)
        read_elements(policy, "auto", true, "default");
    close_chain(policy);
    summarise(policy);
    return policy->code ? lb_errorf(policy->code, "%s", policy->error) : 0;
}

gpg_error_t lb_policy_from_values(struct lb_policy *policy, const char *secure, const char *plain)
{
    if (secure)
        return lb_policy_parse(policy, secure, LB_ORIGIN_VARIABLE);
    return lb_policy_parse(policy, NULL, plain ? LB_ORIGIN_IGNORED : LB_ORIGIN_DEFAULT);
}

gpg_error_t lb_policy_from_environment(struct lb_policy *policy)
{
    return lb_policy_from_values(policy, secure_getenv("LIMBIC"), getenv("LIMBIC"));
}
