/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of a report, each as text and as JSON. Every part is a function of one look at the
 * state.
 */
#ifndef LB_DISPATCH_REPORT_VIEW_H
#define LB_DISPATCH_REPORT_VIEW_H

#include "dispatch/plan.h"
#include "dispatch/text.h"

struct lb_view {
    struct lb_text *out;
    const struct lb_registry *registry;
    const struct lb_policy *policy;
    const struct lb_plan *plan;
    const char *dry_run; /* what it is a dry run of, NULL for what is in force */
};

/* The beginning of a line of text, and the rest of it from elsewhere, with a newline. */
void lb_report_label(struct lb_text *out, const char *name);
void lb_report_line(struct lb_text *out, const char *name, const char *value);

/* Who asked for a setting: the members "origin", "word", "file" and "line", null if it stands in
   no words, or in no file (report-words.c). */
void lb_report_source_json(struct lb_text *out, struct lb_source source);

/* "" becomes null in JSON. */
static inline const char *lb_or_null(const char *string)
{
    return *string ? string : NULL;
}

/* Every provider with its tiers (report-list.c). */
void lb_report_list_text(const struct lb_view *v);
void lb_report_list_json(const struct lb_view *v);

/* Who computes: the active tiers, with version and how many slots each fills (report-list.c). */
void lb_report_in_use_text(const struct lb_view *v);
void lb_report_in_use_json(const struct lb_view *v);

/* What is refused or not there (report-list.c). */
void lb_report_unusable_text(const struct lb_view *v);
void lb_report_unusable_json(const struct lb_view *v);

/* The words in force and what they gave (report-words.c). */
void lb_report_words_text(const struct lb_view *v);
void lb_report_words_json(const struct lb_view *v);

/* Every slot (report-slots.c). */
void lb_report_slots_text(const struct lb_view *v);
void lb_report_slots_json(const struct lb_view *v);

#endif
