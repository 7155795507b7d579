#!/bin/bash
# The polite preload without MPI, in front of a UCX that counts: POLITE FAKE_UCP PROBE.
source tests/tools/expect.sh
polite=$PWD/$1 fake=$PWD/$2 probe=$PWD/$3

# It needs nothing but the C library, and harms no program.
expect_equal "libc.so.6" "$(readelf -d "$polite" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | tr '\n' ' ' | sed 's/ $//')" \
  "libraries that the preload needs"
expect_status 0 env LD_PRELOAD="$polite" true
expect_equal "" "$output" "what a program without MPI prints"

# polls SETTINGS... -- SCOPE EMPTY EVENTFUL [beside]: output of the probe under the preload.
polls() {
  local settings=()
  while [ "$1" != -- ]; do settings+=("$1") && shift; done
  expect_status 0 env "${settings[@]}" MPIACTOR_POLITE_STATS=1 LD_PRELOAD="$polite" \
    "$probe" polls "$fake" "${@:2}"
}

for scope in global local; do
  # One yield after every four polls in a row that found nothing.
  polls -- "$scope" 100 0
  expect_text "polls=100 flushes=2 request=1"
  expect_text "program=preload_probe yields=25 skipped_flushes=0"
  polls MPIACTOR_POLITE_POLLS=1 -- "$scope" 100 0
  expect_text " yields=100 "
  polls MPIACTOR_POLITE_POLLS=7 -- "$scope" 100 0
  expect_text " yields=14 "
  polls MPIACTOR_POLITE_POLLS=0 -- "$scope" 100 0
  expect_text " yields=0 "
done
# An event starts the count afresh.
polls MPIACTOR_POLITE_POLLS=2 -- global 1 50
expect_text "polls=101 "
expect_text " yields=0 "
polls MPIACTOR_POLITE_POLLS=1 -- global 0 50
expect_text " yields=50 "

# Finalize: flushes unless told otherwise; skipping says "done", and progress goes on until the worker
# is destroyed, not beyond.
polls MPIACTOR_POLITE_FINALIZE=flush -- global 8 0
expect_text "flushes=2 request=1 destroyed=1 waiting=0 after=0"
for scope in global local; do
  polls MPIACTOR_POLITE_FINALIZE=skip -- "$scope" 8 0
  expect_text "flushes=0 request=0 destroyed=1 waiting=1 after=0"
  expect_text "skipped_flushes=2"
done
# A worker of the program's own is closed as it asks, and polled by nobody else.
polls MPIACTOR_POLITE_FINALIZE=skip -- global 8 0 beside
expect_text "own_flushes=1 own_polls=1"
expect_text "polls=9 flushes=0 request=0 destroyed=1 waiting=1 after=0"
# Before the first poll there is no worker to make progress with: the real function answers.
polls MPIACTOR_POLITE_FINALIZE=skip -- global 0 0
expect_text "flushes=2 request=1"

# Sessions: kept in the launcher and its proxies, untouched elsewhere.
for program in mpiexec.hydra mpiexec hydra_pmi_proxy; do
  cp "$probe" "$work/$program"
  expect_status 0 env LD_PRELOAD="$polite" "$work/$program" session
  expect_line "own_session=0 own_group=1"
  expect_status 0 env LD_PRELOAD="$polite" "$work/$program" session-of-leader
  expect_line "refused=1"
  expect_status 0 "$work/$program" session
  expect_line "own_session=1 own_group=1"
done
expect_status 0 env LD_PRELOAD="$polite" "$probe" session
expect_line "own_session=1 own_group=1"
expect_status 0 env LD_PRELOAD="$polite" "$probe" session-of-leader
expect_line "refused=1"

# A wrong setting ends the process with one line.
expect_status 2 env MPIACTOR_POLITE_POLLS=many LD_PRELOAD="$polite" true
expect_equal "mpiactor: MPIACTOR_POLITE_POLLS=many: allowed are 0 (never) to 1000000" "$output" "message"
expect_status 2 env MPIACTOR_POLITE_POLLS=-1 LD_PRELOAD="$polite" true
expect_status 2 env MPIACTOR_POLITE_FINALIZE=maybe LD_PRELOAD="$polite" true
expect_equal "mpiactor: MPIACTOR_POLITE_FINALIZE=maybe: allowed are flush, skip" "$output" "message"
expect_status 2 env MPIACTOR_POLITE_STATS=yes LD_PRELOAD="$polite" true
expect_equal "mpiactor: MPIACTOR_POLITE_STATS=yes: allowed are 0, 1" "$output" "message"
finish
