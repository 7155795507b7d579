#!/bin/bash
# Fortran programs of three ages, with the runtime preloaded and linked in: right values, and their
# broadcasts are hybrid; the trace names the lines of their calls, not the MPI library's wrappers: MPI
# RUNTIME REPORT.
source tests/tools/expect.sh
source tests/mpi.sh
report=$PWD/$1
source tests/actor/interpose/job.sh

# The old interfaces' sources use several types for one argument, which gfortran doubts.
old=(-w -fallow-argument-mismatch)

# Rank 0 makes 48 calls in the FORTRAN 77 program and 36 in the others; the first one on the
# communicator goes to the MPI library.
declare -A calls=([f77]=48 [f90]=36 [f08]=36)
for age in f77 f90 f08; do
  source_file=tests/fortran/bcast_$age.f90
  [ $age = f77 ] && source_file=tests/fortran/bcast_f77.f
  expect_status 0 "mpifort.$mpi" "${old[@]}" -g -O1 -J "$work" -o "$work/$age" "$source_file"
  expect_status 0 "mpifort.$mpi" "${old[@]}" -O1 -J "$work" -o "$work/$age.linked" "$source_file" \
    -Wl,--no-as-needed "${link_runtime[@]}"

  for program in $age $age.linked; do
    job_preload=$runtime
    [ "$program" = $age ] || job_preload=""
    for layout in 2 $([ -z "$job_preload" ] || echo cyclic:2); do
      run_job 0 -n 4 -genv MPIACTOR_NODES "$layout" -genv MPIACTOR_VERBOSE info -- "$work/$program"
      expect_line "$age: wrong=0"
      expect_hybrid $((calls[$age] - 1))
      expect_equal 3 "$(said | wc -l)" "lines of the runtime with $program"
    done
  done
  if [ "$(uname -m)" = x86_64 ]; then
    job_preload=$runtime
    run_job 0 -n 2 -genv MPIACTOR_TRACE "$work/trace" -- "$work/$age"
    expect_status 0 "$report" "$work/trace" --csv "$work/trace.csv"
    # A call begins in the line that says so or ends in one of the next.
    sites=$(sed -n 's/.*MPI_Bcast.*,\([^,]*\) MAIN__.*/\1/p' "$work/trace.csv" | sort -u)
    lines=$(grep -n -i 'call mpi_bcast' "$source_file" | cut -d: -f1)
    expect_equal "$(wc -w <<<"$lines")" "$(wc -w <<<"$sites")" "call sites of $age: $sites"
    for line in $lines; do
      grep -qE ":($line|$((line + 1)))$" <<<"$sites" || fail_check "$age: no call site in line $line: $sites"
    done
  fi
  # Neither preloaded nor linked: the program's own calls, for comparison.
  job_preload=""
  run_job 0 -n 4 -genv MPIACTOR_VERBOSE info -- "$work/$age"
  expect_line "$age: wrong=0"
  expect_silence
done

# Open MPI's mpi_f08 calls its mpif.h, and a line of either is named, whichever comes first.
if [ "$(uname -m)" = x86_64 ]; then
  source_file=tests/fortran/bcast_mixed.f90
  expect_status 0 "mpifort.$mpi" "${old[@]}" -g -O0 -J "$work" -o "$work/mixed" "$source_file"
  for first in plain typed; do
    job_preload=$runtime
    run_job 0 -n 2 -genv MPIACTOR_TRACE "$work/trace" -- "$work/mixed" "$first"
    expect_line "mixed: wrong=0"
    expect_status 0 "$report" "$work/trace" --csv "$work/trace.csv"
    for line in $(grep -n -i 'call mpi_bcast' "$source_file" | cut -d: -f1); do
      # Two ranks each.
      expect_equal 12 "$(grep -cE "MPI_Bcast.*bcast_mixed.f90:($line|$((line + 1)))[ ,]" "$work/trace.csv")" \
        "$first first: broadcasts from line $line"
    done
  done
fi

# The collectives that are taken over; of 161 calls (131 with mpi_f08) the first and four without
# data go to the MPI library, between nodes also the scattervs of f90, which are ten.
declare -A handled=([f90]=156 [f08]=126) left_between=([f90]=10 [f08]=0)
for age in f90 f08; do
  expect_status 0 "mpifort.$mpi" "${old[@]}" -O1 -J "$work" \
    -o "$work/collectives_$age" tests/fortran/collectives_$age.f90
  for layout in "" cyclic:2; do
    job_preload=$runtime
    run_job 0 -n 4 -genv MPIACTOR_NODES "$layout" -genv MPIACTOR_NEVER_WORSE 0 \
      -genv MPIACTOR_VERBOSE info -- "$work/collectives_$age"
    expect_line "collectives_$age: wrong=0"
    left=$([ -z "$layout" ] || echo "${left_between[$age]}")
    expect_equal "$((handled[$age] - left))" "$(calls_by_path 1)" "hybrid calls of collectives_$age"
  done
  # Left alone: preloaded, but switched off.
  run_job 0 -n 4 -genv MPIACTOR_LEADER off -- "$work/collectives_$age"
  expect_line "collectives_$age: wrong=0"
done
finish
