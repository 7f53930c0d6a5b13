/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernels [PROVIDER[/TIER]|FILE.so [SLOT-GLOB]] - puts the kernels, of levels 1 and 2, of the tiers
 * named, or of all that can be used here, modules too, through everything: comparison with the plain
 * reference at 1 to 130 limbs with every aliasing and between unreadable pages, calling convention, a
 * signal after each instruction with unwinding, a storm of signals, hit flags; then their speed beside
 * the reference's. One line for each check, and one for each that cannot be made, with the reason.
 * Exit status 0: all well, 1: a fault, 2: no such tier or slot.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "dispatch/dispatch.h"
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

static void not_made(const struct kernels_subject *s, const char *check, const char *why)
{
    printf("%-6s %-18s %-22s %s\n", "-", s->label, check, why);
    fflush(stdout);
}

/* Which of the subject's kernels a level has, for those that have none. */
static int has_level(const struct kernels_subject *s, unsigned level)
{
    for (size_t i = 0; i < lb_slot_count; i++)
        for (size_t n = 1; n <= KERNELS_MAX_LIMBS && lb_slots[i].level == level; n++)
            if (kernels_has(s, &lb_slots[i], n))
                return 1;
    return 0;
}

static void compare(const struct kernels_subject *s)
{
    struct slots_report report = {.label = s->label, .glob = s->glob};
    char detail[64];

    for (size_t n = 1; n <= KERNELS_MAX_LIMBS; n++) {
        struct limbic_ops row;

        kernels_row(s, n, &row);
        slots_check_limbs(&row, n, &report);
    }
    snprintf(detail, sizeof detail, "%lu cases, 1 to %d limbs", report.cases, KERNELS_MAX_LIMBS);
    verdict(s, "reference, guards", report.failures ? report.first : NULL, detail);
}

static void compare_moduli(const struct kernels_subject *s)
{
    struct slots_report report = {.label = s->label, .glob = s->glob, .has = s->moduli};
    char detail[64];

    for (size_t n = 1; n <= KERNELS_MAX_LIMBS; n++) {
        struct limbic_ops row;

        kernels_row(s, n, &row);
        slots_check_moduli(&row, n, &report);
    }
    snprintf(detail, sizeof detail, "%lu cases, 1 to %d limbs", report.cases, KERNELS_MAX_LIMBS);
    verdict(s, "reference, level 2", report.failures ? report.first : NULL, detail);
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

/* Level 1 at all sizes to 50 limbs; at level 2, where one call has thousands of instructions, at those
   where loops begin and end. */
static int worth_a_step(const struct lb_slot *slot, size_t n)
{
    return slot->level == 1 || n <= 9 || n == 12 || n == 16 || n == 17 || n == 24 || n == 25;
}

/* A slot whose calls grow longer than this is stepped through at no larger sizes, and the line says so. */
#define LONG_CALL 200000

static const char *step_slot(const struct kernels_subject *s, const struct lb_slot *slot,
                             struct kernels_steps *all, char *cut, size_t size)
{
    struct kernels_subject one = *s;
    const size_t last = slot->level == 1 ? 50 : 25;
    const char *fault = NULL;

    one.glob = slot->name;
    for (size_t n = 1; n <= last && !fault; n++) {
        unsigned long before = all->own + all->foreign;

        if (!kernels_has(s, slot, n) || !worth_a_step(slot, n))
            continue;
        fault = kernels_check_steps(&one, n, all);
        if (all->own + all->foreign - before > LONG_CALL && n < last) {
            size_t used = strlen(cut);

            snprintf(cut + used, size - used, "%s %s to %zu", used ? "," : "; for their length",
                     slot->name, n);
            break;
        }
    }
    return fault;
}

static void step(const struct kernels_subject *s)
{
    struct kernels_steps steps = {.own = 0};
    const char *fault = NULL;
    char detail[640], cut[256] = "";
    int length;

    for (size_t i = 0; i < lb_slot_count && !fault; i++)
        if (lb_slots[i].level <= 2)
            fault = step_slot(s, &lb_slots[i], &steps, cut, sizeof cut);
    length = snprintf(detail, sizeof detail, "%lu instructions, unwound from each%s%s", steps.own,
                      cut, *cut ? " limbs only" : "");
    if (steps.foreign)
        snprintf(detail + length, sizeof detail - (size_t)length,
                 "; %lu in %s, not unwound from: frames that are not the provider's", steps.foreign,
                 steps.others);
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

static double time_of(const struct kernels_subject *s, const struct lb_slot *slot, size_t n)
{
    struct kernels_call c;

    kernels_prepare_whole(&c, s, slot, n);
    return kernels_time(&c);
}

/* Powers of 64 limbs would take minutes. */
static void measure(const struct kernels_subject *s)
{
    static const size_t sizes[] = {4, 8, 16, 32, 64};

    printf("\n%-18s %-17s  ns at 4, 8, 16, 32, 64 limbs (portable's time / its own)\n", s->label,
           "");
    for (size_t k = 0; k < lb_slot_count; k++) {
        const struct lb_slot *slot = &lb_slots[k];
        int power = strncmp(slot->name, "mont_pow", 8) == 0;

        if (slot->level > 2 || !kernels_has(s, slot, 4))
            continue;
        printf("%-18s %-17s", s->label, slot->name);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            double own, other;

            if (!kernels_has(s, slot, sizes[i]) || (power && sizes[i] > 32)) {
                printf("  %8s %6s", "-", "");
                continue;
            }
            other = time_of(kernels_reference(), slot, sizes[i]);
            own = time_of(s, slot, sizes[i]);
            printf("  %8.1f (%.2f)", own, other / own);
        }
        printf("\n");
    }
    printf("\n");
}

static void hits(const struct kernels_subject *s)
{
    if (!s->hits && strncmp(s->label, "native", strlen("native")) == 0)
        verdict(s, "hit flags", "a tier of native without flags in tests/kernels-subject.c", "");
    else
        verdict(s, "hit flags", kernels_check_hits(s),
                s->hits        ? ""
                : s->is_module ? "none of its own, being a module; it sets nobody else's"
                               : "none of its own; it sets nobody else's");
}

static void everything(const struct kernels_subject *s)
{
    printf("%-6s %-18s %-22s %s\n", "", s->label, "in", kernels_object(s));
    if (has_level(s, 1))
        compare(s);
    if (has_level(s, 2))
        compare_moduli(s);
    if (s->limbs && !s->glob)
        compare_above(s);
    if (kernels_convention_watched()) {
        verdict(s, "calling convention", kernels_check_convention(s, KERNELS_MAX_LIMBS),
                kernels_state_watched() ? "" : "(vector state not watched: the CPU does not tell)");
        step(s);
    } else {
        not_made(s, "calling convention", "no watched call for this host");
        not_made(s, "signal at each step", "no watched call for this host");
    }
    storm(s);
    hits(s);
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
    for (size_t i = 0; i < lb_slot_count; i++)
        if (lb_slots[i].level <= 2 && fnmatch(glob, lb_slots[i].name, 0) == 0)
            return 1;
    return 0;
}

static void list_unusable(void)
{
    const struct lb_registry *registry = lb_registry();

    for (unsigned i = 0; i < registry->provider_count; i++)
        if (registry->provider[i].state != LB_USABLE)
            printf("%-6s %-18s %s\n", "-", registry->provider[i].name, registry->provider[i].why);
    for (unsigned i = 0; i < registry->tier_count; i++) {
        char name[LB_TIER_NAME_SIZE];

        lb_tier_name(name, i);
        if (registry->tier[i].state != LB_USABLE)
            printf("%-6s %-18s %s\n", "-", name, registry->tier[i].why);
    }
}

/* Opens what the word names, and writes the word for its tiers. 0, or -1 after a message. */
static int open_named(const char *word, char *tiers, size_t size)
{
    char name[LB_NAME_MAX + 1], why[LB_WHY_SIZE];

    if (kernels_open(word, name, why, sizeof why) != 0) {
        fprintf(stderr, "kernels: %s: %s\n", word, why);
        return -1;
    }
    snprintf(tiers, size, "%s", strstr(word, ".so") ? name : word);
    return 0;
}

int main(int argc, char **argv)
{
    static struct kernels_subject subjects[KERNELS_SUBJECTS];
    char tiers[LB_TIER_NAME_SIZE] = "";
    unsigned count, done = 0;

    if (argc > 3 || (argc > 2 && !slot_exists(argv[2]))) {
        fprintf(stderr,
                "usage: kernels [PROVIDER[/TIER]|FILE.so [SLOT-GLOB]], slots of level 1 or 2\n");
        return 2;
    }
    if (argc == 1)
        lb_registry_open_all();
    else if (open_named(argv[1], tiers, sizeof tiers) != 0)
        return 2;
    count = kernels_subjects(subjects);
    for (unsigned i = 0; i < count; i++) {
        if (argc > 1 && !named(tiers, subjects[i].label))
            continue;
        subjects[i].glob = argc > 2 ? argv[2] : NULL;
        if (!has_level(&subjects[i], 1) && !has_level(&subjects[i], 2)) {
            not_made(&subjects[i], "all", "it has no such kernel");
            continue;
        }
        everything(&subjects[i]);
        done++;
    }
    list_unusable();
    if (done == 0) {
        fprintf(stderr, "kernels: no tier and kernel of that name can be used here\n");
        return 2;
    }
    printf("%d fault%s\n", faults, faults == 1 ? "" : "s");
    return faults != 0;
}
