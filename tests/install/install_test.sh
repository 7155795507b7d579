#!/bin/bash
# Installs from built files and uses the result as others would: MPI RUNTIME
# INSTALL SOURCE.
source tests/tools/expect.sh
source tests/mpi.sh
install=$PWD/$1 source_file=$PWD/$2 tests=$PWD/tests/install built=$PWD
# Not below $work, which may lie in the build's folders, that no file may name.
place=$(mktemp -d) || exit 1
trap 'rm -rf -- "$place"' EXIT
prefix=$place/prefix
runtime=$prefix/lib/${runtime##*/}
# By which pkg-config and CMake know it.
name=${runtime_name%.so}
source tests/actor/interpose/job.sh
source tests/install/jobs.sh
find_build_places

check_wrong_usage() {
  expect_status 64 "$install" --build-tree "$built"
  expect_text "install: --prefix is missing"
  expect_status 64 "$install" --prefix "$prefix" --colour red
  expect_text "unknown option --colour; allowed are --prefix, --destdir, --libdir, --build-tree"
  expect_status 64 "$install" --prefix
  expect_text "option --prefix needs a value"
  expect_status 64 "$install" --prefix "$work/two words"
  expect_text "/two words: the dynamic linker"
  expect_status 64 "$install" --prefix "$prefix" --libdir ../elsewhere
  expect_text "--libdir ../elsewhere: allowed is a path below the prefix"
  expect_status 64 "$install" --prefix "$prefix" --build-tree "$work/nowhere"
  expect_text "--build-tree $work/nowhere: no such folder"
  expect_status 1 "$install" --prefix "$prefix" --build-tree "$tests"
  expect_text "$tests/actor/libmpiactor.so is missing: build it by 'bazel build"
  : >"$work/file"
  expect_status 1 "$install" --prefix "$work/file/below" --build-tree "$built"
  expect_text "install: cannot make the folder $(readlink -f "$work")/file/below/lib"
  [ ! -e "$prefix" ] || fail_check "something was written in spite of wrong options"
}

# The second time with a relative prefix, which is made absolute.
install_twice() {
  local first
  expect_status 0 "$install" --prefix "$prefix" --build-tree "$built"
  expect_text "is in $prefix"
  first=$(tree_of "$prefix")
  expect_status 0 env -C "$place" "$install" --prefix ./prefix/ --build-tree "$built"
  expect_text "is in $prefix"
  expect_equal "$first" "$(tree_of "$prefix")" "files after the second installation"
}

check_files() {
  local file
  expect_no_reference "$prefix" "${build_places[@]}"
  for file in bin/mpiactor-{run,info,tune,report} bin/virtual-cluster lib/libmpiactor{,_polite}.so \
    "lib/${runtime##*/}"; do
    [ -x "$prefix/$file" ] || fail_check "$file is missing, or cannot be executed"
  done
  [ -z "$(find "$prefix" -perm /022 ! -type l)" ] || fail_check "others may write to the tree"
}

check_man_pages() {
  local page
  for page in man1/mpiactor-{run,info,tune,report}.1 man1/virtual-cluster.1 man7/mpiactor.7; do
    expect_status 0 grep -q '^\.SH NAME$' "$prefix/share/man/$page"
    command -v man >/dev/null || continue
    expect_status 0 env MANWIDTH=80 man --warnings -l "$prefix/share/man/$page"
    expect_no_text "warning"
  done
  # A setting, an algorithm and an option, each with what is said of it.
  expect_status 0 grep -A1 '^\.B MPIACTOR_WINDOW$' "$prefix/share/man/man7/mpiactor.7"
  expect_text "segments of a transfer"
  expect_status 0 grep -A1 '^\.B rdaas$' "$prefix/share/man/man7/mpiactor.7"
  expect_text "recursive doubling"
  expect_status 0 grep -A1 '^\.B \\-n RANKS$' "$prefix/share/man/man1/mpiactor-run.1"
  expect_text "number of ranks"
}

check_pkg_config() {
  local flags
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  expect_status 0 pkg-config --modversion "$name"
  expect_equal "$(sed -n 's/.*kVersion = "\(.*\)".*/\1/p' actor/version.h)" "$output" "version"
  read -r -a flags < <(pkg-config --cflags --libs "$name")
  expect_status 0 "mpicc.$mpi" -o "$work/by_pkg_config" "$source_file" "${flags[@]}"
  expect_handled_when_linked "$work/by_pkg_config"
  expect_status 0 "mpifort.$mpi" -o "$work/fortran" "$tests/broadcast.f90" "${flags[@]}"
  job_preload="" run_job 0 -n 4 -genv MPIACTOR_VERBOSE info -- "$work/fortran"
  expect_hybrid $kHandled
}

# configure STATUS VERSION
configure() {
  expect_status "$1" cmake -S "$tests/cmake_program" -B "$work/by_cmake" -DSOURCE="$source_file" \
    -DWANTED="$2" -DNAME="$name" -DMPI_C_COMPILER="mpicc.$mpi" -DCMAKE_PREFIX_PATH="$prefix"
}

check_cmake() {
  command -v cmake >/dev/null || { echo "skipped: linking by CMake, which is missing" && return; }
  configure 1 99
  expect_text 'compatible with requested version "99"'
  rm -r "$work/by_cmake"
  configure 0 0.1
  expect_status 0 cmake --build "$work/by_cmake"
  expect_handled_when_linked "$work/by_cmake/program"
}

check_link() {
  expect_status 0 "mpicc.$mpi" -o "$work/linked" "$source_file" "${link_runtime[@]}"
  expect_handled_when_linked "$work/linked"
}

check_preload() {
  expect_status 0 "mpicc.$mpi" -o "$work/plain" "$source_file"
  expect_handled_by_launcher "$prefix/bin/mpiactor-run" "$prefix/lib" "$work/plain"
  # By links, as environments with a common folder of programs have them.
  mkdir -p "$work/view/bin"
  ln -s "$prefix/bin/mpiactor-run" "$work/view/bin/mpiactor-run"
  expect_handled_by_launcher "$work/view/bin/mpiactor-run" "$prefix/lib" "$work/plain"
}

check_tools() {
  expect_status 0 "$prefix/bin/mpiactor-info"
  expect_text "$prefix/lib/libmpiactor.so"
  expect_text "$prefix/lib/libmpiactor_polite.so"
  expect_status 0 "$prefix/bin/mpiactor-tune" -o "$work/table.json" --collectives bcast,barrier --sizes 8 --algorithms linear,library \
    --rounds 1 --reps 2 -- -n 4 --nodes 2
  expect_status 0 grep -q mpiactor-tuning-1 "$work/table.json"
  MPIACTOR_TRACE=$work/trace expect_status 0 "$prefix/bin/mpiactor-run" -n 2 -- "$work/plain" short 9
  expect_status 0 "$prefix/bin/mpiactor-report" -o "$work/page.html" "$work/trace"
  expect_status 0 grep -q '</html>' "$work/page.html"
  # The simulator's program is found beside it.
  expect_status 0 "$prefix/bin/mpiactor-report" --model tcp_hosts -o "$work/model.html" "$work/trace"
  expect_status 1 "$prefix/bin/mpiactor-report" --model moon -o "$work/model.html" "$work/trace"
  expect_text "machine is 'moon'; allowed: "
  if "$prefix/bin/virtual-cluster" check >"$work/reason" 2>&1; then
    expect_status 0 "$prefix/bin/mpiactor-run" --virtual-hosts 2 -- hostname
    expect_line host1
  else
    echo "skipped: virtual hosts: $(cat "$work/reason")"
  fi
}

# Written elsewhere than where it shall be found.
check_destdir() {
  local stage=$work/stage
  expect_status 0 "$install" --prefix /opt/mpiactor --libdir lib64 --destdir "$stage" \
    --build-tree "$built"
  expect_no_reference "$(readlink -f "$stage")" "$stage" "${build_places[@]}"
  expect_status 0 env PKG_CONFIG_PATH="$stage/opt/mpiactor/lib64/pkgconfig" pkg-config --libs mpiactor
  expect_text "-L/opt/mpiactor/lib64 -Wl,-rpath,/opt/mpiactor/lib64 "
  expect_status 0 "$stage/opt/mpiactor/bin/mpiactor-info"
  expect_text "$(readlink -f "$stage")/opt/mpiactor/lib64/libmpiactor.so"
}

check_wrong_usage
install_twice
check_files
check_link
check_preload
check_pkg_config
check_cmake
# What describes the installation to people, and its tools, are of the MPICH build.
[ "$mpi" = mpich ] || finish
[ ! -e "$prefix/lib/pkgconfig/mpiactor_ompi.pc" ] || fail_check "pkg-config knows what is not there"
check_man_pages
check_tools
check_destdir
finish
