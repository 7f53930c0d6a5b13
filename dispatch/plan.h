/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plans as the report sees them: the last one that was resolved, in force or not, and how it came
 * about.
 */
#ifndef LB_DISPATCH_PLAN_H
#define LB_DISPATCH_PLAN_H

#include "dispatch/resolve.h"

struct lb_plan {
    struct limbic_ops rows[LB_SIZE_CLASSES];
    struct lb_quarantine quarantine; /* what it was resolved from */
    unsigned generation;             /* 0: the plan of last resort */
    gpg_err_code_t code;             /* 0 if it can be in force */
    char why[240];
    const struct lb_plan *previous; /* keeps all plans reachable */
};

struct lb_start {
    uint64_t ns;        /* what initialisation took */
    unsigned tests;     /* self-tests run in it */
    bool complete;      /* whether the first size class was settled within the budget */
    unsigned size_bits; /* of that class */
};

/* The last resolved plan; makes the first one if there is none. Never NULL. */
const struct lb_plan *lb_plan_latest(void);

const struct lb_policy *lb_plan_policy(void);
const struct lb_start *lb_plan_start(void);

/* Whether every kernel at this size class has been tested. */
bool lb_plan_settled(unsigned size_class);

#ifdef LIMBIC_TESTING
/* Forgets plans, self-tests, faults and registered providers; the next use reads these words (NULL:
   the environment). `words` lives until then. No other thread may use the library. */
void lb_test_reset(const char *words);
/* Lets the next `count` allocations of plans fail. */
void lb_test_fail_allocations(unsigned count);
#endif

#endif
