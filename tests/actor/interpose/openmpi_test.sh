#!/bin/bash
# The runtime for Open MPI, which mpiactor-run finds by itself: RUNTIME MPICH_RUNTIME POLITE BROADCASTS
# SOURCE LAUNCHER PLUGIN PLUGIN_HOST.
source tests/tools/expect.sh
runtime=$PWD/$1 mpich_runtime=$PWD/$2 polite=$PWD/$3 broadcasts=$PWD/$4 source_file=$PWD/$5 launcher=$6
plugin=$PWD/$7 plugin_host=$PWD/$8
source tests/actor/interpose/job.sh
export TMPDIR=$work

# run RANKS OPTIONS... -- PROGRAM ARGS...: with Open MPI; $output has what all say.
run() {
  local ranks=$1
  shift
  expect_status 0 timeout 60 "$launcher" -n "$ranks" -mca btl_base_warn_component_unused 0 \
    --runtime "$runtime" "$@"
  errors=$output
}

# Programs without MPI.
for program in true "bash -c :" "ls /"; do
  # shellcheck disable=SC2086  # words of a command
  expect_status 0 $program
  plain=$output
  # shellcheck disable=SC2086
  expect_status 0 env LD_PRELOAD="$runtime" MPIACTOR_LEADER=bogus $program
  expect_equal "$plain" "$output" "what '$program' prints"
done

# Another MPI library, of which it knows no handle: one line from one rank, right results.
job_preload=$runtime:$polite run_job 0 -n 4 -- "$broadcasts" values
expect_line "broadcasts: ranks=4 calls=124 wrong=0"
expect_said_once "MPICH Version: " " does not have Open MPI's ABI; all calls are passed through"

# One job of as many ranks as are wanted.
expect_status 0 mpicc.openmpi -O1 -o "$work/broadcasts" "$source_file"
for layout in "" 2 cyclic:2; do
  for how in values "short 500"; do
    # shellcheck disable=SC2086
    run 4 -genv MPIACTOR_NODES "$layout" -genv MPIACTOR_VERBOSE info -- "$work/broadcasts" $how
    expect_text "broadcasts: ranks=4 "
    expect_text " wrong=0"
    expect_hybrid 100
  done
done
run 2 --verbose -- "$work/broadcasts" short 10
expect_text "broadcasts: ranks=2 calls=10 wrong=0"
expect_text "mpiactor-run: openmpi (with which $work/broadcasts is linked); launcher mpirun"
expect_status 0 "$launcher" -n 2 --dry-run --verbose --runtime "$mpich_runtime" -- "$broadcasts" short 10
expect_text "mpich (with which $broadcasts is linked); launcher mpiexec.hydra"
expect_status 0 "$launcher" -n 2 --dry-run --mpi openmpi --ppn 1 --polite on --runtime "$runtime" \
  -genv A "b c" -hosts x,y -bind-to core -- true
expect_text "mpirun"
expect_text " --map-by ppr:1:node "
expect_text " mpi_yield_when_idle 1 "
expect_text " -x A=b\\ c --host x\\,y --bind-to core true"
expect_status 64 "$launcher" -n 2 --mpi openmpi --runtime "$runtime" -prepend-rank -- true
expect_text "option -prepend-rank is MPICH's; to Open MPI are passed on: "

# Its Fortran bindings call the PMPI_ functions. See fortran_test.sh for the numbers of calls.
declare -A calls=([bcast_f77.f]=47 [bcast_f90.f90]=35 [bcast_f08.f90]=35 [collectives_f90.f90]=146
  [collectives_f08.f90]=116)
for program in "${!calls[@]}"; do
  expect_status 0 mpifort.openmpi -O1 -w -fallow-argument-mismatch -J "$work" \
    -o "$work/${program%.*}" "tests/fortran/$program"
  for layout in "" 2; do
    run 4 -genv MPIACTOR_NODES "$layout" -genv MPIACTOR_NEVER_WORSE 0 -genv MPIACTOR_VERBOSE info -- "$work/${program%.*}"
    expect_text ": wrong=0"
    expect_hybrid "${calls[$program]}"
  done
done

# A module brings the MPI library and keeps it to itself.
expect_status 0 gcc -o "$work/host" "$plugin_host" -ldl
expect_status 0 mpicc.openmpi -shared -fPIC -o "$work/module.so" "$plugin"
run 2 --mpi openmpi -genv MPIACTOR_VERBOSE info -- "$work/host" "$work/module.so"
expect_text " 99 calls hybrid"

# A rank is killed: the job ends, and nothing stays.
shared_names() { find /dev/shm -maxdepth 1 -name "mpiactor.$(id -u).*" -printf '%f\n' | sort; }
ranks() { pgrep -f "^$work/broadcasts short 100000000\$"; }
# shellcheck disable=SC2317  # called by expect_soon
all_ranks() { [ "$(ranks | wc -l)" = 4 ]; }
# shellcheck disable=SC2317
no_ranks() { ! ranks >/dev/null; }
before=$(shared_names)
for layout in "" 2; do
  timeout -k 5 60 "$launcher" -n 4 --runtime "$runtime" ${layout:+--nodes "$layout"} \
    -- "$work/broadcasts" short 100000000 >"$work/output" 2>&1 &
  job=$!
  expect_soon all_ranks
  sleep 0.5
  kill -KILL "$(ranks | sed -n 2p)"
  begin=$SECONDS
  ! wait "$job" || fail_check "a job whose rank was killed reports success"
  [ $((SECONDS - begin)) -lt 15 ] || fail_check "the job went on for $((SECONDS - begin)) s"
  expect_soon no_ranks
done
expect_equal "$before" "$(shared_names)" "names in /dev/shm"
finish
