/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Configurations and plans: how plan.c holds them, and how the report sees the last plan, in force or
 * not.
 */
#ifndef LB_DISPATCH_PLAN_H
#define LB_DISPATCH_PLAN_H

#include "dispatch/resolve.h"

/* What was asked for, and what has been made of it. Never freed, so that whoever reads a plan may
   read its policy; asked for again, it is found again. */
struct lb_configuration {
    struct lb_policy policy;
    atomic_uint settled[LB_SIZE_CLASSES]; /* for plan.c */
    const struct lb_plan *plan;           /* the last one, under the plan lock */
    struct lb_configuration *previous;
};

struct lb_plan {
    struct limbic_ops rows[LB_SIZE_CLASSES];
    struct lb_quarantine quarantine;              /* what it was resolved from, */
    const struct lb_configuration *configuration; /* and this; NULL: the plan of last resort */
    unsigned generation;                          /* 0: the plan of last resort, a dry run */
    gpg_err_code_t code;                          /* 0 if it can be in force */
    char why[LB_WARNING_SIZE];
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

/* The policy that the plan was made from; of the plan of last resort, the one in force. */
const struct lb_policy *lb_plan_policy(const struct lb_plan *plan);

const struct lb_start *lb_plan_start(void);

/* Whether every kernel that is in force at this size class has been tested. */
bool lb_plan_settled(unsigned size_class);

/* What would come of it, were this asked: a plan that is never in force, for the report. NULL
   without memory for it. */
struct lb_plan *lb_plan_try(const struct lb_asked *asked);
void lb_plan_discard(struct lb_plan *plan);

#ifdef LIMBIC_TESTING
/* Forgets plans, self-tests, faults, registered providers and what was configured; the next use
   reads these words as the variable's (NULL: the environment). `words` lives until the next reset.
   No other thread may use the library. */
void lb_test_reset(const char *words);
/* Lets the next `count` allocations of plans fail. */
void lb_test_fail_allocations(unsigned count);
#endif

#endif
