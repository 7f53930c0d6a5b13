/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Error lines and exit statuses: the one place where codes of the library become either.
 */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *current_command;

void cli_set_command(const char *name)
{
    current_command = name;
}

/* The octets of the character that begins at p: 1 for one that is printable ASCII, 2 to 4 for one in
   well-formed UTF-8 (RFC 3629, section 4) that is no control character, else 0. */
static size_t printable(const unsigned char *p)
{
    size_t n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

    if (p[0] < 0x80)
        return p[0] >= 0x20 && p[0] != 0x7f;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) /* also the end of the string */
            return 0;
    /* U+0080 to U+009F; overlong forms; surrogates; above U+10FFFF. */
    if ((p[0] == 0xc2 && p[1] < 0xa0) || (p[0] == 0xe0 && p[1] < 0xa0) ||
        (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf0 && p[1] < 0x90) ||
        (p[0] == 0xf4 && p[1] >= 0x90))
        return 0;
    return n;
}

/* Names of files come from outside: whatever they hold, an error is one line, moving no cursor. */
static void print_line(char *text)
{
    for (unsigned char *p = (unsigned char *)text; *p;) {
        size_t n = printable(p);

        if (n == 0) {
            *p = '?';
            n = 1;
        }
        p += n;
    }
    fflush(stdout);
    fprintf(stderr, "%s\n", text);
}

static void append(char *text, size_t size, const char *part, const char *separator)
{
    size_t used = strlen(text);

    if (part && *part)
        snprintf(text + used, size - used, "%s%s", part, separator);
}

/* Octets of a name that are shown, so that there is always room for the reason behind it. */
#define MOST_SHOWN 256

static int print_error(int status, const char *where, const char *why, const char *advice)
{
    char text[1024] = "limbic: ", shown[MOST_SHOWN + sizeof "..."] = "";

    if (where && strlen(where) > MOST_SHOWN)
        snprintf(shown, sizeof shown, "%.*s...", MOST_SHOWN, where);
    append(text, sizeof text, current_command, ": ");
    append(text, sizeof text, *shown ? shown : where, ": ");
    append(text, sizeof text, why, advice ? "; " : "");
    append(text, sizeof text, advice, "");
    print_line(text);
    return status;
}

int cli_error(int status, const char *where, const char *advice, const char *format, ...)
{
    char why[512];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return print_error(status, where, why, advice);
}

int cli_system_error(int error, const char *where, const char *doing)
{
    return cli_error(CLI_USAGE, where, NULL, "%s: %s", doing, strerror(error));
}

int cli_exit_status(gpg_error_t err)
{
    return (int)lb_exit_status(err);
}

/* What a person can do about it, where that is not plain from the reason. */
static const char *advice_for(gpg_error_t err)
{
    switch (gpg_err_code(err)) {
    case GPG_ERR_NOT_FOUND:
    case GPG_ERR_NOT_SUPPORTED:
        return "limbic list shows the providers";
    case GPG_ERR_SELFTEST_FAILED:
        return "limbic selftest tells which";
    case GPG_ERR_UNSUPPORTED_PROTECTION:
        return "\"openssl pkcs8 -topk8 -in FILE -out NEW\" writes it anew";
    case GPG_ERR_NO_PASSPHRASE:
        return "give --passphrase-file FILE";
    case GPG_ERR_NO_DATA:
    case GPG_ERR_INV_ARMOR:
        return "give a key in PEM or DER";
    case GPG_ERR_NO_SECKEY:
        return "give the private key";
    default:
        return NULL;
    }
}

static const char *reason_for(gpg_error_t err)
{
    const char *detail = limbic_error_detail();

    return *detail ? detail : gpg_strerror(err);
}

int cli_library_error(gpg_error_t err, const char *where)
{
    return print_error(cli_exit_status(err), where, reason_for(err), advice_for(err));
}

void cli_warn(void)
{
    static int printed;
    const char *warning = printed ? NULL : limbic_warning();
    char text[768];

    if (!warning)
        return;
    printed = 1;
    snprintf(text, sizeof text, "limbic: warning: %s", warning);
    print_line(text);
}

void cli_warn_of_fault(void)
{
    const char *fault = limbic_fault();
    char text[768];

    if (!fault)
        return;
    snprintf(text, sizeof text, "limbic: warning: %s; other kernels computed in its place", fault);
    print_line(text);
}

/* What to do about words: a reason that begins with a path is of a configuration file. What words
   refuse or deny, the reason names; the list of providers would not say more. */
static const char *advice_on_words(gpg_error_t err, const char *reason, const char *on_the_words)
{
    const char *advice = gpg_err_code(err) == GPG_ERR_NOT_SUPPORTED ? NULL : advice_for(err);

    if (advice)
        return advice;
    return reason[0] == '/' ? "limbic config lint tells all, see limbic.conf(5)" : on_the_words;
}

int cli_words_error(gpg_error_t err, const char *advice)
{
    const char *reason = reason_for(err);

    return print_error(cli_exit_status(err), NULL, reason, advice_on_words(err, reason, advice));
}

int cli_start(void)
{
    gpg_error_t err = limbic_init(0);

    if (err)
        return cli_words_error(err, "correct or unset LIMBIC, see limbic(7)");
    cli_warn();
    return CLI_OK;
}
