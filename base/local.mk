# SPDX-License-Identifier: LGPL-2.1-or-later
# Below everything: errors and wiping.

LIMBIC_SOURCES += \
	base/error.c \
	base/error.h \
	base/wipe.h
