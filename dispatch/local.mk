# SPDX-License-Identifier: LGPL-2.1-or-later
# Choosing the kernels: registry, policy, plans, self-tests.

LIMBIC_SOURCES += \
	dispatch/config.c \
	dispatch/config.h \
	dispatch/cpu.c \
	dispatch/cpu.h \
	dispatch/curve-names.c \
	dispatch/curve-names.h \
	dispatch/dispatch.h \
	dispatch/environment.c \
	dispatch/environment.h \
	dispatch/license.c \
	dispatch/license.h \
	dispatch/lint.c \
	dispatch/lint.h \
	dispatch/module.h \
	dispatch/plan.c \
	dispatch/plan.h \
	dispatch/policy-names.c \
	dispatch/policy-parts.h \
	dispatch/policy-place.c \
	dispatch/policy.c \
	dispatch/policy.h \
	dispatch/quarantine.c \
	dispatch/quarantine.h \
	dispatch/registry.c \
	dispatch/registry.h \
	dispatch/report-list.c \
	dispatch/report-slots.c \
	dispatch/report-view.h \
	dispatch/report-words.c \
	dispatch/report.c \
	dispatch/report.h \
	dispatch/resolve.c \
	dispatch/resolve.h \
	dispatch/restriction.c \
	dispatch/restriction.h \
	dispatch/safe-file.c \
	dispatch/safe-file.h \
	dispatch/selection.c \
	dispatch/selection.h \
	dispatch/selftest-all.c \
	dispatch/selftest-all.h \
	dispatch/selftest.c \
	dispatch/selftest.h \
	dispatch/slots.h \
	dispatch/text.c \
	dispatch/text.h

if VERIFY
LIMBIC_SOURCES += \
	dispatch/verify.c \
	dispatch/verify.h
endif

# Without modules the library has no way to open a file of code.
if MODULES
LIMBIC_SOURCES += \
	dispatch/module-file.c \
	dispatch/module-file.h \
	dispatch/module.c
else
LIMBIC_SOURCES += \
	dispatch/module-none.c
endif
