/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Helpers of the tests for arithmetic: files of `key = hexadecimal` lines in records separated by
 * blank lines, random numbers with long runs of equal bits, and memory that ends at its last limb.
 */
#ifndef TESTS_RECORDS_H
#define TESTS_RECORDS_H

#include "core/number/nat.h"
#include "tests/octets.h"

/* One record at a time: reads lines up to a blank one. */
struct record {
    FILE *file;
    size_t fields;
    char key[8][16];
    char value[8][8192];
};

/* $srcdir/tests/data/<name> */
static inline void record_open(struct record *r, const char *name)
{
    const char *srcdir = getenv("srcdir");
    char path[4096];

    snprintf(path, sizeof path, "%s/tests/data/%s", srcdir ? srcdir : ".", name);
    r->file = fopen(path, "r");
    if (!r->file)
        give_up(path);
}

/* The next record with a field; 0 at the end of the file, which is closed then. */
static inline int record_next(struct record *r)
{
    char line[8300];

    r->fields = 0;
    while (fgets(line, sizeof line, r->file)) {
        if (line[0] == '#')
            continue;
        if (line[0] == '\n') {
            if (r->fields > 0)
                return 1;
            continue;
        }
        if (r->fields < 8 &&
            sscanf(line, "%15[^ =] = %8191[^\n]", r->key[r->fields], r->value[r->fields]) == 2)
            r->fields++;
    }
    if (r->fields > 0)
        return 1;
    fclose(r->file);
    return 0;
}

static inline const char *record_get(const struct record *r, const char *key)
{
    for (size_t i = 0; i < r->fields; i++)
        if (strcmp(r->key[i], key) == 0)
            return r->value[i];
    fprintf(stderr, "a record lacks the field %s\n", key);
    exit(99);
}

/* r[n] = the number in hexadecimal; returns the limbs it takes, at least 1. */
static inline size_t nat_from_hex(limb_t *r, size_t n, const char *hex)
{
    size_t digits = strlen(hex);

    lb_nat_zero(r, n);
    if (digits > n * LIMB_BITS / 4) {
        fprintf(stderr, "a number is too long: %s\n", hex);
        exit(99);
    }
    for (size_t i = 0; i < digits; i++) {
        char digit[2] = {hex[digits - 1 - i], 0};
        r[i / (LIMB_BITS / 4)] |= (limb_t)strtoul(digit, NULL, 16) << (4 * i % LIMB_BITS);
    }
    size_t used = LB_LIMBS_OF_BITS(lb_nat_bits_vartime(r, n));
    return used > 0 ? used : 1;
}

/* Repeatable random words, of the generator of octets.h. */
static inline uint64_t next_word(void)
{
    static rng r;
    static int started;

    if (!started) {
        r = rng_start();
        started = 1;
    }
    return rng_next(&r);
}

static inline size_t below(size_t n)
{
    return (size_t)(next_word() % n);
}

static inline void nat_random(limb_t *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        r[i] = (limb_t)next_word();
}

/* Runs of zeros and ones of random length, which carries and borrows run through. */
static inline void nat_runs(limb_t *r, size_t n)
{
    size_t bit = 0;

    lb_nat_zero(r, n);
    while (bit < n * LIMB_BITS) {
        size_t run = 1 + below(2 * LIMB_BITS);
        limb_t value = next_word() >> 40 & 1;
        for (; run > 0 && bit < n * LIMB_BITS; run--, bit++)
            r[bit / LIMB_BITS] |= value << (bit % LIMB_BITS);
    }
}

/* Something of every kind: random, runs, all ones, a power of two, a small number. */
static inline void nat_any(limb_t *r, size_t n)
{
    size_t bit = below(n * LIMB_BITS);

    switch (below(8)) {
    case 0:
        memset(r, 0xff, n * sizeof *r);
        break;
    case 1:
        lb_nat_zero(r, n);
        r[bit / LIMB_BITS] = (limb_t)1 << (bit % LIMB_BITS);
        break;
    case 2:
        nat_random(r, n);
        lb_nat_zero(r + bit / LIMB_BITS, n - bit / LIMB_BITS);
        break;
    case 3:
    case 4:
    case 5:
        nat_runs(r, n);
        break;
    default:
        nat_random(r, n);
    }
}

/* n limbs at the very end of guarded memory. */
static inline limb_t *limbs_at_end(guarded g, size_t n)
{
    return (limb_t *)(void *)(g.base + g.room) - n;
}

#endif
