/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Portable kernels: addition and subtraction, plain and under a mask.
 */
#include "providers/native/portable/kernels.h"

/* The body of a sum or difference, unrolled by four. of(x) is what becomes of a limb of b. */
#define SUM(step, of) \
    limb_t c = 0; \
\
    for (; n >= 4; n -= 4, r += 4, a += 4, b += 4) { \
        c = step(r + 0, a[0], of(b[0]), c); \
        c = step(r + 1, a[1], of(b[1]), c); \
        c = step(r + 2, a[2], of(b[2]), c); \
        c = step(r + 3, a[3], of(b[3]), c); \
    } \
    for (; n > 0; n--, r++, a++, b++) \
        c = step(r, a[0], of(b[0]), c); \
    return c

#define PLAIN(x) (x)
#define MASKED(x) ((x)&m)

limb_t lb_portable_add(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    LB_HIT(LIMBIC_SLOT_ADD);
    SUM(add_step, PLAIN);
}

limb_t lb_portable_sub(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    LB_HIT(LIMBIC_SLOT_SUB);
    SUM(sub_step, PLAIN);
}

limb_t lb_portable_cond_add(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t mask)
{
    limb_t m = hidden(mask);

    LB_HIT(LIMBIC_SLOT_COND_ADD);
    SUM(add_step, MASKED);
}

limb_t lb_portable_cond_sub(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t mask)
{
    limb_t m = hidden(mask);

    LB_HIT(LIMBIC_SLOT_COND_SUB);
    SUM(sub_step, MASKED);
}
