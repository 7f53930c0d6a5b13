/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Odd moduli with their constants for Montgomery arithmetic, and the values that go in and out.
 * Knows the ops table and families only as numbers; never a provider.
 */
#ifndef LB_NUMBER_MODULUS_H
#define LB_NUMBER_MODULUS_H

#include "core/number/nat.h"

/* Limbs of storage that lb_modulus_init needs for a modulus of n limbs. */
#define LB_MODULUS_STORAGE(n) (3 * (size_t)(n))

/* Makes a modulus object over caller storage (LB_MODULUS_STORAGE(n) limbs, which lives as long as
   the object). value[n] is odd, >= 3, and value[n-1] != 0, of exactly `bits` bits: the caller has
   checked. Constant time in the value when flags say LIMBIC_MODULUS_SECRET (its bit length is
   public). `ops` is the row for its size. No state is made. scratch: LIMBIC_SCRATCH_MONT(n). */
void lb_modulus_init(struct limbic_modulus *m, const struct limbic_ops *ops, limb_t *storage,
                     const limb_t *value, size_t n, size_t bits, unsigned flags, limb_t *scratch);

/* r = a * R mod m and back. r may be a. scratch: LIMBIC_SCRATCH_MONT(n) + 2n. */
#define LB_SCRATCH_CONVERT(n) (LIMBIC_SCRATCH_MONT(n) + 2 * (size_t)(n))
void lb_mont_in(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                const limb_t *a, limb_t *scratch);
void lb_mont_out(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                 const limb_t *a, limb_t *scratch);

/* r = a[an] mod m for an a of any length >= 1, plain to plain. scratch: LB_SCRATCH_CONVERT(n). */
void lb_mod_reduce(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                   const limb_t *a, size_t an, limb_t *scratch);

/* r = a + b, a - b mod m for a, b in [0, m), any form. r may be a or b. */
void lb_mod_add(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                const limb_t *a, const limb_t *b);
void lb_mod_sub(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                const limb_t *a, const limb_t *b);

#endif
