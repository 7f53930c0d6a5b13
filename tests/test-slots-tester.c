/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of the differential tester: kernels with one fault each, of the kinds that have been found
 * in real ones, must not pass it.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "dispatch/dispatch.h"
#include "tests/slots.h"

#if LIMBIC_LIMB_BITS == 64
__extension__ typedef unsigned __int128 double_limb;
#else
typedef uint64_t double_limb;
#endif

typedef limbic_limb_t limb;
#define ONES ((limb) ~(limb)0)

/* The sound kernels, for the faulty ones to start from. */
static const struct limbic_ops *sound(void)
{
    return lb_row_portable(5 * LIMBIC_LIMB_BITS);
}

/* ---- level 1 --------------------------------------------------------------------------------- */

/* Loses the carry of the last addition into a column's high half. */
static void mul_drops_carry(limb *r, const limb *a, size_t an, const limb *b, size_t bn,
                            limb *scratch)
{
    (void)scratch;
    memset(r, 0, (an + bn) * sizeof *r);
    for (size_t j = 0; j < bn; j++) {
        limb carry = 0;
        for (size_t i = 0; i < an; i++) {
            double_limb t = (double_limb)a[i] * b[j] + r[i + j];
            r[i + j] = (limb)t + carry;
            carry = (limb)(t >> LIMBIC_LIMB_BITS);
        }
        r[an + j] = carry;
    }
}

/* Right but for one pattern: a square whose limbs are all ones. */
static void sqr_rarely_wrong(limb *r, const limb *a, size_t n, limb *scratch)
{
    limb all = ONES;

    sound()->limbs.sqr(r, a, n, scratch);
    for (size_t i = 0; i < n; i++)
        all &= a[i];
    if (all == ONES)
        r[n]++;
}

static limb addmul_loses_high(limb *r, const limb *a, size_t n, limb b)
{
    limb carry = 0;

    for (size_t i = 0; i < n; i++) {
        double_limb t = (double_limb)a[i] * b;
        limb low = (limb)t + carry;
        carry = (limb)(t >> LIMBIC_LIMB_BITS) + (low < carry);
        r[i] += low; /* and here a carry is lost */
    }
    return carry;
}

static limb submul_returns_nothing(limb *r, const limb *a, size_t n, limb b)
{
    sound()->limbs.submul_1(r, a, n, b);
    return 0;
}

/* Takes a difference of 0 for no borrow, though one comes in. */
static limb sub_forgets_equal(limb *r, const limb *a, const limb *b, size_t n)
{
    limb borrow = 0;

    for (size_t i = 0; i < n; i++) {
        limb x = a[i], y = b[i];
        r[i] = x - y - borrow;
        borrow = x < y;
    }
    return borrow;
}

static limb add_not_in_place(limb *r, const limb *a, const limb *b, size_t n)
{
    memset(r, 0, n * sizeof *r);
    return sound()->limbs.add(r, a, b, n);
}

static void select_ignores_mask(limb *r, const limb *a, const limb *b, size_t n, limb mask)
{
    (void)b;
    (void)mask;
    memmove(r, a, n * sizeof *r);
}

static limb cond_sub_ignores_mask(limb *r, const limb *a, const limb *b, size_t n, limb mask)
{
    (void)mask;
    return sound()->limbs.sub(r, a, b, n);
}

static void swap_forgets_last(limb *a, limb *b, size_t n, limb mask)
{
    if (n > 1)
        sound()->limbs.cond_swap(a, b, n - 1, mask);
}

static void table_skips_last(limb *r, const limb *table, size_t entries, size_t n, size_t index)
{
    sound()->limbs.table_select(r, table, entries > 1 ? entries - 1 : 1, n, index);
}

static limb lshift_drops_bits(limb *r, const limb *a, size_t n, unsigned s)
{
    return sound()->limbs.lshift(r, a, n, s) & 1;
}

static void mul_changes_operand(limb *r, const limb *a, size_t an, const limb *b, size_t bn,
                                limb *scratch)
{
    sound()->limbs.mul(r, a, an, b, bn, scratch);
    memset((void *)(uintptr_t)a, 0, sizeof *a);
}

static void mul_exceeds_scratch(limb *r, const limb *a, size_t an, const limb *b, size_t bn,
                                limb *scratch)
{
    sound()->limbs.mul(r, a, an, b, bn, scratch);
    scratch[LIMBIC_SCRATCH_MUL(an, bn)] = 0;
}

static limb add_reads_beyond(limb *r, const limb *a, const limb *b, size_t n)
{
    volatile limb beyond = a[n];

    (void)beyond;
    return sound()->limbs.add(r, a, b, n);
}

static limb add_reads_before(limb *r, const limb *a, const limb *b, size_t n)
{
    volatile limb before = *(b - 1);

    (void)before;
    return sound()->limbs.add(r, a, b, n);
}

static limb mul_1_writes_beyond(limb *r, const limb *a, size_t n, limb b)
{
    limb high = sound()->limbs.mul_1(r, a, n, b);

    r[n] = high;
    return high;
}

/* ---- level 2 --------------------------------------------------------------------------------- */

/* Leaves m where 0 is right: the last subtraction compares with > for >=. */
static void mont_mul_leaves_m(const struct limbic_ops *ops, const struct limbic_modulus *m, limb *r,
                              const limb *a, const limb *b, limb *scratch)
{
    limb any = 0;

    sound()->moduli.mont_mul(ops, m, r, a, b, scratch);
    for (size_t i = 0; i < m->n; i++)
        any |= r[i];
    if (any == 0)
        memcpy(r, m->m, m->n * sizeof *r);
}

/* Forgets the bit above the top limb, which only moduli with the top bit set have. */
static void mont_reduce_loses_bit(const struct limbic_ops *ops, const struct limbic_modulus *m,
                                  limb *r, limb *a, limb *scratch)
{
    size_t n = m->n;
    limb borrow;

    (void)scratch;
    for (size_t i = 0; i < n; i++) {
        limb carry = ops->limbs.addmul_1(a + i, m->m, n, a[i] * m->neg_inv);
        for (size_t j = n + i; j < 2 * n; j++) {
            a[j] += carry;
            carry = a[j] < carry;
        }
    }
    memmove(r, a + n, n * sizeof *r);
    borrow = ops->limbs.sub(r, r, m->m, n);
    ops->limbs.cond_add(r, r, m->m, n, (limb)0 - borrow);
}

/* Takes no more exponent bits than the modulus has. */
static void mont_pow_cuts_exponent(const struct limbic_ops *ops, const struct limbic_modulus *m,
                                   limb *r, const limb *a, const limb *e, size_t ebits,
                                   limb *scratch)
{
    sound()->moduli.mont_pow(ops, m, r, a, e, ebits < m->bits ? ebits : m->bits, scratch);
}

static void mont_pow_zero_exponent(const struct limbic_ops *ops, const struct limbic_modulus *m,
                                   limb *r, const limb *a, const limb *e, size_t ebits,
                                   limb *scratch)
{
    limb any = 0;

    for (size_t i = 0; i * LIMBIC_LIMB_BITS < ebits; i++)
        any |= e[i];
    if (any)
        sound()->moduli.mont_pow(ops, m, r, a, e, ebits, scratch);
    else
        memset(r, 0, m->n * sizeof *r);
}

static void mont_pow_pair_mixes(const struct limbic_ops *ops, const struct limbic_pair *pair,
                                limb *const r[2], const limb *const a[2], const limb *const e[2],
                                size_t ebits, limb *scratch)
{
    const limb *const same[2] = {e[0], e[0]};

    sound()->moduli.mont_pow_pair(ops, pair, r, a, same, ebits, scratch);
}

static void mont_pow_x8_short(const struct limbic_ops *ops, const struct limbic_modulus *const m[8],
                              limb *const r[8], const limb *const a[8], const limb *const e[8],
                              size_t ebits, limb *scratch)
{
    sound()->moduli.mont_pow_x8(ops, m, r, a, e, ebits, scratch);
    memcpy(r[7], r[6], m[7]->n * sizeof(limb));
}

static limb mont_inv_always(const struct limbic_ops *ops, const struct limbic_modulus *m, limb *r,
                            const limb *a, limb *scratch)
{
    sound()->moduli.mont_inv(ops, m, r, a, scratch);
    return ONES;
}

/* ---- the mutants ----------------------------------------------------------------------------- */

static unsigned failures(const struct limbic_ops *ops, int level)
{
    struct slots_report report = {.label = "mutant", .quiet = 1};

    /* One limb, where many loops do not run; a size with a tail; level 2 at that too. */
    for (size_t n = 1; n <= 5; n += 4) {
        if (level == 1)
            slots_check_limbs(ops, n, &report);
        else
            slots_check_moduli(ops, n, &report);
    }
    return report.failures;
}

/* In a child, as some mutants rightly crash. */
static int caught(const struct limbic_ops *ops, int level)
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        /* cmocka catches these to fail the test; here they shall end the child. */
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        _exit(failures(ops, level) ? 1 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#define MUTANT(table, field, kernel) \
    do { \
        struct limbic_ops ops = *sound(); \
        ops.table.field = kernel; \
        if (!caught(&ops, sizeof ops.table == sizeof ops.limbs ? 1 : 2)) \
            fail_msg("a faulty kernel passes: %s", #kernel); \
    } while (0)

_Static_assert(sizeof(struct limbic_limb_slots) != sizeof(struct limbic_mod_slots),
               "MUTANT tells the levels by size");

static void sound_row_passes(void **state)
{
    (void)state;
    assert_int_equal(failures(sound(), 1), 0);
    assert_int_equal(failures(sound(), 2), 0);
    assert_false(caught(sound(), 1));
    assert_false(caught(sound(), 2));
}

static void wrong_carries(void **state)
{
    (void)state;
    MUTANT(limbs, mul, mul_drops_carry);
    MUTANT(limbs, mul_vartime, mul_drops_carry);
    MUTANT(limbs, sqr, sqr_rarely_wrong);
    MUTANT(limbs, sqr_vartime, sqr_rarely_wrong);
    MUTANT(limbs, addmul_1, addmul_loses_high);
    MUTANT(limbs, submul_1, submul_returns_nothing);
    MUTANT(limbs, sub, sub_forgets_equal);
    MUTANT(limbs, lshift, lshift_drops_bits);
}

static void wrong_choices(void **state)
{
    (void)state;
    MUTANT(limbs, add, add_not_in_place);
    MUTANT(limbs, select, select_ignores_mask);
    MUTANT(limbs, cond_sub, cond_sub_ignores_mask);
    MUTANT(limbs, cond_swap, swap_forgets_last);
    MUTANT(limbs, table_select, table_skips_last);
}

static void memory_faults(void **state)
{
    (void)state;
    MUTANT(limbs, mul, mul_changes_operand);
    MUTANT(limbs, mul, mul_exceeds_scratch);
    MUTANT(limbs, add, add_reads_beyond);
    MUTANT(limbs, add, add_reads_before);
    MUTANT(limbs, mul_1, mul_1_writes_beyond);
}

static void wrong_residues(void **state)
{
    (void)state;
    MUTANT(moduli, mont_mul, mont_mul_leaves_m);
    MUTANT(moduli, mont_reduce, mont_reduce_loses_bit);
    MUTANT(moduli, mont_inv, mont_inv_always);
}

static void wrong_powers(void **state)
{
    (void)state;
    MUTANT(moduli, mont_pow, mont_pow_cuts_exponent);
    MUTANT(moduli, mont_pow, mont_pow_zero_exponent);
    MUTANT(moduli, mont_pow_public, mont_pow_cuts_exponent);
    MUTANT(moduli, mont_pow_pair, mont_pow_pair_mixes);
    MUTANT(moduli, mont_pow_x8, mont_pow_x8_short);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_row_passes), cmocka_unit_test(wrong_carries),
        cmocka_unit_test(wrong_choices),    cmocka_unit_test(memory_faults),
        cmocka_unit_test(wrong_residues),   cmocka_unit_test(wrong_powers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
