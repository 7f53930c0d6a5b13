/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prepared states: what the families of a row keep for a modulus, a pair of moduli or a base. The
 * owner of the object gives the memory, once per object and row, under a lock of its own; readers
 * need none, since each state is published by one atomic store.
 */
#ifndef LB_NUMBER_STATE_H
#define LB_NUMBER_STATE_H

#include <stdint.h>

#include "core/number/limb.h"

enum lb_state_kind { LB_STATE_MODULUS, LB_STATE_PAIR, LB_STATE_BASE };

/* The most octets of one state. A family that wants more is mistaken, or made to exhaust memory. */
#define LB_STATE_MAX ((size_t)1 << 20)

/* What no states take: a family wants more than LB_STATE_MAX. */
#define LB_STATES_TOO_LARGE SIZE_MAX

/* Octets, a multiple of 64, that the states still missing take for this row; 0 when the object is
   prepared for it; or LB_STATES_TOO_LARGE. Else at most LB_STATE_MAX for each slot, so that a little
   may be added. Cheap enough to ask on every operation. */
size_t lb_states_size(const struct limbic_ops *ops, enum lb_state_kind kind, const void *object);

/* Makes the missing states in `memory`, lb_states_size octets aligned to 64 that live as long as
   the object does. They are made by the row `maker`, of the same size. Where states outlive one
   computation that is the row of last resort: a state that a kernel had made which is blamed later
   would stay wrong, and its innocent family be blamed for it. */
void lb_states_init(const struct limbic_ops *ops, const struct limbic_ops *maker,
                    enum lb_state_kind kind, void *object, void *memory);

#endif
