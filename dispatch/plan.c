/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plan in force: made once on first use, published by one atomic pointer, replaced when a
 * kernel falls into quarantine, never freed.
 *
 * Locks, in this order: the once-lock of a size class, then the plan lock. Self-tests run under the
 * former only, on a private copy of the class's column of the quarantine bitmap; a column changes
 * only under both. So whoever holds the lock of a class may test at leisure, and what others
 * publish in the meantime has no half-tested row.
 */
#include "dispatch/plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dispatch/selftest.h"

/* No self-test above level 1 begins later than this into initialisation, which has 1 ms in all.
   What is left out is tested when the first key of the size is made ready. */
#define START_BUDGET_NS 400000

_Atomic(const struct lb_plan *) lb_plan_in_force;

static _Atomic(const struct lb_plan *) latest;
static pthread_once_t started = PTHREAD_ONCE_INIT;
static pthread_mutex_t plan_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t class_lock[LB_SIZE_CLASSES] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};

/* Written during initialisation, constant from then on. */
static struct lb_policy policy;
static struct lb_start start_record;
static struct lb_plan last_resort; /* its rows serve also when it is not the plan in force */
static struct lb_plan first_plan;

/* Under the plan lock. */
static struct lb_quarantine quarantine;
static unsigned generation;
static bool out_of_memory;

static atomic_bool settled[LB_SIZE_CLASSES];

#ifdef LIMBIC_TESTING
static const char *test_words;
static unsigned failing_allocations;
#endif

/* ---- Publication ---------------------------------------------------------------------------- */

static void publish(const struct lb_plan *plan)
{
    atomic_store_explicit(&latest, plan, memory_order_release);
    atomic_store_explicit(&lb_plan_in_force, plan->code ? NULL : plan, memory_order_release);
}

static struct lb_plan *new_plan(void)
{
#ifdef LIMBIC_TESTING
    if (failing_allocations) {
        failing_allocations--;
        return NULL;
    }
#endif
    return calloc(1, sizeof(struct lb_plan));
}

/* Resolves into `plan`. Under the plan lock. */
static void make_plan(struct lb_plan *plan, const struct lb_plan *previous)
{
    plan->quarantine = quarantine;
    plan->generation = ++generation;
    plan->code = lb_resolve(plan->rows, &policy, &quarantine, plan->why, sizeof plan->why);
    plan->previous = previous;
}

/* The newest plan that is not the one of last resort, so that the list loses none. */
static const struct lb_plan *newest;

/* Publishes a plan of the quarantine as it stands. Without memory for one, the plan of last resort
   is in force, or none where only: excludes it, until there is. Under the plan lock. */
static void republish(void)
{
    struct lb_plan *plan = new_plan();

    out_of_memory = !plan;
    if (plan) {
        make_plan(plan, newest);
        newest = plan;
        publish(plan);
    } else if (policy.chain_policy != LB_CHAIN_ONLY && !policy.code) {
        publish(&last_resort);
    } else {
        atomic_store_explicit(&lb_plan_in_force, NULL, memory_order_release);
    }
}

static void read_column(struct lb_quarantine_column *column, unsigned size_class)
{
    pthread_mutex_lock(&plan_lock);
    *column = quarantine.column[size_class];
    pthread_mutex_unlock(&plan_lock);
}

/* Under the class's lock. */
static void commit_column(const struct lb_quarantine_column *column, unsigned size_class)
{
    pthread_mutex_lock(&plan_lock);
    if (memcmp(column, &quarantine.column[size_class], sizeof *column) != 0) {
        quarantine.column[size_class] = *column;
        republish();
    }
    pthread_mutex_unlock(&plan_lock);
}

/* ---- Initialisation ------------------------------------------------------------------------- */

/* A fork takes all locks, so that the child finds nothing half done. */
static void before_fork(void)
{
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++)
        pthread_mutex_lock(&class_lock[i]);
    pthread_mutex_lock(&plan_lock);
    lb_fault_lock();
}

static void after_fork(void)
{
    lb_fault_unlock();
    pthread_mutex_unlock(&plan_lock);
    for (unsigned i = LB_SIZE_CLASSES; i-- > 0;)
        pthread_mutex_unlock(&class_lock[i]);
}

static void read_policy(void)
{
#ifdef LIMBIC_TESTING
    if (test_words) {
        (void)lb_policy_parse(&policy, test_words, LB_ORIGIN_VARIABLE);
        return;
    }
#endif
    (void)lb_policy_from_environment(&policy); /* its error stays in it */
}

static void make_last_resort(void)
{
    static const struct lb_quarantine_column nobody;
    struct lb_order order;

    lb_policy_reference_order(&order);
    memset(&last_resort, 0, sizeof last_resort);
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++)
        (void)lb_resolve_row(&last_resort.rows[i], &order, &nobody, i);
}

/* Settles a class under its lock; its column is committed in any case. */
static enum lb_settled settle(unsigned size_class, struct lb_quarantine_column *column)
{
    enum lb_settled result = lb_selftest_settle(size_class, &policy.order, column,
                                                &last_resort.rows[size_class], UINT64_MAX);

    commit_column(column, size_class);
    atomic_store_explicit(&settled[size_class], result == LB_SETTLED, memory_order_release);
    return result;
}

/* The first plan, with the first size class tested as far as the budget goes. It may run once more
   in the child of a fork that came in the middle, hence it begins by clearing everything. */
static void start(void)
{
    static bool fork_is_watched;
    uint64_t begin = lb_now_ns();
    struct lb_quarantine_column column = {{{0}}};

    if (!fork_is_watched)
        fork_is_watched = pthread_atfork(before_fork, after_fork, after_fork) == 0;
    memset(&quarantine, 0, sizeof quarantine);
    lb_selftest_forget();
    read_policy();
    make_last_resort();
    generation = 0;
    make_plan(&first_plan, NULL);
    newest = &first_plan;

    pthread_mutex_lock(&class_lock[0]);
    if (!first_plan.code) {
        bool complete = lb_selftest_settle(0, &policy.order, &column, &last_resort.rows[0],
                                           begin + START_BUDGET_NS) == LB_SETTLED;

        atomic_store_explicit(&settled[0], complete, memory_order_relaxed);
        quarantine.column[0] = column;
        generation = 0;
        make_plan(&first_plan, NULL);
    }
    pthread_mutex_unlock(&class_lock[0]);

    start_record = (struct lb_start){
        .tests = lb_selftest_count(),
        .complete = atomic_load_explicit(&settled[0], memory_order_relaxed),
        .size_bits = lb_size_class_bits[0],
        .ns = lb_now_ns() - begin,
    };
    publish(&first_plan);
}

/* ---- What core calls ------------------------------------------------------------------------ */

const struct lb_plan *lb_plan_first(gpg_error_t *err)
{
    const struct lb_plan *plan;

    pthread_once(&started, start);
    pthread_mutex_lock(&plan_lock);
    if (out_of_memory)
        republish();
    plan = atomic_load_explicit(&lb_plan_in_force, memory_order_acquire);
    if (plan)
        *err = 0;
    else if (out_of_memory)
        *err = lb_error(GPG_ERR_ENOMEM, "out of memory for a plan without the kernels that failed");
    else
        *err = lb_errorf(atomic_load_explicit(&latest, memory_order_acquire)->code, "%s",
                         atomic_load_explicit(&latest, memory_order_acquire)->why);
    pthread_mutex_unlock(&plan_lock);
    return plan;
}

const struct limbic_ops *lb_plan_row(const struct lb_plan *plan, size_t bits)
{
    return &plan->rows[lb_size_class(bits)];
}

const struct limbic_ops *lb_row_portable(size_t bits)
{
    pthread_once(&started, start);
    return &last_resort.rows[lb_size_class(bits)];
}

unsigned lb_plan_generation(const struct lb_plan *plan)
{
    return plan->generation;
}

gpg_error_t lb_dispatch_ready(size_t bits)
{
    unsigned size_class = lb_size_class(bits);
    enum lb_settled result = LB_SETTLED;
    gpg_error_t err;

    if (!lb_plan_current(&err))
        return err;
    if (atomic_load_explicit(&settled[size_class], memory_order_acquire))
        return 0;
    pthread_mutex_lock(&class_lock[size_class]);
    if (!atomic_load_explicit(&settled[size_class], memory_order_relaxed)) {
        struct lb_quarantine_column column;

        read_column(&column, size_class);
        result = settle(size_class, &column);
    }
    pthread_mutex_unlock(&class_lock[size_class]);
    if (result == LB_SETTLED_NO_MEMORY)
        return lb_error(GPG_ERR_ENOMEM, "out of memory for the self-tests of arithmetic");
    return lb_plan_current(&err) ? 0 : err;
}

static bool is_reference(unsigned size_class, enum limbic_slot slot, unsigned family)
{
    return last_resort.rows[size_class].family[slot] == family;
}

/* A kernel of the reference computed wrongly in this row and rightly in its own: whatever foreign
   kernels it may have called are distrusted together. False if the row has none. */
static bool blame_below(struct lb_quarantine_column *column, const struct lb_slot *above,
                        const struct limbic_ops *row, unsigned size_class, const char *why)
{
    bool any = false;

    if (above->level == 1)
        return false; /* limb functions call nothing */
    for (size_t i = 0; i < lb_slot_count; i++) {
        const struct lb_slot *slot = &lb_slots[i];
        unsigned family = row->family[slot->id];

        if (slot->level > above->level || slot->level > LB_RESOLVED_LEVELS ||
            is_reference(size_class, slot->id, family))
            continue;
        any = true;
        if (!lb_quarantined(column, family, slot->id)) {
            lb_quarantine_mark(column, family, slot->id);
            lb_fault_remember(LB_FAULT_BLAME, family, slot->id, size_class, why);
        }
    }
    return any;
}

static void blame_in_column(struct lb_quarantine_column *column, const struct lb_slot *slot,
                            const struct limbic_ops *row, unsigned size_class, const char *why)
{
    unsigned family = row->family[slot->id];

    if (!is_reference(size_class, slot->id, family)) {
        if (lb_quarantined(column, family, slot->id))
            return; /* another thread was faster */
        lb_quarantine_mark(column, family, slot->id);
        lb_fault_remember(LB_FAULT_BLAME, family, slot->id, size_class, why);
    } else if (!blame_below(column, slot, row, size_class, why)) {
        lb_fault_remember(LB_FAULT_MACHINE, family, slot->id, size_class, why);
    }
}

static void blame(const struct lb_slot *slot, const struct limbic_ops *row, unsigned size_class,
                  const char *why)
{
    struct lb_quarantine_column column, before;

    pthread_mutex_lock(&class_lock[size_class]);
    read_column(&column, size_class);
    before = column;
    blame_in_column(&column, slot, row, size_class, why);
    if (memcmp(&before, &column, sizeof column) != 0)
        (void)settle(size_class, &column);
    pthread_mutex_unlock(&class_lock[size_class]);
}

void lb_dispatch_blame(enum limbic_slot slot, const struct limbic_ops *row, size_t bits,
                       const char *why)
{
    const struct lb_slot *descriptor = lb_slot_by_id(slot);

    pthread_once(&started, start);
    if (descriptor && row->family[slot] < lb_registry()->family_count)
        blame(descriptor, row, lb_size_class(bits), why);
}

const char *lb_policy_warning(void)
{
    const struct lb_policy *p = lb_plan_policy();

    return *p->warning_line ? p->warning_line : NULL;
}

/* ---- What the report sees ------------------------------------------------------------------- */

const struct lb_plan *lb_plan_latest(void)
{
    pthread_once(&started, start);
    return atomic_load_explicit(&latest, memory_order_acquire);
}

const struct lb_policy *lb_plan_policy(void)
{
    pthread_once(&started, start);
    return &policy;
}

const struct lb_start *lb_plan_start(void)
{
    pthread_once(&started, start);
    return &start_record;
}

bool lb_plan_settled(unsigned size_class)
{
    return atomic_load_explicit(&settled[size_class], memory_order_acquire);
}

#ifdef LIMBIC_TESTING
void lb_test_reset(const char *words)
{
    static const pthread_once_t anew = PTHREAD_ONCE_INIT;

    while (newest && newest != &first_plan) {
        const struct lb_plan *previous = newest->previous;

        free((void *)(uintptr_t)newest);
        newest = previous;
    }
    newest = NULL;
    memcpy(&started, &anew, sizeof anew);
    atomic_store(&latest, NULL);
    atomic_store(&lb_plan_in_force, NULL);
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++)
        atomic_store(&settled[i], false);
    memset(&first_plan, 0, sizeof first_plan);
    out_of_memory = false;
    failing_allocations = 0;
    test_words = words;
    lb_test_registry_reset();
    lb_test_faults_reset();
}

void lb_test_fail_allocations(unsigned count)
{
    failing_allocations = count;
}
#endif
