/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The thread-local detail line behind limbic_error_detail. Knows nothing of limbic.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local const char *detail_text;
static _Thread_local char detail_buffer[256];

gpg_error_t lb_error(gpg_err_code_t code, const char *detail)
{
    detail_text = code ? detail : NULL;
    return gpg_err_make(GPG_ERR_SOURCE_USER_1, code);
}

gpg_error_t lb_errorf(gpg_err_code_t code, const char *format, ...)
{
    char text[sizeof detail_buffer];
    va_list args;

    /* By way of a second buffer, since an argument may be the detail that stands now. */
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(detail_buffer, sizeof detail_buffer, "%s", text);
    return lb_error(code, detail_buffer);
}

const char *lb_error_detail(void)
{
    return detail_text ? detail_text : "";
}
