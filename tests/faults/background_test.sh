#!/bin/bash
# Calls in the background that cannot end well: MPI RUNTIME BACKGROUND FAILING_SYSTEM. Without
# memory for a stack the job ends with a message, and an error goes to the communicator's handler.
set -u
# shellcheck source=tests/tools/expect.sh
source tests/tools/expect.sh
source tests/mpi.sh
background=$PWD/$1 failing=$PWD/$2

# run CALL NAME=VALUE...: two ranks.
run() {
  local call=$1 setting job=("${mpiexec[@]}" -n 2)
  shift
  for setting in LD_PRELOAD="$runtime:$failing" MPIACTOR_NEVER_WORSE=0 "$@"; do
    job+=(-genv "${setting%%=*}" "${setting#*=}")
  done
  # Open MPI 4.1's launcher loses in every second job what ranks have said at their end, and says so.
  for _ in {1..12}; do
    output=$(timeout -k 5 180 "${job[@]}" "$background" "$call" 2>&1)
    status=$?
    [[ $output == *"ORTE_ERROR_LOG: "*"/show_help.c "* ]] || break
  done
}
expect_death() {
  case $status in
    124 | 137) fail_check "status $status (output: $output)" ;;
  esac
  has_died "$status" || fail_check "status 0 (output: $output)"
  expect_text "$1"
  expect_no_text "goes on"
  expect_no_text "terminate called"
}

run nonblocking
expect_line "background: rank 1 goes on"
run persistent
expect_line "background: rank 1 goes on"

no_stack=(MPIACTOR_TEST_FAIL=stack MPIACTOR_TEST_FAIL_RANKS=1)
run nonblocking "${no_stack[@]}"
expect_death "mpiactor: MPI_Iallreduce: std::bad_alloc"
# Open MPI's persistent calls are its own.
if [ "$mpi" = mpich ]; then
  run persistent "${no_stack[@]}"
  expect_death "mpiactor: MPI_Start"
fi

# The handler of MPI_COMM_WORLD is fatal.
run too-long
expect_death "truncated"
finish
