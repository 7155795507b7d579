#!/bin/bash
# never_destroyed_test.sh LIBRARY...: no static variable of the libraries is destroyed at the end of
# the process, when programs may still call MPI: none asks for that (__cxa_atexit).
set -u -o pipefail
failed=0
for library in "$@"; do
  symbols=$(nm -D --undefined-only "$library") || { echo "$library cannot be read" && exit 1; }
  # Every shared library is told of its end.
  grep -q __cxa_finalize <<<"$symbols" || { echo "$library: no names found: $symbols" && failed=1; }
  if grep -w __cxa_atexit <<<"$symbols"; then
    echo "$library: a static variable has a destructor; make it by new, and leave it"
    failed=1
  fi
done
exit "$failed"
