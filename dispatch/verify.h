/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Builds with --enable-verify: in every row stands, in front of each kernel, a check of what
 * limbic-provider.h says of its slot. Core supplies the checks through the slots' descriptors;
 * here is what they need of dispatch. Other builds have none of this.
 */
#ifndef LB_DISPATCH_VERIFY_H
#define LB_DISPATCH_VERIFY_H

#include "limbic-provider.h"

/* The limb functions of a level 1 family, by the number that stands in a row's family[]. */
const struct limbic_limb_slots *lb_verify_limbs(unsigned family);

/* Who broke a rule: who called the kernel, or the kernel itself. */
enum lb_breach { LB_BREACH_OF_CALLER, LB_BREACH_OF_KERNEL };

/* Writes kernel and rule to the standard error and aborts. Nothing else in the library ends the
   process; such a build exists to stop where the fault is, before a later step covers it up. */
_Noreturn void lb_verify_stop(enum limbic_slot slot, unsigned family, enum lb_breach breach,
                              const char *rule);

#endif
