# SPDX-License-Identifier: LGPL-2.1-or-later
# The providers that are built into the library.

LIMBIC_SOURCES += \
	providers/native/portable/kernels.h \
	providers/native/portable/limbs-add.c \
	providers/native/portable/limbs-mul.c \
	providers/native/portable/limbs-row.c \
	providers/native/portable/limbs-select.c \
	providers/native/portable/limbs-shift.c \
	providers/native/portable/portable.c \
	providers/native/portable/portable.h
