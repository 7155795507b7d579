#!/bin/bash
# A library that initialises MPI in a constructor and finalises it in a destructor, with the runtime
# preloaded, and linked: MPI RUNTIME SOURCE.
set -u
# shellcheck source=tests/tools/expect.sh
source tests/tools/expect.sh
source tests/mpi.sh
source_file=$1
source tests/actor/interpose/job.sh

compile=("mpicc.$mpi" -O1 -I. "$source_file")
"${compile[@]}" -DOF_LIBRARY -fPIC -shared -o "$work/libin_library.so" &&
  "${compile[@]}" "-L$work" "-Wl,-rpath,$work" -lin_library -o "$work/preloaded" &&
  "${compile[@]}" "-L$work" "-Wl,-rpath,$work" -lin_library -Wl,--no-as-needed "${link_runtime[@]}" \
    -o "$work/linked" || fail_check "cannot compile $source_file"

for program in preloaded linked; do
  [ "$program" = preloaded ] && job_preload=$runtime || job_preload=""
  for layout in "1 competitive" "cyclic:2 static" "ppn:1 competitive"; do
    read -r nodes leader <<<"$layout"
    run_job "${statuses_at_exit:?}" -n 4 -genv MPIACTOR_VERBOSE info -genv MPIACTOR_NODES "$nodes" \
      -genv MPIACTOR_LEADER "$leader" -- "$work/$program"
    for where in constructor main destructor; do expect_line "$where: wrong=0"; done
    expect_hybrid 40
  done
done
finish
