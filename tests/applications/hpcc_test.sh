#!/bin/bash
# HPC Challenge: LU factorisation with all of HPL's broadcasts, matrix transposition, FFT, random
# updates, latency and bandwidth: MPI RUNTIME COMPARE HPCC_INPUT.
source tests/tools/expect.sh
source tests/mpi.sh
compare=$PWD/$1 input=$PWD/$2
source tests/applications/programs.sh
need hpcc /usr/bin/hpcc
cd "$work" || exit 1
cp "$input" hpccinf.txt

# It appends its results to a file, which rank 0 prints.
cat >run_hpcc <<'END'
#!/bin/bash
[ "$OMPI_COMM_WORLD_RANK" != 0 ] || rm -f hpccoutf.txt
hpcc && [ "$OMPI_COMM_WORLD_RANK" != 0 ] || cat hpccoutf.txt
END
chmod +x run_hpcc

# Verdicts and their counts; times, rates and residuals differ from run to run. So does which of two
# equal transpositions is shown, as the quickest.
expect_same_in_modes hpcc 1000 --only 'PASSED|FAILED|Success|Fraction|tests |failed residual' \
  --without '^(WALL|CPU)' --any-reals -- ./run_hpcc
expect_text Success=1
expect_no_text "FAILED "
finish
