/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Known answers for arithmetic: published carry faults of other libraries, extreme moduli, digit
 * patterns of vector kernels (tests/data/arith). Odd moduli go through the exponentiation slots of
 * every tier that can be used here, modules' too, and of the plan in force. Even ones, which no
 * modulus object takes, go through products and division, and so does every row with exponent 2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/number/arith.h"
#include "core/number/modulus.h"
#include "core/number/state.h"
#include "dispatch/dispatch.h"
#include "tests/kernels.h"
#include "tests/reference.h"
#include "tests/vectors.h"

#define ROOM (8448 / LIMBIC_LIMB_BITS) /* limbs for the longest value of the files, 8194 bits */
#define MAX_N (4224 / LIMBIC_LIMB_BITS)

static struct kernels_subject subjects[KERNELS_SUBJECTS];
static unsigned count;
static const char *through; /* the row at hand, for messages */

/* Those of every tier, which stand on portable's, and as the last one the plan's. */
static const struct limbic_ops *row_of(unsigned which, size_t n)
{
    static struct limbic_ops row;
    gpg_error_t err = 0;
    const struct lb_plan *plan = lb_plan_current(&err);

    assert_non_null(plan);
    through = which < count ? subjects[which].label : "the plan";
    if (which == count)
        return lb_plan_row(plan, n * LIMB_BITS);
    kernels_row(&subjects[which], n, &row);
    return &row;
}

static const char *name_of(const struct vectors *v)
{
    const char *name = vectors_text(v, "name");

    return name ? name : "a row without name";
}

static void expect(const struct vectors *v, const limb_t *got, const limb_t *want, size_t n,
                   const char *slot)
{
    if (memcmp(got, want, n * sizeof *got) != 0)
        fail_msg("%s: wrong through %s of %s", name_of(v), slot, through);
}

/* ---- products -------------------------------------------------------------------------------- */

static void mul_patterns(void **state)
{
    static limb_t a[ROOM], b[ROOM], p[2 * ROOM], r[2 * ROOM],
        scratch[LIMBIC_SCRATCH_MUL(ROOM, ROOM)];
    struct vectors *v = vectors_open("arith/mul_patterns.txt");
    unsigned rows = 0;

    (void)state;
    for (; vectors_next(v); rows++) {
        size_t an = vectors_limbs(v, "A", a, ROOM), bn = vectors_limbs(v, "B", b, ROOM);
        size_t n = an > bn ? an : bn;

        vectors_limbs(v, "P", p, 2 * ROOM);
        for (unsigned which = 0; which <= count; which++) {
            const struct limbic_limb_slots *slots = &row_of(which, n)->limbs;

            slots->mul(r, a, an, b, bn, scratch);
            expect(v, r, p, an + bn, "mul");
            slots->mul_vartime(r, b, n, a, n, scratch);
            expect(v, r, p, 2 * n, "mul_vartime");
            memset(r, 0, sizeof r);
            for (size_t i = 0; i < n; i++)
                r[n + i] = slots->addmul_1(r + i, a, n, b[i]);
            expect(v, r, p, 2 * n, "addmul_1");
            if (memcmp(a, b, sizeof a) == 0) {
                slots->sqr(r, a, n, scratch);
                expect(v, r, p, 2 * n, "sqr");
                slots->sqr_vartime(r, a, n, scratch);
                expect(v, r, p, 2 * n, "sqr_vartime");
            }
        }
    }
    vectors_close(v);
    assert_int_equal(rows, 120);
}

static void division(void **state)
{
    static limb_t value[ROOM], m[ROOM], want_q[ROOM], want_r[ROOM], q[ROOM], r[ROOM],
        scratch[LB_SCRATCH_DIVREM(ROOM)];
    struct vectors *v = vectors_open("arith/div_top_bit.txt");
    unsigned rows = 0;

    (void)state;
    for (; vectors_next(v); rows++) {
        size_t vn = vectors_limbs(v, "V", value, ROOM), mn = vectors_limbs(v, "M", m, ROOM);

        vectors_limbs(v, "Q", want_q, ROOM);
        vectors_limbs(v, "R", want_r, ROOM);
        for (unsigned which = 0; which <= count; which++) {
            lb_nat_divrem(row_of(which, mn), q, r, value, vn, m, mn, scratch);
            expect(v, q, want_q, vn, "the quotient");
            expect(v, r, want_r, mn, "the remainder");
        }
        reference_divrem(q, r, value, vn, m, mn);
        expect(v, q, want_q, vn, "the reference's quotient");
        expect(v, r, want_r, mn, "the reference's remainder");
    }
    vectors_close(v);
    assert_int_equal(rows, 112);
}

/* ---- powers ---------------------------------------------------------------------------------- */

struct power {
    limb_t a[ROOM], e[ROOM], m[ROOM], want[ROOM];
    size_t an, en, n, ebits;
};

static void load_power(struct power *p, const struct vectors *v)
{
    static const char *const results[] = {"R", "result", "SQR"};
    size_t result = 0;

    while (!vectors_text(v, results[result]))
        result++;
    p->an = vectors_limbs(v, "A", p->a, ROOM);
    lb_nat_set(p->e, ROOM, 2); /* of SQR */
    p->en = vectors_text(v, "E") ? vectors_limbs(v, "E", p->e, ROOM) : 1;
    p->n = vectors_limbs(v, "M", p->m, ROOM);
    vectors_limbs(v, results[result], p->want, ROOM);
    p->ebits = lb_nat_bits_vartime(p->e, p->en);
    assert_true(p->n <= MAX_N);
}

/* Any modulus: square and multiply over the row's products and lb_nat_divrem. */
static void by_division(const struct power *p, const struct vectors *v,
                        const struct limbic_ops *ops)
{
    static limb_t base[MAX_N], r[MAX_N], wide[2 * MAX_N], scratch[LIMBIC_SCRATCH_MUL(ROOM, ROOM)];

    lb_nat_divrem(ops, NULL, base, p->a, p->an, p->m, p->n, scratch);
    lb_nat_set(wide, p->n, 1);
    lb_nat_divrem(ops, NULL, r, wide, p->n, p->m, p->n, scratch);
    for (size_t i = p->ebits; i-- > 0;) {
        ops->limbs.sqr(wide, r, p->n, scratch);
        lb_nat_divrem(ops, NULL, r, wide, 2 * p->n, p->m, p->n, scratch);
        if (lb_nat_bit(p->e, i)) {
            ops->limbs.mul(wide, r, p->n, base, p->n, scratch);
            lb_nat_divrem(ops, NULL, r, wide, 2 * p->n, p->m, p->n, scratch);
        }
    }
    expect(v, r, p->want, p->n, "products and division");
}

/* Odd moduli: all exponentiation slots of one modulus, and for squares those of one product. */
static void by_slots(const struct power *p, const struct vectors *v, const struct limbic_ops *ops)
{
    static limb_t storage[LB_MODULUS_STORAGE(MAX_N)], base[MAX_N], r[MAX_N], r2[MAX_N],
        scratch[LIMBIC_SCRATCH_POW_X8(MAX_N)];
    static unsigned char states[3][1 << 20] __attribute__((aligned(64)));
    const struct limbic_mod_slots *slots = &ops->moduli;
    struct limbic_modulus m;
    struct limbic_pair pair = {.m = {&m, &m}};
    struct limbic_base fixed = {.m = &m, .a = base};
    size_t ebits = p->ebits ? p->ebits : 1;

    lb_modulus_init(&m, ops, storage, p->m, p->n, lb_nat_bits_vartime(p->m, p->n), 0, scratch);
    lb_mod_reduce(ops, &m, base, p->a, p->an, scratch);
    assert_true(lb_states_size(ops, LB_STATE_MODULUS, &m) <= sizeof states[0]);
    lb_states_init(ops, ops, LB_STATE_MODULUS, &m, states[0]);
    assert_true(lb_states_size(ops, LB_STATE_PAIR, &pair) <= sizeof states[1]);
    lb_states_init(ops, ops, LB_STATE_PAIR, &pair, states[1]);
    assert_true(lb_states_size(ops, LB_STATE_BASE, &fixed) <= sizeof states[2]);
    lb_states_init(ops, ops, LB_STATE_BASE, &fixed, states[2]);

    slots->mont_pow(ops, &m, r, base, p->e, ebits, scratch);
    expect(v, r, p->want, p->n, "mont_pow");
    if (p->ebits) {
        slots->mont_pow_public(ops, &m, r, base, p->e, ebits, scratch);
        expect(v, r, p->want, p->n, "mont_pow_public");
    }
    slots->mont_pow_base(ops, &fixed, r, p->e, ebits, scratch);
    expect(v, r, p->want, p->n, "mont_pow_base");
    slots->mont_pow_pair(ops, &pair, (limb_t *const[]){r, r2}, (const limb_t *const[]){base, base},
                         (const limb_t *const[]){p->e, p->e}, ebits, scratch);
    expect(v, r, p->want, p->n, "mont_pow_pair");
    expect(v, r2, p->want, p->n, "mont_pow_pair");
    if (p->ebits == 2 && p->e[0] == 2) {
        lb_mont_in(ops, &m, base, base, scratch);
        slots->mont_sqr(ops, &m, r, base, scratch);
        slots->mont_mul(ops, &m, r2, base, base, scratch);
        lb_mont_out(ops, &m, r, r, scratch);
        lb_mont_out(ops, &m, r2, r2, scratch);
        expect(v, r, p->want, p->n, "mont_sqr");
        expect(v, r2, p->want, p->n, "mont_mul");
    }
}

/* Modulus objects take odd moduli from 3 on; for the others the row goes through division. */
static void power_file(const char *name, unsigned want_rows, unsigned want_others)
{
    static struct power p;
    struct vectors *v = vectors_open(name);
    unsigned rows = 0, others = 0;

    for (; vectors_next(v); rows++) {
        int odd;

        load_power(&p, v);
        odd = (p.m[0] & 1) && !(p.n == 1 && p.m[0] == 1);
        others += !odd;
        for (unsigned which = 0; which <= count; which++) {
            const struct limbic_ops *ops = row_of(which, p.n);

            if (odd)
                by_slots(&p, v, ops);
            if (!odd || p.ebits <= 2)
                by_division(&p, v, ops);
        }
    }
    vectors_close(v);
    assert_int_equal(rows, want_rows);
    assert_int_equal(others, want_others);
}

static void published_carries(void **state)
{
    (void)state;
    power_file("arith/published_carries.txt", 4, 0);
}

static void degenerate(void **state)
{
    (void)state;
    power_file("arith/powm_degenerate.txt", 6, 4);
}

static void exponents(void **state)
{
    (void)state;
    power_file("arith/powm_exponents.txt", 2, 2);
}

static void extreme_moduli(void **state)
{
    (void)state;
    power_file("arith/powm_extreme_mod.txt", 77, 0);
}

static void odd_bit_lengths(void **state)
{
    (void)state;
    power_file("arith/powm_odd_bits.txt", 40, 0);
}

static void radix_patterns(void **state)
{
    (void)state;
    power_file("arith/powm_radix.txt", 16, 0);
}

/* 2^521 - 1: the last limb is used in part, and sums of a lazy reduction may fill it. */
static void square_of_521_bits(void **state)
{
    (void)state;
    power_file("arith/p521_sqr.txt", 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mul_patterns),       cmocka_unit_test(division),
        cmocka_unit_test(published_carries),  cmocka_unit_test(degenerate),
        cmocka_unit_test(exponents),          cmocka_unit_test(extreme_moduli),
        cmocka_unit_test(odd_bit_lengths),    cmocka_unit_test(radix_patterns),
        cmocka_unit_test(square_of_521_bits),
    };

    lb_registry_open_all();
    count = kernels_subjects(subjects);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
