# SPDX-License-Identifier: LGPL-2.1-or-later
# Manual pages and example programs. Each example is compiled against the installed library and run
# by tests/run-install.

dist_man_MANS += \
	doc/limbic.1 \
	doc/limbic.3 \
	doc/limbic.7 \
	doc/limbic.conf.5
examples += \
	doc/example.c
EXTRA_DIST += $(examples)

# A module to start from; tests/run-module builds it.
EXTRA_DIST += doc/provider.c
