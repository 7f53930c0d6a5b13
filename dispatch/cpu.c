/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CPU features. On x86 by CPUID and XGETBV (Intel SDM, volume 1, section 14.3): a feature that
 * keeps its operands in vector registers is there only if the operating system saves them.
 */
#include "dispatch/cpu.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#if defined __x86_64__
#include <cpuid.h>
#endif

enum { BMI2, ADX, AVX, AVX2, AVX512F, AVX512DQ, AVX512BW, AVX512VL, AVX512IFMA, COUNT };

#define BIT(feature) ((uint64_t)1 << (feature))

static const struct {
    const char *name;
    uint64_t needs; /* directly */
} features[COUNT] = {
    [BMI2] = {"bmi2", 0},
    [ADX] = {"adx", 0},
    [AVX] = {"avx", 0},
    [AVX2] = {"avx2", BIT(AVX)},
    [AVX512F] = {"avx512f", BIT(AVX2)},
    [AVX512DQ] = {"avx512dq", BIT(AVX512F)},
    [AVX512BW] = {"avx512bw", BIT(AVX512F)},
    [AVX512VL] = {"avx512vl", BIT(AVX512F)},
    [AVX512IFMA] = {"avx512ifma", BIT(AVX512F)},
};

static uint64_t present;
static pthread_once_t once = PTHREAD_ONCE_INIT;

int lb_cpu_feature(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(features[i].name, name) == 0)
            return i;
    return -1;
}

const char *lb_cpu_feature_name(int feature)
{
    return feature >= 0 && feature < COUNT ? features[feature].name : NULL;
}

unsigned lb_cpu_feature_count(void)
{
    return COUNT;
}

/* What a feature needs has a lower number, so one pass is enough. */
uint64_t lb_cpu_closure(uint64_t set)
{
    for (int i = 0; i < COUNT; i++)
        if (features[i].needs & set)
            set |= BIT(i);
    return set;
}

static void look(void)
{
#if defined __x86_64__
    unsigned a, b, c, d, low = 0, high = 0;

    if (!__get_cpuid(1, &a, &b, &c, &d))
        return;
    if (c >> 27 & 1) /* OSXSAVE */
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((c >> 28 & 1) && (low & 6) == 6)
        present |= BIT(AVX);
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return;
    present |= (b >> 8 & 1 ? BIT(BMI2) : 0) | (b >> 19 & 1 ? BIT(ADX) : 0);
    if (!(present & BIT(AVX)) || !(b >> 5 & 1))
        return;
    present |= BIT(AVX2);
    if ((low & 0xe6) != 0xe6 || !(b >> 16 & 1))
        return;
    present |= BIT(AVX512F) | (b >> 17 & 1 ? BIT(AVX512DQ) : 0) |
               (b >> 30 & 1 ? BIT(AVX512BW) : 0) | (b >> 31 & 1 ? BIT(AVX512VL) : 0) |
               (b >> 21 & 1 ? BIT(AVX512IFMA) : 0);
#endif
}

uint64_t lb_cpu_present(void)
{
    pthread_once(&once, look);
    return present;
}

static const char *name_one(uint64_t set, const char *what, char *buffer, size_t size)
{
    for (int i = 0; i < COUNT; i++)
        if (set & BIT(i)) {
            snprintf(buffer, size, "%s %s", what, features[i].name);
            return buffer;
        }
    return NULL;
}

const char *lb_cpu_missing_reason(uint64_t needs, uint64_t denied, char *buffer, size_t size)
{
    uint64_t absent = needs & ~lb_cpu_present();

    if (absent)
        return name_one(absent, "the CPU lacks", buffer, size);
    return name_one(needs & denied, "denied:", buffer, size);
}

#ifdef LIMBIC_TESTING
static void nothing(void)
{
}

void lb_test_cpu_fake(uint64_t faked)
{
    pthread_once(&once, nothing);
    present = faked;
}

void lb_test_cpu_reset(void)
{
    static const pthread_once_t anew = PTHREAD_ONCE_INIT;

    memcpy(&once, &anew, sizeof anew);
    present = 0;
}
#endif
