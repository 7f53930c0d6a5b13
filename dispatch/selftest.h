/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Self-tests: settling a size class, that is, testing every kernel of its row once and moving on to
 * the next candidate until what stands in the row has passed. Knows slots through their descriptors
 * and publishes nothing.
 */
#ifndef LB_DISPATCH_SELFTEST_H
#define LB_DISPATCH_SELFTEST_H

#include "dispatch/resolve.h"

/* Of a clock that only goes forward. */
uint64_t lb_now_ns(void);

enum lb_settled {
    LB_SETTLED,           /* all that stands in the row has passed */
    LB_SETTLED_NOT_WHOLE, /* too much has failed: there is no row */
    LB_SETTLED_NO_TIME,   /* the deadline came before the end */
    LB_SETTLED_NO_MEMORY  /* a test could not run */
};

/* Settles a size class: fails what must fail into the column. No test above level 1 begins after
   `deadline` (UINT64_MAX: none). `reference` is the class's row of last resort. The caller holds
   the once-lock of the class. */
enum lb_settled lb_selftest_settle(unsigned size_class, const struct lb_selection *selection,
                                   struct lb_quarantine_column *column,
                                   const struct limbic_ops *reference, uint64_t deadline);

/* Tests run so far, of all classes. */
unsigned lb_selftest_count(void);

/* Forgets what has been tested. For initialisation, before any lock is of use. */
void lb_selftest_forget(void);

#endif
