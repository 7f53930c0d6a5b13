# SPDX-License-Identifier: LGPL-2.1-or-later
# limbic(1).

bin_PROGRAMS += cli/limbic
cli_limbic_SOURCES = \
	cli/args.c \
	cli/cli.h \
	cli/cmd-config.c \
	cli/cmd-convert.c \
	cli/cmd-encrypt.c \
	cli/cmd-explain.c \
	cli/cmd-key.c \
	cli/cmd-report.c \
	cli/cmd-sign.c \
	cli/cmd-speed.c \
	cli/errors.c \
	cli/io.c \
	cli/key-file.c \
	cli/main.c \
	cli/params.c \
	cli/passphrase.c
cli_limbic_CPPFLAGS = $(AM_CPPFLAGS) -DLIMBIC_LIBEXECDIR='"$(pkglibexecdir)"'
# Bound when it is loaded: see configure.ac. Its memcpy() carries keys through the vector registers, which
# the binding of its next function would leave on the stack.
cli_limbic_LDFLAGS = $(LIMBIC_PROGRAM_LDFLAGS)
cli_limbic_LDADD = base/libprogram.la liblimbic.la $(GPG_ERROR_LIBS)
