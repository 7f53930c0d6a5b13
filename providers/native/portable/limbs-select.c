/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Portable kernels: choices by secret masks and a secret index. Every operand is read in full
 * whatever is chosen.
 */
#include "providers/native/portable/kernels.h"

void lb_portable_cond_swap(limb_t *a, limb_t *b, size_t n, limb_t mask)
{
    limb_t m = hidden(mask);

    LB_HIT(LIMBIC_SLOT_COND_SWAP);
    for (size_t i = 0; i < n; i++) {
        limb_t t = (a[i] ^ b[i]) & m;

        a[i] ^= t;
        b[i] ^= t;
    }
}

void lb_portable_select(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t mask)
{
    limb_t m = hidden(mask);

    LB_HIT(LIMBIC_SLOT_SELECT);
    for (size_t i = 0; i < n; i++)
        r[i] = b[i] ^ ((a[i] ^ b[i]) & m);
}

/* Sixteen octets at a time in the compilers' generic vectors, which gcc and clang map to the vector
   registers of the host's baseline, and to limbs where there are none. */
typedef limb_t vector_t __attribute__((vector_size(16)));
#define VECTOR_LIMBS (sizeof(vector_t) / sizeof(limb_t))
#define BLOCK_LIMBS (4 * VECTOR_LIMBS) /* summed in registers in one pass over the table */

/* ~0 if the entry is the one asked for. Both are small, so that the subtraction borrows exactly if
   they are equal. */
static inline limb_t entry_mask(size_t entry, size_t index)
{
    limb_t differs = (limb_t)entry ^ (limb_t)index;

    return hidden((limb_t)0 - ((differs - 1) >> (LIMB_BITS - 1)));
}

static inline vector_t load(const limb_t *p)
{
    vector_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store(limb_t *p, vector_t v)
{
    memcpy(p, &v, sizeof v);
}

static void select_block(limb_t *r, const limb_t *table, size_t entries, size_t stride,
                         size_t index)
{
    vector_t r0 = {0}, r1 = {0}, r2 = {0}, r3 = {0};

    for (size_t e = 0; e < entries; e++, table += stride) {
        vector_t m = (vector_t){0} + entry_mask(e, index);

        r0 |= load(table) & m;
        r1 |= load(table + VECTOR_LIMBS) & m;
        r2 |= load(table + 2 * VECTOR_LIMBS) & m;
        r3 |= load(table + 3 * VECTOR_LIMBS) & m;
    }
    store(r, r0);
    store(r + VECTOR_LIMBS, r1);
    store(r + 2 * VECTOR_LIMBS, r2);
    store(r + 3 * VECTOR_LIMBS, r3);
}

static void select_vector(limb_t *r, const limb_t *table, size_t entries, size_t stride,
                          size_t index)
{
    vector_t sum = {0};

    for (size_t e = 0; e < entries; e++, table += stride)
        sum |= load(table) & ((vector_t){0} + entry_mask(e, index));
    store(r, sum);
}

static limb_t select_limb(const limb_t *table, size_t entries, size_t stride, size_t index)
{
    limb_t sum = 0;

    for (size_t e = 0; e < entries; e++, table += stride)
        sum |= table[0] & entry_mask(e, index);
    return sum;
}

void lb_portable_table_select(limb_t *r, const limb_t *table, size_t entries, size_t n,
                              size_t index)
{
    size_t i = 0;

    LB_HIT(LIMBIC_SLOT_TABLE_SELECT);
    for (; i + BLOCK_LIMBS <= n; i += BLOCK_LIMBS)
        select_block(r + i, table + i, entries, n, index);
    for (; i + VECTOR_LIMBS <= n; i += VECTOR_LIMBS)
        select_vector(r + i, table + i, entries, n, index);
    for (; i < n; i++)
        r[i] = select_limb(table + i, entries, n, index);
}
