/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SPDX licence expressions (SPDX specification 2.3, annex D) against a list of licences. Knows
 * nothing of providers and words.
 */
#ifndef LB_DISPATCH_LICENSE_H
#define LB_DISPATCH_LICENSE_H

#include <stdbool.h>

/* Whether the licences in `list`, identifiers separated by commas, are enough for the expression:
   of an OR one side, of an AND both; what follows WITH is an exception, which only grants more.
   Identifiers are compared whole, upper and lower case being the same: GPL-2.0-or-later is not
   GPL-3.0-only. An expression that is malformed is not enough for anything. */
bool lb_license_allows(const char *list, const char *expression);

/* Whether this is an identifier that is known: one of a list of common ones, LicenseRef-..., or
   one that stands in the expression. */
bool lb_license_is_known(const char *id);
bool lb_license_stands_in(const char *expression, const char *id);

/* The known identifier nearest to this one. */
const char *lb_license_nearest(const char *id);

#endif
