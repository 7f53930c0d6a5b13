# SPDX-License-Identifier: LGPL-2.1-or-later
# The benchmark behind `limbic speed`, a program of its own so that only it links other libraries.

pkglibexec_PROGRAMS += bench/limbic-speed
bench_limbic_speed_SOURCES = \
	bench/contestants.c \
	bench/contestants.h \
	bench/failure.c \
	bench/failure.h \
	bench/inputs.c \
	bench/inputs.h \
	bench/interrupt.c \
	bench/interrupt.h \
	bench/json.c \
	bench/machine.c \
	bench/machine.h \
	bench/main.c \
	bench/measure.c \
	bench/measure.h \
	bench/options.c \
	bench/options.h \
	bench/output.c \
	bench/output.h \
	bench/peer-gcrypt.c \
	bench/peer-limbic.c \
	bench/peer-process.h \
	bench/peer.h \
	bench/peers.c \
	bench/results.c \
	bench/results.h \
	bench/rows.c \
	bench/rows.h \
	bench/rsa.c \
	bench/rsa.h \
	bench/stats.c \
	bench/stats.h \
	bench/words.c \
	bench/words.h
bench_limbic_speed_CPPFLAGS = $(AM_CPPFLAGS)
bench_limbic_speed_LDADD = base/libprogram.la liblimbic.la $(LIBGCRYPT_LIBS) $(GPG_ERROR_LIBS) $(PTHREAD_LIBS)

# The libraries that limbic is compared with, where they were found.
if PEER_OPENSSL
bench_limbic_speed_SOURCES += bench/peer-openssl.c bench/peer-process.c
bench_limbic_speed_CPPFLAGS += $(PEER_OPENSSL_CFLAGS)
bench_limbic_speed_LDADD += $(PEER_OPENSSL_LIBS)
endif
if PEER_NETTLE
bench_limbic_speed_SOURCES += bench/peer-nettle.c
bench_limbic_speed_CPPFLAGS += $(PEER_NETTLE_CFLAGS)
bench_limbic_speed_LDADD += $(PEER_NETTLE_LIBS) -lgmp
endif
if PEER_BOTAN
bench_limbic_speed_SOURCES += bench/peer-botan.c
bench_limbic_speed_CPPFLAGS += $(PEER_BOTAN_CFLAGS)
bench_limbic_speed_LDADD += $(PEER_BOTAN_LIBS)
endif

# How long initialisation takes, in fresh processes; for the tests only.
check_PROGRAMS += bench/measure-init
bench_measure_init_SOURCES = \
	bench/failure.c \
	bench/interrupt.c \
	bench/measure-init.c \
	bench/measure.c \
	bench/stats.c
bench_measure_init_LDADD = base/libprogram.la liblimbic.la $(GPG_ERROR_LIBS)

# Two threads on one key against two processes: `make check-threads`, on an idle machine.
EXTRA_PROGRAMS += bench/measure-threads
CLEANFILES += bench/measure-threads$(EXEEXT)
bench_measure_threads_SOURCES = \
	bench/failure.c \
	bench/interrupt.c \
	bench/measure-threads.c \
	bench/measure.c \
	bench/stats.c
bench_measure_threads_LDADD = base/libprogram.la liblimbic.la $(GPG_ERROR_LIBS) $(PTHREAD_LIBS)
check-threads: bench/measure-threads$(EXEEXT)
	bench/measure-threads rsa:2048 0.97
.PHONY: check-threads
