/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * peer.h - one who is measured: limbic itself, or another library with the same key, padding and
 * digests.
 *
 * A library is added as one file peer-NAME.c that defines a struct peer and is listed in peers.c;
 * that file alone includes the library's header. What a peer needs beside the operation proper
 * (building its objects for digests and signatures) it does in open(), outside the measured time.
 *
 * Functions that return bool say why they failed through failed().
 */
#ifndef LIMBIC_BENCH_PEER_H
#define LIMBIC_BENCH_PEER_H

#include "bench/inputs.h"

#include <limbic.h>
#include <stdbool.h>
#include <stddef.h>

/* What a peer works on. The key's components come from limbic_key_get_component(). */
struct task {
    limbic_key_t key;
    const struct limbic_params *params; /* hash and padding are not DEFAULT */
    const struct inputs *inputs;
};

/* One key generated: its time, and the prime candidates tested and expected, 0 if the library does
   not tell. */
struct generation {
    double nanoseconds;
    unsigned long tested, expected;
    limbic_key_t key; /* limbic only, else NULL; to be freed by the caller */
};

struct peer {
    const char *name;
    const char *(*version)(void);

    /* Why it does not take part with this hash and padding, or NULL if it does: "has no such hash".
       May be NULL. */
    const char *(*cannot)(const struct limbic_params *params);

    /* Once, before limbic is initialised. May be NULL. */
    bool (*start)(void);

    bool (*open)(void **context, const struct task *task);
    void (*close)(void *context); /* NULL is fine */

    /* The measured operations, on input i of the task. sign() leaves its result in the context,
       from where signature() fetches it as octets, *length of at most `size`. */
    bool (*sign)(void *context, size_t i);
    bool (*verify)(void *context, size_t i);
    bool (*signature)(void *context, unsigned char *octets, size_t size, size_t *length);

    /* `count` of them from input `first` on, over and over, and the nanoseconds of all by the peer's
       own clock, where a call takes time to get there. NULL for the others. */
    bool (*sign_many)(void *context, size_t first, size_t count, double *nanoseconds);
    bool (*verify_many)(void *context, size_t first, size_t count, double *nanoseconds);

    bool (*generate)(unsigned bits, struct generation *generation);
};

extern const struct peer peer_limbic;
extern const struct peer peer_openssl;
extern const struct peer peer_openssl_without_ifma;
extern const struct peer peer_libgcrypt;
extern const struct peer peer_nettle;
extern const struct peer peer_botan;

/* The other libraries that this program was built with, ended by NULL. */
extern const struct peer *const peers[];

/* The component `name` of a key as octets, *length of at most size. */
bool peer_component(limbic_key_t key, const char *name, unsigned char *octets, size_t size,
                    size_t *length);

/* For signature(): copies octets if there is room. */
bool peer_give(const unsigned char *from, size_t from_length, unsigned char *octets, size_t size,
               size_t *length);

/* The octets of the largest component: limbic's largest modulus has 16384 bits. */
#define COMPONENT_MAX 2048

#endif
