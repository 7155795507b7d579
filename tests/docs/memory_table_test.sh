#!/bin/bash
# The operations page shows what a large job needs as it is: MPIACTOR_INFO PAGE
set -u
info=$1 page=$2

table=$(sed -n '/^82944 nodes of 8 ranks/,/^```$/p' "$page" | sed '$d')
if ! difference=$(diff <(echo "$table") <(env -i "$info" --memory --nodes 82944 --ppn 8)); then
  echo "docs/operations.md is not up to date; replace its table by the output of" \
    "'mpiactor-info --memory --nodes 82944 --ppn 8':" >&2
  echo "$difference" >&2
  exit 1
fi
