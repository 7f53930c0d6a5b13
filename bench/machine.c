/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * machine.c - the processor's name from /proc/cpuinfo, and whether the process is pinned.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "bench/machine.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

/* The value of a line "FIELD<white space>: VALUE" if `line` is one, else NULL. */
static char *field_value(char *line, const char *field)
{
    size_t length = strlen(field);
    char *value;

    if (strncmp(line, field, length))
        return NULL;
    value = line + length + strspn(line + length, " \t");
    if (*value != ':')
        return NULL;
    value++;
    value += strspn(value, " \t");
    value[strcspn(value, "\n")] = 0;
    return *value ? value : NULL;
}

/* x86 has "model name"; other architectures "cpu", "Model" or nothing. */
static char *name_in(char *line)
{
    static const char *const fields[] = {"model name", "Model", "cpu model", "cpu"};

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char *value = field_value(line, fields[i]);

        if (value)
            return value;
    }
    return NULL;
}

void machine_cpu(char *name, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512];
    const char *found = NULL;

    while (file && !found && fgets(line, sizeof line, file))
        found = name_in(line);
    snprintf(name, size, "%s", found ? found : "unknown");
    if (file)
        fclose(file);
}

unsigned machine_processors(void)
{
    cpu_set_t set;

    /* Fails on machines with more processors than the set has room for: then we are not pinned. */
    if (sched_getaffinity(0, sizeof set, &set))
        return 0;
    return (unsigned)CPU_COUNT(&set);
}
