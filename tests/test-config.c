/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests of configuration files: how they are read, which lines count for whom, what later sources
 * replace and what is final, which faults there are and that each names its place.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "dispatch/config.h"
#include "dispatch/lint.h"
#include "dispatch/plan.h"
#include "dispatch/report.h"
#include "dispatch/text.h"
#include "limbic.h"
#include "tests/fake-provider.h"

#define MAIN "limbic.conf"
#define SUB "limbic.conf.d"

/* ---- Helpers -------------------------------------------------------------------------------- */

static char directory[128];
static char text[64 * 1024];

static const char *path_of(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void put_octets(const char *name, const char *octets, size_t length)
{
    FILE *file = fopen(path_of(name), "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(octets, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path_of(name), 0644), 0);
}

static void put(const char *name, const char *contents)
{
    put_octets(name, contents, strlen(contents));
}

static void clear(void)
{
    char command[512];

    snprintf(command, sizeof command, "rm -rf '%s' && mkdir -m 755 '%s' '%s/" SUB "'", directory,
             directory, directory);
    assert_int_equal(system(command), 0);
}

static int setup(void **state)
{
    (void)state;
    if (!*directory) {
        char here[96];

        assert_non_null(getcwd(here, sizeof here));
        snprintf(directory, sizeof directory, "%s/tests/config.%ld", here, (long)getpid());
    }
    clear();
    lb_test_config_directory(directory);
    lb_test_config_program("prog");
    return 0;
}

static int teardown(void **state)
{
    char command[512];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    lb_test_config_directory(NULL);
    lb_test_config_program(NULL);
    lb_test_reset("");
    return system(command);
}

/* Begins anew with the two false providers: the variable has these words. */
static void begin(const char *variable)
{
    lb_test_reset(variable);
    fake_providers_reset();
    lb_test_register(&fake_a.provider);
    lb_test_register(&fake_b.provider);
}

static void read_for(const char *program)
{
    static struct lb_config config;
    struct lb_text out = {0};

    lb_config_read(&config, program, NULL);
    for (unsigned i = 0; i < config.line_count; i++) {
        const char *base = strrchr(config.line[i].file, '/') + 1;

        lb_text_printf(&out, "%s%s:%u=%s", i ? "|" : "", base, config.line[i].line,
                       lb_config_words(&config, i));
    }
    if (config.code)
        lb_text_printf(&out, "%s%s", out.length ? "!" : "",
                       config.error + (strncmp(config.error, directory, strlen(directory)) == 0
                                           ? strlen(directory) + 1
                                           : 0));
    snprintf(text, sizeof text, "%s", out.data ? out.data : "");
    free(out.data);
}

/* What the lines for this program are, or the error. */
#define assert_lines(wanted) (read_for(NULL), assert_string_equal(text, wanted))

static const struct lb_policy *policy_of(const char *variable)
{
    begin(variable);
    return lb_plan_policy(lb_plan_latest());
}

/* The kernel of a slot. */
static const char *server(enum limbic_slot slot, size_t bits)
{
    static char name[LB_TIER_NAME_SIZE];
    gpg_error_t err;
    const struct lb_plan *plan = lb_plan_current(&err);

    if (!plan)
        return lb_error_detail();
    lb_tier_name(name, lb_registry()->family[lb_plan_row(plan, bits)->family[slot]].tier);
    return name;
}

#define ADD LIMBIC_SLOT_ADD
#define MUL LIMBIC_SLOT_MUL

static void serves(const char *variable, const char *kernel)
{
    begin(variable);
    assert_string_equal(server(ADD, 256), kernel);
}

static void fails(const char *variable, gpg_err_code_t code, const char *format)
{
    gpg_error_t err = 0;
    const char *rest = strchr(format, '@');
    char wanted[512];

    begin(variable);
    assert_null(lb_plan_current(&err));
    snprintf(wanted, sizeof wanted, "%.*s%s%s", rest ? (int)(rest - format) : 0, format,
             rest ? directory : "", rest ? rest + 1 : format);
    if (gpg_err_code(err) != code || !strstr(lb_error_detail(), wanted))
        print_error("wanted %s\n got %s (%s)\n", wanted, lb_error_detail(), gpg_strerror(err));
    assert_int_equal(gpg_err_code(err), code);
    assert_non_null(strstr(lb_error_detail(), wanted));
}

static void warns(const char *variable, const char *wanted)
{
    const struct lb_policy *policy = policy_of(variable);
    bool found = false;

    assert_int_equal(policy->code, 0);
    for (unsigned i = 0; i < policy->warning_count && i < LB_WARNINGS_MAX; i++)
        found |= strstr(policy->warning[i], wanted) != NULL;
    if (!found)
        print_error("no \"%s\": %s\n", wanted, policy->warning_line);
    assert_true(found);
}

static void says(enum lb_report_kind kind, int json, const char *format)
{
    const char *rest = strchr(format, '@');
    char wanted[512], *report;

    snprintf(wanted, sizeof wanted, "%.*s%s%s", rest ? (int)(rest - format) : 0, format,
             rest ? directory : "", rest ? rest + 1 : format);
    assert_int_equal(lb_report(&report, kind, json, NULL, 0), 0);
    if (!strstr(report, wanted))
        print_error("no \"%s\" in:\n%s", wanted, report);
    assert_non_null(strstr(report, wanted));
    free(report);
}

/* ---- Reading -------------------------------------------------------------------------------- */

static void test_none(void **state)
{
    char command[512];

    (void)state;
    assert_lines("");
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    assert_int_equal(system(command), 0);
    assert_lines("");
    assert_int_equal(policy_of("")->origin, LB_ORIGIN_VARIABLE);
    says(LB_REPORT_EXPLAIN, 0, "files            none in @\n");
}

static void test_lines(void **state)
{
    (void)state;
    put(MAIN, "");
    assert_lines("");
    put(MAIN, "# a comment\n\n \t;\n  fake_a ; -adx\t# fake_b\nmul=fake_b#x\r\n;explain");
    assert_lines("limbic.conf:4=fake_a ; -adx|limbic.conf:5=mul=fake_b#x|limbic.conf:6=explain");
}

static void test_sections(void **state)
{
    (void)state;
    put(MAIN, "one\n[program prog]\ntwo\n[program other]\nthree\n[ Program  * ] # all\nfour\n"
              "[program prog]\nfive\n[program Prog]\nsix\n[program a b]\nseven\n[program c#]\n"
              "eight\n[program []\nnine\n");
    assert_lines("limbic.conf:1=one|limbic.conf:7=four|limbic.conf:3=two|limbic.conf:9=five");
    read_for("other");
    assert_string_equal(text, "limbic.conf:1=one|limbic.conf:7=four|limbic.conf:5=three");
    read_for("a b");
    assert_string_equal(text, "limbic.conf:1=one|limbic.conf:7=four|limbic.conf:13=seven");
    read_for("c#");
    assert_string_equal(text, "limbic.conf:1=one|limbic.conf:7=four|limbic.conf:15=eight");
    read_for("[");
    assert_string_equal(text, "limbic.conf:1=one|limbic.conf:7=four|limbic.conf:17=nine");
    read_for("");
    assert_string_equal(text, "limbic.conf:1=one|limbic.conf:7=four");
    /* a section ends with its file */
    put(MAIN, "[program other]\none\n");
    put(SUB "/a.conf", "two\n");
    assert_lines("a.conf:1=two");
}

static void test_own_name(void **state)
{
    static struct lb_config config;

    (void)state;
    put(MAIN, "[program test-config]\none\n");
    assert_lines("");
    lb_test_config_program(NULL); /* the process's */
    lb_config_read(&config, NULL, NULL);
    assert_string_equal(config.program, "test-config");
    assert_lines("limbic.conf:2=one");
    /* where it cannot be told, a section that may concern it must not be lost */
    lb_test_config_program("");
    assert_lines("limbic.conf:1: which program this is cannot be told, since /proc/self/exe cannot "
                 "be read");
    put(MAIN, "[program *]\none\n");
    assert_lines("limbic.conf:2=one");
}

static void test_order_of_files(void **state)
{
    (void)state;
    put(SUB "/b.conf", "b");
    put(SUB "/a.conf", "a");
    put(SUB "/B.conf", "B");
    put(SUB "/10.conf", "10");
    put(SUB "/9.conf", "9");
    put(MAIN, "main");
    put(SUB "/c.conf~", "no");
    put(SUB "/.d.conf", "no");
    put(SUB "/.conf", "no");
    put(SUB "/e", "no");
    put(SUB "/f.conf.bak", "no");
    put("other.conf", "no");
    assert_lines("limbic.conf:1=main|10.conf:1=10|9.conf:1=9|B.conf:1=B|a.conf:1=a|b.conf:1=b");
}

static void malformed(const char *octets, size_t length, const char *wanted)
{
    put_octets(MAIN, octets, length);
    assert_lines(wanted);
    put_octets(MAIN, "", 0);
}

static void test_malformed(void **state)
{
    static const char *const headers[] = {
        "[program prog",  "[program]",    "[program ]",    "[]",
        "[programs x]",   "[host x]",     "[program x] y", "[program a/b]",
        "[program ../x]", "[program x]]", "[[program x]]", "[program x];-adx",
    };

    (void)state;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char contents[64];

        snprintf(contents, sizeof contents, "\n%s\n", headers[i]);
        put(MAIN, contents);
        read_for(NULL);
        if (strncmp(text, "limbic.conf:2: ", 15) != 0)
            print_error("%s: %s\n", headers[i], text);
        assert_int_equal(strncmp(text, "limbic.conf:2: ", 15), 0);
    }
    malformed("a\n\0b\n", 5, "limbic.conf:1=a!limbic.conf:2: a NUL octet");
    malformed("# a \0 b\n", 8, "limbic.conf:1: a NUL octet");
    malformed("a\rb\n", 4, "limbic.conf:1: a carriage return within the line");
    malformed("# a\r-adx\r", 9, "limbic.conf:1: a carriage return within the line");
    malformed("a\r\r\n", 4, "limbic.conf:1: a carriage return within the line");
    malformed("\xef\xbb\xbf-adx\n", 8, "limbic.conf:1: an octet that no word has, 0xef");
    malformed("\n\xc2\xa0-adx\n", 8, "limbic.conf:2: an octet that no word has, 0xc2");
    malformed("\x7f\n", 2, "limbic.conf:1: an octet that no word has, 0x7f");
    malformed("# \xc3\xa9\n", 5, "");
    malformed("\xff\xfe-\0a\0", 6, "limbic.conf:1: a NUL octet");
}

/* Lines at a limit are read, one octet more is an error. */
static void test_limits(void **state)
{
    static char large[LB_CONFIG_FILE_SIZE + 1];
    static struct lb_config config;
    char name[64];

    (void)state;
    memset(large, '#', sizeof large);
    for (size_t i = 63; i < sizeof large; i += 64)
        large[i] = '\n';
    put_octets(MAIN, large, LB_CONFIG_FILE_SIZE);
    assert_lines("");
    put_octets(MAIN, large, LB_CONFIG_FILE_SIZE + 1);
    assert_lines("limbic.conf: more than 65536 octets");

    memset(large, 'x', sizeof large);
    put_octets(MAIN, large, LB_CONFIG_LINE_SIZE);
    lb_config_read(&config, NULL, NULL);
    assert_int_equal(config.code, 0);
    assert_int_equal(strlen(lb_config_words(&config, 0)), LB_CONFIG_LINE_SIZE);
    large[LB_CONFIG_LINE_SIZE] = '\r';
    large[LB_CONFIG_LINE_SIZE + 1] = '\n';
    put_octets(MAIN, large, LB_CONFIG_LINE_SIZE + 2);
    lb_config_read(&config, NULL, NULL);
    assert_int_equal(config.code, 0);
    memset(large, 'x', sizeof large);
    large[0] = '\n';
    put_octets(MAIN, large, LB_CONFIG_LINE_SIZE + 2);
    assert_lines("limbic.conf:2: a line of more than 1024 octets");

    for (size_t i = 0; i < sizeof large; i++)
        large[i] = i % 2 ? '\n' : 'x';
    put_octets(MAIN, large, 2 * LB_CONFIG_LINES_MAX);
    lb_config_read(&config, NULL, NULL);
    assert_int_equal(config.code, 0);
    assert_int_equal(config.line_count, LB_CONFIG_LINES_MAX);
    put_octets(MAIN, large, 2 * LB_CONFIG_LINES_MAX + 2);
    lb_config_read(&config, NULL, NULL);
    assert_int_equal(config.code, GPG_ERR_TOO_LARGE);
    assert_non_null(strstr(config.error, ":257: more than 256 lines"));

    for (size_t i = 0; i < sizeof large; i++)
        large[i] = i % 512 == 511 ? '\n' : 'x';
    put_octets(MAIN, large, LB_CONFIG_WORDS_SIZE);
    lb_config_read(&config, NULL, NULL);
    assert_int_equal(config.code, 0);
    put_octets(MAIN, large, LB_CONFIG_WORDS_SIZE + 2);
    lb_config_read(&config, NULL, NULL);
    assert_int_equal(config.code, GPG_ERR_TOO_LARGE);
    assert_non_null(strstr(config.error, ":9: more than 4096 octets"));

    put(MAIN, "");
    for (int i = 1; i < LB_CONFIG_FILES_MAX; i++) {
        snprintf(name, sizeof name, SUB "/%02d.conf", i);
        put(name, "");
    }
    lb_config_read(&config, NULL, NULL);
    assert_int_equal(config.code, 0);
    assert_int_equal(config.file_count, LB_CONFIG_FILES_MAX);
    put(SUB "/64.conf", "");
    assert_lines("limbic.conf.d/64.conf: more than 64 files");
    put(SUB "/65.conf", "");
    assert_lines("limbic.conf.d: more than 64 files");
}

static void test_long_name(void **state)
{
    char name[240];

    (void)state;
    memset(name, 'x', sizeof name);
    memcpy(name, SUB "/", sizeof SUB);
    memcpy(name + sizeof name - 6, ".conf", 6);
    put(name, "-adx\n");
    assert_lines("limbic.conf.d: the path of a file in it has more than 191 octets");
    fails("", GPG_ERR_TOO_LARGE, "@/limbic.conf.d: the path of a file");
}

static void test_no_file(void **state)
{
    char other[512];

    (void)state;
    assert_int_equal(mkdir(path_of(MAIN), 0755), 0);
    assert_lines("limbic.conf: no regular file");
    assert_int_equal(rmdir(path_of(MAIN)), 0);
    assert_int_equal(mkfifo(path_of(MAIN), 0644), 0);
    assert_lines("limbic.conf: no regular file");
    assert_int_equal(unlink(path_of(MAIN)), 0);
    snprintf(other, sizeof other, "%s", path_of("real"));
    put("real", "-adx\n");
    assert_int_equal(symlink(other, path_of(MAIN)), 0);
    assert_lines("limbic.conf: a symbolic link, no regular file");
    assert_int_equal(unlink(path_of(MAIN)), 0);
    assert_int_equal(symlink("/dev/null", path_of(MAIN)), 0);
    assert_lines("limbic.conf: a symbolic link, no regular file");
    assert_int_equal(unlink(path_of(MAIN)), 0);
    assert_int_equal(mkdir(path_of(SUB "/a.conf"), 0755), 0);
    assert_lines("limbic.conf.d/a.conf: no regular file");
    fails("", GPG_ERR_CONFIGURATION, "@/limbic.conf.d/a.conf: no regular file");
    clear();
    assert_int_equal(rmdir(path_of(SUB)), 0);
    put(SUB, "-adx\n");
    assert_lines("limbic.conf.d: unreadable, Not a directory");
    assert_int_equal(unlink(path_of(SUB)), 0);
    assert_lines("");
    assert_int_equal(symlink("/nowhere/at/all", path_of(SUB)), 0);
    assert_lines("limbic.conf.d: a symbolic link to what is not there");
    fails("", GPG_ERR_CONFIGURATION, "@/limbic.conf.d: a symbolic link to what is not there");
    assert_int_equal(unlink(path_of(SUB)), 0);
}

static void test_unsafe(void **state)
{
    (void)state;
    put(MAIN, "-adx\n");
    assert_lines("limbic.conf:1=-adx");
    assert_int_equal(chmod(path_of(MAIN), 0646), 0);
    assert_lines("limbic.conf: a file that others may write to");
    assert_int_equal(chmod(path_of(MAIN), 0664), 0);
    assert_lines("limbic.conf: a file that others may write to");
    fails("", GPG_ERR_CONFIGURATION, "@/limbic.conf: a file that others may write to");
    assert_int_equal(unlink(path_of(MAIN)), 0);
    put(SUB "/a.conf", "-adx\n");
    assert_int_equal(chmod(path_of(SUB), 0777), 0);
    read_for(NULL);
    assert_ptr_equal(strstr(text, "limbic.conf.d: a directory that others may write to"), text);
    /* an empty one is no better: who knows what was in it */
    assert_int_equal(unlink(path_of(SUB "/a.conf")), 0);
    fails("", GPG_ERR_CONFIGURATION, "@/limbic.conf.d: a directory that others may write to");
    assert_int_equal(chmod(path_of(SUB), 0755), 0);
    assert_lines("");
    put(MAIN, "-adx\n");
    assert_int_equal(chmod(directory, 01777), 0);
    read_for(NULL);
    assert_ptr_equal(strstr(text, "limbic.conf: a directory that others may write to"), text);
    assert_int_equal(chmod(directory, 0755), 0);
    if (geteuid() != 0)
        return;
    assert_int_equal(chown(path_of(MAIN), 65533, 0), 0);
    assert_lines("limbic.conf: a file that belongs neither to root nor to limbic's owner");
    assert_int_equal(chown(path_of(MAIN), 0, 0), 0);
    assert_int_equal(chown(directory, 65533, 0), 0);
    read_for(NULL);
    assert_non_null(strstr(text, "a directory that belongs neither to root nor to"));
    assert_int_equal(chown(directory, 0, 0), 0);
}

/* Whatever octets there are, reading ends, and either there is an error or lines that are text. */
static void test_random(void **state)
{
    static const char *const piece[] = {
        "[program prog]", "[",    "]",           "\n", "\r\n", "\r",    "# x", "#",
        "fake_a",         "-adx", "!",           " ",  ";",    "only:", "\t",  "=",
        "[program *]",    "\x80", "license=MIT", "mul"};
    static struct lb_config config;
    static char octets[8192];
    uint32_t random = 1;

    (void)state;
    for (int round = 0; round < 400; round++) {
        size_t length = 0;

        for (int i = 0; i < 40; i++) {
            const char *p = piece[(random >> 16) % (sizeof piece / sizeof *piece)];

            random = random * 1664525u + 1013904223u;
            if (round % 2)
                octets[length++] = (char)(random >> 24);
            else
                length += (size_t)snprintf(octets + length, 32, "%s", p);
        }
        put_octets(MAIN, octets, length);
        lb_config_read(&config, NULL, NULL);
        for (unsigned i = 0; i < config.line_count; i++)
            for (const char *c = lb_config_words(&config, i); *c; c++)
                assert_true((*c >= ' ' && *c < 0x7f) || *c == '\t' || *c == '\v' || *c == '\f');
        assert_int_equal(config.code != 0, *config.error != '\0');
        if (config.code)
            fails("", config.code, "@/limbic.conf:");
    }
}

static void test_ten_megabytes(void **state)
{
    FILE *file;

    (void)state;
    put(MAIN, "");
    file = fopen(path_of(MAIN), "wb");
    assert_non_null(file);
    for (int i = 0; i < 10 * 1024 * 16; i++)
        assert_true(
            fputs("# 63 octets of a comment, and then the end of the line follows.\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_lines("limbic.conf: more than 65536 octets");
    fails("", GPG_ERR_TOO_LARGE, "@/limbic.conf: more than 65536 octets");
}

/* ---- Sources -------------------------------------------------------------------------------- */

static void test_precedence(void **state)
{
    const struct lb_policy *policy;

    (void)state;
    put(MAIN, "fake_b\nmul=fake_a -gfni\n");
    serves(NULL, "fake_b");
    assert_string_equal(server(MUL, 256), "fake_a/high");
    policy = policy_of("");
    assert_int_equal(policy->origin, LB_ORIGIN_FILE);
    assert_string_equal(policy->words, "fake_b mul=fake_a -gfni");
    assert_int_equal(policy->chain_source.origin, LB_ORIGIN_FILE);
    assert_int_equal(policy->chain_source.line, 1);
    assert_int_equal(policy->denial[lb_cpu_feature("gfni")].source.line, 2);
    assert_int_equal(policy->denial[lb_cpu_feature("gfni")].source.word, 2);
    says(LB_REPORT_INFO, 0, "asked for by     the configuration files\n");
    says(LB_REPORT_INFO, 0, "denied           gfni (@/limbic.conf:2)\n");
    says(LB_REPORT_EXPLAIN, 0, "override         mul=fake_a (@/limbic.conf:2)\n");
    says(LB_REPORT_EXPLAIN, 0, "file             @/limbic.conf\n");
    says(LB_REPORT_EXPLAIN, 0, "program          prog\n");
    says(LB_REPORT_EXPLAIN, 1,
         "\"origin\":\"file\",\"word\":1,\"file\":\"@/limbic.conf\",\"line\":1");

    /* the variable takes the place of all but the restriction */
    serves("fake_a", "fake_a/high");
    assert_string_equal(server(MUL, 256), "fake_a/high");
    policy = policy_of("explain");
    assert_int_equal(policy->selection.override_count, 0);
    assert_true(policy->denial[lb_cpu_feature("gfni")].source.file != NULL);
    assert_int_equal(policy->replaced_count, 2);
    policy = policy_of("auto");
    assert_int_equal(policy->origin, LB_ORIGIN_VARIABLE);
    says(LB_REPORT_EXPLAIN, 0,
         "replaced         fake_b (@/limbic.conf:1), by the variable LIMBIC\n");
    says(LB_REPORT_EXPLAIN, 1, "\"replaced_words\":[{\"text\":\"fake_b\",\"origin\":\"file\"");
    /* a variable without words asks for nothing */
    serves(" ; ", "fake_b");

    /* the program's words take the place of both */
    begin("portable");
    assert_int_equal(lb_plan_configure("fake_a"), 0);
    assert_string_equal(server(ADD, 256), "fake_a/high");
    says(LB_REPORT_EXPLAIN, 0, "replaced         fake_b (@/limbic.conf:1), by the program\n");
    says(LB_REPORT_EXPLAIN, 0, "denied           gfni (@/limbic.conf:2)\n");
}

static void test_within_files(void **state)
{
    const struct lb_policy *policy;

    (void)state;
    put(MAIN, "only:nosuch mul=fake_a -gfni\n");
    put(SUB "/a.conf", "fake_b\nmul=portable license=MIT -vaes\n");
    policy = policy_of("");
    assert_int_equal(policy->code, 0);
    assert_int_equal(policy->replaced_count, 1);
    assert_string_equal(policy->replaced_word[0].shown, "only:nosuch");
    assert_int_equal(policy->selection.override_count, 2);
    assert_int_equal(policy->license_count, 1);
    says(LB_REPORT_EXPLAIN, 0, "replaced         only:nosuch (@/limbic.conf:1), by ");
    assert_string_equal(server(MUL, 256), "portable");
    /* lines of the program's section come last, wherever they stand in the file */
    put(SUB "/a.conf", "[program prog]\nfake_a\n[program *]\nfake_b\n[program other]\nportable\n");
    serves("", "fake_a/high");
    lb_test_config_program("other");
    serves("", "portable");
    lb_test_config_program("third");
    serves("", "fake_b");
    lb_test_config_program("prog");
}

static void test_final_chain(void **state)
{
    (void)state;
    put(MAIN, "# final\n!fake_b\n");
    serves("", "fake_b");
    says(LB_REPORT_EXPLAIN, 0, "(@/limbic.conf:2; final)\n");
    says(LB_REPORT_EXPLAIN, 1, "\"final\":true");
    serves("fake_a", "fake_b");
    warns("fake_a", "LIMBIC: word 1, \"fake_a\": the chain of ");
    warns("fake_a", "/limbic.conf:2 is final and stays in force");
    begin("fake_a");
    assert_int_equal(lb_plan_configure("portable"), 0);
    assert_string_equal(server(ADD, 256), "fake_b");
    /* what closes itself cannot be given more than it lists */
    fails("only:fake_a", GPG_ERR_CONFLICT,
          "LIMBIC: word 1, \"only:fake_a\": the chain of @/limbic.conf:2 is final, and uses what");
    fails("only:fake_b", GPG_ERR_CONFLICT, "is final, and uses what"); /* portable stands behind */
    serves("only:fake_b,portable", "fake_b");
    serves("only:fake_a,portable,fake_b", "fake_b");

    put(MAIN, "!only:fake_b,portable\n");
    serves("only:fake_b,portable", "fake_b");
    serves("gmp", "fake_b");
    fails("only:portable", GPG_ERR_CONFLICT, "is final");
    fails("only:fake_b,portable,nosuch", GPG_ERR_NOT_FOUND,
          "LIMBIC: word 1, element 3, \"nosuch\"");
    fails("only:fake_b,por!table", GPG_ERR_SYNTAX, "element 2");
    fails("nosuchword", GPG_ERR_UNKNOWN_NAME, "LIMBIC: word 1");
    fails("fake_a only:fake_b,portable", GPG_ERR_CONFLICT, "a second chain, where only: stands");
    fails("add=fake_a", GPG_ERR_CONFLICT, "LIMBIC: word 1, \"add=fake_a\"");
    put(MAIN, "!only:fake_a/low,portable\n");
    serves("only:portable,fake_a/mid", "fake_a/low"); /* the lower tier is listed with it */
    put(MAIN, "!only:fake_a/mid,portable\n");
    fails("only:portable,fake_a/low", GPG_ERR_CONFLICT, "is final");
    put(MAIN, "!fake_a,portable\n");
    serves("only:auto,fake_a", "fake_a/high");

    /* within the files */
    put(MAIN, "fake_a\n!fake_b\nportable\n");
    serves("", "fake_b");
    warns("", "limbic.conf:3: word 1, \"portable\": the chain of ");
    assert_string_equal(lb_plan_policy(lb_plan_latest())->replaced_word[0].shown, "fake_a");
    put(MAIN, "!fake_b\nonly:portable\n");
    fails("", GPG_ERR_CONFLICT, "@/limbic.conf:2: word 1, \"only:portable\": the chain of ");
    serves("fake_a", "fake_b"); /* the variable has taken the place of that */
    put(MAIN, "!fake_b\nonly:nosuch\nfake_a\n");
    serves("", "fake_b");
    put(MAIN, "!fake_b\n!fake_a\n");
    serves("", "fake_b");
    warns("", "limbic.conf:2: word 1, \"!fake_a\": a second final chain; that of ");
    put(MAIN, "!fake_b\n!only:fake_a\n");
    fails("", GPG_ERR_CONFLICT, "@/limbic.conf:2: word 1, \"!only:fake_a\": a second final chain");
}

static void test_final_override(void **state)
{
    (void)state;
    put(MAIN, "mul=fake_a\n!mul*=portable\nfake_b\n");
    serves("", "fake_b");
    assert_string_equal(server(MUL, 256), "portable");
    serves("mul=fake_a fake_a", "fake_a/high");
    assert_string_equal(server(MUL, 256), "portable");
    warns("mul/2048=fake_a", "LIMBIC: word 1, \"mul/2048=fake_a\": the override of ");
    warns("mul/2048=fake_a", "/limbic.conf:2 is final and goes before it");
    /* where it does not apply others do */
    put(MAIN, "!mul/256=portable\n");
    begin("mul=fake_b");
    assert_string_equal(server(MUL, 256), "portable");
    assert_string_equal(server(MUL, 2048), "fake_b");
    begin("mul/512=fake_a add=fake_a");
    assert_null(lb_policy_warning());
    assert_string_equal(server(ADD, 256), "fake_a/high");
    /* under a closed chain that does not list it, an error */
    fails("only:fake_b", GPG_ERR_CONFLICT, "@/limbic.conf:1: word 1, \"!mul/256=portable\"");
    /* the first final one holds */
    put(MAIN, "!mul=fake_b\n!mul=fake_a\n");
    begin("");
    assert_string_equal(server(MUL, 256), "fake_b");
}

static void test_final_others(void **state)
{
    (void)state;
    put(MAIN, "!-adx !license=MIT !explain\n");
    assert_true(policy_of("auto")->explain);
    assert_int_equal(policy_of("auto")->license_count, 1);
    assert_true(policy_of("auto")->selection.denied >> lb_cpu_feature("adx") & 1);
    put(MAIN, "explain -adx\n");
    assert_false(policy_of("auto")->explain);
    assert_true(policy_of("auto")->selection.denied >> lb_cpu_feature("adx") & 1);
    /* the mark elsewhere */
    fails("!fake_a", GPG_ERR_SYNTAX, "LIMBIC: word 1, \"!fake_a\": only words in configuration");
    begin("!only:fake_a");
    assert_int_equal(gpg_err_code(lb_plan_configure("fake_b")), GPG_ERR_SYNTAX);
    begin("");
    assert_int_equal(gpg_err_code(lb_plan_configure("!fake_b")), GPG_ERR_SYNTAX);
    assert_non_null(strstr(lb_error_detail(), "the program's words: word 1"));
    put(MAIN, "\n! only:fake_b\n");
    fails("", GPG_ERR_SYNTAX, "@/limbic.conf:2: word 1, \"!\": no word stands behind the !");
    fails("fake_a", GPG_ERR_SYNTAX, "no word stands behind the !");
    put(MAIN, "!!only:fake_b\n");
    fails("", GPG_ERR_SYNTAX, "no word stands behind the !");
}

/* Every kind of error in a file's words names the line. */
static void test_places(void **state)
{
    static const struct {
        const char *words;
        gpg_err_code_t code;
        const char *detail;
    } cases[] = {
        {"only:nosuch", GPG_ERR_NOT_FOUND, "@/limbic.conf:2: word 1, element 1, \"nosuch\": "},
        {"only:fake_a,x!", GPG_ERR_SYNTAX, "@/limbic.conf:2: word 1, element 2"},
        {"-nosuch", GPG_ERR_UNKNOWN_NAME, "@/limbic.conf:2: word 1, \"-nosuch\""},
        {"-", GPG_ERR_SYNTAX, "@/limbic.conf:2: word 1"},
        {"explain license=Nosuch-1", GPG_ERR_UNKNOWN_NAME, "@/limbic.conf:2: word 2"},
        {"licence=MIT", GPG_ERR_UNKNOWN_NAME, "@/limbic.conf:2: word 1"},
        {"onyl:fake_a", GPG_ERR_UNKNOWN_NAME, "@/limbic.conf:2: word 1"},
        {"try:fake_a,-adx", GPG_ERR_SYNTAX, "@/limbic.conf:2: word 1, \"try:fake_a,-adx\""},
        {"!try:fake_a,-adx", GPG_ERR_SYNTAX, "octet 13, \"-adx\""},
        {"explain mul=-adx", GPG_ERR_SYNTAX, "@/limbic.conf:2: word 2"},
        {"!license MIT", GPG_ERR_UNKNOWN_NAME, "@/limbic.conf:2: word 1, \"!license\""},
        {"license= MIT", GPG_ERR_SYNTAX, "@/limbic.conf:2: word 1"},
        {"!only fake_a", GPG_ERR_UNKNOWN_NAME, "@/limbic.conf:2: word 1, \"!only\""},
        {"!try:only,fake_a", GPG_ERR_UNKNOWN_NAME, "octet 6, \"only\""},
        {"fake_b only=fake_a", GPG_ERR_UNKNOWN_NAME, "@/limbic.conf:2: word 2"},
        {"only:fake_a mul=fake_b", GPG_ERR_CONFLICT, "@/limbic.conf:2: word 2"},
        {"only:fake_a nosuch", GPG_ERR_UNKNOWN_NAME, "@/limbic.conf:2: word 2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char contents[128];

        snprintf(contents, sizeof contents, "#\n%s\n", cases[i].words);
        put(MAIN, contents);
        fails("", cases[i].code, cases[i].detail);
        says(LB_REPORT_LIST, 0, "fake_a");
        says(LB_REPORT_INFO, 0, "every operation fails");
        says(LB_REPORT_INFO, 0, "@/limbic.conf:2");
        says(LB_REPORT_EXPLAIN, 1, "@/limbic.conf:2");
    }
    put(MAIN, "\n\nnosuch\n");
    warns("", "/limbic.conf:3: word 1, \"nosuch\": neither a provider nor a word");
    put(MAIN, "\nadd=nosuch\n");
    warns("", "/limbic.conf:2: word 1, \"add=nosuch\": no provider of that name");
}

/* ---- When they are read --------------------------------------------------------------------- */

static void test_when(void **state)
{
    (void)state;
    put(MAIN, "fake_b\n");
    serves("", "fake_b");
    put(MAIN, "fake_a\n");
    assert_string_equal(server(ADD, 256), "fake_b"); /* once */
    assert_int_equal(lb_plan_reconfigure(NULL), 0);
    assert_string_equal(server(ADD, 256), "fake_a/high");
    put(MAIN, "!fake_b\n");
    assert_int_equal(lb_plan_reconfigure("portable"), 0);
    assert_string_equal(server(ADD, 256), "fake_b");
    /* what cannot be read changes nothing */
    put(MAIN, "[x\n");
    assert_int_equal(gpg_err_code(lb_plan_reconfigure("fake_a")), GPG_ERR_SYNTAX);
    assert_non_null(strstr(lb_error_detail(), "/limbic.conf:1: a header"));
    assert_string_equal(server(ADD, 256), "fake_b");
    /* the same words in another line are told of as what they are */
    put(MAIN, "\nfake_a\n");
    assert_int_equal(lb_plan_reconfigure(NULL), 0);
    says(LB_REPORT_EXPLAIN, 0, "(@/limbic.conf:2)\n");
    put(MAIN, "\n\nfake_a\n");
    assert_int_equal(lb_plan_reconfigure(NULL), 0);
    says(LB_REPORT_EXPLAIN, 0, "(@/limbic.conf:3)\n");
    /* limbic_configure looks at them too */
    put(MAIN, "x\n[x\n");
    begin("");
    assert_int_equal(gpg_err_code(lb_plan_configure("fake_a")), GPG_ERR_SYNTAX);
    put(MAIN, "");
    assert_int_equal(lb_plan_configure("fake_a"), 0);
    assert_string_equal(server(ADD, 256), "fake_a/high");
}

/* ---- Dry runs ------------------------------------------------------------------------------- */

static void explains(const struct limbic_program *program, unsigned flags, const char *wanted)
{
    char *report;

    assert_int_equal(limbic_explain(program, flags, &report), 0);
    if (!strstr(report, wanted))
        print_error("no \"%s\" in:\n%s", wanted, report);
    assert_non_null(strstr(report, wanted));
    limbic_free(report);
}

static void test_explain(void **state)
{
    struct limbic_program program = LIMBIC_PROGRAM_INIT;
    char *report, name[300];

    (void)state;
    put(MAIN, "fake_b\n[program other]\nonly:fake_a -adx\n[program bad]\n-nosuch\n");
    serves("portable", "portable");
    program.name = "prog";
    explains(&program, 0, "chain            warn:fake_b, ");
    explains(&program, 0, "dry run          the program prog, by the files alone\n");
    program.name = "other";
    explains(&program, 0, "chain            only:fake_a, ");
    explains(&program, 0, "program          other\n");
    explains(&program, LIMBIC_REPORT_JSON, "\"dry_run\":\"the program other");
    explains(&program, LIMBIC_REPORT_JSON, "\"line\":3");
    program.name = "bad";
    explains(&program, 0, "limbic.conf:5: word 1, \"-nosuch\"");
    explains(&program, 0, "every operation fails");
    program.name = "prog";
    program.variable = "fake_a";
    explains(&program, 0, "asked for by     the variable LIMBIC\n");
    program.is_set_id = 1;
    explains(&program, 0, "asked for by     the configuration files\n");
    explains(&program, 0, "ignored          the variable LIMBIC, in a set-id process\n");
    /* nothing of it is in force */
    assert_string_equal(server(ADD, 256), "portable");
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    program.name = name;
    assert_int_equal(gpg_err_code(limbic_explain(&program, 0, &report)), GPG_ERR_TOO_LARGE);
    assert_null(report);
    program.size--;
    assert_int_equal(gpg_err_code(limbic_explain(&program, 0, &report)), GPG_ERR_INV_ARG);
    assert_int_equal(gpg_err_code(limbic_explain(NULL, 0, &report)), GPG_ERR_INV_ARG);
}

/* ---- Checks --------------------------------------------------------------------------------- */

static unsigned findings;

static void collect(void *opaque, const char *finding)
{
    (void)opaque;
    findings++;
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n", finding);
}

static gpg_error_t lint(const char *name, const char *contents)
{
    *text = '\0';
    findings = 0;
    begin("");
    return limbic_config_lint(name, contents, contents ? strlen(contents) : 0, collect, NULL);
}

static void finds(const char *contents, unsigned count, const char *wanted)
{
    assert_int_equal(lint("FILE", contents), 0);
    if (findings != count || !strstr(text, wanted))
        print_error("wanted %u with %s:\n%s", count, wanted, text);
    assert_int_equal(findings, count);
    assert_non_null(strstr(text, wanted));
}

static void test_lint(void **state)
{
    static char many[LB_CONFIG_FILE_SIZE];

    (void)state;
    finds("", 0, "");
    finds("fake_b -adx !mul=portable # good\n[program x]\nonly:fake_a,portable license=MIT\n", 0,
          "");
    finds("-nosuch\n\n-other x=1\n", 3, "FILE:1: word 1, \"-nosuch\"");
    finds("-nosuch\n\n-other x=1\n", 3, "FILE:3: word 2, \"x=1\"");
    finds("[x\nfake_b\n[program y]\nonly:nosuch\n[program z]\nonly:fake_a mul=fake_b\n", 3,
          "FILE:4: word 1, element 1, \"nosuch\"");
    finds("[x\nfake_b\n[program y]\nonly:nosuch\n[program z]\nonly:fake_a mul=fake_b\n", 3,
          "FILE:6: word 2, \"mul=fake_b\"");
    /* lines that all see are told of once */
    finds("-nosuch\n[program a]\n-adx\n[program b]\n-adx\n", 1, "FILE:1: word 1");
    finds("fake_a\n[program a]\nfake_b\n", 0, "");
    finds("fake_a\n\nfake_b\n", 1,
          "FILE:1: word 1, \"fake_a\": the chain of line 3 takes its place");
    finds("[program a]\nfake_a\nfake_b\n", 1, "FILE:2: word 1");
    assert_int_equal(limbic_config_lint("FILE", "a\0b", 3, collect, NULL), 0);
    assert_non_null(strstr(text, "FILE:1: a NUL octet"));
    assert_int_equal(gpg_err_code(limbic_config_lint("F", NULL, 1, collect, NULL)),
                     GPG_ERR_INV_ARG);
    assert_int_equal(gpg_err_code(limbic_config_lint("F", "", 0, NULL, NULL)), GPG_ERR_INV_ARG);

    /* the installed ones */
    put(MAIN, "fake_a\n");
    put(SUB "/a.conf", "\n-nosuch\n");
    assert_int_equal(lint(NULL, NULL), 0);
    assert_int_equal(findings, 1);
    assert_non_null(strstr(text, "/limbic.conf.d/a.conf:2: word 1, \"-nosuch\""));
    assert_int_equal(chmod(path_of(MAIN), 0666), 0);
    assert_int_equal(lint(NULL, NULL), 0);
    assert_int_equal(findings, 2);

    /* hostile ones end soon: many programs, many faults */
    *many = '\0';
    for (size_t used = 0, i = 0; used + 64 < sizeof many; i++)
        used += (size_t)snprintf(many + used, 64, "[program %zu]\n-x%zu\n", i, i);
    assert_int_equal(lint("FILE", many), 0);
    assert_true(findings == 257);
    assert_non_null(strstr(text, "FILE: more than 256 programs"));
}

/* ---- Names round trip ----------------------------------------------------------------------- */

static void test_round_trip(void **state)
{
    char contents[256];

    (void)state;
    begin("");
    for (unsigned i = 0; i < lb_registry()->tier_count; i++) {
        char name[LB_TIER_NAME_SIZE];

        if (lb_registry()->tier[i].state != LB_USABLE)
            continue;
        lb_tier_name(name, i);
        snprintf(contents, sizeof contents, "try:%s\n", name);
        finds(contents, 0, "");
        snprintf(contents, sizeof contents, "!mul/2048=%s\n", name);
        finds(contents, 0, "");
    }
    for (unsigned i = 0; i < lb_cpu_feature_count(); i++) {
        snprintf(contents, sizeof contents, "-%s\n!-%s\n", lb_cpu_feature_name(i),
                 lb_cpu_feature_name(i));
        finds(contents, 0, "");
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_none, setup),
        cmocka_unit_test_setup(test_lines, setup),
        cmocka_unit_test_setup(test_sections, setup),
        cmocka_unit_test_setup(test_own_name, setup),
        cmocka_unit_test_setup(test_order_of_files, setup),
        cmocka_unit_test_setup(test_malformed, setup),
        cmocka_unit_test_setup(test_limits, setup),
        cmocka_unit_test_setup(test_long_name, setup),
        cmocka_unit_test_setup(test_no_file, setup),
        cmocka_unit_test_setup(test_unsafe, setup),
        cmocka_unit_test_setup(test_random, setup),
        cmocka_unit_test_setup(test_ten_megabytes, setup),
        cmocka_unit_test_setup(test_precedence, setup),
        cmocka_unit_test_setup(test_within_files, setup),
        cmocka_unit_test_setup(test_final_chain, setup),
        cmocka_unit_test_setup(test_final_override, setup),
        cmocka_unit_test_setup(test_final_others, setup),
        cmocka_unit_test_setup(test_places, setup),
        cmocka_unit_test_setup(test_when, setup),
        cmocka_unit_test_setup(test_explain, setup),
        cmocka_unit_test_setup(test_lint, setup),
        cmocka_unit_test_setup(test_round_trip, setup),
    };

    return cmocka_run_group_tests_name("configuration files", tests, NULL, teardown);
}
