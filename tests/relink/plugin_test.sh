#!/bin/bash
# A program without MPI that loads a module with MPI privately: the runtime works there too.
# plugin_test.sh MPI RUNTIME HOST MODULE CONSTRUCTOR_HOST CONSTRUCTOR EARLY: sources.
set -eu
source tests/mpi.sh
# Open MPI 4.1 crashes in its end where it goes and a kind of window was left out by name.
export OMPI_MCA_osc=rdma,sm,pt2pt
gcc "$1" -o "$TEST_TMPDIR/host" -ldl
"mpicc.$mpi" -shared -fPIC "$2" -o "$TEST_TMPDIR/module.so"
# The module brings the runtime too, which goes when the module goes.
"mpicc.$mpi" -shared -fPIC "$2" -o "$TEST_TMPDIR/relinked.so" "${link_runtime[@]}"

# expect_handled PRELOAD MODULE [again [NAME VALUE]]
expect_handled() {
  local preload=$1 module=$2 how=${3:-}
  shift $(($# < 3 ? $# : 3))
  timeout 180 "${mpiexec[@]}" -n 2 -genv LD_PRELOAD "$preload" -genv MPIACTOR_VERBOSE info \
    ${1:+-genv "$1" "$2"} "$TEST_TMPDIR/host" "$module" ${how:+"$how"} 2>"$TEST_TMPDIR/errors" &&
    grep -q '99 calls hybrid' "$TEST_TMPDIR/errors" && return
  echo "the calls of $module ($how $*) were not handled:" >&2
  cat "$TEST_TMPDIR/errors" >&2
  exit 1
}
expect_handled "$runtime" "$TEST_TMPDIR/module.so"
expect_handled "" "$TEST_TMPDIR/relinked.so"
expect_handled "$runtime" "$TEST_TMPDIR/module.so" again
# The loader binds all symbols of what it loads, long before there is MPI.
expect_handled "$runtime" "$TEST_TMPDIR/module.so" again LD_BIND_NOW 1
LD_BIND_NOW=1 LD_PRELOAD=$runtime true

# Where nothing is handled, too, the library may go.
timeout 180 "${mpiexec[@]}" -n 2 -genv LD_PRELOAD "$runtime" -genv MPIACTOR_LEADER off \
  "$TEST_TMPDIR/host" "$TEST_TMPDIR/module.so" again
# And come again. Open MPI stays where the runtime is.
[ "$mpi" = openmpi ] || for leader in off competitive; do
  LD_PRELOAD=$runtime MPIACTOR_LEADER=$leader timeout 180 "$TEST_TMPDIR/host" "$TEST_TMPDIR/module.so" twice
done

# A module without MPI that brings a UCX of its own, under another file name.
mkdir "$TEST_TMPDIR/own"
cat >"$TEST_TMPDIR/own/ucx.c" <<'END'
unsigned ucp_worker_progress(void* worker) { return ++*(unsigned*)worker; }
END
cat >"$TEST_TMPDIR/own/user.c" <<'END'
unsigned ucp_worker_progress(void* worker);
int run(void) {
  unsigned first = 0, second = 0;
  ucp_worker_progress(&first);
  ucp_worker_progress(&second);
  return ucp_worker_progress(&first) == 2 && second == 1 ? 0 : 1;
}
END
gcc -shared -fPIC "$TEST_TMPDIR/own/ucx.c" -Wl,-soname,libucp-own.so.0 -o "$TEST_TMPDIR/own/libucp-own.so.0"
gcc -shared -fPIC "$TEST_TMPDIR/own/user.c" "$TEST_TMPDIR/own/libucp-own.so.0" \
  -Wl,-rpath,"$TEST_TMPDIR/own" -o "$TEST_TMPDIR/own/user.so"
LD_PRELOAD=$runtime "$TEST_TMPDIR/host" "$TEST_TMPDIR/own/user.so"

# What the runtime calls for the first time it need not look for while a module's constructor waits.
"mpicc.$mpi" "$3" -o "$TEST_TMPDIR/constructor_host" -ldl -lpthread
"mpicc.$mpi" -shared -fPIC "$4" -o "$TEST_TMPDIR/constructor.so"
for nodes in 1 2; do
  timeout 180 "${mpiexec[@]}" -n 2 -genv LD_PRELOAD "$runtime" -genv MPIACTOR_WARMUP_CALLS 0 \
    -genv MPIACTOR_NODES $nodes "$TEST_TMPDIR/constructor_host" "$TEST_TMPDIR/constructor.so"
done

# MPI_Init before the runtime's own constructors have run.
"mpicc.$mpi" -shared -fPIC -DLIBRARY "$5" -o "$TEST_TMPDIR/libearly.so"
"mpicc.$mpi" "$5" "$2" -o "$TEST_TMPDIR/early" -L"$TEST_TMPDIR" -learly -Wl,-rpath,"$TEST_TMPDIR"
timeout 180 "${mpiexec[@]}" -n 2 -genv LD_PRELOAD "$runtime" -genv MPIACTOR_VERBOSE info \
  "$TEST_TMPDIR/early" 2>"$TEST_TMPDIR/errors"
grep -q '99 calls hybrid' "$TEST_TMPDIR/errors"
