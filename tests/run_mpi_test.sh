#!/bin/bash
# Runs an MPI test program as several jobs, each under a watchdog:
# MPI RUNTIME PROGRAM TIMEOUT_S AT_ONCE SETTINGS... -- JOBS... -- ARGUMENTS...
#
# MPI: "mpich" or "openmpi". RUNTIME: the library that is preloaded. SETTINGS: NAME=VALUE. A job is a
# string of words: RANKS, or RANKS/NODES with NODES as MPIACTOR_NODES; then settings and arguments of
# its own. AT_ONCE of them run at a time. What they print comes job by job, that of those that failed
# last.
set -u
source tests/mpi.sh
program=$1 timeout_s=$2 at_once=$3
shift 3

# Adds NAME=VALUE $2 in the ranks' environment to the options in array $1.
add_setting() {
  local -n options=$1
  options+=(-genv "${2%%=*}" "${2#*=}")
}

settings=()
add_setting settings "LD_PRELOAD=$runtime"
while [ "$1" != -- ]; do
  add_setting settings "$1"
  shift
done
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

# run_job JOB ARGUMENTS...: its status.
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
  "${mpiexec[@]}" -n "$ranks" "${settings[@]}" "${own[@]}" "$program" "$@" "${more[@]}" </dev/null &
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

# start_job NUMBER JOB ARGUMENTS...: in the background; leaves NUMBER.passed or NUMBER.failed.
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
