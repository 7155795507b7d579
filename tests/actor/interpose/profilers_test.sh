#!/bin/bash
# Other tools in the same process: a profiler that is loaded before the runtime or after it counts
# the program's calls, each once, and nothing of the runtime's, which handles them all the same. What
# the MPI library calls for itself is handled by nobody: MPI RUNTIME BROADCASTS TOOL FILES.
source tests/tools/expect.sh
source tests/mpi.sh
broadcasts=$PWD/$1 tool=$PWD/$2 files=$PWD/$3
source tests/actor/interpose/job.sh

# What each of four ranks is to say that has called MPI_Bcast so often, and another collective.
expect_counts() {
  local wanted rank
  for ((rank = 0; rank < 4; rank++)); do
    wanted+="tool: rank $rank: $1 broadcasts, $2 other collectives, 0 messages"$'\n'
  done
  expect_equal "${wanted%$'\n'}" "$(grep '^tool: ' <<<"$errors" | sort)" "what the tool has seen"
}

for job_preload in "$tool:$runtime" "$runtime:$tool"; do
  for layout in "" 2; do
    run_job 0 -n 4 -genv MPIACTOR_NODES "$layout" -genv MPIACTOR_VERBOSE info -- "$broadcasts" short 60
    expect_line "broadcasts: ranks=4 calls=60 wrong=0"
    expect_counts 60 0
    expect_equal "59 1" "$(calls_by_path 1) $(calls_by_path 2)" "calls, handled and passed on"

    run_job 0 -n 4 -genv MPIACTOR_NODES "$layout" -genv MPIACTOR_VERBOSE info -- "$broadcasts" values
    expect_text "calls=124 wrong=0"
    expect_counts 124 1
    expect_hybrid 100
  done
  run_job 0 -n 4 -genv MPIACTOR_LEADER off -- "$broadcasts" short 60
  expect_counts 60 0
done

# MPICH's functions on files call its collectives by their PMPI_ names. So does the program.
unset job_preload
run_job 0 -n 4 -genv MPIACTOR_VERBOSE info -- "$files" "$work/file"
expect_line "files: wrong=0"
expect_equal "7 1" "$(calls_by_path 1) $(calls_by_path 2)" "barriers, handled and passed on"

# Each function is taken over by both names, and the runtime calls none of them itself: the linker
# must know them all (TAKEN_OVER).
exported=$(nm -D --defined-only "$runtime" | sed -n 's/.* T //p')
plain=$(grep '^MPI_' <<<"$exported" | sort)
profiling=$(sed -n 's/^PMPI_/MPI_/p' <<<"$exported" | sort)
expect_equal "$plain" "$profiling" "exported names with and without P"
called=$(objdump -R "$runtime" | grep -oE "\bP?MPI_\w+")
expect_equal "" "$(grep -xFf <(echo "$exported") <<<"$called")" "functions that the runtime calls of itself"
finish
