/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * contestants.h - those who take turns: limbic under one or more choices of kernels, and the other
 * libraries.
 */
#ifndef LIMBIC_BENCH_CONTESTANTS_H
#define LIMBIC_BENCH_CONTESTANTS_H

#include "bench/options.h"
#include "bench/peer.h"

/* Somebody in the table. */
struct contestant {
    const struct peer *peer;
    const char *who;
    const char *kind;
    const char *words; /* what limbic is configured with; NULL: as it is */
    const char *note;  /* what limbic says of words of files or LIMBIC, or NULL */
};

/* The first one is limbic; keys and inputs come from it. */
struct contestants {
    struct contestant list[CONTESTANTS_MAX];
    size_t count;
};

/* Gathers all that the options ask for, and starts the libraries. Words of --provider that are not
   obeyed in full are an error; what limbic has to say of the words of the variable and of files goes
   to standard error. */
bool contestants_gather(struct contestants *contestants, const struct options *options);

/* Has limbic work as this contestant has it; before each of its turns, outside the measured time. */
bool contestant_prepare(const struct contestant *contestant);

/* Whether no kernel of limbic has been found wrong in this process. One that was is out of service
   since, so that others did its work under its contestant's name. */
bool contestants_sound(void);

#endif
