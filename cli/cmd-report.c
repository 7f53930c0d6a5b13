/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands that tell about the library: list, info, env, selftest. The texts are its own.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- list, info, env ------------------------------------------------------------------ */

#define OPTION_JSON \
    { \
        OPT_JSON, "json", NULL, "print one JSON object", NULL \
    }

static const struct cli_option report_options[] = {
    OPTION_JSON,
    CLI_OPTION_HELP,
    CLI_OPTION_END,
};

/* These work also when the library cannot be initialised: the report says why. */
int cli_report(enum limbic_report_kind what, const struct cli_args *args)
{
    char *text = NULL;
    gpg_error_t err;

    (void)limbic_init(0);
    cli_warn();
    err = limbic_report(what, args->value[OPT_JSON] ? LIMBIC_REPORT_JSON : 0, &text);
    if (err)
        return cli_library_error(err, NULL);
    cli_print(text);
    limbic_free(text);
    return CLI_OK;
}

static int run_list(const struct cli_args *args)
{
    return cli_report(LIMBIC_REPORT_LIST, args);
}

static int run_info(const struct cli_args *args)
{
    return cli_report(LIMBIC_REPORT_INFO, args);
}

const struct cli_command cli_list = {
    .name = "list",
    .summary = "list the providers of arithmetic",
    .usage = "[--json]",
    .options = report_options,
    .run = run_list,
    .text = "For every provider: name, version, licence, where it is from, tiers, state (active,\n"
            "available, or refused and why). The names are those that LIMBIC takes.\n"
            "\n"
            "Exit status: 0 done; 2 usage.\n"
            "\n"
            "Example:\n"
            "  limbic list\n",
};

const struct cli_command cli_info = {
    .name = "info",
    .summary = "print facts about the library",
    .usage = "[--json]",
    .options = report_options,
    .run = run_info,
    .text =
        "Version, licence, what was built, the words in force and where they come from, memory.\n"
        "The self-tests at the start stop after a fraction of a millisecond; what they have not\n"
        "reached then is tested before its first use.\n"
        "\n"
        "Exit status: 0 done; 2 usage.\n"
        "\n"
        "Example:\n"
        "  limbic info --json\n",
};

static int explain(const struct cli_args *args, const char *words)
{
    (void)words; /* the variable has them */
    return cli_report(LIMBIC_REPORT_EXPLAIN, args);
}

/* Words that cannot be used have a plan too: what is wrong is told, and then what they would give. */
static int with_error(gpg_error_t err, int (*tell)(const struct cli_args *args, const char *words),
                      const struct cli_args *args, const char *words)
{
    int status = err ? cli_words_error(err, "see limbic(7)") : CLI_OK;
    int told = tell(args, words);

    return err ? status : told;
}

/* In a set-id process the library does not obey the variable, so the words are given as the
   program's own to find their faults, and what they would give as the variable's is a dry run. */
static int try_own_words(const struct cli_args *args, const char *words)
{
    gpg_error_t err = limbic_configure(words);

    if (!err)
        err = limbic_init(0);
    return with_error(err, cli_explain_own, args, words);
}

/* The words are given to the library where it looks for them, before it does. */
static int run_env(const struct cli_args *args)
{
    const char *words = args->words[0];

    if (setenv("LIMBIC", words, 1))
        return cli_system_error(errno, NULL, "setting LIMBIC");
    if (!secure_getenv("LIMBIC"))
        return try_own_words(args, words);
    return with_error(limbic_init(0), explain, args, words);
}

const struct cli_command cli_env = {
    .name = "env",
    .summary = "tell what other words would give",
    .usage = "[--json] WORDS",
    .options = report_options,
    .tells_faults = 1,
    .least_words = 1,
    .most_words = 1,
    .words_with_dash = 1,
    .run = run_env,
    .text =
        "A dry run: what `limbic explain` prints when LIMBIC has these words. WORDS is one\n"
        "argument; limbic(7) has the language. The variable's own words do not count; the\n"
        "configuration files do. Words that cannot be used are told as an error besides.\n"
        "\n"
        "Exit status: 0 done; 2 the words are not understood; 3 a provider is missing, refused\n"
        "or fails its self-test.\n"
        "\n"
        "Example:\n"
        "  limbic env \"only:portable mont_pow*/2048=derived\"\n",
};

/* ---- selftest ------------------------------------------------------------------------------ */

static const struct cli_option selftest_options[] = {
    {OPT_PROVIDER, "provider", "NAME", "test this provider only (default: all)", NULL},
    {OPT_LONG, "long", NULL, "at every size, not only 256, 1024 and 2048 bits", NULL},
    CLI_OPTION_HELP,
    CLI_OPTION_END,
};

static void print_group(void *opaque, const char *what, const char *failure)
{
    int *failures = opaque;

    if (failure) {
        printf("FAILED %s: %s\n", what, failure);
        (*failures)++;
    } else {
        printf("ok     %s\n", what);
    }
    fflush(stdout);
}

static int run_selftest(const struct cli_args *args)
{
    const char *provider = args->value[OPT_PROVIDER];
    int failures = 0;
    gpg_error_t err = limbic_selftest(provider, args->value[OPT_LONG] ? LIMBIC_SELFTEST_LONG : 0,
                                      print_group, &failures);
    int status = CLI_OK;

    /* First, since the next call of the library ends the life of the error's detail. */
    if (failures > 0 && (!err || gpg_err_code(err) == GPG_ERR_SELFTEST_FAILED))
        status = cli_error(CLI_FAULT, provider, NULL, "%d failed", failures);
    else if (err)
        status = cli_library_error(err, provider);
    cli_warn();
    return status;
}

const struct cli_command cli_selftest = {
    .name = "selftest",
    .summary = "test the kernels of the providers",
    .usage = "[--provider NAME] [--long]",
    .options = selftest_options,
    .run = run_selftest,
    .text =
        "Known answers, and comparison with portable C, of every kernel, chosen or not; then,\n"
        "unless a provider is named, a known RSA signature by the kernels chosen. One line for\n"
        "each group of tests: `ok` or `FAILED`, what was tested, and what was wrong.\n"
        "\n"
        "Exit status: 0 all passed; 2 usage; 3 a test failed, or there is no such provider.\n"
        "\n"
        "Example:\n"
        "  limbic selftest --provider portable\n",
};
