/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rows.c - the rows of the table by name.
 *
 * Knows names and sizes; what is measured for a row is elsewhere (rsa.c).
 */
#include "bench/rows.h"

#include "bench/failure.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"

/* What the group "rsa" stands for, and what else is suggested; limbic makes keys of any even size
   within the limits. */
static const unsigned rsa_group[] = {1024, 2048, 3072, 4096};
static const unsigned rsa_others[] = {1536, 6144, 8192, 12288, 16384};

#define RSA_MIN 2048
#define RSA_MAX 16384

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Sizes below RSA_MIN that key generation makes on request. */
static bool rsa_weak(unsigned long bits)
{
    return bits == 1024 || bits == 1536;
}

static bool add_rsa(struct rows *rows, unsigned bits)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->list[i].bits == bits)
            return true;
    if (rows->count == ROWS_MAX)
        return failed(STATUS_USAGE, "more than %d rows", ROWS_MAX);
    snprintf(rows->list[rows->count].name, sizeof rows->list->name, "RSA %u", bits);
    rows->list[rows->count++].bits = bits;
    return true;
}

/* The size in "RSA BITS", or 0. */
static unsigned rsa_bits(const char *name)
{
    unsigned long bits;
    char *end;

    if (strncasecmp(name, "RSA", 3) || (name[3] != ' ' && name[3] != ':') ||
        !isdigit((unsigned char)name[4]))
        return 0;
    bits = strtoul(name + 4, &end, 10);
    if (*end || (!rsa_weak(bits) && (bits < RSA_MIN || bits > RSA_MAX || bits % 2)))
        return 0;
    return (unsigned)bits;
}

/* The nearest row so far, with room for its name. */
struct nearest {
    struct lb_nearest search;
    char known[24];
};

static void consider(struct nearest *nearest, const char *known)
{
    if (!lb_nearest_offer(&nearest->search, known))
        return;
    snprintf(nearest->known, sizeof nearest->known, "%s", known);
    nearest->search.name = nearest->known;
}

static void consider_rsa(struct nearest *nearest, const unsigned *sizes, size_t count)
{
    char known[24];

    for (size_t i = 0; i < count; i++) {
        snprintf(known, sizeof known, "RSA %u", sizes[i]);
        consider(nearest, known);
    }
}

/* Rows that the benchmark has names for and this version cannot measure. */
static bool is_later(const char *name)
{
    static const char *const later[] = {"elg",  "dsa", "ecdsa",  "eddsa", "gost",
                                        "ecdh", "sm2", "x25519", "x448"};
    size_t length = strcspn(name, " ");

    for (size_t i = 0; i < COUNT(later); i++)
        if (strlen(later[i]) == length && !strncasecmp(name, later[i], length))
            return true;
    return false;
}

/* "3072" is meant for "RSA 3072". Returns whether it is that. */
static bool is_number(const char *name, char known[24])
{
    if (!isdigit((unsigned char)name[0]) || strlen(name) > 5)
        return false;
    snprintf(known, 24, "RSA %s", name);
    return rsa_bits(known) != 0;
}

static bool unknown_row(const char *name)
{
    struct nearest nearest = {.search = {.word = name}};
    char advice[LB_ADVICE_SIZE], number[24];

    if (is_later(name))
        return failed(STATUS_USAGE, "row \"%.64s\": not in this version, which has RSA", name);
    consider_rsa(&nearest, rsa_group, COUNT(rsa_group));
    consider_rsa(&nearest, rsa_others, COUNT(rsa_others));
    consider(&nearest, "rsa");
    lb_nearest_advice(advice, is_number(name, number) ? number : lb_nearest_name(&nearest.search));
    return failed(STATUS_USAGE,
                  "unknown row \"%.64s\"%s (rows: \"RSA BITS\", BITS 1024, 1536 or an even number "
                  "from %d to %d; group: rsa)",
                  name, advice, RSA_MIN, RSA_MAX);
}

bool rows_add(struct rows *rows, const char *name)
{
    unsigned bits = rsa_bits(name);

    if (bits)
        return add_rsa(rows, bits);
    if (!strcasecmp(name, "rsa")) {
        for (size_t i = 0; i < COUNT(rsa_group); i++)
            if (!add_rsa(rows, rsa_group[i]))
                return false;
        return true;
    }
    return unknown_row(name);
}

bool rows_add_all(struct rows *rows)
{
    return rows_add(rows, "rsa");
}
