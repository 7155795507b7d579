#!/bin/bash
# Single copy that fails in calls in the background stops on all ranks at the same call: MPI RUNTIME
# BACKGROUND_READS FAILING_SYSTEM.
source tests/tools/expect.sh
source tests/mpi.sh
program=$PWD/$1 failing=$PWD/$2

for ranks in 2 3; do
  for fail_ranks in 1 0,1,2; do
    job=(timeout 180 "${mpiexec[@]}" -n $ranks)
    for setting in LD_PRELOAD="$runtime:$failing" MPIACTOR_VERBOSE=info MPIACTOR_WARMUP_CALLS=0 \
      MPIACTOR_TEST_FAIL=read-long MPIACTOR_TEST_FAIL_RANKS=$fail_ranks; do
      job+=(-genv "${setting%%=*}" "${setting#*=}")
    done
    expect_status 0 "${job[@]}" "$program"
    expect_line "all right"
    expect_text "mpiactor: no single copy from now on"
  done
done
finish
