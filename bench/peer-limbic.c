/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * peer-limbic.c - limbic as one of those measured, through its public interface.
 */
#include "bench/failure.h"
#include "bench/interrupt.h"
#include "bench/measure.h"
#include "bench/peer.h"

#include <stdio.h>
#include <stdlib.h>

struct context {
    struct task task;
    limbic_key_t public_key;
    size_t length;
    unsigned char signature[COMPONENT_MAX];
};

static const char *version(void)
{
    return limbic_version(NULL);
}

static bool open_context(void **opaque, const struct task *task)
{
    struct context *context = calloc(1, sizeof *context);
    gpg_error_t error;

    *opaque = context;
    if (!context)
        return failed(STATUS_USAGE, "out of memory");
    context->task = *task;
    error = limbic_key_public(task->key, &context->public_key);
    return error ? failed_limbic(error, "taking the public key") : true;
}

static void close_context(void *opaque)
{
    struct context *context = opaque;

    if (context)
        limbic_key_free(context->public_key);
    free(context);
}

static bool sign(void *opaque, size_t i)
{
    struct context *context = opaque;
    const struct inputs *inputs = context->task.inputs;
    gpg_error_t error = limbic_sign_digest(
        context->task.key, context->task.params, inputs->digests[i], inputs->digest_length,
        context->signature, sizeof context->signature, &context->length);

    return error ? failed_limbic(error, "signing") : true;
}

static bool verify(void *opaque, size_t i)
{
    struct context *context = opaque;
    const struct inputs *inputs = context->task.inputs;
    gpg_error_t error = limbic_verify_digest(context->public_key, context->task.params,
                                             inputs->digests[i], inputs->digest_length,
                                             inputs_signature(inputs, i), inputs->signature_length);

    return error ? failed_limbic(error, "verifying") : true;
}

static bool signature(void *opaque, unsigned char *octets, size_t size, size_t *length)
{
    struct context *context = opaque;

    return peer_give(context->signature, context->length, octets, size, length);
}

static int progress(void *opaque, unsigned long tested, unsigned long expected)
{
    struct generation *generation = opaque;

    generation->tested = tested;
    generation->expected = expected;
    return interrupted();
}

static bool generate(unsigned bits, struct generation *generation)
{
    struct limbic_generate options = LIMBIC_GENERATE_INIT;
    char spec[32];
    uint64_t start;
    gpg_error_t error;

    *generation = (struct generation){0, 0, 0, NULL};
    options.allow_weak = 1;
    options.progress = progress;
    options.opaque = generation;
    snprintf(spec, sizeof spec, "rsa:%u", bits);
    start = measure_clock();
    error = limbic_key_generate(&generation->key, spec, &options);
    generation->nanoseconds = (double)(measure_clock() - start);
    if (error) {
        generation->key = NULL;
        return failed_limbic(error, spec);
    }
    return true;
}

const struct peer peer_limbic = {
    .name = "limbic",
    .version = version,
    .start = NULL,
    .open = open_context,
    .close = close_context,
    .sign = sign,
    .verify = verify,
    .signature = signature,
    .generate = generate,
};
