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
#include <string.h>

static char text[FAILURE_SIZE];
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

/* "the program's words: word 1" becomes "word 1", and "denied by the program's words, word 2"
   "denied by --provider, word 2". */
void failure_wording(char *wording, size_t size, const char *message)
{
    static const char label[] = FAILURE_PROGRAM ": ";
    const size_t length = strlen(FAILURE_PROGRAM);
    size_t used = 0;

    if (!strncmp(message, label, strlen(label)))
        message += strlen(label);
    wording[0] = '\0';
    while (*message && used < size) {
        const char *next = strstr(message, FAILURE_PROGRAM);
        size_t before = next ? (size_t)(next - message) : strlen(message);

        used += (size_t)snprintf(wording + used, size - used, "%.*s%s", (int)before, message,
                                 next ? "--provider" : "");
        message += next ? before + length : before;
    }
}

bool failed_words(gpg_error_t error, const char *words)
{
    const char *detail = limbic_error_detail();
    char wording[FAILURE_SIZE];

    failure_wording(wording, sizeof wording, *detail ? detail : gpg_strerror(error));
    return failed(status_of(error), "--provider %.64s: %s", words, wording);
}

const char *failure_text(void)
{
    return text;
}

int failure_status(void)
{
    return exit_status;
}
