/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command speed: runs the benchmark program, which is one of its own so that limbic(1) links
 * none of the libraries that it compares. Knows where it is, and none of its arguments.
 */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef LIMBIC_LIBEXECDIR
#error LIMBIC_LIBEXECDIR is to be defined: the directory of limbic-speed
#endif

static const char program[] = "limbic-speed";

/* The place beside this program in a prefix that was moved: BIN/../libexec/limbic. It follows from
   where the program itself lies, never from the environment. Returns 0 when it is there. */
static int beside_program(char path[PATH_MAX])
{
    static const char below[] = "../libexec/limbic/limbic-speed";
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    char *slash;

    if (n <= 0)
        return -1;
    path[n] = 0;
    slash = strrchr(path, '/');
    if (!slash || (size_t)(slash + 1 - path) + sizeof below > PATH_MAX)
        return -1;
    memcpy(slash + 1, below, sizeof below);
    return access(path, X_OK);
}

static int run_speed(char **argv)
{
    char path[PATH_MAX];

    if (beside_program(path) != 0)
        snprintf(path, sizeof path, "%s/%s", LIMBIC_LIBEXECDIR, program);
    cli_io_hand_over();
    argv[0] = (char *)(uintptr_t)program; /* execv reads its strings only */
    execv(path, argv);
    return cli_error(CLI_USAGE, path, "install the benchmark program of limbic there",
                     "cannot run: %s", strerror(errno));
}

const struct cli_command cli_speed = {
    .name = "speed",
    .summary = "measure the speed of operations",
    .pass = run_speed,
};
