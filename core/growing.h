/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Structures of limbic.h that may grow: they begin with their size, and are only ever appended to.
 * So a program and a library of different versions still understand each other.
 */
#ifndef LB_CORE_GROWING_H
#define LB_CORE_GROWING_H

#include <string.h>

#include "base/error.h"

/* Takes what the caller set into *ours, which holds the defaults: as much as both know. `first` is
   the size that the structure had in its first version. What the caller has beyond our size must be
   zero, since we cannot honour it. */
static inline gpg_error_t lb_growing_take(void *ours, size_t our_size, const void *theirs,
                                          size_t first)
{
    const unsigned char *octets = theirs;
    size_t size;

    memcpy(&size, theirs, sizeof size);
    if (size < first || size > 65536)
        return lb_error(GPG_ERR_INV_ARG, "the size of a structure is not set");
    for (size_t i = our_size; i < size; i++)
        if (octets[i])
            return lb_error(GPG_ERR_INV_ARG, "a structure asks for what this version lacks");
    memcpy(ours, theirs, size < our_size ? size : our_size);
    return 0;
}

#endif
