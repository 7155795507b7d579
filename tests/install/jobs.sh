# shellcheck shell=bash disable=SC2034  # what is set here is used by those who source this
# Jobs with an installed tree. Sourced after tests/tools/expect.sh and tests/actor/interpose/job.sh.

# Of sixty short calls, all but the first are handled.
readonly kHandled=59

# expect_handled_when_linked PROGRAM: nothing is preloaded.
expect_handled_when_linked() {
  local job_preload=""
  run_job 0 -n 4 -genv MPIACTOR_VERBOSE info -- "$1" short 60
  expect_line "broadcasts: ranks=4 calls=60 wrong=0"
  expect_hybrid $kHandled
}

# expect_handled_by_launcher LAUNCHER LIBRARY_FOLDER PROGRAM: what is preloaded lies in that folder.
expect_handled_by_launcher() {
  expect_status 0 "$1" --polite on -n 4 --dry-run -- "$3"
  case ${mpi:?} in
    mpich)
      expect_text "LD_PRELOAD=$2/libmpiactor_polite.so"
      expect_text "$2/libmpiactor.so:$2/libmpiactor_polite.so"
      ;;
    openmpi) expect_text "LD_PRELOAD=$2/libmpiactor_ompi.so " ;;
  esac
  : >"${errors_file:?}"
  MPIACTOR_VERBOSE=info expect_status 0 "$1" --mpi "$mpi" --polite on -n 4 --nodes 2 -- "${rank:?}" "$3" short 60
  errors=$(cat "$errors_file")
  expect_line "broadcasts: ranks=4 calls=60 wrong=0"
  expect_hybrid $kHandled
}

# Prints the files and links below folder $1, without their times.
tree_of() { (cd "$1" && find . \( -type f -o -type l \) -printf '%P %m %l\n' | sort); }

# expect_no_reference FOLDER TEXT...: none of its files holds one of the texts; its links are relative
# and lead to something in it.
expect_no_reference() {
  local folder=$1 text found link
  shift
  for text in "$@"; do
    found=$(grep -rlF -- "$text" "$folder")
    [ -z "$found" ] || fail_check "'$text' occurs in: $found"
  done
  while read -r link; do
    [[ $(readlink "$link") != /* && $(readlink -f "$link") == "$folder"/* && -e $link ]] ||
      fail_check "$link leads to $(readlink "$link")"
  done < <(find "$folder" -type l)
}

# Sets build_places: where this is built, and what only debugging information names.
find_build_places() {
  local library
  library=$(readlink -f actor/libmpiactor.so)
  build_places=("$PWD" "${library%%/bazel-out/*}" "$(dirname "$(readlink -f LICENSE)")" /_objs/)
}
