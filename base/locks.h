/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All locks of the library, in one table and in one order, and what happens once under one. A fork
 * takes them all, so that its child finds them free and nothing half done. Knows nothing of what
 * they guard.
 */
#ifndef LB_BASE_LOCKS_H
#define LB_BASE_LOCKS_H

#include <stdatomic.h>

/* In the order in which they are taken: who holds one asks for later ones only. */
enum lb_lock {
    LB_LOCK_DIGESTS, /* the start of libgcrypt */
    LB_LOCK_STATES,  /* the making of states, of all keys */
    LB_LOCK_START,   /* the first plan */
    LB_LOCK_CLASS,   /* of the first of the size classes, */
    LB_LOCK_CLASSES = 12,
    LB_LOCK_PLAN = LB_LOCK_CLASS + LB_LOCK_CLASSES, /* plans, configurations, quarantine */
    LB_LOCK_REGISTRY,                               /* the opening of modules */
    LB_LOCK_PROVIDERS,                              /* the first registry */
    LB_LOCK_CPU,                                    /* a look at the machine */
    LB_LOCK_ENVIRONMENT,                            /* a look at the variable */
    LB_LOCK_FAULTS,                                 /* the reasons of quarantine */
    LB_LOCK_ARENA,                                  /* memory for secrets */
    LB_LOCKS
};

void lb_lock(enum lb_lock which);
void lb_unlock(enum lb_lock which);

/* Calls `make` unless it has been called for this `done`, and returns when that is through. Unlike
   pthread_once, a fork waits for it: no child begins in the middle. */
void lb_once(atomic_bool *done, enum lb_lock which, void (*make)(void));

/* From now on `again`, one function, runs in the child of every fork, while the locks are held. */
void lb_in_child_of_fork(void (*again)(void));

#endif
