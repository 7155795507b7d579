#!/bin/bash
# Preloaded where there is nothing to do: programs without MPI, and other MPI libraries; and nothing
# left over for MPI_Finalize to complain about: MPI RUNTIME BROADCASTS SOURCE.
source tests/tools/expect.sh
source tests/mpi.sh
broadcasts=$PWD/$1 source_file=$PWD/$2
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
# One that asks whether it is an MPI program.
cat >"$work/asks.c" <<'END_OF_SOURCE'
extern int MPI_Initialized(int*) __attribute__((weak));
int main(void) {
  int flag = 0;
  if (MPI_Initialized) MPI_Initialized(&flag);
  return flag;
}
END_OF_SOURCE
expect_status 0 gcc -o "$work/asks" "$work/asks.c"
expect_status 0 env LD_PRELOAD="$runtime" "$work/asks"
expect_equal "" "$output" "what it prints"
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
case $mpi in
  mpich) other=openmpi abi="the MPICH ABI" ;;
  openmpi) other=mpich abi="Open MPI's ABI" ;;
esac
mpiexec=(tests/mpiexec.sh "$other")
expect_status 0 "mpicc.$other" -O1 -o "$work/broadcasts.$other" "$source_file"
for what in values "short 500"; do
  # shellcheck disable=SC2086
  run_job 0 -n 4 -- "$work/broadcasts.$other" $what
  expect_text "ranks=4 "
  expect_text " wrong=0"
  expect_said_once "does not have $abi; all calls are passed through"
done
finish
