#!/bin/bash
# MPIACTOR_CHECK=1: calls that should match and do not end the job with both sites' values; matching
# ones are left alone. MPI RUNTIME BROADCASTS.
source tests/tools/expect.sh
source tests/mpi.sh
broadcasts=$PWD/$1
source tests/actor/interpose/job.sh

# ROOT BYTES: what rank 1 says instead of root 0 and 100 bytes.
for layout in "" 2; do
  for differ in "1 100" "3 100" "0 200" "0 10" "2 200" "0 1000000" "3 1000000" "0 0"; do
    read -r root bytes <<<"$differ"
    run_job any -n 4 -genv MPIACTOR_CHECK 1 -genv MPIACTOR_NODES "$layout" -- \
      "$broadcasts" differ "$root" "$bytes"
    # Each member that finds a difference may say so before the job has ended.
    said | grep -q "MPIACTOR_CHECK: .*with root 0 and 100 bytes" ||
      fail_check "nodes '$layout': the good call is not named: $errors"
    said | grep -q "MPIACTOR_CHECK: .*rank 1 called MPI_Bcast with root $root and $bytes bytes" ||
      fail_check "nodes '$layout': the differing call is not named: $errors"
  done
  run_job 0 -n 4 -genv MPIACTOR_CHECK 1 -genv MPIACTOR_NODES "$layout" -- "$broadcasts" values
  expect_text " wrong=0"
  expect_silence
done
finish
