/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operands for self-tests: reproducible, and rich in long carry chains.
 */
#ifndef LB_CORE_SELFTEST_PATTERN_H
#define LB_CORE_SELFTEST_PATTERN_H

#include "core/number/limb.h"

/* Patterns below this number are structured or random once each; numbers above give more random
   values. */
#define LB_PATTERNS 6

/* a[n] = pattern number `which`, which may be any number. */
void lb_pattern(limb_t *a, size_t n, unsigned which);

#endif
