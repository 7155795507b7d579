#!/bin/bash
# LAMMPS (molecular dynamics): a melting crystal, cut anew among the ranks while it runs, a restart
# and a minimisation: MPI RUNTIME COMPARE INPUT.
source tests/tools/expect.sh
source tests/mpi.sh
compare=$PWD/$1 input=$PWD/$2
source tests/applications/programs.sh
need lammps /usr/bin/lmp
cd "$work" || exit 1

# Temperature, energies, pressure and displacement, step by step.
expect_same_in_modes lammps 300 --only '^ +[0-9]+ ' --tolerance 1e-6 -- lmp -in "$input" -log none
expect_text "Total wall time"
finish
