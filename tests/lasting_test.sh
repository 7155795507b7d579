#!/bin/bash
# lasting_test.sh LIBRARY...: programs may call MPI before the libraries' constructors have run and
# after destructors have. So no variable of theirs is constructed when they are loaded, and none is
# destroyed at the end of the process (__cxa_atexit). The exceptions: Boost's page size, which is
# computed where it is not there yet, and a number of fmt's (version 10), which begins as zero.
set -u -o pipefail
failed=0
for library in "$@"; do
  names=$(nm -C "$library") || { echo "$library cannot be read" && exit 1; }
  # Every shared library is told of its end.
  grep -q __cxa_finalize <<<"$names" || { echo "$library: no names found: $names" && failed=1; }
  if grep -w __cxa_atexit <<<"$names"; then
    echo "$library: a static variable has a destructor; inter::Lasting has none"
    failed=1
  fi
  # What the compiler calls a source's constructors.
  if grep '_GLOBAL__sub_I' <<<"$names" | grep -Ev '_sub_I_(segment|format)[.]cc$'; then
    echo "$library: a variable is constructed when the library is loaded; make it when it is needed"
    failed=1
  fi
done
exit "$failed"
