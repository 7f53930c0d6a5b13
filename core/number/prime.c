/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Miller-Rabin (FIPS 186-5, B.3.1) in constant time, and the test for any number.
 */
#include "core/number/prime.h"

#include "base/wipe.h"
#include "core/number/arith.h"
#include "core/number/modulus.h"
#include "core/number/probable.h"
#include "core/number/random.h"

unsigned lb_prime_rounds(size_t bits)
{
    static const struct {
        size_t bits;
        unsigned rounds;
    } table[] = {{1536, 4}, {1024, 5}, {768, 6},  {640, 7},  {512, 9},
                 {384, 12}, {320, 15}, {256, 20}, {192, 29}, {128, 40}};

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (bits >= table[i].bits)
            return table[i].rounds;
    return LB_PRIME_ROUNDS_FOREIGN;
}

/* What is revealed of twos. One random prime in 2^ROUND_TWOS has more, so what is revealed of a
   generated one is in truth nothing; the squarings, of which most are idle, cost 2 % of a test at
   1024 bits. */
#define ROUND_TWOS 32

/* A number w under test: w - 1 = 2^twos * odd. */
struct witness {
    const struct limbic_ops *ops;
    const struct limbic_modulus *w;
    limb_t *less_one;  /* w - 1 */
    limb_t *odd;       /* w->n limbs, of at most w->bits - 1 bits, since twos >= 1 */
    limb_t *base;      /* the random base */
    limb_t *z;         /* its powers */
    limb_t *minus_one; /* w - 1 in Montgomery form */
    limb_t twos;       /* secret */
    size_t squarings;  /* twos rounded up to a multiple of ROUND_TWOS, public */
};
#define WITNESS_LIMBS(n) (5 * (size_t)(n))

static void witness_init(struct witness *t, const struct limbic_ops *ops,
                         const struct limbic_modulus *w, limb_t *room)
{
    size_t n = w->n;

    t->ops = ops;
    t->w = w;
    t->less_one = room;
    t->odd = room + n;
    t->base = room + 2 * n;
    t->z = room + 3 * n;
    t->minus_one = room + 4 * n;

    lb_nat_copy(t->less_one, w->m, n);
    t->less_one[0] -= 1; /* w is odd */
    t->twos = (limb_t)lb_nat_ctz(t->less_one, n);
    t->squarings = (size_t)(t->twos + ROUND_TWOS - 1) / ROUND_TWOS * ROUND_TWOS;
    LB_DECLASSIFY(&t->squarings, sizeof t->squarings);

    lb_nat_copy(t->odd, t->less_one, n);
    lb_nat_shift_right(t->odd, n, (size_t)t->twos);
    ops->limbs.sub(t->minus_one, w->m, w->one, n);
}

/* A base uniform in [2, w - 2]: one more than a number in [1, w - 2). */
static gpg_error_t draw_base(struct witness *t)
{
    size_t n = t->w->n;
    limb_t *bound = t->z;

    (void)lb_nat_sub_limb(bound, t->less_one, n, 1);
    gpg_error_t err = lb_random_below(t->base, bound, n, t->w->bits);
    if (!err)
        (void)lb_nat_add_limb(t->base, t->base, n, 1);
    return err;
}

/* ~0 if the base's powers are those of a prime: base^odd is 1 or -1, or squaring it up to twos - 1
   times meets -1. A fixed number of squarings; those from `twos` on do not count. */
static limb_t passes(struct witness *t, limb_t *scratch)
{
    const struct limbic_ops *ops = t->ops;
    const struct limbic_modulus *w = t->w;

    ops->moduli.mont_pow(ops, w, t->z, t->base, t->odd, w->bits - 1, scratch);
    limb_t good = lb_nat_is_one(t->z, w->n) | lb_nat_eq(t->z, t->less_one, w->n);

    lb_mont_in(ops, w, t->z, t->z, scratch);
    for (size_t j = 1; j < t->squarings; j++) {
        ops->moduli.mont_sqr(ops, w, t->z, t->z, scratch);
        good |= lb_nat_eq(t->z, t->minus_one, w->n) & lb_ct_lt((limb_t)j, t->twos);
    }
    return good;
}

static gpg_error_t run_rounds(struct witness *t, int *probably, unsigned rounds, limb_t *scratch)
{
    *probably = 1;
    for (unsigned i = 0; i < rounds && *probably; i++) {
        gpg_error_t err = draw_base(t);
        if (err) {
            *probably = 0;
            return err;
        }
        *probably = lb_ct_declassify(passes(t, scratch));
    }
    return 0;
}

size_t lb_probable_bits(const limb_t *a, size_t n)
{
    size_t bits = lb_nat_bits(a, n);

    LB_DECLASSIFY(&bits, sizeof bits);
    return bits;
}

const struct limbic_ops *lb_probable_row(const struct limbic_ops *ops,
                                         const struct limbic_modulus *m, size_t *state)
{
    *state = lb_states_size(ops, LB_STATE_MODULUS, m);
    if (*state <= LB_PROBABLE_STATE_MAX)
        return ops;
    *state = 0;
    return lb_row_portable(m->bits);
}

gpg_error_t lb_prime_miller_rabin(const struct limbic_ops *ops, int *probably, const limb_t *a,
                                  size_t n, unsigned rounds)
{
    size_t bits = lb_probable_bits(a, n);
    size_t state_size;
    struct limbic_modulus w;
    struct witness t;

    n = LB_LIMBS_OF_BITS(bits);
    limb_t room[LB_MODULUS_STORAGE(n) + WITNESS_LIMBS(n)];
    limb_t scratch[LIMBIC_SCRATCH_POW(n)] __attribute__((aligned(64)));
    lb_modulus_init(&w, ops, room, a, n, bits, LIMBIC_MODULUS_SECRET, scratch);
    ops = lb_probable_row(ops, &w, &state_size);
    unsigned char state[state_size + 64] __attribute__((aligned(64)));
    lb_states_init(ops, ops, LB_STATE_MODULUS, &w, state);

    witness_init(&t, ops, &w, room + LB_MODULUS_STORAGE(n));
    gpg_error_t err = run_rounds(&t, probably, rounds, scratch);

    lb_wipe(room, sizeof room);
    lb_wipe(scratch, sizeof scratch);
    lb_wipe(state, sizeof state);
    lb_wipe(&w, sizeof w);
    lb_wipe(&t, sizeof t);
    return err;
}

gpg_error_t lb_prime_test(const struct limbic_ops *ops, int *is_prime, const limb_t *a, size_t n,
                          unsigned rounds)
{
    size_t bits = lb_probable_bits(a, n);

    *is_prime = 0;
    if (bits < 2)
        return 0;
    if (bits == 2) { /* 2 and 3 */
        *is_prime = 1;
        return 0;
    }
    if (!lb_ct_declassify(lb_ct_mask_of_bit(a[0])))
        return 0;
    gpg_error_t err = lb_prime_miller_rabin(ops, is_prime, a, n, rounds);
    if (!err && *is_prime)
        *is_prime = lb_prime_lucas(ops, a, n);
    return err;
}
