/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of core/number/arith.h and random.h: everything against the plain reference, at all lengths
 * and with operands that end at a guard page; division by divisors with the top bit set; degenerate
 * gcds and inverses, each through the kernels of every tier that can be used here, modules' too;
 * failing and strange sources of randomness.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sys/random.h>

#include "base/error.h"
#include "core/number/arith.h"
#include "core/number/random.h"
#include "dispatch/dispatch.h"
#include "tests/kernels.h"
#include "tests/records.h"
#include "tests/reference.h"

#define MAX 260
#define ROOM (24 * MAX + 1024)

/* Operands, results and scratch, each at its own guard. */
static guarded room[6];
static const struct limbic_ops *ops;

static int make_room(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6; i++)
        room[i] = guarded_new(ROOM * sizeof(limb_t));
    return 0;
}

static int free_room(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6; i++)
        guarded_free(room[i]);
    return 0;
}

static limb_t *place(size_t which, size_t n)
{
    limb_t *p = limbs_at_end(room[which], n);

    memset(p, 0xa5, n * sizeof *p);
    return p;
}

static void assert_nat_equal(const limb_t *a, const limb_t *b, size_t n)
{
    assert_memory_equal(a, b, n * sizeof *a);
}

/* 1 .. 66 limbs and some beyond; `step` thins them out where the reference is slow. */
static size_t next_length(size_t n, size_t step)
{
    static const size_t more[] = {96, 128, 129, 192, 256};

    if (n + step <= 66)
        return n + step;
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        if (more[i] > n)
            return more[i];
    return 0;
}

/* Whole limbs by moving, the rest by the reference, which takes no aliasing and no count of 0. */
static void shift_plainly(limb_t *r, const limb_t *x, size_t n, size_t s, int left)
{
    size_t limbs = s / LIMB_BITS;
    unsigned bits = (unsigned)(s % LIMB_BITS);
    limb_t moved[MAX] = {0};

    for (size_t i = limbs; i < n; i++) {
        if (left)
            moved[i] = x[i - limbs];
        else
            moved[i - limbs] = x[i];
    }
    if (bits == 0)
        lb_nat_copy(r, moved, n);
    else if (left)
        reference_lshift(r, moved, n, bits);
    else
        reference_rshift(r, moved, n, bits);
}

static void test_shifts(void **state)
{
    limb_t value[MAX], expected[MAX];

    (void)state;
    for (size_t n = 1; n != 0; n = next_length(n, 1)) {
        limb_t *x = place(0, n);
        for (int i = 0; i < 40; i++) {
            size_t s = i < 3 ? n * LIMB_BITS - 1 + (size_t)i : below(n * LIMB_BITS);
            nat_any(value, n);
            lb_nat_copy(x, value, n);
            lb_nat_shift_left(x, n, s);
            shift_plainly(expected, value, n, s, 1);
            assert_nat_equal(x, expected, n);

            nat_any(value, n);
            lb_nat_copy(x, value, n);
            lb_nat_shift_right(x, n, s);
            shift_plainly(expected, value, n, s, 0);
            assert_nat_equal(x, expected, n);
        }
    }
}

static void test_trailing_zeros(void **state)
{
    limb_t x[5];

    (void)state;
    lb_nat_zero(x, 5);
    assert_int_equal(lb_nat_ctz(x, 5), 5 * LIMB_BITS);
    for (size_t i = 0; i < 5 * LIMB_BITS; i++) {
        nat_random(x, 5);
        lb_nat_shift_left(x, 5, i);
        x[i / LIMB_BITS] |= (limb_t)1 << (i % LIMB_BITS);
        assert_int_equal(lb_nat_ctz(x, 5), i);
    }
}

static void check_division(const limb_t *a_value, size_t an, const limb_t *d_value, size_t dn)
{
    limb_t q_expected[2 * MAX], r_expected[MAX];
    limb_t *a = place(0, an), *d = place(1, dn), *q = place(2, an), *r = place(3, dn);
    limb_t *scratch = place(4, LB_SCRATCH_DIVREM(dn));

    lb_nat_copy(a, a_value, an);
    lb_nat_copy(d, d_value, dn);
    reference_divrem(q_expected, r_expected, a, an, d, dn);
    lb_nat_divrem(ops, q, r, a, an, d, dn, scratch);
    assert_nat_equal(q, q_expected, an);
    assert_nat_equal(r, r_expected, dn);
    assert_nat_equal(a, a_value, an);
    assert_nat_equal(d, d_value, dn);

    lb_nat_divrem(ops, NULL, place(3, dn), a, an, d, dn, scratch);
    assert_nat_equal(r, r_expected, dn);
    lb_nat_divrem(ops, a, NULL, a, an, d, dn, scratch);
    assert_nat_equal(a, q_expected, an);
}

static void test_division(void **state)
{
    limb_t a[2 * MAX], d[MAX];

    (void)state;
    for (size_t dn = 1; dn != 0; dn = next_length(dn, 1)) {
        for (int i = 0; i < (dn < 20 ? 200 : 10); i++) {
            size_t an = 1 + below(dn < 20 ? 3 * dn : 2 * dn);
            nat_any(a, an);
            nat_any(d, dn);
            if (lb_nat_is_zero(d, dn))
                d[0] = 1;
            check_division(a, an, d, dn);
        }
    }
}

/* Dividends around multiples of the divisor, whose top bit is set. */
static void test_division_near_multiples(void **state)
{
    limb_t a[2 * MAX], b[2 * MAX], d[MAX], q[MAX];

    (void)state;
    for (size_t n = 1; n <= 12; n++) {
        for (int i = 0; i < 60; i++) {
            limb_t one[2 * MAX] = {1};
            nat_any(d, n);
            nat_any(q, n);
            d[n - 1] |= (limb_t)1 << (LIMB_BITS - 1);
            reference_mul(a, d, n, q, n);
            check_division(a, 2 * n, d, n);
            reference_sub(b, a, one, 2 * n);
            check_division(b, 2 * n, d, n);
        }
    }
}

static void test_division_top_bit_file(void **state)
{
    struct record record;
    limb_t v[2 * MAX], m[MAX], q[2 * MAX], r[2 * MAX], got_q[2 * MAX], got_r[MAX];
    limb_t scratch[LB_SCRATCH_DIVREM(MAX)];
    size_t rows = 0;

    (void)state;
    record_open(&record, "arith/div_top_bit.txt");
    while (record_next(&record)) {
        size_t vn = nat_from_hex(v, 2 * MAX, record_get(&record, "V"));
        size_t mn = nat_from_hex(m, MAX, record_get(&record, "M"));
        nat_from_hex(q, 2 * MAX, record_get(&record, "Q"));
        nat_from_hex(r, 2 * MAX, record_get(&record, "R"));
        lb_nat_divrem(ops, got_q, got_r, v, vn, m, mn, scratch);
        assert_nat_equal(got_q, q, vn);
        assert_nat_equal(got_r, r, mn);
        check_division(v, vn, m, mn);
        rows++;
    }
    assert_in_range(rows, 50, 100000);
}

static void reference_gcd(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    limb_t x[MAX], y[MAX], rem[MAX];

    lb_nat_copy(x, a, n);
    lb_nat_copy(y, b, n);
    while (!lb_nat_is_zero(y, n)) {
        reference_divrem(NULL, rem, x, n, y, n);
        lb_nat_copy(x, y, n);
        lb_nat_copy(y, rem, n);
    }
    lb_nat_copy(r, x, n);
}

static void check_gcd(const limb_t *a_value, const limb_t *b_value, size_t n)
{
    limb_t expected[MAX];
    limb_t *a = place(0, n), *b = place(1, n), *r = place(2, n);
    limb_t *scratch = place(3, LB_SCRATCH_GCD(n));

    lb_nat_copy(a, a_value, n);
    lb_nat_copy(b, b_value, n);
    reference_gcd(expected, a, b, n);
    lb_nat_gcd(ops, r, a, b, n, scratch);
    assert_nat_equal(r, expected, n);
    lb_nat_gcd(ops, b, b, a, n, scratch);
    assert_nat_equal(b, expected, n);
    lb_nat_gcd(ops, a, a, a, n, scratch);
    assert_nat_equal(a, a_value, n);
}

static void test_gcd_small(void **state)
{
    limb_t r, scratch[LB_SCRATCH_GCD(1)];
    limb_t a = 14, b = 13;

    (void)state;
    lb_nat_gcd(ops, &r, &a, &b, 1, scratch);
    assert_int_equal(r, 1);
    for (a = 0; a < 70; a++)
        for (b = 0; b < 70; b++)
            check_gcd(&a, &b, 1);
}

static void test_gcd_with_zero(void **state)
{
    limb_t x[MAX], zero[MAX] = {0};

    (void)state;
    for (size_t n = 1; n != 0; n = next_length(n, 5)) {
        check_gcd(zero, zero, n);
        for (int i = 0; i < 4; i++) {
            nat_any(x, n);
            check_gcd(x, zero, n);
            check_gcd(zero, x, n);
        }
    }
}

static void test_gcd(void **state)
{
    limb_t a[MAX], b[MAX], x[MAX], y[MAX], common[MAX];

    (void)state;
    for (size_t n = 1; n <= 66; n += n < 20 ? 1 : 9) {
        for (int i = 0; i < (n < 12 ? 30 : 2); i++) {
            nat_any(a, n);
            nat_any(b, n);
            check_gcd(a, b, n);

            size_t cn = 1 + below(n);
            if (cn == n)
                continue;
            nat_any(x, n - cn);
            nat_any(y, n - cn);
            nat_any(common, cn);
            reference_mul(a, x, n - cn, common, cn);
            reference_mul(b, y, n - cn, common, cn);
            check_gcd(a, b, n);
        }
    }
}

/* r is the inverse, or there is none and the gcd says so. */
static void check_inverse_odd(const limb_t *a_value, const limb_t *m_value, size_t n)
{
    limb_t product[2 * MAX], rem[MAX];
    limb_t *a = place(0, n), *m = place(1, n), *r = place(2, n);
    limb_t *scratch = place(3, LB_SCRATCH_INVERT_ODD(n));

    lb_nat_copy(a, a_value, n);
    lb_nat_copy(m, m_value, n);
    limb_t ok = lb_nat_invert_odd(ops, r, a, m, n, scratch);
    if (ok) {
        assert_true(ok == ~(limb_t)0);
        assert_true(lb_nat_lt(r, m, n));
        reference_mul(product, a, n, r, n);
        reference_divrem(NULL, rem, product, 2 * n, m, n);
        assert_true(lb_nat_is_one(rem, n));
    } else {
        assert_true(lb_nat_is_zero(r, n));
        lb_nat_gcd(ops, rem, a, m, n, place(4, LB_SCRATCH_GCD(n)));
        assert_false(lb_nat_is_one(rem, n));
    }
    assert_true(lb_nat_invert_odd(ops, a, a, m, n, scratch) == ok);
    assert_nat_equal(a, r, n);
}

static void test_inverse_odd_small(void **state)
{
    (void)state;
    for (limb_t m = 3; m < 130; m += 2)
        for (limb_t a = 0; a < m; a++)
            check_inverse_odd(&a, &m, 1);
    for (limb_t m = ~(limb_t)0; m > ~(limb_t)0 - 40; m -= 2)
        for (limb_t i = 0; i < 20; i++) {
            limb_t near_top = m - 1 - i, half = m / 2 + i;
            check_inverse_odd(&i, &m, 1);
            check_inverse_odd(&near_top, &m, 1);
            check_inverse_odd(&half, &m, 1);
        }
}

static void test_inverse_odd(void **state)
{
    limb_t a[MAX], m[MAX], q[MAX];

    (void)state;
    for (size_t n = 1; n != 0; n = next_length(n, 1)) {
        for (int i = 0; i < (n < 20 ? 200 : 8); i++) {
            nat_any(m, n);
            m[0] |= 3;
            nat_any(q, n);
            reference_divrem(NULL, a, q, n, m, n);
            check_inverse_odd(a, m, n);
        }
        memset(m, 0xff, n * sizeof *m);
        lb_nat_copy(a, m, n);
        a[0] -= 1;
        check_inverse_odd(a, m, n);
        lb_nat_zero(a, n);
        check_inverse_odd(a, m, n);
        a[n - 1] = (limb_t)1 << (LIMB_BITS - 1);
        check_inverse_odd(a, m, n);
    }
}

static void test_inverse_odd_common_factor(void **state)
{
    limb_t a[MAX], m[MAX], x[MAX], product[MAX], factor[2];

    (void)state;
    for (size_t n = 3; n <= 40; n++) {
        limb_t *scratch = place(3, LB_SCRATCH_INVERT_ODD(n));
        nat_random(factor, 2);
        factor[0] |= 1;
        factor[1] |= 1;
        nat_random(x, n - 2);
        x[0] |= 1;
        reference_mul(m, x, n - 2, factor, 2);
        nat_random(x, n - 2);
        x[n - 3] >>= 1;
        reference_mul(product, x, n - 2, factor, 2);
        reference_divrem(NULL, a, product, n, m, n);
        limb_t *r = place(2, n);
        assert_true(lb_nat_invert_odd(ops, r, a, m, n, scratch) == 0);
        assert_true(lb_nat_is_zero(r, n));
    }
}

static void check_inverse_public(const limb_t *e_value, size_t en, const limb_t *m_value, size_t mn)
{
    size_t n = mn > en ? mn : en;
    limb_t product[2 * MAX], rem[MAX], wide_e[MAX], wide_m[MAX];
    limb_t *e = place(0, en), *m = place(1, mn), *r = place(2, mn);
    limb_t *scratch = place(3, LB_SCRATCH_INVERT_PUBLIC(mn, en));

    lb_nat_copy(e, e_value, en);
    lb_nat_copy(m, m_value, mn);
    lb_nat_extend(wide_e, n, e, en);
    lb_nat_extend(wide_m, n, m, mn);
    reference_gcd(rem, wide_e, wide_m, n);
    limb_t coprime = lb_nat_is_one(rem, n);

    assert_true(lb_nat_invert_public(ops, r, m, mn, e, en, scratch) == coprime);
    if (coprime) {
        assert_true(lb_nat_lt(r, m, mn));
        reference_mul(product, e, en, r, mn);
        reference_divrem(NULL, rem, product, mn + en, m, mn);
        assert_true(lb_nat_is_one(rem, mn));
    } else {
        assert_true(lb_nat_is_zero(r, mn));
    }
    limb_t *same = m;
    assert_true(lb_nat_invert_public(ops, same, m, mn, e, en, scratch) == coprime);
    assert_nat_equal(same, r, mn);
}

static void test_inverse_public(void **state)
{
    static const char *const exponents[] = {"3",
                                            "5",
                                            "11",
                                            "10001",
                                            "100000001",
                                            "ffffffffffffffff",
                                            "123456789abcdef0123456789abcdef1"};
    limb_t e[8], m[MAX];

    (void)state;
    for (limb_t even = 2; even < 60; even++)
        for (limb_t odd = 3; odd < 60; odd += 2)
            check_inverse_public(&odd, 1, &even, 1);
    for (size_t k = 0; k < sizeof exponents / sizeof exponents[0]; k++) {
        size_t en = nat_from_hex(e, 8, exponents[k]);
        for (size_t mn = 1; mn <= 66; mn += mn < 10 ? 1 : 8) {
            for (int i = 0; i < 6; i++) {
                nat_any(m, mn);
                m[0] |= 2;
                check_inverse_public(e, en, m, mn);
            }
        }
    }
}

/* The C library's call is replaced by a script of what it does: fail with an error, or give so many
   octets of the value 0x5a. */
static const int *script;

ssize_t getrandom(void *buf, size_t len, unsigned flags)
{
    (void)flags;
    if (!script) {
        rng fixed = {next_word()};
        rng_fill(&fixed, buf, len);
        return (ssize_t)len;
    }
    if (*script < 0) {
        errno = -*script++;
        return -1;
    }
    size_t give = (size_t)*script++;
    if (give > len)
        give = len;
    memset(buf, 0x5a, give);
    return (ssize_t)give;
}

static void test_random_pieces(void **state)
{
    static const int pieces[] = {-EINTR, 100, -EINTR, -EINTR, 1, 256, 1000};
    unsigned char buf[512], expected[512];

    (void)state;
    script = pieces;
    memset(buf, 0, sizeof buf);
    memset(expected, 0x5a, sizeof expected);
    assert_int_equal(lb_random(buf, sizeof buf), 0);
    assert_memory_equal(buf, expected, sizeof buf);
    script = NULL;
}

static void test_random_error(void **state)
{
    static const int failure[] = {100, -ENOSYS};
    unsigned char buf[512], zeros[512] = {0};

    (void)state;
    script = failure;
    memset(buf, 1, sizeof buf);
    assert_int_equal(gpg_err_code(lb_random(buf, sizeof buf)), GPG_ERR_ENOSYS);
    assert_memory_equal(buf, zeros, sizeof buf);
    assert_true(strlen(lb_error_detail()) > 0);
    script = NULL;
}

static gpg_error_t constant_source(void *opaque, void *buf, size_t len)
{
    memset(buf, *(int *)opaque, len);
    return 0;
}

static gpg_error_t failing_source(void *opaque, void *buf, size_t len)
{
    (void)opaque;
    memset(buf, 1, len);
    return lb_error(GPG_ERR_EIO, "a test");
}

static void test_random_below(void **state)
{
    limb_t m[4], r[4];

    (void)state;
    for (size_t bits = 2; bits <= 4 * LIMB_BITS; bits++) {
        size_t n = LB_LIMBS_OF_BITS(bits);
        for (int i = 0; i < 4; i++) {
            nat_any(m, n);
            lb_nat_shift_right(m, n, n * LIMB_BITS - bits);
            m[(bits - 1) / LIMB_BITS] |= (limb_t)1 << ((bits - 1) % LIMB_BITS);
            assert_int_equal(lb_random_below(r, m, n, bits), 0);
            assert_true(lb_nat_lt(r, m, n));
            assert_false(lb_nat_is_zero(r, n));
        }
    }
}

/* Each of 1 .. 6 comes up about 1000 times of 6000; the deviation allowed is six times the standard
   deviation, sqrt(6000 * 5/36) < 29. */
static void test_random_below_uniform(void **state)
{
    limb_t m = 7, r;
    int count[7] = {0};

    (void)state;
    for (int i = 0; i < 6000; i++) {
        assert_int_equal(lb_random_below(&r, &m, 1, 3), 0);
        count[r]++;
    }
    for (int i = 1; i < 7; i++)
        assert_in_range(count[i], 1000 - 174, 1000 + 174);
}

static void test_random_broken_source(void **state)
{
    static int values[] = {0, 0xff};
    limb_t m[2] = {5, 5}, r[2];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        lb_random_hook(constant_source, &values[i]);
        r[0] = 1;
        assert_int_equal(gpg_err_code(lb_random_below(r, m, 2, LIMB_BITS + 3)),
                         GPG_ERR_NOT_OPERATIONAL);
        assert_true(lb_nat_is_zero(r, 2));
    }
    lb_random_hook(failing_source, NULL);
    r[0] = 1;
    assert_int_equal(gpg_err_code(lb_random_below(r, m, 2, LIMB_BITS + 3)), GPG_ERR_EIO);
    assert_true(lb_nat_is_zero(r, 2));
    lb_random_hook(NULL, NULL);
}

/* What takes a row, over each tier's kernels. */
static int through_every_tier(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_division),
        cmocka_unit_test(test_division_near_multiples),
        cmocka_unit_test(test_division_top_bit_file),
        cmocka_unit_test(test_gcd_small),
        cmocka_unit_test(test_gcd_with_zero),
        cmocka_unit_test(test_gcd),
        cmocka_unit_test(test_inverse_odd_small),
        cmocka_unit_test(test_inverse_odd),
        cmocka_unit_test(test_inverse_odd_common_factor),
        cmocka_unit_test(test_inverse_public),
    };
    static struct kernels_subject subjects[KERNELS_SUBJECTS];
    static struct limbic_ops row;
    unsigned count;
    int failed = 0;

    lb_registry_open_all();
    count = kernels_subjects(subjects);
    ops = &row;
    for (unsigned i = 0; i < count; i++) {
        kernels_row(&subjects[i], 2048 / LIMB_BITS, &row);
        failed += cmocka_run_group_tests_name(subjects[i].label, tests, make_room, free_room);
    }
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_trailing_zeros),
        cmocka_unit_test(test_random_pieces),
        cmocka_unit_test(test_random_error),
        cmocka_unit_test(test_random_below),
        cmocka_unit_test(test_random_below_uniform),
        cmocka_unit_test(test_random_broken_source),
    };
    int failed = through_every_tier();

    ops = lb_row_portable(2048);
    return cmocka_run_group_tests_name("arith", tests, make_room, free_room) + failed;
}
