/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel harness: the calling convention, instruction by instruction where that is asked for,
 * and signals. The watched call is in kernels-x86_64.S; on other hosts only the storm is run.
 */
#define _GNU_SOURCE 1 /* dl_iterate_phdr, registers of a context */

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "tests/kernels.h"

#if defined __x86_64__ && defined __LP64__ && defined __ELF__ && LIMBIC_LIMB_BITS == 64
#define WATCHED 1
#include <cpuid.h>
#else
#define WATCHED 0
#endif

int kernels_convention_watched(void)
{
    return WATCHED;
}

#if WATCHED
/* As kernels-x86_64.S has it. */
struct kernels_frame {
    void (*function)(void);
    uint64_t argument[6];
    uint64_t result;
    uint64_t poison[6], saved[6]; /* rbx rbp r12 r13 r14 r15 */
    uint64_t rflags;
    uint64_t stack, stack_after;
    uint64_t above; /* 1 if the stack above the return address was written */
    uint64_t trap;  /* 1: stop after each instruction */
    uint64_t ask_in_use, in_use;
    uint32_t mxcsr, mxcsr_after;
    uint16_t x87, x87_after;
    uint32_t unused;
    uint32_t environment[7]; /* of the x87: the third word is that of the tags */
    uint32_t unused_too;
    uint64_t seventh, has_seventh; /* the argument on the stack */
};
_Static_assert(offsetof(struct kernels_frame, environment) == 232, "the assembly's offsets");
_Static_assert(offsetof(struct kernels_frame, seventh) == 264, "the assembly's offsets");

void lb_kernels_call(struct kernels_frame *frame);
uint64_t lb_kernels_in_use(void);

#define DIRECTION 0x400u
#define UPPER_HALVES 0x44u /* of ymm and of zmm0 .. zmm15, in XINUSE */

int kernels_state_watched(void)
{
    unsigned a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX))
        return 0;
    if (!__get_cpuid_count(13, 1, &a, &b, &c, &d) || !(a & 4))
        return 0;
    return (lb_kernels_in_use() & UPPER_HALVES) == 0;
}

/* MXCSR rounds towards zero and the x87 to single precision, both unusual, all exceptions masked. */
static void run(struct kernels_call *c, struct kernels_frame *f, int trap)
    __attribute__((noinline));

static void run(struct kernels_call *c, struct kernels_frame *f, int trap)
{
    *f = (struct kernels_frame){
        .function = c->function,
        .poison = {0x0123456789abcdef, 0x1122334455667788, 0x0f1e2d3c4b5a6978, 0xfedcba9876543210,
                   0xa1b2c3d4e5f60718, 0x55aa55aa33cc33cc},
        .trap = (uint64_t)trap,
        .ask_in_use = (uint64_t)kernels_state_watched(),
        .mxcsr = 0x7f80,
        .x87 = 0x007f,
    };
    memcpy(f->argument, c->argument, sizeof f->argument);
    f->seventh = c->argument[6];
    f->has_seventh = c->arguments > 6;
    lb_kernels_call(f);
    c->returned = (limbic_limb_t)f->result;
}

static const char *breach(const struct kernels_frame *f)
{
    if (memcmp(f->saved, f->poison, sizeof f->saved) != 0)
        return "a register that belongs to the caller has changed";
    if (f->stack != f->stack_after)
        return "the stack pointer has changed";
    if (f->above)
        return "wrote to the stack above its return address";
    if (f->rflags & DIRECTION)
        return "left the direction flag set";
    if ((f->mxcsr ^ f->mxcsr_after) & ~(uint32_t)0x3f)
        return "changed the control bits of MXCSR";
    if (f->x87 != f->x87_after)
        return "changed the control word of the x87";
    if ((f->environment[2] & 0xffff) != 0xffff)
        return "left MMX or x87 registers in use";
    if (f->ask_in_use && (f->in_use & UPPER_HALVES))
        return "left upper halves of vector registers in use";
    return NULL;
}

const char *kernels_check_convention(const struct kernels_subject *s, size_t max_limbs)
{
    for (size_t n = 1; n <= max_limbs; n++) {
        for (size_t i = 0; i < lb_slot_count; i++) {
            struct kernels_call c;
            struct kernels_frame f;
            const char *what;

            if (!kernels_has(s, &lb_slots[i], n))
                continue;
            kernels_prepare(&c, s, &lb_slots[i], n, (unsigned)n);
            run(&c, &f, 0);
            if ((what = breach(&f)) || (what = kernels_verdict(&c)))
                return kernels_fault(s, &c, what);
        }
    }
    return NULL;
}

/* ---- One instruction at a time --------------------------------------------------------------- */

static volatile unsigned long lost;

/* The objects of the process, with the instructions that were made in each. */
#define OBJECTS 32
static struct object {
    uintptr_t start, end; /* from the first segment to the last */
    const char *name;
    int own; /* the kernel's, or the program itself */
    volatile unsigned long steps;
} objects[OBJECTS];
static unsigned object_count;
static volatile unsigned long stepped_elsewhere;

static int add_object(struct dl_phdr_info *info, size_t size, void *kernel)
{
    struct object o = {.start = UINTPTR_MAX, .name = info->dlpi_name};

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = (uintptr_t)(info->dlpi_addr + segment->p_vaddr);

        if (segment->p_type != PT_LOAD)
            continue;
        if (start < o.start)
            o.start = start;
        if (start + segment->p_memsz > o.end)
            o.end = start + segment->p_memsz;
    }
    o.own = ((uintptr_t)kernel >= o.start && (uintptr_t)kernel < o.end) || object_count == 0;
    objects[object_count++] = o;
    return object_count == OBJECTS;
}

static struct object *object_at(uintptr_t address)
{
    for (unsigned i = 0; i < object_count; i++)
        if (address >= objects[i].start && address < objects[i].end)
            return &objects[i];
    return NULL;
}

/* The first object is the program. */
static void find_objects(void (*kernel)(void))
{
    object_count = 0;
    dl_iterate_phdr(add_object, (void *)(uintptr_t)kernel);
}

static void count_objects(struct kernels_steps *steps)
{
    for (unsigned i = 0; i < object_count; i++) {
        const char *slash = strrchr(objects[i].name, '/'),
                   *name = slash ? slash + 1 : objects[i].name;
        size_t used = strlen(steps->others);

        if (objects[i].own)
            steps->own += objects[i].steps;
        else
            steps->foreign += objects[i].steps;
        if (!objects[i].own && objects[i].steps && !strstr(steps->others, name))
            snprintf(steps->others + used, sizeof steps->others - used, "%s%s", used ? ", " : "",
                     name);
    }
    steps->foreign += stepped_elsewhere;
    stepped_elsewhere = 0;
}

/* How far the unwinding has come: the watched call, then its caller. */
static _Unwind_Reason_Code frame_seen(struct _Unwind_Context *context, void *data)
{
    unsigned *seen = data;
    uintptr_t start = (uintptr_t)_Unwind_GetRegionStart(context);

    if (*seen == 0 && start == (uintptr_t)lb_kernels_call)
        *seen = 1;
    else if (*seen == 1)
        *seen = start == (uintptr_t)run ? 2 : 3;
    return *seen > 1 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static void on_step(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *interrupted = context;
    struct object *object = object_at((uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP]);
    unsigned seen = 0;

    (void)signal, (void)info;
    if (!object || !object->own) {
        if (object)
            object->steps++;
        else
            stepped_elsewhere++;
        return;
    }
    object->steps++;
    _Unwind_Backtrace(frame_seen, &seen);
    if (seen != 2)
        lost++;
}

static const char *step_slot(const struct kernels_subject *s, const struct lb_slot *slot, size_t n,
                             struct kernels_steps *steps)
{
    struct kernels_call c;
    struct kernels_frame f;
    const char *what;

    kernels_prepare(&c, s, slot, n, (unsigned)(n + 1));
    find_objects(c.function);
    lost = 0;
    run(&c, &f, 1);
    count_objects(steps);
    what = lost ? "the caller is not found from some of its instructions" : breach(&f);
    return what || (what = kernels_verdict(&c)) ? kernels_fault(s, &c, what) : NULL;
}

const char *kernels_check_steps(const struct kernels_subject *s, size_t n,
                                struct kernels_steps *steps)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO}, old;
    const char *fault = NULL;

    action.sa_sigaction = on_step;
    sigemptyset(&action.sa_mask);
    sigaction(SIGTRAP, &action, &old);
    for (size_t i = 0; i < lb_slot_count && !fault; i++)
        if (kernels_has(s, &lb_slots[i], n))
            fault = step_slot(s, &lb_slots[i], n, steps);
    sigaction(SIGTRAP, &old, NULL);
    return fault;
}

#define BAD(name) void name(void)
BAD(lb_bad_saved_register);
BAD(lb_bad_direction);
BAD(lb_bad_mxcsr);
BAD(lb_bad_x87);
BAD(lb_bad_mmx);
BAD(lb_bad_upper_half);
BAD(lb_bad_above);
BAD(lb_bad_below);
BAD(lb_bad_frame);
BAD(lb_bad_moduli_register);
BAD(lb_bad_moduli_above);
BAD(lb_bad_moduli_frame);

#define ADD LIMBIC_SLOT_ADD
const struct kernels_bad kernels_bad[] = {
    {"saved register", ADD, lb_bad_saved_register, 0, 0},
    {"direction flag", ADD, lb_bad_direction, 0, 0},
    {"MXCSR", ADD, lb_bad_mxcsr, 0, 0},
    {"x87 control word", ADD, lb_bad_x87, 0, 0},
    {"MMX state", ADD, lb_bad_mmx, 0, 0},
    {"upper halves", ADD, lb_bad_upper_half, 0, 1},
    {"stack above", ADD, lb_bad_above, 0, 0},
    {"below the red zone", ADD, lb_bad_below, 1, 0},
    {"frame description", ADD, lb_bad_frame, 1, 0},
    {"saved register, mont_mul", LIMBIC_SLOT_MONT_MUL, lb_bad_moduli_register, 0, 0},
    {"stack above the seventh argument", LIMBIC_SLOT_MONT_POW, lb_bad_moduli_above, 0, 0},
    {"frame description, mont_sqr", LIMBIC_SLOT_MONT_SQR, lb_bad_moduli_frame, 1, 0},
    {NULL, ADD, NULL, 0, 0},
};
#else
int kernels_state_watched(void)
{
    return 0;
}

const char *kernels_check_convention(const struct kernels_subject *s, size_t max_limbs)
{
    (void)s, (void)max_limbs;
    return NULL;
}

const char *kernels_check_steps(const struct kernels_subject *s, size_t n,
                                struct kernels_steps *steps)
{
    (void)s, (void)n, (void)steps;
    return NULL;
}

void (*lb_bad_next)(void);
const struct kernels_bad kernels_bad[] = {{NULL, LIMBIC_SLOT_ADD, NULL, 0, 0}};
#endif

/* ---- Signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t arrived;

/* Uses some stack and, as compiled, vector registers. */
static void on_signal(int signal)
{
    volatile unsigned char room[512];

    (void)signal;
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = 0xee;
    arrived++;
}

static double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const char *compare_for(const struct kernels_subject *s, double seconds)
{
    double end = seconds_now() + seconds;

    for (unsigned turn = 0; seconds_now() < end; turn++) {
        size_t n = 1 + turn % KERNELS_MAX_LIMBS;

        for (size_t i = 0; i < lb_slot_count; i++) {
            struct kernels_call c;
            const char *what;

            if (!kernels_has(s, &lb_slots[i], n))
                continue;
            kernels_prepare(&c, s, &lb_slots[i], n, turn);
            kernels_make(&c);
            if ((what = kernels_verdict(&c)))
                return kernels_fault(s, &c, what);
        }
    }
    return NULL;
}

const char *kernels_check_storm(const struct kernels_subject *s, double seconds,
                                unsigned long *signals)
{
    long least = sysconf(_SC_MINSIGSTKSZ);
    size_t size = (least > 0 ? (size_t)least : 8192) + 2048;
    stack_t stack = {.ss_sp = malloc(size), .ss_size = size}, old_stack;
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    const char *fault = NULL;

    arrived = 0;
    if (!stack.ss_sp || sigaltstack(&stack, &old_stack) != 0)
        return "no memory for a signal stack";
    for (int own = 0; own < 2 && !fault; own++) {
        struct sigaction action = {.sa_flags = SA_RESTART | (own ? SA_ONSTACK : 0)}, old;

        action.sa_handler = on_signal;
        sigemptyset(&action.sa_mask);
        sigaction(SIGALRM, &action, &old);
        setitimer(ITIMER_REAL, &often, NULL);
        fault = compare_for(s, seconds / 2);
        setitimer(ITIMER_REAL, &never, NULL);
        sigaction(SIGALRM, &old, NULL);
    }
    sigaltstack(&old_stack, NULL);
    free(stack.ss_sp);
    *signals = (unsigned long)arrived;
    return fault;
}
