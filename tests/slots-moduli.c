/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The differential tester, level 2. Modulus objects are built from the reference, not by the
 * library, so that a wrong kernel cannot spoil what it is tested with.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number/state.h"
#include "dispatch/registry.h"
#include "tests/guards.h"
#include "tests/patterns.h"
#include "tests/reference.h"
#include "tests/slots.h"

#define MAX_LIMBS SLOTS_MAX_LIMBS
#define MAX_EXPONENT (2 * MAX_LIMBS + 2) /* limbs */
#define ONES ((limbic_limb_t) ~(limbic_limb_t)0)
#define SIZE(a) (sizeof(a) / sizeof(a)[0])
#define LANES 8
#define SHAPES 7
#define MODULI_OF_LANES 3

typedef limbic_limb_t limb;

static const enum guards_side sides[] = {GUARDS_LOW, GUARDS_HIGH};

struct modulus {
    struct limbic_modulus m;
    limb value[MAX_LIMBS], one[MAX_LIMBS], r2[MAX_LIMBS];
    limb inv_r[MAX_LIMBS]; /* 1/R */
    limb factor;           /* a divisor of the modulus, or 1 if none is known */
    void *states;
};

struct moduli_case {
    const struct limbic_ops *ops;
    struct slots_report *report;
    size_t n;
    const char *slot;
    const char *shape;
};

static int wanted(const struct moduli_case *c, enum limbic_slot id)
{
    const struct lb_slot *slot = lb_slot_by_id(id);

    if (c->report->has && !lb_table_kernel(c->report->has, slot))
        return 0;
    return !c->report->glob || fnmatch(c->report->glob, slot->name, 0) == 0;
}

static void check(struct moduli_case *c, const char *slot, const limb *got, const limb *want,
                  const char *detail)
{
    const char *fault = guards_check();
    char text[100];

    snprintf(text, sizeof text, "%s, modulus %s", detail, c->shape);
    c->report->cases++;
    if (fault)
        slots_failed(c->report, slot, c->n, fault, text);
    else if (memcmp(got, want, c->n * sizeof *got) != 0)
        slots_failed(c->report, slot, c->n, "wrong result", text);
}

/* ---- moduli ---------------------------------------------------------------------------------- */

static size_t bit_length(const limb *a, size_t n)
{
    size_t bits = n * LIMBIC_LIMB_BITS;

    while (bits > 0 &&
           (a[(bits - 1) / LIMBIC_LIMB_BITS] >> ((bits - 1) % LIMBIC_LIMB_BITS) & 1) == 0)
        bits--;
    return bits;
}

static void set_bit(limb *a, size_t i)
{
    a[i / LIMBIC_LIMB_BITS] |= (limb)1 << (i % LIMBIC_LIMB_BITS);
}

/* Leaves `bits` bits, the highest and the lowest of them set. */
static void trim(limb *a, size_t n, size_t bits)
{
    for (size_t i = bits; i < n * LIMBIC_LIMB_BITS; i++)
        a[i / LIMBIC_LIMB_BITS] &= ~((limb)1 << (i % LIMBIC_LIMB_BITS));
    set_bit(a, bits - 1);
    a[0] |= 1;
}

static const char *const shape_names[SHAPES] = {
    "2^k - 1",
    "2^(k-1) + 1, top bit set",
    "random, top bit set",
    "2^k - 1, k in mid-limb",
    "of runs, top limb 1",
    "2^(k-1) + 1, top limb 1",
    "with a small factor",
};

/* The value of a shape, odd, at least 3, of n limbs. */
static void shape_value(struct modulus *x, size_t n, unsigned shape)
{
    size_t top = n * LIMBIC_LIMB_BITS;
    size_t low = n > 1 ? top - LIMBIC_LIMB_BITS + 1 : 2; /* the top limb is 1; 3 if n = 1 */

    memset(x->value, 0, sizeof x->value);
    x->factor = 1;
    switch (shape) {
    case 0:
        memset(x->value, 0xff, n * sizeof(limb));
        break;
    case 1:
        trim(x->value, n, top);
        break;
    case 2:
        patterns_uniform(x->value, n);
        trim(x->value, n, top);
        break;
    case 3:
        memset(x->value, 0xff, n * sizeof(limb));
        trim(x->value, n, top - LIMBIC_LIMB_BITS / 2 + 1);
        break;
    case 4:
        patterns_runs(x->value, n);
        trim(x->value, n, low);
        break;
    case 5:
        trim(x->value, n, low);
        break;
    default: /* an odd multiple of 3 * 5 * 17; the free octet at the top takes the product */
        patterns_uniform(x->value, n);
        x->value[n - 1] >>= 8;
        x->value[n - 1] |= 1;
        x->value[0] |= 1;
        x->factor = 255;
        reference_mul_1(x->value, x->value, n, x->factor);
        break;
    }
}

/* -1/m mod B, one bit at a time: m x + 1 loses its lowest set bit in each step. */
static limb negated_inverse(limb m)
{
    limb x = 0;

    for (unsigned i = 0; i < LIMBIC_LIMB_BITS; i++)
        if ((limb)(m * x + 1) >> i & 1)
            x |= (limb)1 << i;
    return x;
}

static void make_states(const struct limbic_ops *ops, enum lb_state_kind kind, void *object,
                        void **memory)
{
    size_t size = lb_states_size(ops, kind, object);

    *memory = NULL;
    if (size == 0)
        return;
    *memory = aligned_alloc(64, size);
    if (!*memory)
        abort();
    lb_states_init(ops, ops, kind, object, *memory);
}

static void modulus_make(struct modulus *x, const struct limbic_ops *ops, size_t n, unsigned shape)
{
    shape_value(x, n, shape);
    reference_mont_one(x->one, x->value, n);
    reference_mod_mul(x->r2, x->one, x->one, x->value, n);
    reference_mont_inv_r(x->inv_r, x->value, n);
    memset(&x->m, 0, sizeof x->m);
    x->m.n = n;
    x->m.bits = bit_length(x->value, n);
    x->m.flags = shape % 2 ? LIMBIC_MODULUS_SECRET : 0;
    x->m.neg_inv = negated_inverse(x->value[0]);
    x->m.m = x->value;
    x->m.one = x->one;
    x->m.r2 = x->r2;
    make_states(ops, LB_STATE_MODULUS, &x->m, &x->states);
}

/* Element number k of [0, m): 0, 1, m - 1, R mod m, then a run and random ones. */
#define ELEMENTS 6
static void element(limb *r, const struct modulus *x, unsigned k)
{
    static limb t[MAX_LIMBS];
    static const limb unit[MAX_LIMBS] = {1};
    size_t n = x->m.n;

    switch (k) {
    case 0:
        memset(t, 0, sizeof t);
        break;
    case 1:
        memcpy(t, unit, sizeof t);
        break;
    case 2:
        reference_sub(t, x->value, unit, n);
        break;
    case 3:
        memcpy(t, x->one, n * sizeof *t);
        break;
    case 4:
        patterns_runs(t, n);
        break;
    default:
        patterns_uniform(t, n);
        break;
    }
    reference_divrem(NULL, r, t, n, x->value, n);
}

/* ---- multiplication, squaring, reduction ----------------------------------------------------- */

static void mul_case(struct moduli_case *c, const struct modulus *x, const limb *a, const limb *b,
                     const limb *want, unsigned aliasing, enum guards_side side)
{
    static const char *const names[] = {"apart", "r = a", "r = b", "a = b", "r = a = b"};
    limb *r, *scratch;
    const limb *pa, *pb;

    if (!wanted(c, LIMBIC_SLOT_MONT_MUL))
        return;
    guards_begin(side);
    r = guards_write(aliasing == 1 || aliasing == 4 ? a : aliasing == 2 ? b : NULL, c->n);
    pa = aliasing == 1 || aliasing == 4 ? r : guards_read(a, c->n);
    pb = aliasing == 2 ? r : aliasing >= 3 ? pa : guards_read(b, c->n);
    scratch = guards_scratch(LIMBIC_SCRATCH_MONT(c->n));
    c->ops->moduli.mont_mul(c->ops, &x->m, r, pa, pb, scratch);
    check(c, "mont_mul", r, want, names[aliasing]);
}

static void sqr_case(struct moduli_case *c, const struct modulus *x, const limb *a,
                     const limb *want, unsigned in_place, enum guards_side side)
{
    limb *r, *scratch;
    const limb *pa;

    if (!wanted(c, LIMBIC_SLOT_MONT_SQR))
        return;
    guards_begin(side);
    r = guards_write(in_place ? a : NULL, c->n);
    pa = in_place ? r : guards_read(a, c->n);
    scratch = guards_scratch(LIMBIC_SCRATCH_MONT(c->n));
    c->ops->moduli.mont_sqr(c->ops, &x->m, r, pa, scratch);
    check(c, "mont_sqr", r, want, in_place ? "r = a" : "apart");
}

/* where: 0 r apart, 1 r = a, 2 r = a + n. */
static void reduce_case(struct moduli_case *c, const struct modulus *x, const limb *a,
                        const limb *want, unsigned where, enum guards_side side)
{
    static const char *const names[] = {"apart", "r = a", "r = a + n"};
    limb *r, *pa, *scratch;

    guards_begin(side);
    pa = guards_write(a, 2 * c->n);
    r = where == 0 ? guards_write(NULL, c->n) : where == 1 ? pa : pa + c->n;
    scratch = guards_scratch(LIMBIC_SCRATCH_MONT(c->n));
    c->ops->moduli.mont_reduce(c->ops, &x->m, r, pa, scratch);
    check(c, "mont_reduce", r, want, names[where]);
}

static void reduction(struct moduli_case *c, const struct modulus *x, const limb *wide)
{
    static limb want[MAX_LIMBS];

    if (!wanted(c, LIMBIC_SLOT_MONT_REDUCE))
        return;
    reference_divrem(NULL, want, wide, 2 * c->n, x->value, c->n);
    reference_mod_mul(want, want, x->inv_r, x->value, c->n);
    for (unsigned where = 0; where < 3; where++)
        for (unsigned k = 0; k < 2; k++)
            reduce_case(c, x, wide, want, where, sides[k]);
}

static void products(struct moduli_case *c, const struct modulus *x)
{
    static limb a[MAX_LIMBS], b[MAX_LIMBS], wide[2 * MAX_LIMBS], want[MAX_LIMBS];
    size_t n = c->n;

    for (unsigned i = 0; i < ELEMENTS; i++) {
        element(a, x, i);
        for (unsigned j = i; j < ELEMENTS; j++) {
            /* The longest moduli: the pairs with m - 1, the squares, and a few others. */
            if (n > 66 && i != 2 && j != 2 && i != j && (i + j) % 3 != 0)
                continue;
            if (i != j)
                element(b, x, j);
            else
                memcpy(b, a, sizeof b);
            reference_mod_mul(want, a, b, x->value, n);
            reference_mod_mul(want, want, x->inv_r, x->value, n);
            for (unsigned k = 0; k < 2; k++) {
                mul_case(c, x, a, b, want, 0, sides[k]);
                mul_case(c, x, b, a, want, 0, sides[k]);
                mul_case(c, x, a, b, want, 1, sides[k]);
                mul_case(c, x, a, b, want, 2, sides[k]);
                if (i == j) {
                    mul_case(c, x, a, a, want, 3, sides[k]);
                    mul_case(c, x, a, a, want, 4, sides[k]);
                    sqr_case(c, x, a, want, 0, sides[k]);
                    sqr_case(c, x, a, want, 1, sides[k]);
                }
            }
            reference_mul(wide, a, n, b, n);
            reduction(c, x, wide);
        }
    }
}

/* mont_reduce takes all of [0, m R): its ends, and R - 1. */
static void wide_reductions(struct moduli_case *c, const struct modulus *x)
{
    static limb wide[2 * MAX_LIMBS], one[MAX_LIMBS] = {1};
    size_t n = c->n;

    memset(wide, 0, sizeof wide);
    memset(wide, 0xff, n * sizeof *wide);
    reduction(c, x, wide); /* R - 1 */
    reference_sub(wide + n, x->value, one, n);
    reduction(c, x, wide); /* m R - 1 */
    memset(wide, 0, n * sizeof *wide);
    reduction(c, x, wide); /* (m - 1) R */
    patterns_runs(wide, n);
    element(wide + n, x, 5);
    reduction(c, x, wide);
}

/* ---- inversion ------------------------------------------------------------------------------- */

static void inv_case(struct moduli_case *c, const struct modulus *x, const limb *a,
                     const char *detail)
{
    static limb want[MAX_LIMBS];
    limb want_out = reference_mod_inv(want, a, x->value, c->n) ? ONES : 0;

    for (unsigned k = 0; k < 2; k++) {
        limb *r, *scratch, out;
        const limb *pa;

        guards_begin(sides[k]);
        r = guards_write(k ? a : NULL, c->n);
        pa = k ? r : guards_read(a, c->n);
        scratch = guards_scratch(LIMBIC_SCRATCH_INV(c->n));
        out = c->ops->moduli.mont_inv(c->ops, &x->m, r, pa, scratch);
        check(c, "mont_inv", r, want, detail);
        if (out != want_out)
            slots_failed(c->report, "mont_inv", c->n, "wrong mask returned", detail);
    }
}

static void inversions(struct moduli_case *c, const struct modulus *x)
{
    static limb a[MAX_LIMBS];

    if (!wanted(c, LIMBIC_SLOT_MONT_INV))
        return;
    for (unsigned k = 0; k < ELEMENTS; k++) {
        if (c->n > 16 && k > 2 && k != 5)
            continue;
        element(a, x, k);
        inv_case(c, x, a, k == 0 ? "of 0" : "of an element");
    }
    if (x->factor == 1 || c->n == 1)
        return;
    element(a, x, 5);
    a[c->n - 1] = 0;
    reference_mul_1(a, a, c->n, x->factor);
    reference_divrem(NULL, a, a, c->n, x->value, c->n);
    inv_case(c, x, a, "of a multiple of a factor");
}

/* ---- powers ---------------------------------------------------------------------------------- */

/* Eight operations with one ebits: lane i works modulo number i mod `count` of the moduli. */
struct lanes {
    struct modulus *x[LANES];
    limb a[LANES][MAX_LIMBS];
    limb e[LANES][MAX_EXPONENT];
    limb want[LANES][MAX_LIMBS];
    size_t ebits, elimbs;
    char detail[40];
};

static void exponent(struct lanes *l, unsigned lane)
{
    limb *e = l->e[lane];
    size_t i;

    memset(e, 0, sizeof l->e[lane]);
    switch (lane) {
    case 0: /* 0 */
        return;
    case 1: /* 1 */
        e[0] = 1;
        return;
    case 2: /* 2^ebits - 1 */
        for (i = 0; i < l->ebits; i++)
            set_bit(e, i);
        return;
    case 3: /* 2^(ebits - 1) */
        set_bit(e, l->ebits - 1);
        return;
    case 4: /* 2, or 1 if there is no room */
        set_bit(e, l->ebits > 1);
        return;
    case 5: /* a single bit, with the next limb's border near */
        set_bit(e, (l->ebits - 1) / LIMBIC_LIMB_BITS * LIMBIC_LIMB_BITS);
        return;
    case 6:
        patterns_runs(e, l->elimbs);
        break;
    default:
        patterns_uniform(e, l->elimbs);
        break;
    }
    trim(e, l->elimbs, l->ebits);
    if (lane == 7)
        e[0] ^= (limb)(patterns_random() & 1) & (limb)(l->ebits > 1);
}

static void lanes_make(struct lanes *l, struct modulus *x, unsigned count, size_t n, size_t ebits,
                       unsigned turn)
{
    l->ebits = ebits;
    l->elimbs = (ebits + LIMBIC_LIMB_BITS - 1) / LIMBIC_LIMB_BITS;
    snprintf(l->detail, sizeof l->detail, "exponent of %zu bits", ebits);
    for (unsigned i = 0; i < LANES; i++) {
        l->x[i] = &x[i % count];
        exponent(l, i);
        element(l->a[i], l->x[i], (i + turn) % ELEMENTS);
        reference_mod_pow(l->want[i], l->a[i], l->e[i], ebits, l->x[i]->value, n);
    }
}

static void pow_cases(struct moduli_case *c, const struct lanes *l)
{
    for (unsigned i = 0; i < LANES; i++) {
        limb *r, *scratch;
        const limb *pa, *pe;
        size_t bits = bit_length(l->e[i], l->elimbs);

        for (unsigned k = 0; k < 4; k++) {
            int public = k >= 2;
            if ((public && bits == 0) ||
                !wanted(c, public ? LIMBIC_SLOT_MONT_POW_PUBLIC : LIMBIC_SLOT_MONT_POW))
                continue;
            guards_begin(sides[(k + i) % 2]);
            r = guards_write(k % 2 ? l->a[i] : NULL, c->n);
            pa = k % 2 ? r : guards_read(l->a[i], c->n);
            pe = guards_read(l->e[i],
                             public ? (bits + LIMBIC_LIMB_BITS - 1) / LIMBIC_LIMB_BITS : l->elimbs);
            scratch = guards_scratch(LIMBIC_SCRATCH_POW(c->n));
            if (public)
                c->ops->moduli.mont_pow_public(c->ops, &l->x[i]->m, r, pa, pe, bits, scratch);
            else
                c->ops->moduli.mont_pow(c->ops, &l->x[i]->m, r, pa, pe, l->ebits, scratch);
            check(c, public ? "mont_pow_public" : "mont_pow", r, l->want[i], l->detail);
        }
    }
}

/* Places the operands of lanes first .. first + count - 1. */
static void place_lanes(const struct lanes *l, unsigned first, unsigned count, size_t n,
                        int in_place, limb **r, const limb **a, const limb **e)
{
    for (unsigned i = 0; i < count; i++) {
        r[i] = guards_write(in_place ? l->a[first + i] : NULL, n);
        a[i] = in_place ? r[i] : guards_read(l->a[first + i], n);
        e[i] = guards_read(l->e[first + i], l->elimbs);
    }
}

static void pair_cases(struct moduli_case *c, const struct lanes *l)
{
    for (unsigned i = 0; i + 1 < LANES && wanted(c, LIMBIC_SLOT_MONT_POW_PAIR); i++) {
        struct limbic_pair pair = {.m = {&l->x[i]->m, &l->x[i + 1]->m}};
        limb *r[2];
        const limb *a[2], *e[2];
        void *states;

        make_states(c->ops, LB_STATE_PAIR, &pair, &states);
        guards_begin(sides[i % 2]);
        place_lanes(l, i, 2, c->n, i % 3 == 1, r, a, e);
        c->ops->moduli.mont_pow_pair(c->ops, &pair, r, a, e, l->ebits,
                                     guards_scratch(LIMBIC_SCRATCH_POW_PAIR(c->n)));
        check(c, "mont_pow_pair", r[0], l->want[i], l->detail);
        check(c, "mont_pow_pair", r[1], l->want[i + 1], l->detail);
        free(states);
    }
}

static void x8_cases(struct moduli_case *c, const struct lanes *l)
{
    const struct limbic_modulus *m[LANES];

    if (!wanted(c, LIMBIC_SLOT_MONT_POW_X8))
        return;
    for (unsigned i = 0; i < LANES; i++)
        m[i] = &l->x[i]->m;
    for (unsigned k = 0; k < 2; k++) {
        limb *r[LANES];
        const limb *a[LANES], *e[LANES];

        guards_begin(sides[k]);
        place_lanes(l, 0, LANES, c->n, (int)k, r, a, e);
        c->ops->moduli.mont_pow_x8(c->ops, m, r, a, e, l->ebits,
                                   guards_scratch(LIMBIC_SCRATCH_POW_X8(c->n)));
        for (unsigned i = 0; i < LANES; i++)
            check(c, "mont_pow_x8", r[i], l->want[i], l->detail);
    }
}

/* A base of lane i, and the same modulus again in lane i + count. */
static void base_cases(struct moduli_case *c, const struct lanes *l, unsigned count)
{
    static limb want[MAX_LIMBS];
    struct limbic_base base[LANES];
    void *states[LANES];

    memset(base, 0, sizeof base);
    for (unsigned i = 0; i < LANES; i++) {
        base[i].m = &l->x[i]->m;
        base[i].a = l->a[i];
        make_states(c->ops, LB_STATE_BASE, &base[i], &states[i]);
    }
    for (unsigned i = 0; i < LANES && wanted(c, LIMBIC_SLOT_MONT_POW_BASE); i++) {
        limb *r;
        const limb *e;

        guards_begin(sides[i % 2]);
        r = guards_write(NULL, c->n);
        e = guards_read(l->e[i], l->elimbs);
        c->ops->moduli.mont_pow_base(c->ops, &base[i], r, e, l->ebits,
                                     guards_scratch(LIMBIC_SCRATCH_POW(c->n)));
        check(c, "mont_pow_base", r, l->want[i], l->detail);
    }
    for (unsigned i = 0; i + count < LANES && wanted(c, LIMBIC_SLOT_MONT_POW2_VARTIME); i++) {
        const struct limbic_base *two[2] = {&base[i], &base[i + count]};
        const limb *e[2];
        limb *r;

        reference_mod_mul(want, l->want[i], l->want[i + count], l->x[i]->value, c->n);
        guards_begin(sides[i % 2]);
        r = guards_write(NULL, c->n);
        e[0] = guards_read(l->e[i], l->elimbs);
        e[1] = guards_read(l->e[i + count], l->elimbs);
        c->ops->moduli.mont_pow2_vartime(c->ops, two, r, e, l->ebits,
                                         guards_scratch(LIMBIC_SCRATCH_POW_PAIR(c->n)));
        check(c, "mont_pow2_vartime", r, want, l->detail);
    }
    for (unsigned i = 0; i < LANES; i++)
        free(states[i]);
}

static void powers(struct moduli_case *c, struct modulus *x, unsigned count, size_t ebits,
                   unsigned turn)
{
    static struct lanes l;

    c->shape = "of several shapes";
    lanes_make(&l, x, count, c->n, ebits, turn);
    pow_cases(c, &l);
    pair_cases(c, &l);
    x8_cases(c, &l);
    base_cases(c, &l, count);
}

/* Exponents of few bits at every size, around the borders of limbs and longer than the modulus
   where the reference is quick, and as long as the modulus at 16 and 32 limbs. */
static void all_powers(struct moduli_case *c, struct modulus *x)
{
    const unsigned windows = SHAPES - MODULI_OF_LANES + 1;
    size_t n = c->n, w = LIMBIC_LIMB_BITS;
    const size_t always[] = {1, 2, 5, 17};
    const size_t short_moduli[] = {w - 1, w, w + 1, 2 * w + 9, n * w, n * w + w / 2 + 3};
    unsigned turn = 0;

    for (size_t k = 0; k < SIZE(always); k++, turn++)
        powers(c, x + turn % windows, MODULI_OF_LANES, always[k], turn);
    for (size_t k = 0; k < SIZE(short_moduli) && n <= 12; k++, turn++)
        powers(c, x + turn % windows, MODULI_OF_LANES, short_moduli[k], turn);
    if (n == 16 || n == 32)
        powers(c, x + 2, MODULI_OF_LANES, n * w, turn);
}

static int wants_powers(const struct moduli_case *c)
{
    int any = 0;

    for (int slot = LIMBIC_SLOT_MONT_POW; slot < LIMBIC_SLOT_MONT_INV; slot++)
        any |= wanted(c, (enum limbic_slot)slot);
    return any;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int spoilt(const struct modulus *x, const struct modulus *copy)
{
    return memcmp(x->value, copy->value, sizeof x->value) != 0 ||
           memcmp(x->one, copy->one, sizeof x->one) != 0 ||
           memcmp(x->r2, copy->r2, sizeof x->r2) != 0;
}

void slots_check_moduli(const struct limbic_ops *ops, size_t n, struct slots_report *report)
{
    static struct modulus x[SHAPES], copies[SHAPES];
    struct moduli_case c = {.ops = ops, .report = report, .n = n};

    patterns_seed(n);
    for (unsigned shape = 0; shape < SHAPES; shape++) {
        modulus_make(&x[shape], ops, n, shape);
        copies[shape] = x[shape];
    }
    for (unsigned shape = 0; shape < SHAPES; shape++) {
        c.shape = shape_names[shape];
        if (wanted(&c, LIMBIC_SLOT_MONT_MUL) || wanted(&c, LIMBIC_SLOT_MONT_SQR) ||
            wanted(&c, LIMBIC_SLOT_MONT_REDUCE))
            products(&c, &x[shape]);
        wide_reductions(&c, &x[shape]);
        /* The reference's Euclid is slow: two shapes in turn for long moduli, and the factor's. */
        if (n <= 16 || (shape + n) % 4 == 0 || shape == SHAPES - 1)
            inversions(&c, &x[shape]);
    }
    if (wants_powers(&c))
        all_powers(&c, x);
    for (unsigned shape = 0; shape < SHAPES; shape++) {
        if (spoilt(&x[shape], &copies[shape]))
            slots_failed(report, "level 2", n, "changed a modulus object", shape_names[shape]);
        free(x[shape].states);
    }
}
