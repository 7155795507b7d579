#!/bin/bash
# A program without MPI that loads a module with MPI privately: the runtime works there too.
# plugin_test.sh MPI RUNTIME HOST_SOURCE MODULE_SOURCE
set -eu
source tests/mpi.sh
gcc "$1" -o "$TEST_TMPDIR/host" -ldl
"mpicc.$mpi" -shared -fPIC "$2" -o "$TEST_TMPDIR/module.so"
# The module brings the runtime too, which goes when the module goes.
"mpicc.$mpi" -shared -fPIC "$2" -o "$TEST_TMPDIR/relinked.so" "${link_runtime[@]}"

# expect_handled PRELOAD MODULE
expect_handled() {
  timeout 60 "${mpiexec[@]}" -n 2 -genv LD_PRELOAD "$1" \
    -genv MPIACTOR_VERBOSE info "$TEST_TMPDIR/host" "$2" 2>"$TEST_TMPDIR/errors"
  grep -q '99 calls hybrid' "$TEST_TMPDIR/errors" && return
  echo "the calls of $2 were not handled:" >&2
  cat "$TEST_TMPDIR/errors" >&2
  exit 1
}
expect_handled "$runtime" "$TEST_TMPDIR/module.so"
expect_handled "" "$TEST_TMPDIR/relinked.so"
