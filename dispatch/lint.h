/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checking configuration files: what is wrong with their lines, and what becomes of their words,
 * for no program in particular and for each that has a section. Changes nothing.
 */
#ifndef LB_DISPATCH_LINT_H
#define LB_DISPATCH_LINT_H

#include <gpg-error.h>
#include <stddef.h>

/* Tells every finding once, as "FILE:LINE: text", or "FILE: text" where it is of the whole file.
   Checks one file, whose contents the caller has, or, with `name` NULL, the installed ones. Errors:
   GPG_ERR_ENOMEM; a code of the system where an installed file cannot be read. */
gpg_error_t lb_config_lint(const char *name, const char *octets, size_t length,
                           void (*found)(void *opaque, const char *finding), void *opaque);

#endif
