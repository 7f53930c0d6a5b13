/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernels [PROVIDER[/TIER] [SLOT-GLOB]] - puts the level 1 kernels of the tiers named, or of all that
 * can be used here, through everything: comparison with the plain reference at 1 to 130 limbs with
 * every aliasing and between unreadable pages, calling convention, a signal after each instruction
 * with unwinding, a storm of signals, hit flags; then their speed beside portable's. One line for
 * each check. Exit status 0: all well, 1: a fault, 2: no such tier or slot.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "dispatch/dispatch.h"
#include "dispatch/registry.h"
#include "tests/kernels.h"
#include "tests/slots.h"

static int faults;

static void verdict(const struct kernels_subject *s, const char *check, const char *fault,
                    const char *detail)
{
    printf("%-6s %-18s %-22s %s\n", fault ? "FAULT" : "ok", s->label, check,
           fault ? fault : detail);
    fflush(stdout);
    faults += fault != NULL;
}

static void compare(const struct kernels_subject *s)
{
    struct slots_report report = {.label = s->label, .glob = s->glob};
    struct limbic_ops row = *lb_row_portable(256);
    char detail[64];

    row.limbs = *s->limbs;
    for (size_t n = 1; n <= KERNELS_MAX_LIMBS; n++)
        slots_check_limbs(&row, n, &report);
    snprintf(detail, sizeof detail, "%lu cases, 1 to %d limbs", report.cases, KERNELS_MAX_LIMBS);
    verdict(s, "reference, guards", report.failures ? report.first : NULL, detail);
}

/* The kernels under Montgomery arithmetic. */
static void compare_above(const struct kernels_subject *s)
{
    static const size_t sizes[] = {1, 4, 9, 16, 24, 33};
    struct slots_report report = {.label = s->label};
    char detail[64];

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct limbic_ops row = *lb_row_portable(sizes[i] * LIMBIC_LIMB_BITS);

        row.limbs = *s->limbs;
        slots_check_moduli(&row, sizes[i], &report);
    }
    snprintf(detail, sizeof detail, "%lu cases", report.cases);
    verdict(s, "level 2 over them", report.failures ? report.first : NULL, detail);
}

static void step(const struct kernels_subject *s)
{
    unsigned long steps, all = 0;
    const char *fault = NULL;
    char detail[64];

    for (size_t n = 1; n <= 50 && !fault; n++) {
        fault = kernels_check_steps(s, n, &steps);
        all += steps;
    }
    snprintf(detail, sizeof detail, "%lu instructions, unwound from each", all);
    verdict(s, "signal at each step", fault, detail);
}

static void storm(const struct kernels_subject *s)
{
    unsigned long signals;
    const char *fault = kernels_check_storm(s, 2, &signals);
    char detail[64];

    snprintf(detail, sizeof detail, "%lu signals", signals);
    verdict(s, "signal storm", fault, detail);
}

static void measure(const struct kernels_subject *s)
{
    static const size_t sizes[] = {4, 8, 16, 32, 64};
    const struct limbic_limb_slots *portable = &lb_row_portable(256)->limbs;

    printf("\n%-18s %-13s  ns at 4, 8, 16, 32, 64 limbs (portable's time / its own)\n", s->label,
           "");
    for (int slot = 0; slot <= LIMBIC_SLOT_SQR_VARTIME; slot++) {
        const char *name = lb_slot_by_id((enum limbic_slot)slot)->name;

        if (!kernels_wanted(s, name))
            continue;
        printf("%-18s %-13s", s->label, name);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct kernels_call c;
            double own, other;

            kernels_prepare(&c, portable, (enum limbic_slot)slot, sizes[i], 1);
            other = kernels_time(&c);
            kernels_prepare(&c, s->limbs, (enum limbic_slot)slot, sizes[i], 1);
            own = kernels_time(&c);
            printf("  %8.1f (%.2f)", own, other / own);
        }
        printf("\n");
    }
    printf("\n");
}

static void everything(const struct kernels_subject *s)
{
    compare(s);
    if (!s->glob)
        compare_above(s);
    if (kernels_convention_watched()) {
        verdict(s, "calling convention", kernels_check_convention(s, KERNELS_MAX_LIMBS),
                kernels_state_watched() ? "" : "(vector state not watched: the CPU does not tell)");
        step(s);
    } else {
        printf("%-6s %-18s %-22s no watched call for this host\n", "-", s->label,
               "calling convention");
    }
    storm(s);
    verdict(s, "hit flags", s->hits ? kernels_check_hits(s) : NULL, s->hits ? "" : "(it has none)");
    measure(s);
}

/* Whether a word PROVIDER or PROVIDER/TIER names the subject. */
static int named(const char *word, const char *label)
{
    size_t length = strlen(word);

    return strncmp(word, label, length) == 0 && (label[length] == '\0' || label[length] == '/');
}

static int slot_exists(const char *glob)
{
    for (int slot = 0; slot <= LIMBIC_SLOT_SQR_VARTIME; slot++)
        if (fnmatch(glob, lb_slot_by_id((enum limbic_slot)slot)->name, 0) == 0)
            return 1;
    return 0;
}

static void list_unusable(void)
{
    const struct lb_registry *registry = lb_registry();

    for (unsigned i = 0; i < registry->tier_count; i++) {
        char name[LB_TIER_NAME_SIZE];

        lb_tier_name(name, i);
        if (registry->tier[i].state != LB_USABLE)
            printf("%-6s %-18s %s\n", "-", name, registry->tier[i].why);
    }
}

int main(int argc, char **argv)
{
    struct kernels_subject subjects[KERNELS_SUBJECTS];
    unsigned count = kernels_subjects(subjects), done = 0;

    if (argc > 3 || (argc > 2 && !slot_exists(argv[2]))) {
        fprintf(stderr, "usage: kernels [PROVIDER[/TIER] [SLOT-GLOB]], slots of level 1\n");
        return 2;
    }
    for (unsigned i = 0; i < count; i++) {
        if (argc > 1 && !named(argv[1], subjects[i].label))
            continue;
        subjects[i].glob = argc > 2 ? argv[2] : NULL;
        everything(&subjects[i]);
        done++;
    }
    list_unusable();
    if (done == 0) {
        fprintf(stderr, "kernels: no tier of that name can be used here\n");
        return 2;
    }
    printf("%d fault%s\n", faults, faults == 1 ? "" : "s");
    return faults != 0;
}
