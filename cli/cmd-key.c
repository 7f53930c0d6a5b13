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

#define MOST_KEY_FILE (1024 * 1024)

#define OPTION_KEY(text) \
    { \
        OPT_KEY, "key", "FILE", text, NULL \
    }

/* ---- Shared -------------------------------------------------------------------------------- */

static gpg_error_t import_file(const char *path, unsigned flags, limbic_key_t *key, int *status)
{
    struct cli_buffer file;
    gpg_error_t err;

    *key = NULL;
    *status = cli_read_file(path, MOST_KEY_FILE, &file);
    if (*status != CLI_OK)
        return 0;
    err = limbic_key_import(key, file.data, file.length, flags);
    cli_release(&file);
    return err;
}

int cli_load_key(const char *path, unsigned flags, limbic_key_t *key)
{
    int status;
    gpg_error_t err = import_file(path, flags, key, &status);

    return err ? cli_library_error(err, cli_input_name(path)) : status;
}

/* Exports a key to a file. The room needed is asked for first. */
static int write_key(limbic_key_t key, enum limbic_format format, const char *path,
                     enum cli_output kind)
{
    struct cli_buffer text;
    size_t size;
    gpg_error_t err = limbic_key_export(key, format, LIMBIC_EXPORT_PEM, NULL, 0, &size);
    int status;

    if (err)
        return cli_library_error(err, NULL);
    status = cli_make_buffer(&text, size);
    if (status != CLI_OK)
        return status;
    err = limbic_key_export(key, format, LIMBIC_EXPORT_PEM, text.data, size, &text.length);
    status =
        err ? cli_library_error(err, NULL) : cli_write_file(path, text.data, text.length, kind);
    cli_release(&text);
    return status;
}

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
        return cli_error(CLI_USAGE, "--e", NULL, "`%.80s` is not an odd number from 3 to 2^64 - 1",
                         e);
    if (primes && (cli_number(primes, &number) != 0 || number < 2 || number > 5))
        return cli_error(CLI_USAGE, "--primes", NULL, "`%.80s` is not a number from 2 to 5",
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

static int run_keygen(const struct cli_args *args)
{
    struct limbic_generate generate = LIMBIC_GENERATE_INIT;
    struct progress progress = {args->words[0], seconds_now() + 0.5, 0};
    limbic_key_t key = NULL;
    char lower[MOST_SPEC];
    gpg_error_t err;
    int status = keygen_params(args, &generate);

    if (status == CLI_OK)
        status = cli_check_output(output_path(args));
    if (status == CLI_OK)
        status = cli_start();
    if (status != CLI_OK)
        return status;
    if (isatty(STDERR_FILENO)) {
        generate.progress = show_progress;
        generate.opaque = &progress;
    }
    err = limbic_key_generate(&key, lower_case(args->words[0], lower), &generate);
    if (progress.printed)
        fputc('\n', stderr);
    if (err)
        return keygen_error(err, args->words[0], generate.allow_weak);
    status = write_key(key, LIMBIC_FORMAT_PKCS8, output_path(args), CLI_PRIVATE);
    limbic_key_free(key);
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
        "The key is written as PKCS#8 in PEM, unencrypted. An existing file is replaced, also one\n"
        "that holds a key. On a terminal, slow generations show how far they are.\n"
        "\n"
        "Exit status: 0 done; 2 usage, or the file cannot be written; 3 a provider failed.\n"
        "\n"
        "Example:\n"
        "  limbic keygen rsa:3072 -o key.pem\n",
};

/* ---- pubkey -------------------------------------------------------------------------------- */

static const struct cli_option pubkey_options[] = {
    OPTION_KEY("private or public key, PEM or DER"),
    {OPT_OUTPUT, "output", "FILE", "where the public key goes (default: standard output)", NULL},
    {OPT_PASSPHRASE_FILE, "passphrase-file", "FILE", NULL, "encrypted keys: not in this version"},
    CLI_OPTION_HELP,
    CLI_OPTION_END,
};

static int run_pubkey(const struct cli_args *args)
{
    limbic_key_t key;
    int status;

    if (!args->value[OPT_KEY])
        return cli_missing("-k KEY");
    status = cli_keep_input(output_path(args), args->value[OPT_KEY], "key");
    if (status == CLI_OK)
        status = cli_start();
    if (status == CLI_OK)
        status = cli_load_key(args->value[OPT_KEY], 0, &key);
    if (status != CLI_OK)
        return status;
    status = write_key(key, LIMBIC_FORMAT_SPKI, output_path(args), CLI_PUBLIC);
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
    OPTION_KEY("private or public key, PEM or DER"),
    {OPT_JSON, "json", NULL, "print one JSON object", NULL},
    {OPT_PASSPHRASE_FILE, "passphrase-file", "FILE", NULL, "encrypted keys: not in this version"},
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

static int show_key(limbic_key_t key, int json)
{
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
    status = print_values(key, rsa_values, json);
    if (json)
        printf("}\n");
    return status;
}

static int run_show(const struct cli_args *args)
{
    limbic_key_t key;
    int status;

    if (!args->value[OPT_KEY])
        return cli_missing("-k KEY");
    status = cli_start();
    if (status == CLI_OK)
        status = cli_load_key(args->value[OPT_KEY], 0, &key);
    if (status != CLI_OK)
        return status;
    status = show_key(key, args->value[OPT_JSON] != NULL);
    limbic_key_free(key);
    return status;
}

const struct cli_command cli_show = {
    .name = "show",
    .summary = "print type, size and public values of a key",
    .usage = "-k KEY [--json]",
    .options = show_options,
    .run = run_show,
    .text =
        "Lines `type:`, `bits:`, `private:` (yes or no), then the public values in hexadecimal;\n"
        "of RSA `n:` and `e:`. A long value stands in lines of 64 digits below its name. With\n"
        "--json the members are \"type\", \"bits\", \"private\" and the values as strings. Secret\n"
        "values are never printed.\n"
        "\n"
        "Exit status: 0 done; 2 usage, or a key or file that cannot be used; 3 a provider failed.\n"
        "\n"
        "Example:\n"
        "  limbic show -k pub.pem\n",
};

/* ---- check --------------------------------------------------------------------------------- */

static const struct cli_option check_options[] = {
    OPTION_KEY("private or public key, PEM or DER"),
    {OPT_PASSPHRASE_FILE, "passphrase-file", "FILE", NULL, "encrypted keys: not in this version"},
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
    limbic_key_t key;
    gpg_error_t err;
    int status;

    if (!path)
        return cli_missing("-k KEY");
    status = cli_start();
    if (status != CLI_OK)
        return status;
    err = import_file(path, LIMBIC_IMPORT_LENIENT, &key, &status);
    if (status != CLI_OK)
        return status;
    if (!err)
        err = limbic_key_check(key);
    status = err ? bad_key(err, cli_input_name(path)) : good_key(key);
    limbic_key_free(key);
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
