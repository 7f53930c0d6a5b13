/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rows.h - the rows of the table by name: "RSA 2048", or a group such as "rsa".
 */
#ifndef LIMBIC_BENCH_ROWS_H
#define LIMBIC_BENCH_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#define ROWS_MAX 64

struct row {
    char name[24];
    unsigned bits;
};

struct rows {
    struct row list[ROWS_MAX];
    size_t count;
};

/* Appends the row or the rows of the group with that name, upper or lower case, each only once.
   Fails with a line that has the nearest known name. */
bool rows_add(struct rows *rows, const char *name);

/* The default: every group. */
bool rows_add_all(struct rows *rows);

#endif
