/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * main.c - limbic-speed, the program behind `limbic speed`.
 *
 * It is a program of its own in libexec so that only it links the libraries that limbic is compared
 * with. Of limbic it knows the public interface alone.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "bench/contestants.h"
#include "bench/failure.h"
#include "bench/interrupt.h"
#include "bench/machine.h"
#include "bench/options.h"
#include "bench/output.h"
#include "bench/peer-process.h"
#include "bench/peer.h"
#include "bench/results.h"
#include "bench/rsa.h"

#include <limbic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What every key that can be measured signs with. */
static bool is_usual(const struct options *options)
{
    return options->params.hash == LIMBIC_HASH_SHA256 &&
           options->params.padding == LIMBIC_PADDING_PKCS1;
}

static void peer_versions(char *text, size_t size, const struct contestants *contestants)
{
    size_t used = 0;

    *text = 0;
    for (size_t i = 1; i < contestants->count && used < size; i++) {
        const struct peer *peer = contestants->list[i].peer;

        if (peer == &peer_limbic)
            continue;
        used += (size_t)snprintf(text + used, size - used, ", %s %s", peer->name, peer->version());
    }
}

static size_t who_width(const struct contestants *contestants)
{
    size_t width = strlen("who");

    for (size_t i = 0; i < contestants->count; i++)
        if (strlen(contestants->list[i].who) > width)
            width = strlen(contestants->list[i].who);
    return width;
}

/* On a terminal one line says what is being measured, and is erased before anything
   else appears. */
static void erase_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static void show_progress(const struct row *row, enum op op)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s %s ...", row->name, op_name(op));
}

/* Text appears row by row, and none before the first one could be measured; JSON at the end, whole
   or not at all. */
static bool measure(struct results *results, const struct options *options,
                    const struct contestants *contestants)
{
    char cpu[128], versions[256];
    struct heading heading = {limbic_version(NULL), cpu,
                              machine_processors(), versions,
                              contestants,          who_width(contestants)};

    machine_cpu(cpu, sizeof cpu);
    peer_versions(versions, sizeof versions, contestants);
    for (size_t i = 0; i < options->rows.count; i++) {
        size_t from = results->count;
        bool done =
            rsa_measure(results, &options->rows.list[i], options, contestants, show_progress);

        erase_progress();
        if (!done)
            return false;
        if (!options->json && i == 0)
            output_heading(stdout, &heading, options);
        if (!options->json)
            output_results(stdout, &heading, results, from);
    }
    if (options->json)
        output_json(stdout, &heading, results);
    else
        output_summary(stdout, &heading, results);
    return true;
}

static bool written(void)
{
    if (fflush(stdout) || ferror(stdout))
        return failed(STATUS_USAGE, "cannot write to standard output");
    return true;
}

static bool run(const struct options *options)
{
    struct contestants contestants;
    struct results results = {NULL, 0, 0};
    bool done = contestants_gather(&contestants, options) &&
                (is_usual(options) || rsa_try(options)) &&
                measure(&results, options, &contestants) && written() && contestants_sound();

    results_free(&results);
    return done;
}

static void print_version(void)
{
    printf("limbic speed (limbic) %s\nPeers: ", limbic_version(NULL));
    for (size_t i = 0; peers[i]; i++)
        printf("%s%s", i ? ", " : "", peers[i]->name);
    printf("\n");
}

/* The other end of a peer in a process of its own. */
static int serve(void)
{
#ifdef HAVE_PEER_OPENSSL
    return peer_process_serve();
#else
    fprintf(stderr, "limbic: speed: this program was built without openssl\n");
    return STATUS_USAGE;
#endif
}

int main(int argc, char **argv)
{
    static struct options options;
    bool done;

    if (argc == 2 && !strcmp(argv[1], PEER_PROCESS_ARGUMENT))
        return serve();
    interrupt_catch();
    done = options_parse(&options, argc, argv);
    if (done && options.help) {
        fputs(options_help, stdout);
        done = written();
    } else if (done && options.version) {
        print_version();
        done = written();
    } else if (done) {
        done = run(&options);
    }
    if (interrupted())
        interrupt_die();
    if (done)
        return STATUS_OK;
    fprintf(stderr, "limbic: speed: %s\n", failure_text());
    return failure_status();
}
