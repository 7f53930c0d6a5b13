/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * peer-gcrypt.c - libgcrypt's RSA, as a yardstick.
 *
 * The private key stands in secure memory, where libgcrypt itself puts the keys that it generates.
 * S-expressions for digests and signatures are built in advance: only gcry_pk_sign and
 * gcry_pk_verify are measured, which blind and check the result with e, as limbic does.
 */
#include "bench/failure.h"
#include "bench/measure.h"
#include "bench/peer.h"

#include <gcrypt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for the values of one 16384-bit key and for the arithmetic on them. */
#define SECURE_MEMORY 262144

struct context {
    const struct inputs *inputs;
    gcry_sexp_t private_key, public_key;
    gcry_sexp_t data[INPUTS_MAX], signatures[INPUTS_MAX];
    gcry_sexp_t result;
};

static bool failed_gcrypt(gcry_error_t error, const char *doing)
{
    return failed(STATUS_USAGE, "libgcrypt, %s: %s", doing, gcry_strerror(error));
}

static const char *version(void)
{
    return gcry_check_version(NULL);
}

/* limbic lets a program that uses libgcrypt initialise it first. */
static bool start(void)
{
    if (!gcry_check_version(GCRYPT_VERSION))
        return failed(STATUS_USAGE, "libgcrypt is older than " GCRYPT_VERSION);
    if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P))
        return true;
    gcry_control(GCRYCTL_DISABLE_SECMEM_WARN);
    gcry_control(GCRYCTL_INIT_SECMEM, SECURE_MEMORY, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return true;
}

/* The component as an MPI, in secure memory if `secret`; NULL after a failure. */
static gcry_mpi_t component(limbic_key_t key, const char *name, bool secret)
{
    unsigned char *octets = secret ? gcry_malloc_secure(COMPONENT_MAX) : malloc(COMPONENT_MAX);
    size_t length;
    gcry_mpi_t value = NULL;
    gcry_error_t error = 0;

    if (!octets) {
        failed(STATUS_USAGE, "out of memory");
        return NULL;
    }
    if (peer_component(key, name, octets, COMPONENT_MAX, &length))
        error = gcry_mpi_scan(&value, GCRYMPI_FMT_USG, octets, length, NULL);
    if (error)
        failed_gcrypt(error, name);
    if (secret)
        gcry_free(octets);
    else
        free(octets);
    if (value && secret)
        gcry_mpi_set_flag(value, GCRYMPI_FLAG_SECURE);
    return value;
}

static bool build_public(struct context *context, gcry_mpi_t n, gcry_mpi_t e)
{
    gcry_error_t error =
        gcry_sexp_build(&context->public_key, NULL, "(public-key (rsa (n %m)(e %m)))", n, e);

    return error ? failed_gcrypt(error, "public key") : true;
}

/* libgcrypt wants p < q and u = p^-1 mod q. */
static bool build_private(struct context *context, gcry_mpi_t n, gcry_mpi_t e, gcry_mpi_t d,
                          gcry_mpi_t p, gcry_mpi_t q)
{
    gcry_mpi_t u = gcry_mpi_snew(0);
    gcry_error_t error;

    if (gcry_mpi_cmp(p, q) > 0)
        gcry_mpi_swap(p, q);
    if (!gcry_mpi_invm(u, p, q)) {
        gcry_mpi_release(u);
        return failed(STATUS_FAULT, "libgcrypt finds no inverse of p modulo q");
    }
    error = gcry_sexp_build(&context->private_key, NULL,
                            "(private-key (rsa (n %m)(e %m)(d %m)(p %m)(q %m)(u %m)))", n, e, d, p,
                            q, u);
    gcry_mpi_release(u);
    return error ? failed_gcrypt(error, "private key") : true;
}

static bool build_keys(struct context *context, limbic_key_t key)
{
    gcry_mpi_t n = component(key, "n", false);
    gcry_mpi_t e = n ? component(key, "e", false) : NULL;
    gcry_mpi_t d = e ? component(key, "d", true) : NULL;
    gcry_mpi_t p = d ? component(key, "p", true) : NULL;
    gcry_mpi_t q = p ? component(key, "q", true) : NULL;
    bool built = q && build_public(context, n, e) && build_private(context, n, e, d, p, q);

    gcry_mpi_release(n);
    gcry_mpi_release(e);
    gcry_mpi_release(d);
    gcry_mpi_release(p);
    gcry_mpi_release(q);
    return built;
}

/* libgcrypt's name for a hash, or NULL if it has none or public-key code cannot use it. */
static const char *hash_name(enum limbic_hash hash)
{
    const char *name = limbic_hash_name(hash);
    int algorithm;

    if (hash == LIMBIC_HASH_SHA512_224)
        name = "SHA512_224";
    if (hash == LIMBIC_HASH_SHA512_256)
        name = "SHA512_256";
    algorithm = name ? gcry_md_map_name(name) : 0;
    return algorithm && gcry_md_get_algo_dlen(algorithm) ? name : NULL;
}

static const char *cannot(const struct limbic_params *params)
{
    return hash_name(params->hash) ? NULL : "does not sign with this hash";
}

static bool build_data(gcry_sexp_t *data, const struct task *task, const char *hash, size_t i)
{
    const char *format = task->params->padding == LIMBIC_PADDING_PSS
                             ? "(data (flags pss)(salt-length %u)(hash %s %b))"
                             : "(data (flags pkcs1)(hash %s %b))";
    int length = (int)task->inputs->digest_length;
    const unsigned char *digest = task->inputs->digests[i];
    gcry_error_t error;

    if (task->params->padding == LIMBIC_PADDING_PSS)
        error = gcry_sexp_build(data, NULL, format, (unsigned)length, hash, length, digest);
    else
        error = gcry_sexp_build(data, NULL, format, hash, length, digest);
    return error ? failed_gcrypt(error, "digest") : true;
}

static bool build_signature(gcry_sexp_t *signature, const struct inputs *inputs, size_t i)
{
    gcry_error_t error =
        gcry_sexp_build(signature, NULL, "(sig-val (rsa (s %b)))", (int)inputs->signature_length,
                        inputs_signature(inputs, i));

    return error ? failed_gcrypt(error, "signature") : true;
}

static bool open_context(void **opaque, const struct task *task)
{
    const char *hash = hash_name(task->params->hash);
    struct context *context = calloc(1, sizeof *context);

    *opaque = context;
    if (!context)
        return failed(STATUS_USAGE, "out of memory");
    context->inputs = task->inputs;
    if (!build_keys(context, task->key))
        return false;
    for (size_t i = 0; i < task->inputs->count; i++)
        if (!build_data(&context->data[i], task, hash, i) ||
            !build_signature(&context->signatures[i], task->inputs, i))
            return false;
    return true;
}

static void close_context(void *opaque)
{
    struct context *context = opaque;

    if (!context)
        return;
    for (size_t i = 0; i < INPUTS_MAX; i++) {
        gcry_sexp_release(context->data[i]);
        gcry_sexp_release(context->signatures[i]);
    }
    gcry_sexp_release(context->result);
    gcry_sexp_release(context->private_key);
    gcry_sexp_release(context->public_key);
    free(context);
}

static bool sign(void *opaque, size_t i)
{
    struct context *context = opaque;
    gcry_error_t error;

    gcry_sexp_release(context->result);
    context->result = NULL;
    error = gcry_pk_sign(&context->result, context->data[i], context->private_key);
    return error ? failed_gcrypt(error, "signing") : true;
}

static bool verify(void *opaque, size_t i)
{
    struct context *context = opaque;
    gcry_error_t error =
        gcry_pk_verify(context->signatures[i], context->data[i], context->public_key);

    return error ? failed_gcrypt(error, "verifying") : true;
}

/* The signature is the integer s, written with the octets of the modulus. */
static bool signature(void *opaque, unsigned char *octets, size_t size, size_t *length)
{
    struct context *context = opaque;
    gcry_sexp_t value = gcry_sexp_find_token(context->result, "s", 0);
    size_t used = 0, wanted = context->inputs->signature_length;
    const char *found = value ? gcry_sexp_nth_data(value, 1, &used) : NULL;
    bool fits;

    while (used && !*found) {
        found++;
        used--;
    }
    fits = found && used <= wanted && wanted <= size;
    if (fits) {
        memset(octets, 0, wanted - used);
        memcpy(octets + (wanted - used), found, used);
        *length = wanted;
    }
    gcry_sexp_release(value);
    return fits ? true : failed(STATUS_FAULT, "libgcrypt's signature has no s, or a long one");
}

/* A transient key takes its randomness from the strong generator, without the slow reseeding that
   libgcrypt does for keys that last. */
static bool generate(unsigned bits, struct generation *generation)
{
    gcry_sexp_t specification, key = NULL;
    gcry_error_t error = gcry_sexp_build(&specification, NULL,
                                         "(genkey (rsa (nbits %u)(flags transient-key)))", bits);
    uint64_t begin;

    *generation = (struct generation){0, 0, 0, NULL};
    if (error)
        return failed_gcrypt(error, "key size");
    begin = measure_clock();
    error = gcry_pk_genkey(&key, specification);
    generation->nanoseconds = (double)(measure_clock() - begin);
    gcry_sexp_release(key);
    gcry_sexp_release(specification);
    return error ? failed_gcrypt(error, "key generation") : true;
}

const struct peer peer_libgcrypt = {
    .name = "libgcrypt",
    .version = version,
    .cannot = cannot,
    .start = start,
    .open = open_context,
    .close = close_context,
    .sign = sign,
    .verify = verify,
    .signature = signature,
    .generate = generate,
};
