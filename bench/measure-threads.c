/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * measure-threads.c - whether threads that share a key stand in one another's way.
 *
 *   measure-threads [SPEC [LEAST]]
 *
 * Two threads that sign with one key of SPEC (rsa:2048), against two processes with a key each: 20
 * pairs of runs of a quarter of a second, the order changing from pair to pair. Prints the median
 * of the pairs' ratios of signatures made, and its 95 % interval; below LEAST, if one is given, the
 * exit status is 1. Needs two idle processors. Built for `make check-threads`, not installed.
 */
#include "bench/measure.h"
#include "bench/stats.h"

#include <limbic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 2
#define PAIRS 20
#define RUN_NS UINT64_C(250000000)
#define LEAD_NS UINT64_C(20000000) /* for all workers to get ready */

/* Of 20 values, the sixth and the fifteenth enclose the median with 95.9 % (binomial). */
#define LOW 5
#define HIGH 14

struct worker {
    limbic_key_t key;
    uint64_t start;
    unsigned long signatures;
    gpg_error_t error;
};

static void wait_until(uint64_t when)
{
    struct timespec at = {(time_t)(when / 1000000000), (long)(when % 1000000000)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
        continue;
}

static void *work(void *opaque)
{
    struct worker *worker = opaque;
    unsigned char digest[32] = {1}, signature[2048];
    size_t length;

    wait_until(worker->start);
    while (!worker->error && measure_clock() < worker->start + RUN_NS) {
        worker->error = limbic_sign_digest(worker->key, NULL, digest, sizeof digest, signature,
                                           sizeof signature, &length);
        digest[0] = signature[0];
        worker->signatures++;
    }
    return NULL;
}

static int tell(int out, const struct worker *workers, unsigned count)
{
    unsigned long sum = 0;

    for (unsigned i = 0; i < count; i++) {
        if (workers[i].error)
            return 1;
        sum += workers[i].signatures;
    }
    return write(out, &sum, sizeof sum) != sizeof sum;
}

/* In a process of its own: all workers as threads on one key. */
static int in_threads(limbic_key_t const *keys, uint64_t start, int out)
{
    struct worker workers[WORKERS];
    pthread_t ids[WORKERS];

    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){keys[0], start, 0, 0};
        if (pthread_create(&ids[i], NULL, work, &workers[i]))
            return 1;
    }
    for (unsigned i = 0; i < WORKERS; i++)
        pthread_join(ids[i], NULL);
    return tell(out, workers, WORKERS);
}

static int alone(limbic_key_t const *key, uint64_t start, int out)
{
    struct worker worker = {*key, start, 0, 0};

    work(&worker);
    return tell(out, &worker, 1);
}

/* The signatures that `count` children make, 0 after a failure. */
static unsigned long run(int (*body)(limbic_key_t const *, uint64_t, int), unsigned count,
                         limbic_key_t const *keys)
{
    uint64_t start = measure_clock() + LEAD_NS;
    unsigned long sum = 0, made;
    unsigned fine = 0;
    int ends[2], status;

    if (pipe(ends))
        return 0;
    for (unsigned i = 0; i < count; i++)
        if (fork() == 0)
            _exit(body(&keys[i], start, ends[1]));
    for (unsigned i = 0; i < count; i++)
        if (wait(&status) > 0 && status == 0 && read(ends[0], &made, sizeof made) == sizeof made) {
            sum += made;
            fine++;
        }
    close(ends[0]);
    close(ends[1]);
    return fine == count ? sum : 0;
}

static int measure(double ratios[PAIRS], limbic_key_t const *keys)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        unsigned long threads = 0, processes = 0;

        for (unsigned turn = 0; turn < 2; turn++) {
            if ((turn + i) % 2)
                threads = run(in_threads, 1, keys);
            else
                processes = run(alone, WORKERS, keys);
        }
        if (!threads || !processes)
            return 0;
        ratios[i] = (double)threads / (double)processes;
    }
    return 1;
}

static gpg_error_t make_keys(limbic_key_t keys[WORKERS], const char *spec)
{
    gpg_error_t error = 0;

    for (unsigned i = 0; i < WORKERS && !error; i++) {
        error = limbic_key_generate(&keys[i], spec, NULL);
        if (!error)
            error = limbic_key_ready(keys[i]);
    }
    return error;
}

int main(int argc, char **argv)
{
    const char *spec = argc > 1 ? argv[1] : "rsa:2048";
    double ratios[PAIRS], least = argc > 2 ? atof(argv[2]) : 0;
    limbic_key_t keys[WORKERS] = {NULL};
    struct summary summary;
    gpg_error_t error = make_keys(keys, spec);

    if (error) {
        fprintf(stderr, "measure-threads: %s: %s (%s)\n", spec, gpg_strerror(error),
                limbic_error_detail());
        return 2;
    }
    if (!measure(ratios, keys)) {
        fprintf(stderr, "measure-threads: a child failed\n");
        return 2;
    }
    for (unsigned i = 0; i < WORKERS; i++)
        limbic_key_free(keys[i]);
    stats_summarise(ratios, PAIRS, &summary);
    printf("%s, signatures of %d threads on one key over those of %d processes with a key each:\n"
           "%.3f (%.3f..%.3f), median of %d pairs and its 95 %% interval; all %.3f..%.3f\n",
           spec, WORKERS, WORKERS, summary.median, ratios[LOW], ratios[HIGH], PAIRS, ratios[0],
           ratios[PAIRS - 1]);
    return least > 0 && summary.median < least ? 1 : 0;
}
