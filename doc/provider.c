/* SPDX-License-Identifier: MIT */
/*
 * A provider of arithmetic in a module of its own: the whole of level 1 in plain C, to start from.
 * It needs the installed header only:
 *
 *     cc -O2 -fPIC -shared -Wl,-z,now $(pkg-config --cflags limbic) \
 *         -o limbic-provider-example.so provider.c
 *
 * Copied to limbic's module directory (the last line of `limbic list`, and `pkg-config
 * --variable=moduledir limbic`), it is used where words name it: LIMBIC=example.
 *
 * Levels 2 and 3 are limbic's own, written over these functions. No function here branches on a
 * value or indexes by one.
 */
#include <limbic-provider.h>

typedef limbic_limb_t limb;
#define BITS LIMBIC_LIMB_BITS

/* Hides where a mask comes from, so that the compiler makes no branch of it. */
static limb hidden(limb x)
{
    __asm__("" : "+r"(x));
    return x;
}

/* The two limbs of a * b, from four products of half limbs. */
static limb product(limb *low, limb a, limb b)
{
    const unsigned half = BITS / 2;
    const limb mask = ((limb)1 << half) - 1;
    limb a0 = a & mask, a1 = a >> half, b0 = b & mask, b1 = b >> half;
    limb t = a0 * b0;
    limb u = a1 * b0 + (t >> half);
    limb v = a0 * b1 + (u & mask);

    *low = (v << half) | (t & mask);
    return a1 * b1 + (u >> half) + (v >> half);
}

static limb cond_add(limb *r, const limb *a, const limb *b, size_t n, limb mask)
{
    limb carry = 0, m = hidden(mask);

    for (size_t i = 0; i < n; i++) {
        limb x = a[i] + carry, y = b[i] & m;

        carry = (limb)(x < carry);
        x += y;
        carry += (limb)(x < y);
        r[i] = x;
    }
    return carry;
}

static limb cond_sub(limb *r, const limb *a, const limb *b, size_t n, limb mask)
{
    limb borrow = 0, m = hidden(mask);

    for (size_t i = 0; i < n; i++) {
        limb x = a[i], y = b[i] & m, d = x - y;

        r[i] = d - borrow;
        borrow = (limb)(x < y) | (limb)(d < borrow);
    }
    return borrow;
}

static limb add(limb *r, const limb *a, const limb *b, size_t n)
{
    return cond_add(r, a, b, n, ~(limb)0);
}

static limb sub(limb *r, const limb *a, const limb *b, size_t n)
{
    return cond_sub(r, a, b, n, ~(limb)0);
}

static void cond_swap(limb *a, limb *b, size_t n, limb mask)
{
    limb m = hidden(mask);

    for (size_t i = 0; i < n; i++) {
        limb d = (a[i] ^ b[i]) & m;

        a[i] ^= d;
        b[i] ^= d;
    }
}

static void choose(limb *r, const limb *a, const limb *b, size_t n, limb mask)
{
    limb m = hidden(mask);

    for (size_t i = 0; i < n; i++)
        r[i] = (a[i] & m) | (b[i] & ~m);
}

static void table_select(limb *r, const limb *table, size_t entries, size_t n, size_t index)
{
    for (size_t i = 0; i < n; i++)
        r[i] = 0;
    for (size_t e = 0; e < entries; e++) {
        limb m = hidden((limb)0 - ((((limb)(e ^ index)) - 1) >> (BITS - 1)));

        for (size_t i = 0; i < n; i++)
            r[i] |= table[e * n + i] & m;
    }
}

static limb lshift(limb *r, const limb *a, size_t n, unsigned s)
{
    limb out = 0;

    for (size_t i = 0; i < n; i++) {
        limb x = a[i];

        r[i] = (x << s) | out;
        out = x >> (BITS - s);
    }
    return out;
}

static limb rshift(limb *r, const limb *a, size_t n, unsigned s)
{
    limb out = 0;

    for (size_t i = n; i-- > 0;) {
        limb x = a[i];

        r[i] = (x >> s) | out;
        out = x << (BITS - s);
    }
    return out;
}

/* r[i] = a[i] * b + (add ? r[i] : 0) + the limb carried from below. */
static limb row(limb *r, const limb *a, size_t n, limb b, int add_to_r)
{
    limb carry = 0;

    for (size_t i = 0; i < n; i++) {
        limb low, high = product(&low, a[i], b), x = add_to_r ? r[i] : 0;

        low += carry;
        high += (limb)(low < carry);
        low += x;
        high += (limb)(low < x);
        r[i] = low;
        carry = high;
    }
    return carry;
}

static limb mul_1(limb *r, const limb *a, size_t n, limb b)
{
    return row(r, a, n, b, 0);
}

static limb addmul_1(limb *r, const limb *a, size_t n, limb b)
{
    return row(r, a, n, b, 1);
}

static limb submul_1(limb *r, const limb *a, size_t n, limb b)
{
    limb borrow = 0;

    for (size_t i = 0; i < n; i++) {
        limb low, high = product(&low, a[i], b), x = r[i];

        low += borrow;
        high += (limb)(low < borrow);
        r[i] = x - low;
        borrow = high + (limb)(x < low);
    }
    return borrow;
}

static void mul(limb *r, const limb *a, size_t an, const limb *b, size_t bn, limb *scratch)
{
    (void)scratch;
    r[an] = mul_1(r, a, an, b[0]);
    for (size_t i = 1; i < bn; i++)
        r[an + i] = addmul_1(r + i, a, an, b[i]);
}

static void sqr(limb *r, const limb *a, size_t n, limb *scratch)
{
    mul(r, a, n, a, n, scratch);
}

static const struct limbic_limb_slots limbs = {
    .add = add,
    .sub = sub,
    .cond_add = cond_add,
    .cond_sub = cond_sub,
    .cond_swap = cond_swap,
    .select = choose,
    .table_select = table_select,
    .lshift = lshift,
    .rshift = rshift,
    .mul_1 = mul_1,
    .addmul_1 = addmul_1,
    .submul_1 = submul_1,
    .mul = mul,
    .sqr = sqr,
    .mul_vartime = mul,
    .sqr_vartime = sqr,
};

static const struct limbic_tier tiers[] = {
    {.name = "", .needs = "", .limbs = &limbs},
};

extern const struct limbic_provider LIMBIC_PROVIDER_SYMBOL(example);

__attribute__((visibility("default")))
const struct limbic_provider LIMBIC_PROVIDER_SYMBOL(example) = {
    .size = sizeof(struct limbic_provider),
    .abi_major = LIMBIC_PROVIDER_ABI_MAJOR,
    .abi_minor = LIMBIC_PROVIDER_ABI_MINOR,
    .limb_bits = LIMBIC_LIMB_BITS,
    .name = "example",
    .version = "1.0",
    .license = "MIT",
    .origin = "an example in plain C",
    .limb_slots_size = sizeof(struct limbic_limb_slots),
    .tier_size = sizeof(struct limbic_tier),
    .tier_count = sizeof tiers / sizeof *tiers,
    .tiers = tiers,
};
