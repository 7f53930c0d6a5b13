/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-bench-stats.c - the statistics of the benchmark against values worked out by hand; that
 * there are enough rounds for some; and what is said of results that mean little.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/measure.h"
#include "bench/output.h"
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

static void spread_takes_three(void **state)
{
    struct summary summary = {.count = 2};

    (void)state;
    assert_false(stats_has_spread(&summary));
    summary.count = 3;
    assert_true(stats_has_spread(&summary));
}

/* ---- Rounds -------------------------------------------------------------------------------- */

static bool take_nothing(void *opaque, double *nanoseconds)
{
    (void)opaque;
    *nanoseconds = 1;
    return true;
}

/* How many rounds there are when one was made and there shall be three. */
static size_t rounds_in(double budget, double each)
{
    struct sampler samplers[2] = {{.take = take_nothing}, {.take = take_nothing}};
    size_t count;

    assert_true(measure_alternately(samplers, 2, 0));
    assert_true(measure_at_least(samplers, 2, 3, budget, each));
    count = samplers[0].series.count;
    assert_int_equal(count, samplers[1].series.count);
    series_free(&samplers[0].series);
    series_free(&samplers[1].series);
    return count;
}

static void rounds_go_on_where_affordable(void **state)
{
    static const double hour = 3600e9;

    (void)state;
    assert_int_equal(rounds_in(hour, 1), 3);
    assert_int_equal(rounds_in(hour, 2 * hour), 1);
    assert_int_equal(rounds_in(-1, 0), 1);
}

/* ---- What is said of results --------------------------------------------------------------- */

/* Contestant 0 or 1 of a row, with that many rounds and p95 so far above p5 = median = 1 ms. */
static struct result made(enum op op, size_t contestant, size_t rounds, double above)
{
    struct result result = {.row = "RSA 2048",
                            .op = op,
                            .contestant = contestant,
                            .who = contestant ? "second" : "first",
                            .kind = "provider",
                            .version = "1",
                            .mean = 1e6};

    result.time = (struct summary){rounds, 1e6, 1e6, 1e6, (1 + above) * 1e6};
    result.ratio = (struct summary){rounds, 0.271, 0.271, 0.271, 0.271 + above};
    return result;
}

/* The results in text or JSON; to be freed. */
static char *said_of(struct result *list, size_t count, bool json)
{
    static const struct contestants nobody;
    struct heading heading = {
        .version = "1", .cpu = "a processor", .contestants = &nobody, .who_width = 6};
    struct results results = {list, count, count};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    if (json)
        output_json(file, &heading, &results);
    else
        output_summary(file, &heading, &results);
    fclose(file);
    return text;
}

static size_t lines_with(const char *text, const char *words)
{
    size_t count = 0;

    while ((text = strstr(text, words))) {
        count++;
        text += strlen(words);
    }
    return count;
}

static void few_rounds_have_no_spread(void **state)
{
    struct result list[] = {made(OP_GENERATE, 0, 1, 0), made(OP_GENERATE, 1, 1, 0),
                            made(OP_SIGN, 0, 2, 0),     made(OP_SIGN, 1, 2, 0),
                            made(OP_VERIFY, 0, 3, 0),   made(OP_VERIFY, 1, 3, 0)};
    char *text = said_of(list, 6, false), *json = said_of(list, 6, true);

    (void)state;
    assert_non_null(strstr(text, "generate  second        0.271  -\n"));
    assert_non_null(strstr(text, "sign      second        0.271  -\n"));
    assert_non_null(strstr(text, "verify    second        0.271  0.271..0.271\n"));
    assert_non_null(strstr(text, "Ratios of fewer than 3 rounds say little:\n"
                                 "RSA 2048 generate (1), sign (2).\n"));
    assert_int_equal(lines_with(json, "\"ns_p5\": null, \"ns_p95\": null,"), 4);
    assert_int_equal(lines_with(json, "\"ratio_p5\": null, \"ratio_p95\": null,"), 4);
    assert_int_equal(lines_with(json, "\"ratio_p5\": 0.2710, \"ratio_p95\": 0.2710,"), 2);
    free(text);
    free(json);
}

static void enough_rounds_need_no_words(void **state)
{
    struct result list[] = {made(OP_SIGN, 0, 3, 0), made(OP_SIGN, 1, 3, 0)};
    char *text = said_of(list, 2, false);

    (void)state;
    assert_null(strstr(text, "say little"));
    assert_null(strstr(text, "plain means"));
    assert_null(strstr(text, "Noisy"));
    free(text);
}

static void means_are_called_means(void **state)
{
    struct result list[] = {made(OP_GENERATE, 0, 3, 0), made(OP_GENERATE, 1, 3, 0)};
    char *text;

    (void)state;
    list[1].ratio_of_means = true;
    text = said_of(list, 2, false);
    assert_non_null(strstr(text, "For key generation by another library: of the plain means"));
    free(text);
}

/* Of key generation, and of two rounds, no noise is told. */
static void noise_is_told_once(void **state)
{
    struct result list[] = {made(OP_GENERATE, 0, 9, 5), made(OP_GENERATE, 1, 9, 5),
                            made(OP_SIGN, 0, 9, 0.3),   made(OP_SIGN, 1, 9, 1.38),
                            made(OP_VERIFY, 0, 9, 0.2), made(OP_VERIFY, 1, 9, 0.5)};
    char *text = said_of(list, 6, false), *json = said_of(list, 6, true);

    (void)state;
    assert_int_equal(lines_with(text, "Noisy: "), 1);
    assert_non_null(strstr(
        text, "\nNoisy: 3 of 6 times, most of all RSA 2048 sign of second (spread 138 %).\n"));
    assert_int_equal(lines_with(text, "spread"), 1);
    assert_int_equal(lines_with(json, "\"noisy\": true}"), 3);
    assert_int_equal(lines_with(json, "\"noisy\": false}"), 3);
    free(text);
    free(json);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_interpolate),   cmocka_unit_test(one_value_is_every_quantile),
        cmocka_unit_test(summary_of_unordered),    cmocka_unit_test(summary_of_one),
        cmocka_unit_test(ratios_are_pairwise),     cmocka_unit_test(ratios_in_place),
        cmocka_unit_test(mean_ratio_of_constants), cmocka_unit_test(mean_ratio_of_scattered),
        cmocka_unit_test(spread_takes_three),      cmocka_unit_test(few_rounds_have_no_spread),
        cmocka_unit_test(means_are_called_means),  cmocka_unit_test(enough_rounds_need_no_words),
        cmocka_unit_test(noise_is_told_once),      cmocka_unit_test(rounds_go_on_where_affordable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
