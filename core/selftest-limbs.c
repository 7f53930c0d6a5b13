/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Self-tests of level 1: each slot on operands with the longest carry chains, whose results have a
 * closed form, and on patterns compared with the reference. Exhaustive differential testing is the
 * business of the test suite; this is what a process can afford when it first uses a kernel.
 */
#include "core/selftest.h"

#include <stdlib.h>
#include <string.h>

#include "core/number/nat.h"
#include "core/selftest-pattern.h"
#include "dispatch/slots.h"

#define ENTRIES 8
#define ONES ((limb_t) ~(limb_t)0)

struct bench {
    const struct limbic_ops *ops, *reference;
    size_t n;
    limb_t *a, *b, *table; /* n, n, ENTRIES n */
    limb_t *r, *expected;  /* 2n each */
    limb_t *scratch;
};

/* One test at one size: NULL, or what failed. */
typedef const char *(*test_fn)(const struct bench *b);

static const char *run_at(test_fn test, const struct limbic_ops *ops,
                          const struct limbic_ops *reference, size_t n)
{
    size_t scratch = LIMBIC_SCRATCH_MUL(n, n);
    size_t limbs = (6 + ENTRIES) * n;
    const char *failure;
    limb_t *memory = aligned_alloc(64, (limbs + scratch + 16) * sizeof(limb_t) / 64 * 64 + 64);

    if (!memory)
        return lb_selftest_no_memory;
    struct bench b = {.ops = ops, .reference = reference, .n = n, .scratch = memory};
    b.a = memory + (scratch + 7) / 8 * 8;
    b.b = b.a + n;
    b.table = b.b + n;
    b.r = b.table + ENTRIES * n;
    b.expected = b.r + 2 * n;
    failure = test(&b);
    free(memory);
    return failure;
}

/* At the class's own length, one limb less, and about half of it: even and odd loop counts. */
static const char *run(test_fn test, const struct limbic_ops *ops,
                       const struct limbic_ops *reference, size_t bits)
{
    size_t n = LB_LIMBS_OF_BITS(bits);
    const size_t sizes[3] = {n, n > 1 ? n - 1 : 1, n / 2 + 1};

    for (int i = 0; i < 3; i++) {
        const char *failure = run_at(test, ops, reference, sizes[i]);
        if (failure)
            return failure;
    }
    return NULL;
}

static int same(const limb_t *a, const limb_t *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* x[n] is `first`, then `rest` in every limb. */
static int is_filled(const limb_t *x, size_t n, limb_t first, limb_t rest)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != (i ? rest : first))
            return 0;
    return 1;
}

typedef limb_t (*add_fn)(limb_t *, const limb_t *, const limb_t *, size_t);
typedef limb_t (*cond_fn)(limb_t *, const limb_t *, const limb_t *, size_t, limb_t);
typedef limb_t (*shift_fn)(limb_t *, const limb_t *, size_t, unsigned);
typedef limb_t (*by_limb_fn)(limb_t *, const limb_t *, size_t, limb_t);
typedef void (*mul_fn)(limb_t *, const limb_t *, size_t, const limb_t *, size_t, limb_t *);
typedef void (*sqr_fn)(limb_t *, const limb_t *, size_t, limb_t *);

static const char *compare_add(const struct bench *b, add_fn f, add_fn g)
{
    for (unsigned i = 0; i < LB_PATTERNS; i++) {
        lb_pattern(b->a, b->n, i);
        lb_pattern(b->b, b->n, 3 * i + 1);
        if (f(b->r, b->a, b->b, b->n) != g(b->expected, b->a, b->b, b->n) ||
            !same(b->r, b->expected, b->n))
            return "differs from the reference";
    }
    return NULL;
}

static const char *test_add(const struct bench *b)
{
    lb_nat_set(b->b, b->n, 1);
    memset(b->a, 0xff, b->n * sizeof(limb_t));
    if (b->ops->limbs.add(b->r, b->a, b->b, b->n) != 1 || !is_filled(b->r, b->n, 0, 0))
        return "(B^n - 1) + 1";
    return compare_add(b, b->ops->limbs.add, b->reference->limbs.add);
}

static const char *test_sub(const struct bench *b)
{
    lb_nat_zero(b->a, b->n);
    lb_nat_set(b->b, b->n, 1);
    if (b->ops->limbs.sub(b->r, b->a, b->b, b->n) != 1 || !is_filled(b->r, b->n, ONES, ONES))
        return "0 - 1";
    return compare_add(b, b->ops->limbs.sub, b->reference->limbs.sub);
}

static const char *compare_cond(const struct bench *b, cond_fn f, cond_fn g)
{
    for (unsigned i = 0; i < 2 * LB_PATTERNS; i++) {
        limb_t mask = i & 1 ? ONES : 0;
        lb_pattern(b->a, b->n, i / 2);
        lb_pattern(b->b, b->n, i / 2 + 2);
        if (f(b->r, b->a, b->b, b->n, mask) != g(b->expected, b->a, b->b, b->n, mask) ||
            !same(b->r, b->expected, b->n))
            return "differs from the reference";
    }
    return NULL;
}

static const char *test_cond_add(const struct bench *b)
{
    memset(b->a, 0xff, b->n * sizeof(limb_t));
    lb_nat_set(b->b, b->n, 1);
    if (b->ops->limbs.cond_add(b->r, b->a, b->b, b->n, 0) != 0 || !same(b->r, b->a, b->n))
        return "mask 0";
    if (b->ops->limbs.cond_add(b->r, b->a, b->b, b->n, ONES) != 1 || !is_filled(b->r, b->n, 0, 0))
        return "(B^n - 1) + 1";
    return compare_cond(b, b->ops->limbs.cond_add, b->reference->limbs.cond_add);
}

static const char *test_cond_sub(const struct bench *b)
{
    lb_nat_zero(b->a, b->n);
    lb_nat_set(b->b, b->n, 1);
    if (b->ops->limbs.cond_sub(b->r, b->a, b->b, b->n, 0) != 0 || !same(b->r, b->a, b->n))
        return "mask 0";
    if (b->ops->limbs.cond_sub(b->r, b->a, b->b, b->n, ONES) != 1 ||
        !is_filled(b->r, b->n, ONES, ONES))
        return "0 - 1";
    return compare_cond(b, b->ops->limbs.cond_sub, b->reference->limbs.cond_sub);
}

static const char *test_cond_swap(const struct bench *b)
{
    for (unsigned i = 0; i < 2; i++) {
        limb_t mask = i ? ONES : 0;
        lb_pattern(b->a, b->n, LB_PATTERNS - 1);
        lb_pattern(b->b, b->n, LB_PATTERNS);
        lb_nat_copy(b->r, i ? b->b : b->a, b->n);
        lb_nat_copy(b->expected, i ? b->a : b->b, b->n);
        b->ops->limbs.cond_swap(b->a, b->b, b->n, mask);
        if (!same(b->a, b->r, b->n) || !same(b->b, b->expected, b->n))
            return i ? "mask ~0" : "mask 0";
    }
    return NULL;
}

static const char *test_select(const struct bench *b)
{
    lb_pattern(b->a, b->n, LB_PATTERNS - 1);
    lb_pattern(b->b, b->n, LB_PATTERNS);
    b->ops->limbs.select(b->r, b->a, b->b, b->n, ONES);
    if (!same(b->r, b->a, b->n))
        return "mask ~0";
    b->ops->limbs.select(b->r, b->a, b->b, b->n, 0);
    return same(b->r, b->b, b->n) ? NULL : "mask 0";
}

static const char *test_table_select(const struct bench *b)
{
    for (size_t i = 0; i < ENTRIES; i++)
        lb_pattern(b->table + i * b->n, b->n, LB_PATTERNS + (unsigned)i);
    for (size_t i = 0; i < ENTRIES; i++) {
        b->ops->limbs.table_select(b->r, b->table, ENTRIES, b->n, i);
        if (!same(b->r, b->table + i * b->n, b->n))
            return "wrong entry";
    }
    return NULL;
}

static const char *compare_shift(const struct bench *b, shift_fn f, shift_fn g)
{
    static const unsigned counts[] = {1, 7, LIMB_BITS / 2, LIMB_BITS - 1};

    for (unsigned i = 0; i < LB_PATTERNS; i++)
        for (unsigned j = 0; j < 4; j++) {
            lb_pattern(b->a, b->n, i);
            if (f(b->r, b->a, b->n, counts[j]) != g(b->expected, b->a, b->n, counts[j]) ||
                !same(b->r, b->expected, b->n))
                return "differs from the reference";
        }
    return NULL;
}

static const char *test_lshift(const struct bench *b)
{
    memset(b->a, 0xff, b->n * sizeof(limb_t));
    if (b->ops->limbs.lshift(b->r, b->a, b->n, 1) != 1 ||
        !is_filled(b->r, b->n, (limb_t)(ONES << 1), ONES))
        return "(B^n - 1) << 1";
    return compare_shift(b, b->ops->limbs.lshift, b->reference->limbs.lshift);
}

static const char *test_rshift(const struct bench *b)
{
    lb_nat_zero(b->a, b->n);
    b->a[0] = 1;
    if (b->ops->limbs.rshift(b->r, b->a, b->n, 1) != (limb_t)1 << (LIMB_BITS - 1) ||
        !is_filled(b->r, b->n, 0, 0))
        return "1 >> 1";
    return compare_shift(b, b->ops->limbs.rshift, b->reference->limbs.rshift);
}

static const char *compare_by_limb(const struct bench *b, by_limb_fn f, by_limb_fn g)
{
    static const limb_t factors[] = {0, 1, ONES, (limb_t)1 << (LIMB_BITS - 1),
                                     (limb_t)0x9e3779b97f4a7c15u};

    for (unsigned i = 0; i < LB_PATTERNS; i++)
        for (unsigned j = 0; j < 5; j++) {
            lb_pattern(b->a, b->n, i);
            lb_pattern(b->r, b->n, i + j);
            lb_nat_copy(b->expected, b->r, b->n);
            if (f(b->r, b->a, b->n, factors[j]) != g(b->expected, b->a, b->n, factors[j]) ||
                !same(b->r, b->expected, b->n))
                return "differs from the reference";
        }
    return NULL;
}

static const char *test_mul_1(const struct bench *b)
{
    memset(b->a, 0xff, b->n * sizeof(limb_t));
    if (b->ops->limbs.mul_1(b->r, b->a, b->n, ONES) != ONES - 1 || !is_filled(b->r, b->n, 1, ONES))
        return "(B^n - 1) (B - 1)";
    return compare_by_limb(b, b->ops->limbs.mul_1, b->reference->limbs.mul_1);
}

static const char *test_addmul_1(const struct bench *b)
{
    memset(b->a, 0xff, b->n * sizeof(limb_t));
    memset(b->r, 0xff, b->n * sizeof(limb_t));
    if (b->ops->limbs.addmul_1(b->r, b->a, b->n, ONES) != ONES || !is_filled(b->r, b->n, 0, ONES))
        return "(B^n - 1) + (B^n - 1) (B - 1)";
    return compare_by_limb(b, b->ops->limbs.addmul_1, b->reference->limbs.addmul_1);
}

static const char *test_submul_1(const struct bench *b)
{
    memset(b->a, 0xff, b->n * sizeof(limb_t));
    lb_nat_zero(b->r, b->n);
    if (b->ops->limbs.submul_1(b->r, b->a, b->n, ONES) != ONES || !is_filled(b->r, b->n, ONES, 0))
        return "0 - (B^n - 1) (B - 1)";
    return compare_by_limb(b, b->ops->limbs.submul_1, b->reference->limbs.submul_1);
}

/* r[2n] = (B^n - 1)^2 = B^2n - 2 B^n + 1. */
static int is_square_of_ones(const limb_t *r, size_t n)
{
    return is_filled(r, n, 1, 0) && is_filled(r + n, n, ONES - 1, ONES);
}

static const char *check_mul(const struct bench *b, mul_fn f, mul_fn g)
{
    size_t n = b->n, half = n / 2 + 1;

    memset(b->a, 0xff, n * sizeof(limb_t));
    memset(b->b, 0xff, n * sizeof(limb_t));
    f(b->r, b->a, n, b->b, n, b->scratch);
    if (!is_square_of_ones(b->r, n))
        return "(B^n - 1)^2";
    for (unsigned i = 0; i < LB_PATTERNS; i++) {
        lb_pattern(b->a, n, i);
        lb_pattern(b->b, n, i + 3);
        f(b->r, b->a, n, b->b, n, b->scratch);
        g(b->expected, b->a, n, b->b, n, b->scratch);
        if (!same(b->r, b->expected, 2 * n))
            return "differs from the reference";
        half = half > n ? n : half;
        f(b->r, b->a, half, b->b, n, b->scratch);
        g(b->expected, b->a, half, b->b, n, b->scratch);
        if (!same(b->r, b->expected, half + n))
            return "differs from the reference at unequal lengths";
    }
    return NULL;
}

static const char *test_mul(const struct bench *b)
{
    return check_mul(b, b->ops->limbs.mul, b->reference->limbs.mul);
}

static const char *test_mul_vartime(const struct bench *b)
{
    return check_mul(b, b->ops->limbs.mul_vartime, b->reference->limbs.mul_vartime);
}

static const char *check_sqr(const struct bench *b, sqr_fn f, mul_fn g)
{
    size_t n = b->n;

    memset(b->a, 0xff, n * sizeof(limb_t));
    f(b->r, b->a, n, b->scratch);
    if (!is_square_of_ones(b->r, n))
        return "(B^n - 1)^2";
    for (unsigned i = 0; i < LB_PATTERNS; i++) {
        lb_pattern(b->a, n, i);
        f(b->r, b->a, n, b->scratch);
        g(b->expected, b->a, n, b->a, n, b->scratch);
        if (!same(b->r, b->expected, 2 * n))
            return "differs from a multiplication";
    }
    return NULL;
}

static const char *test_sqr(const struct bench *b)
{
    return check_sqr(b, b->ops->limbs.sqr, b->reference->limbs.mul);
}

static const char *test_sqr_vartime(const struct bench *b)
{
    return check_sqr(b, b->ops->limbs.sqr_vartime, b->reference->limbs.mul);
}

#define SELFTEST(slot) \
    const char *lb_selftest_##slot(const struct limbic_ops *ops, \
                                   const struct limbic_ops *reference, size_t bits) \
    { \
        return run(test_##slot, ops, reference, bits); \
    }

SELFTEST(add)
SELFTEST(sub)
SELFTEST(cond_add)
SELFTEST(cond_sub)
SELFTEST(cond_swap)
SELFTEST(select)
SELFTEST(table_select)
SELFTEST(lshift)
SELFTEST(rshift)
SELFTEST(mul_1)
SELFTEST(addmul_1)
SELFTEST(submul_1)
SELFTEST(mul)
SELFTEST(sqr)
SELFTEST(mul_vartime)
SELFTEST(sqr_vartime)
