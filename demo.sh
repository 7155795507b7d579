#!/bin/bash
# Shows what late ranks cost, and what competitive leaders save; see usage() below.
set -u -o pipefail

usage() {
  cat <<'END_OF_USAGE'
Installs missing packages, builds, and compares three ways to broadcast on this machine: the MPI
library alone (made polite where there are more ranks than cores), static leaders, competitive
leaders. On 4 virtual hosts with 2 ranks each: all-pairs shortest paths of a road network, with its
computing slept and noise added, as if every rank had a core, then computed; and the correlations of
a data set with missing values. On 4 virtual hosts with 4 ranks each: the arrival benchmark, whose
ranks come up to 20 ms late, and a loop of steps with noise. Ends with tables, a line that says where
nothing was gained, a plot of the loop, and a report page of the correlations, demo-report.html.
Takes about three minutes after the build.

  ./demo.sh [--graph FILE]

  --graph FILE  road network for the application: DIMACS .gr or Matrix Market .mtx
                (default: a built-in random one of 3,000 crossings)

All figures are left in demo-results/.
END_OF_USAGE
}

say() { echo "demo.sh: $*"; }

fail() {
  echo "demo.sh: $*" >&2
  exit 1
}

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
readonly results=demo-results
readonly kHosts=4 kAspRanks=2 kUpaRanks=4 kAspRounds=2 kUpaRounds=2 kRepetitions=16 kLoopRounds=2
readonly kRunSeconds=150 # a run that takes longer is stopped
input=(--random 3000 --seed 1)
readonly noise=(--noise independent --noise-us 500 --noise-seed 1)
readonly correlations=(--random 1000 --observations 4000 --missing 0.2 --seed 1)

use_graph() {
  if [ ! -f "$1" ] || [ ! -r "$1" ]; then fail "--graph $1: there is no such file that can be read"; fi
  input=(--graph "$(readlink -f "$1")")
}

parse_command_line() {
  while [ $# -gt 0 ]; do
    case $1 in
      --graph)
        [ $# -ge 2 ] || fail "option --graph needs a file"
        use_graph "$2"
        shift 2
        ;;
      --graph=*) use_graph "${1#*=}" && shift ;;
      --help | -h) usage; exit ;;
      *)
        echo "demo.sh: unknown option $1; allowed are --graph FILE, --help" >&2
        exit 64
        ;;
    esac
  done
}

# run_asp NAME LEADER ROUND ARGS...: one run of the application.
run_asp() {
  local name=$1 leader=$2 round=$3 log=$results/$1-$2-$3.log
  shift 3
  local progress=off
  [ ! -t 2 ] || progress=on
  timeout --foreground -k 10 "$kRunSeconds" \
    tools/mpiactor-run --virtual-hosts "$kHosts" --ppn "$kAspRanks" --leader "$leader" -- \
    bazel-bin/apps/asp/asp "${input[@]}" --progress "$progress" "$@" \
    --json "$results/$name-$leader-$round.json" >"$log" </dev/null ||
    fail "the shortest paths with leader=$leader failed with status $? (124: not done after" \
      "$kRunSeconds s); its output is in $log"
  grep -E 'total_s' "$log" | sed "s/^asp:/  round $round, leader=$leader:/"
}

# run_application NAME ARGS...: rounds take turns at who comes first: other work on the machine comes
# and goes.
run_application() {
  local name=$1 leaders=(off static competitive) round position
  shift
  for ((round = 1; round <= kAspRounds; ++round)); do
    for ((position = 0; position < 3; ++position)); do
      run_asp "$name" "${leaders[(position + round) % 3]}" "$round" "$@"
    done
  done
}

# With noise all modes sleep the same steps, whose costs are measured once.
run_noise() {
  run_asp costs competitive 1 --computing asleep >/dev/null
  run_application noise --computing asleep --costs "$results/costs-competitive-1.json" "${noise[@]}"
}

run_loop() {
  local log=$results/loop.log
  timeout --foreground -k 10 "$((2 * kRunSeconds))" \
    bench/loop/loop --virtual-hosts "$kHosts" --ppn "$kUpaRanks" --rounds "$kLoopRounds" \
    --timeout "$kRunSeconds" --sizes 12K,256K --noise-us 0,1000,3000 --steps 40 --step-us 4000 \
    --json "$results/loop.json" --svg "$results/noise.svg" >"$log" </dev/null ||
    fail "the loop failed with status $? (its messages are above); its output is in $log"
}

# One traced run of the second application in each mode, whose ranks arrive apart by themselves.
trace_correlations() {
  local leader log
  for leader in off static competitive; do
    log=$results/vcc-$leader.log
    MPIACTOR_TRACE=$here/$results/$leader.trace timeout --foreground -k 10 "$kRunSeconds" \
      tools/mpiactor-run --virtual-hosts "$kHosts" --ppn "$kAspRanks" --leader "$leader" -- \
      bazel-bin/apps/vcc/vcc "${correlations[@]}" >"$log" 2>&1 </dev/null ||
      fail "the correlations with leader=$leader failed with status $? (124: not done after" \
        "$kRunSeconds s); their output is in $log"
    grep -E 'broadcast_s' "$log" | sed "s/^vcc:/  leader=$leader:/"
  done
  tools/mpiactor-report "$results"/{off,static,competitive}.trace -o demo-report.html \
    --json "$results/report.json" || fail "the traces in $results could not be read"
}

# run_benchmark PATTERN
run_benchmark() {
  local log=$results/upa-$1.log
  timeout --foreground -k 10 "$((2 * kRunSeconds))" \
    bench/compare --virtual-hosts "$kHosts" --ppn "$kUpaRanks" --rounds "$kUpaRounds" \
    --timeout "$kRunSeconds" --json "$results/upa-$1.json" \
    --sizes 1K,64K,1M --skew-ms 20 --pattern "$1" --reps "$kRepetitions" >"$log" </dev/null ||
    fail "the arrival benchmark with pattern $1 failed with status $? (its messages are above);" \
      "its output is in $log"
}

parse_command_line "$@"
cd "$here" || exit 1
[ -n "${HOME:-}" ] || HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
export HOME

say "checking that the packages of tools/packages.txt are installed"
tools/bootstrap || fail "packages are missing, see above"
say "building the runtime, the application and the benchmark"
bazel build --show_progress --show_progress_rate_limit=15 --nosandbox_debug \
  //actor:libmpiactor.so //actor/polite:libmpiactor_polite.so //apps/asp //apps/vcc \
  //bench:upa //bench/loop:loop_run //tools:mpiactor-info || fail "the build failed, see above"
rm -rf "${results:?}"
mkdir -p "$results" || fail "cannot make the folder $here/$results"
: >"$results/info.txt" || fail "cannot write into the folder $here/$results"
bazel-bin/tools/mpiactor-info >"$results/info.txt" ||
  fail "the environment holds a wrong setting: $(grep WRONG "$results/info.txt" | sed 's/ *WRONG: //')"

say "all-pairs shortest paths (asp ${input[*]}), computing asleep, ${noise[*]}," \
  "$kHosts hosts x $kAspRanks ranks, $kAspRounds rounds of three modes"
run_noise
say "the same computed, without noise"
run_application asp
say "correlations of a data set (vcc ${correlations[*]}), $kHosts hosts x $kAspRanks ranks, traced"
trace_correlations
for pattern in random late-leaders; do
  say "arrival benchmark, pattern $pattern, up to 20 ms late, $kHosts hosts x $kUpaRanks ranks," \
    "$kUpaRounds rounds of three modes"
  run_benchmark "$pattern"
done
say "a loop of steps with noise, $kHosts hosts x $kUpaRanks ranks, $kLoopRounds rounds of three modes"
run_loop
echo
tools/demo_table.py "$results" | tee "$results/table.txt" ||
  fail "the three modes do not agree, see above; their output is in $results"
say "time in broadcasts over noise: $here/$results/noise.svg (docs/measuring.md)"
say "who came late and what it cost in the correlations: $here/demo-report.html (docs/tracing.md)"
