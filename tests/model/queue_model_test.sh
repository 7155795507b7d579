#!/bin/bash
# Checks the models of the request queue with spin:
# queue_model_test.sh DIRECTORY [--one-each|--thorough]
#
# Each model is searched completely; then each of its mutations, a rule of the code broken, must be
# found. --one-each: one search and one mutation of each model. --thorough: more requests; minutes,
# and up to 1 GB.
set -u
# shellcheck source=tests/tools/expect.sh
source tests/tools/expect.sh

models=$PWD/$1
thorough=
[ "${2:-}" = --thorough ] && thorough=1

if ! command -v spin >/dev/null; then
  echo "skipped: no spin (Debian package spin)"
  exit 0
fi

most_memory_mb=4000
most_seconds=240
# Of the search's compiler. A search that ends at an error is over before -O1 has compiled it.
optimisation=-O1

# search MODEL DEFINES...: leaves what the verifier says in $output.
search() {
  local model=$1 directory
  shift
  directory=$(mktemp -d "$work/pan.XXXXXX")
  output=$(
    cd "$directory" && cp "$models"/*.pml . &&
      spin "$@" -a "$model.pml" &&
      cc $optimisation -w -DSAFETY -DCOLLAPSE -DMEMLIM=$most_memory_mb -o pan pan.c &&
      timeout "$most_seconds" ./pan -n -m100000 2>&1
  )
  # The steps that lead to an error.
  [ ! -f "$directory/$model.pml.trail" ] || output+=$'\n'$(
    cd "$directory" && spin "$@" -t -p "$model.pml" | grep '^ *[0-9]*:' | tail -40
  )
  rm -rf "$directory"
}

number_of() { sed -n "s/^ *\([0-9]*\) $1.*/\1/p" <<<"$output"; }

# holds MODEL DEFINES...: no error in any order of steps.
holds() {
  search "$@"
  expect_text "errors: 0"
  # Of a search that did not see everything.
  expect_no_text "Search not completed"
  expect_no_text "max search depth too small"
  # One that saw hardly anything has modelled nothing.
  [ "$(number_of 'states, stored')" -gt 10000 ] || fail_check "few states: $*: $output"
  echo "$*: $(number_of 'states, stored') states," \
    "$(sed -n 's/^pan: elapsed time \(.*\)/\1/p' <<<"$output")," \
    "$(sed -n 's/^ *\([0-9.]*\).total actual memory usage.*/\1 MB/p' <<<"$output")"
}

# breaks TEXT MODEL DEFINES...: an error with TEXT is found.
breaks() {
  local text=$1 optimisation=-O0
  shift
  search "$@"
  expect_text "errors: 1"
  expect_text "$text"
  echo "$*: found"
}

deadlock="invalid end state"
two_leaders=".led<"
reused="readers==0"
overwritten="assertion violated"
left_on_network="announcements[s]==0"

if [ "${2:-}" = --one-each ]; then
  holds wait_word
  breaks "$deadlock" wait_word -DMUTATE_NO_FENCE
  holds bcast -DREQUESTS=2 -DROOT_OF_MANY
  breaks "$two_leaders" bcast -DREQUESTS=3 -DMUTATE_STORE_FOR_SWAP
  holds meeting -DREQUESTS=2 -DNODES=2 -DLAST_SENDS
  breaks "$overwritten" meeting -DREQUESTS=3 -DMUTATE_ONE_PHASE
  holds staging -DREQUESTS=4 -DRING_AT=1 -DALIKE
  breaks "$overwritten" staging -DREQUESTS=4 -DMUTATE_RING_OVERRUN
  holds late_node
  breaks "$overwritten" late_node -DMUTATE_NO_LIST
  finish
fi

holds wait_word
holds late_node
holds bcast -DREQUESTS=3 -DALIKE
holds bcast -DREQUESTS=3 -DROOTS_IN_TURNS
holds bcast -DREQUESTS=2 -DNODES=3 -DALIKE
holds bcast -DREQUESTS=2 -DROOT_OF_MANY
holds bcast -DREQUESTS=2 -DROOT_OF_MANY -DMEDIUM
holds bcast -DREQUESTS=3 -DSTREAM
holds bcast -DREQUESTS=2 -DNODES=3 -DFROM_ROOT -DALIKE
for first in 0 1 2; do
  holds meeting -DREQUESTS=4 -DFIRST_KIND=$first
  holds staging -DREQUESTS=4 -DRING_AT=$first -DALIKE
done
holds meeting -DREQUESTS=4 -DKINDS=1
holds meeting -DREQUESTS=3 -DNODES=2
holds meeting -DREQUESTS=2 -DNODES=2 -DROUNDS=1
holds meeting -DREQUESTS=2 -DNODES=2 -DROUNDS=2
if [ "$thorough" ]; then
  holds bcast -DREQUESTS=4 -DALIKE
  holds bcast -DREQUESTS=4 -DSTREAM
  holds bcast -DREQUESTS=4 -DROOTS_IN_TURNS
  holds bcast -DREQUESTS=3 -DROOT_OF_MANY
  holds bcast -DREQUESTS=3 -DROOT_OF_MANY -DMEDIUM
  holds bcast -DREQUESTS=2 -DNODES=3 -DMEDIUM
  holds bcast -DREQUESTS=5 -DROOTS_IN_TURNS
  holds bcast -DREQUESTS=3 -DNODES=3 -DALIKE
  holds bcast -DREQUESTS=5 -DROOTS_IN_TURNS -DANNOUNCED_EVERY=3
  holds meeting -DREQUESTS=6
  holds meeting -DREQUESTS=4 -DNODES=2
  holds meeting -DREQUESTS=3 -DNODES=2 -DROUNDS=1
  holds meeting -DREQUESTS=3 -DNODES=2 -DROUNDS=2
  holds staging -DREQUESTS=5 -DRING_AT=1 -DALIKE
fi

# Waiting and waking.
breaks "$deadlock" wait_word -DMUTATE_NO_FENCE
breaks "$deadlock" wait_word -DMUTATE_KERNEL_DOES_NOT_COMPARE
# What the queue itself does.
breaks "$reused" bcast -DREQUESTS=4 -DROOTS_IN_TURNS -DMUTATE_FREED_EARLY
breaks "$reused" staging -DREQUESTS=4 -DRING_AT=1 -DMUTATE_FREED_EARLY
breaks "$reused" bcast -DREQUESTS=3 -DMUTATE_NO_WAIT_FREE
breaks "$two_leaders" bcast -DREQUESTS=3 -DMUTATE_STORE_FOR_SWAP
breaks "$overwritten" bcast -DREQUESTS=3 -DMUTATE_ANY_PUBLICATION
breaks "$overwritten" bcast -DREQUESTS=3 -DMUTATE_LEAVE_BEFORE_READ
breaks "$overwritten" bcast -DREQUESTS=3 -DMUTATE_PUBLISH_FIRST
# Messages between nodes.
breaks "$left_on_network" bcast -DREQUESTS=2 -DROOT_OF_MANY -DMEDIUM -DMUTATE_UNHEARD_FORGOTTEN
breaks "$left_on_network" bcast -DREQUESTS=2 -DNODES=3 -DMUTATE_ANNOUNCEMENTS_FORGOTTEN
breaks "$left_on_network" bcast -DREQUESTS=2 -DNODES=3 -DFROM_ROOT -DALIKE -DMUTATE_PASSED_ON_ANYWAY
breaks "$deadlock" bcast -DREQUESTS=3 -DSTREAM -DMUTATE_COPIES_ALWAYS_EXPECTED
# One copy a node.
breaks "$deadlock" bcast -DREQUESTS=3 -DSTREAM -DMUTATE_COPY_KEPT
# Whoever comes first sends for the root.
breaks "$deadlock" bcast -DREQUESTS=3 -DROOT_OF_MANY -DMUTATE_ROOT_ALWAYS_LEAVES
# Members share the sending.
breaks "$deadlock" bcast -DREQUESTS=2 -DROOT_OF_MANY -DMEDIUM -DMUTATE_LAST_IS_RELIEVED
breaks "$left_on_network" bcast -DREQUESTS=2 -DROOT_OF_MANY -DMEDIUM -DMUTATE_CLAIMS_IGNORED
# Nodes below a late one are served from above.
breaks "$overwritten" late_node -DMUTATE_NO_LIST
breaks "$overwritten" late_node -DMUTATE_CLAIM_IGNORED
breaks "$overwritten" late_node -DMUTATE_BETWEEN_IGNORED
breaks "$overwritten" late_node -DMUTATE_UNWRITTEN_IGNORED
# Meetings.
breaks "$deadlock" meeting -DREQUESTS=3 -DMUTATE_ARRIVE_BY_STORE
breaks "$overwritten" meeting -DREQUESTS=3 -DMUTATE_ONE_SIGNATURE_MISSED
breaks "$overwritten" meeting -DREQUESTS=3 -DMUTATE_ONE_PHASE
breaks "$overwritten" meeting -DREQUESTS=4 -DKINDS=1 -DMUTATE_NO_WAIT_FREE
# Whoever completes sends what a plan sends first.
breaks "$deadlock" meeting -DREQUESTS=2 -DNODES=2 -DMUTATE_LEAVE_BY_LOOK
breaks "$deadlock" meeting -DREQUESTS=2 -DNODES=2 -DMUTATE_COMPLETER_NEVER_SENDS
breaks "$overwritten" meeting -DREQUESTS=2 -DNODES=2 -DMUTATE_HOME_BEGINS_EARLY
# The leader takes in from the beginning.
breaks "$deadlock" meeting -DREQUESTS=2 -DNODES=2 -DROUNDS=1 -DMUTATE_LEAVE_BY_LOOK
breaks "$overwritten" meeting -DREQUESTS=2 -DNODES=2 -DROUNDS=1 -DMUTATE_COMPLETER_ALWAYS_SENDS
breaks "$overwritten" meeting -DREQUESTS=2 -DNODES=2 -DROUNDS=2 -DMUTATE_OWN_PART_NOT_AWAITED
breaks "$overwritten" meeting -DREQUESTS=2 -DNODES=2 -DROUNDS=2 -DMUTATE_SHARE_OVER_VECTOR
# Staging.
breaks "$overwritten" staging -DREQUESTS=4 -DMUTATE_LIVE_RANGE_REUSED
breaks "$overwritten" staging -DREQUESTS=4 -DMUTATE_RING_OVERRUN
breaks "$deadlock" staging -DREQUESTS=4 -DRING_AT=1 -DMUTATE_LOOK_AGAIN

finish
