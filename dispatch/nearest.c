/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Edit distance, row by row of the usual matrix (Wagner and Fischer, "The string-to-string
 * correction problem", 1974).
 */
#include "dispatch/nearest.h"

#include <stddef.h>

enum { COMPARED = 63 };

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;

    return m < c ? m : c;
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

unsigned lb_edit_distance(const char *a, const char *b)
{
    unsigned row[COMPARED + 1]; /* row[j]: from the octets of a so far to the first j of b */
    size_t length = 0;

    for (row[0] = 0; length < COMPARED && b[length]; length++)
        row[length + 1] = row[length] + 1;
    for (size_t i = 0; i < COMPARED && a[i]; i++) {
        unsigned diagonal = row[0]++;

        for (size_t j = 1; j <= length; j++) {
            unsigned above = row[j];

            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (fold(a[i]) != fold(b[j - 1])));
            diagonal = above;
        }
    }
    return row[length];
}

void lb_nearest_offer(struct lb_nearest *nearest, const char *name)
{
    unsigned distance = lb_edit_distance(nearest->word, name);

    if (!nearest->name || distance < nearest->distance) {
        nearest->name = name;
        nearest->distance = distance;
    }
}
