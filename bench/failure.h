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

#include "base/exit-status.h"

/* Exit statuses of limbic(1). */
enum {
    STATUS_OK = LB_EXIT_OK,
    STATUS_USAGE = LB_EXIT_USAGE,
    STATUS_FAULT = LB_EXIT_FAULT,
};

/* Both return false. failed_limbic() is for an error of the library: its text, the detail that the
   library has on it, and the status that fits the code. */
bool failed(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool failed_limbic(gpg_error_t error, const char *doing);

/* The last failure. */
const char *failure_text(void);
int failure_status(void);

#endif
