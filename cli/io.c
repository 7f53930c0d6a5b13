/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Input and output of limbic(1): files read whole with a limit, outputs that appear whole or not at
 * all. Knows nothing of keys and signatures.
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The process --------------------------------------------------------------------------- */

/* The temporary file that exists now, for the handler of signals; empty when there is none. Changed
   only while those signals are blocked. */
static char unfinished[PATH_MAX];

/* Signals that end a program unless it catches them and that tell of no fault in it: somebody's wish,
   a timer or a limit that it was started with. Those for real time come to them; SIGPIPE and SIGXFSZ
   are ignored, see below. */
static const int ending_signals[] = {
    SIGHUP,    SIGINT,  SIGQUIT, SIGTERM, SIGALRM, SIGVTALRM,
    SIGPROF,   SIGXCPU, SIGUSR1, SIGUSR2, SIGIO,
#ifdef SIGPWR
    SIGPWR,
#endif
#ifdef SIGSTKFLT
    SIGSTKFLT,
#endif
};

#define N_SIGNALS (sizeof ending_signals / sizeof ending_signals[0])

static sigset_t caught;

const sigset_t *cli_ending_signals(void)
{
    return &caught;
}

static void end_by_signal(int number)
{
    if (unfinished[0])
        unlink(unfinished);
    signal(number, SIG_DFL);
    raise(number);
}

static void block_signals(sigset_t *saved)
{
    sigprocmask(SIG_BLOCK, &caught, saved);
}

static void restore_signals(const sigset_t *saved)
{
    sigprocmask(SIG_SETMASK, saved, NULL);
}

/* A program started with a standard descriptor closed would open its files there and mix them up
   with what it prints. The place is filled with something that fails when it is used. */
static void fill_descriptor(int fd, int flags)
{
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF && open("/dev/null", flags) != fd)
        _exit(CLI_USAGE);
}

/* What write(2) is to report as an error instead, and how it was before. */
static const int write_signals[] = {SIGPIPE, SIGXFSZ};
static void (*write_handlers[2])(int);

/* One that is not as programs are started stays: ignored, as nohup(1) wants it, or a profiler's. */
static void catch_signal(int number)
{
    struct sigaction action;

    if (sigaction(number, NULL, &action) != 0 || action.sa_handler != SIG_DFL)
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = end_by_signal;
    if (sigaction(number, &action, NULL) == 0)
        sigaddset(&caught, number);
}

void cli_io_start(void)
{
    fill_descriptor(0, O_WRONLY);
    fill_descriptor(1, O_RDONLY);
    fill_descriptor(2, O_RDONLY);

    for (size_t i = 0; i < 2; i++)
        write_handlers[i] = signal(write_signals[i], SIG_IGN);
    sigemptyset(&caught);
    for (size_t i = 0; i < N_SIGNALS; i++)
        catch_signal(ending_signals[i]);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        catch_signal(number);
}

void cli_io_hand_over(void)
{
    for (size_t i = 0; i < 2; i++)
        if (write_handlers[i] != SIG_ERR)
            signal(write_signals[i], write_handlers[i]);
}

/* Whether standard output is a pipe whose reader has gone. That is no news: he has what he wanted. */
static int nobody_reads(void)
{
    struct pollfd p = {1, POLLOUT, 0};

    return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP));
}

/* Why a text could not be written to standard output; 0 if it could. */
static int print_error_number;

void cli_print(const char *text)
{
    if (fputs(text, stdout) == EOF && !print_error_number)
        print_error_number = errno;
}

int cli_finish(int status)
{
    int failed = ferror(stdout), gone;

    errno = print_error_number;
    if (fflush(stdout) != 0)
        failed = 1;
    gone = errno == EPIPE || nobody_reads();
    if (close(1) != 0)
        failed = 1;
    if (failed && status == CLI_OK && gone)
        return CLI_USAGE;
    if (failed && status == CLI_OK)
        return cli_system_error(errno ? errno : EIO, cli_output_name("-"), "cannot write");
    return status;
}

/* ---- Reading ------------------------------------------------------------------------------- */

static int is_dash(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *cli_input_name(const char *path)
{
    return is_dash(path) ? "standard input" : path;
}

const char *cli_output_name(const char *path)
{
    return is_dash(path) ? "standard output" : path;
}

/* The number in decimal, as the names of descriptors are, or -1. */
static int descriptor_number(const char *text)
{
    uint64_t number;

    if (strspn(text, "0123456789") != strlen(text) || (text[0] == '0' && text[1]) ||
        cli_number(text, &number) != 0 || number > INT_MAX)
        return -1;
    return (int)number;
}

/* The descriptor that a name stands for, "-" for `standard`, or -1. */
static int named_descriptor(const char *path, int standard)
{
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/"};

    if (is_dash(path))
        return standard;
    for (int fd = 0; fd < 3; fd++)
        if (strcmp(path, names[fd]) == 0)
            return fd;
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(directories[i]);

        if (strncmp(path, directories[i], n) == 0 && descriptor_number(path + n) >= 0)
            return descriptor_number(path + n);
    }
    return -1;
}

static int stat_input(const char *path, struct stat *st)
{
    return is_dash(path) ? fstat(0, st) : stat(path, st);
}

static int same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether two inputs are one descriptor, or one pipe by whatever names: what is read for the first is
   gone for the second, to which an end of file is a message of no octets. */
static int same_stream(const char *a, const char *b)
{
    int fd = named_descriptor(a, 0);
    struct stat of_a, of_b;

    if (fd >= 0 && fd == named_descriptor(b, 0))
        return 1;
    return stat_input(a, &of_a) == 0 && S_ISFIFO(of_a.st_mode) && stat_input(b, &of_b) == 0 &&
           same_file(&of_a, &of_b);
}

int cli_read_once(const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (same_stream(paths[i], paths[j]))
                return cli_error(CLI_USAGE,
                                 named_descriptor(paths[i], 0) == 0 ? "standard input" : paths[i],
                                 "name a file for the others", "can be read for one option only");
    return CLI_OK;
}

int cli_open(const char *path, int *fd)
{
    struct stat st;

    *fd = is_dash(path) ? 0 : open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (*fd < 0)
        return cli_system_error(errno, path, "cannot open");
    if (fstat(*fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        cli_close(*fd);
        return cli_error(CLI_USAGE, cli_input_name(path), NULL, "is a directory");
    }
    return CLI_OK;
}

void cli_close(int fd)
{
    if (fd > 2)
        close(fd);
}

/* After EAGAIN, which a descriptor that somebody else made non-blocking gives. */
static void wait_for(int fd, short event)
{
    struct pollfd p = {fd, event, 0};

    poll(&p, 1, -1);
}

int cli_read(int fd, const char *path, void *data, size_t size, size_t *length)
{
    unsigned char *p = data;
    size_t done = 0;

    *length = 0;
    while (done < size) {
        ssize_t n = read(fd, p + done, size - done);

        if (n == 0)
            break;
        if (n > 0)
            *length = done += (size_t)n;
        else if (errno == EAGAIN)
            wait_for(fd, POLLIN);
        else if (errno != EINTR)
            return cli_system_error(errno, cli_input_name(path), "cannot read");
    }
    return CLI_OK;
}

int cli_make_buffer(struct cli_buffer *buffer, size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        return cli_error(CLI_USAGE, NULL, NULL, "out of memory");
    madvise(p, size, MADV_DONTDUMP);
    buffer->data = p;
    buffer->size = size;
    buffer->length = 0;
    return CLI_OK;
}

int cli_read_file(const char *path, size_t most, struct cli_buffer *buffer)
{
    int fd, status;

    status = cli_open(path, &fd);
    if (status != CLI_OK)
        return status;
    status = cli_make_buffer(buffer, most + 1);
    if (status == CLI_OK) {
        status = cli_read(fd, path, buffer->data, most + 1, &buffer->length);
        if (status != CLI_OK)
            cli_release(buffer);
    }
    cli_close(fd);
    return status;
}

void cli_release(struct cli_buffer *buffer)
{
    if (!buffer->data)
        return;
    explicit_bzero(buffer->data, buffer->length);
    munmap(buffer->data, buffer->size);
    buffer->data = NULL;
}

/* ---- Writing ------------------------------------------------------------------------------- */

/* Returns 0 or an errno. */
static int write_all(int fd, const void *data, size_t length)
{
    const unsigned char *p = data;

    while (length > 0) {
        ssize_t n = write(fd, p, length);

        if (n >= 0) {
            p += n;
            length -= (size_t)n;
        } else if (errno == EAGAIN) {
            wait_for(fd, POLLOUT);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

static int write_descriptor(const char *path, int fd, const void *data, size_t length)
{
    int error;

    if (fd == 1)
        fflush(stdout);
    error = write_all(fd, data, length);
    if (error == EPIPE && fd == 1)
        return CLI_USAGE; /* as in cli_finish */
    return error ? cli_system_error(error, cli_output_name(path), "cannot write") : CLI_OK;
}

static int write_special(const char *path, const void *data, size_t length)
{
    int error, fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);

    if (fd < 0)
        return cli_system_error(errno, path, "cannot open");
    error = write_all(fd, data, length);
    if (close(fd) != 0 && !error)
        error = errno;
    return error ? cli_system_error(error, path, "cannot write") : CLI_OK;
}

/* Where an output goes. */
struct target {
    int fd;              /* a descriptor, or -1 */
    int special;         /* a device or pipe */
    char path[PATH_MAX]; /* the file to replace, symbolic links followed */
};

static int target_existing(const char *path, const struct stat *st, struct target *t)
{
    if (S_ISDIR(st->st_mode))
        return cli_error(CLI_USAGE, path, NULL, "is a directory");
    if (!S_ISREG(st->st_mode)) {
        t->special = 1;
        return CLI_OK;
    }
    /* Replacing needs write access to the directory only; a file that is write-protected stays. */
    if (access(path, W_OK) != 0)
        return cli_system_error(errno, path, "cannot write");
    if (!realpath(path, t->path))
        return cli_system_error(errno, path, "cannot follow");
    return CLI_OK;
}

static int target_new(const char *path, struct target *t)
{
    size_t length = strlen(path);
    struct stat st;

    if (length == 0)
        return cli_error(CLI_USAGE, NULL, NULL, "the name of the output file is empty");
    if (length >= sizeof t->path)
        return cli_system_error(ENAMETOOLONG, path, "cannot write");
    if (path[length - 1] == '/')
        return cli_error(CLI_USAGE, path, NULL, "is the name of a directory");
    if (lstat(path, &st) == 0)
        return cli_error(CLI_USAGE, path, NULL, "is a symbolic link to a file that does not exist");
    memcpy(t->path, path, length + 1);
    return CLI_OK;
}

static int find_target(const char *path, struct target *t)
{
    struct stat st;

    t->special = 0;
    t->path[0] = 0;
    /* To open such a name again would start at the beginning of a file that somebody else is
       writing. */
    t->fd = named_descriptor(path, 1);
    if (t->fd >= 0)
        return CLI_OK;
    if (stat(path, &st) == 0)
        return target_existing(path, &st, t);
    if (errno == ENOENT)
        return target_new(path, t);
    return cli_system_error(errno, path, "cannot write");
}

/* The directory of t->path, ending in a slash, or "". */
static void target_directory(const struct target *t, char directory[PATH_MAX])
{
    const char *slash = strrchr(t->path, '/');
    size_t n = slash ? (size_t)(slash - t->path) + 1 : 0;

    memcpy(directory, t->path, n);
    directory[n] = 0;
}

static int check_descriptor(const char *path, int fd)
{
    int mode = fcntl(fd, F_GETFL);

    if (mode == -1 || (mode & O_ACCMODE) == O_RDONLY)
        return cli_system_error(EBADF, cli_output_name(path), "cannot write");
    return CLI_OK;
}

int cli_check_output(const char *path)
{
    struct target t;
    char directory[PATH_MAX];
    int status = find_target(path, &t);

    if (status != CLI_OK || t.special)
        return status;
    if (t.fd >= 0)
        return check_descriptor(path, t.fd);
    target_directory(&t, directory);
    if (access(*directory ? directory : ".", W_OK | X_OK) != 0)
        return cli_system_error(errno, path, "cannot write");
    return CLI_OK;
}

int cli_keep_input(const char *output, const char *input, const char *what)
{
    struct stat from, to;

    if (is_dash(output) || stat(output, &to) != 0 || !S_ISREG(to.st_mode))
        return CLI_OK;
    if (stat_input(input, &from) != 0 || !same_file(&from, &to))
        return CLI_OK;
    return cli_error(CLI_USAGE, output, "name another output", "is the %s file", what);
}

/* Creates the temporary file beside the target. Returns its descriptor, or -1 with errno. */
static int open_temporary(const struct target *t)
{
    static const char template[] = ".limbic-XXXXXX";
    char name[PATH_MAX];
    sigset_t saved;
    size_t n;
    int fd, error;

    target_directory(t, name);
    n = strlen(name);
    if (n + sizeof template > sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(name + n, template, sizeof template);
    block_signals(&saved);
    fd = mkstemp(name); /* O_EXCL, mode 0600 */
    error = errno;
    if (fd >= 0)
        memcpy(unfinished, name, sizeof name);
    restore_signals(&saved);
    errno = error;
    return fd;
}

/* Gives the temporary file the target's name, or removes it when there was an error. Returns 0 or
   an errno. */
static int close_temporary(const struct target *t, int error)
{
    sigset_t saved;

    block_signals(&saved);
    if (!error && rename(unfinished, t->path) != 0)
        error = errno;
    if (error)
        unlink(unfinished);
    unfinished[0] = 0;
    restore_signals(&saved);
    return error;
}

static mode_t public_mode(void)
{
    mode_t mask = umask(0);

    umask(mask);
    return 0666 & ~mask;
}

int cli_write_file(const char *path, const void *data, size_t length, enum cli_output kind)
{
    struct target t;
    int error, fd, status = find_target(path, &t);

    if (status != CLI_OK)
        return status;
    if (t.fd >= 0)
        return write_descriptor(path, t.fd, data, length);
    if (t.special)
        return write_special(path, data, length);

    fd = open_temporary(&t);
    if (fd < 0)
        return cli_system_error(errno, path, "cannot write");
    error = write_all(fd, data, length);
    if (!error && kind == CLI_PUBLIC && fchmod(fd, public_mode()) != 0)
        error = errno;
    if (close(fd) != 0 && !error)
        error = errno;
    error = close_temporary(&t, error);
    return error ? cli_system_error(error, path, "cannot write") : CLI_OK;
}
