/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors: a gpg_error_t for the program and one line of detail for the person, kept per thread.
 * Details name what is wrong and where; they never hold secret values. Knows nothing of limbic.
 */
#ifndef LB_BASE_ERROR_H
#define LB_BASE_ERROR_H

#include <gpg-error.h>
#include <stddef.h>

/* Makes an error of limbic's source and remembers `detail` (a string of static storage duration)
   for this thread. With GPG_ERR_NO_ERROR it clears the detail and returns 0. */
gpg_error_t lb_error(gpg_err_code_t code, const char *detail);

/* The same with a formatted detail, which is made one line. One of more than LB_DETAIL_MAX octets
   loses its middle. */
enum { LB_DETAIL_MAX = 703 };
gpg_error_t lb_errorf(gpg_err_code_t code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The detail of this thread's last error, or "". Valid until the thread's next lb_error. */
const char *lb_error_detail(void);

/* Copies a text; one that is too long keeps its beginning and its end, where a path has the name of
   its file, with "..." between them. size >= 8. */
void lb_shorten(char *out, size_t size, const char *text);

/* Makes one line of a text that may hold foreign strings: control characters become `?`, those that
   UTF-8 has beyond ASCII (U+0080 to U+009F) included. */
void lb_one_line(char *text);

#endif
