#!/bin/bash
# Jobs of which some ranks have started without the runtime: MPI RUNTIME PARTIAL. They end soon,
# with a sentence that names these ranks, and nobody has got wrong data.
set -u
# shellcheck source=tests/tools/expect.sh
source tests/tools/expect.sh
source tests/mpi.sh
partial=$PWD/$1

# run CALL TEXT HAS...: one rank for each HAS, which says whether it has the runtime (1) or not (0).
# shellcheck disable=SC2034  # output is read by expect.sh
run() {
  local call=$1 text=$2 begin=$SECONDS has job=()
  shift 2
  for has in "$@"; do
    [ ${#job[@]} = 0 ] || job+=(:)
    job+=(-n 1 -env LD_PRELOAD "$([ "$has" = 0 ] || echo "$runtime")" "$partial" "$call")
  done
  output=$(timeout -k 5 180 "${mpiexec[@]}" "${job[@]}" 2>&1)
  local status=$?
  { has_died $status && [ $status != 124 ]; } || fail_check "status $status of $call, $*: $output"
  [ $((SECONDS - begin)) -lt 30 ] || fail_check "$((SECONDS - begin)) s for $call, $*"
  expect_line "mpiactor: $text of the job started without libmpiactor.so, others with it; start all ranks with it, or none"
  expect_equal 1 "$(grep -c '^mpiactor' <<<"$output")" "lines said (output: $output)"
  expect_no_text "wrong data"
}

# All at a time: each waits until the runtime looks for the ranks.
jobs=()
start() {
  (run "$@" && [ "$failures" = 0 ]) &
  jobs+=($!)
}
start bcast "rank 1" 1 0
start ibcast "rank 0" 0 1
# Open MPI 4.1 makes the runtime's communicator by messages that such a receive takes.
[ "$mpi" = openmpi ] || start receive "rank 1" 1 0 1 1
start bcast "rank 3" 1 1 1 0
start allreduce "ranks 0, 2" 0 1 0 1
start iprobe "rank 2" 1 1 0 1
# As in a batch script of Slurm's.
SLURM_PROCID=0 start bcast "rank 1" 1 0 1
for job in "${jobs[@]}"; do wait "$job" || failures=$((failures + 1)); done

# Shells between the launcher and its ranks are no ranks.
output=$(timeout -k 5 180 "${mpiexec[@]}" -n 3 -genv MPIACTOR_NODES "" \
  sh -c "LD_PRELOAD=$runtime:\$LD_PRELOAD $partial bcast; exit \$?" 2>&1)
expect_equal 0 $? "status behind shells (output: $output)"
expect_equal "" "$output" "printed behind shells"
finish
