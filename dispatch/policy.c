/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading words. Each word goes to one function that knows its kind; what it finds wrong is either
 * an error (the first one stands) or a warning, with the word's position and text. What words name
 * is looked for afterwards, in policy-place.c.
 */
#include "dispatch/policy-parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "dispatch/curve-names.h"
#include "dispatch/license.h"
#include "dispatch/restriction.h"

#define SEPARATORS " \t\r\n\v\f;"
#define NAME_OCTETS "abcdefghijklmnopqrstuvwxyz0123456789_-"

/* A word in hand. */
struct word {
    struct lb_source source;
    bool final;
    char text[LB_WORDS_MAX + 1];     /* in lower case, without the mark of a final one */
    char shown[48];                  /* as given, fit for a message */
    char where[LB_SOURCE_TEXT_SIZE]; /* "LIMBIC: word 2", "/etc/limbic/limbic.conf:3: word 1" */
};

/* State of one reading. */
struct reading {
    struct lb_policy *policy;
    enum lb_origin origin;        /* of the words that are read now, */
    const struct lb_source *line; /* and where they stand, if in a file */
    bool only_restrictions;       /* the others have been replaced, */
    enum lb_origin replaced_by;   /* by those of this origin */
    bool has_chain;
    bool has_rival;    /* a chain that would be in force, were the one that is not final, */
    struct word rival; /* and here it is */
    bool has_ab, has_shadow;
    char doubtful
        [LB_WARNING_SIZE]; /* about the first word that nobody understands, "" if there is none */
};

static const char *const chain_policy_names[] = {
    [LB_CHAIN_TRY] = "try", [LB_CHAIN_WARN] = "warn", [LB_CHAIN_ONLY] = "only"};

const char *lb_chain_policy_name(enum lb_chain_policy chain_policy)
{
    return chain_policy_names[chain_policy];
}

const char *lb_origin_text(enum lb_origin origin)
{
    switch (origin) {
    case LB_ORIGIN_FILE:
        return "the configuration files";
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

static const char *origin_place(enum lb_origin origin)
{
    return origin == LB_ORIGIN_PROGRAM ? "the program's words" : "LIMBIC";
}

const char *lb_source_place(char text[LB_SOURCE_TEXT_SIZE], struct lb_source source)
{
    if (source.file)
        snprintf(text, LB_SOURCE_TEXT_SIZE, "%.*s:%u: word %u", LB_CONFIG_PATH_SIZE - 1,
                 source.file, source.line, source.word);
    else
        snprintf(text, LB_SOURCE_TEXT_SIZE, "%s: word %u", origin_place(source.origin),
                 source.word);
    return text;
}

const char *lb_source_text(char text[LB_SOURCE_TEXT_SIZE], struct lb_source source)
{
    if (source.file)
        snprintf(text, LB_SOURCE_TEXT_SIZE, "%.*s:%u", LB_CONFIG_PATH_SIZE - 1, source.file,
                 source.line);
    else if (source.word)
        snprintf(text, LB_SOURCE_TEXT_SIZE, "%s, word %u", origin_place(source.origin),
                 source.word);
    else
        snprintf(text, LB_SOURCE_TEXT_SIZE, "built-in default");
    return text;
}

/* ---- Faults --------------------------------------------------------------------------------- */

void lb_policy_fail(struct lb_policy *policy, gpg_err_code_t code, const char *format, ...)
{
    char text[LB_WARNING_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    lb_one_line(text);
    if (policy->found)
        policy->found(policy->opaque, text);
    if (policy->code)
        return;
    policy->code = code;
    memcpy(policy->error, text, sizeof text);
}

void lb_policy_warn(struct lb_policy *policy, const char *format, ...)
{
    unsigned index = policy->warning_count++;
    char text[LB_WARNING_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    lb_one_line(text);
    if (policy->found)
        policy->found(policy->opaque, text);
    if (index < LB_WARNINGS_MAX)
        memcpy(policy->warning[index], text, sizeof text);
}

/* A word of a file that is not in force. */
static void note_replaced(struct lb_policy *policy, struct lb_source source, struct lb_source by,
                          const char *shown)
{
    unsigned index = policy->replaced_count++;
    struct lb_replaced *replaced = &policy->replaced_word[index];

    if (index >= LB_REPLACED_MAX)
        return;
    replaced->source = source;
    replaced->by = by;
    snprintf(replaced->shown, sizeof replaced->shown, "%s", shown);
}

/* A word that nobody understands: a warning, and under only: an error, which judge_doubtful makes of
   it when the policy of the chain is known. */
static void doubt(struct reading *reading, const struct word *word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void doubt(struct reading *reading, const struct word *word, const char *format, ...)
{
    char what[104];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    lb_policy_warn(reading->policy, "%s, \"%s\": %s", word->where, word->shown, what);
    if (!*reading->doubtful)
        snprintf(reading->doubtful, sizeof reading->doubtful, "%s, \"%s\": %s", word->where,
                 word->shown, what);
}

static void later_word(struct reading *reading, const struct word *word, const char *what)
{
    lb_policy_warn(reading->policy, "%s, \"%s\": %s not in this version; passed over", word->where,
                   word->shown, what);
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

/* ---- The chain ------------------------------------------------------------------------------ */

static bool take_name(char name[LB_NAME_MAX + 1], const char *text, size_t length)
{
    if (length == 0 || length > LB_NAME_MAX || strspn(text, NAME_OCTETS) < length)
        return false;
    memcpy(name, text, length);
    name[length] = '\0';
    return true;
}

/* PROVIDER or PROVIDER/TIER. */
static bool take_kernels(char provider[LB_NAME_MAX + 1], char tier[LB_NAME_MAX + 1],
                         const char *text, size_t length)
{
    const char *slash = memchr(text, '/', length);
    size_t head = slash ? (size_t)(slash - text) : length;

    *tier = '\0';
    return take_name(provider, text, head) &&
           (!slash || take_name(tier, slash + 1, length - head - 1));
}

static void bad_element_of_only(struct lb_policy *policy, const struct word *word, const char *text,
                                size_t length, unsigned number)
{
    char shown[48];

    show(shown, sizeof shown, text, length);
    lb_policy_fail(policy, GPG_ERR_SYNTAX,
                   "%s, element %u, \"%s\": neither PROVIDER nor PROVIDER/TIER", word->where,
                   number, shown);
}

static void bad_element(struct reading *reading, const struct word *word, const char *text,
                        size_t length, unsigned number)
{
    struct lb_policy *policy = reading->policy;
    char shown[48];

    if (policy->chain_policy == LB_CHAIN_ONLY) {
        bad_element_of_only(policy, word, text, length, number);
        return;
    }
    show(shown, sizeof shown, text, length);
    lb_policy_warn(policy,
                   "%s, element %u, \"%s\": neither PROVIDER nor PROVIDER/TIER; passed over",
                   word->where, number, shown);
}

static void read_element(struct reading *reading, const struct word *word, const char *text,
                         size_t length, unsigned number, bool quiet)
{
    struct lb_policy *policy = reading->policy;
    struct lb_element *element;

    if (policy->element_count == LB_CHAIN_MAX) {
        lb_policy_fail(policy, GPG_ERR_TOO_LARGE, "%s: the chain has more than %d elements",
                       word->where, LB_CHAIN_MAX);
        return;
    }
    element = &policy->element[policy->element_count];
    memset(element, 0, sizeof *element);
    element->quiet = quiet;
    element->number = number;
    if (take_kernels(element->provider, element->tier, text, length))
        policy->element_count++;
    else
        bad_element(reading, word, text, length, number);
}

/* The default chain, in the place of `auto`. */
static void read_default(struct reading *reading, const struct word *word, unsigned number)
{
    const char *list = lb_registry()->default_chain;

    for (;;) {
        size_t length = strcspn(list, ",");

        read_element(reading, word, list, length, number, true);
        if (!list[length])
            return;
        list += length + 1;
    }
}

static void read_elements(struct reading *reading, const struct word *word, const char *list)
{
    for (unsigned number = 1;; number++) {
        size_t length = strcspn(list, ",");

        if (length == 4 && memcmp(list, "auto", 4) == 0)
            read_default(reading, word, number);
        else
            read_element(reading, word, list, length, number, false);
        if (!list[length])
            return;
        list += length + 1;
    }
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

/* It may have been meant to be only:, so it must not be passed over. */
static void bad_chain_policy(struct reading *reading, struct word *word)
{
    const char *nearest;
    char advice[64] = "there are try:, warn: and only:";

    *strchr(word->text, ':') = '\0';
    nearest = lb_nearest_chain_policy(word->text);
    if (nearest)
        snprintf(advice, sizeof advice, "the nearest is \"%s:\"", nearest);
    lb_policy_fail(reading->policy, GPG_ERR_UNKNOWN_NAME,
                   "%s, \"%s\": unknown policy before the colon; %s", word->where, word->shown,
                   advice);
}

/* A chain of the same source as one that it cannot replace. */
static void second_chain(struct reading *reading, const struct word *word, bool under_only)
{
    if (under_only)
        lb_policy_fail(reading->policy, GPG_ERR_CONFLICT,
                       "%s, \"%s\": a second chain, where only: stands", word->where, word->shown);
    else
        lb_policy_warn(reading->policy, "%s, \"%s\": a second chain; the first one is in force",
                       word->where, word->shown);
}

static void second_final_chain(struct reading *reading, const struct word *word, bool under_only)
{
    struct lb_policy *policy = reading->policy;
    char first[LB_SOURCE_TEXT_SIZE];

    lb_source_text(first, policy->chain_source);
    if (under_only)
        lb_policy_fail(policy, GPG_ERR_CONFLICT,
                       "%s, \"%s\": a second final chain, where only: stands; the first is that of "
                       "%s",
                       word->where, word->shown, first);
    else
        lb_policy_warn(policy, "%s, \"%s\": a second final chain; that of %s is in force",
                       word->where, word->shown, first);
}

static bool is_only(const struct word *word)
{
    const char *text = word->text;

    return take_chain_policy(&text) == LB_CHAIN_ONLY;
}

/* A chain where a final one is in force. Whether that can be borne is judged when it is known what
   both stand for. */
static void meet_final_chain(struct reading *reading, const struct word *word)
{
    struct lb_policy *policy = reading->policy;
    struct word *rival = &reading->rival;

    if (word->final) {
        second_final_chain(reading, word, policy->chain_policy == LB_CHAIN_ONLY || is_only(word));
        return;
    }
    if (reading->has_rival && !word->source.file) {
        second_chain(reading, word, is_only(rival) || is_only(word));
        return;
    }
    if (reading->has_rival)
        note_replaced(policy, rival->source, word->source, rival->shown);
    reading->has_rival = true;
    *rival = *word;
}

/* Whether a chain goes into force; if not, that has been told. A file's later chain takes the place
   of the earlier one. */
static bool admit_chain(struct reading *reading, const struct word *word, int chain_policy)
{
    struct lb_policy *policy = reading->policy;

    if (!reading->has_chain)
        return true;
    if (policy->chain_is_final) {
        meet_final_chain(reading, word);
        return false;
    }
    if (!word->source.file) {
        second_chain(reading, word,
                     chain_policy == LB_CHAIN_ONLY || policy->chain_policy == LB_CHAIN_ONLY);
        return false;
    }
    note_replaced(policy, policy->chain_source, word->source, policy->chain_shown);
    policy->element_count = 0;
    return true;
}

static void read_chain(struct reading *reading, struct word *word)
{
    struct lb_policy *policy = reading->policy;
    const char *list = word->text;
    int chain_policy = take_chain_policy(&list);

    if (chain_policy < 0) {
        bad_chain_policy(reading, word);
        return;
    }
    if (!admit_chain(reading, word, chain_policy))
        return;
    reading->has_chain = true;
    policy->chain_policy = (enum lb_chain_policy)chain_policy;
    policy->chain_source = word->source;
    policy->chain_is_final = word->final;
    memcpy(policy->chain_shown, word->shown, sizeof policy->chain_shown);
    read_elements(reading, word, list);
}

/* ---- A chain against a final one ------------------------------------------------------------ */

/* Adds what an element of the rival stands for. One that cannot be had is an error, as it would be
   were its chain in force. */
static void list_element(struct reading *reading, struct lb_order *order, const char *text,
                         size_t length, unsigned number)
{
    struct lb_policy *policy = reading->policy;
    const struct word *rival = &reading->rival;
    char provider[LB_NAME_MAX + 1], tier[LB_NAME_MAX + 1], why[LB_BAN_SIZE];
    gpg_err_code_t code;

    if (!take_kernels(provider, tier, text, length)) {
        bad_element_of_only(policy, rival, text, length, number);
        return;
    }
    code = lb_policy_list(order, policy, provider, tier, why);
    if (code)
        lb_policy_fail(policy, code, "%s, element %u, \"%s%s%s\": %s", rival->where, number,
                       provider, *tier ? "/" : "", tier, why);
}

/* What the rival, a chain under only:, lists. */
static void list_rival(struct reading *reading, struct lb_order *order)
{
    const char *list = reading->rival.text;

    (void)take_chain_policy(&list);
    for (unsigned number = 1;; number++) {
        size_t length = strcspn(list, ",");

        if (length == 4 && memcmp(list, "auto", 4) == 0)
            lb_policy_list_default(order, reading->policy);
        else
            list_element(reading, order, list, length, number);
        if (!list[length])
            return;
        list += length + 1;
    }
}

/* A final chain holds against a later one, and that is told. But where that one closes itself with
   only:, nothing that it does not list may be used; so if the final one uses more, nothing is. */
static void judge_rival(struct reading *reading)
{
    struct lb_policy *policy = reading->policy;
    const struct word *rival = &reading->rival;
    struct lb_order listed = {.count = 0};
    char final[LB_SOURCE_TEXT_SIZE];

    if (!reading->has_rival)
        return;
    lb_source_text(final, policy->chain_source);
    if (is_only(rival)) {
        list_rival(reading, &listed);
        if (!lb_policy_uses_only(policy, &listed)) {
            lb_policy_fail(policy, GPG_ERR_CONFLICT,
                           "%s, \"%s\": the chain of %s is final, and uses what this one does not "
                           "list",
                           rival->where, rival->shown, final);
            return;
        }
    }
    lb_policy_warn(policy, "%s, \"%s\": the chain of %s is final and stays in force", rival->where,
                   rival->shown, final);
}

/* ---- Overrides ------------------------------------------------------------------------------ */

/* Whether the pattern names a slot, of the levels up to `level`. */
static bool names_slot(const char *glob, unsigned from, unsigned level)
{
    for (size_t i = 0; i < lb_slot_count; i++)
        if (lb_slots[i].level >= from && lb_slots[i].level <= level &&
            lb_glob_matches(glob, lb_slots[i].name))
            return true;
    return false;
}

/* Reads what stands behind the slot's `/`. */
static bool read_place(struct reading *reading, const struct word *word,
                       struct lb_override *override, const char *place)
{
    int size_class = lb_size_class_by_name(place);

    if (size_class >= 0) {
        override->place = LB_AT_SIZE;
        override->size_class = (unsigned)size_class;
        return true;
    }
    override->curve = lb_curve_by_name(place);
    if (override->curve != LIMBIC_CURVE_NONE) {
        override->place = LB_AT_CURVE;
        return true;
    }
    if (*place && strspn(place, "0123456789") == strlen(place) && strlen(place) < 6) {
        unsigned bits = 0;

        for (const char *digit = place; *digit; digit++)
            bits = bits * 10 + (unsigned)(*digit - '0');
        doubt(reading, word, "no size class; moduli of %u bits belong to %u", bits,
              lb_size_class_bits[lb_size_class(bits)]);
    } else {
        char advice[LB_ADVICE_SIZE];

        doubt(reading, word, "neither a size class nor a curve%s",
              lb_nearest_advice(advice, lb_curve_nearest(place)));
    }
    return false;
}

/* An override that is understood and can have no effect yet. */
static void note_curves(struct reading *reading, const struct word *word,
                        const struct lb_override *override)
{
    bool other_slots = names_slot(override->slot, 1, 2);

    if (override->place == LB_AT_SIZE && !other_slots)
        doubt(reading, word, "slots of curves have no size classes");
    else if (override->place == LB_AT_CURVE || !other_slots)
        lb_policy_warn(reading->policy,
                       "%s, \"%s\": no slot of curves is in use in this version; no effect yet",
                       word->where, word->shown);
}

/* The slot and the place, from the text before the `=`. */
static bool read_slot(struct reading *reading, const struct word *word,
                      struct lb_override *override, char *key)
{
    char *slash = strchr(key, '/'), advice[LB_ADVICE_SIZE];

    if (slash)
        *slash = '\0';
    if (strlen(key) > LB_GLOB_MAX || !names_slot(key, 1, 3)) {
        doubt(reading, word, "no slot has that name%s",
              lb_nearest_advice(advice, lb_nearest_slot(key)));
        return false;
    }
    memcpy(override->slot, key, strlen(key) + 1);
    if (!slash)
        return true;
    if (!read_place(reading, word, override, slash + 1))
        return false;
    if (override->place == LB_AT_CURVE && !names_slot(key, 3, 3)) {
        doubt(reading, word, "only slots of curves are chosen by curve");
        return false;
    }
    return true;
}

/* Whether there is a slot and a place where both overrides apply. */
static bool overlap(const struct lb_override *a, const struct lb_override *b)
{
    bool both_curves = a->place == LB_AT_CURVE && b->place == LB_AT_CURVE;
    bool both_sizes = a->place == LB_AT_SIZE && b->place == LB_AT_SIZE;

    if ((both_curves && a->curve != b->curve) || (both_sizes && a->size_class != b->size_class))
        return false;
    for (size_t i = 0; i < lb_slot_count; i++)
        if (lb_glob_matches(a->slot, lb_slots[i].name) &&
            lb_glob_matches(b->slot, lb_slots[i].name))
            return true;
    return false;
}

/* Tells of an earlier, final override, which goes before this one where both apply. */
static void meet_final_override(struct reading *reading, const struct word *word, unsigned number)
{
    struct lb_policy *policy = reading->policy;
    const struct lb_override *all = policy->selection.override;
    char first[LB_SOURCE_TEXT_SIZE];

    for (unsigned i = 0; i < number; i++) {
        if (!all[i].final || !overlap(&all[i], &all[number]))
            continue;
        lb_policy_warn(policy, "%s, \"%s\": the override of %s is final and goes before it",
                       word->where, word->shown, lb_source_text(first, policy->override[i].source));
        return;
    }
}

static void read_override(struct reading *reading, struct word *word, char *key, const char *value)
{
    struct lb_policy *policy = reading->policy;
    unsigned number = policy->selection.override_count;
    struct lb_override *override;
    struct lb_override_words *words;

    if (number == LB_OVERRIDE_MAX) {
        lb_policy_fail(policy, GPG_ERR_TOO_LARGE, "%s, \"%s\": more than %d overrides", word->where,
                       word->shown, LB_OVERRIDE_MAX);
        return;
    }
    override = &policy->selection.override[number];
    words = &policy->override[number];
    memset(override, 0, sizeof *override);
    memset(words, 0, sizeof *words);
    if (!read_slot(reading, word, override, key))
        return;
    if (!take_kernels(words->provider, words->tier, value, strlen(value))) {
        doubt(reading, word, "behind the = stands neither PROVIDER nor PROVIDER/TIER");
        return;
    }
    words->source = word->source;
    memcpy(words->shown, word->shown, sizeof words->shown);
    override->final = word->final;
    policy->selection.override_count++;
    note_curves(reading, word, override);
    meet_final_override(reading, word, number);
}

/* ---- Restrictions --------------------------------------------------------------------------- */

static void deny(struct lb_policy *policy, const struct word *word, unsigned feature)
{
    uint64_t closed = lb_cpu_closure((uint64_t)1 << feature);

    for (unsigned i = 0; i < lb_cpu_feature_count(); i++) {
        uint64_t bit = (uint64_t)1 << i;

        if (!(closed & bit) || (policy->selection.denied & bit))
            continue;
        policy->selection.denied |= bit;
        policy->denial[i] = (struct lb_denial){word->source, (uint8_t)feature};
    }
}

static void read_subtraction(struct reading *reading, const struct word *word)
{
    struct lb_policy *policy = reading->policy;
    const char *glob = word->text + 1;
    char advice[LB_ADVICE_SIZE];
    bool all = strcmp(glob, "all") == 0, any = all;

    if (!*glob) {
        lb_policy_fail(policy, GPG_ERR_SYNTAX, "%s, \"-\": no feature is named", word->where);
        return;
    }
    for (unsigned i = 0; i < lb_cpu_feature_count(); i++) {
        if (all ? lb_cpu_baseline() >> i & 1 : !lb_glob_matches(glob, lb_cpu_feature_name(i)))
            continue;
        any = true;
        deny(policy, word, i);
    }
    if (!any)
        lb_policy_fail(policy, GPG_ERR_UNKNOWN_NAME, "%s, \"%s\": unknown CPU feature%s",
                       word->where, word->shown,
                       lb_nearest_advice(advice, lb_cpu_nearest_feature(glob)));
}

static bool license_is_stated(const char *id)
{
    const struct lb_registry *registry = lb_registry();

    for (unsigned i = 0; i < registry->provider_count; i++)
        if (registry->provider[i].state == LB_USABLE &&
            lb_license_stands_in(registry->provider[i].table->license, id))
            return true;
    return false;
}

/* Whether an identifier is a common one, or stands in what some provider says of itself. What is in
   the chain does not matter, lest a word be good or bad by another one: hence every module that is
   installed is asked, though only for an identifier that is not common. */
static bool license_is_known(const char *id)
{
    if (lb_license_is_known(id) || license_is_stated(id))
        return true;
    lb_registry_open_all();
    return license_is_stated(id);
}

static void check_licenses(struct reading *reading, const struct word *word, const char *list)
{
    for (;;) {
        size_t length = strcspn(list, ",");
        char id[64], advice[LB_ADVICE_SIZE];

        snprintf(id, sizeof id, "%.*s", (int)(length < sizeof id ? length : sizeof id - 1), list);
        if (length >= sizeof id || !license_is_known(id)) {
            lb_policy_fail(reading->policy, GPG_ERR_UNKNOWN_NAME,
                           "%s, \"%s\": unknown licence \"%.40s\"%s", word->where, word->shown, id,
                           lb_nearest_advice(advice, lb_license_nearest(id)));
            return;
        }
        if (!list[length])
            return;
        list += length + 1;
    }
}

static void read_license(struct reading *reading, const struct word *word, const char *list)
{
    struct lb_policy *policy = reading->policy;
    struct lb_license_words *license = &policy->license[policy->license_count];

    if (!*list) {
        lb_policy_fail(policy, GPG_ERR_SYNTAX, "%s, \"%s\": no licence is named", word->where,
                       word->shown);
    } else if (policy->license_count == LB_LICENSE_MAX || strlen(list) > LB_LICENSE_LIST_MAX) {
        lb_policy_fail(policy, GPG_ERR_TOO_LARGE,
                       "%s, \"%s\": more than %d words license=, or %d octets in one", word->where,
                       word->shown, LB_LICENSE_MAX, LB_LICENSE_LIST_MAX);
    } else {
        check_licenses(reading, word, list);
        license->source = word->source;
        memcpy(license->list, list, strlen(list) + 1);
        policy->license_count++;
    }
}

/* ---- Kinds of words ------------------------------------------------------------------------- */

/* Settings that this version knows of and does not have. */
static void read_later_setting(struct reading *reading, const struct word *word, const char *key)
{
    bool *had = strcmp(key, "ab") == 0       ? &reading->has_ab
                : strcmp(key, "shadow") == 0 ? &reading->has_shadow
                                             : NULL;

    if (had && *had) {
        lb_policy_warn(reading->policy,
                       "%s, \"%s\": a second %s=, where one is possible; passed over", word->where,
                       word->shown, key);
        return;
    }
    if (had)
        *had = true;
    later_word(reading, word, "this setting is");
}

/* Whether the lone word is a provider's name, or may be for all that is known without memory: a
   chain of one. That may be a module's. */
static bool is_provider(const char *name)
{
    char why[LB_WHY_SIZE];

    return lb_registry_open(name, why, sizeof why) != -1;
}

static bool looks_like_slot(const char *key)
{
    char head[LB_GLOB_MAX + 1];

    if (strpbrk(key, "*?/"))
        return true;
    snprintf(head, sizeof head, "%.*s", LB_GLOB_MAX, key);
    return names_slot(head, 1, 3) && strlen(key) <= LB_GLOB_MAX;
}

static void read_setting(struct reading *reading, struct word *word)
{
    char *key = word->text, *value = strchr(word->text, '=');
    char advice[LB_ADVICE_SIZE];

    *value++ = '\0';
    if (strcmp(key, "license") == 0)
        read_license(reading, word, value);
    else if (lb_is_setting(key))
        read_later_setting(reading, word, key);
    else if (looks_like_slot(key))
        read_override(reading, word, key, value);
    else if (lb_resembles_license(key))
        lb_policy_fail(reading->policy, GPG_ERR_UNKNOWN_NAME,
                       "%s, \"%s\": unknown setting; the nearest is \"license\"", word->where,
                       word->shown);
    else
        doubt(reading, word, "unknown setting%s", lb_nearest_advice(advice, lb_nearest_key(key)));
}

/* Whether the word can only restrict, or might have been meant to. A mistyped only: is no such word:
   like a well-formed one it gives way to the chains of others. */
static bool restricts(const char *text)
{
    enum lb_hidden_kind hidden = lb_hidden_restriction(text).kind;
    char key[32];
    size_t length = strcspn(text, "=");

    if (*text == '-' || *text == '!' || hidden == LB_HIDES_SUBTRACTION ||
        hidden == LB_HIDES_LICENSE || hidden == LB_HIDES_OCTET)
        return true;
    if (!text[length] || length >= sizeof key)
        return false;
    snprintf(key, sizeof key, "%.*s", (int)length, text);
    return strcmp(key, "license") == 0 ||
           (!lb_is_setting(key) && !looks_like_slot(key) && lb_resembles_license(key));
}

/* A mark that has no place here, or nothing behind it. It was meant to restrict others. */
static void bad_mark(struct reading *reading, const struct word *word)
{
    lb_policy_fail(reading->policy, GPG_ERR_SYNTAX,
                   reading->line ? "%s, \"%s\": no word stands behind the !"
                                 : "%s, \"%s\": only words in configuration files can be final",
                   word->where, word->shown);
}

/* A restriction where none can stand. */
static void bad_restriction(struct reading *reading, const struct word *word,
                            const struct lb_hidden *hidden)
{
    static const struct {
        gpg_err_code_t code;
        const char *advice;
    } faults[] = {
        [LB_HIDES_SUBTRACTION] = {GPG_ERR_SYNTAX, "-FEATURE stands in a word of its own"},
        [LB_HIDES_LICENSE] =
            {GPG_ERR_UNKNOWN_NAME,
             "the nearest is \"license\", which is written license=ID,ID in a word "
             "of its own"},
        [LB_HIDES_ONLY] = {GPG_ERR_UNKNOWN_NAME,
                           "the nearest is \"only:\", which stands directly before a chain"},
        [LB_HIDES_MARK] = {GPG_ERR_SYNTAX, "such a mark has no place there"},
        [LB_HIDES_OCTET] = {GPG_ERR_SYNTAX, "words are printable ASCII"},
    };
    char shown[24];

    show(shown, sizeof shown, word->text + hidden->offset, hidden->length);
    lb_policy_fail(reading->policy, faults[hidden->kind].code,
                   "%s, \"%s\": octet %zu, \"%s\", may be meant to restrict; %s", word->where,
                   word->shown, word->final + hidden->offset + 1, shown,
                   faults[hidden->kind].advice);
}

static void read_word(struct reading *reading, struct word *word)
{
    const char *text = word->text;
    struct lb_hidden hidden = lb_hidden_restriction(text);
    char kept[LB_NAME_MAX + 1], advice[LB_ADVICE_SIZE];

    if (*text == '!' || !*text)
        bad_mark(reading, word);
    else if (*text == '-')
        read_subtraction(reading, word);
    else if (hidden.kind)
        bad_restriction(reading, word, &hidden);
    else if (strchr(text, '='))
        read_setting(reading, word);
    else if (strcmp(text, "explain") == 0)
        reading->policy->explain = true;
    else if (strcmp(text, "stats") == 0)
        later_word(reading, word, "this word is");
    else if (strpbrk(text, ":,/") || strcmp(text, "auto") == 0 || is_provider(text))
        read_chain(reading, word);
    else
        doubt(reading, word, "neither a provider nor a word%s",
              lb_nearest_advice(advice, lb_nearest_lone_word(text, kept)));
}

/* ---- The whole ------------------------------------------------------------------------------ */

/* The word is one of those in whose place others stand. */
static void pass_over(struct reading *reading, const struct word *word)
{
    if (reading->line)
        note_replaced(reading->policy, word->source,
                      (struct lb_source){.origin = reading->replaced_by}, word->shown);
}

static void read_all(struct reading *reading, const char *words)
{
    struct word word = {.source = {.origin = reading->origin}};

    if (reading->line)
        word.source = *reading->line;
    for (words += strspn(words, SEPARATORS); *words; words += strspn(words, SEPARATORS)) {
        size_t length = strcspn(words, SEPARATORS);

        word.source.word++;
        word.final = reading->line && *words == '!';
        lower(word.text, words + word.final, length - word.final);
        show(word.shown, sizeof word.shown, words, length);
        lb_source_place(word.where, word.source);
        if (!reading->only_restrictions || word.final || restricts(word.text))
            read_word(reading, &word);
        else
            pass_over(reading, &word);
        words += length;
    }
}

/* Reads the words of one origin and keeps them in `kept`. */
static void read_words(struct reading *reading, enum lb_origin origin, const char *words,
                       char kept[LB_WORDS_MAX + 1])
{
    reading->origin = origin;
    if (strlen(words) > LB_WORDS_MAX) {
        lb_policy_fail(reading->policy, GPG_ERR_TOO_LARGE, "%s: more than %d octets",
                       origin_place(origin), LB_WORDS_MAX);
        show(kept, 48, words, strlen(words));
        return;
    }
    memcpy(kept, words, strlen(words) + 1);
    read_all(reading, words);
}

/* The words of the files. `later`: the source whose words take their place, or FILE. */
static void read_files(struct reading *reading, enum lb_origin later)
{
    struct lb_policy *policy = reading->policy;
    const struct lb_config *files = &policy->files;

    reading->origin = LB_ORIGIN_FILE;
    reading->only_restrictions = later != LB_ORIGIN_FILE;
    reading->replaced_by = later;
    for (unsigned i = 0; i < files->line_count; i++) {
        struct lb_source line = {LB_ORIGIN_FILE, 0, files->line[i].file, files->line[i].line};
        const char *words = lb_config_words(files, i);

        reading->line = &line;
        read_all(reading, words);
        if (later == LB_ORIGIN_FILE)
            snprintf(policy->words + strlen(policy->words),
                     sizeof policy->words - strlen(policy->words), "%s%s", i ? " " : "", words);
    }
    reading->line = NULL;
}

static bool has_words(const char *words)
{
    return words && words[strspn(words, SEPARATORS)];
}

/* Which source's words are in force with all that does not restrict. */
static enum lb_origin origin_of(const struct lb_asked *asked)
{
    if (asked->program)
        return LB_ORIGIN_PROGRAM;
    if (has_words(asked->variable))
        return LB_ORIGIN_VARIABLE;
    if (asked->files && asked->files->line_count > 0)
        return LB_ORIGIN_FILE;
    return asked->variable  ? LB_ORIGIN_VARIABLE
           : asked->ignored ? LB_ORIGIN_IGNORED
                            : LB_ORIGIN_DEFAULT;
}

static void read_asked(struct reading *reading, const struct lb_asked *asked)
{
    struct lb_policy *policy = reading->policy;

    policy->ignored = asked->ignored;
    policy->origin = origin_of(asked);
    if (asked->files) {
        policy->files = *asked->files;
        if (policy->files.code)
            lb_policy_fail(policy, policy->files.code, "%s", policy->files.error);
        read_files(reading, policy->origin);
    }
    if (asked->variable && policy->origin != LB_ORIGIN_FILE) {
        reading->only_restrictions = asked->program != NULL;
        read_words(reading, LB_ORIGIN_VARIABLE, asked->variable,
                   asked->program ? policy->replaced : policy->words);
    }
    reading->only_restrictions = false;
    if (asked->program)
        read_words(reading, LB_ORIGIN_PROGRAM, asked->program, policy->words);
}

/* Under only: nothing may be passed over that nobody understands. */
static void judge_doubtful(const struct reading *reading)
{
    bool under_only = reading->policy->chain_policy == LB_CHAIN_ONLY ||
                      (reading->has_rival && is_only(&reading->rival));

    if (*reading->doubtful && under_only)
        lb_policy_fail(reading->policy, GPG_ERR_UNKNOWN_NAME, "%s", reading->doubtful);
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

gpg_error_t lb_policy_make(struct lb_policy *policy, const struct lb_asked *asked)
{
    static const struct word none = {.where = "default"};
    struct reading reading = {.policy = policy};

    memset(policy, 0, sizeof *policy);
    policy->chain_policy = LB_CHAIN_WARN;
    policy->found = asked->found;
    policy->opaque = asked->opaque;
    (void)lb_registry();
    read_asked(&reading, asked);
    judge_doubtful(&reading);
    if (!reading.has_chain)
        read_default(&reading, &none, 1);
    lb_policy_place(policy);
    judge_rival(&reading);
    summarise(policy);
    policy->found = NULL;
    return policy->code ? lb_errorf(policy->code, "%s", policy->error) : 0;
}

static bool same_order(const struct lb_order *a, const struct lb_order *b)
{
    return a->count == b->count && memcmp(a->tier, b->tier, a->count * sizeof *a->tier) == 0;
}

/* Whether the same was found, and the same was not: modules come and go. */
static bool found_the_same(const struct lb_policy *a, const struct lb_policy *b)
{
    if (a->selection.barred != b->selection.barred ||
        !same_order(&a->selection.order, &b->selection.order))
        return false;
    for (unsigned i = 0; i < a->element_count; i++)
        if (strcmp(a->element[i].missing, b->element[i].missing) != 0)
            return false;
    for (unsigned i = 0; i < a->selection.override_count; i++)
        if (!same_order(&a->selection.override[i].order, &b->selection.override[i].order) ||
            strcmp(a->override[i].missing, b->override[i].missing) != 0)
            return false;
    return true;
}

bool lb_policy_same(const struct lb_policy *a, const struct lb_policy *b)
{
    return a->origin == b->origin && a->ignored == b->ignored && strcmp(a->words, b->words) == 0 &&
           strcmp(a->replaced, b->replaced) == 0 && lb_config_same(&a->files, &b->files) &&
           found_the_same(a, b);
}
