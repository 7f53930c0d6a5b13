/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the checks of --enable-verify need of dispatch: real kernels by the number of their family,
 * and an end that names the kernel. A family's number means the same kernels in every row and
 * plan, so nothing has to be remembered. Knows no rule.
 */
#include "dispatch/verify.h"

#include <stdio.h>
#include <stdlib.h>

#include "dispatch/registry.h"

const struct limbic_limb_slots *lb_verify_limbs(unsigned family)
{
    const struct lb_registry *registry = lb_registry();

    return registry->tier[registry->family[family].tier].tier->limbs;
}

void lb_verify_stop(enum limbic_slot slot, unsigned family, enum lb_breach breach, const char *rule)
{
    char name[LB_TIER_NAME_SIZE] = "a kernel unknown";

    if (family < lb_registry()->family_count)
        lb_tier_name(name, lb_registry()->family[family].tier);
    fprintf(stderr, "limbic: verify: %s:%s: the %s broke the rule: %s\n", name,
            lb_slot_by_id(slot)->name, breach == LB_BREACH_OF_KERNEL ? "kernel" : "caller", rule);
    fflush(stderr);
    abort();
}
