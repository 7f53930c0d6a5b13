/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading the environment. secure_getenv gives nothing in a set-id process or one with file
 * capabilities; what getenv then gives says only that there was something to ignore.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include "dispatch/environment.h"

#include <stdlib.h>
#include <string.h>

#include "base/locks.h"

static char copy[LB_WORDS_MAX + 2];
static struct lb_asked asked;
static atomic_bool looked;

struct lb_asked lb_environment_from_values(const char *secure, const char *plain)
{
    return (struct lb_asked){.variable = secure, .ignored = !secure && plain};
}

static void look(void)
{
    asked = lb_environment_from_values(secure_getenv("LIMBIC"), getenv("LIMBIC"));
    if (!asked.variable)
        return;
    memset(copy, 0, sizeof copy);
    strncpy(copy, asked.variable, sizeof copy - 1);
    asked.variable = copy;
}

const struct lb_asked *lb_environment(void)
{
    lb_once(&looked, LB_LOCK_ENVIRONMENT, look);
    return &asked;
}

#ifdef LIMBIC_TESTING
void lb_test_environment_reset(void)
{
    atomic_store(&looked, false);
}
#endif
