/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Self-tests of level 1: each slot on operands with the longest carry chains, whose results have a
 * closed form, and on patterns compared with the reference; once in place; with the limbs beside
 * each array watched, and the operands. Exhaustive differential testing is the business of the test
 * suite; this is what a process can afford when it first uses a kernel.
 */
#include "core/selftest.h"

#include <stdlib.h>
#include <string.h>

#include "core/number/nat.h"
#include "core/selftest-pattern.h"
#include "dispatch/slots.h"

#define ENTRIES 8
#define GUARD 4 /* limbs behind every array: as many as a vector register has */
#define GUARD_LIMB ((limb_t)0x5bd1e995c2b2ae35u)
#define ONES ((limb_t) ~(limb_t)0)

/* Each array ends where a guard begins. */
struct bench {
    const struct limbic_ops *ops, *reference;
    size_t n;
    limb_t *a, *b, *kept; /* n, n, and a copy of the stretch from a to b's end */
    limb_t *table;        /* ENTRIES n */
    limb_t *r, *expected; /* as long as the slot's result */
    limb_t *scratch;
};

/* One test at one size: NULL, or what failed. */
typedef const char *(*test_fn)(const struct bench *b);

/* Takes an array off the memory at *at. */
static limb_t *take(limb_t **at, size_t length)
{
    limb_t *array = *at;

    *at += length + GUARD;
    return array;
}

static int is_guard(const limb_t *at)
{
    return at[0] == GUARD_LIMB && memcmp(at, at + 1, (GUARD - 1) * sizeof *at) == 0;
}

static const char *run_guarded(test_fn test, struct bench *b, size_t length, size_t scratch)
{
    const char *failure = test(b);
    size_t n = b->n;

    if (failure)
        return failure;
    if (!is_guard(b->r + length) || !is_guard(b->scratch + scratch) || !is_guard(b->a + n) ||
        !is_guard(b->b + n) || !is_guard(b->table + ENTRIES * n) || !is_guard(b->r - GUARD))
        return "writes beside its operands";
    return NULL;
}

static const char *run_at(test_fn test, const struct limbic_ops *ops,
                          const struct limbic_ops *reference, size_t n, size_t length)
{
    size_t scratch = LIMBIC_SCRATCH_MUL(n, n);
    size_t limbs = (4 + ENTRIES) * n + GUARD + 2 * length + scratch + 7 * GUARD;
    limb_t *memory = malloc(limbs * sizeof(limb_t)), *at = memory;
    struct bench b = {.ops = ops, .reference = reference, .n = n};
    const char *failure;

    if (!memory)
        return lb_selftest_no_memory;
    for (size_t i = 0; i < limbs; i++)
        memory[i] = GUARD_LIMB;
    b.scratch = take(&at, scratch);
    b.a = take(&at, n);
    b.b = take(&at, n);
    b.kept = take(&at, 2 * n + GUARD);
    b.table = take(&at, ENTRIES * n);
    b.r = take(&at, length);
    b.expected = take(&at, length);
    failure = run_guarded(test, &b, length, scratch);
    free(memory);
    return failure;
}

/* At the class's own length, one limb less, and about half of it: even and odd loop counts. The
   result has `times` that length. */
static const char *run(test_fn test, const struct limbic_ops *ops,
                       const struct limbic_ops *reference, size_t bits, size_t times)
{
    size_t n = LB_LIMBS_OF_BITS(bits);
    const size_t sizes[3] = {n, n > 1 ? n - 1 : 1, n / 2 + 1};

    for (int i = 0; i < 3; i++) {
        const char *failure = run_at(test, ops, reference, sizes[i], times * sizes[i]);
        if (failure)
            return failure;
    }
    return NULL;
}

/* Operands a and b of the next calls; and whether these have left them as they were. */
static void keep(const struct bench *b)
{
    memcpy(b->kept, b->a, (2 * b->n + GUARD) * sizeof(limb_t));
}

static int are_kept(const struct bench *b)
{
    return memcmp(b->kept, b->a, (2 * b->n + GUARD) * sizeof(limb_t)) == 0;
}

static const char changes[] = "changes an operand", in_place[] = "differs in place";

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
    limb_t carry;

    for (unsigned i = 0; i < LB_PATTERNS; i++) {
        lb_pattern(b->a, b->n, i);
        lb_pattern(b->b, b->n, 3 * i + 1);
        keep(b);
        carry = f(b->r, b->a, b->b, b->n);
        if (!are_kept(b))
            return changes;
        if (carry != g(b->expected, b->a, b->b, b->n) || !same(b->r, b->expected, b->n))
            return "differs from the reference";
    }
    lb_nat_copy(b->r, b->b, b->n);
    f(b->a, b->a, b->b, b->n);
    f(b->r, b->kept, b->r, b->n);
    return same(b->a, b->expected, b->n) && same(b->r, b->expected, b->n) ? NULL : in_place;
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
        limb_t mask = i & 1 ? ONES : 0, carry;
        lb_pattern(b->a, b->n, i / 2);
        lb_pattern(b->b, b->n, i / 2 + 2);
        keep(b);
        carry = f(b->r, b->a, b->b, b->n, mask);
        if (!are_kept(b))
            return changes;
        if (carry != g(b->expected, b->a, b->b, b->n, mask) || !same(b->r, b->expected, b->n))
            return "differs from the reference";
    }
    /* The last mask was ~0. */
    lb_nat_copy(b->r, b->b, b->n);
    f(b->a, b->a, b->b, b->n, ONES);
    f(b->r, b->kept, b->r, b->n, ONES);
    return same(b->a, b->expected, b->n) && same(b->r, b->expected, b->n) ? NULL : in_place;
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
    keep(b);
    b->ops->limbs.select(b->r, b->a, b->b, b->n, ONES);
    if (!same(b->r, b->kept, b->n))
        return "mask ~0";
    b->ops->limbs.select(b->r, b->a, b->b, b->n, 0);
    if (!are_kept(b))
        return changes;
    if (!same(b->r, b->b, b->n))
        return "mask 0";
    b->ops->limbs.select(b->a, b->a, b->b, b->n, 0);
    return same(b->a, b->b, b->n) ? NULL : in_place;
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
    for (size_t i = 0; i < ENTRIES; i++) {
        lb_pattern(b->expected, b->n, LB_PATTERNS + (unsigned)i);
        if (!same(b->expected, b->table + i * b->n, b->n))
            return changes;
    }
    return NULL;
}

static const char *compare_shift(const struct bench *b, shift_fn f, shift_fn g)
{
    static const unsigned counts[] = {1, 7, LIMB_BITS / 2, LIMB_BITS - 1};

    for (unsigned i = 0; i < LB_PATTERNS; i++)
        for (unsigned j = 0; j < 4; j++) {
            limb_t out;

            lb_pattern(b->a, b->n, i);
            keep(b);
            out = f(b->r, b->a, b->n, counts[j]);
            if (!are_kept(b))
                return changes;
            if (out != g(b->expected, b->a, b->n, counts[j]) || !same(b->r, b->expected, b->n))
                return "differs from the reference";
        }
    f(b->a, b->a, b->n, counts[3]);
    return same(b->a, b->expected, b->n) ? NULL : in_place;
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
            limb_t high;

            lb_pattern(b->a, b->n, i);
            lb_pattern(b->r, b->n, i + j);
            lb_nat_copy(b->expected, b->r, b->n);
            keep(b);
            high = f(b->r, b->a, b->n, factors[j]);
            if (!are_kept(b))
                return changes;
            if (high != g(b->expected, b->a, b->n, factors[j]) || !same(b->r, b->expected, b->n))
                return "differs from the reference";
        }
    lb_nat_copy(b->r, b->a, b->n);
    f(b->a, b->a, b->n, factors[4]);
    g(b->r, b->r, b->n, factors[4]);
    return same(b->a, b->r, b->n) ? NULL : in_place;
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
        keep(b);
        f(b->r, b->a, n, b->b, n, b->scratch);
        g(b->expected, b->a, n, b->b, n, b->scratch);
        if (!same(b->r, b->expected, 2 * n))
            return "differs from the reference";
        half = half > n ? n : half;
        f(b->r, b->a, half, b->b, n, b->scratch);
        if (!are_kept(b))
            return changes;
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
        keep(b);
        f(b->r, b->a, n, b->scratch);
        if (!are_kept(b))
            return changes;
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

/* `times`: what the result has, in lengths of the operand. */
#define SELFTEST(slot, times) \
    const char *lb_selftest_##slot(const struct limbic_ops *ops, \
                                   const struct limbic_ops *reference, size_t bits) \
    { \
        return run(test_##slot, ops, reference, bits, times); \
    }

SELFTEST(add, 1)
SELFTEST(sub, 1)
SELFTEST(cond_add, 1)
SELFTEST(cond_sub, 1)
SELFTEST(cond_swap, 1)
SELFTEST(select, 1)
SELFTEST(table_select, 1)
SELFTEST(lshift, 1)
SELFTEST(rshift, 1)
SELFTEST(mul_1, 1)
SELFTEST(addmul_1, 1)
SELFTEST(submul_1, 1)
SELFTEST(mul, 2)
SELFTEST(sqr, 2)
SELFTEST(mul_vartime, 2)
SELFTEST(sqr_vartime, 2)
