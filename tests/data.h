/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of test data. Knows nothing of limbic.
 */
#ifndef LIMBIC_TESTS_DATA_H
#define LIMBIC_TESTS_DATA_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The file $srcdir/tests/data/<name> of less than 64 KiB, to be freed. Ends the
   program without it. */
static inline uint8_t *data_read(const char *name, size_t *size)
{
    const char *srcdir = getenv("srcdir");
    char path[4096];
    uint8_t *data = malloc(65536);
    FILE *f;

    snprintf(path, sizeof path, "%s/tests/data/%s", srcdir ? srcdir : ".", name);
    f = fopen(path, "rb");
    if (f && data)
        *size = fread(data, 1, 65536, f);
    if (!f || !data || ferror(f) || *size == 65536) {
        perror(path);
        exit(99);
    }
    fclose(f);
    return data;
}

#endif
