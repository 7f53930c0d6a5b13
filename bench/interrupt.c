/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * interrupt.c - Ctrl-C: a flag for the measuring loops, then the signal's own death.
 */
#include "bench/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t noted;

static void note(int signal_number)
{
    noted = signal_number;
}

void interrupt_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction old;

        /* nohup's choice stands. */
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

bool interrupted(void)
{
    return noted != 0;
}

void interrupt_die(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};

    sigemptyset(&action.sa_mask);
    sigaction(noted, &action, NULL);
    raise(noted);
}
