/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The checks of --enable-verify: for each slot a function that stands in rows in front of the real
 * kernel, sees to it that the call keeps the rules of limbic-provider.h, calls the kernel, and sees
 * to it that the result does. They branch on secrets, so such a build is for development and tests
 * alone.
 */
#ifndef LB_CORE_VERIFY_H
#define LB_CORE_VERIFY_H

#include "core/number/limb.h"
#include "dispatch/slots.h"
#include "dispatch/verify.h"

/* A call in hand, for messages. */
struct lb_call {
    enum limbic_slot slot;
    unsigned family;
};

/* Stops unless the rule holds, which the caller of the kernel has to keep, or the kernel. */
static inline void lb_demand(const struct lb_call *call, bool holds, const char *rule)
{
    if (!holds)
        lb_verify_stop(call->slot, call->family, LB_BREACH_OF_CALLER, rule);
}

static inline void lb_expect(const struct lb_call *call, bool holds, const char *rule)
{
    if (!holds)
        lb_verify_stop(call->slot, call->family, LB_BREACH_OF_KERNEL, rule);
}

/* An array of a call: whether the kernel writes to it, and the names of the arrays, two at most,
   that this result may be the same as. */
struct lb_array {
    const char *name;
    const limb_t *at;
    size_t n;
    bool written;
    const char *exact[2];
};

/* All arrays are there and aligned, and none that is written overlaps another, but for what is
   exactly the same and may be. */
void lb_demand_arrays(const struct lb_call *call, const struct lb_array *arrays, size_t count);

/* The checks of a slot in front of the kernel of a family, in the kernel's own type. */
lb_kernel lb_verify_add(unsigned family);
lb_kernel lb_verify_sub(unsigned family);
lb_kernel lb_verify_cond_add(unsigned family);
lb_kernel lb_verify_cond_sub(unsigned family);
lb_kernel lb_verify_cond_swap(unsigned family);
lb_kernel lb_verify_select(unsigned family);
lb_kernel lb_verify_table_select(unsigned family);
lb_kernel lb_verify_lshift(unsigned family);
lb_kernel lb_verify_rshift(unsigned family);
lb_kernel lb_verify_mul_1(unsigned family);
lb_kernel lb_verify_addmul_1(unsigned family);
lb_kernel lb_verify_submul_1(unsigned family);
lb_kernel lb_verify_mul(unsigned family);
lb_kernel lb_verify_sqr(unsigned family);
lb_kernel lb_verify_mul_vartime(unsigned family);
lb_kernel lb_verify_sqr_vartime(unsigned family);
lb_kernel lb_verify_mont_mul(unsigned family);
lb_kernel lb_verify_mont_sqr(unsigned family);
lb_kernel lb_verify_mont_reduce(unsigned family);
lb_kernel lb_verify_mont_pow(unsigned family);
lb_kernel lb_verify_mont_pow_pair(unsigned family);
lb_kernel lb_verify_mont_pow_x8(unsigned family);
lb_kernel lb_verify_mont_pow_public(unsigned family);
lb_kernel lb_verify_mont_pow_base(unsigned family);
lb_kernel lb_verify_mont_pow2_vartime(unsigned family);
lb_kernel lb_verify_mont_inv(unsigned family);

#endif
