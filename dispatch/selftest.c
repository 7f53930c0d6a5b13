/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Self-tests of kernels, each once per (kernel, size class).
 *
 * A kernel is tested in a copy of the reference row in which it alone is replaced, so that it is
 * the only one that can be guilty. A kernel that is written over the row (of `derived`) is tested
 * over the limb functions that it will really run on; if it fails there and passes over the
 * reference's, then the limb functions are guilty although each of them passed alone. Level 1 comes
 * first, and what fails is replaced before anything is tested over it.
 *
 * What has been tested is touched only under the once-lock of its class.
 */
#include "dispatch/selftest.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define WORDS (LIMBIC_SLOT_COUNT / 32)

const char lb_selftest_no_memory[] = "out of memory";

/* The limb functions of a row, by family: what a kernel over the row was tested on. */
struct footing {
    uint8_t family[LIMBIC_SLOT_COUNT];
};

static struct {
    uint32_t tested[LIMBIC_FAMILY_MAX][WORDS];
    struct footing footing;
} classes[LB_SIZE_CLASSES];

static atomic_uint tests_run;

uint64_t lb_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

unsigned lb_selftest_count(void)
{
    return atomic_load_explicit(&tests_run, memory_order_relaxed);
}

static bool is_tested(unsigned size_class, unsigned family, enum limbic_slot slot)
{
    return classes[size_class].tested[family][slot / 32] >> (slot % 32) & 1;
}

static void mark_tested(unsigned size_class, unsigned family, enum limbic_slot slot)
{
    classes[size_class].tested[family][slot / 32] |= (uint32_t)1 << (slot % 32);
}

static void put_level(struct limbic_ops *to, const struct limbic_ops *from, unsigned level)
{
    for (size_t i = 0; i < lb_slot_count; i++)
        if (lb_slots[i].level == level)
            lb_slot_put(to, from, &lb_slots[i]);
}

static const char *run(const struct lb_slot *slot, const struct limbic_ops *row,
                       const struct limbic_ops *reference, unsigned size_class)
{
    atomic_fetch_add_explicit(&tests_run, 1, memory_order_relaxed);
    return slot->selftest(row, reference, lb_size_class_bits[size_class]);
}

/* A settling in hand. */
struct settling {
    unsigned size_class;
    const struct limbic_ops *reference;
    const struct limbic_ops *row;
    struct lb_quarantine_column *column;
    uint64_t deadline;
};

static void condemn(const struct settling *s, enum lb_fault fault, const struct lb_slot *slot,
                    const char *why)
{
    unsigned family = s->row->family[slot->id];

    lb_quarantine_mark(s->column, family, slot->id);
    lb_fault_remember(fault, family, slot->id, s->size_class, why);
}

/* Condemns every limb function of the row that is not the reference's own. */
static void condemn_limbs(const struct settling *s, const char *why)
{
    for (size_t i = 0; i < lb_slot_count; i++)
        if (lb_slots[i].level == 1 &&
            s->row->family[lb_slots[i].id] != s->reference->family[lb_slots[i].id])
            condemn(s, LB_FAULT_BELOW, &lb_slots[i], why);
}

static bool stands_on_reference(const struct settling *s)
{
    for (size_t i = 0; i < lb_slot_count; i++)
        if (lb_slots[i].level == 1 &&
            s->row->family[lb_slots[i].id] != s->reference->family[lb_slots[i].id])
            return false;
    return true;
}

enum outcome { PASSED, CONDEMNED, NO_TIME, NO_MEMORY };

/* A kernel over the row failed: were it the limb functions, it passes over the reference's. */
static enum outcome find_guilty(const struct settling *s, const struct lb_slot *slot,
                                struct limbic_ops *row, const char *why)
{
    const char *verdict = why;

    if (!stands_on_reference(s)) {
        put_level(row, s->reference, 1);
        verdict = run(slot, row, s->reference, s->size_class);
    }
    if (verdict == lb_selftest_no_memory)
        return NO_MEMORY;
    if (verdict)
        condemn(s, LB_FAULT_SELFTEST, slot, why);
    else
        condemn_limbs(s, why);
    return CONDEMNED;
}

/* Tests the row's kernel of this slot. */
static enum outcome test_kernel(const struct settling *s, const struct lb_slot *slot)
{
    unsigned family = s->row->family[slot->id];
    bool over_row = lb_registry()->family[family].over_row;
    struct limbic_ops row = *s->reference;
    const char *why;

    lb_slot_put(&row, s->row, slot);
    if (over_row)
        put_level(&row, s->row, 1);
    why = run(slot, &row, s->reference, s->size_class);
    if (why == lb_selftest_no_memory)
        return NO_MEMORY;
    if (why && over_row)
        return find_guilty(s, slot, &row, why);
    mark_tested(s->size_class, family, slot->id);
    if (!why)
        return PASSED;
    condemn(s, LB_FAULT_SELFTEST, slot, why);
    return CONDEMNED;
}

static bool is_due(const struct settling *s, const struct lb_slot *slot, unsigned level)
{
    return slot->level == level && slot->selftest &&
           !is_tested(s->size_class, s->row->family[slot->id], slot->id);
}

/* Stops at the first kernel that is condemned: the row must then be resolved again. */
static enum outcome test_level(const struct settling *s, unsigned level)
{
    enum outcome outcome = PASSED;

    for (size_t i = 0; i < lb_slot_count && outcome == PASSED; i++) {
        if (!is_due(s, &lb_slots[i], level))
            continue;
        if (level > 1 && s->deadline != UINT64_MAX && lb_now_ns() >= s->deadline)
            return NO_TIME;
        outcome = test_kernel(s, &lb_slots[i]);
    }
    return outcome;
}

/* When the limb functions are not those of last time, what was written over the row is untested. */
static void compare_footing(const struct settling *s)
{
    const struct lb_registry *registry = lb_registry();
    struct footing now = {{0}};

    for (size_t i = 0; i < lb_slot_count; i++)
        if (lb_slots[i].level == 1)
            now.family[lb_slots[i].id] = (uint8_t)(s->row->family[lb_slots[i].id] + 1);
    if (memcmp(&now, &classes[s->size_class].footing, sizeof now) == 0)
        return;
    classes[s->size_class].footing = now;
    for (unsigned i = 0; i < registry->family_count; i++)
        if (registry->family[i].over_row)
            memset(classes[s->size_class].tested[i], 0, sizeof classes[s->size_class].tested[i]);
}

static enum outcome test_row(const struct settling *s)
{
    enum outcome outcome = test_level(s, 1);

    for (unsigned level = 2; level <= LB_RESOLVED_LEVELS && outcome == PASSED; level++) {
        compare_footing(s);
        outcome = test_level(s, level);
    }
    return outcome;
}

/* Ends, since every round but the last condemns a kernel that no later row has. */
enum lb_settled lb_selftest_settle(unsigned size_class, const struct lb_selection *selection,
                                   struct lb_quarantine_column *column,
                                   const struct limbic_ops *reference, uint64_t deadline)
{
    struct limbic_ops row;
    struct settling s = {.size_class = size_class,
                         .reference = reference,
                         .row = &row,
                         .column = column,
                         .deadline = deadline};
    enum outcome outcome;

    do {
        if (lb_resolve_row(&row, selection, column, size_class))
            return LB_SETTLED_NOT_WHOLE; /* there is nothing to use, so nothing to test */
        outcome = test_row(&s);
    } while (outcome == CONDEMNED);
    return outcome == PASSED    ? LB_SETTLED
           : outcome == NO_TIME ? LB_SETTLED_NO_TIME
                                : LB_SETTLED_NO_MEMORY;
}

void lb_selftest_forget(void)
{
    memset(classes, 0, sizeof classes);
    atomic_store(&tests_run, 0);
}
