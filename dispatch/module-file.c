/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Before a module is opened: owners and modes (a module runs with the secrets of the process), and
 * ELF headers (System V ABI, chapter 4). A mapped page that lies behind the end of its file raises
 * SIGBUS, so a truncated module must not reach the dynamic linker.
 */
#include <config.h>

#include "dispatch/module-file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

bool lb_module_refuse(char *why, size_t size, const char *what, const char *path)
{
    size_t used = (size_t)snprintf(why, size, "%s: ", what);

    if (used + 16 < size)
        lb_shorten(why + used, size - used, path);
    return false;
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

uid_t lb_module_owner(void)
{
    struct whereabouts w = {.address = (uintptr_t)&lb_module_owner};

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
        return lb_module_refuse(why, size, strerror(errno), path);
    if (!is_ours(st.st_uid, owner))
        return lb_module_refuse(
            why, size, "a directory that belongs neither to root nor to limbic's owner", path);
    if (S_ISLNK(st.st_mode))
        return true;
    if (!S_ISDIR(st.st_mode))
        return lb_module_refuse(why, size, "not a directory", path);
    if ((st.st_mode & (S_IWGRP | S_IWOTH)) && (last || !(st.st_mode & S_ISVTX) || st.st_uid != 0))
        return lb_module_refuse(why, size, "a directory that others may write to", path);
    return true;
}

bool lb_directory_is_safe(const char *directory, uid_t owner, char *why, size_t size)
{
    char path[PATH_MAX];
    size_t length = strlen(directory);

    if (directory[0] != '/' || length >= sizeof path)
        return lb_module_refuse(why, size, "no absolute path", directory);
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

/* ---- ELF ------------------------------------------------------------------------------------ */

/* The header of the object that this code is in: whatever it is built for, a module must be. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static bool check_header(const ElfW(Ehdr) * header, char *why, size_t size, const char *path)
{
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return lb_module_refuse(why, size, "no ELF file", path);
    if (header->e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
        header->e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] ||
        header->e_machine != __ehdr_start.e_machine)
        return lb_module_refuse(why, size, "built for another architecture", path);
    if (header->e_ident[EI_VERSION] != EV_CURRENT || header->e_type != ET_DYN ||
        header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phnum == 0 ||
        header->e_phnum >= PN_XNUM)
        return lb_module_refuse(why, size, "no shared object", path);
    return true;
}

static bool lies_inside(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

/* Reads the program headers one by one, so that their number asks for no memory. */
static bool check_segments(int fd, const ElfW(Ehdr) * header, uint64_t file_size, char *why,
                           size_t size, const char *path)
{
    bool loads = false, dynamic = false;

    if (!lies_inside(header->e_phoff, (uint64_t)header->e_phnum * sizeof(ElfW(Phdr)), file_size))
        return lb_module_refuse(why, size, "truncated, without its program headers", path);
    for (unsigned i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) p;

        if (pread(fd, &p, sizeof p, (off_t)(header->e_phoff + i * sizeof p)) != sizeof p)
            return lb_module_refuse(why, size, "unreadable", path);
        if (!lies_inside(p.p_offset, p.p_filesz, file_size))
            return lb_module_refuse(why, size,
                                    "truncated, a segment ends behind the end of the file", path);
        loads |= p.p_type == PT_LOAD && p.p_filesz > 0;
        dynamic |= p.p_type == PT_DYNAMIC;
    }
    return (loads && dynamic) || lb_module_refuse(why, size, "no shared object", path);
}

static bool check_elf(int fd, uint64_t file_size, char *why, size_t size, const char *path)
{
    ElfW(Ehdr) header;
    ssize_t length = pread(fd, &header, sizeof header, 0);

    if (length < 0)
        return lb_module_refuse(why, size, "unreadable", path);
    if ((size_t)length < sizeof header)
        return lb_module_refuse(why, size, "truncated, shorter than an ELF header", path);
    return check_header(&header, why, size, path) &&
           check_segments(fd, &header, file_size, why, size, path);
}

/* ---- The file ------------------------------------------------------------------------------- */

static bool check_open_file(int fd, uid_t owner, char *why, size_t size, const char *path)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return lb_module_refuse(why, size, strerror(errno), path);
    if (!S_ISREG(st.st_mode))
        return lb_module_refuse(why, size, "no regular file", path);
    if (!is_ours(st.st_uid, owner))
        return lb_module_refuse(why, size,
                                "a file that belongs neither to root nor to limbic's owner", path);
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return lb_module_refuse(why, size, "a file that others may write to", path);
    return check_elf(fd, (uint64_t)st.st_size, why, size, path);
}

enum lb_file_state lb_module_file_check(const char *path, uid_t owner, char *why, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    bool good;

    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        lb_module_refuse(why, size, "module not found", path);
        return LB_FILE_MISSING;
    }
    if (fd < 0) {
        lb_module_refuse(why, size,
                         errno == ELOOP    ? "a symbolic link, no regular file"
                         : errno == EACCES ? "unreadable, permission denied"
                                           : strerror(errno),
                         path);
        return LB_FILE_BAD;
    }
    good = check_open_file(fd, owner, why, size, path);
    close(fd);
    return good ? LB_FILE_GOOD : LB_FILE_BAD;
}
