#!/bin/bash
# The settings page shows the settings as they are: MPIACTOR_INFO PAGE
set -u
info=$1 page=$2

# The page's first table, which is the one of the runtime's settings.
table=$(sed -n '/^| name | default | allowed | meaning |$/,/^$/p' "$page" | sed '/^$/q' | sed '/^$/d')
if ! difference=$(diff <(echo "$table") <("$info" --markdown)); then
  echo "docs/settings.md is not up to date; replace its table by the output of" \
    "'bazel run //tools:mpiactor-info -- --markdown':" >&2
  echo "$difference" >&2
  exit 1
fi
