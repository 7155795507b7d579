#!/bin/bash
# Parallel HDF5 (its library calls MPI): the same file, byte by byte: MPI RUNTIME COMPARE SOURCE.
source tests/tools/expect.sh
source tests/mpi.sh
compare=$PWD/$1 source_file=$PWD/$2
source tests/applications/programs.sh
need libhdf5-mpich-dev /usr/bin/h5pcc.mpich
cd "$work" || exit 1

expect_status 0 h5pcc.mpich -O1 -Wall -o hdf5_grid "$source_file"
run_program hdf5 0 plain ./hdf5_grid plain.h5
expect_line "hdf5_grid: ranks=$ranks wrong=0"
for mode in "${modes[@]}"; do
  rm -f grid.h5
  run_program hdf5 0 "$mode" ./hdf5_grid grid.h5
  expect_line "hdf5_grid: ranks=$ranks wrong=0"
  expect_hybrid 20
  cmp plain.h5 grid.h5 || fail_check "the file differs with leader and nodes: $mode"
done
echo "hdf5: $(stat -c %s plain.h5) bytes, the same in ${#modes[@]} modes;" \
  "$(calls_by_path 1) hybrid calls, $(calls_by_path 2) passed on in the last one"
finish
