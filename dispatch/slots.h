/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Slot descriptors: all that dispatch knows of what the table computes. Core supplies the table
 * (core/slots.c), so dispatch stays free of algorithms.
 */
#ifndef LB_DISPATCH_SLOTS_H
#define LB_DISPATCH_SLOTS_H

#include <string.h>

#include "limbic-provider.h"

/* A kernel of any slot. */
typedef void (*lb_kernel)(void);

struct lb_slot {
    enum limbic_slot id;
    const char *name; /* as in words and listings: "mont_mul" */
    unsigned level;   /* 1, 2, 3 */
    enum limbic_ct ct;
    size_t ops_offset;   /* of the slot's pointer in struct limbic_ops */
    size_t table_offset; /* of the same pointer in struct limbic_limb_slots, .._mod_slots,
                            .._curve_slots */

    /* Tests the kernel that stands in this slot of `ops`, at moduli of `bits` bits (level 1:
       operands of that size), against the same slot of `reference`. Returns NULL if it passed, a
       static text that names what failed, or lb_selftest_no_memory. NULL: no test yet (level 3).

       The rest of `ops` is the reference's; for kernels that are written over the row the limb
       functions may be another's. Where the kernel under test is the reference's own, both rows are
       equal (but not the same), and answers known from elsewhere must decide. A test runs while the
       plan is being made, so it must not ask for a plan, its rows or its readiness. */
    const char *(*selftest)(const struct limbic_ops *ops, const struct limbic_ops *reference,
                            size_t bits);

#ifdef VERIFY
    /* What stands in rows in place of the kernel that this family has in the slot: a function of
       the same type that checks the rules of the call, and calls the kernel. NULL: no check yet
       (level 3). */
    lb_kernel (*verify)(unsigned family);
#endif
};

/* Puts the kernel that `from` has in a slot into the same slot of `to`. */
static inline void lb_slot_put(struct limbic_ops *to, const struct limbic_ops *from,
                               const struct lb_slot *slot)
{
    memcpy((char *)to + slot->ops_offset, (const char *)from + slot->ops_offset,
           sizeof(void (*)(void)));
    to->family[slot->id] = from->family[slot->id];
}

/* What a self-test returns that had no memory to run: the kernel stays untested and unblamed. */
extern const char lb_selftest_no_memory[];

/* Every slot of the table, in the order of listings. */
extern const struct lb_slot lb_slots[];
extern const size_t lb_slot_count;

const struct lb_slot *lb_slot_by_id(enum limbic_slot id); /* NULL if there is none */

#endif
