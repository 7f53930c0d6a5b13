/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Self-test of RSA as a whole.
 */
#ifndef LB_CORE_SELFTEST_RSA_H
#define LB_CORE_SELFTEST_RSA_H

#include "limbic.h"

/* Known answers through the plan in force; `report` as limbic_selftest has it. */
gpg_error_t lb_selftest_rsa(limbic_selftest_fn report, void *opaque);

#endif
