/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which order holds for a slot.
 */
#include "dispatch/selection.h"

/* The usual walk with one point of return, the last star: what an earlier one took need never be
   looked at again, so the time is at most the product of the lengths. */
bool lb_glob_matches(const char *glob, const char *name)
{
    const char *star = NULL, *from = NULL;

    while (*name) {
        if (*glob == '*') {
            star = ++glob;
            from = name;
        } else if (*glob == '?' || *glob == *name) {
            glob++;
            name++;
        } else if (star) {
            glob = star;
            name = ++from;
        } else {
            return false;
        }
    }
    while (*glob == '*')
        glob++;
    return *glob == '\0';
}

int lb_selection_override(const struct lb_selection *selection, const struct lb_slot *slot,
                          unsigned size_class)
{
    int last = -1;

    for (unsigned i = 0; i < selection->override_count; i++) {
        const struct lb_override *o = &selection->override[i];

        if (o->order.count == 0 || o->place == LB_AT_CURVE ||
            (o->place == LB_AT_SIZE && o->size_class != size_class) ||
            !lb_glob_matches(o->slot, slot->name))
            continue;
        last = (int)i;
        if (o->final)
            break;
    }
    return last;
}

unsigned lb_selection_order(struct lb_order *order, const struct lb_selection *selection,
                            const struct lb_slot *slot, unsigned size_class)
{
    int override = lb_selection_override(selection, slot, size_class);
    unsigned first;

    if (override < 0) {
        *order = selection->order;
        return 0;
    }
    *order = selection->override[override].order;
    first = order->count;
    for (unsigned i = 0; i < selection->order.count; i++)
        lb_order_append(order, selection->order.tier[i]);
    return first;
}
