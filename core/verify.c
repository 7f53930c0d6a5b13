/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the checks of all levels share: the rule of aliasing.
 */
#include "core/verify.h"

#include <stdio.h>
#include <string.h>

static bool overlap(const struct lb_array *x, const struct lb_array *y)
{
    uintptr_t a = (uintptr_t)x->at, b = (uintptr_t)y->at;

    return a < b + y->n * sizeof(limb_t) && b < a + x->n * sizeof(limb_t);
}

static bool names(const struct lb_array *x, const struct lb_array *y)
{
    for (size_t i = 0; i < sizeof x->exact / sizeof x->exact[0]; i++)
        if (x->exact[i] && strcmp(x->exact[i], y->name) == 0)
            return true;
    return false;
}

static void demand_apart(const struct lb_call *call, const struct lb_array *x,
                         const struct lb_array *y)
{
    bool exact = names(x, y) || names(y, x);
    char rule[96];

    if (!overlap(x, y) || (exact && x->at == y->at))
        return;
    snprintf(rule, sizeof rule, "%s and %s %sdo not overlap", x->name, y->name,
             exact ? "are the same or " : "");
    lb_demand(call, false, rule);
}

static void demand_there(const struct lb_call *call, const struct lb_array *x)
{
    char rule[96];

    if (x->at && (uintptr_t)x->at % _Alignof(limb_t) == 0)
        return;
    snprintf(rule, sizeof rule, "%s is an array of limbs, aligned as such", x->name);
    lb_demand(call, false, rule);
}

void lb_demand_arrays(const struct lb_call *call, const struct lb_array *arrays, size_t count)
{
    for (size_t i = 0; i < count; i++)
        demand_there(call, &arrays[i]);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (arrays[i].written || arrays[j].written)
                demand_apart(call, &arrays[i], &arrays[j]);
}
