/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tier native/baseline: prototypes of its functions in assembly and in C. Private to
 * the tiers of x86-64; knows the provider ABI only.
 */
#ifndef LB_PROVIDERS_X86_64_BASELINE_KERNELS_H
#define LB_PROVIDERS_X86_64_BASELINE_KERNELS_H

#include "limbic-provider.h"
#include "providers/native/native.h"

typedef limbic_limb_t limb_t;

/* limbs-add.S */
limb_t lb_native_baseline_add(limb_t *r, const limb_t *a, const limb_t *b, size_t n);
limb_t lb_native_baseline_sub(limb_t *r, const limb_t *a, const limb_t *b, size_t n);
limb_t lb_native_baseline_cond_add(limb_t *r, const limb_t *a, const limb_t *b, size_t n,
                                   limb_t mask);
limb_t lb_native_baseline_cond_sub(limb_t *r, const limb_t *a, const limb_t *b, size_t n,
                                   limb_t mask);

/* limbs-select.S */
void lb_native_baseline_cond_swap(limb_t *a, limb_t *b, size_t n, limb_t mask);
void lb_native_baseline_select(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t mask);
void lb_native_baseline_table_select(limb_t *r, const limb_t *table, size_t entries, size_t n,
                                     size_t index);

/* limbs-shift.S */
limb_t lb_native_baseline_lshift(limb_t *r, const limb_t *a, size_t n, unsigned s);
limb_t lb_native_baseline_rshift(limb_t *r, const limb_t *a, size_t n, unsigned s);

/* limbs-row.S */
limb_t lb_native_baseline_mul_1(limb_t *r, const limb_t *a, size_t n, limb_t b);
limb_t lb_native_baseline_addmul_1(limb_t *r, const limb_t *a, size_t n, limb_t b);
limb_t lb_native_baseline_submul_1(limb_t *r, const limb_t *a, size_t n, limb_t b);

/* limbs-mul.c */
void lb_native_baseline_mul(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn,
                            limb_t *scratch);
void lb_native_baseline_sqr(limb_t *r, const limb_t *a, size_t n, limb_t *scratch);
void lb_native_baseline_mul_vartime(limb_t *r, const limb_t *a, size_t an, const limb_t *b,
                                    size_t bn, limb_t *scratch);
void lb_native_baseline_sqr_vartime(limb_t *r, const limb_t *a, size_t n, limb_t *scratch);

/* mul and sqr of n limbs, without their hit flags. */
void lb_native_baseline_product(limb_t *r, const limb_t *a, const limb_t *b, size_t n,
                                limb_t *scratch);
void lb_native_baseline_square(limb_t *r, const limb_t *a, size_t n, limb_t *scratch);

/* The same functions as add, sub, cond_sub, select, table_select, mul_1 and addmul_1, entered behind
   their hit flags; and what else products are made of. The assembly says what each does. */
limb_t lb_native_baseline_sum(limb_t *r, const limb_t *a, const limb_t *b, size_t n);
limb_t lb_native_baseline_difference(limb_t *r, const limb_t *a, const limb_t *b, size_t n);
limb_t lb_native_baseline_masked_difference(limb_t *r, const limb_t *a, const limb_t *b, size_t n,
                                            limb_t mask);
void lb_native_baseline_choice(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t mask);
void lb_native_baseline_table_entry(limb_t *r, const limb_t *table, size_t entries, size_t n,
                                    size_t index);
limb_t lb_native_baseline_mul_row(limb_t *r, const limb_t *a, size_t n, limb_t b);
limb_t lb_native_baseline_addmul_row(limb_t *r, const limb_t *a, size_t n, limb_t b);
limb_t lb_native_baseline_signed_sum(limb_t *r, const limb_t *a, const limb_t *b, size_t n,
                                     limb_t mask);
limb_t lb_native_baseline_increment(limb_t *r, size_t n, limb_t mask, limb_t c);

/* limbs-comba.S */
void lb_native_baseline_mul_4(limb_t *r, const limb_t *a, const limb_t *b);
void lb_native_baseline_mul_6(limb_t *r, const limb_t *a, const limb_t *b);
void lb_native_baseline_mul_8(limb_t *r, const limb_t *a, const limb_t *b);
void lb_native_baseline_mul_12(limb_t *r, const limb_t *a, const limb_t *b);
void lb_native_baseline_mul_16(limb_t *r, const limb_t *a, const limb_t *b);
void lb_native_baseline_sqr_4(limb_t *r, const limb_t *a);
void lb_native_baseline_sqr_6(limb_t *r, const limb_t *a);
void lb_native_baseline_sqr_8(limb_t *r, const limb_t *a);
void lb_native_baseline_sqr_12(limb_t *r, const limb_t *a);
void lb_native_baseline_sqr_16(limb_t *r, const limb_t *a);
void lb_native_baseline_double_and_add_diagonal(limb_t *r, const limb_t *a, size_t n);

/* moduli.c */
void lb_native_baseline_mont_mul(const struct limbic_ops *ops, const struct limbic_modulus *m,
                                 limb_t *r, const limb_t *a, const limb_t *b, limb_t *scratch);
void lb_native_baseline_mont_sqr(const struct limbic_ops *ops, const struct limbic_modulus *m,
                                 limb_t *r, const limb_t *a, limb_t *scratch);
void lb_native_baseline_mont_reduce(const struct limbic_ops *ops, const struct limbic_modulus *m,
                                    limb_t *r, limb_t *a, limb_t *scratch);
void lb_native_baseline_mont_pow(const struct limbic_ops *ops, const struct limbic_modulus *m,
                                 limb_t *r, const limb_t *a, const limb_t *e, size_t ebits,
                                 limb_t *scratch);
void lb_native_baseline_mont_pow_pair(const struct limbic_ops *ops, const struct limbic_pair *pair,
                                      limb_t *const r[2], const limb_t *const a[2],
                                      const limb_t *const e[2], size_t ebits, limb_t *scratch);
void lb_native_baseline_mont_pow_public(const struct limbic_ops *ops,
                                        const struct limbic_modulus *m, limb_t *r, const limb_t *a,
                                        const limb_t *e, size_t ebits, limb_t *scratch);

#endif
