#!/bin/bash
# mpiactor-info as a program: MPIACTOR_INFO
set -u
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
info=$1

expect_status 0 "$info"
expect_text "MPIACTOR_LEADER"
expect_text "competitive  (default)"
expect_text "bcast rdaas"
expect_no_text "WRONG"

# As many as this process may use; nothing binds it here.
expect_line "  cores         $(nproc)"

expect_status 0 env MPIACTOR_SEGMENT=64K "$info"
expect_text "64K  (set; default auto)"

expect_status 1 env MPIACTOR_LEADER=first "$info"
expect_text "first  (set; default competitive)"
expect_line "      WRONG: MPIACTOR_LEADER='first' is not allowed; allowed: competitive|static|off"

expect_status 1 env MPIACTOR_SHM_LIMIT=8Q "$info" --json
expect_text '"value": "8Q"'
expect_text "MPIACTOR_SHM_LIMIT='8Q' is not allowed"

# What ends a job ends this.
printf '{"format": "mpiactor-tuning-1",\n"bcst": []}' >"$work/wrong.json"
printf 'host0 1 2 3 4\n' >"$work/wrong.coordinates"
mkfifo "$work/pipe"
while IFS='|' read -r setting message; do
  for arguments in "" --json; do
    # shellcheck disable=SC2086
    expect_status 1 env "$setting" "$info" $arguments
    [ -n "$arguments" ] || output=$(tr -s ' \n' ' ' <<<"$output")
    expect_text "$message"
  done
done <<END
MPIACTOR_TUNING=/nowhere|MPIACTOR_TUNING: cannot read '/nowhere': No such file
MPIACTOR_TUNING=$work/pipe|not a regular file
MPIACTOR_TUNING=$work/wrong.json|line 1: table: unknown key 'bcst'
MPIACTOR_TORUS=file:/nowhere|MPIACTOR_TORUS: cannot read '/nowhere': No such file
MPIACTOR_TORUS=file:$work/pipe|not a regular file
MPIACTOR_TORUS=file:$work/wrong.coordinates|wrong.coordinates
MPIACTOR_POLITE_POLLS=many|MPIACTOR_POLITE_POLLS=many: allowed are 0 (never) to 1000000
MPIACTOR_POLITE_FINALIZE=no|MPIACTOR_POLITE_FINALIZE=no: allowed are flush, skip
MPIACTOR_POLITE_STATS=2|MPIACTOR_POLITE_STATS=2: allowed are 0, 1
END
printf 'host0 0\nhost1 1\n' >"$work/coordinates"
"$info" --rules >"$work/all.json"
expect_status 0 env MPIACTOR_TUNING="$work/all.json" MPIACTOR_TORUS="file:$work/coordinates" \
  MPIACTOR_POLITE_POLLS=0 MPIACTOR_POLITE_FINALIZE=skip MPIACTOR_POLITE_STATS="" "$info"
expect_no_text "WRONG"
for arguments in "" --json --markdown --rules --help "--explain bcast" "--memory"; do
  # shellcheck disable=SC2086
  expect_status 1 bash -c '"$@" >/dev/full' - "$info" $arguments
  expect_text "mpiactor-info: cannot print: No space left on device"
done

expect_status 0 env MPIACTOR_LEDER=off "$info"
expect_line "  warning: MPIACTOR_LEDER is not a setting; did you mean MPIACTOR_LEADER?"

# Values and mistakes of the environment do not get into the documentation's table.
expect_status 0 env MPIACTOR_LEADER=eldest "$info" --markdown
expect_no_text "eldest"
expect_text '| `MPIACTOR_LEADER` | `competitive` | `competitive\|static\|off` |'

# Who serves a collective, and why. Columns are as wide as need be.
explain() {
  expect_status 0 env "${@:2}" "$info" --explain $1
  output=$(tr -s ' ' <<<"$output")
}
explain "bcast --shape 8x6x8 --bytes 1M"
expect_text "bcast on 8x6x8 (384 nodes), ranks on each: 1"
expect_text "any auto built-in rule, line"
expect_text "the cost model's fastest"
expect_text "Plans of 1048576 bytes between 384 nodes"
expect_text "chosen: trinaryx6"
explain "allgather --shape 2 --ppn 4 --bytes 1K"
expect_text "none runs, served by: direct; by the model and rules chosen: "
explain "barrier --shape 4 --ppn 2"
expect_text "Plans of 1 bytes between 4 nodes"
explain "bcast --shape 16 --json" MPIACTOR_BCAST=ring MPIACTOR_SEGMENT=8K
expect_text '"source": "MPIACTOR_BCAST"'
expect_text '"reason": "setting"'
expect_text '"segment_bytes": 8192'
# Who says how the nodes lie means it: no rule of a switch is in use then.
explain "bcast --shape 8 --ppn 4 --bytes 1M" MPIACTOR_TORUS=8
expect_no_text "rdaas built-in rule"
expect_text "the cost model's fastest"
explain "allreduce --shape 2x2x2 --ppn 4"
expect_no_text "shares"
# A prime number of nodes.
explain "allreduce --shape 89 --bytes 1M" MPIACTOR_ALLREDUCE=swing
expect_text "MPIACTOR_ALLREDUCE=swing does not run on this shape"
expect_no_text "chosen: swing"
explain "alltoall --shape 8 --ppn 4"
expect_text "to 64K direct built-in rule"
expect_text "over 64K library built-in rule"
explain "alltoall --shape 8 --ppn 1"
expect_text "any library"
expect_text "no messages to join"
explain "alltoall --shape 1 --ppn 2"
expect_text "below 32K staging"
expect_text "from 32K single_copy"
for collective in reduce_scatter allgather gatherv; do
  for shape in 4 20 8x6x8; do
    explain "$collective --shape $shape"
    explain "$collective --shape $shape --json"
  done
done

explain "barrier --shape 8 --ppn 2"
expect_text "- direct"
expect_no_text "any "
explain "barrier --shape 8 --ppn 2 --crowded"
expect_text "- library"
explain "barrier --shape 8 --ppn 2 --crowded" MPIACTOR_NEVER_WORSE=0
expect_text "- direct"
explain "allreduce --shape 4 --ppn 4"
expect_text "over 16K shares"
explain "allreduce --shape 4 --ppn 4" MPIACTOR_LEADER=static
expect_no_text "shares"
explain "allreduce --shape 1 --ppn 2"
expect_text "Where the order of combining changes no result"
expect_text "combined as they come"
printf '{"format": "mpiactor-tuning-1",\n"gather": [{"up_to": "1K",\n "algorithm": "library",
 "why": "so"}]}' >"$work/table.json"
explain gather MPIACTOR_TUNING="$work/table.json"
expect_text "to 1K library $work/table.json, line 2 so"
expect_text "over 1K direct built-in rule, line"
sed -i s/library/sent/ "$work/table.json"
expect_status 1 env MPIACTOR_TUNING="$work/table.json" "$info" --explain gather
expect_text "table.json', line 3: gather[0].algorithm: 'sent' is unknown; allowed: library, staging, single_copy, direct"
expect_status 1 env MPIACTOR_TUNING="$work/pipe" "$info" --explain gather
expect_text "MPIACTOR_TUNING: cannot read '$work/pipe': not a regular file"
expect_status 2 "$info" --explain bcast --shape 8x
expect_text "--shape: '8x' is not a torus shape"
expect_status 2 "$info" --memory --bytes 0
expect_text "--bytes 0: at least 1 is needed"
expect_status 2 "$info" --explain bcast --bytes 1Q
expect_text "--bytes 1Q: unknown suffix"
expect_status 2 "$info" --explain scan
expect_status 2 "$info" --ppn 2
expect_text "--ppn goes with --explain or --memory"

# The built-in rules are a table as those of MPIACTOR_TUNING.
"$info" --rules >"$work/rules.json"
explain bcast MPIACTOR_TUNING="$work/rules.json"
expect_text "$work/rules.json, line"

# As the runtime pushes.
explain "bcast --shape 4"
expect_text "pushed up to what the MPI library sends at once, at most 16384 bytes"
explain "bcast --shape 4 --json"
expect_text '"pushed_up_to_bytes": 16384'
explain "bcast --shape 4" MPIACTOR_PUSH=3000
expect_text "pushed up to 3000 bytes (MPIACTOR_PUSH)"
explain "bcast --shape 8x6x8"
expect_text "pushed up to 28769 bytes (11 hops between the farthest two nodes)"
explain "bcast --shape 4" MPIACTOR_TORUS=4
expect_text "pushed up to 19076 bytes (2 hops between the farthest two nodes)"

# What has no model has no candidates; and as many ranks as can be counted.
for shape in 4 20 8x6x8; do
  explain "reduce_scatter --shape $shape"
  expect_no_text "Plans of"
  explain "reduce_scatter --shape $shape --json"
  expect_no_text "candidates"
done
expect_status 2 "$info" --explain bcast --shape 1048576x2047 --ppn 256
expect_text "1048576x2047 with --ppn 256: more than 2147483647 ranks"

# What it takes: what a rank has of private memory, or may have, does not depend on the number of
# nodes.
private_bytes() {
  local which=$1
  "$info" --memory --json "${@:2}" | python3 -c 'import json, sys
need = json.load(sys.stdin)
print(need["rank"][sys.argv[1]])' "$which"
}
expect_status 0 "$info" --memory --nodes 82944 --ppn 8
expect_text "82944 nodes of 8 ranks (blocks)"
on_two=$(private_bytes sure_bytes --nodes 2 --ppn 8)
expect_status 0 test "$(private_bytes sure_bytes --nodes 82944 --ppn 8)" = "$on_two"
expect_status 0 test "$(private_bytes sure_bytes --nodes 999 --ppn 8 --order irregular)" = "$on_two"
expect_status 0 test "$(private_bytes most_bytes --nodes 82944 --ppn 8)" = \
  "$(private_bytes most_bytes --nodes 2 --ppn 8)"
# Saving memory counts.
call_bytes() {
  "$info" --memory --json --nodes 4 | python3 -c 'import json, sys
print(sum(item["most_bytes"] for item in json.load(sys.stdin)["call"]["items"]))'
}
expect_status 0 test "$(MPIACTOR_MEMORY=saving:0 call_bytes)" -lt "$(MPIACTOR_MEMORY=saving call_bytes)"
expect_status 0 test "$(MPIACTOR_MEMORY=saving call_bytes)" -lt "$(call_bytes)"
# Combining in the order of the nodes takes a copy of the node's vector beside what comes from another.
linear_bytes() {
  MPIACTOR_ALLREDUCE=linear "$info" --memory --json --nodes 2 --bytes 1M | python3 -c 'import json, sys
print(*(item["most_bytes"] for item in json.load(sys.stdin)["call"]["items"] if item["what"] == "allreduce"))'
}
expect_status 0 test "$(linear_bytes)" -ge $((2 << 20))
# Two more communicators.
expect_status 1 test "$(private_bytes sure_bytes --ppn 8 --communicators 3)" = \
  "$(private_bytes sure_bytes --ppn 8)"
expect_status 0 env MPIACTOR_TORUS=2x3 "$info" --memory --nodes 6
expect_status 1 env MPIACTOR_TORUS=2x3 "$info" --memory --nodes 5
expect_text "has 6 positions, but the job has 5 nodes"
expect_status 1 env MPIACTOR_TORUS=file:coords "$info" --memory
expect_text "MPIACTOR_TORUS=file:... "
expect_status 2 "$info" --memory --nodes 0
expect_status 2 "$info" --memory --order random
expect_status 2 "$info" --nodes 4
expect_status 2 "$info" --bytes 4K

expect_status 2 "$info" --jsn
expect_text "--jsn"
expect_status 2 "$info" --json --markdown
expect_status 0 "$info" --help
finish
