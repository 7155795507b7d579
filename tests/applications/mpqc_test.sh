#!/bin/bash
# MPQC (quantum chemistry): Hartree-Fock energy of two water molecules: MPI RUNTIME COMPARE INPUT.
source tests/tools/expect.sh
source tests/mpi.sh
compare=$PWD/$1 input=$PWD/$2
source tests/applications/programs.sh
need mpqc /usr/bin/mpqc
cd "$work" || exit 1

# Energies of all iterations.
expect_same_in_modes mpqc 3000 --only '^ *(iter|total scf energy)' --tolerance 1e-6 -- mpqc "$input"
expect_text "total scf energy ="
finish
