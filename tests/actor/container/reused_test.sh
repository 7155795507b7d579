#!/bin/bash
# Shared memory of freed communicators is used for later ones of the same ranks: MPI RUNTIME PROGRAM.
source tests/tools/expect.sh
source tests/mpi.sh
source tests/actor/interpose/job.sh
program=$1

# expect_containers LEAST MOST NODES MODE TIMES: so many are made.
expect_containers() {
  local least=$1 most=$2 nodes=$3 made
  shift 3
  run_job 0 -n 4 -genv MPIACTOR_VERBOSE info -genv MPIACTOR_NODES "$nodes" -- "$program" "$@"
  made=$(sed -n 's/.*rank 0: .* \([0-9]*\) containers,.*/\1/p' <<<"$errors")
  [ "${made:-0}" -ge "$least" ] && [ "$made" -le "$most" ] ||
    fail_check "containers made: '$made', $least to $most wanted ($nodes nodes, $*; said: $errors)"
}

for nodes in 1 2 cyclic:3; do
  expect_containers 1 1 "$nodes" copies 50
  expect_containers 2 2 "$nodes" reversed 20
  # Where ranks have kept others last, new ones are made.
  expect_containers 3 60 "$nodes" orders 20
  # Rank 0 has kept one that others have not, or the other way round.
  expect_containers 37 80 "$nodes" dropped 4
done
expect_containers 1 1 1 long 5

# None is kept where it takes more than half of /dev/shm.
own_shm=(unshare --mount)
[ "$(id -u)" = 0 ] || own_shm+=(--map-root-user)
own_shm+=(bash -c 'mount -t tmpfs -o size=600k tmpfs /dev/shm && exec "$@"' -)
if reason=$("${own_shm[@]}" true 2>&1); then
  mpiexec=("${own_shm[@]}" "${mpiexec[@]}" -genv "${without_shm%%=*}" "${without_shm#*=}")
  expect_containers 5 5 1 copies 5
else
  echo "small /dev/shm not tried: $reason"
fi
finish
