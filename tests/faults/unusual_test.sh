#!/bin/bash
# Programs that fork, that initialise MPI in unusual ways, and that come to the system's limits:
# MPI RUNTIME UNUSUAL CHILD_GUARD. Values are right; what cannot be had is said in one line.
set -u
# shellcheck source=tests/tools/expect.sh
source tests/tools/expect.sh
source tests/mpi.sh
unusual=$PWD/$1 child_guard=$PWD/$2
preload=$runtime

# Prefix of the command: nothing, or a /dev/shm of its own; settings of the job.
inside=() settings=()

# run ARGUMENTS...: four ranks on two nodes.
run() {
  local setting job=("${mpiexec[@]}" -n 4)
  for setting in LD_PRELOAD="$preload" MPIACTOR_NODES=2 "${settings[@]}"; do
    job+=(-genv "${setting%%=*}" "${setting#*=}")
  done
  expect_status 0 "${inside[@]}" "${job[@]}" "$unusual" "$@"
  expect_line "unusual: wrong=0"
}

# What the runtime says: nothing, or one line that begins with TEXT.
expect_silence() { expect_equal "" "$(grep '^mpiactor' <<<"$output")" "said"; }
expect_one_line() {
  expect_equal 1 "$(grep -c '^mpiactor' <<<"$output")" "lines said (output: $output)"
  expect_text "$1"
}
fallback="mpiactor: a communicator's collectives go to the MPI library: "

for child in exec exit stay; do
  run fork $child
  expect_silence
done
preload+=:$child_guard
run fork exit
preload=$runtime
# Open MPI 4 has no sessions.
if [ "$mpi" = mpich ]; then
  for session in alone first last apart pending; do
    run session $session
    expect_silence
  done
fi
run plain
expect_silence
run umask
expect_silence
if [ "$mpi" = openmpi ]; then
  run other-launcher
  expect_silence
fi

# One rank, as its node's lowest member or not, or all of them. With one descriptor the MPI library
# connects, and the runtime makes its segments.
for rank in 0 3 -1; do
  run descriptors $rank 1
  expect_silence
  run memory $rank 7000
  expect_one_line "${fallback}mapping "
  expect_text "Cannot allocate memory"
done
run file-length 4096
expect_one_line "${fallback}reserving "
expect_text "File too large"

# A rank whose own trace file cannot be made: nothing is recorded, and one rank says so.
mkdir -p "$work/trace.2"
settings=(MPIACTOR_TRACE="$work/trace")
run plain
expect_one_line "mpiactor: MPIACTOR_TRACE: cannot write '$work/trace.2': not a regular file; nothing is recorded"
expect_equal "" "$(find "$work" -maxdepth 1 -type f -name 'trace*')" "files left"
settings=()

# Two jobs of one user at once.
run plain >"$work/other" 2>&1 &
other=$!
for ((n = 0; n < 3; ++n)); do
  run plain
  expect_silence
done
wait $other
expect_equal "" "$(cat "$work/other")" "of the other job"

# A /dev/shm that is full when the runtime wants it, that has no files left, or that is not there.
# The MPI library does without meanwhile.
own_shm=(unshare --mount)
[ "$(id -u)" = 0 ] || own_shm+=(--map-root-user)
own_shm+=(bash -c)
if ! reason=$("${own_shm[@]}" "mount -t tmpfs tmpfs /dev/shm" 2>&1); then
  echo "/dev/shm of our own not tried: $reason"
  finish
fi
settings=("$without_shm")
# shellcheck disable=SC2016  # expanded inside
run_command='exec "$0" "$@"'
inside=("${own_shm[@]}" "mount -t tmpfs -o size=16m tmpfs /dev/shm && $run_command")
run full
expect_one_line "${fallback}reserving "
expect_text "No space left on device"
inside=("${own_shm[@]}" "mount -t tmpfs -o size=16m,nr_inodes=1 tmpfs /dev/shm && $run_command")
run plain
expect_one_line "${fallback}creating shared memory in /dev/shm: No space left on device"
# Enough for the queues: long broadcasts use a small ring, other long calls smaller pieces.
inside=("${own_shm[@]}" "mount -t tmpfs -o size=1m tmpfs /dev/shm && $run_command")
run plain
expect_text "mpiactor: no memory for more than "
expect_text " of staging; longer messages go through a small ring"
[ "$(grep -c '^mpiactor' <<<"$output")" -le 2 ] || fail_check "more than a line a node: $output"
finish
