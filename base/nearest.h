/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The known name nearest to a mistyped one, if one is near. For the library and the programs alike.
 * Knows nothing of limbic.
 */
#ifndef LB_BASE_NEAREST_H
#define LB_BASE_NEAREST_H

#include <stdbool.h>

struct lb_nearest {
    const char *word; /* what was typed */
    const char *name; /* the nearest name so far, however far it is; NULL at first */
    unsigned distance;
};

/* The least number of insertions, deletions, replacements and swaps of neighbours that leads from
   one to the other (no octet being changed twice), upper and lower case being the same. Of each
   string only the first 63 octets count. */
unsigned lb_edit_distance(const char *a, const char *b);

/* Offers one more name. Of equally near ones the first stays; true if this one is now the nearest. */
bool lb_nearest_offer(struct lb_nearest *nearest, const char *name);

/* The nearest name if it can have been meant: a quarter of the word's octets, and at least one, may be
   wrong, but not all of them. Else NULL: a far name is no help. */
const char *lb_nearest_name(const struct lb_nearest *nearest);

/* The end of a message: "; the nearest is "NAME"", or "" for NULL. */
enum { LB_ADVICE_SIZE = 88 };
const char *lb_nearest_advice(char advice[LB_ADVICE_SIZE], const char *name);

#endif
