/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * options.h - the command line of `limbic speed`.
 */
#ifndef LIMBIC_BENCH_OPTIONS_H
#define LIMBIC_BENCH_OPTIONS_H

#include "bench/results.h"
#include "bench/rows.h"

#include <limbic.h>
#include <stdbool.h>

#define CONTESTANTS_MAX 16

struct options {
    struct rows rows;
    const char *providers[CONTESTANTS_MAX]; /* words, in the order given */
    size_t provider_count;
    bool ops[OP_COUNT];
    double seconds; /* for each row */
    bool json, peers, help, version;
    struct limbic_params params; /* hash and padding are not DEFAULT */
};

/* Fails with a line that says what is wrong. */
bool options_parse(struct options *options, int argc, char **argv);

extern const char options_help[];

#endif
