/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * print-info.c - prints what `limbic info` does. A program without a wrapper, so that a copy of it
 * can be given the rights of another user. With an argument: what limbic_configure(argument)
 * gives.
 */
#include <limbic.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    gpg_error_t err = argc > 1 ? limbic_configure(argv[1]) : 0;
    char *text;

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
