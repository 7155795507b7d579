#!/bin/bash
# Nonblocking and persistent collectives in Fortran, with the runtime preloaded: RUNTIME POLITE.
source tests/tools/expect.sh
runtime=$PWD/$1 polite=$PWD/$2
source tests/actor/interpose/job.sh

# Of 33 calls the first one goes to the MPI library.
declare -A options=([mpi]= [mpi_f08]=-DF08)
for module in mpi mpi_f08; do
  expect_status 0 mpifort.mpich -O1 ${options[$module]} -J "$work" -o "$work/$module" \
    tests/fortran/nonblocking.F90
  for layout in "" 2 cyclic:2; do
    job_preload=$runtime:$polite
    run_job 0 -n 4 -genv MPIACTOR_NODES "$layout" -genv MPIACTOR_VERBOSE info -- "$work/$module"
    expect_line "nonblocking: wrong=0"
    expect_hybrid 32
  done
done
# One rank in Fortran 2008, the others in C; functions that look for what has come.
expect_status 0 mpicc.mpich -c -o "$work/c_side.o" tests/fortran/c_side.c
expect_status 0 mpifort.mpich -O1 -J "$work" -o "$work/looks" tests/fortran/looks_f08.f90 "$work/c_side.o"
for layout in "" 2; do
  run_job 0 -n 2 -genv MPIACTOR_NODES "$layout" -- "$work/looks"
  expect_line "looks: missed=0 0 0 0"
done
finish
