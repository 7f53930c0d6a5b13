/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * RSA keys as objects: memory, numbers, moduli, prepared states. Knows no provider.
 */
#include "core/scheme/rsa-key.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/locks.h"
#include "base/wipe.h"
#include "core/arena.h"
#include "core/number/state.h"

const char *const lb_rsa_part_names[LB_RSA_PARTS_MAX] = {"n",  "e",  "d",  "p",  "q",  "dp",
                                                         "dq", "qi", "r3", "d3", "t3", "r4",
                                                         "d4", "t4", "r5", "d5", "t5"};

/* Allocations are rounded to 64 octets, so that a limb array after another stays aligned. */
static size_t aligned_size(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static void *memory_new(bool secret, size_t size)
{
    void *p;

    if (secret)
        return lb_arena_alloc(LB_ARENA_KEYS, size);
    p = aligned_alloc(64, aligned_size(size));
    if (p)
        memset(p, 0, size);
    return p;
}

static void memory_free(bool secret, void *p)
{
    if (secret)
        lb_arena_free(p);
    else
        free(p);
}

/*
 * Making a key
 */

/* Without leading zero octets, but not below `least` octets: where those end is public. */
static struct lb_octets strip(struct lb_octets x, size_t least)
{
    while (x.len > least && lb_ct_public(x.data[0] == 0)) {
        x.data++;
        x.len--;
    }
    return x;
}

/* The part whose size a part has by its role; n, e and the primes have their own. */
static unsigned role(unsigned part)
{
    static const unsigned char first[LB_RSA_PARTS] = {LB_RSA_N, LB_RSA_E, LB_RSA_N, LB_RSA_P,
                                                      LB_RSA_Q, LB_RSA_P, LB_RSA_Q, LB_RSA_P};

    return part < LB_RSA_PARTS ? first[part] : part - (part - LB_RSA_PARTS) % 3;
}

/* The lengths of n, e and the primes are public. Those of d and the CRT values are not: of them
   only octets are dropped that a key which is right does not have. */
static void strip_all(struct lb_octets *parts, const struct lb_octets *given, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (role(i) == i)
            parts[i] = strip(given[i], 0);
    for (unsigned i = 0; i < count; i++)
        if (role(i) != i)
            parts[i] = strip(given[i], parts[role(i)].len);
}

/* Of a stripped n, e or prime. */
static size_t bits_of(struct lb_octets x)
{
    limb_t top = x.len ? x.data[0] : 0;
    size_t bits = lb_nat_bits(&top, 1);

    LB_DECLASSIFY(&bits, sizeof bits);
    return x.len ? 8 * (x.len - 1) + bits : 0;
}

static bool is_zero(struct lb_octets x)
{
    limb_t any = 0;

    for (size_t i = 0; i < x.len; i++)
        any |= x.data[i];
    return lb_ct_declassify(lb_ct_is_zero(any));
}

static gpg_error_t check_sizes(const struct lb_octets *parts, unsigned count)
{
    size_t bits = bits_of(parts[LB_RSA_N]);

    if (bits == 0)
        return lb_error(GPG_ERR_BAD_PUBKEY, "RSA: the modulus is zero");
    if (bits < LB_RSA_MIN_BITS)
        return lb_error(GPG_ERR_TOO_SHORT, "RSA: the modulus is shorter than 512 bits");
    /* By octets, which are public: the bit length of d or a CRT value is not. */
    for (unsigned i = 0; i < count; i++)
        if (parts[i].len > LB_RSA_MAX_BYTES)
            return lb_errorf(GPG_ERR_TOO_LARGE, "RSA: %s is longer than 16384 bits",
                             i == LB_RSA_N ? "the modulus" : lb_rsa_part_names[i]);
    return 0;
}

/* Secret numbers that are zero are missing; that they are is public. */
static bool find_missing(struct lb_octets *parts, unsigned count)
{
    bool any = false;

    for (unsigned i = LB_RSA_D; i < count; i++)
        if (is_zero(parts[i])) {
            parts[i].len = 0;
            any = true;
        }
    return any;
}

/* Limbs of each part: what it needs by its role, or its own length should it be longer, which only
   a bad key's is. */
static void part_lengths(size_t lengths[LB_RSA_PARTS_MAX], const struct lb_octets *parts,
                         unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        size_t own = LB_LIMBS_OF_BYTES(parts[i].len);
        size_t needed = i == LB_RSA_E ? LB_RSA_E_LIMBS : LB_LIMBS_OF_BYTES(parts[role(i)].len);
        lengths[i] = own > needed ? own : needed;
    }
}

/* Limbs of the product of the primes that are joined before prime i >= 2. */
static size_t below_length(const size_t *lengths, unsigned i)
{
    size_t sum = 0;

    for (unsigned j = 0; j < i; j++)
        sum += lengths[lb_rsa_part_prime(j)];
    return sum < lengths[LB_RSA_N] ? sum : lengths[LB_RSA_N];
}

/* Where the storage of the moduli lies: of n, then of the primes. */
typedef limb_t *lb_rsa_storage[1 + LB_RSA_MAX_PRIMES];

/* The layout of a key's one allocation: the object, the parts, the storage of the moduli, the
   primes' objects with their coefficients and products. Called twice: with base NULL to count, then
   to place. Returns octets. */
static size_t lay_out(struct lb_rsa *key, unsigned char *base, const size_t *lengths,
                      unsigned count, lb_rsa_storage storage)
{
    size_t at = aligned_size(sizeof(struct lb_rsa));

#define PLACE(pointer, type, size) \
    do { \
        if (base) \
            (pointer) = (type *)(void *)(base + at); \
        at += aligned_size((size) * sizeof(type)); \
    } while (0)

    for (unsigned i = 0; i < count; i++) {
        if (base)
            key->part[i].n = lengths[i];
        PLACE(key->part[i].limb, limb_t, lengths[i]);
    }
    PLACE(storage[0], limb_t, LB_MODULUS_STORAGE(lengths[LB_RSA_N]));
    if (count == LB_RSA_PUBLIC_PARTS)
        return at;
    PLACE(key->prime, struct lb_rsa_prime, LB_RSA_PRIMES_OF(count));
    for (unsigned i = 0; i < LB_RSA_PRIMES_OF(count); i++) {
        size_t limbs = lengths[lb_rsa_part_prime(i)], below;
        PLACE(storage[1 + i], limb_t, LB_MODULUS_STORAGE(limbs));
        if (i == 1) /* q has neither of what follows */
            continue;
        PLACE(key->prime[i].t_mont, limb_t, limbs);
        if (i == 0) /* it is q */
            continue;
        below = below_length(lengths, i);
        if (base)
            key->prime[i].below.n = below;
        PLACE(key->prime[i].below.limb, limb_t, below);
    }
#undef PLACE
    return at;
}

static void modulus_of_part(struct limbic_modulus *m, const struct limbic_ops *row,
                            const struct lb_natural *part, size_t bits, unsigned flags,
                            limb_t *storage)
{
    LB_STACK(scratch, LIMBIC_SCRATCH_MONT(part->n));

    lb_modulus_init(m, row, storage, part->limb, part->n, bits, flags, scratch);
    lb_wipe(scratch, sizeof scratch);
}

/* What is joined before prime i: q for p, p q for r_3, then the former product times the former
   prime. Such a product is below n, so the limbs that are cut off are zero. */
static void make_below(struct lb_rsa *key, unsigned i)
{
    const struct lb_natural *a = i == 2 ? &key->part[LB_RSA_P] : &key->prime[i - 1].below;
    const struct lb_natural *b = &key->part[lb_rsa_part_prime(i - 1)];
    struct lb_natural *below = &key->prime[i].below;
    LB_STACK(product, a->n + b->n);
    LB_STACK(scratch, LIMBIC_SCRATCH_MUL(a->n, b->n));

    lb_row_portable(key->bits)->limbs.mul(product, a->limb, a->n, b->limb, b->n, scratch);
    lb_nat_copy(below->limb, product, below->n);
    lb_wipe(scratch, sizeof scratch);
    lb_wipe(product, sizeof product);
}

static void make_prime(struct lb_rsa *key, unsigned i, limb_t *storage)
{
    const struct lb_natural *part = &key->part[lb_rsa_part_prime(i)];
    struct lb_rsa_prime *prime = &key->prime[i];
    size_t bits = lb_nat_bits(part->limb, part->n);
    const struct limbic_ops *row;

    LB_DECLASSIFY(&bits, sizeof bits);
    row = lb_row_portable(bits);
    modulus_of_part(&prime->m, row, part, bits, LIMBIC_MODULUS_SECRET, storage);
    prime->exponent = key->part[lb_rsa_part_exponent(i)].limb;
    if (i == 1)
        return;
    if (i == 0)
        prime->below = key->part[LB_RSA_Q];
    else
        make_below(key, i);
    LB_STACK(scratch, LB_SCRATCH_CONVERT(part->n));
    lb_mont_in(row, &prime->m, prime->t_mont, key->part[lb_rsa_part_coefficient(i)].limb, scratch);
    lb_wipe(scratch, sizeof scratch);
}

/* Moduli and what else is computed once from numbers known to be consistent. */
static void make_moduli(struct lb_rsa *key, lb_rsa_storage storage)
{
    modulus_of_part(&key->n, lb_row_portable(key->bits), &key->part[LB_RSA_N], key->bits, 0,
                    storage[0]);
    if (!key->is_private)
        return;
    for (unsigned i = 0; i < key->primes; i++)
        make_prime(key, i, storage[1 + i]);
    key->paired = key->prime[0].m.n == key->prime[1].m.n;
    key->pair.m[0] = &key->prime[0].m;
    key->pair.m[1] = &key->prime[1].m;
}

static gpg_error_t validate(const struct lb_rsa *key)
{
    gpg_error_t err = lb_rsa_validate_public(key->part[LB_RSA_N].limb[0],
                                             key->part[LB_RSA_E].limb[0], key->ebits);

    return err || !key->is_private ? err : lb_rsa_validate_private(key);
}

/* What is wrong with a key that is made all the same. */
struct flaw {
    const char *what;
    gpg_err_code_t code;
};

/* With `lenient` an error of the key's numbers becomes its flaw. */
static gpg_error_t forgive(gpg_error_t err, bool lenient, struct flaw *flaw)
{
    if (!err || !lenient || gpg_err_code(err) == GPG_ERR_ENOMEM)
        return err;
    flaw->what = lb_error_detail();
    flaw->code = gpg_err_code(err);
    return 0;
}

/* Fills in what is missing; *memory is the caller's to free. */
static gpg_error_t complete(struct lb_octets *parts, unsigned *count, void **memory)
{
    struct lb_octets n = parts[LB_RSA_N], e = parts[LB_RSA_E];
    gpg_error_t err =
        lb_rsa_validate_public(n.data[n.len - 1], e.len ? e.data[e.len - 1] : 0, bits_of(e));

    return err ? err : lb_rsa_complete(parts, count, bits_of(n), memory);
}

/* The object with its numbers, nothing checked or derived yet. */
static struct lb_rsa *allocate(const struct lb_octets *parts, unsigned count,
                               lb_rsa_storage storage)
{
    size_t lengths[LB_RSA_PARTS_MAX] = {0};
    bool secret = count != LB_RSA_PUBLIC_PARTS;
    struct lb_rsa *key;

    part_lengths(lengths, parts, count);
    key = memory_new(secret, lay_out(NULL, NULL, lengths, count, storage));
    if (!key)
        return NULL;
    lay_out(key, (unsigned char *)key, lengths, count, storage);
    key->is_private = secret;
    key->parts = count;
    key->primes = secret ? LB_RSA_PRIMES_OF(count) : 0;
    key->bits = bits_of(parts[LB_RSA_N]);
    key->bytes = (key->bits + 7) / 8;
    key->ebits = bits_of(parts[LB_RSA_E]);
    for (unsigned i = 0; i < count; i++)
        lb_nat_from_bytes(key->part[i].limb, lengths[i], parts[i].data, parts[i].len);
    return key;
}

static gpg_error_t make(struct lb_rsa **result, const struct lb_octets *parts, unsigned count,
                        bool lenient, struct flaw flaw)
{
    lb_rsa_storage storage;
    struct lb_rsa *key = allocate(parts, count, storage);
    gpg_error_t err = 0;

    if (!key)
        return lb_error(GPG_ERR_ENOMEM, "no memory for a key");
    if (!flaw.what)
        err = forgive(validate(key), lenient, &flaw);
    key->flaw = flaw.what;
    key->flaw_code = flaw.code;
    if (err) {
        lb_rsa_free(key);
        return err;
    }
    if (!key->flaw) {
        make_moduli(key, storage);
        if (key->is_private)
            key->blinding = lb_blinding_new(key->n.n);
    }
    *result = key;
    return 0;
}

gpg_error_t lb_rsa_new(struct lb_rsa **result, const struct lb_octets *given, unsigned count,
                       bool lenient)
{
    struct lb_octets parts[LB_RSA_PARTS_MAX];
    struct flaw flaw = {NULL, 0};
    void *memory = NULL;
    gpg_error_t err;

    *result = NULL;
    strip_all(parts, given, count);
    err = check_sizes(parts, count);
    if (!err && find_missing(parts, count))
        err = forgive(complete(parts, &count, &memory), lenient, &flaw);
    if (!err)
        err = make(result, parts, count, lenient, flaw);
    lb_arena_free(memory);
    return err;
}

#ifdef LIMBIC_TESTING
void lb_test_hold_states(int hold)
{
    if (hold)
        lb_lock(LB_LOCK_STATES);
    else
        lb_unlock(LB_LOCK_STATES);
}
#endif

void lb_rsa_free(struct lb_rsa *key)
{
    if (!key)
        return;
    while (key->chunks) {
        struct lb_state_chunk *chunk = key->chunks;
        key->chunks = chunk->next;
        memory_free(chunk->secret, chunk);
    }
    lb_blinding_free(key->blinding);
    memory_free(key->is_private, key);
}

/*
 * Facts
 */

size_t lb_rsa_bits(const struct lb_rsa *key)
{
    return key->bits;
}

size_t lb_rsa_bytes(const struct lb_rsa *key)
{
    return key->bytes;
}

unsigned lb_rsa_primes(const struct lb_rsa *key)
{
    return key->primes;
}

unsigned lb_rsa_parts(const struct lb_rsa *key)
{
    return key->parts;
}

bool lb_rsa_is_private(const struct lb_rsa *key)
{
    return key->is_private;
}

bool lb_rsa_is_flawed(const struct lb_rsa *key)
{
    return key->flaw != NULL;
}

size_t lb_rsa_part(const struct lb_rsa *key, enum lb_rsa_part which, unsigned char *out)
{
    const struct lb_natural *part = &key->part[which];
    size_t bits = lb_nat_bits(part->limb, part->n);
    size_t len;

    /* The length of a number that is written out is public. */
    LB_DECLASSIFY(&bits, sizeof bits);
    len = (bits + 7) / 8;
    if (out)
        lb_nat_to_bytes(out, len, part->limb, part->n);
    return len;
}

/*
 * Prepared states
 */

/* The objects of a key that families keep states for, with the row that each is used under. */
struct object {
    const struct limbic_ops *row;
    size_t bits; /* that the row is for */
    enum lb_state_kind kind;
    void *object;
    bool secret;
};

#define MAX_OBJECTS (2 + LB_RSA_MAX_PRIMES)

static unsigned list_objects(struct lb_rsa *key, const struct lb_rsa_rows *rows,
                             struct object objects[MAX_OBJECTS])
{
    unsigned count = 0;

    objects[count++] = (struct object){rows->n, key->bits, LB_STATE_MODULUS, &key->n, false};
    if (!key->is_private)
        return count;
    for (unsigned i = 0; i < key->primes; i++)
        objects[count++] = (struct object){rows->prime[i], key->prime[i].m.bits, LB_STATE_MODULUS,
                                           &key->prime[i].m, true};
    if (key->paired)
        objects[count++] = (struct object){rows->prime[0], key->prime[0].m.bits, LB_STATE_PAIR,
                                           &key->pair, true};
    return count;
}

/* Under the lock of states. */
static gpg_error_t make_states(struct lb_rsa *key, const struct object *object)
{
    size_t header = aligned_size(sizeof(struct lb_state_chunk));
    size_t size = lb_states_size(object->row, object->kind, object->object);
    struct lb_state_chunk *chunk;

    if (size == 0)
        return 0;
    chunk = size == LB_STATES_TOO_LARGE ? NULL : memory_new(object->secret, header + size);
    if (!chunk)
        return lb_error(GPG_ERR_ENOMEM, "no memory for the prepared state of a key");
    chunk->secret = object->secret;
    chunk->next = key->chunks;
    key->chunks = chunk;
    lb_states_init(object->row, lb_row_portable(object->bits), object->kind, object->object,
                   (unsigned char *)chunk + header);
    return 0;
}

static bool all_there(const struct object *objects, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (lb_states_size(objects[i].row, objects[i].kind, objects[i].object))
            return false;
    return true;
}

/* States are published one by one and never taken back, so whether all are there is asked without
   the lock: threads that use a key under another plan do not wait for each other. */
static gpg_error_t prepare(struct lb_rsa *key, const struct lb_plan *plan,
                           const struct lb_rsa_rows *rows)
{
    struct object objects[MAX_OBJECTS];
    unsigned count = list_objects(key, rows, objects);
    gpg_error_t err = 0;

    if (!all_there(objects, count)) {
        lb_lock(LB_LOCK_STATES);
        for (unsigned i = 0; i < count && !err; i++)
            err = make_states(key, &objects[i]);
        lb_unlock(LB_LOCK_STATES);
    }
    if (!err)
        __atomic_store_n(&key->ready, plan, __ATOMIC_RELEASE);
    return err;
}

/* Primes of one length in limbs, a pair, share a row: no size class ends inside a limb. */
static void rows_of_plan(const struct lb_rsa *key, const struct lb_plan *plan,
                         struct lb_rsa_rows *rows)
{
    rows->n = lb_plan_row(plan, key->bits);
    for (unsigned i = 0; i < key->primes; i++)
        rows->prime[i] = lb_plan_row(plan, key->prime[i].m.bits);
}

void lb_rsa_rows_portable(const struct lb_rsa *key, struct lb_rsa_rows *rows)
{
    rows->n = lb_row_portable(key->bits);
    for (unsigned i = 0; i < key->primes; i++)
        rows->prime[i] = lb_row_portable(key->prime[i].m.bits);
}

gpg_error_t lb_rsa_rows(struct lb_rsa *key, struct lb_rsa_rows *rows)
{
    gpg_error_t err;
    const struct lb_plan *plan = lb_plan_current(&err);

    if (!plan)
        return err;
    rows_of_plan(key, plan, rows);
    if (__atomic_load_n(&key->ready, __ATOMIC_ACQUIRE) != plan && prepare(key, plan, rows))
        lb_rsa_rows_portable(key, rows);
    return 0;
}

static gpg_error_t selftest_rows(const struct lb_rsa *key)
{
    gpg_error_t err = lb_dispatch_ready(key->bits);

    for (unsigned i = 0; i < key->primes && !err; i++)
        err = lb_dispatch_ready(key->prime[i].m.bits);
    return err;
}

/* The self-tests may publish a new plan; states are then made for that one. One blinding pair is
   made, so that the first operation does not pay for it. */
gpg_error_t lb_rsa_ready(struct lb_rsa *key)
{
    struct lb_rsa_rows rows;
    const struct lb_plan *plan;
    gpg_error_t err;

    if (key->flaw)
        return lb_error(key->flaw_code, key->flaw);
    err = selftest_rows(key);
    if (err)
        return err;
    plan = lb_plan_current(&err);
    if (!plan)
        return err;
    rows_of_plan(key, plan, &rows);
    err = prepare(key, plan, &rows);
    if (err || !key->is_private)
        return err;
    LB_STACK(pair, 2 * key->n.n);
    LB_STACK(scratch, LIMBIC_SCRATCH_POW(key->n.n));
    err = lb_blinding_take(key, rows.n, &(struct lb_blinding_pair){pair, pair + key->n.n}, scratch);
    lb_wipe(scratch, sizeof scratch);
    lb_wipe(pair, sizeof pair);
    return err;
}
