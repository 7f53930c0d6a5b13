/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The differential tester: sizes and the report.
 */
#include "tests/slots.h"

#include <stdio.h>

/* clang-format off */
const size_t slots_sizes[] = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
    27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50,
    51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 96, 128, 129, 192, 256, 0,
};
/* clang-format on */

void slots_failed(struct slots_report *report, const char *slot, size_t n, const char *what,
                  const char *detail)
{
    char text[sizeof report->first];

    snprintf(text, sizeof text, "%s: %s at %zu limbs: %s (%s)", report->label, slot, n, what,
             detail);
    if (report->failures++ == 0)
        snprintf(report->first, sizeof report->first, "%s", text);
    if (!report->quiet && report->failures <= 10)
        fprintf(stderr, "%s\n", text);
}
