/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * peer-botan.c - Botan's RSA through its C interface, as a yardstick.
 *
 * Keys and operations are made in advance. Botan blinds, and checks the result with e, as limbic
 * does.
 */
#include "bench/failure.h"
#include "bench/measure.h"
#include "bench/peer.h"

#include <botan/ffi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct context {
    const struct inputs *inputs;
    botan_rng_t rng;
    botan_privkey_t private_key;
    botan_pubkey_t public_key;
    botan_pk_op_sign_t signer;
    botan_pk_op_verify_t verifier;
    size_t length;
    unsigned char signature[COMPONENT_MAX];
};

static bool failed_botan(int error, const char *doing)
{
    return failed(STATUS_USAGE, "botan, %s: %s", doing, botan_error_description(error));
}

static const char *version(void)
{
    static char text[32];

    snprintf(text, sizeof text, "%u.%u.%u", botan_version_major(), botan_version_minor(),
             botan_version_patch());
    return text;
}

/* Botan's names of the hashes that take part. */
static const char *hash_name(enum limbic_hash hash)
{
    static const struct {
        enum limbic_hash hash;
        const char *name;
    } names[] = {
        {LIMBIC_HASH_SHA1, "SHA-1"},
        {LIMBIC_HASH_SHA224, "SHA-224"},
        {LIMBIC_HASH_SHA256, "SHA-256"},
        {LIMBIC_HASH_SHA384, "SHA-384"},
        {LIMBIC_HASH_SHA512, "SHA-512"},
        {LIMBIC_HASH_SHA512_256, "SHA-512-256"},
        {LIMBIC_HASH_SHA3_224, "SHA-3(224)"},
        {LIMBIC_HASH_SHA3_256, "SHA-3(256)"},
        {LIMBIC_HASH_SHA3_384, "SHA-3(384)"},
        {LIMBIC_HASH_SHA3_512, "SHA-3(512)"},
        {LIMBIC_HASH_SM3, "SM3"},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].hash == hash)
            return names[i].name;
    return NULL;
}

static const char *cannot(const struct limbic_params *params)
{
    return hash_name(params->hash) ? NULL : "does not sign with this hash";
}

/* Paddings whose input is the digest. */
static void padding_name(char *text, size_t size, const struct limbic_params *params)
{
    const char *format =
        params->padding == LIMBIC_PADDING_PSS ? "PSSR_Raw(%s)" : "EMSA_PKCS1(Raw,%s)";

    snprintf(text, size, format, hash_name(params->hash));
}

static bool component(botan_mp_t *number, limbic_key_t key, const char *name)
{
    unsigned char octets[COMPONENT_MAX];
    size_t length;
    int error = botan_mp_init(number);
    bool got = peer_component(key, name, octets, sizeof octets, &length);

    if (got && !error)
        error = botan_mp_from_bin(*number, octets, length);
    explicit_bzero(octets, sizeof octets);
    return got && error ? failed_botan(error, name) : got;
}

static bool import_key(struct context *context, limbic_key_t key)
{
    botan_mp_t p = NULL, q = NULL, e = NULL;
    bool imported = component(&p, key, "p") && component(&q, key, "q") && component(&e, key, "e");
    int error = 0;

    if (imported) {
        error = botan_privkey_load_rsa(&context->private_key, p, q, e);
        if (!error)
            error = botan_privkey_export_pubkey(&context->public_key, context->private_key);
    }
    botan_mp_destroy(p);
    botan_mp_destroy(q);
    botan_mp_destroy(e);
    return error ? failed_botan(error, "importing the key") : imported;
}

static bool open_context(void **opaque, const struct task *task)
{
    struct context *context = calloc(1, sizeof *context);
    char padding[64];
    int error;

    *opaque = context;
    if (!context)
        return failed(STATUS_USAGE, "out of memory");
    context->inputs = task->inputs;
    padding_name(padding, sizeof padding, task->params);
    if (!import_key(context, task->key))
        return false;
    error = botan_rng_init(&context->rng, "user");
    if (!error)
        error = botan_pk_op_sign_create(&context->signer, context->private_key, padding, 0);
    if (!error)
        error = botan_pk_op_verify_create(&context->verifier, context->public_key, padding, 0);
    return error ? failed_botan(error, padding) : true;
}

static void close_context(void *opaque)
{
    struct context *context = opaque;

    if (!context)
        return;
    botan_pk_op_verify_destroy(context->verifier);
    botan_pk_op_sign_destroy(context->signer);
    botan_pubkey_destroy(context->public_key);
    botan_privkey_destroy(context->private_key);
    botan_rng_destroy(context->rng);
    free(context);
}

static bool sign(void *opaque, size_t i)
{
    struct context *context = opaque;
    int error = botan_pk_op_sign_update(context->signer, context->inputs->digests[i],
                                        context->inputs->digest_length);

    context->length = sizeof context->signature;
    if (!error)
        error = botan_pk_op_sign_finish(context->signer, context->rng, context->signature,
                                        &context->length);
    return error ? failed_botan(error, "signing") : true;
}

static bool verify(void *opaque, size_t i)
{
    struct context *context = opaque;
    const struct inputs *inputs = context->inputs;
    int error =
        botan_pk_op_verify_update(context->verifier, inputs->digests[i], inputs->digest_length);

    if (!error)
        error = botan_pk_op_verify_finish(context->verifier, inputs_signature(inputs, i),
                                          inputs->signature_length);
    return error ? failed_botan(error, "verifying") : true;
}

static bool signature(void *opaque, unsigned char *octets, size_t size, size_t *length)
{
    struct context *context = opaque;

    return peer_give(context->signature, context->length, octets, size, length);
}

static bool generate(unsigned bits, struct generation *generation)
{
    botan_rng_t rng;
    botan_privkey_t key = NULL;
    char size[16];
    uint64_t begin;
    int error = botan_rng_init(&rng, "user");

    *generation = (struct generation){0, 0, 0, NULL};
    if (error)
        return failed_botan(error, "random generator");
    snprintf(size, sizeof size, "%u", bits);
    begin = measure_clock();
    error = botan_privkey_create(&key, "RSA", size, rng);
    generation->nanoseconds = (double)(measure_clock() - begin);
    botan_privkey_destroy(key);
    botan_rng_destroy(rng);
    return error ? failed_botan(error, "generating a key") : true;
}

const struct peer peer_botan = {
    .name = "botan",
    .version = version,
    .cannot = cannot,
    .open = open_context,
    .close = close_context,
    .sign = sign,
    .verify = verify,
    .signature = signature,
    .generate = generate,
};
