/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stats.c - medians, quantiles and ratios of series of measurements.
 *
 * Knows numbers only: nothing of clocks, keys or output.
 */
#include "bench/stats.h"

#include <stdint.h>
#include <stdlib.h>

#define RESAMPLES 1000

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double mean(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

double stats_quantile(const double *sorted, size_t count, double q)
{
    double position = q * (double)(count - 1);
    size_t below = (size_t)position;

    if (below >= count - 1)
        return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

void stats_summarise(double *values, size_t count, struct summary *summary)
{
    qsort(values, count, sizeof *values, ascending);
    summary->count = count;
    summary->mean = mean(values, count);
    summary->median = stats_quantile(values, count, 0.5);
    summary->p5 = stats_quantile(values, count, 0.05);
    summary->p95 = stats_quantile(values, count, 0.95);
}

void stats_pair_ratios(double *ratios, const double *first, const double *other, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ratios[i] = first[i] / other[i];
}

/* SplitMix64 (Steele, Lea and Flood 2014): resampling must be repeatable, not unpredictable. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double resampled_mean(const double *values, size_t count, uint64_t *state)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[next_random(state) % count];
    return sum / (double)count;
}

void stats_mean_ratio(const double *first, size_t first_count, const double *other,
                      size_t other_count, struct summary *ratio)
{
    double ratios[RESAMPLES];
    uint64_t state = 1;

    for (size_t i = 0; i < RESAMPLES; i++) {
        double numerator = resampled_mean(first, first_count, &state);

        ratios[i] = numerator / resampled_mean(other, other_count, &state);
    }
    stats_summarise(ratios, RESAMPLES, ratio);
    ratio->count = first_count < other_count ? first_count : other_count;
    ratio->mean = ratio->median = mean(first, first_count) / mean(other, other_count);
}

bool stats_has_spread(const struct summary *summary)
{
    return summary->count >= STATS_SPREAD_MIN;
}

double stats_spread(const struct summary *summary)
{
    return (summary->p95 - summary->p5) / summary->median;
}
