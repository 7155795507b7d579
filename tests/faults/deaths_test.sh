#!/bin/bash
# A rank, or the launcher, ends at a bad moment: MPI RUNTIME DYING SOAK. The job ends within
# seconds, no process stays, and nothing stays in /dev/shm. A rank that merely stops for seconds
# harms nothing.
set -u
# shellcheck source=tests/tools/expect.sh
source tests/tools/expect.sh
source tests/mpi.sh
dying=$PWD/$1 soak=$PWD/$2
label=deaths$$

# job PROGRAM ARGUMENTS...: four ranks on two nodes, or as $settings say, in place of this shell.
settings=(-genv MPIACTOR_NODES 2)
job() {
  exec timeout -k 5 180 "${mpiexec[@]}" -n 4 -genv LD_PRELOAD "$runtime" "${settings[@]}" "$@"
}
# Processes whose arguments end with this run's label.
ranks() { pgrep -f -- "^$1 .*$label\$"; }
# shellcheck disable=SC2317  # called by expect_soon
no_ranks() { ! ranks "$1" >/dev/null; }
# shellcheck disable=SC2317  # called by expect_soon
all_ranks() { [ "$(ranks "$1" | wc -l)" = 4 ]; }
shared_names() { find /dev/shm -maxdepth 1 -name "mpiactor.$(id -u).*" -printf '%f\n' | sort; }

before=$(shared_names)
# die HOW WHEN ROLE: that rank ends so, before, in or after a call.
die() {
  local how=$1 when=$2 role=$3 begin=$SECONDS status
  settings=(-genv MPIACTOR_NODES 2)
  [ "$role" != late ] || settings=(-genv MPIACTOR_NODES 4 -genv MPIACTOR_BCAST chain)
  output=$( (job "$dying" "$how" "$when" "$role" "$label") 2>&1)
  status=$?
  what="$how $when the call, $role"
  has_died "$status" || fail_check "$what: status 0: $output"
  [ $((SECONDS - begin)) -lt 15 ] || fail_check "$what: took $((SECONDS - begin)) s"
  expect_no_text "nobody died"
  # It has left its sending to the one that dies.
  [ "$role $when" != "deputy in" ] || expect_text "the root has left"
  [ "$role" != late ] || expect_text "served past the late node"
  expect_soon no_ranks "$dying"
}
for when in before in after; do
  for role in leader follower deputy late; do
    die kill "$when" "$role"
    die exit "$when" "$role"
  done
done
# The runtime handles no signals: these end as by kill.
die segv in leader
die abort in deputy
expect_equal "$before" "$(shared_names)" "names in /dev/shm"
settings=(-genv MPIACTOR_NODES 2)

# Ranks stop for seconds, one after the other, in the midst of random collectives.
stop_ranks() {
  (job "$soak" --seconds 8 --label "$label") >"$work/soak" 2>&1 &
  local job=$! ranks rank
  expect_soon all_ranks "$soak"
  mapfile -t ranks < <(ranks "$soak")
  for rank in "${ranks[@]}"; do
    sleep 0.4
    kill -STOP "$rank"
    sleep 1.3
    kill -CONT "$rank"
  done
  wait "$job"
  expect_equal 0 $? "status of the job whose ranks were stopped"
  output=$(cat "$work/soak")
  expect_text "all parts done"
  [ "$failures" = 0 ]
}
stop_ranks &
stopping=$!

# The launcher ends, or MPICH's proxy, which starts the ranks and ends them.
victims=(launcher)
[ "$mpi" = openmpi ] || victims+=(proxy both)
# shellcheck disable=SC2317  # called by expect_soon
has_proxy() { proxy=$(pgrep -P "$1" -f hydra_pmi_proxy); }
for victim in "${victims[@]}"; do
  for where in collective message; do
    (job "$dying" stay "$where" - "$label") >"$work/output" 2>"$work/errors" &
    job=$!
    expect_soon all_ranks "$dying"
    launcher=$(pgrep -P "$job" -f '^([^ ]*/)?(mpi(exec|run)|prterun)')
    [ "$mpi" = openmpi ] || expect_soon has_proxy "$launcher"
    sleep 0.7
    case $victim in
      launcher) kill -KILL "$launcher" ;;
      proxy) kill -KILL "$proxy" ;;
      both) kill -KILL "$launcher" "$proxy" ;;
    esac
    # A rank that sleeps by itself ends when it next waits for others; one that never does, stays.
    for ((tries = 0; tries < 150; ++tries)); do
      [ "$(ranks "$dying" | wc -l)" -le 1 ] && break
      sleep 0.1
    done
    [ "$tries" -lt 150 ] || fail_check "$victim killed, ranks in a $where: still there after 15 s"
    mapfile -t left < <(ranks "$dying")
    [ "${#left[@]}" = 0 ] || kill -KILL "${left[@]}"
    kill -KILL "$launcher" 2>/dev/null
    wait "$job"
  done
done
wait "$stopping" || failures=$((failures + 1))
expect_equal "$before" "$(shared_names)" "names in /dev/shm"
finish
