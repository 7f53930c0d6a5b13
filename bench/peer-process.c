/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * peer-process.c - OpenSSL without its AVX-512 IFMA code. libcrypto reads OPENSSL_ia32cap when it is
 * loaded, so that it takes another process, which is this program again: it is sent the key, the
 * inputs and then, batch by batch, what to do; it measures by its own clock and sends the time.
 *
 * Both ends are one program, so structures travel as they are. The key is made for the measurement
 * and thrown away after it.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "bench/peer-process.h"

#include "bench/failure.h"
#include "bench/measure.h"
#include "bench/peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The bit of AVX512IFMA in the second word of OPENSSL_ia32cap (OPENSSL_ia32cap(3)). */
#define VARIABLE "OPENSSL_ia32cap"
#define VALUE ":~0x200000"

#define served_peer peer_openssl

enum what { WHAT_OPEN, WHAT_SIGN, WHAT_VERIFY, WHAT_SIGNATURE, WHAT_GENERATE };

/* A request for WHAT_OPEN is followed by the key in PKCS#8 and the signatures. */
struct request {
    enum what what;
    size_t first, count; /* of a batch of inputs */
    unsigned bits;
    struct limbic_params params;
    struct inputs inputs; /* but for the pointer */
    size_t key_length;
};

struct reply {
    bool done;
    int status;        /* of a failure */
    char failure[512]; /* likewise */
    double nanoseconds;
    size_t length;
    unsigned char signature[COMPONENT_MAX];
};

/* A PKCS#8 key of 16384 bits has about 9400 octets. */
#define KEY_MAX 16384

/* ---- Octets through a socket ----------------------------------------------------------------- */

static bool put(int file, const void *data, size_t length)
{
    const unsigned char *octets = data;

    while (length) {
        ssize_t put = send(file, octets, length, MSG_NOSIGNAL);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        octets += put;
        length -= (size_t)put;
    }
    return true;
}

static bool get(int file, void *data, size_t length)
{
    unsigned char *octets = data;

    while (length) {
        ssize_t got = read(file, octets, length);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        octets += got;
        length -= (size_t)got;
    }
    return true;
}

/* ---- The serving process --------------------------------------------------------------------- */

struct server {
    limbic_key_t key;
    struct inputs inputs;
    struct limbic_params params;
    void *context;
};

static void server_close(struct server *server)
{
    served_peer.close(server->context);
    limbic_key_free(server->key);
    inputs_free(&server->inputs);
    *server = (struct server){0};
}

static bool server_open(struct server *server, const struct request *request)
{
    static unsigned char key[KEY_MAX];
    struct task task = {NULL, &server->params, &server->inputs};
    size_t length = request->inputs.count * request->inputs.signature_length;
    gpg_error_t error;

    server_close(server);
    server->inputs = request->inputs;
    server->params = request->params;
    server->inputs.signatures = malloc(length);
    if (!server->inputs.signatures)
        return failed(STATUS_USAGE, "out of memory");
    if (request->key_length > sizeof key || !get(STDIN_FILENO, key, request->key_length) ||
        !get(STDIN_FILENO, server->inputs.signatures, length))
        return failed(STATUS_USAGE, "a request is cut short");
    error = limbic_key_import(&server->key, key, request->key_length, 0);
    if (error)
        return failed_limbic(error, "importing the key");
    task.key = server->key;
    return served_peer.open(&server->context, &task);
}

static bool server_batch(struct server *server, const struct request *request, double *nanoseconds)
{
    struct batch batch = {request->what == WHAT_SIGN ? served_peer.sign : served_peer.verify,
                          server->context,
                          NULL,
                          server->inputs.count,
                          request->first,
                          request->count};

    if (!server->context)
        return failed(STATUS_FAULT, "no key yet");
    if (!measure_batch(&batch, nanoseconds))
        return false;
    *nanoseconds *= (double)request->count;
    return true;
}

static bool server_do(struct server *server, const struct request *request, struct reply *reply)
{
    struct generation generation;

    switch (request->what) {
    case WHAT_OPEN:
        return server_open(server, request);
    case WHAT_SIGN:
    case WHAT_VERIFY:
        return server_batch(server, request, &reply->nanoseconds);
    case WHAT_SIGNATURE:
        return served_peer.signature(server->context, reply->signature, sizeof reply->signature,
                                     &reply->length);
    case WHAT_GENERATE:
        if (!served_peer.generate(request->bits, &generation))
            return false;
        reply->nanoseconds = generation.nanoseconds;
        return true;
    }
    return failed(STATUS_FAULT, "an unknown request");
}

int peer_process_serve(void)
{
    static struct server server;
    static struct request request;
    static struct reply reply;

    while (get(STDIN_FILENO, &request, sizeof request)) {
        memset(&reply, 0, sizeof reply);
        reply.done = server_do(&server, &request, &reply);
        if (!reply.done) {
            reply.status = failure_status();
            snprintf(reply.failure, sizeof reply.failure, "%s", failure_text());
        }
        if (!put(STDOUT_FILENO, &reply, sizeof reply))
            break;
    }
    server_close(&server);
    return STATUS_OK;
}

/* ---- The measuring process ------------------------------------------------------------------- */

static int child = -1; /* our end of the socket, once there is one */

static struct request request;
static struct reply reply;

static _Noreturn void become_child(int end)
{
    char name[] = "limbic-speed", argument[] = PEER_PROCESS_ARGUMENT;
    char *arguments[] = {name, argument, NULL};

    if (dup2(end, STDIN_FILENO) >= 0 && dup2(end, STDOUT_FILENO) >= 0 &&
        setenv(VARIABLE, VALUE, 1) == 0 && unsetenv("LIMBIC") == 0)
        execv("/proc/self/exe", arguments);
    _exit(STATUS_USAGE);
}

static bool start(void)
{
    int ends[2];
    pid_t pid;

    if (child >= 0)
        return true;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return failed(STATUS_USAGE, "socketpair: %s", strerror(errno));
    pid = fork();
    if (pid == 0)
        become_child(ends[1]);
    close(ends[1]);
    child = ends[0];
    return pid > 0 ? true : failed(STATUS_USAGE, "fork: %s", strerror(errno));
}

static bool finish_call(void)
{
    if (!get(child, &reply, sizeof reply))
        return failed(STATUS_FAULT, "the process with " VARIABLE "=" VALUE " has ended");
    return reply.done ? true : failed(reply.status, "%s", reply.failure);
}

static bool call(enum what what)
{
    request.what = what;
    if (!start())
        return false;
    if (!put(child, &request, sizeof request))
        return failed(STATUS_FAULT, "the process with " VARIABLE "=" VALUE " has ended");
    return finish_call();
}

static bool open_context(void **opaque, const struct task *task)
{
    static unsigned char key[KEY_MAX];
    gpg_error_t error =
        limbic_key_export(task->key, LIMBIC_FORMAT_PKCS8, 0, key, sizeof key, &request.key_length);

    *opaque = NULL; /* the other process has it */
    if (error)
        return failed_limbic(error, "exporting the key");
    request.what = WHAT_OPEN;
    request.params = *task->params;
    request.inputs = *task->inputs;
    request.inputs.signatures = NULL;
    if (!start())
        return false;
    if (!put(child, &request, sizeof request) || !put(child, key, request.key_length) ||
        !put(child, task->inputs->signatures, task->inputs->count * task->inputs->signature_length))
        return failed(STATUS_FAULT, "the process with " VARIABLE "=" VALUE " has ended");
    return finish_call();
}

static void close_context(void *opaque)
{
    (void)opaque;
}

static bool batch_of(enum what what, size_t first, size_t count, double *nanoseconds)
{
    request.first = first;
    request.count = count;
    if (!call(what))
        return false;
    *nanoseconds = reply.nanoseconds;
    return true;
}

static bool sign_many(void *opaque, size_t first, size_t count, double *nanoseconds)
{
    (void)opaque;
    return batch_of(WHAT_SIGN, first, count, nanoseconds);
}

static bool verify_many(void *opaque, size_t first, size_t count, double *nanoseconds)
{
    (void)opaque;
    return batch_of(WHAT_VERIFY, first, count, nanoseconds);
}

static bool sign(void *opaque, size_t i)
{
    double unused;

    return sign_many(opaque, i, 1, &unused);
}

static bool verify(void *opaque, size_t i)
{
    double unused;

    return verify_many(opaque, i, 1, &unused);
}

static bool signature(void *opaque, unsigned char *octets, size_t size, size_t *length)
{
    (void)opaque;
    return call(WHAT_SIGNATURE) && peer_give(reply.signature, reply.length, octets, size, length);
}

static bool generate(unsigned bits, struct generation *generation)
{
    request.bits = bits;
    if (!call(WHAT_GENERATE))
        return false;
    *generation = (struct generation){reply.nanoseconds, 0, 0, NULL};
    return true;
}

static const char *version(void)
{
    return served_peer.version();
}

static const char *cannot(const struct limbic_params *params)
{
#if defined __x86_64__ && defined __GNUC__
    if (!__builtin_cpu_supports("avx512ifma"))
        return "is openssl: the processor has no AVX-512 IFMA";
    return served_peer.cannot(params);
#else
    (void)params;
    return "is openssl: the processor has no AVX-512 IFMA";
#endif
}

const struct peer peer_openssl_without_ifma = {
    .name = "openssl -avx512ifma",
    .version = version,
    .cannot = cannot,
    .open = open_context,
    .close = close_context,
    .sign = sign,
    .verify = verify,
    .sign_many = sign_many,
    .verify_many = verify_many,
    .signature = signature,
    .generate = generate,
};
