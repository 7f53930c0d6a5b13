/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * print-info.c - prints what `limbic info` does. A program without a wrapper, so that a copy of it
 * can be given the rights of another user:
 *
 *     print-info [DIRECTORY [WORDS]]
 *
 * with the configuration files in the directory ("": none), and what limbic_configure(WORDS) gives.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <limbic.h>
#include <stdio.h>

#include "dispatch/config.h"

int main(int argc, char **argv)
{
    gpg_error_t err = 0;
    char *text;

    lb_test_config_directory(argc > 1 && *argv[1] ? argv[1] : "/nowhere/etc");
    if (argc > 2)
        err = limbic_configure(argv[2]);
    if (!err)
        err = limbic_report(LIMBIC_REPORT_INFO, 0, &text);
    if (err) {
        fprintf(stderr, "%s\n", limbic_error_detail());
        return 1;
    }
    fputs(text, stdout);
    limbic_free(text);
    return 0;
}
