/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * measure-init.c - how long limbic_init() takes in a fresh process.
 *
 *   measure-init [LIMIT]
 *
 * The program runs itself 21 times; each child calls limbic_init() first of all and writes the
 * nanoseconds to standard output, a pipe. The median is printed in microseconds; above LIMIT, if
 * one is given, the exit status is 1. Built for the tests, not installed.
 */
#include "bench/measure.h"
#include "bench/stats.h"

#include <inttypes.h>
#include <limbic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 21

static const char child_word[] = "--child";

static int child(void)
{
    uint64_t start = measure_clock(), end;
    gpg_error_t error = limbic_init(0);

    end = measure_clock();
    if (error) {
        fprintf(stderr, "measure-init: limbic_init: %s (%s)\n", gpg_strerror(error),
                limbic_error_detail());
        return 1;
    }
    printf("%" PRIu64 "\n", end - start);
    return fflush(stdout) ? 1 : 0;
}

/* In the process that fork made: becomes a fresh one that writes to the pipe. */
static _Noreturn void become_child(const int pipe_ends[2])
{
    char name[] = "measure-init", word[sizeof child_word];
    char *arguments[] = {name, word, NULL};

    memcpy(word, child_word, sizeof word);
    if (dup2(pipe_ends[1], STDOUT_FILENO) >= 0) {
        close(pipe_ends[0]);
        close(pipe_ends[1]);
        execv("/proc/self/exe", arguments);
    }
    _exit(127);
}

static int read_number(int descriptor, double *number)
{
    FILE *file = fdopen(descriptor, "r");
    int fine = file && fscanf(file, "%lf", number) == 1;

    if (file)
        fclose(file);
    else
        close(descriptor);
    return fine;
}

static int run_child(double *nanoseconds)
{
    int pipe_ends[2], status, fine;
    pid_t pid;

    if (pipe(pipe_ends))
        return 0;
    pid = fork();
    if (pid == 0)
        become_child(pipe_ends);
    close(pipe_ends[1]);
    fine = read_number(pipe_ends[0], nanoseconds);
    return pid > 0 && waitpid(pid, &status, 0) == pid && fine && status == 0;
}

int main(int argc, char **argv)
{
    double times[PROCESSES], limit = argc > 1 ? atof(argv[1]) : 0;
    struct summary summary;

    if (argc == 2 && !strcmp(argv[1], child_word))
        return child();
    for (size_t i = 0; i < PROCESSES; i++)
        if (!run_child(&times[i])) {
            fprintf(stderr, "measure-init: a child failed\n");
            return 2;
        }
    stats_summarise(times, PROCESSES, &summary);
    printf("limbic_init: %.1f microseconds (%.1f..%.1f), median of %d processes\n",
           summary.median / 1e3, summary.p5 / 1e3, summary.p95 / 1e3, PROCESSES);
    return limit > 0 && summary.median / 1e3 > limit ? 1 : 0;
}
