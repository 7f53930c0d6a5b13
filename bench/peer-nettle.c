/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * peer-nettle.c - nettle's RSA over GMP, as a yardstick.
 *
 * The timing-resistant functions (rsa_*_tr) sign: they blind, and check the result with e, as
 * limbic does.
 */
#include "bench/failure.h"
#include "bench/measure.h"
#include "bench/peer.h"

#include <nettle/bignum.h>
#include <nettle/rsa.h>
#include <nettle/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct context {
    const struct inputs *inputs;
    const struct scheme *scheme;
    struct rsa_public_key public_key;
    struct rsa_private_key private_key;
    mpz_t signatures[INPUTS_MAX];
    mpz_t result;
};

static const char *version(void)
{
    static char text[32];

    snprintf(text, sizeof text, "%d.%d, GMP %s", nettle_version_major(), nettle_version_minor(),
             gmp_version);
    return text;
}

/* nettle has no way to report that there is no randomness. */
static void draw(void *unused, size_t length, uint8_t *octets)
{
    (void)unused;
    while (length) {
        ssize_t got = getrandom(octets, length, 0);

        if (got <= 0)
            abort();
        octets += got;
        length -= (size_t)got;
    }
}

/* ---- What nettle has for a hash and padding ------------------------------------------------- */

/* A hash and padding: nettle has a pair of functions for each. The salt of PSS has the length of
   the digest, and its content does not matter to the time. */
struct scheme {
    enum limbic_hash hash;
    enum limbic_padding padding;
    int (*sign)(struct context *context, const uint8_t *digest);
    int (*verify)(const struct context *context, const uint8_t *digest, const mpz_t signature);
};

#define PKCS1_SCHEME(hash) \
    static int sign_pkcs1_##hash(struct context *c, const uint8_t *digest) \
    { \
        return rsa_##hash##_sign_digest_tr(&c->public_key, &c->private_key, NULL, draw, digest, \
                                           c->result); \
    } \
    static int verify_pkcs1_##hash(const struct context *c, const uint8_t *digest, \
                                   const mpz_t signature) \
    { \
        return rsa_##hash##_verify_digest(&c->public_key, digest, signature); \
    }

#define PSS_SCHEME(hash) \
    static int sign_pss_##hash(struct context *c, const uint8_t *digest) \
    { \
        uint8_t salt[DIGEST_MAX]; \
\
        draw(NULL, c->inputs->digest_length, salt); \
        return rsa_pss_##hash##_sign_digest_tr(&c->public_key, &c->private_key, NULL, draw, \
                                               c->inputs->digest_length, salt, digest, c->result); \
    } \
    static int verify_pss_##hash(const struct context *c, const uint8_t *digest, \
                                 const mpz_t signature) \
    { \
        return rsa_pss_##hash##_verify_digest(&c->public_key, c->inputs->digest_length, digest, \
                                              signature); \
    }

PKCS1_SCHEME(md5)
PKCS1_SCHEME(sha1)
PKCS1_SCHEME(sha256)
PKCS1_SCHEME(sha512)
PSS_SCHEME(sha256)
PSS_SCHEME(sha384)
PSS_SCHEME(sha512)

static const struct scheme schemes[] = {
    {LIMBIC_HASH_MD5, LIMBIC_PADDING_PKCS1, sign_pkcs1_md5, verify_pkcs1_md5},
    {LIMBIC_HASH_SHA1, LIMBIC_PADDING_PKCS1, sign_pkcs1_sha1, verify_pkcs1_sha1},
    {LIMBIC_HASH_SHA256, LIMBIC_PADDING_PKCS1, sign_pkcs1_sha256, verify_pkcs1_sha256},
    {LIMBIC_HASH_SHA512, LIMBIC_PADDING_PKCS1, sign_pkcs1_sha512, verify_pkcs1_sha512},
    {LIMBIC_HASH_SHA256, LIMBIC_PADDING_PSS, sign_pss_sha256, verify_pss_sha256},
    {LIMBIC_HASH_SHA384, LIMBIC_PADDING_PSS, sign_pss_sha384, verify_pss_sha384},
    {LIMBIC_HASH_SHA512, LIMBIC_PADDING_PSS, sign_pss_sha512, verify_pss_sha512},
};

static const struct scheme *scheme_of(const struct limbic_params *params)
{
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        if (schemes[i].hash == params->hash && schemes[i].padding == params->padding)
            return &schemes[i];
    return NULL;
}

static const char *cannot(const struct limbic_params *params)
{
    return scheme_of(params) ? NULL : "has no signatures with this hash and padding";
}

/* ---- Keys and operations --------------------------------------------------------------------- */

static bool component(mpz_t number, limbic_key_t key, const char *name)
{
    unsigned char octets[COMPONENT_MAX];
    size_t length;
    bool got = peer_component(key, name, octets, sizeof octets, &length);

    if (got)
        nettle_mpz_set_str_256_u(number, length, octets);
    explicit_bzero(octets, sizeof octets);
    return got;
}

/* nettle's a, b and c are dp, dq and qi. */
static bool import_key(struct context *context, limbic_key_t key)
{
    struct rsa_public_key *public_key = &context->public_key;
    struct rsa_private_key *private_key = &context->private_key;

    if (!component(public_key->n, key, "n") || !component(public_key->e, key, "e") ||
        !component(private_key->d, key, "d") || !component(private_key->p, key, "p") ||
        !component(private_key->q, key, "q") || !component(private_key->a, key, "dp") ||
        !component(private_key->b, key, "dq") || !component(private_key->c, key, "qi"))
        return false;
    if (!rsa_public_key_prepare(public_key) || !rsa_private_key_prepare(private_key))
        return failed(STATUS_USAGE, "nettle does not take the key");
    return true;
}

static bool open_context(void **opaque, const struct task *task)
{
    struct context *context = calloc(1, sizeof *context);

    *opaque = context;
    if (!context)
        return failed(STATUS_USAGE, "out of memory");
    context->inputs = task->inputs;
    context->scheme = scheme_of(task->params);
    rsa_public_key_init(&context->public_key);
    rsa_private_key_init(&context->private_key);
    mpz_init(context->result);
    for (size_t i = 0; i < INPUTS_MAX; i++)
        mpz_init(context->signatures[i]);
    for (size_t i = 0; i < task->inputs->count; i++)
        nettle_mpz_set_str_256_u(context->signatures[i], task->inputs->signature_length,
                                 inputs_signature(task->inputs, i));
    return import_key(context, task->key);
}

static void close_context(void *opaque)
{
    struct context *context = opaque;

    if (!context)
        return;
    for (size_t i = 0; i < INPUTS_MAX; i++)
        mpz_clear(context->signatures[i]);
    mpz_clear(context->result);
    rsa_private_key_clear(&context->private_key);
    rsa_public_key_clear(&context->public_key);
    free(context);
}

static bool sign(void *opaque, size_t i)
{
    struct context *context = opaque;

    return context->scheme->sign(context, context->inputs->digests[i])
               ? true
               : failed(STATUS_FAULT, "nettle does not sign");
}

static bool verify(void *opaque, size_t i)
{
    struct context *context = opaque;

    return context->scheme->verify(context, context->inputs->digests[i], context->signatures[i])
               ? true
               : failed(STATUS_FAULT, "nettle does not verify");
}

static bool signature(void *opaque, unsigned char *octets, size_t size, size_t *length)
{
    struct context *context = opaque;
    unsigned char value[COMPONENT_MAX];
    size_t wanted = context->inputs->signature_length;

    nettle_mpz_get_str_256(wanted, value, context->result);
    return peer_give(value, wanted, octets, size, length);
}

static bool generate(unsigned bits, struct generation *generation)
{
    struct rsa_public_key public_key;
    struct rsa_private_key private_key;
    uint64_t begin;
    int made;

    rsa_public_key_init(&public_key);
    rsa_private_key_init(&private_key);
    mpz_set_ui(public_key.e, 65537);
    begin = measure_clock();
    made = rsa_generate_keypair(&public_key, &private_key, NULL, draw, NULL, NULL, bits, 0);
    *generation = (struct generation){(double)(measure_clock() - begin), 0, 0, NULL};
    rsa_private_key_clear(&private_key);
    rsa_public_key_clear(&public_key);
    return made ? true : failed(STATUS_FAULT, "nettle makes no key of %u bits", bits);
}

const struct peer peer_nettle = {
    .name = "nettle",
    .version = version,
    .cannot = cannot,
    .open = open_context,
    .close = close_context,
    .sign = sign,
    .verify = verify,
    .signature = signature,
    .generate = generate,
};
