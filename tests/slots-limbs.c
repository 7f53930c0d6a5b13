/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The differential tester, level 1.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "tests/guards.h"
#include "tests/patterns.h"
#include "tests/reference.h"
#include "tests/slots.h"

#define MAX_LIMBS (2 * SLOTS_MAX_LIMBS)
#define ONES ((limbic_limb_t) ~(limbic_limb_t)0)
#define SIZE(a) (sizeof(a) / sizeof(a)[0])

typedef limbic_limb_t limb;

/* What one case is about, for messages, and where results are compared. */
struct limbs_case {
    const struct limbic_limb_slots *slots;
    struct slots_report *report;
    const char *slot;
    size_t n;
    char detail[80];
};

static const enum guards_side sides[] = {GUARDS_LOW, GUARDS_HIGH};

/* Which operands are the same memory. */
enum aliasing { APART, R_IS_A, R_IS_B, R_IS_BOTH, A_IS_B };
static const char *const aliasing_names[] = {"apart", "r = a", "r = b", "r = a = b", "a = b"};

/* Whether the report asks for the slot that comes next. */
static int wanted(struct limbs_case *c, const char *slot)
{
    c->slot = slot;
    return !c->report->glob || fnmatch(c->report->glob, slot, 0) == 0;
}

static void compare(struct limbs_case *c, const limb *got, const limb *want, size_t n, limb got_out,
                    limb want_out)
{
    const char *fault = guards_check();

    c->report->cases++;
    if (fault)
        slots_failed(c->report, c->slot, c->n, fault, c->detail);
    else if (memcmp(got, want, n * sizeof *got) != 0)
        slots_failed(c->report, c->slot, c->n, "wrong result", c->detail);
    else if (got_out != want_out)
        slots_failed(c->report, c->slot, c->n, "wrong limb returned", c->detail);
}

/* ---- two operands of n limbs ----------------------------------------------------------------- */

enum binary { ADD, SUB, COND_ADD, COND_SUB, SELECT };
static const char *const binary_names[] = {"add", "sub", "cond_add", "cond_sub", "select"};

static limb want_binary(enum binary op, limb *r, const limb *a, const limb *b, size_t n, limb mask)
{
    static limb masked[MAX_LIMBS];

    for (size_t i = 0; i < n; i++)
        masked[i] = b[i] & mask;
    switch (op) {
    case ADD:
        return reference_add(r, a, b, n);
    case SUB:
        return reference_sub(r, a, b, n);
    case COND_ADD:
        return reference_add(r, a, masked, n);
    case COND_SUB:
        return reference_sub(r, a, masked, n);
    default:
        memcpy(r, mask ? a : b, n * sizeof *r);
        return 0;
    }
}

static limb call_binary(const struct limbic_limb_slots *slots, enum binary op, limb *r,
                        const limb *a, const limb *b, size_t n, limb mask)
{
    switch (op) {
    case ADD:
        return slots->add(r, a, b, n);
    case SUB:
        return slots->sub(r, a, b, n);
    case COND_ADD:
        return slots->cond_add(r, a, b, n, mask);
    case COND_SUB:
        return slots->cond_sub(r, a, b, n, mask);
    default:
        slots->select(r, a, b, n, mask);
        return 0;
    }
}

static void binary_case(struct limbs_case *c, enum binary op, const limb *a, const limb *b,
                        limb mask, enum aliasing aliasing, enum guards_side side)
{
    static limb want[MAX_LIMBS];
    const limb *pa, *pb;
    limb *r, want_out, out;

    if (aliasing == R_IS_BOTH || aliasing == A_IS_B)
        b = a;
    want_out = want_binary(op, want, a, b, c->n, mask);
    guards_begin(side);
    r = guards_write(aliasing == R_IS_A || aliasing == R_IS_BOTH ? a
                     : aliasing == R_IS_B                        ? b
                                                                 : NULL,
                     c->n);
    pa = aliasing == R_IS_A || aliasing == R_IS_BOTH ? r : guards_read(a, c->n);
    pb = aliasing == R_IS_B || aliasing == R_IS_BOTH ? r
         : aliasing == A_IS_B                        ? pa
                                                     : guards_read(b, c->n);
    out = call_binary(c->slots, op, r, pa, pb, c->n, mask);
    snprintf(c->detail, sizeof c->detail, "%s%s", aliasing_names[aliasing],
             mask ? ", mask ~0" : ", mask 0");
    compare(c, r, want, c->n, out, want_out);
}

static void binary_pair(struct limbs_case *c, const limb *a, const limb *b, unsigned turn)
{
    for (enum binary op = ADD; op <= SELECT; op++) {
        if (!wanted(c, binary_names[op]))
            continue;
        for (unsigned k = 0; k < 2; k++) {
            limb mask = k ? ONES : 0;
            if (op <= SUB && k)
                continue;
            for (enum aliasing al = APART; al <= A_IS_B; al++)
                if (al != R_IS_BOTH || op <= SUB)
                    binary_case(c, op, a, b, mask, al, sides[(turn + al + k) % 2]);
        }
    }
}

static void swap_case(struct limbs_case *c, const limb *a, const limb *b, limb mask,
                      enum guards_side side)
{
    limb *pa, *pb;

    if (!wanted(c, "cond_swap"))
        return;
    guards_begin(side);
    pa = guards_write(a, c->n);
    pb = guards_write(b, c->n);
    c->slots->cond_swap(pa, pb, c->n, mask);
    snprintf(c->detail, sizeof c->detail, mask ? "mask ~0" : "mask 0");
    compare(c, pa, mask ? b : a, c->n, 0, 0);
    compare(c, pb, mask ? a : b, c->n, 0, 0);
}

/* ---- one operand of n limbs ------------------------------------------------------------------ */

static void shift_case(struct limbs_case *c, const limb *a, unsigned s, int left,
                       enum aliasing aliasing, enum guards_side side)
{
    static limb want[MAX_LIMBS];
    limb *r, out, want_out;
    const limb *pa;

    if (!wanted(c, left ? "lshift" : "rshift"))
        return;
    want_out = left ? reference_lshift(want, a, c->n, s) : reference_rshift(want, a, c->n, s);
    guards_begin(side);
    r = guards_write(aliasing == R_IS_A ? a : NULL, c->n);
    pa = aliasing == R_IS_A ? r : guards_read(a, c->n);
    out = left ? c->slots->lshift(r, pa, c->n, s) : c->slots->rshift(r, pa, c->n, s);
    snprintf(c->detail, sizeof c->detail, "by %u, %s", s, aliasing_names[aliasing]);
    compare(c, r, want, c->n, out, want_out);
}

enum row { MUL_1, ADDMUL_1, SUBMUL_1 };
static const char *const row_names[] = {"mul_1", "addmul_1", "submul_1"};

/* `a` is the row; `x` is what is in r before, for those slots that read r. */
static void row_case(struct limbs_case *c, enum row op, const limb *x, const limb *a, limb b,
                     enum aliasing aliasing, enum guards_side side)
{
    static limb want[MAX_LIMBS];
    limb want_out, out, *r;
    const limb *pa;

    if (!wanted(c, row_names[op]))
        return;
    if (aliasing == R_IS_A)
        x = a;
    want_out = op == MUL_1      ? reference_mul_1(want, a, c->n, b)
               : op == ADDMUL_1 ? reference_addmul_1(want, x, a, c->n, b)
                                : reference_submul_1(want, x, a, c->n, b);
    guards_begin(side);
    r = guards_write(op == MUL_1 && aliasing == APART ? NULL : x, c->n);
    pa = aliasing == R_IS_A ? r : guards_read(a, c->n);
    out = (op == MUL_1      ? c->slots->mul_1
           : op == ADDMUL_1 ? c->slots->addmul_1
                            : c->slots->submul_1)(r, pa, c->n, b);
    snprintf(c->detail, sizeof c->detail, "%s", aliasing_names[aliasing]);
    compare(c, r, want, c->n, out, want_out);
}

static void rows(struct limbs_case *c, const limb *x, const limb *a, limb b, unsigned turn)
{
    for (enum row op = MUL_1; op <= SUBMUL_1; op++) {
        row_case(c, op, x, a, b, APART, sides[turn % 2]);
        row_case(c, op, x, a, b, R_IS_A, sides[(turn + op) % 2]);
    }
}

static void single_operand(struct limbs_case *c, const limb *a, const limb *x, unsigned turn)
{
    static const unsigned distances[] = {1, 2, LIMBIC_LIMB_BITS / 2, LIMBIC_LIMB_BITS - 1};
    const limb multipliers[] = {
        0, 1, 2, ONES, ONES - 1, (limb)1 << (LIMBIC_LIMB_BITS - 1), (limb)patterns_random()};

    for (size_t k = 0; k < SIZE(distances) + 1; k++) {
        unsigned s = k < SIZE(distances)
                         ? distances[k]
                         : 1 + (unsigned)(patterns_random() % (LIMBIC_LIMB_BITS - 1));
        for (int left = 0; left < 2; left++) {
            shift_case(c, a, s, left, APART, sides[(turn + k) % 2]);
            shift_case(c, a, s, left, R_IS_A, sides[(turn + k + 1) % 2]);
        }
    }
    for (size_t k = 0; k < SIZE(multipliers); k++)
        rows(c, x, a, multipliers[k], turn + (unsigned)k);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void table_case(struct limbs_case *c, size_t entries, size_t index, enum guards_side side)
{
    static limb table[64 * MAX_LIMBS];
    limb *r;
    const limb *pt;

    for (size_t e = 0; e < entries; e++)
        patterns_make(table + e * c->n, c->n, (unsigned)(patterns_random() % PATTERNS));
    guards_begin(side);
    r = guards_write(NULL, c->n);
    pt = guards_read(table, entries * c->n);
    c->slots->table_select(r, pt, entries, c->n, index);
    snprintf(c->detail, sizeof c->detail, "entry %zu of %zu", index, entries);
    compare(c, r, table + index * c->n, c->n, 0, 0);
}

static void tables(struct limbs_case *c)
{
    static const size_t counts[] = {1, 2, 3, 4, 7, 8, 16, 17, 32, 33, 63, 64};

    if (!wanted(c, "table_select"))
        return;
    for (size_t k = 0; k < SIZE(counts); k++) {
        size_t step = c->n <= 8 ? 1 : counts[k] / 3 + 1;
        for (size_t i = 0; i < counts[k]; i += step)
            table_case(c, counts[k], i, sides[i % 2]);
        table_case(c, counts[k], counts[k] - 1, sides[k % 2]);
    }
}

/* ---- products -------------------------------------------------------------------------------- */

static void mul_case(struct limbs_case *c, const limb *a, size_t an, const limb *b, size_t bn,
                     const limb *want, int vartime, int same, enum guards_side side)
{
    limb *r, *scratch;
    const limb *pa, *pb;

    if (!wanted(c, vartime ? "mul_vartime" : "mul"))
        return;
    guards_begin(side);
    r = guards_write(NULL, an + bn);
    pa = guards_read(a, an);
    pb = same ? pa : guards_read(b, bn);
    scratch = guards_scratch(LIMBIC_SCRATCH_MUL(an, bn));
    (vartime ? c->slots->mul_vartime : c->slots->mul)(r, pa, an, pb, bn, scratch);
    snprintf(c->detail, sizeof c->detail, "%zu by %zu%s", an, bn, same ? ", a = b" : "");
    compare(c, r, want, an + bn, 0, 0);
}

static void product(struct limbs_case *c, const limb *a, size_t an, const limb *b, size_t bn,
                    unsigned turn)
{
    static limb want[2 * MAX_LIMBS];

    reference_mul(want, a, an, b, bn);
    for (unsigned k = 0; k < 2; k++) {
        mul_case(c, a, an, b, bn, want, (int)k, 0, sides[(turn + k) % 2]);
        mul_case(c, b, bn, a, an, want, (int)k, 0, sides[(turn + k + 1) % 2]);
    }
}

static void square(struct limbs_case *c, const limb *a, unsigned turn)
{
    static limb want[2 * MAX_LIMBS];

    reference_mul(want, a, c->n, a, c->n);
    mul_case(c, a, c->n, a, c->n, want, 0, 1, sides[turn % 2]);
    mul_case(c, a, c->n, a, c->n, want, 1, 1, sides[turn % 2]);
    for (unsigned k = 0; k < 4; k++) {
        int vartime = k >= 2;
        limb *r, *scratch;
        const limb *pa;

        if (!wanted(c, vartime ? "sqr_vartime" : "sqr"))
            continue;
        guards_begin(sides[k % 2]);
        r = guards_write(NULL, 2 * c->n);
        pa = guards_read(a, c->n);
        scratch = guards_scratch(LIMBIC_SCRATCH_MUL(c->n, c->n));
        (vartime ? c->slots->sqr_vartime : c->slots->sqr)(r, pa, c->n, scratch);
        snprintf(c->detail, sizeof c->detail, "square");
        compare(c, r, want, 2 * c->n, 0, 0);
    }
}

/* n limbs by other lengths: near n, short, long. */
static void unequal_products(struct limbs_case *c)
{
    static limb a[MAX_LIMBS], b[MAX_LIMBS];
    const size_t lengths[] = {1, 2, 3, c->n / 2, c->n - 1, c->n + 1, 2 * c->n};

    for (size_t k = 0; k < SIZE(lengths); k++) {
        size_t bn = lengths[k];
        if (bn == 0 || bn > MAX_LIMBS)
            continue;
        for (unsigned turn = 0; turn < 6; turn++) {
            patterns_make(a, c->n, turn == 0 ? 2 : (unsigned)(patterns_random() % PATTERNS));
            patterns_make(b, bn, turn < 2 ? 2 : (unsigned)(patterns_random() % PATTERNS));
            product(c, a, c->n, b, bn, turn);
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void pattern_pairs(struct limbs_case *c)
{
    static limb a[MAX_LIMBS], b[MAX_LIMBS];

    for (unsigned i = 0; i < PATTERNS; i++) {
        for (unsigned j = 0; j < PATTERNS; j++) {
            patterns_make(a, c->n, i);
            patterns_make(b, c->n, j);
            /* The longest operands: a third of the pairs. */
            if (c->n > 66 && (i + j + c->n) % 3 != 0 && i != 2 && j != 2)
                continue;
            binary_pair(c, a, b, i + j);
            swap_case(c, a, b, 0, sides[(i + j) % 2]);
            swap_case(c, a, b, ONES, sides[(i + j + 1) % 2]);
            product(c, a, c->n, b, c->n, i + j);
        }
        patterns_make(a, c->n, i);
        single_operand(c, a, b, i);
        single_operand(c, a, a, i + 1);
        square(c, a, i);
    }
}

/* A single bit at every border of limbs, against all ones and a run. */
static void border_bits(struct limbs_case *c)
{
    static limb a[MAX_LIMBS], b[MAX_LIMBS];

    for (size_t i = 0; i<c->n; i += c->n> 66 ? 7 : 1) {
        for (unsigned edge = 0; edge < 2; edge++) {
            patterns_border(a, c->n, i, edge);
            patterns_make(b, c->n, i % 2 ? 2 : 11);
            binary_pair(c, b, a, edge);
            binary_pair(c, a, b, edge);
            rows(c, b, a, ONES, edge);
            if (c->n <= 24 || i % 5 == 0) {
                product(c, a, c->n, b, c->n, edge);
                square(c, a, edge);
            }
        }
    }
}

void slots_check_limbs(const struct limbic_ops *ops, size_t n, struct slots_report *report)
{
    struct limbs_case c = {.slots = &ops->limbs, .report = report, .n = n};

    patterns_seed(n);
    pattern_pairs(&c);
    border_bits(&c);
    unequal_products(&c);
    tables(&c);
}
