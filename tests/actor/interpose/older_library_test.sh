#!/bin/bash
# A program that finds the runtime's functions where the MPI library has none of that name, and calls
# them: each is an error of its communicator, and is named: MPI RUNTIME LIBRARY_SOURCE PROGRAM_SOURCE.
source tests/tools/expect.sh
source tests/mpi.sh
expect_status 0 gcc -shared -fPIC -o "$work/libolder.so" "$1"
expect_status 0 gcc -o "$work/program" "$2" -L"$work" -lolder -Wl,-rpath,"$work"
expect_status 0 "$work/program"
expect_equal "MPI_Bcast: 0" "$output" "what the program says without the runtime"

expect_status 0 env LD_PRELOAD="$runtime" "$work/program"
for name in MPI_Bcast_c PMPI_Bcast_c MPI_Bcast_init; do
  # One call each, or none where the runtime does not have that name.
  ! nm -D --defined-only "$runtime" | grep -q " T $name$" && continue
  expect_line "$name: 1"
  expect_line "mpiactor: ${name#P}: Older MPI 3.1 does not have this function"
done
expect_line "MPI_Bcast: 0"
called=$(grep -c 'Bcast_.*: 1$' <<<"$output")
expect_equal "$called" "$(grep -c '^handler of 7000ffff00: an error$' <<<"$output")" "errors"
[ "$mpi" = openmpi ] || expect_equal 3 "$called" "calls of functions that are missing"
finish
