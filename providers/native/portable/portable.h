/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The provider `portable`: level 1 in C for every host. This header is what the registry sees of
 * it. Knows the provider ABI only.
 */
#ifndef LB_PROVIDERS_PORTABLE_H
#define LB_PROVIDERS_PORTABLE_H

#include "limbic-provider.h"

extern const struct limbic_provider lb_provider_portable;

#ifdef LIMBIC_TESTING
/* One flag for each slot, set when its kernel has run: tests see what an operation really used. */
extern unsigned char lb_portable_hits[LIMBIC_SLOT_COUNT];
#endif

#endif
