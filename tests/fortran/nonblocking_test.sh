#!/bin/bash
# Nonblocking and persistent collectives in Fortran, with the runtime preloaded: MPI RUNTIME.
source tests/tools/expect.sh
source tests/mpi.sh
source tests/actor/interpose/job.sh

# Of 33 calls the first one goes to the MPI library. Open MPI 4 has no persistent ones, which are ten.
declare -A options=([mpi]= [mpi_f08]=-DF08)
case $mpi in
  mpich) handled=32 without=() ;;
  openmpi) handled=22 without=(-DNO_PERSISTENT) ;;
esac
for module in mpi mpi_f08; do
  expect_status 0 "mpifort.$mpi" -O1 ${options[$module]} "${without[@]}" -J "$work" -o "$work/$module" \
    tests/fortran/nonblocking.F90
  for layout in "" 2 cyclic:2; do
    run_job 0 -n 4 -genv MPIACTOR_NODES "$layout" -genv MPIACTOR_VERBOSE info -- "$work/$module"
    expect_line "nonblocking: wrong=0"
    expect_equal "$handled" "$(calls_by_path 1)" "hybrid calls"
  done
done
# One rank in Fortran 2008, the others in C; functions that look for what has come.
expect_status 0 "mpicc.$mpi" -c -o "$work/c_side.o" tests/fortran/c_side.c
expect_status 0 "mpifort.$mpi" -O1 -J "$work" -o "$work/looks" tests/fortran/looks_f08.f90 "$work/c_side.o"
for layout in "" 2; do
  run_job 0 -n 2 -genv MPIACTOR_NODES "$layout" -- "$work/looks"
  expect_line "looks: missed=0 0 0 0"
done
finish
