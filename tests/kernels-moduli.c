/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel harness: calls of level 2 with operands and what must come of them. Moduli are made by
 * the plain reference. The results to compare with are those of the row of last resort, which the
 * differential tester compares with the plain reference in its turn.
 */
#include <stdlib.h>
#include <string.h>

#include "core/number/state.h"
#include "dispatch/dispatch.h"
#include "tests/kernels.h"
#include "tests/patterns.h"
#include "tests/reference.h"

typedef limbic_limb_t limb;

#define MAX KERNELS_MAX_LIMBS
#define LANES 8
#define MODULI 3 /* lane i works modulo number i mod 3 */

struct lane {
    limb r[MAX], gap1[4], a[2 * MAX], gap2[4], e[MAX], gap3[4];
};

struct values {
    limb m[MAX], one[MAX], r2[MAX];
};

/* All that a call can reach, so that a stray write shows; scratch apart. */
struct memory {
    struct lane lane[LANES];
    struct values values[MODULI];
    struct limbic_modulus modulus[MODULI];
};

static struct memory memory, wanted;
static limb scratch[LIMBIC_SCRATCH_POW_X8(MAX)] __attribute__((aligned(64)));
static struct limbic_pair pair;
static struct limbic_base base[2];

static limb *r[LANES];
static const limb *a[LANES], *e[LANES];
static const struct limbic_modulus *m[LANES];
static const struct limbic_base *bases[2];
static struct limbic_ops row;

static const char *uses_of(enum limbic_slot slot)
{
    switch (slot) {
    case LIMBIC_SLOT_MONT_POW_PAIR:
        return "pair";
    case LIMBIC_SLOT_MONT_POW_BASE:
    case LIMBIC_SLOT_MONT_POW2_VARTIME:
        return "base";
    default:
        return "";
    }
}

/* ---- Objects --------------------------------------------------------------------------------- */

/* Odd, at least 3, the top limb not zero: random with the top bit set, all ones, and of runs with a
   top limb of 1 (3 if there is no other). */
static void make_values(struct values *v, size_t n, unsigned which)
{
    memset(v, 0, sizeof *v);
    if (which == 0)
        patterns_uniform(v->m, n);
    else if (which == 1)
        memset(v->m, 0xff, n * sizeof *v->m);
    else
        patterns_runs(v->m, n);
    v->m[n - 1] |= (limb)1 << (LIMBIC_LIMB_BITS - 1);
    if (which == 2)
        v->m[n - 1] = n == 1 ? 3 : 1;
    v->m[0] |= 1;
    reference_mont_one(v->one, v->m, n);
    reference_mod_mul(v->r2, v->one, v->one, v->m, n);
}

/* Those of the last n are kept. */
static const struct values *values_of(size_t n)
{
    static struct values kept[MODULI];
    static size_t kept_n;

    if (n != kept_n) {
        patterns_seed(n);
        for (unsigned i = 0; i < MODULI; i++)
            make_values(&kept[i], n, i);
        kept_n = n;
    }
    return kept;
}

static limb negated_inverse(limb x)
{
    limb y = 0;

    for (unsigned i = 0; i < LIMBIC_LIMB_BITS; i++)
        if ((limb)(x * y + 1) >> i & 1)
            y |= (limb)1 << i;
    return y;
}

static size_t bit_length(const limb *x, size_t n)
{
    size_t bits = n * LIMBIC_LIMB_BITS;

    while (!(x[(bits - 1) / LIMBIC_LIMB_BITS] >> ((bits - 1) % LIMBIC_LIMB_BITS) & 1))
        bits--;
    return bits;
}

/* Without states. The flag alternates, since a kernel may have a way of its own for either. */
static void make_moduli(size_t n, unsigned turn)
{
    memcpy(memory.values, values_of(n), sizeof memory.values);
    for (unsigned i = 0; i < MODULI; i++) {
        const struct values *v = &memory.values[i];

        memory.modulus[i] = (struct limbic_modulus){
            .n = n,
            .bits = bit_length(v->m, n),
            .flags = turn & 1 ? LIMBIC_MODULUS_SECRET : 0,
            .neg_inv = negated_inverse(v->m[0]),
            .m = v->m,
            .one = v->one,
            .r2 = v->r2,
        };
    }
}

#define BLOCKS (MODULI + 3)
static void *blocks[BLOCKS];
static unsigned block_count;

static void make_states(const struct limbic_ops *ops, enum lb_state_kind kind, void *object)
{
    size_t size = lb_states_size(ops, kind, object);
    void *block;

    if (size == 0)
        return;
    block = aligned_alloc(64, size);
    if (!block)
        abort();
    blocks[block_count++] = block;
    lb_states_init(ops, ops, kind, object, block);
}

static void forget_states(void)
{
    while (block_count)
        free(blocks[--block_count]);
    for (unsigned i = 0; i < MODULI; i++)
        memset(memory.modulus[i].state, 0, sizeof memory.modulus[i].state);
    pair = (struct limbic_pair){.m = {&memory.modulus[0], &memory.modulus[1]}};
    for (unsigned i = 0; i < 2; i++)
        base[i] = (struct limbic_base){.m = &memory.modulus[0], .a = memory.lane[i].a};
}

static void make_all_states(enum limbic_slot slot)
{
    const char *uses = uses_of(slot);

    for (unsigned i = 0; i < MODULI; i++)
        make_states(&row, LB_STATE_MODULUS, &memory.modulus[i]);
    if (strcmp(uses, "pair") == 0)
        make_states(&row, LB_STATE_PAIR, &pair);
    for (unsigned i = 0; i < 2 && strcmp(uses, "base") == 0; i++)
        make_states(&row, LB_STATE_BASE, &base[i]);
}

/* ---- Operands -------------------------------------------------------------------------------- */

/* Few bits: one window, some, and more than a limb where that is quick. */
static size_t few_bits(size_t n, unsigned turn)
{
    static const size_t bits[] = {7, 1, 17, LIMBIC_LIMB_BITS + 3};

    return bits[turn % (n <= 4 ? 4 : 3)];
}

static void make_exponent(limb *x, size_t bits)
{
    size_t limbs = (bits + LIMBIC_LIMB_BITS - 1) / LIMBIC_LIMB_BITS;

    patterns_uniform(x, limbs);
    x[limbs - 1] >>= limbs * LIMBIC_LIMB_BITS - bits;
    x[limbs - 1] |= (limb)1 << ((bits - 1) % LIMBIC_LIMB_BITS);
}

/* Below the modulus by its top limb: of runs or random. */
static void make_element(limb *x, const struct limbic_modulus *of, unsigned turn)
{
    if (turn & 1)
        patterns_runs(x, of->n);
    else
        patterns_uniform(x, of->n);
    x[of->n - 1] %= of->m[of->n - 1];
}

static void make_lanes(enum limbic_slot slot, size_t n, unsigned turn, size_t bits)
{
    for (unsigned i = 0; i < LANES; i++) {
        struct lane *lane = &memory.lane[i];
        int one_modulus = strcmp(uses_of(slot), "base") == 0;

        m[i] = &memory.modulus[one_modulus ? 0 : i % MODULI];
        make_element(lane->a, m[i], turn + i);
        if (slot == LIMBIC_SLOT_MONT_REDUCE) {
            patterns_uniform(lane->a, n);
            make_element(lane->a + n, m[i], turn);
        }
        make_exponent(lane->e, bits);
        r[i] = lane->r;
        a[i] = lane->a;
        e[i] = lane->e;
    }
    if (slot == LIMBIC_SLOT_MONT_POW_PUBLIC && bits == 17)
        memory.lane[0].e[0] = 65537;
}

/* The arguments of a slot's call, as words. */
static void arguments(struct kernels_call *c, size_t bits)
{
#define WORD(p) ((uint64_t)(uintptr_t)(p))
#define ARGUMENTS(...) \
    c->arguments = (int)(sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)); \
    memcpy(c->argument, (const uint64_t[KERNELS_ARGUMENTS]){__VA_ARGS__}, sizeof c->argument); \
    break
    struct lane *lane = memory.lane;
    const uint64_t ops = WORD(&row), room = WORD(scratch), modulus = WORD(m[0]);

    switch (c->id) {
    case LIMBIC_SLOT_MONT_MUL:
        ARGUMENTS(ops, modulus, WORD(lane[0].r), WORD(lane[0].a), WORD(lane[3].a), room);
    case LIMBIC_SLOT_MONT_SQR:
    case LIMBIC_SLOT_MONT_REDUCE:
    case LIMBIC_SLOT_MONT_INV:
        ARGUMENTS(ops, modulus, WORD(lane[0].r), WORD(lane[0].a), room);
    case LIMBIC_SLOT_MONT_POW:
    case LIMBIC_SLOT_MONT_POW_PUBLIC:
        ARGUMENTS(ops, modulus, WORD(lane[0].r), WORD(lane[0].a), WORD(lane[0].e), bits, room);
    case LIMBIC_SLOT_MONT_POW_PAIR:
        ARGUMENTS(ops, WORD(&pair), WORD(r), WORD(a), WORD(e), bits, room);
    case LIMBIC_SLOT_MONT_POW_X8:
        ARGUMENTS(ops, WORD(m), WORD(r), WORD(a), WORD(e), bits, room);
    case LIMBIC_SLOT_MONT_POW_BASE:
        ARGUMENTS(ops, WORD(&base[0]), WORD(lane[0].r), WORD(lane[0].e), bits, room);
    default: /* mont_pow2_vartime */
        ARGUMENTS(ops, WORD(bases), WORD(lane[0].r), WORD(e), bits, room);
    }
#undef ARGUMENTS
#undef WORD
}

/* Bases are public, as are the exponents of mont_pow_public, and the moduli without the flag. */
static void mark_secrets(const struct kernels_call *c)
{
    for (unsigned i = 0; i < LANES; i++) {
        struct lane *lane = &memory.lane[i];

        kernels_secret(lane->r, sizeof lane->r);
        if (strcmp(uses_of(c->id), "base") != 0)
            kernels_secret(lane->a, sizeof lane->a);
        if (c->id != LIMBIC_SLOT_MONT_POW_PUBLIC)
            kernels_secret(lane->e, sizeof lane->e);
    }
    for (unsigned i = 0; i < MODULI; i++) {
        if (!(memory.modulus[i].flags & LIMBIC_MODULUS_SECRET))
            continue;
        kernels_secret(&memory.values[i], sizeof memory.values[i]);
        kernels_secret(&memory.modulus[i].neg_inv, sizeof memory.modulus[i].neg_inv);
    }
    kernels_secret(scratch, sizeof scratch);
}

static lb_kernel stands_in(const struct lb_slot *slot)
{
    lb_kernel kernel;

    memcpy(&kernel, (const char *)&row + slot->ops_offset, sizeof kernel);
    return kernel;
}

/* Leaves in `wanted` what the reference makes of the memory. */
static void compute_wanted(struct kernels_call *c, const struct lb_slot *slot)
{
    static struct memory before;

    kernels_row(kernels_reference(), c->n, &row);
    make_all_states(slot->id);
    before = memory;
    c->function = stands_in(slot);
    kernels_make_moduli(c);
    c->wanted_returned = c->returned;
    wanted = memory;
    memory = before;
    forget_states();
}

void kernels_prepare_moduli(struct kernels_call *c, const struct kernels_subject *s,
                            const struct lb_slot *slot, size_t n, unsigned turn, size_t bits)
{
    size_t ebits = bits ? bits : few_bits(n, turn);

    memset(&memory, 0x5e, sizeof memory);
    make_moduli(n, turn);
    forget_states();
    patterns_seed(1000 * n + turn);
    make_lanes(slot->id, n, turn, ebits);
    for (unsigned i = 0; i < 2; i++)
        bases[i] = &base[i];
    c->memory = &memory;
    c->wanted = &wanted;
    c->size = sizeof memory;
    c->returns = slot->id == LIMBIC_SLOT_MONT_INV;
    if (slot->id == LIMBIC_SLOT_MONT_REDUCE) {
        c->spoilt_at = offsetof(struct memory, lane[0].a);
        c->spoilt = 2 * n * sizeof(limb);
    }
    arguments(c, ebits);
    compute_wanted(c, slot);
    kernels_row(s, n, &row);
    if (kernels_secret)
        mark_secrets(c);
    make_all_states(slot->id);
    memcpy(wanted.modulus, memory.modulus, sizeof wanted.modulus); /* the states' places */
    c->function = stands_in(slot);
}

void kernels_make_moduli(struct kernels_call *c)
{
    const uint64_t *x = c->argument;

#define AT(type, i) ((type)(uintptr_t)x[i])
#define KERNEL(slot) ((__typeof__(row.moduli.slot))c->function)
#define LIMBS(i) AT(limb *, i)
#define MODULUS AT(const struct limbic_modulus *, 1)
#define MANY(i) AT(const limb *const *, i)
    switch (c->id) {
    case LIMBIC_SLOT_MONT_MUL:
        KERNEL(mont_mul)(&row, MODULUS, LIMBS(2), LIMBS(3), LIMBS(4), LIMBS(5));
        break;
    case LIMBIC_SLOT_MONT_SQR:
        KERNEL(mont_sqr)(&row, MODULUS, LIMBS(2), LIMBS(3), LIMBS(4));
        break;
    case LIMBIC_SLOT_MONT_REDUCE:
        KERNEL(mont_reduce)(&row, MODULUS, LIMBS(2), LIMBS(3), LIMBS(4));
        break;
    case LIMBIC_SLOT_MONT_INV:
        c->returned = KERNEL(mont_inv)(&row, MODULUS, LIMBS(2), LIMBS(3), LIMBS(4));
        break;
    case LIMBIC_SLOT_MONT_POW:
    case LIMBIC_SLOT_MONT_POW_PUBLIC: /* of one form */
        KERNEL(mont_pow)(&row, MODULUS, LIMBS(2), LIMBS(3), LIMBS(4), (size_t)x[5], LIMBS(6));
        break;
    case LIMBIC_SLOT_MONT_POW_PAIR:
        KERNEL(mont_pow_pair)(&row, &pair, r, MANY(3), MANY(4), (size_t)x[5], LIMBS(6));
        break;
    case LIMBIC_SLOT_MONT_POW_X8:
        KERNEL(mont_pow_x8)(&row, m, r, MANY(3), MANY(4), (size_t)x[5], LIMBS(6));
        break;
    case LIMBIC_SLOT_MONT_POW_BASE:
        KERNEL(mont_pow_base)(&row, &base[0], LIMBS(2), LIMBS(3), (size_t)x[4], LIMBS(5));
        break;
    default:
        KERNEL(mont_pow2_vartime)(&row, bases, LIMBS(2), MANY(3), (size_t)x[4], LIMBS(5));
        break;
    }
#undef AT
#undef KERNEL
#undef LIMBS
#undef MODULUS
#undef MANY
}
