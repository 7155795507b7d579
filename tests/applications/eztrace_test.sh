#!/bin/bash
# EZTrace, a profiler that calls the functions behind its own without their PMPI_ names: its trace has
# each broadcast of the program once, and nothing of the runtime's, which handles them:
# MPI RUNTIME COMPARE BROADCASTS.
source tests/tools/expect.sh
source tests/mpi.sh
compare=$PWD/$1 broadcasts=$PWD/$2
source tests/applications/programs.sh
need eztrace /usr/bin/eztrace
need otf2-tools /usr/bin/otf2-print

# expect_traced CALLS: in the trace of the last job, all ranks' broadcasts, and no messages.
expect_traced() {
  local events
  events=$(otf2-print "$work"/trace/*/*.otf2 2>/dev/null)
  expect_equal "$1 0" \
    "$(grep -c '^ENTER .*"MPI_Bcast"' <<<"$events") $(grep -cE '^MPI_I?(SEND|RECV)' <<<"$events")" \
    "broadcasts and messages in the trace"
}

for leader in off competitive static; do
  for layout in "" 2; do
    rm -rf "$work/trace"
    run_job 0 -n "$ranks" -genv MPIACTOR_LEADER "$leader" -genv MPIACTOR_NODES "$layout" \
      -genv MPIACTOR_VERBOSE info -genv EZTRACE_TRACE_DIR "$work/trace" -- \
      eztrace -t mpich "$broadcasts" short 60
    expect_line "broadcasts: ranks=$ranks calls=60 wrong=0"
    expect_traced $((60 * ranks))
    [ "$leader" = off ] || expect_hybrid 59
  done
done
finish
