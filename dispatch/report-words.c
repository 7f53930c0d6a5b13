/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report's part about the policy: the words, who asked for them, the chain, warnings, the
 * error.
 */
#include "dispatch/report-view.h"

/* The code that operations return, 0 if they work, and its line. */
static gpg_err_code_t failure(const struct lb_view *v, const char **why)
{
    *why = v->plan->why;
    return v->plan->code;
}

static void chain_text(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;

    lb_report_label(v->out, "chain");
    lb_text_printf(v->out, "%s:", lb_chain_policy_name(p->chain_policy));
    for (unsigned i = 0; i < p->element_count; i++)
        lb_text_printf(v->out, "%s%s%s%s", i ? "," : "", p->element[i].provider,
                       *p->element[i].tier ? "/" : "", p->element[i].tier);
    lb_text_put(v->out, ", which gives");
    for (unsigned i = 0; i < p->order.count; i++) {
        char name[LB_TIER_NAME_SIZE];

        lb_tier_name(name, p->order.tier[i]);
        lb_text_printf(v->out, "%s %s", i ? "," : "", name);
    }
    lb_text_put(v->out, p->order.count ? "\n" : " nothing\n");
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

void lb_report_words_text(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;
    const char *why;
    gpg_err_code_t code = failure(v, &why);

    lb_report_line(v->out, "words", *p->words ? p->words : "(none)");
    lb_report_label(v->out, "asked for by");
    lb_text_printf(v->out, "%s\n", lb_origin_text(p->origin));
    chain_text(v);
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
                                      [LB_ORIGIN_VARIABLE] = "variable",
                                      [LB_ORIGIN_IGNORED] = "ignored-set-id",
                                      [LB_ORIGIN_PROGRAM] = "program"};

    return key[origin];
}

static void chain_json(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;

    lb_json_open(v->out, "chain", '{');
    lb_json_string(v->out, "policy", lb_chain_policy_name(p->chain_policy));
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
    for (unsigned i = 0; i < p->order.count; i++) {
        char name[LB_TIER_NAME_SIZE];

        lb_tier_name(name, p->order.tier[i]);
        lb_json_string(v->out, NULL, name);
    }
    lb_json_close(v->out, ']');
    lb_json_close(v->out, '}');
}

void lb_report_words_json(const struct lb_view *v)
{
    const struct lb_policy *p = v->policy;
    const char *why;
    gpg_err_code_t code = failure(v, &why);

    lb_json_string(v->out, "words", p->words);
    lb_json_string(v->out, "origin", origin_key(p->origin));
    chain_json(v);
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
