/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the module gmp share. Private to this directory, the only one that includes
 * <gmp.h>; knows the provider ABI and GMP.
 *
 * Of GMP only those functions are called that take all memory from their caller and, where secrets
 * are concerned, neither branch nor index by a value: the ones that the GMP manual names so
 * (chapter "Low-level Functions", section "Low-level functions for cryptography": mpn_sec_*,
 * mpn_cnd_*), and the single passes mpn_add_n, mpn_sub_n, mpn_mul_1, mpn_addmul_1, mpn_submul_1,
 * mpn_lshift and mpn_rshift. mpn_mul and mpn_sqr may ask for memory and branch in their Toom
 * ranges, so not even the slots for public data use them; a program that replaces GMP's memory
 * functions does not disturb this module.
 */
#ifndef LB_PROVIDERS_GMP_KERNELS_H
#define LB_PROVIDERS_GMP_KERNELS_H

#include <gmp.h>

#include "limbic-provider.h"

typedef limbic_limb_t limb_t;
#define LIMB_BITS LIMBIC_LIMB_BITS

_Static_assert(GMP_NUMB_BITS == LIMBIC_LIMB_BITS && sizeof(mp_limb_t) == sizeof(limb_t),
               "the module is built where GMP's limbs are limbic's");

/* The two limb types may differ in name (unsigned int and unsigned long), not in form. */
static inline mp_ptr mp(limb_t *p)
{
    return (mp_ptr)(void *)p;
}

static inline mp_srcptr mpc(const limb_t *p)
{
    return (mp_srcptr)(const void *)p;
}

static inline mp_size_t len(size_t n)
{
    return (mp_size_t)n;
}

/* Scratch that GMP asks for in these kernels, at n limbs; the tables are closed if it exceeds what
   the slots give (see gmp.c). */
#define ROOM_MUL LIMBIC_SCRATCH_MUL
#define ROOM_MONT(n) (LIMBIC_SCRATCH_MONT(n) - 2 * (size_t)(n))

extern const struct limbic_limb_slots lb_gmp_limbs;
extern const struct limbic_mod_family lb_gmp_moduli;

#endif
