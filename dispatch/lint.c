/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each program sees lines of its own, so the files are read and a policy is made for each, with
 * somebody who listens to every fault. Programs share lines, hence what has been told is kept.
 */
#include "dispatch/lint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dispatch/policy-parts.h"

enum {
    FINDINGS_MAX = 1000, /* so that a file of nothing but faults costs little */
    PROGRAMS_MAX = 256,
    SHOWN_NAME = LB_CONFIG_PATH_SIZE - 1
};

struct strings {
    size_t count, size;
    char **text;
};

struct lint {
    char name[LB_CONFIG_PATH_SIZE]; /* of the file, "" for the installed ones */
    const char *octets;
    size_t length;
    void (*found)(void *opaque, const char *finding);
    void *opaque;
    struct strings told, programs;
    bool no_memory;
    gpg_err_code_t unreadable; /* of a file; 0: none */
    char unreadable_text[LB_CONFIG_ERROR_SIZE];
    struct lb_config config;
    struct lb_policy policy;
};

/* ---- Strings, each once --------------------------------------------------------------------- */

static bool has(const struct strings *strings, const char *text)
{
    for (size_t i = 0; i < strings->count; i++)
        if (strcmp(strings->text[i], text) == 0)
            return true;
    return false;
}

static bool add(struct strings *strings, const char *text)
{
    char *copy;

    if (strings->count == strings->size) {
        size_t size = strings->size ? 2 * strings->size : 16;
        char **larger = realloc(strings->text, size * sizeof *larger);

        if (!larger)
            return false;
        strings->text = larger;
        strings->size = size;
    }
    copy = strdup(text);
    if (!copy)
        return false;
    strings->text[strings->count++] = copy;
    return true;
}

static void release(struct strings *strings)
{
    for (size_t i = 0; i < strings->count; i++)
        free(strings->text[i]);
    free(strings->text);
}

/* ---- Listening ------------------------------------------------------------------------------ */

static void tell(void *opaque, const char *text)
{
    struct lint *lint = opaque;

    if (lint->told.count > FINDINGS_MAX || has(&lint->told, text))
        return;
    if (!add(&lint->told, text))
        lint->no_memory = true;
    lint->found(lint->opaque, lint->told.count > FINDINGS_MAX
                                  ? "there are more findings, which are not told"
                                  : text);
}

static void hear_fault(void *opaque, gpg_err_code_t code, const char *text)
{
    struct lint *lint = opaque;

    if (gpg_err_code_to_errno(code) != 0 && code != GPG_ERR_ENOMEM) {
        lint->unreadable = code;
        snprintf(lint->unreadable_text, sizeof lint->unreadable_text, "%s", text);
        return;
    }
    lint->no_memory |= code == GPG_ERR_ENOMEM;
    tell(lint, text);
}

static void hear_section(void *opaque, const char *program)
{
    struct lint *lint = opaque;
    char text[LB_CONFIG_PATH_SIZE + 64];

    if (has(&lint->programs, program))
        return;
    if (lint->programs.count < PROGRAMS_MAX) {
        if (!add(&lint->programs, program))
            lint->no_memory = true;
        return;
    }
    snprintf(text, sizeof text, "%s: more than %d programs; the others are not checked",
             *lint->name ? lint->name : lb_config_directory(), PROGRAMS_MAX);
    tell(lint, text);
}

/* ---- One program's part --------------------------------------------------------------------- */

static bool is_of_section(const struct lb_config *config, const struct lb_source *source)
{
    for (unsigned i = 0; i < config->line_count; i++)
        if (config->line[i].file == source->file && config->line[i].line == source->line)
            return config->line[i].is_of_section;
    return false;
}

/* A word of which the same part of the same file takes back what it says is hardly meant. */
static void find_contradictions(struct lint *lint)
{
    const struct lb_policy *policy = &lint->policy;

    for (unsigned i = 0; i < policy->replaced_count && i < LB_REPLACED_MAX; i++) {
        const struct lb_replaced *r = &policy->replaced_word[i];
        char place[LB_SOURCE_TEXT_SIZE], text[LB_WARNING_SIZE];

        if (r->source.file != r->by.file ||
            is_of_section(&lint->config, &r->source) != is_of_section(&lint->config, &r->by))
            continue;
        snprintf(text, sizeof text, "%s, \"%s\": the chain of line %u takes its place",
                 lb_source_place(place, r->source), r->shown, r->by.line);
        tell(lint, text);
    }
}

static void check_program(struct lint *lint, const char *program)
{
    struct lb_config_listener listener = {hear_fault, hear_section, lint};
    struct lb_asked asked = {.files = &lint->config, .found = tell, .opaque = lint};

    if (*lint->name)
        lb_config_parse(&lint->config, program, &listener, lint->name, lint->octets, lint->length);
    else
        lb_config_read(&lint->config, program, &listener);
    lint->config.code = GPG_ERR_NO_ERROR; /* it has been heard */
    (void)lb_policy_make(&lint->policy, &asked);
    find_contradictions(lint);
}

/* ---- The whole ------------------------------------------------------------------------------ */

/* A long name is cut at its beginning. */
static void keep_name(struct lint *lint, const char *name)
{
    size_t length = strlen(name);

    if (length <= SHOWN_NAME)
        memcpy(lint->name, name, length + 1);
    else
        snprintf(lint->name, sizeof lint->name, "...%s", name + length - SHOWN_NAME + 3);
}

gpg_error_t lb_config_lint(const char *name, const char *octets, size_t length,
                           void (*found)(void *opaque, const char *finding), void *opaque)
{
    struct lint *lint = calloc(1, sizeof *lint);
    gpg_error_t err = 0;

    if (!lint)
        return lb_error(GPG_ERR_ENOMEM, "out of memory for a check of configuration files");
    if (name)
        keep_name(lint, name);
    lint->octets = octets;
    lint->length = length;
    lint->found = found;
    lint->opaque = opaque;
    check_program(lint, "");
    for (size_t i = 0; i < lint->programs.count; i++)
        check_program(lint, lint->programs.text[i]);
    if (lint->no_memory)
        err = lb_error(GPG_ERR_ENOMEM, "out of memory for a check of configuration files");
    else if (lint->unreadable)
        err = lb_errorf(lint->unreadable, "%s", lint->unreadable_text);
    release(&lint->told);
    release(&lint->programs);
    free(lint);
    return err;
}
