/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is looked at in a module before the dynamic linker sees it: who could have written it, and
 * whether it is a whole shared object for this machine. Knows files only.
 */
#ifndef LB_DISPATCH_MODULE_FILE_H
#define LB_DISPATCH_MODULE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Writes "WHAT: PATH", a long path without its middle. Always false. */
bool lb_module_refuse(char *why, size_t size, const char *what, const char *path);

/* The user who may own modules beside root: the owner of the file that this library was loaded
   from; root if that cannot be told. */
uid_t lb_module_owner(void);

/* Whether nobody but root and `owner` can put a file into that directory, an absolute path, or
   exchange it or one of its parents. Symbolic links in it must be theirs too; what they lead to has
   to be asked for separately. If not, `why` says what is wrong. */
bool lb_directory_is_safe(const char *directory, uid_t owner, char *why, size_t size);

enum lb_file_state { LB_FILE_GOOD, LB_FILE_MISSING, LB_FILE_BAD };

/* Whether the file is a regular one that nobody but root and `owner` can write, and its ELF headers
   are those of a shared object for this machine that lies whole in the file. */
enum lb_file_state lb_module_file_check(const char *path, uid_t owner, char *why, size_t size);

#endif
