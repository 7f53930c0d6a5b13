/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * words.c - whether limbic obeys all of the words of a --provider.
 *
 * Reads the report of limbic as text, line by line: a label, blanks, and what there is to say.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strcasestr */
#endif

#include "bench/words.h"

#include "bench/failure.h"

#include <limbic.h>
#include <stdio.h>
#include <string.h>

/* A line of the report, without its label. */
static const char *after_label(const char *line, const char *label)
{
    size_t length = strlen(label);

    if (strncmp(line, label, length) || line[length] != ' ')
        return NULL;
    return line + length + strspn(line + length, " ");
}

/* Where words of --provider have a warning: the text of it. */
static const char *warning(const char *line)
{
    const char *text = after_label(line, "warning");

    return text && !strncmp(text, FAILURE_PROGRAM, strlen(FAILURE_PROGRAM)) ? text : NULL;
}

/* An element of the chain that is not there, "gmp: why". Of the chain `auto` it may be missing: then
   the words do not have its name. */
static const char *missing(const char *line, const char *words)
{
    const char *text = after_label(line, "missing");
    char name[64];

    if (!text)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    return strcasestr(words, name) ? text : NULL; /* words are of any case, the report is lower */
}

/* An override of --provider that chooses no kernel: what it names is not there,
   "mul=gmp (the program's words, word 2): why", or is nowhere chosen by it. */
static const char * override(char *line, size_t size, const char *report)
{
    const char *text = after_label(line, "override");
    const char *source = text ? strstr(text, " (" FAILURE_PROGRAM) : NULL;
    char chosen[sizeof FAILURE_PROGRAM + 64];

    if (!source)
        return NULL;
    snprintf(chosen, sizeof chosen, " by override%.*s", (int)strcspn(source, ")") + 1, source);
    if (strstr(report, chosen))
        return NULL;
    if (!strstr(source, "): "))
        snprintf(line + strlen(line), size - strlen(line), ": chooses no kernel");
    return text;
}

/* "passed over" is what limbic does; here nothing is. */
static void cut_passed_over(char *text)
{
    static const char end[] = "; passed over";
    size_t length = strlen(text), cut = strlen(end);

    if (length > cut && !strcmp(text + length - cut, end))
        text[length - cut] = '\0';
}

static bool refuse(const char *words, const char *text)
{
    char wording[FAILURE_SIZE];

    failure_wording(wording, sizeof wording, text);
    cut_passed_over(wording);
    return failed(STATUS_FAULT, "--provider %.64s: %s", words, wording);
}

/* What is said in a line against the words, or NULL. */
static const char *against(char *line, size_t size, const char *words, const char *report)
{
    const char *text = warning(line);

    if (!text)
        text = missing(line, words);
    return text ? text : override(line, size, report);
}

/* Warnings come last in the report, and say most: one goes before what else there is. */
static bool obeyed(const char *report, const char *words)
{
    char line[2 * FAILURE_SIZE], found[2 * FAILURE_SIZE] = "";

    for (const char *next = report; *next; next += strcspn(next, "\n"), next += *next == '\n') {
        const char *text;

        snprintf(line, sizeof line, "%.*s", (int)strcspn(next, "\n"), next);
        text = against(line, sizeof line, words, report);
        if (text && (!*found || warning(line)))
            snprintf(found, sizeof found, "%s", text);
        if (text && warning(line))
            break;
    }
    return *found ? refuse(words, found) : true;
}

bool words_obeyed(const char *words)
{
    char *report = NULL;
    gpg_error_t error = limbic_report(LIMBIC_REPORT_EXPLAIN, 0, &report);
    bool fine;

    if (error)
        return failed_limbic(error, "asking for the words in force");
    fine = obeyed(report, words);
    limbic_free(report);
    return fine;
}
