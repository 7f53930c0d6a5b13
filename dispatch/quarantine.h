/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which kernels must not be used, by (family, slot, size class), and why. The bitmap is a plain
 * value that its owner guards and copies: plans are a pure function of it. The reasons are kept
 * apart, for the report alone.
 */
#ifndef LB_DISPATCH_QUARANTINE_H
#define LB_DISPATCH_QUARANTINE_H

#include "dispatch/dispatch.h"

/* One size class of the bitmap. */
struct lb_quarantine_column {
    uint32_t bits[LIMBIC_FAMILY_MAX][LIMBIC_SLOT_COUNT / 32];
};

struct lb_quarantine {
    struct lb_quarantine_column column[LB_SIZE_CLASSES];
};

static inline bool lb_quarantined(const struct lb_quarantine_column *column, unsigned family,
                                  enum limbic_slot slot)
{
    return column->bits[family][slot / 32] >> (slot % 32) & 1;
}

static inline void lb_quarantine_mark(struct lb_quarantine_column *column, unsigned family,
                                      enum limbic_slot slot)
{
    column->bits[family][slot / 32] |= (uint32_t)1 << (slot % 32);
}

enum lb_fault {
    LB_FAULT_SELFTEST, /* failed its self-test */
    LB_FAULT_BELOW,    /* a trusted kernel failed its self-test over this one only */
    LB_FAULT_BLAME,    /* was wrong in an operation where the reference was right */
    LB_FAULT_MACHINE,  /* the reference was wrong, then right: nobody is quarantined */
    LB_FAULT_ONCE      /* wrong in an operation, right when computed again: the same */
};

struct lb_fault_record {
    enum lb_fault fault;
    uint8_t family, slot;
    uint16_t classes; /* a bit for each size class */
    unsigned count;   /* how often */
    char why[96];
};

/* Remembers a reason, for as long as the process lives. */
void lb_fault_remember(enum lb_fault fault, unsigned family, enum limbic_slot slot,
                       unsigned size_class, const char *why);

/* Copies the record with that number; false when there is none. */
bool lb_fault_record(unsigned number, struct lb_fault_record *record);

/* Whether kernels are taken out of use for it. */
static inline bool lb_fault_quarantines(enum lb_fault fault)
{
    return fault != LB_FAULT_MACHINE && fault != LB_FAULT_ONCE;
}

/* "failed its self-test", ... */
const char *lb_fault_text(enum lb_fault fault);

/* Writes the reason against a kernel that is in quarantine. */
void lb_fault_reason(unsigned family, enum limbic_slot slot, unsigned size_class, char *text,
                     size_t size);

#ifdef LIMBIC_TESTING
void lb_test_faults_reset(void);
#endif

#endif
