/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cli.h - what the files of limbic(1) share: commands, arguments, errors, input and output.
 * Of limbic it knows <limbic.h> alone.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <limbic.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "base/exit-status.h"

/* The exit statuses, which are a contract: see limbic(1). */
enum {
    CLI_OK = LB_EXIT_OK,
    CLI_NO = LB_EXIT_NO,
    CLI_USAGE = LB_EXIT_USAGE,
    CLI_FAULT = LB_EXIT_FAULT,
};

/* ---- Commands and their arguments: args.c -------------------------------------------------- */

/* Options. Those with a short form are numbered by its letter, the others from 256 on, as the
   parser of gpgrt has it. */
enum {
    OPT_HELP = 'h',
    OPT_INPUT = 'i',
    OPT_KEY = 'k',
    OPT_OUTPUT = 'o',
    OPT_SIGNATURE = 's',

    OPT_FIRST_LONG = 256,
    OPT_ALLOW_WEAK = OPT_FIRST_LONG,
    OPT_CIPHER,
    OPT_DER,
    OPT_DIGEST,
    OPT_E,
    OPT_ENCRYPT,
    OPT_HASH,
    OPT_ITERATIONS,
    OPT_JSON,
    OPT_KDF,
    OPT_LONG,
    OPT_MGF_HASH,
    OPT_NEW_PASSPHRASE_FILE,
    OPT_PADDING,
    OPT_PASSPHRASE_FILE,
    OPT_PID,
    OPT_PRIMES,
    OPT_PROGRAM,
    OPT_PROVIDER,
    OPT_SALT_LEN,
    OPT_TO,
    OPT_VERSION,

    /* Options of the contract that no command of this version can honour. */
    OPT_CONTEXT,
    OPT_ID,
    OPT_LABEL,
    OPT_NONCE,
    OPT_PREHASH,
    OPT_SIG_FORMAT,
    OPT_ZIP215,

    OPT_RESERVED, /* names that gpgrt would answer itself; here they are unknown */
    OPT_COUNT,
};

struct cli_option {
    int id;
    const char *name;     /* without the dashes */
    const char *argument; /* its name in the help; NULL for a switch */
    const char *text;     /* for the help; a newline breaks the line there */
    const char *refusal;  /* not NULL: why this version does not take the option */
};

/* What was given: the value of each option ("" for a switch, NULL when absent; the last one
   counts), and the words that are no options. */
struct cli_args {
    const char *value[OPT_COUNT];
    char **words;
    int count;
};

struct cli_command {
    const char *name;
    const char *second;  /* the word that follows the name, as in `config lint`; NULL for none */
    const char *summary; /* one line for `limbic --help` */
    const char *usage;   /* what follows the name in the usage line */
    const char *text;    /* the rest of the help; after the options */
    const struct cli_option *options;
    int least_words, most_words;
    int words_with_dash;                     /* its words may begin with one `-`, as in -adx */
    int tells_faults;                        /* of kernels, in its output */
    int (*run)(const struct cli_args *args); /* returns the exit status */
    int (*pass)(char **argv); /* instead of run: takes the arguments unparsed, argv[0] first */
};

#define CLI_OPTION_HELP \
    { \
        OPT_HELP, "help", NULL, "print this and exit", NULL \
    }
#define CLI_OPTION_KEY(text) \
    { \
        OPT_KEY, "key", "FILE", text, NULL \
    }
#define CLI_OPTION_PASSPHRASE \
    { \
        OPT_PASSPHRASE_FILE, "passphrase-file", "FILE", \
            "its first line is the passphrase of an encrypted key\n" \
            "(default: asked for on the terminal)", \
            NULL \
    }
#define CLI_OPTION_END \
    { \
        0, NULL, NULL, NULL, NULL \
    }

/* Parses argv (argv[0] is skipped). *done is set when the exit status returned is the end of it:
   after --help, or after an error, which has been printed. */
int cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_args *args,
              int *done);

/* Prints the help of a command to standard output. */
void cli_help(const struct cli_command *command);

/* The option of that number that the command has, or NULL. */
const struct cli_option *cli_find_option(const struct cli_command *command, int id);

/* Whether a word is the second one of the command's name. Returns an exit status. */
int cli_second_word(const struct cli_command *command, const char *word);

/* The usage error for an option that the command cannot do without. */
int cli_missing(const char *option);

/* Numbers as people write them: decimal digits, or hexadecimal ones after 0x, and nothing else.
   Returns 0, or -1 when it is no number or larger than 2^64 - 1. */
int cli_number(const char *text, uint64_t *number);

/* The value of a hexadecimal digit, 99 of what is none. */
int cli_digit(char c);

/* The one of `count` names that is near to `word` or begins with it, or NULL. */
const char *cli_nearest(const char *word, const char *const *names, size_t count);

/* ---- Errors: errors.c ---------------------------------------------------------------------- */

/* The command that the following lines name. */
void cli_set_command(const char *name);

/* Prints one line, `limbic: COMMAND: where: why; advice`, to standard error and returns `status`.
   where and advice may be NULL. */
int cli_error(int status, const char *where, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for an error of the library: why from its detail or code, advice and status by code. */
int cli_library_error(gpg_error_t err, const char *where);

/* The same for an error of the words in force; the advice is on those of LIMBIC. */
int cli_words_error(gpg_error_t err, const char *advice);

/* The same for errno. */
int cli_system_error(int error, const char *where, const char *doing);

/* The exit status of an error of the library. */
int cli_exit_status(gpg_error_t err);

/* Prints the library's warning on LIMBIC, if it has one and has not been printed. */
void cli_warn(void);

/* Tells of a kernel that was found wrong, if one was: the results are right all the same. */
void cli_warn_of_fault(void);

/* Initialises the library for a command that computes, and warns. Returns an exit status. */
int cli_start(void);

/* ---- Input and output: io.c ---------------------------------------------------------------- */

/* Memory for what may be secret, such as a key file: kept out of core dumps, wiped when released. */
struct cli_buffer {
    unsigned char *data;
    size_t length;
    size_t size;
};

/* Prepares the process: descriptors 0 to 2 are open, a closed pipe or a full disk is an error of
   write(2), an unfinished output file goes when a signal ends the program. */
void cli_io_start(void);

/* The signals that would have ended the program and that it catches since cli_io_start. */
const sigset_t *cli_ending_signals(void);

/* Undoes for a program that takes the place of this one what it would inherit. */
void cli_io_hand_over(void);

/* "standard input" or "standard output" for "-". */
const char *cli_input_name(const char *path);
const char *cli_output_name(const char *path);

/* Of the inputs of a command no two may be the same descriptor or pipe, since it can be read once; "-"
   is standard input. Returns an exit status. */
int cli_read_once(const char *const *paths, size_t count);

/* Opens a file to read, "-" being standard input. Returns an exit status. */
int cli_open(const char *path, int *fd);

/* Reads up to `size` octets; less only at the end of the file. Returns an exit status; *length is
   what was read in any case. */
int cli_read(int fd, const char *path, void *data, size_t size, size_t *length);

void cli_close(int fd);

/* Reads a whole file of at most `most` octets. A longer one gives most + 1 octets: the caller says
   what that means. Returns an exit status; the buffer is to be released when it is CLI_OK. */
int cli_read_file(const char *path, size_t most, struct cli_buffer *buffer);

/* A buffer of `size` octets. Returns an exit status. */
int cli_make_buffer(struct cli_buffer *buffer, size_t size);

void cli_release(struct cli_buffer *buffer);

/* Tells, before the work is done, whether an output can be made there. Returns an exit status. */
int cli_check_output(const char *path);

/* Refuses an output that is the file of an input, by whatever name, and would replace it; `what` is
   what the input holds. Returns an exit status. */
int cli_keep_input(const char *output, const char *input, const char *what);

/* Writes an output whole or not at all: a new file takes the place of an existing one in one step.
   Private ones have mode 0600 from the start. "-" is standard output; descriptors, devices and
   pipes are written to directly. Returns an exit status. */
enum cli_output { CLI_PUBLIC, CLI_PRIVATE };
int cli_write_file(const char *path, const void *data, size_t length, enum cli_output kind);

/* Prints a text of any length to standard output; cli_finish says if that has failed. */
void cli_print(const char *text);

/* Last: makes sure that everything printed has been written. Returns status, or CLI_USAGE when it
   has not. */
int cli_finish(int status);

/* ---- Options of several commands: params.c ------------------------------------------------- */

#define CLI_HASHES_TEXT \
    "Hash functions: sha1 sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256\n" \
    "sha3-384 sha3-512 shake128 shake256 sm3 streebog256 streebog512 gostr94 md5"

/* The index of the word among the values that an option takes, upper and lower case being the same;
   or -1 after an error, which names the nearest of them, or all. */
int cli_take_name(const char *option, const char *word, const char *const *names, size_t count);

/* A hash by its name; NULL is the default. `first` is the first one that an error offers: "none", or
   what comes behind it. Returns an exit status. */
int cli_take_hash(const char *option, const char *word, enum limbic_hash first,
                  enum limbic_hash *hash);

/* Octets from hexadecimal digits; to be released when it is CLI_OK. Returns an exit status. */
int cli_take_hex(const char *option, const char *word, struct cli_buffer *octets);

/* "-" for what is not given. */
const char *cli_or_dash(const char *path);

/* Before anything is read or asked for, of every command: its inputs can each be read, its output
   can be made and is the file of no input. Returns an exit status. */
int cli_check_files(const struct cli_command *command, const struct cli_args *args);

/* Refuses to write octets, which are `what`, to somebody's screen without -o. Returns an exit
   status. */
int cli_spare_terminal(const struct cli_args *args, const char *what);

/* ---- Passphrases: passphrase.c ------------------------------------------------------------- */

/* The first line of a file, "-" being standard input, without its end (LF or CR LF); a file without
   a line is the empty passphrase. Returns an exit status; the buffer is to be released when it is
   CLI_OK. */
int cli_read_passphrase(const char *path, struct cli_buffer *passphrase);

/* Asks on the controlling terminal, without showing what is typed; the same as above. The option is
   the one that names a file instead, for the error where there is no terminal. */
int cli_has_terminal(void);
int cli_ask_passphrase(const char *prompt, const char *option, struct cli_buffer *passphrase);

/* One to encrypt with, so not empty: from a file, or for NULL typed twice. The same as above. */
int cli_new_passphrase(const char *path, const char *option, struct cli_buffer *passphrase);

/* ---- Key files: key-file.c ----------------------------------------------------------------- */

/* A key from the file that the option -k names, which must have been given, with the passphrase of
   --passphrase-file, or one that is asked for, when it is encrypted. */
struct cli_key_source {
    limbic_key_t key;
    struct limbic_protection protection; /* how it was encrypted */
    struct cli_buffer passphrase;        /* what opened it; data is NULL when nothing had to */
};

/* Errors of the library are returned; then, and when *status is not CLI_OK, there is nothing to
   release. */
gpg_error_t cli_import_key(const struct cli_args *args, unsigned flags,
                           struct cli_key_source *source, int *status);
void cli_release_key(struct cli_key_source *source);

/* The key alone, errors printed. Returns an exit status. */
int cli_load_key(const struct cli_args *args, unsigned flags, limbic_key_t *key);

/* Writes a key to a file, mode 0600 when it is a private form. Returns an exit status. */
struct cli_key_form {
    enum limbic_format format;
    int der;                             /* not PEM */
    const struct cli_buffer *passphrase; /* not NULL: PKCS#8 encrypted with it, in this manner */
    const struct limbic_protection *protection;
};
int cli_write_key(limbic_key_t key, const struct cli_key_form *form, const char *path);

/* ---- The commands -------------------------------------------------------------------------- */

/* cmd-key.c */
extern const struct cli_command cli_keygen, cli_pubkey, cli_show, cli_check;

/* cmd-convert.c */
extern const struct cli_command cli_convert;

/* cmd-sign.c */
extern const struct cli_command cli_sign, cli_verify;

/* cmd-encrypt.c */
extern const struct cli_command cli_encrypt, cli_decrypt;

/* cmd-report.c */
extern const struct cli_command cli_list, cli_info, cli_env, cli_selftest;
int cli_report(enum limbic_report_kind what, const struct cli_args *args);

/* Prints what explain would in this program, were LIMBIC these words and obeyed: also in a set-id
   process, where it is not. */
int cli_explain_own(const struct cli_args *args, const char *words);

/* cmd-explain.c */
extern const struct cli_command cli_explain;

/* cmd-config.c */
extern const struct cli_command cli_config;

/* cmd-speed.c */
extern const struct cli_command cli_speed;

#endif
