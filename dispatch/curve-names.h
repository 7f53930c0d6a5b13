/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The curves of the provider ABI by name, as words have them. Knows their names only.
 */
#ifndef LB_DISPATCH_CURVE_NAMES_H
#define LB_DISPATCH_CURVE_NAMES_H

#include "limbic-provider.h"

/* The curve of that name, upper and lower case being the same, or LIMBIC_CURVE_NONE. */
enum limbic_curve_id lb_curve_by_name(const char *name);

/* The curve's own name, "P-256"; NULL if there is no such number. */
const char *lb_curve_name(enum limbic_curve_id id);

/* The known name nearest to this one. */
const char *lb_curve_nearest(const char *name);

#endif
