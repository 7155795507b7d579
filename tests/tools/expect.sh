# shellcheck shell=bash
# What the tests of scripts share. Every check that fails is reported; finish gives the verdict.

failures=0
# shellcheck disable=SC2034  # for those who source this
work=${TEST_TMPDIR:?run by bazel test}

fail_check() {
  # Where the check was called, or this function itself, if by the script.
  local depth=$((${#BASH_SOURCE[@]} > 2 ? 2 : 1))
  failures=$((failures + 1))
  echo "FAILED ${BASH_SOURCE[depth]##*/}:${BASH_LINENO[depth - 1]}: $*" >&2
}

# expect_status WANTED COMMAND...: runs it; its output is then in $output (both streams).
expect_status() {
  local wanted=$1 status
  shift
  output=$(timeout -k 5 200 "$@" 2>&1)
  status=$?
  [ "$status" = "$wanted" ] ||
    fail_check "status $status instead of $wanted from: $* (output: $output)"
}

# expect_line TEXT: some line of $output is TEXT.
expect_line() {
  grep -Fxq -- "$1" <<<"$output" || fail_check "no line '$1' in: $output"
}

# expect_text TEXT: TEXT occurs in $output.
expect_text() {
  [[ $output == *"$1"* ]] || fail_check "no '$1' in: $output"
}

expect_no_text() {
  [[ $output != *"$1"* ]] || fail_check "unexpected '$1' in: $output"
}

# expect_equal WANTED VALUE WHAT
expect_equal() {
  [ "$1" = "$2" ] || fail_check "$3: '$2' instead of '$1'"
}

# expect_soon COMMAND...: succeeds within 5 s; for what the kernel does shortly after.
expect_soon() {
  local tries
  for ((tries = 0; tries < 100; ++tries)); do
    "$@" && return
    sleep 0.05
  done
  fail_check "still not so: $*"
}

skip_without_namespaces() {
  local reason
  reason=$("$1" check 2>&1) && return
  echo "skipped: $reason"
  exit 0
}

finish() {
  [ "$failures" = 0 ] && echo "all checks passed" && exit 0
  echo "$failures checks failed" >&2
  exit 1
}
