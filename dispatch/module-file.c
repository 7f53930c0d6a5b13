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

/* The file in hand, with where a complaint goes. */
struct object {
    int fd;
    uint64_t file_size;
    const char *path;
    char *why;
    size_t size;
    ElfW(Ehdr) header;
    ElfW(Phdr) dynamic;  /* type PT_NULL: there is none */
    uint64_t loaded_end; /* of the segments so far, in memory */
    bool loads, dynamic_is_loaded;
};

static bool refuse(const struct object *o, const char *what)
{
    return lb_file_refuse(o->why, o->size, what, o->path);
}

/* The dynamic linker maps from the first segment to the end of the last, and reckons with these. */
static bool check_loaded(struct object *o, const ElfW(Phdr) * p)
{
    uint64_t start = p->p_vaddr, length = p->p_memsz, align = p->p_align;

    if (p->p_filesz > length)
        return refuse(o, "a segment is larger in the file than in memory");
    if ((align & (align - 1)) || (align && (start - p->p_offset) % align))
        return refuse(o, "a segment is not aligned");
    if (start < o->loaded_end || !lies_inside(start, length, UINTPTR_MAX))
        return refuse(o, "its segments overlap or are out of order");
    o->loaded_end = start + length;
    o->loads |= p->p_filesz > 0;
    o->dynamic_is_loaded |= o->dynamic.p_vaddr >= start &&
                            lies_inside(o->dynamic.p_vaddr - start, o->dynamic.p_memsz, length);
    return true;
}

static bool find_dynamic(struct object *o, const ElfW(Phdr) * p)
{
    if (p->p_type == PT_DYNAMIC)
        o->dynamic = *p;
    return true;
}

static bool check_segment(struct object *o, const ElfW(Phdr) * p)
{
    if (!lies_inside(p->p_offset, p->p_filesz, o->file_size))
        return refuse(o, "truncated, a segment ends behind the end of the file");
    return p->p_type != PT_LOAD || check_loaded(o, p);
}

/* Reads the program headers one by one, so that their number asks for no memory. */
static bool each_segment(struct object *o, bool (*check)(struct object *o, const ElfW(Phdr) * p))
{
    for (unsigned i = 0; i < o->header.e_phnum; i++) {
        ElfW(Phdr) p;
        ssize_t length = pread(o->fd, &p, sizeof p, (off_t)(o->header.e_phoff + i * sizeof p));

        if (length < 0)
            return lb_file_fail(o->why, o->size, errno, o->path);
        if ((size_t)length < sizeof p)
            return refuse(o, "truncated, without its program headers");
        if (!check(o, &p))
            return false;
    }
    return true;
}

static bool check_segments(struct object *o)
{
    if (!lies_inside(o->header.e_phoff, (uint64_t)o->header.e_phnum * sizeof(ElfW(Phdr)),
                     o->file_size))
        return refuse(o, "truncated, without its program headers");
    if (!each_segment(o, find_dynamic) || !each_segment(o, check_segment))
        return false;
    if (!o->loads || o->dynamic.p_type != PT_DYNAMIC)
        return refuse(o, "no shared object");
    return o->dynamic_is_loaded || refuse(o, "its dynamic section is in no segment that is loaded");
}

static bool check_elf(int fd, uint64_t file_size, char *why, size_t size, const char *path)
{
    struct object o = {.fd = fd,
                       .file_size = file_size,
                       .path = path,
                       .why = why,
                       .size = size,
                       .dynamic.p_type = PT_NULL};
    ssize_t length = pread(fd, &o.header, sizeof o.header, 0);

    if (length < 0)
        return lb_file_fail(why, size, errno, path);
    if ((size_t)length < sizeof o.header)
        return refuse(&o, "truncated, shorter than an ELF header");
    return check_header(&o.header, why, size, path) && check_segments(&o);
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
