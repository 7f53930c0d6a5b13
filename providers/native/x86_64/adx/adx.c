/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tier native/adx: its tables. Levels 1 and 2 for processors with mulx (BMI2), adcx and adox
 * (ADX), and 256-bit integer vectors (AVX2), which scan a table of powers in half the time and which
 * every processor with the other two has. Where native/baseline is as good, its functions stand.
 */
#include "providers/native/x86_64/adx/kernels.h"

#ifdef LIMBIC_TESTING
unsigned char lb_native_adx_hits[LIMBIC_SLOT_COUNT];
#endif

const struct limbic_limb_slots lb_native_adx_limbs = {
    .add = lb_native_baseline_add,
    .sub = lb_native_baseline_sub,
    .cond_add = lb_native_baseline_cond_add,
    .cond_sub = lb_native_baseline_cond_sub,
    .cond_swap = lb_native_baseline_cond_swap,
    .select = lb_native_baseline_select,
    .table_select = lb_native_adx_table_select,
    .lshift = lb_native_baseline_lshift,
    .rshift = lb_native_baseline_rshift,
    .mul_1 = lb_native_adx_mul_1,
    .addmul_1 = lb_native_adx_addmul_1,
    .submul_1 = lb_native_adx_submul_1,
    .mul = lb_native_adx_mul,
    .sqr = lb_native_adx_sqr,
    .mul_vartime = lb_native_adx_mul_vartime,
    .sqr_vartime = lb_native_adx_sqr_vartime,
};

const struct limbic_mod_family lb_native_adx_moduli = {
    .size = sizeof(struct limbic_mod_family),
    .slots =
        {
            .mont_mul = lb_native_adx_mont_mul,
            .mont_sqr = lb_native_adx_mont_sqr,
            .mont_reduce = lb_native_adx_mont_reduce,
            .mont_pow = lb_native_adx_mont_pow,
            .mont_pow_pair = lb_native_adx_mont_pow_pair,
            .mont_pow_public = lb_native_adx_mont_pow_public,
        },
};
