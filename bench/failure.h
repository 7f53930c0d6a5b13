/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * failure.h - the one line that says why something did not work, and the exit status for it.
 *
 * The failing function calls failed() and returns its value; main() prints the line. The program
 * has one thread.
 */
#ifndef LIMBIC_BENCH_FAILURE_H
#define LIMBIC_BENCH_FAILURE_H

#include <gpg-error.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/exit-status.h"

/* Exit statuses of limbic(1). */
enum {
    STATUS_OK = LB_EXIT_OK,
    STATUS_USAGE = LB_EXIT_USAGE,
    STATUS_FAULT = LB_EXIT_FAULT,
};

#define FAILURE_SIZE 512

/* All return false. failed_limbic() is for an error of the library: its text, the detail that the
   library has on it, and the status that fits the code; failed_words() for one about the words of a
   --provider. */
bool failed(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool failed_limbic(gpg_error_t error, const char *doing);
bool failed_words(gpg_error_t error, const char *words);

/* What limbic calls the words that a program gives it; here they are those of --provider. */
#define FAILURE_PROGRAM "the program's words"

/* Copies a message of limbic that follows "--provider WORDS: ", in the terms of the command line. */
void failure_wording(char *wording, size_t size, const char *message);

/* The last failure. */
const char *failure_text(void);
int failure_status(void);

#endif
