/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The RSA trapdoor, both ways. Gather, then compute: the blinding pair is claimed first; what
 * follows is a pure function of (rows, key, input, pair), so it can be run again under other rows.
 *
 * The private result is released only if its e-th power is the input; else rsa-fault.c takes over.
 */
#include "core/scheme/rsa-steps.h"

#include <string.h>

#include "base/error.h"
#include "base/wipe.h"

struct lb_rsa_step lb_rsa_next_step(const struct lb_rsa *key, struct lb_rsa_step step)
{
    bool each = step.kind > LB_STEP_BLIND && step.kind < LB_STEP_UNBLIND;
    /* q is where joining starts from. */
    unsigned next = step.prime + (step.kind == LB_STEP_JOIN && step.prime == 0 ? 2 : 1);

    return each && next < key->primes ? (struct lb_rsa_step){step.kind, next}
                                      : (struct lb_rsa_step){step.kind + 1, 0};
}

size_t lb_rsa_trace_limbs(const struct lb_rsa *key)
{
    size_t limbs = (3 + key->primes - 1) * key->n.n;

    for (unsigned i = 0; i < key->primes; i++)
        limbs += 2 * key->prime[i].m.n;
    return limbs;
}

void lb_rsa_trace_place(struct lb_rsa_trace *t, limb_t *memory, const struct lb_rsa *key)
{
    size_t nn = key->n.n;

    t->blinded = memory;
    t->result = t->blinded + nn;
    t->check = t->result + nn;
    memory = t->check + nn;
    for (unsigned i = 0; i < key->primes; i++) {
        t->reduced[i] = memory;
        t->power[i] = memory + key->prime[i].m.n;
        memory += 2 * key->prime[i].m.n;
        t->joined[i] = i == 1 ? NULL : memory;
        memory += i == 1 ? 0 : nn;
    }
}

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Scratch for every step: the pair of powers, which is the largest for equal primes, or one power
   of the longest prime, or an operation modulo n. */
static size_t scratch_limbs(const struct lb_rsa *key)
{
    size_t most = LIMBIC_SCRATCH_POW(key->n.n);

    if (key->paired)
        most = max_size(most, LIMBIC_SCRATCH_POW_PAIR(key->prime[0].m.n));
    for (unsigned i = 0; i < key->primes; i++)
        most = max_size(most, LIMBIC_SCRATCH_POW(key->prime[i].m.n));
    return most;
}

static void power_pair(struct lb_rsa_run *run, const struct limbic_ops *row)
{
    const struct lb_rsa_prime *prime = run->key->prime;
    const limb_t *const a[2] = {run->t.reduced[0], run->t.reduced[1]};
    const limb_t *const e[2] = {prime[0].exponent, prime[1].exponent};

    row->moduli.mont_pow_pair(row, &run->key->pair, run->t.power, a, e,
                              max_size(prime[0].m.bits, prime[1].m.bits), run->scratch);
}

static void power(struct lb_rsa_run *run, unsigned i, const struct limbic_ops *row)
{
    const struct lb_rsa_prime *prime = &run->key->prime[i];

    if (run->key->paired && i == 0)
        power_pair(run, row);
    else if (!run->key->paired || i > 1)
        row->moduli.mont_pow(row, &prime->m, run->t.power[i], run->t.reduced[i], prime->exponent,
                             prime->m.bits, run->scratch);
}

/* Garner's recombination: m modulo `below` and m_i modulo r give
   m + below ((m_i - m) / below mod r) < below + below (r - 1), the result modulo their product. */
static void join(struct lb_rsa_run *run, unsigned i, const struct limbic_ops *row)
{
    const struct lb_rsa_prime *prime = &run->key->prime[i];
    const struct lb_rsa_trace *t = &run->t;
    const limb_t *m = i == 0 ? t->power[1] : t->joined[i == 2 ? 0 : i - 1];
    limb_t *scratch = run->scratch;
    size_t nn = run->key->n.n, rn = prime->m.n, bn = prime->below.n;
    LB_STACK(h, rn);
    LB_STACK(product, rn + bn);
    limb_t carry;

    lb_mod_reduce(row, &prime->m, h, m, bn, scratch);
    lb_mod_sub(row, &prime->m, h, t->power[i], h);
    row->moduli.mont_mul(row, &prime->m, h, h, prime->t_mont, scratch);
    row->limbs.mul(product, h, rn, prime->below.limb, bn, scratch);
    carry = row->limbs.add(product, product, m, bn);
    (void)lb_nat_add_limb(product + bn, product + bn, rn, carry);
    /* What the product has more limbs than n are zero, as it is below n. */
    lb_nat_extend(t->joined[i], nn, product, rn + bn < nn ? rn + bn : nn);
    lb_wipe(h, sizeof h);
    lb_wipe(product, sizeof product);
}

const struct limbic_ops *lb_rsa_step_row(const struct lb_rsa *key, const struct lb_rsa_rows *rows,
                                         struct lb_rsa_step step, size_t *bits)
{
    switch (step.kind) {
    case LB_STEP_REDUCE:
    case LB_STEP_POWER:
    case LB_STEP_JOIN:
        *bits = key->prime[step.prime].m.bits;
        return rows->prime[step.prime];
    case LB_STEP_BLIND:
    case LB_STEP_UNBLIND:
    case LB_STEP_CHECK:
    case LB_STEP_KINDS:
        break;
    }
    *bits = key->bits;
    return rows->n;
}

void lb_rsa_run_step(struct lb_rsa_run *run, struct lb_rsa_step step, const struct limbic_ops *row)
{
    struct lb_rsa *key = run->key;
    const struct lb_rsa_trace *t = &run->t;
    limb_t *scratch = run->scratch;

    switch (step.kind) {
    case LB_STEP_BLIND:
        row->moduli.mont_mul(row, &key->n, t->blinded, run->x, run->pair.a, scratch);
        break;
    case LB_STEP_REDUCE:
        lb_mod_reduce(row, &key->prime[step.prime].m, t->reduced[step.prime], t->blinded, key->n.n,
                      scratch);
        break;
    case LB_STEP_POWER:
        power(run, step.prime, row);
        break;
    case LB_STEP_JOIN:
        join(run, step.prime, row);
        break;
    case LB_STEP_UNBLIND:
        row->moduli.mont_mul(row, &key->n, t->result,
                             t->joined[key->primes == 2 ? 0 : key->primes - 1], run->pair.b,
                             scratch);
        break;
    case LB_STEP_CHECK:
        /* A kernel that does nothing must not leave the check of an earlier run. */
        memset(t->check, 0xff, key->n.n * sizeof *t->check);
        row->moduli.mont_pow_public(row, &key->n, t->check, t->result, key->part[LB_RSA_E].limb,
                                    key->ebits, scratch);
        break;
    case LB_STEP_KINDS:
        break;
    }
}

limb_t lb_rsa_run_all(struct lb_rsa_run *run, const struct lb_rsa_rows *rows)
{
    struct lb_rsa_step step = LB_RSA_FIRST_STEP;
    size_t bits;

    for (; step.kind != LB_STEP_KINDS; step = lb_rsa_next_step(run->key, step))
        lb_rsa_run_step(run, step, lb_rsa_step_row(run->key, rows, step, &bits));
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

    size_t nn = key->n.n, trace = lb_rsa_trace_limbs(key);
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

/* What a kernel leaves that does nothing or copies: no result at all, or the base. The base is its
   own power only where it is 0, 1, -1 or something as rare. */
static bool is_plausible(const struct lb_rsa *key, const limb_t *power, const limb_t *x)
{
    size_t nn = key->n.n;

    return lb_ct_declassify(lb_nat_lt(power, key->n.m, nn) & ~lb_nat_eq(power, x, nn));
}

/* The power once more by portable, whose word counts; who said something else is blamed. */
static void power_again(struct lb_rsa *key, const struct lb_rsa_rows *rows, limb_t *power,
                        const limb_t *x, limb_t *scratch)
{
    size_t nn = key->n.n;
    struct lb_rsa_rows portable;
    LB_STACK(right, nn);

    lb_rsa_rows_portable(key, &portable);
    portable.n->moduli.mont_pow_public(portable.n, &key->n, right, x, key->part[LB_RSA_E].limb,
                                       key->ebits, scratch);
    if (!lb_ct_declassify(lb_nat_eq(right, power, nn)))
        lb_dispatch_blame(LIMBIC_SLOT_MONT_POW_PUBLIC, rows->n, key->bits,
                          "a public power was its own base, or none at all; portable passed");
    lb_nat_copy(power, right, nn);
    lb_wipe(right, sizeof right);
}

/* The result has no certificate beyond being plausible. Where it goes to a verification, it is
   compared with the encoding of a digest: a kernel that errs may so have a right signature refused;
   for a wrong one to be accepted the error would have to make that encoding, of a base that somebody
   chooses who knows the error. Of errors that one need not know the kernel for, to do nothing and to
   copy are caught. Where it is a ciphertext, a wrong one does not decrypt. */
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
    LB_STACK(power, nn);
    LB_STACK(scratch, LIMBIC_SCRATCH_POW(nn));

    lb_nat_from_bytes(x, nn, in, key->bytes);
    err = below_modulus(key, x);
    if (!err) {
        memset(power, 0xff, sizeof power);
        rows.n->moduli.mont_pow_public(rows.n, &key->n, power, x, key->part[LB_RSA_E].limb,
                                       key->ebits, scratch);
        if (!is_plausible(key, power, x))
            power_again(key, &rows, power, x, scratch);
        lb_nat_to_bytes(out, key->bytes, power, nn);
    }
    /* A message that is encrypted is secret. */
    lb_wipe(scratch, sizeof scratch);
    lb_wipe(power, sizeof power);
    lb_wipe(x, sizeof x);
    return err;
}

/* One after another: a slot that takes eight of one size has its place here. */
void lb_rsa_private_batch(struct lb_rsa_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!jobs[i].err)
            jobs[i].err = lb_rsa_private(jobs[i].key, jobs[i].block, jobs[i].block);
}

void lb_rsa_public_batch(struct lb_rsa_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!jobs[i].err)
            jobs[i].err = lb_rsa_public(jobs[i].key, jobs[i].block, jobs[i].block);
}
