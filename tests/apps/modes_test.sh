#!/bin/bash
# The same answer, and the same files bit by bit, with plain MPI, static and competitive leaders, on
# pretended nodes: modes_test.sh MPI RUNTIME ASP VCC; ROME99_GRAPH adds the road network of Rome.
set -u
source tests/mpi.sh
asp=$PWD/$1 vcc=$PWD/$2

# answer LEADER RANKS NODES PROGRAM ARGS...: prints what depends on the data alone.
answer() {
  local leader=$1 ranks=$2 nodes=$3 preload=""
  shift 3
  [ "$leader" = off ] || preload=$runtime
  timeout 200 "${mpiexec[@]}" -n "$ranks" -genv LD_PRELOAD "$preload" \
    -genv MPIACTOR_LEADER "$leader" -genv MPIACTOR_NODES "$nodes" -genv MPIACTOR_VERBOSE info \
    "$@" 2>"$TEST_TMPDIR/errors" |
    grep -E '^(asp: vertices|vcc: (variables|correlation|missing))='
  if [ "$leader" != off ] && ! grep -q 'calls hybrid' "$TEST_TMPDIR/errors"; then
    echo "leader $leader: the runtime handled nothing" >&2
    exit 1
  fi
}

# compare_modes RANKS NODES PROGRAM ARGS...: files of each mode begin with $TEST_TMPDIR/MODE.
compare_modes() {
  local plain found leader file
  plain=$(answer off "${@//MODE/off}")
  [ -n "$plain" ] || { echo "$*: no answer from plain MPI" >&2; exit 1; }
  for leader in static competitive; do
    found=$(answer "$leader" "${@//MODE/$leader}") || exit 1
    [ "$found" = "$plain" ] || { echo "$*: leader $leader gives '$found', plain MPI '$plain'" >&2; exit 1; }
    for file in "$TEST_TMPDIR"/off*; do
      [ ! -e "$file" ] || cmp "$file" "${file/off/$leader}" || exit 1
    done
  done
  echo "$*: $plain"
}

compare_modes 8 4 "$asp" --random 700 --seed 5 --out "$TEST_TMPDIR/MODE.bin"
if [ -n "${ROME99_GRAPH:-}" ]; then
  compare_modes 8 4 "$asp" --graph "$ROME99_GRAPH"
else
  echo "ROME99_GRAPH is not set: the road network of Rome is left out"
fi
matrices=(--output "$TEST_TMPDIR/MODE")
compare_modes 8 4 "$vcc" --random 500 --observations 1500 --missing 0.2 --seed 3 "${matrices[@]}"
compare_modes 8 4 "$vcc" --random 300 --observations 6000 --block 40 "${matrices[@]}"
compare_modes 4 0,0,0,1 "$vcc" --random 60 --observations 20001 --missing 0.3 --block 16 "${matrices[@]}"
for file in off.bin off_covariance.npy off_correlation.npy; do
  [ -s "$TEST_TMPDIR/$file" ] || { echo "$file was not written" >&2; exit 1; }
done
