/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Edit distance, row by row of the usual matrix (Wagner and Fischer, "The string-to-string
 * correction problem", 1974), with swaps of neighbours (Damerau, "A technique for computer detection
 * and correction of spelling errors", 1964) in the restricted form that changes nothing twice.
 */
#include "base/nearest.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { COMPARED = 63 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool differ(char a, char b)
{
    return fold(a) != fold(b);
}

unsigned lb_edit_distance(const char *a, const char *b)
{
    unsigned row[3][COMPARED + 1]; /* row[i % 3][j]: from the first i octets of a to j of b */
    size_t m = strnlen(a, COMPARED), n = strnlen(b, COMPARED);

    for (size_t j = 0; j <= n; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        unsigned *now = row[i % 3], *last = row[(i - 1) % 3], *before = row[(i + 1) % 3];

        now[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            now[j] =
                least(least(last[j], now[j - 1]) + 1, last[j - 1] + differ(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) && !differ(a[i - 2], b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[m % 3][n];
}

bool lb_nearest_offer(struct lb_nearest *nearest, const char *name)
{
    unsigned distance = lb_edit_distance(nearest->word, name);

    if (nearest->name && distance >= nearest->distance)
        return false;
    nearest->name = name;
    nearest->distance = distance;
    return true;
}

const char *lb_nearest_name(const struct lb_nearest *nearest)
{
    size_t length = strnlen(nearest->word, COMPARED), most = length < 8 ? 1 : length / 4;

    return nearest->name && nearest->distance <= most && nearest->distance < length ? nearest->name
                                                                                    : NULL;
}

const char *lb_nearest_advice(char advice[LB_ADVICE_SIZE], const char *name)
{
    *advice = '\0';
    if (name)
        snprintf(advice, LB_ADVICE_SIZE, "; the nearest is \"%.63s\"", name);
    return advice;
}
