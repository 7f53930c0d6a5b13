/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Modules through libltdl. The path is made of the build's directory and a name that has no slash,
 * so no search path and no variable of the environment has a say. libltdl binds lazily and lets go
 * of what it closes; hence the dynamic linker is asked first, to bind now and to keep.
 */
#include <config.h>

#include "dispatch/module.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <ltdl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/module-file.h"

#define PREFIX "limbic-provider-"
#define SUFFIX ".so"
#define SYMBOL "limbic_provider"

#ifdef LIMBIC_TESTING
#define DIRECTORY LIMBIC_TEST_MODULEDIR
static const char *test_directory;
#else
#define DIRECTORY LIMBIC_MODULEDIR
#endif

const char *lb_module_directory(void)
{
#ifdef LIMBIC_TESTING
    if (test_directory)
        return test_directory;
#endif
    return DIRECTORY;
}

/* The first line of a message from elsewhere, then the path, which the message may begin with. */
static void complain(char *why, size_t size, const char *what, const char *message,
                     const char *path)
{
    size_t length = strlen(path);
    char text[128];

    if (!message || !*message)
        message = "no reason given";
    if (strncmp(message, path, length) == 0 && strncmp(message + length, ": ", 2) == 0)
        message += length + 2;
    snprintf(text, sizeof text, "%s: %.*s", what, (int)strcspn(message, "\n"), message);
    (void)lb_file_refuse(why, size, text, path);
}

/* What a step has come to; if it failed, errno says whether for good. */
static enum lb_module_state outcome(bool good)
{
    if (good)
        return LB_MODULE_OPEN;
    return lb_file_error_passes(errno) ? LB_MODULE_NOT_NOW : LB_MODULE_REFUSED;
}

/* The path with its symbolic links resolved, once nobody else can change what it leads to. */
static enum lb_module_state find_file(const char *name, char path[PATH_MAX], char *why, size_t size)
{
    uid_t owner = lb_library_owner();
    char directory[PATH_MAX];
    int length;

    if (lb_file_error_passes(errno)) /* that of lb_library_owner(), see safe-file.h */
        return outcome(lb_file_fail(why, size, errno, lb_module_directory()));
    if (!realpath(lb_module_directory(), directory)) {
        if (lb_file_error_passes(errno))
            return outcome(lb_file_fail(why, size, errno, lb_module_directory()));
        snprintf(path, PATH_MAX, "%s/" PREFIX "%s" SUFFIX, lb_module_directory(), name);
        (void)lb_file_refuse(why, size, "module not found", path);
        return LB_MODULE_MISSING;
    }
    length = snprintf(path, PATH_MAX, "%s/" PREFIX "%s" SUFFIX, directory, name);
    if (length < 0 || length >= PATH_MAX) {
        (void)lb_file_refuse(why, size, "a path that is too long", path);
        return LB_MODULE_REFUSED;
    }
    switch (lb_module_file_check(path, owner, why, size)) {
    case LB_FILE_MISSING:
        return LB_MODULE_MISSING;
    case LB_FILE_BAD:
        return outcome(false);
    case LB_FILE_GOOD:
    default:
        break;
    }
    return outcome(lb_directory_is_safe(lb_module_directory(), owner, why, size) &&
                   lb_directory_is_safe(directory, owner, why, size));
}

/* Bound at once, its names its own, never unloaded: the handle is not given back. RTLD_NODELETE would
   say the same, but with it glibc (2.36) keeps also what it has no memory to open in full, and never
   runs its constructors. The linker gives no code, but the system's is left in errno by the call that
   failed. */
static bool bind_now(const char *path, char *why, size_t size)
{
    int error;

    errno = 0;
    if (dlopen(path, RTLD_NOW | RTLD_LOCAL))
        return true;
    error = errno;
    if (lb_file_error_passes(error)) /* the linker may take it for a file that is not there */
        return lb_file_fail(why, size, error, path);
    complain(why, size, "the dynamic linker refuses it", dlerror(), path);
    return false;
}

/* Initialises libltdl once. It counts: after a call that failed for want of memory it would believe
   to be ready, and have no loader, unless that call is taken back. */
static bool start_libltdl(void)
{
    static bool ready;

    if (!ready && lt_dlinit() == 0)
        ready = true;
    else if (!ready)
        (void)lt_dlexit();
    return ready;
}

/* The linker has taken the file, so what libltdl lacks now is memory, whatever it says. */
static lt_dlhandle open_resident(const char *path, char *why, size_t size)
{
    lt_dlhandle handle = NULL;

    if (!start_libltdl()) {
        snprintf(why, size, "libltdl could not be initialised");
    } else {
        handle = lt_dlopen(path);
        if (handle && lt_dlmakeresident(handle) == 0)
            return handle;
        complain(why, size, "libltdl refuses it", lt_dlerror(), path);
    }
    errno = ENOMEM;
    return NULL;
}

/* Names it as libltdl looks for it: after the file, with _ for all that no C name has. */
static enum lb_module_state without_symbol(const char *name, const char *path, char *why,
                                           size_t size)
{
    char what[NAME_MAX + sizeof SYMBOL + 64];

    snprintf(what, sizeof what, "it has no symbol limbic_provider_%.*s_LTX_" SYMBOL, NAME_MAX,
             name);
    for (char *at = what; *at; at++)
        if (*at == '-')
            *at = '_';
    (void)lb_file_refuse(why, size, what, path);
    return LB_MODULE_REFUSED;
}

enum lb_module_state lb_module_open(const char *name, const struct limbic_provider **table,
                                    char *why, size_t size)
{
    char path[PATH_MAX];
    enum lb_module_state state = find_file(name, path, why, size);
    lt_dlhandle handle;

    *table = NULL;
    if (state != LB_MODULE_OPEN)
        return state;
    if (!bind_now(path, why, size))
        return outcome(false);
    handle = open_resident(path, why, size);
    if (!handle)
        return outcome(false);
    *table = lt_dlsym(handle, SYMBOL);
    return *table ? LB_MODULE_OPEN : without_symbol(name, path, why, size);
}

void lb_module_each(void (*found)(void *opaque, const char *name), void *opaque)
{
    DIR *directory = opendir(lb_module_directory());
    const struct dirent *entry;

    if (!directory)
        return;
    while ((entry = readdir(directory))) {
        const char *file = entry->d_name;
        size_t length = strlen(file);
        char name[NAME_MAX + 1];

        if (length <= strlen(PREFIX SUFFIX) || strncmp(file, PREFIX, strlen(PREFIX)) != 0 ||
            strcmp(file + length - strlen(SUFFIX), SUFFIX) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(length - strlen(PREFIX SUFFIX)),
                 file + strlen(PREFIX));
        found(opaque, name);
    }
    closedir(directory);
}

#ifdef LIMBIC_TESTING
void lb_test_module_directory(const char *directory)
{
    test_directory = directory;
}
#endif
