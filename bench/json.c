/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * json.c - the results as one JSON object.
 *
 * {"version", "cpu", "rows": [{"row", "op", "who", "kind", "version", "ns", "ns_p5", "ns_p95",
 * "ratio", "ratio_p5", "ratio_p95", "rounds", "noisy"}], "notes": [{"who", "text"}]}; limbic(1) says
 * what they are.
 */
#include "bench/output.h"

/* A string is ASCII whatever it was given: octets above 127 (of LIMBIC, say) need not be UTF-8 and
   are written as the characters of ISO 8859-1. */
static void output_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        unsigned char octet = (unsigned char)*text;

        if (octet == '"' || octet == '\\')
            fprintf(file, "\\%c", octet);
        else if (octet < 0x20 || octet > 0x7e)
            fprintf(file, "\\u%04x", (unsigned)octet);
        else
            fputc(octet, file);
    }
    fputc('"', file);
}

static void output_member(FILE *file, const char *name, const char *text)
{
    fprintf(file, "\"%s\": ", name);
    output_string(file, text);
    fputs(", ", file);
}

/* "NAME_p5" and "NAME_p95": null of too few rounds. */
static void output_spread(FILE *file, const char *name, const struct summary *summary, int decimals)
{
    if (stats_has_spread(summary))
        fprintf(file, "\"%s_p5\": %.*f, \"%s_p95\": %.*f, ", name, decimals, summary->p5, name,
                decimals, summary->p95);
    else
        fprintf(file, "\"%s_p5\": null, \"%s_p95\": null, ", name, name);
}

static void output_row(FILE *file, const struct result *result)
{
    fputs("{", file);
    output_member(file, "row", result->row);
    output_member(file, "op", op_name(result->op));
    output_member(file, "who", result->who);
    output_member(file, "kind", result->kind);
    output_member(file, "version", result->version);
    fprintf(file, "\"ns\": %.1f, ", result->time.median);
    output_spread(file, "ns", &result->time, 1);
    fprintf(file, "\"ratio\": %.4f, ", result->ratio.median);
    output_spread(file, "ratio", &result->ratio, 4);
    fprintf(file, "\"rounds\": %zu, \"noisy\": %s}", result->time.count,
            result_is_noisy(result) ? "true" : "false");
}

/* Of words that had no effect. */
static void output_notes(FILE *file, const struct contestants *contestants)
{
    const char *before = "";

    for (size_t i = 0; i < contestants->count; i++) {
        if (!contestants->list[i].note)
            continue;
        fprintf(file, "%s{", before);
        output_member(file, "who", contestants->list[i].who);
        fputs("\"text\": ", file);
        output_string(file, contestants->list[i].note);
        fputs("}", file);
        before = ", ";
    }
}

void output_json(FILE *file, const struct heading *heading, const struct results *results)
{
    fputs("{", file);
    output_member(file, "version", heading->version);
    output_member(file, "cpu", heading->cpu);
    fputs("\"rows\": [", file);
    for (size_t i = 0; i < results->count; i++) {
        fputs(i ? ",\n " : "\n ", file);
        output_row(file, &results->list[i]);
    }
    fputs("\n], \"notes\": [", file);
    output_notes(file, heading->contestants);
    fputs("]}\n", file);
}
