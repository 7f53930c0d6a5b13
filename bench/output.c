/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * output.c - the results as text for people, within 80 columns where the contestants' names allow.
 */
#include "bench/output.h"

#include <string.h>

#define NS_PER_US 1e3
#define NS_PER_MS 1e6
#define NS_PER_S 1e9

/* The decimals that give a positive value about four digits. */
static int decimals(double value)
{
    if (value < 10)
        return 3;
    if (value < 100)
        return 2;
    return value < 1000 ? 1 : 0;
}

/* "12.34" */
static void number(char *text, size_t size, double value)
{
    snprintf(text, size, "%.*f", decimals(value), value);
}

/* "11.90..13.02", or "-" of too few samples. */
static void range(char *text, size_t size, const struct summary *summary, double unit)
{
    double low = summary->p5 / unit, high = summary->p95 / unit;

    if (stats_has_spread(summary))
        snprintf(text, size, "%.*f..%.*f", decimals(low), low, decimals(high), high);
    else
        snprintf(text, size, "-");
}

/* What has to be known of a contestant's words to read its name. */
static void output_notes(FILE *file, const struct contestants *contestants)
{
    bool any = false;

    for (size_t i = 0; i < contestants->count; i++) {
        if (!contestants->list[i].note)
            continue;
        fprintf(file, "note on %s: %s\n", contestants->list[i].who, contestants->list[i].note);
        any = true;
    }
    if (any)
        fputs("\n", file);
}

void output_heading(FILE *file, const struct heading *heading, const struct options *options)
{
    fprintf(file, "limbic %s%s\n", heading->version, heading->peer_versions);
    fprintf(file, "CPU: %s, ", heading->cpu);
    if (heading->processors == 1)
        fprintf(file, "pinned to one processor\n");
    else if (heading->processors)
        fprintf(file, "not pinned (%u processors)\n", heading->processors);
    else
        fprintf(file, "not pinned\n");
    fprintf(file, "RSA with %s and %s, digests signed, one thread, %g s a row\n\n",
            options->params.padding == LIMBIC_PADDING_PSS ? "PSS" : "PKCS#1 v1.5",
            limbic_hash_name(options->params.hash), options->seconds);
    output_notes(file, heading->contestants);
    fprintf(file, "%-9s  %-8s  %-*s %12s  %-20s %10s %6s\n", "", "", (int)heading->who_width, "who",
            "microseconds", "p5..p95", "a second", "rounds");
}

static void output_result(FILE *file, const struct heading *heading, const struct result *result)
{
    char median[32], spread[64], rate[32];

    number(median, sizeof median, result->time.median / NS_PER_US);
    range(spread, sizeof spread, &result->time, NS_PER_US);
    number(rate, sizeof rate, NS_PER_S / result->time.median);
    fprintf(file, "%-9s  %-8s  %-*s %12s  %-20s %10s %6zu\n", result->row, op_name(result->op),
            (int)heading->who_width, result->who, median, spread, rate, result->time.count);
}

void output_results(FILE *file, const struct heading *heading, const struct results *results,
                    size_t from)
{
    for (size_t i = from; i < results->count; i++)
        output_result(file, heading, &results->list[i]);
    fflush(file);
}

/* Milliseconds of `count` operations, or "-" where nothing was measured. */
static void milliseconds(FILE *file, double nanoseconds, unsigned count)
{
    char text[32] = "-";

    if (nanoseconds > 0)
        number(text, sizeof text, nanoseconds * count / NS_PER_MS);
    fprintf(file, " %11s", text);
}

static double median_of(const struct result *result)
{
    return result ? result->time.median : 0;
}

/* Whether result i is the first of its row and contestant. */
static bool is_first(const struct results *results, size_t i)
{
    for (enum op op = 0; op < OP_COUNT; op++) {
        const struct result *found = results_find(results, &results->list[i], op);

        if (found)
            return found == &results->list[i];
    }
    return false;
}

/* Whether plain means of key generation stand where others have what is expected. */
static bool has_means(const struct results *results)
{
    for (size_t i = 0; i < results->count; i++)
        if (results->list[i].ratio_of_means)
            return true;
    return false;
}

static void output_totals(FILE *file, const struct heading *heading, const struct results *results)
{
    fprintf(file, "\n%-9s  %-*s %11s %11s %11s %11s\n", "in ms", (int)heading->who_width, "who",
            "generate", "(mean)", "1000*priv", "1000*public");
    for (size_t i = 0; i < results->count; i++) {
        const struct result *result = &results->list[i];
        const struct result *generate = results_find(results, result, OP_GENERATE);

        if (!is_first(results, i))
            continue;
        fprintf(file, "%-9s  %-*s", result->row, (int)heading->who_width, result->who);
        milliseconds(file, median_of(generate), 1);
        milliseconds(file, generate ? generate->mean : 0, 1);
        milliseconds(file, median_of(results_find(results, result, OP_SIGN)), 1000);
        milliseconds(file, median_of(results_find(results, result, OP_VERIFY)), 1000);
        fprintf(file, "\n");
    }
    fprintf(file, "generate: one key, expected, and the plain mean; 1000*priv: 1000 signatures;\n"
                  "1000*public: 1000 verifications.\n");
    if (has_means(results))
        fprintf(file, "Of a library that does not count candidates the mean stands for both.\n");
}

/* Which ratios are of too few rounds; all contestants of a row have as many. */
static void output_few_rounds(FILE *file, const struct results *results)
{
    const char *row = NULL;

    for (size_t i = 0; i < results->count; i++) {
        const struct result *result = &results->list[i];

        if (result->contestant != 1 || stats_has_spread(&result->ratio))
            continue;
        if (!row)
            fprintf(file, "Ratios of fewer than %d rounds say little:\n", STATS_SPREAD_MIN);
        if (row && !strcmp(row, result->row))
            fprintf(file, ", %s (%zu)", op_name(result->op), result->ratio.count);
        else
            fprintf(file, "%s%s %s (%zu)", row ? ",\n" : "", result->row, op_name(result->op),
                    result->ratio.count);
        row = result->row;
    }
    if (row)
        fprintf(file, ".\n");
}

static void output_ratios(FILE *file, const struct heading *heading, const struct results *results)
{
    fprintf(file, "\n%-9s  %-8s  %-*s %12s  %s\n", "ratio", "", (int)heading->who_width, "who",
            "of the times", "p5..p95");
    for (size_t i = 0; i < results->count; i++) {
        const struct result *result = &results->list[i];

        char spread[64];

        if (result->contestant == 0)
            continue;
        range(spread, sizeof spread, &result->ratio, 1);
        fprintf(file, "%-9s  %-8s  %-*s %12.3f  %s\n", result->row, op_name(result->op),
                (int)heading->who_width, result->who, result->ratio.median, spread);
    }
    fprintf(file, "The time of %s divided by the other's: above 1 the other is faster.\n",
            results->list[0].who);
    if (has_means(results))
        fprintf(file,
                "For key generation by another library: of the plain means, of as many keys.\n");
    output_few_rounds(file, results);
}

static bool compares(const struct results *results)
{
    for (size_t i = 1; i < results->count; i++)
        if (results->list[i].contestant != 0)
            return true;
    return false;
}

/* The worst one for all of them, however many they are; JSON tells each. */
static void output_noisy(FILE *file, const struct results *results)
{
    const struct result *worst = NULL;
    size_t count = 0;

    for (size_t i = 0; i < results->count; i++) {
        const struct result *result = &results->list[i];

        if (!result_is_noisy(result))
            continue;
        count++;
        if (!worst || stats_spread(&result->time) > stats_spread(&worst->time))
            worst = result;
    }
    if (worst)
        fprintf(file,
                "\nNoisy: %zu of %zu times, most of all %s %s of %s (spread %.0f %%).\n"
                "Only ratios mean much there; stop other work, or pin with taskset(1).\n",
                count, results->count, worst->row, op_name(worst->op), worst->who,
                100 * stats_spread(&worst->time));
}

void output_summary(FILE *file, const struct heading *heading, const struct results *results)
{
    output_totals(file, heading, results);
    if (compares(results))
        output_ratios(file, heading, results);
    output_noisy(file, results);
}
