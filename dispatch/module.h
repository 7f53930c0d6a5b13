/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Modules: providers in shared objects of their own. The provider NAME is the file
 * limbic-provider-NAME.so in the one module directory of this build, and its table is the symbol
 * limbic_provider_NAME_LTX_limbic_provider (with `_` for every `-`). Knows files and the dynamic
 * linker; what a table must hold is the registry's affair.
 */
#ifndef LB_DISPATCH_MODULE_H
#define LB_DISPATCH_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "limbic-provider.h"

enum lb_module_state {
    LB_MODULE_OPEN,
    LB_MODULE_MISSING, /* there is no such file */
    LB_MODULE_NOT_NOW, /* a shortage, which errno names; to be asked again */
    LB_MODULE_REFUSED
};

/* Opens the module of the provider with that name, which is one; it stays open for as long as the
   process lives. Unless it is open, `why` says in a line what is wrong. The caller holds a lock,
   since libltdl is not thread-safe. The code that the module runs when it is loaded runs here. */
enum lb_module_state lb_module_open(const char *name, const struct limbic_provider **table,
                                    char *why, size_t size);

/* Calls `found` with the name of every module in the directory. */
void lb_module_each(void (*found)(void *opaque, const char *name), void *opaque);

/* The module directory, NULL if this build loads no modules. */
const char *lb_module_directory(void);

#ifdef LIMBIC_TESTING
/* Another directory, absolute, for the next openings (NULL: that of the build). */
void lb_test_module_directory(const char *directory);
#endif

#endif
