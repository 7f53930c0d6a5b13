/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of curves: NIST's (FIPS 186-4) and those of SEC 2, ANSI X9.62, RFC 5639, 7748, 8032 and
 * 7836. The first name of each curve is its own.
 */
#include "dispatch/curve-names.h"

#include <stddef.h>
#include <strings.h>

#include "base/nearest.h"

static const struct {
    enum limbic_curve_id id;
    const char *name;
} names[] = {
    {LIMBIC_CURVE_P192, "P-192"},
    {LIMBIC_CURVE_P192, "secp192r1"},
    {LIMBIC_CURVE_P192, "prime192v1"},
    {LIMBIC_CURVE_P192, "nistp192"},
    {LIMBIC_CURVE_P192, "p192"},
    {LIMBIC_CURVE_P224, "P-224"},
    {LIMBIC_CURVE_P224, "secp224r1"},
    {LIMBIC_CURVE_P224, "nistp224"},
    {LIMBIC_CURVE_P224, "p224"},
    {LIMBIC_CURVE_P256, "P-256"},
    {LIMBIC_CURVE_P256, "secp256r1"},
    {LIMBIC_CURVE_P256, "prime256v1"},
    {LIMBIC_CURVE_P256, "nistp256"},
    {LIMBIC_CURVE_P256, "p256"},
    {LIMBIC_CURVE_P384, "P-384"},
    {LIMBIC_CURVE_P384, "secp384r1"},
    {LIMBIC_CURVE_P384, "nistp384"},
    {LIMBIC_CURVE_P384, "p384"},
    {LIMBIC_CURVE_P521, "P-521"},
    {LIMBIC_CURVE_P521, "secp521r1"},
    {LIMBIC_CURVE_P521, "nistp521"},
    {LIMBIC_CURVE_P521, "p521"},
    {LIMBIC_CURVE_SECP256K1, "secp256k1"},
    {LIMBIC_CURVE_BRAINPOOL_P160R1, "brainpoolP160r1"},
    {LIMBIC_CURVE_BRAINPOOL_P192R1, "brainpoolP192r1"},
    {LIMBIC_CURVE_BRAINPOOL_P224R1, "brainpoolP224r1"},
    {LIMBIC_CURVE_BRAINPOOL_P256R1, "brainpoolP256r1"},
    {LIMBIC_CURVE_BRAINPOOL_P320R1, "brainpoolP320r1"},
    {LIMBIC_CURVE_BRAINPOOL_P384R1, "brainpoolP384r1"},
    {LIMBIC_CURVE_BRAINPOOL_P512R1, "brainpoolP512r1"},
    {LIMBIC_CURVE_BRAINPOOL_P160T1, "brainpoolP160t1"},
    {LIMBIC_CURVE_BRAINPOOL_P192T1, "brainpoolP192t1"},
    {LIMBIC_CURVE_BRAINPOOL_P224T1, "brainpoolP224t1"},
    {LIMBIC_CURVE_BRAINPOOL_P256T1, "brainpoolP256t1"},
    {LIMBIC_CURVE_BRAINPOOL_P320T1, "brainpoolP320t1"},
    {LIMBIC_CURVE_BRAINPOOL_P384T1, "brainpoolP384t1"},
    {LIMBIC_CURVE_BRAINPOOL_P512T1, "brainpoolP512t1"},
    {LIMBIC_CURVE_ED25519, "Ed25519"},
    {LIMBIC_CURVE_ED448, "Ed448"},
    {LIMBIC_CURVE_X25519, "X25519"},
    {LIMBIC_CURVE_X448, "X448"},
    {LIMBIC_CURVE_GOST2001_TEST, "GOST2001-test"},
    {LIMBIC_CURVE_GOST2001_A, "GOST2001-CryptoPro-A"},
    {LIMBIC_CURVE_GOST2001_B, "GOST2001-CryptoPro-B"},
    {LIMBIC_CURVE_GOST2001_C, "GOST2001-CryptoPro-C"},
    {LIMBIC_CURVE_GOST2012_256_A, "GOST2012-256-tc26-A"},
    {LIMBIC_CURVE_GOST2012_512_TEST, "GOST2012-512-test"},
    {LIMBIC_CURVE_GOST2012_512_A, "GOST2012-512-tc26-A"},
    {LIMBIC_CURVE_GOST2012_512_B, "GOST2012-512-tc26-B"},
    {LIMBIC_CURVE_GOST2012_512_C, "GOST2012-512-tc26-C"},
    {LIMBIC_CURVE_SM2, "SM2"},
    {LIMBIC_CURVE_SM2, "sm2p256v1"},
};

#define COUNT (sizeof names / sizeof *names)

enum limbic_curve_id lb_curve_by_name(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcasecmp(names[i].name, name) == 0)
            return names[i].id;
    return LIMBIC_CURVE_NONE;
}

const char *lb_curve_name(enum limbic_curve_id id)
{
    for (size_t i = 0; i < COUNT; i++)
        if (names[i].id == id)
            return names[i].name;
    return NULL;
}

const char *lb_curve_nearest(const char *name)
{
    struct lb_nearest nearest = {.word = name};

    for (size_t i = 0; i < COUNT; i++)
        lb_nearest_offer(&nearest, names[i].name);
    return lb_nearest_name(&nearest);
}
