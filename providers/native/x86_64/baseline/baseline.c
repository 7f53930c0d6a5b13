/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tier native/baseline: its tables. Levels 1 and 2 in assembly that runs on every x86-64 processor.
 */
#include "providers/native/x86_64/asm.h"
#include "providers/native/x86_64/baseline/kernels.h"

#ifdef LIMBIC_TESTING
unsigned char lb_native_baseline_hits[LIMBIC_SLOT_COUNT];
#endif

/* The assembly has its own spelling of the slots' numbers, and its own idea of a limb. */
#define SAME(slot) \
    _Static_assert((int)LB_ASM_SLOT_##slot == (int)LIMBIC_SLOT_##slot, "a slot's number")
SAME(ADD);
SAME(SUB);
SAME(COND_ADD);
SAME(COND_SUB);
SAME(COND_SWAP);
SAME(SELECT);
SAME(TABLE_SELECT);
SAME(LSHIFT);
SAME(RSHIFT);
SAME(MUL_1);
SAME(ADDMUL_1);
SAME(SUBMUL_1);
_Static_assert(sizeof(limb_t) == 8 && sizeof(size_t) == 8, "limbs and lengths of 64 bits");

const struct limbic_limb_slots lb_native_baseline_limbs = {
    .add = lb_native_baseline_add,
    .sub = lb_native_baseline_sub,
    .cond_add = lb_native_baseline_cond_add,
    .cond_sub = lb_native_baseline_cond_sub,
    .cond_swap = lb_native_baseline_cond_swap,
    .select = lb_native_baseline_select,
    .table_select = lb_native_baseline_table_select,
    .lshift = lb_native_baseline_lshift,
    .rshift = lb_native_baseline_rshift,
    .mul_1 = lb_native_baseline_mul_1,
    .addmul_1 = lb_native_baseline_addmul_1,
    .submul_1 = lb_native_baseline_submul_1,
    .mul = lb_native_baseline_mul,
    .sqr = lb_native_baseline_sqr,
    .mul_vartime = lb_native_baseline_mul_vartime,
    .sqr_vartime = lb_native_baseline_sqr_vartime,
};

const struct limbic_mod_family lb_native_baseline_moduli = {
    .size = sizeof(struct limbic_mod_family),
    .slots =
        {
            .mont_mul = lb_native_baseline_mont_mul,
            .mont_sqr = lb_native_baseline_mont_sqr,
            .mont_reduce = lb_native_baseline_mont_reduce,
            .mont_pow = lb_native_baseline_mont_pow,
            .mont_pow_pair = lb_native_baseline_mont_pow_pair,
            .mont_pow_public = lb_native_baseline_mont_pow_public,
        },
};
