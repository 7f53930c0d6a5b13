/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The variable LIMBIC, read once and copied, so that what the process does to its environment later
 * changes nothing.
 */
#ifndef LB_DISPATCH_ENVIRONMENT_H
#define LB_DISPATCH_ENVIRONMENT_H

#include "dispatch/policy.h"

/* What the variable says; the text, if any, is cut behind LB_WORDS_MAX + 1 octets, which are too
   many. */
const struct lb_asked *lb_environment(void);

/* The same from what secure_getenv and getenv give. */
struct lb_asked lb_environment_from_values(const char *secure, const char *plain);

#ifdef LIMBIC_TESTING
/* Has it read again. */
void lb_test_environment_reset(void);
#endif

#endif
