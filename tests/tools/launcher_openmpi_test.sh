#!/bin/bash
# The launcher with Open MPI, which it finds by itself: RUNTIME MPICH_RUNTIME BROADCASTS
# MPICH_BROADCASTS LAUNCHER CLUSTER.
source tests/tools/expect.sh
runtime=$PWD/$1 mpich_runtime=$PWD/$2 broadcasts=$PWD/$3 mpich_broadcasts=$PWD/$4 launcher=$5 cluster=$6
export TMPDIR=$work HOME=${HOME:-$work}  # which Open MPI 5 wants to know

# run RANKS OPTIONS... -- PROGRAM ARGS...: with Open MPI.
run() {
  local ranks=$1
  shift
  expect_status 0 timeout 180 "$launcher" -n "$ranks" -mca btl_base_warn_component_unused 0 \
    --runtime "$runtime" "$@"
}

# One job of as many ranks as are wanted. Calls without bytes, and the first one, are passed on.
for layout in "" 2 cyclic:2; do
  run 4 -genv MPIACTOR_NODES "$layout" -genv MPIACTOR_VERBOSE info -- "$broadcasts" values
  expect_text "broadcasts: ranks=4 calls=124 wrong=0"
  expect_text "rank 0: 116 calls hybrid"
done
run 2 --verbose -- "$broadcasts" short 10
expect_text "broadcasts: ranks=2 calls=10 wrong=0"
expect_text "mpiactor-run: openmpi (with which $broadcasts is linked); launcher mpirun"
expect_status 0 "$launcher" -n 2 --dry-run --verbose --runtime "$mpich_runtime" -- \
  "$mpich_broadcasts" short 10
expect_text "mpich (with which $mpich_broadcasts is linked); launcher mpiexec.hydra"
expect_status 0 "$launcher" -n 2 --dry-run --mpi openmpi --ppn 1 --polite on --runtime "$runtime" \
  -genv A "b c" -hosts x,y -bind-to core -- true
expect_text "mpirun"
expect_text " --map-by ppr:1:node "
expect_text " mpi_yield_when_idle 1 "
expect_text " -x A=b\\ c --host x\\,y --bind-to core true"
expect_status 64 "$launcher" -n 2 --mpi openmpi --runtime "$runtime" -prepend-rank -- true
expect_text "option -prepend-rank is MPICH's; to Open MPI are passed on: "

# Settings of the environment reach other hosts, which get what Open MPI's launcher is told alone.
expect_status 0 env MPIACTOR_SEGMENT=4K MPIACTOR_WAIT=spin MPIACTOR_NODES=4 MPIACTOR_BCAST=ring \
  "$launcher" -n 100 --dry-run --mpi openmpi --nodes 2 --runtime "$runtime" -genv MPIACTOR_BCAST linear -- true
for setting in MPIACTOR_SEGMENT MPIACTOR_WAIT MPIACTOR_NODES=2 MPIACTOR_BCAST=linear; do
  expect_text " -x $setting "
done
for setting in MPIACTOR_WAIT=yield MPIACTOR_NODES MPIACTOR_BCAST; do expect_no_text " -x $setting "; done

# A relative program is looked up where it will run.
expect_status 0 "$launcher" -n 2 --dry-run --verbose --runtime "$runtime" -wdir "${broadcasts%/*}" -- \
  "./${broadcasts##*/}" short 10
expect_text "mpiactor-run: openmpi (with which ./${broadcasts##*/} is linked)"

# Exit codes, and what ends a job.
run 2 -- "$broadcasts" values
expect_status 3 "$launcher" -n 1 --mpi openmpi --runtime "$runtime" -- sh -c "exit 3"
# shellcheck disable=SC2317  # called by expect_soon
ranks() { pgrep -f "^$broadcasts short 100000000\$"; }
# shellcheck disable=SC2317  # called by expect_soon
all_ranks() { [ "$(ranks | wc -l)" = 4 ]; }
# shellcheck disable=SC2317
no_ranks() { ! ranks >/dev/null; }
timeout -k 5 180 "$launcher" -n 4 --runtime "$runtime" -- "$broadcasts" short 100000000 >"$work/output" 2>&1 &
job=$!
expect_soon all_ranks
kill -TERM "$(pgrep -P "$job")"
! wait "$job" || fail_check "a job ended by SIGTERM reports success"
expect_soon no_ranks

skip_without_namespaces "$cluster"
run 4 --virtual-hosts 2 -genv MPIACTOR_VERBOSE info -- "$broadcasts" values
expect_text "4 ranks on 2 nodes"
expect_text "broadcasts: ranks=4 calls=124 wrong=0"
expect_text "rank 0: 116 calls hybrid"

# Who has no rights is root on virtual hosts, which Open MPI's launcher wants to be allowed.
[ "$UID" = 0 ] || finish
place=$(mktemp -d -p /tmp) || exit 1
trap 'rm -rf -- "$place"' EXIT
cp "$runtime" "$broadcasts" "$launcher" "$(dirname "$cluster")"/virtual-cluster* "$place"
chown -R 65534:65534 "$place"
cd "$place" || exit 1
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups env "TMPDIR=$place" "HOME=$place")
"${nobody[@]}" ./virtual-cluster check || finish
expect_status 0 "${nobody[@]}" timeout 180 ./mpiactor-run --virtual-hosts 2 -n 4 \
  -mca btl_base_warn_component_unused 0 --runtime "$place/${runtime##*/}" -- \
  "./${broadcasts##*/}" values
expect_text "broadcasts: ranks=4 calls=124 wrong=0"
finish
