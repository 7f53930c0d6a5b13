/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command about configuration files: config lint. What is right in them is the library's affair.
 */
#include "cli/cli.h"

#include <stdio.h>

/* More than the library takes; it says so. */
#define MOST_OCTETS 65536

static const struct cli_option config_options[] = {
    CLI_OPTION_HELP,
    CLI_OPTION_END,
};

/* Whatever a file holds, a finding is one line of printable characters. */
static void print_finding(void *opaque, const char *finding)
{
    int *count = opaque;

    for (const char *c = finding; *c; c++)
        putchar((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c);
    putchar('\n');
    (*count)++;
}

/* Returns an exit status; counts findings. */
static int lint_installed(int *count)
{
    gpg_error_t err = limbic_config_lint(NULL, NULL, 0, print_finding, count);

    return err ? cli_library_error(err, NULL) : CLI_OK;
}

static int lint_file(const char *path, int *count)
{
    struct cli_buffer buffer;
    int status = cli_read_file(path, MOST_OCTETS, &buffer);
    gpg_error_t err;

    if (status != CLI_OK)
        return status;
    err =
        limbic_config_lint(cli_input_name(path), buffer.data, buffer.length, print_finding, count);
    if (err)
        status = cli_library_error(err, path);
    cli_release(&buffer);
    return status;
}

static int run_config(const struct cli_args *args)
{
    int count = 0, status = cli_second_word(&cli_config, args->words[0]);

    if (status != CLI_OK)
        return status;
    if (args->count == 1)
        status = lint_installed(&count);
    for (int i = 1; i < args->count && status == CLI_OK; i++)
        status = lint_file(args->words[i], &count);
    if (status != CLI_OK)
        return status;
    if (count > 0)
        return cli_error(CLI_NO, NULL, "see limbic.conf(5)", "%d %s", count,
                         count == 1 ? "finding" : "findings");
    return CLI_OK;
}

const struct cli_command cli_config = {
    .name = "config",
    .second = "lint",
    .summary = "check configuration files",
    .usage = "lint [FILE...]",
    .options = config_options,
    .least_words = 1,
    .most_words = 1000,
    .run = run_config,
    .text =
        "Checks the lines of configuration files and what their words would come to here, for\n"
        "programs without a section and for each that has one; without FILE the installed files,\n"
        "and who may write to them. Each finding is one line on standard output, FILE:LINE: text.\n"
        "Several FILEs are checked one by one. limbic.conf(5) has the language.\n"
        "\n"
        "Exit status: 0 nothing found; 1 findings; 2 usage, or a file that cannot be read.\n"
        "\n"
        "Example:\n"
        "  limbic config lint /etc/limbic/limbic.conf\n",
};
