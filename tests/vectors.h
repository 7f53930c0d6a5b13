/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reader of the test vectors in tests/data: blocks of lines `key = value` between empty lines, `#`
 * for comments. Values are text or naturals in hexadecimal. A file that cannot be read ends the
 * test program.
 */
#ifndef LIMBIC_TESTS_VECTORS_H
#define LIMBIC_TESTS_VECTORS_H

#include <stdbool.h>

#include "limbic-provider.h"

struct vectors;

/* `name` is relative to tests/data below $srcdir. */
struct vectors *vectors_open(const char *name);
void vectors_close(struct vectors *v);

/* The next block; false at the end. */
bool vectors_next(struct vectors *v);

/* A value of the block; NULL if there is none. */
const char *vectors_text(const struct vectors *v, const char *key);

/* A natural of the block into r[room], zero-extended; returns the limbs it needs, at least 1. */
size_t vectors_limbs(const struct vectors *v, const char *key, limbic_limb_t *r, size_t room);

#endif
