# SPDX-License-Identifier: LGPL-2.1-or-later
# cli.sh - sourced, after tap.sh, by the scripts that run limbic(1).
#
#   limbic ARGUMENT...           the program of this build
#   expect STATUS NAME COMMAND...   a case: COMMAND exits with one of the statuses (`1|2`), writes to
#                                standard error nothing when that is 0, else one line that begins
#                                with `limbic: `. Its output is in $scratch/out, the line in $scratch/err.
#   said NAME PATTERN            a case: the line of the last expect matches the pattern of grep -E
#   printed NAME PATTERN         a case: a line of its output does
#   same NAME FILE FILE          a case: the two have the same octets

: "${LIMBIC_BIN:=$top_builddir/cli/limbic}"
data=$top_srcdir/tests/data

limbic() {
    "$LIMBIC_BIN" "$@"
}

# Why the last command is no good, or nothing. $1: the statuses allowed; $2: the one it has.
complaint() {
    case "|$1|" in
    *"|$2|"*) ;;
    *) echo "exit status $2 instead of $1" ;;
    esac
    if [ "$2" -eq 0 ]; then
        [ ! -s "$scratch/err" ] || echo "wrote to standard error"
    else
        [ "$(wc -l <"$scratch/err")" -eq 1 ] || echo "no single line on standard error"
        grep -q '^limbic: [^:]*: .' "$scratch/err" || grep -q '^limbic: a command' "$scratch/err" ||
            echo "a line of another form on standard error"
        ! grep -q '`' "$scratch/err" || echo "a name in backquotes, not in quotation marks"
    fi
}

expect() {
    expect_status=$1 expect_name=$2
    shift 2
    "$@" >"$scratch/out" 2>"$scratch/err"
    expect_complaint=$(complaint "$expect_status" $?)
    if [ -z "$expect_complaint" ]; then
        pass "$expect_name"
    else
        fail "$expect_name"
        { echo "$*"; echo "$expect_complaint"; head -n 20 "$scratch/err"; } | sed 's/^/# /'
    fi
}

matches() {
    if grep -Eq -e "$2" "$3"; then
        pass "$1"
    else
        fail "$1"
        { echo "no line matches: $2"; head -n 5 "$3"; } | sed 's/^/# /'
    fi
}

said() {
    matches "$1" "$2" "$scratch/err"
}

printed() {
    matches "$1" "$2" "$scratch/out"
}

same() {
    check "$1" cmp "$2" "$3"
}

# With standard input from a file: from FILE COMMAND...
from() {
    from_file=$1
    shift
    "$@" <"$from_file"
}

mode_of() {
    ls -ld "$1" | cut -c 1-10
}
