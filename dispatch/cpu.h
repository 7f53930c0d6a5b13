/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CPU features by name: which there are, which this machine has, and what each rests on. A feature
 * counts as present when the CPU has it and all that it rests on, and the operating system saves
 * the registers that it uses. Knows no provider and no words.
 */
#ifndef LB_DISPATCH_CPU_H
#define LB_DISPATCH_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of features, a bit for each by number. */
typedef uint64_t lb_cpu_set;

enum { LB_CPU_FEATURE_MAX = 64 };

/* The names are the same on every machine, so that words mean the same everywhere. They are listed
   in limbic(7). Numbers run from 0 to lb_cpu_feature_count() - 1. NULL: there is no such number. */
const char *lb_cpu_feature_name(unsigned feature);
unsigned lb_cpu_feature_count(void);
int lb_cpu_feature(const char *name);                 /* its number, or -1; compared exactly */
const char *lb_cpu_nearest_feature(const char *name); /* never NULL */

/* The set, and every feature that rests on one of it: what goes when the set is taken away. */
lb_cpu_set lb_cpu_closure(lb_cpu_set set);

/* What every x86-64 processor has, and code for it uses without asking. */
lb_cpu_set lb_cpu_baseline(void);

/* What this machine has. */
lb_cpu_set lb_cpu_present(void);

/* The set of the features that `needs` names, separated by spaces; names that are unknown are left
   out, and are lb_cpu_offers' affair. */
lb_cpu_set lb_cpu_named(const char *needs);

enum lb_cpu_answer {
    LB_CPU_OFFERS,
    LB_CPU_LACKS,   /* the CPU does not have it */
    LB_CPU_UNSAVED, /* the operating system does not save its registers */
    LB_CPU_UNKNOWN  /* this library has no feature of that name */
};

/* Whether this machine has all features that `needs` names. If not, `why` says which is missing, in
   one line; else it is empty. */
enum lb_cpu_answer lb_cpu_offers(const char *needs, char *why, size_t size);

/* What CPUID and XGETBV answer. */
struct lb_cpu_words {
    uint32_t max_leaf;
    uint32_t ecx_1, edx_1;               /* leaf 1 */
    uint32_t eax_7, ebx_7, ecx_7, edx_7; /* leaf 7, subleaf 0; eax is the last subleaf */
    uint32_t eax_7_1;                    /* leaf 7, subleaf 1 */
    uint64_t xcr0;
};

#ifdef LIMBIC_TESTING
/* Takes these for the machine's (NULL: the real ones again). Before the registry is filled; no
   other thread may use the library. */
void lb_test_cpu(const struct lb_cpu_words *words);

/* The same for the words of a machine that has these features and what they rest on, all saved. */
void lb_test_cpu_has(lb_cpu_set set);
#endif

#endif
