/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel harness: puts the kernels of a tier, of levels 1 and 2, through everything that a
 * comparison of results does not show. Knows the slots' signatures and the registry; knows no
 * kernel. The differential tester (tests/slots.h) does the comparison itself.
 *
 * A subject is a tier, built in or of a module. Each check returns NULL, or a static text that names
 * slot, size and fault.
 */
#ifndef LIMBIC_TESTS_KERNELS_H
#define LIMBIC_TESTS_KERNELS_H

#include "dispatch/registry.h"

struct kernels_subject {
    const char *label; /* PROVIDER[/TIER] */
    const struct limbic_tier *tier;
    const struct limbic_limb_slots *limbs; /* whole, or NULL */
    const struct limbic_mod_slots *moduli; /* NULL where it has none; or NULL */
    unsigned family;                       /* its number, of level 2 */
    bool is_module;
    const unsigned char *hits; /* one flag for each slot, or NULL */
    const char *glob;          /* the slots wanted, or NULL for all */
};

/* The subjects of this process: every usable tier of the registry as it is now that has level 1 or
   2. Returns how many. */
#define KERNELS_SUBJECTS LB_TIER_MAX
unsigned kernels_subjects(struct kernels_subject subjects[KERNELS_SUBJECTS]);

/* Opens the module of a provider by its name, or by the path of its file, and writes the name.
   Providers that are built in are open. 0, or -1 with a line in `why`. */
int kernels_open(const char *name_or_path, char name[LB_NAME_MAX + 1], char *why, size_t size);

/* Portable's level 1, and what stands on it at level 2. */
const struct kernels_subject *kernels_reference(void);

/* Whether the subject has a kernel for the slot at n limbs that its glob names. */
int kernels_has(const struct kernels_subject *s, const struct lb_slot *slot, size_t n);

/* The row of last resort for moduli of n limbs, with the subject's kernels in it. */
void kernels_row(const struct kernels_subject *s, size_t n, struct limbic_ops *row);

/* One prepared call: up to seven words of arguments, and what must come of it. The operands lie in
   memory that the call owns; there is one at a time. */
#define KERNELS_ARGUMENTS 7
struct kernels_call {
    void (*function)(void);
    uint64_t argument[KERNELS_ARGUMENTS];
    int arguments;          /* how many; the seventh goes on the stack */
    limbic_limb_t returned; /* to be filled in by who makes the call */
    int returns;            /* whether the slot returns a limb */
    limbic_limb_t wanted_returned;
    void *memory; /* all that the call can reach, and how it must be afterwards */
    void *wanted;
    size_t size;
    size_t spoilt_at, spoilt; /* octets of it that may be anything */
    enum limbic_slot id;
    const char *slot; /* its name */
    size_t n;
};

/* Prepares a call of the slot at n limbs, n <= KERNELS_MAX_LIMBS, with operands that depend on n and
   `turn`, and computes by the reference what is to come of it. Exponents have few bits. */
#define KERNELS_MAX_LIMBS 130
void kernels_prepare(struct kernels_call *call, const struct kernels_subject *s,
                     const struct lb_slot *slot, size_t n, unsigned turn);

/* The same for measuring: exponents as long as the modulus, or 2^16 + 1 where they are public. */
void kernels_prepare_whole(struct kernels_call *call, const struct kernels_subject *s,
                           const struct lb_slot *slot, size_t n);

/* If not NULL, called by kernels_prepare for everything of a call that a kernel of class secret-ok
   must treat as secret, after the reference has been computed and before the subject's own prepared
   state is made. */
extern void (*kernels_secret)(void *p, size_t size);

/* Makes the call in the plain way. */
void kernels_make(struct kernels_call *call);

/* NULL if memory and the limb returned are as they must be. */
const char *kernels_verdict(const struct kernels_call *call);

/* The text that a check returns: "LABEL: SLOT at N limbs: WHAT". */
const char *kernels_fault(const struct kernels_subject *s, const struct kernels_call *call,
                          const char *what);

/* The parts of these that are level 2's; bits 0: few. */
void kernels_prepare_moduli(struct kernels_call *call, const struct kernels_subject *s,
                            const struct lb_slot *slot, size_t n, unsigned turn, size_t bits);
void kernels_make_moduli(struct kernels_call *call);

/* Whether this build of the harness can watch the calling convention here. */
int kernels_convention_watched(void);

/* The calling convention at 1 .. max_limbs limbs: saved registers, stack pointer, the stack above
   the return address and the arguments, direction flag, control words of SSE and x87, no MMX state,
   vector registers left clean. */
const char *kernels_check_convention(const struct kernels_subject *s, size_t max_limbs);

/* Stops after every single instruction of every kernel at n limbs, with a signal on the same stack,
   which overwrites what lies below the red zone, and unwinds from there to the caller. From code in
   other libraries that the kernel calls it does not unwind: their frames are described by others, or
   not at all. */
struct kernels_steps {
    unsigned long own;     /* instructions of the provider, all unwound from */
    unsigned long foreign; /* and of others */
    char others[120];      /* their files' names */
};
const char *kernels_check_steps(const struct kernels_subject *s, size_t n,
                                struct kernels_steps *steps);

/* Kernels at many sizes under signals every 100 us, half of the time on a small stack of their own
   and half of it on the kernel's. */
const char *kernels_check_storm(const struct kernels_subject *s, double seconds,
                                unsigned long *signals);

/* What a call leaves in the hit flags. At level 1: the flag of that slot and no other. At level 2:
   that of the slot, and besides it none but the subject's own and those of the limb functions in the
   row. A subject without flags sets none of another tier's. */
const char *kernels_check_hits(const struct kernels_subject *s);

/* The file that the subject's kernels are in, without its directory. */
const char *kernels_object(const struct kernels_subject *s);

/* Nanoseconds of one call, at best of a few. */
double kernels_time(struct kernels_call *call);

/* Kernels that break the convention, one way each, for n = 1; the last name is NULL. */
struct kernels_bad {
    const char *name;
    enum limbic_slot slot; /* add, or one of level 2 that goes on to lb_bad_next */
    void (*kernel)(void);
    int only_in_steps;   /* seen by kernels_check_steps alone */
    int only_with_state; /* seen only where the CPU tells which vector state is in use */
};
extern const struct kernels_bad kernels_bad[];
extern void (*lb_bad_next)(void);
int kernels_state_watched(void);

#endif
