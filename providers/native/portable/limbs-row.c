/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Portable kernels: a row times one limb.
 */
#include "providers/native/portable/kernels.h"

/* The body of a row, unrolled by four. */
#define ROW(step) \
    limb_t c = 0; \
\
    for (; n >= 4; n -= 4, r += 4, a += 4) { \
        c = step(r + 0, a[0], b, c); \
        c = step(r + 1, a[1], b, c); \
        c = step(r + 2, a[2], b, c); \
        c = step(r + 3, a[3], b, c); \
    } \
    for (; n > 0; n--, r++, a++) \
        c = step(r, a[0], b, c); \
    return c

limb_t lb_portable_mul_row(limb_t *r, const limb_t *a, size_t n, limb_t b)
{
    ROW(mul_step);
}

limb_t lb_portable_addmul_row(limb_t *r, const limb_t *a, size_t n, limb_t b)
{
    ROW(addmul_step);
}

limb_t lb_portable_mul_1(limb_t *r, const limb_t *a, size_t n, limb_t b)
{
    LB_HIT(LIMBIC_SLOT_MUL_1);
    ROW(mul_step);
}

limb_t lb_portable_addmul_1(limb_t *r, const limb_t *a, size_t n, limb_t b)
{
    LB_HIT(LIMBIC_SLOT_ADDMUL_1);
    ROW(addmul_step);
}

limb_t lb_portable_submul_1(limb_t *r, const limb_t *a, size_t n, limb_t b)
{
    LB_HIT(LIMBIC_SLOT_SUBMUL_1);
    ROW(submul_step);
}
