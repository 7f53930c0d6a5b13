/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks and fork(). The handlers must stand before the first lock can be held: if they came at first
 * use, a fork that had begun just before would not know of them, and its child would find a lock
 * held by a thread that it does not have. Hence the constructor, the only one of the library. All
 * that it does is to register; if there is no memory for that, the next lock that is taken tries
 * again, and nobody hears of it.
 */
#include "base/locks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define FREE PTHREAD_MUTEX_INITIALIZER

static pthread_mutex_t lock[LB_LOCKS] = {FREE, FREE, FREE, FREE, FREE, FREE, FREE, FREE,
                                         FREE, FREE, FREE, FREE, FREE, FREE, FREE, FREE,
                                         FREE, FREE, FREE, FREE, FREE, FREE};
_Static_assert(LB_LOCKS == 22, "as many as are initialised above");

static atomic_bool watched;
static _Atomic(void (*)(void)) in_child;

static void before_fork(void)
{
    for (unsigned i = 0; i < LB_LOCKS; i++)
        pthread_mutex_lock(&lock[i]);
}

static void after_fork(void)
{
    for (unsigned i = LB_LOCKS; i-- > 0;)
        pthread_mutex_unlock(&lock[i]);
}

static void after_fork_in_child(void)
{
    void (*again)(void) = atomic_load_explicit(&in_child, memory_order_relaxed);

    if (again)
        again();
    after_fork();
}

/* One thread at a time, so that whoever registers while it holds a lock waits for no fork that waits
   for that lock: before it is through no fork waits for any. */
__attribute__((constructor)) static void watch_forks(void)
{
    if (atomic_exchange(&watched, true))
        return;
    if (pthread_atfork(before_fork, after_fork, after_fork_in_child))
        atomic_store(&watched, false);
}

#ifdef LIMBIC_TESTING
/* The locks that this thread holds, as bits: the test build ends where the order is not kept. */
static _Thread_local unsigned held;
#endif

void lb_lock(enum lb_lock which)
{
#ifdef LIMBIC_TESTING
    if (held >> which)
        abort();
    held |= 1U << which;
#endif
    if (!atomic_load_explicit(&watched, memory_order_relaxed))
        watch_forks();
    pthread_mutex_lock(&lock[which]);
}

void lb_unlock(enum lb_lock which)
{
#ifdef LIMBIC_TESTING
    held &= ~(1U << which);
#endif
    pthread_mutex_unlock(&lock[which]);
}

void lb_once(atomic_bool *done, enum lb_lock which, void (*make)(void))
{
    if (atomic_load_explicit(done, memory_order_acquire))
        return;
    lb_lock(which);
    if (!atomic_load_explicit(done, memory_order_relaxed)) {
        make();
        atomic_store_explicit(done, true, memory_order_release);
    }
    lb_unlock(which);
}

void lb_in_child_of_fork(void (*again)(void))
{
    atomic_store_explicit(&in_child, again, memory_order_relaxed);
}
