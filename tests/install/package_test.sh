#!/bin/bash
# Makes the Debian package and uses what is in it: MPI RUNTIME PACKAGE SOURCE.
source tests/tools/expect.sh
source tests/mpi.sh
package=$PWD/$1 source_file=$PWD/$2 built=$PWD
if ! command -v dpkg-shlibdeps >/dev/null; then
  echo "skipped: no packages without dpkg-shlibdeps (package dpkg-dev)"
  exit 0
fi
system=$(readlink -f "$work")/system
library_folder=lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)
runtime=$system/usr/$library_folder/libmpiactor.so
source tests/actor/interpose/job.sh
source tests/install/jobs.sh
find_build_places

check_wrong_usage() {
  expect_status 64 "$package" --colour red
  expect_text "unknown option --colour; allowed are --output, --build-tree, --help"
  expect_status 64 "$package" --output "$work/nowhere" --build-tree "$built"
  expect_text "package: --output $work/nowhere: no folder that can be written to"
  expect_status 1 "$package" --output "$work" --build-tree "$PWD/tests"
  expect_text "libmpiactor.so is missing: build it by"
}

make_package() {
  local version
  version=$(sed -n 's/.*kVersion = "\(.*\)".*/\1/p' actor/version.h)
  file=$work/mpiactor_${version}_$(dpkg --print-architecture).deb
  expect_status 0 "$package" --output "$work" --build-tree "$built"
  expect_line "package: $file"
  [ -f "$file" ] || fail_check "no $file"
  expect_status 0 dpkg-deb --field "$file" Version
  expect_equal "$version" "$output" "version"
}

# MPICH's programs, and the packages of what the binaries are linked with.
check_dependencies() {
  local needed
  expect_status 0 dpkg-deb --info "$file"
  for needed in mpich python3 libmpich12 libhwloc15 libtbb12 libstdc++6 libc6; do
    grep -Eq "^ Depends: (.*, )?${needed//+/\\+}( \(>=[^)]*\))?(,|$)" <<<"$output" ||
      fail_check "the package does not depend on $needed: $output"
  done
}

# It holds what install.sh writes, with compressed man pages.
check_contents() {
  expect_status 0 dpkg-deb -x "$file" "$system"
  expect_no_reference "$system" "${build_places[@]}"
  expect_status 0 tools/install_tree/install.sh --prefix /usr --libdir "$library_folder" \
    --destdir "$work/installed" --build-tree "$built"
  find "$system/usr/share/man" -name '*.gz' -exec gunzip {} +
  expect_status 0 diff -r --no-dereference "$work/installed/usr" "$system/usr"
  expect_equal "$(tree_of "$work/installed/usr")" "$(tree_of "$system/usr")" "the package's tree"
  expect_status 0 env -C "$work" dpkg-deb -e "$file" control
  expect_status 0 dpkg-deb -x "$file" "$work/again"
  expect_status 0 env -C "$work/again" md5sum --check --quiet "$work/control/md5sums"
}

check_use() {
  expect_status 0 mpicc.mpich -o "$work/plain" "$source_file"
  expect_handled_by_launcher "$system/usr/bin/mpiactor-run" "$system/usr/$library_folder" "$work/plain"
  # The system's own folders need no run-time path.
  expect_status 0 env PKG_CONFIG_PATH="$system/usr/$library_folder/pkgconfig" \
    pkg-config --libs-only-other mpiactor
  expect_no_text "rpath"
}

check_wrong_usage
make_package
check_dependencies
check_contents
check_use
finish
