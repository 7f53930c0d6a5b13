/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ct-kernels portable|native|leaky - calls the level 1 kernels for secrets with operands that
 * memcheck takes for undefined, so that a branch or an address that depends on one is an error of
 * valgrind's. `leaky` stands for a check of the check: a kernel that branches on its operand. Without
 * valgrind it does nothing but run. tests/check-ct-kernels builds and runs it; knows the tables of the
 * providers only.
 */
#include <stdio.h>
#include <string.h>

#include <valgrind/memcheck.h>

#include "limbic-provider.h"
#include "providers/native/native.h"
#include "providers/native/portable/portable.h"

#define MAX 70
#define ENTRIES 9

typedef limbic_limb_t limb;

static limb r[2 * MAX], a[MAX], b[MAX], table[ENTRIES * MAX], scratch[LIMBIC_SCRATCH_MUL(MAX, MAX)];

static void secret(void *p, size_t size)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(p, size);
}

static limb secret_limb(limb x)
{
    secret(&x, sizeof x);
    return x;
}

static limb leaky_add(limb *out, const limb *x, const limb *y, size_t n)
{
    limb carry = 0;

    for (size_t i = 0; i < n; i++) {
        out[i] = x[i] + y[i] + carry;
        if (carry ? out[i] <= x[i] : out[i] < x[i])
            carry = 1;
        else
            carry = 0;
        __asm__ volatile("" : "+r"(carry) : : "memory");
        if (carry)
            __asm__ volatile("" : : : "memory");
    }
    return carry;
}

static void all_slots(const struct limbic_limb_slots *s, size_t n)
{
    limb mask = secret_limb((limb)0 - (limb)(n & 1)), x = secret_limb((limb)0x123456789abcdefu * n);
    size_t index = (size_t)secret_limb((limb)(n % ENTRIES));

    secret(r, sizeof r);
    secret(a, sizeof a);
    secret(b, sizeof b);
    secret(table, sizeof table);
    secret(scratch, sizeof scratch);
    (void)s->add(r, a, b, n);
    (void)s->sub(r, a, b, n);
    (void)s->cond_add(r, a, b, n, mask);
    (void)s->cond_sub(r, a, b, n, mask);
    s->cond_swap(a, b, n, mask);
    s->select(r, a, b, n, mask);
    s->table_select(r, table, ENTRIES, n, index);
    (void)s->lshift(r, a, n, 1 + (unsigned)n % (LIMBIC_LIMB_BITS - 1));
    (void)s->rshift(r, a, n, 1 + (unsigned)n % (LIMBIC_LIMB_BITS - 1));
    (void)s->mul_1(r, a, n, x);
    (void)s->addmul_1(r, a, n, x);
    (void)s->submul_1(r, a, n, x);
    s->mul(r, a, n, b, n, scratch);
    s->mul(r, a, n, b, (n + 1) / 2, scratch);
    s->sqr(r, a, n, scratch);
}

int main(int argc, char **argv)
{
    struct limbic_limb_slots leaky = *lb_provider_portable.tiers[0].limbs;
    const char *name = argc > 1 ? argv[1] : "";
    const struct limbic_provider *p =
        strcmp(name, "native") == 0 ? &lb_provider_native : &lb_provider_portable;

    if (strcmp(name, "native") != 0 && strcmp(name, "portable") != 0 &&
        strcmp(name, "leaky") != 0) {
        fprintf(stderr, "usage: ct-kernels portable|native|leaky\n");
        return 2;
    }
    leaky.add = leaky_add;
    for (size_t t = 0; t < p->tier_count; t++)
        for (size_t n = 1; n <= MAX && p->tiers[t].limbs && !*p->tiers[t].needs; n++)
            all_slots(strcmp(name, "leaky") == 0 ? &leaky : p->tiers[t].limbs, n);
    return 0;
}
