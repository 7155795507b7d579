#!/bin/bash
# A program without MPI that loads a module with MPI privately: the runtime works there too.
# plugin_test.sh RUNTIME POLITE HOST_SOURCE MODULE_SOURCE
set -eu
runtime=$PWD/$1 polite=$PWD/$2
gcc "$3" -o "$TEST_TMPDIR/host" -ldl
mpicc.mpich -shared -fPIC "$4" -o "$TEST_TMPDIR/module.so"
# The module brings the runtime too, which goes when the module goes.
mpicc.mpich -shared -fPIC "$4" -o "$TEST_TMPDIR/relinked.so" -L"${runtime%/*}" -lmpiactor \
  -Wl,-rpath,"${runtime%/*}"

# expect_handled PRELOAD MODULE
expect_handled() {
  LD_PRELOAD=$polite timeout 60 mpiexec.hydra -n 2 -genv LD_PRELOAD "$1" \
    -genv MPIACTOR_VERBOSE info "$TEST_TMPDIR/host" "$2" 2>"$TEST_TMPDIR/errors"
  grep -q '99 calls hybrid' "$TEST_TMPDIR/errors" && return
  echo "the calls of $2 were not handled:" >&2
  cat "$TEST_TMPDIR/errors" >&2
  exit 1
}
expect_handled "$runtime:$polite" "$TEST_TMPDIR/module.so"
expect_handled "$polite" "$TEST_TMPDIR/relinked.so"
