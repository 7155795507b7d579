#!/bin/bash
# Where members cannot read each other's memory, or no more, all ranks agree to do without, and every
# byte stays right: MPI RUNTIME EXCHANGES FAILING_SYSTEM.
source tests/tools/expect.sh
source tests/mpi.sh
exchanges=$PWD/$1 failing=$PWD/$2

# run USED|UNUSED NAME=VALUE...: exchanges of long blocks, compared with the MPI library's, 3 ranks.
run() {
  local wanted=$1 setting job=("${mpiexec[@]}" -n 3)
  shift
  for setting in LD_PRELOAD="$runtime:$failing" MPIACTOR_VERBOSE=info \
    MPIACTOR_NEVER_WORSE=0 "$@"; do
    job+=(-genv "${setting%%=*}" "${setting#*=}")
  done
  expect_status 0 "${job[@]}" "$exchanges" --seconds 0.7 --long-blocks \
    --single-copy "$wanted"
}
lines() { grep -c "no single copy" <<<"$output"; }

run used MPIACTOR_TEST_FAIL=nothing
expect_no_text "no single copy"
run unused MPIACTOR_SINGLE_COPY=off
expect_no_text "no single copy"

# No permission, on one rank alone (others may go on without it) or on all: one line says so.
for ranks in 0 2 0,1,2; do
  wanted=any
  [ "$ranks" != 0,1,2 ] || wanted=unused
  run $wanted MPIACTOR_TEST_FAIL=read MPIACTOR_TEST_FAIL_RANKS=$ranks
  expect_line "mpiactor: no single copy: process_vm_readv: Operation not permitted"
  [ "$ranks" = 0,1,2 ] || expect_equal 1 "$(lines)" "lines"
done

# Taken away later, in the middle of a call: that call ends in another way.
for ranks in 1 0,1,2; do
  run any MPIACTOR_TEST_FAIL=read-long MPIACTOR_TEST_FAIL_RANKS=$ranks
  expect_text "mpiactor: no single copy from now on"
done
finish
