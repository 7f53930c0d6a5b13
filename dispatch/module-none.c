/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Modules in a build without them: there are none, and nothing here can open a file.
 */
#include "dispatch/module.h"

#include <stdio.h>

enum lb_module_state lb_module_open(const char *name, const struct limbic_provider **table,
                                    char *why, size_t size)
{
    (void)name;
    *table = NULL;
    snprintf(why, size, "not built: this build loads no modules");
    return LB_MODULE_MISSING;
}

void lb_module_each(void (*found)(void *opaque, const char *name), void *opaque)
{
    (void)found;
    (void)opaque;
}

const char *lb_module_directory(void)
{
    return NULL;
}

#ifdef LIMBIC_TESTING
void lb_test_module_directory(const char *directory)
{
    (void)directory;
}
#endif
