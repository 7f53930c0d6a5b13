/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the two primality tests share: the public size of a number, and the row and state to test it
 * with. Private to them.
 */
#ifndef LB_NUMBER_PROBABLE_H
#define LB_NUMBER_PROBABLE_H

#include "core/number/nat.h"
#include "core/number/state.h"
#include "dispatch/dispatch.h"

/* Prepared state that a test makes on its own stack; some times the size of a modulus of 16384
   bits. Where a family wants more, the test takes the row that needs none. */
#define LB_PROBABLE_STATE_MAX 16384

/* The bit length of a, public from here on. */
size_t lb_probable_bits(const limb_t *a, size_t n);

/* The row to use for m, and the octets of state to make. */
const struct limbic_ops *lb_probable_row(const struct limbic_ops *ops,
                                         const struct limbic_modulus *m, size_t *state);

#endif
