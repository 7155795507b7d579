#!/bin/bash
# Load on the runtime: soak_test.sh MPI RUNTIME SOAK [--seconds S]
#
# Without --seconds a short run. With it: random collectives for so long, and the full numbers of
# communicators and broadcasts. Beside the random collectives other jobs are started and one of
# their ranks is killed, again and again; that must neither disturb the first job nor leave anything
# in /dev/shm.
set -u
# shellcheck source=tests/tools/expect.sh
source tests/tools/expect.sh
source tests/mpi.sh
soak=$PWD/$1
shift

seconds=10 alive=300 churn=1000 broadcasts=100000
# Nodes on which so many are alive.
alive_on=(2)
if [ "${1:-}" = --seconds ]; then
  seconds=$2 alive=1000 churn=10000 broadcasts=1000000
  alive_on=(2 "")
fi
label=soak$$

# job NODES ARGUMENTS...: four ranks, in place of this shell.
job() {
  local nodes=$1
  shift
  exec timeout -k 5 "$((seconds + 600))" "${mpiexec[@]}" -n 4 \
    -genv LD_PRELOAD "$runtime" -genv MPIACTOR_NODES "$nodes" \
    -genv MPIACTOR_NEVER_WORSE 0 "$soak" "$@"
}

ranks_of() { pgrep -f -- "^$soak .*--label $1\$"; }
# shellcheck disable=SC2317  # called by expect_soon
no_rank_of() { ! ranks_of "$1" >/dev/null; }
shared_names() { find /dev/shm -maxdepth 1 -name "mpiactor.$(id -u).*" -printf '%f\n' | sort; }

# A job of which one rank is killed, some tenths of a second after it has begun.
kill_one() {
  local victim=$label-$1 job ranks tries
  job 2 --seconds 60 --label "$victim" >/dev/null 2>&1 &
  job=$!
  expect_soon ranks_of "$victim" >/dev/null
  sleep "0.$((RANDOM % 9 + 1))"
  mapfile -t ranks < <(ranks_of "$victim")
  [ "${#ranks[@]}" -gt 0 ] && kill -KILL "${ranks[RANDOM % ${#ranks[@]}]}" && killed=$((killed + 1))
  for ((tries = 0; tries < 200; ++tries)); do
    kill -0 "$job" 2>/dev/null || break
    sleep 0.1
  done
  kill "$job" 2>/dev/null && fail_check "20 s after a rank was killed its job goes on"
  wait "$job" && fail_check "a job with a killed rank ended well"
  expect_soon no_rank_of "$victim"
}

before=$(shared_names)
job 2 --seconds "$seconds" --label "$label" >"$work/mixture" 2>&1 &
mixture=$!
killed=0
for ((n = 0; ; ++n)); do
  kill -0 "$mixture" 2>/dev/null || break
  kill_one "$n"
done
wait "$mixture"
expect_equal 0 $? "status of the job beside which others were killed"
cat "$work/mixture"
[ "$killed" -gt 0 ] || fail_check "no rank was killed"
echo "$killed ranks of other jobs killed meanwhile"

# expect_job NODES ARGUMENTS...
expect_job() {
  (job "$@") || fail_check "status $? of: $*"
}
# What communicators hold in /dev/shm is what their calls want: shown where a /dev/shm of our own can
# be had. The MPI library then does without.
own_shm() {
  # shellcheck disable=SC2016  # expanded inside
  unshare --mount bash -c 'mount -t tmpfs -o size=75% tmpfs /dev/shm && exec "$@"' - "$@"
}
alive_job() {
  local nodes=$1
  own_shm true 2>/dev/null || {
    echo "memory in /dev/shm not looked at: no mount namespaces here"
    expect_job "$nodes" --alive "$alive"
    return
  }
  local settings=(-genv LD_PRELOAD "$runtime" -genv MPIACTOR_NODES "$nodes"
    -genv MPIACTOR_NEVER_WORSE 0 -genv "${without_shm%%=*}" "${without_shm#*=}")
  own_shm timeout -k 5 "$((seconds + 600))" "${mpiexec[@]}" -n 4 "${settings[@]}" \
    "$soak" --alive "$alive" --most-shared-kb 2000 ||
    fail_check "status $? of the job with $alive communicators"
}
for nodes in "${alive_on[@]}"; do alive_job "$nodes"; done

# The root may be ahead of its node by the 32 slots of the queue, of the leaders of other nodes by the 64
# requests of which one is announced, besides, and of their members by 32 more.
expect_job 2 --churn "$churn"
expect_job 2 --broadcasts "$broadcasts" --most-ahead 128
expect_job "" --broadcasts "$broadcasts" --most-ahead 33
# 64 KiB through 256 KiB of staging: leaders wait for memory.
MPIACTOR_SHM_LIMIT=256K expect_job "" --broadcasts "$((broadcasts / 25))" --words 8000 --most-ahead 33

expect_equal "$before" "$(shared_names)" "names in /dev/shm"
finish
