/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel harness: subjects, the rows that their kernels stand in, hit flags.
 */
#define _GNU_SOURCE 1    /* dladdr */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <dlfcn.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/dispatch.h"
#include "dispatch/module.h"
#include "dispatch/resolve.h"
#include "providers/native/native.h"
#include "providers/native/portable/portable.h"
#include "tests/kernels.h"

/* The tiers that are built in have flags; a new one has a line here. */
static const struct {
    const char *label;
    unsigned char *hits;
} flags[] = {
    {"portable", lb_portable_hits},
    {"native/baseline", lb_native_baseline_hits},
    {"native/adx", lb_native_adx_hits},
};
#define FLAGS (sizeof flags / sizeof *flags)

static struct kernels_subject subject_of(const struct lb_tier_entry *entry, const char *label)
{
    struct kernels_subject s = {.label = label, .tier = entry->tier, .limbs = entry->tier->limbs};

    s.moduli = lb_tier_level(entry->tier, 2);
    if (s.moduli)
        s.family = (unsigned)entry->family[2];
    s.is_module = lb_registry()->provider[entry->provider].is_module;
    for (size_t k = 0; k < FLAGS; k++)
        if (strcmp(flags[k].label, label) == 0)
            s.hits = flags[k].hits;
    return s;
}

unsigned kernels_subjects(struct kernels_subject subjects[KERNELS_SUBJECTS])
{
    static char labels[KERNELS_SUBJECTS][LB_TIER_NAME_SIZE];
    const struct lb_registry *registry = lb_registry();
    unsigned count = 0;

    for (unsigned i = 0; i < registry->tier_count; i++) {
        const struct lb_tier_entry *entry = &registry->tier[i];

        if (entry->state != LB_USABLE || (!entry->tier->limbs && !entry->tier->moduli))
            continue;
        lb_tier_name(labels[count], i);
        subjects[count] = subject_of(entry, labels[count]);
        count++;
    }
    return count;
}

const struct kernels_subject *kernels_reference(void)
{
    static struct kernels_subject reference;

    if (!reference.label) {
        const struct limbic_ops *row = lb_row_portable(256);

        reference = (struct kernels_subject){
            .label = "reference", .limbs = &row->limbs, .moduli = &row->moduli};
        reference.family = row->family[LIMBIC_SLOT_MONT_MUL];
    }
    return &reference;
}

/* ---- Modules by name and path ---------------------------------------------------------------- */

#define PREFIX "limbic-provider-"
#define SUFFIX ".so"

/* The directory of the file becomes the module directory, under the same rules as any. */
static int open_path(const char *path, char name[LB_NAME_MAX + 1], char *why, size_t size)
{
    static char *directory; /* for good: modules of it may be opened later */
    char *file, *whole = realpath(path, NULL);
    size_t length;

    if (!whole) {
        snprintf(why, size, "no such file: %s", path);
        return -1;
    }
    directory = whole;
    file = strrchr(whole, '/') + 1;
    length = strlen(file);
    if (length <= strlen(PREFIX SUFFIX) || length - strlen(PREFIX SUFFIX) > LB_NAME_MAX ||
        strncmp(file, PREFIX, strlen(PREFIX)) != 0 ||
        strcmp(file + length - strlen(SUFFIX), SUFFIX) != 0) {
        snprintf(why, size, "a module's file is named " PREFIX "NAME" SUFFIX ": %s", file);
        return -1;
    }
    snprintf(name, LB_NAME_MAX + 1, "%.*s", (int)(length - strlen(PREFIX SUFFIX)),
             file + strlen(PREFIX));
    file[-1] = '\0';
    if (lb_registry_provider(name) >= 0 &&
        lb_registry()->provider[lb_registry_provider(name)].state == LB_USABLE) {
        snprintf(why, size, "a provider %s is there already", name);
        return -1;
    }
    lb_test_module_directory(directory);
    return 0;
}

int kernels_open(const char *name_or_path, char name[LB_NAME_MAX + 1], char *why, size_t size)
{
    int index;

    if (strstr(name_or_path, SUFFIX)) {
        if (open_path(name_or_path, name, why, size) != 0)
            return -1;
    } else {
        snprintf(name, LB_NAME_MAX + 1, "%.*s", (int)strcspn(name_or_path, "/"), name_or_path);
    }
    index = lb_registry_open(name, why, size);
    if (index < 0)
        return -1;
    if (lb_registry()->provider[index].state == LB_USABLE)
        return 0;
    snprintf(why, size, "%s", lb_registry()->provider[index].why);
    return -1;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static lb_kernel kernel_of(const struct kernels_subject *s, const struct lb_slot *slot)
{
    const void *table = slot->level == 1   ? (const void *)s->limbs
                        : slot->level == 2 ? (const void *)s->moduli
                                           : NULL;

    return table ? lb_table_kernel(table, slot) : NULL;
}

static int has(const struct kernels_subject *s, const struct lb_slot *slot, size_t n)
{
    if (!kernel_of(s, slot))
        return 0;
    return slot->level == 1 || !s->tier ||
           lb_tier_serves(s->tier, slot, lb_size_class(n * LIMBIC_LIMB_BITS));
}

int kernels_has(const struct kernels_subject *s, const struct lb_slot *slot, size_t n)
{
    return has(s, slot, n) && (!s->glob || fnmatch(s->glob, slot->name, 0) == 0);
}

void kernels_row(const struct kernels_subject *s, size_t n, struct limbic_ops *row)
{
    *row = *lb_row_portable(n * LIMBIC_LIMB_BITS);
    if (s->limbs)
        row->limbs = *s->limbs;
    for (size_t i = 0; i < lb_slot_count; i++) {
        const struct lb_slot *slot = &lb_slots[i];
        lb_kernel kernel = kernel_of(s, slot);

        if (slot->level != 2 || !has(s, slot, n))
            continue;
        memcpy((char *)row + slot->ops_offset, &kernel, sizeof kernel);
        row->family[slot->id] = (uint8_t)s->family;
    }
}

/* ---- Who ran --------------------------------------------------------------------------------- */

const char *kernels_fault(const struct kernels_subject *s, const struct kernels_call *c,
                          const char *what)
{
    static char text[240];

    snprintf(text, sizeof text, "%s: %s at %zu limbs: %s", s->label, c->slot, c->n, what);
    return text;
}

/* A tier may have another tier's kernel in a slot: the flags are those of the last tier that has it,
   since tiers stand best first and take from those below. */
static const unsigned char *home(const struct kernels_subject *s, const struct lb_slot *slot)
{
    static struct kernels_subject all[KERNELS_SUBJECTS];
    static unsigned count;
    const unsigned char *hits = s->hits;

    if (count == 0)
        count = kernels_subjects(all);
    for (unsigned i = 0; i < count; i++)
        if (s->hits && all[i].hits && kernel_of(&all[i], slot) == kernel_of(s, slot))
            hits = all[i].hits;
    return hits;
}

/* At level 2 a kernel may use the limb functions of its row, and its own fellows. */
static int may_be_set(const struct kernels_subject *s, const struct kernels_call *c,
                      const unsigned char *hits, int slot)
{
    const unsigned char *of_row = s->limbs ? s->hits : lb_portable_hits;

    if (c->id < LIMBIC_SLOT_MONT_MUL)
        return 0;
    return hits == s->hits || (hits == of_row && slot < LIMBIC_SLOT_MONT_MUL);
}

static const char *wrong_hits(const struct kernels_subject *s, const struct kernels_call *c)
{
    const unsigned char *own = home(s, lb_slot_by_id(c->id));

    for (size_t k = 0; k < FLAGS; k++)
        for (int i = 0; i < LIMBIC_SLOT_COUNT; i++) {
            int must = flags[k].hits == own && i == (int)c->id;

            if (must ? !flags[k].hits[i] : flags[k].hits[i] && !may_be_set(s, c, flags[k].hits, i))
                return "the hit flags name another kernel";
        }
    return NULL;
}

const char *kernels_check_hits(const struct kernels_subject *s)
{
    for (size_t i = 0; i < lb_slot_count; i++) {
        struct kernels_call c;
        const char *what;
        size_t n = 33;

        while (n > 1 && !kernels_has(s, &lb_slots[i], n))
            n--;
        if (!kernels_has(s, &lb_slots[i], n))
            continue;
        kernels_prepare(&c, s, &lb_slots[i], n, 1);
        for (size_t k = 0; k < FLAGS; k++)
            memset(flags[k].hits, 0, LIMBIC_SLOT_COUNT);
        kernels_make(&c);
        if ((what = wrong_hits(s, &c)))
            return kernels_fault(s, &c, what);
    }
    return NULL;
}

const char *kernels_object(const struct kernels_subject *s)
{
    const char *slash;
    Dl_info info;

    for (size_t i = 0; i < lb_slot_count; i++) {
        lb_kernel kernel = kernel_of(s, &lb_slots[i]);

        if (!kernel || !dladdr((void *)(uintptr_t)kernel, &info) || !info.dli_fname)
            continue;
        slash = strrchr(info.dli_fname, '/');
        return slash ? slash + 1 : info.dli_fname;
    }
    return "";
}
