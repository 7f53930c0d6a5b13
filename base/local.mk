# SPDX-License-Identifier: LGPL-2.1-or-later
# Below everything: errors, wiping, names.

LIMBIC_SOURCES += \
	base/error.c \
	base/error.h \
	base/locks.c \
	base/locks.h \
	base/nearest.c \
	base/nearest.h \
	base/wipe.h

# What the programs share with the library; liblimbic hides it from them, so they have their own.
noinst_LTLIBRARIES += base/libprogram.la
base_libprogram_la_SOURCES = \
	base/exit-status.h \
	base/nearest.c \
	base/nearest.h
base_libprogram_la_LIBTOOLFLAGS = --tag=disable-shared
