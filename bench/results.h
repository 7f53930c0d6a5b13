/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * results.h - what was measured: one result for each row, operation and contestant.
 */
#ifndef LIMBIC_BENCH_RESULTS_H
#define LIMBIC_BENCH_RESULTS_H

#include "bench/stats.h"

#include <stdbool.h>
#include <stddef.h>

enum op {
    OP_GENERATE,
    OP_SIGN,
    OP_VERIFY,
    OP_COUNT,
};

/* "generate", ...; the op of a name, or OP_COUNT. */
const char *op_name(enum op op);
enum op op_by_name(const char *name, size_t length);

struct result {
    char row[24];
    enum op op;
    size_t contestant; /* its number; two may have one name */
    const char *who;
    const char *kind; /* "provider": limbic with a choice of kernels; "peer": another library */
    const char *version;
    /* Nanoseconds of one operation. Of key generation: the time of a candidate multiplied by the
       candidates expected, where the library counts them; else the plain times, whose mean then
       stands for the median too, since times of single keys are too scattered for one. */
    struct summary time;
    double mean;          /* the plain mean, of key generation not scaled */
    struct summary ratio; /* time of the row's first contestant over this one's, pair by pair */
    bool ratio_of_means;  /* not pair by pair, but of the plain means */
};

struct results {
    struct result *list;
    size_t count, room;
};

bool results_add(struct results *results, const struct result *result);
void results_free(struct results *results);

/* A spread, (p95 - p5) / median, above which the reader is warned. */
#define RESULT_NOISY 0.25

/* Whether the times are too scattered to mean much. Those of key generation are so by their nature,
   and are not called noisy. */
bool result_is_noisy(const struct result *result);

/* The result for the row, operation and contestant of `like`, or NULL. */
const struct result *results_find(const struct results *results, const struct result *like,
                                  enum op op);

#endif
