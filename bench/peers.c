/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * peers.c - the list of the libraries that limbic is compared with, and what their files share.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "bench/failure.h"
#include "bench/peer.h"

#include <stdio.h>
#include <string.h>

const struct peer *const peers[] = {
#ifdef HAVE_PEER_OPENSSL
    &peer_openssl,
    &peer_openssl_without_ifma,
#endif
    &peer_libgcrypt,
#ifdef HAVE_PEER_NETTLE
    &peer_nettle,
#endif
#ifdef HAVE_PEER_BOTAN
    &peer_botan,
#endif
    NULL,
};

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

bool peer_give(const unsigned char *from, size_t from_length, unsigned char *octets, size_t size,
               size_t *length)
{
    if (from_length > size)
        return failed(STATUS_FAULT, "a signature has %zu octets", from_length);
    memcpy(octets, from, from_length);
    *length = from_length;
    return true;
}
