/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arguments: from a command's table of options to values, by gpgrt's parser, and to its help text.
 * Knows no command.
 */
#define GPGRT_ENABLE_ARGPARSE_MACROS 1
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

/* More options than any command has, with the reserved names and the end mark. */
#define MOST_OPTIONS 32

/* gpgrt answers these by itself, in its own words, unless the table has them. */
static const char *const reserved[] = {"version", "warranty", "dump-options", "dump-option-table"};

#define N_RESERVED (sizeof reserved / sizeof reserved[0])

static void make_table(const struct cli_option *options, gpgrt_opt_t table[MOST_OPTIONS])
{
    size_t n = 0;

    memset(table, 0, MOST_OPTIONS * sizeof *table);
    for (; options->name && n + N_RESERVED + 1 < MOST_OPTIONS; options++, n++) {
        table[n].short_opt = options->id;
        table[n].long_opt = options->name;
        table[n].flags = options->argument ? ARGPARSE_TYPE_STRING : ARGPARSE_TYPE_NONE;
    }
    for (size_t i = 0; i < N_RESERVED; i++, n++) {
        table[n].short_opt = OPT_RESERVED;
        table[n].long_opt = reserved[i];
    }
}

const struct cli_option *cli_find_option(const struct cli_command *command, int id)
{
    const struct cli_option *option = command->options;

    while (option->name && option->id != id)
        option++;
    return option->name ? option : NULL;
}

static int unknown_option(const struct cli_command *command, const char *token)
{
    const char *names[MOST_OPTIONS], *near = NULL;
    size_t count = 0;

    for (const struct cli_option *o = command->options; o->name && count < MOST_OPTIONS; o++)
        names[count++] = o->name;
    if (strncmp(token, "--", 2) == 0)
        near = cli_nearest(token + 2, names, count);
    if (near)
        return cli_error(CLI_USAGE, token, NULL, "unknown option; did you mean \"--%s\"?", near);
    return cli_error(CLI_USAGE, token, "see --help", "unknown option");
}

/* "--p": which options it may stand for. */
static int ambiguous(const struct cli_command *command, const char *token)
{
    char names[256] = "";
    size_t used = 0, length = strncmp(token, "--", 2) == 0 ? strcspn(token + 2, "=") : 0;

    for (const struct cli_option *o = command->options; o->name && used < sizeof names; o++)
        if (length && strncmp(o->name, token + 2, length) == 0)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s--%s", used ? ", " : "",
                                     o->name);
    return cli_error(CLI_USAGE, token, "write it in full", "the short form is ambiguous%s%s",
                     used ? ": " : "", names);
}

static int refused(const struct cli_command *command, const gpgrt_argparse_t *parser,
                   const char *token)
{
    if (parser->r_type == ARGPARSE_UNEXPECTED_ARG)
        return cli_error(CLI_USAGE, token, NULL, "the option takes no value");
    switch (parser->r_opt) {
    case ARGPARSE_MISSING_ARG:
        return cli_error(CLI_USAGE, token, NULL, "the option needs a value");
    case ARGPARSE_AMBIGUOUS_OPTION:
        return ambiguous(command, token);
    case ARGPARSE_OUT_OF_CORE:
        return cli_error(CLI_USAGE, NULL, NULL, "out of memory");
    default:
        return unknown_option(command, token);
    }
}

/* Takes what the parser found. Returns CLI_OK to go on, or the status of an error. */
static int take(const struct cli_command *command, const gpgrt_argparse_t *parser,
                const char *token, struct cli_args *args)
{
    const struct cli_option *option;

    if (parser->r_opt == ARGPARSE_IS_ARG) {
        args->words[args->count++] = parser->r.ret_str;
        return CLI_OK;
    }
    if (parser->r_opt < 0 || parser->r_opt >= OPT_RESERVED || parser->r_type < 0)
        return refused(command, parser, token);
    option = cli_find_option(command, parser->r_opt);
    if (!option)
        return unknown_option(command, token);
    if (option->refusal)
        return cli_error(CLI_USAGE, token, NULL, "%s", option->refusal);
    args->value[option->id] = option->argument ? parser->r.ret_str : "";
    return CLI_OK;
}

/* The one short option for a file that the command has and that was not given, or 0. */
static int file_option(const struct cli_command *command, const struct cli_args *args)
{
    static const int ids[] = {OPT_KEY, OPT_SIGNATURE, OPT_INPUT};

    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        if (!args->value[ids[i]] && cli_find_option(command, ids[i]))
            return ids[i];
    return 0;
}

static int one_too_many(const struct cli_command *command, const char *word)
{
    return cli_error(CLI_USAGE, word,
                     command->words_with_dash ? "all the words are one argument, in quotes"
                                              : "see --help",
                     "one argument too many");
}

static int too_many(const struct cli_command *command, const struct cli_args *args)
{
    const char *word = args->words[command->most_words];
    int id = file_option(command, args);

    if (id)
        return cli_error(CLI_USAGE, word, NULL, "files are given by option: -%c %.80s", id, word);
    return one_too_many(command, word);
}

/* The argument that the parser looks at next, for messages: it passes over argv[0] at first. */
static const char *next_token(int argc, char **argv, int first)
{
    int at = first ? 1 : 0;

    return at < argc ? argv[at] : "";
}

/* Takes out of argv the words that begin with one `-`, and all that stands behind `--`. Returns
   CLI_OK or the status of an error. */
static int take_dashed(const struct cli_command *command, int *argc, char **argv,
                       struct cli_args *args)
{
    int kept = 1, all = 0;

    for (int i = 1; i < *argc; i++) {
        if (!all && strcmp(argv[i], "--") == 0) {
            all = 1;
        } else if (!all && (argv[i][0] != '-' || argv[i][1] == '-' || !argv[i][1] ||
                            strcmp(argv[i], "-h") == 0)) {
            argv[kept++] = argv[i];
        } else if (args->count == command->most_words) {
            return one_too_many(command, argv[i]);
        } else {
            args->words[args->count++] = argv[i];
        }
    }
    argv[kept] = NULL;
    *argc = kept;
    return CLI_OK;
}

int cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_args *args,
              int *done)
{
    gpgrt_opt_t table[MOST_OPTIONS];
    gpgrt_argparse_t parser = {0};
    int status = CLI_OK, first = 1;

    memset(args, 0, sizeof *args);
    *done = 1;
    args->words = calloc((size_t)argc + 1, sizeof *args->words);
    if (!args->words)
        return cli_error(CLI_USAGE, NULL, NULL, "out of memory");
    if (command->words_with_dash)
        status = take_dashed(command, &argc, argv, args);
    make_table(command->options, table);
    parser.argc = &argc;
    parser.argv = &argv;
    /* ALL: what stands behind `--` is taken too, not passed over. */
    parser.flags = ARGPARSE_FLAG_MIXED | ARGPARSE_FLAG_ALL;
    while (status == CLI_OK && !args->value[OPT_HELP]) {
        const char *token = next_token(argc, argv, first);

        first = 0;
        if (!gpgrt_argparse(NULL, &parser, table))
            break;
        status = take(command, &parser, token, args);
    }
    gpgrt_argparse(NULL, &parser, NULL); /* releases the parser's memory */
    if (status != CLI_OK)
        return status;
    if (args->value[OPT_HELP]) {
        cli_help(command);
        return CLI_OK;
    }
    if (args->count > command->most_words)
        return too_many(command, args);
    if (args->count < command->least_words)
        return cli_error(CLI_USAGE, NULL, "see --help", "an argument is missing: limbic %s %s",
                         command->name, command->usage);
    *done = 0;
    return CLI_OK;
}

/* Where the texts of the options begin. */
#define HELP_COLUMN 28

static void help_option(const struct cli_option *option)
{
    char form[64], letter[8] = "    ";

    if (option->id < OPT_FIRST_LONG)
        snprintf(letter, sizeof letter, "-%c, ", option->id);
    snprintf(form, sizeof form, "%s--%s%s%s", letter, option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    printf("  %-*s", HELP_COLUMN - 2, form);
    if (strlen(form) + 4 > HELP_COLUMN) /* with less than two spaces it would run into the text */
        printf("\n%*s", HELP_COLUMN, "");
    for (const char *p = option->text; *p; p++) {
        putchar(*p);
        if (*p == '\n')
            printf("%*s", HELP_COLUMN, "");
    }
    putchar('\n');
}

void cli_help(const struct cli_command *command)
{
    printf("Usage: limbic %s %s\n\n%c%s.\n\nOptions:\n", command->name, command->usage,
           command->summary[0] - 'a' + 'A', command->summary + 1);
    for (const struct cli_option *option = command->options; option->name; option++)
        if (!option->refusal)
            help_option(option);
    printf("\n%s", command->text);
}

int cli_second_word(const struct cli_command *command, const char *word)
{
    if (command->second && strcmp(word, command->second) == 0)
        return CLI_OK;
    if (command->second)
        return cli_error(CLI_USAGE, word, NULL, "unknown; there is \"limbic %s %s\"", command->name,
                         command->second);
    return cli_error(CLI_USAGE, word, "see limbic --help", "one argument too many");
}

int cli_missing(const char *option)
{
    return cli_error(CLI_USAGE, NULL, "see --help", "%s is missing", option);
}

int cli_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

int cli_number(const char *text, uint64_t *number)
{
    int base = 10;
    uint64_t value = 0;

    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    }
    if (!*text)
        return -1;
    for (; *text; text++) {
        int digit = cli_digit(*text);

        if (digit >= base || value > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base)
            return -1;
        value = value * (uint64_t)base + (uint64_t)digit;
    }
    *number = value;
    return 0;
}

const char *cli_nearest(const char *word, const char *const *names, size_t count)
{
    struct lb_nearest nearest = {.word = word};
    const char *near;
    size_t length = strlen(word);

    for (size_t i = 0; i < count; i++)
        lb_nearest_offer(&nearest, names[i]);
    near = lb_nearest_name(&nearest);
    for (size_t i = 0; i < count && !near && length >= 2; i++)
        if (strncmp(names[i], word, length) == 0)
            near = names[i];
    return near;
}
