/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * peers.c - the list of the libraries that limbic is compared with, and what their files share.
 */
#include "bench/failure.h"
#include "bench/peer.h"

#include <stdio.h>

const struct peer *const peers[] = {&peer_libgcrypt, NULL};

bool peer_component(limbic_key_t key, const char *name, unsigned char *octets, size_t size,
                    size_t *length)
{
    gpg_error_t error = limbic_key_get_component(key, name, octets, size, length);
    char doing[64];

    if (!error)
        return true;
    snprintf(doing, sizeof doing, "exporting the component %s", name);
    return failed_limbic(error, doing);
}
