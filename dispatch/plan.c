/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plan in force: made once on first use, published by one atomic pointer, replaced when a
 * kernel falls into quarantine or other words are asked for, never freed.
 *
 * A configuration is settled at a size class when every kernel that its plan has there was tested
 * against the quarantine column as it is; columns are numbered by version for that. A class is in
 * use once keys of its sizes may be at work, and what is in force is settled wherever there is use:
 * hence a new configuration is settled at those classes before it is published.
 *
 * Locks, in this order: that of a size class, then the plan lock. Self-tests run under the
 * former only, on a private copy of the class's column of the quarantine bitmap; a column changes
 * only under both. So whoever holds the lock of a class may test at leisure, and what others
 * publish in the meantime has no half-tested row. A reconfiguration holds the locks of all classes
 * until it has published.
 */
#include "dispatch/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/locks.h"
#include "dispatch/environment.h"
#include "dispatch/report.h"
#include "dispatch/selftest.h"

/* No self-test above level 1 begins later than this into initialisation, which has 1 ms in all.
   What is left out is tested when the first key of the size is made ready. */
#define START_BUDGET_NS 400000

_Atomic(const struct lb_plan *) lb_plan_in_force;

static _Atomic(const struct lb_plan *) latest;
static atomic_bool started;

/* Written during initialisation, constant from then on. */
static struct lb_start start_record;
static struct lb_plan last_resort; /* its rows serve also when it is not the plan in force */
static struct lb_selection reference;
static struct lb_plan first_plan;
static struct lb_configuration first_configuration;

/* What is asked for; changed under the plan lock and the locks of all classes. */
static _Atomic(struct lb_configuration *) current;

/* Under the plan lock. */
static struct lb_configuration *configurations;
static struct lb_quarantine quarantine;
static unsigned generation;
static bool out_of_memory;

/* By class, changed under its lock. */
static atomic_uint column_version[LB_SIZE_CLASSES];
static atomic_bool in_use[LB_SIZE_CLASSES];

/* The program's words: on the heap until first use takes them, then TAKEN. */
static char taken_mark;
#define TAKEN (&taken_mark)
static _Atomic(char *) configured;
static char *program_words;

static atomic_bool explained;

#ifdef LIMBIC_TESTING
static const char *test_words;
static unsigned failing_allocations;
#endif

/* ---- Publication ---------------------------------------------------------------------------- */

_Static_assert((unsigned)LB_LOCK_CLASSES == LB_SIZE_CLASSES, "a lock for each size class");

static void lock_class(unsigned size_class)
{
    lb_lock((enum lb_lock)(LB_LOCK_CLASS + size_class));
}

static void unlock_class(unsigned size_class)
{
    lb_unlock((enum lb_lock)(LB_LOCK_CLASS + size_class));
}

static void publish(const struct lb_plan *plan)
{
    atomic_store_explicit(&latest, plan, memory_order_release);
    atomic_store_explicit(&lb_plan_in_force, plan->code ? NULL : plan, memory_order_release);
}

static void *allocate(size_t size)
{
#ifdef LIMBIC_TESTING
    if (failing_allocations) {
        failing_allocations--;
        return NULL;
    }
#endif
    return calloc(1, size);
}

/* The newest plan that is not the one of last resort, so that the list loses none. */
static const struct lb_plan *newest;

/* Resolves into `plan`. Under the plan lock. */
static void make_plan(struct lb_plan *plan, struct lb_configuration *configuration)
{
    plan->configuration = configuration;
    plan->quarantine = quarantine;
    plan->generation = ++generation;
    plan->code =
        lb_resolve(plan->rows, &configuration->policy, &quarantine, plan->why, sizeof plan->why);
    plan->previous = newest;
    newest = plan;
    configuration->plan = plan;
}

/* The plan of a configuration and the quarantine as it stands: the last one if that still holds,
   else a new one; NULL without memory for it. Under the plan lock. */
static const struct lb_plan *plan_of(struct lb_configuration *configuration)
{
    struct lb_plan *plan;

    if (configuration->plan &&
        memcmp(&configuration->plan->quarantine, &quarantine, sizeof quarantine) == 0)
        return configuration->plan;
    plan = allocate(sizeof *plan);
    if (plan)
        make_plan(plan, configuration);
    return plan;
}

/* Publishes a plan of the quarantine as it stands. Without memory for one, the plan of last resort
   is in force, or none where only: excludes it, until there is. Under the plan lock. */
static void republish(void)
{
    struct lb_configuration *configuration = atomic_load_explicit(&current, memory_order_relaxed);
    const struct lb_plan *plan = plan_of(configuration);

    out_of_memory = !plan;
    if (plan)
        publish(plan);
    else if (configuration->policy.chain_policy != LB_CHAIN_ONLY && !configuration->policy.code)
        publish(&last_resort);
    else
        atomic_store_explicit(&lb_plan_in_force, NULL, memory_order_release);
}

static void read_column(struct lb_quarantine_column *column, unsigned size_class)
{
    lb_lock(LB_LOCK_PLAN);
    *column = quarantine.column[size_class];
    lb_unlock(LB_LOCK_PLAN);
}

/* Under the class's lock. */
static void commit_column(const struct lb_quarantine_column *column, unsigned size_class)
{
    lb_lock(LB_LOCK_PLAN);
    if (memcmp(column, &quarantine.column[size_class], sizeof *column) != 0) {
        quarantine.column[size_class] = *column;
        atomic_fetch_add_explicit(&column_version[size_class], 1, memory_order_release);
        republish();
    }
    lb_unlock(LB_LOCK_PLAN);
}

/* ---- Initialisation ------------------------------------------------------------------------- */

/* What the files ask for, which are read now into `files`, the variable and the program. */
static struct lb_asked asked_with(struct lb_config *files, const char *program)
{
    struct lb_asked asked = *lb_environment();

#ifdef LIMBIC_TESTING
    if (test_words)
        asked = (struct lb_asked){.variable = test_words};
#endif
    lb_config_read(files, NULL, NULL);
    asked.files = files;
    asked.program = program;
    return asked;
}

static void make_last_resort(void)
{
    static const struct lb_quarantine_column nobody;

    lb_policy_reference(&reference);
    memset(&last_resort, 0, sizeof last_resort);
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++)
        (void)lb_resolve_row(&last_resort.rows[i], &reference, &nobody, i);
}

static bool is_settled(const struct lb_configuration *configuration, unsigned size_class)
{
    return atomic_load_explicit(&configuration->settled[size_class], memory_order_acquire) ==
           atomic_load_explicit(&column_version[size_class], memory_order_acquire);
}

/* Under the class's lock. */
static void note_settled(struct lb_configuration *configuration, unsigned size_class)
{
    unsigned version = atomic_load_explicit(&column_version[size_class], memory_order_relaxed);

    atomic_store_explicit(&configuration->settled[size_class], version, memory_order_release);
}

static enum lb_settled test_class(const struct lb_configuration *configuration, unsigned size_class,
                                  struct lb_quarantine_column *column, uint64_t deadline)
{
    return lb_selftest_settle(size_class, &configuration->policy.selection, column,
                              &last_resort.rows[size_class], deadline);
}

/* Settles what is in force at a class, under its lock; the column is committed in any case. */
static enum lb_settled settle(unsigned size_class, struct lb_quarantine_column *column)
{
    struct lb_configuration *configuration = atomic_load_explicit(&current, memory_order_relaxed);
    enum lb_settled result = test_class(configuration, size_class, column, UINT64_MAX);

    atomic_store_explicit(&in_use[size_class], true, memory_order_relaxed);
    commit_column(column, size_class);
    if (result == LB_SETTLED)
        note_settled(configuration, size_class);
    return result;
}

/* The program's words; they can be configured no longer. */
static void take_program_words(void)
{
    char *words = atomic_exchange(&configured, TAKEN);

    if (words != TAKEN)
        program_words = words;
}

static void forget_all(void)
{
    memset(&quarantine, 0, sizeof quarantine);
    memset(&first_plan, 0, sizeof first_plan);
    memset(&first_configuration, 0, sizeof first_configuration);
    lb_selftest_forget();
    newest = NULL;
    generation = 0;
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++) {
        atomic_store_explicit(&column_version[i], 1, memory_order_relaxed);
        atomic_store_explicit(&in_use[i], false, memory_order_relaxed);
    }
}

/* The first plan, with the first size class tested as far as the budget goes. */
static void start(void)
{
    uint64_t begin = lb_now_ns();
    struct lb_quarantine_column column = {{{0}}};
    struct lb_config files;
    struct lb_asked asked;

    forget_all();
    take_program_words();
    asked = asked_with(&files, program_words);
    (void)lb_policy_make(&first_configuration.policy, &asked); /* its error stays in it */
    configurations = &first_configuration;
    atomic_store_explicit(&current, &first_configuration, memory_order_release);
    make_last_resort();
    make_plan(&first_plan, &first_configuration);

    lock_class(0);
    if (!first_plan.code) {
        if (test_class(&first_configuration, 0, &column, begin + START_BUDGET_NS) == LB_SETTLED) {
            atomic_store_explicit(&in_use[0], true, memory_order_relaxed);
            note_settled(&first_configuration, 0);
        }
        quarantine.column[0] = column;
        generation = 0;
        newest = NULL;
        make_plan(&first_plan, &first_configuration);
    }
    unlock_class(0);

    start_record = (struct lb_start){
        .tests = lb_selftest_count(),
        .complete = is_settled(&first_configuration, 0),
        .size_bits = lb_size_class_bits[0],
        .ns = lb_now_ns() - begin,
    };
    publish(&first_plan);
}

/* The only printing of the library: the plan with its reasons, once, where a word asks for it. */
static void explain_once(const struct lb_configuration *configuration)
{
    char *text;

    if (!configuration->policy.explain || atomic_exchange(&explained, true))
        return;
    if (lb_report(&text, LB_REPORT_EXPLAIN, 0, NULL, 0))
        return;
    fputs(text, stderr);
    fflush(stderr);
    free(text);
}

static void ensure_started(void)
{
    lb_once(&started, LB_LOCK_START, start);
    if (first_configuration.policy.explain)
        explain_once(&first_configuration);
}

/* ---- What core calls ------------------------------------------------------------------------ */

const struct lb_plan *lb_plan_first(gpg_error_t *err)
{
    const struct lb_plan *plan;

    ensure_started();
    lb_lock(LB_LOCK_PLAN);
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
    lb_unlock(LB_LOCK_PLAN);
    return plan;
}

const struct limbic_ops *lb_plan_row(const struct lb_plan *plan, size_t bits)
{
    return &plan->rows[lb_size_class(bits)];
}

const struct limbic_ops *lb_row_portable(size_t bits)
{
    ensure_started();
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
    if (is_settled(atomic_load_explicit(&current, memory_order_acquire), size_class) &&
        atomic_load_explicit(&in_use[size_class], memory_order_acquire))
        return 0;
    lock_class(size_class);
    atomic_store_explicit(&in_use[size_class], true, memory_order_release);
    if (!is_settled(atomic_load_explicit(&current, memory_order_relaxed), size_class)) {
        struct lb_quarantine_column column;

        read_column(&column, size_class);
        result = settle(size_class, &column);
    }
    unlock_class(size_class);
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

    lock_class(size_class);
    read_column(&column, size_class);
    before = column;
    blame_in_column(&column, slot, row, size_class, why);
    if (memcmp(&before, &column, sizeof column) != 0)
        (void)settle(size_class, &column);
    unlock_class(size_class);
}

void lb_dispatch_blame(enum limbic_slot slot, const struct limbic_ops *row, size_t bits,
                       const char *why)
{
    const struct lb_slot *descriptor = lb_slot_by_id(slot);

    ensure_started();
    if (descriptor && row->family[slot] < lb_registry()->family_count)
        blame(descriptor, row, lb_size_class(bits), why);
}

void lb_dispatch_note(enum limbic_slot slot, const struct limbic_ops *row, size_t bits,
                      const char *why)
{
    ensure_started();
    lb_fault_remember(LB_FAULT_ONCE, row->family[slot], slot, lb_size_class(bits), why);
}

const char *lb_policy_warning(void)
{
    const struct lb_policy *p;

    ensure_started();
    p = &atomic_load_explicit(&current, memory_order_acquire)->policy;
    return *p->warning_line ? p->warning_line : NULL;
}

/* ---- Other words ---------------------------------------------------------------------------- */

/* A configuration of these words, not yet among the others. */
static gpg_error_t make_configuration(struct lb_configuration **configuration, const char *words)
{
    struct lb_config files;
    struct lb_asked asked = asked_with(&files, words);
    gpg_error_t err;

    *configuration = allocate(sizeof **configuration);
    if (!*configuration)
        return lb_error(GPG_ERR_ENOMEM, "out of memory for a plan");
    err = lb_policy_make(&(*configuration)->policy, &asked);
    if (err) {
        free(*configuration);
        *configuration = NULL;
    }
    return err;
}

/* Whether a whole plan would come of it, were nothing quarantined. */
static gpg_error_t try_configuration(const struct lb_configuration *configuration)
{
    static const struct lb_quarantine nobody;
    struct lb_plan *plan = allocate(sizeof *plan);
    gpg_error_t err = 0;

    if (!plan)
        return lb_error(GPG_ERR_ENOMEM, "out of memory for a plan");
    plan->code =
        lb_resolve(plan->rows, &configuration->policy, &nobody, plan->why, sizeof plan->why);
    if (plan->code)
        err = lb_errorf(plan->code, "%s", plan->why);
    free(plan);
    return err;
}

static gpg_error_t check_words(const char *words)
{
    struct lb_configuration *configuration;
    gpg_error_t err = make_configuration(&configuration, words);

    if (!err)
        err = try_configuration(configuration);
    free(configuration);
    return err;
}

static gpg_error_t in_use_already(void)
{
    return lb_error(GPG_ERR_INV_STATE,
                    "the library is in use; limbic_reconfigure changes its words");
}

gpg_error_t lb_plan_configure(const char *words)
{
    char *copy = NULL, *old = atomic_load(&configured);

    if (old == TAKEN)
        return in_use_already();
    if (words) {
        gpg_error_t err = check_words(words);

        if (err)
            return err;
        copy = strdup(words);
        if (!copy)
            return lb_error(GPG_ERR_ENOMEM, "out of memory for words");
    }
    do {
        if (old == TAKEN) {
            free(copy);
            return in_use_already();
        }
    } while (!atomic_compare_exchange_weak(&configured, &old, copy));
    free(old);
    return 0;
}

static void lock_all(void)
{
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++)
        lock_class(i);
}

static void unlock_all(void)
{
    for (unsigned i = LB_SIZE_CLASSES; i-- > 0;)
        unlock_class(i);
}

/* The configuration of the same words, if there is one. */
static struct lb_configuration *known_as(const struct lb_configuration *configuration)
{
    struct lb_configuration *known;

    lb_lock(LB_LOCK_PLAN);
    for (known = configurations; known; known = known->previous)
        if (lb_policy_same(&known->policy, &configuration->policy))
            break;
    lb_unlock(LB_LOCK_PLAN);
    return known;
}

/* Settles a configuration at a class in use. What fails is quarantined for all, so what is in force
   meanwhile is settled again with it. Ends, since the quarantine only grows. Under the class's
   lock. */
static enum lb_settled settle_beside(struct lb_configuration *configuration, unsigned size_class)
{
    struct lb_configuration *in_force = atomic_load_explicit(&current, memory_order_relaxed);
    struct lb_quarantine_column column, before;
    enum lb_settled result, other = LB_SETTLED_NO_TIME; /* not tested */

    read_column(&column, size_class);
    before = column;
    result = test_class(configuration, size_class, &column, UINT64_MAX);
    while (memcmp(&before, &column, sizeof column) != 0 && in_force != configuration) {
        other = test_class(in_force, size_class, &column, UINT64_MAX);
        before = column;
        result = test_class(configuration, size_class, &column, UINT64_MAX);
    }
    commit_column(&column, size_class);
    if (other == LB_SETTLED)
        note_settled(in_force, size_class);
    if (result == LB_SETTLED)
        note_settled(configuration, size_class);
    return result;
}

/* Under the locks of all classes. */
static gpg_error_t settle_in_use(struct lb_configuration *configuration)
{
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++)
        if (atomic_load_explicit(&in_use[i], memory_order_relaxed) &&
            !is_settled(configuration, i) &&
            settle_beside(configuration, i) == LB_SETTLED_NO_MEMORY)
            return lb_error(GPG_ERR_ENOMEM, "out of memory for the self-tests of arithmetic");
    return 0;
}

/* Takes back the last plan that was made, which nobody has seen. Under the plan lock. */
static void unmake_plan(struct lb_configuration *configuration, const struct lb_plan *before)
{
    const struct lb_plan *plan = newest;

    newest = plan->previous;
    generation--;
    configuration->plan = before;
    free((void *)(uintptr_t)plan);
}

/* A configuration that is not `known` comes among the others. Where there is an error, nobody knows
   of it. Under the locks of all classes. */
static gpg_error_t put_in_force(struct lb_configuration *configuration, bool known)
{
    const struct lb_plan *plan, *before;
    gpg_error_t err = 0;

    lb_lock(LB_LOCK_PLAN);
    before = configuration->plan;
    plan = plan_of(configuration);
    if (!plan) {
        err = lb_error(GPG_ERR_ENOMEM, "out of memory for a plan");
    } else if (plan->code) {
        err = lb_errorf(plan->code, "%s", plan->why);
        if (plan != before)
            unmake_plan(configuration, before);
    } else {
        if (!known) {
            configuration->previous = configurations;
            configurations = configuration;
        }
        atomic_store_explicit(&current, configuration, memory_order_release);
        out_of_memory = false;
        publish(plan);
    }
    lb_unlock(LB_LOCK_PLAN);
    return err;
}

/* Under the locks of all classes. */
static gpg_error_t change_to(struct lb_configuration *configuration, bool known)
{
    gpg_error_t err = try_configuration(configuration);

    if (!err)
        err = settle_in_use(configuration);
    return err ? err : put_in_force(configuration, known);
}

gpg_error_t lb_plan_reconfigure(const char *words)
{
    struct lb_configuration *wanted, *known;
    gpg_error_t err;

    ensure_started();
    /* The words of first use are read again too: a module that was missing may be there by now. */
    err = make_configuration(&wanted, words ? words : program_words);
    if (err)
        return err;
    lock_all();
    known = known_as(wanted);
    err = change_to(known ? known : wanted, known != NULL);
    unlock_all();
    if (!err)
        explain_once(known ? known : wanted);
    if (err || known)
        free(wanted);
    return err;
}

/* ---- Dry runs ------------------------------------------------------------------------------- */

struct lb_plan *lb_plan_try(const struct lb_asked *asked)
{
    struct lb_configuration *configuration = allocate(sizeof *configuration);
    struct lb_plan *plan = allocate(sizeof *plan);

    ensure_started();
    if (!configuration || !plan) {
        free(configuration);
        free(plan);
        return NULL;
    }
    (void)lb_policy_make(&configuration->policy, asked); /* its error stays in it */
    plan->configuration = configuration;
    lb_lock(LB_LOCK_PLAN);
    plan->quarantine = quarantine;
    lb_unlock(LB_LOCK_PLAN);
    plan->code = lb_resolve(plan->rows, &configuration->policy, &plan->quarantine, plan->why,
                            sizeof plan->why);
    return plan;
}

void lb_plan_discard(struct lb_plan *plan)
{
    if (plan)
        free((void *)(uintptr_t)plan->configuration);
    free(plan);
}

/* ---- What the report sees ------------------------------------------------------------------- */

const struct lb_plan *lb_plan_latest(void)
{
    ensure_started();
    return atomic_load_explicit(&latest, memory_order_acquire);
}

const struct lb_policy *lb_plan_policy(const struct lb_plan *plan)
{
    if (plan->configuration)
        return &plan->configuration->policy;
    return &atomic_load_explicit(&current, memory_order_acquire)->policy;
}

const struct lb_start *lb_plan_start(void)
{
    ensure_started();
    return &start_record;
}

bool lb_plan_settled(unsigned size_class)
{
    return is_settled(atomic_load_explicit(&current, memory_order_acquire), size_class);
}

#ifdef LIMBIC_TESTING
void lb_test_reset(const char *words)
{
    while (newest && newest != &first_plan) {
        const struct lb_plan *previous = newest->previous;

        free((void *)(uintptr_t)newest);
        newest = previous;
    }
    while (configurations && configurations != &first_configuration) {
        struct lb_configuration *previous = configurations->previous;

        free(configurations);
        configurations = previous;
    }
    atomic_store(&started, false);
    atomic_store(&latest, NULL);
    atomic_store(&lb_plan_in_force, NULL);
    atomic_store(&current, NULL);
    atomic_store(&explained, false);
    if (atomic_load(&configured) != TAKEN)
        free(atomic_load(&configured));
    atomic_store(&configured, NULL);
    free(program_words);
    program_words = NULL;
    forget_all();
    lb_test_environment_reset();
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
