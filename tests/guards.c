/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operands between unreadable pages: see guards.h.
 */
#include "tests/guards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_OPERANDS 40
#define MARGIN 512 /* octets of canaries on a side that does not touch the page */
#define CANARY 0xc5
#define JUNK 0x5e

struct operand {
    unsigned char *memory; /* between two unreadable pages */
    size_t room;
    unsigned char *at;
    size_t size;
    const limbic_limb_t *content; /* what it must still hold, or NULL */
};

static struct operand operands[MAX_OPERANDS];
static unsigned used;
static enum guards_side current_side;

static void give_up(const char *what)
{
    perror(what);
    exit(99);
}

static void make_room(struct operand *o, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (size + MARGIN + page - 1) / page * page;
    unsigned char *base;

    if (room <= o->room)
        return;
    if (o->room != 0)
        munmap(o->memory - page, o->room + 2 * page);
    base = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || mprotect(base + page, room, PROT_READ | PROT_WRITE) != 0)
        give_up("guards");
    o->memory = base + page;
    o->room = room;
}

/* The canaries before and after an operand: at most MARGIN octets on each side. */
static size_t before(const struct operand *o)
{
    size_t n = (size_t)(o->at - o->memory);

    return n < MARGIN ? n : MARGIN;
}

static size_t after(const struct operand *o)
{
    size_t n = o->room - (size_t)(o->at - o->memory) - o->size;

    return n < MARGIN ? n : MARGIN;
}

/* `skew` octets away from the low end, flush at the high one. */
static unsigned char *place(const limbic_limb_t *content, size_t n, size_t skew)
{
    struct operand *o = &operands[used++];
    size_t size = n * sizeof *content;

    if (used > MAX_OPERANDS) {
        fprintf(stderr, "guards: too many operands\n");
        exit(99);
    }
    make_room(o, size);
    o->size = size;
    o->content = NULL;
    o->at = o->memory + (current_side == GUARDS_HIGH ? o->room - size : skew);
    if (content)
        memcpy(o->at, content, size);
    else
        memset(o->at, JUNK, size);
    memset(o->at - before(o), CANARY, before(o));
    memset(o->at + size, CANARY, after(o));
    return o->at;
}

void guards_begin(enum guards_side side)
{
    used = 0;
    current_side = side;
}

const limbic_limb_t *guards_read(const limbic_limb_t *content, size_t n)
{
    const void *p = place(content, n, 0);

    operands[used - 1].content = content;
    return p;
}

limbic_limb_t *guards_write(const limbic_limb_t *content, size_t n)
{
    void *p = place(content, n, 0);

    return p;
}

limbic_limb_t *guards_scratch(size_t n)
{
    void *p = place(NULL, n, sizeof(limbic_limb_t));

    return p;
}

static int all_canaries(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != CANARY)
            return 0;
    return 1;
}

const char *guards_check(void)
{
    for (unsigned i = 0; i < used; i++) {
        const struct operand *o = &operands[i];
        if (!all_canaries(o->at - before(o), before(o)))
            return "wrote below an operand";
        if (!all_canaries(o->at + o->size, after(o)))
            return "wrote above an operand";
        if (o->content && memcmp(o->at, o->content, o->size) != 0)
            return "changed an operand that it may only read";
    }
    return NULL;
}
