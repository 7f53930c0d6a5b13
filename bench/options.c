/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * options.c - the command line of `limbic speed`, which gives its own arguments to this program.
 */
#define GPGRT_ENABLE_ARGPARSE_MACROS 1
#include "bench/options.h"

#include "bench/failure.h"

#include <gpg-error.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SECONDS 3
#define MAX_SECONDS 86400

const char options_help[] =
    "Usage: limbic speed [OPTION...] [ROW...]\n"
    "Measure key generation, signing and verifying, in microseconds and operations a second.\n"
    "\n"
    "ROW is a name such as \"RSA 2048\", or a group: rsa (RSA 1024, 2048, 3072, 4096). Without\n"
    "one, every group is measured.\n"
    "\n"
    "  -s, --seconds S     time to spend on each row (3); each operation is measured at least "
    "once,\n"
    "                      so that large keys may take longer, and key generation goes on for\n"
    "                      three rounds up to twice its time\n"
    "      --op OP[,OP]    measure only these: generate, sign, verify\n"
    "      --provider W    measure limbic under the words W, as LIMBIC has them; several are\n"
    "                      compared side by side: --provider native --provider portable\n"
    "      --peers         compare with the libraries that this program was built with: "
    "libgcrypt,\n"
    "                      and openssl, nettle, botan where they were found (see --version;\n"
    "                      nettle needs GMP, and is left out under --with-gmp=no);\n"
    "                      \"openssl -avx512ifma\" is a second process without AVX-512 IFMA\n"
    "      --hash HASH     the digest's hash (sha256)\n"
    "      --padding P     pkcs1 (the default) or pss\n"
    "      --json          one JSON object, see below\n"
    "  -h, --help          this text\n"
    "      --version       the version of limbic\n"
    "\n"
    "Contestants take turns, round by round; times are medians with the 5th and the 95th\n"
    "percentile, ratios are taken pair by pair. The time to generate a key is that of one prime\n"
    "candidate multiplied by the number of candidates that a key takes on the average; the plain\n"
    "mean stands beside it. Other libraries do not count candidates: for them the mean stands in\n"
    "both places, and the ratio to limbic is that of the means, of as many keys. Of fewer than\n"
    "three rounds there are no percentiles (-, in JSON null). Without --provider the variable "
    "LIMBIC\n"
    "chooses limbic's kernels; with it, what the variable denies stays denied.\n"
    "\n"
    "JSON: {\"version\", \"cpu\", \"rows\": [{\"row\", \"op\", \"who\", \"kind\" (provider, "
    "peer),\n"
    "\"version\", \"ns\", \"ns_p5\", \"ns_p95\", \"ratio\", \"ratio_p5\", \"ratio_p95\", "
    "\"rounds\", \"noisy\"}],\n"
    "\"notes\": [{\"who\", \"text\"}]}; limbic(1) says what each is.\n"
    "\n"
    "Exit status: 0 measured, 2 usage, 3 a provider is missing, or another word of --provider has "
    "no\n"
    "effect here (nothing is measured then), or a provider computes wrongly, also when that shows\n"
    "while it is measured: then the table stands, and a line tells.\n";

enum {
    OPTION_SECONDS = 's',
    OPTION_HELP = 'h',
    OPTION_OP = 500,
    OPTION_PEERS,
    OPTION_HASH,
    OPTION_PADDING,
    OPTION_JSON,
    OPTION_VERSION,
    OPTION_PROVIDER,
    OPTION_PLOT,
    OPTION_NONE,
};

/* The last three are answered by gpgrt itself unless the table has them. */
static gpgrt_opt_t table[] = {
    ARGPARSE_s_s(OPTION_SECONDS, "seconds", "@"),
    ARGPARSE_s_n(OPTION_HELP, "help", "@"),
    ARGPARSE_s_s(OPTION_OP, "op", "@"),
    ARGPARSE_s_n(OPTION_PEERS, "peers", "@"),
    ARGPARSE_s_s(OPTION_HASH, "hash", "@"),
    ARGPARSE_s_s(OPTION_PADDING, "padding", "@"),
    ARGPARSE_s_n(OPTION_JSON, "json", "@"),
    ARGPARSE_s_n(OPTION_VERSION, "version", "@"),
    ARGPARSE_s_s(OPTION_PROVIDER, "provider", "@"),
    ARGPARSE_s_s(OPTION_PLOT, "plot", "@"),
    ARGPARSE_s_n(OPTION_NONE, "warranty", "@"),
    ARGPARSE_s_n(OPTION_NONE, "dump-options", "@"),
    ARGPARSE_s_n(OPTION_NONE, "dump-option-table", "@"),
    ARGPARSE_end(),
};

static bool parse_seconds(struct options *options, const char *text)
{
    char *end;

    options->seconds = strtod(text, &end);
    /* Written so that a NaN fails. */
    if (end == text || *end || !(options->seconds > 0 && options->seconds <= MAX_SECONDS))
        return failed(STATUS_USAGE, "--seconds %.64s: not a number of seconds above 0, up to %d",
                      text, MAX_SECONDS);
    return true;
}

static bool parse_ops(struct options *options, const char *text)
{
    memset(options->ops, 0, sizeof options->ops);
    for (;;) {
        size_t length = strcspn(text, ",");
        enum op op = op_by_name(text, length);

        if (op == OP_COUNT)
            return failed(STATUS_USAGE, "--op %.*s: the operations are generate, sign and verify",
                          (int)(length < 64 ? length : 64), text);
        options->ops[op] = true;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

static bool parse_hash(struct options *options, const char *text)
{
    int hash = limbic_hash_by_name(text);

    if (hash <= 0 || limbic_hash_size((enum limbic_hash)hash) == 0)
        return failed(STATUS_USAGE, "--hash %.64s: not the name of a hash, such as sha256", text);
    options->params.hash = (enum limbic_hash)hash;
    return true;
}

static bool parse_padding(struct options *options, const char *text)
{
    if (!strcmp(text, "pkcs1"))
        options->params.padding = LIMBIC_PADDING_PKCS1;
    else if (!strcmp(text, "pss"))
        options->params.padding = LIMBIC_PADDING_PSS;
    else
        return failed(STATUS_USAGE, "--padding %.64s: pkcs1 or pss", text);
    return true;
}

static bool add_provider(struct options *options, const char *words)
{
    if (options->provider_count == CONTESTANTS_MAX)
        return failed(STATUS_USAGE, "--provider: more than %d are not compared", CONTESTANTS_MAX);
    options->providers[options->provider_count++] = words;
    return true;
}

/* The parser does not take the argument `token`. */
static bool refused(const gpgrt_argparse_t *parser, const char *token)
{
    if (parser->r_type == ARGPARSE_UNEXPECTED_ARG)
        return failed(STATUS_USAGE, "%.64s: the option takes no value", token);
    switch (parser->r_opt) {
    case ARGPARSE_MISSING_ARG:
        return failed(STATUS_USAGE, "%.64s: the option needs a value", token);
    case ARGPARSE_AMBIGUOUS_OPTION:
        return failed(STATUS_USAGE, "%.64s: the short form is ambiguous", token);
    case ARGPARSE_OUT_OF_CORE:
        return failed(STATUS_USAGE, "out of memory");
    default:
        return failed(STATUS_USAGE, "%.64s: unknown option; see limbic speed --help", token);
    }
}

static bool take(struct options *options, const gpgrt_argparse_t *parser, const char *token)
{
    const char *text = parser->r.ret_str;

    if (parser->r_type < 0)
        return refused(parser, token);
    switch (parser->r_opt) {
    case ARGPARSE_IS_ARG:
        return rows_add(&options->rows, text);
    case OPTION_SECONDS:
        return parse_seconds(options, text);
    case OPTION_OP:
        return parse_ops(options, text);
    case OPTION_HASH:
        return parse_hash(options, text);
    case OPTION_PADDING:
        return parse_padding(options, text);
    case OPTION_PEERS:
        options->peers = true;
        return true;
    case OPTION_JSON:
        options->json = true;
        return true;
    case OPTION_HELP:
        options->help = true;
        return true;
    case OPTION_VERSION:
        options->version = true;
        return true;
    case OPTION_PROVIDER:
        return add_provider(options, text);
    case OPTION_PLOT:
        return failed(STATUS_USAGE, "--plot: not in this version");
    default:
        return refused(parser, token);
    }
}

bool options_parse(struct options *options, int argc, char **argv)
{
    /* ALL: what stands behind `--` is taken too, not passed over. */
    gpgrt_argparse_t parser = {
        .argc = &argc, .argv = &argv, .flags = ARGPARSE_FLAG_MIXED | ARGPARSE_FLAG_ALL};
    bool fine = true;
    int first = 1;

    *options = (struct options){
        .ops = {true, true, true}, .seconds = DEFAULT_SECONDS, .params = LIMBIC_PARAMS_INIT};
    options->params.hash = LIMBIC_HASH_SHA256;
    options->params.padding = LIMBIC_PADDING_PKCS1;
    while (fine && !options->help) {
        /* What the parser looks at next: it passes over argv[0] at first. */
        const char *token = argc > first ? argv[first] : "";

        first = 0;
        if (!gpgrt_argparse(NULL, &parser, table))
            break;
        fine = take(options, &parser, token);
    }
    gpgrt_argparse(NULL, &parser, NULL);
    if (fine && options->rows.count == 0)
        fine = rows_add_all(&options->rows);
    return fine;
}
