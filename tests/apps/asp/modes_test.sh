#!/bin/bash
# The same answer with plain MPI, static and competitive leaders, on pretended nodes.
# modes_test.sh RUNTIME POLITE ASP; ROME99_GRAPH adds the road network of Rome.
set -u
runtime=$PWD/$1 polite=$PWD/$2 asp=$PWD/$3

answer() {
  local leader=$1 preload=$polite
  shift
  [ "$leader" = off ] || preload=$runtime:$polite
  LD_PRELOAD=$polite timeout 100 mpiexec.hydra -n 8 -genv LD_PRELOAD "$preload" \
    -genv MPIACTOR_LEADER "$leader" -genv MPIACTOR_NODES 4 -genv MPIACTOR_VERBOSE info \
    "$asp" "$@" 2>"$TEST_TMPDIR/errors" | grep '^asp: vertices='
  if [ "$leader" != off ] && ! grep -q 'calls hybrid' "$TEST_TMPDIR/errors"; then
    echo "leader $leader: the runtime handled nothing" >&2
    exit 1
  fi
}

compare_modes() {
  local plain
  plain=$(answer off "$@")
  [ -n "$plain" ] || { echo "asp $*: no answer from plain MPI" >&2; exit 1; }
  for leader in static competitive; do
    found=$(answer "$leader" "$@") || exit 1
    [ "$found" = "$plain" ] || { echo "asp $*: leader $leader gives '$found', plain MPI '$plain'" >&2; exit 1; }
  done
  echo "asp $*: $plain"
}

compare_modes --random 700 --seed 5
if [ -n "${ROME99_GRAPH:-}" ]; then
  compare_modes --graph "$ROME99_GRAPH"
else
  echo "ROME99_GRAPH is not set: the road network of Rome is left out"
fi
