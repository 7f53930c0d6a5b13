/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * words.h - whether limbic obeys all of the words of a --provider. Limbic passes over, with a
 * warning or under try: without one, what is not there; but a time under a name says that the
 * arithmetic of that name was measured.
 */
#ifndef LIMBIC_BENCH_WORDS_H
#define LIMBIC_BENCH_WORDS_H

#include <stdbool.h>

/* Whether none of these words, which are in force, was passed over; fails with STATUS_FAULT. What
   files and the variable say beside them is not judged. */
bool words_obeyed(const char *words);

#endif
