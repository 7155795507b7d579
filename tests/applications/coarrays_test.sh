#!/bin/bash
# OpenCoarrays' own tests of collectives: Fortran whose images are MPI ranks: MPI RUNTIME COMPARE.
source tests/tools/expect.sh
source tests/mpi.sh
compare=$PWD/$1
source tests/applications/programs.sh
programs=$(echo /usr/lib/*/open-coarrays/mpich/bin/OpenCoarrays-*-tests)
need libcoarrays-mpich-dev "$programs/co_sum_test"
cd "$work" || exit 1

# OpenCoarrays leaves messages behind, of which UCX warns on standard output; with and without the
# runtime.
export UCX_LOG_LEVEL=error
for program in co_sum_test co_broadcast_test co_max_test co_reduce_test co_broadcast_alloc_mixed; do
  expect_same_in_modes $program 3 --sorted -- "$programs/$program"
  [ $program = co_broadcast_alloc_mixed ] || expect_text "Test passed."
done
finish
