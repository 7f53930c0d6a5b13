/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ct-kernels PROVIDER[/TIER]... - that no branch and no address of a kernel of class secret-ok depends
 * on a secret: the program of `make check-ct-kernels`. Runs under valgrind's memcheck, with the build
 * of the library in which LB_DECLASSIFY is real, and calls every kernel of levels 1 and 2 that can be
 * used here, also those of modules, with secrets that memcheck takes for undefined (as
 * tests/ct-check.c does for whole operations). The tiers named must be among them.
 *
 * Prints TAP. The first cases are leaks made on purpose, which must be reported.
 */
#define LIMBIC_TESTING 1 /* the hooks of the test build */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/memcheck.h>

#include "dispatch/cpu.h"
#include "tests/kernels.h"

typedef limbic_limb_t limb;

static unsigned cases, failures;
static struct kernels_subject subjects[KERNELS_SUBJECTS];
static unsigned count;

static void result(int right, const char *label, const char *what, const char *detail)
{
    failures += !right;
    printf("%s %u - %s: %s\n# %s: %s: %s\n", right ? "ok" : "not ok", ++cases, label, what, label,
           what, detail);
    fflush(stdout);
}

static void skip(const char *label, const char *why)
{
    printf("ok %u - %s # SKIP %s\n", ++cases, label, why);
}

/* ---- One slot ---------------------------------------------------------------------------------- */

static void secret(void *p, size_t size)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(p, size);
}

/* Level 1 at every size to 70 limbs, into the ranges of Karatsuba and Toom; of level 2 fewer. */
static int worth_it(const struct lb_slot *slot, size_t n)
{
    if (slot->level == 1)
        return n <= 70;
    return n <= 9 || n == 12 || n == 16 || n == 17 || n == 24 || n == 32 || n == 33 || n == 48;
}

struct tally {
    unsigned long reports, calls;
    const char *fault;
};

/* The count of reports begins before the subject's prepared state is made, which is of a secret
   modulus too. The result must be right, so it is made public afterwards. */
static void call_once(const struct kernels_subject *s, const struct lb_slot *slot, size_t n,
                      unsigned turn, struct tally *t)
{
    unsigned long before = VALGRIND_COUNT_ERRORS;
    struct kernels_call c;
    const char *what;

    kernels_prepare(&c, s, slot, n, turn);
    kernels_make(&c);
    t->reports += VALGRIND_COUNT_ERRORS - before;
    t->calls++;
    (void)VALGRIND_MAKE_MEM_DEFINED(c.memory, c.size);
    (void)VALGRIND_MAKE_MEM_DEFINED(&c, sizeof c);
    if (!t->fault && (what = kernels_verdict(&c)))
        t->fault = kernels_fault(s, &c, what);
}

static struct tally call_all(const struct kernels_subject *s, const struct lb_slot *slot)
{
    struct tally t = {.reports = 0};

    kernels_secret = secret;
    for (size_t n = 1; n <= KERNELS_MAX_LIMBS; n++)
        for (unsigned turn = 0; turn < 2; turn++) /* moduli that are secret, and not */
            if (worth_it(slot, n) && kernels_has(s, slot, n))
                call_once(s, slot, n, (unsigned)n + turn, &t);
    kernels_secret = NULL;
    return t;
}

/* ---- Controls ---------------------------------------------------------------------------------- */

static void control(const char *name, const struct kernels_subject *s, enum limbic_slot slot,
                    int leaks)
{
    struct tally t = call_all(s, lb_slot_by_id(slot));
    char detail[64];

    snprintf(detail, sizeof detail, "%lu reports in %lu calls", t.reports, t.calls);
    result(t.calls > 0 && !t.fault && (t.reports != 0) == leaks, "control", name, detail);
}

static struct limbic_limb_slots limbs;
static struct limbic_mod_slots moduli;
static const struct limbic_limb_slots *good_limbs;
static const struct limbic_mod_slots *good_moduli;

/* Asks of the carry. */
static limb leaky_add(limb *r, const limb *a, const limb *b, size_t n)
{
    limb carry = good_limbs->add(r, a, b, n);

    if (carry)
        __asm__ volatile("" : : : "memory");
    return carry;
}

/* Looks up by the index. */
static void leaky_table_select(limb *r, const limb *table, size_t entries, size_t n, size_t index)
{
    (void)entries;
    memcpy(r, table + index * n, n * sizeof *r);
}

/* Asks of the modulus. */
static void leaky_mont_mul(const struct limbic_ops *ops, const struct limbic_modulus *m, limb *r,
                           const limb *a, const limb *b, limb *scratch)
{
    if (m->m[0] & 2)
        __asm__ volatile("" : : : "memory");
    good_moduli->mont_mul(ops, m, r, a, b, scratch);
}

/* GMP's product for public data, where a secret's should be: from the library that the module has
   loaded, since nothing else here may know GMP. */
static void (*public_product)(limb *, const limb *, const limb *, long);

static void planted_mul(limb *r, const limb *a, size_t an, const limb *b, size_t bn, limb *scratch)
{
    if (an == bn)
        public_product(r, a, b, (long)an);
    else
        good_limbs->mul(r, a, an, b, bn, scratch);
}

static int find_public_product(void)
{
    void *gmp = dlopen("libgmp.so.10", RTLD_NOW | RTLD_NOLOAD), *symbol;

    symbol = gmp ? dlsym(gmp, "__gmpn_mul_n") : NULL;
    memcpy(&public_product, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void controls(void)
{
    struct kernels_subject s = *kernels_reference();

    limbs = *(good_limbs = s.limbs);
    moduli = *(good_moduli = s.moduli);
    limbs.add = leaky_add;
    limbs.table_select = leaky_table_select;
    moduli.mont_mul = leaky_mont_mul;
    control("a clean kernel is not reported", &s, LIMBIC_SLOT_MUL, 0);
    s.limbs = &limbs;
    s.moduli = &moduli;
    control("a branch is reported", &s, LIMBIC_SLOT_ADD, 1);
    control("an index is reported", &s, LIMBIC_SLOT_TABLE_SELECT, 1);
    control("a branch on a secret modulus is reported", &s, LIMBIC_SLOT_MONT_MUL, 1);
    if (find_public_product()) {
        limbs.mul = planted_mul;
        control("mpn_mul_n in the slot mul is reported", &s, LIMBIC_SLOT_MUL, 1);
    } else {
        skip("control: mpn_mul_n in the slot mul is reported", "no GMP in this process");
    }
}

/* ---- All --------------------------------------------------------------------------------------- */

static void check_slot(const struct kernels_subject *s, const struct lb_slot *slot)
{
    struct tally t = call_all(s, slot);
    char detail[320];

    if (t.calls == 0)
        return;
    snprintf(detail, sizeof detail, "%lu reports in %lu calls%s%s", t.reports, t.calls,
             t.fault ? "; " : "", t.fault ? t.fault : "");
    result(t.reports == 0 && !t.fault, s->label, slot->name, detail);
}

/* That what was called is what was meant: the subject's hit flags, or a module's file. */
static void check_identity(const struct kernels_subject *s)
{
    const char *fault = kernels_check_hits(s);
    char file[64];

    snprintf(file, sizeof file, "limbic-provider-%.*s.so", (int)strcspn(s->label, "/"), s->label);
    if (!fault && (strcmp(kernels_object(s), file) == 0) != s->is_module)
        fault = "the kernels are not in the provider's file";
    result(!fault, s->label, "its own kernels ran", fault ? fault : kernels_object(s));
}

static void check_subject(const struct kernels_subject *s)
{
    check_identity(s);
    for (size_t i = 0; i < lb_slot_count; i++) {
        if (lb_slots[i].ct == LIMBIC_CT_SECRET_OK)
            check_slot(s, &lb_slots[i]);
        else if (kernels_has(s, &lb_slots[i], 8))
            printf("# %s: %s: public-only, gets no secrets\n", s->label, lb_slots[i].name);
    }
}

static void report_unusable(void)
{
    const struct lb_registry *registry = lb_registry();

    for (unsigned i = 0; i < registry->tier_count; i++) {
        char name[LB_TIER_NAME_SIZE];

        lb_tier_name(name, i);
        if (registry->tier[i].state != LB_USABLE)
            skip(name, registry->tier[i].why);
    }
}

static void check_expected(const char *label)
{
    int there = 0;

    for (unsigned i = 0; i < count; i++)
        there |= strcmp(subjects[i].label, label) == 0;
    if (!there)
        result(0, label, "is there", "it cannot be used in this process");
}

/* Valgrind carries out adcx and adox on any CPU, and CPUID under it never says so. */
static void show_what_valgrind_hides(void)
{
    lb_test_cpu_has(lb_cpu_present() | lb_cpu_named("adx"));
}

int main(int argc, char **argv)
{
    if (!RUNNING_ON_VALGRIND) {
        printf("1..0 # SKIP this program runs under valgrind\n");
        return 77;
    }
    show_what_valgrind_hides();
    lb_registry_open_all();
    count = kernels_subjects(subjects);
    controls();
    for (int i = 1; i < argc; i++)
        check_expected(argv[i]);
    for (unsigned i = 0; i < count; i++)
        check_subject(&subjects[i]);
    report_unusable();
    printf("1..%u\n# %u cases, %u wrong\n", cases, cases, failures);
    return failures != 0;
}
