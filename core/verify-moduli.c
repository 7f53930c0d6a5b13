/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The checks of level 2. The row that a kernel is given tells its family, and so the kernel.
 */
#include <string.h>

#include "core/number/nat.h"
#include "core/verify.h"
#include "dispatch/dispatch.h"

#define MAX_EBITS (2 * (size_t)LIMBIC_MAX_BITS)

static bool below(const limb_t *a, const limb_t *m, size_t n)
{
    return lb_nat_cmp_vartime(a, n, m, n) < 0;
}

static struct lb_array operand(const char *name, const limb_t *at, size_t n)
{
    return (struct lb_array){.name = name, .at = at, .n = n};
}

/* A result, which may be the same as these operands. */
static struct lb_array result(const char *name, const limb_t *at, size_t n, const char *exact,
                              const char *exact_too)
{
    return (struct lb_array){
        .name = name, .at = at, .n = n, .written = true, .exact = {exact, exact_too}};
}

static struct lb_array scratch_of(const limb_t *at, size_t n)
{
    return (struct lb_array){.name = "scratch", .at = at, .n = n, .written = true};
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- Objects -------------------------------------------------------------------------------- */

/* The row is the one that the check stands in: then its family is the kernel's. */
static struct lb_call call_of(const struct limbic_ops *ops, enum limbic_slot slot, lb_kernel self)
{
    struct lb_call call = {slot, LIMBIC_FAMILY_MAX};
    lb_kernel kernel;

    lb_demand(&call, ops && ops->size == sizeof *ops, "ops is a row");
    memcpy(&kernel, (const char *)ops + lb_slot_by_id(slot)->ops_offset, sizeof kernel);
    lb_demand(&call, kernel == self, "ops is the row that the slot stands in");
    call.family = ops->family[slot];
    return call;
}

static const struct limbic_mod_slots *kernels(const struct lb_call *call)
{
    return &lb_mod_family(call->family)->slots;
}

static void demand_state(const struct lb_call *call, const struct limbic_ops *ops,
                         const void *const *state, bool wanted)
{
    lb_demand(call, !wanted || limbic_state(ops, state, call->slot),
              "an object has the state that the kernel's family keeps for it");
}

static void demand_modulus(const struct lb_call *call, const struct limbic_ops *ops,
                           const struct limbic_modulus *m)
{
    const struct limbic_mod_family *family = lb_mod_family(call->family);
    unsigned top;

    lb_demand(call, m && m->m && m->one && m->r2, "a modulus is an object with m, one and r2");
    lb_demand(call, m->n >= 1 && m->n <= LIMBIC_MAX_LIMBS, "1 <= n <= LIMBIC_MAX_LIMBS");
    lb_demand(call,
              m->bits >= 2 && m->bits <= m->n * LIMB_BITS && LB_LIMBS_OF_BITS(m->bits) == m->n,
              "the modulus is at least 3, and n the length of its bits");
    top = (unsigned)((m->bits - 1) % LIMB_BITS);
    lb_demand(call, m->m[m->n - 1] >> top == 1, "bits is the exact bit length of the modulus");
    lb_demand(call, m->m[0] & 1, "the modulus is odd");
    lb_demand(call, (limb_t)(m->m[0] * m->neg_inv) == ~(limb_t)0, "neg_inv is -1/m mod B");
    lb_demand(call, below(m->one, m->m, m->n), "one is in [0, m)");
    lb_demand(call, below(m->r2, m->m, m->n), "r2 is in [0, m)");
    lb_demand(call, !(m->flags & ~LIMBIC_MODULUS_SECRET), "flags are LIMBIC_MODULUS_*");
    demand_state(call, ops, m->state, family->modulus_state_size && family->modulus_state_size(m));
}

static void demand_pair(const struct lb_call *call, const struct limbic_ops *ops,
                        const struct limbic_pair *pair)
{
    const struct limbic_mod_family *family = lb_mod_family(call->family);

    lb_demand(call, pair != NULL, "a pair is an object");
    demand_modulus(call, ops, pair->m[0]);
    demand_modulus(call, ops, pair->m[1]);
    lb_demand(call, pair->m[0]->n == pair->m[1]->n, "the moduli of a call have one n");
    demand_state(call, ops, pair->state, family->pair_state_size && family->pair_state_size(pair));
}

static void demand_base(const struct lb_call *call, const struct limbic_ops *ops,
                        const struct limbic_base *base)
{
    const struct limbic_mod_family *family = lb_mod_family(call->family);

    lb_demand(call, base && base->a, "a base is an object with its number");
    demand_modulus(call, ops, base->m);
    lb_demand(call, below(base->a, base->m->m, base->m->n), "the base is in [0, m)");
    demand_state(call, ops, base->state, family->base_state_size && family->base_state_size(base));
}

/* The arrays of a modulus, which nothing may write to. */
#define MODULUS(object) \
    operand("m", (object)->m, (object)->n), operand("one", (object)->one, (object)->n), \
        operand("r2", (object)->r2, (object)->n)

/* After the arrays are known to be there. */
static void demand_residue(const struct lb_call *call, const limb_t *a,
                           const struct limbic_modulus *m, const char *rule)
{
    lb_demand(call, below(a, m->m, m->n), rule);
}

static void expect_residue(const struct lb_call *call, const limb_t *r,
                           const struct limbic_modulus *m)
{
    lb_expect(call, below(r, m->m, m->n), "r is in [0, m)");
}

static void demand_ebits(const struct lb_call *call, size_t ebits)
{
    lb_demand(call, ebits >= 1 && ebits <= MAX_EBITS, "1 <= ebits <= 2 * LIMBIC_MAX_BITS");
}

static void demand_exponent(const struct lb_call *call, const limb_t *e, size_t ebits)
{
    size_t rest = ebits % LIMB_BITS;

    lb_demand(call, rest == 0 || e[ebits / LIMB_BITS] >> rest == 0,
              "e has no bit set at ebits or above");
}

/* ---- Multiplication ------------------------------------------------------------------------- */

static void check_mont_mul(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                           const limb_t *a, const limb_t *b, limb_t *scratch)
{
    struct lb_call call = call_of(ops, LIMBIC_SLOT_MONT_MUL, (lb_kernel)check_mont_mul);

    demand_modulus(&call, ops, m);
    const struct lb_array arrays[] = {
        result("r", r, m->n, "a", "b"),
        operand("a", a, m->n),
        operand("b", b, m->n),
        scratch_of(scratch, LIMBIC_SCRATCH_MONT(m->n)),
        MODULUS(m),
    };
    lb_demand_arrays(&call, arrays, COUNT(arrays));
    demand_residue(&call, a, m, "a is in [0, m)");
    demand_residue(&call, b, m, "b is in [0, m)");
    kernels(&call)->mont_mul(ops, m, r, a, b, scratch);
    expect_residue(&call, r, m);
}

static void check_mont_sqr(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                           const limb_t *a, limb_t *scratch)
{
    struct lb_call call = call_of(ops, LIMBIC_SLOT_MONT_SQR, (lb_kernel)check_mont_sqr);

    demand_modulus(&call, ops, m);
    const struct lb_array arrays[] = {
        result("r", r, m->n, "a", NULL),
        operand("a", a, m->n),
        scratch_of(scratch, LIMBIC_SCRATCH_MONT(m->n)),
        MODULUS(m),
    };
    lb_demand_arrays(&call, arrays, COUNT(arrays));
    demand_residue(&call, a, m, "a is in [0, m)");
    kernels(&call)->mont_sqr(ops, m, r, a, scratch);
    expect_residue(&call, r, m);
}

/* a < m R says that the high half of a is below m. */
static void check_mont_reduce(const struct limbic_ops *ops, const struct limbic_modulus *m,
                              limb_t *r, limb_t *a, limb_t *scratch)
{
    struct lb_call call = call_of(ops, LIMBIC_SLOT_MONT_REDUCE, (lb_kernel)check_mont_reduce);

    demand_modulus(&call, ops, m);
    const struct lb_array arrays[] = {
        result("r", r, m->n, "a", "a + n"),
        result("a", a, m->n, NULL, NULL),
        result("a + n", a + m->n, m->n, NULL, NULL),
        scratch_of(scratch, LIMBIC_SCRATCH_MONT(m->n)),
        MODULUS(m),
    };
    lb_demand_arrays(&call, arrays, COUNT(arrays));
    demand_residue(&call, a + m->n, m, "a < m * R");
    kernels(&call)->mont_reduce(ops, m, r, a, scratch);
    expect_residue(&call, r, m);
}

/* ---- Exponentiation ------------------------------------------------------------------------- */

static void demand_power(const struct lb_call *call, const struct limbic_ops *ops,
                         const struct limbic_modulus *m, const limb_t *r, const limb_t *a,
                         const limb_t *e, size_t ebits, const limb_t *scratch)
{
    demand_modulus(call, ops, m);
    demand_ebits(call, ebits);
    const struct lb_array arrays[] = {
        result("r", r, m->n, "a", NULL),
        operand("a", a, m->n),
        operand("e", e, LB_LIMBS_OF_BITS(ebits)),
        scratch_of(scratch, LIMBIC_SCRATCH_POW(m->n)),
        MODULUS(m),
    };
    lb_demand_arrays(call, arrays, COUNT(arrays));
    demand_residue(call, a, m, "a is in [0, m)");
    demand_exponent(call, e, ebits);
}

static void check_mont_pow(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                           const limb_t *a, const limb_t *e, size_t ebits, limb_t *scratch)
{
    struct lb_call call = call_of(ops, LIMBIC_SLOT_MONT_POW, (lb_kernel)check_mont_pow);

    demand_power(&call, ops, m, r, a, e, ebits, scratch);
    kernels(&call)->mont_pow(ops, m, r, a, e, ebits, scratch);
    expect_residue(&call, r, m);
}

static void check_mont_pow_public(const struct limbic_ops *ops, const struct limbic_modulus *m,
                                  limb_t *r, const limb_t *a, const limb_t *e, size_t ebits,
                                  limb_t *scratch)
{
    struct lb_call call =
        call_of(ops, LIMBIC_SLOT_MONT_POW_PUBLIC, (lb_kernel)check_mont_pow_public);

    demand_power(&call, ops, m, r, a, e, ebits, scratch);
    lb_demand(&call, e[(ebits - 1) / LIMB_BITS] >> (ebits - 1) % LIMB_BITS & 1,
              "bit ebits - 1 of e is set");
    kernels(&call)->mont_pow_public(ops, m, r, a, e, ebits, scratch);
    expect_residue(&call, r, m);
}

enum { MAX_POWERS = 8 };

/* The names carry the number, since r[i] may be the same as a[i] and no other a. */
static const char *const r_names[MAX_POWERS] = {"r[0]", "r[1]", "r[2]", "r[3]",
                                                "r[4]", "r[5]", "r[6]", "r[7]"};
static const char *const a_names[MAX_POWERS] = {"a[0]", "a[1]", "a[2]", "a[3]",
                                                "a[4]", "a[5]", "a[6]", "a[7]"};

/* Several powers in one call; the moduli have passed. */
static void demand_powers(const struct lb_call *call, const struct limbic_modulus *const *m,
                          limb_t *const *r, const limb_t *const *a, const limb_t *const *e,
                          size_t count, size_t ebits, struct lb_array scratch)
{
    struct lb_array arrays[6 * MAX_POWERS + 1];
    size_t n = m[0]->n, used = 0;

    demand_ebits(call, ebits);
    for (size_t i = 0; i < count; i++) {
        const struct lb_array own[] = {
            result(r_names[i], r[i], n, a_names[i], NULL),
            operand(a_names[i], a[i], n),
            operand("e[i]", e[i], LB_LIMBS_OF_BITS(ebits)),
            MODULUS(m[i]),
        };
        memcpy(arrays + used, own, sizeof own);
        used += COUNT(own);
    }
    arrays[used++] = scratch;
    lb_demand_arrays(call, arrays, used);
    for (size_t i = 0; i < count; i++) {
        demand_residue(call, a[i], m[i], "a[i] is in [0, m[i])");
        demand_exponent(call, e[i], ebits);
    }
}

static void expect_residues(const struct lb_call *call, limb_t *const *r,
                            const struct limbic_modulus *const *m, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lb_expect(call, below(r[i], m[i]->m, m[i]->n), "r[i] is in [0, m[i])");
}

static void check_mont_pow_pair(const struct limbic_ops *ops, const struct limbic_pair *pair,
                                limb_t *const r[2], const limb_t *const a[2],
                                const limb_t *const e[2], size_t ebits, limb_t *scratch)
{
    struct lb_call call = call_of(ops, LIMBIC_SLOT_MONT_POW_PAIR, (lb_kernel)check_mont_pow_pair);

    demand_pair(&call, ops, pair);
    demand_powers(&call, pair->m, r, a, e, 2, ebits,
                  scratch_of(scratch, LIMBIC_SCRATCH_POW_PAIR(pair->m[0]->n)));
    kernels(&call)->mont_pow_pair(ops, pair, r, a, e, ebits, scratch);
    expect_residues(&call, r, pair->m, 2);
}

static void check_mont_pow_x8(const struct limbic_ops *ops, const struct limbic_modulus *const m[8],
                              limb_t *const r[8], const limb_t *const a[8],
                              const limb_t *const e[8], size_t ebits, limb_t *scratch)
{
    struct lb_call call = call_of(ops, LIMBIC_SLOT_MONT_POW_X8, (lb_kernel)check_mont_pow_x8);

    for (size_t i = 0; i < 8; i++) {
        demand_modulus(&call, ops, m[i]);
        lb_demand(&call, m[i]->n == m[0]->n, "the moduli of a call have one n");
    }
    demand_powers(&call, m, r, a, e, 8, ebits, scratch_of(scratch, LIMBIC_SCRATCH_POW_X8(m[0]->n)));
    kernels(&call)->mont_pow_x8(ops, m, r, a, e, ebits, scratch);
    expect_residues(&call, r, m, 8);
}

static void check_mont_pow_base(const struct limbic_ops *ops, const struct limbic_base *base,
                                limb_t *r, const limb_t *e, size_t ebits, limb_t *scratch)
{
    struct lb_call call = call_of(ops, LIMBIC_SLOT_MONT_POW_BASE, (lb_kernel)check_mont_pow_base);

    demand_base(&call, ops, base);
    demand_ebits(&call, ebits);
    const struct lb_array arrays[] = {
        result("r", r, base->m->n, NULL, NULL),
        operand("the base", base->a, base->m->n),
        operand("e", e, LB_LIMBS_OF_BITS(ebits)),
        scratch_of(scratch, LIMBIC_SCRATCH_POW(base->m->n)),
        MODULUS(base->m),
    };
    lb_demand_arrays(&call, arrays, COUNT(arrays));
    demand_exponent(&call, e, ebits);
    kernels(&call)->mont_pow_base(ops, base, r, e, ebits, scratch);
    expect_residue(&call, r, base->m);
}

static void check_mont_pow2_vartime(const struct limbic_ops *ops,
                                    const struct limbic_base *const base[2], limb_t *r,
                                    const limb_t *const e[2], size_t ebits, limb_t *scratch)
{
    struct lb_call call =
        call_of(ops, LIMBIC_SLOT_MONT_POW2_VARTIME, (lb_kernel)check_mont_pow2_vartime);

    demand_base(&call, ops, base[0]);
    demand_base(&call, ops, base[1]);
    lb_demand(&call, base[0]->m == base[1]->m, "both bases have one modulus");
    demand_ebits(&call, ebits);
    const struct limbic_modulus *m = base[0]->m;
    const struct lb_array arrays[] = {
        result("r", r, m->n, NULL, NULL),
        operand("base[0]", base[0]->a, m->n),
        operand("base[1]", base[1]->a, m->n),
        operand("e[0]", e[0], LB_LIMBS_OF_BITS(ebits)),
        operand("e[1]", e[1], LB_LIMBS_OF_BITS(ebits)),
        scratch_of(scratch, LIMBIC_SCRATCH_POW_PAIR(m->n)),
        MODULUS(m),
    };
    lb_demand_arrays(&call, arrays, COUNT(arrays));
    demand_exponent(&call, e[0], ebits);
    demand_exponent(&call, e[1], ebits);
    kernels(&call)->mont_pow2_vartime(ops, base, r, e, ebits, scratch);
    expect_residue(&call, r, m);
}

/* ---- Inversion ------------------------------------------------------------------------------ */

static limb_t check_mont_inv(const struct limbic_ops *ops, const struct limbic_modulus *m,
                             limb_t *r, const limb_t *a, limb_t *scratch)
{
    struct lb_call call = call_of(ops, LIMBIC_SLOT_MONT_INV, (lb_kernel)check_mont_inv);
    limb_t mask;

    demand_modulus(&call, ops, m);
    const struct lb_array arrays[] = {
        result("r", r, m->n, "a", NULL),
        operand("a", a, m->n),
        scratch_of(scratch, LIMBIC_SCRATCH_INV(m->n)),
        MODULUS(m),
    };
    lb_demand_arrays(&call, arrays, COUNT(arrays));
    demand_residue(&call, a, m, "a is in [0, m)");
    mask = kernels(&call)->mont_inv(ops, m, r, a, scratch);
    lb_expect(&call, mask == 0 || mask == ~(limb_t)0, "what is returned is 0 or ~0");
    lb_expect(&call, mask || lb_nat_is_zero(r, m->n), "r = 0 where there is no inverse");
    expect_residue(&call, r, m);
    return mask;
}

/* ---- For the descriptors -------------------------------------------------------------------- */

#define SLOT(member) \
    lb_kernel lb_verify_##member(unsigned family) \
    { \
        (void)family; \
        return (lb_kernel)check_##member; \
    }

SLOT(mont_mul)
SLOT(mont_sqr)
SLOT(mont_reduce)
SLOT(mont_pow)
SLOT(mont_pow_pair)
SLOT(mont_pow_x8)
SLOT(mont_pow_public)
SLOT(mont_pow_base)
SLOT(mont_pow2_vartime)
SLOT(mont_inv)
