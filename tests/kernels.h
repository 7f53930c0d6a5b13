/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel harness: puts the level 1 kernels of a tier through everything that a comparison of
 * results does not show. Knows the slots' signatures and the registry; knows no kernel. The
 * differential tester (tests/slots.h) does the comparison itself.
 *
 * A subject is a tier. Each check returns NULL, or a static text that names slot, size and fault.
 */
#ifndef LIMBIC_TESTS_KERNELS_H
#define LIMBIC_TESTS_KERNELS_H

#include "limbic-provider.h"

struct kernels_subject {
    const char *label;                     /* PROVIDER[/TIER] */
    const struct limbic_limb_slots *limbs; /* whole */
    const unsigned char *hits;             /* one flag for each slot, or NULL */
    const char *glob;                      /* the slots wanted, or NULL for all */
};

/* The subjects of this process: every usable tier that has level 1. Returns how many. */
#define KERNELS_SUBJECTS 16
unsigned kernels_subjects(struct kernels_subject subjects[KERNELS_SUBJECTS]);

/* One prepared call: six words of arguments, and what must come of it. The operands lie in memory
   that the call owns; there is one at a time. */
struct kernels_call {
    void (*function)(void);
    uint64_t argument[6];
    limbic_limb_t returned; /* to be filled in by who makes the call */
    int returns;            /* whether the slot returns a limb */
    enum limbic_slot id;
    const char *slot; /* its name */
    size_t n;
};

/* Prepares a call of the slot at n limbs, n <= KERNELS_MAX_LIMBS, with operands that depend on n and
   `turn`, and computes by portable what is to come of it. */
#define KERNELS_MAX_LIMBS 130
void kernels_prepare(struct kernels_call *call, const struct limbic_limb_slots *limbs,
                     enum limbic_slot slot, size_t n, unsigned turn);

/* Makes the call in the plain way. */
void kernels_make(struct kernels_call *call);

/* NULL if memory and the limb returned are as they must be. */
const char *kernels_verdict(const struct kernels_call *call);

/* The text that a check returns: "LABEL: SLOT at N limbs: WHAT". */
const char *kernels_fault(const struct kernels_subject *s, const struct kernels_call *call,
                          const char *what);

/* Whether this build of the harness can watch the calling convention here. */
int kernels_convention_watched(void);

/* The calling convention at 1 .. max_limbs limbs: saved registers, stack pointer, the stack above
   the return address, direction flag, control words of SSE and x87, no MMX state, vector registers
   left clean. */
const char *kernels_check_convention(const struct kernels_subject *s, size_t max_limbs);

/* Stops after every single instruction of every kernel at n limbs, with a signal on the same stack,
   which overwrites what lies below the red zone, and unwinds from there to the caller. */
const char *kernels_check_steps(const struct kernels_subject *s, size_t n, unsigned long *steps);

/* Kernels at many sizes under signals every 100 us, half of the time on a small stack of their own
   and half of it on the kernel's. */
const char *kernels_check_storm(const struct kernels_subject *s, double seconds,
                                unsigned long *signals);

/* A call of a slot's kernel sets the flag of that slot and no other. */
const char *kernels_check_hits(const struct kernels_subject *s);

/* Nanoseconds of one call, at best of a few. */
double kernels_time(struct kernels_call *call);

/* The slots of level 1 that the subject's glob names: 1 if this one is. */
int kernels_wanted(const struct kernels_subject *s, const char *slot);

/* Kernels that break the convention, one way each, for n = 1; the last name is NULL. */
struct kernels_bad {
    const char *name;
    limbic_limb_t (*add)(limbic_limb_t *, const limbic_limb_t *, const limbic_limb_t *, size_t);
    int only_in_steps;   /* seen by kernels_check_steps alone */
    int only_with_state; /* seen only where the CPU tells which vector state is in use */
};
extern const struct kernels_bad kernels_bad[];
int kernels_state_watched(void);

#endif
