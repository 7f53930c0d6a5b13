/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-verify.c - in builds with --enable-verify, a call of a kernel that breaks a rule of
 * limbic-provider.h ends the process with a line that names kernel and rule; so does a kernel that
 * breaks one. In other builds nothing stands between a row and its kernels.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/number/modulus.h"
#include "core/number/montgomery.h"
#include "dispatch/plan.h"

/* What the row's slot holds, and what its family's table does. */
static lb_kernel in_row(const struct limbic_ops *row, const struct lb_slot *slot)
{
    lb_kernel kernel;

    memcpy(&kernel, (const char *)row + slot->ops_offset, sizeof kernel);
    return kernel;
}

static lb_kernel in_table(const struct limbic_ops *row, const struct lb_slot *slot)
{
    const struct lb_registry *registry = lb_registry();
    const struct lb_family_entry *family = &registry->family[row->family[slot->id]];

    return lb_table_kernel(lb_tier_level(registry->tier[family->tier].tier, slot->level), slot);
}

static void what_stands_in_rows(void **state)
{
    gpg_error_t err;
    const struct lb_plan *plan;

    (void)state;
    lb_test_reset(NULL);
    plan = lb_plan_current(&err);
    assert_non_null(plan);
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++) {
        const struct limbic_ops *row = lb_plan_row(plan, lb_size_class_bits[i]);

        for (size_t j = 0; j < lb_slot_count; j++) {
            const struct lb_slot *slot = &lb_slots[j];

            if (slot->level > LB_RESOLVED_LEVELS)
                continue;
#ifdef VERIFY
            assert_non_null(slot->verify);
            assert_true(in_row(row, slot) == slot->verify(row->family[slot->id]));
            assert_true(in_row(row, slot) != in_table(row, slot));
#else
            assert_true(in_row(row, slot) == in_table(row, slot));
#endif
        }
    }
}

#ifndef VERIFY

static void rules(void **state)
{
    (void)state;
    print_message("# the rules of calls are checked in builds with --enable-verify only\n");
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_in_rows),
        cmocka_unit_test(rules),
    };

    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}

#else

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fake-provider.h"

/* ---- Something to call kernels with --------------------------------------------------------- */

#define N LB_LIMBS_OF_BITS(256)

/* A row of portable and derived, or of a provider that is about to lie, a modulus, operands. */
static struct {
    const struct limbic_ops *row;
    struct limbic_modulus m, m2;
    limb_t value[N], storage[2][LB_MODULUS_STORAGE(N)];
    limb_t r[8][2 * N], a[8][2 * N], e[N], zero[2 * N], table[65 * N];
    limb_t scratch[LIMBIC_SCRATCH_POW_X8(N)];
} t;

static void make(const char *words, const struct limbic_provider *provider)
{
    gpg_error_t err;
    const struct lb_plan *plan;

    memset(&t, 0, sizeof t);
    lb_test_reset(words);
    if (provider)
        lb_test_register(provider);
    plan = lb_plan_current(&err);
    assert_non_null(plan);
    t.row = lb_plan_row(plan, 256);
    memset(t.value, 0xff, sizeof t.value); /* 2^256 - 1 is odd, if no prime */
    lb_modulus_init(&t.m, t.row, t.storage[0], t.value, N, 256, 0, t.scratch);
    lb_modulus_init(&t.m2, t.row, t.storage[1], t.value, N, 256, LIMBIC_MODULUS_SECRET, t.scratch);
    for (unsigned i = 0; i < 8; i++)
        t.a[i][0] = i + 3;
    t.e[0] = 5;
}

/* ---- Calls that break a rule ---------------------------------------------------------------- */

#define L (t.row->limbs)
#define M (t.row->moduli)

static void add_nothing(void)
{
    L.add(t.r[0], t.a[0], t.a[1], 0);
}
static void add_too_much(void)
{
    L.add(t.r[0], t.a[0], t.a[1], 2 * LIMBIC_MAX_LIMBS + 1);
}
static void add_overlapping(void)
{
    L.add(t.a[0] + 1, t.a[0], t.a[1], 2);
}
static void add_overlapping_below(void)
{
    L.add(t.a[1], t.a[0], t.a[1] + 1, 2);
}
static void sub_missing(void)
{
    L.sub(t.r[0], NULL, t.a[1], N);
}
static void sub_misaligned(void)
{
    L.sub(t.r[0], t.a[0], (const limb_t *)(const void *)((const char *)t.a[1] + 1), 2);
}
static void cond_add_mask(void)
{
    L.cond_add(t.r[0], t.a[0], t.a[1], N, 1);
}
static void cond_sub_mask(void)
{
    L.cond_sub(t.r[0], t.a[0], t.a[1], N, ~(limb_t)0 >> 1);
}
static void cond_swap_same(void)
{
    L.cond_swap(t.a[0], t.a[0], N, 0);
}
static void select_mask(void)
{
    L.select(t.r[0], t.a[0], t.a[1], N, 2);
}
static void table_index(void)
{
    L.table_select(t.r[0], t.table, 16, N, 16);
}
static void table_entries(void)
{
    L.table_select(t.r[0], t.table, 65, N, 0);
}
static void table_overlap(void)
{
    L.table_select(t.table + 15 * N, t.table, 16, N, 0);
}
static void lshift_by_none(void)
{
    L.lshift(t.r[0], t.a[0], N, 0);
}
static void rshift_by_all(void)
{
    L.rshift(t.r[0], t.a[0], N, LIMBIC_LIMB_BITS);
}
static void addmul_1_overlap(void)
{
    L.addmul_1(t.a[0], t.a[0] + 1, N, 3);
}
static void mul_in_place(void)
{
    L.mul(t.a[0], t.a[0], N, t.a[1], N, t.scratch);
}
static void mul_by_nothing(void)
{
    L.mul(t.r[0], t.a[0], N, t.a[1], 0, t.scratch);
}
static void mul_scratch(void)
{
    L.mul(t.scratch + LIMBIC_SCRATCH_MUL(N, N) - 1, t.a[0], N, t.a[1], N, t.scratch);
}
static void sqr_in_place(void)
{
    L.sqr_vartime(t.a[0] + 1, t.a[0], N, t.scratch);
}
static void mul_a_is_m(void)
{
    memcpy(t.a[0], t.value, sizeof t.value);
    M.mont_mul(t.row, &t.m, t.r[0], t.a[0], t.a[1], t.scratch);
}
static void mul_b_is_m(void)
{
    M.mont_mul(t.row, &t.m, t.r[0], t.a[0], t.value, t.scratch);
}
static void mul_even_modulus(void)
{
    t.storage[0][0] -= 1;
    M.mont_mul(t.row, &t.m, t.r[0], t.a[0], t.a[1], t.scratch);
}
static void mul_neg_inv(void)
{
    t.m.neg_inv += 2;
    M.mont_mul(t.row, &t.m, t.r[0], t.a[0], t.a[1], t.scratch);
}
static void mul_bits(void)
{
    t.m.bits -= 1;
    M.mont_mul(t.row, &t.m, t.r[0], t.a[0], t.a[1], t.scratch);
}
static void mul_length(void)
{
    t.m.n -= 1;
    M.mont_mul(t.row, &t.m, t.r[0], t.a[0], t.a[1], t.scratch);
}
static void mul_into_modulus(void)
{
    M.mont_mul(t.row, &t.m, t.storage[0], t.a[0], t.a[1], t.scratch);
}
static void mul_scratch_is_operand(void)
{
    memset(t.scratch, 0, sizeof t.scratch);
    M.mont_mul(t.row, &t.m, t.r[0], t.scratch + N, t.a[1], t.scratch);
}
static void mul_other_row(void)
{
    struct limbic_ops other = *t.row;

    other.moduli.mont_mul = NULL;
    M.mont_mul(&other, &t.m, t.r[0], t.a[0], t.a[1], t.scratch);
}
static void mul_no_row(void)
{
    M.mont_mul(NULL, &t.m, t.r[0], t.a[0], t.a[1], t.scratch);
}
static void sqr_overlap(void)
{
    M.mont_sqr(t.row, &t.m, t.a[0] + 1, t.a[0], t.scratch);
}
static void reduce_too_large(void)
{
    memcpy(t.a[0] + N, t.value, sizeof t.value);
    M.mont_reduce(t.row, &t.m, t.r[0], t.a[0], t.scratch);
}
static void reduce_between(void)
{
    M.mont_reduce(t.row, &t.m, t.a[0] + 1, t.a[0], t.scratch);
}
static void pow_no_bits(void)
{
    M.mont_pow(t.row, &t.m, t.r[0], t.a[0], t.e, 0, t.scratch);
}
static void pow_bit_above(void)
{
    M.mont_pow(t.row, &t.m, t.r[0], t.a[0], t.e, 2, t.scratch);
}
static void pow_into_exponent(void)
{
    M.mont_pow(t.row, &t.m, t.e, t.a[0], t.e, 3, t.scratch);
}
static void pow_public_top_bit(void)
{
    M.mont_pow_public(t.row, &t.m, t.r[0], t.a[0], t.e, 4, t.scratch);
}

static void power_pair(limb_t *r0, limb_t *r1)
{
    const struct limbic_pair pair = {.m = {&t.m, &t.m2}};
    limb_t *const r[2] = {r0, r1};
    const limb_t *const a[2] = {t.a[0], t.a[1]}, *const e[2] = {t.e, t.e};

    M.mont_pow_pair(t.row, &pair, r, a, e, 3, t.scratch);
}
static void pair_one_result(void)
{
    power_pair(t.r[0], t.r[0]);
}
static void pair_result_crosswise(void)
{
    power_pair(t.a[1], t.r[1]);
}
static void x8_crosswise(void)
{
    const struct limbic_modulus *const m[8] = {&t.m, &t.m, &t.m, &t.m, &t.m, &t.m, &t.m, &t.m};
    limb_t *const r[8] = {t.r[0], t.r[1], t.r[2], t.a[7], t.r[4], t.r[5], t.r[6], t.r[7]};
    const limb_t *const a[8] = {t.a[0], t.a[1], t.a[2], t.a[3], t.a[4], t.a[5], t.a[6], t.a[7]};
    const limb_t *const e[8] = {t.e, t.e, t.e, t.e, t.e, t.e, t.e, t.e};

    M.mont_pow_x8(t.row, m, r, a, e, 3, t.scratch);
}
static void base_too_large(void)
{
    const struct limbic_base base = {.m = &t.m, .a = t.value};

    M.mont_pow_base(t.row, &base, t.r[0], t.e, 3, t.scratch);
}
static void base_in_place(void)
{
    const struct limbic_base base = {.m = &t.m, .a = t.a[0]};

    M.mont_pow_base(t.row, &base, t.a[0], t.e, 3, t.scratch);
}
static void two_moduli(void)
{
    const struct limbic_base x = {.m = &t.m, .a = t.a[0]}, y = {.m = &t.m2, .a = t.a[1]};
    const struct limbic_base *const base[2] = {&x, &y};
    const limb_t *const e[2] = {t.e, t.e};

    M.mont_pow2_vartime(t.row, base, t.r[0], e, 3, t.scratch);
}
static void inv_too_large(void)
{
    M.mont_inv(t.row, &t.m, t.r[0], t.value, t.scratch);
}

/* What must pass: every aliasing that is allowed, every edge of a range. */
static void legal(void)
{
    L.add(t.a[0], t.a[0], t.a[0], 2 * N);
    L.cond_sub(t.a[0], t.a[1], t.a[0], 1, ~(limb_t)0);
    L.lshift(t.a[0], t.a[0], N, LIMBIC_LIMB_BITS - 1);
    L.rshift(t.a[0], t.a[0], N, LIMBIC_LIMB_BITS - 1);
    L.table_select(t.r[0], t.table, 64, N, 63);
    L.mul(t.r[0], t.a[0], N, t.a[0], N, t.scratch);
    memcpy(t.a[0], t.value, sizeof t.value);
    t.a[0][0] -= 1; /* m - 1 */
    M.mont_mul(t.row, &t.m, t.a[0], t.a[0], t.a[0], t.scratch);
    M.mont_sqr(t.row, &t.m, t.a[0], t.a[0], t.scratch);
    memset(t.a[2], 0xff, N * sizeof(limb_t));
    memset(t.a[2] + N, 0, N * sizeof(limb_t)); /* R - 1 */
    M.mont_reduce(t.row, &t.m, t.a[2] + N, t.a[2], t.scratch);
    M.mont_pow_public(t.row, &t.m, t.a[0], t.a[0], t.e, 3, t.scratch);
    memset(t.e, 0xff, sizeof t.e);
    M.mont_pow(t.row, &t.m, t.a[0], t.a[0], t.e, 256, t.scratch);
    t.e[0] = 1;
    power_pair(t.a[0], t.a[1]);
    t.a[3][0] = 3; /* 3 divides 2^256 - 1 */
    M.mont_inv(t.row, &t.m, t.a[3], t.a[3], t.scratch);
}

/* ---- Kernels that break a rule -------------------------------------------------------------- */

static bool lying;
static struct limbic_limb_slots own_limbs;
static struct limbic_mod_family own_moduli;

static limb_t lying_sub(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    extern const struct limbic_provider lb_provider_portable;
    limb_t borrow = lb_provider_portable.tiers[0].limbs->sub(r, a, b, n);

    return lying ? 2 : borrow;
}

static limb_t lying_lshift(limb_t *r, const limb_t *a, size_t n, unsigned s)
{
    extern const struct limbic_provider lb_provider_portable;

    return lb_provider_portable.tiers[0].limbs->lshift(r, a, n, s) | (limb_t)lying << s;
}

static void lying_mont_sqr(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                           const limb_t *a, limb_t *scratch)
{
    lb_mont_sqr_plain(ops, m, r, a, scratch);
    if (lying)
        memcpy(r, m->m, m->n * sizeof *r);
}

static limb_t lying_mont_inv(const struct limbic_ops *ops, const struct limbic_modulus *m,
                             limb_t *r, const limb_t *a, limb_t *scratch)
{
    return lb_derived_mont_inv(ops, m, r, a, scratch) & (lying ? 1 : ~(limb_t)0);
}

static size_t state_size(const struct limbic_modulus *m)
{
    (void)m;
    return lying ? 64 : 0;
}

static void state_init(const struct limbic_ops *ops, const struct limbic_modulus *m, void *state)
{
    (void)ops;
    (void)m;
    (void)state;
}

static void make_lying(void)
{
    fake_providers_reset();
    own_limbs = *fake_b.tier[0].limbs;
    own_limbs.sub = lying_sub;
    own_limbs.lshift = lying_lshift;
    own_moduli = (struct limbic_mod_family){
        .size = sizeof own_moduli,
        .slots = {.mont_sqr = lying_mont_sqr, .mont_inv = lying_mont_inv},
    };
    fake_b.tier[0].limbs = &own_limbs;
    fake_b.tier[0].moduli = &own_moduli;
    make("fake_b", &fake_b.provider);
    lying = true;
}

static void sub_lies(void)
{
    L.sub(t.r[0], t.a[0], t.a[1], N);
}
static void lshift_lies(void)
{
    L.lshift(t.r[0], t.a[0], N, 1);
}
static void sqr_lies(void)
{
    own_moduli.slots.mont_sqr(t.row, &t.m, t.r[0], t.a[0], t.scratch);
}
static void sqr_lies_in_row(void)
{
    own_limbs.sub = fake_a.tier[0].limbs->sub;
    M.mont_sqr(t.row, &t.m, t.r[0], t.a[0], t.scratch);
}
static void inv_lies(void)
{
    M.mont_inv(t.row, &t.m, t.r[0], t.a[1], t.scratch);
}
static void below_derived(void)
{
    M.mont_mul(t.row, &t.m, t.r[0], t.a[0], t.a[1], t.scratch);
}
static void state_missing(void)
{
    own_moduli.modulus_state_size = state_size;
    own_moduli.modulus_state_init = state_init;
    M.mont_inv(t.row, &t.m, t.r[0], t.a[1], t.scratch);
}

/* ---- In a child ----------------------------------------------------------------------------- */

#define CALLER(kernel, rule) "limbic: verify: " kernel ": the caller broke the rule: " rule "\n"
#define KERNEL(kernel, rule) "limbic: verify: " kernel ": the kernel broke the rule: " rule "\n"
#define BOTH_APART(x, y) x " and " y " do not overlap"
#define SAME_OR_APART(x, y) x " and " y " are the same or do not overlap"

struct breach {
    void (*call)(void);
    const char *message; /* "": the call breaks no rule */
};

static const struct breach by_caller[] = {
    {legal, ""},
    {add_nothing, CALLER("portable:add", "lengths are 1 .. 2 * LIMBIC_MAX_LIMBS")},
    {add_too_much, CALLER("portable:add", "lengths are 1 .. 2 * LIMBIC_MAX_LIMBS")},
    {add_overlapping, CALLER("portable:add", SAME_OR_APART("r", "a"))},
    {add_overlapping_below, CALLER("portable:add", SAME_OR_APART("r", "b"))},
    {sub_missing, CALLER("portable:sub", "a is an array of limbs, aligned as such")},
    {sub_misaligned, CALLER("portable:sub", "b is an array of limbs, aligned as such")},
    {cond_add_mask, CALLER("portable:cond_add", "mask is 0 or ~0")},
    {cond_sub_mask, CALLER("portable:cond_sub", "mask is 0 or ~0")},
    {cond_swap_same, CALLER("portable:cond_swap", BOTH_APART("a", "b"))},
    {select_mask, CALLER("portable:select", "mask is 0 or ~0")},
    {table_index, CALLER("portable:table_select", "index < entries")},
    {table_entries, CALLER("portable:table_select", "1 <= entries <= 64")},
    {table_overlap, CALLER("portable:table_select", BOTH_APART("r", "table"))},
    {lshift_by_none, CALLER("portable:lshift", "1 <= s < LIMBIC_LIMB_BITS")},
    {rshift_by_all, CALLER("portable:rshift", "1 <= s < LIMBIC_LIMB_BITS")},
    {addmul_1_overlap, CALLER("portable:addmul_1", SAME_OR_APART("r", "a"))},
    {mul_in_place, CALLER("portable:mul", BOTH_APART("r", "a"))},
    {mul_by_nothing, CALLER("portable:mul", "lengths are 1 .. 2 * LIMBIC_MAX_LIMBS")},
    {mul_scratch, CALLER("portable:mul", BOTH_APART("r", "scratch"))},
    {sqr_in_place, CALLER("portable:sqr_vartime", BOTH_APART("r", "a"))},
    {mul_a_is_m, CALLER("derived:mont_mul", "a is in [0, m)")},
    {mul_b_is_m, CALLER("derived:mont_mul", "b is in [0, m)")},
    {mul_even_modulus, CALLER("derived:mont_mul", "the modulus is odd")},
    {mul_neg_inv, CALLER("derived:mont_mul", "neg_inv is -1/m mod B")},
    {mul_bits, CALLER("derived:mont_mul", "bits is the exact bit length of the modulus")},
    {mul_length,
     CALLER("derived:mont_mul", "the modulus is at least 3, and n the length of its bits")},
    {mul_into_modulus, CALLER("derived:mont_mul", BOTH_APART("r", "m"))},
    {mul_scratch_is_operand, CALLER("derived:mont_mul", BOTH_APART("a", "scratch"))},
    {mul_other_row, CALLER("a kernel unknown:mont_mul", "ops is the row that the slot stands in")},
    {mul_no_row, CALLER("a kernel unknown:mont_mul", "ops is a row")},
    {sqr_overlap, CALLER("derived:mont_sqr", SAME_OR_APART("r", "a"))},
    {reduce_too_large, CALLER("derived:mont_reduce", "a < m * R")},
    {reduce_between, CALLER("derived:mont_reduce", SAME_OR_APART("r", "a"))},
    {pow_no_bits, CALLER("derived:mont_pow", "1 <= ebits <= 2 * LIMBIC_MAX_BITS")},
    {pow_bit_above, CALLER("derived:mont_pow", "e has no bit set at ebits or above")},
    {pow_into_exponent, CALLER("derived:mont_pow", BOTH_APART("r", "e"))},
    {pow_public_top_bit, CALLER("derived:mont_pow_public", "bit ebits - 1 of e is set")},
    {pair_one_result, CALLER("derived:mont_pow_pair", BOTH_APART("r[0]", "r[1]"))},
    {pair_result_crosswise, CALLER("derived:mont_pow_pair", BOTH_APART("r[0]", "a[1]"))},
    {x8_crosswise, CALLER("derived:mont_pow_x8", BOTH_APART("r[3]", "a[7]"))},
    {base_too_large, CALLER("derived:mont_pow_base", "the base is in [0, m)")},
    {base_in_place, CALLER("derived:mont_pow_base", BOTH_APART("r", "the base"))},
    {two_moduli, CALLER("derived:mont_pow2_vartime", "both bases have one modulus")},
    {inv_too_large, CALLER("derived:mont_inv", "a is in [0, m)")},
};

static const struct breach by_kernel[] = {
    {sub_lies, KERNEL("fake_b:sub", "the carry or borrow is 0 or 1")},
    {lshift_lies, KERNEL("fake_b:lshift", "what is shifted out is below 2^s")},
    {sqr_lies_in_row, KERNEL("fake_b:mont_sqr", "r is in [0, m)")},
    {inv_lies, KERNEL("fake_b:mont_inv", "what is returned is 0 or ~0")},
    /* Kernels over the row call checked kernels, whoever calls them. */
    {below_derived, KERNEL("fake_b:sub", "the carry or borrow is 0 or 1")},
    {sqr_lies, KERNEL("fake_b:sub", "the carry or borrow is 0 or 1")},
    {state_missing,
     CALLER("fake_b:mont_inv", "an object has the state that the kernel's family keeps for it")},
};

/* Runs the call with its standard error in a pipe; what it wrote, and how it ended. */
static int in_child(void (*call)(void), char *text, size_t size)
{
    int fd[2], status;
    size_t used = 0;
    ssize_t got;
    pid_t pid;

    assert_int_equal(pipe(fd), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct rlimit no_core = {0, 0};

        alarm(20);
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGABRT, SIG_DFL);
        dup2(fd[1], STDERR_FILENO);
        call();
        _exit(0);
    }
    close(fd[1]);
    while (used < size - 1 && (got = read(fd[0], text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(fd[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void expect(const struct breach *breach, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[512];
        int status = in_child(breach[i].call, text, sizeof text);

        assert_string_equal(text, breach[i].message);
        if (*breach[i].message)
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        else
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

static void rules_of_callers(void **state)
{
    (void)state;
    make("only:portable,derived", NULL);
    expect(by_caller, sizeof by_caller / sizeof by_caller[0]);
}

static void rules_of_kernels(void **state)
{
    (void)state;
    make_lying();
    expect(by_kernel, sizeof by_kernel / sizeof by_kernel[0]);
    lying = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_in_rows),
        cmocka_unit_test(rules_of_callers),
        cmocka_unit_test(rules_of_kernels),
    };

    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}

#endif
