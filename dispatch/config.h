/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The configuration files: limbic.conf, then the files *.conf in
 * limbic.conf.d in the order of their names' octets, in the one directory of this build. Reads them and hands out the lines that concern a
 * program. Knows files and lines; what the words in them mean is the policy's affair.
 *
 * A line holds words, separated as in the variable. A `#` at its beginning or behind a separator
 * begins a comment. `[program NAME]` begins lines for the program of that name only, NAME being the
 * basename of its file; `[program *]` returns to lines for all. A line ends in LF or CR LF.
 *
 * A file may hold a restriction, so whatever keeps one from being read in full is an error: it is
 * unreadable (then the code is one of the system) or unsafe (see safe-file.h), no regular file, too
 * large, has an octet that no word has, or a malformed header. Only what is not there is none.
 */
#ifndef LB_DISPATCH_CONFIG_H
#define LB_DISPATCH_CONFIG_H

#include <gpg-error.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    LB_CONFIG_FILES_MAX = 64,
    LB_CONFIG_FILE_SIZE = 65536,  /* octets in a file */
    LB_CONFIG_LINE_SIZE = 1024,   /* octets in a line */
    LB_CONFIG_LINES_MAX = 256,    /* lines with words for one program */
    LB_CONFIG_WORDS_SIZE = 4096,  /* octets in these, with one between any two */
    LB_CONFIG_PATH_SIZE = 192,    /* octets in a path, with the NUL */
    LB_CONFIG_PROGRAM_SIZE = 256, /* octets in a program's name, with the NUL */
    LB_CONFIG_ERROR_SIZE = LB_CONFIG_PATH_SIZE + 256
};

/* Words, where they stand. The file's name is never freed. */
struct lb_config_line {
    const char *file;
    unsigned line;
    unsigned start;     /* of the words, NUL-terminated, in the text */
    bool is_of_section; /* of this program's */
};

struct lb_config {
    char program[LB_CONFIG_PROGRAM_SIZE]; /* "": no file was read, or it cannot be told */
    unsigned file_count;
    const char *file[LB_CONFIG_FILES_MAX]; /* in the order of reading */
    unsigned line_count;
    struct lb_config_line line[LB_CONFIG_LINES_MAX]; /* in the order in which they count */
    size_t used;
    char text[LB_CONFIG_WORDS_SIZE + 1];
    gpg_err_code_t code; /* 0, or of the first fault */
    char error[LB_CONFIG_ERROR_SIZE];
};

/* Who wants to know everything: every fault, not only the first, and every section's name. */
struct lb_config_listener {
    void (*fault)(void *opaque, gpg_err_code_t code, const char *text);
    void (*section)(void *opaque, const char *program);
    void *opaque;
};

/* The directory, an absolute path. */
const char *lb_config_directory(void);

/* Reads the installed files for a program, NULL being this one, "" none. `listener` may be NULL. */
void lb_config_read(struct lb_config *config, const char *program,
                    const struct lb_config_listener *listener);

/* The same for one file, whose contents the caller has; `name`, of less than LB_CONFIG_PATH_SIZE
   octets, is not copied. */
void lb_config_parse(struct lb_config *config, const char *program,
                     const struct lb_config_listener *listener, const char *name,
                     const char *octets, size_t length);

/* The words of a line. */
static inline const char *lb_config_words(const struct lb_config *config, unsigned line)
{
    return config->text + config->line[line].start;
}

/* Whether two readings came to the same, in the same lines of the same files. */
bool lb_config_same(const struct lb_config *a, const struct lb_config *b);

#ifdef LIMBIC_TESTING
/* Another directory, absolute, and another name of this program, "" for one that cannot be told, for
   the next readings (NULL: those of the build, of the process). */
void lb_test_config_directory(const char *directory);
void lb_test_config_program(const char *name);
#endif

#endif
