/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * measure.c - the clock, batches of operations, and rounds in which contestants take turns.
 *
 * Knows nothing of keys and libraries: an operation is a function.
 */
#include "bench/measure.h"

#include "bench/failure.h"
#include "bench/interrupt.h"

#include <stdlib.h>
#include <time.h>

uint64_t measure_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

bool series_add(struct series *series, double value)
{
    if (series->count == series->room) {
        size_t room = series->room ? 2 * series->room : 64;
        double *values = realloc(series->values, room * sizeof *values);

        if (!values)
            return failed(STATUS_USAGE, "out of memory");
        series->values = values;
        series->room = room;
    }
    series->values[series->count++] = value;
    return true;
}

void series_free(struct series *series)
{
    free(series->values);
    *series = (struct series){NULL, 0, 0};
}

static bool one_round(struct sampler *samplers, size_t count, bool backwards)
{
    for (size_t k = 0; k < count; k++) {
        struct sampler *sampler = &samplers[backwards ? count - 1 - k : k];
        double sample;

        if (interrupted())
            return failed(STATUS_USAGE, "interrupted");
        if (!sampler->take(sampler->opaque, &sample) || !series_add(&sampler->series, sample))
            return false;
    }
    return true;
}

bool measure_alternately(struct sampler *samplers, size_t count, double budget)
{
    uint64_t start = measure_clock();
    double elapsed = 0, last = 0;

    for (size_t round = 0; round == 0 || elapsed + last <= budget; round++) {
        double before = elapsed;

        if (!one_round(samplers, count, round & 1))
            return false;
        elapsed = (double)(measure_clock() - start);
        last = elapsed - before;
    }
    return true;
}

bool measure_at_least(struct sampler *samplers, size_t count, size_t rounds, double budget,
                      double each)
{
    uint64_t start = measure_clock();

    while (samplers[0].series.count < rounds && (double)(measure_clock() - start) + each <= budget)
        if (!one_round(samplers, count, samplers[0].series.count & 1))
            return false;
    return true;
}

static bool run_batch(struct batch *batch, size_t size, double *total)
{
    uint64_t start = measure_clock(), end;

    if (batch->run_many) {
        size_t first = batch->next;

        batch->next = (first + size) % batch->inputs;
        return batch->run_many(batch->context, first, size, total);
    }
    for (size_t i = 0; i < size; i++) {
        if (!batch->run(batch->context, batch->next))
            return false;
        if (++batch->next == batch->inputs)
            batch->next = 0;
    }
    end = measure_clock();
    /* A clock too coarse to see the batch must not give an operation without duration. */
    *total = end > start ? (double)(end - start) : 1;
    return true;
}

bool measure_calibrate(struct batch *batch, double target)
{
    size_t size = 1;
    double total;

    if (!run_batch(batch, 1, &total))
        return false;
    for (;;) {
        if (interrupted())
            return failed(STATUS_USAGE, "interrupted");
        if (!run_batch(batch, size, &total))
            return false;
        if (total >= target / 2 || size >= (size_t)1 << 24)
            break;
        size *= 2;
    }
    batch->size = total >= target ? size : (size_t)((double)size * target / total) + 1;
    return true;
}

bool measure_batch(void *opaque, double *nanoseconds)
{
    struct batch *batch = opaque;

    if (!run_batch(batch, batch->size, nanoseconds))
        return false;
    *nanoseconds /= (double)batch->size;
    return true;
}
