/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resolution: from the selection that a policy gives, and the quarantine bitmap, to rows. Pure
 * functions; the same ones tell afterwards why a kernel stands in a slot and why another does not,
 * so that the report cannot disagree with the plan. Knows no words and publishes nothing.
 */
#ifndef LB_DISPATCH_RESOLVE_H
#define LB_DISPATCH_RESOLVE_H

#include "dispatch/dispatch.h"
#include "dispatch/policy.h"
#include "dispatch/quarantine.h"

/* The highest level that rows are filled up to. Level 3 follows with the curves. */
enum { LB_RESOLVED_LEVELS = 2 };

/* Whether the tier, which has the slot's kernel, has it for every modulus of the class. */
bool lb_tier_serves(const struct limbic_tier *tier, const struct lb_slot *slot,
                    unsigned size_class);

/* Puts the kernel of a usable tier into its slot of a row. */
void lb_resolve_fill(struct limbic_ops *row, const struct lb_slot *slot, unsigned tier);

/* Fills the row of a size class. Returns NULL if it is whole, else the first slot that no kernel of
   the selection can fill (it and later ones of its kind stay NULL). */
const struct lb_slot *lb_resolve_row(struct limbic_ops *row, const struct lb_selection *selection,
                                     const struct lb_quarantine_column *column,
                                     unsigned size_class);

/* Fills all rows. Returns 0, or the code of the policy's error, or GPG_ERR_NOT_SUPPORTED or
   GPG_ERR_SELFTEST_FAILED with a line in `why` when a row cannot be whole. */
gpg_err_code_t lb_resolve(struct limbic_ops rows[LB_SIZE_CLASSES], const struct lb_policy *policy,
                          const struct lb_quarantine *quarantine, char *why, size_t size);

/* What resolution says of one tier for one slot. */
enum lb_verdict {
    LB_NO_CANDIDATE = 0, /* the tier has nothing at the slot's level */
    LB_VERDICT_CHOSEN,
    LB_VERDICT_PRIORITY, /* another kernel stands before it */
    LB_VERDICT_OVERRIDE, /* another kernel was asked for in this slot */
    LB_VERDICT_EMPTY,    /* the tier has the level, but leaves this slot empty */
    LB_VERDICT_SIZE,     /* it does not serve every modulus of the class */
    LB_VERDICT_QUARANTINE,
    LB_VERDICT_UNUSABLE,   /* the tier is refused, not built or lacks a CPU feature */
    LB_VERDICT_FEATURE,    /* it needs a CPU feature that is denied */
    LB_VERDICT_LICENSE,    /* license= keeps its provider out */
    LB_VERDICT_CAPPED,     /* the chain names a lower tier of the provider */
    LB_VERDICT_NOT_LISTED, /* the chain does not name it */
    LB_VERDICT_DENIED      /* the chain does not name it and is closed by only: */
};

enum lb_verdict lb_resolve_verdict(const struct lb_policy *policy,
                                   const struct lb_quarantine_column *column,
                                   const struct lb_slot *slot, unsigned size_class, unsigned tier);

#endif
