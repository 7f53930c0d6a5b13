/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CPU features by name and by number: which there are, which of them this machine offers, and what
 * depends on what. Knows no provider and no words.
 *
 * A set of features is a uint64_t with bit n for feature n. Every feature listed here may be
 * subtracted: what belongs to the baseline of the architecture is not listed.
 */
#ifndef LB_DISPATCH_CPU_H
#define LB_DISPATCH_CPU_H

#include <stddef.h>
#include <stdint.h>

enum { LB_CPU_FEATURE_MAX = 64 };

/* The number of the feature with that name, in lower case, or -1. */
int lb_cpu_feature(const char *name);

/* Its name; NULL if there is no such number. */
const char *lb_cpu_feature_name(int feature);
unsigned lb_cpu_feature_count(void);

/* The set, and every feature that depends on one of it. */
uint64_t lb_cpu_closure(uint64_t set);

/* What CPU and operating system offer. Looked at once. */
uint64_t lb_cpu_present(void);

/* Writes why something that needs these features cannot run: what is not there, or is denied.
   Returns the buffer, or NULL if it can run. */
const char *lb_cpu_missing_reason(uint64_t needs, uint64_t denied, char *buffer, size_t size);

#ifdef LIMBIC_TESTING
/* From now on these features are present; before the registry is filled. */
void lb_test_cpu_fake(uint64_t present);
/* Those of the machine again. */
void lb_test_cpu_reset(void);
#endif

#endif
