/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * peer-openssl.c - OpenSSL's RSA, as a yardstick.
 *
 * Keys and the contexts of signing and verifying are made in advance, with every CRT value, so that
 * EVP_PKEY_sign and EVP_PKEY_verify alone are measured. OpenSSL blinds, and checks the result with
 * e, as limbic does.
 */
#include "bench/failure.h"
#include "bench/measure.h"
#include "bench/peer.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

struct context {
    const struct inputs *inputs;
    EVP_PKEY *key;
    EVP_PKEY_CTX *signer, *verifier;
    size_t length;
    unsigned char signature[COMPONENT_MAX];
};

static bool failed_openssl(const char *doing)
{
    char text[160];

    ERR_error_string_n(ERR_get_error(), text, sizeof text);
    return failed(STATUS_USAGE, "openssl, %s: %s", doing, text);
}

static const char *version(void)
{
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}

static const EVP_MD *digest_of(enum limbic_hash hash)
{
    return EVP_get_digestbyname(limbic_hash_name(hash));
}

static const char *cannot(const struct limbic_params *params)
{
    return digest_of(params->hash) ? NULL : "has no such hash";
}

#define PARTS 8

/* n, e, d, the primes and the CRT values, by limbic's names and by OpenSSL's. */
static const struct part {
    const char *name, *theirs;
} parts[PARTS] = {
    {"n", OSSL_PKEY_PARAM_RSA_N},          {"e", OSSL_PKEY_PARAM_RSA_E},
    {"d", OSSL_PKEY_PARAM_RSA_D},          {"p", OSSL_PKEY_PARAM_RSA_FACTOR1},
    {"q", OSSL_PKEY_PARAM_RSA_FACTOR2},    {"dp", OSSL_PKEY_PARAM_RSA_EXPONENT1},
    {"dq", OSSL_PKEY_PARAM_RSA_EXPONENT2}, {"qi", OSSL_PKEY_PARAM_RSA_COEFFICIENT1},
};

static BIGNUM *component(limbic_key_t key, const char *name)
{
    unsigned char octets[COMPONENT_MAX];
    size_t length;
    BIGNUM *number = NULL;

    if (peer_component(key, name, octets, sizeof octets, &length))
        number = BN_bin2bn(octets, (int)length, NULL);
    OPENSSL_cleanse(octets, sizeof octets);
    return number;
}

/* The builder keeps references to the numbers until the parameters are made. */
static OSSL_PARAM *key_params(limbic_key_t key, BIGNUM *numbers[PARTS])
{
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM *params = NULL;
    bool pushed = builder != NULL;

    for (size_t i = 0; i < PARTS && pushed; i++) {
        numbers[i] = component(key, parts[i].name);
        pushed = numbers[i] && OSSL_PARAM_BLD_push_BN(builder, parts[i].theirs, numbers[i]);
    }
    if (pushed)
        params = OSSL_PARAM_BLD_to_param(builder);
    OSSL_PARAM_BLD_free(builder);
    return params;
}

static EVP_PKEY *import_key(limbic_key_t key)
{
    BIGNUM *numbers[PARTS] = {NULL};
    OSSL_PARAM *params = key_params(key, numbers);
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, NULL);
    EVP_PKEY *made = NULL;

    if (params && maker && EVP_PKEY_fromdata_init(maker) == 1 &&
        EVP_PKEY_fromdata(maker, &made, EVP_PKEY_KEYPAIR, params) != 1)
        made = NULL;
    EVP_PKEY_CTX_free(maker);
    OSSL_PARAM_free(params);
    for (size_t i = 0; i < PARTS; i++)
        BN_clear_free(numbers[i]);
    return made;
}

static bool set_padding(EVP_PKEY_CTX *context, const struct limbic_params *params)
{
    bool pss = params->padding == LIMBIC_PADDING_PSS;

    return EVP_PKEY_CTX_set_signature_md(context, digest_of(params->hash)) > 0 &&
           EVP_PKEY_CTX_set_rsa_padding(context, pss ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING) >
               0 &&
           (!pss || EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) > 0);
}

static bool open_context(void **opaque, const struct task *task)
{
    struct context *context = calloc(1, sizeof *context);

    *opaque = context;
    if (!context)
        return failed(STATUS_USAGE, "out of memory");
    context->inputs = task->inputs;
    context->key = import_key(task->key);
    if (!context->key)
        return failed_openssl("importing the key");
    context->signer = EVP_PKEY_CTX_new(context->key, NULL);
    context->verifier = EVP_PKEY_CTX_new(context->key, NULL);
    if (!context->signer || EVP_PKEY_sign_init(context->signer) != 1 ||
        !set_padding(context->signer, task->params) || !context->verifier ||
        EVP_PKEY_verify_init(context->verifier) != 1 ||
        !set_padding(context->verifier, task->params))
        return failed_openssl("preparing signatures");
    return true;
}

static void close_context(void *opaque)
{
    struct context *context = opaque;

    if (!context)
        return;
    EVP_PKEY_CTX_free(context->signer);
    EVP_PKEY_CTX_free(context->verifier);
    EVP_PKEY_free(context->key);
    free(context);
}

static bool sign(void *opaque, size_t i)
{
    struct context *context = opaque;

    context->length = sizeof context->signature;
    if (EVP_PKEY_sign(context->signer, context->signature, &context->length,
                      context->inputs->digests[i], context->inputs->digest_length) != 1)
        return failed_openssl("signing");
    return true;
}

static bool verify(void *opaque, size_t i)
{
    struct context *context = opaque;
    const struct inputs *inputs = context->inputs;

    if (EVP_PKEY_verify(context->verifier, inputs_signature(inputs, i), inputs->signature_length,
                        inputs->digests[i], inputs->digest_length) != 1)
        return failed_openssl("verifying");
    return true;
}

static bool signature(void *opaque, unsigned char *octets, size_t size, size_t *length)
{
    struct context *context = opaque;

    return peer_give(context->signature, context->length, octets, size, length);
}

static bool generate(unsigned bits, struct generation *generation)
{
    uint64_t begin = measure_clock();
    EVP_PKEY *key = EVP_RSA_gen(bits);

    *generation = (struct generation){(double)(measure_clock() - begin), 0, 0, NULL};
    if (!key)
        return failed_openssl("generating a key");
    EVP_PKEY_free(key);
    return true;
}

const struct peer peer_openssl = {
    .name = "openssl",
    .version = version,
    .cannot = cannot,
    .open = open_context,
    .close = close_context,
    .sign = sign,
    .verify = verify,
    .signature = signature,
    .generate = generate,
};
