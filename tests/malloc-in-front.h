/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * malloc and its like, and mmap, in front of the C library's, so that a test sees or refuses the calls
 * of limbic, of other libraries and of the C library alike. Included once by a test, which defines
 * allocation_refused() before: it is asked at each allocation, and nonzero makes that fail. Not for a
 * build with a sanitizer, whose malloc must stay in front.
 */
#ifndef LB_TESTS_MALLOC_IN_FRONT_H
#define LB_TESTS_MALLOC_IN_FRONT_H

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* With errno set where it refuses. */
static int allocation_refused(void);

/* The program is compiled with hidden visibility, but the libraries must find these. */
#define IN_FRONT __attribute__((visibility("default")))

/* dlsym() itself may ask for a little memory before the C library's functions are known. */
static union {
    max_align_t align;
    unsigned char octets[4096];
} early;
static size_t early_used;

static void *early_block(size_t size)
{
    size_t rounded = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);

    if (size > sizeof early || rounded > sizeof early - early_used)
        return NULL;
    early_used += rounded;
    return early.octets + (early_used - rounded);
}

static int is_early(const void *block)
{
    uintptr_t at = (uintptr_t)block, start = (uintptr_t)&early;

    return at >= start && at < start + sizeof early;
}

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void (*next_free)(void *);
static void *(*next_aligned_alloc)(size_t, size_t);
static int (*next_posix_memalign)(void **, size_t, size_t);
static int finding;

/* ISO C has no conversion of dlsym()'s result to a function; POSIX warrants that the
   bytes are one. */
static void find(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    memcpy(function, &symbol, sizeof symbol);
}

/* Whether the C library's functions are known. */
static int ready(void)
{
    if (!next_posix_memalign && !finding) {
        finding = 1;
        find(&next_malloc, "malloc");
        find(&next_calloc, "calloc");
        find(&next_realloc, "realloc");
        find(&next_free, "free");
        find(&next_aligned_alloc, "aligned_alloc");
        find(&next_posix_memalign, "posix_memalign");
        finding = 0;
    }
    return next_posix_memalign != NULL;
}

IN_FRONT void *malloc(size_t size)
{
    if (allocation_refused())
        return NULL;
    return ready() ? next_malloc(size) : early_block(size);
}

IN_FRONT void *calloc(size_t n, size_t size)
{
    if (allocation_refused())
        return NULL;
    if (ready())
        return next_calloc(n, size);
    return size && n > sizeof early / size ? NULL : early_block(n * size);
}

IN_FRONT void *realloc(void *block, size_t size)
{
    if (allocation_refused())
        return NULL;
    if (ready() && !is_early(block))
        return next_realloc(block, size);
    return block ? NULL : early_block(size);
}

IN_FRONT void free(void *block)
{
    if (!is_early(block) && ready())
        next_free(block);
}

IN_FRONT void *aligned_alloc(size_t alignment, size_t size)
{
    if (allocation_refused())
        return NULL;
    return ready() ? next_aligned_alloc(alignment, size) : NULL;
}

IN_FRONT int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (allocation_refused())
        return ENOMEM;
    return ready() ? next_posix_memalign(block, alignment, size) : ENOMEM;
}

IN_FRONT void *mmap(void *at, size_t length, int protection, int flags, int file, off_t offset)
{
    if (allocation_refused())
        return MAP_FAILED;
    return (void *)(uintptr_t)syscall(SYS_mmap, at, length, protection, flags, file, offset);
}

#endif
