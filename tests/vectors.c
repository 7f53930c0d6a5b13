/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reader of test vectors: see vectors.h.
 */
#include "tests/vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PAIRS 16
#define MAX_LINE 20000
#define LIMB_NIBBLES (LIMBIC_LIMB_BITS / 4)

struct vectors {
    FILE *file;
    char path[1024];
    unsigned pairs;
    char *key[MAX_PAIRS];
    char *value[MAX_PAIRS];
    char line[MAX_LINE];
};

static void give_up(const struct vectors *v, const char *what)
{
    fprintf(stderr, "%s: %s\n", v->path, what);
    exit(99);
}

struct vectors *vectors_open(const char *name)
{
    const char *srcdir = getenv("srcdir");
    struct vectors *v = calloc(1, sizeof *v);

    if (!v)
        abort();
    snprintf(v->path, sizeof v->path, "%s/tests/data/%s", srcdir ? srcdir : ".", name);
    v->file = fopen(v->path, "r");
    if (!v->file)
        give_up(v, "cannot be opened");
    return v;
}

static void forget(struct vectors *v)
{
    while (v->pairs > 0) {
        v->pairs--;
        free(v->key[v->pairs]);
        free(v->value[v->pairs]);
    }
}

void vectors_close(struct vectors *v)
{
    forget(v);
    fclose(v->file);
    free(v);
}

static void take_line(struct vectors *v)
{
    char *equals = strstr(v->line, " =");

    if (!equals || v->pairs == MAX_PAIRS)
        give_up(v, "a line is not `key = value`");
    v->key[v->pairs] = strndup(v->line, (size_t)(equals - v->line));
    v->value[v->pairs] = strdup(equals[2] == ' ' ? equals + 3 : equals + 2);
    v->pairs++;
}

bool vectors_next(struct vectors *v)
{
    forget(v);
    while (fgets(v->line, sizeof v->line, v->file)) {
        size_t length = strcspn(v->line, "\n");
        if (v->line[length] == '\0' && !feof(v->file))
            give_up(v, "a line is too long");
        v->line[length] = '\0';
        if (v->line[0] == '#')
            continue;
        if (length > 0)
            take_line(v);
        else if (v->pairs > 0)
            break;
    }
    return v->pairs > 0;
}

const char *vectors_text(const struct vectors *v, const char *key)
{
    for (unsigned i = 0; i < v->pairs; i++)
        if (strcmp(v->key[i], key) == 0)
            return v->value[i];
    return NULL;
}

static unsigned nibble(const struct vectors *v, char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c < 'a' || c > 'f')
        give_up(v, "a value is not hexadecimal");
    return (unsigned)(c - 'a') + 10;
}

size_t vectors_limbs(const struct vectors *v, const char *key, limbic_limb_t *r, size_t room)
{
    const char *text = vectors_text(v, key);
    size_t length = text ? strlen(text) : 0, need = 1;

    if (length == 0 || length > room * LIMB_NIBBLES)
        give_up(v, "a value is missing or too long");
    memset(r, 0, room * sizeof *r);
    for (size_t i = 0; i < length; i++) {
        limbic_limb_t x = nibble(v, text[length - 1 - i]);
        r[i / LIMB_NIBBLES] |= (limbic_limb_t)(x << (4 * (i % LIMB_NIBBLES)));
        if (x)
            need = i / LIMB_NIBBLES + 1;
    }
    return need;
}
