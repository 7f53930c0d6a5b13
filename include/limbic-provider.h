/* SPDX-License-Identifier: MIT */
/*
 * limbic-provider.h - the provider ABI: the table of arithmetic slots (the "ops table") through
 * which every limbic algorithm computes, and how a provider fills it.
 *
 * This header is all that the author of a provider needs, and all that a provider may know: it
 * names no key, no scheme and no other provider. It is under a permissive licence so that anybody
 * may write a module.
 *
 *
 * 1. Vocabulary
 *
 *   limb      an unsigned word of LIMBIC_LIMB_BITS bits (64, or 32 on hosts without a 128-bit
 *             integer type). All limbs of a process have one width.
 *   natural   an array of limbs, least significant limb first, never negative, of fixed and public
 *             length. There is no normalisation: high limbs may be zero.
 *   slot      one operation of the table, e.g. mont_mul.
 *   kernel    one provider's function for one slot at one tier, written native/adx:mont_mul.
 *   tier      a set of kernels with the same CPU requirements. A provider has one or more.
 *   family    the kernels of one (provider, tier, level). A family may keep prepared state of its
 *             own for a modulus, a pair of moduli, a base or a point, in whatever form it likes.
 *   row       struct limbic_ops: the resolved table for one size class or curve. Rows of one plan
 *             may mix kernels of many families.
 *
 * Letters: r result; a, b operands; m modulus; n a length in limbs; e exponent; R means
 * 2^(LIMBIC_LIMB_BITS * n), n being the length of the modulus at hand; B means 2^LIMBIC_LIMB_BITS.
 *
 *
 * 2. Rules for every slot
 *
 *   Sizes     n >= 1 unless the slot says otherwise, and n <= LIMBIC_MAX_LIMBS. Sizes in bits say
 *             so in their name (ebits).
 *   Aliasing  "exact" means that r may be the same pointer as the operand named. Any other overlap
 *             is forbidden, in every slot, also between the operations of one call that does
 *             several. Operands that are only read may always be the same.
 *             Scratch never overlaps anything.
 *   Masks     a limbic_limb_t that is 0 or ~0. Any other value gives an undefined result.
 *   Ranges    values at a slot's boundary are plain naturals or Montgomery residues with the R
 *             above, in [0, m). A private radix or range (2^52 digits, [0, 2m)) never leaves a
 *             family. A kernel may rely on the ranges stated.
 *   Scratch   given by the caller, LIMBIC_SCRATCH_*(n) limbs as the slot says, contents undefined
 *             on entry. It is aligned as a limb is and no better, since kernels call one another
 *             with the tail of their own; one that wants vectors aligned rounds up, for which every
 *             size has more than 64 bytes to spare. The caller wipes it. A kernel keeps secrets in
 *             registers, in scratch and in r; arrays in its own frame that held any are wiped by
 *             the kernel.
 *   Calls     a kernel allocates nothing, opens nothing, takes no lock, keeps no mutable global
 *             state, calls no libc function but mem* with public sizes, and returns. It may run on
 *             any thread with as little as 16 KiB of stack of its own. It preserves what the
 *             platform's calling convention tells it to and, on x86, leaves the upper halves of
 *             vector registers clean (vzeroupper).
 *   Memory    reads and writes nothing outside its operands, not even within the same page.
 *
 *   Constant time. Each slot has one class, a property of the slot (see enum limbic_ct):
 *   LIMBIC_CT_SECRET_OK: the values of all operands may be secret. No branch, no memory address and
 *   no operand of an instruction with variable latency (division, on some CPUs multiplication) may
 *   depend on them. Sizes, bit counts and pointers are public, and so is what the slot's own text
 *   names public. LIMBIC_CT_PUBLIC_ONLY: all operands are public; the name ends in _vartime.
 *   A kernel that cannot keep a slot's class leaves the slot NULL.
 *
 *
 * 3. Levels
 *
 *   Level 1 (limbs) is whole in every provider that has it: all slots of struct limbic_limb_slots
 *   are non-NULL. Of levels 2 and 3 a provider fills what it is good at and leaves the rest NULL;
 *   limbic's own provider `derived` has them all, written over the slots below of the same row. So
 *   a module that brings only limb functions is a full backend.
 *
 *
 * 4. Modules
 *
 *   A provider outside the library is a shared object named limbic-provider-NAME.so in the module
 *   directory, $(libdir)/limbic/providers. It exports one object, a struct limbic_provider whose
 *   name is NAME, under the symbol LIMBIC_PROVIDER_SYMBOL(NAME), with `_` for every `-` of NAME:
 *
 *       struct limbic_provider LIMBIC_PROVIDER_SYMBOL(my_own) = { ..., .name = "my-own", ... };
 *
 *   It is opened when words first name it, bound at once, and stays to the end of the process. It
 *   links nothing of limbic. The table may be completed by a constructor of the module, and is
 *   constant from then on. The directory, its parents and the file must belong to root or to the
 *   owner of liblimbic, and be writable by nobody else.
 */
#ifndef LIMBIC_PROVIDER_H
#define LIMBIC_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ABI version. Same major, same limb width and a minor not newer than the library's are needed for
   a provider to be accepted. While the major is 0 the table may change from release to release. */
#define LIMBIC_PROVIDER_ABI_MAJOR 0
#define LIMBIC_PROVIDER_ABI_MINOR 1

/* The limb. The width follows the host unless the build of limbic chose another one, in which
   case the flags of limbic.pc say so; a provider built for another width is refused when it
   is loaded. */
#ifndef LIMBIC_LIMB_BITS
#ifdef __SIZEOF_INT128__
#define LIMBIC_LIMB_BITS 64
#else
#define LIMBIC_LIMB_BITS 32
#endif
#endif

#if LIMBIC_LIMB_BITS == 64
typedef uint64_t limbic_limb_t;
#elif LIMBIC_LIMB_BITS == 32
typedef uint32_t limbic_limb_t;
#else
#error "LIMBIC_LIMB_BITS must be 32 or 64"
#endif

/* The largest modulus, in bits and in limbs. Level 1 slots take operands of up to twice as many. */
#define LIMBIC_MAX_BITS 16384
#define LIMBIC_MAX_LIMBS (LIMBIC_MAX_BITS / LIMBIC_LIMB_BITS)

/* Scratch sizes, in limbs. They depend on public lengths only, are the same for every provider (so
   that any kernel may call any slot below it with a tail of its own scratch), and are what keeps
   the stack of one operation below 128 KiB at 16384 bits:
   MUL   room for a Karatsuba recursion, which needs 2 * (n + log2 n);
   MONT  one double-length product, and MUL for it;
   POW   a table of 32 residues up to 4096 bits, 16 above, in a radix as wasteful as 2^52,
         and MONT for one multiplication. */
#define LIMBIC_SCRATCH_MUL(an, bn) (2 * ((size_t)(an) + (size_t)(bn)) + 64)
#define LIMBIC_SCRATCH_MONT(n) (8 * (size_t)(n) + 128)
#define LIMBIC_SCRATCH_POW(n) \
    (((size_t)(n)*LIMBIC_LIMB_BITS <= 4096 ? 48 : 24) * (size_t)(n) + LIMBIC_SCRATCH_MONT(n) + 256)
#define LIMBIC_SCRATCH_POW_PAIR(n) (2 * LIMBIC_SCRATCH_POW(n))
#define LIMBIC_SCRATCH_POW_X8(n) (8 * LIMBIC_SCRATCH_POW(n))
#define LIMBIC_SCRATCH_INV(n) (12 * (size_t)(n) + LIMBIC_SCRATCH_MONT(n) + 64)

/* Families that one process can hold: (provider, tier, level) triples of built-ins and modules. */
#define LIMBIC_FAMILY_MAX 32

/* Constant-time class of a slot. */
enum limbic_ct {
    LIMBIC_CT_SECRET_OK = 0,
    LIMBIC_CT_PUBLIC_ONLY = 1,
};

/* Slot numbers, stable: a level's numbers are only ever appended to. */
enum limbic_slot {
    /* level 1 */
    LIMBIC_SLOT_ADD = 0,
    LIMBIC_SLOT_SUB = 1,
    LIMBIC_SLOT_COND_ADD = 2,
    LIMBIC_SLOT_COND_SUB = 3,
    LIMBIC_SLOT_COND_SWAP = 4,
    LIMBIC_SLOT_SELECT = 5,
    LIMBIC_SLOT_TABLE_SELECT = 6,
    LIMBIC_SLOT_LSHIFT = 7,
    LIMBIC_SLOT_RSHIFT = 8,
    LIMBIC_SLOT_MUL_1 = 9,
    LIMBIC_SLOT_ADDMUL_1 = 10,
    LIMBIC_SLOT_SUBMUL_1 = 11,
    LIMBIC_SLOT_MUL = 12,
    LIMBIC_SLOT_SQR = 13,
    LIMBIC_SLOT_MUL_VARTIME = 14,
    LIMBIC_SLOT_SQR_VARTIME = 15,
    /* level 2 */
    LIMBIC_SLOT_MONT_MUL = 32,
    LIMBIC_SLOT_MONT_SQR = 33,
    LIMBIC_SLOT_MONT_REDUCE = 34,
    LIMBIC_SLOT_MONT_POW = 35,
    LIMBIC_SLOT_MONT_POW_PAIR = 36,
    LIMBIC_SLOT_MONT_POW_X8 = 37,
    LIMBIC_SLOT_MONT_POW_PUBLIC = 38,
    LIMBIC_SLOT_MONT_POW_BASE = 39,
    LIMBIC_SLOT_MONT_POW2_VARTIME = 40,
    LIMBIC_SLOT_MONT_INV = 41,
    /* level 3 */
    LIMBIC_SLOT_EC_MUL_BASE = 64,
    LIMBIC_SLOT_EC_MUL = 65,
    LIMBIC_SLOT_EC_CHECK_VARTIME = 66,
    LIMBIC_SLOT_EC_MUL_BASE_X8 = 67,
    LIMBIC_SLOT_EC_MUL_X8 = 68,
    LIMBIC_SLOT_EC_CHECK_X8_VARTIME = 69,
    LIMBIC_SLOT_COUNT = 96
};

struct limbic_ops;

/*
 * Level 1: limbs.
 *
 * Plain functions of limb arrays, without context. Lengths here go up to 2 * LIMBIC_MAX_LIMBS.
 */
struct limbic_limb_slots {
    /* r[n] = a[n] + b[n] mod B^n; returns the carry, 0 or 1. Exact: r with a, with b, with both. */
    limbic_limb_t (*add)(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b,
                         size_t n);

    /* r[n] = a[n] - b[n] mod B^n; returns the borrow, 0 or 1. Exact: r with a, with b,
       with both. */
    limbic_limb_t (*sub)(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b,
                         size_t n);

    /* r[n] = a[n] + (b[n] & mask) mod B^n; returns the carry. The mask is secret. Exact: r with a,
       with b. */
    limbic_limb_t (*cond_add)(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b,
                              size_t n, limbic_limb_t mask);

    /* r[n] = a[n] - (b[n] & mask) mod B^n; returns the borrow. The mask is secret. Exact: r with a,
       with b. */
    limbic_limb_t (*cond_sub)(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b,
                              size_t n, limbic_limb_t mask);

    /* Exchange a[n] and b[n] if mask is ~0, leave both if it is 0. The mask is secret. a != b. */
    void (*cond_swap)(limbic_limb_t *a, limbic_limb_t *b, size_t n, limbic_limb_t mask);

    /* r[n] = mask ? a[n] : b[n]. The mask is secret. Exact: r with a, with b. */
    void (*select)(limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *b, size_t n,
                   limbic_limb_t mask);

    /* r[n] = table[index * n .. index * n + n - 1], reading every one of the `entries` entries.
       The index is secret, 0 <= index < entries <= 64; for an index outside r is undefined. */
    void (*table_select)(limbic_limb_t *r, const limbic_limb_t *table, size_t entries, size_t n,
                         size_t index);

    /* r[n] = a[n] * 2^s mod B^n; returns the bits shifted out, in the low bits of the result.
       1 <= s < LIMBIC_LIMB_BITS, public. Exact: r with a. */
    limbic_limb_t (*lshift)(limbic_limb_t *r, const limbic_limb_t *a, size_t n, unsigned s);

    /* r[n] = floor(a[n] / 2^s); returns the bits shifted out, in the high bits of the result.
       1 <= s < LIMBIC_LIMB_BITS, public. Exact: r with a. */
    limbic_limb_t (*rshift)(limbic_limb_t *r, const limbic_limb_t *a, size_t n, unsigned s);

    /* r[n] = low n limbs of a[n] * b; returns the limb above. Exact: r with a. */
    limbic_limb_t (*mul_1)(limbic_limb_t *r, const limbic_limb_t *a, size_t n, limbic_limb_t b);

    /* r[n] = low n limbs of r[n] + a[n] * b; returns the limb above. Exact: r with a. */
    limbic_limb_t (*addmul_1)(limbic_limb_t *r, const limbic_limb_t *a, size_t n, limbic_limb_t b);

    /* r[n] = r[n] - a[n] * b mod B^n; returns the limb to subtract above. Exact: r with a. */
    limbic_limb_t (*submul_1)(limbic_limb_t *r, const limbic_limb_t *a, size_t n, limbic_limb_t b);

    /* r[an + bn] = a[an] * b[bn], an >= 1, bn >= 1 in any order. No aliasing of r.
       Scratch: LIMBIC_SCRATCH_MUL(an, bn). */
    void (*mul)(limbic_limb_t *r, const limbic_limb_t *a, size_t an, const limbic_limb_t *b,
                size_t bn, limbic_limb_t *scratch);

    /* r[2n] = a[n]^2. No aliasing of r. Scratch: LIMBIC_SCRATCH_MUL(n, n). */
    void (*sqr)(limbic_limb_t *r, const limbic_limb_t *a, size_t n, limbic_limb_t *scratch);

    /* As mul and sqr, for public operands: may skip zeros and branch on values. */
    void (*mul_vartime)(limbic_limb_t *r, const limbic_limb_t *a, size_t an, const limbic_limb_t *b,
                        size_t bn, limbic_limb_t *scratch);
    void (*sqr_vartime)(limbic_limb_t *r, const limbic_limb_t *a, size_t n, limbic_limb_t *scratch);
};

/*
 * Level 2: moduli.
 *
 * A modulus is odd and at least 3. Its length n is that of its bit length, so m[n-1] != 0. Core
 * makes the object and owns it; a family attaches state. Every level 2 and 3 slot gets the row it
 * stands in, so that it can call the slots below, and finds its own state with
 * limbic_modulus_state(ops, m, LIMBIC_SLOT_...). Objects are immutable to kernels.
 *
 * Of a modulus n, bits and flags are public. Its value, and with it neg_inv, one and r2, is public
 * too unless LIMBIC_MODULUS_SECRET is set; then it is as secret as an operand. A kernel whose way
 * is constant time for public moduli only takes another way when it sees the flag.
 */
#define LIMBIC_MODULUS_SECRET 1u /* the modulus itself is secret: an RSA prime */

struct limbic_modulus {
    size_t n;                             /* limbs */
    size_t bits;                          /* exact bit length, public */
    unsigned flags;                       /* LIMBIC_MODULUS_* */
    limbic_limb_t neg_inv;                /* -1/m mod B */
    const limbic_limb_t *m;               /* n limbs */
    const limbic_limb_t *one;             /* R mod m, n limbs */
    const limbic_limb_t *r2;              /* R^2 mod m, n limbs */
    const void *state[LIMBIC_FAMILY_MAX]; /* by family; read with limbic_modulus_state only */
};

/* Two moduli of the same n, for a CRT pair of exponentiations. */
struct limbic_pair {
    const struct limbic_modulus *m[2];
    const void *state[LIMBIC_FAMILY_MAX];
};

/* A base of a modulus that is used again and again: a generator, a public key. */
struct limbic_base {
    const struct limbic_modulus *m;
    const limbic_limb_t *a; /* n limbs, in [0, m), plain */
    const void *state[LIMBIC_FAMILY_MAX];
};

struct limbic_mod_slots {
    /* r = a * b / R mod m, all n limbs in [0, m). Exact: r with a, with b, with both.
       Scratch: LIMBIC_SCRATCH_MONT(n). */
    void (*mont_mul)(const struct limbic_ops *ops, const struct limbic_modulus *m, limbic_limb_t *r,
                     const limbic_limb_t *a, const limbic_limb_t *b, limbic_limb_t *scratch);

    /* r = a^2 / R mod m. Exact: r with a. Scratch: LIMBIC_SCRATCH_MONT(n). */
    void (*mont_sqr)(const struct limbic_ops *ops, const struct limbic_modulus *m, limbic_limb_t *r,
                     const limbic_limb_t *a, limbic_limb_t *scratch);

    /* r[n] = a / R mod m, in [0, m), for a[2n] with a < m * R (so any a < R too). a is clobbered.
       r may be a or a + n. Scratch: LIMBIC_SCRATCH_MONT(n). */
    void (*mont_reduce)(const struct limbic_ops *ops, const struct limbic_modulus *m,
                        limbic_limb_t *r, limbic_limb_t *a, limbic_limb_t *scratch);

    /* r = a^e mod m, plain in and out, a and r in [0, m). e is secret and has ebits bits, ebits
       public, >= 1, at most 2 * LIMBIC_MAX_BITS; e has ceil(ebits / LIMBIC_LIMB_BITS) limbs and no
       bit set at ebits or above. 0^0 = 1. Exact: r with a. Scratch: LIMBIC_SCRATCH_POW(n). */
    void (*mont_pow)(const struct limbic_ops *ops, const struct limbic_modulus *m, limbic_limb_t *r,
                     const limbic_limb_t *a, const limbic_limb_t *e, size_t ebits,
                     limbic_limb_t *scratch);

    /* r[i] = a[i]^e[i] mod m[i] for i = 0, 1: mont_pow for both moduli of a pair, with one ebits.
       Exact: r[i] with a[i]. Scratch: LIMBIC_SCRATCH_POW_PAIR(n). */
    void (*mont_pow_pair)(const struct limbic_ops *ops, const struct limbic_pair *pair,
                          limbic_limb_t *const r[2], const limbic_limb_t *const a[2],
                          const limbic_limb_t *const e[2], size_t ebits, limbic_limb_t *scratch);

    /* r[i] = a[i]^e[i] mod m[i] for i = 0 .. 7: eight independent mont_pow, all moduli of the same
       n. Exact: r[i] with a[i]. Scratch: LIMBIC_SCRATCH_POW_X8(n). */
    void (*mont_pow_x8)(const struct limbic_ops *ops, const struct limbic_modulus *const m[8],
                        limbic_limb_t *const r[8], const limbic_limb_t *const a[8],
                        const limbic_limb_t *const e[8], size_t ebits, limbic_limb_t *scratch);

    /* As mont_pow, with a public exponent: time may depend on e and ebits, not on a nor, when it
       is flagged secret, on m. Bit ebits - 1 of e is set. Exact: r with a.
       Scratch: LIMBIC_SCRATCH_POW(n). */
    void (*mont_pow_public)(const struct limbic_ops *ops, const struct limbic_modulus *m,
                            limbic_limb_t *r, const limbic_limb_t *a, const limbic_limb_t *e,
                            size_t ebits, limbic_limb_t *scratch);

    /* r = base^e mod m, plain, e secret and ebits as in mont_pow, from whatever table the family
       keeps as the base's state. No aliasing of r. Scratch: LIMBIC_SCRATCH_POW(n). */
    void (*mont_pow_base)(const struct limbic_ops *ops, const struct limbic_base *base,
                          limbic_limb_t *r, const limbic_limb_t *e, size_t ebits,
                          limbic_limb_t *scratch);

    /* r = base[0]^e[0] * base[1]^e[1] mod m, plain; both bases of one modulus; e[i] and ebits as in
       mont_pow, but all public. No aliasing of r. Scratch: LIMBIC_SCRATCH_POW_PAIR(n). */
    void (*mont_pow2_vartime)(const struct limbic_ops *ops, const struct limbic_base *const base[2],
                              limbic_limb_t *r, const limbic_limb_t *const e[2], size_t ebits,
                              limbic_limb_t *scratch);

    /* r = 1/a mod m, plain, for any a[n] in [0, m); returns ~0, or 0 when gcd(a, m) != 1, and then
       r = 0. Exact: r with a. Scratch: LIMBIC_SCRATCH_INV(n). */
    limbic_limb_t (*mont_inv)(const struct limbic_ops *ops, const struct limbic_modulus *m,
                              limbic_limb_t *r, const limbic_limb_t *a, limbic_limb_t *scratch);
};

/*
 * A level 2 family. Of each kind of state, size and init are both there or both NULL: no state
 * needed. Sizes are in bytes and depend on public values (n, bits, flags) only; 0 means no state, and
 * a family that wants more than 1 MiB is put out of use.
 * Core allocates the state, aligned to 64 bytes, in locked memory when the modulus is secret, calls
 * init once before any kernel of the family sees the object, and wipes and frees it with the
 * object. `ops` is a row for the object's size, which need not be one that the family stands in: for
 * the states of keys it is portable's, so that no kernel which is found wrong later has had a part
 * in them. Rows of all plans in which the family stands use the same state, so what it holds follows
 * from the object alone. State is position independent: it may hold pointers into the object only.
 */
struct limbic_mod_family {
    size_t size; /* sizeof(struct limbic_mod_family) as compiled */
    struct limbic_mod_slots slots;

    /* Whether the kernel of this slot serves every modulus of min_bits .. max_bits bits. A pure
       function. NULL: all sizes. */
    bool (*serves)(enum limbic_slot slot, size_t min_bits, size_t max_bits);

    size_t (*modulus_state_size)(const struct limbic_modulus *m);
    void (*modulus_state_init)(const struct limbic_ops *ops, const struct limbic_modulus *m,
                               void *state);
    size_t (*pair_state_size)(const struct limbic_pair *pair);
    void (*pair_state_init)(const struct limbic_ops *ops, const struct limbic_pair *pair,
                            void *state);
    size_t (*base_state_size)(const struct limbic_base *base);
    void (*base_state_init)(const struct limbic_ops *ops, const struct limbic_base *base,
                            void *state);
};

/*
 * Level 3: curves. The shape of the slots; they are filled and called once curves are there, and
 * may still change until then.
 */

/* Stable numbers of the curves, so that a tier may specialise some. */
enum limbic_curve_id {
    LIMBIC_CURVE_NONE = 0,
    LIMBIC_CURVE_P192 = 1,
    LIMBIC_CURVE_P224 = 2,
    LIMBIC_CURVE_P256 = 3,
    LIMBIC_CURVE_P384 = 4,
    LIMBIC_CURVE_P521 = 5,
    LIMBIC_CURVE_SECP256K1 = 6,
    LIMBIC_CURVE_BRAINPOOL_P160R1 = 7,
    LIMBIC_CURVE_BRAINPOOL_P192R1 = 8,
    LIMBIC_CURVE_BRAINPOOL_P224R1 = 9,
    LIMBIC_CURVE_BRAINPOOL_P256R1 = 10,
    LIMBIC_CURVE_BRAINPOOL_P320R1 = 11,
    LIMBIC_CURVE_BRAINPOOL_P384R1 = 12,
    LIMBIC_CURVE_BRAINPOOL_P512R1 = 13,
    LIMBIC_CURVE_BRAINPOOL_P160T1 = 14,
    LIMBIC_CURVE_BRAINPOOL_P192T1 = 15,
    LIMBIC_CURVE_BRAINPOOL_P224T1 = 16,
    LIMBIC_CURVE_BRAINPOOL_P256T1 = 17,
    LIMBIC_CURVE_BRAINPOOL_P320T1 = 18,
    LIMBIC_CURVE_BRAINPOOL_P384T1 = 19,
    LIMBIC_CURVE_BRAINPOOL_P512T1 = 20,
    LIMBIC_CURVE_ED25519 = 21,
    LIMBIC_CURVE_ED448 = 22,
    LIMBIC_CURVE_X25519 = 23,
    LIMBIC_CURVE_X448 = 24,
    LIMBIC_CURVE_GOST2001_TEST = 25,
    LIMBIC_CURVE_GOST2001_A = 26,
    LIMBIC_CURVE_GOST2001_B = 27,
    LIMBIC_CURVE_GOST2001_C = 28,
    LIMBIC_CURVE_GOST2012_256_A = 29,
    LIMBIC_CURVE_GOST2012_512_TEST = 30,
    LIMBIC_CURVE_GOST2012_512_A = 31,
    LIMBIC_CURVE_GOST2012_512_B = 32,
    LIMBIC_CURVE_GOST2012_512_C = 33,
    LIMBIC_CURVE_SM2 = 34,
    LIMBIC_CURVE_COUNT = 35
};

enum limbic_curve_form {
    LIMBIC_FORM_WEIERSTRASS = 0, /* y^2 = x^3 + ax + b */
    LIMBIC_FORM_EDWARDS = 1,     /* ax^2 + y^2 = 1 + bx^2y^2 (b stands for d) */
    LIMBIC_FORM_MONTGOMERY = 2,  /* y^2 = x^3 + ax^2 + x */
};

/* Coefficients and coordinates are plain, in [0, p), p->n limbs; never negative (a = p - 3). */
struct limbic_curve {
    enum limbic_curve_id id;
    enum limbic_curve_form form;
    unsigned cofactor;
    const struct limbic_modulus *p; /* the field */
    const struct limbic_modulus *q; /* the order of the base point */
    const limbic_limb_t *a, *b, *gx, *gy;
};

/* A point known to be on its curve, not infinity, and in the subgroup: a public key. */
struct limbic_point {
    const struct limbic_curve *curve;
    const limbic_limb_t *x, *y;
    const void *state[LIMBIC_FAMILY_MAX];
};

/* What ec_check_vartime decides, for public u, v in [0, q):
   LIMBIC_CHECK_X_MOD_Q  x(uG + vQ) = r mod q, the point not infinity (ECDSA, GOST, SM2's form);
   LIMBIC_CHECK_POINT    uG + vQ = (rx, ry) exactly (EdDSA, with v negated by the caller). */
enum limbic_check { LIMBIC_CHECK_X_MOD_Q = 0, LIMBIC_CHECK_POINT = 1 };

struct limbic_equation {
    enum limbic_check what;
    const struct limbic_point *point;
    const limbic_limb_t *u, *v;  /* q->n limbs */
    const limbic_limb_t *r, *ry; /* r: q->n limbs, or x of p->n limbs; ry: NULL, or p->n limbs */
};

struct limbic_curve_slots {
    /* (x, y) = kG, and k_inv = 1/k mod q unless k_inv is NULL. k secret, in [1, q). */
    void (*ec_mul_base)(const struct limbic_ops *ops, const struct limbic_curve *c,
                        limbic_limb_t *x, limbic_limb_t *y, limbic_limb_t *k_inv,
                        const limbic_limb_t *k, limbic_limb_t *scratch);
    /* (x, y) = kP; returns 0 when that is infinity, else ~0. k secret, in [0, q). y may be NULL. */
    limbic_limb_t (*ec_mul)(const struct limbic_ops *ops, const struct limbic_curve *c,
                            limbic_limb_t *x, limbic_limb_t *y, const limbic_limb_t *k,
                            const limbic_limb_t *px, const limbic_limb_t *py,
                            limbic_limb_t *scratch);
    /* Whether the equation holds; all public. A kernel may compare r * Z^2 or halve scalars. */
    bool (*ec_check_vartime)(const struct limbic_ops *ops, const struct limbic_equation *eq,
                             limbic_limb_t *scratch);
    /* Eight of each; element i of each array belongs to operation i. */
    void (*ec_mul_base_x8)(const struct limbic_ops *ops, const struct limbic_curve *c,
                           limbic_limb_t *const x[8], limbic_limb_t *const y[8],
                           limbic_limb_t *const k_inv[8], const limbic_limb_t *const k[8],
                           limbic_limb_t *scratch);
    uint8_t (*ec_mul_x8)(const struct limbic_ops *ops, const struct limbic_curve *c,
                         limbic_limb_t *const x[8], limbic_limb_t *const y[8],
                         const limbic_limb_t *const k[8], const limbic_limb_t *const px[8],
                         const limbic_limb_t *const py[8], limbic_limb_t *scratch);
    uint8_t (*ec_check_x8_vartime)(const struct limbic_ops *ops,
                                   const struct limbic_equation *const eq[8],
                                   limbic_limb_t *scratch);
};

struct limbic_curve_family {
    size_t size;
    struct limbic_curve_slots slots;
    /* Whether the kernel of this slot serves the curve. NULL: all curves. */
    bool (*serves)(enum limbic_slot slot, enum limbic_curve_id id);
    size_t (*scratch_limbs)(enum limbic_slot slot, const struct limbic_curve *c);
    size_t (*point_state_size)(const struct limbic_point *point);
    void (*point_state_init)(const struct limbic_ops *ops, const struct limbic_point *point,
                             void *state);
};

/*
 * The row: what an operation computes with. family[slot] is the number of the family whose kernel
 * stands in the slot, the index of its state in the objects above.
 */
struct limbic_ops {
    size_t size; /* sizeof(struct limbic_ops) as the library has it */
    struct limbic_limb_slots limbs;
    struct limbic_mod_slots moduli;
    struct limbic_curve_slots curves;
    uint8_t family[LIMBIC_SLOT_COUNT];
};

/* The state that the family in `slot` of this row keeps for an object. */
static inline const void *limbic_state(const struct limbic_ops *ops, const void *const *state,
                                       enum limbic_slot slot)
{
    return __atomic_load_n(&state[ops->family[slot]], __ATOMIC_ACQUIRE);
}

static inline const void *limbic_modulus_state(const struct limbic_ops *ops,
                                               const struct limbic_modulus *m,
                                               enum limbic_slot slot)
{
    return limbic_state(ops, m->state, slot);
}

static inline const void *limbic_pair_state(const struct limbic_ops *ops,
                                            const struct limbic_pair *pair, enum limbic_slot slot)
{
    return limbic_state(ops, pair->state, slot);
}

static inline const void *limbic_base_state(const struct limbic_ops *ops,
                                            const struct limbic_base *base, enum limbic_slot slot)
{
    return limbic_state(ops, base->state, slot);
}

/*
 * What a provider says of itself.
 */
struct limbic_tier {
    const char *name;      /* [a-z0-9_-]+, or "" when the provider has a single, nameless tier */
    const char *needs;     /* names of the CPU features needed, separated by spaces; "" for none */
    const char *not_built; /* NULL, or why the kernels below are absent from this build */
    const struct limbic_limb_slots *limbs;    /* NULL: no level 1 */
    const struct limbic_mod_family *moduli;   /* NULL: no level 2 */
    const struct limbic_curve_family *curves; /* NULL: no level 3 */
};

struct limbic_provider {
    size_t size; /* sizeof(struct limbic_provider) as compiled */
    uint16_t abi_major, abi_minor;
    uint32_t limb_bits;
    const char *name;       /* [a-z0-9_-]+, not beginning with `-`; nothing like license or only */
    const char *version;    /* of the provider */
    const char *license;    /* SPDX expression */
    const char *origin;     /* what the arithmetic comes from, in words */
    size_t limb_slots_size; /* sizeof(struct limbic_limb_slots) as compiled */
    size_t tier_size;       /* sizeof(struct limbic_tier) as compiled, the stride of tiers */
    size_t tier_count;
    const struct limbic_tier *tiers; /* best first */
};

/* The symbol of the module limbic-provider-NAME.so: libtool's name for `limbic_provider` in it. */
#define LIMBIC_PROVIDER_SYMBOL(name) limbic_provider_##name##_LTX_limbic_provider

#ifdef __cplusplus
}
#endif

#endif /* LIMBIC_PROVIDER_H */
