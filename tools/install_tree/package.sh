#!/bin/bash
# shellcheck disable=SC2015  # in A && B || C, C is meant for failure of either
#
# Writes a Debian package of what install.sh installs; see usage() below.
set -u -o pipefail
umask 022

readonly kUsage=64

usage() {
  cat <<'END_OF_USAGE'
Writes a Debian package, mpiactor_VERSION_ARCHITECTURE.deb, for the system that this runs on.

  package [--output DIR] [--build-tree DIR]

  --output DIR      where to write it (default: the present folder)
  --build-tree DIR  folder of built files as bazel-bin is (default: builds with Bazel and takes
                    its outputs)

Environment: DEBFULLNAME and DEBEMAIL, the maintainer that the package names.
Exit codes: 0; 1 where something is missing or cannot be written; 64 wrong usage.
END_OF_USAGE
}

fail() {
  echo "package: $*" >&2
  exit 1
}

wrong_usage() {
  echo "package: $*" >&2
  exit "$kUsage"
}

# Not resolved: the scripts may lie in a tree of links.
templates=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1

output=. install_options=()

parse_command_line() {
  while [ $# -gt 0 ]; do
    case $1 in
      --help | -h) usage; exit ;;
      --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    esac
    case $1 in
      --output | --build-tree) [ $# -ge 2 ] && [ -n "$2" ] || wrong_usage "option $1 needs a value" ;;
      *) wrong_usage "unknown option $1; allowed are --output, --build-tree, --help" ;;
    esac
    case $1 in
      --output) output=$2 ;;
      --build-tree) install_options+=(--build-tree "$2") ;;
    esac
    shift 2
  done
  [ -d "$output" ] && [ -w "$output" ] || wrong_usage "--output $output: no folder that can be written to"
}

check_tools() {
  local tool
  for tool in dpkg-deb dpkg-architecture dpkg-shlibdeps; do
    command -v "$tool" >/dev/null ||
      fail "the program $tool is missing (package dpkg-dev): packages are made on Debian systems"
  done
}

# Manual pages are compressed in Debian, without the time.
compress_manual() {
  find "$tree/usr/share/man" -type f -exec gzip -9n {} + || fail "cannot compress the man pages"
}

# Prints the packages that the binaries' libraries are in, as dpkg-shlibdeps knows them. It wants to
# see a source package, and the files below debian/PACKAGE.
library_dependencies() {
  printf 'Source: mpiactor\n\nPackage: mpiactor\nArchitecture: any\n' >"$work/debian/control"
  (cd "$work" && dpkg-shlibdeps -O -e"debian/mpiactor/usr/$libdir/libmpiactor.so" \
    -e"debian/mpiactor/usr/$libdir/libmpiactor_polite.so" -edebian/mpiactor/usr/bin/mpiactor-info \
    -edebian/mpiactor/usr/lib/mpiactor/collectives_run \
    -edebian/mpiactor/usr/lib/mpiactor/mpiactor-replay) | sed -n 's/^shlibs:Depends=//p'
}

write_control() {
  local libraries
  mkdir "$tree/DEBIAN"
  libraries=$(library_dependencies) && [ -n "$libraries" ] ||
    fail "dpkg-shlibdeps does not know the libraries' packages (its messages are above)"
  cat >"$tree/DEBIAN/control" <<END_OF_CONTROL
Package: mpiactor
Version: $version
Architecture: $(dpkg-architecture -q DEB_HOST_ARCH)
Maintainer: ${DEBFULLNAME:-the mpiactor authors} <${DEBEMAIL:-authors@mpiactor.invalid}>
Installed-Size: $(du -sk --apparent-size "$tree/usr" | cut -f1)
Depends: mpich, python3, $libraries
Recommends: iproute2
Section: libs
Priority: optional
Description: MPI collectives that are fast when ranks do not arrive together
 A library that is preloaded or linked before MPICH: the first rank of a node
 to enter a collective leads its node, instead of one fixed rank that may come
 late, and copies in shared memory overlap the transfers between nodes.
 Programs need no change.
 .
 With a launcher (mpiactor-run), mpiactor-info, mpiactor-tune, mpiactor-report,
 virtual hosts on one machine (virtual-cluster), and what pkg-config and CMake
 need to link with the library.
END_OF_CONTROL
  # The system's table of libraries has to learn of ours.
  echo "activate-noawait ldconfig" >"$tree/DEBIAN/triggers"
  (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums" ||
    fail "cannot write the package's checksums"
}

parse_command_line "$@"
check_tools
libdir=lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)
work=$(mktemp -d) || fail "cannot make a temporary folder"
trap 'rm -rf -- "$work"' EXIT
tree=$work/debian/mpiactor
"$templates/install.sh" --prefix /usr --libdir "$libdir" --destdir "$tree" "${install_options[@]}" \
  >/dev/null || fail "cannot gather the files (the messages are above)"
version=$(sed -n 's/^Version: //p' "$tree/usr/$libdir/pkgconfig/mpiactor.pc")
compress_manual
write_control
dpkg-deb --root-owner-group --build "$tree" "$output" >/dev/null || fail "cannot write to $output"
echo "package: $output/mpiactor_${version}_$(dpkg-architecture -q DEB_HOST_ARCH).deb"
