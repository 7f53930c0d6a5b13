/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Self-tests of the slots, one function each, as dispatch/slots.h describes them: answers known in
 * closed form, then comparison with the reference row. Levels 1 and 2.
 */
#ifndef LB_CORE_SELFTEST_H
#define LB_CORE_SELFTEST_H

#include "limbic-provider.h"

const char *lb_selftest_add(const struct limbic_ops *ops, const struct limbic_ops *reference,
                            size_t bits);
const char *lb_selftest_sub(const struct limbic_ops *ops, const struct limbic_ops *reference,
                            size_t bits);
const char *lb_selftest_cond_add(const struct limbic_ops *ops, const struct limbic_ops *reference,
                                 size_t bits);
const char *lb_selftest_cond_sub(const struct limbic_ops *ops, const struct limbic_ops *reference,
                                 size_t bits);
const char *lb_selftest_cond_swap(const struct limbic_ops *ops, const struct limbic_ops *reference,
                                  size_t bits);
const char *lb_selftest_select(const struct limbic_ops *ops, const struct limbic_ops *reference,
                               size_t bits);
const char *lb_selftest_table_select(const struct limbic_ops *ops,
                                     const struct limbic_ops *reference, size_t bits);
const char *lb_selftest_lshift(const struct limbic_ops *ops, const struct limbic_ops *reference,
                               size_t bits);
const char *lb_selftest_rshift(const struct limbic_ops *ops, const struct limbic_ops *reference,
                               size_t bits);
const char *lb_selftest_mul_1(const struct limbic_ops *ops, const struct limbic_ops *reference,
                              size_t bits);
const char *lb_selftest_addmul_1(const struct limbic_ops *ops, const struct limbic_ops *reference,
                                 size_t bits);
const char *lb_selftest_submul_1(const struct limbic_ops *ops, const struct limbic_ops *reference,
                                 size_t bits);
const char *lb_selftest_mul(const struct limbic_ops *ops, const struct limbic_ops *reference,
                            size_t bits);
const char *lb_selftest_sqr(const struct limbic_ops *ops, const struct limbic_ops *reference,
                            size_t bits);
const char *lb_selftest_mul_vartime(const struct limbic_ops *ops,
                                    const struct limbic_ops *reference, size_t bits);
const char *lb_selftest_sqr_vartime(const struct limbic_ops *ops,
                                    const struct limbic_ops *reference, size_t bits);
const char *lb_selftest_mont_mul(const struct limbic_ops *ops, const struct limbic_ops *reference,
                                 size_t bits);
const char *lb_selftest_mont_sqr(const struct limbic_ops *ops, const struct limbic_ops *reference,
                                 size_t bits);
const char *lb_selftest_mont_reduce(const struct limbic_ops *ops,
                                    const struct limbic_ops *reference, size_t bits);
const char *lb_selftest_mont_pow(const struct limbic_ops *ops, const struct limbic_ops *reference,
                                 size_t bits);
const char *lb_selftest_mont_pow_pair(const struct limbic_ops *ops,
                                      const struct limbic_ops *reference, size_t bits);
const char *lb_selftest_mont_pow_x8(const struct limbic_ops *ops,
                                    const struct limbic_ops *reference, size_t bits);
const char *lb_selftest_mont_pow_public(const struct limbic_ops *ops,
                                        const struct limbic_ops *reference, size_t bits);
const char *lb_selftest_mont_pow_base(const struct limbic_ops *ops,
                                      const struct limbic_ops *reference, size_t bits);
const char *lb_selftest_mont_pow2_vartime(const struct limbic_ops *ops,
                                          const struct limbic_ops *reference, size_t bits);
const char *lb_selftest_mont_inv(const struct limbic_ops *ops, const struct limbic_ops *reference,
                                 size_t bits);

#endif
