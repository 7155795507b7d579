#!/bin/bash
# Spawned processes inherit settings that are meant for their parents: MPI RUNTIME FAKE_PARENT
# PROGRAM. Those that do not suit them are ignored with a line, on all ranks alike.
set -u
# shellcheck source=tests/tools/expect.sh
source tests/tools/expect.sh
source tests/mpi.sh
fake=$PWD/$1 program=$PWD/$2

# run SETTING VALUE: three ranks.
run() {
  expect_status 0 "${mpiexec[@]}" -n 3 -genv LD_PRELOAD "$runtime:$fake" -genv "$1" "$2" "$program" plain
  expect_line "unusual: wrong=0"
}
expect_one_line() {
  expect_equal 1 "$(grep -c '^mpiactor' <<<"$output")" "lines said (output: $output)"
  expect_text "mpiactor: ignored in spawned processes: $1"
}

run MPIACTOR_NODES 2
expect_no_text mpiactor:
run MPIACTOR_NODES 0,1,0,1
expect_one_line "MPIACTOR_NODES='0,1,0,1' lists 4 ranks, but there are 3; allowed: "
run MPIACTOR_NODES 4
expect_one_line "MPIACTOR_NODES='4' asks for 4 nodes, but there are only 3 ranks; allowed: "
run MPIACTOR_TORUS 2x2x1
expect_one_line "MPIACTOR_TORUS='2x2x1': "

# Files that are not where the processes are.
run MPIACTOR_TORUS file:nowhere
expect_one_line "MPIACTOR_TORUS: cannot read 'nowhere': "
run MPIACTOR_TUNING nowhere
expect_one_line "MPIACTOR_TUNING: cannot read 'nowhere': "

expect_status 1 "${mpiexec[@]}" -n 3 -genv LD_PRELOAD "$runtime" -genv MPIACTOR_NODES 0,1,0,1 "$program" plain
expect_text "mpiactor: MPIACTOR_NODES='0,1,0,1' lists 4 ranks, but there are 3; allowed: "
finish
