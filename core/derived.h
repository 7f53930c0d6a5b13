/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The provider `derived`, for the registry.
 */
#ifndef LB_CORE_DERIVED_H
#define LB_CORE_DERIVED_H

#include "limbic-provider.h"

extern const struct limbic_provider lb_provider_derived;

#endif
