#!/bin/bash
# vectorised_test.sh LIBRARY: loops that are compiled for an instruction set use its registers.
set -u -o pipefail
library=$1
[ "$(uname -m)" = x86_64 ] || { echo "loops have one instruction set on $(uname -m)" && exit 0; }

failed=0
# check SET REGISTERS: of the sums of ints and of doubles.
check() {
  local type loop
  for type in int double; do
    loop=$(objdump -d -C --no-show-raw-insn "$library" |
      awk -v name="reduction::$1::combine<$type, mpiactor::reduction::$1::Sum>(" \
        'index($0, name) && />:$/ { inside = 1 } /^$/ { inside = 0 } inside')
    [ -n "$loop" ] || { echo "$library has no sum of $type for $1" && failed=1; }
    grep -q "%$2" <<<"$loop" || { echo "the sum of $type for $1 does not use $2 registers:" "$loop" && failed=1; }
  done
}
check avx2 ymm
check avx512 zmm
exit "$failed"
