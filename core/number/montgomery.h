/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Montgomery arithmetic over the limb slots of a row: the kernels of the provider `derived` for
 * level 2, as the slots of limbic-provider.h describe them. They keep no state beside the modulus
 * object, so they also serve where no state exists yet.
 */
#ifndef LB_NUMBER_MONTGOMERY_H
#define LB_NUMBER_MONTGOMERY_H

#include "core/number/limb.h"

/* The body of the mont_sqr kernel, for making a modulus, which is no use of the kernel. */
void lb_mont_sqr_plain(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                       const limb_t *a, limb_t *scratch);

void lb_derived_mont_mul(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                         const limb_t *a, const limb_t *b, limb_t *scratch);
void lb_derived_mont_sqr(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                         const limb_t *a, limb_t *scratch);
void lb_derived_mont_reduce(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                            limb_t *a, limb_t *scratch);
void lb_derived_mont_pow(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                         const limb_t *a, const limb_t *e, size_t ebits, limb_t *scratch);
void lb_derived_mont_pow_pair(const struct limbic_ops *ops, const struct limbic_pair *pair,
                              limb_t *const r[2], const limb_t *const a[2],
                              const limb_t *const e[2], size_t ebits, limb_t *scratch);
void lb_derived_mont_pow_x8(const struct limbic_ops *ops, const struct limbic_modulus *const m[8],
                            limb_t *const r[8], const limb_t *const a[8], const limb_t *const e[8],
                            size_t ebits, limb_t *scratch);
void lb_derived_mont_pow_public(const struct limbic_ops *ops, const struct limbic_modulus *m,
                                limb_t *r, const limb_t *a, const limb_t *e, size_t ebits,
                                limb_t *scratch);
void lb_derived_mont_pow_base(const struct limbic_ops *ops, const struct limbic_base *base,
                              limb_t *r, const limb_t *e, size_t ebits, limb_t *scratch);
void lb_derived_mont_pow2_vartime(const struct limbic_ops *ops,
                                  const struct limbic_base *const base[2], limb_t *r,
                                  const limb_t *const e[2], size_t ebits, limb_t *scratch);
limb_t lb_derived_mont_inv(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                           const limb_t *a, limb_t *scratch);

/* Hit flags of these kernels, for tests: which of them ran. */
#ifdef LIMBIC_TESTING
extern unsigned char lb_derived_hits[LIMBIC_SLOT_COUNT];
#define LB_DERIVED_HIT(slot) __atomic_store_n(&lb_derived_hits[slot], 1, __ATOMIC_RELAXED)
#else
#define LB_DERIVED_HIT(slot) ((void)0)
#endif

#endif
