/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The private operation of RSA taken apart: steps that each compute one value of a trace from
 * earlier ones under one row, so that a step can be run again alone. For rsa-compute.c and
 * rsa-fault.c.
 */
#ifndef LB_SCHEME_RSA_STEPS_H
#define LB_SCHEME_RSA_STEPS_H

#include "core/scheme/rsa-key.h"

/* Kinds of steps, in order; those between LB_STEP_BLIND and LB_STEP_UNBLIND are done for each
   prime. */
enum lb_rsa_step_kind {
    LB_STEP_BLIND,
    LB_STEP_REDUCE,
    LB_STEP_POWER, /* with a pair of primes the first makes both powers, and the second none */
    LB_STEP_JOIN,  /* the result modulo one prime with that of those before it */
    LB_STEP_UNBLIND,
    LB_STEP_CHECK,
    LB_STEP_KINDS
};

struct lb_rsa_step {
    enum lb_rsa_step_kind kind; /* LB_STEP_KINDS: none, behind the last */
    unsigned prime;
};
#define LB_RSA_FIRST_STEP ((struct lb_rsa_step){LB_STEP_BLIND, 0})
struct lb_rsa_step lb_rsa_next_step(const struct lb_rsa *key, struct lb_rsa_step step);

/* All values of one private operation, kept apart so that two runs can be compared: limbs of n, or
   of the prime that they belong to. */
struct lb_rsa_trace {
    limb_t *blinded;                    /* x r^e mod n */
    limb_t *reduced[LB_RSA_MAX_PRIMES]; /* that modulo each prime */
    limb_t *power[LB_RSA_MAX_PRIMES];   /* its power */
    limb_t *joined[LB_RSA_MAX_PRIMES];  /* n: the power modulo all primes so far; none for q */
    limb_t *result;                     /* n: unblinded */
    limb_t *check;                      /* n: result^e */
};

size_t lb_rsa_trace_limbs(const struct lb_rsa *key);
void lb_rsa_trace_place(struct lb_rsa_trace *t, limb_t *memory, const struct lb_rsa *key);

/* What a run starts from, and the room for it. */
struct lb_rsa_run {
    struct lb_rsa *key;
    const limb_t *x; /* n: the input */
    struct lb_blinding_pair pair;
    struct lb_rsa_trace t;
    limb_t *scratch;
};

/* The row that serves a step, and the size that it was chosen for. */
const struct limbic_ops *lb_rsa_step_row(const struct lb_rsa *key, const struct lb_rsa_rows *rows,
                                         struct lb_rsa_step step, size_t *bits);

void lb_rsa_run_step(struct lb_rsa_run *run, struct lb_rsa_step step, const struct limbic_ops *row);

/* All steps; ~0 if result^e = x. */
limb_t lb_rsa_run_all(struct lb_rsa_run *run, const struct lb_rsa_rows *rows);

/* The run's result failed its check. Computes it by the portable rows, replaces the result and
   blames whom there is to blame, or says that the key is bad. */
gpg_error_t lb_rsa_run_again(struct lb_rsa_run *run, const struct lb_rsa_rows *rows);

#endif
