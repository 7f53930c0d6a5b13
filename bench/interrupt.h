/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * interrupt.h - Ctrl-C: the measuring loops ask for it, so that everything is released before the
 * program dies of the signal.
 */
#ifndef LIMBIC_BENCH_INTERRUPT_H
#define LIMBIC_BENCH_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP are noted; a second one kills. */
void interrupt_catch(void);

bool interrupted(void);

/* Dies of the signal that was noted, as its default action has it. */
void interrupt_die(void);

#endif
