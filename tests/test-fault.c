/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kernels that pass their self-tests and err afterwards: no wrong signature may leave the library,
 * the kernel that erred falls into quarantine at that size and no other does, and a bad key is
 * nobody's fault.
 *
 * The provider `fake` computes as `derived` and `portable` do, until its fault is armed.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/key/key.h"
#include "core/number/montgomery.h"
#include "core/scheme/rsa-key.h"
#include "dispatch/plan.h"
#include "dispatch/report.h"
#include "tests/data.h"

extern const struct limbic_provider lb_provider_portable;

#define MAX_SIGNATURE 512
#define LIMBS(bits) ((size_t)(bits) / LIMBIC_LIMB_BITS)

/* ---- The fault ------------------------------------------------------------------------------ */

/* Which kernel errs, on which sizes and when. Threads read it while it changes. */
static atomic_int fault_slot;     /* -1: none */
static atomic_size_t fault_bits;  /* of the modulus, or of the operand; 0: all */
static atomic_size_t fault_ebits; /* exponents of at least so many bits */
static atomic_int fault_half;     /* of a pair */
static atomic_int fault_way;      /* of a public power */
static atomic_int fault_after;    /* right calls first */
static atomic_int fault_times;    /* wrong calls then; < 0: all */
static atomic_uint fake_calls;

static void disarm(void)
{
    atomic_store(&fault_slot, -1);
    atomic_store(&fault_bits, 0);
    atomic_store(&fault_ebits, 0);
    atomic_store(&fault_half, 0);
    atomic_store(&fault_way, 0);
    atomic_store(&fault_after, 0);
    atomic_store(&fault_times, INT_MAX);
}

static void arm(enum limbic_slot slot, size_t bits)
{
    atomic_store(&fault_bits, bits);
    atomic_store(&fault_slot, (int)slot);
}

/* 1 if this call is to go wrong. */
static limbic_limb_t wrong(enum limbic_slot slot, size_t bits, size_t ebits)
{
    size_t only = atomic_load(&fault_bits);

    atomic_fetch_add(&fake_calls, 1);
    if (atomic_load(&fault_slot) != (int)slot || (only && only != bits) ||
        ebits < atomic_load(&fault_ebits))
        return 0;
    if (atomic_load(&fault_after) > 0 && atomic_fetch_sub(&fault_after, 1) > 0)
        return 0;
    return atomic_fetch_sub(&fault_times, 1) > 0;
}

/* ---- Its kernels ---------------------------------------------------------------------------- */

/* The value stays in [0, m), as --enable-verify asks of a kernel: m is odd, so only m - 1 would leave
   it. */
static void spoil_residue(const struct limbic_modulus *m, limbic_limb_t *r, limbic_limb_t bit)
{
    r[0] ^= bit;
    if (memcmp(r, m->m, m->n * sizeof *r) == 0)
        r[0] = 0;
}

static void fake_mont_mul(const struct limbic_ops *ops, const struct limbic_modulus *m,
                          limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b,
                          limbic_limb_t *scratch)
{
    lb_derived_mont_mul(ops, m, r, a, b, scratch);
    spoil_residue(m, r, wrong(LIMBIC_SLOT_MONT_MUL, m->bits, SIZE_MAX));
}

static void fake_mont_sqr(const struct limbic_ops *ops, const struct limbic_modulus *m,
                          limbic_limb_t *r, const limbic_limb_t *a, limbic_limb_t *scratch)
{
    lb_derived_mont_sqr(ops, m, r, a, scratch);
    spoil_residue(m, r, wrong(LIMBIC_SLOT_MONT_SQR, m->bits, SIZE_MAX));
}

static void fake_mont_reduce(const struct limbic_ops *ops, const struct limbic_modulus *m,
                             limbic_limb_t *r, limbic_limb_t *a, limbic_limb_t *scratch)
{
    lb_derived_mont_reduce(ops, m, r, a, scratch);
    spoil_residue(m, r, wrong(LIMBIC_SLOT_MONT_REDUCE, m->bits, SIZE_MAX));
}

static void fake_mont_pow(const struct limbic_ops *ops, const struct limbic_modulus *m,
                          limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *e,
                          size_t ebits, limbic_limb_t *scratch)
{
    lb_derived_mont_pow(ops, m, r, a, e, ebits, scratch);
    spoil_residue(m, r, wrong(LIMBIC_SLOT_MONT_POW, m->bits, ebits));
}

static void fake_mont_pow_pair(const struct limbic_ops *ops, const struct limbic_pair *pair,
                               limbic_limb_t *const r[2], const limbic_limb_t *const a[2],
                               const limbic_limb_t *const e[2], size_t ebits,
                               limbic_limb_t *scratch)
{
    lb_derived_mont_pow_pair(ops, pair, r, a, e, ebits, scratch);
    r[atomic_load(&fault_half)][1] ^= wrong(LIMBIC_SLOT_MONT_POW_PAIR, pair->m[0]->bits, ebits)
                                      << 5;
}

/* Errs in a bit, does nothing, or hands its base back. */
enum { ERRS, DOES_NOTHING, COPIES };

static void fake_mont_pow_public(const struct limbic_ops *ops, const struct limbic_modulus *m,
                                 limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *e,
                                 size_t ebits, limbic_limb_t *scratch)
{
    limbic_limb_t bit = wrong(LIMBIC_SLOT_MONT_POW_PUBLIC, m->bits, SIZE_MAX);

    if (bit && atomic_load(&fault_way) == COPIES)
        memmove(r, a, m->n * sizeof *r);
    if (bit && atomic_load(&fault_way) != ERRS)
        return;
    lb_derived_mont_pow_public(ops, m, r, a, e, ebits, scratch);
    spoil_residue(m, r, bit);
}

/* Errs in its value, or in its verdict: then nothing has an inverse. */
static limbic_limb_t fake_mont_inv(const struct limbic_ops *ops, const struct limbic_modulus *m,
                                   limbic_limb_t *r, const limbic_limb_t *a, limbic_limb_t *scratch)
{
    limbic_limb_t ok = lb_derived_mont_inv(ops, m, r, a, scratch);
    limbic_limb_t bit = wrong(LIMBIC_SLOT_MONT_INV, m->bits, SIZE_MAX);

    if (atomic_load(&fault_half)) {
        if (bit)
            memset(r, 0, m->n * sizeof *r);
        return bit ? 0 : ok;
    }
    spoil_residue(m, r, bit);
    return ok;
}

static const struct limbic_limb_slots *right_limbs(void)
{
    return lb_provider_portable.tiers[0].limbs;
}

static limbic_limb_t fake_addmul_1(limbic_limb_t *r, const limbic_limb_t *a, size_t n,
                                   limbic_limb_t b)
{
    limbic_limb_t high = right_limbs()->addmul_1(r, a, n, b);

    return high ^ wrong(LIMBIC_SLOT_ADDMUL_1, n * LIMBIC_LIMB_BITS, SIZE_MAX);
}

static void fake_mul(limbic_limb_t *r, const limbic_limb_t *a, size_t an, const limbic_limb_t *b,
                     size_t bn, limbic_limb_t *scratch)
{
    right_limbs()->mul(r, a, an, b, bn, scratch);
    r[an] ^= wrong(LIMBIC_SLOT_MUL, an * LIMBIC_LIMB_BITS, SIZE_MAX);
}

static void fake_select(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b, size_t n,
                        limbic_limb_t mask)
{
    right_limbs()->select(r, a, b, n, mask);
    r[0] ^= wrong(LIMBIC_SLOT_SELECT, n * LIMBIC_LIMB_BITS, SIZE_MAX);
}

/* ---- Its prepared states -------------------------------------------------------------------- */

#define MAGIC 0x5eed

struct state {
    const void *object;
    unsigned magic;
};

static atomic_uint modulus_states, pair_states, state_faults;
static atomic_bool huge_states;
static _Atomic(size_t) huge_size = SIZE_MAX / 8;
static atomic_bool
    of_keys; /* that states are made for, not for self-tests, which have other rows */

/* Secret ones can be too large for any memory. */
static size_t state_size(bool secret)
{
    return secret && atomic_load(&huge_states) ? atomic_load(&huge_size) : sizeof(struct state);
}

static size_t modulus_state_size(const struct limbic_modulus *m)
{
    return state_size(m->flags & LIMBIC_MODULUS_SECRET);
}

static size_t pair_state_size(const struct limbic_pair *pair)
{
    (void)pair;
    return state_size(true);
}

/* Whether a state may be made by this row. */
static bool is_maker(const struct limbic_ops *ops, size_t bits)
{
    return !atomic_load(&of_keys) || ops == lb_row_portable(bits);
}

static void modulus_state_init(const struct limbic_ops *ops, const struct limbic_modulus *m,
                               void *memory)
{
    if ((uintptr_t)memory % 64 || !is_maker(ops, m->bits))
        atomic_fetch_add(&state_faults, 1);
    *(struct state *)memory = (struct state){m, MAGIC};
    atomic_fetch_add(&modulus_states, 1);
}

static void pair_state_init(const struct limbic_ops *ops, const struct limbic_pair *pair,
                            void *memory)
{
    if ((uintptr_t)memory % 64 || !is_maker(ops, pair->m[0]->bits))
        atomic_fetch_add(&state_faults, 1);
    *(struct state *)memory = (struct state){pair, MAGIC};
    atomic_fetch_add(&pair_states, 1);
}

static void look_at(const void *memory, const void *object)
{
    const struct state *state = memory;

    if (!state || state->object != object || state->magic != MAGIC)
        atomic_fetch_add(&state_faults, 1);
}

static void stateful_mont_mul(const struct limbic_ops *ops, const struct limbic_modulus *m,
                              limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b,
                              limbic_limb_t *scratch)
{
    look_at(limbic_modulus_state(ops, m, LIMBIC_SLOT_MONT_MUL), m);
    fake_mont_mul(ops, m, r, a, b, scratch);
}

static void stateful_mont_pow_pair(const struct limbic_ops *ops, const struct limbic_pair *pair,
                                   limbic_limb_t *const r[2], const limbic_limb_t *const a[2],
                                   const limbic_limb_t *const e[2], size_t ebits,
                                   limbic_limb_t *scratch)
{
    look_at(limbic_pair_state(ops, pair, LIMBIC_SLOT_MONT_POW_PAIR), pair);
    fake_mont_pow_pair(ops, pair, r, a, e, ebits, scratch);
}

/* ---- The provider --------------------------------------------------------------------------- */

static struct limbic_limb_slots limbs;
static struct limbic_mod_family moduli;
static struct limbic_tier tier;
static struct limbic_provider provider;

static void make_provider(void)
{
    limbs = *right_limbs();
    limbs.addmul_1 = fake_addmul_1;
    limbs.mul = fake_mul;
    limbs.select = fake_select;
    moduli = (struct limbic_mod_family){.size = sizeof moduli};
    tier = (struct limbic_tier){.name = "", .needs = "", .moduli = &moduli};
    provider = (struct limbic_provider){
        .size = sizeof provider,
        .abi_major = LIMBIC_PROVIDER_ABI_MAJOR,
        .abi_minor = LIMBIC_PROVIDER_ABI_MINOR,
        .limb_bits = LIMBIC_LIMB_BITS,
        .name = "fake",
        .version = "1.0",
        .license = "MIT",
        .origin = "a test",
        .limb_slots_size = sizeof(struct limbic_limb_slots),
        .tier_size = sizeof(struct limbic_tier),
        .tier_count = 1,
        .tiers = &tier,
    };
}

/* The kernel alone, whether of level 1 or 2. */
static void fill(enum limbic_slot slot)
{
    static const struct limbic_mod_slots all = {
        .mont_mul = fake_mont_mul,
        .mont_sqr = fake_mont_sqr,
        .mont_reduce = fake_mont_reduce,
        .mont_pow = fake_mont_pow,
        .mont_pow_pair = fake_mont_pow_pair,
        .mont_pow_public = fake_mont_pow_public,
        .mont_inv = fake_mont_inv,
    };
    const struct lb_slot *descriptor = lb_slot_by_id(slot);

    if (descriptor->level == 1) {
        tier.limbs = &limbs;
        tier.moduli = NULL;
        return;
    }
    memcpy((char *)&moduli.slots + descriptor->table_offset,
           (const char *)&all + descriptor->table_offset, sizeof(void (*)(void)));
}

static void fill_all(void)
{
    static const enum limbic_slot slots[] = {
        LIMBIC_SLOT_MONT_MUL, LIMBIC_SLOT_MONT_SQR,      LIMBIC_SLOT_MONT_REDUCE,
        LIMBIC_SLOT_MONT_POW, LIMBIC_SLOT_MONT_POW_PAIR, LIMBIC_SLOT_MONT_POW_PUBLIC,
        LIMBIC_SLOT_MONT_INV,
    };

    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        fill(slots[i]);
    tier.limbs = &limbs;
}

static void use(const char *words)
{
    lb_test_reset(words);
    lb_test_register(&provider);
}

/* ---- Keys and signatures -------------------------------------------------------------------- */

static const unsigned char message[] = "The quick brown fox jumps over the lazy dog";

static limbic_key_t import(const char *file, unsigned flags)
{
    limbic_key_t key = NULL;
    size_t length = 0;
    uint8_t *data = data_read(file, &length);
    gpg_error_t err = limbic_key_import(&key, data, length, flags);

    free(data);
    if (err)
        fail_msg("%s: %s (%s)", file, gpg_strerror(err), limbic_error_detail());
    return key;
}

static gpg_error_t sign(limbic_key_t key, enum limbic_padding padding,
                        unsigned char signature[MAX_SIGNATURE], size_t *length)
{
    struct limbic_params params = LIMBIC_PARAMS_INIT;

    params.padding = padding;
    return limbic_sign(key, &params, message, sizeof message, signature, MAX_SIGNATURE, length);
}

static gpg_error_t verify(limbic_key_t key, enum limbic_padding padding,
                          const unsigned char *signature, size_t length)
{
    struct limbic_params params = LIMBIC_PARAMS_INIT;

    params.padding = padding;
    return limbic_verify(key, &params, message, sizeof message, signature, length);
}

/* What PKCS#1 v1.5 makes of the message, computed by nobody but portable. */
static void right_signature(const char *file, unsigned char signature[MAX_SIGNATURE])
{
    limbic_key_t key;
    size_t length;

    lb_test_reset("portable");
    key = import(file, 0);
    assert_int_equal(sign(key, LIMBIC_PADDING_PKCS1, signature, &length), 0);
    limbic_key_free(key);
}

/* One signature of each padding, and one raw operation; all must be right. */
static void assert_signs(limbic_key_t key, const unsigned char *expected)
{
    unsigned char signature[MAX_SIGNATURE], raw[MAX_SIGNATURE] = {0}, back[MAX_SIGNATURE];
    size_t length, bytes = lb_rsa_bytes(key->rsa);
    gpg_error_t err = sign(key, LIMBIC_PADDING_PKCS1, signature, &length);

    if (err)
        fail_msg("%s (%s)", gpg_strerror(err), limbic_error_detail());
    assert_memory_equal(signature, expected, length);
    assert_int_equal(sign(key, LIMBIC_PADDING_PSS, signature, &length), 0);

    raw[bytes - 2] = 7;
    assert_int_equal(lb_rsa_private(key->rsa, raw, raw), 0);
    /* What is checked with is not what is under test. */
    int slot = atomic_exchange(&fault_slot, -1);
    assert_int_equal(verify(key, LIMBIC_PADDING_PSS, signature, length), 0);
    assert_int_equal(lb_rsa_public(key->rsa, back, raw), 0);
    atomic_store(&fault_slot, slot);
    assert_int_equal(back[bytes - 2], 7);
    assert_int_equal(back[bytes - 1], 0);
}

/* ---- What dispatch made of it --------------------------------------------------------------- */

static const char *server(enum limbic_slot slot, size_t bits)
{
    const struct lb_registry *registry = lb_registry();
    gpg_error_t err;
    const struct lb_plan *plan = lb_plan_current(&err);

    if (!plan)
        return "nobody";
    unsigned family = lb_plan_row(plan, bits)->family[slot];
    return registry->provider[registry->tier[registry->family[family].tier].provider].name;
}

/* Records of what has put kernels into quarantine, or cast doubt on the machine. */
static unsigned faults(void)
{
    struct lb_fault_record record;
    unsigned count = 0;

    for (unsigned i = 0; lb_fault_record(i, &record); i++)
        count += record.fault != LB_FAULT_ONCE;
    return count;
}

/* How often something was wrong and then right. */
static unsigned accidents(void)
{
    struct lb_fault_record record;
    unsigned count = 0;

    for (unsigned i = 0; lb_fault_record(i, &record); i++)
        count += record.fault == LB_FAULT_ONCE ? record.count : 0;
    return count;
}

static void assert_explains(const char *wanted)
{
    char *text = NULL;

    assert_int_equal(limbic_report(LIMBIC_REPORT_EXPLAIN, 0, &text), 0);
    if (!strstr(text, wanted))
        print_error("no \"%s\" in:\n%s", wanted, text);
    assert_non_null(strstr(text, wanted));
    limbic_free(text);
}

/* This kernel and no other is in quarantine, at this size and no other, and the report says why. */
static void assert_quarantined_for(enum limbic_slot slot, size_t bits, const char *what)
{
    char line[160];
    unsigned size_class = lb_size_class(bits);

    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++)
        if (i == size_class)
            assert_string_not_equal(server(slot, lb_size_class_bits[i]), "fake");
        else
            assert_string_equal(server(slot, lb_size_class_bits[i]), "fake");
    assert_int_equal(faults(), 1);
    snprintf(line, sizeof line, "fake:%s at %u bits: was wrong in an operation: a %s",
             lb_slot_by_id(slot)->name, lb_size_class_bits[size_class], what);
    assert_explains(line);
    assert_explains("not fake: quarantined");
}

static void assert_quarantined(enum limbic_slot slot, size_t bits)
{
    assert_quarantined_for(slot, bits, "result failed its check");
}

static int clean(void **state)
{
    (void)state;
    disarm();
    atomic_store(&of_keys, false);
    lb_test_reset("");
    make_provider();
    return 0;
}

/* ---- Faults that stay ----------------------------------------------------------------------- */

#define BALANCED "rsa/ok-2048.pem"
#define UNBALANCED "rsa/ok-unbalanced-1536-512.pem"
#define THREE "rsa/multi-3-1536.pem" /* primes of 512 bits */

static const struct lasting {
    const char *file;
    enum limbic_slot slot;
    size_t bits; /* where it errs, and so where it is blamed */
    int half;
    size_t ebits; /* errs on exponents as long as real ones only: needs no arming */
} lasting[] = {
    {BALANCED, LIMBIC_SLOT_MONT_POW_PAIR, 1024, 0, 0},
    {BALANCED, LIMBIC_SLOT_MONT_POW_PAIR, 1024, 1, 0},
    {BALANCED, LIMBIC_SLOT_MONT_POW_PAIR, 1024, 0, 1024},
    {BALANCED, LIMBIC_SLOT_MONT_POW_PAIR, 1024, 1, 1024},
    {BALANCED, LIMBIC_SLOT_MONT_POW, 1024, 0, 0},
    {UNBALANCED, LIMBIC_SLOT_MONT_POW, 1536, 0, 0},
    {UNBALANCED, LIMBIC_SLOT_MONT_POW, 512, 0, 0},
    {UNBALANCED, LIMBIC_SLOT_MONT_POW, 1536, 0, 1536},
    {BALANCED, LIMBIC_SLOT_MONT_MUL, 1024, 0, 0},
    {BALANCED, LIMBIC_SLOT_MONT_MUL, 2048, 0, 0},
    {UNBALANCED, LIMBIC_SLOT_MONT_MUL, 512, 0, 0},
    {BALANCED, LIMBIC_SLOT_MONT_SQR, 1024, 0, 0},
    {BALANCED, LIMBIC_SLOT_MONT_SQR, 2048, 0, 0},
    {BALANCED, LIMBIC_SLOT_MONT_REDUCE, 1024, 0, 0},
    {UNBALANCED, LIMBIC_SLOT_MONT_REDUCE, 1536, 0, 0},
    {UNBALANCED, LIMBIC_SLOT_MONT_REDUCE, 512, 0, 0},
    {BALANCED, LIMBIC_SLOT_MONT_POW_PUBLIC, 2048, 0, 0},
    {BALANCED, LIMBIC_SLOT_MUL, 1024, 0, 0},
    {BALANCED, LIMBIC_SLOT_MUL, 2048, 0, 0},
    {BALANCED, LIMBIC_SLOT_ADDMUL_1, 1024, 0, 0},
    {BALANCED, LIMBIC_SLOT_ADDMUL_1, 2048, 0, 0},
    {BALANCED, LIMBIC_SLOT_SELECT, 1024, 0, 0},
    {UNBALANCED, LIMBIC_SLOT_SELECT, 1536, 0, 0},
    {THREE, LIMBIC_SLOT_MONT_POW_PAIR, 512, 1, 0},
    {THREE, LIMBIC_SLOT_MONT_POW, 512, 0, 0},
    {THREE, LIMBIC_SLOT_MONT_MUL, 512, 0, 0},
    {THREE, LIMBIC_SLOT_MONT_REDUCE, 512, 0, 0},
    {THREE, LIMBIC_SLOT_MONT_POW_PUBLIC, 1536, 0, 0},
};

/* The kernel alone over derived and portable, then among others of its provider. */
static void one_lasting(const struct lasting *fault, bool among_others)
{
    unsigned char expected[MAX_SIGNATURE];
    limbic_key_t key;

    clean(NULL);
    right_signature(fault->file, expected);
    if (among_others)
        fill_all();
    else
        fill(fault->slot);
    use("fake,portable");
    atomic_store(&fault_half, fault->half);
    atomic_store(&fault_ebits, fault->ebits);
    if (fault->ebits)
        arm(fault->slot, fault->bits);
    key = import(fault->file, 0);
    assert_string_equal(server(fault->slot, fault->bits), "fake");
    assert_int_equal(faults(), 0);
    arm(fault->slot, fault->bits);
    for (int i = 0; i < 3; i++)
        assert_signs(key, expected);
    assert_quarantined(fault->slot, fault->bits);
    limbic_key_free(key);
}

static void test_lasting(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++) {
        print_message("%s wrong at %zu bits, %s\n", lb_slot_by_id(lasting[i].slot)->name,
                      lasting[i].bits, lasting[i].file);
        one_lasting(&lasting[i], false);
        one_lasting(&lasting[i], true);
    }
}

/* At all sizes at once: blamed at one after the other, as operations meet it. */
static void test_all_sizes(void **state)
{
    unsigned char expected[MAX_SIGNATURE];
    limbic_key_t key;

    (void)state;
    right_signature(BALANCED, expected);
    fill_all();
    use("fake,portable");
    key = import(BALANCED, 0);
    arm(LIMBIC_SLOT_MONT_MUL, 0);
    for (int i = 0; i < 4; i++)
        assert_signs(key, expected);
    assert_string_equal(server(LIMBIC_SLOT_MONT_MUL, 1024), "derived");
    assert_string_equal(server(LIMBIC_SLOT_MONT_MUL, 2048), "derived");
    assert_string_equal(server(LIMBIC_SLOT_MONT_MUL, 4096), "fake");
    assert_string_equal(server(LIMBIC_SLOT_MONT_SQR, 1024), "fake");
    limbic_key_free(key);
}

/* A kernel that goes wrong after a while. */
static void test_after_a_while(void **state)
{
    static const int calls[] = {1, 7, 100, 2000};
    unsigned char expected[MAX_SIGNATURE];

    (void)state;
    right_signature(BALANCED, expected);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        limbic_key_t key;

        clean(NULL);
        fill_all();
        use("fake,portable");
        key = import(BALANCED, 0);
        atomic_store(&fault_after, calls[i]);
        arm(LIMBIC_SLOT_MONT_MUL, 1024);
        for (int j = 0; j < 5; j++)
            assert_signs(key, expected);
        assert_quarantined(LIMBIC_SLOT_MONT_MUL, 1024);
        limbic_key_free(key);
    }
}

/* Two kernels that err: both are found, one after the other. */
static void test_two_at_once(void **state)
{
    unsigned char expected[MAX_SIGNATURE];
    limbic_key_t key;

    (void)state;
    right_signature(BALANCED, expected);
    fill_all();
    use("fake,portable");
    key = import(BALANCED, 0);
    arm(LIMBIC_SLOT_MONT_REDUCE, 1024);
    assert_signs(key, expected);
    arm(LIMBIC_SLOT_MONT_POW_PUBLIC, 2048);
    assert_signs(key, expected);
    assert_int_equal(faults(), 2);
    assert_string_equal(server(LIMBIC_SLOT_MONT_REDUCE, 1024), "derived");
    assert_string_equal(server(LIMBIC_SLOT_MONT_POW_PUBLIC, 2048), "derived");
    limbic_key_free(key);
}

/* ---- Blinding ------------------------------------------------------------------------------- */

/* An inverse that is wrong, or none at all, makes a pair wrong and not the operation. */
static void test_inverse(void **state)
{
    unsigned char expected[MAX_SIGNATURE];

    (void)state;
    right_signature(BALANCED, expected);
    for (int half = 0; half < 2; half++) {
        limbic_key_t key;

        clean(NULL);
        fill_all();
        use("fake,portable");
        key = import(BALANCED, 0);
        atomic_store(&fault_half, half);
        arm(LIMBIC_SLOT_MONT_INV, 2048);
        lb_blinding_forget(key->rsa);
        for (int i = 0; i < 3; i++)
            assert_signs(key, expected);
        /* One that never finds an inverse is left in time, and noticed by nobody. */
        if (half == 0)
            assert_quarantined(LIMBIC_SLOT_MONT_INV, 2048);
        limbic_key_free(key);
    }
}

/* A pair that was spoilt in memory: the key is good, and no kernel is to blame. */
static void test_spoilt_pair(void **state)
{
    unsigned char expected[MAX_SIGNATURE];
    limbic_key_t key;

    (void)state;
    right_signature(BALANCED, expected);
    fill_all();
    use("fake,portable");
    key = import(BALANCED, 0);
    for (int i = 0; i < 3; i++) {
        assert_non_null(key->rsa->blinding);
        ((unsigned char *)key->rsa->blinding)[2 * sizeof(int)] ^= 1;
        assert_signs(key, expected);
        assert_signs(key, expected);
    }
    assert_int_equal(faults(), 0);
    limbic_key_free(key);
}

/* ---- Faults that come once ------------------------------------------------------------------ */

static void test_once(void **state)
{
    unsigned char expected[MAX_SIGNATURE];
    limbic_key_t key;
    char *json;

    (void)state;
    right_signature(BALANCED, expected);
    fill_all();
    use("fake,portable");
    key = import(BALANCED, 0);
    atomic_store(&fault_times, 1);
    arm(LIMBIC_SLOT_MONT_POW_PAIR, 1024);
    for (int i = 0; i < 2; i++)
        assert_signs(key, expected);
    assert_int_equal(atomic_load(&fault_times) <= 0, 1);
    assert_int_equal(faults(), 0);
    assert_string_equal(server(LIMBIC_SLOT_MONT_POW_PAIR, 1024), "fake");
    assert_int_equal(accidents(), 1);
    assert_explains("fake:mont_pow_pair at 1024 bits: it, or a kernel below it, was wrong and then "
                    "right: a result failed its check");
    assert_int_equal(limbic_report(LIMBIC_REPORT_EXPLAIN, LIMBIC_REPORT_JSON, &json), 0);
    assert_non_null(strstr(json, "\"quarantined\":false,\"count\":1"));
    limbic_free(json);

    /* Again: that is no accident. */
    atomic_store(&fault_times, 1);
    assert_signs(key, expected);
    assert_quarantined(LIMBIC_SLOT_MONT_POW_PAIR, 1024);
    limbic_key_free(key);
}

/* Twice at the power modulo one prime alone: it is not the pair's kernel that is blamed. */
static void test_once_single(void **state)
{
    unsigned char expected[MAX_SIGNATURE];
    limbic_key_t key;

    (void)state;
    right_signature(UNBALANCED, expected);
    fill_all();
    use("fake,portable");
    key = import(UNBALANCED, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(faults(), 0);
        atomic_store(&fault_times, 1);
        arm(LIMBIC_SLOT_MONT_POW, 512);
        assert_signs(key, expected);
    }
    assert_quarantined(LIMBIC_SLOT_MONT_POW, 512);
    limbic_key_free(key);
}

/* ---- Bad keys ------------------------------------------------------------------------------- */

static void test_lenient(void **state)
{
    static const char *const files[] = {"rsa/bad-dp.pem", "rsa/bad-dq.pem", "rsa/bad-qi.pem"};
    unsigned char signature[MAX_SIGNATURE], untouched[MAX_SIGNATURE];
    size_t length;

    (void)state;
    fill_all();
    use("fake,portable");
    memset(signature, 0xaa, sizeof signature);
    memset(untouched, 0xaa, sizeof untouched);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        limbic_key_t key = import(files[i], LIMBIC_IMPORT_LENIENT);

        for (int padding = LIMBIC_PADDING_PKCS1; padding <= LIMBIC_PADDING_PSS; padding++)
            assert_int_equal(
                gpg_err_code(sign(key, (enum limbic_padding)padding, signature, &length)),
                GPG_ERR_UNUSABLE_SECKEY);
        assert_int_equal(gpg_err_code(lb_rsa_private(key->rsa, signature, signature)),
                         GPG_ERR_UNUSABLE_SECKEY);
        assert_memory_equal(signature, untouched, sizeof signature);
        limbic_key_free(key);
    }
    assert_int_equal(faults(), 0);
}

/* Values that were right when the key was made and are not any more. */
static void test_spoilt_key(void **state)
{
    unsigned char expected[MAX_SIGNATURE], signature[MAX_SIGNATURE], untouched[MAX_SIGNATURE];
    size_t length;
    limbic_key_t key;
    gpg_error_t err;
    unsigned generation;

    (void)state;
    right_signature(BALANCED, expected);
    fill_all();
    use("fake,portable");
    key = import(BALANCED, 0);
    memset(untouched, 0xaa, sizeof untouched);
    generation = lb_plan_generation(lb_plan_current(&err));
    limb_t *const spoilt[] = {
        &key->rsa->part[LB_RSA_DP].limb[0],
        &key->rsa->part[LB_RSA_DQ].limb[3],
        &key->rsa->part[LB_RSA_Q].limb[2],
        &key->rsa->prime[0].t_mont[1],
        (limb_t *)(uintptr_t)&key->rsa->prime[0].m.m[1],
        (limb_t *)(uintptr_t)&key->rsa->prime[1].m.m[5],
    };
    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        *spoilt[i] ^= 2;
        for (int padding = LIMBIC_PADDING_PKCS1; padding <= LIMBIC_PADDING_PSS; padding++) {
            memset(signature, 0xaa, sizeof signature);
            err = sign(key, (enum limbic_padding)padding, signature, &length);
            assert_int_equal(gpg_err_code(err), GPG_ERR_BAD_SECKEY);
            assert_memory_equal(signature, untouched, sizeof signature);
        }
        *spoilt[i] ^= 2;
        assert_signs(key, expected);
    }
    assert_int_equal(faults(), 0);
    assert_int_equal(lb_plan_generation(lb_plan_current(&err)), generation);
    limbic_key_free(key);
}

/* ---- only: ---------------------------------------------------------------------------------- */

/* What derived can do over the limbs of the provider goes on; without limbs there is
   nothing left. */
static void test_only(void **state)
{
    unsigned char expected[MAX_SIGNATURE], signature[MAX_SIGNATURE];
    limbic_key_t key;
    size_t length;
    gpg_error_t err;

    (void)state;
    right_signature(BALANCED, expected);
    fill_all();
    use("only:fake");
    key = import(BALANCED, 0);
    arm(LIMBIC_SLOT_MONT_POW_PAIR, 1024);
    assert_signs(key, expected);
    assert_string_equal(server(LIMBIC_SLOT_MONT_POW_PAIR, 1024), "derived");
    assert_string_equal(server(LIMBIC_SLOT_MUL, 1024), "fake");
    assert_signs(key, expected);

    arm(LIMBIC_SLOT_ADDMUL_1, 1024);
    assert_int_equal(sign(key, LIMBIC_PADDING_PKCS1, signature, &length), 0);
    assert_memory_equal(signature, expected, length);
    for (int i = 0; i < 2; i++) {
        err = sign(key, LIMBIC_PADDING_PKCS1, signature, &length);
        assert_int_equal(gpg_err_code(err), GPG_ERR_SELFTEST_FAILED);
        assert_non_null(strstr(limbic_error_detail(), "addmul_1 at up to 1024 bits"));
    }
    assert_int_equal(gpg_err_code(verify(key, LIMBIC_PADDING_PKCS1, expected, 256)),
                     GPG_ERR_SELFTEST_FAILED);
    assert_int_equal(gpg_err_code(limbic_key_ready(key)), GPG_ERR_SELFTEST_FAILED);
    limbic_key_free(key);
}

/* ---- Verification --------------------------------------------------------------------------- */

/* A verification has no certificate. A kernel that errs can have a right signature refused, not a
   wrong one accepted; the next signature finds it out. */
static void test_verification(void **state)
{
    unsigned char expected[MAX_SIGNATURE], bad[MAX_SIGNATURE];
    limbic_key_t key;

    (void)state;
    right_signature(BALANCED, expected);
    fill_all();
    use("fake,portable");
    key = import(BALANCED, 0);
    assert_int_equal(verify(key, LIMBIC_PADDING_PKCS1, expected, 256), 0);
    arm(LIMBIC_SLOT_MONT_POW_PUBLIC, 2048);
    assert_int_equal(gpg_err_code(verify(key, LIMBIC_PADDING_PKCS1, expected, 256)),
                     GPG_ERR_BAD_SIGNATURE);
    for (size_t i = 0; i < 256; i++) {
        memcpy(bad, expected, sizeof bad);
        bad[i] ^= (unsigned char)(1 + i % 255);
        assert_int_equal(gpg_err_code(verify(key, LIMBIC_PADDING_PKCS1, bad, 256)),
                         GPG_ERR_BAD_SIGNATURE);
        assert_int_equal(gpg_err_code(verify(key, LIMBIC_PADDING_PSS, bad, 256)),
                         GPG_ERR_BAD_SIGNATURE);
    }
    assert_int_equal(faults(), 0);
    assert_signs(key, expected);
    assert_quarantined(LIMBIC_SLOT_MONT_POW_PUBLIC, 2048);
    assert_int_equal(verify(key, LIMBIC_PADDING_PKCS1, expected, 256), 0);
    limbic_key_free(key);
}

/* A kernel for public powers that does nothing, or copies, would accept the mere encoding of a digest
   as its signature, and send a message in clear. --enable-verify ends the process for the former. */
#ifdef VERIFY
#define FIRST_WAY COPIES
#else
#define FIRST_WAY DOES_NOTHING
#endif

/* A key whose public powers go wrong in that way, by a fake that is in service again. */
static limbic_key_t idle_key(int how)
{
    limbic_key_t key;

    disarm();
    fill_all();
    use("fake,portable");
    key = import(BALANCED, 0);
    atomic_store(&fault_way, how);
    arm(LIMBIC_SLOT_MONT_POW_PUBLIC, 2048);
    return key;
}

static void assert_idle_is_found(limbic_key_t key)
{
    assert_quarantined_for(LIMBIC_SLOT_MONT_POW_PUBLIC, 2048, "public power was its own base");
    limbic_key_free(key);
}

static void test_idle_public_power(void **state)
{
    unsigned char expected[MAX_SIGNATURE], encoding[MAX_SIGNATURE], power[MAX_SIGNATURE];
    limbic_key_t key;

    (void)state;
    right_signature(BALANCED, expected);
    use("portable");
    key = import(BALANCED, 0);
    assert_int_equal(lb_rsa_public(key->rsa, encoding, expected), 0);
    assert_int_equal(lb_rsa_public(key->rsa, power, encoding), 0);
    limbic_key_free(key);
    for (int how = FIRST_WAY; how <= COPIES; how++) {
        unsigned char out[MAX_SIGNATURE];

        key = idle_key(how);
        assert_int_equal(gpg_err_code(verify(key, LIMBIC_PADDING_PKCS1, encoding, 256)),
                         GPG_ERR_BAD_SIGNATURE);
        assert_idle_is_found(key);
        key = idle_key(how);
        assert_int_equal(lb_rsa_public(key->rsa, out, encoding), 0);
        assert_memory_equal(out, power, 256);
        assert_idle_is_found(key);
        key = idle_key(how);
        assert_signs(key, expected);
        assert_signs(key, expected);
        limbic_key_free(key);
    }
}

/* ---- Generation ----------------------------------------------------------------------------- */

/* A kernel for which no number is a prime: the key is made all the same, and the kernel blamed. */
static void test_generation(void **state)
{
    struct limbic_generate options = LIMBIC_GENERATE_INIT;
    limbic_key_t key;

    (void)state;
    options.allow_weak = 1;
    for (int among_others = 0; among_others < 2; among_others++) {
        clean(NULL);
        if (among_others)
            fill_all();
        else
            fill(LIMBIC_SLOT_MONT_POW);
        use("fake,portable");
        limbic_key_free(import("rsa/ok-1025.pem", 0)); /* self-tests, while the kernel is right */
        assert_int_equal(lb_dispatch_ready(512), 0);
        arm(LIMBIC_SLOT_MONT_POW, 512);
        assert_int_equal(limbic_key_generate(&key, "rsa:1024", &options), 0);
        assert_string_not_equal(server(LIMBIC_SLOT_MONT_POW, 512), "fake");
        assert_int_equal(faults(), 1);
        assert_explains("fake:mont_pow at 512 bits: was wrong in an operation: found no prime");
        assert_int_equal(limbic_key_check(key), 0);
        limbic_key_free(key);
    }
}

/* ---- Prepared states ------------------------------------------------------------------------ */

static void fill_stateful(void)
{
    fill_all();
    moduli.slots.mont_mul = stateful_mont_mul;
    moduli.slots.mont_pow_pair = stateful_mont_pow_pair;
    moduli.modulus_state_size = modulus_state_size;
    moduli.modulus_state_init = modulus_state_init;
    moduli.pair_state_size = pair_state_size;
    moduli.pair_state_init = pair_state_init;
}

/* After the self-tests, which make states of their own. */
static void forget_states(void)
{
    atomic_store(&modulus_states, 0);
    atomic_store(&pair_states, 0);
    atomic_store(&state_faults, 0);
    atomic_store(&of_keys, true);
}

static void assert_states(unsigned for_moduli, unsigned for_pairs)
{
    assert_int_equal(atomic_load(&modulus_states), for_moduli);
    assert_int_equal(atomic_load(&pair_states), for_pairs);
    assert_int_equal(atomic_load(&state_faults), 0);
}

static void test_states(void **state)
{
    unsigned char expected[MAX_SIGNATURE];
    struct lb_arena_stats before, after;
    limbic_key_t key, other;

    (void)state;
    right_signature(BALANCED, expected);
    fill_stateful();
    use("fake,portable");
    limbic_key_free(import(BALANCED, 0));
    forget_states();
    lb_arena_stats(&before);
    key = import(BALANCED, 0);
    assert_states(3, 1); /* n, p, q; p and q */
    assert_signs(key, expected);
    assert_int_equal(limbic_key_ready(key), 0);
    assert_states(3, 1);
    assert_int_equal(limbic_key_public(key, &other), 0);
    assert_states(4, 1);
    limbic_key_free(other);
    other = import(UNBALANCED, 0);
    forget_states();
    limbic_key_free(other);
    other = import(UNBALANCED, 0);
    assert_states(3, 0);

    /* Another plan, the same family: its states are there. */
    forget_states();
    arm(LIMBIC_SLOT_MONT_REDUCE, 1024);
    for (int i = 0; i < 2; i++)
        assert_signs(key, expected);
    assert_quarantined(LIMBIC_SLOT_MONT_REDUCE, 1024);
    assert_int_equal(limbic_key_ready(key), 0);
    assert_int_equal(limbic_key_ready(other), 0);
    assert_states(0, 0);

    /* Nor does it take the lock under which states are made. */
    assert_int_equal(limbic_reconfigure("portable"), 0);
    alarm(60);
    lb_test_hold_states(1);
    assert_signs(key, expected);
    assert_int_equal(limbic_reconfigure("fake,portable"), 0);
    assert_signs(key, expected);
    assert_int_equal(limbic_key_ready(key), 0);
    lb_test_hold_states(0);
    alarm(0);
    assert_states(0, 0);
    limbic_key_free(key);
    limbic_key_free(other);
    lb_arena_stats(&after);
    assert_int_equal(after.allocations, before.allocations);
    assert_int_equal(after.used, before.used);
}

/* As if the plan had just come to want states, with no memory for them. */
static void take_states_away(struct lb_rsa *key)
{
    memset(key->n.state, 0, sizeof key->n.state);
    memset(key->prime[0].m.state, 0, sizeof key->prime[0].m.state);
    memset(key->prime[1].m.state, 0, sizeof key->prime[1].m.state);
    memset(key->pair.state, 0, sizeof key->pair.state);
    key->ready = NULL;
}

static void test_states_without_memory(void **state)
{
    unsigned char expected[MAX_SIGNATURE];
    limbic_key_t key, none = NULL;
    uint8_t *data;
    size_t length = 0;
    unsigned calls;

    (void)state;
    right_signature(BALANCED, expected);
    fill_stateful();
    use("fake,portable");
    key = import(BALANCED, 0);
    take_states_away(key->rsa);
    forget_states();
    atomic_store(&huge_states, true);
    calls = atomic_load(&fake_calls);
    assert_signs(key, expected);
    assert_int_equal(verify(key, LIMBIC_PADDING_PKCS1, expected, 256), 0);
    assert_int_equal(atomic_load(&fake_calls), calls);
    assert_states(1, 0); /* n is public */
    assert_int_equal(gpg_err_code(limbic_key_ready(key)), GPG_ERR_ENOMEM);
    data = data_read(BALANCED, &length);
    assert_int_equal(gpg_err_code(limbic_key_import(&none, data, length, 0)), GPG_ERR_ENOMEM);
    assert_null(none);
    free(data);

    /* Memory comes back. */
    atomic_store(&huge_states, false);
    forget_states();
    assert_signs(key, expected);
    assert_states(2, 1);
    assert_true(atomic_load(&fake_calls) > calls);
    limbic_key_free(key);
}

/* A family that wants more than any state needs is put out of use, whatever the sum would wrap to. */
static void test_states_too_large(void **state)
{
    static const size_t sizes[] = {(1 << 20) + 1, SIZE_MAX / 8, (size_t)-128,
                                   (size_t)-64,   (size_t)-63,  (size_t)-1};
    unsigned char expected[MAX_SIGNATURE];

    (void)state;
    right_signature(BALANCED, expected);
    fill_stateful();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        limbic_key_t key;

        atomic_store(&huge_size, sizes[i]);
        atomic_store(&huge_states, true);
        use("fake,portable");
        key = import(BALANCED, 0);
        assert_signs(key, expected);
        assert_string_not_equal(server(LIMBIC_SLOT_MONT_MUL, 1024), "fake");
        assert_explains("wants a prepared state of more than 1 MiB");
        limbic_key_free(key);
    }
    atomic_store(&huge_states, false);
    atomic_store(&huge_size, SIZE_MAX / 8);
}

/* ---- Threads -------------------------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 6 };

struct signer {
    limbic_key_t key;
    const unsigned char *expected;
    unsigned failures;
};

static pthread_barrier_t barrier;

static void *sign_often(void *argument)
{
    struct signer *s = argument;
    unsigned char signature[MAX_SIGNATURE];
    size_t length;

    pthread_barrier_wait(&barrier);
    for (int i = 0; i < ROUNDS; i++)
        if (sign(s->key, LIMBIC_PADDING_PKCS1, signature, &length) ||
            memcmp(signature, s->expected, length) != 0)
            s->failures++;
    return NULL;
}

static void run_threads(limbic_key_t key, const unsigned char *expected)
{
    pthread_t thread[THREADS];
    struct signer signer[THREADS];

    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        signer[i] = (struct signer){key, expected, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, sign_often, &signer[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&barrier);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(signer[i].failures, 0);
}

static void test_threads(void **state)
{
    unsigned char expected[MAX_SIGNATURE];
    limbic_key_t key;

    (void)state;
    right_signature(BALANCED, expected);
    fill_stateful();
    use("fake,portable");
    key = import(BALANCED, 0);
    forget_states();
    atomic_store(&fault_after, 6);
    arm(LIMBIC_SLOT_MONT_POW_PAIR, 1024);
    run_threads(key, expected);
    assert_quarantined(LIMBIC_SLOT_MONT_POW_PAIR, 1024);
    assert_states(0, 0);

    /* All find at once that states are missing: one makes them. */
    take_states_away(key->rsa);
    disarm();
    run_threads(key, expected);
    assert_int_equal(atomic_load(&modulus_states), 3);
    assert_int_equal(atomic_load(&state_faults), 0);
    limbic_key_free(key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_lasting, clean),
        cmocka_unit_test_setup(test_all_sizes, clean),
        cmocka_unit_test_setup(test_after_a_while, clean),
        cmocka_unit_test_setup(test_two_at_once, clean),
        cmocka_unit_test_setup(test_inverse, clean),
        cmocka_unit_test_setup(test_spoilt_pair, clean),
        cmocka_unit_test_setup(test_once, clean),
        cmocka_unit_test_setup(test_once_single, clean),
        cmocka_unit_test_setup(test_lenient, clean),
        cmocka_unit_test_setup(test_spoilt_key, clean),
        cmocka_unit_test_setup(test_only, clean),
        cmocka_unit_test_setup(test_verification, clean),
        cmocka_unit_test_setup(test_idle_public_power, clean),
        cmocka_unit_test_setup(test_generation, clean),
        cmocka_unit_test_setup(test_states, clean),
        cmocka_unit_test_setup(test_states_without_memory, clean),
        cmocka_unit_test_setup(test_states_too_large, clean),
        cmocka_unit_test_setup(test_threads, clean),
    };

    return cmocka_run_group_tests(tests, NULL, clean);
}
