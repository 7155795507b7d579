#!/bin/bash
# MPB (photonic bands): frequencies, group velocities and band gaps of a crystal, fields written by
# HDF5: MPI RUNTIME COMPARE INPUT.
source tests/tools/expect.sh
source tests/mpi.sh
compare=$PWD/$1 input=$PWD/$2
source tests/applications/programs.sh
need mpb-mpi /usr/bin/mpb-mpi
cd "$work" || exit 1

expect_same_in_modes mpb 1500 --only '^(freqs|velocity|Gap from|Band )' --tolerance 1e-6 -- \
  mpb-mpi "$input"
expect_text "Gap from band 2"
finish
