#!/bin/bash
# Where shared memory cannot be had, all ranks agree to fall back, and every value stays right:
# MPI RUNTIME BROADCASTS FILLING FAILING_SYSTEM.
source tests/tools/expect.sh
source tests/mpi.sh
broadcasts=$PWD/$1 filling=$PWD/$2 failing=$PWD/$3

# Prefix of the command: nothing, or a /dev/shm of its own.
inside=()

# run LAYOUT NAME=VALUE...: broadcasts whose values are checked, with 4 ranks, up to $most bytes where
# that is set.
run() {
  local layout=$1 setting job=("${mpiexec[@]}" -n 4)
  shift
  for setting in LD_PRELOAD="$runtime:$failing" MPIACTOR_VERBOSE=info \
    MPIACTOR_NODES="$layout" "$@"; do
    job+=(-genv "${setting%%=*}" "${setting#*=}")
  done
  expect_status 0 "${inside[@]}" "${job[@]}" "$broadcasts" values ${most:+"$most"}
  expect_text " wrong=0"
}

# Calls of rank 0 by path, from the line at finalize.
count() { sed -n "s/.*rank 0: \([0-9]*\) calls hybrid.*), \([0-9]*\) passed.*/\\$1/p" <<<"$output"; }
# run_passed_on LAYOUT NAME=VALUE...: the same, with all calls passed on; so long ones show no more.
run_passed_on() {
  most=100000 run "$@"
  expect_equal 0 "$(count 1)" "hybrid calls"
  [ "$(count 2)" -gt 100 ] || fail_check "calls passed on: '$(count 2)' (output: $output)"
}
# Short messages need little memory, long ones are passed on.
expect_only_long_passed_on() {
  [ "$(count 1)" -gt 50 ] || fail_check "hybrid calls: '$(count 1)' (output: $output)"
  [ "$(count 2)" -gt 5 ] || fail_check "calls passed on: '$(count 2)' (output: $output)"
}

# With memory enough, and nothing failing, the calls are hybrid: else nothing below means much.
run 2 MPIACTOR_TEST_FAIL_RANKS=0,1,2,3
[ "$(count 1)" -gt 90 ] || fail_check "hybrid calls: '$(count 1)' (output: $output)"

# Nothing is missing but time that passes. MPICH 4.2 waits for ever in MPI_Init then.
if timeout 20 "${mpiexec[@]}" -n 4 -genv LD_PRELOAD "$failing" -genv MPIACTOR_TEST_FAIL clock \
  -genv MPIACTOR_TEST_FAIL_RANKS 0,1,2,3 "$broadcasts" values >/dev/null 2>&1; then
  run 2 MPIACTOR_TEST_FAIL=clock MPIACTOR_TEST_FAIL_RANKS=0,1,2,3
  [ "$(count 1)" -gt 90 ] || fail_check "hybrid calls: '$(count 1)' (output: $output)"
else
  echo "a clock that stands still not tried: the MPI library does not run with it"
fi

run 2 MPIACTOR_SHM_LIMIT=0
expect_line "mpiactor: off: all calls go to the MPI library"
expect_no_text "hybrid"

# One rank alone cannot, or one node: everybody falls back. Ranks 0 and 2 are the lowest of their
# nodes, and create; the others attach.
for layout in "" 2; do
  for what in create:0 reserve:0 attach:$([ -n "$layout" ] && echo 3 || echo 1,3); do
    run_passed_on "$layout" MPIACTOR_TEST_FAIL="${what%:*}" MPIACTOR_TEST_FAIL_RANKS="${what#*:}"
  done
  run "$layout" MPIACTOR_TEST_FAIL=reserve-large MPIACTOR_TEST_FAIL_RANKS=0
  expect_only_long_passed_on
done
for what in create:2 reserve:2 attach:1; do
  run_passed_on 2 MPIACTOR_TEST_FAIL="${what%:*}" MPIACTOR_TEST_FAIL_RANKS="${what#*:}"
done
# One rank says so, however many cannot, and none where nobody shall speak.
for what in create:0,2 attach:1,3; do
  for verbosity in warn quiet; do
    run 2 MPIACTOR_TEST_FAIL="${what%:*}" MPIACTOR_TEST_FAIL_RANKS="${what#*:}" \
      MPIACTOR_VERBOSE=$verbosity
    expect_equal "$([ $verbosity = warn ] && echo 1 || echo 0)" \
      "$(grep -c '^mpiactor: a communicator.s collectives go to the MPI library: ' <<<"$output")" \
      "lines said with $verbosity (output: $output)"
  done
done
run 2 MPIACTOR_TEST_FAIL=reserve-large MPIACTOR_TEST_FAIL_RANKS=2
expect_only_long_passed_on
# One rank a node: nobody shares staging, so nothing large is ever asked for.
run ppn:1 MPIACTOR_TEST_FAIL=reserve-large MPIACTOR_TEST_FAIL_RANKS=0,1,2,3
[ "$(count 1)" -gt 90 ] || fail_check "hybrid calls: '$(count 1)' (output: $output)"

# A /dev/shm that is really too small, or read-only. The MPI library itself needs
# more there.
own_shm=(unshare --mount)
[ "$(id -u)" = 0 ] || own_shm+=(--map-root-user)
# shellcheck disable=SC2016  # expanded inside
own_shm+=(bash -c 'mount -t tmpfs -o "$0" tmpfs /dev/shm && exec "$@"')
if ! reason=$("${own_shm[@]}" size=1m true 2>&1); then
  echo "small /dev/shm not tried: $reason"
  finish
fi
for layout in "" 2 ppn:1; do
  inside=("${own_shm[@]}" "$([ "$layout" = 2 ] && echo size=16m,ro || echo size=64k)")
  run_passed_on "$layout" "$without_shm"
done
for layout in "" 2; do
  inside=("${own_shm[@]}" size=1m)
  run "$layout" "$without_shm"
  expect_only_long_passed_on
done
# Room for one node's queue, and for one node's staging, but not for two.
inside=("${own_shm[@]}" size=100k)
run_passed_on 2 "$without_shm"
inside=("${own_shm[@]}" size=12m)
run 2 "$without_shm"
expect_only_long_passed_on
run "" "$without_shm"
[ "$(count 1)" -gt 90 ] || fail_check "hybrid calls: '$(count 1)' (output: $output)"

# What others fill between two blocks of a long vector.
for layout in "" 2; do
  for how in "" nonblocking; do
    expect_status 0 "${own_shm[@]}" size=64m timeout 20 "${mpiexec[@]}" -n 4 \
      -genv LD_PRELOAD "$runtime" -genv MPIACTOR_NODES "$layout" -genv MPIACTOR_VERBOSE quiet \
      -genv MPIACTOR_WARMUP_CALLS 0 -genv MPIACTOR_NEVER_WORSE 0 "$filling" ${how:+"$how"}
    expect_line "all right"
  done
done
finish
