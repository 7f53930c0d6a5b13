/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel harness: calls of level 1 with operands and what must come of them, times.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/kernels.h"
#include "tests/patterns.h"

typedef limbic_limb_t limb;

#define ENTRIES 17
#define R_LIMBS (2 * KERNELS_MAX_LIMBS)

/* All that a call can reach, so that a stray write shows; scratch apart. */
struct memory {
    limb r[R_LIMBS], gap1[8], a[KERNELS_MAX_LIMBS], gap2[8], b[KERNELS_MAX_LIMBS], gap3[8];
    limb table[ENTRIES * KERNELS_MAX_LIMBS];
};

static struct memory memory, wanted;
static limb scratch[LIMBIC_SCRATCH_MUL(KERNELS_MAX_LIMBS, KERNELS_MAX_LIMBS)]
    __attribute__((aligned(64)));

void (*kernels_secret)(void *p, size_t size);

/* The arguments of a slot's call, as words. */
static void arguments(struct kernels_call *c, enum limbic_slot slot, unsigned turn)
{
    const uint64_t r = (uintptr_t)memory.r, a = (uintptr_t)memory.a, b = (uintptr_t)memory.b;
    const uint64_t table = (uintptr_t)memory.table, room = (uintptr_t)scratch, n = c->n;
    const uint64_t mask = (limb)0 - (limb)(turn & 1), x = memory.b[0];

#define ARGUMENTS(...) \
    memcpy(c->argument, (const uint64_t[KERNELS_ARGUMENTS]){__VA_ARGS__}, sizeof c->argument); \
    break
    switch (slot) {
    case LIMBIC_SLOT_ADD:
    case LIMBIC_SLOT_SUB:
        ARGUMENTS(r, a, b, n);
    case LIMBIC_SLOT_COND_ADD:
    case LIMBIC_SLOT_COND_SUB:
    case LIMBIC_SLOT_SELECT:
        ARGUMENTS(r, a, b, n, mask);
    case LIMBIC_SLOT_COND_SWAP:
        ARGUMENTS(a, b, n, mask);
    case LIMBIC_SLOT_TABLE_SELECT:
        ARGUMENTS(r, table, ENTRIES, n, turn % ENTRIES);
    case LIMBIC_SLOT_LSHIFT:
    case LIMBIC_SLOT_RSHIFT:
        ARGUMENTS(r, a, n, 1 + turn % (LIMBIC_LIMB_BITS - 1));
    case LIMBIC_SLOT_MUL_1:
    case LIMBIC_SLOT_ADDMUL_1:
    case LIMBIC_SLOT_SUBMUL_1:
        ARGUMENTS(r, a, n, x);
    case LIMBIC_SLOT_MUL:
    case LIMBIC_SLOT_MUL_VARTIME:
        ARGUMENTS(r, a, n, b, n - (turn % 3 == 2 && n > 1), room);
    default:
        ARGUMENTS(r, a, n, room);
    }
#undef ARGUMENTS
}

/* The argument that is a secret by itself: mask, index or factor; -1 if there is none. */
static int secret_argument(enum limbic_slot slot)
{
    switch (slot) {
    case LIMBIC_SLOT_COND_ADD:
    case LIMBIC_SLOT_COND_SUB:
    case LIMBIC_SLOT_SELECT:
    case LIMBIC_SLOT_TABLE_SELECT:
        return 4;
    case LIMBIC_SLOT_COND_SWAP:
    case LIMBIC_SLOT_MUL_1:
    case LIMBIC_SLOT_ADDMUL_1:
    case LIMBIC_SLOT_SUBMUL_1:
        return 3;
    default:
        return -1;
    }
}

static void mark_secrets(struct kernels_call *c)
{
    int word = secret_argument(c->id);

    kernels_secret(&memory, sizeof memory);
    kernels_secret(scratch, sizeof scratch);
    if (word >= 0)
        kernels_secret(&c->argument[word], sizeof c->argument[word]);
}

static void prepare_limbs(struct kernels_call *c, const struct kernels_subject *s,
                          const struct lb_slot *slot, size_t n, unsigned turn)
{
    const int silent[] = {LIMBIC_SLOT_COND_SWAP, LIMBIC_SLOT_SELECT, LIMBIC_SLOT_TABLE_SELECT};

    memset(&memory, 0x5e, sizeof memory);
    patterns_seed(1000 * n + turn);
    patterns_make(memory.r, n, turn % PATTERNS);
    patterns_make(memory.a, n, (turn + 2) % PATTERNS);
    patterns_make(memory.b, n, (turn / 2 + 12) % PATTERNS);
    patterns_uniform(memory.table, ENTRIES * n);
    c->memory = &memory;
    c->wanted = &wanted;
    c->size = sizeof memory;
    c->arguments = 6;
    c->returns = slot->id < LIMBIC_SLOT_MUL;
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        c->returns &= (int)slot->id != silent[i];
    arguments(c, slot->id, turn);
    wanted = memory;
    c->function = lb_table_kernel(kernels_reference()->limbs, slot);
    kernels_make(c);
    c->wanted_returned = c->returned;
    {
        struct memory before = wanted;

        wanted = memory;
        memory = before;
    }
    c->function = lb_table_kernel(s->limbs, slot);
    if (kernels_secret)
        mark_secrets(c);
}

void kernels_prepare(struct kernels_call *c, const struct kernels_subject *s,
                     const struct lb_slot *slot, size_t n, unsigned turn)
{
    *c = (struct kernels_call){.id = slot->id, .n = n, .slot = slot->name};
    if (slot->level == 1)
        prepare_limbs(c, s, slot, n, turn);
    else
        kernels_prepare_moduli(c, s, slot, n, turn, 0);
}

void kernels_prepare_whole(struct kernels_call *c, const struct kernels_subject *s,
                           const struct lb_slot *slot, size_t n)
{
    if (slot->level == 1) {
        kernels_prepare(c, s, slot, n, 1);
        return;
    }
    *c = (struct kernels_call){.id = slot->id, .n = n, .slot = slot->name};
    kernels_prepare_moduli(c, s, slot, n, 1,
                           slot->id == LIMBIC_SLOT_MONT_POW_PUBLIC ? 17 : n * LIMBIC_LIMB_BITS);
}

void kernels_make(struct kernels_call *c)
{
    const uint64_t *x = c->argument;
    limb *r = (limb *)(uintptr_t)x[0];
    const limb *a = (const limb *)(uintptr_t)x[1];

#define AS(type) ((type)c->function)
    typedef limb binary(limb *, const limb *, const limb *, size_t);
    typedef limb masked(limb *, const limb *, const limb *, size_t, limb);
    typedef void choice(limb *, const limb *, const limb *, size_t, limb);
    typedef void swap(limb *, limb *, size_t, limb);
    typedef void table(limb *, const limb *, size_t, size_t, size_t);
    typedef limb shift(limb *, const limb *, size_t, unsigned);
    typedef limb row(limb *, const limb *, size_t, limb);
    typedef void product(limb *, const limb *, size_t, const limb *, size_t, limb *);
    typedef void square(limb *, const limb *, size_t, limb *);
    const limb *third = (const limb *)(uintptr_t)x[2];

    if (c->id >= LIMBIC_SLOT_MONT_MUL) {
        kernels_make_moduli(c);
        return;
    }
    switch (c->id) {
    case LIMBIC_SLOT_ADD:
    case LIMBIC_SLOT_SUB:
        c->returned = AS(binary *)(r, a, third, (size_t)x[3]);
        break;
    case LIMBIC_SLOT_COND_ADD:
    case LIMBIC_SLOT_COND_SUB:
        c->returned = AS(masked *)(r, a, third, (size_t)x[3], (limb)x[4]);
        break;
    case LIMBIC_SLOT_COND_SWAP:
        AS(swap *)(r, (limb *)(uintptr_t)x[1], (size_t)x[2], (limb)x[3]);
        break;
    case LIMBIC_SLOT_SELECT:
        AS(choice *)(r, a, third, (size_t)x[3], (limb)x[4]);
        break;
    case LIMBIC_SLOT_TABLE_SELECT:
        AS(table *)(r, a, (size_t)x[2], (size_t)x[3], (size_t)x[4]);
        break;
    case LIMBIC_SLOT_LSHIFT:
    case LIMBIC_SLOT_RSHIFT:
        c->returned = AS(shift *)(r, a, (size_t)x[2], (unsigned)x[3]);
        break;
    case LIMBIC_SLOT_MUL_1:
    case LIMBIC_SLOT_ADDMUL_1:
    case LIMBIC_SLOT_SUBMUL_1:
        c->returned = AS(row *)(r, a, (size_t)x[2], (limb)x[3]);
        break;
    case LIMBIC_SLOT_MUL:
    case LIMBIC_SLOT_MUL_VARTIME:
        AS(product *)
        (r, a, (size_t)x[2], (const limb *)(uintptr_t)x[3], (size_t)x[4], (limb *)(uintptr_t)x[5]);
        break;
    default:
        AS(square *)(r, a, (size_t)x[2], (limb *)(uintptr_t)x[3]);
        break;
    }
#undef AS
}

const char *kernels_verdict(const struct kernels_call *c)
{
    if (c->returns && c->returned != c->wanted_returned)
        return "wrong limb returned";
    memcpy((char *)c->memory + c->spoilt_at, (char *)c->wanted + c->spoilt_at, c->spoilt);
    return memcmp(c->memory, c->wanted, c->size) == 0 ? NULL : "wrong result";
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Powers of long moduli take long, so that a single call tells enough. */
double kernels_time(struct kernels_call *c)
{
    double best = 1e18, begin = now();
    unsigned long calls = 1;

    for (int round = 0; round < 5 && (round == 0 || now() - begin < 5e8); round++) {
        double t = now();

        for (unsigned long i = 0; i < calls; i++)
            kernels_make(c);
        t = now() - t;
        if (t < 50000) { /* too short to tell */
            calls *= 2;
            round--;
        } else if (t / (double)calls < best) {
            best = t / (double)calls;
        }
    }
    return best;
}
