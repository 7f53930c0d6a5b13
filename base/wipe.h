/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wiping memory that held secrets, in a way that the compiler does not remove.
 */
#ifndef LB_BASE_WIPE_H
#define LB_BASE_WIPE_H

#include <string.h>

static inline void lb_wipe(void *p, size_t n)
{
    explicit_bzero(p, n);
}

#endif
