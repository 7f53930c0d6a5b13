/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * contestants.c - who takes part. Choices of kernels change from turn to turn in one process, by
 * limbic_reconfigure.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "bench/contestants.h"

#include "bench/failure.h"
#include "bench/words.h"

#include <stdio.h>
#include <stdlib.h>

/* The words that limbic is under, as `who` has them. */
static const char *words_of_variable(void)
{
    const char *value = secure_getenv("LIMBIC");

    return value && *value ? value : "auto";
}

static bool add(struct contestants *contestants, const struct contestant *contestant)
{
    if (contestants->count == CONTESTANTS_MAX)
        return failed(STATUS_USAGE, "more than %d contestants", CONTESTANTS_MAX);
    contestants->list[contestants->count++] = *contestant;
    return true;
}

static bool add_providers(struct contestants *contestants, const struct options *options)
{
    bool done = true;

    if (options->provider_count == 0)
        return add(contestants,
                   &(struct contestant){&peer_limbic, words_of_variable(), "provider", NULL, NULL});
    for (size_t i = 0; i < options->provider_count && done; i++)
        done = add(contestants, &(struct contestant){&peer_limbic, options->providers[i],
                                                     "provider", options->providers[i], NULL});
    return done;
}

/* One that does not sign with this hash and padding is left out with a line that says so. */
static bool takes_part(const struct peer *peer, const struct options *options)
{
    const char *reason = peer->cannot ? peer->cannot(&options->params) : NULL;

    if (reason)
        fprintf(stderr, "limbic: speed: left out: %s %s\n", peer->name, reason);
    return !reason;
}

/* Peers start before limbic: those that share a library with it initialise that in their own way. */
static bool add_peers(struct contestants *contestants, const struct options *options)
{
    for (size_t i = 0; peers[i]; i++) {
        if (peers[i]->start && !peers[i]->start())
            return false;
        if (!takes_part(peers[i], options))
            continue;
        if (!add(contestants, &(struct contestant){peers[i], peers[i]->name, "peer", NULL, NULL}))
            return false;
    }
    return true;
}

/* The words stand beside the results; so what the variable's did not do must too. Those of
   --provider are obeyed in full or not measured. */
static bool judge_words(struct contestant *contestant)
{
    if (contestant->words && !words_obeyed(contestant->words))
        return false;
    contestant->note = limbic_warning();
    if (contestant->note)
        fprintf(stderr, "limbic: speed: warning: %s\n", contestant->note);
    return true;
}

static bool start_limbic(struct contestants *contestants)
{
    const char *words = contestants->list[0].words;
    gpg_error_t error = words ? limbic_configure(words) : 0;

    if (!error)
        error = limbic_init(0);
    if (error)
        return words ? failed_words(error, words) : failed_limbic(error, "limbic cannot start");
    if (!judge_words(&contestants->list[0]))
        return false;
    for (size_t i = 1; i < contestants->count; i++) {
        if (!contestants->list[i].words)
            continue;
        if (!contestant_prepare(&contestants->list[i]) || !judge_words(&contestants->list[i]))
            return false;
    }
    return true;
}

bool contestants_gather(struct contestants *contestants, const struct options *options)
{
    contestants->count = 0;
    return add_providers(contestants, options) &&
           (!options->peers || add_peers(contestants, options)) && start_limbic(contestants);
}

bool contestant_prepare(const struct contestant *contestant)
{
    static const char *in_force;
    gpg_error_t error;

    if (!contestant->words || contestant->words == in_force)
        return true;
    error = limbic_reconfigure(contestant->words);
    if (error)
        return failed_words(error, contestant->words);
    in_force = contestant->words;
    return true;
}

bool contestants_sound(void)
{
    const char *fault = limbic_fault();

    return !fault || failed(STATUS_FAULT,
                            "a kernel was found wrong, and others served in its place: %s", fault);
}
