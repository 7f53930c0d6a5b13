/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The policy: what the words ask for, as an immutable value. Knows words and the registry; knows no
 * plan and runs no kernel.
 *
 * Words are separated by white space or `;`; upper and lower case are the same. limbic(7) has them
 * for people:
 *
 *     [try:|warn:|only:]ELEMENT,ELEMENT...    the chain; ELEMENT = PROVIDER, PROVIDER/TIER or auto
 *     SLOT=PROVIDER[/TIER]                    for the slots whose name matches (`*`, `?`)
 *     SLOT/SIZE=..., SLOT/CURVE=...           the same at a size class or for a curve
 *     -FEATURE                                without a CPU feature and what depends on it
 *     license=ID,ID...                        modules under one of these licences only
 *     explain                                 print the plan once
 *
 * The chain is best first. A tier caps: it stands for itself and the provider's lower tiers.
 * `derived` ends every chain, and behind it comes `portable`, except under `only:`. What is missing
 * is passed over silently (try:), recorded as a warning (warn:, the default) or an error (only:).
 * Of overrides for one slot the last one counts; where it has no kernel the chain goes on.
 *
 * The program's words take the place of all words of the variable except -FEATURE and license=,
 * which can only restrict.
 *
 * A word that could restrict what is used must never be lost, so what may be a mistyped or unknown
 * restriction is an error, which every operation then returns:
 *
 *     GPG_ERR_NOT_FOUND        only: names a provider or tier that is not there
 *     GPG_ERR_NOT_SUPPORTED    only: names one that is refused or denied, or nothing that makes a
 *                              whole table
 *     GPG_ERR_SELFTEST_FAILED  what is allowed has failed its self-test (see resolve.h)
 *     GPG_ERR_UNKNOWN_NAME     an unknown feature, licence or policy before a `:`, a mistyped
 *                              `license=`, and under only: any unknown word
 *     GPG_ERR_SYNTAX           an element or override under only: that is none; an empty `-` or
 *                              `license=`
 *     GPG_ERR_CONFLICT         a second chain, one of the two under only:; an override for
 *                              something that only: does not list
 *     GPG_ERR_TOO_LARGE        more than LB_WORDS_MAX octets, LB_CHAIN_MAX elements,
 *                              LB_OVERRIDE_MAX overrides or LB_LICENSE_MAX words license=
 *
 * Every other unknown word is a warning.
 */
#ifndef LB_DISPATCH_POLICY_H
#define LB_DISPATCH_POLICY_H

#include <gpg-error.h>

#include "dispatch/cpu.h"
#include "dispatch/selection.h"

enum {
    LB_WORDS_MAX = 4096,
    LB_CHAIN_MAX = 32,
    LB_LICENSE_MAX = 4,
    LB_LICENSE_LIST_MAX = 255, /* octets in the value of one license= */
    LB_WARNINGS_MAX = 16,
    LB_WARNING_SIZE = 512,
    LB_BAN_SIZE = LB_WHY_SIZE + 120 /* octets for a reason with the nearest name, or whose word */
};

enum lb_origin {
    LB_ORIGIN_DEFAULT,  /* nobody asked */
    LB_ORIGIN_VARIABLE, /* the environment */
    LB_ORIGIN_IGNORED,  /* the environment of a set-id process: the default is in force */
    LB_ORIGIN_PROGRAM   /* the program */
};

/* What is asked for, and by whom. */
struct lb_asked {
    const char *variable; /* NULL: it is not set, or ignored */
    bool ignored;
    const char *program; /* NULL: it asks for nothing */
};

/* Who asked for a setting, and in which word of his, from 1; 0: in none. */
struct lb_source {
    enum lb_origin origin;
    unsigned word;
};

enum lb_chain_policy { LB_CHAIN_TRY, LB_CHAIN_WARN, LB_CHAIN_ONLY };

struct lb_element {
    char provider[LB_NAME_MAX + 1];
    char tier[LB_NAME_MAX + 1]; /* "" for all */
    bool quiet;                 /* from `auto`: may be missing */
    unsigned number;            /* in its word, from 1 */
    char missing[LB_BAN_SIZE];  /* "" if it is there, or why not */
};

/* What an override was in words; the one of the same number in the selection is what it means. */
struct lb_override_words {
    struct lb_source source;
    char provider[LB_NAME_MAX + 1];
    char tier[LB_NAME_MAX + 1];
    char shown[48];            /* as given */
    char missing[LB_BAN_SIZE]; /* "" if it is there, or why not */
};

struct lb_license_words {
    struct lb_source source;
    char list[LB_LICENSE_LIST_MAX + 1]; /* in lower case */
};

/* Why a feature is denied: by this word, as one that depends on `root`. */
struct lb_denial {
    struct lb_source source;
    uint8_t root;
};

struct lb_policy {
    enum lb_origin origin;           /* of the chain and all that does not restrict */
    bool ignored;                    /* there is a variable, in a set-id process */
    char words[LB_WORDS_MAX + 1];    /* as given by that origin */
    char replaced[LB_WORDS_MAX + 1]; /* the variable's, where the program's took their place */
    enum lb_chain_policy chain_policy;
    struct lb_source chain_source;
    unsigned element_count;
    struct lb_element element[LB_CHAIN_MAX];
    struct lb_override_words override[LB_OVERRIDE_MAX];
    struct lb_denial denial[LB_CPU_FEATURE_MAX];
    unsigned license_count;
    struct lb_license_words license[LB_LICENSE_MAX];
    bool explain;
    struct lb_selection selection;
    gpg_err_code_t code; /* 0, or what every operation returns */
    char error[LB_WARNING_SIZE];
    unsigned warning_count; /* may be more than are kept */
    char warning[LB_WARNINGS_MAX][LB_WARNING_SIZE];
    char warning_line[LB_WARNING_SIZE + 64]; /* all in one line, "" if there is none */
};

/* Makes a policy of what is asked. The policy is whole also when an error is returned. */
gpg_error_t lb_policy_make(struct lb_policy *policy, const struct lb_asked *asked);

/* Whether two policies were made of the same words, and the words came to the same: a module that was
   missing may have been installed in between. */
bool lb_policy_same(const struct lb_policy *a, const struct lb_policy *b);

/* "built-in default", "the variable LIMBIC", ... and "try", "warn", "only". */
const char *lb_origin_text(enum lb_origin origin);
const char *lb_chain_policy_name(enum lb_chain_policy chain_policy);

/* "LIMBIC, word 2", "the program's words, word 1", "built-in default". */
#define LB_SOURCE_TEXT_SIZE 48
const char *lb_source_text(char text[LB_SOURCE_TEXT_SIZE], struct lb_source source);

/* Why a tier that could run here is kept out by a restriction: which and whose. NULL if it is
   not. */
const char *lb_policy_feature_ban(const struct lb_policy *policy, unsigned tier,
                                  char text[LB_BAN_SIZE]);
const char *lb_policy_license_ban(const struct lb_policy *policy, unsigned provider,
                                  char text[LB_BAN_SIZE]);

/* The selection behind every chain: the provider of last resort, with what is derived. */
void lb_policy_reference(struct lb_selection *selection);

#endif
