#!/bin/bash
# MPI from Python, through a library loaded so that nobody else sees its MPI library, as mpi4py is:
# MPI RUNTIME COMPARE MODULE PROGRAM.
source tests/tools/expect.sh
source tests/mpi.sh
compare=$PWD/$1 module=$PWD/$2 program=$PWD/$3
source tests/applications/programs.sh
cd "$work" || exit 1

expect_status 0 mpicc.mpich -O1 -Wall -shared -fPIC -o module.so "$module"
expect_same_in_modes python 100 --tolerance 1e-9 -- /usr/bin/python3 "$program" ./module.so
expect_text "ranks $ranks eigenvalue "
finish
