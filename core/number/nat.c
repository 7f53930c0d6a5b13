/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Naturals: conversion, comparison, copying, adding a limb. Knows no ops table.
 */
#include "core/number/nat.h"

#include <string.h>

void lb_nat_copy(limb_t *r, const limb_t *a, size_t n)
{
    memmove(r, a, n * sizeof *r);
}

void lb_nat_zero(limb_t *r, size_t n)
{
    memset(r, 0, n * sizeof *r);
}

void lb_nat_set(limb_t *r, size_t n, limb_t x)
{
    lb_nat_zero(r, n);
    r[0] = x;
}

void lb_nat_extend(limb_t *r, size_t n, const limb_t *a, size_t an)
{
    lb_nat_copy(r, a, an);
    lb_nat_zero(r + an, n - an);
}

limb_t lb_nat_add_limb(limb_t *r, const limb_t *a, size_t n, limb_t x)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = a[i] + x;
        x = lb_ct_lt(r[i], x) & 1; /* the sum is below a summand exactly if it wrapped */
    }
    return x;
}

limb_t lb_nat_sub_limb(limb_t *r, const limb_t *a, size_t n, limb_t x)
{
    for (size_t i = 0; i < n; i++) {
        limb_t borrow = lb_ct_lt(a[i], x) & 1;
        r[i] = a[i] - x;
        x = borrow;
    }
    return x;
}

limb_t lb_nat_is_zero(const limb_t *a, size_t n)
{
    limb_t any = 0;

    for (size_t i = 0; i < n; i++)
        any |= a[i];
    return lb_ct_is_zero(any);
}

limb_t lb_nat_is_one(const limb_t *a, size_t n)
{
    limb_t any = a[0] ^ 1;

    for (size_t i = 1; i < n; i++)
        any |= a[i];
    return lb_ct_is_zero(any);
}

limb_t lb_nat_eq(const limb_t *a, const limb_t *b, size_t n)
{
    limb_t any = 0;

    for (size_t i = 0; i < n; i++)
        any |= a[i] ^ b[i];
    return lb_ct_is_zero(any);
}

limb_t lb_nat_lt(const limb_t *a, const limb_t *b, size_t n)
{
    limb_t less = 0;

    /* From the low limb up: a higher limb that differs overrules what the lower ones said. */
    for (size_t i = 0; i < n; i++)
        less = lb_ct_lt(a[i], b[i]) | (less & lb_ct_eq(a[i], b[i]));
    return less;
}

size_t lb_nat_bits_vartime(const limb_t *a, size_t n)
{
    while (n > 0 && a[n - 1] == 0)
        n--;
    if (n == 0)
        return 0;

    size_t bits = (n - 1) * LIMB_BITS;
    for (limb_t top = a[n - 1]; top; top >>= 1)
        bits++;
    return bits;
}

int lb_nat_cmp_vartime(const limb_t *a, size_t an, const limb_t *b, size_t bn)
{
    while (an > 0 && a[an - 1] == 0)
        an--;
    while (bn > 0 && b[bn - 1] == 0)
        bn--;
    if (an != bn)
        return an < bn ? -1 : 1;
    while (an-- > 0)
        if (a[an] != b[an])
            return a[an] < b[an] ? -1 : 1;
    return 0;
}

unsigned lb_nat_bit(const limb_t *a, size_t i)
{
    return (unsigned)(a[i / LIMB_BITS] >> (i % LIMB_BITS)) & 1;
}

size_t lb_nat_ctz_vartime(const limb_t *a, size_t n)
{
    size_t i = 0;

    while (i < n * LIMB_BITS && !lb_nat_bit(a, i))
        i++;
    return i;
}

/* Bit length of one limb: a binary search whose outcomes are masks. */
static limb_t limb_bits(limb_t x)
{
    limb_t bits = 0;

    for (unsigned half = LIMB_BITS / 2; half > 0; half /= 2) {
        limb_t high = lb_ct_is_nonzero(x >> half);
        bits += high & half;
        x = lb_ct_select(high, x >> half, x);
    }
    return bits + x;
}

size_t lb_nat_bits(const limb_t *a, size_t n)
{
    limb_t bits = 0;

    for (size_t i = 0; i < n; i++)
        bits =
            lb_ct_select(lb_ct_is_nonzero(a[i]), (limb_t)(i * LIMB_BITS) + limb_bits(a[i]), bits);
    return (size_t)bits;
}

void lb_nat_from_bytes(limb_t *r, size_t n, const unsigned char *b, size_t len)
{
    lb_nat_zero(r, n);
    for (size_t i = 0; i < len; i++)
        r[i / LIMB_BYTES] |= (limb_t)b[len - 1 - i] << (8 * (i % LIMB_BYTES));
}

limb_t lb_nat_to_bytes(unsigned char *b, size_t len, const limb_t *a, size_t n)
{
    limb_t lost = 0;

    for (size_t i = 0; i < len; i++) {
        limb_t limb = i / LIMB_BYTES < n ? a[i / LIMB_BYTES] : 0;
        b[len - 1 - i] = (unsigned char)(limb >> (8 * (i % LIMB_BYTES)));
    }
    for (size_t i = len; i < n * LIMB_BYTES; i++)
        lost |= (a[i / LIMB_BYTES] >> (8 * (i % LIMB_BYTES))) & 0xff;
    return lb_ct_is_zero(lost);
}
