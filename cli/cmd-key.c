/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands on keys: keygen, pubkey, show, check. Knows no arithmetic and no key format: the
 * library does.
 */
#include "cli/cli.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Shared -------------------------------------------------------------------------------- */

static const char *output_path(const struct cli_args *args)
{
    return args->value[OPT_OUTPUT] ? args->value[OPT_OUTPUT] : "-";
}

/* ---- keygen -------------------------------------------------------------------------------- */

static const struct cli_option keygen_options[] = {
    {OPT_OUTPUT, "output", "FILE", "file for the key, mode 0600 (default: standard output)", NULL},
    {OPT_E, "e", "N", "public exponent, odd, 3 to 2^64 - 1 (default: 65537)", NULL},
    {OPT_PRIMES, "primes", "N", "number of primes, 2 to 5 (default: 2); see below", NULL},
    {OPT_ALLOW_WEAK, "allow-weak", NULL, "allow RSA keys of 1024 to 2047 bits", NULL},
    {OPT_ENCRYPT, "encrypt", NULL, "encrypt the key with a passphrase, which is asked for", NULL},
    {OPT_PASSPHRASE_FILE, "passphrase-file", "FILE",
     "encrypt the key; the first line is the passphrase", NULL},
    CLI_OPTION_HELP,
    CLI_OPTION_END,
};

struct progress {
    const char *spec;
    double next; /* seconds: when to print again */
    int printed;
};

static double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A line that is written over, ten times a second at most, and not in the first half second. */
static int show_progress(void *opaque, unsigned long tested, unsigned long expected)
{
    struct progress *p = opaque;
    double now = seconds_now();

    if (now >= p->next) {
        fprintf(stderr, "\rlimbic: keygen: %s: %lu candidates tested, about %lu expected ", p->spec,
                tested, expected);
        p->next = now + 0.1;
        p->printed = 1;
    }
    return 0;
}

static int keygen_params(const struct cli_args *args, struct limbic_generate *generate)
{
    const char *e = args->value[OPT_E], *primes = args->value[OPT_PRIMES];
    uint64_t number = 0;

    generate->allow_weak = args->value[OPT_ALLOW_WEAK] != NULL;
    if (e && (cli_number(e, &generate->e) != 0 || generate->e < 3 || generate->e % 2 == 0))
        return cli_error(CLI_USAGE, "--e", NULL,
                         "\"%.80s\" is not an odd number from 3 to 2^64 - 1", e);
    if (primes && (cli_number(primes, &number) != 0 || number < 2 || number > 5))
        return cli_error(CLI_USAGE, "--primes", NULL, "\"%.80s\" is not a number from 2 to 5",
                         primes);
    generate->primes = primes ? (unsigned)number : 0;
    return CLI_OK;
}

static int keygen_error(gpg_error_t err, const char *spec, int allow_weak)
{
    if (gpg_err_code(err) == GPG_ERR_TOO_SHORT && !allow_weak)
        return cli_error(CLI_USAGE, spec, "--allow-weak takes 1024 and more, for tests",
                         "too short to be secure: at least 2048 bits");
    return cli_library_error(err, spec);
}

/* The library takes lower case; people also write RSA:2048. */
#define MOST_SPEC 64

static const char *lower_case(const char *spec, char lower[MOST_SPEC])
{
    size_t length = strlen(spec);

    if (length >= MOST_SPEC)
        return spec;
    for (size_t i = 0; i <= length; i++)
        lower[i] = (char)tolower((unsigned char)spec[i]);
    return lower;
}

/* The new key, encrypted when there is a passphrase. */
static int generate_key(const struct cli_args *args, struct limbic_generate *options,
                        const struct cli_buffer *passphrase)
{
    const struct cli_key_form form = {LIMBIC_FORMAT_PKCS8, 0, passphrase, NULL};
    struct progress progress = {args->words[0], seconds_now() + 0.5, 0};
    limbic_key_t key = NULL;
    char lower[MOST_SPEC];
    gpg_error_t err;
    int status;

    if (isatty(STDERR_FILENO)) {
        options->progress = show_progress;
        options->opaque = &progress;
    }
    err = limbic_key_generate(&key, lower_case(args->words[0], lower), options);
    if (progress.printed)
        fputc('\n', stderr);
    if (err)
        return keygen_error(err, args->words[0], options->allow_weak);
    status = cli_write_key(key, &form, output_path(args));
    limbic_key_free(key);
    return status;
}

static int run_keygen(const struct cli_args *args)
{
    struct limbic_generate options = LIMBIC_GENERATE_INIT;
    const char *path = args->value[OPT_PASSPHRASE_FILE];
    struct cli_buffer passphrase = {NULL, 0, 0};
    int status = keygen_params(args, &options);

    if (status == CLI_OK)
        status = cli_start();
    if (status == CLI_OK && (path || args->value[OPT_ENCRYPT]))
        status = cli_new_passphrase(path, "--passphrase-file", &passphrase);
    if (status == CLI_OK)
        status = generate_key(args, &options, passphrase.data ? &passphrase : NULL);
    cli_release(&passphrase);
    return status;
}

const struct cli_command cli_keygen = {
    .name = "keygen",
    .summary = "make a private key",
    .usage = "SPEC [-o KEY] [option...]",
    .options = keygen_options,
    .least_words = 1,
    .most_words = 1,
    .run = run_keygen,
    .text =
        "SPEC is `rsa:BITS`, BITS from 2048 to 16384; with --allow-weak from 1024 on. Up to 3\n"
        "primes below 4096 bits, 4 below 8192, 5 from there on; other software may refuse keys of\n"
        "more than two.\n"
        "The key is written as PKCS#8 in PEM, unencrypted unless --encrypt or --passphrase-file "
        "is\n"
        "given. An existing file is replaced, also one that holds a key. On a terminal, slow\n"
        "generations show how far they are.\n"
        "\n"
        "Exit status: 0 done; 2 usage, or the file cannot be written; 3 a provider failed.\n"
        "\n"
        "Example:\n"
        "  limbic keygen rsa:3072 -o key.pem\n",
};

/* ---- pubkey -------------------------------------------------------------------------------- */

static const struct cli_option pubkey_options[] = {
    CLI_OPTION_KEY("private or public key, PEM or DER"),
    {OPT_OUTPUT, "output", "FILE", "where the public key goes (default: standard output)", NULL},
    CLI_OPTION_PASSPHRASE,
    CLI_OPTION_HELP,
    CLI_OPTION_END,
};

static int run_pubkey(const struct cli_args *args)
{
    const struct cli_key_form form = {LIMBIC_FORMAT_SPKI, 0, NULL, NULL};
    limbic_key_t key;
    int status;

    if (!args->value[OPT_KEY])
        return cli_missing("-k KEY");
    status = cli_start();
    if (status == CLI_OK)
        status = cli_load_key(args, 0, &key);
    if (status != CLI_OK)
        return status;
    status = cli_write_key(key, &form, output_path(args));
    limbic_key_free(key);
    return status;
}

const struct cli_command cli_pubkey = {
    .name = "pubkey",
    .summary = "write the public half of a key",
    .usage = "-k KEY [-o PUB]",
    .options = pubkey_options,
    .run = run_pubkey,
    .text =
        "The public key is written as SubjectPublicKeyInfo in PEM. An existing file is replaced,\n"
        "but not that of -k.\n"
        "\n"
        "Exit status: 0 done; 2 usage, or a key or file that cannot be used; 3 a provider failed.\n"
        "\n"
        "Example:\n"
        "  limbic pubkey -k key.pem -o pub.pem\n",
};

/* ---- show ---------------------------------------------------------------------------------- */

static const struct cli_option show_options[] = {
    CLI_OPTION_KEY("private or public key, PEM or DER"),
    {OPT_JSON, "json", NULL, "print one JSON object", NULL},
    CLI_OPTION_PASSPHRASE,
    CLI_OPTION_HELP,
    CLI_OPTION_END,
};

/* The public values of a key type, in the order in which they are shown. */
static const char *const rsa_values[] = {"n", "e", NULL};

#define HEX_A_LINE 64

/* The hexadecimal digits of a component, without leading zeros, as a string to be freed. */
static gpg_error_t component_hex(limbic_key_t key, const char *name, char **hex)
{
    size_t length;
    unsigned char *octets;
    gpg_error_t err = limbic_key_get_component(key, name, NULL, 0, &length);

    *hex = NULL;
    if (err)
        return err;
    octets = malloc(length + 1);
    *hex = malloc(2 * length + 2);
    if (!octets || !*hex)
        err = gpg_error(GPG_ERR_ENOMEM);
    else
        err = limbic_key_get_component(key, name, octets, length, &length);
    if (!err) {
        strcpy(*hex, "0");
        for (size_t i = 0; i < length; i++)
            snprintf(*hex + 2 * i, 3, "%02x", octets[i]);
        if (**hex == '0' && length > 0)
            memmove(*hex, *hex + 1, 2 * length);
    } else {
        free(*hex);
        *hex = NULL;
    }
    free(octets);
    return err;
}

static void print_wrapped(const char *name, const char *hex)
{
    size_t length = strlen(hex);

    if (length <= HEX_A_LINE) {
        printf("%s: %s\n", name, hex);
        return;
    }
    printf("%s:\n", name);
    for (size_t i = 0; i < length; i += HEX_A_LINE)
        printf("    %.*s\n", HEX_A_LINE, hex + i);
}

static int print_values(limbic_key_t key, const char *const *names, int json)
{
    for (; *names; names++) {
        char *hex;
        gpg_error_t err = component_hex(key, *names, &hex);

        if (err)
            return cli_library_error(err, *names);
        if (json)
            printf(", \"%s\": \"%s\"", *names, hex);
        else
            print_wrapped(*names, hex);
        free(hex);
    }
    return CLI_OK;
}

/* Upper case, as HMAC's hashes are written: "SHA256". */
static void put_upper(char *out, size_t size, const char *name)
{
    size_t i = 0;

    for (; name && name[i] && i + 1 < size; i++)
        out[i] = (char)toupper((unsigned char)name[i]);
    out[i] = 0;
}

/* How the file is encrypted, in words. */
static void describe_protection(const struct limbic_protection *p, char *text, size_t size)
{
    static const char *const ciphers[] = {
        [LIMBIC_CIPHER_AES128] = "AES-128",
        [LIMBIC_CIPHER_AES192] = "AES-192",
        [LIMBIC_CIPHER_AES256] = "AES-256",
        [LIMBIC_CIPHER_DES_EDE3] = "DES-EDE3",
    };
    const char *cipher = ciphers[p->cipher];
    char hash[32];

    put_upper(hash, sizeof hash, limbic_hash_name(p->hash));
    switch (p->kdf) {
    case LIMBIC_KDF_PBKDF2:
        snprintf(text, size, "PBKDF2 with HMAC-%s, %llu iterations; %s", hash,
                 (unsigned long long)p->iterations, cipher);
        break;
    case LIMBIC_KDF_SCRYPT:
        snprintf(text, size, "scrypt, N = %llu, r = %llu, p = %llu; %s",
                 (unsigned long long)p->scrypt_n, (unsigned long long)p->scrypt_r,
                 (unsigned long long)p->scrypt_p, cipher);
        break;
    default:
        snprintf(text, size, "traditional, MD5 without iterations; %s", cipher);
    }
}

static void show_protection(const struct limbic_protection *p, int json)
{
    int encrypted = p->kdf != LIMBIC_KDF_DEFAULT;
    char how[128] = "";

    if (encrypted)
        describe_protection(p, how, sizeof how);
    if (json && encrypted)
        printf(", \"encrypted\": true, \"protection\": \"%s\"", how);
    else if (json)
        printf(", \"encrypted\": false");
    else if (encrypted)
        printf("encrypted: yes: %s\n", how);
    else
        printf("encrypted: no\n");
}

static int show_key(const struct cli_key_source *source, int json)
{
    limbic_key_t key = source->key;
    struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;
    gpg_error_t err = limbic_key_info(key, &info);
    int status;

    if (err)
        return cli_library_error(err, NULL);
    if (json)
        printf("{\"type\": \"%s\", \"bits\": %u, \"private\": %s", info.type_name, info.bits,
               info.is_private ? "true" : "false");
    else
        printf("type: %s\nbits: %u\nprivate: %s\n", info.type_name, info.bits,
               info.is_private ? "yes" : "no");
    show_protection(&source->protection, json);
    status = print_values(key, rsa_values, json);
    if (json)
        printf("}\n");
    return status;
}

static int run_show(const struct cli_args *args)
{
    struct cli_key_source source;
    gpg_error_t err;
    int status;

    if (!args->value[OPT_KEY])
        return cli_missing("-k KEY");
    status = cli_start();
    if (status != CLI_OK)
        return status;
    err = cli_import_key(args, 0, &source, &status);
    if (err)
        return cli_library_error(err, cli_input_name(args->value[OPT_KEY]));
    if (status != CLI_OK)
        return status;
    status = show_key(&source, args->value[OPT_JSON] != NULL);
    cli_release_key(&source);
    return status;
}

const struct cli_command cli_show = {
    .name = "show",
    .summary = "print type, size and public values of a key",
    .usage = "-k KEY [--json]",
    .options = show_options,
    .run = run_show,
    .text =
        "Lines `type:`, `bits:`, `private:` (yes or no), `encrypted:` (no, or yes and how the "
        "file\n"
        "is), then the public values in hexadecimal; of RSA `n:` and `e:`. A long value stands in\n"
        "lines of 64 digits below its name. With --json the members are \"type\", \"bits\",\n"
        "\"private\", \"encrypted\", with it \"protection\" (how), and the values as strings. "
        "Secret\n"
        "values are never printed.\n"
        "\n"
        "Exit status: 0 done; 2 usage, or a key or file that cannot be used; 3 a provider failed.\n"
        "\n"
        "Example:\n"
        "  limbic show -k pub.pem\n",
};

/* ---- check --------------------------------------------------------------------------------- */

static const struct cli_option check_options[] = {
    CLI_OPTION_KEY("private or public key, PEM or DER"),
    CLI_OPTION_PASSPHRASE,
    CLI_OPTION_HELP,
    CLI_OPTION_END,
};

/* A key that parses and has bad values is an answer, not an error. */
static int bad_key(gpg_error_t err, const char *path)
{
    gpg_err_code_t code = gpg_err_code(err);
    const char *detail = limbic_error_detail();

    if (code != GPG_ERR_BAD_SECKEY && code != GPG_ERR_BAD_PUBKEY)
        return cli_library_error(err, path);
    return cli_error(CLI_NO, path, NULL, "bad key: %s", *detail ? detail : gpg_strerror(err));
}

/* Keys that are shorter are no bad keys, but too weak for new signatures (NIST SP 800-131A). */
#define LEAST_BITS 2048

static int good_key(limbic_key_t key)
{
    struct limbic_key_facts info = LIMBIC_KEY_FACTS_INIT;
    gpg_error_t err = limbic_key_info(key, &info);

    if (err)
        return cli_library_error(err, NULL);
    if (info.bits < LEAST_BITS)
        printf("ok, but weak: %u bits\n", info.bits);
    else
        printf("ok\n");
    return CLI_OK;
}

static int run_check(const struct cli_args *args)
{
    const char *path = args->value[OPT_KEY];
    struct cli_key_source source;
    gpg_error_t err;
    int status;

    if (!path)
        return cli_missing("-k KEY");
    status = cli_start();
    if (status != CLI_OK)
        return status;
    err = cli_import_key(args, LIMBIC_IMPORT_LENIENT, &source, &status);
    if (status != CLI_OK)
        return status;
    if (!err)
        err = limbic_key_check(source.key);
    status = err ? bad_key(err, cli_input_name(path)) : good_key(source.key);
    cli_release_key(&source);
    return status;
}

const struct cli_command cli_check = {
    .name = "check",
    .summary = "check a key in full",
    .usage = "-k KEY",
    .options = check_options,
    .run = run_check,
    .text =
        "Tests that the values fit together and that the primes of a private key are prime.\n"
        "Prints `ok`, or says what is wrong. A public key allows fewer tests: sizes, parities,\n"
        "and that the modulus is no prime and has no factor below 752.\n"
        "\n"
        "Of a good key below 2048 bits it says `ok, but weak: N bits`.\n"
        "\n"
        "Exit status: 0 the key is good; 1 it can be read, but is bad; 2 usage, or a file that\n"
        "cannot be read or holds no key; 3 a provider failed.\n"
        "\n"
        "Example:\n"
        "  limbic check -k key.pem\n",
};
