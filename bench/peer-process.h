/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * peer-process.h - a peer in a process of its own, for a library that reads its settings when it is
 * loaded: the program runs itself with one more variable in its environment, and serves there.
 */
#ifndef LIMBIC_BENCH_PEER_PROCESS_H
#define LIMBIC_BENCH_PEER_PROCESS_H

/* The one argument of the serving process. It is internal: --help does not name it. */
#define PEER_PROCESS_ARGUMENT "--serve-peer"

/* Answers what comes in on standard input until it ends; returns the exit status. */
int peer_process_serve(void);

#endif
