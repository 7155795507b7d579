#!/bin/bash
# MPIACTOR_MEMORY in a job, and what is said of it: MPI RUNTIME MODES.
source tests/tools/expect.sh
source tests/mpi.sh
modes=$PWD/$1
source tests/actor/interpose/job.sh

# On four nodes of one rank, rank 0 combines what comes from two others, 16 segments of each.
run_mode() { # SETTING
  run_job 0 -n 4 -genv MPIACTOR_MEMORY "$1" -genv MPIACTOR_VERBOSE info -genv MPIACTOR_NODES 4 \
    -genv MPIACTOR_NEVER_WORSE 0 -genv MPIACTOR_ALLREDUCE recdoubling -genv MPIACTOR_SEGMENT 4K \
    -genv MPIACTOR_WINDOW 4 -- "$modes"
  expect_line "modes: calls=20 wrong=0"
}
expect_use() { # SETTING TEXT
  run_mode "$1"
  expect_equal "mpiactor: rank 0: memory $2" "$(said | grep "rank 0: memory")" "what $1 has come to"
}

run_mode fast
expect_equal 3 "$(said | wc -l)" "lines without a bound on peers"

# 19 calls (the first one goes to the MPI library) use two peers each.
small=$((2 * 4096)) one_large=$((5 * 4096)) large=$((8 * 4096))
taken="bytes taken in before they were combined"
peers="peers with large buffers"
expect_use fast:0 "fast: at most 0 $peers (0 uses, 38 of small ones); at most $small $taken"
expect_use fast:1 "fast: at most 1 $peers (19 uses, 19 of small ones); at most $one_large $taken"
expect_use fast:9 "fast: at most 2 $peers (38 uses, 0 of small ones); at most $large $taken"
expect_use saving:0 "saving: at most 0 $peers (0 uses, 38 of small ones); at most $small $taken"
# Large after eight calls.
expect_use saving:1 "saving: at most 1 $peers (11 uses, 27 of small ones); at most $one_large $taken"
expect_use saving "saving: at most 2 $peers (22 uses, 16 of small ones); at most $large $taken"

run_job any -n 4 -genv MPIACTOR_MEMORY slow -- "$modes"
expect_said_once "MPIACTOR_MEMORY='slow'" "allowed: fast|saving|fast:PEERS|saving:PEERS"
finish
