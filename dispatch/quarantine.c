/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The reasons of quarantine: a short list of fixed size, so that nothing here can fail. A kernel
 * that fails in the same way at several sizes takes one record.
 */
#include "dispatch/quarantine.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/locks.h"

enum { RECORDS = 128 };

static struct lb_fault_record records[RECORDS];
static unsigned record_count;

static struct lb_fault_record *find(const struct lb_fault_record *wanted)
{
    for (unsigned i = 0; i < record_count; i++)
        if (records[i].fault == wanted->fault && records[i].family == wanted->family &&
            records[i].slot == wanted->slot && strcmp(records[i].why, wanted->why) == 0)
            return &records[i];
    return NULL;
}

void lb_fault_remember(enum lb_fault fault, unsigned family, enum limbic_slot slot,
                       unsigned size_class, const char *why)
{
    struct lb_fault_record record = {
        .fault = fault, .family = (uint8_t)family, .slot = (uint8_t)slot};
    struct lb_fault_record *known;

    snprintf(record.why, sizeof record.why, "%s", why ? why : "no reason was given");
    lb_lock(LB_LOCK_FAULTS);
    known = find(&record);
    if (!known && record_count < RECORDS) {
        known = &records[record_count++];
        *known = record;
    }
    if (known) {
        known->classes = (uint16_t)(known->classes | 1u << size_class);
        known->count += known->count < UINT_MAX;
    }
    lb_unlock(LB_LOCK_FAULTS);
}

bool lb_fault_record(unsigned number, struct lb_fault_record *record)
{
    bool there;

    lb_lock(LB_LOCK_FAULTS);
    there = number < record_count;
    if (there)
        *record = records[number];
    lb_unlock(LB_LOCK_FAULTS);
    return there;
}

const char *lb_fault_text(enum lb_fault fault)
{
    static const char *const text[] = {
        [LB_FAULT_SELFTEST] = "failed its self-test",
        [LB_FAULT_BELOW] = "a kernel over it failed its self-test",
        [LB_FAULT_BLAME] = "was wrong in an operation",
        [LB_FAULT_MACHINE] = "was wrong, then right: suspect the machine",
        [LB_FAULT_ONCE] = "it, or a kernel below it, was wrong and then right",
    };

    return text[fault];
}

void lb_fault_reason(unsigned family, enum limbic_slot slot, unsigned size_class, char *text,
                     size_t size)
{
    struct lb_fault_record record;

    for (unsigned i = 0; lb_fault_record(i, &record); i++) {
        if (record.family == family && record.slot == slot && (record.classes >> size_class & 1) &&
            lb_fault_quarantines(record.fault)) {
            snprintf(text, size, "%s: %s", lb_fault_text(record.fault), record.why);
            return;
        }
    }
    snprintf(text, size, "more kernels failed than reasons are kept for");
}

#ifdef LIMBIC_TESTING
void lb_test_faults_reset(void)
{
    memset(records, 0, sizeof records);
    record_count = 0;
}
#endif
