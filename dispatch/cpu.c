/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CPU features of x86 (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2,
 * CPUID, and volume 1, section 14.3, on detecting AVX). Other hosts have the same names and an empty
 * set: what their providers need is part of the architecture's baseline.
 */
#include "dispatch/cpu.h"

#include <stdio.h>
#include <string.h>

#include "base/locks.h"
#include "base/nearest.h"

#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#endif

/* ---- The features as data ------------------------------------------------------------------- */

/* clang-format off */
enum feature {
    SSE2, SSE3, SSSE3, SSE4_1, SSE4_2, POPCNT, AES, PCLMULQDQ, SHA_NI, GFNI, BMI1, BMI2, ADX,
    AVX, FMA, AVX2, VAES, VPCLMULQDQ, AVX_IFMA, SHA512,
    AVX512F, AVX512CD, AVX512DQ, AVX512BW, AVX512VL, AVX512IFMA, AVX512VBMI, AVX512VBMI2,
    FEATURES
};
/* clang-format on */
_Static_assert((int)FEATURES <= (int)LB_CPU_FEATURE_MAX, "a set has a bit for each");

enum word { ECX_1, EDX_1, EBX_7, ECX_7, EAX_7_1 };

/* The parts of XCR0 that must be set: bits 1 and 2 for xmm and ymm; with them 5, 6 and 7 for the
   mask registers and zmm. General registers, and xmm in 64-bit mode, need none. */
enum { SAVED_ALWAYS = 0, SAVED_YMM = 0x06, SAVED_ZMM = 0xe6 };

#define S(feature) ((lb_cpu_set)1 << (feature))

static const struct {
    const char *name;
    enum word word;
    unsigned bit;
    unsigned xcr0;
    lb_cpu_set rests_on; /* directly; features with smaller numbers only */
} features[FEATURES] = {
    [SSE2] = {"sse2", EDX_1, 26, SAVED_ALWAYS, 0},
    [SSE3] = {"sse3", ECX_1, 0, SAVED_ALWAYS, S(SSE2)},
    [SSSE3] = {"ssse3", ECX_1, 9, SAVED_ALWAYS, S(SSE3)},
    [SSE4_1] = {"sse4.1", ECX_1, 19, SAVED_ALWAYS, S(SSSE3)},
    [SSE4_2] = {"sse4.2", ECX_1, 20, SAVED_ALWAYS, S(SSE4_1)},
    [POPCNT] = {"popcnt", ECX_1, 23, SAVED_ALWAYS, 0},
    [AES] = {"aes", ECX_1, 25, SAVED_ALWAYS, S(SSE2)},
    [PCLMULQDQ] = {"pclmulqdq", ECX_1, 1, SAVED_ALWAYS, S(SSE2)},
    [SHA_NI] = {"sha_ni", EBX_7, 29, SAVED_ALWAYS, S(SSE2)},
    [GFNI] = {"gfni", ECX_7, 8, SAVED_ALWAYS, S(SSE2)},
    [BMI1] = {"bmi1", EBX_7, 3, SAVED_ALWAYS, 0},
    [BMI2] = {"bmi2", EBX_7, 8, SAVED_ALWAYS, 0},
    [ADX] = {"adx", EBX_7, 19, SAVED_ALWAYS, 0},
    [AVX] = {"avx", ECX_1, 28, SAVED_YMM, S(SSE4_2)},
    [FMA] = {"fma", ECX_1, 12, SAVED_YMM, S(AVX)},
    [AVX2] = {"avx2", EBX_7, 5, SAVED_YMM, S(AVX)},
    [VAES] = {"vaes", ECX_7, 9, SAVED_YMM, S(AVX) | S(AES)},
    [VPCLMULQDQ] = {"vpclmulqdq", ECX_7, 10, SAVED_YMM, S(AVX) | S(PCLMULQDQ)},
    [AVX_IFMA] = {"avx_ifma", EAX_7_1, 23, SAVED_YMM, S(AVX2)},
    [SHA512] = {"sha512", EAX_7_1, 0, SAVED_YMM, S(AVX2)},
    [AVX512F] = {"avx512f", EBX_7, 16, SAVED_ZMM, S(AVX2) | S(FMA)},
    [AVX512CD] = {"avx512cd", EBX_7, 28, SAVED_ZMM, S(AVX512F)},
    [AVX512DQ] = {"avx512dq", EBX_7, 17, SAVED_ZMM, S(AVX512F)},
    [AVX512BW] = {"avx512bw", EBX_7, 30, SAVED_ZMM, S(AVX512F)},
    [AVX512VL] = {"avx512vl", EBX_7, 31, SAVED_ZMM, S(AVX512F)},
    [AVX512IFMA] = {"avx512ifma", EBX_7, 21, SAVED_ZMM, S(AVX512F)},
    [AVX512VBMI] = {"avx512vbmi", ECX_7, 1, SAVED_ZMM, S(AVX512BW)},
    [AVX512VBMI2] = {"avx512vbmi2", ECX_7, 6, SAVED_ZMM, S(AVX512BW)},
};

/* ---- The machine ---------------------------------------------------------------------------- */

static struct {
    lb_cpu_set cpu;   /* what CPUID reports */
    lb_cpu_set saved; /* what the operating system saves the registers of */
} machine;

#ifdef LIMBIC_TESTING
static const struct lb_cpu_words *fake;
#endif

#define OSXSAVE ((uint32_t)1 << 27) /* in ECX of leaf 1: XGETBV may be used */

#if defined __x86_64__ || defined __i386__
static uint64_t read_xcr0(void)
{
    uint32_t low, high;

    /* XGETBV, as octets for assemblers that want an option for it. */
    __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static void read_words(struct lb_cpu_words *w)
{
    uint32_t a, b, c, d;

    w->max_leaf = (uint32_t)__get_cpuid_max(0, NULL);
    if (w->max_leaf >= 1) {
        __cpuid(1, a, b, c, d);
        w->ecx_1 = c;
        w->edx_1 = d;
    }
    if (w->max_leaf >= 7)
        __cpuid_count(7, 0, w->eax_7, w->ebx_7, w->ecx_7, w->edx_7);
    if (w->max_leaf >= 7 && w->eax_7 >= 1) {
        __cpuid_count(7, 1, a, b, c, d);
        w->eax_7_1 = a;
    }
    if (w->ecx_1 & OSXSAVE)
        w->xcr0 = read_xcr0();
}
#else
static void read_words(struct lb_cpu_words *w)
{
    (void)w;
}
#endif

/* Leaves that the CPU does not have, and XCR0 where it must not be read, hold nothing. */
static void mask_words(struct lb_cpu_words *w)
{
    if (w->max_leaf < 1)
        w->ecx_1 = w->edx_1 = 0;
    if (w->max_leaf < 7)
        w->eax_7 = w->ebx_7 = w->ecx_7 = w->edx_7 = 0;
    if (w->eax_7 < 1)
        w->eax_7_1 = 0;
    if (!(w->ecx_1 & OSXSAVE))
        w->xcr0 = 0;
}

static uint32_t word_of(const struct lb_cpu_words *w, enum word word)
{
    switch (word) {
    case ECX_1:
        return w->ecx_1;
    case EDX_1:
        return w->edx_1;
    case EBX_7:
        return w->ebx_7;
    case ECX_7:
        return w->ecx_7;
    case EAX_7_1:
    default:
        return w->eax_7_1;
    }
}

static void look(void)
{
    struct lb_cpu_words w = {0};

#ifdef LIMBIC_TESTING
    if (fake)
        w = *fake;
    else
#endif
        read_words(&w);
    mask_words(&w);
    machine.cpu = machine.saved = 0;
    for (unsigned i = 0; i < FEATURES; i++) {
        if (word_of(&w, features[i].word) >> features[i].bit & 1)
            machine.cpu |= S(i);
        if ((w.xcr0 & features[i].xcr0) == features[i].xcr0)
            machine.saved |= S(i);
    }
}

static atomic_bool looked;

/* ---- Questions ------------------------------------------------------------------------------ */

const char *lb_cpu_feature_name(unsigned feature)
{
    return feature < FEATURES ? features[feature].name : NULL;
}

unsigned lb_cpu_feature_count(void)
{
    return FEATURES;
}

int lb_cpu_feature(const char *name)
{
    for (unsigned i = 0; i < FEATURES; i++)
        if (strcmp(features[i].name, name) == 0)
            return (int)i;
    return -1;
}

const char *lb_cpu_nearest_feature(const char *name)
{
    struct lb_nearest nearest = {.word = name};

    for (unsigned i = 0; i < FEATURES; i++)
        lb_nearest_offer(&nearest, features[i].name);
    return lb_nearest_name(&nearest);
}

/* A feature rests on smaller numbers only, so one pass upwards finds all. */
lb_cpu_set lb_cpu_closure(lb_cpu_set set)
{
    for (unsigned i = 0; i < FEATURES; i++)
        if (features[i].rests_on & set)
            set |= S(i);
    return set;
}

/* AMD64 Architecture Programmer's Manual, volume 1: of those listed, long mode implies SSE2. */
lb_cpu_set lb_cpu_baseline(void)
{
    return S(SSE2);
}

/* The feature with all that it rests on: the other way round, one pass downwards. */
static lb_cpu_set foundations(unsigned feature)
{
    lb_cpu_set set = S(feature);

    for (unsigned i = feature + 1; i-- > 0;)
        if (set & S(i))
            set |= features[i].rests_on;
    return set;
}

lb_cpu_set lb_cpu_present(void)
{
    lb_cpu_set set = 0;

    lb_once(&looked, LB_LOCK_CPU, look);
    for (unsigned i = 0; i < FEATURES; i++)
        if (!(foundations(i) & ~(machine.cpu & machine.saved)))
            set |= S(i);
    return set;
}

/* The lowest feature of the set, which is what the others rest on. */
static unsigned lowest(lb_cpu_set set)
{
    return (unsigned)__builtin_ctzll(set);
}

static enum lb_cpu_answer judge(unsigned feature, char *why, size_t size)
{
    lb_cpu_set needed = foundations(feature);
    lb_cpu_set lacking = needed & ~machine.cpu, unsaved = needed & ~machine.saved;

    if (lacking) {
        snprintf(why, size, "the CPU lacks %s", features[lowest(lacking)].name);
        return LB_CPU_LACKS;
    }
    if (unsaved) {
        snprintf(why, size, "the operating system does not save the registers of %s",
                 features[lowest(unsaved)].name);
        return LB_CPU_UNSAVED;
    }
    return LB_CPU_OFFERS;
}

enum { NAME_MAX_OCTETS = 23 };

/* Takes the next name of a list, cut if it is longer than any feature's. Returns what stands behind
   it, NULL if there was none. */
static const char *next_name(const char *list, char name[NAME_MAX_OCTETS + 1])
{
    size_t length;

    list += strspn(list, " ");
    length = strcspn(list, " ");
    if (!length)
        return NULL;
    snprintf(name, NAME_MAX_OCTETS + 1, "%.*s",
             length < NAME_MAX_OCTETS ? (int)length : NAME_MAX_OCTETS, list);
    return list + length;
}

lb_cpu_set lb_cpu_named(const char *needs)
{
    char name[NAME_MAX_OCTETS + 1];
    lb_cpu_set set = 0;

    while ((needs = next_name(needs, name))) {
        int feature = lb_cpu_feature(name);

        if (feature >= 0)
            set |= S(feature);
    }
    return set;
}

enum lb_cpu_answer lb_cpu_offers(const char *needs, char *why, size_t size)
{
    enum lb_cpu_answer answer = LB_CPU_OFFERS;
    char name[NAME_MAX_OCTETS + 1];

    lb_once(&looked, LB_LOCK_CPU, look);
    *why = '\0';
    while (answer == LB_CPU_OFFERS && (needs = next_name(needs, name))) {
        int feature = lb_cpu_feature(name);

        if (feature >= 0) {
            answer = judge((unsigned)feature, why, size);
            continue;
        }
        snprintf(why, size, "it needs the CPU feature \"%s\", which this version does not know",
                 name);
        answer = LB_CPU_UNKNOWN;
    }
    return answer;
}

#ifdef LIMBIC_TESTING
void lb_test_cpu(const struct lb_cpu_words *words)
{
    fake = words;
    atomic_store(&looked, false);
}

static uint32_t *place_of(struct lb_cpu_words *w, enum word word)
{
    switch (word) {
    case ECX_1:
        return &w->ecx_1;
    case EDX_1:
        return &w->edx_1;
    case EBX_7:
        return &w->ebx_7;
    case ECX_7:
        return &w->ecx_7;
    case EAX_7_1:
    default:
        return &w->eax_7_1;
    }
}

void lb_test_cpu_has(lb_cpu_set set)
{
    static struct lb_cpu_words made;

    made = (struct lb_cpu_words){
        .max_leaf = 7, .ecx_1 = OSXSAVE, .eax_7 = 1, .xcr0 = SAVED_ZMM | SAVED_YMM};
    for (unsigned i = FEATURES; i-- > 0;)
        if (set & S(i)) {
            *place_of(&made, features[i].word) |= (uint32_t)1 << features[i].bit;
            set |= features[i].rests_on;
        }
    lb_test_cpu(&made);
}
#endif
