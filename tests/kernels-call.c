/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel harness: subjects, calls with operands and what must come of them, hit flags, times.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "dispatch/registry.h"
#include "providers/native/native.h"
#include "providers/native/portable/portable.h"
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
static limb wanted_returned;
static limb scratch[LIMBIC_SCRATCH_MUL(KERNELS_MAX_LIMBS, KERNELS_MAX_LIMBS)]
    __attribute__((aligned(64)));

static const struct {
    const char *label;
    unsigned char *hits;
} flags[] = {
    {"portable", lb_portable_hits},
    {"native/baseline", lb_native_baseline_hits},
};

unsigned kernels_subjects(struct kernels_subject subjects[KERNELS_SUBJECTS])
{
    static char labels[KERNELS_SUBJECTS][LB_TIER_NAME_SIZE];
    const struct lb_registry *registry = lb_registry();
    unsigned count = 0;

    for (unsigned i = 0; i < registry->tier_count && count < KERNELS_SUBJECTS; i++) {
        const struct lb_tier_entry *entry = &registry->tier[i];
        struct kernels_subject *s = &subjects[count];

        if (entry->state != LB_USABLE || !entry->tier->limbs)
            continue;
        lb_tier_name(labels[count], i);
        *s = (struct kernels_subject){.label = labels[count], .limbs = entry->tier->limbs};
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
            if (strcmp(flags[k].label, s->label) == 0)
                s->hits = flags[k].hits;
        count++;
    }
    return count;
}

int kernels_wanted(const struct kernels_subject *s, const char *slot)
{
    return !s->glob || fnmatch(s->glob, slot, 0) == 0;
}

/* The arguments of a slot's call, as words. */
static void arguments(struct kernels_call *c, enum limbic_slot slot, unsigned turn)
{
    const uint64_t r = (uintptr_t)memory.r, a = (uintptr_t)memory.a, b = (uintptr_t)memory.b;
    const uint64_t table = (uintptr_t)memory.table, room = (uintptr_t)scratch, n = c->n;
    const uint64_t mask = (limb)0 - (limb)(turn & 1), x = memory.b[0];

#define ARGUMENTS(...) \
    memcpy(c->argument, (const uint64_t[6]){__VA_ARGS__}, sizeof c->argument); \
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

static lb_kernel kernel_of(const struct limbic_limb_slots *limbs, enum limbic_slot slot)
{
    return lb_table_kernel(limbs, lb_slot_by_id(slot));
}

void kernels_prepare(struct kernels_call *c, const struct limbic_limb_slots *limbs,
                     enum limbic_slot slot, size_t n, unsigned turn)
{
    const int silent[] = {LIMBIC_SLOT_COND_SWAP, LIMBIC_SLOT_SELECT, LIMBIC_SLOT_TABLE_SELECT};

    memset(&memory, 0x5e, sizeof memory);
    patterns_seed(1000 * n + turn);
    patterns_make(memory.r, n, turn % PATTERNS);
    patterns_make(memory.a, n, (turn + 2) % PATTERNS);
    patterns_make(memory.b, n, (turn / 2 + 12) % PATTERNS);
    patterns_uniform(memory.table, ENTRIES * n);
    *c = (struct kernels_call){.id = slot, .n = n, .slot = lb_slot_by_id(slot)->name};
    c->returns = slot < LIMBIC_SLOT_MUL;
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        c->returns &= (int)slot != silent[i];
    arguments(c, slot, turn);
    wanted = memory;
    c->function = kernel_of(lb_provider_portable.tiers[0].limbs, slot);
    kernels_make(c);
    wanted_returned = c->returned;
    {
        struct memory before = wanted;

        wanted = memory;
        memory = before;
    }
    c->function = kernel_of(limbs, slot);
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
    if (c->returns && c->returned != wanted_returned)
        return "wrong limb returned";
    return memcmp(&memory, &wanted, sizeof memory) == 0 ? NULL : "wrong result";
}

const char *kernels_fault(const struct kernels_subject *s, const struct kernels_call *c,
                          const char *what)
{
    static char text[240];

    snprintf(text, sizeof text, "%s: %s at %zu limbs: %s", s->label, c->slot, c->n, what);
    return text;
}

const char *kernels_check_hits(const struct kernels_subject *s)
{
    for (int slot = LIMBIC_SLOT_ADD; slot <= LIMBIC_SLOT_SQR_VARTIME; slot++) {
        struct kernels_call c;

        kernels_prepare(&c, s->limbs, (enum limbic_slot)slot, 33, 1);
        if (!kernels_wanted(s, c.slot))
            continue;
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
            memset(flags[k].hits, 0, LIMBIC_SLOT_COUNT);
        kernels_make(&c);
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
            for (int i = 0; i < LIMBIC_SLOT_COUNT; i++)
                if (flags[k].hits[i] != (flags[k].hits == s->hits && i == slot))
                    return kernels_fault(s, &c, "the hit flags name another kernel");
    }
    return NULL;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double kernels_time(struct kernels_call *c)
{
    double best = 1e18;
    unsigned long calls = 16;

    for (int round = 0; round < 5; round++) {
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
