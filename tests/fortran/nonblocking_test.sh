#!/bin/bash
# Nonblocking and persistent collectives in Fortran, with the runtime preloaded: RUNTIME POLITE.
source tests/tools/expect.sh
runtime=$PWD/$1 polite=$PWD/$2
source tests/actor/interpose/job.sh

# Of 33 calls the first one goes to the MPI library; so do the five MPI_Ibarrier of mpi_f08, whose
# bindings call PMPI_Ibarrier.
declare -A calls=([mpi]=32 [mpi_f08]=27) options=([mpi]= [mpi_f08]=-DF08)
for module in mpi mpi_f08; do
  expect_status 0 mpifort.mpich -O1 ${options[$module]} -J "$work" -o "$work/$module" \
    tests/fortran/nonblocking.F90
  for layout in "" 2 cyclic:2; do
    job_preload=$runtime:$polite
    run_job 0 -n 4 -genv MPIACTOR_NODES "$layout" -genv MPIACTOR_VERBOSE info -- "$work/$module"
    expect_line "nonblocking: wrong=0"
    expect_hybrid "${calls[$module]}"
  done
done
finish
