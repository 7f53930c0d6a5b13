/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blinding of the private operation (P. Kocher, "Timing attacks on implementations of
 * Diffie-Hellman, RSA, DSS, and other systems", 1996, section 10): x is replaced by x r^e, so that
 * the exponentiation sees a random value, and the result is multiplied by 1/r.
 *
 * A pair costs an inversion. So a key keeps some, each in cache lines of its own, claimed by an
 * atomic exchange: whoever claims one copies it, replaces it by its squares (r -> r^2, which nobody
 * has seen) and gives it back. A pair is made anew after LB_PAIR_USES squarings. When all are
 * taken, the operation computes a pair for itself. The slots lie in memory that a child finds
 * zeroed, that is, empty, after a fork.
 */
#include "core/scheme/rsa-key.h"

#include <string.h>

#include "base/error.h"
#include "base/wipe.h"
#include "core/arena.h"
#include "core/number/random.h"

#define SLOTS 8
#define LB_PAIR_USES 64
#define TRIES 3

enum { EMPTY = 0, FREE = 1, CLAIMED = 2 };

struct slot {
    int state;
    unsigned uses;
    limb_t pair[]; /* a[n], b[n] */
};

/* Nothing but slots may stand here: a child finds zeros. Sizes follow from the key. */
struct lb_blinding {
    _Alignas(64) unsigned char slots[64];
};

static size_t slot_size(size_t n)
{
    return (sizeof(struct slot) + 2 * n * sizeof(limb_t) + 63) / 64 * 64;
}

struct lb_blinding *lb_blinding_new(size_t n)
{
    return lb_arena_alloc(LB_ARENA_BLINDING, SLOTS * slot_size(n));
}

void lb_blinding_free(struct lb_blinding *blinding)
{
    lb_arena_free(blinding);
}

/* r is invertible except with probability (p + q) / n; then, in truth never, a new r is drawn. A
   kernel that finds none invertible is wrong, and is left. */
gpg_error_t lb_blinding_make(struct lb_rsa *key, const struct limbic_ops *row,
                             const struct lb_blinding_pair *pair, limb_t *scratch)
{
    size_t n = key->n.n;
    gpg_error_t err;
    limb_t invertible = 0;

    for (int tries = 0; !lb_ct_declassify(invertible); tries++) {
        if (tries == TRIES)
            row = lb_row_portable(key->bits);
        err = lb_random_below(pair->a, key->n.m, n, key->bits);
        if (err)
            return err;
        invertible = row->moduli.mont_inv(row, &key->n, pair->b, pair->a, scratch);
    }
    lb_mont_in(row, &key->n, pair->b, pair->b, scratch);
    row->moduli.mont_pow_public(row, &key->n, pair->a, pair->a, key->part[LB_RSA_E].limb,
                                key->ebits, scratch);
    lb_mont_in(row, &key->n, pair->a, pair->a, scratch);
    return 0;
}

static struct slot *slot_at(struct lb_blinding *blinding, size_t n, size_t i)
{
    return (struct slot *)(void *)((unsigned char *)blinding + i * slot_size(n));
}

/* A slot for the caller alone, and whether it holds a pair; NULL if all are taken. */
static struct slot *claim(struct lb_blinding *blinding, size_t n, int *filled)
{
    for (size_t i = 0; i < SLOTS; i++) {
        struct slot *slot = slot_at(blinding, n, i);
        int state = __atomic_exchange_n(&slot->state, CLAIMED, __ATOMIC_ACQUIRE);
        if (state != CLAIMED) {
            *filled = state == FREE;
            return slot;
        }
    }
    return NULL;
}

static void release(struct slot *slot, int state)
{
    __atomic_store_n(&slot->state, state, __ATOMIC_RELEASE);
}

/* r -> r^2: the pair that the next operation finds. */
static void square_pair(struct lb_rsa *key, const struct limbic_ops *row,
                        const struct lb_blinding_pair *pair, limb_t *scratch)
{
    row->moduli.mont_sqr(row, &key->n, pair->a, pair->a, scratch);
    row->moduli.mont_sqr(row, &key->n, pair->b, pair->b, scratch);
}

gpg_error_t lb_blinding_take(struct lb_rsa *key, const struct limbic_ops *row,
                             const struct lb_blinding_pair *pair, limb_t *scratch)
{
    size_t n = key->n.n;
    int filled = 0;
    struct slot *slot = key->blinding ? claim(key->blinding, n, &filled) : NULL;
    struct lb_blinding_pair kept;
    gpg_error_t err;

    if (!slot)
        return lb_blinding_make(key, row, pair, scratch);
    kept = (struct lb_blinding_pair){slot->pair, slot->pair + n};
    if (!filled || slot->uses >= LB_PAIR_USES) {
        err = lb_blinding_make(key, row, &kept, scratch);
        if (err) {
            release(slot, EMPTY);
            return err;
        }
        slot->uses = 0;
    }
    lb_nat_copy(pair->a, kept.a, n);
    lb_nat_copy(pair->b, kept.b, n);
    square_pair(key, row, &kept, scratch);
    slot->uses++;
    release(slot, FREE);
    return 0;
}

void lb_blinding_forget(struct lb_rsa *key)
{
    for (size_t i = 0; key->blinding && i < SLOTS; i++) {
        int state = FREE;
        (void)__atomic_compare_exchange_n(&slot_at(key->blinding, key->n.n, i)->state, &state,
                                          EMPTY, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    }
}

/* b^e a = 1 for a = r^e, b = 1/r, by the row's kernels. u[n] is room. */
static limb_t consistent(struct lb_rsa *key, const struct limbic_ops *row,
                         const struct lb_blinding_pair *pair, limb_t *u, limb_t *scratch)
{
    lb_mont_out(row, &key->n, u, pair->b, scratch);
    row->moduli.mont_pow_public(row, &key->n, u, u, key->part[LB_RSA_E].limb, key->ebits, scratch);
    row->moduli.mont_mul(row, &key->n, u, u, pair->a, scratch);
    return lb_nat_is_one(u, key->n.n);
}

gpg_error_t lb_blinding_try(struct lb_rsa *key, const struct limbic_ops *row,
                            const struct limbic_ops *judge, limb_t *room, limb_t *scratch,
                            bool *right)
{
    size_t n = key->n.n;
    struct lb_blinding_pair pair = {room, room + n};
    gpg_error_t err = lb_blinding_make(key, row, &pair, scratch);

    if (err)
        return err;
    square_pair(key, row, &pair, scratch);
    *right = lb_ct_declassify(consistent(key, judge, &pair, room + 2 * n, scratch));
    return 0;
}
