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
 * There are three sources: the configuration files, the variable, the program. The words of a later
 * one take the place of all words of the earlier ones except -FEATURE and license=, which can only
 * restrict, and words of files that are marked final by a `!` before them. A variable without words
 * takes nobody's place. A final chain is in force whatever chain a later word names, a final
 * override goes before later ones. Within the files a later chain takes the place of an earlier one.
 *
 * A word that could restrict what is used must never be lost, so what may be a mistyped or unknown
 * restriction is an error, which every operation then returns:
 *
 *     GPG_ERR_NOT_FOUND        only: names a provider or tier that is not there
 *     GPG_ERR_NOT_SUPPORTED    only: names one that is refused or denied, or nothing that makes a
 *                              whole table
 *     of the system            only: names a module that a shortage kept from being opened, such as
 *                              GPG_ERR_ENOMEM or GPG_ERR_EMFILE; it is tried again when next named
 *     GPG_ERR_SELFTEST_FAILED  what is allowed has failed its self-test (see resolve.h)
 *     GPG_ERR_UNKNOWN_NAME     an unknown feature, licence or policy before a `:`, a name that
 *                              resembles `license` or `only`, wherever in a word (see restriction.h),
 *                              and under only: any unknown word
 *     GPG_ERR_SYNTAX           an element or override under only: that is none; an empty `-`,
 *                              `license=` or `!`; a `!` outside of files; a `-` that begins a name
 *                              inside a word; a `:` or `=` inside an element or a value, a `!` before
 *                              one; an octet that is not printable ASCII
 *     GPG_ERR_CONFLICT         a second chain of the variable or the program, one of the two under
 *                              only:; an override for something that only: does not list; a chain
 *                              under only: where a final one lists more; two final chains, one of
 *                              them under only:
 *     GPG_ERR_CONFIGURATION    a file that cannot be read in full, or is unsafe; it may also give
 *                              SYNTAX, TOO_LARGE or ENOMEM (see config.h)
 *     GPG_ERR_TOO_LARGE        more than LB_WORDS_MAX octets, LB_CHAIN_MAX elements,
 *                              LB_OVERRIDE_MAX overrides or LB_LICENSE_MAX words license=
 *
 * Every other unknown word is a warning.
 */
#ifndef LB_DISPATCH_POLICY_H
#define LB_DISPATCH_POLICY_H

#include <gpg-error.h>

#include "dispatch/config.h"
#include "dispatch/cpu.h"
#include "dispatch/selection.h"

enum {
    LB_WORDS_MAX = LB_CONFIG_WORDS_SIZE,
    LB_CHAIN_MAX = 32,
    LB_LICENSE_MAX = 4,
    LB_LICENSE_LIST_MAX = 255, /* octets in the value of one license= */
    LB_WARNINGS_MAX = 16,
    LB_REPLACED_MAX = 32,
    LB_SOURCE_TEXT_SIZE = LB_CONFIG_PATH_SIZE + 32,
    LB_WARNING_SIZE = 512 + LB_CONFIG_PATH_SIZE,
    LB_BAN_SIZE =
        LB_WHY_SIZE + 120 + LB_CONFIG_PATH_SIZE /* a reason, the nearest name or its word */
};

enum lb_origin {
    LB_ORIGIN_DEFAULT,  /* nobody asked */
    LB_ORIGIN_FILE,     /* the configuration files */
    LB_ORIGIN_VARIABLE, /* the environment */
    LB_ORIGIN_IGNORED,  /* the environment of a set-id process: the default is in force */
    LB_ORIGIN_PROGRAM   /* the program */
};

/* What is asked for, and by whom. */
struct lb_asked {
    const struct lb_config *files; /* NULL: there are none */
    const char *variable;          /* NULL: it is not set, or ignored */
    bool ignored;
    const char *program; /* NULL: it asks for nothing */
    /* NULL, or who is to be told of every error, not only the first, and of every warning. */
    void (*found)(void *opaque, const char *text);
    void *opaque;
};

/* Who asked for a setting, and in which word of his, from 1; 0: in none. In a file it is the word of
   a line. */
struct lb_source {
    enum lb_origin origin;
    unsigned word;
    const char *file; /* never freed; NULL unless the origin is a file */
    unsigned line;
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

/* A word of a file in whose place another one stands. */
struct lb_replaced {
    struct lb_source source;
    struct lb_source by; /* word 0: all the words of that origin */
    char shown[48];
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
    struct lb_config files;
    unsigned replaced_count; /* words of files; may be more than are kept */
    struct lb_replaced replaced_word[LB_REPLACED_MAX];
    enum lb_chain_policy chain_policy;
    struct lb_source chain_source;
    bool chain_is_final;
    char chain_shown[48]; /* as given; "" if it is not */
    unsigned element_count;
    struct lb_element element[LB_CHAIN_MAX];
    struct lb_override_words override[LB_OVERRIDE_MAX];
    struct lb_denial denial[LB_CPU_FEATURE_MAX];
    unsigned license_count;
    struct lb_license_words license[LB_LICENSE_MAX];
    bool explain;
    struct lb_selection selection;
    void (*found)(void *opaque, const char *text); /* as asked, while the policy is made */
    void *opaque;
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

/* "LIMBIC, word 2", "the program's words, word 1", "/etc/limbic/limbic.conf:3", "built-in
   default". */
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
