#!/bin/bash
# ScaLAPACK's own test programs (linear algebra: LU, least squares, singular values, PBLAS):
# MPI RUNTIME COMPARE.
source tests/tools/expect.sh
source tests/mpi.sh
compare=$PWD/$1
source tests/applications/programs.sh
programs=$(echo /usr/lib/*/scalapack/mpich-tests)
need scalapack-mpi-test "$programs/xdlu"

# They read what to do from files in the working folder.
cp -L /usr/share/scalapack/*.dat /usr/share/scalapack/PBLAS/*.dat "$work"
cd "$work" || exit 1

# Sizes, layouts, verdicts and their counts; residuals, times and rates differ from run to run.
for program in xdlu xdtrd; do
  expect_same_in_modes $program 5000 --any-reals -- "$programs/$program"
  expect_text "    0 tests completed and failed residual checks."
  expect_no_text FAILED
done
expect_same_in_modes xdsvd 5000 --any-reals -- "$programs/xdsvd"
expect_no_text Failed
for level in 1 2 3; do
  expect_same_in_modes pdblas$level 400 --any-reals -- "$programs/PBLAS/dpb${level}tst"
  expect_no_text "FAILED  *****"
done
finish
