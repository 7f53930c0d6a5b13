/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Self-tests on request, of kernels in the plan or not: nothing is quarantined, everything is told.
 */
#ifndef LB_DISPATCH_SELFTEST_ALL_H
#define LB_DISPATCH_SELFTEST_ALL_H

#include <gpg-error.h>
#include <stdbool.h>

/* Tests every kernel of the provider with that name (NULL: of all that are usable), at every size
   class if `all_sizes`, else at a few. `report`, unless NULL, hears of each family: what was
   tested, and NULL or what failed. GPG_ERR_NOT_FOUND: no such provider; GPG_ERR_NOT_SUPPORTED: it
   is refused, or nothing of it is usable here; GPG_ERR_SELFTEST_FAILED; GPG_ERR_ENOMEM. */
gpg_error_t lb_selftest_providers(const char *provider, bool all_sizes,
                                  void (*report)(void *opaque, const char *what,
                                                 const char *failure),
                                  void *opaque);

#endif
