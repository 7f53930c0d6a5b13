/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Self-tests of level 2. Known answers come from m = 2^k - 1, where everything has a closed form:
 * -1 is m - 1, 2^e is a rotation, 1/2 is 2^(k-1); then each slot is compared with the reference
 * under moduli of several shapes.
 *
 * A self-test runs when the first key of a size is made, so its cost counts. Exponents are short
 * but for one of 600 bits, which takes a kernel through its longest window. A kernel that is the
 * reference's own has little to be compared with: known answers decide, at one shape of modulus.
 */
#include "core/selftest.h"

#include <stdlib.h>
#include <string.h>

#include "core/number/arith.h"
#include "core/number/modulus.h"
#include "core/number/state.h"
#include "core/selftest-pattern.h"
#include "dispatch/slots.h"

#define MODULI 4
#define LONG_BITS 600
#define SHORT_BITS 67
#define CHEAP_BITS 13
#define EXPONENT_LIMBS LB_LIMBS_OF_BITS(LONG_BITS)
#define GUARD 8 /* limbs behind the eight results */
#define GUARD_LIMB ((limb_t)0x5bd1e995c2b2ae35u)

struct bench {
    const struct limbic_ops *ops, *reference;
    struct limbic_modulus m, m2; /* m2: another of the same length */
    size_t n;
    bool own;                    /* the kernel is the reference's */
    bool mersenne;               /* m = 2^bits - 1 */
    size_t ebits;                /* of e */
    size_t results;              /* how many of length n the slot gives */
    limb_t *a, *r, *expected;    /* 8n each: x8 uses all, the others the first ones */
    limb_t *storage;             /* of m and m2 */
    limb_t *kept;                /* a copy of it */
    limb_t *wide;                /* 2n */
    limb_t e[2][EXPONENT_LIMBS]; /* ebits bits, the top one set */
    limb_t *scratch;             /* POW_X8 */
};

typedef const char *(*test_fn)(struct bench *b);

/* Values of a modulus of `bits` bits: 2^k - 1; 2^(k-1) + 1; random, full; random, 5 bits short. */
static size_t modulus_value(limb_t *m, size_t n, size_t bits, unsigned shape)
{
    size_t top = shape == 3 && bits > n * LIMB_BITS - LIMB_BITS + 6 ? bits - 5 : bits;

    if (shape == 1)
        lb_nat_zero(m, n);
    else if (shape == 0)
        memset(m, 0xff, n * sizeof *m);
    else
        lb_pattern(m, n, 100 + shape);
    m[0] |= 1;
    if (top % LIMB_BITS)
        m[n - 1] &= ((limb_t)1 << top % LIMB_BITS) - 1;
    m[n - 1] |= (limb_t)1 << (top - 1) % LIMB_BITS;
    return top;
}

/* a < m, from pattern `which`; 0 and 1 are 0 and m - 1. */
static void residue(const struct bench *b, const struct limbic_modulus *m, limb_t *a,
                    unsigned which)
{
    if (which == 0) {
        lb_nat_zero(a, b->n);
        return;
    }
    if (which == 1) {
        lb_nat_copy(a, m->m, b->n);
        a[0] &= ~(limb_t)1;
        return;
    }
    lb_pattern(a, b->n, which);
    /* Below the top bit of m, or all of m's top bit away: always smaller. */
    a[b->n - 1] &= ((limb_t)1 << (m->bits - 1) % LIMB_BITS) - 1;
}

static int same(const limb_t *a, const limb_t *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* Gives a modulus, pair or base the states of a row; NULL, with *memory to free, or a failure. */
static const char *prepare(const struct limbic_ops *ops, enum lb_state_kind kind, void *object,
                           void **memory)
{
    size_t size = lb_states_size(ops, kind, object);

    *memory = NULL;
    if (size == 0)
        return NULL;
    if (size == LB_STATES_TOO_LARGE)
        return "wants a prepared state of more than 1 MiB";
    *memory = aligned_alloc(64, size);
    if (!*memory)
        return lb_selftest_no_memory;
    lb_states_init(ops, ops, kind, object, *memory);
    return NULL;
}

static const char *with_states(test_fn test, struct bench *b)
{
    void *first, *second;
    const char *failure = prepare(b->ops, LB_STATE_MODULUS, &b->m, &first);

    if (!failure) {
        failure = prepare(b->ops, LB_STATE_MODULUS, &b->m2, &second);
        if (!failure)
            failure = test(b);
        free(second);
    }
    free(first);
    return failure;
}

/* Whether the kernel kept to its results, and left the moduli as they were. */
static const char *trespass(const struct bench *b)
{
    for (size_t i = b->results * b->n; i < 8 * b->n + GUARD; i++)
        if (b->r[i] != GUARD_LIMB)
            return "writes beside its result";
    return same(b->storage, b->kept, 2 * LB_MODULUS_STORAGE(b->n)) ? NULL : "changes its modulus";
}

static const char *run_shape(test_fn test, struct bench *b, size_t bits, unsigned shape)
{
    size_t storage = LB_MODULUS_STORAGE(b->n), top;
    limb_t *value = b->wide;
    const char *failure;

    top = modulus_value(value, b->n, bits, shape);
    lb_modulus_init(&b->m, b->reference, b->storage, value, b->n, top, LIMBIC_MODULUS_SECRET,
                    b->scratch);
    top = modulus_value(value, b->n, bits, 2);
    lb_modulus_init(&b->m2, b->reference, b->storage + storage, value, b->n, top,
                    LIMBIC_MODULUS_SECRET, b->scratch);
    lb_nat_copy(b->kept, b->storage, 2 * storage);
    for (size_t i = 0; i < 8 * b->n + GUARD; i++)
        b->r[i] = GUARD_LIMB;
    b->mersenne = shape == 0;
    failure = with_states(test, b);
    return failure ? failure : trespass(b);
}

static size_t rounded(size_t limbs)
{
    return (limbs + 15) / 16 * 16;
}

/* Random exponents of so many bits. */
static void set_exponents(struct bench *b, size_t ebits)
{
    b->ebits = ebits;
    for (unsigned i = 0; i < 2; i++) {
        size_t limbs = LB_LIMBS_OF_BITS(ebits);
        lb_pattern(b->e[i], EXPONENT_LIMBS, 200 + i);
        lb_nat_zero(b->e[i] + limbs, EXPONENT_LIMBS - limbs);
        if (ebits % LIMB_BITS)
            b->e[i][limbs - 1] &= ((limb_t)1 << ebits % LIMB_BITS) - 1;
        b->e[i][limbs - 1] |= (limb_t)1 << (ebits - 1) % LIMB_BITS;
    }
}

static const char *run(test_fn test, const struct limbic_ops *ops,
                       const struct limbic_ops *reference, bool own, size_t results, size_t bits)
{
    struct bench b = {.ops = ops,
                      .reference = reference,
                      .n = LB_LIMBS_OF_BITS(bits),
                      .own = own,
                      .results = results};
    size_t scratch = rounded(LIMBIC_SCRATCH_POW_X8(b.n));
    size_t arrays = rounded((3 * 8 + 2) * b.n + GUARD);
    size_t storage = rounded(2 * LB_MODULUS_STORAGE(b.n));
    size_t limbs = scratch + arrays + 2 * storage;
    limb_t *memory = aligned_alloc(64, limbs * sizeof(limb_t));
    const char *failure = NULL;

    if (!memory)
        return lb_selftest_no_memory;
    b.scratch = memory;
    b.a = memory + scratch;
    b.r = b.a + 8 * b.n;
    b.expected = b.r + 8 * b.n + GUARD;
    b.wide = b.expected + 8 * b.n;
    b.storage = memory + scratch + arrays;
    b.kept = b.storage + storage;
    for (unsigned shape = 0; shape < (own ? 1 : MODULI) && !failure; shape++) {
        set_exponents(&b, own && bits > 512 ? CHEAP_BITS : SHORT_BITS);
        failure = run_shape(test, &b, bits, shape);
    }
    free(memory);
    return failure;
}

static const char *test_mont_mul(struct bench *b)
{
    size_t n = b->n;

    /* a * 1 in Montgomery form is a; and the product of m - 1 with itself, both halves at their
       largest, is compared below. */
    residue(b, &b->m, b->a, 7);
    b->ops->moduli.mont_mul(b->ops, &b->m, b->r, b->a, b->m.one, b->scratch);
    if (!same(b->r, b->a, n))
        return "a * 1";
    for (unsigned i = 0; i < LB_PATTERNS + 2; i++) {
        residue(b, &b->m, b->a, i);
        residue(b, &b->m, b->a + n, 3 * i + 1);
        b->ops->moduli.mont_mul(b->ops, &b->m, b->r, b->a, b->a + n, b->scratch);
        b->reference->moduli.mont_mul(b->reference, &b->m, b->expected, b->a, b->a + n, b->scratch);
        if (!same(b->r, b->expected, n))
            return "differs from the reference";
    }
    return NULL;
}

static const char *test_mont_sqr(struct bench *b)
{
    for (unsigned i = 0; i < LB_PATTERNS + 2; i++) {
        residue(b, &b->m, b->a, i);
        b->ops->moduli.mont_sqr(b->ops, &b->m, b->r, b->a, b->scratch);
        b->reference->moduli.mont_mul(b->reference, &b->m, b->expected, b->a, b->a, b->scratch);
        if (!same(b->r, b->expected, b->n))
            return "differs from a multiplication";
    }
    return NULL;
}

static const char *test_mont_reduce(struct bench *b)
{
    size_t n = b->n;

    /* (R mod m) reduced is 1. */
    lb_nat_extend(b->wide, 2 * n, b->m.one, n);
    b->ops->moduli.mont_reduce(b->ops, &b->m, b->r, b->wide, b->scratch);
    if (!lb_nat_is_one(b->r, n))
        return "R mod m";
    for (unsigned i = 0; i < LB_PATTERNS + 2; i++) {
        /* High half below m, low half anything: below m R. */
        lb_pattern(b->a, n, i);
        residue(b, &b->m, b->a + n, i + 1);
        lb_nat_copy(b->wide, b->a, 2 * n);
        b->ops->moduli.mont_reduce(b->ops, &b->m, b->r, b->wide, b->scratch);
        lb_nat_copy(b->wide, b->a, 2 * n);
        b->reference->moduli.mont_reduce(b->reference, &b->m, b->expected, b->wide, b->scratch);
        if (!same(b->r, b->expected, n))
            return "differs from the reference";
    }
    return NULL;
}

typedef void (*pow_fn)(const struct limbic_ops *, const struct limbic_modulus *, limb_t *,
                       const limb_t *, const limb_t *, size_t, limb_t *);

/* 2^e mod 2^k - 1 is 2^(e mod k), and (-1)^e is -1 for odd e. */
static const char *known_powers(struct bench *b, pow_fn f)
{
    size_t n = b->n;
    const limb_t odd = 19, far = (limb_t)(b->m.bits + 3);

    lb_nat_set(b->a, n, 2);
    f(b->ops, &b->m, b->r, b->a, &far, lb_nat_bits_vartime(&far, 1), b->scratch);
    lb_nat_set(b->expected, n, 8);
    if (!same(b->r, b->expected, n))
        return "2^(k + 3) mod 2^k - 1";
    residue(b, &b->m, b->a, 1);
    f(b->ops, &b->m, b->r, b->a, &odd, 5, b->scratch);
    return same(b->r, b->a, n) ? NULL : "(-1)^19";
}

static const char *check_pow(struct bench *b, pow_fn f)
{
    const char *failure = b->mersenne ? known_powers(b, f) : NULL;

    for (unsigned i = 0; i < (b->own ? 1 : 4) && !failure; i++) {
        residue(b, &b->m, b->a, i + 1);
        f(b->ops, &b->m, b->r, b->a, b->e[i & 1], b->ebits, b->scratch);
        b->reference->moduli.mont_pow(b->reference, &b->m, b->expected, b->a, b->e[i & 1], b->ebits,
                                      b->scratch);
        if (!same(b->r, b->expected, b->n))
            failure = "differs from the reference";
    }
    return failure;
}

/* 2^e mod 2^k - 1 for a long e: the bit at e mod k. */
static const char *known_long_power(struct bench *b)
{
    limb_t k = (limb_t)b->m.bits, at, room[LB_SCRATCH_DIVREM(1)];

    set_exponents(b, LONG_BITS);
    lb_nat_divrem(b->reference, NULL, &at, b->e[0], EXPONENT_LIMBS, &k, 1, room);
    lb_nat_zero(b->expected, b->n);
    b->expected[at / LIMB_BITS] = (limb_t)1 << at % LIMB_BITS;
    lb_nat_set(b->a, b->n, 2);
    b->ops->moduli.mont_pow(b->ops, &b->m, b->r, b->a, b->e[0], b->ebits, b->scratch);
    return same(b->r, b->expected, b->n) ? NULL : "2^e mod 2^k - 1 for a long e";
}

static const char *test_mont_pow(struct bench *b)
{
    const char *failure = check_pow(b, b->ops->moduli.mont_pow);

    return failure || !b->mersenne ? failure : known_long_power(b);
}

static const char *test_mont_pow_public(struct bench *b)
{
    return check_pow(b, b->ops->moduli.mont_pow_public);
}

static const char *test_mont_pow_pair(struct bench *b)
{
    size_t n = b->n;
    struct limbic_pair pair = {.m = {&b->m, &b->m2}};
    limb_t *const r[2] = {b->r, b->r + n};
    const limb_t *const a[2] = {b->a, b->a + n};
    const limb_t *const e[2] = {b->e[0], b->e[1]};
    void *memory;
    const char *failure = prepare(b->ops, LB_STATE_PAIR, &pair, &memory);

    if (failure)
        return failure;
    if (!b->own && b->mersenne)
        set_exponents(b, LONG_BITS);
    residue(b, &b->m, b->a, 1);
    residue(b, &b->m2, b->a + n, 7);
    b->ops->moduli.mont_pow_pair(b->ops, &pair, r, a, e, b->ebits, b->scratch);
    free(memory);
    for (int i = 0; i < 2; i++)
        b->reference->moduli.mont_pow(b->reference, pair.m[i], b->expected + (size_t)i * n, a[i],
                                      e[i], b->ebits, b->scratch);
    return same(b->r, b->expected, 2 * n) ? NULL : "differs from the reference";
}

static const char *test_mont_pow_x8(struct bench *b)
{
    const struct limbic_modulus *m[8];
    limb_t *r[8];
    const limb_t *a[8], *e[8];

    for (unsigned i = 0; i < 8; i++) {
        m[i] = i & 1 ? &b->m2 : &b->m;
        r[i] = b->r + i * b->n;
        residue(b, m[i], b->a + i * b->n, i + 1);
        a[i] = b->a + i * b->n;
        e[i] = b->e[i / 2 & 1];
        b->reference->moduli.mont_pow(b->reference, m[i], b->expected + i * b->n, a[i], e[i],
                                      b->ebits, b->scratch);
    }
    b->ops->moduli.mont_pow_x8(b->ops, m, r, a, e, b->ebits, b->scratch);
    return same(b->r, b->expected, 8 * b->n) ? NULL : "differs from the reference";
}

static const char *test_mont_pow_base(struct bench *b)
{
    struct limbic_base base = {.m = &b->m, .a = b->a};
    void *memory;
    const char *failure;

    residue(b, &b->m, b->a, 7);
    failure = prepare(b->ops, LB_STATE_BASE, &base, &memory);
    if (failure)
        return failure;
    b->ops->moduli.mont_pow_base(b->ops, &base, b->r, b->e[0], b->ebits, b->scratch);
    free(memory);
    b->reference->moduli.mont_pow(b->reference, &b->m, b->expected, b->a, b->e[0], b->ebits,
                                  b->scratch);
    return same(b->r, b->expected, b->n) ? NULL : "differs from the reference";
}

/* x^e y^f by two powers and a product, and by the slot. */
static const char *test_mont_pow2_vartime(struct bench *b)
{
    size_t n = b->n;
    struct limbic_base x = {.m = &b->m, .a = b->a}, y = {.m = &b->m, .a = b->a + n};
    const struct limbic_base *const bases[2] = {&x, &y};
    const limb_t *const e[2] = {b->e[0], b->e[1]};
    void *first, *second = NULL;
    const char *failure;
    limb_t *powers = b->expected + n;

    residue(b, &b->m, b->a, 7);
    residue(b, &b->m, b->a + n, 8);
    failure = prepare(b->ops, LB_STATE_BASE, &x, &first);
    if (!failure)
        failure = prepare(b->ops, LB_STATE_BASE, &y, &second);
    if (!failure)
        b->ops->moduli.mont_pow2_vartime(b->ops, bases, b->r, e, b->ebits, b->scratch);
    free(first);
    free(second);
    if (failure)
        return failure;
    for (size_t i = 0; i < 2; i++)
        b->reference->moduli.mont_pow(b->reference, &b->m, powers + i * n, b->a + i * n, e[i],
                                      b->ebits, b->scratch);
    lb_mont_in(b->reference, &b->m, powers, powers, b->scratch);
    b->reference->moduli.mont_mul(b->reference, &b->m, b->expected, powers, powers + n, b->scratch);
    return same(b->r, b->expected, n) ? NULL : "differs from the reference";
}

static const char *test_mont_inv(struct bench *b)
{
    size_t n = b->n;

    lb_nat_zero(b->a, n);
    if (b->ops->moduli.mont_inv(b->ops, &b->m, b->r, b->a, b->scratch) != 0)
        return "1/0";
    lb_nat_set(b->a, n, 2);
    if (b->mersenne) {
        lb_nat_zero(b->expected, n);
        b->expected[n - 1] = (limb_t)1 << (b->m.bits - 1) % LIMB_BITS;
        if (!b->ops->moduli.mont_inv(b->ops, &b->m, b->r, b->a, b->scratch) ||
            !same(b->r, b->expected, n))
            return "1/2 mod 2^k - 1";
    }
    /* -1 is its own inverse, and 1/a times a is 1. */
    for (unsigned i = 1; i < 4; i++) {
        residue(b, &b->m, b->a, i == 1 ? 1 : i + LB_PATTERNS);
        if (!b->ops->moduli.mont_inv(b->ops, &b->m, b->r, b->a, b->scratch)) {
            if (i == 1)
                return "1/(-1)";
            continue; /* a random value need not be coprime to the modulus */
        }
        lb_mont_in(b->reference, &b->m, b->r, b->r, b->scratch);
        b->reference->moduli.mont_mul(b->reference, &b->m, b->expected, b->r, b->a, b->scratch);
        if (!lb_nat_is_one(b->expected, n))
            return "a * (1/a)";
    }
    return NULL;
}

/* `results`: how many of length n the slot gives. */
#define SELFTEST(slot, results) \
    const char *lb_selftest_##slot(const struct limbic_ops *ops, \
                                   const struct limbic_ops *reference, size_t bits) \
    { \
        return run(test_##slot, ops, reference, ops->moduli.slot == reference->moduli.slot, \
                   results, bits); \
    }

SELFTEST(mont_mul, 1)
SELFTEST(mont_sqr, 1)
SELFTEST(mont_reduce, 1)
SELFTEST(mont_pow, 1)
SELFTEST(mont_pow_pair, 2)
SELFTEST(mont_pow_x8, 8)
SELFTEST(mont_pow_public, 1)
SELFTEST(mont_pow_base, 1)
SELFTEST(mont_pow2_vartime, 1)
SELFTEST(mont_inv, 1)
