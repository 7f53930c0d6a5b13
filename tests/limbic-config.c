/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * limbic(1) over the test build of the library, with the directory of configuration files of the
 * caller's choice:
 *
 *     limbic-config DIRECTORY COMMAND...
 *
 * The library proper takes no directory from anybody.
 */
#undef main /* the program's own main is renamed on the command line */

#include <stdio.h>

#include "dispatch/config.h"

int lb_test_cli_main(int argc, char **argv);

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: limbic-config DIRECTORY COMMAND...\n");
        return 2;
    }
    lb_test_config_directory(argv[1]);
    argv[1] = argv[0];
    return lb_test_cli_main(argc - 1, argv + 1);
}
