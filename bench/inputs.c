/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inputs.c - digests and valid signatures of them.
 *
 * A digest is any string of the right length here: signing digests, not messages, keeps the speed
 * of hashing out of the comparison.
 */
#include "bench/inputs.h"

#include "bench/failure.h"
#include "bench/interrupt.h"
#include "bench/measure.h"

#include <stdint.h>
#include <stdlib.h>

/* xorshift64 (Marsaglia 2003). */
static void fill(unsigned char *octets, size_t length, uint64_t *state)
{
    for (size_t i = 0; i < length; i++) {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        octets[i] = (unsigned char)(*state >> 32);
    }
}

static bool sign_one(struct inputs *inputs, limbic_key_t key, const struct limbic_params *params)
{
    size_t i = inputs->count, length;
    unsigned char *signature = inputs->signatures + i * inputs->signature_length;
    gpg_error_t error;

    error = limbic_sign_digest(key, params, inputs->digests[i], inputs->digest_length, signature,
                               inputs->signature_length, &length);
    if (error)
        return failed_limbic(error, "signing");
    if (length != inputs->signature_length)
        return failed(STATUS_FAULT, "a signature has %zu octets instead of %zu", length,
                      inputs->signature_length);
    error = limbic_verify_digest(key, params, inputs->digests[i], inputs->digest_length, signature,
                                 length);
    if (error)
        return failed_limbic(error, "verifying limbic's own signature");
    inputs->count++;
    return true;
}

static bool refuses_other(const struct inputs *inputs, limbic_key_t key,
                          const struct limbic_params *params)
{
    gpg_error_t error = limbic_verify_digest(key, params, inputs->digests[0], inputs->digest_length,
                                             inputs_signature(inputs, 1), inputs->signature_length);

    if (gpg_err_code(error) == GPG_ERR_BAD_SIGNATURE)
        return true;
    return failed(STATUS_FAULT, "the signature of another digest is not refused");
}

bool inputs_make(struct inputs *inputs, limbic_key_t key, const struct limbic_params *params,
                 double budget)
{
    struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;
    uint64_t state = 1, start = measure_clock();
    gpg_error_t error = limbic_key_info(key, &info);

    inputs->count = 0;
    inputs->signatures = NULL;
    if (error)
        return failed_limbic(error, "asking for the key's size");
    inputs->digest_length = limbic_hash_size(params->hash);
    inputs->signature_length = info.max_signature;
    inputs->signatures = malloc(INPUTS_MAX * info.max_signature);
    if (!inputs->signatures)
        return failed(STATUS_USAGE, "out of memory");
    for (size_t i = 0; i < INPUTS_MAX; i++)
        fill(inputs->digests[i], inputs->digest_length, &state);
    while (inputs->count < INPUTS_MIN ||
           (inputs->count < INPUTS_MAX && (double)(measure_clock() - start) < budget)) {
        if (interrupted())
            return failed(STATUS_USAGE, "interrupted");
        if (!sign_one(inputs, key, params))
            return false;
    }
    return refuses_other(inputs, key, params);
}

void inputs_free(struct inputs *inputs)
{
    free(inputs->signatures);
    inputs->signatures = NULL;
}
