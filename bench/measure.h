/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * measure.h - time: the clock, batches of operations, and rounds in which several contestants take
 * turns, so that what disturbs the machine disturbs them alike.
 *
 * Knows nothing of keys and libraries: an operation is a function.
 */
#ifndef LIMBIC_BENCH_MEASURE_H
#define LIMBIC_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t measure_clock(void);

/* A growing array of samples; start from all zero bytes. */
struct series {
    double *values;
    size_t count, room;
};
bool series_add(struct series *series, double value);
void series_free(struct series *series);

/* One contestant: take() stores one sample, in nanoseconds, and returns false when it failed. */
struct sampler {
    bool (*take)(void *opaque, double *nanoseconds);
    void *opaque;
    struct series series;
};

/* Takes one sample of each in turn, round by round, forwards and backwards alternately (ABBA),
   until one more round would not fit into the budget; at least one round. All series grow alike. */
bool measure_alternately(struct sampler *samplers, size_t count, double budget);

/* Goes on until there are that many rounds, while one more, which takes about `each`, fits into the
   budget. */
bool measure_at_least(struct sampler *samplers, size_t count, size_t rounds, double budget,
                      double each);

/* A sampler's take() for operations on a pool of inputs, whose sample is the time of one operation
   averaged over a batch. measure_calibrate() runs the operation to warm up, and chooses the batch
   so that it lasts about `target` nanoseconds or longer. */
struct batch {
    bool (*run)(void *context, size_t input);
    void *context;
    /* Does a whole batch by itself, from input `first` on, or NULL. */
    bool (*run_many)(void *context, size_t first, size_t count, double *nanoseconds);
    size_t inputs;
    size_t next;
    size_t size;
};
bool measure_calibrate(struct batch *batch, double target);
bool measure_batch(void *batch, double *nanoseconds);

#endif
