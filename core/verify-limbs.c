/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The checks of level 1. A limb function is not told its row, so each check exists once for every
 * family that there can be, and knows its family by that: no state, so rows, plans and threads
 * have nothing to agree on.
 */
#include "core/verify.h"

#define MAX_LENGTH (2 * (size_t)LIMBIC_MAX_LIMBS)

static void demand_length(const struct lb_call *call, size_t n)
{
    lb_demand(call, n >= 1 && n <= MAX_LENGTH, "lengths are 1 .. 2 * LIMBIC_MAX_LIMBS");
}

static void demand_mask(const struct lb_call *call, limb_t mask)
{
    lb_demand(call, mask == 0 || mask == ~(limb_t)0, "mask is 0 or ~0");
}

static void demand_shift(const struct lb_call *call, unsigned s)
{
    lb_demand(call, s >= 1 && s < LIMB_BITS, "1 <= s < LIMBIC_LIMB_BITS");
}

/* r[n] of a[n] and b[n]. */
static void demand_two(const struct lb_call *call, const limb_t *r, const limb_t *a,
                       const limb_t *b, size_t n)
{
    const struct lb_array arrays[] = {
        {.name = "r", .at = r, .n = n, .written = true, .exact = {"a", "b"}},
        {.name = "a", .at = a, .n = n},
        {.name = "b", .at = b, .n = n},
    };

    demand_length(call, n);
    lb_demand_arrays(call, arrays, 3);
}

/* r[n] of a[n]. */
static void demand_one(const struct lb_call *call, const limb_t *r, const limb_t *a, size_t n)
{
    const struct lb_array arrays[] = {
        {.name = "r", .at = r, .n = n, .written = true, .exact = {"a"}},
        {.name = "a", .at = a, .n = n},
    };

    demand_length(call, n);
    lb_demand_arrays(call, arrays, 2);
}

static limb_t expect_carry(const struct lb_call *call, limb_t carry)
{
    lb_expect(call, carry <= 1, "the carry or borrow is 0 or 1");
    return carry;
}

static limb_t check_add(const struct lb_call *call, limb_t *r, const limb_t *a, const limb_t *b,
                        size_t n)
{
    demand_two(call, r, a, b, n);
    return expect_carry(call, lb_verify_limbs(call->family)->add(r, a, b, n));
}

static limb_t check_sub(const struct lb_call *call, limb_t *r, const limb_t *a, const limb_t *b,
                        size_t n)
{
    demand_two(call, r, a, b, n);
    return expect_carry(call, lb_verify_limbs(call->family)->sub(r, a, b, n));
}

static limb_t check_cond_add(const struct lb_call *call, limb_t *r, const limb_t *a,
                             const limb_t *b, size_t n, limb_t mask)
{
    demand_two(call, r, a, b, n);
    demand_mask(call, mask);
    return expect_carry(call, lb_verify_limbs(call->family)->cond_add(r, a, b, n, mask));
}

static limb_t check_cond_sub(const struct lb_call *call, limb_t *r, const limb_t *a,
                             const limb_t *b, size_t n, limb_t mask)
{
    demand_two(call, r, a, b, n);
    demand_mask(call, mask);
    return expect_carry(call, lb_verify_limbs(call->family)->cond_sub(r, a, b, n, mask));
}

static void check_cond_swap(const struct lb_call *call, limb_t *a, limb_t *b, size_t n, limb_t mask)
{
    const struct lb_array arrays[] = {
        {.name = "a", .at = a, .n = n, .written = true},
        {.name = "b", .at = b, .n = n, .written = true},
    };

    demand_length(call, n);
    lb_demand_arrays(call, arrays, 2);
    demand_mask(call, mask);
    lb_verify_limbs(call->family)->cond_swap(a, b, n, mask);
}

static void check_select(const struct lb_call *call, limb_t *r, const limb_t *a, const limb_t *b,
                         size_t n, limb_t mask)
{
    demand_two(call, r, a, b, n);
    demand_mask(call, mask);
    lb_verify_limbs(call->family)->select(r, a, b, n, mask);
}

static void check_table_select(const struct lb_call *call, limb_t *r, const limb_t *table,
                               size_t entries, size_t n, size_t index)
{
    const struct lb_array arrays[] = {
        {.name = "r", .at = r, .n = n, .written = true},
        {.name = "table", .at = table, .n = entries * n},
    };

    demand_length(call, n);
    lb_demand(call, entries >= 1 && entries <= 64, "1 <= entries <= 64");
    lb_demand(call, index < entries, "index < entries");
    lb_demand_arrays(call, arrays, 2);
    lb_verify_limbs(call->family)->table_select(r, table, entries, n, index);
}

static limb_t check_lshift(const struct lb_call *call, limb_t *r, const limb_t *a, size_t n,
                           unsigned s)
{
    limb_t out;

    demand_one(call, r, a, n);
    demand_shift(call, s);
    out = lb_verify_limbs(call->family)->lshift(r, a, n, s);
    lb_expect(call, out >> s == 0, "what is shifted out is below 2^s");
    return out;
}

static limb_t check_rshift(const struct lb_call *call, limb_t *r, const limb_t *a, size_t n,
                           unsigned s)
{
    limb_t out;

    demand_one(call, r, a, n);
    demand_shift(call, s);
    out = lb_verify_limbs(call->family)->rshift(r, a, n, s);
    lb_expect(call, (limb_t)(out << s) == 0, "what is shifted out is in the high s bits");
    return out;
}

static limb_t check_mul_1(const struct lb_call *call, limb_t *r, const limb_t *a, size_t n,
                          limb_t b)
{
    demand_one(call, r, a, n);
    return lb_verify_limbs(call->family)->mul_1(r, a, n, b);
}

static limb_t check_addmul_1(const struct lb_call *call, limb_t *r, const limb_t *a, size_t n,
                             limb_t b)
{
    demand_one(call, r, a, n);
    return lb_verify_limbs(call->family)->addmul_1(r, a, n, b);
}

static limb_t check_submul_1(const struct lb_call *call, limb_t *r, const limb_t *a, size_t n,
                             limb_t b)
{
    demand_one(call, r, a, n);
    return lb_verify_limbs(call->family)->submul_1(r, a, n, b);
}

static void demand_product(const struct lb_call *call, const limb_t *r, const limb_t *a, size_t an,
                           const limb_t *b, size_t bn, const limb_t *scratch)
{
    const struct lb_array arrays[] = {
        {.name = "r", .at = r, .n = an + bn, .written = true},
        {.name = "a", .at = a, .n = an},
        {.name = "b", .at = b, .n = bn},
        {.name = "scratch", .at = scratch, .n = LIMBIC_SCRATCH_MUL(an, bn), .written = true},
    };

    demand_length(call, an);
    demand_length(call, bn);
    lb_demand_arrays(call, arrays, 4);
}

static void check_mul(const struct lb_call *call, limb_t *r, const limb_t *a, size_t an,
                      const limb_t *b, size_t bn, limb_t *scratch)
{
    demand_product(call, r, a, an, b, bn, scratch);
    lb_verify_limbs(call->family)->mul(r, a, an, b, bn, scratch);
}

static void check_sqr(const struct lb_call *call, limb_t *r, const limb_t *a, size_t n,
                      limb_t *scratch)
{
    demand_product(call, r, a, n, a, n, scratch);
    lb_verify_limbs(call->family)->sqr(r, a, n, scratch);
}

static void check_mul_vartime(const struct lb_call *call, limb_t *r, const limb_t *a, size_t an,
                              const limb_t *b, size_t bn, limb_t *scratch)
{
    demand_product(call, r, a, an, b, bn, scratch);
    lb_verify_limbs(call->family)->mul_vartime(r, a, an, b, bn, scratch);
}

static void check_sqr_vartime(const struct lb_call *call, limb_t *r, const limb_t *a, size_t n,
                              limb_t *scratch)
{
    demand_product(call, r, a, n, a, n, scratch);
    lb_verify_limbs(call->family)->sqr_vartime(r, a, n, scratch);
}

/* ---- One function for each slot and family -------------------------------------------------- */

_Static_assert(LIMBIC_FAMILY_MAX == 32, "EACH_FAMILY counts to 31");
#define EACH_FAMILY(X, ...) \
    X(0, __VA_ARGS__) \
    X(1, __VA_ARGS__) \
    X(2, __VA_ARGS__) \
    X(3, __VA_ARGS__) \
    X(4, __VA_ARGS__) \
    X(5, __VA_ARGS__) \
    X(6, __VA_ARGS__) \
    X(7, __VA_ARGS__) \
    X(8, __VA_ARGS__) \
    X(9, __VA_ARGS__) \
    X(10, __VA_ARGS__) \
    X(11, __VA_ARGS__) \
    X(12, __VA_ARGS__) \
    X(13, __VA_ARGS__) \
    X(14, __VA_ARGS__) \
    X(15, __VA_ARGS__) \
    X(16, __VA_ARGS__) \
    X(17, __VA_ARGS__) \
    X(18, __VA_ARGS__) \
    X(19, __VA_ARGS__) \
    X(20, __VA_ARGS__) \
    X(21, __VA_ARGS__) \
    X(22, __VA_ARGS__) \
    X(23, __VA_ARGS__) \
    X(24, __VA_ARGS__) \
    X(25, __VA_ARGS__) \
    X(26, __VA_ARGS__) \
    X(27, __VA_ARGS__) \
    X(28, __VA_ARGS__) \
    X(29, __VA_ARGS__) \
    X(30, __VA_ARGS__) \
    X(31, __VA_ARGS__)

/* `give` is `return`, or nothing where the slot returns nothing. */
#define ONE(number, ID, member, type, give, parameters, ...) \
    static type member##_##number parameters \
    { \
        static const struct lb_call call = {LIMBIC_SLOT_##ID, number}; \
        give check_##member(&call, __VA_ARGS__); \
    }
#define ADDRESS(number, member) (lb_kernel) member##_##number,

#define SLOT(ID, member, type, give, parameters, ...) \
    EACH_FAMILY(ONE, ID, member, type, give, parameters, __VA_ARGS__) \
    lb_kernel lb_verify_##member(unsigned family) \
    { \
        static const lb_kernel each[] = {EACH_FAMILY(ADDRESS, member)}; \
        return each[family]; \
    }

#define TWO (limb_t * r, const limb_t *a, const limb_t *b, size_t n)
#define TWO_MASKED (limb_t * r, const limb_t *a, const limb_t *b, size_t n, limb_t mask)
#define SWAP (limb_t * a, limb_t * b, size_t n, limb_t mask)
#define TABLE (limb_t * r, const limb_t *table, size_t entries, size_t n, size_t index)
#define SHIFT (limb_t * r, const limb_t *a, size_t n, unsigned s)
#define BY_LIMB (limb_t * r, const limb_t *a, size_t n, limb_t b)
#define PRODUCT \
    (limb_t * r, const limb_t *a, size_t an, const limb_t *b, size_t bn, limb_t *scratch)
#define SQUARE (limb_t * r, const limb_t *a, size_t n, limb_t *scratch)

SLOT(ADD, add, limb_t, return, TWO, r, a, b, n)
SLOT(SUB, sub, limb_t, return, TWO, r, a, b, n)
SLOT(COND_ADD, cond_add, limb_t, return, TWO_MASKED, r, a, b, n, mask)
SLOT(COND_SUB, cond_sub, limb_t, return, TWO_MASKED, r, a, b, n, mask)
SLOT(COND_SWAP, cond_swap, void, , SWAP, a, b, n, mask)
SLOT(SELECT, select, void, , TWO_MASKED, r, a, b, n, mask)
SLOT(TABLE_SELECT, table_select, void, , TABLE, r, table, entries, n, index)
SLOT(LSHIFT, lshift, limb_t, return, SHIFT, r, a, n, s)
SLOT(RSHIFT, rshift, limb_t, return, SHIFT, r, a, n, s)
SLOT(MUL_1, mul_1, limb_t, return, BY_LIMB, r, a, n, b)
SLOT(ADDMUL_1, addmul_1, limb_t, return, BY_LIMB, r, a, n, b)
SLOT(SUBMUL_1, submul_1, limb_t, return, BY_LIMB, r, a, n, b)
SLOT(MUL, mul, void, , PRODUCT, r, a, an, b, bn, scratch)
SLOT(SQR, sqr, void, , SQUARE, r, a, n, scratch)
SLOT(MUL_VARTIME, mul_vartime, void, , PRODUCT, r, a, an, b, bn, scratch)
SLOT(SQR_VARTIME, sqr_vartime, void, , SQUARE, r, a, n, scratch)
