/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory for secrets: locked, undumpable, between guard pages, wiped when freed. Keys share arenas,
 * since the amount of memory that a process may lock is small. Knows no key.
 */
#ifndef LB_CORE_ARENA_H
#define LB_CORE_ARENA_H

#include <stddef.h>

enum lb_arena {
    LB_ARENA_KEYS,     /* inherited by children */
    LB_ARENA_BLINDING, /* all zeros in a child after fork */
};

/* size octets of zeros, aligned to 64; NULL when there is no memory, when it cannot be locked
   though lb_arena_require_locked is on, or, for LB_ARENA_BLINDING, when the system cannot wipe on
   fork. */
void *lb_arena_alloc(enum lb_arena arena, size_t size);

/* Wipes and gives back. NULL is fine. */
void lb_arena_free(void *p);

void lb_arena_require_locked(int on);

struct lb_arena_stats {
    size_t allocations; /* living */
    size_t used;        /* octets in them, rounded to 64 */
    size_t locked;      /* octets of locked pages */
    size_t unlocked;    /* octets of pages that could not be locked */
};
void lb_arena_stats(struct lb_arena_stats *stats);

#endif
