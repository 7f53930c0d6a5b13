/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plain reference: see reference.h. A natural is a count of digits of 16 bits, least
 * significant first, without leading zeros; 0 has no digits.
 */
#include "tests/reference.h"

#include <string.h>

#define BASE 65536u
#define LIMB_DIGITS (LIMBIC_LIMB_BITS / 16)
/* The longest value is a product of operands of 2 * LIMBIC_MAX_LIMBS limbs each. */
#define MAX_DIGITS (4 * LIMBIC_MAX_LIMBS * LIMB_DIGITS + 2)

struct natural {
    size_t n;
    uint32_t d[MAX_DIGITS];
};

static void normalise(struct natural *x)
{
    while (x->n > 0 && x->d[x->n - 1] == 0)
        x->n--;
}

static void load(struct natural *x, const limbic_limb_t *a, size_t n)
{
    x->n = n * LIMB_DIGITS;
    for (size_t i = 0; i < x->n; i++)
        x->d[i] = (uint32_t)(a[i / LIMB_DIGITS] >> (16 * (i % LIMB_DIGITS))) & 0xffff;
    normalise(x);
}

static uint32_t digit(const struct natural *x, size_t i)
{
    return i < x->n ? x->d[i] : 0;
}

static limbic_limb_t limb(const struct natural *x, size_t i)
{
    limbic_limb_t v = 0;

    for (size_t k = LIMB_DIGITS; k-- > 0;)
        v = (limbic_limb_t)(v << 16) | digit(x, i * LIMB_DIGITS + k);
    return v;
}

/* r[n] = x mod B^n */
static void store(limbic_limb_t *r, size_t n, const struct natural *x)
{
    for (size_t i = 0; i < n; i++)
        r[i] = limb(x, i);
}

static void copy(struct natural *r, const struct natural *x)
{
    r->n = x->n;
    memcpy(r->d, x->d, x->n * sizeof x->d[0]);
}

static void set(struct natural *r, uint32_t x)
{
    r->n = 1;
    r->d[0] = x;
    normalise(r);
}

static int compare(const struct natural *a, const struct natural *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (size_t i = a->n; i-- > 0;)
        if (a->d[i] != b->d[i])
            return a->d[i] < b->d[i] ? -1 : 1;
    return 0;
}

/* r = a + b; r may be a or b. */
static void add(struct natural *r, const struct natural *a, const struct natural *b)
{
    size_t n = a->n > b->n ? a->n : b->n;
    uint32_t carry = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t t = digit(a, i) + digit(b, i) + carry;
        r->d[i] = t % BASE;
        carry = t / BASE;
    }
    r->d[n] = carry;
    r->n = n + 1;
    normalise(r);
}

/* r = a - b for a >= b; r may be a or b. */
static void subtract(struct natural *r, const struct natural *a, const struct natural *b)
{
    size_t n = a->n;
    uint32_t borrow = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t t = BASE + digit(a, i) - digit(b, i) - borrow;
        r->d[i] = t % BASE;
        borrow = 1 - t / BASE;
    }
    r->n = n;
    normalise(r);
}

/* r = a * b; r is neither. Each step is below BASE^2: (BASE-1)^2 + 2 (BASE-1) = BASE^2 - 1. */
static void multiply(struct natural *r, const struct natural *a, const struct natural *b)
{
    r->n = a->n + b->n;
    memset(r->d, 0, r->n * sizeof r->d[0]);
    for (size_t j = 0; j < b->n; j++) {
        uint32_t carry = 0;
        for (size_t i = 0; i < a->n; i++) {
            uint32_t t = a->d[i] * b->d[j] + r->d[i + j] + carry;
            r->d[i + j] = t % BASE;
            carry = t / BASE;
        }
        r->d[a->n + j] = carry;
    }
    normalise(r);
}

/* r = x * 2^s and floor(x / 2^s) for s < 16; r may be x. */
static void shift_left(struct natural *r, const struct natural *x, unsigned s)
{
    uint32_t carry = 0;

    r->n = x->n;
    for (size_t i = 0; i < x->n; i++) {
        uint32_t t = (x->d[i] << s) | carry;
        r->d[i] = t % BASE;
        carry = t / BASE;
    }
    r->d[r->n++] = carry;
    normalise(r);
}

static void shift_right(struct natural *r, const struct natural *x, unsigned s)
{
    r->n = x->n;
    for (size_t i = 0; i < x->n; i++)
        r->d[i] = ((x->d[i] | (digit(x, i + 1) << 16)) >> s) % BASE;
    normalise(r);
}

/* u -= q * v at digit j; returns whether it went below zero (then u is BASE^.. too large). */
static int subtract_multiple(struct natural *u, const struct natural *v, uint32_t q, size_t j)
{
    int64_t carry = 0;

    for (size_t i = 0; i <= v->n; i++) {
        int64_t t = (int64_t)u->d[i + j] - (int64_t)q * digit(v, i) + carry;
        u->d[i + j] = (uint32_t)((uint64_t)t % BASE);
        carry = (t - (int64_t)u->d[i + j]) / (int64_t)BASE;
    }
    return carry < 0;
}

static void add_back(struct natural *u, const struct natural *v, size_t j)
{
    uint32_t carry = 0;

    for (size_t i = 0; i <= v->n; i++) {
        uint32_t t = u->d[i + j] + digit(v, i) + carry;
        u->d[i + j] = t % BASE;
        carry = t / BASE;
    }
}

/* q = floor(a / b), r = a mod b, b > 0: long division (Knuth, The Art of Computer Programming,
   section 4.3.1, algorithm D), with a trial digit that may be too large and is put right by adding
   back as often as needed. q and r differ from each other and from a and b; q may be NULL. */
static void divide(struct natural *q, struct natural *r, const struct natural *a,
                   const struct natural *b)
{
    static _Thread_local struct natural v;
    unsigned s = 0;

    if (q)
        set(q, 0);
    if (compare(a, b) < 0) {
        copy(r, a);
        return;
    }
    while ((b->d[b->n - 1] << s) < BASE / 2)
        s++;
    shift_left(&v, b, s);
    shift_left(r, a, s);
    for (size_t i = r->n; i <= a->n; i++)
        r->d[i] = 0;
    if (q)
        q->n = a->n - b->n + 1;
    for (size_t j = a->n - b->n + 1; j-- > 0;) {
        uint64_t top = (uint64_t)r->d[j + v.n] * BASE + r->d[j + v.n - 1];
        uint32_t trial = (uint32_t)(top / v.d[v.n - 1]);

        if (trial >= BASE)
            trial = BASE - 1;
        for (int low = subtract_multiple(r, &v, trial, j); low; trial--) {
            uint32_t before = r->d[j + v.n];
            add_back(r, &v, j);
            low = r->d[j + v.n] >= before; /* until it wraps past zero */
        }
        if (q)
            q->d[j] = trial;
    }
    r->n = v.n;
    normalise(r);
    shift_right(r, r, s);
    if (q)
        normalise(q);
}

/* r = r mod m */
static void reduce(struct natural *r, const struct natural *m)
{
    static _Thread_local struct natural x;

    copy(&x, r);
    divide(NULL, r, &x, m);
}

/* ---- level 1 --------------------------------------------------------------------------------- */

static _Thread_local struct natural A, B, C, D, E;

limbic_limb_t reference_add(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b,
                            size_t n)
{
    load(&A, a, n);
    load(&B, b, n);
    add(&C, &A, &B);
    store(r, n, &C);
    return limb(&C, n);
}

/* x = B^n */
static void power_of_limb(struct natural *x, size_t n)
{
    x->n = n * LIMB_DIGITS + 1;
    memset(x->d, 0, x->n * sizeof x->d[0]);
    x->d[x->n - 1] = 1;
}

limbic_limb_t reference_sub(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b,
                            size_t n)
{
    limbic_limb_t borrow = 0;

    load(&A, a, n);
    load(&B, b, n);
    if (compare(&A, &B) < 0) {
        power_of_limb(&C, n);
        add(&A, &A, &C);
        borrow = 1;
    }
    subtract(&A, &A, &B);
    store(r, n, &A);
    return borrow;
}

/* Shifts bit by bit. */
static unsigned bit(const limbic_limb_t *a, size_t i)
{
    return (unsigned)(a[i / LIMBIC_LIMB_BITS] >> (i % LIMBIC_LIMB_BITS)) & 1;
}

static void or_bit(limbic_limb_t *a, size_t i, unsigned b)
{
    a[i / LIMBIC_LIMB_BITS] |= (limbic_limb_t)b << (i % LIMBIC_LIMB_BITS);
}

limbic_limb_t reference_lshift(limbic_limb_t *r, const limbic_limb_t *a, size_t n, unsigned s)
{
    limbic_limb_t out = 0;

    memset(r, 0, n * sizeof *r);
    for (size_t i = 0; i < n * LIMBIC_LIMB_BITS; i++) {
        if (i + s < n * LIMBIC_LIMB_BITS)
            or_bit(r, i + s, bit(a, i));
        else
            or_bit(&out, i + s - n * LIMBIC_LIMB_BITS, bit(a, i));
    }
    return out;
}

limbic_limb_t reference_rshift(limbic_limb_t *r, const limbic_limb_t *a, size_t n, unsigned s)
{
    limbic_limb_t out = 0;

    memset(r, 0, n * sizeof *r);
    for (size_t i = 0; i < n * LIMBIC_LIMB_BITS; i++) {
        if (i >= s)
            or_bit(r, i - s, bit(a, i));
        else
            or_bit(&out, LIMBIC_LIMB_BITS - s + i, bit(a, i));
    }
    return out;
}

limbic_limb_t reference_mul_1(limbic_limb_t *r, const limbic_limb_t *a, size_t n, limbic_limb_t b)
{
    load(&A, a, n);
    load(&B, &b, 1);
    multiply(&C, &A, &B);
    store(r, n, &C);
    return limb(&C, n);
}

limbic_limb_t reference_addmul_1(limbic_limb_t *r, const limbic_limb_t *c, const limbic_limb_t *a,
                                 size_t n, limbic_limb_t b)
{
    load(&A, a, n);
    load(&B, &b, 1);
    multiply(&C, &A, &B);
    load(&A, c, n);
    add(&C, &C, &A);
    store(r, n, &C);
    return limb(&C, n);
}

/* With t = a * b = h B^n + l: c - t = (c - l) - h B^n, and one more B^n is borrowed if c < l. */
limbic_limb_t reference_submul_1(limbic_limb_t *r, const limbic_limb_t *c, const limbic_limb_t *a,
                                 size_t n, limbic_limb_t b)
{
    limbic_limb_t above = reference_mul_1(r, a, n, b);

    load(&A, c, n);
    load(&B, r, n);
    if (compare(&A, &B) < 0) {
        power_of_limb(&C, n);
        add(&A, &A, &C);
        above++;
    }
    subtract(&A, &A, &B);
    store(r, n, &A);
    return above;
}

void reference_mul(limbic_limb_t *r, const limbic_limb_t *a, size_t an, const limbic_limb_t *b,
                   size_t bn)
{
    load(&A, a, an);
    load(&B, b, bn);
    multiply(&C, &A, &B);
    store(r, an + bn, &C);
}

/* ---- level 2 --------------------------------------------------------------------------------- */

void reference_divrem(limbic_limb_t *q, limbic_limb_t *r, const limbic_limb_t *a, size_t an,
                      const limbic_limb_t *d, size_t dn)
{
    load(&A, a, an);
    load(&B, d, dn);
    divide(&C, &D, &A, &B);
    if (q)
        store(q, an, &C);
    if (r)
        store(r, dn, &D);
}

void reference_mod_mul(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b,
                       const limbic_limb_t *m, size_t n)
{
    load(&A, a, n);
    load(&B, b, n);
    load(&D, m, n);
    multiply(&C, &A, &B);
    reduce(&C, &D);
    store(r, n, &C);
}

/* Square and multiply from the top bit down; x^0 = 1 mod m, so 0 for m = 1. */
void reference_mod_pow(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *e,
                       size_t ebits, const limbic_limb_t *m, size_t n)
{
    load(&A, a, n);
    load(&D, m, n);
    reduce(&A, &D);
    set(&B, 1);
    reduce(&B, &D);
    for (size_t i = ebits; i-- > 0;) {
        multiply(&C, &B, &B);
        divide(NULL, &B, &C, &D);
        if (bit(e, i)) {
            multiply(&C, &B, &A);
            divide(NULL, &B, &C, &D);
        }
    }
    store(r, n, &B);
}

/* Euclid: keeps a * u = x and a * v = y mod m, u and v in [0, m), while (x, y) becomes (gcd, 0). */
int reference_mod_inv(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *m, size_t n)
{
    static _Thread_local struct natural x, y, u, v, q, modulus;

    load(&modulus, m, n);
    load(&x, a, n);
    reduce(&x, &modulus);
    copy(&y, &modulus);
    set(&u, 1);
    reduce(&u, &modulus);
    set(&v, 0);
    while (y.n > 0) {
        divide(&q, &E, &x, &y); /* x = q y + E */
        copy(&x, &y);
        copy(&y, &E);
        multiply(&C, &q, &v);
        reduce(&C, &modulus);
        if (compare(&u, &C) < 0)
            add(&u, &u, &modulus);
        subtract(&u, &u, &C); /* the coefficient of E */
        copy(&E, &u);
        copy(&u, &v);
        copy(&v, &E);
    }
    if (!(x.n == 1 && x.d[0] == 1))
        set(&u, 0);
    store(r, n, &u);
    return x.n == 1 && x.d[0] == 1;
}

void reference_mont_one(limbic_limb_t *r, const limbic_limb_t *m, size_t n)
{
    power_of_limb(&A, n);
    load(&D, m, n);
    reduce(&A, &D);
    store(r, n, &A);
}

void reference_mont_inv_r(limbic_limb_t *r, const limbic_limb_t *m, size_t n)
{
    load(&D, m, n);
    set(&A, 1);
    for (size_t i = 0; i < n * LIMBIC_LIMB_BITS; i++) {
        if (A.d[0] % 2 == 1)
            add(&A, &A, &D);
        shift_right(&A, &A, 1);
    }
    store(r, n, &A);
}
