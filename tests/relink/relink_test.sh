#!/bin/bash
# A program that is linked with the runtime before the MPI library needs no preload: MPI RUNTIME
# SOURCE.
source tests/tools/expect.sh
source tests/mpi.sh
source_file=$PWD/$1
source tests/actor/interpose/job.sh
job_preload=""

# It brings no MPI library of its own: the program's is used, whichever that is.
expect_equal "" "$(readelf -d "$runtime" | grep -i 'NEEDED.*libmpi')" "MPI libraries of the runtime"
expect_equal "" "$(nm -D --undefined-only "$runtime" | grep -wE 'P?MPI_\w+')" "functions of MPI that the loader looks for"
# A program may bring other versions of what it needs; what all programs have is no matter.
expect_equal "libhwloc.so.15 libstdc++.so.6" "$(readelf -d "$runtime" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
  grep -vE '^(libm|libgcc_s|libc|ld-linux-.*)\.so' | sort | tr '\n' ' ' | sed 's/ $//')" "libraries of the runtime"
# The linker forgets where such a variable lies: it would share its place with another one.
expect_equal "" "$(readelf -rW "$runtime" | grep 'TPOFF64.*<null>')" "local variables of the initial-exec model"

expect_status 0 "mpicc.$mpi" -O1 -c -o "$work/broadcasts.o" "$source_file"
expect_status 0 "mpicc.$mpi" -o "$work/linked" "$work/broadcasts.o" "${link_runtime[@]}"
expect_status 0 "mpicc.$mpi" -o "$work/plain" "$work/broadcasts.o"

for layout in "" 2 ppn:1; do
  for leader in competitive static; do
    run_job 0 -n 4 -genv MPIACTOR_NODES "$layout" -genv MPIACTOR_LEADER $leader \
      -genv MPIACTOR_VERBOSE info -- "$work/linked" values
    expect_text " wrong=0"
    expect_hybrid 100
  done
done
run_job 0 -n 4 -genv MPIACTOR_VERBOSE info -- "$work/plain" values
expect_text " wrong=0"
expect_silence
# Linked and preloaded: taken over once.
unset job_preload
run_job 0 -n 4 -genv MPIACTOR_VERBOSE info -- "$work/linked" short 60
expect_equal 3 "$(said | wc -l)" "lines of the runtime"
expect_hybrid 59

# A program for the name that the MPICH ABI gives the MPI library.
[ "$mpi" = mpich ] || finish
mkdir -p "$work/abi"
library=$(ldd "$work/plain" | sed -n 's/.*libmpich\.so\.12 => \([^ ]*\).*/\1/p')
ln -sf "$library" "$work/abi/libmpi.so.12"
LC_ALL=C sed 's/libmpich\.so\.12/libmpi.so.12\x00\x00/g' "$work/plain" >"$work/abi/program"
chmod +x "$work/abi/program"
[[ $(readelf -d "$work/abi/program") == *"[libmpi.so.12]"* ]] || fail_check "name not changed"
run_job 0 -n 4 -genv MPIACTOR_VERBOSE info -genv LD_LIBRARY_PATH "$work/abi" -- \
  "$work/abi/program" short 60
expect_line "broadcasts: ranks=4 calls=60 wrong=0"
expect_hybrid 59
finish
