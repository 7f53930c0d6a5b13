/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command explain: of this process, of a program by name, of a running process as far as the
 * kernel tells who it is and what its environment was. The texts are the library's.
 */
#include "cli/cli.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- A running process --------------------------------------------------------------------- */

/* More than the kernel lets an environment have in practice; 4 KiB of it can be words. */
#define MOST_ENVIRONMENT (8u << 20)
#define MOST_AUXILIARY 4096

static void proc_path(char path[64], unsigned pid, const char *file)
{
    snprintf(path, 64, "/proc/%u/%s", pid, file);
}

/* The basename of its file, without what the kernel appends to one that has been replaced. */
static int read_name(unsigned pid, char name[PATH_MAX])
{
    static const char deleted[] = " (deleted)";
    char path[64], file[PATH_MAX];
    ssize_t length;
    char *base;

    proc_path(path, pid, "exe");
    length = readlink(path, file, sizeof file - 1);
    if (length < 0 && errno == ENOENT)
        return cli_error(CLI_USAGE, path, NULL,
                         "is not there: of the kernel, or of a process that has ended");
    if (length < 0)
        return cli_system_error(errno, path, "cannot read");
    file[length] = '\0';
    if ((size_t)length > strlen(deleted) &&
        strcmp(file + (size_t)length - strlen(deleted), deleted) == 0)
        file[(size_t)length - strlen(deleted)] = '\0';
    base = strrchr(file, '/');
    snprintf(name, PATH_MAX, "%s", base ? base + 1 : file);
    return CLI_OK;
}

/* Whether the kernel told it that it has more rights than its caller; then it reads no variable. */
static int read_set_id(unsigned pid, int *is_set_id)
{
    struct cli_buffer buffer;
    char path[64];
    int status;

    proc_path(path, pid, "auxv");
    status = cli_read_file(path, MOST_AUXILIARY, &buffer);
    if (status != CLI_OK)
        return status;
    *is_set_id = 0;
    for (size_t i = 0; i + 2 * sizeof(unsigned long) <= buffer.length;
         i += 2 * sizeof(unsigned long)) {
        unsigned long pair[2];

        memcpy(pair, buffer.data + i, sizeof pair);
        if (pair[0] == AT_SECURE)
            *is_set_id = pair[1] != 0;
    }
    cli_release(&buffer);
    return CLI_OK;
}

/* The value of LIMBIC among the strings, NULL if there is none. The last one may have no end. */
static const char *find_variable(struct cli_buffer *environment)
{
    static const char name[] = "LIMBIC=";
    char *at = (char *)environment->data, *end = at + environment->length;

    while (at < end) {
        size_t length = strnlen(at, (size_t)(end - at));

        if (at + length == end)
            return NULL;
        if (strncmp(at, name, strlen(name)) == 0)
            return at + strlen(name);
        at += length + 1;
    }
    return NULL;
}

static int print(gpg_error_t err, char *text)
{
    if (err)
        return cli_library_error(err, NULL);
    cli_print(text);
    limbic_free(text);
    return CLI_OK;
}

static unsigned report_flags(const struct cli_args *args)
{
    return args->value[OPT_JSON] ? LIMBIC_REPORT_JSON : 0;
}

static int explain_as(const struct cli_args *args, const char *what, const char *name,
                      int is_set_id, const char *variable)
{
    struct limbic_program program = LIMBIC_PROGRAM_INIT;
    char *text = NULL;
    gpg_error_t err;

    program.name = name;
    program.variable = variable;
    program.is_set_id = is_set_id;
    program.what = what;
    err = limbic_explain(&program, report_flags(args), &text);
    return print(err, text);
}

int cli_explain_own(const struct cli_args *args, const char *words)
{
    char name[PATH_MAX];
    int status = read_name((unsigned)getpid(), name);

    return status == CLI_OK
               ? explain_as(args, "other words in LIMBIC, in a process that ignores it", name, 0,
                            words)
               : status;
}

static int explain_pid(const struct cli_args *args, unsigned pid, const char *name, int is_set_id,
                       const char *variable)
{
    char what[PATH_MAX + 256];

    snprintf(what, sizeof what,
             "process %u, the program %s: inferred from its environment at its start and the files "
             "of today, not read from the process; words that it gave itself are not known",
             pid, name);
    return explain_as(args, what, name, is_set_id, variable);
}

static int explain_process(const struct cli_args *args)
{
    struct cli_buffer environment;
    char name[PATH_MAX], path[64];
    uint64_t pid;
    int status, is_set_id = 0;

    if (cli_number(args->value[OPT_PID], &pid) || pid == 0 || pid > INT_MAX)
        return cli_error(CLI_USAGE, args->value[OPT_PID], NULL, "no process id");
    if (kill((pid_t)pid, 0) != 0 && errno == ESRCH)
        return cli_error(CLI_USAGE, args->value[OPT_PID], NULL, "no such process");
    status = read_name((unsigned)pid, name);
    if (status == CLI_OK)
        status = read_set_id((unsigned)pid, &is_set_id);
    if (status != CLI_OK)
        return status;
    proc_path(path, (unsigned)pid, "environ");
    status = cli_read_file(path, MOST_ENVIRONMENT, &environment);
    if (status != CLI_OK)
        return status;
    status = explain_pid(args, (unsigned)pid, name, is_set_id, find_variable(&environment));
    cli_release(&environment);
    return status;
}

/* ---- A program by name --------------------------------------------------------------------- */

static int explain_program(const struct cli_args *args)
{
    struct limbic_program program = LIMBIC_PROGRAM_INIT;
    const char *slash = strrchr(args->value[OPT_PROGRAM], '/');
    char what[512], *text = NULL;
    gpg_error_t err;

    program.name = slash ? slash + 1 : args->value[OPT_PROGRAM];
    if (!*program.name)
        return cli_error(CLI_USAGE, args->value[OPT_PROGRAM], NULL, "no name of a program");
    snprintf(what, sizeof what,
             "the program %s, by the configuration files alone; its variable LIMBIC and the words "
             "that it gives itself are not known",
             program.name);
    program.what = what;
    err = limbic_explain(&program, report_flags(args), &text);
    return print(err, text);
}

/* ---- The command --------------------------------------------------------------------------- */

static int run_explain(const struct cli_args *args)
{
    if (args->value[OPT_PID] && args->value[OPT_PROGRAM])
        return cli_error(CLI_USAGE, NULL, "see --help", "--pid and --program exclude each other");
    if (args->value[OPT_PID])
        return explain_process(args);
    if (args->value[OPT_PROGRAM])
        return explain_program(args);
    return cli_report(LIMBIC_REPORT_EXPLAIN, args);
}

static const struct cli_option explain_options[] = {
    {OPT_JSON, "json", NULL, "print one JSON object", NULL},
    CLI_OPTION_HELP,
    {OPT_PROGRAM, "program", "NAME", "a dry run: as the program NAME would have it", NULL},
    {OPT_PID, "pid", "PID", "a dry run: as the process should have it", NULL},
    CLI_OPTION_END,
};

const struct cli_command cli_explain = {
    .name = "explain",
    .summary = "tell which kernel runs each operation, and why",
    .usage = "[--program NAME | --pid PID] [--json]",
    .options = explain_options,
    .tells_faults = 1,
    .run = run_explain,
    .text =
        "For every slot the kernel chosen, and every other candidate with the reason against it;\n"
        "where each setting comes from, with file and line.\n"
        "\n"
        "--program tells what the configuration files give a program; its environment is not "
        "known,\n"
        "and this one's LIMBIC does not count. --pid also takes LIMBIC from the environment that "
        "a\n"
        "process of the same user (for root, any) was started with; nothing is asked of the "
        "process\n"
        "itself, and what it has changed since does not show.\n"
        "\n"
        "Exit status: 0 done, also when the words cannot be used, which the text then says; 2 "
        "usage,\n"
        "or a process that is not there or may not be looked at.\n"
        "\n"
        "Example:\n"
        "  LIMBIC=derived,portable limbic explain\n",
};
