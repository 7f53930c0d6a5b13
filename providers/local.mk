# SPDX-License-Identifier: LGPL-2.1-or-later
# The providers that are built into the library.
#
# Each tier of `native` is a convenience library of its own, so that the flags of its instructions reach
# no other code; and a second one with hit flags, for the tests. LIMBIC_TIERS and LIMBIC_TEST_TIERS list
# those that configure found possible.

LIMBIC_SOURCES += \
	providers/native/common/karatsuba.h \
	providers/native/common/moduli.h \
	providers/native/common/reduce.h \
	providers/native/native.c \
	providers/native/native.h \
	providers/native/portable/kernels.h \
	providers/native/portable/limbs-add.c \
	providers/native/portable/limbs-mul.c \
	providers/native/portable/limbs-row.c \
	providers/native/portable/limbs-select.c \
	providers/native/portable/limbs-shift.c \
	providers/native/portable/portable.c \
	providers/native/portable/portable.h

LIMBIC_TIERS =
LIMBIC_TEST_TIERS =

native_baseline_sources = \
	providers/native/x86_64/asm.h \
	providers/native/x86_64/karatsuba.h \
	providers/native/x86_64/baseline/baseline.c \
	providers/native/x86_64/baseline/kernels.h \
	providers/native/x86_64/baseline/limbs-add.S \
	providers/native/x86_64/baseline/limbs-comba.S \
	providers/native/x86_64/baseline/limbs-mul.c \
	providers/native/x86_64/baseline/limbs-row.S \
	providers/native/x86_64/baseline/limbs-select.S \
	providers/native/x86_64/baseline/limbs-shift.S \
	providers/native/x86_64/baseline/moduli.c
EXTRA_DIST += $(native_baseline_sources)

native_adx_sources = \
	providers/native/x86_64/asm.h \
	providers/native/x86_64/karatsuba.h \
	providers/native/x86_64/adx/adx.c \
	providers/native/x86_64/adx/block.h \
	providers/native/x86_64/adx/kernels.h \
	providers/native/x86_64/adx/limbs-block.S \
	providers/native/x86_64/adx/limbs-mul.c \
	providers/native/x86_64/adx/limbs-row.S \
	providers/native/x86_64/adx/limbs-select.S \
	providers/native/x86_64/adx/moduli-reduce.S \
	providers/native/x86_64/adx/moduli.c
EXTRA_DIST += $(native_adx_sources)

if BUILD_NATIVE_BASELINE
noinst_LTLIBRARIES += providers/libnative-baseline.la
LIMBIC_TIERS += providers/libnative-baseline.la
providers_libnative_baseline_la_SOURCES = $(native_baseline_sources)

check_LTLIBRARIES += providers/libnative-baseline-test.la
LIMBIC_TEST_TIERS += providers/libnative-baseline-test.la
providers_libnative_baseline_test_la_SOURCES = $(native_baseline_sources)
providers_libnative_baseline_test_la_CPPFLAGS = $(AM_CPPFLAGS) -DLIMBIC_TESTING
providers_libnative_baseline_test_la_LIBTOOLFLAGS = --tag=disable-shared
endif

if BUILD_NATIVE_ADX
noinst_LTLIBRARIES += providers/libnative-adx.la
LIMBIC_TIERS += providers/libnative-adx.la
providers_libnative_adx_la_SOURCES = $(native_adx_sources)

check_LTLIBRARIES += providers/libnative-adx-test.la
LIMBIC_TEST_TIERS += providers/libnative-adx-test.la
providers_libnative_adx_test_la_SOURCES = $(native_adx_sources)
providers_libnative_adx_test_la_CPPFLAGS = $(AM_CPPFLAGS) -DLIMBIC_TESTING
providers_libnative_adx_test_la_LIBTOOLFLAGS = --tag=disable-shared
endif

# Providers outside the library: bound at once, without a static form, named as libtool names modules.
MODULE_LDFLAGS = -module -avoid-version -shared -no-undefined -Wl,-z,now

# The module gmp, the only thing here that is linked with GMP.
if GMP
limbicmodules_LTLIBRARIES += providers/gmp/limbic-provider-gmp.la
endif

providers_gmp_limbic_provider_gmp_la_SOURCES = \
	providers/gmp/gmp.c \
	providers/gmp/kernels.h \
	providers/gmp/limbs.c \
	providers/gmp/moduli.c
providers_gmp_limbic_provider_gmp_la_CPPFLAGS = \
	-I$(top_srcdir)/include -I$(top_srcdir) $(LIMBIC_CPPFLAGS) -DLIMBIC_GMP_MODULE_VERSION='"$(PACKAGE_VERSION)"'
providers_gmp_limbic_provider_gmp_la_LIBADD = $(GMP_LIBS)
providers_gmp_limbic_provider_gmp_la_LDFLAGS = $(MODULE_LDFLAGS)
