/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory for secrets. A region is a run of pages between two guard pages, cut into units of 64
 * octets; an allocation takes consecutive units, first fit. Regions stand in one list under one
 * lock: allocation happens when keys are made, not when they are used.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "core/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/locks.h"
#include "base/wipe.h"

#define UNIT 64
#define REGION_SIZE ((size_t)64 * 1024)

struct region {
    struct region *next;
    enum lb_arena arena;
    int locked;
    unsigned char *base; /* first octet after the lower guard page */
    size_t size;
    size_t units;
    size_t used;      /* units */
    uint32_t owner[]; /* per unit: 0 free; in an allocation's first unit its count of units; ~0 in
                         the others */
};

#define INSIDE UINT32_MAX

static struct region *regions;
static int require_locked;
static size_t allocations;

/* A child inherits the pages but not their locks. They are shared with the parent until written to,
   so they are locked as they come, where the system can: locking them all would copy them all. */
static int lock_again(const struct region *region)
{
#ifdef MLOCK_ONFAULT
    if (mlock2(region->base, region->size, MLOCK_ONFAULT) == 0)
        return 1;
#endif
    return mlock(region->base, region->size) == 0;
}

static void lock_regions_again(void)
{
    for (struct region *region = regions; region; region = region->next)
        region->locked = region->locked && lock_again(region);
}

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t round_up(size_t x, size_t to)
{
    return (x + to - 1) / to * to;
}

static void region_unmap(struct region *region)
{
    size_t page = page_size();

    /* Unlocks too. */
    munmap(region->base - page, region->size + 2 * page);
    free(region);
}

/* Pages, guards and what the arena asks of the kernel; 0 if something essential is refused. */
static int region_map(struct region *region)
{
    size_t page = page_size();
    unsigned char *map = mmap(NULL, region->size + 2 * page, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (map == MAP_FAILED)
        return 0;
    region->base = map + page;
    if (mprotect(region->base, region->size, PROT_READ | PROT_WRITE)) {
        munmap(map, region->size + 2 * page);
        return 0;
    }
    (void)madvise(region->base, region->size, MADV_DONTDUMP);
    region->locked = mlock(region->base, region->size) == 0;
    return 1;
}

static int region_acceptable(const struct region *region)
{
    if (require_locked && !region->locked)
        return 0;
    if (region->arena == LB_ARENA_BLINDING) {
#ifdef MADV_WIPEONFORK
        return madvise(region->base, region->size, MADV_WIPEONFORK) == 0;
#else
        return 0;
#endif
    }
    return 1;
}

static struct region *region_new(enum lb_arena arena, size_t size)
{
    size_t bytes = round_up(size > REGION_SIZE ? size : REGION_SIZE, page_size());
    size_t units = bytes / UNIT;
    struct region *region = calloc(1, sizeof *region + units * sizeof region->owner[0]);

    if (!region)
        return NULL;
    region->arena = arena;
    region->size = bytes;
    region->units = units;
    if (!region_map(region)) {
        free(region);
        return NULL;
    }
    if (!region_acceptable(region)) {
        region_unmap(region);
        return NULL;
    }
    region->next = regions;
    regions = region;
    lb_in_child_of_fork(lock_regions_again);
    return region;
}

/* First fit; NULL if there is no run of so many free units. */
static void *region_take(struct region *region, size_t units)
{
    size_t run = 0;

    for (size_t i = 0; i < region->units; i++) {
        run = region->owner[i] ? 0 : run + 1;
        if (run < units)
            continue;
        size_t first = i + 1 - units;
        region->owner[first] = (uint32_t)units;
        for (size_t j = first + 1; j <= i; j++)
            region->owner[j] = INSIDE;
        region->used += units;
        return region->base + first * UNIT;
    }
    return NULL;
}

void *lb_arena_alloc(enum lb_arena arena, size_t size)
{
    size_t units = (size ? size - 1 : 0) / UNIT + 1;
    struct region *region;
    void *p = NULL;

    if (units > UINT32_MAX / 2 / UNIT)
        return NULL;
    lb_lock(LB_LOCK_ARENA);
    for (region = regions; region && !p; region = region->next)
        if (region->arena == arena && (region->locked || !require_locked))
            p = region_take(region, units);
    if (!p) {
        region = region_new(arena, units * UNIT);
        if (region)
            p = region_take(region, units);
    }
    if (p)
        allocations++;
    lb_unlock(LB_LOCK_ARENA);
    return p;
}

static void region_give(struct region *region, unsigned char *p)
{
    size_t first = (size_t)(p - region->base) / UNIT;
    size_t units = region->owner[first];

    lb_wipe(p, units * UNIT);
    for (size_t i = first; i < first + units; i++)
        region->owner[i] = 0;
    region->used -= units;
}

void lb_arena_free(void *memory)
{
    unsigned char *p = memory;
    struct region **link;

    if (!p)
        return;
    lb_lock(LB_LOCK_ARENA);
    for (link = &regions; *link; link = &(*link)->next) {
        struct region *region = *link;
        if (p < region->base || p >= region->base + region->size)
            continue;
        region_give(region, p);
        allocations--;
        if (region->used == 0) {
            *link = region->next;
            region_unmap(region);
        }
        break;
    }
    lb_unlock(LB_LOCK_ARENA);
}

void lb_arena_require_locked(int on)
{
    lb_lock(LB_LOCK_ARENA);
    require_locked = on != 0;
    lb_unlock(LB_LOCK_ARENA);
}

void lb_arena_stats(struct lb_arena_stats *stats)
{
    *stats = (struct lb_arena_stats){0};
    lb_lock(LB_LOCK_ARENA);
    stats->allocations = allocations;
    for (const struct region *region = regions; region; region = region->next) {
        stats->used += region->used * UNIT;
        if (region->locked)
            stats->locked += region->size;
        else
            stats->unlocked += region->size;
    }
    lb_unlock(LB_LOCK_ARENA);
}
