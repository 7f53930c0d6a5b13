/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report: which parts make up which kind, and the parts that are a few lines only.
 */
#include <config.h>

#include "dispatch/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "dispatch/report-view.h"

void lb_report_label(struct lb_text *out, const char *name)
{
    lb_text_printf(out, "%-16s ", name);
}

void lb_report_line(struct lb_text *out, const char *name, const char *value)
{
    lb_report_label(out, name);
    lb_text_foreign(out, value);
    lb_text_put(out, "\n");
}

/* ---- Initialisation and facts --------------------------------------------------------------- */

static void start_text(const struct lb_view *v)
{
    const struct lb_start *start = lb_plan_start();
    const char *before = "";

    lb_report_label(v->out, "initialisation");
    lb_text_printf(v->out, "%.3f ms, with %u self-tests at %u bits%s\n", (double)start->ns / 1e6,
                   start->tests, start->size_bits,
                   start->complete ? "" : " (the others when a key needs them)");
    lb_report_label(v->out, "sizes tested");
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++) {
        if (!lb_plan_settled(i))
            continue;
        lb_text_printf(v->out, "%s%u", before, lb_size_class_bits[i]);
        before = ", ";
    }
    lb_text_put(v->out, *before ? " bits\n" : "none\n");
    lb_report_label(v->out, "plan");
    if (v->plan->generation)
        lb_text_printf(v->out, "number %u\n", v->plan->generation);
    else
        lb_text_put(v->out, "of last resort: there was no memory for another\n");
}

static void start_json(const struct lb_view *v)
{
    const struct lb_start *start = lb_plan_start();

    lb_json_open(v->out, "initialisation", '{');
    lb_json_number(v->out, "ns", start->ns);
    lb_json_number(v->out, "selftests", start->tests);
    lb_json_number(v->out, "bits", start->size_bits);
    lb_json_bool(v->out, "complete", start->complete);
    lb_json_close(v->out, '}');
    lb_json_open(v->out, "sizes_tested", '[');
    for (unsigned i = 0; i < LB_SIZE_CLASSES; i++)
        if (lb_plan_settled(i))
            lb_json_number(v->out, NULL, lb_size_class_bits[i]);
    lb_json_close(v->out, ']');
    lb_json_number(v->out, "plan", v->plan->generation);
}

static void facts_text(struct lb_text *out, const struct lb_fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lb_report_line(out, facts[i].name, facts[i].text);
    }
}

static void facts_json(struct lb_text *out, const struct lb_fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (facts[i].is_number)
            lb_json_number(out, facts[i].key, facts[i].number);
        else
            lb_json_string(out, facts[i].key, facts[i].text);
    }
}

static void features_text(const struct lb_view *v)
{
    const char *before = "";

    lb_report_label(v->out, "CPU features");
    for (unsigned i = 0; i < lb_cpu_feature_count(); i++) {
        if (!(lb_cpu_present() >> i & 1))
            continue;
        lb_text_printf(v->out, "%s%s%s", before, lb_cpu_feature_name(i),
                       v->policy->selection.denied >> i & 1 ? " (denied)" : "");
        before = ", ";
    }
    lb_text_put(v->out, *before ? "\n" : "none that is looked at\n");
}

static void features_json(const struct lb_view *v)
{
    lb_json_open(v->out, "cpu_features", '[');
    for (unsigned i = 0; i < lb_cpu_feature_count(); i++) {
        if (!(lb_cpu_present() >> i & 1))
            continue;
        lb_json_open(v->out, NULL, '{');
        lb_json_string(v->out, "name", lb_cpu_feature_name(i));
        lb_json_bool(v->out, "denied", v->policy->selection.denied >> i & 1);
        lb_json_close(v->out, '}');
    }
    lb_json_close(v->out, ']');
}

/* What configure decided, but for the tiers, whose state the registry has. */
static const struct {
    const char *name, *key;
    bool yes;
} build_options[] = {
#ifdef LB_BUILD_MODULES
    {"modules", "modules", true},
#else
    {"modules", "modules", false},
#endif
#ifdef VERIFY
    {"calls of kernels checked", "verify", true},
#else
    {"calls of kernels checked", "verify", false},
#endif
};

enum { N_BUILD_OPTIONS = sizeof build_options / sizeof build_options[0] };

/* Whether configure may leave a tier out: of the library's own, those with a name. */
static bool is_assembly(const struct lb_view *v, unsigned tier)
{
    return !v->registry->provider[v->registry->tier[tier].provider].is_module &&
           *v->registry->tier[tier].tier->name;
}

static bool is_built_in(const struct lb_view *v, unsigned tier)
{
    return v->registry->tier[tier].state != LB_NOT_BUILT;
}

static const char *yes_or_no(bool yes)
{
    return yes ? "yes" : "no";
}

static void build_text(const struct lb_view *v)
{
    const struct lb_known_module *module;

    lb_report_label(v->out, "build");
    for (unsigned i = 0; i < v->registry->tier_count; i++) {
        char name[LB_TIER_NAME_SIZE];

        if (!is_assembly(v, i))
            continue;
        lb_tier_name(name, i);
        lb_text_printf(v->out, "%s: %s; ", name, yes_or_no(is_built_in(v, i)));
    }
    for (unsigned i = 0; (module = lb_registry_known_module(i)); i++)
        lb_text_printf(v->out, "module %s: %s; ", module->name, yes_or_no(module->is_built));
    for (unsigned i = 0; i < N_BUILD_OPTIONS; i++)
        lb_text_printf(v->out, "%s%s: %s", i ? "; " : "", build_options[i].name,
                       yes_or_no(build_options[i].yes));
    lb_text_put(v->out, "\n");
}

static void build_json(const struct lb_view *v)
{
    const struct lb_known_module *module;

    lb_json_open(v->out, "build", '{');
    lb_json_open(v->out, "assembly", '{');
    for (unsigned i = 0; i < v->registry->tier_count; i++) {
        char name[LB_TIER_NAME_SIZE];

        if (!is_assembly(v, i))
            continue;
        lb_tier_name(name, i);
        lb_json_bool(v->out, name, is_built_in(v, i));
    }
    lb_json_close(v->out, '}');
    for (unsigned i = 0; (module = lb_registry_known_module(i)); i++)
        lb_json_bool(v->out, module->name, module->is_built);
    for (unsigned i = 0; i < N_BUILD_OPTIONS; i++)
        lb_json_bool(v->out, build_options[i].key, build_options[i].yes);
    lb_json_close(v->out, '}');
}

static void info_text(const struct lb_view *v, const struct lb_fact *facts, size_t count)
{
    facts_text(v->out, facts, count);
    lb_report_label(v->out, "provider ABI");
    lb_text_printf(v->out, "%d.%d, limbs of %d bits\n", LIMBIC_PROVIDER_ABI_MAJOR,
                   LIMBIC_PROVIDER_ABI_MINOR, LIMBIC_LIMB_BITS);
    build_text(v);
    lb_report_in_use_text(v);
    features_text(v);
    lb_report_words_text(v);
    start_text(v);
}

static void info_json(const struct lb_view *v, const struct lb_fact *facts, size_t count)
{
    facts_json(v->out, facts, count);
    lb_json_open(v->out, "abi", '[');
    lb_json_number(v->out, NULL, LIMBIC_PROVIDER_ABI_MAJOR);
    lb_json_number(v->out, NULL, LIMBIC_PROVIDER_ABI_MINOR);
    lb_json_close(v->out, ']');
    lb_json_number(v->out, "limb_bits", LIMBIC_LIMB_BITS);
    build_json(v);
    lb_report_in_use_json(v);
    features_json(v);
    lb_report_words_json(v);
    start_json(v);
}

/* ---- Faults --------------------------------------------------------------------------------- */

static void family_kernel(const struct lb_view *v, unsigned family, enum limbic_slot slot,
                          struct lb_text *name)
{
    char tier[LB_TIER_NAME_SIZE];
    const struct lb_slot *descriptor = lb_slot_by_id(slot);

    lb_tier_name(tier, v->registry->family[family].tier);
    lb_text_printf(name, "%s:%s", tier, descriptor ? descriptor->name : "?");
}

static void fault_text(const struct lb_view *v, const struct lb_fault_record *record)
{
    family_kernel(v, record->family, record->slot, v->out);
    lb_text_put(v->out, " at");
    for (unsigned j = 0; j < LB_SIZE_CLASSES; j++)
        if (record->classes >> j & 1)
            lb_text_printf(v->out, " %u", lb_size_class_bits[j]);
    lb_text_printf(v->out, " bits: %s", lb_fault_text(record->fault));
    if (record->fault == LB_FAULT_ONCE && record->count > 1)
        lb_text_printf(v->out, ", %u times", record->count);
    lb_text_put(v->out, ": ");
    lb_text_foreign(v->out, record->why);
}

static void faults_text(const struct lb_view *v)
{
    struct lb_fault_record record;

    for (unsigned i = 0; lb_fault_record(i, &record); i++) {
        lb_report_label(v->out, "fault");
        fault_text(v, &record);
        lb_text_put(v->out, "\n");
    }
}

const char *lb_report_first_fault(void)
{
    static _Thread_local char line[LB_FAULT_LINE_SIZE];
    struct lb_text text = {.data = NULL};
    struct lb_view v = {.registry = lb_registry(), .out = &text};
    struct lb_fault_record record;

    if (!lb_fault_record(0, &record))
        return NULL;
    fault_text(&v, &record);
    snprintf(line, sizeof line, "%s%s", text.failed ? "a kernel was wrong" : text.data,
             lb_fault_record(1, &record) ? " (and other faults: limbic explain)" : "");
    free(text.data);
    return line;
}

static void faults_json(const struct lb_view *v)
{
    struct lb_fault_record record;

    lb_json_open(v->out, "faults", '[');
    for (unsigned i = 0; lb_fault_record(i, &record); i++) {
        struct lb_text kernel = {0};

        family_kernel(v, record.family, record.slot, &kernel);
        v->out->failed |= kernel.failed;
        lb_json_open(v->out, NULL, '{');
        lb_json_string(v->out, "kernel", kernel.data);
        lb_json_open(v->out, "bits", '[');
        for (unsigned j = 0; j < LB_SIZE_CLASSES; j++)
            if (record.classes >> j & 1)
                lb_json_number(v->out, NULL, lb_size_class_bits[j]);
        lb_json_close(v->out, ']');
        lb_json_string(v->out, "fault", lb_fault_text(record.fault));
        lb_json_bool(v->out, "quarantined", lb_fault_quarantines(record.fault));
        lb_json_number(v->out, "count", record.count);
        lb_json_string(v->out, "why", record.why);
        lb_json_close(v->out, '}');
        free(kernel.data);
    }
    lb_json_close(v->out, ']');
}

/* ---- The whole ------------------------------------------------------------------------------ */

static void explain_text(const struct lb_view *v)
{
    if (v->dry_run)
        lb_report_line(v->out, "dry run", v->dry_run);
    lb_report_in_use_text(v);
    lb_report_words_text(v);
    lb_report_unusable_text(v);
    faults_text(v);
    lb_report_slots_text(v);
}

static void explain_json(const struct lb_view *v)
{
    lb_json_string(v->out, "dry_run", v->dry_run);
    lb_report_in_use_json(v);
    lb_report_words_json(v);
    lb_report_unusable_json(v);
    faults_json(v);
    start_json(v);
    lb_report_slots_json(v);
}

static void write_json(const struct lb_view *v, enum lb_report_kind kind,
                       const struct lb_fact *facts, size_t count)
{
    lb_json_open(v->out, NULL, '{');
    if (kind == LB_REPORT_LIST)
        lb_report_list_json(v);
    else if (kind == LB_REPORT_INFO)
        info_json(v, facts, count);
    else
        explain_json(v);
    lb_json_close(v->out, '}');
    lb_text_put(v->out, "\n");
}

static void write_text(const struct lb_view *v, enum lb_report_kind kind,
                       const struct lb_fact *facts, size_t count)
{
    if (kind == LB_REPORT_LIST)
        lb_report_list_text(v);
    else if (kind == LB_REPORT_INFO)
        info_text(v, facts, count);
    else
        explain_text(v);
}

/* The plan is looked at first, since the modules that it opened belong to the view. */
static gpg_error_t write_report(char **text, const struct lb_plan *plan, enum lb_report_kind kind,
                                int json, const struct lb_fact *facts, size_t count,
                                const char *dry_run)
{
    struct lb_text out = {0};
    struct lb_view v = {.out = &out, .plan = plan, .dry_run = dry_run};

    v.registry = lb_registry();
    v.policy = lb_plan_policy(plan);
    if (json)
        write_json(&v, kind, facts, count);
    else
        write_text(&v, kind, facts, count);
    if (out.failed || !out.data) {
        free(out.data);
        *text = NULL;
        return lb_error(GPG_ERR_ENOMEM, "out of memory for a report");
    }
    *text = out.data;
    return 0;
}

gpg_error_t lb_report(char **text, enum lb_report_kind kind, int json, const struct lb_fact *facts,
                      size_t count)
{
    if (kind == LB_REPORT_LIST)
        lb_registry_open_all();
    return write_report(text, lb_plan_latest(), kind, json, facts, count, NULL);
}

gpg_error_t lb_report_dry_run(char **text, int json, const struct lb_asked *asked, const char *what)
{
    struct lb_plan *plan = lb_plan_try(asked);
    gpg_error_t err;

    *text = NULL;
    if (!plan)
        return lb_error(GPG_ERR_ENOMEM, "out of memory for a plan");
    err = write_report(text, plan, LB_REPORT_EXPLAIN, json, NULL, 0, what);
    lb_plan_discard(plan);
    return err;
}
