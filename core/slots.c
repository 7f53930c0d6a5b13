/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of slot descriptors that core hands to dispatch: names, levels, constant-time classes,
 * places in the tables, self-tests, checks of --enable-verify. Adding a slot means a line here.
 */
#include "dispatch/slots.h"

#include "core/selftest.h"

#ifdef VERIFY
#include "core/verify.h"
#define VERIFIED_BY(function) , function
#else
#define VERIFIED_BY(function)
#endif

#define LIMBS(ID, member, ct_class, test) \
    { \
        LIMBIC_SLOT_##ID, #member, 1, ct_class, offsetof(struct limbic_ops, limbs.member), \
            offsetof(struct limbic_limb_slots, member), test VERIFIED_BY(lb_verify_##member) \
    }
#define MODULI(ID, member, ct_class, test) \
    { \
        LIMBIC_SLOT_##ID, #member, 2, ct_class, offsetof(struct limbic_ops, moduli.member), \
            offsetof(struct limbic_mod_slots, member), test VERIFIED_BY(lb_verify_##member) \
    }
#define CURVES(ID, member, ct_class, test) \
    { \
        LIMBIC_SLOT_##ID, #member, 3, ct_class, offsetof(struct limbic_ops, curves.member), \
            offsetof(struct limbic_curve_slots, member), test VERIFIED_BY(NULL) \
    }
#define SECRET LIMBIC_CT_SECRET_OK
#define PUBLIC LIMBIC_CT_PUBLIC_ONLY

const struct lb_slot lb_slots[] = {
    LIMBS(ADD, add, SECRET, lb_selftest_add),
    LIMBS(SUB, sub, SECRET, lb_selftest_sub),
    LIMBS(COND_ADD, cond_add, SECRET, lb_selftest_cond_add),
    LIMBS(COND_SUB, cond_sub, SECRET, lb_selftest_cond_sub),
    LIMBS(COND_SWAP, cond_swap, SECRET, lb_selftest_cond_swap),
    LIMBS(SELECT, select, SECRET, lb_selftest_select),
    LIMBS(TABLE_SELECT, table_select, SECRET, lb_selftest_table_select),
    LIMBS(LSHIFT, lshift, SECRET, lb_selftest_lshift),
    LIMBS(RSHIFT, rshift, SECRET, lb_selftest_rshift),
    LIMBS(MUL_1, mul_1, SECRET, lb_selftest_mul_1),
    LIMBS(ADDMUL_1, addmul_1, SECRET, lb_selftest_addmul_1),
    LIMBS(SUBMUL_1, submul_1, SECRET, lb_selftest_submul_1),
    LIMBS(MUL, mul, SECRET, lb_selftest_mul),
    LIMBS(SQR, sqr, SECRET, lb_selftest_sqr),
    LIMBS(MUL_VARTIME, mul_vartime, PUBLIC, lb_selftest_mul_vartime),
    LIMBS(SQR_VARTIME, sqr_vartime, PUBLIC, lb_selftest_sqr_vartime),
    MODULI(MONT_MUL, mont_mul, SECRET, lb_selftest_mont_mul),
    MODULI(MONT_SQR, mont_sqr, SECRET, lb_selftest_mont_sqr),
    MODULI(MONT_REDUCE, mont_reduce, SECRET, lb_selftest_mont_reduce),
    MODULI(MONT_POW, mont_pow, SECRET, lb_selftest_mont_pow),
    MODULI(MONT_POW_PAIR, mont_pow_pair, SECRET, lb_selftest_mont_pow_pair),
    MODULI(MONT_POW_X8, mont_pow_x8, SECRET, lb_selftest_mont_pow_x8),
    MODULI(MONT_POW_PUBLIC, mont_pow_public, SECRET, lb_selftest_mont_pow_public),
    MODULI(MONT_POW_BASE, mont_pow_base, SECRET, lb_selftest_mont_pow_base),
    MODULI(MONT_POW2_VARTIME, mont_pow2_vartime, PUBLIC, lb_selftest_mont_pow2_vartime),
    MODULI(MONT_INV, mont_inv, SECRET, lb_selftest_mont_inv),
    CURVES(EC_MUL_BASE, ec_mul_base, SECRET, NULL),
    CURVES(EC_MUL, ec_mul, SECRET, NULL),
    CURVES(EC_CHECK_VARTIME, ec_check_vartime, PUBLIC, NULL),
    CURVES(EC_MUL_BASE_X8, ec_mul_base_x8, SECRET, NULL),
    CURVES(EC_MUL_X8, ec_mul_x8, SECRET, NULL),
    CURVES(EC_CHECK_X8_VARTIME, ec_check_x8_vartime, PUBLIC, NULL),
};

const size_t lb_slot_count = sizeof lb_slots / sizeof lb_slots[0];

const struct lb_slot *lb_slot_by_id(enum limbic_slot id)
{
    for (size_t i = 0; i < lb_slot_count; i++)
        if (lb_slots[i].id == id)
            return &lb_slots[i];
    return NULL;
}
