#!/bin/bash
# Settings as MPI_Init takes them, and what is said: MPI RUNTIME BROADCASTS.
source tests/tools/expect.sh
source tests/mpi.sh
broadcasts=$PWD/$1
source tests/actor/interpose/job.sh

# A wrong value stops the job with one message: setting, value, choices.
refused() { # NAME VALUE CHOICES
  run_job any -n 2 -genv "$1" "$2" -- "$broadcasts" short 3
  expect_said_once "$1='$2'" "allowed: $3"
  expect_equal "" "$output" "what the program printed with $1=$2"
}
refused MPIACTOR_LEADER fastest "competitive|static|off"
refused MPIACTOR_CANDIDATES 0 "1..64"
refused MPIACTOR_BCAST bogus "auto|"
refused MPIACTOR_SEGMENT 64Q "auto|1K..1G"
refused MPIACTOR_SHM_LIMIT 17G "0|256K..16G"
refused MPIACTOR_NODES four "4 (equal blocks of ranks)"
refused MPIACTOR_VERBOSE loud "quiet|warn|info"
refused MPIACTOR_CHECK yes "0|1"
# Well formed, but not for this number of ranks.
refused MPIACTOR_NODES 5 "4 (equal blocks of ranks)"
refused MPIACTOR_NODES cyclic:9 "4 (equal blocks of ranks)"
refused MPIACTOR_NODES 0,1,0 "4 (equal blocks of ranks)"
# Also where rank 0 alone has it; another rank's own value does not matter.
run_job any -n 1 -env MPIACTOR_LEADER fastest "$rank" "$broadcasts" short 3 : -n 3 -- "$broadcasts" short 3
expect_said_once "MPIACTOR_LEADER='fastest'"

# Silent by default, in every mode.
for leader in competitive static off; do
  run_job 0 -n 4 -genv MPIACTOR_LEADER "$leader" -- "$broadcasts" short 100
  expect_line "broadcasts: ranks=4 calls=100 wrong=0"
  expect_silence
done

# An unknown name: one warning, the job runs.
run_job 0 -n 4 -genv MPIACTOR_LEDER static -- "$broadcasts" short 3
expect_said_once "MPIACTOR_LEDER is not a setting" "did you mean MPIACTOR_LEADER?"
run_job 0 -n 4 -genv MPIACTOR_LEDER static -genv MPIACTOR_VERBOSE quiet -- "$broadcasts" short 3
expect_silence
# Names that others read are none of it.
run_job 0 -n 4 -genv MPIACTOR_POLITE_POLLS 3 -genv MPIACTOR_TEST_SEED 1 -- "$broadcasts" short 3
expect_silence

# Settings that differ: rank 0's are used, one warning.
run_job 0 -n 2 -env MPIACTOR_LEADER static "$rank" "$broadcasts" short 50 : \
  -n 2 -env MPIACTOR_LEADER competitive -- "$broadcasts" short 50
expect_said_once "settings differ" "rank 2" "MPIACTOR_LEADER='competitive' here, 'static' on rank 0"
run_job 0 -n 1 -env MPIACTOR_VERBOSE info "$rank" "$broadcasts" short 50 : -n 3 -- "$broadcasts" short 50
said_by_rank0=$(said | grep -v "settings differ")
expect_equal 3 "$(wc -l <<<"$said_by_rank0")" "lines at rank 0's verbosity"
run_job 0 -n 1 -env MPIACTOR_NODES 2 -env MPIACTOR_VERBOSE info "$rank" "$broadcasts" values : \
  -n 3 -env MPIACTOR_NODES cyclic:4 -env MPIACTOR_SHM_LIMIT 0 -- "$broadcasts" values
expect_text " wrong=0"
[[ $errors == *"4 ranks on 2 nodes"* ]] || fail_check "not rank 0's nodes: $errors"
expect_hybrid 100

# info: one line at start and two at finalize, from rank 0.
run_job 0 -n 4 -genv MPIACTOR_VERBOSE info -genv MPIACTOR_NODES 2 -genv MPIACTOR_BCAST chain -- \
  "$broadcasts" short 60
expect_equal 3 "$(said | wc -l)" "lines at info"
[[ $(said | tail -2 | head -1) == *"rank 0: blocking calls by rule: bcast chain 59"* ]] ||
  fail_check "rules at finalize: $(said | tail -2 | head -1)"
start=$(said | head -1)
for text in "leader competitive" "4 ranks on 2 nodes" "bcast chain"; do
  [[ $start == *"$text"* ]] || fail_check "no '$text' at start: $start"
done
[[ $(said | tail -1) == *"rank 0: "*"calls hybrid"*"passed to the MPI library"* ]] ||
  fail_check "finalize: $(said | tail -1)"
expect_equal 60 "$(($(calls_by_path 1) + $(calls_by_path 2)))" "calls counted"
expect_hybrid 59
run_job 0 -n 4 -genv MPIACTOR_VERBOSE info -genv MPIACTOR_LEADER off -- "$broadcasts" short 60
expect_said_once "off: all calls go to the MPI library"

# What is preloaded behind the runtime still makes ranks give way, from MPI_Init to MPI_Finalize.
if [ "$mpi" = mpich ]; then
  for leader in off competitive; do
    run_job 0 -n 4 -genv MPIACTOR_LEADER $leader -genv MPIACTOR_POLITE_STATS 1 -- "$broadcasts" short 60
    [[ $output$errors =~ yields=[1-9] ]] || fail_check "leader $leader, no yields: $output$errors"
  done
fi
finish
