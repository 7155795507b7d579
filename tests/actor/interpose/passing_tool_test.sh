#!/bin/bash
# Tools whose functions call the MPI library's past the runtime, which is loaded before them:
# persistent collectives begin all the same, and end with their requests: MPI RUNTIME STARTS TOOL.
source tests/tools/expect.sh
source tests/mpi.sh
starts=$PWD/$1 tool=$PWD/$2
source tests/actor/interpose/job.sh

for job_preload in "$runtime" "$tool:$runtime" "$runtime:$tool"; do
  for layout in "" 2; do
    run_job 0 -n 4 -genv MPIACTOR_NODES "$layout" -genv MPIACTOR_VERBOSE info -- "$starts"
    expect_line "starts: wrong=0"
    expect_hybrid 18
  done
done
finish
