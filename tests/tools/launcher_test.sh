#!/bin/bash
# shellcheck disable=SC2016  # what is in single quotes is not to expand
#
# The launcher on one machine: LAUNCHER REPORT PROBE POLITE.
source tests/tools/expect.sh
launcher=$1 report=$PWD/$2 probe=$PWD/$3 polite=$PWD/$4
cores=$(nproc)
crowded=$((cores * 2))

# Exit codes and arguments pass unchanged.
expect_status 0 "$launcher" --runtime "$probe" -n 2 -- "$report" "two words" '$HOME *' "" -- -n
expect_line "0 ranks=2"
expect_line "1 argument=two words"
expect_line '1 argument=$HOME *'
expect_line "0 argument="
expect_line "0 argument=--"
expect_line "0 argument=-n"
expect_status 3 "$launcher" --runtime "$probe" -n 2 "$report" exit=3
mkdir -p "$work/a folder"
cp "$report" "$work/a folder/a program"
expect_status 5 "$launcher" --runtime "$probe" -n 1 "$work/a folder/a program" exit=5

# Settings: from options, before those of the environment, which are kept otherwise.
expect_status 0 "$launcher" --runtime "$probe" -n 2 --leader static --nodes cyclic:2 "$report"
expect_line "1 MPIACTOR_LEADER=static"
expect_line "1 MPIACTOR_NODES=cyclic:2"
expect_line "1 probe=1"
expect_status 0 env MPIACTOR_LEADER=static MPIACTOR_NODES=2 \
  "$launcher" --runtime="$probe" -n 2 --leader=competitive "$report"
expect_line "0 MPIACTOR_LEADER=competitive"
expect_line "0 MPIACTOR_NODES=2"
expect_status 0 "$launcher" --runtime "$probe" -n 1 -genv PASSED_BY_MPIEXEC "x y" -l "$report"
expect_line "[0] 0 PASSED_BY_MPIEXEC=x y"

# Leader off: the runtime is not loaded.
expect_status 0 "$launcher" --runtime "$probe" -n 1 --leader off "$report"
expect_line "0 probe=0"
expect_line "0 MPIACTOR_LEADER=(unset)"
expect_status 0 env MPIACTOR_LEADER=off "$launcher" --runtime "$probe" -n 1 "$report"
expect_line "0 probe=0"

# But for a trace. Programs that look at the nodes see the same ones.
expect_status 0 "$launcher" --runtime "$probe" -n 1 --leader off -genv MPIACTOR_TRACE "$work/trace" "$report"
expect_line "0 probe=1"
expect_line "0 MPIACTOR_LEADER=off"
expect_status 0 env MPIACTOR_TRACE="$work/trace" \
  "$launcher" --runtime "$probe" -n 1 --leader off -genv MPIACTOR_TRACE "" "$report"
expect_line "0 probe=0"
expect_status 0 "$launcher" --runtime "$probe" -n 2 --leader off --nodes 2 "$report"
expect_line "1 probe=0"
expect_line "1 MPIACTOR_NODES=2"

# The runtime goes into the ranks alone, not into mpiexec and its proxies.
expect_status 0 env PROBE_LOG="$work/loaded" "$launcher" --runtime "$probe" -n 2 "$report"
expect_equal "call_report" "$(sort -u "$work/loaded")" "processes that loaded the runtime"
expect_equal 2 "$(wc -l <"$work/loaded")" "number of processes that loaded the runtime"

# More ranks than cores: waiting yields, and all ranks stay in one session.
polite_options=(--runtime "$work/lib/libprobe.so" -n "$crowded")
mkdir -p "$work/lib/polite"
cp "$probe" "$work/lib/libprobe.so"
cp "$polite" "$work/lib/polite/libmpiactor_polite.so"
expect_status 0 env MPIACTOR_POLITE_STATS=1 "$launcher" "${polite_options[@]}" "$report"
expect_line "0 MPIACTOR_WAIT=yield"
expect_equal 1 "$(grep -o 'session=.*' <<<"$output" | sort -u | wc -l)" "sessions of polite ranks"
expect_equal "$crowded" "$(grep -o 'program=call_report yields=' <<<"$output" | wc -l)" "polite ranks"
[[ $output =~ program=call_report\ yields=[1-9] ]] || fail_check "no rank yielded: $output"
expect_text "program=mpiexec.hydra"
expect_status 0 env MPIACTOR_WAIT=spin MPIACTOR_POLITE_STATS=1 \
  "$launcher" "${polite_options[@]}" --polite off "$report"
expect_line "0 MPIACTOR_WAIT=spin"
expect_equal "$crowded" "$(grep -o 'session=.*' <<<"$output" | sort -u | wc -l)" "sessions of ranks"
expect_no_text "mpiactor-polite:"
expect_status 0 env MPIACTOR_POLITE_STATS=1 "$launcher" --runtime "$work/lib/libprobe.so" -n 1 "$report"
expect_line "0 MPIACTOR_WAIT=(unset)"
expect_no_text "mpiactor-polite:"
expect_status 0 env MPIACTOR_POLITE_STATS=1 \
  "$launcher" --runtime "$work/lib/libprobe.so" --polite on -n 1 "$report"
expect_text "program=call_report yields="

# Which ranks share a machine's cores: all, or those of a host that the user or Slurm gives the job.
polite_with() { # YES_OR_NO SLURM_TASKS SLURM_NODES OPTIONS...
  expect_status 0 env SLURM_NTASKS="$2" SLURM_JOB_NUM_NODES="$3" \
    "$launcher" --runtime "$work/lib/libprobe.so" --dry-run "${@:4}" "$report"
  expect_equal "$1" "$(grep -q MPIACTOR_WAIT <<<"$output" && echo yes || echo no)" "polite with: $*"
}
polite_with yes "" "" -n "$crowded"
polite_with yes "" "" -n "$crowded" --ppn "$cores"
polite_with no "" "" -n "$crowded" --ppn "$cores" -hosts a,b
polite_with yes "" "" -n "$crowded" -hosts a,b
polite_with no "$crowded" 2
expect_text "mpiexec.hydra -n $crowded "
polite_with yes "$((crowded + 1))" 2
polite_with yes "$crowded" 2 --ppn "$crowded"
polite_with no 100 100 -n 1

# Where the libraries are found: built in the tree, or installed beside the launcher.
mkdir -p "$work/built/tools" "$work/built/bazel-bin/actor" "$work/installed/bin" "$work/installed/lib"
cp "$launcher" "$work/built/tools/mpiactor-run"
cp "$launcher" "$work/installed/bin/mpiactor-run"
expect_status 64 "$work/built/tools/mpiactor-run" -n 1 "$report"
expect_text "libmpiactor.so is neither in bazel-bin/actor nor in ../lib"
cp "$probe" "$work/built/bazel-bin/actor/libmpiactor.so"
cp "$probe" "$work/installed/lib/libmpiactor.so"
for tree in built/tools installed/bin; do
  expect_status 0 "$work/$tree/mpiactor-run" -n 1 "$report"
  expect_line "0 probe=1"
  expect_status 64 "$work/$tree/mpiactor-run" -n "$crowded" "$report"
  expect_text "libmpiactor_polite.so is neither in"
done

# Terminated: no rank is left. What mpiexec makes of an interrupt depends on which rank it saw end
# first. Being terminated is no success, but mpiexec itself says so up to one time in four, so one of
# several has to be told.
successes=0
signals=(INT TERM TERM TERM TERM TERM TERM)
for signal in "${signals[@]}"; do
  : >"$work/log"
  env --default-signal=INT "$launcher" "${polite_options[@]}" "$report" sleep=100 "mark-$work" >"$work/log" 2>&1 &
  job=$!
  # A signal that comes before the end of MPI_Init may be lost in mpiexec.
  expect_soon grep -q "^$((crowded - 1)) sum=$((crowded * (crowded - 1) / 2))\$" "$work/log"
  kill -s "$signal" "$job"
  if wait "$job" && [ "$signal" = TERM ]; then successes=$((successes + 1)); fi
  # shellcheck disable=SC2317  # called by expect_soon
  no_rank_left() { ! pgrep -f "report sleep=100 mark-$work" >/dev/null; }
  expect_soon no_rank_left
done
[ "$successes" -lt $((${#signals[@]} - 1)) ] || fail_check "jobs ended by SIGTERM report success"
finish
