#!/bin/bash
# A program that finds the runtime's functions where the MPI library has none of that name, and calls
# them: each is an error of its communicator, and is named: MPI RUNTIME LIBRARY_SOURCE PROGRAM_SOURCE.
source tests/tools/expect.sh
source tests/mpi.sh
library=$1 program=$2
expect_status 0 gcc -shared -fPIC -o "$work/libolder.so" "$library"
expect_status 0 gcc -o "$work/program" "$program" -L"$work" -lolder -Wl,-rpath,"$work"
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

# left_alone FILE VERSION NAME: a library of that file and version has another ABI, and is named so.
left_alone() {
  mkdir -p "$work/other"
  expect_status 0 gcc -shared -fPIC -DVERSION="\"$2\"" -Wl,-soname,"$1" -o "$work/other/$1" "$library"
  expect_status 0 gcc -o "$work/other/program" "$program" "$work/other/$1" -Wl,-rpath,"$work/other"
  expect_status 0 env LD_PRELOAD="$runtime" "$work/other/program"
  expect_text "mpiactor: $3 does not have "
  expect_line "MPI_Bcast: 0"
}
for wrapped in "MPICH Version: 4.2.1" "Open MPI v4.1.4"; do
  left_alone libmpitrampoline.so "MPIwrapper 2.11.0, using MPIABI 2.10.0, wrapping:\n$wrapped" "MPIwrapper 2.11.0"
  left_alone libmpi_abi.so.0 "$wrapped" "$wrapped by MPI's own ABI"
done
# Also where a module keeps it to itself, whatever the file's name.
cat >"$work/module.c" <<'END'
int MPI_Init(int* argc, char*** argv);
int MPI_Bcast(void* buffer, int count, long type, int root, long comm);
int run(void) {
  int argc = 0;
  char** argv = 0;
  return MPI_Init(&argc, &argv) || MPI_Bcast("x", 1, 1, 0, 1);
}
END
cat >"$work/host.c" <<'END'
#include <dlfcn.h>
int main(int argc, char** argv) {
  void* const module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  int (*const run)(void) = module ? (int (*)(void))dlsym(module, "run") : 0;
  return run ? run() : argc;
}
END
expect_status 0 gcc -shared -fPIC -Wl,-soname,libmpi_gnu_123.so.12 -o "$work/libmpi_gnu_123.so.12" "$library"
expect_status 0 gcc -shared -fPIC -o "$work/module.so" "$work/module.c" "$work/libmpi_gnu_123.so.12" -Wl,-rpath,"$work"
expect_status 0 gcc -o "$work/host" "$work/host.c" -ldl
expect_status 0 "$work/host" "$work/module.so"
expect_status 0 env LD_PRELOAD="$runtime" "$work/host" "$work/module.so"
expect_text "mpiactor: Older MPI 3.1 does not have "
finish
