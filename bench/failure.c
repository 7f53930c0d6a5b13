/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * failure.c - the one line that says why something did not work, and the exit status for it.
 *
 * Knows the error codes of limbic; prints nothing.
 */
#include "bench/failure.h"

#include <limbic.h>
#include <stdarg.h>
#include <stdio.h>

static char text[512];
static int exit_status;

bool failed(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* Words and names come from outside; whatever they hold, an error is one line. */
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    exit_status = status;
    return false;
}

/* Keys and signatures are limbic's own here: a bad one is a fault, not a bad input. */
static int status_of(gpg_error_t error)
{
    gpg_err_code_t code = gpg_err_code(error);

    if (code == GPG_ERR_BAD_SECKEY || code == GPG_ERR_BAD_SIGNATURE)
        return STATUS_FAULT;
    return (int)lb_exit_status(error);
}

bool failed_limbic(gpg_error_t error, const char *doing)
{
    const char *detail = limbic_error_detail();

    return failed(status_of(error), "%s: %s", doing, *detail ? detail : gpg_strerror(error));
}

const char *failure_text(void)
{
    return text;
}

int failure_status(void)
{
    return exit_status;
}
