/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * machine.h - what is worth knowing of the machine beside its times.
 */
#ifndef LIMBIC_BENCH_MACHINE_H
#define LIMBIC_BENCH_MACHINE_H

#include <stddef.h>

/* The processor's name as the kernel has it, or "unknown". */
void machine_cpu(char *name, size_t size);

/* The number of processors that this process may run on; 0 if that is not known. */
unsigned machine_processors(void);

#endif
