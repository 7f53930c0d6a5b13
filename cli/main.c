/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * limbic(1): finds the command and runs it. Knows the names of all commands, and what none does.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_command *const commands[] = {
    &cli_list,    &cli_info,    &cli_explain, &cli_env,      &cli_config, &cli_keygen,
    &cli_pubkey,  &cli_convert, &cli_show,    &cli_check,    &cli_sign,   &cli_verify,
    &cli_encrypt, &cli_decrypt, &cli_speed,   &cli_selftest,
};

#define N_COMMANDS (sizeof commands / sizeof commands[0])

/* Commands that limbic's command line reserves and this version does not have. */
static const char *const later[] = {
    "keygrip", "derive", "stats", "ab", "tune",
};

#define N_LATER (sizeof later / sizeof later[0])

static const struct cli_command *find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int is_later(const char *name)
{
    for (size_t i = 0; i < N_LATER; i++)
        if (strcmp(later[i], name) == 0)
            return 1;
    return 0;
}

static const char *nearest_command(const char *name)
{
    const char *names[N_COMMANDS];

    for (size_t i = 0; i < N_COMMANDS; i++)
        names[i] = commands[i]->name;
    return cli_nearest(name, names, N_COMMANDS);
}

static int print_help(void)
{
    printf("Usage: limbic COMMAND [argument...]\n"
           "       limbic help [COMMAND]\n"
           "       limbic --help | --version\n\n"
           "Public-key cryptography with a pluggable arithmetic backend.\n\n"
           "Commands:\n");
    for (size_t i = 0; i < N_COMMANDS; i++)
        printf("  %-9s %s\n", commands[i]->name, commands[i]->summary);
    printf("\n"
           "`limbic help COMMAND` or `limbic COMMAND --help` explains a command. A file name `-`\n"
           "is standard input or output, which is the default for -i and -o. Long options may be\n"
           "shortened while they are unique.\n"
           "\n"
           "The variable LIMBIC and the files limbic.conf choose the arithmetic: see limbic(7),\n"
           "limbic.conf(5), `limbic explain`.\n"
           "\n"
           "Exit status: 0 done, valid; 1 not valid, does not decrypt; 2 usage, or a key, option, "
           "file or algorithm\n"
           "that cannot be used; 3 a provider missing or failing its self-test, a fault detected.\n"
           "\n"
           "Example:\n"
           "  limbic keygen rsa:3072 -o key.pem\n"
           "  limbic pubkey -k key.pem -o pub.pem\n"
           "  limbic sign -k key.pem -i file -o file.sig\n"
           "  limbic verify -k pub.pem -s file.sig -i file\n");
    return CLI_OK;
}

static int print_version(void)
{
    printf("limbic %s\n", LIMBIC_VERSION);
    if (strcmp(limbic_version(NULL), LIMBIC_VERSION) != 0)
        printf("liblimbic %s\n", limbic_version(NULL));
    return CLI_OK;
}

static int unknown_command(const char *name)
{
    const char *near = nearest_command(name);
    const char *kind = name[0] == '-' ? "option" : "command";

    if (near)
        return cli_error(CLI_USAGE, name, NULL, "unknown %s; did you mean \"%s\"?", kind, near);
    return cli_error(CLI_USAGE, name, "see limbic --help", "unknown %s", kind);
}

static int run_command(const struct cli_command *command, int argc, char **argv)
{
    struct cli_args args;
    int done, status;

    cli_set_command(command->name);
    if (command->pass)
        return command->pass(argv);
    status = cli_parse(command, argc, argv, &args, &done);
    if (!done)
        status = cli_check_files(command, &args);
    if (!done && status == CLI_OK)
        status = command->run(&args);
    if (status == CLI_OK && !command->tells_faults)
        cli_warn_of_fault();
    free(args.words);
    return status;
}

static int no_command(const char *name)
{
    if (is_later(name))
        return cli_error(CLI_USAGE, name, NULL, "not in this version");
    return unknown_command(name);
}

static int is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

/* `limbic help COMMAND` is `limbic COMMAND --help`; the command may be of two words. */
static int help_on(int count, char **words)
{
    static char option[] = "--help";
    const struct cli_command *command = find_command(words[0]);
    char *argv[] = {words[0], option, NULL};
    int status = CLI_OK;

    if (!command && !is_help(words[0]))
        return no_command(words[0]);
    if (command && count > 1)
        status = cli_second_word(command, words[1]);
    if (status != CLI_OK)
        return status;
    if (count > (command && command->second ? 2 : 1))
        return cli_error(CLI_USAGE, words[count - 1], "see limbic --help", "one argument too many");
    return command ? run_command(command, 2, argv) : print_help();
}

static int run(int argc, char **argv)
{
    const struct cli_command *command;
    int is_version;

    if (argc < 2)
        return cli_error(CLI_USAGE, NULL, "see limbic --help", "a command is missing");
    command = find_command(argv[1]);
    if (command)
        return run_command(command, argc - 1, argv + 1);
    if (strcmp(argv[1], "help") == 0 && argc > 2)
        return help_on(argc - 2, argv + 2);
    is_version = strcmp(argv[1], "--version") == 0;
    if (!is_version && !is_help(argv[1]))
        return no_command(argv[1]);
    if (argc > 2)
        return cli_error(CLI_USAGE, argv[2], "see limbic --help", "one argument too many");
    return is_version ? print_version() : print_help();
}

int main(int argc, char **argv)
{
    cli_io_start();
    return cli_finish(run(argc, argv));
}
