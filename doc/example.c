/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * example.c - load a private key, sign a message, verify the signature with the public half.
 *
 *   cc -o example example.c $(pkg-config --cflags --libs limbic)
 *   ./example [KEYFILE]
 *
 * KEYFILE is a private RSA key in PEM or DER. Without one the program makes a key first.
 */
#include <limbic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed(const char *what, gpg_error_t err)
{
    const char *detail = limbic_error_detail();

    fprintf(stderr, "example: %s: %s\n", what, *detail ? detail : gpg_strerror(err));
    return EXIT_FAILURE;
}

static gpg_error_t load_key(const char *path, limbic_key_t *key)
{
    static unsigned char data[65536];
    FILE *file = fopen(path, "rb");
    gpg_error_t err;

    if (!file)
        return gpg_error_from_syserror();
    err = limbic_key_import(key, data, fread(data, 1, sizeof data, file), 0);
    memset(data, 0, sizeof data);
    fclose(file);
    return err;
}

int main(int argc, char **argv)
{
    static const char message[] = "a message";
    struct limbic_params params = LIMBIC_PARAMS_INIT;
    unsigned char signature[2048]; /* enough for RSA of 16384 bits */
    size_t length;
    limbic_key_t key = NULL, public_key = NULL;
    gpg_error_t err;

    err = argc > 1 ? load_key(argv[1], &key) : limbic_key_generate(&key, "rsa:2048", NULL);
    if (err)
        return failed(argc > 1 ? argv[1] : "key", err);
    err = limbic_key_public(key, &public_key);
    if (err)
        return failed("public key", err);

    params.hash = LIMBIC_HASH_SHA256;
    params.padding = LIMBIC_PADDING_PSS;
    err = limbic_sign(key, &params, message, sizeof message - 1, signature, sizeof signature,
                      &length);
    if (err)
        return failed("sign", err);
    err = limbic_verify(public_key, &params, message, sizeof message - 1, signature, length);
    if (err)
        return failed("verify", err);
    printf("a valid signature of %zu octets\n", length);

    signature[length - 1] ^= 1;
    err = limbic_verify(public_key, &params, message, sizeof message - 1, signature, length);
    if (gpg_err_code(err) != GPG_ERR_BAD_SIGNATURE)
        return failed("a changed signature was taken", err);

    limbic_key_free(public_key);
    limbic_key_free(key);
    return EXIT_SUCCESS;
}
