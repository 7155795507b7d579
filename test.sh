#!/bin/bash
# Builds everything and runs all tests; see usage() below.
set -u -o pipefail

usage() {
  cat <<'END_OF_USAGE'
Installs missing packages, builds everything and runs the tests, those of shared memory, engine and
parsers also under the thread and the address sanitizer, whose builds have assertions. Where Open MPI
is installed (tools/bootstrap --optional), a fifth of the tests that launch MPI jobs run with it, too;
with --long all do. Ends with the line "N passed, M failed" (test targets) and exits with 0 only if all
passed.

  ./test.sh [--quick] [--applications] [--long] [--attempts N]

  --quick         only tests that start no MPI job, without sanitizers
  --applications  installs the programs that tests/applications runs, and Slurm, too (108 MB to
                  fetch); the tests of those that are missing are left out otherwise
  --long          also the tests that take long: models of the request queue, soak, the search over
                  random programs, more layouts and settings, all with Open MPI;
                  random calls for 10 s each in place of about 1; then fuzzes each parser for two
                  minutes (needs clang-14)
  --attempts N    runs a test that fails up to N times in all (1 to 3); those that fail first and
                  then pass are counted as passed, named as flaky, and their logs are shown

Environment:
  ROME99_GRAPH  the road network of Rome (rome99.gr of the 9th DIMACS challenge), for tests on real
                input; default: ../shared/data/rome99.gr beside this folder, where it exists.
                Without it those tests check the built-in graphs alone.
END_OF_USAGE
}

say() { echo "test.sh: $*"; }

fail() {
  echo "test.sh: $*" >&2
  exit 1
}

# Debian's Bazel otherwise prints what its sandbox does, thousands of lines.
readonly kBazelOptions=(--nosandbox_debug --show_progress --show_progress_rate_limit=30)

# Lines shown of each failing test's log, of its end.
readonly kLogLines=60

case ${ROME99_GRAPH:-/} in
  /*) ;;
  *) ROME99_GRAPH=$PWD/$ROME99_GRAPH ;;
esac
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" || exit 1
quick=no applications=no long=no attempts=1
while [ $# -gt 0 ]; do
  option=$1
  shift
  case $option in
    --attempts)
      attempts=${1:-}
      shift
      case $attempts in
        [1-3]) ;;
        *) echo "test.sh: --attempts $attempts; allowed are 1, 2, 3" >&2 && exit 64 ;;
      esac
      ;;
    --quick) quick=yes ;;
    --applications) applications=yes ;;
    --long) long=yes ;;
    --help | -h) usage; exit ;;
    *)
      echo "test.sh: unknown option $option; allowed are --quick, --applications, --long, --attempts, --help" >&2
      exit 64
      ;;
  esac
done

readonly asan_tests=(
  //tests/actor/{competition,config,shm,reduction}:all //tests/actor/trace:rank_file_test
  //tests/actor/collectives:assertions_test
  //tests/actor/container:{choices,machine,node_map,staging_walk,torus}_test
  //tests/inter:{bcast_plans,engine,engine_late}_test //tests/fuzz:all
)

passed=0 failed=0
output=$(mktemp) || fail "cannot make a temporary file in ${TMPDIR:-/tmp}"
trap 'rm -f "$output"' EXIT

# The end of the log of each failed test that Bazel's summary names. A summary line begins with the
# target, and below it stand the paths of its logs.
show_failed_logs() {
  local log
  sed -nE 's/^ +(\/.*\.log)$/\1/p' "$output" | while read -r log; do
    [ -f "$log" ] || continue
    echo "--- $log (its last $kLogLines lines)"
    tail -n "$kLogLines" "$log"
    echo "---"
  done
}

# run_tests WHAT BAZEL_ARGUMENTS...: one bazel test; adds to passed and failed.
run_tests() {
  local what=$1 status these_passed these_failed these_flaky
  shift
  say "running $what"
  bazel test "${kBazelOptions[@]}" --test_output=summary --test_summary=short --keep_going \
    --flaky_test_attempts="$attempts" \
    "${test_settings[@]}" "$@" 2>&1 | tee "$output"
  status=$?
  these_passed=$(grep -cE '^//[^ ]+ .*(PASSED|FLAKY)' "$output")
  these_failed=$(grep -cE '^//[^ ]+ .*(FAILED|TIMEOUT|NO STATUS|INCOMPLETE)' "$output")
  these_flaky=$(grep -cE '^//[^ ]+ .*FLAKY' "$output")
  [ "$((these_failed + these_flaky))" = 0 ] || show_failed_logs
  [ "$these_flaky" = 0 ] || say "$what: $these_flaky failed first and then passed"
  # Bazel can fail without naming a test (nothing to run, a broken package).
  [ "$status" = 0 ] || [ "$these_failed" != 0 ] || these_failed=1
  say "$what: $these_passed passed, $these_failed failed"
  passed=$((passed + these_passed)) failed=$((failed + these_failed))
}

say "checking that the packages of tools/packages.txt are installed"
test_settings=() sections=()
if [ "$applications" = yes ]; then
  sections+=(--applications)
  test_settings+=(--test_env=MPIACTOR_TEST_APPLICATIONS=required)
fi
tools/bootstrap "${sections[@]}" || fail "packages are missing, see above"

# Bazel keeps its outputs under the home folder, which a bare environment may not name.
[ -n "${HOME:-}" ] || HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
export HOME

graph=${ROME99_GRAPH:-../shared/data/rome99.gr}
if [ -f "$graph" ]; then
  test_settings+=("--test_env=ROME99_GRAPH=$(readlink -f "$graph")")
  say "tests on real input use $graph"
elif [ -n "${ROME99_GRAPH:-}" ]; then
  fail "ROME99_GRAPH=$ROME99_GRAPH: no such file"
else
  say "no ROME99_GRAPH: tests on the road network of Rome are left out"
fi

# What leaves tests out by their tags: those that take long.
if [ "$long" = yes ]; then
  filters=()
  test_settings+=(--test_env=TEST_SECONDS=10)
else
  filters=(-long)
fi
# tag_filters MORE...
tag_filters() { (IFS=, && echo "--test_tag_filters=${filters[*]:+${filters[*]}${1:+,}}$*"); }

if [ "$quick" = yes ]; then
  run_tests "tests without MPI jobs" --build_tests_only "$(tag_filters -mpi)" //...
else
  say "building everything"
  bazel build "${kBazelOptions[@]}" "--build_tag_filters=${filters:+-long_openmpi}" --keep_going //... || {
    say "the build failed, see above"
    failed=1
  }
  run_tests "all tests" --build_tests_only "$(tag_filters)" //...
  # The sanitizers' builds have assertions, too.
  run_tests "shared memory under the thread sanitizer" --config=tsan --build_tests_only \
    //tests/actor/{competition,shm}:all //tests/actor/trace:rank_file_test \
    //tests/actor/container:copy_choice_test //tests/inter:{kept_bytes,served_nodes}_test
  # "mpi": those of reductions and assertions use the MPI library.
  run_tests "shared memory, reductions, assertions, engine and parsers under the address sanitizer" \
    --config=asan --build_tests_only --test_tag_filters= "${asan_tests[@]}"
fi

if [ "$long" = yes ]; then
  say "fuzzing the parsers"
  if tests/fuzz/run --seconds 120; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
fi

# A build server that nobody will call again.
[ -z "${CI:-}" ] || bazel shutdown
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
