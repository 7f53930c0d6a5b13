/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options that several commands take: hashes, hexadecimal octets, and what goes in and out.
 */
#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

static const char *nearest_hash(const char *word)
{
    const char *names[LIMBIC_HASH_MD5 + 1];
    size_t count = 0;

    for (int i = LIMBIC_HASH_NONE; i <= LIMBIC_HASH_MD5; i++)
        if (limbic_hash_name((enum limbic_hash)i))
            names[count++] = limbic_hash_name((enum limbic_hash)i);
    return cli_nearest(word, names, count);
}

int cli_take_hash(const char *option, const char *word, enum limbic_hash *hash)
{
    int found = word ? limbic_hash_by_name(word) : LIMBIC_HASH_DEFAULT;
    const char *near;

    if (found >= 0) {
        *hash = (enum limbic_hash)found;
        return CLI_OK;
    }
    near = nearest_hash(word);
    if (near)
        return cli_error(CLI_USAGE, option, NULL,
                         "unknown hash function `%.80s`; did you mean `%s`?", word, near);
    return cli_error(CLI_USAGE, option, "see --help", "unknown hash function `%.80s`", word);
}

int cli_take_hex(const char *option, const char *word, struct cli_buffer *octets)
{
    size_t digits = strlen(word);
    int status = cli_make_buffer(octets, digits / 2 + 1);

    if (status != CLI_OK)
        return status;
    for (size_t i = 0; i < digits; i++) {
        int value = cli_digit(word[i]);
        if (value > 15)
            break;
        octets->data[i / 2] = (unsigned char)(octets->data[i / 2] << 4 | value);
        octets->length = (i + 1) / 2;
        if (i + 1 == digits && digits % 2 == 0)
            return CLI_OK;
    }
    if (digits == 0)
        return CLI_OK;
    cli_release(octets);
    return cli_error(CLI_USAGE, option, NULL,
                     "`%.80s` is not octets in hexadecimal, two digits each", word);
}

const char *cli_or_dash(const char *path)
{
    return path ? path : "-";
}

int cli_check_result(const struct cli_args *args, const char *what)
{
    const char *output = cli_or_dash(args->value[OPT_OUTPUT]);
    int status;

    if (what && !args->value[OPT_OUTPUT] && isatty(STDOUT_FILENO))
        return cli_error(CLI_USAGE, "standard output",
                         "-o FILE, or -o - to write octets to the terminal", "%s is no text", what);
    status = cli_check_output(output);
    if (status == CLI_OK)
        status = cli_keep_input(output, args->value[OPT_KEY], "key");
    if (status == CLI_OK)
        status = cli_keep_input(output, cli_or_dash(args->value[OPT_INPUT]), "input");
    if (status == CLI_OK && args->value[OPT_PASSPHRASE_FILE])
        status = cli_keep_input(output, args->value[OPT_PASSPHRASE_FILE], "passphrase");
    return status;
}
