#!/bin/bash
# shellcheck disable=SC2015  # in A && B || C, C is meant for failure of either
#
# Puts everything that users need below a prefix; see usage() below.
#
# Where things go, and why they find each other: mpiactor-run and mpiactor-info lie in bin and look
# for the libraries in ../lib and ../lib/mpiactor. Programs with helpers of their own lie beside those
# in lib/mpiactor, with a link in bin.
set -u -o pipefail
umask 022

readonly kUsage=64

usage() {
  cat <<'END_OF_USAGE'
Installs mpiactor: libraries, tools, man pages, and what pkg-config and CMake need to link with it.

  install --prefix DIR [OPTIONS]

  --prefix DIR      where it shall be found, e.g. /usr/local or $HOME/mpiactor
  --destdir DIR     write below DIR instead, into DIR/PREFIX, e.g. to make a package
  --libdir DIR      for the libraries, below the prefix (default lib)
  --build-tree DIR  folder of built files as bazel-bin is (default: builds with Bazel and takes
                    its outputs)

An installation over an earlier one replaces it, also while jobs use it.
Exit codes: 0; 1 where something is missing or cannot be written; 64 wrong usage.
END_OF_USAGE
}

say() { echo "install: $*"; }

fail() {
  echo "install: $*" >&2
  exit 1
}

wrong_usage() {
  echo "install: $*" >&2
  exit "$kUsage"
}

# Not resolved: the scripts may lie in a tree of links.
templates=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
source_tree=$(dirname "$(dirname "$templates")")

# The library for Open MPI is among those of //actor:all where Open MPI is installed.
readonly kTargets=(//actor:all //actor/polite:libmpiactor_polite.so
  //tools:mpiactor-info //bench/matrix:collectives_run //sim:replay)

# --- command line -------------------------------------------------------------------------------

prefix="" destdir="" libdir=lib build_tree=""

parse_command_line() {
  while [ $# -gt 0 ]; do
    case $1 in
      --help | -h) usage; exit ;;
      --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    esac
    case $1 in
      --prefix | --destdir | --libdir | --build-tree)
        [ $# -ge 2 ] && [ -n "$2" ] || wrong_usage "option $1 needs a value"
        ;;
      *)
        wrong_usage "unknown option $1; allowed are --prefix, --destdir, --libdir, --build-tree, --help"
        ;;
    esac
    case $1 in
      --prefix) prefix=$2 ;;
      --destdir) destdir=$2 ;;
      --libdir) libdir=$2 ;;
      --build-tree) build_tree=$2 ;;
    esac
    shift 2
  done
}

check_values() {
  [ -n "$prefix" ] || wrong_usage "--prefix is missing (--help shows the usage)"
  prefix=$(realpath -m -s -- "$prefix")
  [[ $prefix =~ ^/[A-Za-z0-9_/.,+@%=~-]*$ ]] ||
    wrong_usage "--prefix $prefix: the dynamic linker, pkg-config or make cannot do with such a" \
      "path; allowed are letters, digits and _ / . , + @ % = ~ -"
  [[ $libdir =~ ^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$ ]] ||
    wrong_usage "--libdir $libdir: allowed is a path below the prefix, such as lib64"
  [ -z "$destdir" ] || destdir=$(realpath -m -s -- "$destdir")
  if [ -n "$build_tree" ]; then
    [ -d "$build_tree" ] || wrong_usage "--build-tree $build_tree: no such folder"
    build_tree=$(cd "$build_tree" && pwd)
  fi
}

# --- what is installed ----------------------------------------------------------------------------

build() {
  command -v bazel >/dev/null ||
    fail "bazel is missing: install it (tools/bootstrap does), or name a folder of built files" \
      "with --build-tree"
  cd "$source_tree" || exit 1
  bazel build "${kTargets[@]}" || fail "the build failed (its messages are above)"
  build_tree=$(bazel info bazel-bin 2>/dev/null) || fail "cannot ask bazel for its outputs' folder"
}

check_inputs() {
  local file
  for file in actor/libmpiactor.so actor/polite/libmpiactor_polite.so tools/mpiactor-info bench/matrix/collectives_run \
    sim/replay; do
    [ -f "$build_tree/$file" ] ||
      fail "$build_tree/$file is missing: build it by 'bazel build ${kTargets[*]}'"
  done
  for file in strip python3; do
    command -v "$file" >/dev/null || fail "the program $file is missing (packages binutils, python3)"
  done
}

read_version() {
  version=$(sed -n 's/.*kVersion = "\([^"]*\)".*/\1/p' "$source_tree/actor/version.h")
  [ -n "$version" ] || fail "$source_tree/actor/version.h holds no kVersion"
}

# --- putting files --------------------------------------------------------------------------------

# The folder $1 below the prefix, as written to.
below() { echo "$destdir${prefix%/}/$1"; }

make_folder() {
  mkdir -p -- "$1" || fail "cannot make the folder $1"
}

# put MODE FILE DESTINATION [strip]: under its name only when it is complete, so that programs that
# use the old one keep it.
put() {
  local mode=$1 file=$2 destination=$3 new=$3.new.$$
  make_folder "$(dirname "$destination")"
  install -m "$mode" -- "$file" "$new" || fail "cannot write $destination"
  # Debug information names the build's folders.
  [ "${4:-}" != strip ] || strip --strip-unneeded "$new" || fail "cannot strip $destination"
  mv -f -- "$new" "$destination" || fail "cannot write $destination"
}

# put_link TARGET LINK: both below the prefix.
put_link() {
  local link
  link=$(below "$2")
  make_folder "$(dirname "$link")"
  ln -sfnr -- "$(below "$1")" "$link" || fail "cannot make the link $link"
}

put_libraries() {
  local file library
  for file in actor/libmpiactor.so actor/libmpiactor_ompi.so actor/polite/libmpiactor_polite.so; do
    [ -e "$build_tree/$file" ] || continue  # without Open MPI
    library=${file##*/}
    put 755 "$build_tree/$file" "$(below "$libdir/$library")" strip
    [ "$libdir" = lib ] || put_link "$libdir/$library" "lib/mpiactor/$library"
  done
}

# Programs that look for their helpers beside themselves.
put_linked() {
  put 755 "$source_tree/tools/$1" "$(below "lib/mpiactor/$1")"
  put_link "lib/mpiactor/$1" "bin/${1##*/}"
}

# What the report reads beside itself: everything but what is of the build.
put_report() {
  local file
  put_linked report/mpiactor-report
  while IFS= read -r file; do
    put 644 "$source_tree/tools/report/$file" "$(below "lib/mpiactor/report/$file")"
  done < <(cd "$source_tree/tools/report" && find -L . -name __pycache__ -prune -o -type f \
    ! -name BUILD.bazel ! -name mpiactor-report -printf '%P\n')
}

put_programs() {
  local file
  put 755 "$build_tree/tools/mpiactor-info" "$(below bin/mpiactor-info)" strip
  put 755 "$source_tree/tools/mpiactor-run" "$(below bin/mpiactor-run)"
  put_linked virtual-cluster
  for file in "$source_tree"/tools/virtual-cluster-*.sh; do
    put 755 "$file" "$(below "lib/mpiactor/${file##*/}")"
  done
  put_linked mpiactor-tune
  put_link bin/mpiactor-run lib/mpiactor/mpiactor-run
  put_link bin/mpiactor-info lib/mpiactor/mpiactor-info
  put 755 "$build_tree/bench/matrix/collectives_run" "$(below lib/mpiactor/collectives_run)" strip
  put 755 "$build_tree/sim/replay" "$(below lib/mpiactor/mpiactor-replay)" strip
  put_report
}

# The run-time path that a program needs to find the library there: none where the system looks.
runtime_path() {
  case $prefix/$libdir in
    /usr/lib | /usr/lib/*-linux-gnu* | /usr/lib64 | /lib | /lib64) ;;
    *) echo "-Wl,-rpath,\${libdir}" ;;
  esac
}

# fill TEMPLATE DESTINATION [NAME MPI]: NAME is a library without "lib" and ".so", MPI its MPI library.
fill() {
  local filled
  filled=$(mktemp) || fail "cannot make a temporary file"
  sed -e "s|@PREFIX@|$prefix|g" -e "s|@LIBDIR@|$libdir|g" -e "s|@VERSION@|$version|g" \
    -e "s|@NAME@|${3:-}|g" -e "s|@MPI@|${4:-}|g" \
    -e "s|@RPATH@ *|$(runtime_path) |g" "$templates/$1" >"$filled" || fail "cannot read $templates/$1"
  put 644 "$filled" "$2"
  rm -f -- "$filled"
}

put_texts() {
  fill mpiactor.pc.in "$(below "$libdir/pkgconfig/mpiactor.pc")" mpiactor "the MPICH ABI"
  [ ! -e "$build_tree/actor/libmpiactor_ompi.so" ] ||
    fill mpiactor.pc.in "$(below "$libdir/pkgconfig/mpiactor_ompi.pc")" mpiactor_ompi "Open MPI"
  fill mpiactorConfig.cmake.in "$(below "$libdir/cmake/mpiactor/mpiactorConfig.cmake")"
  fill mpiactorConfigVersion.cmake.in "$(below "$libdir/cmake/mpiactor/mpiactorConfigVersion.cmake")"
  put 644 "$source_tree/LICENSE" "$(below share/doc/mpiactor/copyright)"
  "$templates/man_pages.py" --programs "$(below bin)" --version "$version" \
    --output "$(below share/man)" || fail "cannot write the man pages"
}

# --- run ----------------------------------------------------------------------------------------

parse_command_line "$@"
check_values
[ -n "$build_tree" ] || build
check_inputs
read_version
put_libraries
put_programs
put_texts
say "mpiactor $version is in $destdir$prefix"
