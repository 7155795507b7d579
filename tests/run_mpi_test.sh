#!/bin/bash
# Runs one MPI test program under a watchdog: RANKS TIMEOUT_S RUNTIME POLITE SETTINGS PROGRAM ARGS...
# RUNTIME: libmpiactor.so or "none". SETTINGS: NAME=VALUE,... with "+" for a comma in a value.
set -u
ranks=$1 timeout_s=$2 runtime=$3 polite=$4 settings=$5
shift 5
preload=$PWD/$polite
[ "$runtime" = none ] || preload=$PWD/$runtime:$preload

env_args=()
IFS=, read -r -a pairs <<<"$settings"
for pair in "${pairs[@]}"; do
  name=${pair%%=*} value=${pair#*=}
  env_args+=(-genv "$name" "${value//+/,}")
done

LD_PRELOAD=$PWD/$polite timeout -k 10 "$((timeout_s + 20))" \
  mpiexec.hydra -n "$ranks" -genv LD_PRELOAD "$preload" "${env_args[@]}" "$@" &
job=$!
# The watchdog: where every rank stands when time is up. The launcher may end with 0 when it is
# stopped, so what counts is that it had to be.
overdue=$(mktemp)
rm "$overdue"
(
  sleep "$timeout_s"
  : >"$overdue"
  echo "watchdog: still running after $timeout_s s; stacks of the ranks:" >&2
  for pid in $(pgrep -f -- "^[^ ]*$1"); do
    echo "--- process $pid: $(cat "/proc/$pid/wchan" 2>/dev/null)" >&2
    command -v gdb >/dev/null && timeout 10 gdb -p "$pid" -batch -ex "thread apply all bt 12" 2>/dev/null | grep '^#' >&2
  done
  kill "$job" 2>/dev/null
) &
watchdog=$!
wait "$job"
status=$?
kill "$watchdog" 2>/dev/null
pkill -P "$watchdog" 2>/dev/null
if [ -e "$overdue" ]; then
  rm "$overdue"
  exit 1
fi
exit "$status"
