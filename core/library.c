/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The calls of limbic.h about the library itself: version, initialisation, words, report,
 * self-tests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/arena.h"
#include "core/scheme/hash.h"
#include "core/selftest-rsa.h"
#include "dispatch/dispatch.h"
#include "dispatch/lint.h"
#include "dispatch/policy.h"
#include "dispatch/report.h"
#include "dispatch/selftest-all.h"

/* "MAJOR.MINOR.MICRO" as one number, -1 if it is not that. Each part is below 256, in
   digits alone. */
static long parse_version(const char *text)
{
    long version = 0;

    for (int i = 0; i < 3; i++) {
        long part = 0;
        if (*text < '0' || *text > '9')
            return -1;
        for (; *text >= '0' && *text <= '9'; text++) {
            part = part * 10 + (*text - '0');
            if (part > 255)
                return -1;
        }
        if (*text++ != (i < 2 ? '.' : '\0'))
            return -1;
        version = version << 8 | part;
    }
    return version;
}

const char *limbic_version(const char *required)
{
    if (required) {
        long number = parse_version(required);
        if (number < 0 || number > LIMBIC_VERSION_NUMBER)
            return NULL;
    }
    return LIMBIC_VERSION;
}

const char *limbic_error_detail(void)
{
    return lb_error_detail();
}

const char *limbic_warning(void)
{
    return lb_policy_warning();
}

const char *limbic_fault(void)
{
    return lb_report_first_fault();
}

void limbic_free(void *p)
{
    free(p);
}

void limbic_require_locked(int on)
{
    lb_arena_require_locked(on);
}

/* Whether memory for keys can be had: locked, if limbic_require_locked asks for that. */
static gpg_error_t check_key_memory(void)
{
    void *p = lb_arena_alloc(LB_ARENA_KEYS, 1);

    lb_arena_free(p);
    return p ? 0 : lb_error(GPG_ERR_ENOMEM, "no memory for keys, or none that can be locked");
}

gpg_error_t limbic_init(unsigned flags)
{
    gpg_error_t err;

    if (flags & ~LIMBIC_INIT_TEST_ALL)
        return lb_error(GPG_ERR_INV_ARG, "unknown flag");
    err = lb_hash_init();
    if (!err)
        err = check_key_memory();
    if (!err && !lb_plan_current(&err))
        return err;
    for (unsigned i = 0; i < LB_SIZE_CLASSES && !err && (flags & LIMBIC_INIT_TEST_ALL); i++)
        err = lb_dispatch_ready(lb_size_class_bits[i]);
    return err;
}

gpg_error_t limbic_configure(const char *words)
{
    return lb_plan_configure(words);
}

gpg_error_t limbic_reconfigure(const char *words)
{
    return lb_plan_reconfigure(words);
}

/*
 * The report
 */

#if defined __clang__
#define COMPILER "clang " __clang_version__
#elif defined __GNUC__
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

gpg_error_t limbic_report(enum limbic_report_kind what, unsigned flags, char **text)
{
    static const enum lb_report_kind kinds[] = {[LIMBIC_REPORT_LIST] = LB_REPORT_LIST,
                                                [LIMBIC_REPORT_INFO] = LB_REPORT_INFO,
                                                [LIMBIC_REPORT_EXPLAIN] = LB_REPORT_EXPLAIN};
    struct lb_arena_stats stats;
    char allocations[32], used[32], locked[32], unlocked[32];

    if (!text)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    *text = NULL;
    if (what < LIMBIC_REPORT_LIST || what > LIMBIC_REPORT_EXPLAIN || (flags & ~LIMBIC_REPORT_JSON))
        return lb_error(GPG_ERR_INV_ARG, "unknown report or flag");

    lb_arena_stats(&stats);
    snprintf(allocations, sizeof allocations, "%zu", stats.allocations);
    snprintf(used, sizeof used, "%zu octets", stats.used);
    snprintf(locked, sizeof locked, "%zu octets", stats.locked);
    snprintf(unlocked, sizeof unlocked, "%zu octets", stats.unlocked);
    const struct lb_fact facts[] = {
        {"version", "version", LIMBIC_VERSION, 0, 0},
        {"licence", "license", "LGPL-2.1-or-later", 0, 0},
        {"compiler", "compiler", COMPILER, 0, 0},
        {"digests by", "digests", "libgcrypt", 0, 0},
        {"secret blocks", "secret_allocations", allocations, stats.allocations, 1},
        {"secret memory", "secret_used", used, stats.used, 1},
        {"locked pages", "secret_locked", locked, stats.locked, 1},
        {"unlocked pages", "secret_unlocked", unlocked, stats.unlocked, 1},
    };
    return lb_report(text, kinds[what], (flags & LIMBIC_REPORT_JSON) != 0, facts,
                     sizeof facts / sizeof facts[0]);
}

/* The library's own errors are told in the report. */
static gpg_error_t explain(const struct limbic_program *program, int json, char **text)
{
    bool obeyed = program->variable && !program->is_set_id;
    struct lb_config files;
    struct lb_asked asked = {.files = &files,
                             .variable = obeyed ? program->variable : NULL,
                             .ignored = program->variable && !obeyed};
    char what[LB_CONFIG_PROGRAM_SIZE + 64];

    snprintf(what, sizeof what, "the program %s, by the files alone", program->name);
    lb_config_read(&files, program->name, NULL);
    return lb_report_dry_run(text, json, &asked, program->what ? program->what : what);
}

gpg_error_t limbic_explain(const struct limbic_program *program, unsigned flags, char **text)
{
    if (!text)
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    *text = NULL;
    if (!program || program->size != sizeof *program || !program->name)
        return lb_error(GPG_ERR_INV_ARG, "no program, or a structure without its size");
    if (flags & ~LIMBIC_REPORT_JSON)
        return lb_error(GPG_ERR_INV_ARG, "unknown flag");
    if (strlen(program->name) >= LB_CONFIG_PROGRAM_SIZE)
        return lb_error(GPG_ERR_TOO_LARGE, "a program's name of more than 255 octets");
    return explain(program, (flags & LIMBIC_REPORT_JSON) != 0, text);
}

gpg_error_t limbic_config_lint(const char *name, const void *octets, size_t length,
                               limbic_finding_fn found, void *opaque)
{
    if (!found || (name && !octets && length > 0))
        return lb_error(GPG_ERR_INV_ARG, "NULL argument");
    return lb_config_lint(name, octets, length, found, opaque);
}

gpg_error_t limbic_selftest(const char *provider, unsigned flags, limbic_selftest_fn report,
                            void *opaque)
{
    gpg_error_t err;

    if (flags & ~LIMBIC_SELFTEST_LONG)
        return lb_error(GPG_ERR_INV_ARG, "unknown flag");
    err = lb_hash_init();
    if (!err)
        err = lb_selftest_providers(provider, (flags & LIMBIC_SELFTEST_LONG) != 0, report, opaque);
    if (!err && !provider)
        err = lb_selftest_rsa(report, opaque);
    return err;
}
