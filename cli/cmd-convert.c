/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command convert: a key in another form, with another passphrase, with none.
 */
#include "cli/cli.h"

#include <strings.h>

static const struct cli_option convert_options[] = {
    CLI_OPTION_KEY("private or public key, PEM or DER"),
    {OPT_TO, "to", "FORM", "pkcs8, pkcs8-enc, pkcs1, traditional or spki; see below", NULL},
    {OPT_OUTPUT, "output", "FILE", "where the key goes (default: standard output)", NULL},
    {OPT_DER, "der", NULL, "write DER, not PEM", NULL},
    CLI_OPTION_PASSPHRASE,
    {OPT_NEW_PASSPHRASE_FILE, "new-passphrase-file", "FILE",
     "pkcs8-enc: its first line is the new passphrase\n"
     "(default: that of --passphrase-file, else asked for)",
     NULL},
    {OPT_KDF, "kdf", "NAME", "pkcs8-enc: pbkdf2 or scrypt (default: pbkdf2)", NULL},
    {OPT_HASH, "hash", "NAME", "pbkdf2: sha1, or one of SHA-2 (default: sha256)", NULL},
    {OPT_ITERATIONS, "iterations", "N", "pbkdf2: 1000 to 10000000 (default: 600000)", NULL},
    {OPT_CIPHER, "cipher", "NAME", "pkcs8-enc: aes128, aes192, aes256 (default: aes256)", NULL},
    CLI_OPTION_HELP,
    CLI_OPTION_END,
};

/* ---- Words --------------------------------------------------------------------------------- */

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static int take_kdf(const char *word, enum limbic_kdf *kdf)
{
    static const char *const names[] = {"pbkdf2", "scrypt"};
    static const enum limbic_kdf kdfs[] = {LIMBIC_KDF_PBKDF2, LIMBIC_KDF_SCRYPT};
    int i = cli_take_name("--kdf", word, names, COUNT(names));

    if (i < 0)
        return CLI_USAGE;
    *kdf = kdfs[i];
    return CLI_OK;
}

static int take_cipher(const char *word, enum limbic_cipher *cipher)
{
    static const char *const names[] = {"aes128", "aes192", "aes256"};
    static const enum limbic_cipher ciphers[] = {LIMBIC_CIPHER_AES128, LIMBIC_CIPHER_AES192,
                                                 LIMBIC_CIPHER_AES256};
    int i = cli_take_name("--cipher", word, names, COUNT(names));

    if (i < 0)
        return CLI_USAGE;
    *cipher = ciphers[i];
    return CLI_OK;
}

/* Those that HMAC is taken over: what the library can write, limbic.h has. */
static int take_hash(const char *word, enum limbic_hash *hash)
{
    static const char *const names[] = {"sha1",   "sha224",     "sha256",    "sha384",
                                        "sha512", "sha512-224", "sha512-256"};
    int i = cli_take_name("--hash", word, names, COUNT(names));

    return i < 0 ? CLI_USAGE : cli_take_hash("--hash", names[i], LIMBIC_HASH_SHA1, hash);
}

static int take_iterations(const char *word, uint64_t *iterations)
{
    if (cli_number(word, iterations) == 0 && *iterations >= 1000 &&
        *iterations <= LIMBIC_PBKDF2_MOST_ITERATIONS)
        return CLI_OK;
    return cli_error(CLI_USAGE, "--iterations", NULL, "\"%.80s\" is not a number from 1000 to %u",
                     word, LIMBIC_PBKDF2_MOST_ITERATIONS);
}

/* The first option given of a list, or NULL. */
static const char *first_given(const struct cli_args *args, const int *ids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (const struct cli_option *o = convert_options; o->name; o++)
            if (o->id == ids[i] && args->value[o->id])
                return o->name;
    return NULL;
}

static int take_protection(const struct cli_args *args, struct limbic_protection *how)
{
    static const int of_pbkdf2[] = {OPT_HASH, OPT_ITERATIONS};
    const char *kdf = args->value[OPT_KDF], *cipher = args->value[OPT_CIPHER];
    const char *hash = args->value[OPT_HASH], *iterations = args->value[OPT_ITERATIONS];
    const char *given;
    int status = kdf ? take_kdf(kdf, &how->kdf) : CLI_OK;

    if (status == CLI_OK && cipher)
        status = take_cipher(cipher, &how->cipher);
    if (status == CLI_OK && hash)
        status = take_hash(hash, &how->hash);
    if (status == CLI_OK && iterations)
        status = take_iterations(iterations, &how->iterations);
    given = first_given(args, of_pbkdf2, COUNT(of_pbkdf2));
    if (status == CLI_OK && given && how->kdf == LIMBIC_KDF_SCRYPT)
        return cli_error(CLI_USAGE, "--kdf scrypt", NULL, "--%s is for pbkdf2", given);
    return status;
}

/* ---- Forms --------------------------------------------------------------------------------- */

enum form { PKCS8, PKCS8_ENC, PKCS1, TRADITIONAL, SPKI };

static int take_form(const struct cli_args *args, enum form *form)
{
    static const char *const names[] = {"pkcs8", "pkcs8-enc", "pkcs1", "traditional", "spki"};
    static const int of_encryption[] = {OPT_NEW_PASSPHRASE_FILE, OPT_KDF, OPT_HASH, OPT_ITERATIONS,
                                        OPT_CIPHER};
    const char *given = first_given(args, of_encryption, COUNT(of_encryption));
    int i;

    if (strcasecmp(args->value[OPT_TO], "sec1") == 0)
        return cli_error(CLI_USAGE, "--to sec1", NULL, "is for EC keys; this version has RSA only");
    i = cli_take_name("--to", args->value[OPT_TO], names, COUNT(names));
    if (i < 0)
        return CLI_USAGE;
    if (i != PKCS8_ENC && given)
        return cli_error(CLI_USAGE, NULL, "add --to pkcs8-enc",
                         "--%s is for keys that are written encrypted", given);
    *form = (enum form)i;
    return CLI_OK;
}

/* PKCS#1 has a form for either kind of key. */
static enum limbic_format format_of(enum form form, limbic_key_t key)
{
    struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;

    (void)limbic_key_info(key, &info);
    switch (form) {
    case PKCS1:
        return info.is_private ? LIMBIC_FORMAT_PKCS1 : LIMBIC_FORMAT_PKCS1_PUBLIC;
    case TRADITIONAL:
        return LIMBIC_FORMAT_PKCS1;
    case SPKI:
        return LIMBIC_FORMAT_SPKI;
    default:
        return LIMBIC_FORMAT_PKCS8;
    }
}

/* ---- The command --------------------------------------------------------------------------- */

/* The new passphrase: that of --new-passphrase-file; else of --passphrase-file, which is not read a
   second time if it opened the key, since it may be a pipe; else asked for. */
static int write_encrypted(const struct cli_args *args, const struct cli_key_source *source,
                           struct cli_key_form *form, const char *output)
{
    const char *old = args->value[OPT_PASSPHRASE_FILE];
    const char *path = args->value[OPT_NEW_PASSPHRASE_FILE];
    struct cli_buffer passphrase = {NULL, 0, 0};
    int status = CLI_OK;

    form->passphrase = &source->passphrase;
    if (path || !old || source->passphrase.length == 0) {
        status = cli_new_passphrase(path ? path : old, "--new-passphrase-file", &passphrase);
        form->passphrase = &passphrase;
    }
    if (status == CLI_OK)
        status = cli_write_key(source->key, form, output);
    cli_release(&passphrase);
    return status;
}

static int write_form(const struct cli_args *args, const struct cli_key_source *source,
                      enum form form, const struct limbic_protection *how, const char *output)
{
    struct cli_key_form as = {format_of(form, source->key), args->value[OPT_DER] != NULL, NULL,
                              how};
    struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;

    (void)limbic_key_info(source->key, &info);
    if (form != SPKI && form != PKCS1 && !info.is_private)
        return cli_error(CLI_USAGE, cli_input_name(args->value[OPT_KEY]), "give the private key",
                         "a public key has no form %.20s", args->value[OPT_TO]);
    return form == PKCS8_ENC ? write_encrypted(args, source, &as, output)
                             : cli_write_key(source->key, &as, output);
}

static int run_convert(const struct cli_args *args)
{
    struct limbic_protection how = LIMBIC_PROTECTION_INIT;
    const char *output = args->value[OPT_OUTPUT] ? args->value[OPT_OUTPUT] : "-";
    struct cli_key_source source;
    enum form form = PKCS8;
    gpg_error_t err;
    int status;

    if (!args->value[OPT_KEY])
        return cli_missing("-k KEY");
    if (!args->value[OPT_TO])
        return cli_missing("--to FORM");
    status = take_form(args, &form);
    if (status == CLI_OK)
        status = take_protection(args, &how);
    if (status == CLI_OK && args->value[OPT_DER])
        status = cli_spare_terminal(args, "DER");
    if (status == CLI_OK)
        status = cli_start();
    if (status != CLI_OK)
        return status;
    err = cli_import_key(args, 0, &source, &status);
    if (err)
        return cli_library_error(err, cli_input_name(args->value[OPT_KEY]));
    if (status == CLI_OK) {
        status = write_form(args, &source, form, &how, output);
        cli_release_key(&source);
    }
    return status;
}

const struct cli_command cli_convert = {
    .name = "convert",
    .summary = "write a key in another form, set or remove its passphrase",
    .usage = "-k KEY --to FORM [-o OUT] [option...]",
    .options = convert_options,
    .run = run_convert,
    .text =
        "FORM is\n"
        "  pkcs8        PrivateKeyInfo, not encrypted: removes the passphrase\n"
        "  pkcs8-enc    EncryptedPrivateKeyInfo: sets the passphrase or changes it\n"
        "  pkcs1        RSAPrivateKey, of a public key RSAPublicKey; not encrypted\n"
        "  traditional  the private form of the kind of key, of RSA RSAPrivateKey\n"
        "  spki         SubjectPublicKeyInfo: the public half\n"
        "An existing file is replaced, but not that of -k. Private keys have mode 0600.\n"
        "\n"
        "Exit status: 0 done; 2 usage, a wrong passphrase, or a key or file that cannot be used;\n"
        "3 a provider failed.\n"
        "\n"
        "Example:\n"
        "  limbic convert -k key.pem --to pkcs8-enc -o locked.pem\n"
        "  limbic convert -k locked.pem --passphrase-file old --to pkcs8-enc \\\n"
        "      --new-passphrase-file new -o changed.pem\n",
};
