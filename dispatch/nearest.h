/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The known name nearest to a mistyped one. Knows nothing of limbic.
 */
#ifndef LB_DISPATCH_NEAREST_H
#define LB_DISPATCH_NEAREST_H

struct lb_nearest {
    const char *word; /* what was typed */
    const char *name; /* the nearest name so far, NULL at first */
    unsigned distance;
};

/* Levenshtein's distance: insertions, deletions and replacements of one octet, upper and lower
   case being the same. Of each string only the first 63 octets count. */
unsigned lb_edit_distance(const char *a, const char *b);

/* Offers one more name. Of equally near ones the first stays. */
void lb_nearest_offer(struct lb_nearest *nearest, const char *name);

#endif
