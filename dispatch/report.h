/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report: what is there, what is in force, and why, as text for people or JSON for programs.
 * Reads the registry, the policy and the last plan, and changes nothing (but makes the first plan
 * if there is none). It works when no operation does.
 */
#ifndef LB_DISPATCH_REPORT_H
#define LB_DISPATCH_REPORT_H

#include <gpg-error.h>
#include <stddef.h>

enum lb_report_kind {
    LB_REPORT_LIST,   /* every provider, with its tiers and their state */
    LB_REPORT_INFO,   /* the library, the words in force, initialisation */
    LB_REPORT_EXPLAIN /* for every slot the kernel chosen, and why not another */
};

/* One line on the first fault of a kernel that this process has met, NULL if there is none. Valid until
   the thread's next call. */
enum { LB_FAULT_LINE_SIZE = 320 };
const char *lb_report_first_fault(void);

/* What the caller has to add to INFO, in the order given. */
struct lb_fact {
    const char *name;          /* for people: "secret memory", at most 16 octets */
    const char *key;           /* for JSON: "secret_used" */
    const char *text;          /* the value, for people and, unless is_number, for JSON */
    unsigned long long number; /* the value for JSON if is_number */
    int is_number;
};

/* EXPLAIN of what would be in force, were this asked; `what` says whose plan it is. Errors as
   lb_report has them. */
struct lb_asked;
gpg_error_t lb_report_dry_run(char **text, int json, const struct lb_asked *asked,
                              const char *what);

/* Makes a report in *text, which the caller frees; it ends in a newline. The only error is
   GPG_ERR_ENOMEM, and then *text is NULL. */
gpg_error_t lb_report(char **text, enum lb_report_kind kind, int json, const struct lb_fact *facts,
                      size_t count);

#endif
