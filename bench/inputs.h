/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inputs.h - what a row is measured on: digests and valid signatures of them, many enough that a
 * processor does not learn one by heart.
 */
#ifndef LIMBIC_BENCH_INPUTS_H
#define LIMBIC_BENCH_INPUTS_H

#include <limbic.h>
#include <stdbool.h>
#include <stddef.h>

#define INPUTS_MIN 4
#define INPUTS_MAX 64
#define DIGEST_MAX 64

struct inputs {
    size_t count;
    size_t digest_length;
    size_t signature_length;
    unsigned char digests[INPUTS_MAX][DIGEST_MAX];
    unsigned char *signatures; /* count * signature_length */
};

/* Makes digests (the same ones in each run) and limbic's signatures of them, INPUTS_MAX or as many
   as `budget` nanoseconds allow, INPUTS_MIN at least, each verified; a signature of another digest
   is refused. Release with inputs_free(), also after a failure. */
bool inputs_make(struct inputs *inputs, limbic_key_t key, const struct limbic_params *params,
                 double budget);
void inputs_free(struct inputs *inputs);

static inline const unsigned char *inputs_signature(const struct inputs *inputs, size_t i)
{
    return inputs->signatures + i * inputs->signature_length;
}

#endif
