/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading configuration files, octet by octet through small buffers: no memory is asked for but for
 * the names of files, and a file of any size or kind costs no more than the limits allow. Where no
 * file is, two calls of the system say so.
 */
#include <config.h>

#include "dispatch/config.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dispatch/safe-file.h"

#define MAIN_FILE "limbic.conf"
#define SUBDIRECTORY "limbic.conf.d"
#define SUFFIX ".conf"
#define SEPARATORS " \t\v\f;" /* those of the variable; a line has no others inside */

#ifdef LIMBIC_TESTING
#define DIRECTORY LIMBIC_TEST_CONFDIR
static const char *test_directory, *test_program;
#else
#define DIRECTORY LIMBIC_CONFDIR
#endif

/* One reading, and the place where it is. */
struct reading {
    struct lb_config *config;
    const struct lb_config_listener *listener;
    bool program_is_known;
    const char *file;
    unsigned line;
    unsigned first_line; /* of this file, among those of the configuration */
    enum { FOR_ALL, OF_SECTION, OF_OTHERS } section;
    char text[LB_CONFIG_LINE_SIZE + 2]; /* a carriage return and a NUL do not count */
    size_t length;                      /* may be more than is kept */
};

const char *lb_config_directory(void)
{
#ifdef LIMBIC_TESTING
    if (test_directory)
        return test_directory;
#endif
    return DIRECTORY;
}

/* ---- Faults --------------------------------------------------------------------------------- */

static void fault(struct reading *r, gpg_err_code_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Of the line in hand, or of the whole file if none is. The first one stands. */
static void fault(struct reading *r, gpg_err_code_t code, const char *format, ...)
{
    char what[224], line[16] = "", text[LB_CONFIG_ERROR_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (r->line)
        snprintf(line, sizeof line, ":%u", r->line);
    snprintf(text, sizeof text, "%.*s%s: %s", LB_CONFIG_PATH_SIZE - 1, r->file, line, what);
    if (r->listener)
        r->listener->fault(r->listener->opaque, code, text);
    if (r->config->code)
        return;
    r->config->code = code;
    memcpy(r->config->error, text, sizeof text);
}

/* What is wrong with the file at a path, from a text that may end in that path. */
static void fault_of_file(struct reading *r, gpg_err_code_t code, const char *path, char *why)
{
    size_t length = strlen(why), tail = strlen(path) + 2;

    if (length > tail && strcmp(why + length - tail + 2, path) == 0)
        why[length - tail] = '\0';
    r->file = path;
    r->line = 0;
    fault(r, code, "%s", why);
}

/* What cannot be read, for the reason in errno. */
static void fault_unreadable(struct reading *r)
{
    int error = errno;

    r->line = 0;
    fault(r, gpg_err_code_from_errno(error), "unreadable, %s", strerror(error));
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* Names of files are kept while the process lives, since policies name them: each once (or, should
   two threads meet, twice). */
struct kept_name {
    struct kept_name *next;
    char text[];
};

static _Atomic(struct kept_name *) kept_names;

static const char *keep_name(const char *text)
{
    struct kept_name *first = atomic_load(&kept_names), *name;
    size_t size = strlen(text) + 1;

    for (name = first; name; name = name->next)
        if (strcmp(name->text, text) == 0)
            return name->text;
    name = malloc(sizeof *name + size);
    if (!name)
        return NULL;
    memcpy(name->text, text, size);
    name->next = first;
    while (!atomic_compare_exchange_weak(&kept_names, &name->next, name))
        ;
    return name->text;
}

/* The basename of this program's file, without what the kernel appends once the file has been
   replaced. */
static bool find_own_name(char name[LB_CONFIG_PROGRAM_SIZE])
{
    static const char deleted[] = " (deleted)";
    char path[PATH_MAX];
    ssize_t length;
    const char *base;

#ifdef LIMBIC_TESTING
    if (test_program) {
        snprintf(name, LB_CONFIG_PROGRAM_SIZE, "%s", test_program);
        return *name;
    }
#endif
    length = readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0 || (size_t)length >= sizeof path)
        return false;
    path[length] = '\0';
    if ((size_t)length > strlen(deleted) &&
        strcmp(path + (size_t)length - strlen(deleted), deleted) == 0)
        path[(size_t)length - strlen(deleted)] = '\0';
    base = strrchr(path, '/');
    if (!base || !base[1] || strlen(base + 1) >= LB_CONFIG_PROGRAM_SIZE)
        return false;
    memcpy(name, base + 1, strlen(base + 1) + 1);
    return true;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

/* The line in hand is `[program NAME]`, the name being from `name` on. */
static void take_section(struct reading *r, const char *name, size_t length)
{
    char program[LB_CONFIG_PROGRAM_SIZE];

    memcpy(program, name, length);
    program[length] = '\0';
    if (strcmp(program, "*") == 0) {
        r->section = FOR_ALL;
        return;
    }
    if (r->listener)
        r->listener->section(r->listener->opaque, program);
    if (!r->program_is_known)
        fault(r, GPG_ERR_CONFIGURATION,
              "which program this is cannot be told, since /proc/self/exe cannot be read");
    r->section = strcmp(program, r->config->program) == 0 ? OF_SECTION : OF_OTHERS;
}

static void take_header(struct reading *r, const char *text)
{
    static const char key[] = "program";
    const char *name = text + 1, *end = strchr(text, ']'), *rest;

    name += strspn(name, SEPARATORS);
    rest = end ? end + 1 + strspn(end + 1, SEPARATORS) : "";
    if (!end || (*rest && *rest != '#') || strncasecmp(name, key, strlen(key)) != 0 ||
        !strchr(SEPARATORS, name[strlen(key)])) {
        fault(r, GPG_ERR_SYNTAX, "a header that is not [program NAME]");
        return;
    }
    name += strlen(key);
    name += strspn(name, SEPARATORS);
    while (end > name && strchr(SEPARATORS, end[-1]))
        end--;
    if (end <= name || end - name >= LB_CONFIG_PROGRAM_SIZE)
        fault(r, GPG_ERR_SYNTAX, "[program NAME] needs a name of 1 to %d octets",
              LB_CONFIG_PROGRAM_SIZE - 1);
    else if (memchr(name, '/', (size_t)(end - name)))
        fault(r, GPG_ERR_SYNTAX, "NAME in [program NAME] is a name without directories");
    else
        take_section(r, name, (size_t)(end - name));
}

/* Cuts a comment off, and the separators before it. */
static void cut_comment(char *text)
{
    size_t length = 0;

    for (size_t i = 0; text[i] && !(text[i] == '#' && (i == 0 || strchr(SEPARATORS, text[i - 1])));
         i++)
        if (!strchr(SEPARATORS, text[i]))
            length = i + 1;
    text[length] = '\0';
}

static void keep_line(struct reading *r, const char *words)
{
    struct lb_config *config = r->config;
    size_t size = strlen(words) + 1;

    if (config->line_count == LB_CONFIG_LINES_MAX) {
        fault(r, GPG_ERR_TOO_LARGE, "more than %d lines with words for one program",
              LB_CONFIG_LINES_MAX);
        return;
    }
    if (size > sizeof config->text - config->used) {
        fault(r, GPG_ERR_TOO_LARGE, "more than %d octets of words for one program",
              LB_CONFIG_WORDS_SIZE);
        return;
    }
    memcpy(config->text + config->used, words, size);
    config->line[config->line_count++] =
        (struct lb_config_line){r->file, r->line, (unsigned)config->used, r->section == OF_SECTION};
    config->used += size;
}

static void take_words(struct reading *r, char *text)
{
    cut_comment(text);
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x7f && (!is_control(*c) || strchr(SEPARATORS, *c)))
            continue;
        fault(r, GPG_ERR_SYNTAX, "an octet that no word has, 0x%02x", (unsigned)(unsigned char)*c);
        return;
    }
    if (*text && r->section != OF_OTHERS)
        keep_line(r, text);
}

/* A carriage return ends no line: else a comment in a file of such lines would hide all of it. */
static void take_line(struct reading *r)
{
    char *text = r->text;

    r->line++;
    if (r->length > 0 && r->length <= LB_CONFIG_LINE_SIZE + 1 && text[r->length - 1] == '\r')
        r->length--;
    if (r->length > LB_CONFIG_LINE_SIZE) {
        fault(r, GPG_ERR_TOO_LARGE, "a line of more than %d octets", LB_CONFIG_LINE_SIZE);
        return;
    }
    text[r->length] = '\0';
    if (strlen(text) != r->length) {
        fault(r, GPG_ERR_SYNTAX, "a NUL octet");
        return;
    }
    if (strchr(text, '\r')) {
        fault(r, GPG_ERR_SYNTAX, "a carriage return within the line");
        return;
    }
    text += strspn(text, SEPARATORS);
    if (*text == '[')
        take_header(r, text);
    else if (*text != '#')
        take_words(r, text);
}

/* ---- Files ---------------------------------------------------------------------------------- */

static void take_octets(struct reading *r, const char *octets, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (octets[i] != '\n') {
            if (r->length < LB_CONFIG_LINE_SIZE + 1)
                r->text[r->length] = octets[i];
            r->length++;
            continue;
        }
        take_line(r);
        r->length = 0;
    }
}

/* A file's name enters the list. */
static bool begin_file(struct reading *r, const char *name)
{
    struct lb_config *config = r->config;

    r->file = name;
    r->line = 0;
    r->length = 0;
    r->section = FOR_ALL;
    r->first_line = config->line_count;
    if (config->file_count == LB_CONFIG_FILES_MAX) {
        fault(r, GPG_ERR_TOO_LARGE, "more than %d files", LB_CONFIG_FILES_MAX);
        return false;
    }
    config->file[config->file_count++] = name;
    return true;
}

/* The lines of the program's sections go behind those for all, each in the order of the file. */
static void end_file(struct reading *r)
{
    struct lb_config_line sorted[LB_CONFIG_LINES_MAX], *lines = r->config->line + r->first_line;
    unsigned count, n = 0;

    if (r->length > 0)
        take_line(r); /* without an end */
    count = r->config->line_count - r->first_line;
    for (int of_section = 0; of_section < 2; of_section++)
        for (unsigned i = 0; i < count; i++)
            if (lines[i].is_of_section == of_section)
                sorted[n++] = lines[i];
    memcpy(lines, sorted, n * sizeof *sorted);
}

static void fault_too_large(struct reading *r)
{
    r->line = 0;
    fault(r, GPG_ERR_TOO_LARGE, "more than %d octets", LB_CONFIG_FILE_SIZE);
}

static void read_contents(struct reading *r, int fd)
{
    char octets[4096];
    size_t total = 0;
    ssize_t length;

    while ((length = read(fd, octets, sizeof octets)) != 0) {
        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0) {
            fault_unreadable(r);
            return;
        }
        total += (size_t)length;
        if (total > LB_CONFIG_FILE_SIZE) {
            fault_too_large(r);
            return;
        }
        take_octets(r, octets, (size_t)length);
    }
    end_file(r);
}

/* Whether only those who may can change what is in the directory of the file. */
static bool place_is_safe(const char *path, char *why, size_t size)
{
    char directory[PATH_MAX], resolved[PATH_MAX];
    uid_t owner = lb_library_owner();

    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (!realpath(directory, resolved))
        return lb_file_fail(why, size, errno, directory);
    return lb_directory_is_safe(directory, owner, why, size) &&
           lb_directory_is_safe(resolved, owner, why, size);
}

/* Who this is, once there is a file. */
static void find_program(struct reading *r)
{
    if (!r->program_is_known && !*r->config->program)
        r->program_is_known = find_own_name(r->config->program);
}

static void read_file(struct reading *r, const char *path)
{
    char why[LB_CONFIG_ERROR_SIZE];
    const char *name;
    int fd;

    switch (lb_file_open(path, &fd, why, sizeof why)) {
    case LB_FILE_MISSING:
        return;
    case LB_FILE_BAD:
        /* a link can be read, and is not */
        fault_of_file(r, errno == ELOOP ? GPG_ERR_CONFIGURATION : gpg_err_code_from_errno(errno),
                      path, why);
        return;
    case LB_FILE_GOOD:
    default:
        break;
    }
    name = keep_name(path);
    if (!name) {
        r->file = path;
        r->line = 0;
        fault(r, GPG_ERR_ENOMEM, "out of memory");
    } else if (!lb_file_is_safe(fd, lb_library_owner(), why, sizeof why, path) ||
               !place_is_safe(path, why, sizeof why)) {
        fault_of_file(r, errno ? gpg_err_code_from_errno(errno) : GPG_ERR_CONFIGURATION, path, why);
    } else if (begin_file(r, name)) {
        find_program(r);
        read_contents(r, fd);
    }
    close(fd);
}

/* ---- Directories ---------------------------------------------------------------------------- */

/* Paths in the order of their octets, the longest ones included in what is to be complained of. */
struct listing {
    unsigned count;
    char path[LB_CONFIG_FILES_MAX][LB_CONFIG_PATH_SIZE];
};

static int by_octets(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool is_ours(const char *name)
{
    size_t length = strlen(name);

    return name[0] != '.' && length > strlen(SUFFIX) &&
           strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0;
}

/* False if a file had to be left out, which has been complained of. */
static bool list_files(struct reading *r, struct listing *list, DIR *opened, const char *directory)
{
    const struct dirent *entry;

    r->file = directory;
    r->line = 0;
    while (errno = 0, (entry = readdir(opened))) {
        int length;

        if (!is_ours(entry->d_name))
            continue;
        if (list->count == LB_CONFIG_FILES_MAX) {
            fault(r, GPG_ERR_TOO_LARGE, "more than %d files", LB_CONFIG_FILES_MAX);
            return false;
        }
        length = snprintf(list->path[list->count], LB_CONFIG_PATH_SIZE, "%s/%s", directory,
                          entry->d_name);
        if (length < 0 || length >= LB_CONFIG_PATH_SIZE) {
            fault(r, GPG_ERR_TOO_LARGE, "the path of a file in it has more than %d octets",
                  LB_CONFIG_PATH_SIZE - 1);
            return false;
        }
        list->count++;
    }
    if (errno) {
        fault_unreadable(r);
        return false;
    }
    qsort(list->path, list->count, sizeof *list->path, by_octets);
    return true;
}

/* What it leads to may be missing for the moment, and with it a restriction. */
static void refuse_link_to_nothing(struct reading *r, const char *directory)
{
    struct stat st;

    r->file = directory;
    r->line = 0;
    if (lstat(directory, &st) == 0 && S_ISLNK(st.st_mode) && stat(directory, &st) != 0 &&
        errno == ENOENT)
        fault(r, GPG_ERR_CONFIGURATION, "a symbolic link to what is not there");
}

static void read_directory(struct reading *r, const char *directory)
{
    DIR *opened = opendir(directory);
    char why[LB_CONFIG_ERROR_SIZE], inside[LB_CONFIG_PATH_SIZE + 1];
    struct listing list = {.count = 0};

    if (!opened) {
        r->file = directory;
        if (errno != ENOENT)
            fault_unreadable(r);
        else
            refuse_link_to_nothing(r, directory);
        return;
    }
    snprintf(inside, sizeof inside, "%s/", directory);
    if (!place_is_safe(inside, why, sizeof why))
        fault_of_file(r, GPG_ERR_CONFIGURATION, directory, why);
    else if (list_files(r, &list, opened, directory))
        for (unsigned i = 0; i < list.count; i++)
            read_file(r, list.path[i]);
    closedir(opened);
}

/* ---- The whole ------------------------------------------------------------------------------ */

static void begin(struct reading *r, struct lb_config *config, const char *program,
                  const struct lb_config_listener *listener)
{
    memset(config, 0, sizeof *config);
    memset(r, 0, sizeof *r);
    r->config = config;
    r->listener = listener;
    r->program_is_known = program != NULL;
    if (program)
        snprintf(config->program, sizeof config->program, "%s", program);
}

void lb_config_read(struct lb_config *config, const char *program,
                    const struct lb_config_listener *listener)
{
    const char *directory = lb_config_directory();
    char path[LB_CONFIG_PATH_SIZE];
    struct reading r;
    int length;

    begin(&r, config, program, listener);
    length = snprintf(path, sizeof path, "%s/" SUBDIRECTORY, directory);
    if (length < 0 || (size_t)length >= sizeof path) {
        r.file = directory;
        fault(&r, GPG_ERR_TOO_LARGE, "the path has more than %d octets", LB_CONFIG_PATH_SIZE - 1);
        return;
    }
    refuse_link_to_nothing(&r, directory);
    snprintf(path, sizeof path, "%s/" MAIN_FILE, directory);
    read_file(&r, path);
    snprintf(path, sizeof path, "%s/" SUBDIRECTORY, directory);
    read_directory(&r, path);
}

void lb_config_parse(struct lb_config *config, const char *program,
                     const struct lb_config_listener *listener, const char *name,
                     const char *octets, size_t length)
{
    struct reading r;

    begin(&r, config, program, listener);
    (void)begin_file(&r, name);
    find_program(&r);
    if (length > LB_CONFIG_FILE_SIZE) {
        fault_too_large(&r);
        return;
    }
    take_octets(&r, octets, length);
    end_file(&r);
}

bool lb_config_same(const struct lb_config *a, const struct lb_config *b)
{
    if (a->code != b->code || strcmp(a->error, b->error) != 0 ||
        strcmp(a->program, b->program) != 0 || a->file_count != b->file_count ||
        a->line_count != b->line_count || a->used != b->used ||
        memcmp(a->text, b->text, a->used) != 0)
        return false;
    for (unsigned i = 0; i < a->file_count; i++)
        if (strcmp(a->file[i], b->file[i]) != 0)
            return false;
    for (unsigned i = 0; i < a->line_count; i++)
        if (strcmp(a->line[i].file, b->line[i].file) != 0 || a->line[i].line != b->line[i].line ||
            a->line[i].start != b->line[i].start)
            return false;
    return true;
}

#ifdef LIMBIC_TESTING
void lb_test_config_directory(const char *directory)
{
    test_directory = directory;
}

void lb_test_config_program(const char *name)
{
    test_program = name;
}
#endif
