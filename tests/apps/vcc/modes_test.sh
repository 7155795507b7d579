#!/bin/bash
# The same matrices, bit by bit, with plain MPI, static and competitive leaders, on pretended nodes.
# modes_test.sh RUNTIME POLITE VCC
set -u
runtime=$PWD/$1 polite=$PWD/$2 vcc=$PWD/$3

# answer LEADER RANKS NODES ARGS...: prints what depends on the data alone, writes LEADER_*.npy.
answer() {
  local leader=$1 ranks=$2 nodes=$3 preload=$polite
  shift 3
  [ "$leader" = off ] || preload=$runtime:$polite
  LD_PRELOAD=$polite timeout 100 mpiexec.hydra -n "$ranks" -genv LD_PRELOAD "$preload" \
    -genv MPIACTOR_LEADER "$leader" -genv MPIACTOR_NODES "$nodes" -genv MPIACTOR_VERBOSE info \
    "$vcc" "$@" --output "$TEST_TMPDIR/$leader" 2>"$TEST_TMPDIR/errors" |
    grep -E '^vcc: (variables|correlation|missing)='
  if [ "$leader" != off ] && ! grep -q 'calls hybrid' "$TEST_TMPDIR/errors"; then
    echo "leader $leader: the runtime handled nothing" >&2
    exit 1
  fi
}

compare_modes() {
  local plain
  plain=$(answer off "$@")
  [ -n "$plain" ] || { echo "vcc $*: no answer from plain MPI" >&2; exit 1; }
  for leader in static competitive; do
    found=$(answer "$leader" "$@") || exit 1
    [ "$found" = "$plain" ] || { echo "vcc $*: leader $leader gives '$found', plain MPI '$plain'" >&2; exit 1; }
    for matrix in covariance correlation; do
      cmp "$TEST_TMPDIR/off_$matrix.npy" "$TEST_TMPDIR/${leader}_$matrix.npy" || exit 1
    done
  done
  echo "vcc $*: $plain"
}

compare_modes 8 4 --random 500 --observations 1500 --missing 0.2 --seed 3
compare_modes 8 4 --random 300 --observations 6000 --block 40
compare_modes 4 0,0,0,1 --random 60 --observations 20001 --missing 0.3 --block 16
