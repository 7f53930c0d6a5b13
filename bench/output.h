/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * output.h - the results as text for people, or as one JSON object.
 */
#ifndef LIMBIC_BENCH_OUTPUT_H
#define LIMBIC_BENCH_OUTPUT_H

#include "bench/contestants.h"
#include "bench/options.h"
#include "bench/results.h"

#include <stdio.h>

/* What is said once for all results. */
struct heading {
    const char *version; /* of limbic */
    const char *cpu;
    unsigned processors;       /* that this process may use; 0 if not known */
    const char *peer_versions; /* ", libgcrypt 1.10.1", or "" */
    const struct contestants *contestants;
    size_t who_width; /* of the longest contestant's name */
};

void output_heading(FILE *file, const struct heading *heading, const struct options *options);

/* The results from number `from` on. */
void output_results(FILE *file, const struct heading *heading, const struct results *results,
                    size_t from);

/* The table of totals, the ratios if there is somebody to compare with, and what is to be said of
   noise. */
void output_summary(FILE *file, const struct heading *heading, const struct results *results);

void output_json(FILE *file, const struct heading *heading, const struct results *results);

#endif
