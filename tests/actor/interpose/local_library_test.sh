#!/bin/bash
# A program that keeps its MPI library to itself: MPI RUNTIME PROGRAM. Without the polite preload,
# behind which the runtime finds UCX anyway.
source tests/tools/expect.sh
source tests/mpi.sh
expect_status 0 timeout 20 mpiexec.hydra -n 2 -genv LD_PRELOAD "$runtime" "$1"
finish
