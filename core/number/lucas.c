/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The Lucas test of FIPS 186-5, B.3.3, in constant time but for the choice of D.
 */
#include "base/wipe.h"
#include "core/number/arith.h"
#include "core/number/modulus.h"
#include "core/number/prime.h"
#include "core/number/probable.h"

/* After so many values of D the number is checked to be no square, for which no D would do. Half of
   all values of D do for other numbers, so a random one comes here with probability 2^-20. */
#define SQUARE_CHECK_AFTER 20

/* Bach's bound: if the extended Riemann hypothesis is true, a D of less than 2 ln(c)^2 < 2^28 does
   for any c below 2^16384 that is no square. The test gives up there, so that it ends for any
   input. */
#define D_LIMIT ((limb_t)1 << 28)

/* ~0 if c[n] is a square, by the digit by digit method in base 2: with c's bits taken in pairs from
   the top, rest = (bits so far) - root^2, and a further bit 1 of the root takes 4 root + 1 from
   4 rest + pair. rest <= 2 root and root < B^(n/2), so for n >= 2 both fit n limbs also when
   multiplied by 4; one limb more makes it so for n = 1. scratch: 3 (n + 1). */
static limb_t is_square(const struct limbic_ops *ops, const limb_t *c, size_t n, limb_t *scratch)
{
    size_t len = n + 1;
    limb_t *rest = scratch, *root = rest + len, *trial = root + len;

    lb_nat_zero(rest, len);
    lb_nat_zero(root, len);
    for (size_t at = n * LIMB_BITS; at > 0; at -= 2) {
        ops->limbs.lshift(rest, rest, len, 2);
        rest[0] |= (limb_t)(lb_nat_bit(c, at - 1) << 1 | lb_nat_bit(c, at - 2));
        ops->limbs.lshift(trial, root, len, 2);
        trial[0] |= 1;
        limb_t fits = ~lb_nat_lt(rest, trial, len);
        ops->limbs.cond_sub(rest, rest, trial, len, fits);
        ops->limbs.lshift(root, root, len, 1);
        root[0] |= fits & 1;
    }
    return lb_nat_is_zero(rest, len);
}

/* What the Jacobi symbol (x/y) says, as masks: -1; or 0, and then the common divisor. */
struct jacobi {
    limb_t is_minus_one;
    limb_t is_zero;
    limb_t divisor;
};

/* (x/y) for x < y, y odd, by the binary algorithm. A step makes x even by taking y from it,
   exchanged with it if larger, then halves it, so it shortens x y by a bit: 2 * bits(y) steps lead
   to x = 0 for any x. (2/y) = -1 if y = 3 or 5 mod 8, which is bit 1 of y ^ (y >> 1); the exchange
   changes the sign if both are 3 mod 4. Only steps with x != 0 count. */
static struct jacobi jacobi_limb(limb_t x, limb_t y, size_t y_bits)
{
    limb_t sign = 0;

    for (size_t i = 0; i < 2 * y_bits; i++) {
        limb_t odd = lb_ct_mask_of_bit(x);
        limb_t swap = odd & lb_ct_lt(x, y);
        limb_t both = (x ^ y) & swap;

        sign ^= x & y & swap;
        x ^= both;
        y ^= both;
        x -= y & odd;
        sign ^= (y ^ (y >> 1)) & lb_ct_is_nonzero(x);
        x >>= 1;
    }
    limb_t unit = lb_ct_eq(y, 1);
    return (struct jacobi){unit & lb_ct_mask_of_bit(sign >> 1), ~unit, y};
}

static size_t bits_of(limb_t x)
{
    return lb_nat_bits_vartime(&x, 1);
}

/*
 * The first D of 5, -7, 9, -11, .. with (D/c) = -1: its absolute value, or 0 if c is found
 * composite. All these D are 1 modulo 4, and for them (D/c) = (c/|D|) by quadratic reciprocity, so
 * c mod |D| is enough. The verdict on each D is public. A symbol of 0 means a common divisor: c is
 * composite, unless that divisor is c itself. scratch: 3 (n + 1), which is also more than
 * LB_SCRATCH_DIVREM(1).
 */
static limb_t choose_d(const struct limbic_ops *ops, const limb_t *c, size_t n, limb_t *scratch)
{
    unsigned tried = 0;

    for (limb_t d = 5; d < D_LIMIT; d += 2) {
        limb_t rem;
        lb_nat_divrem(ops, NULL, &rem, c, n, &d, 1, scratch);
        struct jacobi j = jacobi_limb(rem, d, bits_of(d));

        if (lb_ct_declassify(j.is_minus_one))
            return d;
        if (lb_ct_declassify(j.is_zero) && (n > 1 || !lb_ct_declassify(lb_ct_eq(j.divisor, c[0]))))
            return 0;
        if (++tried == SQUARE_CHECK_AFTER && lb_ct_declassify(is_square(ops, c, n, scratch)))
            return 0;
    }
    return 0;
}

/* r = d a mod m for a small public d; r is not a. */
static void mul_small(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r,
                      const limb_t *a, limb_t d)
{
    lb_nat_copy(r, a, m->n);
    for (size_t i = bits_of(d) - 1; i-- > 0;) {
        lb_mod_add(ops, m, r, r, r);
        if (d >> i & 1)
            lb_mod_add(ops, m, r, r, a);
    }
}

/* r = r / 2 mod m: an odd r becomes even by adding m. */
static void halve(const struct limbic_ops *ops, const struct limbic_modulus *m, limb_t *r)
{
    limb_t carry = ops->limbs.cond_add(r, r, m->m, m->n, lb_ct_mask_of_bit(r[0]));

    ops->limbs.rshift(r, r, m->n, 1);
    r[m->n - 1] |= carry << (LIMB_BITS - 1);
}

struct lucas {
    const struct limbic_ops *ops;
    const struct limbic_modulus *m;
    limb_t d;                 /* |D| */
    int negative;             /* D < 0 */
    limb_t *u, *v;            /* U_k, V_k */
    limb_t *uv, *square, *ds; /* work */
};
#define LUCAS_LIMBS(n) (5 * (size_t)(n))

/* r = (r + D a) / 2. */
static void add_d_times(const struct lucas *l, limb_t *r, const limb_t *a)
{
    mul_small(l->ops, l->m, l->ds, a, l->d);
    if (l->negative)
        lb_mod_sub(l->ops, l->m, r, r, l->ds);
    else
        lb_mod_add(l->ops, l->m, r, r, l->ds);
    halve(l->ops, l->m, r);
}

/* From (U_k, V_k) to those of 2k, and on to those of 2k + 1 if the mask says so
   (steps 6.1 to 6.3.2):
      U_2k     = U_k V_k                   V_2k     = (V_k^2 + D U_k^2) / 2
      U_(2k+1) = (U_2k + V_2k) / 2         V_(2k+1) = (V_2k + D U_2k) / 2 */
static void lucas_step(struct lucas *l, limb_t mask, limb_t *scratch)
{
    const struct limbic_ops *ops = l->ops;
    const struct limbic_modulus *m = l->m;
    size_t n = m->n;

    ops->moduli.mont_mul(ops, m, l->uv, l->u, l->v, scratch);
    ops->moduli.mont_sqr(ops, m, l->v, l->v, scratch);
    ops->moduli.mont_sqr(ops, m, l->square, l->u, scratch);
    add_d_times(l, l->v, l->square);

    lb_mod_add(ops, m, l->u, l->uv, l->v);
    halve(ops, m, l->u);
    ops->limbs.select(l->u, l->u, l->uv, n, mask);
    lb_nat_copy(l->square, l->v, n);
    add_d_times(l, l->square, l->uv);
    ops->limbs.select(l->v, l->square, l->v, n, mask);
}

/* ~0 if U_(c+1) = 0 mod c. The index has bits + 1 bits, the top one 0 unless c = 2^bits - 1; from
   k = 0, with U_0 = 0 and V_0 = 2, the steps take leading zeros in their stride. */
static limb_t lucas_is_zero(struct lucas *l, const limb_t *index, limb_t *scratch)
{
    lb_nat_zero(l->u, l->m->n);
    lb_mod_add(l->ops, l->m, l->v, l->m->one, l->m->one);
    for (size_t i = l->m->bits + 1; i-- > 0;)
        lucas_step(l, lb_ct_mask_of_bit(lb_nat_bit(index, i)), scratch);
    return lb_nat_is_zero(l->u, l->m->n);
}

static int lucas_test(const struct limbic_ops *ops, const limb_t *c, size_t n, size_t bits,
                      limb_t d)
{
    size_t state_size;
    struct limbic_modulus m;
    limb_t room[LB_MODULUS_STORAGE(n) + LUCAS_LIMBS(n) + n + 1];
    limb_t scratch[LIMBIC_SCRATCH_MONT(n)] __attribute__((aligned(64)));
    limb_t *work = room + LB_MODULUS_STORAGE(n);
    limb_t *index = work + LUCAS_LIMBS(n);

    lb_modulus_init(&m, ops, room, c, n, bits, LIMBIC_MODULUS_SECRET, scratch);
    ops = lb_probable_row(ops, &m, &state_size);
    unsigned char state[state_size + 64] __attribute__((aligned(64)));
    lb_states_init(ops, ops, LB_STATE_MODULUS, &m, state);

    struct lucas l = {.ops = ops,
                      .m = &m,
                      .d = d,
                      .negative = d % 4 == 3,
                      .u = work,
                      .v = work + n,
                      .uv = work + 2 * n,
                      .square = work + 3 * n,
                      .ds = work + 4 * n};
    index[n] = lb_nat_add_limb(index, c, n, 1);
    int zero = lb_ct_declassify(lucas_is_zero(&l, index, scratch));

    lb_wipe(room, sizeof room);
    lb_wipe(scratch, sizeof scratch);
    lb_wipe(state, sizeof state);
    lb_wipe(&m, sizeof m);
    return zero;
}

int lb_prime_lucas(const struct limbic_ops *ops, const limb_t *a, size_t n)
{
    size_t bits = lb_probable_bits(a, n);

    n = LB_LIMBS_OF_BITS(bits);
    limb_t scratch[3 * (n + 1)];
    limb_t d = choose_d(ops, a, n, scratch);
    lb_wipe(scratch, sizeof scratch);
    return d != 0 && lucas_test(ops, a, n, bits, d);
}
