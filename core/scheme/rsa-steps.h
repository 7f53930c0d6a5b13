/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The private operation of RSA taken apart: steps that each compute one value of a trace from
 * earlier ones under one row, so that a step can be run again alone. For rsa-compute.c and
 * rsa-fault.c.
 */
#ifndef LB_SCHEME_RSA_STEPS_H
#define LB_SCHEME_RSA_STEPS_H

#include "core/scheme/rsa-key.h"

/* In order. With primes of one length LB_STEP_POWER_P makes both powers, and
   LB_STEP_POWER_Q none. */
enum lb_rsa_step {
    LB_STEP_BLIND,
    LB_STEP_REDUCE_P,
    LB_STEP_REDUCE_Q,
    LB_STEP_POWER_P,
    LB_STEP_POWER_Q,
    LB_STEP_JOIN,
    LB_STEP_UNBLIND,
    LB_STEP_CHECK,
    LB_STEPS
};

/* All values of one private operation, kept apart so that two runs can be compared. Arrays of the
   lengths of n, p, q as named. */
struct lb_rsa_trace {
    limb_t *blinded;               /* n: x r^e mod n */
    limb_t *reduced_p, *reduced_q; /* p, q */
    limb_t *power_p, *power_q;     /* p, q */
    limb_t *joined;                /* n: the power mod n */
    limb_t *result;                /* n: unblinded */
    limb_t *check;                 /* n: result^e */
};

#define LB_TRACE_LIMBS(nn, pn, qn) (4 * (nn) + 2 * (pn) + 2 * (qn))
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
                                         enum lb_rsa_step step, size_t *bits);

void lb_rsa_run_step(struct lb_rsa_run *run, enum lb_rsa_step step, const struct limbic_ops *row);

/* All steps; ~0 if result^e = x. */
limb_t lb_rsa_run_all(struct lb_rsa_run *run, const struct lb_rsa_rows *rows);

/* The run's result failed its check. Computes it by the portable rows, replaces the result and
   blames whom there is to blame, or says that the key is bad. */
gpg_error_t lb_rsa_run_again(struct lb_rsa_run *run, const struct lb_rsa_rows *rows);

#endif
