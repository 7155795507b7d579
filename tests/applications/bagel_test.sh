#!/bin/bash
# BAGEL: Hartree-Fock and full configuration interaction, its own examples: MPI RUNTIME COMPARE.
source tests/tools/expect.sh
source tests/mpi.sh
compare=$PWD/$1
source tests/applications/programs.sh
need bagel /usr/bin/BAGEL
cd "$work" || exit 1

for example in hf_svp_hf hf_svp_dfhf hf_sto3g_fci_kh; do
  # Times stand at the end of lines, with two digits.
  expect_same_in_modes $example 50 --tolerance 1e-6 --cut ' +[0-9]+\.[0-9][0-9]( sec\.)?$' -- \
    /usr/bin/BAGEL /usr/share/doc/bagel/examples/$example.json
  expect_text "* SCF iteration converged."
done
finish
