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

static size_t minimum(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein distance without regard to case; `known` is shorter than 24. */
static size_t distance(const char *name, const char *known)
{
    size_t row[24], length = strlen(known);

    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; name[i]; i++) {
        size_t diagonal = row[0];

        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            bool differ = tolower((unsigned char)name[i]) != tolower((unsigned char)known[j]);
            size_t next = minimum(diagonal + differ, minimum(row[j], row[j + 1]) + 1);

            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    return row[length];
}

/* The nearest of the names considered, among those that are near: a quarter of the word's
   letters, and at least one, may be wrong. */
struct nearest {
    const char *name;
    char known[24];
    size_t distance;
};

static void consider(struct nearest *nearest, const char *known)
{
    size_t d = distance(nearest->name, known), length = strlen(nearest->name);

    if (d > (length < 8 ? 1 : length / 4) || (nearest->known[0] && d >= nearest->distance))
        return;
    nearest->distance = d;
    snprintf(nearest->known, sizeof nearest->known, "%s", known);
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
    static const char *const later[] = {"elg",  "dsa",  "ecdsa", "eddsa", "gost",
                                        "ecdh", "sm2", "x25519", "x448"};
    size_t length = strcspn(name, " ");

    for (size_t i = 0; i < COUNT(later); i++)
        if (strlen(later[i]) == length && !strncasecmp(name, later[i], length))
            return true;
    return false;
}

/* "3072" is meant for "RSA 3072". */
static void consider_number(struct nearest *nearest)
{
    char known[24];

    if (!isdigit((unsigned char)nearest->name[0]) || strlen(nearest->name) > 5)
        return;
    snprintf(known, sizeof known, "RSA %s", nearest->name);
    if (rsa_bits(known))
        snprintf(nearest->known, sizeof nearest->known, "%s", known);
}

static bool unknown_row(const char *name)
{
    struct nearest nearest = {.name = name};
    char advice[48] = "";

    if (is_later(name))
        return failed(STATUS_USAGE, "row \"%.64s\": not in this version, which has RSA", name);
    consider_number(&nearest);
    if (!nearest.known[0]) {
        consider_rsa(&nearest, rsa_group, COUNT(rsa_group));
        consider_rsa(&nearest, rsa_others, COUNT(rsa_others));
        consider(&nearest, "rsa");
    }
    if (nearest.known[0])
        snprintf(advice, sizeof advice, "; the nearest is \"%s\"", nearest.known);
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
