/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passphrases: from the first line of a file, or typed on the terminal without being shown. Never
 * from the command line or the environment, which others may see. Knows nothing of keys.
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

#define MOST LIMBIC_PASSPHRASE_MOST

/* Room for a line: a passphrase, CR LF, and one octet more, which tells that it is too long. */
#define LINE (MOST + 2)

/* Cuts the buffer after its first line, and the line's end off it. The rest is wiped. */
static int keep_first_line(const char *where, struct cli_buffer *buffer)
{
    unsigned char *end = memchr(buffer->data, '\n', buffer->length);
    size_t length = end ? (size_t)(end - buffer->data) : buffer->length;

    if (end && length > 0 && buffer->data[length - 1] == '\r')
        length--;
    explicit_bzero(buffer->data + length, buffer->length - length);
    buffer->length = length;
    if (length <= MOST)
        return CLI_OK;
    cli_release(buffer);
    return cli_error(CLI_USAGE, where, NULL, "the passphrase is longer than %u octets", MOST);
}

int cli_read_passphrase(const char *path, struct cli_buffer *passphrase)
{
    int status = cli_read_file(path, LINE, passphrase);

    return status == CLI_OK ? keep_first_line(cli_input_name(path), passphrase) : status;
}

/* ---- The terminal -------------------------------------------------------------------------- */

static const char terminal[] = "/dev/tty";

int cli_has_terminal(void)
{
    int fd = open(terminal, O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    close(fd);
    return 1;
}

static volatile sig_atomic_t noted;

static void note_signal(int number)
{
    noted = number;
}

/* Signals that end or stop the program are noted, and delivered while the program waits only: the
   terminal shows what is typed again before they do what they are for. */
struct guard {
    sigset_t guarded;
    struct sigaction before[NSIG]; /* of those */
    sigset_t mask;
};

static void guard_signals(struct guard *guard)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = note_signal;
    noted = 0;
    guard->guarded = *cli_ending_signals();
    sigaddset(&guard->guarded, SIGTSTP);
    sigprocmask(SIG_BLOCK, &guard->guarded, &guard->mask);
    for (int i = 1; i < NSIG; i++) {
        if (sigismember(&guard->guarded, i) != 1)
            continue;
        sigaction(i, NULL, &guard->before[i]);
        if (guard->before[i].sa_handler != SIG_IGN)
            sigaction(i, &action, NULL);
    }
}

static void restore_signals(const struct guard *guard)
{
    for (int i = 1; i < NSIG; i++)
        if (sigismember(&guard->guarded, i) == 1)
            sigaction(i, &guard->before[i], NULL);
    sigprocmask(SIG_SETMASK, &guard->mask, NULL);
}

/* Waits for a line and reads it. Returns 0 or an errno, EINTR for a signal. */
static int read_line(int fd, const sigset_t *mask, struct cli_buffer *line)
{
    line->length = 0;
    while (line->length < LINE) {
        fd_set set;
        ssize_t n;

        FD_ZERO(&set);
        FD_SET(fd, &set);
        if (pselect(fd + 1, &set, NULL, NULL, NULL, mask) < 0)
            return errno;
        n = read(fd, line->data + line->length, LINE - line->length);
        if (n < 0)
            return errno;
        line->length += (size_t)n;
        if (n == 0 || line->data[line->length - 1] == '\n')
            break;
    }
    return 0;
}

static void say(int fd, const char *text)
{
    size_t length = strlen(text);

    if (write(fd, text, length) != (ssize_t)length)
        return; /* then a person sees less */
}

/* One prompt and its answer, without echo. Returns 0 or an errno; a signal that was noted is raised
   when all is as it was before. */
static int ask_once(int fd, const char *prompt, struct cli_buffer *line)
{
    struct termios shown, hidden;
    struct guard guard;
    int error;

    if (tcgetattr(fd, &shown) != 0)
        return errno;
    hidden = shown;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    hidden.c_lflag |= ICANON | ECHONL;
    guard_signals(&guard);
    if (tcsetattr(fd, TCSAFLUSH, &hidden) != 0) {
        error = errno;
    } else {
        say(fd, prompt);
        error = read_line(fd, &guard.mask, line);
        tcsetattr(fd, TCSAFLUSH, &shown);
        if (error == EINTR)
            say(fd, "\n");
    }
    restore_signals(&guard);
    if (noted)
        raise(noted);
    return error;
}

/* Nothing typed, not even the end of a line, is the end of the input. */
static int answered(struct cli_buffer *line)
{
    if (line->length > 0)
        return keep_first_line(terminal, line);
    cli_release(line);
    return cli_error(CLI_USAGE, terminal, NULL, "no passphrase was typed");
}

static int no_terminal(const char *option)
{
    char advice[64];

    snprintf(advice, sizeof advice, "give %s FILE", option);
    return cli_error(CLI_USAGE, NULL, advice, "there is no terminal to ask for a passphrase");
}

int cli_ask_passphrase(const char *prompt, const char *option, struct cli_buffer *passphrase)
{
    int error, status, fd = open(terminal, O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (fd < 0)
        return no_terminal(option);
    status = cli_make_buffer(passphrase, LINE);
    if (status == CLI_OK) {
        do /* again when it was stopped and goes on */
            error = ask_once(fd, prompt, passphrase);
        while (error == EINTR);
        if (!error) {
            status = answered(passphrase);
        } else {
            cli_release(passphrase);
            status = cli_system_error(error, terminal, "cannot ask for a passphrase");
        }
    }
    close(fd);
    return status;
}

/* Typed twice, since nobody sees a slip of the finger. */
static int ask_twice(const char *option, struct cli_buffer *passphrase)
{
    struct cli_buffer again;
    int status = cli_ask_passphrase("New passphrase: ", option, passphrase);
    int same;

    if (status != CLI_OK)
        return status;
    status = cli_ask_passphrase("The same again: ", option, &again);
    if (status == CLI_OK) {
        same = passphrase->length == again.length &&
               memcmp(passphrase->data, again.data, again.length) == 0;
        cli_release(&again);
        if (same)
            return CLI_OK;
        status = cli_error(CLI_USAGE, terminal, NULL, "the two passphrases differ");
    }
    cli_release(passphrase);
    return status;
}

int cli_new_passphrase(const char *path, const char *option, struct cli_buffer *passphrase)
{
    int status = path ? cli_read_passphrase(path, passphrase) : ask_twice(option, passphrase);

    if (status != CLI_OK || passphrase->length > 0)
        return status;
    cli_release(passphrase);
    return cli_error(CLI_USAGE, path ? cli_input_name(path) : terminal, NULL,
                     "an empty passphrase protects nothing");
}
