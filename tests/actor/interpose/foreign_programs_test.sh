#!/bin/bash
# Preloaded where there is nothing to do: programs without MPI, and other MPI libraries; and nothing
# left over for MPI_Finalize to complain about: RUNTIME POLITE BROADCASTS SOURCE.
source tests/tools/expect.sh
runtime=$PWD/$1 polite=$PWD/$2 broadcasts=$PWD/$3 source_file=$PWD/$4
source tests/actor/interpose/job.sh

# Programs without MPI.
for program in true "bash -c :" "ls /" "sort /etc/passwd"; do
  # shellcheck disable=SC2086  # words of a command
  expect_status 0 $program
  plain=$output
  # shellcheck disable=SC2086
  expect_status 0 env LD_PRELOAD="$runtime" MPIACTOR_LEADER=bogus $program
  expect_equal "$plain" "$output" "what '$program' prints"
done
expect_status 7 env LD_PRELOAD="$runtime" bash -c 'echo a | cat >/dev/null; exit 7'
# An MPI program that is not started by a launcher.
expect_status 0 env LD_PRELOAD="$runtime" "$broadcasts" values
expect_text "ranks=1 "
expect_text " wrong=0"

# Thousands of short broadcasts on pretended nodes, ending right after the last one: copies that were
# pushed to candidates that did not lead are taken off the network in time.
for layout in 2 0,0,0,1 cyclic:2 ppn:1; do
  run_job 0 -n 4 -genv MPIACTOR_NODES "$layout" -- "$broadcasts" short 5000
  # UCX warns on standard output.
  expect_equal "broadcasts: ranks=4 calls=5000 wrong=0" "$output" "what 5000 calls on '$layout' print"
  expect_equal "" "$errors$(cat "$work/launcher_errors")" "their standard error"
done

# Another MPI library: one line from one rank, right results.
# Its launcher may be there without its headers.
if ! command -v mpiexec.openmpi >/dev/null ||
  ! mpicc.openmpi -E -x c - <<<'#include <mpi.h>' >/dev/null 2>&1; then
  echo "Open MPI is not installed: not tried"
  finish
fi
expect_status 0 mpicc.openmpi -O1 -o "$work/broadcasts.openmpi" "$source_file"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export TMPDIR=$work
for what in values "short 500"; do
  # shellcheck disable=SC2086
  expect_status 0 mpiexec.openmpi --mca btl_base_warn_component_unused 0 -n 4 \
    -x LD_PRELOAD="$runtime" "$work/broadcasts.openmpi" $what
  expect_text "ranks=4 "
  expect_text " wrong=0"
  expect_equal 1 "$(grep -c mpiactor: <<<"$output")" "lines of the runtime"
  expect_text "does not have the MPICH ABI; all calls are passed through"
done
finish
