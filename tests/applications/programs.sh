# shellcheck shell=bash
# What the tests of other people's programs share: each program runs with the MPI library alone, then
# with the runtime preloaded, in several modes, and says the same. Sourced after
# tests/tools/expect.sh and tests/mpi.sh, with $compare (compare_output.py) set.
# shellcheck disable=SC2034,SC2154  # job_timeout_s, failures, compare: see above
source tests/actor/interpose/job.sh

# Leader, and how the ranks are cut into nodes.
readonly modes=("competitive" "competitive 2" "competitive cyclic:2" "static 2")
readonly ranks=4
# One-sided operations wait for their target, which on a busy machine gets its turn late.
job_timeout_s=150

# One thread a rank: results and times shall not depend on the machine's cores.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 BAGEL_NUM_THREADS=1

# need PACKAGE FILE: ends the test, as passed, where FILE is not there. Where the packages are known
# to be installed (MPIACTOR_TEST_APPLICATIONS=required), as failed.
need() {
  [ -e "$2" ] && return
  if [ "${MPIACTOR_TEST_APPLICATIONS:-}" = required ]; then
    echo "FAILED: $2 of the package $1 is missing, though the applications were to be installed" >&2
    exit 1
  fi
  echo "skipped: the package $1 is not installed (tools/bootstrap --applications)"
  exit 0
}

# run_program NAME STATUS MODE COMMAND...: standard output goes to $work/NAME.out. MODE is "plain" or
# one of $modes.
run_program() {
  local name=$1 wanted=$2 mode=$3 options=(-n "$ranks" -genv MPIACTOR_VERBOSE info) leader layout
  shift 3
  job_preload=""
  if [ "$mode" != plain ]; then
    job_preload=$runtime
    read -r leader layout <<<"$mode"
    options+=(-genv MPIACTOR_LEADER "$leader" -genv MPIACTOR_NODES "$layout")
  fi
  run_job "$wanted" "${options[@]}" -- "$@"
  printf '%s\n' "$output" >"$work/$name.out"
}

# expect_same_in_modes NAME LEAST COMPARE_OPTIONS... -- COMMAND...: what the command prints with the
# runtime is what it prints without, as compare_output.py sees it, and at least LEAST of rank 0's
# calls were hybrid. Leaves the last run's files in the working folder.
expect_same_in_modes() {
  local name=$1 least=$2 how=() mode failures_before=$failures
  shift 2
  while [ "$1" != -- ]; do how+=("$1") && shift; done
  shift
  run_program "$name.plain" 0 plain "$@"
  for mode in "${modes[@]}"; do
    run_program "$name" 0 "$mode" "$@"
    /usr/bin/python3 "$compare" "${how[@]}" "$work/$name.plain.out" "$work/$name.out" ||
      fail_check "$name prints something else with the runtime (leader and nodes: $mode)"
    expect_hybrid "$least"
  done
  [ "$failures" != "$failures_before" ] ||
    echo "$name: the same as without the runtime in ${#modes[@]} modes;" \
      "$(calls_by_path 1) hybrid calls, $(calls_by_path 2) passed on in the last one"
}
