#!/bin/bash
# An MPI library that has the ABI, but no functions for large counts, as those of MPI 3: MPI RUNTIME
# SOURCE. It is the installed one, in which these functions have other names.
set -u
# shellcheck source=tests/tools/expect.sh
source tests/tools/expect.sh
source tests/mpi.sh
expect_status 0 "mpicc.$mpi" -O1 -o "$work/program" "$1"
library=$(ldd "$work/program" | sed -n 's/.* => \(.*libmpich[.]so[^ ]*\).*/\1/p')
# Without those that MPICH 4.2 itself calls by name.
names() { grep -oE 'MPI_[A-Za-z_]+_c( |$)' | tr -d ' ' | sort -u; }
kept=$(readelf -rW "$library" | names)
mkdir "$work/older"
kept=$kept perl -pe 's/(MPI_\w+)_c\0/index("$ENV{kept}\n", "$1_c\n") < 0 ? "$1_x\0" : $&/ge' \
  "$library" >"$work/older/${library##*/}"
expect_equal "$kept" "$(nm -D "$work/older/${library##*/}" | names)" "functions for large counts"

for nodes in 1 2 4; do
  expect_status 0 "${mpiexec[@]}" -n 4 -genv LD_LIBRARY_PATH "$work/older" -genv LD_PRELOAD "$runtime" \
    -genv MPIACTOR_NODES $nodes -genv MPIACTOR_WARMUP_CALLS 0 -genv MPIACTOR_NEVER_WORSE 0 \
    -genv MPIACTOR_VERBOSE info "$work/program"
  expect_line "all right"
  expect_text "16 calls hybrid"
done
finish
