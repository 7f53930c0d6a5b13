/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stats.h - medians, quantiles and ratios of series of measurements.
 *
 * Knows numbers only: nothing of clocks, keys or output.
 */
#ifndef LIMBIC_BENCH_STATS_H
#define LIMBIC_BENCH_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct summary {
    size_t count;
    double mean;
    double median;
    double p5;
    double p95;
};

/* The quantile q, 0 <= q <= 1, of count >= 1 values in ascending order, interpolated linearly
   between the two nearest (Hyndman and Fan 1996, type 7). */
double stats_quantile(const double *sorted, size_t count, double q);

/* Summarises count >= 1 values, which it sorts. */
void stats_summarise(double *values, size_t count, struct summary *summary);

/* ratios[i] = first[i] / other[i], pair by pair; other[i] > 0. ratios may be other. */
void stats_pair_ratios(double *ratios, const double *first, const double *other, size_t count);

/* The ratio of the means of two independent series (count >= 1 each), as mean and median of the
   summary, with the 5th and 95th percentile of its bootstrap distribution (Efron 1979; 1000
   resamples from a fixed seed). For series whose values are too scattered for single pairs to mean
   anything. */
void stats_mean_ratio(const double *first, size_t first_count, const double *other,
                      size_t other_count, struct summary *ratio);

/* Fewer values say nothing of how far others would lie apart. */
#define STATS_SPREAD_MIN 3

/* Whether there are enough for p5 and p95 to mean something. */
bool stats_has_spread(const struct summary *summary);

/* (p95 - p5) / median. */
double stats_spread(const struct summary *summary);

#endif
