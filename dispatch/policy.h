/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The policy: what the words of LIMBIC ask for, as an immutable value. Knows words and the
 * registry; knows no plan and runs no kernel.
 *
 * Words are separated by white space or `;`. This version has the chain:
 *
 *     [try:|warn:|only:]ELEMENT,ELEMENT...    ELEMENT = PROVIDER, PROVIDER/TIER or auto
 *
 * best first. A tier caps: it stands for itself and the provider's lower tiers. `derived` ends
 * every chain, and behind it comes `portable`, except under `only:`. An element that is missing is
 * passed over silently (try:), recorded as a warning (warn:, the default) or an error (only:).
 *
 * A word that could restrict what is used must never be lost, so what may be a mistyped or unknown
 * restriction is an error, which every operation then returns:
 *
 *     GPG_ERR_NOT_FOUND        only: names a provider or tier that is not there
 *     GPG_ERR_NOT_SUPPORTED    only: names one that is refused, or nothing that makes a whole table
 *     GPG_ERR_SELFTEST_FAILED  what is allowed has failed its self-test (see resolve.h)
 *     GPG_ERR_NOT_IMPLEMENTED  `-FEATURE`, `license=`: not in this version
 *     GPG_ERR_UNKNOWN_NAME     an unknown policy before a `:`, a mistyped `license=`, and under
 *                              only: any unknown word
 *     GPG_ERR_SYNTAX           an element under only: that is no name
 *     GPG_ERR_CONFLICT         a second chain, one of the two under only:
 *     GPG_ERR_TOO_LARGE        more than LB_WORDS_MAX octets, or more than LB_CHAIN_MAX elements
 *
 * Every other unknown word is a warning.
 */
#ifndef LB_DISPATCH_POLICY_H
#define LB_DISPATCH_POLICY_H

#include <gpg-error.h>

#include "dispatch/registry.h"

enum { LB_WORDS_MAX = 4096, LB_CHAIN_MAX = 32, LB_WARNINGS_MAX = 16 };

enum lb_origin {
    LB_ORIGIN_DEFAULT,  /* nobody asked */
    LB_ORIGIN_VARIABLE, /* the environment */
    LB_ORIGIN_IGNORED,  /* the environment of a set-id process: the default is in force */
    LB_ORIGIN_PROGRAM   /* the program */
};

enum lb_chain_policy { LB_CHAIN_TRY, LB_CHAIN_WARN, LB_CHAIN_ONLY };

struct lb_element {
    char provider[LB_NAME_MAX + 1];
    char tier[LB_NAME_MAX + 1]; /* "" for all */
    bool quiet;                 /* from `auto`: may be missing */
    char missing[176];          /* "" if it is there, or why not */
};

/* Tiers, best first, each at most once: the order in which a slot looks for its kernel. */
struct lb_order {
    unsigned count;
    uint8_t tier[LB_TIER_MAX];
};

struct lb_policy {
    enum lb_origin origin;
    char words[LB_WORDS_MAX + 1]; /* as given */
    enum lb_chain_policy chain_policy;
    unsigned element_count;
    struct lb_element element[LB_CHAIN_MAX];
    struct lb_order order;
    gpg_err_code_t code; /* 0, or what every operation returns */
    char error[240];
    unsigned warning_count; /* may be more than are kept */
    char warning[LB_WARNINGS_MAX][240];
    char warning_line[320]; /* all in one line, "" if there is none */
};

/* Makes a policy of words (NULL: the default). The policy is whole also when an error is returned.
   */
gpg_error_t lb_policy_parse(struct lb_policy *policy, const char *words, enum lb_origin origin);

/* The same from the value of the variable as secure_getenv and as getenv give it. */
gpg_error_t lb_policy_from_values(struct lb_policy *policy, const char *secure, const char *plain);

/* The same from this process's environment. */
gpg_error_t lb_policy_from_environment(struct lb_policy *policy);

/* "built-in default", "the variable LIMBIC", ... and "try", "warn", "only". */
const char *lb_origin_text(enum lb_origin origin);
const char *lb_chain_policy_name(enum lb_chain_policy chain_policy);

/* The tiers behind every chain: those of the provider of last resort, with what is derived. */
void lb_policy_reference_order(struct lb_order *order);

#endif
