# SPDX-License-Identifier: LGPL-2.1-or-later
# tap.sh - sourced by the scripts tests/run-*: results, case by case, for tests/driver.
#
#   check NAME COMMAND...   a case: passes when COMMAND succeeds; prints what it wrote when not
#   pass NAME, fail NAME    a case decided by the script
#   skip_case NAME WHY      a case that cannot run here
#   skip_all WHY            the whole script cannot run here
#   use_installed           from here on the command `limbic` is the one staged by make
#   finish                  last: the plan; exits non-zero when a case failed
#
# The environment has top_srcdir and top_builddir (absolute; the current directory is the latter) and what
# AM_TESTS_ENVIRONMENT in tests/local.mk sets. $scratch is an empty directory, removed at the end.

: "${top_srcdir:=$(cd "$(dirname "$0")/.." && pwd)}" "${top_builddir:=$PWD}"

tap_cases=0 tap_failed=0
scratch=$top_builddir/tests/scratch/$(basename "$0").$$
mkdir -p "$scratch" || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 129' HUP INT TERM

pass() {
    tap_cases=$((tap_cases + 1))
    echo "ok $tap_cases - $*"
}

fail() {
    tap_cases=$((tap_cases + 1)) tap_failed=$((tap_failed + 1))
    echo "not ok $tap_cases - $*"
}

skip_case() {
    tap_cases=$((tap_cases + 1))
    echo "ok $tap_cases - $1 # SKIP $2"
}

skip_all() {
    echo "1..0 # SKIP $*"
    exit 77
}

check() {
    tap_name=$1
    shift
    if "$@" >"$scratch/.output" 2>&1; then
        pass "$tap_name"
    else
        fail "$tap_name"
        sed 's/^/# /' "$scratch/.output"
    fi
}

use_installed() {
    PATH=$top_builddir/tests/staged$TEST_BINDIR:$PATH
    LD_LIBRARY_PATH=$top_builddir/tests/staged$TEST_LIBDIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export PATH LD_LIBRARY_PATH
}

finish() {
    echo "1..$tap_cases"
    [ "$tap_failed" -eq 0 ]
    exit
}
