/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands sign and verify. They turn options into parameters and move octets; what a signature
 * is, the library knows.
 */
#include "cli/cli.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CHUNK (64 * 1024)

/* Without a hash the input itself is padded: it is shorter than the longest modulus, 2048 octets.
   The same bound holds for signatures. More is read so that what is too long is seen to be so. */
#define MOST_UNHASHED CHUNK
#define MOST_SIGNATURE CHUNK
#define MOST_DIGEST 64

/* What is read of a digest: enough to see that it is written in hexadecimal. */
#define MOST_DIGEST_TEXT 256

#define ONLY_RSA "; this version has RSA only"

#define SHARED_OPTIONS \
    {OPT_HASH, "hash", "NAME", "hash function (default: sha256); see below", NULL}, \
        {OPT_DIGEST, "digest", NULL, "the input is the digest itself, not a message", NULL}, \
        {OPT_PADDING, "padding", "NAME", "pkcs1, pss or raw (default: pkcs1)", NULL}, \
    { \
        OPT_MGF_HASH, "mgf-hash", "NAME", \
            "PSS: hash function of the mask (default: as --hash)\n" \
            "shake128 and shake256 are the mask function itself (RFC 8702)", \
            NULL \
    }

#define REFUSED_OPTIONS \
    {OPT_SIG_FORMAT, "sig-format", "NAME", NULL, \
     "is for signatures made of two numbers" ONLY_RSA}, \
        {OPT_CONTEXT, "context", "HEX", NULL, "is for Ed25519 and Ed448" ONLY_RSA}, \
        {OPT_PREHASH, "prehash", NULL, NULL, "is for Ed25519 and Ed448" ONLY_RSA}, \
        {OPT_ZIP215, "zip215", NULL, NULL, "is for Ed25519" ONLY_RSA}, \
        {OPT_ID, "id", "HEX", NULL, "is for SM2" ONLY_RSA}, \
        {OPT_NONCE, "nonce", "NAME", NULL, "is for DSA, ECDSA and GOST" ONLY_RSA}, \
    { \
        OPT_LABEL, "label", "HEX", NULL, "is for encryption with OAEP, not for signatures" \
    }

#define HASHES_TEXT \
    CLI_HASHES_TEXT ", as far as the\n" \
                    "padding has a place for them; none: the input itself is padded, without a " \
                    "DigestInfo\n" \
                    "(pkcs1 and raw only). raw pads nothing: the input is a number below the " \
                    "modulus.\n"

/* ---- Parameters ---------------------------------------------------------------------------- */

static int take_padding(const char *word, enum limbic_padding *padding)
{
    static const char *const names[] = {"pkcs1", "pss", "raw"};
    static const enum limbic_padding paddings[] = {LIMBIC_PADDING_PKCS1, LIMBIC_PADDING_PSS,
                                                   LIMBIC_PADDING_RAW};
    int i;

    if (word && strcasecmp(word, "oaep") == 0)
        return cli_error(CLI_USAGE, "--padding", "use pkcs1, pss or raw",
                         "oaep is for encryption, not for signatures");
    i = word ? cli_take_name("--padding", word, names, 3) : 0;
    if (i < 0)
        return CLI_USAGE;
    *padding = paddings[i];
    return CLI_OK;
}

/* Longer than any salt that fits a modulus of 16384 bits, and small enough for the library to say what
   fits. More is taken as no more than that, up to what can be meant for a length. */
#define MOST_SALT 2048
#define MOST_LENGTH 65535

static int take_salt(const char *word, int verifying, int *salt)
{
    uint64_t number;

    if (strcasecmp(word, "digest") == 0)
        *salt = LIMBIC_SALT_DIGEST;
    else if (strcasecmp(word, "max") == 0)
        *salt = LIMBIC_SALT_MAX;
    else if (strcasecmp(word, "auto") == 0 && verifying)
        *salt = LIMBIC_SALT_AUTO;
    else if (strcasecmp(word, "auto") == 0)
        return cli_error(CLI_USAGE, "--salt-len", "use a number, digest or max",
                         "auto is for verify");
    else if (cli_number(word, &number) == 0 && number <= MOST_LENGTH)
        *salt = (int)(number < MOST_SALT ? number : MOST_SALT);
    else
        return cli_error(CLI_USAGE, "--salt-len",
                         verifying ? "use a number of octets, digest, max or auto"
                                   : "use a number of octets, digest or max",
                         "\"%.80s\" is not the length of a salt", word);
    return CLI_OK;
}

static int take_params(const struct cli_args *args, int verifying, struct limbic_params *params)
{
    const char *salt = args->value[OPT_SALT_LEN];
    int status = cli_take_hash("--hash", args->value[OPT_HASH], LIMBIC_HASH_NONE, &params->hash);

    if (status == CLI_OK)
        status = take_padding(args->value[OPT_PADDING], &params->padding);
    if (status == CLI_OK)
        status = cli_take_hash("--mgf-hash", args->value[OPT_MGF_HASH], LIMBIC_HASH_SHA1,
                               &params->mgf_hash);
    if (status == CLI_OK && salt)
        status = take_salt(salt, verifying, &params->salt_len);
    if (params->padding == LIMBIC_PADDING_RAW && params->hash == LIMBIC_HASH_DEFAULT)
        params->hash = LIMBIC_HASH_NONE;
    if (status != CLI_OK || params->padding == LIMBIC_PADDING_PSS)
        return status;
    if (salt || args->value[OPT_MGF_HASH])
        return cli_error(CLI_USAGE, salt ? "--salt-len" : "--mgf-hash", "add --padding pss",
                         "is for PSS");
    return CLI_OK;
}

/* ---- One operation ------------------------------------------------------------------------- */

/* What sign and verify have in common: the key, the parameters and where the input comes from; then
   the signature, to be made or to be verified. */
struct operation {
    limbic_key_t key;
    const char *key_path;
    limbic_stream_t stream;
    struct limbic_params params;
    const char *input;
    int is_digest;
    int verifying;
    unsigned char *signature;
    size_t size, length;
};

/* A short input in memory: a digest, or an unhashed message. */
static gpg_error_t with_memory(struct operation *op, const void *data, size_t length)
{
    if (op->params.hash == LIMBIC_HASH_NONE)
        return op->verifying
                   ? limbic_verify(op->key, &op->params, data, length, op->signature, op->length)
                   : limbic_sign(op->key, &op->params, data, length, op->signature, op->size,
                                 &op->length);
    return op->verifying
               ? limbic_verify_digest(op->key, &op->params, data, length, op->signature, op->length)
               : limbic_sign_digest(op->key, &op->params, data, length, op->signature, op->size,
                                    &op->length);
}

/* Whether a digest of `size` octets was given as hexadecimal digits, in the manner of sha256sum:
   behind them is nothing, or white space and anything. */
static int is_hexadecimal(const struct cli_buffer *data, size_t size)
{
    size_t digits = 0;

    while (digits < data->length && isxdigit(data->data[digits]))
        digits++;
    return digits == 2 * size && (digits == data->length || isspace(data->data[digits]));
}

static int check_digest(const struct operation *op, const struct cli_buffer *data)
{
    const char *name = cli_input_name(op->input);
    size_t size = limbic_hash_size(op->params.hash ? op->params.hash : LIMBIC_HASH_SHA256);

    if (data->length != size && is_hexadecimal(data, size))
        return cli_error(CLI_USAGE, name, NULL, "raw octets are wanted, not hexadecimal");
    if (data->length > MOST_DIGEST)
        return cli_error(CLI_USAGE, name, NULL, "is longer than any digest");
    return CLI_OK;
}

static int operate_memory(struct operation *op, gpg_error_t *err)
{
    int hashed = op->params.hash != LIMBIC_HASH_NONE;
    struct cli_buffer data;
    int status = cli_read_file(op->input, hashed ? MOST_DIGEST_TEXT : MOST_UNHASHED, &data);

    if (status != CLI_OK)
        return status;
    if (hashed)
        status = check_digest(op, &data);
    if (status == CLI_OK)
        *err = with_memory(op, data.data, data.length);
    cli_release(&data);
    return status;
}

static gpg_error_t end_stream(struct operation *op)
{
    if (op->verifying)
        return limbic_stream_verify(op->stream, op->signature, op->length);
    return limbic_stream_sign(op->stream, op->signature, op->size, &op->length);
}

static int operate_stream(struct operation *op, gpg_error_t *err)
{
    static unsigned char chunk[CHUNK];
    size_t length;
    int fd, status = cli_open(op->input, &fd);

    if (status != CLI_OK)
        return status;
    *err = limbic_stream_open(&op->stream, op->key, &op->params);
    while (!*err) {
        status = cli_read(fd, op->input, chunk, sizeof chunk, &length);
        if (status != CLI_OK || length == 0)
            break;
        *err = limbic_stream_update(op->stream, chunk, length);
    }
    if (status == CLI_OK && !*err)
        *err = end_stream(op);
    cli_close(fd);
    return status;
}

/* Returns an exit status when the input could not be had; else CLI_OK, and *err is the answer. */
static int operate(struct operation *op, gpg_error_t *err)
{
    *err = 0;
    if (op->is_digest || op->params.hash == LIMBIC_HASH_NONE)
        return operate_memory(op, err);
    return operate_stream(op, err);
}

/* An error of the operation itself, which is about its input, an option or the key. */
static int operation_error(const struct operation *op, gpg_error_t err)
{
    int unhashed = op->params.hash == LIMBIC_HASH_NONE;
    gpg_err_code_t code = gpg_err_code(err);

    if (code == GPG_ERR_INV_LENGTH || (code == GPG_ERR_TOO_SHORT && unhashed))
        return cli_library_error(err, cli_input_name(op->input));
    if (code == GPG_ERR_TOO_SHORT && op->params.salt_len > 0)
        return cli_library_error(err, "--salt-len");
    if (code == GPG_ERR_DIGEST_ALGO)
        return cli_library_error(err, "--hash");
    return cli_library_error(err, cli_input_name(op->key_path));
}

/* Last, after the messages: calls of the library may end the life of an error's detail. */
static void finish(struct operation *op)
{
    limbic_stream_close(op->stream);
    limbic_key_free(op->key);
}

static int prepare(const struct cli_args *args, struct operation *op)
{
    int status = cli_start();

    op->key_path = args->value[OPT_KEY];
    op->input = cli_or_dash(args->value[OPT_INPUT]);
    op->is_digest = args->value[OPT_DIGEST] != NULL;
    return status == CLI_OK ? cli_load_key(args, 0, &op->key) : status;
}

/* ---- sign ---------------------------------------------------------------------------------- */

static const struct cli_option sign_options[] = {
    {OPT_KEY, "key", "FILE", "private key, PEM or DER", NULL},
    {OPT_INPUT, "input", "FILE", "what to sign (default: standard input)", NULL},
    {OPT_OUTPUT, "output", "FILE", "where the signature goes (default: standard output)", NULL},
    SHARED_OPTIONS,
    {OPT_SALT_LEN, "salt-len", "N", "PSS: octets of salt, digest or max (default: digest)", NULL},
    CLI_OPTION_PASSPHRASE,
    CLI_OPTION_HELP,
    REFUSED_OPTIONS,
    CLI_OPTION_END,
};

static int make_signature(struct operation *op, const char *output)
{
    struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;
    gpg_error_t err = limbic_key_info(op->key, &info);
    int status;

    if (err)
        return cli_library_error(err, NULL);
    op->size = info.max_signature;
    op->signature = malloc(op->size);
    if (!op->signature)
        return cli_error(CLI_USAGE, NULL, NULL, "out of memory");
    status = operate(op, &err);
    if (status == CLI_OK)
        status = err ? operation_error(op, err)
                     : cli_write_file(output, op->signature, op->length, CLI_PUBLIC);
    free(op->signature);
    return status;
}

static int run_sign(const struct cli_args *args)
{
    struct operation op = {.params = LIMBIC_PARAMS_INIT};
    const char *output = cli_or_dash(args->value[OPT_OUTPUT]);
    int status;

    if (!args->value[OPT_KEY])
        return cli_missing("-k KEY");
    status = take_params(args, 0, &op.params);
    if (status == CLI_OK)
        status = cli_spare_terminal(args, "a signature");
    if (status == CLI_OK)
        status = prepare(args, &op);
    if (status == CLI_OK)
        status = make_signature(&op, output);
    finish(&op);
    return status;
}

const struct cli_command cli_sign = {
    .name = "sign",
    .summary = "sign a message or a digest",
    .usage = "-k KEY [-i FILE] [-o SIG] [option...]",
    .options = sign_options,
    .run = run_sign,
    .text = HASHES_TEXT
    "\n"
    "The signature is the octets themselves, as many as the modulus has. The input may be of\n"
    "any size; with --digest it is exactly the digest. An existing output file is replaced, but\n"
    "not that of -k or -i. Without -o nothing is written to a terminal.\n"
    "\n"
    "Exit status: 0 done; 2 usage, or a key, file or algorithm that cannot be used; 3 a\n"
    "provider failed, or a fault was detected.\n"
    "\n"
    "Example:\n"
    "  limbic sign -k key.pem -i file -o file.sig --padding pss --hash sha384\n",
};

/* ---- verify -------------------------------------------------------------------------------- */

static const struct cli_option verify_options[] = {
    {OPT_KEY, "key", "FILE", "public or private key, PEM or DER", NULL},
    {OPT_SIGNATURE, "signature", "FILE", "the signature", NULL},
    {OPT_INPUT, "input", "FILE", "what was signed (default: standard input)", NULL},
    SHARED_OPTIONS,
    {OPT_SALT_LEN, "salt-len", "N",
     "PSS: octets of salt, or digest, max or auto, which\n"
     "takes any length (default: auto)",
     NULL},
    CLI_OPTION_PASSPHRASE,
    CLI_OPTION_HELP,
    REFUSED_OPTIONS,
    CLI_OPTION_END,
};

/* A signature of the right length says no more than that something is another than it was. */
static const char *advice_for(const struct operation *op, size_t length)
{
    if (op->length != length)
        return NULL;
    return "another key, message, --hash or --padding than at signing?";
}

static int answer(const struct operation *op, gpg_error_t err, const char *signature)
{
    const char *detail = limbic_error_detail();
    char why[256];
    struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;

    if (!err) {
        printf("valid\n");
        return CLI_OK;
    }
    if (gpg_err_code(err) != GPG_ERR_BAD_SIGNATURE)
        return operation_error(op, err);
    /* Copied, since the next call of the library ends the life of the detail. */
    snprintf(why, sizeof why, "%s", *detail ? detail : gpg_strerror(err));
    limbic_key_info(op->key, &info);
    return cli_error(CLI_NO, cli_input_name(signature), advice_for(op, info.max_signature),
                     "not valid: %s", why);
}

static int check_signature(struct operation *op, const char *path)
{
    struct cli_buffer signature;
    gpg_error_t err;
    int status = cli_read_file(path, MOST_SIGNATURE, &signature);

    if (status != CLI_OK)
        return status;
    op->signature = signature.data;
    op->length = signature.length;
    status = operate(op, &err);
    if (status == CLI_OK)
        status = answer(op, err, path);
    cli_release(&signature);
    return status;
}

static int run_verify(const struct cli_args *args)
{
    struct operation op = {.params = LIMBIC_PARAMS_INIT, .verifying = 1};
    int status;

    if (!args->value[OPT_KEY])
        return cli_missing("-k PUB");
    if (!args->value[OPT_SIGNATURE])
        return cli_missing("-s SIG");
    status = take_params(args, 1, &op.params);
    if (status == CLI_OK)
        status = prepare(args, &op);
    if (status == CLI_OK)
        status = check_signature(&op, args->value[OPT_SIGNATURE]);
    finish(&op);
    return status;
}

const struct cli_command cli_verify = {
    .name = "verify",
    .summary = "verify a signature",
    .usage = "-k PUB -s SIG [-i FILE] [option...]",
    .options = verify_options,
    .run = run_verify,
    .text = HASHES_TEXT
    "\n"
    "Prints `valid` when the signature is valid; otherwise one line on standard error says\n"
    "`not valid` and why. The options must be those with which the signature was made.\n"
    "\n"
    "Exit status: 0 valid; 1 not valid, also when the signature has a wrong length; 2 usage,\n"
    "or a key, file or algorithm that cannot be used; 3 a provider failed.\n"
    "\n"
    "Example:\n"
    "  limbic verify -k pub.pem -s file.sig -i file --padding pss --hash sha384\n",
};
