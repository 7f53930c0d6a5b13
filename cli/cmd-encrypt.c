/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands encrypt and decrypt. They turn options into parameters and move octets; what a
 * ciphertext is, the library knows.
 */
#include "cli/cli.h"

#include <string.h>
#include <strings.h>

/* Longer than any message or ciphertext of a modulus of 16384 bits: what is too long is read so far
   that it is seen to be. */
#define MOST_INPUT (64 * 1024)

#define ONLY_RSA "; this version has RSA only"

#define SHARED_OPTIONS \
    {OPT_PADDING, "padding", "NAME", "oaep, pkcs1 or raw (default: oaep)", NULL}, \
        {OPT_HASH, "hash", "NAME", "OAEP: hash function (default: sha256); see below", NULL}, \
        {OPT_MGF_HASH, "mgf-hash", "NAME", \
         "OAEP: hash function of the mask (default: as --hash)\n" \
         "shake128 and shake256 are the mask function itself (RFC 8702)", \
         NULL}, \
    { \
        OPT_LABEL, "label", "HEX", "OAEP: the label (default: empty)", NULL \
    }

#define REFUSED_OPTIONS \
    {OPT_SALT_LEN, "salt-len", "N", NULL, "is for signatures with PSS"}, \
        {OPT_DIGEST, "digest", NULL, NULL, "is for signatures"}, \
    { \
        OPT_ID, "id", "HEX", NULL, "is for SM2" ONLY_RSA \
    }

#define HASHES_TEXT CLI_HASHES_TEXT ".\n"

static int take_padding(const char *word, enum limbic_padding *padding)
{
    static const char *const names[] = {"oaep", "pkcs1", "raw"};
    static const enum limbic_padding paddings[] = {LIMBIC_PADDING_OAEP, LIMBIC_PADDING_PKCS1,
                                                   LIMBIC_PADDING_RAW};
    int i;

    if (word && strcasecmp(word, "pss") == 0)
        return cli_error(CLI_USAGE, "--padding", "use oaep, pkcs1 or raw",
                         "pss is for signatures, not for encryption");
    i = word ? cli_take_name("--padding", word, names, 3) : 0;
    if (i < 0)
        return CLI_USAGE;
    *padding = paddings[i];
    return CLI_OK;
}

/* What encrypt and decrypt have in common. */
struct operation {
    limbic_key_t key;
    struct limbic_params params;
    struct cli_buffer label, input, output;
};

typedef gpg_error_t (*operation_fn)(limbic_key_t key, const struct limbic_params *params,
                                    const void *input, size_t len, void *output, size_t size,
                                    size_t *length);

static int only_oaep(const struct cli_args *args)
{
    static const struct {
        int id;
        const char *name;
    } options[] = {{OPT_HASH, "--hash"}, {OPT_MGF_HASH, "--mgf-hash"}, {OPT_LABEL, "--label"}};

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (args->value[options[i].id])
            return cli_error(CLI_USAGE, options[i].name, "leave it out, or use --padding oaep",
                             "is for OAEP");
    return CLI_OK;
}

static int take_params(const struct cli_args *args, struct operation *op)
{
    int status = take_padding(args->value[OPT_PADDING], &op->params.padding);

    if (status == CLI_OK && op->params.padding != LIMBIC_PADDING_OAEP)
        return only_oaep(args);
    if (status == CLI_OK)
        status = cli_take_hash("--hash", args->value[OPT_HASH], LIMBIC_HASH_SHA1, &op->params.hash);
    if (status == CLI_OK)
        status = cli_take_hash("--mgf-hash", args->value[OPT_MGF_HASH], LIMBIC_HASH_SHA1,
                               &op->params.mgf_hash);
    if (status == CLI_OK && args->value[OPT_LABEL])
        status = cli_take_hex("--label", args->value[OPT_LABEL], &op->label);
    op->params.label = op->label.data;
    op->params.label_len = op->label.length;
    return status;
}

/* An error is about the key, an option, or else the input. */
static int operation_error(const struct cli_args *args, gpg_error_t err)
{
    const char *input = cli_input_name(cli_or_dash(args->value[OPT_INPUT]));

    switch (gpg_err_code(err)) {
    case GPG_ERR_DIGEST_ALGO:
        return cli_library_error(err, "--hash");
    case GPG_ERR_DECRYPT_FAILED:
    case GPG_ERR_TOO_SHORT:
    case GPG_ERR_INV_VALUE:
        return cli_library_error(err, input);
    default:
        return cli_library_error(err, cli_input_name(args->value[OPT_KEY]));
    }
}

static int compute(const struct cli_args *args, struct operation *op, operation_fn operate)
{
    size_t size;
    gpg_error_t err =
        operate(op->key, &op->params, op->input.data, op->input.length, NULL, 0, &size);
    int status;

    if (err)
        return operation_error(args, err);
    status = cli_make_buffer(&op->output, size + 1); /* a message may have no octets at all */
    if (status != CLI_OK)
        return status;
    err = operate(op->key, &op->params, op->input.data, op->input.length, op->output.data, size,
                  &op->output.length);
    return err ? operation_error(args, err) : CLI_OK;
}

static void release(struct cli_buffer *buffer)
{
    if (buffer->data)
        cli_release(buffer);
}

static int run(const struct cli_args *args, operation_fn operate, enum cli_output kind,
               const char *what)
{
    struct operation op = {.params = LIMBIC_PARAMS_INIT};
    int status = take_params(args, &op);

    if (status == CLI_OK && what)
        status = cli_spare_terminal(args, what);
    if (status == CLI_OK)
        status = cli_start();
    if (status == CLI_OK)
        status = cli_load_key(args, 0, &op.key);
    if (status == CLI_OK)
        status = cli_read_file(cli_or_dash(args->value[OPT_INPUT]), MOST_INPUT, &op.input);
    if (status == CLI_OK)
        status = compute(args, &op, operate);
    if (status == CLI_OK)
        status = cli_write_file(cli_or_dash(args->value[OPT_OUTPUT]), op.output.data,
                                op.output.length, kind);
    release(&op.output);
    release(&op.input);
    release(&op.label);
    limbic_key_free(op.key);
    return status;
}

/* ---- encrypt ------------------------------------------------------------------------------- */

static const struct cli_option encrypt_options[] = {
    {OPT_KEY, "key", "FILE", "public or private key, PEM or DER", NULL},
    {OPT_INPUT, "input", "FILE", "the message (default: standard input)", NULL},
    {OPT_OUTPUT, "output", "FILE", "where the ciphertext goes (default: standard output)", NULL},
    SHARED_OPTIONS,
    CLI_OPTION_PASSPHRASE,
    CLI_OPTION_HELP,
    REFUSED_OPTIONS,
    CLI_OPTION_END,
};

static int run_encrypt(const struct cli_args *args)
{
    return args->value[OPT_KEY] ? run(args, limbic_encrypt, CLI_PUBLIC, "a ciphertext")
                                : cli_missing("-k PUB");
}

const struct cli_command cli_encrypt = {
    .name = "encrypt",
    .summary = "encrypt a short message, such as a key",
    .usage = "-k PUB [-i FILE] [-o FILE] [option...]",
    .options = encrypt_options,
    .run = run_encrypt,
    .text = HASHES_TEXT
    "\n"
    "With a modulus of k octets a message has at most k - 2h - 2 octets (oaep, a hash of h "
    "octets:\n"
    "190 for 2048 bits and sha256) or k - 11 (pkcs1). raw pads nothing: the input is a number\n"
    "below the modulus. The ciphertext has k octets. Without -o nothing is written to a terminal.\n"
    "\n"
    "Exit status: 0 done; 2 usage, a message that is too long, or a key, file or algorithm that\n"
    "cannot be used; 3 a provider failed.\n"
    "\n"
    "Example:\n"
    "  limbic encrypt -k pub.pem -i session.key -o session.enc\n",
};

/* ---- decrypt ------------------------------------------------------------------------------- */

static const struct cli_option decrypt_options[] = {
    {OPT_KEY, "key", "FILE", "private key, PEM or DER", NULL},
    {OPT_INPUT, "input", "FILE", "the ciphertext (default: standard input)", NULL},
    {OPT_OUTPUT, "output", "FILE", "where the message goes, mode 0600 (default: standard output)",
     NULL},
    SHARED_OPTIONS,
    CLI_OPTION_PASSPHRASE,
    CLI_OPTION_HELP,
    REFUSED_OPTIONS,
    CLI_OPTION_END,
};

static int run_decrypt(const struct cli_args *args)
{
    return args->value[OPT_KEY] ? run(args, limbic_decrypt, CLI_PRIVATE, NULL)
                                : cli_missing("-k KEY");
}

const struct cli_command cli_decrypt = {
    .name = "decrypt",
    .summary = "decrypt what was encrypted",
    .usage = "-k KEY [-i FILE] [-o FILE] [option...]",
    .options = decrypt_options,
    .run = run_decrypt,
    .text = HASHES_TEXT
    "\n"
    "The options must be those with which the message was encrypted. With pkcs1 a wrong padding\n"
    "is no error, since to tell of it would help an attacker: a message of pseudo-random octets\n"
    "takes the place of the real one, always the same for one key and ciphertext.\n"
    "\n"
    "Exit status: 0 done; 1 the ciphertext does not decrypt; 2 usage, or a key, file or algorithm\n"
    "that cannot be used; 3 a provider failed, or a fault was detected.\n"
    "\n"
    "Example:\n"
    "  limbic decrypt -k key.pem -i session.enc -o session.key\n",
};
