# shellcheck shell=bash
# How the tests of the preloaded runtime start jobs. Sourced after tests/tools/expect.sh and tests/mpi.sh.
#
# The ranks' standard error goes to a file of its own: the launcher adds lines when a job aborts, and
# may lose what ranks said last.

errors_file=${work:?}/errors
# A program of the job is started through this.
rank=$work/rank
printf '#!/bin/bash\nexec "$@" 2>>"%s"\n' "$errors_file" >"$rank"
chmod +x "$rank"

# run_job STATUS MPIEXEC_OPTIONS... -- PROGRAM ARGS...: its exit status is STATUS ("any" but 0; "0|9":
# one of these).
# $output is then what the program printed, $errors what ranks said on standard error.
# Among the options, programs of other ranks are started as: "$rank" PROGRAM ARGS... :
# What is preloaded into the ranks: $job_preload, or else the runtime. The job may take $job_timeout_s
# seconds, or else 60.
run_job() {
  local wanted=$1 options=() status
  shift
  while [ "$1" != -- ]; do options+=("$1") && shift; done
  shift
  : >"$errors_file"
  output=$(timeout -k 5 "${job_timeout_s:-180}" "${mpiexec[@]:?}" \
    -genv LD_PRELOAD "${job_preload-$runtime}" "${options[@]}" \
    "$rank" "$@" 2>"$work/launcher_errors")
  status=$?
  errors=$(cat "$errors_file")
  case $wanted in
    any) [ "$status" != 0 ] && [ "$status" != 124 ] ;;
    *) [[ "|$wanted|" == *"|$status|"* ]] ;;
  esac || fail_check "status $status instead of $wanted from: ${options[*]} $* (output: $output$errors$(cat "$work/launcher_errors"))"
}

# Lines of the runtime itself.
said() { grep '^mpiactor: ' <<<"$errors"; }

# expect_said_once TEXT...: the runtime said one line, in which every TEXT occurs.
expect_said_once() {
  local text
  [ "$(said | wc -l)" = 1 ] || fail_check "not one line from the runtime: $(said)"
  for text in "$@"; do
    [[ $(said) == *"$text"* ]] || fail_check "no '$text' in: $(said)"
  done
}

# Nothing on standard error, and nothing from UCX, which writes its warnings to standard output.
expect_silence() {
  [ -z "$errors" ] || fail_check "standard error is not empty: $errors"
  expect_no_text " UCX "
}

# Calls of rank 0 that took the hybrid path (1) or were passed on (2), by the line at finalize.
calls_by_path() {
  sed -n "s/.*rank 0: \([0-9]*\) calls hybrid.*), \([0-9]*\) passed.*/\\$1/p" <<<"$errors"
}

# expect_hybrid LEAST: so many of rank 0's calls were hybrid.
expect_hybrid() {
  local calls
  calls=$(calls_by_path 1)
  [ "${calls:-0}" -ge "$1" ] || fail_check "hybrid calls: '$calls', at least $1 wanted (said: $errors)"
}
