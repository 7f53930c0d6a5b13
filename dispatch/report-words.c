/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report's part about the policy: the words, who asked for them, the chain, warnings, the
 * error.
 */
#include "dispatch/report-view.h"

#include "dispatch/curve-names.h"

/* The code that operations return, 0 if they work, and its line. */
static gpg_err_code_t failure(const struct lb_view *v, const char **why)
{
    *why = v->plan->why;
    return v->plan->code;
}

static void chain_text(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;

    char source[LB_SOURCE_TEXT_SIZE];

    lb_report_label(v->out, "chain");
    lb_text_printf(v->out, "%s:", lb_chain_policy_name(p->chain_policy));
    for (unsigned i = 0; i < p->element_count; i++)
        lb_text_printf(v->out, "%s%s%s%s", i ? "," : "", p->element[i].provider,
                       *p->element[i].tier ? "/" : "", p->element[i].tier);
    lb_text_put(v->out, ", which gives");
    for (unsigned i = 0; i < p->selection.order.count; i++) {
        char name[LB_TIER_NAME_SIZE];

        lb_tier_name(name, p->selection.order.tier[i]);
        lb_text_printf(v->out, "%s %s", i ? "," : "", name);
    }
    lb_text_put(v->out, p->selection.order.count ? "" : " nothing");
    lb_text_printf(v->out, " (%s%s)\n", lb_source_text(source, p->chain_source),
                   p->chain_is_final ? "; final" : "");
    for (unsigned i = 0; i < p->element_count; i++) {
        if (!*p->element[i].missing)
            continue;
        lb_report_label(v->out, "missing");
        lb_text_printf(v->out, "%s%s%s: ", p->element[i].provider, *p->element[i].tier ? "/" : "",
                       p->element[i].tier);
        lb_text_foreign(v->out, p->element[i].missing);
        lb_text_put(v->out, "\n");
    }
}

/* "fake", or "fake/low". */
static void kernels(struct lb_text *out, const char *provider, const char *tier)
{
    lb_text_printf(out, "%s%s%s", provider, *tier ? "/" : "", tier);
}

/* Where an override applies, as it is written in words. */
static void override_name(struct lb_text *out, const struct lb_override *o)
{
    lb_text_put(out, o->slot);
    if (o->place == LB_AT_SIZE)
        lb_text_printf(out, "/%u", lb_size_class_bits[o->size_class]);
    else if (o->place == LB_AT_CURVE)
        lb_text_printf(out, "/%s", lb_curve_name(o->curve));
}

static void overrides_text(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;

    for (unsigned i = 0; i < p->selection.override_count; i++) {
        const struct lb_override_words *words = &p->override[i];
        char source[LB_SOURCE_TEXT_SIZE];

        lb_report_label(v->out, "override");
        override_name(v->out, &p->selection.override[i]);
        lb_text_put(v->out, "=");
        kernels(v->out, words->provider, words->tier);
        lb_text_printf(v->out, " (%s%s)", lb_source_text(source, words->source),
                       p->selection.override[i].final ? "; final" : "");
        if (*words->missing) {
            lb_text_put(v->out, ": ");
            lb_text_foreign(v->out, words->missing);
        }
        lb_text_put(v->out, "\n");
    }
}

static void restrictions_text(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;
    char source[LB_SOURCE_TEXT_SIZE];

    for (unsigned i = 0; i < lb_cpu_feature_count(); i++) {
        if (!(p->selection.denied >> i & 1))
            continue;
        lb_report_label(v->out, "denied");
        lb_text_printf(v->out, "%s (%s", lb_cpu_feature_name(i),
                       lb_source_text(source, p->denial[i].source));
        if (p->denial[i].root != i)
            lb_text_printf(v->out, "; it depends on %s", lb_cpu_feature_name(p->denial[i].root));
        lb_text_put(v->out, ")\n");
    }
    for (unsigned i = 0; i < p->license_count; i++) {
        lb_report_label(v->out, "modules under");
        lb_text_foreign(v->out, p->license[i].list);
        lb_text_printf(v->out, " (%s)\n", lb_source_text(source, p->license[i].source));
    }
}

/* The files that were read, and for whom. */
static void files_text(const struct lb_view *v)
{
    const struct lb_config *files = &v->policy->files;

    if (files->file_count == 0) {
        lb_report_label(v->out, "files");
        lb_text_printf(v->out, "none in %s\n", lb_config_directory());
        return;
    }
    lb_report_line(v->out, "program", *files->program ? files->program : "(cannot be told)");
    for (unsigned i = 0; i < files->file_count; i++)
        lb_report_line(v->out, "file", files->file[i]);
}

/* Who stands in the place of a word of a file. */
static const char *replacer(char text[LB_SOURCE_TEXT_SIZE], struct lb_source by)
{
    return by.word ? lb_source_text(text, by) : lb_origin_text(by.origin);
}

static void replaced_words_text(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;

    for (unsigned i = 0; i < p->replaced_count && i < LB_REPLACED_MAX; i++) {
        const struct lb_replaced *r = &p->replaced_word[i];
        char source[LB_SOURCE_TEXT_SIZE], by[LB_SOURCE_TEXT_SIZE];

        lb_report_label(v->out, "replaced");
        lb_text_printf(v->out, "%s (%s), by ", r->shown, lb_source_text(source, r->source));
        lb_text_foreign(v->out, replacer(by, r->by));
        lb_text_put(v->out, "\n");
    }
    if (p->replaced_count > LB_REPLACED_MAX) {
        lb_report_label(v->out, "replaced");
        lb_text_printf(v->out, "and %u words more\n", p->replaced_count - LB_REPLACED_MAX);
    }
}

/* Words that were given and are not in force. */
static void replaced_text(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;

    replaced_words_text(v);
    if (*p->replaced) {
        lb_report_label(v->out, "replaced");
        lb_text_put(v->out, "the variable LIMBIC, but for what only restricts: ");
        lb_text_foreign(v->out, p->replaced);
        lb_text_put(v->out, "\n");
    }
    if (p->ignored && p->origin != LB_ORIGIN_IGNORED)
        lb_report_line(v->out, "ignored", "the variable LIMBIC, in a set-id process");
}

void lb_report_words_text(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;
    const char *why;
    gpg_err_code_t code = failure(v, &why);

    lb_report_line(v->out, "words", *p->words ? p->words : "(none)");
    lb_report_label(v->out, "asked for by");
    lb_text_printf(v->out, "%s\n", lb_origin_text(p->origin));
    files_text(v);
    replaced_text(v);
    chain_text(v);
    overrides_text(v);
    restrictions_text(v);
    for (unsigned i = 0; i < p->warning_count && i < LB_WARNINGS_MAX; i++) {
        lb_report_line(v->out, "warning", p->warning[i]);
    }
    if (p->warning_count > LB_WARNINGS_MAX) {
        lb_report_label(v->out, "warning");
        lb_text_printf(v->out, "and %u more\n", p->warning_count - LB_WARNINGS_MAX);
    }
    if (code) {
        lb_report_label(v->out, "error");
        lb_text_foreign(v->out, why);
        lb_text_printf(v->out, " (%s); every operation fails\n", gpg_strerror(gpg_error(code)));
    }
}

static const char *origin_key(enum lb_origin origin)
{
    static const char *const key[] = {[LB_ORIGIN_DEFAULT] = "default",
                                      [LB_ORIGIN_FILE] = "file",
                                      [LB_ORIGIN_VARIABLE] = "variable",
                                      [LB_ORIGIN_IGNORED] = "ignored-set-id",
                                      [LB_ORIGIN_PROGRAM] = "program"};

    return key[origin];
}

/* The members "origin"; "word", where it stands in words; "file" and "line", where in a file. */
static void source_json(struct lb_text *out, struct lb_source source, enum lb_origin origin)
{
    lb_json_string(out, "origin", origin_key(origin));
    if (source.word)
        lb_json_number(out, "word", source.word);
    else
        lb_json_string(out, "word", NULL);
    lb_json_string(out, "file", source.file);
    if (source.file)
        lb_json_number(out, "line", source.line);
    else
        lb_json_string(out, "line", NULL);
}

void lb_report_source_json(struct lb_text *out, struct lb_source source)
{
    source_json(out, source, source.word ? source.origin : LB_ORIGIN_DEFAULT);
}

static void chain_json(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;

    lb_json_open(v->out, "chain", '{');
    lb_json_string(v->out, "policy", lb_chain_policy_name(p->chain_policy));
    lb_report_source_json(v->out, p->chain_source);
    lb_json_bool(v->out, "final", p->chain_is_final);
    lb_json_open(v->out, "elements", '[');
    for (unsigned i = 0; i < p->element_count; i++) {
        lb_json_open(v->out, NULL, '{');
        lb_json_string(v->out, "provider", p->element[i].provider);
        lb_json_string(v->out, "tier", lb_or_null(p->element[i].tier));
        lb_json_string(v->out, "missing", lb_or_null(p->element[i].missing));
        lb_json_close(v->out, '}');
    }
    lb_json_close(v->out, ']');
    lb_json_open(v->out, "order", '[');
    for (unsigned i = 0; i < p->selection.order.count; i++) {
        char name[LB_TIER_NAME_SIZE];

        lb_tier_name(name, p->selection.order.tier[i]);
        lb_json_string(v->out, NULL, name);
    }
    lb_json_close(v->out, ']');
    lb_json_close(v->out, '}');
}

static void overrides_json(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;

    lb_json_open(v->out, "overrides", '[');
    for (unsigned i = 0; i < p->selection.override_count; i++) {
        const struct lb_override *o = &p->selection.override[i];
        const struct lb_override_words *words = &p->override[i];

        lb_json_open(v->out, NULL, '{');
        lb_json_string(v->out, "slot", o->slot);
        if (o->place == LB_AT_SIZE)
            lb_json_number(v->out, "bits", lb_size_class_bits[o->size_class]);
        else
            lb_json_string(v->out, "bits", NULL);
        lb_json_string(v->out, "curve", o->place == LB_AT_CURVE ? lb_curve_name(o->curve) : NULL);
        lb_json_string(v->out, "provider", words->provider);
        lb_json_string(v->out, "tier", lb_or_null(words->tier));
        lb_report_source_json(v->out, words->source);
        lb_json_bool(v->out, "final", o->final);
        lb_json_string(v->out, "missing", lb_or_null(words->missing));
        lb_json_close(v->out, '}');
    }
    lb_json_close(v->out, ']');
}

static void restrictions_json(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;

    lb_json_open(v->out, "denied", '[');
    for (unsigned i = 0; i < lb_cpu_feature_count(); i++) {
        if (!(p->selection.denied >> i & 1))
            continue;
        lb_json_open(v->out, NULL, '{');
        lb_json_string(v->out, "feature", lb_cpu_feature_name(i));
        lb_json_string(v->out, "depends_on",
                       p->denial[i].root != i ? lb_cpu_feature_name(p->denial[i].root) : NULL);
        lb_report_source_json(v->out, p->denial[i].source);
        lb_json_close(v->out, '}');
    }
    lb_json_close(v->out, ']');
    lb_json_open(v->out, "licenses", '[');
    for (unsigned i = 0; i < p->license_count; i++) {
        lb_json_open(v->out, NULL, '{');
        lb_json_string(v->out, "list", p->license[i].list);
        lb_report_source_json(v->out, p->license[i].source);
        lb_json_close(v->out, '}');
    }
    lb_json_close(v->out, ']');
}

static void files_json(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;

    lb_json_string(v->out, "config_directory", lb_config_directory());
    lb_json_string(v->out, "program", lb_or_null(p->files.program));
    lb_json_open(v->out, "files", '[');
    for (unsigned i = 0; i < p->files.file_count; i++)
        lb_json_string(v->out, NULL, p->files.file[i]);
    lb_json_close(v->out, ']');
    lb_json_open(v->out, "replaced_words", '[');
    for (unsigned i = 0; i < p->replaced_count && i < LB_REPLACED_MAX; i++) {
        lb_json_open(v->out, NULL, '{');
        lb_json_string(v->out, "text", p->replaced_word[i].shown);
        lb_report_source_json(v->out, p->replaced_word[i].source);
        lb_json_open(v->out, "by", '{');
        source_json(v->out, p->replaced_word[i].by, p->replaced_word[i].by.origin);
        lb_json_close(v->out, '}');
        lb_json_close(v->out, '}');
    }
    lb_json_close(v->out, ']');
    lb_json_number(v->out, "replaced_word_count", p->replaced_count);
}

void lb_report_words_json(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;
    const char *why;
    gpg_err_code_t code = failure(v, &why);

    lb_json_string(v->out, "words", p->words);
    lb_json_string(v->out, "origin", origin_key(p->origin));
    lb_json_string(v->out, "replaced", lb_or_null(p->replaced));
    lb_json_bool(v->out, "ignored", p->ignored);
    files_json(v);
    chain_json(v);
    overrides_json(v);
    restrictions_json(v);
    lb_json_open(v->out, "warnings", '[');
    for (unsigned i = 0; i < p->warning_count && i < LB_WARNINGS_MAX; i++)
        lb_json_string(v->out, NULL, p->warning[i]);
    lb_json_close(v->out, ']');
    lb_json_number(v->out, "warning_count", p->warning_count);
    if (code) {
        lb_json_open(v->out, "error", '{');
        lb_json_number(v->out, "code", code);
        lb_json_string(v->out, "text", why);
        lb_json_close(v->out, '}');
    } else {
        lb_json_string(v->out, "error", NULL);
    }
}
