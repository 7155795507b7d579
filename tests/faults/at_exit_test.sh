#!/bin/bash
# Programs that call collectives and MPI_Finalize when the process ends: MPI RUNTIME AT_EXIT. Values
# are right, the runtime says what it counted, and nothing that it needs has been destroyed before.
set -u
# shellcheck source=tests/tools/expect.sh
source tests/tools/expect.sh
source tests/mpi.sh
at_exit=$PWD/$1
source tests/actor/interpose/job.sh

kinds=("MPIACTOR_NODES=cyclic:2" "MPIACTOR_NODES=ppn:1 MPIACTOR_LEADER=static"
  "MPIACTOR_NODES=2 MPIACTOR_TRACE=$work/trace")
next=0
# Memory that is given back is overwritten, so that nobody finds in it what was there.
for when in main handler early destructor object; do
  for settings in "${kinds[next % 3]}" "${kinds[(next + 1) % 3]}"; do
    next=$((next + 1))
    options=(-n 4 -genv MALLOC_PERTURB_ 165 -genv MPIACTOR_VERBOSE info)
    for setting in $settings; do options+=(-genv "${setting%%=*}" "${setting#*=}"); done
    run_job "${statuses_at_exit:?}" "${options[@]}" -- "$at_exit" "$when"
    expect_line "at_exit: wrong=0"
    # All calls but the first ones on each communicator and those that go to the MPI library by rule.
    expect_hybrid 50
    [[ $errors == *"blocking calls by rule: bcast "* ]] || fail_check "$when: rules in: $errors"
  done
done
finish
