/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The RSA trapdoor, both ways. Gather, then compute: the blinding pair is claimed first; what
 * follows is a pure function of (rows, key, input, pair), so it can be run again under other rows.
 *
 * The private result is released only if its e-th power is the input; else rsa-fault.c takes over.
 */
#include "core/scheme/rsa-steps.h"

#include "base/error.h"
#include "base/wipe.h"

void lb_rsa_trace_place(struct lb_rsa_trace *t, limb_t *memory, const struct lb_rsa *key)
{
    size_t nn = key->n.n, pn = key->p.n, qn = key->q.n;

    t->blinded = memory;
    t->joined = t->blinded + nn;
    t->result = t->joined + nn;
    t->check = t->result + nn;
    t->reduced_p = t->check + nn;
    t->power_p = t->reduced_p + pn;
    t->reduced_q = t->power_p + pn;
    t->power_q = t->reduced_q + qn;
}

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Scratch for every step: the pair of powers, which is the largest for equal primes, or one power
   of the longer prime, or an operation modulo n. */
static size_t scratch_limbs(const struct lb_rsa *key)
{
    size_t longer = max_size(key->p.n, key->q.n);
    size_t powers = key->paired ? LIMBIC_SCRATCH_POW_PAIR(longer) : LIMBIC_SCRATCH_POW(longer);

    return max_size(powers, LIMBIC_SCRATCH_POW(key->n.n));
}

static void power_pair(struct lb_rsa_run *run, const struct limbic_ops *row)
{
    const struct lb_rsa *key = run->key;
    limb_t *const r[2] = {run->t.power_p, run->t.power_q};
    const limb_t *const a[2] = {run->t.reduced_p, run->t.reduced_q};
    const limb_t *const e[2] = {key->part[LB_RSA_DP].limb, key->part[LB_RSA_DQ].limb};

    row->moduli.mont_pow_pair(row, &key->pair, r, a, e, max_size(key->p.bits, key->q.bits),
                              run->scratch);
}

/* Garner's recombination: m = mq + q ((mp - mq) / q mod p) < q + q (p - 1) = n. */
static void join(struct lb_rsa_run *run, const struct limbic_ops *row)
{
    const struct lb_rsa *key = run->key;
    const struct lb_rsa_trace *t = &run->t;
    limb_t *scratch = run->scratch;
    size_t nn = key->n.n, pn = key->p.n, qn = key->q.n;
    LB_STACK(h, pn);
    LB_STACK(product, pn + qn);
    limb_t carry;

    lb_mod_reduce(row, &key->p, h, t->power_q, qn, scratch);
    lb_mod_sub(row, &key->p, h, t->power_p, h);
    row->moduli.mont_mul(row, &key->p, h, h, key->qi_mont, scratch);
    row->limbs.mul(product, h, pn, key->part[LB_RSA_Q].limb, qn, scratch);
    carry = row->limbs.add(product, product, t->power_q, qn);
    (void)lb_nat_add_limb(product + qn, product + qn, pn, carry);
    /* pn + qn is nn or one more, whose top limb is zero, as m < n. */
    lb_nat_copy(t->joined, product, nn);
    lb_wipe(h, sizeof h);
    lb_wipe(product, sizeof product);
}

const struct limbic_ops *lb_rsa_step_row(const struct lb_rsa *key, const struct lb_rsa_rows *rows,
                                         enum lb_rsa_step step, size_t *bits)
{
    switch (step) {
    case LB_STEP_REDUCE_P:
    case LB_STEP_POWER_P:
    case LB_STEP_JOIN:
        *bits = key->p.bits;
        return rows->p;
    case LB_STEP_REDUCE_Q:
    case LB_STEP_POWER_Q:
        *bits = key->q.bits;
        return rows->q;
    case LB_STEP_BLIND:
    case LB_STEP_UNBLIND:
    case LB_STEP_CHECK:
    case LB_STEPS:
        break;
    }
    *bits = key->bits;
    return rows->n;
}

void lb_rsa_run_step(struct lb_rsa_run *run, enum lb_rsa_step step, const struct limbic_ops *row)
{
    struct lb_rsa *key = run->key;
    const struct lb_rsa_trace *t = &run->t;
    limb_t *scratch = run->scratch;

    switch (step) {
    case LB_STEP_BLIND:
        row->moduli.mont_mul(row, &key->n, t->blinded, run->x, run->pair.a, scratch);
        break;
    case LB_STEP_REDUCE_P:
        lb_mod_reduce(row, &key->p, t->reduced_p, t->blinded, key->n.n, scratch);
        break;
    case LB_STEP_REDUCE_Q:
        lb_mod_reduce(row, &key->q, t->reduced_q, t->blinded, key->n.n, scratch);
        break;
    case LB_STEP_POWER_P:
        if (key->paired)
            power_pair(run, row);
        else
            row->moduli.mont_pow(row, &key->p, t->power_p, t->reduced_p, key->part[LB_RSA_DP].limb,
                                 key->p.bits, scratch);
        break;
    case LB_STEP_POWER_Q:
        if (!key->paired)
            row->moduli.mont_pow(row, &key->q, t->power_q, t->reduced_q, key->part[LB_RSA_DQ].limb,
                                 key->q.bits, scratch);
        break;
    case LB_STEP_JOIN:
        join(run, row);
        break;
    case LB_STEP_UNBLIND:
        row->moduli.mont_mul(row, &key->n, t->result, t->joined, run->pair.b, scratch);
        break;
    case LB_STEP_CHECK:
        row->moduli.mont_pow_public(row, &key->n, t->check, t->result, key->part[LB_RSA_E].limb,
                                    key->ebits, scratch);
        break;
    case LB_STEPS:
        break;
    }
}

limb_t lb_rsa_run_all(struct lb_rsa_run *run, const struct lb_rsa_rows *rows)
{
    size_t bits;

    for (int step = 0; step < LB_STEPS; step++)
        lb_rsa_run_step(run, (enum lb_rsa_step)step,
                        lb_rsa_step_row(run->key, rows, (enum lb_rsa_step)step, &bits));
    return lb_nat_eq(run->t.check, run->x, run->key->n.n);
}

static gpg_error_t below_modulus(const struct lb_rsa *key, const limb_t *x)
{
    limb_t below = lb_nat_lt(x, key->n.m, key->n.n);

    return lb_ct_declassify(below)
               ? 0
               : lb_error(GPG_ERR_INV_VALUE, "RSA: the value is not below the modulus");
}

gpg_error_t lb_rsa_private(struct lb_rsa *key, unsigned char *out, const unsigned char *in)
{
    gpg_error_t err;
    struct lb_rsa_rows rows;

    if (!key->is_private)
        return lb_error(GPG_ERR_NO_SECKEY, "RSA: this needs a private key");
    if (key->flaw)
        return lb_error(GPG_ERR_UNUSABLE_SECKEY, key->flaw);
    err = lb_rsa_rows(key, &rows);
    if (err)
        return err;

    size_t nn = key->n.n, trace = LB_TRACE_LIMBS(nn, key->p.n, key->q.n);
    LB_STACK(memory, trace + 3 * nn);
    LB_STACK(scratch, scratch_limbs(key));
    limb_t *x = memory + trace;
    struct lb_rsa_run run = {.key = key, .x = x, .pair = {x + nn, x + 2 * nn}, .scratch = scratch};

    lb_rsa_trace_place(&run.t, memory, key);
    lb_nat_from_bytes(x, nn, in, key->bytes);
    err = below_modulus(key, x);
    if (!err)
        err = lb_blinding_take(key, rows.n, &run.pair, scratch);
    if (!err && !lb_ct_declassify(lb_rsa_run_all(&run, &rows)))
        err = lb_rsa_run_again(&run, &rows);
    if (!err)
        lb_nat_to_bytes(out, key->bytes, run.t.result, nn);
    lb_wipe(scratch, sizeof scratch);
    lb_wipe(memory, sizeof memory);
    return err;
}

/* The result has no certificate: it goes to a verification, which compares it with the encoding of
   a digest. A kernel that errs may so have a right signature refused; for a wrong one to be
   accepted the error would have to make that encoding. */
gpg_error_t lb_rsa_public(struct lb_rsa *key, unsigned char *out, const unsigned char *in)
{
    struct lb_rsa_rows rows;
    gpg_error_t err;

    if (key->flaw)
        return lb_error(GPG_ERR_UNUSABLE_PUBKEY, key->flaw);
    err = lb_rsa_rows(key, &rows);
    if (err)
        return err;

    size_t nn = key->n.n;
    LB_STACK(x, nn);
    LB_STACK(scratch, LIMBIC_SCRATCH_POW(nn));

    lb_nat_from_bytes(x, nn, in, key->bytes);
    err = below_modulus(key, x);
    if (err)
        return err;
    rows.n->moduli.mont_pow_public(rows.n, &key->n, x, x, key->part[LB_RSA_E].limb, key->ebits,
                                   scratch);
    lb_nat_to_bytes(out, key->bytes, x, nn);
    return 0;
}
