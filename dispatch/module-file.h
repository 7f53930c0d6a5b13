/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is looked at in a module before the dynamic linker sees it: who could have written it, and
 * whether it is a whole shared object for this machine. Knows files only.
 */
#ifndef LB_DISPATCH_MODULE_FILE_H
#define LB_DISPATCH_MODULE_FILE_H

#include "dispatch/safe-file.h"

/* Whether the file is a regular one that nobody but root and `owner` can write, and its ELF headers
   are those of a shared object for this machine that lies whole in the file. errno as in
   safe-file.h. */
enum lb_file_state lb_module_file_check(const char *path, uid_t owner, char *why, size_t size);

#endif
