/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Helpers of the tests for key files: memory that ends at an unreadable page, the files below
 * tests/data, and repeatable random numbers. Knows nothing of limbic.
 */
#ifndef TESTS_OCTETS_H
#define TESTS_OCTETS_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Memory between two unreadable pages. One octet read or written outside is a crash. */
typedef struct {
    uint8_t *base;
    size_t room;
} guarded;

static inline void give_up(const char *what)
{
    perror(what);
    exit(99);
}

/* At least `room` octets between guards. */
static inline guarded guarded_new(size_t room)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t whole = (room + page - 1) / page * page;
    uint8_t *map = mmap(NULL, whole + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (map == MAP_FAILED || (whole && mprotect(map + page, whole, PROT_READ | PROT_WRITE) != 0))
        give_up("guard pages");
    return (guarded){map + page, whole};
}

static inline void guarded_free(guarded g)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    munmap(g.base - page, g.room + 2 * page);
}

/* Room for n octets that ends at the upper guard. */
static inline uint8_t *guarded_room(guarded g, size_t n)
{
    if (n > g.room)
        give_up("guarded_room: too small");
    return g.base + g.room - n;
}

/* A copy of data that ends at the upper guard; at_start: one that begins at the lower guard. */
static inline uint8_t *guarded_copy(guarded g, const void *data, size_t n)
{
    uint8_t *p = guarded_room(g, n);

    if (n)
        memmove(p, data, n);
    return p;
}

static inline uint8_t *guarded_copy_at_start(guarded g, const void *data, size_t n)
{
    guarded_room(g, n);
    if (n)
        memmove(g.base, data, n);
    return g.base;
}

/* The file $srcdir/tests/data/files/<name>, to be freed. */
static inline uint8_t *load_file(const char *name, size_t *size)
{
    const char *srcdir = getenv("srcdir");
    char path[4096];
    uint8_t *data = malloc(65536);
    FILE *f;

    snprintf(path, sizeof path, "%s/tests/data/files/%s", srcdir ? srcdir : ".", name);
    f = fopen(path, "rb");
    if (!f || !data)
        give_up(path);
    *size = fread(data, 1, 65536, f);
    if (ferror(f) || *size == 65536)
        give_up(path);
    fclose(f);
    return data;
}

/* Random numbers for tests: the generator splitmix64 (Steele, Lea, Flood, OOPSLA 2014). The seed
 * is fixed, or LIMBIC_TEST_SEED, and printed. */
typedef struct {
    uint64_t state;
} rng;

static inline uint64_t rng_next(rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline rng rng_start(void)
{
    const char *text = getenv("LIMBIC_TEST_SEED");
    rng r = {text ? strtoull(text, NULL, 0) : 20240229u};

    printf("# LIMBIC_TEST_SEED=%llu\n", (unsigned long long)r.state);
    return r;
}

/* A number below n. */
static inline size_t rng_below(rng *r, size_t n)
{
    return (size_t)(rng_next(r) % n);
}

static inline void rng_fill(rng *r, uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)rng_next(r);
}

/* Change a text of *n octets in room `room` in one way: set, insert, delete, repeat or cut. */
static inline void mutate(rng *r, uint8_t *p, size_t *n, size_t room)
{
    static const uint8_t likely[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x30,
                                     0x31, 0x7f, 0x80, 0x81, 0x82, 0x84, 0xa0, 0xff,
                                     '=',  '-',  '\n', '\r', ' ',  ':',  'A'};
    uint8_t octet = rng_below(r, 2) ? (uint8_t)rng_next(r) : likely[rng_below(r, sizeof likely)];
    size_t at = *n ? rng_below(r, *n) : 0;

    switch (rng_below(r, 5)) {
    case 0:
    case 1:
        if (*n)
            p[at] = octet;
        break;
    case 2:
        if (*n < room) {
            memmove(p + at + 1, p + at, *n - at);
            p[at] = octet;
            ++*n;
        }
        break;
    case 3:
        if (*n) {
            memmove(p + at, p + at + 1, *n - at - 1);
            --*n;
        }
        break;
    default:
        if (rng_below(r, 4) == 0)
            *n = at;
        else if (*n > 1)
            p[at] = p[rng_below(r, *n)];
        break;
    }
}

#endif
