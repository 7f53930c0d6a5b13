# SPDX-License-Identifier: LGPL-2.1-or-later
# The tests. `make check` runs cmocka programs and scripts under tests/driver, which counts their cases,
# and ends in the line `N passed, N failed, N skipped`.
#
# To add a unit test tests/test-x.c, add tests/test-x to unit_tests; it is linked with the test build of
# the library. Shared helpers go to tests_helpers. A script tests/run-x goes to script_tests; its data
# files go to test_data.

unit_tests = \
	tests/test-api \
	tests/test-arena \
	tests/test-arith \
	tests/test-bench-stats \
	tests/test-config \
	tests/test-corrupt \
	tests/test-cpu \
	tests/test-default \
	tests/test-der \
	tests/test-dispatch \
	tests/test-encrypted \
	tests/test-fault \
	tests/test-fork \
	tests/test-gmp \
	tests/test-kernels \
	tests/test-key \
	tests/test-memory \
	tests/test-modules \
	tests/test-noheap \
	tests/test-number \
	tests/test-pem \
	tests/test-prime \
	tests/test-reconfigure \
	tests/test-residue \
	tests/test-rsa \
	tests/test-rsa-encrypt \
	tests/test-rsa-shapes \
	tests/test-slots-limbs \
	tests/test-slots-moduli \
	tests/test-slots-tester \
	tests/test-slots-vectors \
	tests/test-threads \
	tests/test-verify \
	tests/test-words

tests_helpers = \
	tests/data.h \
	tests/fake-provider.c \
	tests/fake-provider.h \
	tests/guards.c \
	tests/guards.h \
	tests/kernels-call.c \
	tests/kernels-convention.c \
	tests/kernels-moduli.c \
	tests/kernels-subject.c \
	tests/kernels-x86_64.S \
	tests/kernels.h \
	tests/keys.h \
	tests/malloc-in-front.h \
	tests/octets.h \
	tests/patterns.c \
	tests/patterns.h \
	tests/records.h \
	tests/sanitizers.h \
	tests/reference.c \
	tests/reference.h \
	tests/slots-limbs.c \
	tests/slots-moduli.c \
	tests/slots.c \
	tests/slots.h \
	tests/vectors.c \
	tests/vectors.h

script_tests = \
	tests/run-badinput \
	tests/run-cli \
	tests/run-config \
	tests/run-driver \
	tests/run-example \
	tests/run-hygiene \
	tests/run-includes \
	tests/run-install \
	tests/run-keyfiles \
	tests/run-lifetime \
	tests/run-module \
	tests/run-objects \
	tests/run-openssl \
	tests/run-quickstart \
	tests/run-readme \
	tests/run-setid \
	tests/run-speed \
	tests/run-symbols \
	tests/run-wycheproof

test_data = \
	tests/data \
	tests/symbols.txt

# tests/run-lifetime compiles tests/lifetime.c, with the installed library.
EXTRA_DIST += tests/driver tests/cli.sh tests/count tests/tap.sh tests/lifetime.c $(script_tests) $(test_data)

if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
endif
TESTS += $(unit_tests) $(script_tests)

# What a unit test is linked with, unless it says otherwise.
check_LTLIBRARIES += tests/libhelpers.la
tests_libhelpers_la_SOURCES = $(tests_helpers)
tests_libhelpers_la_CPPFLAGS = $(AM_CPPFLAGS) -DLIMBIC_TESTING
tests_libhelpers_la_LIBTOOLFLAGS = --tag=disable-shared
LDADD = tests/libhelpers.la liblimbic-test.la $(CMOCKA_LIBS)

# What a process sees of the variable; run-setid gives it other users' rights.
check_PROGRAMS += tests/print-info
tests_print_info_SOURCES = tests/print-info.c
tests_print_info_LDADD = liblimbic-test.la

# The parts of the benchmark program that have tests of their own.
tests_test_bench_stats_SOURCES = \
	bench/failure.c \
	bench/interrupt.c \
	bench/json.c \
	bench/measure.c \
	bench/output.c \
	bench/results.c \
	bench/stats.c \
	tests/test-bench-stats.c

# The kernel harness, whole: `make check-kernels`, with KERNELS="PROVIDER[/TIER]|FILE.so [SLOT-GLOB]"; its quick
# parts are tests/test-kernels.
check_PROGRAMS += tests/kernels
tests_kernels_SOURCES = tests/kernels.c

check-kernels: tests/kernels$(EXEEXT) tests/modules.stamp
	unset LIMBIC; tests/kernels$(EXEEXT) $(KERNELS)

# The tests with threads, under ThreadSanitizer, in a build of their own below this one. A child of fork()
# takes the threads of its parent for lost; hence no word about those.
tsan_tests = tests/test-dispatch tests/test-fork tests/test-modules tests/test-reconfigure tests/test-threads
check-tsan:
	$(MKDIR_P) check-tsan && cd check-tsan && \
	{ test -f Makefile || '$(abs_top_srcdir)/configure' --quiet \
	  CC='$(CC)' CFLAGS='-O1 -g -fsanitize=thread' CPPFLAGS='$(CPPFLAGS)'; } && \
	TSAN_OPTIONS="report_thread_leaks=0 $$TSAN_OPTIONS"; export TSAN_OPTIONS; \
	$(MAKE) $(AM_MAKEFLAGS) check check_PROGRAMS='$(tsan_tests)' check_DATA=tests/modules.stamp TESTS='$(tsan_tests)'

# Other builds, from configure on: see there.
EXTRA_DIST += tests/check-builds
check-builds:
	@$(AM_TESTS_ENVIRONMENT) MAKE='$(MAKE)'; export MAKE; $(SHELL) $(srcdir)/tests/check-builds

# The unit tests of another kind of machine, under an emulator, in a build below this one; SYSROOT has that
# machine's libraries. For one whose octets stand the other way round:
#     make check-cross HOST=s390x-linux-gnu SYSROOT=DIRECTORY EMULATOR=qemu-s390x
check-cross:
	@test -n '$(HOST)' && test -d '$(SYSROOT)' || { echo 'check-cross needs HOST=, SYSROOT= and EMULATOR=' >&2; exit 1; }
	$(MKDIR_P) 'check-cross/$(HOST)' && cd 'check-cross/$(HOST)' && \
	{ test -f Makefile || \
	  PKG_CONFIG_LIBDIR='$(SYSROOT)/usr/lib/$(HOST)/pkgconfig' PKG_CONFIG_SYSROOT_DIR='$(SYSROOT)' \
	  '$(abs_top_srcdir)/configure' --quiet --disable-shared --host='$(HOST)' \
	  CC='$(HOST)-gcc --sysroot=$(SYSROOT)' CFLAGS='$(CFLAGS)' CPPFLAGS='$(CPPFLAGS)'; } && \
	$(MAKE) $(AM_MAKEFLAGS) check check_PROGRAMS='$(unit_tests)' check_DATA=tests/modules.stamp \
	  TESTS='$(unit_tests)' LOG_COMPILER='$(EMULATOR) -L $(SYSROOT)'

.PHONY: check-kernels check-tsan check-builds check-cross

# Wycheproof's test vectors: tests/run-wycheproof in `make check`, where WYCHEPROOF_DIR names a directory of
# them, or `make check-wycheproof WYCHEPROOF=DIR`; tests/wycheproof takes any file.
if HAVE_JANSSON
check_PROGRAMS += tests/wycheproof
tests_wycheproof_SOURCES = tests/wycheproof.c
tests_wycheproof_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
tests_wycheproof_LDADD = liblimbic-test.la $(JANSSON_LIBS) $(GPG_ERROR_LIBS)
wycheproof_program = tests/wycheproof$(EXEEXT)
else
EXTRA_DIST += tests/wycheproof.c
endif

WYCHEPROOF = $(WYCHEPROOF_DIR)
check-wycheproof: $(wycheproof_program) tests/modules.stamp
	$(AM_TESTS_ENVIRONMENT) \
	WYCHEPROOF_DIR='$(WYCHEPROOF)'; export WYCHEPROOF_DIR; \
	case $$WYCHEPROOF_DIR in '' | /*) ;; *) WYCHEPROOF_DIR=`pwd`/$$WYCHEPROOF_DIR ;; esac; \
	$(SHELL) $(top_srcdir)/tests/run-wycheproof

.PHONY: check-wycheproof

# The program over the test build, with a module directory of the caller's choice.
check_PROGRAMS += tests/limbic-modules
tests_limbic_modules_SOURCES = tests/limbic-modules.c $(cli_limbic_SOURCES)
tests_limbic_modules_CPPFLAGS = $(cli_limbic_CPPFLAGS) -Dmain=lb_test_cli_main -DLIMBIC_TESTING
tests_limbic_modules_CFLAGS = $(AM_CFLAGS) -Wno-missing-prototypes
tests_limbic_modules_LDADD = base/libprogram.la liblimbic-test.la $(GPG_ERROR_LIBS)

# And with a directory of configuration files.
check_PROGRAMS += tests/limbic-config
tests_limbic_config_SOURCES = tests/limbic-config.c $(cli_limbic_SOURCES)
tests_limbic_config_CPPFLAGS = $(tests_limbic_modules_CPPFLAGS)
tests_limbic_config_CFLAGS = $(tests_limbic_modules_CFLAGS)
tests_limbic_config_LDADD = $(tests_limbic_modules_LDADD)

# The module directory of the test build, with the modules of this build.
check_DATA += tests/modules.stamp
tests/modules.stamp: $(limbicmodules_LTLIBRARIES)
	$(AM_V_GEN)rm -rf tests/modules && $(MKDIR_P) tests/modules && chmod 755 tests/modules && \
	for module in $(limbicmodules_LTLIBRARIES); do \
	  name=`basename $$module .la` && cp `dirname $$module`/.libs/$$name.so tests/modules/ && \
	  chmod 755 tests/modules/$$name.so || exit 1; \
	done && touch $@
CLEANFILES += tests/modules.stamp

# An installation for the scripts to look at, made once for all of them. libtool cannot install below a
# path with a space, which the build folder's may have; hence the link.
check_DATA += tests/staged.stamp
tests/staged.stamp: $(lib_LTLIBRARIES) $(bin_PROGRAMS) $(pkglibexec_PROGRAMS) $(include_HEADERS) \
		$(pkgconfig_DATA) $(dist_man_MANS) $(limbicmodules_LTLIBRARIES)
	$(AM_V_GEN)rm -rf tests/staged && $(MKDIR_P) tests/staged && link=`mktemp -d` && \
	ln -s "$(abs_top_builddir)/tests/staged" $$link/staged && \
	{ $(MAKE) $(AM_MAKEFLAGS) install DESTDIR=$$link/staged > tests/staged.log 2>&1; status=$$?; \
	  rm -rf $$link; \
	  test $$status -eq 0 || { cat tests/staged.log >&2; exit 1; }; } && \
	touch $@
CLEANFILES += tests/staged.stamp tests/staged.log

clean-local:
	-rm -rf tests/modules tests/staged tests/scratch check-cross check-tsan ct-matrix

LOG_DRIVER = $(SHELL) $(top_srcdir)/tests/driver
AM_TESTS_ENVIRONMENT = \
	unset LIMBIC; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	TEST_CC='$(CC)'; export TEST_CC; \
	TEST_CFLAGS='$(CFLAGS)'; export TEST_CFLAGS; \
	TEST_LDFLAGS='$(LDFLAGS)'; export TEST_LDFLAGS; \
	TEST_EXAMPLES='$(examples)'; export TEST_EXAMPLES; \
	TEST_LIMB_BITS='$(LIMBIC_LIMB_BITS)'; export TEST_LIMB_BITS; \
	TEST_MODULES='$(enable_modules)'; export TEST_MODULES; \
	TEST_GMP='$(have_gmp)'; export TEST_GMP; \
	TEST_VERIFY='$(enable_verify)'; export TEST_VERIFY; \
	TEST_SHARED='$(enable_shared)'; export TEST_SHARED; \
	TEST_PREFIX='$(prefix)'; export TEST_PREFIX; \
	TEST_BINDIR='$(bindir)'; export TEST_BINDIR; \
	TEST_LIBDIR='$(libdir)'; export TEST_LIBDIR; \
	TEST_INCLUDEDIR='$(includedir)'; export TEST_INCLUDEDIR; \
	TEST_PKGLIBEXECDIR='$(pkglibexecdir)'; export TEST_PKGLIBEXECDIR; \
	TEST_PKGCONFIGDIR='$(pkgconfigdir)'; export TEST_PKGCONFIGDIR; \
	NM='$(NM)'; export NM; \
	OBJDUMP='$(OBJDUMP)'; export OBJDUMP; \
	READELF='$(READELF)'; export READELF; \
	STRINGS='$(STRINGS)'; export STRINGS; \
	PKG_CONFIG='$(PKG_CONFIG)'; export PKG_CONFIG;

# That no branch and no address depends on a secret: see tests/ct-check.c. Not a part of `make check`.
# The debugging information is of the version that valgrind reads from every compiler.
EXTRA_PROGRAMS += tests/ct-check
tests_ct_check_SOURCES = tests/ct-check.c
tests_ct_check_CPPFLAGS = $(liblimbic_ct_la_CPPFLAGS)
tests_ct_check_CFLAGS = $(liblimbic_ct_la_CFLAGS)
tests_ct_check_LDADD = liblimbic-ct.la
EXTRA_DIST += tests/run-ct
CLEANFILES += tests/ct-check$(EXEEXT) tests/ct-check.log tests/ct-check.tap

# The same for single kernels, of every provider of this build; and that over compilers and their options.
EXTRA_PROGRAMS += tests/ct-kernels
tests_ct_kernels_SOURCES = tests/ct-kernels.c
tests_ct_kernels_CPPFLAGS = $(liblimbic_ct_la_CPPFLAGS)
tests_ct_kernels_CFLAGS = $(liblimbic_ct_la_CFLAGS)
tests_ct_kernels_LDADD = tests/libhelpers.la liblimbic-ct.la
CLEANFILES += tests/ct-kernels$(EXEEXT) tests/ct-kernels.log tests/ct-kernels.tap
EXTRA_DIST += tests/check-ct-matrix

# What must be among them; the program takes whatever else there is.
ct_tiers = portable derived
if BUILD_NATIVE_BASELINE
ct_tiers += native/baseline
endif
if GMP
ct_tiers += gmp
endif

.PHONY: check-ct check-ct-kernels check-ct-matrix
if HAVE_VALGRIND
check-ct: tests/ct-check$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) srcdir='$(srcdir)'; export srcdir; $(SHELL) $(srcdir)/tests/run-ct ct-check
check-ct-kernels: tests/ct-kernels$(EXEEXT) tests/modules.stamp
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/tests/run-ct ct-kernels $(ct_tiers)
check-ct-matrix:
	+@$(AM_TESTS_ENVIRONMENT) MAKE='$(MAKE)'; export MAKE; \
	TEST_ASM='$(enable_asm)'; export TEST_ASM; $(SHELL) $(srcdir)/tests/check-ct-matrix
else
check-ct check-ct-kernels check-ct-matrix:
	@echo "$@ needs valgrind and its header memcheck.h (Debian: apt-get install valgrind)," >&2; \
	echo "which configure did not find." >&2; echo "0 passed, 0 failed, 1 skipped"
endif

# In place of Automake's rule, which ends in whatever make says last: the same, then the counts, also when
# something failed.
check-TESTS: $(check_PROGRAMS) $(check_LTLIBRARIES) $(check_DATA)
if HAVE_CMOCKA
	@rm -f $(TEST_SUITE_LOG) $(TEST_LOGS) $(TEST_LOGS:.log=.trs); status=0; \
	$(MAKE) $(AM_MAKEFLAGS) $(TEST_SUITE_LOG) || status=$$?; \
	$(SHELL) $(top_srcdir)/tests/count $$status $(TEST_LOGS:.log=.trs)
else
	@echo "The tests need cmocka 1.1.5 or later, which configure did not find." >&2; \
	echo "Install it (Debian: apt-get install libcmocka-dev) and run configure again." >&2; \
	echo "0 passed, 1 failed, 0 skipped"; exit 1
endif
