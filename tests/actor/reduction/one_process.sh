#!/bin/bash
# A test of one process: MPI RUNTIME PROGRAM. The runtime is not loaded.
set -u
source tests/mpi.sh
"${mpiexec[@]}" -n 1 "$PWD/$1"
