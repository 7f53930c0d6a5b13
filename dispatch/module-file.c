/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Before a module is opened: its ELF headers (System V ABI, chapter 4). A mapped page
 * that lies behind the end of its file raises SIGBUS, so a truncated module must not reach the
 * dynamic linker.
 */
#include <config.h>

#include "dispatch/module-file.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- ELF ------------------------------------------------------------------------------------ */

/* The header of the object that this code is in: whatever it is built for, a module must be. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static bool check_header(const ElfW(Ehdr) * header, char *why, size_t size, const char *path)
{
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return lb_file_refuse(why, size, "no ELF file", path);
    if (header->e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
        header->e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] ||
        header->e_machine != __ehdr_start.e_machine)
        return lb_file_refuse(why, size, "built for another architecture", path);
    if (header->e_ident[EI_VERSION] != EV_CURRENT || header->e_type != ET_DYN ||
        header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phnum == 0 ||
        header->e_phnum >= PN_XNUM)
        return lb_file_refuse(why, size, "no shared object", path);
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
        return lb_file_refuse(why, size, "truncated, without its program headers", path);
    for (unsigned i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) p;
        ssize_t length = pread(fd, &p, sizeof p, (off_t)(header->e_phoff + i * sizeof p));

        if (length < 0)
            return lb_file_fail(why, size, errno, path);
        if ((size_t)length < sizeof p)
            return lb_file_refuse(why, size, "truncated, without its program headers", path);
        if (!lies_inside(p.p_offset, p.p_filesz, file_size))
            return lb_file_refuse(why, size, "truncated, a segment ends behind the end of the file",
                                  path);
        loads |= p.p_type == PT_LOAD && p.p_filesz > 0;
        dynamic |= p.p_type == PT_DYNAMIC;
    }
    return (loads && dynamic) || lb_file_refuse(why, size, "no shared object", path);
}

static bool check_elf(int fd, uint64_t file_size, char *why, size_t size, const char *path)
{
    ElfW(Ehdr) header;
    ssize_t length = pread(fd, &header, sizeof header, 0);

    if (length < 0)
        return lb_file_fail(why, size, errno, path);
    if ((size_t)length < sizeof header)
        return lb_file_refuse(why, size, "truncated, shorter than an ELF header", path);
    return check_header(&header, why, size, path) &&
           check_segments(fd, &header, file_size, why, size, path);
}

/* ---- The file ------------------------------------------------------------------------------- */

static bool check_open_file(int fd, uid_t owner, char *why, size_t size, const char *path)
{
    struct stat st;

    if (!lb_file_is_safe(fd, owner, why, size, path))
        return false;
    if (fstat(fd, &st) != 0)
        return lb_file_fail(why, size, errno, path);
    return check_elf(fd, (uint64_t)st.st_size, why, size, path);
}

enum lb_file_state lb_module_file_check(const char *path, uid_t owner, char *why, size_t size)
{
    int fd;
    enum lb_file_state state = lb_file_open(path, &fd, why, size);

    if (state == LB_FILE_MISSING)
        lb_file_refuse(why, size, "module not found", path);
    if (state != LB_FILE_GOOD)
        return state;
    if (!check_open_file(fd, owner, why, size, path))
        state = LB_FILE_BAD;
    close(fd);
    return state;
}
