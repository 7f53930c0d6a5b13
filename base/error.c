/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The thread-local detail line behind limbic_error_detail. Knows nothing of limbic.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local const char *detail_text;
static _Thread_local char detail_buffer[LB_DETAIL_MAX + 1];

gpg_error_t lb_error(gpg_err_code_t code, const char *detail)
{
    detail_text = code ? detail : NULL;
    return gpg_err_make(GPG_ERR_SOURCE_USER_1, code);
}

void lb_shorten(char *out, size_t size, const char *text)
{
    size_t length = strlen(text), kept = size - sizeof "...", head = kept / 3;

    if (length < size) {
        memcpy(out, text, length + 1);
        return;
    }
    memcpy(out, text, head);
    memcpy(out + head, "...", 3);
    memcpy(out + head + 3, text + length - (kept - head), kept - head + 1);
}

/* The octets of the control character at `at`, 0 if there is none. */
static unsigned control(const char *at)
{
    unsigned char first = (unsigned char)at[0];

    if (first < ' ' || first == 0x7f)
        return 1;
    return first == 0xc2 && ((unsigned char)at[1] & 0xe0) == 0x80 ? 2 : 0;
}

void lb_one_line(char *text)
{
    while (*text) {
        unsigned octets = control(text);

        for (unsigned i = 0; i < octets; i++)
            text[i] = '?';
        text += octets ? octets : 1;
    }
}

gpg_error_t lb_errorf(gpg_err_code_t code, const char *format, ...)
{
    char text[4 * sizeof detail_buffer];
    va_list args;

    /* By way of a second buffer, since an argument may be the detail that stands now. */
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    lb_one_line(text);
    lb_shorten(detail_buffer, sizeof detail_buffer, text);
    return lb_error(code, detail_buffer);
}

const char *lb_error_detail(void)
{
    return detail_text ? detail_text : "";
}
