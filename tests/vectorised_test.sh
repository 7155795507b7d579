#!/bin/bash
# vectorised_test.sh FILE [FUNCTION REGISTERS]...: functions that are compiled for an instruction set
# use its registers (ymm, zmm). FUNCTION as nm -C shows it, from its beginning on.
set -u -o pipefail
file=$1
shift
[ "$(uname -m)" = x86_64 ] || { echo "functions have one instruction set on $(uname -m)" && exit 0; }

failed=0
while [ $# -gt 0 ]; do
  name=$1 registers=$2
  shift 2
  code=$(objdump -d -C --no-show-raw-insn "$file" |
    awk -v name="<$name" 'index($0, name) && />:$/ { inside = 1 } /^$/ { inside = 0 } inside')
  [ -n "$code" ] || { echo "$file has no $name" && failed=1 && continue; }
  grep -q "%$registers" <<<"$code" || { echo "$name does not use $registers:" "$code" && failed=1; }
done
exit "$failed"
