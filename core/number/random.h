/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Randomness: getrandom(2), nothing of our own. The test build can replace it.
 */
#ifndef LB_NUMBER_RANDOM_H
#define LB_NUMBER_RANDOM_H

#include <gpg-error.h>
#include <stddef.h>

#include "core/number/limb.h"

/* Fills buf with len random octets, or returns an error and leaves zeros. */
gpg_error_t lb_random(void *buf, size_t len);

/* r[n] uniform in [1, m) for m[n] >= 2 of at most `bits` bits, bits <= n * LIMB_BITS public: draws
   `bits` random bits until they are in range. When `bits` is m's exact length a draw succeeds with
   probability near 1/2 or above, and 1/4 or above always; after 128 failures the source is taken to
   be broken: GPG_ERR_NOT_OPERATIONAL, and r = 0. m and r may be secret: the running time depends
   only on values that were thrown away. */
gpg_error_t lb_random_below(limb_t *r, const limb_t *m, size_t n, size_t bits);

/* r[n] = `bits` random bits, bits <= n * LIMB_BITS. */
gpg_error_t lb_random_bits(limb_t *r, size_t n, size_t bits);

#ifdef LIMBIC_TESTING
/* Replaces the source (NULL restores it) for the whole process: a test hook. Set it while no other
   thread draws. */
typedef gpg_error_t (*lb_random_fn)(void *opaque, void *buf, size_t len);
void lb_random_hook(lb_random_fn fn, void *opaque);
#endif

#endif
