/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rule of limbic.h for output buffers.
 */
#ifndef LB_CORE_OUTPUT_H
#define LB_CORE_OUTPUT_H

#include "base/error.h"

/* Sets *length to `needed`. 0 if the caller only asks (buffer NULL) or if there is room. */
static inline gpg_error_t lb_output_fits(const void *buffer, size_t size, size_t needed,
                                         size_t *length)
{
    *length = needed;
    return buffer && size < needed
               ? lb_error(GPG_ERR_BUFFER_TOO_SHORT, "the buffer is too short for the result")
               : 0;
}

#endif
