/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Naturals: fixed-length limb arrays, least significant limb first, no normalisation. What is here
 * needs no table of operations: conversion, comparison, copying, adding a limb. Constant time in
 * the values, unless the name ends in _vartime; lengths are public.
 */
#ifndef LB_NUMBER_NAT_H
#define LB_NUMBER_NAT_H

#include "core/number/limb.h"

void lb_nat_copy(limb_t *r, const limb_t *a, size_t n);
void lb_nat_zero(limb_t *r, size_t n);

/* r[n] = x. */
void lb_nat_set(limb_t *r, size_t n, limb_t x);

/* r[n] = a[an], zero-extended; n >= an. r may be a. */
void lb_nat_extend(limb_t *r, size_t n, const limb_t *a, size_t an);

/* r[n] = a[n] + x, a[n] - x mod B^n; return the carry or borrow. r may be a. */
limb_t lb_nat_add_limb(limb_t *r, const limb_t *a, size_t n, limb_t x);
limb_t lb_nat_sub_limb(limb_t *r, const limb_t *a, size_t n, limb_t x);

/* Masks: ~0 for true. */
limb_t lb_nat_is_zero(const limb_t *a, size_t n);
limb_t lb_nat_is_one(const limb_t *a, size_t n);
limb_t lb_nat_eq(const limb_t *a, const limb_t *b, size_t n);
limb_t lb_nat_lt(const limb_t *a, const limb_t *b, size_t n);

/* Comparison and size of public values: -1, 0, 1; bit length, 0 for 0; bit i;
   trailing zero bits, n * LIMB_BITS for 0. */
int lb_nat_cmp_vartime(const limb_t *a, size_t an, const limb_t *b, size_t bn);
size_t lb_nat_bits_vartime(const limb_t *a, size_t n);
unsigned lb_nat_bit(const limb_t *a, size_t i);
size_t lb_nat_ctz_vartime(const limb_t *a, size_t n);

/* Bit length in constant time (the result is as secret as a is). */
size_t lb_nat_bits(const limb_t *a, size_t n);

/* Big-endian octets to and from limbs. from_bytes: r[n], len octets, len <= n * LIMB_BYTES.
   to_bytes: the low len octets of a[n] (zero-padded when len is larger); returns ~0 if nothing but
   zeros was cut off, else 0. */
void lb_nat_from_bytes(limb_t *r, size_t n, const unsigned char *b, size_t len);
limb_t lb_nat_to_bytes(unsigned char *b, size_t len, const limb_t *a, size_t n);

#endif
