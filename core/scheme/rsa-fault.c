/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What happens when the result of a private operation fails its check with e. The portable rows
 * compute it once more, from the same input and blinding pair, then with a pair of their own. If
 * they are wrong too, the key is bad and nobody is blamed. If they are right, their result is
 * released, and the step whose value differed is run again under the row that failed:
 *
 *   right this time: a fault that came once, which no kernel is blamed for, until it comes again;
 *   wrong again:     the kernels of that row are put one by one into the portable row, from the
 *                    highest level down. The one that spoils the step there is to blame.
 *
 * Rare, and of no concern to speed. Knows kernels by their slots; never a provider.
 */
#include "core/scheme/rsa-steps.h"

#include "base/error.h"
#include "base/wipe.h"
#include "dispatch/slots.h"

static const char why[] = "a result failed its check with the public key; portable passed";

/* The slots of level 2 that a step can reach, itself or through `derived`, ended by
   LIMBIC_SLOT_COUNT. It can reach all secret-ok slots of level 1. */
static const enum limbic_slot step_slots[LB_STEP_KINDS][6] = {
    [LB_STEP_BLIND] = {LIMBIC_SLOT_MONT_MUL, LIMBIC_SLOT_COUNT},
    [LB_STEP_REDUCE] = {LIMBIC_SLOT_MONT_REDUCE, LIMBIC_SLOT_MONT_MUL, LIMBIC_SLOT_COUNT},
    [LB_STEP_POWER] = {LIMBIC_SLOT_MONT_POW_PAIR, LIMBIC_SLOT_MONT_POW, LIMBIC_SLOT_MONT_SQR,
                       LIMBIC_SLOT_MONT_MUL, LIMBIC_SLOT_MONT_REDUCE, LIMBIC_SLOT_COUNT},
    [LB_STEP_JOIN] = {LIMBIC_SLOT_MONT_REDUCE, LIMBIC_SLOT_MONT_MUL, LIMBIC_SLOT_COUNT},
    [LB_STEP_UNBLIND] = {LIMBIC_SLOT_MONT_MUL, LIMBIC_SLOT_COUNT},
    [LB_STEP_CHECK] = {LIMBIC_SLOT_MONT_POW_PUBLIC, LIMBIC_SLOT_MONT_SQR, LIMBIC_SLOT_MONT_MUL,
                       LIMBIC_SLOT_MONT_REDUCE, LIMBIC_SLOT_COUNT},
};

static const enum limbic_slot *slots_of(const struct lb_rsa *key, struct lb_rsa_step step)
{
    bool single = step.kind == LB_STEP_POWER && !(key->paired && step.prime == 0);

    return step_slots[step.kind] + single; /* the pair slot stands first */
}

/* The same for making a blinding pair and squaring it. */
static const enum limbic_slot pair_slots[6] = {LIMBIC_SLOT_MONT_INV,    LIMBIC_SLOT_MONT_POW_PUBLIC,
                                               LIMBIC_SLOT_MONT_SQR,    LIMBIC_SLOT_MONT_MUL,
                                               LIMBIC_SLOT_MONT_REDUCE, LIMBIC_SLOT_COUNT};

static limb_t same_value(const struct lb_rsa *key, struct lb_rsa_step step,
                         const struct lb_rsa_trace *a, const struct lb_rsa_trace *b)
{
    size_t nn = key->n.n, rn = key->prime[step.prime].m.n;
    unsigned i = step.prime;
    limb_t same;

    switch (step.kind) {
    case LB_STEP_BLIND:
        return lb_nat_eq(a->blinded, b->blinded, nn);
    case LB_STEP_REDUCE:
        return lb_nat_eq(a->reduced[i], b->reduced[i], rn);
    case LB_STEP_POWER:
        same = lb_nat_eq(a->power[i], b->power[i], rn);
        if (key->paired && i == 0)
            same &= lb_nat_eq(a->power[1], b->power[1], rn);
        return same;
    case LB_STEP_JOIN:
        return lb_nat_eq(a->joined[i], b->joined[i], nn);
    case LB_STEP_UNBLIND:
        return lb_nat_eq(a->result, b->result, nn);
    case LB_STEP_CHECK:
    case LB_STEP_KINDS:
        break;
    }
    return lb_nat_eq(a->check, b->check, nn);
}

/* The first step whose value differs: all its inputs are those of the right run. None: so that only
   the comparison of the result can have gone wrong. */
static struct lb_rsa_step first_difference(const struct lb_rsa_run *bad,
                                           const struct lb_rsa_run *good)
{
    struct lb_rsa_step step = LB_RSA_FIRST_STEP;

    while (step.kind != LB_STEP_KINDS &&
           lb_ct_declassify(same_value(bad->key, step, &bad->t, &good->t)))
        step = lb_rsa_next_step(bad->key, step);
    return step;
}

/* A trial: whether something comes out right under this row. */
struct trial {
    bool (*right)(const struct trial *trial, const struct limbic_ops *row);
    struct lb_rsa_run *bad;
    const struct lb_rsa_run *good;
    struct lb_rsa_step step; /* none: of making a pair */
    const struct limbic_ops *portable;
    limb_t *room; /* 3n */
};

static bool step_is_right(const struct trial *trial, const struct limbic_ops *row)
{
    lb_rsa_run_step(trial->bad, trial->step, row);
    return lb_ct_declassify(
        same_value(trial->bad->key, trial->step, &trial->bad->t, &trial->good->t));
}

static bool pair_is_right(const struct trial *trial, const struct limbic_ops *row)
{
    bool right = true;

    /* Without randomness there is no verdict. */
    (void)lb_blinding_try(trial->bad->key, row, trial->portable, trial->room, trial->bad->scratch,
                          &right);
    return right;
}

/* Whether this kernel alone, in the portable row, spoils the trial. */
static bool guilty(const struct trial *trial, const struct limbic_ops *row,
                   const struct lb_slot *slot)
{
    struct limbic_ops one = *trial->portable;

    if (row->family[slot->id] == one.family[slot->id])
        return false;
    lb_slot_put(&one, row, slot);
    return !trial->right(trial, &one);
}

/* The one kernel of the row that spoils the trial, or NULL: it takes several of them together. */
static const struct lb_slot *find_guilty(const struct trial *trial, const struct limbic_ops *row,
                                         const enum limbic_slot *upper)
{
    for (; *upper != LIMBIC_SLOT_COUNT; upper++)
        if (guilty(trial, row, lb_slot_by_id(*upper)))
            return lb_slot_by_id(*upper);
    for (size_t i = lb_slot_count; i-- > 0;)
        if (lb_slots[i].level == 1 && lb_slots[i].ct == LIMBIC_CT_SECRET_OK &&
            guilty(trial, row, &lb_slots[i]))
            return &lb_slots[i];
    return NULL;
}

/* Where no kernel is guilty alone, or none can be caught at it, the outermost that is not
   portable's own is left out; should that not help, it is the next one's turn. If all are
   portable's own, something below them is wrong, which dispatch finds in the row. */
static enum limbic_slot outermost(const struct trial *trial, const struct limbic_ops *row,
                                  const enum limbic_slot *upper)
{
    for (size_t i = 0; upper[i] != LIMBIC_SLOT_COUNT; i++)
        if (row->family[upper[i]] != trial->portable->family[upper[i]])
            return upper[i];
    return *upper;
}

static void blame_outermost(const struct trial *trial, const struct limbic_ops *row,
                            const enum limbic_slot *upper, size_t bits)
{
    lb_dispatch_blame(outermost(trial, row, upper), row, bits, why);
}

/* Steps that came out wrong once and right the next time. */
static bool seen_once[LB_STEP_KINDS][LB_RSA_MAX_PRIMES];

static void judge(const struct trial *trial, const struct limbic_ops *row,
                  const enum limbic_slot *upper, size_t bits)
{
    const struct lb_slot *slot;

    if (trial->right(trial, row)) {
        /* Who made a pair, and when, is not known: nobody is blamed for one that was wrong. */
        if (trial->step.kind != LB_STEP_KINDS &&
            __atomic_exchange_n(&seen_once[trial->step.kind][trial->step.prime], true,
                                __ATOMIC_RELAXED))
            blame_outermost(trial, row, upper, bits);
        else
            lb_dispatch_note(outermost(trial, row, upper), row, bits, why);
        return;
    }
    slot = find_guilty(trial, row, upper);
    if (slot)
        lb_dispatch_blame(slot->id, row, bits, why);
    else
        blame_outermost(trial, row, upper, bits);
}

static void blame_step(struct lb_rsa_run *bad, const struct lb_rsa_run *good,
                       const struct lb_rsa_rows *rows, const struct lb_rsa_rows *portable)
{
    struct lb_rsa_step step = first_difference(bad, good);
    size_t bits;
    struct trial trial = {.right = step_is_right,
                          .bad = bad,
                          .good = good,
                          .step = step,
                          .portable = lb_rsa_step_row(bad->key, portable, step, &bits)};

    if (step.kind != LB_STEP_KINDS)
        judge(&trial, lb_rsa_step_row(bad->key, rows, step, &bits), slots_of(bad->key, step), bits);
    else /* all values are right: so the comparison was not */
        lb_dispatch_note(LIMBIC_SLOT_MONT_POW_PUBLIC, rows->n, bad->key->bits, why);
}

/* The operation came out right with another pair: the one it had was wrong, and so may be those
   that descend from it. */
static void blame_pair(struct lb_rsa_run *bad, const struct lb_rsa_rows *rows,
                       const struct lb_rsa_rows *portable, limb_t *room)
{
    struct trial trial = {.right = pair_is_right,
                          .bad = bad,
                          .step = {LB_STEP_KINDS, 0},
                          .portable = portable->n,
                          .room = room};

    lb_blinding_forget(bad->key);
    judge(&trial, rows->n, pair_slots, bad->key->bits);
}

gpg_error_t lb_rsa_run_again(struct lb_rsa_run *run, const struct lb_rsa_rows *rows)
{
    struct lb_rsa *key = run->key;
    size_t nn = key->n.n;
    LB_STACK(memory, lb_rsa_trace_limbs(key));
    struct lb_rsa_run again = *run;
    struct lb_rsa_rows portable;
    gpg_error_t err = 0;

    lb_rsa_trace_place(&again.t, memory, key);
    lb_rsa_rows_portable(key, &portable);
    if (lb_ct_declassify(lb_rsa_run_all(&again, &portable))) {
        blame_step(run, &again, rows, &portable);
        lb_nat_copy(run->t.result, again.t.result, nn);
    } else {
        err = lb_blinding_make(key, portable.n, &again.pair, run->scratch);
        if (!err && !lb_ct_declassify(lb_rsa_run_all(&again, &portable)))
            err = lb_error(GPG_ERR_BAD_SECKEY, "RSA: the private key gives a wrong result");
        if (!err) {
            lb_nat_copy(run->t.result, again.t.result, nn);
            blame_pair(run, rows, &portable, memory);
        }
    }
    lb_wipe(memory, sizeof memory);
    return err;
}
