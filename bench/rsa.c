/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rsa.c - measures one RSA row: every contestant generates keys, then all sign and verify with one
 * key and on the same inputs, in turns.
 *
 * Knows contestants by their peers and words only.
 */
#include "bench/rsa.h"

#include "bench/failure.h"
#include "bench/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9

/* A round is at least this long, so that the clock and the loop do not count, and longer where
   there is time for more than MANY rounds. */
#define ROUND_MIN 2e6
#define MANY 1000

/* The part of the row's time that goes into making inputs, beside the shares of the operations. */
#define INPUTS_SHARE 0.1

/* Of the row's time; key generation has a larger share, as its rounds are few. */
static double share(const struct options *options, enum op op)
{
    static const double weights[OP_COUNT] = {2, 1, 1};
    double sum = 0;

    for (int i = 0; i < OP_COUNT; i++)
        sum += options->ops[i] ? weights[i] : 0;
    return options->seconds * NS_PER_S * weights[op] / sum;
}

/* ---- Results ------------------------------------------------------------------------------- */

/* The ratio by pairs of rounds, or of the means where one of the two does not give comparable
   samples. */
static bool ratio_of(struct summary *ratio, const struct series *first, const struct series *other,
                     bool by_means)
{
    double *ratios;

    if (by_means) {
        stats_mean_ratio(first->values, first->count, other->values, other->count, ratio);
        return true;
    }
    ratios = malloc(other->count * sizeof *ratios);
    if (!ratios)
        return failed(STATUS_USAGE, "out of memory");
    stats_pair_ratios(ratios, first->values, other->values, other->count);
    stats_summarise(ratios, other->count, ratio);
    free(ratios);
    return true;
}

/* A result without its times, of the contestant with that number. */
static void describe(struct result *result, const struct row *row, enum op op,
                     const struct contestants *contestants, size_t number)
{
    const struct contestant *contestant = &contestants->list[number];

    memset(result, 0, sizeof *result);
    memcpy(result->row, row->name, sizeof result->row);
    result->op = op;
    result->contestant = number;
    result->who = contestant->who;
    result->kind = contestant->kind;
    result->version = contestant->peer->version();
}

/* ---- Key generation ------------------------------------------------------------------------ */

struct generator {
    const struct contestant *contestant;
    unsigned bits;
    limbic_key_t key;    /* the last one, if it is limbic */
    struct series plain; /* the times, not scaled */
    bool uncounted;      /* of some key the candidates are not known */
};

static bool generate_one(void *opaque, double *nanoseconds)
{
    struct generator *generator = opaque;
    struct generation generation;

    if (!contestant_prepare(generator->contestant) ||
        !generator->contestant->peer->generate(generator->bits, &generation))
        return false;
    limbic_key_free(generator->key);
    generator->key = generation.key;
    *nanoseconds = generation.nanoseconds;
    if (generation.tested)
        *nanoseconds *= (double)generation.expected / (double)generation.tested;
    else
        generator->uncounted = true;
    return series_add(&generator->plain, generation.nanoseconds);
}

/* The first round also pays for what is done once for a size; where there is time for several, it
   is forgotten. Three rounds may take twice the budget. */
static bool generate_rounds(struct sampler *samplers, struct generator *generators, size_t count,
                            double budget)
{
    uint64_t start = measure_clock();
    double elapsed;

    if (!measure_alternately(samplers, count, 0))
        return false;
    elapsed = (double)(measure_clock() - start);
    if (elapsed < budget / 4)
        for (size_t i = 0; i < count; i++) {
            samplers[i].series.count = 0;
            generators[i].plain.count = 0;
        }
    if (elapsed <= budget / 2 && !measure_alternately(samplers, count, budget - elapsed))
        return false;
    elapsed = (double)(measure_clock() - start);
    return measure_at_least(samplers, count, STATS_SPREAD_MIN, 2 * budget - elapsed,
                            elapsed / (double)samplers[0].series.count);
}

/* A time that is scaled to the candidates expected stands beside another such; beside a plain one
   stands the plain one. */
static bool ratio_of_generation(struct summary *ratio, const struct sampler *samplers,
                                const struct generator *generators, size_t i, bool by_means)
{
    if (by_means)
        return ratio_of(ratio, &generators[0].plain, &generators[i].plain, true);
    return ratio_of(ratio, &samplers[0].series, &samplers[i].series, false);
}

static bool add_generation(struct results *results, const struct row *row,
                           const struct contestants *contestants, struct sampler *samplers,
                           const struct generator *generators)
{
    struct summary ratios[CONTESTANTS_MAX];
    bool by_means[CONTESTANTS_MAX];

    for (size_t i = 0; i < contestants->count; i++) {
        by_means[i] = i && (generators[0].uncounted || generators[i].uncounted);
        if (!ratio_of_generation(&ratios[i], samplers, generators, i, by_means[i]))
            return false;
    }
    for (size_t i = 0; i < contestants->count; i++) {
        struct series *series = &samplers[i].series;
        struct summary plain;
        struct result result;

        describe(&result, row, OP_GENERATE, contestants, i);
        stats_summarise(series->values, series->count, &result.time);
        stats_summarise(generators[i].plain.values, generators[i].plain.count, &plain);
        result.mean = plain.mean;
        if (generators[i].uncounted)
            result.time.median = result.time.mean;
        result.ratio = ratios[i];
        result.ratio_of_means = by_means[i];
        if (!results_add(results, &result))
            return false;
    }
    return true;
}

/* *key is the last one that limbic made. Without `results` limbic makes one, and
   nothing is noted. */
static bool measure_generation(struct results *results, const struct row *row,
                               const struct contestants *contestants, double budget,
                               limbic_key_t *key)
{
    struct generator generators[CONTESTANTS_MAX] = {{0}};
    struct sampler samplers[CONTESTANTS_MAX] = {{0}};
    bool done;

    for (size_t i = 0; i < contestants->count; i++) {
        generators[i].contestant = &contestants->list[i];
        generators[i].bits = row->bits;
        samplers[i].take = generate_one;
        samplers[i].opaque = &generators[i];
    }
    if (results)
        done = generate_rounds(samplers, generators, contestants->count, budget) &&
               add_generation(results, row, contestants, samplers, generators);
    else
        done = measure_alternately(samplers, 1, 0);
    for (size_t i = 0; i < contestants->count; i++) {
        if (i)
            limbic_key_free(generators[i].key);
        series_free(&generators[i].plain);
        series_free(&samplers[i].series);
    }
    *key = generators[0].key;
    return done;
}

/* ---- Sign and verify ----------------------------------------------------------------------- */

/* Whether limbic accepts each signature that the contestant makes, and the contestant those of the
   inputs. */
static bool agrees(const struct contestant *contestant, void *context, const struct task *task)
{
    const struct peer *peer = contestant->peer;
    const struct inputs *inputs = task->inputs;
    unsigned char signature[COMPONENT_MAX];
    size_t length;

    if (!contestant_prepare(contestant))
        return false;
    for (size_t i = 0; i < inputs->count; i++) {
        if (!peer->sign(context, i) ||
            !peer->signature(context, signature, sizeof signature, &length) ||
            !peer->verify(context, i))
            return false;
        if (limbic_verify_digest(task->key, task->params, inputs->digests[i], inputs->digest_length,
                                 signature, length))
            return failed(STATUS_FAULT, "limbic does not accept a signature of %s",
                          contestant->who);
    }
    return true;
}

static bool open_all(void **contexts, const struct task *task,
                     const struct contestants *contestants)
{
    for (size_t i = 0; i < contestants->count; i++)
        if (!contestants->list[i].peer->open(&contexts[i], task) ||
            !agrees(&contestants->list[i], contexts[i], task))
            return false;
    return true;
}

static void close_all(void **contexts, const struct contestants *contestants)
{
    for (size_t i = 0; i < contestants->count; i++)
        contestants->list[i].peer->close(contexts[i]);
}

static bool add_operation(struct results *results, const struct row *row, enum op op,
                          const struct contestants *contestants, struct sampler *samplers)
{
    struct summary ratios[CONTESTANTS_MAX];

    for (size_t i = 0; i < contestants->count; i++)
        if (!ratio_of(&ratios[i], &samplers[0].series, &samplers[i].series, false))
            return false;
    for (size_t i = 0; i < contestants->count; i++) {
        struct series *series = &samplers[i].series;
        struct result result;

        describe(&result, row, op, contestants, i);
        stats_summarise(series->values, series->count, &result.time);
        result.mean = result.time.mean;
        result.ratio = ratios[i];
        if (!results_add(results, &result))
            return false;
    }
    return true;
}

/* A contestant's turn. */
struct turn {
    const struct contestant *contestant;
    struct batch batch;
};

static bool take_turn(void *opaque, double *nanoseconds)
{
    struct turn *turn = opaque;

    return contestant_prepare(turn->contestant) && measure_batch(&turn->batch, nanoseconds);
}

static bool measure_operation(struct results *results, const struct row *row, enum op op,
                              const struct contestants *contestants, void *const *contexts,
                              size_t inputs, double budget)
{
    double target = budget / ((double)contestants->count * MANY);
    struct turn turns[CONTESTANTS_MAX];
    struct sampler samplers[CONTESTANTS_MAX] = {{0}};
    uint64_t start = measure_clock();
    bool done = true;

    for (size_t i = 0; i < contestants->count && done; i++) {
        const struct peer *peer = contestants->list[i].peer;

        turns[i].contestant = &contestants->list[i];
        turns[i].batch = (struct batch){op == OP_SIGN ? peer->sign : peer->verify,
                                        contexts[i],
                                        op == OP_SIGN ? peer->sign_many : peer->verify_many,
                                        inputs,
                                        0,
                                        1};
        samplers[i].take = take_turn;
        samplers[i].opaque = &turns[i];
        done = contestant_prepare(turns[i].contestant) &&
               measure_calibrate(&turns[i].batch, target > ROUND_MIN ? target : ROUND_MIN);
    }
    budget -= (double)(measure_clock() - start);
    done = done && measure_alternately(samplers, contestants->count, budget) &&
           add_operation(results, row, op, contestants, samplers);
    for (size_t i = 0; i < contestants->count; i++)
        series_free(&samplers[i].series);
    return done;
}

static bool measure_operations(struct results *results, const struct row *row,
                               const struct options *options, const struct contestants *contestants,
                               limbic_key_t key, rsa_progress_fn progress)
{
    static const enum op ops[] = {OP_SIGN, OP_VERIFY};
    struct inputs inputs;
    struct task task = {key, &options->params, &inputs};
    void *contexts[CONTESTANTS_MAX] = {NULL};
    bool done =
        contestant_prepare(&contestants->list[0]) &&
        inputs_make(&inputs, key, &options->params, INPUTS_SHARE * options->seconds * NS_PER_S) &&
        open_all(contexts, &task, contestants);

    for (size_t i = 0; i < sizeof ops / sizeof *ops && done; i++) {
        if (!options->ops[ops[i]])
            continue;
        progress(row, ops[i]);
        done = measure_operation(results, row, ops[i], contestants, contexts, inputs.count,
                                 share(options, ops[i]));
    }
    close_all(contexts, contestants);
    inputs_free(&inputs);
    return done;
}

/* A key of this size takes every hash with every padding. */
#define LARGE_ENOUGH 2048

bool rsa_try(const struct options *options)
{
    struct limbic_generate generate = LIMBIC_GENERATE_INIT;
    unsigned bits = LARGE_ENOUGH;
    char spec[24];
    limbic_key_t key;
    struct inputs inputs;
    gpg_error_t error;
    bool done;

    for (size_t i = 0; i < options->rows.count; i++)
        if (options->rows.list[i].bits < bits)
            bits = options->rows.list[i].bits;
    snprintf(spec, sizeof spec, "rsa:%u", bits);
    generate.allow_weak = 1;
    error = limbic_key_generate(&key, spec, &generate);
    if (error)
        return failed_limbic(error, spec);
    done = inputs_make(&inputs, key, &options->params, 0);
    inputs_free(&inputs);
    limbic_key_free(key);
    return done;
}

bool rsa_measure(struct results *results, const struct row *row, const struct options *options,
                 const struct contestants *contestants, rsa_progress_fn progress)
{
    limbic_key_t key = NULL;
    bool done;

    progress(row, OP_GENERATE);
    done = measure_generation(options->ops[OP_GENERATE] ? results : NULL, row, contestants,
                              share(options, OP_GENERATE), &key);
    if (done && (options->ops[OP_SIGN] || options->ops[OP_VERIFY]))
        done = measure_operations(results, row, options, contestants, key, progress);
    limbic_key_free(key);
    return done;
}
