#!/bin/bash
# Runs an MPI test program as several jobs, each under a watchdog:
# TIMEOUT_S AT_ONCE MPI RUNTIME POLITE SETTINGS... -- JOBS... -- PROGRAM ARGUMENTS...
#
# MPI: "mpich" or "openmpi". RUNTIME, POLITE: libraries that are preloaded, or "none"; the second one
# also into the launcher. SETTINGS: NAME=VALUE. A job is a string of words: RANKS, or
# RANKS/NODES with NODES as MPIACTOR_NODES; then settings and arguments of its own. AT_ONCE of them
# run at a time. What they print comes job by job, that of those that failed last.
set -u
timeout_s=$1 at_once=$2 mpi=$3 runtime=$4 polite=$5
shift 5
launcher_preload="" preload=""
[ "$polite" = none ] || launcher_preload=$PWD/$polite preload=$PWD/$polite
[ "$runtime" = none ] || preload=$PWD/$runtime${preload:+:$preload}

# Adds NAME=VALUE $2 in the ranks' environment to the options in array $1.
add_setting() {
  local -n options=$1
  case $mpi in
    mpich) options+=(-genv "${2%%=*}" "${2#*=}") ;;
    openmpi) options+=(-x "$2") ;;
  esac
}

launch=(mpiexec.hydra)
# Of Open MPI 4.1 without what fails by itself: vectorised sums of short integers do not wrap, and
# single copy receives long messages beyond short buffers.
[ "$mpi" = mpich ] || launch=(mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none
  --mca mpi_yield_when_idle 1 --mca btl_base_warn_component_unused 0
  --mca op ^avx --mca btl_vader_single_copy_mechanism none)
settings=()
while [ "$1" != -- ]; do
  add_setting settings "$1"
  shift
done
add_setting settings "LD_PRELOAD=$preload"
shift
jobs=()
while [ "$1" != -- ]; do
  jobs+=("$1")
  shift
done
shift
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# All processes that process $1 has started.
descendants() {
  local child
  for child in $(pgrep -P "$1"); do
    echo "$child"
    descendants "$child"
  done
}

show_stacks() {
  local pid
  for pid in "$@"; do
    echo "--- process $pid ($(cat "/proc/$pid/comm" 2>/dev/null)): $(cat "/proc/$pid/wchan" 2>/dev/null)"
    command -v gdb >/dev/null &&
      timeout 10 gdb -p "$pid" -batch -ex "thread apply all bt 12" 2>/dev/null | grep '^#'
  done
}

# run_job JOB PROGRAM ARGUMENTS...: its status.
run_job() {
  local words ranks own=() more=() launcher alarm first status started word
  read -r -a words <<<"$1"
  shift
  ranks=${words[0]%%/*}
  [ "$ranks" = "${words[0]}" ] || add_setting own "MPIACTOR_NODES=${words[0]#*/}"
  for word in "${words[@]:1}"; do
    case $word in
      [A-Z]*=*) add_setting own "$word" ;;
      *) more+=("$word") ;;
    esac
  done
  LD_PRELOAD=$launcher_preload "${launch[@]}" -n "$ranks" "${settings[@]}" "${own[@]}" \
    "$@" "${more[@]}" </dev/null &
  launcher=$!
  sleep "$timeout_s" &
  alarm=$!
  wait -n -p first "$launcher" "$alarm"
  status=$?
  if [ "$first" = "$launcher" ]; then
    kill "$alarm"
    return "$status"
  fi
  mapfile -t started < <(descendants "$launcher")
  echo "watchdog: still running after $timeout_s s; stacks of the ranks:"
  show_stacks "${started[@]}"
  kill -KILL "${started[@]}" "$launcher"
  return 1
}

# start_job NUMBER JOB PROGRAM ARGUMENTS...: in the background; leaves NUMBER.passed or NUMBER.failed.
start_job() {
  local number=$1 began_ms
  shift
  began_ms=$(date +%s%3N)
  (
    run_job "$@" >"$results/$number.log" 2>&1
    status=$?
    outcome=passed
    [ "$status" = 0 ] || outcome=failed
    {
      echo "=== ranks/MPIACTOR_NODES $1: $outcome, status $status, $(($(date +%s%3N) - began_ms)) ms"
      cat "$results/$number.log"
    } >"$results/$number.$outcome"
  ) &
}

for number in "${!jobs[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n; done
  start_job "$number" "${jobs[number]}" "$@"
done
wait

failed=0
for outcome in passed failed; do
  for number in "${!jobs[@]}"; do
    [ -e "$results/$number.$outcome" ] || continue
    cat "$results/$number.$outcome"
    [ "$outcome" = passed ] || failed=$((failed + 1))
  done
done
echo "${#jobs[@]} jobs, $failed failed"
[ "$failed" = 0 ]
