/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-bench-stats.c - the statistics of the benchmark against values worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/stats.h"

static void assert_near(double value, double wanted)
{
    double difference = value - wanted;

    assert_true(difference < 1e-9 && difference > -1e-9);
}

static void quantiles_interpolate(void **state)
{
    static const double sorted[] = {1, 2, 4, 8, 16};

    (void)state;
    assert_near(stats_quantile(sorted, 5, 0), 1);
    assert_near(stats_quantile(sorted, 5, 0.25), 2);
    assert_near(stats_quantile(sorted, 5, 0.5), 4);
    assert_near(stats_quantile(sorted, 5, 0.625), 6);
    assert_near(stats_quantile(sorted, 5, 0.95), 14.4);
    assert_near(stats_quantile(sorted, 5, 1), 16);
    assert_near(stats_quantile(sorted, 4, 0.5), 3);
}

static void one_value_is_every_quantile(void **state)
{
    static const double sorted[] = {7};

    (void)state;
    assert_near(stats_quantile(sorted, 1, 0), 7);
    assert_near(stats_quantile(sorted, 1, 0.5), 7);
    assert_near(stats_quantile(sorted, 1, 1), 7);
}

static void summary_of_unordered(void **state)
{
    double values[21];
    struct summary summary;

    (void)state;
    /* 8 generates the residues modulo 21, so this is a permutation of 0..20. */
    for (unsigned i = 0; i < 21; i++)
        values[i] = i * 8 % 21;
    stats_summarise(values, 21, &summary);
    assert_int_equal(summary.count, 21);
    assert_near(summary.mean, 10);
    assert_near(summary.median, 10);
    assert_near(summary.p5, 1);
    assert_near(summary.p95, 19);
    assert_near(stats_spread(&summary), 1.8);
    for (unsigned i = 0; i < 21; i++)
        assert_near(values[i], i);
}

static void summary_of_one(void **state)
{
    double value = 3;
    struct summary summary;

    (void)state;
    stats_summarise(&value, 1, &summary);
    assert_int_equal(summary.count, 1);
    assert_near(summary.mean, 3);
    assert_near(summary.median, 3);
    assert_near(summary.p5, 3);
    assert_near(summary.p95, 3);
    assert_near(stats_spread(&summary), 0);
}

/* A machine that slows down halfway changes both of a pair, not their ratio. */
static void ratios_are_pairwise(void **state)
{
    static const double first[] = {2, 2, 2, 20, 20, 20}, other[] = {1, 1, 1, 10, 10, 10};
    double ratios[6];
    struct summary summary;

    (void)state;
    stats_pair_ratios(ratios, first, other, 6);
    stats_summarise(ratios, 6, &summary);
    assert_near(summary.median, 2);
    assert_near(summary.p5, 2);
    assert_near(summary.p95, 2);
}

static void ratios_in_place(void **state)
{
    static const double first[] = {6, 1};
    double other[] = {2, 4};

    (void)state;
    stats_pair_ratios(other, first, other, 2);
    assert_near(other[0], 3);
    assert_near(other[1], 0.25);
}

static void mean_ratio_of_constants(void **state)
{
    static const double first[] = {6, 6, 6}, other[] = {2, 2};
    struct summary ratio;

    (void)state;
    stats_mean_ratio(first, 3, other, 2, &ratio);
    assert_int_equal(ratio.count, 2);
    assert_near(ratio.median, 3);
    assert_near(ratio.p5, 3);
    assert_near(ratio.p95, 3);
}

/* The means are 25 and 5. A mean of 40 values that are 0 or 50 has the standard deviation
   25 / sqrt(40) = 3.95, so the percentiles lie about 1.64 * 3.95 / 5 = 1.3 from 5. */
static void mean_ratio_of_scattered(void **state)
{
    static const double other[] = {5};
    double first[40];
    struct summary ratio, again;

    (void)state;
    for (size_t i = 0; i < 40; i++)
        first[i] = i % 2 ? 50 : 0;
    stats_mean_ratio(first, 40, other, 1, &ratio);
    assert_near(ratio.median, 5);
    assert_true(ratio.p5 > 3.3 && ratio.p5 < 4.1);
    assert_true(ratio.p95 > 5.9 && ratio.p95 < 6.7);
    stats_mean_ratio(first, 40, other, 1, &again);
    assert_near(again.p5, ratio.p5);
    assert_near(again.p95, ratio.p95);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_interpolate),   cmocka_unit_test(one_value_is_every_quantile),
        cmocka_unit_test(summary_of_unordered),    cmocka_unit_test(summary_of_one),
        cmocka_unit_test(ratios_are_pairwise),     cmocka_unit_test(ratios_in_place),
        cmocka_unit_test(mean_ratio_of_constants), cmocka_unit_test(mean_ratio_of_scattered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
