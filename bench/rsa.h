/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rsa.h - measures one RSA row.
 */
#ifndef LIMBIC_BENCH_RSA_H
#define LIMBIC_BENCH_RSA_H

#include "bench/contestants.h"
#include "bench/options.h"
#include "bench/results.h"
#include "bench/rows.h"

/* Called before each operation of a row. */
typedef void (*rsa_progress_fn)(const struct row *row, enum op op);

/* Appends the results for the operations chosen. A contestant that cannot do the row is an
   error. */
bool rsa_measure(struct results *results, const struct row *row, const struct options *options,
                 const struct contestants *contestants, rsa_progress_fn progress);

/* Whether keys of the smallest size asked for sign with the hash and padding asked for: it is told
   before anything is measured. */
bool rsa_try(const struct options *options);

#endif
