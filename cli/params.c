/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options that several commands take: hashes, hexadecimal octets, and what goes in and out.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* "a, b or c". */
static void list_names(char *text, size_t size, const char *const *names, size_t count)
{
    size_t used = 0;

    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 i == 0           ? ""
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 names[i]);
}

int cli_take_name(const char *option, const char *word, const char *const *names, size_t count)
{
    const char *near;
    char all[320] = "";

    for (size_t i = 0; i < count; i++)
        if (strcasecmp(word, names[i]) == 0)
            return (int)i;
    near = cli_nearest(word, names, count);
    list_names(all, sizeof all, names, count);
    if (near)
        cli_error(CLI_USAGE, option, NULL, "unknown name \"%.80s\"; did you mean \"%s\"?", word,
                  near);
    else
        cli_error(CLI_USAGE, option, NULL, "unknown name \"%.80s\"; use %s", word, all);
    return -1;
}

int cli_take_hash(const char *option, const char *word, enum limbic_hash first,
                  enum limbic_hash *hash)
{
    int found = word ? limbic_hash_by_name(word) : LIMBIC_HASH_DEFAULT;
    const char *names[LIMBIC_HASH_MD5 + 1];
    size_t count = 0;

    if (found < 0) {
        for (int i = (int)first; i <= LIMBIC_HASH_MD5; i++)
            if (limbic_hash_name((enum limbic_hash)i))
                names[count++] = limbic_hash_name((enum limbic_hash)i);
        (void)cli_take_name(option, word, names, count);
        return CLI_USAGE;
    }
    *hash = (enum limbic_hash)found;
    return CLI_OK;
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
                     "\"%.80s\" is not octets in hexadecimal, two digits each", word);
}

const char *cli_or_dash(const char *path)
{
    return path ? path : "-";
}

/* The options that name a file to read, and what it holds. Of keygen, too, --passphrase-file is one. */
static const struct {
    int id;
    const char *what;
} input_options[] = {
    {OPT_KEY, "key"},
    {OPT_SIGNATURE, "signature"},
    {OPT_INPUT, "input"},
    {OPT_PASSPHRASE_FILE, "passphrase"},
    {OPT_NEW_PASSPHRASE_FILE, "new passphrase"},
};

#define N_INPUTS (sizeof input_options / sizeof input_options[0])

int cli_check_files(const struct cli_command *command, const struct cli_args *args)
{
    const char *output = cli_or_dash(args->value[OPT_OUTPUT]);
    const char *paths[N_INPUTS], *what[N_INPUTS];
    size_t count = 0;
    int status;

    for (size_t i = 0; i < N_INPUTS; i++) {
        const char *path = args->value[input_options[i].id];

        if (!path && !(input_options[i].id == OPT_INPUT && cli_find_option(command, OPT_INPUT)))
            continue;
        paths[count] = cli_or_dash(path);
        what[count++] = input_options[i].what;
    }
    status = cli_read_once(paths, count);
    if (status != CLI_OK || !cli_find_option(command, OPT_OUTPUT))
        return status;
    status = cli_check_output(output);
    for (size_t i = 0; i < count && status == CLI_OK; i++)
        status = cli_keep_input(output, paths[i], what[i]);
    return status;
}

int cli_spare_terminal(const struct cli_args *args, const char *what)
{
    if (args->value[OPT_OUTPUT] || !isatty(STDOUT_FILENO))
        return CLI_OK;
    return cli_error(CLI_USAGE, "standard output",
                     "-o FILE, or -o - to write octets to the terminal", "%s is no text", what);
}
