/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What core sees of dispatch: plans and their rows, families, self-tests on demand, blame.
 * Dispatch knows no algorithm; core knows no provider.
 */
#ifndef LB_DISPATCH_DISPATCH_H
#define LB_DISPATCH_DISPATCH_H

#include <gpg-error.h>
#include <stdatomic.h>

#include "limbic-provider.h"

/* Size classes: a modulus belongs to the smallest class that holds its bits. */
#define LB_SIZE_CLASSES 12
extern const unsigned lb_size_class_bits[LB_SIZE_CLASSES]; /* 256 384 512 768 1024 ... 16384 */
unsigned lb_size_class(size_t bits);                       /* index; above 16384 the last */
unsigned lb_size_class_min_bits(unsigned size_class);      /* the fewest bits of a modulus of it */

/* An immutable plan: one row per size class. Never freed. */
struct lb_plan;

/* The plan in force, NULL before first use and while none can be; and what then makes one or says
   why there is none. For lb_plan_current only. */
extern _Atomic(const struct lb_plan *) lb_plan_in_force;
const struct lb_plan *lb_plan_first(gpg_error_t *err);

/* The plan in force; makes it on first use (once, thread-safe). On failure NULL, and *err says why
   (an `only:` chain that cannot be met, an unknown word). The codes are listed in policy.h. An
   operation calls this once and hands the plan down. */
static inline const struct lb_plan *lb_plan_current(gpg_error_t *err)
{
    const struct lb_plan *plan = atomic_load_explicit(&lb_plan_in_force, memory_order_acquire);

    if (__builtin_expect(!plan, 0))
        return lb_plan_first(err);
    *err = 0;
    return plan;
}

/* The row for a modulus of so many bits. */
const struct limbic_ops *lb_plan_row(const struct lb_plan *plan, size_t bits);

/* The row of last resort, portable and derived, which needs no prepared state and no memory. There
   also when no plan is. */
const struct limbic_ops *lb_row_portable(size_t bits);

/* The level 2 family with that number, as it stands in a row's family[], or NULL. */
const struct limbic_mod_family *lb_mod_family(unsigned family);

/* Self-tests, once per process, every kernel that the plan in force has for this size class and has
   not been tested there; a kernel that fails is quarantined and the plan published anew. From then
   on every plan has only tested kernels at this class. Returns an error only if no plan is left
   (only:) or the tests find no memory (GPG_ERR_ENOMEM; the next call tries again). Cheap when done
   before. */
gpg_error_t lb_dispatch_ready(size_t bits);

/* Blames the kernel that stood in this slot of the row that computed: quarantines it at this size
   class and publishes a new plan. For core, when portable passed on inputs where the row failed. If
   the kernel is itself one of the reference row (`derived`), the foreign kernels of the row that it
   may have called are quarantined together; if there are none, the machine is suspect, and the
   report says so. `why` is copied. Thread-safe; repeated blame does nothing. */
void lb_dispatch_blame(enum limbic_slot slot, const struct limbic_ops *row, size_t bits,
                       const char *why);

/* Notes for the report that this slot of the row, or one below it, was wrong and came out right when
   it was computed again. Nobody is quarantined. Thread-safe. */
void lb_dispatch_note(enum limbic_slot slot, const struct limbic_ops *row, size_t bits,
                      const char *why);

/* Words of the program, in the place of the variable's; before first use only (GPG_ERR_INV_STATE).
   NULL takes back what was configured. Words that cannot be used change nothing and give the error
   that first use would. Thread-safe. */
gpg_error_t lb_plan_configure(const char *words);

/* Publishes a plan of these words, NULL being those of first use. What is at work goes on with the
   plan that it has. The classes that are in use are self-tested first. Words that cannot be used
   change nothing and give their error. Thread-safe. */
gpg_error_t lb_plan_reconfigure(const char *words);

/* The plan's number, in the order in which plans were made. */
unsigned lb_plan_generation(const struct lb_plan *plan);

/* One line about words that were passed over, or NULL. For programs that talk to a person. */
const char *lb_policy_warning(void);

#endif
