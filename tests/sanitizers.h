/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which sanitizers a test is built with, for those that they keep from seeing what they look for.
 * gcc tells by macros and clang by features. Knows nothing of limbic.
 */
#ifndef LB_TESTS_SANITIZERS_H
#define LB_TESTS_SANITIZERS_H

#ifndef __has_feature
#define __has_feature(x) 0
#endif

#if defined __SANITIZE_THREAD__ || __has_feature(thread_sanitizer)
#define SANITIZED_THREADS 1
#else
#define SANITIZED_THREADS 0
#endif

/* With an allocator, frames on the stack, signal handlers and locks of the sanitizer's own. */
#if SANITIZED_THREADS || defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* With frames that are larger than the compiler's. */
#if SANITIZED || __has_feature(undefined_behavior_sanitizer)
#define SANITIZED_FRAMES 1
#else
#define SANITIZED_FRAMES 0
#endif

#endif
