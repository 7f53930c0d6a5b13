/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Owners and modes of files whose contents this library obeys, and of the directories above them.
 */
#include <config.h>

#include "dispatch/safe-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

bool lb_file_refuse(char *why, size_t size, const char *what, const char *path)
{
    size_t used = (size_t)snprintf(why, size, "%s: ", what);

    if (used + 16 < size)
        lb_shorten(why + used, size - used, path);
    errno = 0;
    return false;
}

bool lb_file_fail(char *why, size_t size, int error, const char *path)
{
    (void)lb_file_refuse(why, size, strerror(error), path);
    errno = error;
    return false;
}

bool lb_file_error_passes(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == EINTR ||
           error == EAGAIN || error == EIO;
}

/* ---- Owners and modes ----------------------------------------------------------------------- */

struct whereabouts {
    uintptr_t address;
    unsigned number;
    bool found;
    uid_t owner;
};

/* For every object in the process; the first is the program, whose name is not reliable. */
static int look_at_object(struct dl_phdr_info *info, size_t size, void *opaque)
{
    struct whereabouts *w = opaque;
    const char *name = w->number++ == 0 ? "/proc/self/exe" : info->dlpi_name;
    struct stat st;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];

        if (p->p_type != PT_LOAD || w->address - (info->dlpi_addr + p->p_vaddr) >= p->p_memsz)
            continue;
        if (name && name[0] == '/' && stat(name, &st) == 0) {
            w->found = true;
            w->owner = st.st_uid;
        }
        return 1;
    }
    return 0;
}

uid_t lb_library_owner(void)
{
    struct whereabouts w = {.address = (uintptr_t)&lb_library_owner};

    errno = 0;
    dl_iterate_phdr(look_at_object, &w);
    return w.found ? w.owner : 0;
}

static bool is_ours(uid_t uid, uid_t owner)
{
    return uid == 0 || uid == owner;
}

/* `last`: the directory itself. In a sticky directory of root's, such as /tmp, nobody can exchange
   another user's entry, so that one will do for a parent. What a link leads to is checked by the
   caller, who resolves it. */
static bool check_directory(const char *path, bool last, uid_t owner, char *why, size_t size)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return lb_file_fail(why, size, errno, path);
    if (!is_ours(st.st_uid, owner))
        return lb_file_refuse(
            why, size, "a directory that belongs neither to root nor to limbic's owner", path);
    if (S_ISLNK(st.st_mode))
        return true;
    if (!S_ISDIR(st.st_mode))
        return lb_file_refuse(why, size, "not a directory", path);
    if ((st.st_mode & (S_IWGRP | S_IWOTH)) && (last || !(st.st_mode & S_ISVTX) || st.st_uid != 0))
        return lb_file_refuse(why, size, "a directory that others may write to", path);
    return true;
}

bool lb_directory_is_safe(const char *directory, uid_t owner, char *why, size_t size)
{
    char path[PATH_MAX];
    size_t length = strlen(directory);

    if (directory[0] != '/' || length >= sizeof path)
        return lb_file_refuse(why, size, "no absolute path", directory);
    memcpy(path, directory, length + 1);
    if (!check_directory("/", length == 1, owner, why, size))
        return false;
    for (size_t i = 1; i <= length; i++) {
        char saved = path[i];
        bool good;

        if (saved != '/' && saved != '\0')
            continue;
        path[i] = '\0';
        good = check_directory(path, i == length, owner, why, size);
        path[i] = saved;
        if (!good)
            return false;
    }
    return true;
}

/* ---- Files ---------------------------------------------------------------------------------- */

enum lb_file_state lb_file_open(const char *path, int *fd, char *why, size_t size)
{
    int error;

    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    if (*fd >= 0)
        return LB_FILE_GOOD;
    error = errno;
    if (error == ENOENT || error == ENOTDIR)
        return LB_FILE_MISSING;
    lb_file_refuse(why, size,
                   error == ELOOP    ? "a symbolic link, no regular file"
                   : error == EACCES ? "unreadable, permission denied"
                                     : strerror(error),
                   path);
    errno = error;
    return LB_FILE_BAD;
}

bool lb_file_is_safe(int fd, uid_t owner, char *why, size_t size, const char *path)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return lb_file_fail(why, size, errno, path);
    if (!S_ISREG(st.st_mode))
        return lb_file_refuse(why, size, "no regular file", path);
    if (!is_ours(st.st_uid, owner))
        return lb_file_refuse(why, size,
                              "a file that belongs neither to root nor to limbic's owner", path);
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return lb_file_refuse(why, size, "a file that others may write to", path);
    return true;
}
