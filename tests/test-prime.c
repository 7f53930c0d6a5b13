/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of core/number/prime.h: numbers made to deceive primality tests, all small numbers, both
 * tests by themselves, the conditions on generated primes, and broken sources of randomness.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/error.h"
#include "core/number/arith.h"
#include "core/number/prime.h"
#include "core/number/random.h"
#include "core/number/sieve.h"
#include "dispatch/dispatch.h"
#include "tests/kernels.h"
#include "tests/records.h"
#include "tests/reference.h"

#define MAX 80

/* Whose kernels compute; the reference is portable. */
static const struct kernels_subject *arithmetic;

static const struct limbic_ops *row_of(size_t n)
{
    static struct limbic_ops row;

    kernels_row(arithmetic ? arithmetic : kernels_reference(), n, &row);
    return &row;
}

static int is_prime(const limb_t *a, size_t n, unsigned rounds)
{
    int answer = -1;

    assert_int_equal(lb_prime_test(row_of(n), &answer, a, n, rounds), 0);
    return answer;
}

static int miller_rabin(const limb_t *a, size_t n, unsigned rounds)
{
    int answer = -1;

    assert_int_equal(lb_prime_miller_rabin(row_of(n), &answer, a, n, rounds), 0);
    return answer;
}

static int lucas(const limb_t *a, size_t n)
{
    return lb_prime_lucas(row_of(n), a, n);
}

static int is_prime_hex(const char *hex, unsigned rounds)
{
    limb_t a[MAX];
    size_t n = nat_from_hex(a, MAX, hex);

    return is_prime(a, n, rounds);
}

static void candidates(void)
{
    struct record record;
    limb_t a[MAX];
    size_t rows = 0;

    record_open(&record, "primes/candidates.txt");
    while (record_next(&record)) {
        const char *hex = record_get(&record, "N");
        int expected = record_get(&record, "prime")[0] == '1';

        rows++;
        if (hex[0] == '-') /* naturals have no sign */
            continue;
        size_t n = nat_from_hex(a, MAX, hex);
        assert_int_equal(is_prime(a, n, LB_PRIME_ROUNDS_FOREIGN), expected);
        assert_int_equal(is_prime(a, n + 3, LB_PRIME_ROUNDS_FOREIGN), expected);
        if (lb_nat_bits_vartime(a, n) <= 2 || a[0] % 2 == 0)
            continue;
        assert_int_equal(miller_rabin(a, n, LB_PRIME_ROUNDS_FOREIGN), expected);
        if (strstr(record_get(&record, "why"), "strong Lucas"))
            assert_int_equal(lucas(a, n), 1);
        if (strstr(record_get(&record, "why"), "bases") ||
            strstr(record_get(&record, "why"), "Carmichael number"))
            assert_int_equal(lucas(a, n), 0);
    }
    assert_in_range(rows, 40, 1000);
}

/* By every tier that can be used here, modules' too: a test that is right with one row's powers is
   not with another's. */
static void test_file(void **state)
{
    static struct kernels_subject subjects[KERNELS_SUBJECTS];
    unsigned count;

    (void)state;
    lb_registry_open_all();
    count = kernels_subjects(subjects);
    for (unsigned i = 0; i < count; i++) {
        print_message("# %s\n", subjects[i].label);
        arithmetic = &subjects[i];
        candidates();
    }
    arithmetic = NULL;
}

#define SMALL 20000

static void small_sieve(unsigned char composite[SMALL])
{
    memset(composite, 0, SMALL);
    composite[0] = composite[1] = 1;
    for (size_t p = 2; p < SMALL; p++)
        for (size_t q = p * p; !composite[p] && q < SMALL; q += p)
            composite[q] = 1;
}

static void test_small(void **state)
{
    unsigned char composite[SMALL];

    (void)state;
    small_sieve(composite);
    for (limb_t a = 0; a < SMALL; a++)
        assert_int_equal(is_prime(&a, 1, 5), !composite[a]);
}

/* Rounds that a composite passes are rare: at most a quarter of the bases lie for any, so of 20 000
   numbers about none passes 20. */
static void test_miller_rabin_small(void **state)
{
    unsigned char composite[SMALL];

    (void)state;
    small_sieve(composite);
    for (limb_t a = 5; a < SMALL; a += 2)
        assert_int_equal(miller_rabin(&a, 1, 20), !composite[a]);
}

static int jacobi_plain(long a, long n)
{
    int sign = 1;

    a = (a % n + n) % n;
    while (a != 0) {
        while (a % 2 == 0) {
            a /= 2;
            if (n % 8 == 3 || n % 8 == 5)
                sign = -sign;
        }
        long t = a;
        a = n;
        n = t;
        if (a % 4 == 3 && n % 4 == 3)
            sign = -sign;
        a %= n;
    }
    return n == 1 ? sign : 0;
}

/* The definition: U_(c+1) = 0 by the recurrence U_(k+1) = U_k - Q U_(k-1), Q = (1 - D) / 4. */
static int lucas_plain(long c)
{
    long root = 1, d = 5;

    while (root * root < c)
        root++;
    if (root * root == c)
        return 0;
    for (; jacobi_plain(d, c) != -1; d = d > 0 ? -d - 2 : -d + 2)
        if (jacobi_plain(d, c) == 0 && d % c != 0)
            return 0;

    long q = (1 - d) / 4, u0 = 0, u1 = 1;
    for (long k = 1; k <= c; k++) {
        long u2 = ((u1 - q * u0) % c + c) % c;
        u0 = u1;
        u1 = u2;
    }
    return u1 == 0;
}

static void test_lucas_small(void **state)
{
    (void)state;
    for (limb_t a = 3; a < 6000; a += 2)
        assert_int_equal(lucas(&a, 1), lucas_plain((long)a));
}

/* The composites that the test with these parameters passes: the sequence A217120 of the OEIS. */
static void test_lucas_pseudoprimes(void **state)
{
    static const limb_t pseudoprimes[] = {323,   377,   1159,  1829,  3827,  5459,  5777,
                                          9071,  9179,  10877, 11419, 11663, 13919, 14839,
                                          16109, 16211, 18407, 18971, 19043};
    unsigned char composite[SMALL];
    size_t next = 0;

    (void)state;
    small_sieve(composite);
    for (limb_t a = 3; a < 19044; a += 2) {
        int expected = !composite[a];
        if (a == pseudoprimes[next]) {
            expected = 1;
            next++;
        }
        assert_int_equal(lucas(&a, 1), expected);
    }
}

static void test_squares(void **state)
{
    unsigned char composite[SMALL];
    limb_t p[MAX], square[2 * MAX];

    (void)state;
    small_sieve(composite);
    for (limb_t a = 3; a < 2000; a += 2) {
        limb_t aa = a * a;
        assert_int_equal(lucas(&aa, 1), 0);
        assert_int_equal(is_prime(&aa, 1, 3), 0);
    }
    for (size_t n = 1; n <= 16; n += 3) {
        nat_random(p, n);
        p[0] |= 1;
        reference_mul(square, p, n, p, n);
        assert_int_equal(lucas(square, 2 * n), 0);
        assert_int_equal(is_prime(square, 2 * n, 3), 0);
    }
    /* The square of a prime has no small factor that a D could show. */
    size_t n = nat_from_hex(p, MAX, "7fffffffffffffffffffffffffffffff");
    reference_mul(square, p, n, p, n);
    assert_int_equal(lucas(square, 2 * n), 0);
    n = nat_from_hex(p, MAX, "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");
    reference_mul(square, p, n, p, n);
    assert_int_equal(lucas(square, 2 * n), 0);
    assert_int_equal(is_prime(square, 2 * n, 3), 0);
}

/* 2^p - 1: c + 1 is longer than c. 2^64 - 1 and 2^128 - 1 fill their limbs. */
static void test_all_ones(void **state)
{
    static const size_t exponents[] = {3, 5, 7, 13, 17, 19, 31, 61, 89, 107, 127, 521, 607, 1279};
    limb_t a[MAX];

    (void)state;
    for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; i++) {
        size_t n = LB_LIMBS_OF_BITS(exponents[i]);
        memset(a, 0xff, sizeof a);
        lb_nat_shift_right(a, n, n * LIMB_BITS - exponents[i]);
        assert_int_equal(is_prime(a, n, 10), 1);
        assert_int_equal(lucas(a, n), 1);
    }
    for (size_t n = 1; n <= 9; n++) {
        memset(a, 0xff, sizeof a);
        assert_int_equal(is_prime(a, n, 10), 0);
        assert_int_equal(lucas(a, n), 0);
    }
}

/* Many trailing zeros in p - 1: 3 * 2^41 + 1, 2^64 - 2^32 + 1, the prime of P-224, 2^16 + 1, and
   composites of the same form. */
static void test_many_twos(void **state)
{
    (void)state;
    assert_int_equal(is_prime_hex("60000000001", 64), 1);
    assert_int_equal(is_prime_hex("ffffffff00000001", 64), 1);
    assert_int_equal(is_prime_hex("ffffffffffffffffffffffffffffffff000000000000000000000001", 64),
                     1);
    assert_int_equal(is_prime_hex("10001", 64), 1);
    assert_int_equal(is_prime_hex("100000001", 20), 0);
    assert_int_equal(is_prime_hex("10000000000000001", 20), 0);
    assert_int_equal(is_prime_hex("10000000000000000000000000000000000000001", 20), 0);
    assert_int_equal(is_prime_hex("60000000000000001", 20), 0);
}

static void test_rounds(void **state)
{
    (void)state;
    /* FIPS 186-5, table B.1 */
    assert_int_equal(lb_prime_rounds(1024), 5);
    assert_int_equal(lb_prime_rounds(1536), 4);
    assert_int_equal(lb_prime_rounds(2048), 4);
    assert_int_equal(lb_prime_rounds(8192), 4);
    assert_int_equal(lb_prime_rounds(100), LB_PRIME_ROUNDS_FOREIGN);
    for (size_t bits = 128; bits < 8192; bits++)
        assert_true(lb_prime_rounds(bits) >= lb_prime_rounds(bits + 1));
}

static const char *const exponents[] = {
    "3",
    "5",
    "f",
    "10001",
    "100000001",
    "fffffffffffffffd",
    "d3511bb5d0f3edd5",
    /* 3 * 5 * .. * 53: the greatest number of prime factors in 64 bits; and a long one */
    "e221f97c30e94e1d",
    "1000000000000000000000000000000000000000000000003",
};

/* p >= sqrt(2) 2^(bits-1) exactly if p^2 >= 2^(2 bits - 1), and p < 2^bits. */
static void assert_size(const limb_t *p, size_t n, size_t bits)
{
    limb_t square[2 * MAX];

    assert_int_equal(lb_nat_bits_vartime(p, n), bits);
    reference_mul(square, p, n, p, n);
    assert_int_equal(lb_nat_bits_vartime(square, 2 * n), 2 * bits);
}

static void assert_coprime(const limb_t *p, size_t n, const limb_t *e, size_t en)
{
    size_t len = n > en ? n : en;
    limb_t x[MAX], y[MAX], rem[MAX];

    lb_nat_extend(x, len, p, n);
    x[0] -= 1;
    lb_nat_extend(y, len, e, en);
    while (!lb_nat_is_zero(y, len)) {
        reference_divrem(NULL, rem, x, len, y, len);
        lb_nat_copy(x, y, len);
        lb_nat_copy(y, rem, len);
    }
    assert_true(lb_nat_is_one(x, len));
}

/* 2^(p-1) = 1, and 64 rounds. */
static void assert_prime(const limb_t *p, size_t n, size_t bits)
{
    limb_t two[MAX] = {2}, less_one[MAX], power[MAX] = {0};

    lb_nat_copy(less_one, p, n);
    less_one[0] -= 1;
    reference_mod_pow(power, two, less_one, bits, p, n);
    assert_true(lb_nat_is_one(power, n));
    assert_int_equal(is_prime(p, n, LB_PRIME_ROUNDS_FOREIGN), 1);
}

/* |p - q| > 2^(bits - 100), by subtraction of the smaller. */
static void assert_far(const limb_t *p, const limb_t *q, size_t n, size_t bits)
{
    limb_t diff[MAX], bound[MAX];
    int p_greater = lb_nat_cmp_vartime(p, n, q, n) > 0;

    reference_sub(diff, p_greater ? p : q, p_greater ? q : p, n);
    lb_nat_zero(bound, n);
    bound[(bits - 100) / LIMB_BITS] = (limb_t)1 << ((bits - 100) % LIMB_BITS);
    assert_int_equal(lb_nat_cmp_vartime(diff, n, bound, n), 1);
}

static void check_pair(size_t bits, const char *exponent)
{
    const struct limbic_ops *ops = lb_row_portable(bits);
    size_t n = LB_LIMBS_OF_BITS(bits);
    limb_t e[8], p[MAX], q[MAX];
    size_t en = nat_from_hex(e, 8, exponent);

    assert_int_equal(lb_prime_generate(ops, p, bits, e, en, NULL, NULL, NULL), 0);
    assert_int_equal(lb_prime_generate(ops, q, bits, e, en, p, NULL, NULL), 0);
    assert_size(p, n, bits);
    assert_size(q, n, bits);
    assert_coprime(p, n, e, en);
    assert_coprime(q, n, e, en);
    assert_far(p, q, n, bits);
    assert_prime(p, n, bits);
    assert_prime(q, n, bits);
}

/* The pairs of keys of 256 to 528 bits, all lengths, every exponent in turn. */
static void test_generate_small(void **state)
{
    size_t k = 0;

    (void)state;
    for (int i = 0; i < 3; i++)
        for (size_t bits = 128; bits <= 264; bits++)
            check_pair(bits, exponents[k++ % (sizeof exponents / sizeof exponents[0])]);
}

static void test_generate(void **state)
{
    size_t k = 0;

    (void)state;
    for (size_t bits = 265; bits <= 528; bits += 3)
        check_pair(bits, exponents[k++ % (sizeof exponents / sizeof exponents[0])]);
    for (size_t bits = 509; bits <= 515; bits++)
        check_pair(bits, "3");
}

/* A source that can be wound back. */
static gpg_error_t repeatable(void *opaque, void *buf, size_t len)
{
    rng_fill(opaque, buf, len);
    return 0;
}

static void test_generate_avoids_other(void **state)
{
    const struct limbic_ops *ops = lb_row_portable(256);
    limb_t p[MAX], again[MAX], q[MAX], e = 65537;
    size_t n = LB_LIMBS_OF_BITS(256);
    rng source = {1};

    (void)state;
    lb_random_hook(repeatable, &source);
    assert_int_equal(lb_prime_generate(ops, p, 256, &e, 1, NULL, NULL, NULL), 0);
    source.state = 1;
    assert_int_equal(lb_prime_generate(ops, again, 256, &e, 1, NULL, NULL, NULL), 0);
    assert_memory_equal(p, again, n * sizeof *p);
    source.state = 1;
    assert_int_equal(lb_prime_generate(ops, q, 256, &e, 1, p, NULL, NULL), 0);
    assert_far(p, q, n, 256);
    lb_random_hook(NULL, NULL);
}

static gpg_error_t constant_source(void *opaque, void *buf, size_t len)
{
    memset(buf, *(int *)opaque, len);
    return 0;
}

struct failing {
    unsigned after;
    rng source;
};

static gpg_error_t fails_later(void *opaque, void *buf, size_t len)
{
    struct failing *f = opaque;

    if (f->after-- == 0)
        return lb_error(GPG_ERR_EIO, "a test");
    rng_fill(&f->source, buf, len);
    return 0;
}

/* No source, however broken, makes it hang. Those that give no start in range, or fail, give no
   prime; another constant is as good a start as any. */
static void test_generate_broken_source(void **state)
{
    const struct limbic_ops *ops = lb_row_portable(192);
    static int octets[] = {0, 0xff, 0xdd, 0xc1};
    limb_t p[MAX], e = 3;
    size_t n = LB_LIMBS_OF_BITS(192);

    (void)state;
    for (size_t i = 0; i < sizeof octets / sizeof octets[0]; i++) {
        lb_random_hook(constant_source, &octets[i]);
        p[0] = 1;
        gpg_error_t err = lb_prime_generate(ops, p, 192, &e, 1, NULL, NULL, NULL);
        if (i < 2)
            assert_int_equal(gpg_err_code(err), GPG_ERR_NOT_OPERATIONAL);
        if (err)
            assert_true(lb_nat_is_zero(p, n));
        else
            assert_size(p, n, 192);
    }
    for (unsigned after = 0; after < 12; after++) {
        struct failing f = {after, {7}};
        lb_random_hook(fails_later, &f);
        p[0] = 1;
        assert_int_equal(gpg_err_code(lb_prime_generate(ops, p, 192, &e, 1, NULL, NULL, NULL)),
                         GPG_ERR_EIO);
        assert_true(lb_nat_is_zero(p, n));
    }
    lb_random_hook(NULL, NULL);
}

static void test_error_in_test(void **state)
{
    struct failing f = {0, {7}};
    limb_t a = 101;
    int answer = 1;

    (void)state;
    lb_random_hook(fails_later, &f);
    assert_int_equal(gpg_err_code(lb_prime_test(lb_row_portable(64), &answer, &a, 1, 3)),
                     GPG_ERR_EIO);
    assert_int_equal(answer, 0);
    lb_random_hook(NULL, NULL);
}

struct progress {
    char seen[256];
    size_t count, cancel_at;
};

static int note(void *opaque, int what)
{
    struct progress *p = opaque;

    if (p->count < sizeof p->seen - 1)
        p->seen[p->count] = (char)what;
    return p->count++ == p->cancel_at;
}

static void test_progress_and_cancel(void **state)
{
    const struct limbic_ops *ops = lb_row_portable(256);
    limb_t p[MAX], e = 65537;
    struct progress all = {.cancel_at = (size_t)-1};

    (void)state;
    assert_int_equal(lb_prime_generate(ops, p, 256, &e, 1, NULL, note, &all), 0);
    assert_int_equal(all.seen[0], '!');
    assert_in_range(all.count, 3, 100000);
    if (all.count < sizeof all.seen)
        assert_string_equal(all.seen + all.count - 2, "+*");
    for (size_t at = 0; at < 3; at++) {
        struct progress some = {.cancel_at = at};
        assert_int_equal(gpg_err_code(lb_prime_generate(ops, p, 256, &e, 1, NULL, note, &some)),
                         GPG_ERR_CANCELED);
        assert_int_equal(some.count, at + 1);
        assert_true(lb_nat_is_zero(p, LB_LIMBS_OF_BITS(256)));
    }
}

/* The sieve against plain remainders, for several windows. */
static void test_sieve(void **state)
{
    static struct lb_sieve sieve;
    limb_t e = 3 * 5 * 7 * 1021, start[4], number[4], offset;

    (void)state;
    lb_sieve_init(&sieve, 4 * LIMB_BITS, &e, 1);
    nat_random(start, 4);
    start[0] |= 1;
    start[3] >>= 1;
    lb_sieve_start(&sieve, start, 4);
    lb_nat_copy(number, start, 4);
    for (int window = 0; window < 4; window++) {
        lb_sieve_window(&sieve);
        limb_t found = lb_sieve_next(&sieve, &offset);
        for (limb_t at = 0; at < 2 * LB_SIEVE_WINDOW; at += 2) {
            limb_t open = 1, two[4] = {2}, sum[4];
            for (size_t i = 0; i < sieve.primes; i++) {
                limb_t prime = (limb_t)(uint16_t)sieve.prime[i], rem;
                reference_divrem(NULL, &rem, number, 4, &prime, 1);
                open &= rem != 0 && !(rem == 1 && e % prime == 0);
            }
            assert_int_equal(found && offset == at, open);
            if (open)
                found = lb_sieve_next(&sieve, &offset);
            reference_add(sum, number, two, 4);
            lb_nat_copy(number, sum, 4);
        }
        assert_true(found == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_miller_rabin_small),
        cmocka_unit_test(test_lucas_small),
        cmocka_unit_test(test_lucas_pseudoprimes),
        cmocka_unit_test(test_squares),
        cmocka_unit_test(test_all_ones),
        cmocka_unit_test(test_many_twos),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_sieve),
        cmocka_unit_test(test_generate_small),
        cmocka_unit_test(test_generate),
        cmocka_unit_test(test_generate_avoids_other),
        cmocka_unit_test(test_generate_broken_source),
        cmocka_unit_test(test_error_in_test),
        cmocka_unit_test(test_progress_and_cancel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
