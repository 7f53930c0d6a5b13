/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tier native/adx: prototypes of its functions in assembly and in C. Private to this directory;
 * knows the provider ABI, and native/baseline, whose functions it takes where they are as good.
 */
#ifndef LB_PROVIDERS_X86_64_ADX_KERNELS_H
#define LB_PROVIDERS_X86_64_ADX_KERNELS_H

#include "providers/native/x86_64/baseline/kernels.h"

/* limbs-select.S */
void lb_native_adx_table_select(limb_t *r, const limb_t *table, size_t entries, size_t n,
                                size_t index);
/* The same, entered behind its hit flag. */
void lb_native_adx_table_entry(limb_t *r, const limb_t *table, size_t entries, size_t n,
                               size_t index);

/* limbs-row.S */
limb_t lb_native_adx_mul_1(limb_t *r, const limb_t *a, size_t n, limb_t b);
limb_t lb_native_adx_addmul_1(limb_t *r, const limb_t *a, size_t n, limb_t b);
limb_t lb_native_adx_submul_1(limb_t *r, const limb_t *a, size_t n, limb_t b);
/* mul_1 and addmul_1, entered behind their hit flags. */
limb_t lb_native_adx_mul_row(limb_t *r, const limb_t *a, size_t n, limb_t b);
limb_t lb_native_adx_addmul_row(limb_t *r, const limb_t *a, size_t n, limb_t b);

/* limbs-mul.c */
void lb_native_adx_mul(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn,
                       limb_t *scratch);
void lb_native_adx_sqr(limb_t *r, const limb_t *a, size_t n, limb_t *scratch);
void lb_native_adx_mul_vartime(limb_t *r, const limb_t *a, size_t an, const limb_t *b, size_t bn,
                               limb_t *scratch);
void lb_native_adx_sqr_vartime(limb_t *r, const limb_t *a, size_t n, limb_t *scratch);
/* mul and sqr of n limbs, entered behind their hit flags. */
void lb_native_adx_product(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t *scratch);
void lb_native_adx_square(limb_t *r, const limb_t *a, size_t n, limb_t *scratch);

/* limbs-block.S: multiples of eight limbs, in blocks of eight */
void lb_native_adx_mul_blocks(limb_t *r, const limb_t *a, size_t a_blocks, const limb_t *b,
                              size_t b_blocks);
void lb_native_adx_sqr_blocks(limb_t *r, const limb_t *a, size_t blocks);

/* moduli-reduce.S */
void lb_native_adx_reduce_blocks(limb_t *r, limb_t *t, const limb_t *m, size_t blocks,
                                 limb_t neg_inv);

/* moduli.c */
void lb_native_adx_mont_mul(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                            const limb_t *a, const limb_t *b, limb_t *scratch);
void lb_native_adx_mont_sqr(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                            const limb_t *a, limb_t *scratch);
void lb_native_adx_mont_reduce(const struct limbic_ops *ops, const struct limbic_modulus *m,
                               limb_t *r, limb_t *a, limb_t *scratch);
void lb_native_adx_mont_pow(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                            const limb_t *a, const limb_t *e, size_t ebits, limb_t *scratch);
void lb_native_adx_mont_pow_pair(const struct limbic_ops *ops, const struct limbic_pair *pair,
                                 limb_t *const r[2], const limb_t *const a[2],
                                 const limb_t *const e[2], size_t ebits, limb_t *scratch);
void lb_native_adx_mont_pow_public(const struct limbic_ops *ops, const struct limbic_modulus *m,
                                   limb_t *r, const limb_t *a, const limb_t *e, size_t ebits,
                                   limb_t *scratch);

#endif
