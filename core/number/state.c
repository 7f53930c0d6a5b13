/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prepared states of families. Knows families by number, through dispatch; never a provider.
 */
#include "core/number/state.h"

#include "dispatch/dispatch.h"

#define FIRST_SLOT LIMBIC_SLOT_MONT_MUL
#define LAST_SLOT LIMBIC_SLOT_MONT_INV

static const void **state_array(enum lb_state_kind kind, void *object)
{
    switch (kind) {
    case LB_STATE_MODULUS:
        return ((struct limbic_modulus *)object)->state;
    case LB_STATE_PAIR:
        return ((struct limbic_pair *)object)->state;
    case LB_STATE_BASE:
        break;
    }
    return ((struct limbic_base *)object)->state;
}

static size_t family_size(const struct limbic_mod_family *family, enum lb_state_kind kind,
                          const void *object)
{
    size_t size = 0;

    if (kind == LB_STATE_MODULUS && family->modulus_state_size)
        size = family->modulus_state_size(object);
    else if (kind == LB_STATE_PAIR && family->pair_state_size)
        size = family->pair_state_size(object);
    else if (kind == LB_STATE_BASE && family->base_state_size)
        size = family->base_state_size(object);
    return size > LB_STATE_MAX ? LB_STATES_TOO_LARGE : (size + 63) & ~(size_t)63;
}

static void family_init(const struct limbic_mod_family *family, const struct limbic_ops *ops,
                        enum lb_state_kind kind, const void *object, void *memory)
{
    if (kind == LB_STATE_MODULUS)
        family->modulus_state_init(ops, object, memory);
    else if (kind == LB_STATE_PAIR)
        family->pair_state_init(ops, object, memory);
    else
        family->base_state_init(ops, object, memory);
}

/* The family in this slot, if it wants a state for the object that is not there and no earlier slot
   of the row has the same family. */
static const struct limbic_mod_family *missing(const struct limbic_ops *ops,
                                               enum lb_state_kind kind, const void *object,
                                               unsigned slot, size_t *size)
{
    unsigned number = ops->family[slot];
    const struct limbic_mod_family *family;

    /* The object is only read here; the cast is for the shared helper. */
    if (__atomic_load_n(&state_array(kind, (void *)(uintptr_t)object)[number], __ATOMIC_ACQUIRE))
        return NULL;
    for (unsigned earlier = FIRST_SLOT; earlier < slot; earlier++)
        if (ops->family[earlier] == number)
            return NULL;
    family = lb_mod_family(number);
    *size = family ? family_size(family, kind, object) : 0;
    return *size ? family : NULL;
}

size_t lb_states_size(const struct limbic_ops *ops, enum lb_state_kind kind, const void *object)
{
    size_t total = 0;

    for (unsigned slot = FIRST_SLOT; slot <= LAST_SLOT; slot++) {
        size_t size;
        if (!missing(ops, kind, object, slot, &size))
            continue;
        if (size == LB_STATES_TOO_LARGE)
            return LB_STATES_TOO_LARGE;
        total += size;
    }
    return total;
}

void lb_states_init(const struct limbic_ops *ops, const struct limbic_ops *maker,
                    enum lb_state_kind kind, void *object, void *memory)
{
    char *next = memory;

    for (unsigned slot = FIRST_SLOT; slot <= LAST_SLOT; slot++) {
        size_t size;
        const struct limbic_mod_family *family = missing(ops, kind, object, slot, &size);
        if (!family || size == LB_STATES_TOO_LARGE)
            continue;
        family_init(family, maker, kind, object, next);
        __atomic_store_n(&state_array(kind, object)[ops->family[slot]], next, __ATOMIC_RELEASE);
        next += size;
    }
}
