/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether a file could have been written, or exchanged, by somebody who has no business in this
 * process: for modules, which run with its secrets, and configuration files, which restrict it.
 * Knows files only.
 */
#ifndef LB_DISPATCH_SAFE_FILE_H
#define LB_DISPATCH_SAFE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What is asked here fails in two ways: the system does not say, for a reason that is then in errno,
   or it does, and what it says is bad; then errno is 0. */

/* The user who may own such files beside root: the owner of the file that this library was loaded
   from; root if that cannot be told. */
uid_t lb_library_owner(void);

/* Whether nobody but root and `owner` can put a file into that directory, an absolute path, or
   exchange it or one of its parents. Symbolic links in it must be theirs too; what they lead to has
   to be asked for separately. If not, `why` says what is wrong. */
bool lb_directory_is_safe(const char *directory, uid_t owner, char *why, size_t size);

enum lb_file_state { LB_FILE_GOOD, LB_FILE_MISSING, LB_FILE_BAD };

/* Opens a file to read, without waiting for anybody and without following a symbolic link at its
   end. `why` says what is wrong where it is bad, as does errno. */
enum lb_file_state lb_file_open(const char *path, int *fd, char *why, size_t size);

/* Whether the open file is a regular one that nobody but root and `owner` can write. */
bool lb_file_is_safe(int fd, uid_t owner, char *why, size_t size, const char *path);

/* Puts "what: path" into `why` and 0 into errno. Always false, so that a check can end in it. */
bool lb_file_refuse(char *why, size_t size, const char *what, const char *path);

/* The same for what the system refuses: its text for the error, which stays in errno. */
bool lb_file_fail(char *why, size_t size, int error, const char *path);

/* Whether the system may have another answer in a while: a shortage, an interruption. */
bool lb_file_error_passes(int error);

#endif
