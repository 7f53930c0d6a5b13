/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Naturals, moduli and prepared states of core/number against the plain reference: conversion at
 * all lengths, comparison, bits; reduction of values of any length, Montgomery form in and out,
 * addition and subtraction at the edges, at 1 .. 66 limbs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/number/modulus.h"
#include "core/number/state.h"
#include "dispatch/dispatch.h"
#include "tests/patterns.h"
#include "tests/reference.h"

#define MAX_N 66
#define OCTETS(n) ((n)*LIMB_BYTES)

static int same(const limb_t *a, const limb_t *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* ---- Conversion ----------------------------------------------------------------------------- */

/* Octet i of a, counted from the low end, straight from the definition. */
static unsigned char octet(const limb_t *a, size_t n, size_t i)
{
    limb_t limb = i / LIMB_BYTES < n ? a[i / LIMB_BYTES] : 0;

    return (unsigned char)(limb >> 8 * (i % LIMB_BYTES));
}

static void test_from_bytes(void **state)
{
    unsigned char octets[OCTETS(9)];
    limb_t r[10];

    (void)state;
    for (size_t n = 1; n <= 9; n++)
        for (size_t len = 0; len <= OCTETS(n); len++) {
            for (size_t i = 0; i < len; i++)
                octets[i] = (unsigned char)patterns_random();
            memset(r, 0xa5, sizeof r);
            lb_nat_from_bytes(r, n, octets, len);
            for (size_t i = 0; i < OCTETS(n); i++)
                assert_int_equal(octet(r, n, i), i < len ? octets[len - 1 - i] : 0);
            assert_int_equal(octet(r + n, 1, 0), 0xa5); /* nothing above */
        }
}

static void test_to_bytes(void **state)
{
    unsigned char octets[OCTETS(9) + 2];
    limb_t a[8];

    (void)state;
    for (size_t n = 1; n <= 8; n++)
        for (unsigned k = 0; k < PATTERNS; k++) {
            patterns_make(a, n, k);
            for (size_t len = 0; len <= OCTETS(n + 1); len++) {
                limb_t all = ~(limb_t)0;

                for (size_t i = len; i < OCTETS(n); i++)
                    if (octet(a, n, i))
                        all = 0;
                memset(octets, 0xa5, sizeof octets);
                assert_true(lb_nat_to_bytes(octets + 1, len, a, n) == all);
                assert_int_equal(octets[0], 0xa5);
                assert_int_equal(octets[len + 1], 0xa5);
                for (size_t i = 0; i < len; i++)
                    assert_int_equal(octets[len - i], octet(a, n, i));
            }
        }
}

static void test_copies(void **state)
{
    limb_t a[MAX_N], r[MAX_N + 1];

    (void)state;
    for (size_t n = 1; n <= MAX_N; n++) {
        patterns_uniform(a, n);
        memset(r, 0xa5, sizeof r);
        lb_nat_copy(r, a, n);
        assert_true(same(r, a, n));
        lb_nat_copy(r, r, n);
        assert_true(same(r, a, n));
        for (size_t an = 1; an <= n; an += 1 + n / 7) {
            lb_nat_extend(r, n, a, an);
            assert_true(same(r, a, an));
            assert_true(an == n || lb_nat_is_zero(r + an, n - an));
            lb_nat_copy(r, a, n);
            lb_nat_extend(r, n, r, an); /* in place */
            assert_true(same(r, a, an));
            assert_true(an == n || lb_nat_is_zero(r + an, n - an));
        }
        lb_nat_set(r, n, 5);
        assert_true(r[0] == 5 && (n == 1 || lb_nat_is_zero(r + 1, n - 1)));
        lb_nat_zero(r, n);
        assert_true(lb_nat_is_zero(r, n));
        assert_int_equal(octet(r + n, 1, 0), 0xa5);
    }
}

/* ---- Comparison and bits -------------------------------------------------------------------- */

/* The sign of a - b, by the borrow of the reference. */
static int sign_of(const limb_t *a, const limb_t *b, size_t n)
{
    limb_t d[MAX_N];

    if (reference_sub(d, a, b, n))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (d[i])
            return 1;
    return 0;
}

static void compare(const limb_t *a, const limb_t *b, size_t n)
{
    int sign = sign_of(a, b, n);
    limb_t longer[MAX_N + 2] = {0};

    assert_true(lb_nat_lt(a, b, n) == (sign < 0 ? ~(limb_t)0 : 0));
    assert_true(lb_nat_eq(a, b, n) == (sign == 0 ? ~(limb_t)0 : 0));
    assert_int_equal(lb_nat_cmp_vartime(a, n, b, n), sign);
    /* zeros above change nothing */
    lb_nat_copy(longer, a, n);
    assert_int_equal(lb_nat_cmp_vartime(longer, n + 2, b, n), sign);
    assert_int_equal(lb_nat_cmp_vartime(b, n, longer, n + 2), -sign);
}

static void test_comparison(void **state)
{
    limb_t a[MAX_N], b[MAX_N];

    (void)state;
    for (size_t n = 1; n <= MAX_N; n += n < 10 ? 1 : 7)
        for (unsigned k = 0; k < PATTERNS; k++) {
            patterns_make(a, n, k);
            for (unsigned l = 0; l < PATTERNS; l++) {
                patterns_make(b, n, l);
                compare(a, b, n);
            }
            /* one bit apart, in every limb */
            for (size_t i = 0; i < n; i++) {
                lb_nat_copy(b, a, n);
                b[i] ^= (limb_t)1 << (i % 2 ? LIMB_BITS - 1 : 0);
                compare(a, b, n);
                compare(b, a, n);
            }
        }
}

static void test_zero_and_one(void **state)
{
    limb_t a[MAX_N];

    (void)state;
    for (size_t n = 1; n <= MAX_N; n++) {
        lb_nat_zero(a, n);
        assert_true(lb_nat_is_zero(a, n) == ~(limb_t)0 && lb_nat_is_one(a, n) == 0);
        a[0] = 1;
        assert_true(lb_nat_is_zero(a, n) == 0 && lb_nat_is_one(a, n) == ~(limb_t)0);
        for (size_t i = 0; i < n; i++)
            for (unsigned edge = 0; edge < 2; edge++) {
                patterns_border(a, n, i, edge);
                assert_true(lb_nat_is_zero(a, n) == 0);
                assert_true(lb_nat_is_one(a, n) == (i + edge ? 0 : ~(limb_t)0));
                a[0] |= 1;
                assert_true(lb_nat_is_one(a, n) == (i + edge ? 0 : ~(limb_t)0));
            }
    }
}

static void test_add_limb(void **state)
{
    limb_t a[MAX_N], x[MAX_N], r[MAX_N], expected[MAX_N];

    (void)state;
    for (size_t n = 1; n <= MAX_N; n += n < 4 ? 1 : 31)
        for (unsigned k = 0; k < 40; k++) {
            const struct limbic_ops *row = lb_row_portable(n * LIMB_BITS);
            limb_t out;

            patterns_make(a, n, k);
            lb_nat_zero(x, n);
            patterns_make(x, 1, k / 3);
            lb_nat_copy(r, a, n);
            out = row->limbs.add(expected, a, x, n);
            assert_true(lb_nat_add_limb(r, r, n, x[0]) == out);
            assert_true(lb_nat_eq(r, expected, n));
            assert_true(lb_nat_sub_limb(r, r, n, x[0]) == out);
            assert_true(lb_nat_eq(r, a, n));
            out = row->limbs.sub(expected, a, x, n);
            assert_true(lb_nat_sub_limb(r, a, n, x[0]) == out);
            assert_true(lb_nat_eq(r, expected, n));
        }
}

static void test_bits(void **state)
{
    limb_t a[MAX_N];

    (void)state;
    for (size_t n = 1; n <= MAX_N; n += n < 4 ? 1 : 31) {
        lb_nat_zero(a, n);
        assert_int_equal(lb_nat_bits(a, n), 0);
        assert_int_equal(lb_nat_bits_vartime(a, n), 0);
        assert_int_equal(lb_nat_ctz_vartime(a, n), n * LIMB_BITS);
        for (size_t top = 0; top < n * LIMB_BITS; top++) {
            size_t low = (size_t)patterns_random() % (top + 1);

            lb_nat_zero(a, n);
            a[top / LIMB_BITS] |= (limb_t)1 << top % LIMB_BITS;
            a[low / LIMB_BITS] |= (limb_t)1 << low % LIMB_BITS;
            assert_int_equal(lb_nat_bits(a, n), top + 1);
            assert_int_equal(lb_nat_bits_vartime(a, n), top + 1);
            assert_int_equal(lb_nat_ctz_vartime(a, n), low);
            assert_int_equal(lb_nat_bit(a, top), 1);
            assert_int_equal(lb_nat_bit(a, low), 1);
            if (low + 1 < top)
                assert_int_equal(lb_nat_bit(a, low + 1), 0);
        }
    }
}

/* ---- Moduli --------------------------------------------------------------------------------- */

/* Arrays of a test: one modulus at a time, under the rows of last resort. */
static struct {
    const struct limbic_ops *ops;
    struct limbic_modulus m;
    size_t n;
    limb_t storage[LB_MODULUS_STORAGE(MAX_N)];
    _Alignas(64) limb_t scratch[LB_SCRATCH_CONVERT(MAX_N)];
} t;

/* Modulus number k of n limbs: odd, at least 3, high limb not zero. */
static void make_modulus(limb_t *value, size_t n, unsigned k)
{
    patterns_make(value, n, k);
    value[0] |= 1;
    if (value[n - 1] == 0)
        value[n - 1] = k % 2 ? 1 : (limb_t)1 << (LIMB_BITS - 1);
    if (n == 1 && value[0] < 3)
        value[0] = 3;
}

static void begin(size_t n, unsigned k)
{
    limb_t value[MAX_N];
    size_t bits;

    make_modulus(value, n, k);
    bits = lb_nat_bits_vartime(value, n);
    t.n = n;
    t.ops = lb_row_portable(bits);
    lb_modulus_init(&t.m, t.ops, t.storage, value, n, bits, k % 2 ? LIMBIC_MODULUS_SECRET : 0,
                    t.scratch);
    assert_true(same(t.m.m, value, n));
}

static void for_each_modulus(void (*test)(void))
{
    patterns_seed(7);
    for (size_t n = 1; n <= MAX_N; n += n < 20 ? 1 : 9) {
        for (unsigned k = 0; k < PATTERNS; k++) {
            begin(n, k);
            test();
        }
        if (n == 20)
            for (size_t last = 63; last < MAX_N; last++) {
                begin(last, 14);
                test();
            }
    }
    begin(MAX_N, 2);
    test();
}

/* Edge k of the residues: 0, 1, m - 1, m - 2, floor(m / 2), R mod m, then patterns made smaller. */
#define RESIDUES (6 + PATTERNS)
static void residue(limb_t *a, unsigned k)
{
    limb_t wide[MAX_N];
    limb_t two[MAX_N] = {k == 3 ? 2 : 1};

    switch (k) {
    case 0:
    case 1:
        lb_nat_set(a, t.n, k);
        break;
    case 2:
    case 3:
        reference_sub(a, t.m.m, two, t.n);
        break;
    case 4:
        reference_rshift(a, t.m.m, t.n, 1);
        break;
    case 5:
        reference_mont_one(a, t.m.m, t.n);
        break;
    default:
        patterns_make(wide, t.n, k - 6);
        reference_divrem(NULL, a, wide, t.n, t.m.m, t.n);
        break;
    }
}

static void constants(void)
{
    limb_t one[MAX_N], r2[MAX_N];

    assert_true((limb_t)(t.m.m[0] * t.m.neg_inv) == ~(limb_t)0);
    reference_mont_one(one, t.m.m, t.n);
    assert_true(same(t.m.one, one, t.n));
    reference_mod_mul(r2, one, one, t.m.m, t.n);
    assert_true(same(t.m.r2, r2, t.n));
    assert_int_equal(t.m.n, t.n);
    for (unsigned i = 0; i < LIMBIC_FAMILY_MAX; i++)
        assert_null(t.m.state[i]);
}

static void test_constants(void **state)
{
    (void)state;
    for_each_modulus(constants);
}

static void in_and_out(void)
{
    limb_t a[MAX_N], expected[MAX_N], r[MAX_N], one[MAX_N];

    reference_mont_one(one, t.m.m, t.n);
    for (unsigned k = 0; k < RESIDUES; k++) {
        residue(a, k);
        reference_mod_mul(expected, a, one, t.m.m, t.n);
        lb_mont_in(t.ops, &t.m, r, a, t.scratch);
        assert_true(same(r, expected, t.n));
        lb_mont_out(t.ops, &t.m, r, r, t.scratch); /* in place */
        assert_true(same(r, a, t.n));
        lb_nat_copy(r, a, t.n);
        lb_mont_in(t.ops, &t.m, r, r, t.scratch);
        assert_true(same(r, expected, t.n));
        lb_mont_out(t.ops, &t.m, r, expected, t.scratch);
        assert_true(same(r, a, t.n));
    }
}

static void test_in_and_out(void **state)
{
    (void)state;
    for_each_modulus(in_and_out);
}

/* a + b mod m by the reference: in one limb more, then divided. */
static void reference_mod_add(limb_t *r, const limb_t *a, const limb_t *b)
{
    limb_t sum[MAX_N + 1];

    sum[t.n] = reference_add(sum, a, b, t.n);
    reference_divrem(NULL, r, sum, t.n + 1, t.m.m, t.n);
}

static void add_and_sub(void)
{
    limb_t a[MAX_N], b[MAX_N], sum[MAX_N], r[MAX_N];

    for (unsigned k = 0; k < RESIDUES; k++)
        for (unsigned l = 0; l<RESIDUES; l += k> 5 ? 2 : 1) {
            residue(a, k);
            residue(b, l);
            reference_mod_add(sum, a, b);
            lb_mod_add(t.ops, &t.m, r, a, b);
            assert_true(same(r, sum, t.n));
            lb_nat_copy(r, a, t.n);
            lb_mod_add(t.ops, &t.m, r, r, b);
            assert_true(same(r, sum, t.n));
            lb_nat_copy(r, b, t.n);
            lb_mod_add(t.ops, &t.m, r, a, r);
            assert_true(same(r, sum, t.n));
            /* and back */
            lb_mod_sub(t.ops, &t.m, r, sum, b);
            assert_true(same(r, a, t.n));
            lb_nat_copy(r, sum, t.n);
            lb_mod_sub(t.ops, &t.m, r, r, a);
            assert_true(same(r, b, t.n));
            lb_nat_copy(r, a, t.n);
            lb_mod_sub(t.ops, &t.m, r, sum, r);
            assert_true(same(r, b, t.n));
        }
    residue(a, RESIDUES - 1);
    reference_mod_add(sum, a, a);
    lb_mod_add(t.ops, &t.m, a, a, a);
    assert_true(same(a, sum, t.n));
    lb_mod_sub(t.ops, &t.m, a, a, a);
    assert_true(lb_nat_is_zero(a, t.n));
}

static void test_add_and_sub(void **state)
{
    (void)state;
    for_each_modulus(add_and_sub);
}

static void reduce_length(size_t an)
{
    limb_t a[3 * MAX_N + 2], expected[MAX_N], r[MAX_N];

    for (unsigned k = 0; k<PATTERNS; k += an> 12 ? 2 : 1) {
        patterns_make(a, an, k);
        reference_divrem(NULL, expected, a, an, t.m.m, t.n);
        lb_mod_reduce(t.ops, &t.m, r, a, an, t.scratch);
        assert_true(same(r, expected, t.n));
    }
}

/* Lengths on both sides of every multiple of the modulus's own. */
static void test_reduce(void **state)
{
    (void)state;
    patterns_seed(11);
    for (size_t n = 1; n <= MAX_N; n += n < 8 ? 1 : 29)
        for (unsigned k = 0; k < PATTERNS; k += n < 8 ? 1 : 4) {
            begin(n, k);
            for (size_t an = 1; an <= 3 * n + 2; an += n < 8 ? 1 : (an % n + 1 < n ? n - 1 : 1))
                reduce_length(an);
        }
}

/* Multiples of the modulus, and one on either side. */
static void test_reduce_multiples(void **state)
{
    limb_t q[4], a[MAX_N + 4], edge[MAX_N + 4], one[MAX_N + 4] = {1}, r[MAX_N], last[MAX_N];

    (void)state;
    for (size_t n = 1; n <= MAX_N; n += n < 8 ? 1 : 29)
        for (unsigned k = 0; k < PATTERNS; k++) {
            begin(n, k);
            patterns_make(q, 4, (k + 3) % PATTERNS);
            q[0] |= 1;
            reference_mul(a, t.m.m, n, q, 4);
            lb_mod_reduce(t.ops, &t.m, r, a, n + 4, t.scratch);
            assert_true(lb_nat_is_zero(r, n));
            reference_add(edge, a, one, n + 4);
            lb_mod_reduce(t.ops, &t.m, r, edge, n + 4, t.scratch);
            assert_true(lb_nat_is_one(r, n));
            reference_sub(edge, a, one, n + 4);
            lb_mod_reduce(t.ops, &t.m, r, edge, n + 4, t.scratch);
            reference_sub(last, t.m.m, one, n);
            assert_true(same(r, last, n));
        }
}

/* ---- Prepared states ------------------------------------------------------------------------ */

/* The rows of last resort want no states, for no object: they must serve where there
   is no memory. */
static void test_no_states(void **state)
{
    struct limbic_pair pair;
    struct limbic_base base;

    (void)state;
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++) {
        begin(LB_LIMBS_OF_BITS(256), 14);
        t.ops = lb_row_portable(lb_size_class_bits[i]);
        pair = (struct limbic_pair){.m = {&t.m, &t.m}};
        base = (struct limbic_base){.m = &t.m, .a = t.m.one};
        assert_int_equal(lb_states_size(t.ops, LB_STATE_MODULUS, &t.m), 0);
        assert_int_equal(lb_states_size(t.ops, LB_STATE_PAIR, &pair), 0);
        assert_int_equal(lb_states_size(t.ops, LB_STATE_BASE, &base), 0);
        lb_states_init(t.ops, t.ops, LB_STATE_MODULUS, &t.m, NULL);
        for (unsigned f = 0; f < LIMBIC_FAMILY_MAX; f++)
            assert_null(t.m.state[f]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_bytes),   cmocka_unit_test(test_to_bytes),
        cmocka_unit_test(test_copies),       cmocka_unit_test(test_comparison),
        cmocka_unit_test(test_zero_and_one), cmocka_unit_test(test_add_limb),
        cmocka_unit_test(test_bits),         cmocka_unit_test(test_constants),
        cmocka_unit_test(test_in_and_out),   cmocka_unit_test(test_add_and_sub),
        cmocka_unit_test(test_reduce),       cmocka_unit_test(test_reduce_multiples),
        cmocka_unit_test(test_no_states),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
