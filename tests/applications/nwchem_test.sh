#!/bin/bash
# NWChem: energies and forces of a water molecule, by Hartree-Fock and density functional theory:
# MPI RUNTIME COMPARE.
source tests/tools/expect.sh
source tests/mpi.sh
compare=$PWD/$1
source tests/applications/programs.sh
need nwchem-mpich /usr/bin/nwchem.mpich
cd "$work" || exit 1

# Without it NWChem computes nonsense on this MPI library (its own README.Debian says so).
export ARMCI_USE_WIN_ALLOCATE=0

cat >water.nw <<'END'
start water
memory total 200 mb
geometry units angstroms noautosym
  O 0.0 0.0 0.0
  H 0.0 0.757 0.587
  H 0.1 -0.8 0.6
end
basis
  * library 6-31g
end
scf
  thresh 1e-8
end
task scf gradient
dft
  xc b3lyp
end
task dft energy
END

# Which rank computes what is decided while it runs, so sums are rounded differently.
expect_same_in_modes nwchem 3000 --tolerance 2e-6 \
  --only 'energy *=|^ +[123] [OH] ' -- /usr/bin/nwchem.mpich water.nw
expect_text "Total SCF energy ="
expect_text "Total DFT energy ="
finish
