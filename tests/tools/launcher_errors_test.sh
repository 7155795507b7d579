#!/bin/bash
# Bad input to the launcher: LAUNCHER PROBE.
source tests/tools/expect.sh
launcher=$1 probe=$PWD/$2

# refuses TEXT OPTIONS...: exits with 64, names what is wrong, runs nothing.
refuses() {
  local text=$1
  shift
  rm -f "$work/ran"
  expect_status 64 "$launcher" "$@"
  expect_text "mpiactor-run: $text"
  [ ! -e "$work/ran" ] || fail_check "the program ran in spite of: $text"
}
program=(touch "$work/ran")

refuses "unknown option --leder; allowed are -n, --ppn, --leader, --nodes" --leder static "${program[@]}"
refuses "unknown option -q" -n 2 -q "${program[@]}"
refuses "option --verbose takes no value" --verbose=1 "${program[@]}"
refuses "option --prepend-rank takes no value" --prepend-rank=yes "${program[@]}"
refuses "--leader first: allowed are competitive, static, off" --leader first "${program[@]}"
refuses "--polite maybe: allowed are auto, on, off" --polite=maybe "${program[@]}"
refuses "-n 0: allowed are 1 to 1000000" -n 0 "${program[@]}"
refuses "-n two: allowed are 1 to 1000000" -n two "${program[@]}"
refuses "--ppn -1: allowed are 1 to" --ppn -1 "${program[@]}"
refuses "--virtual-hosts 201: allowed are 1 to 200" --virtual-hosts 201 "${program[@]}"
refuses "-n 7: allowed are 1 to 6 with --virtual-hosts 3 --ppn 2" -n 7 --virtual-hosts 3 --ppn 2 "${program[@]}"
refuses "-hosts cannot be used with --virtual-hosts" --virtual-hosts 2 -hosts a,b "${program[@]}"
refuses "option --nodes needs a value" --nodes
refuses "option --nodes needs a value" --nodes "" "${program[@]}"
refuses "option -genv needs 2 values" -genv A
refuses "no program to run" -n 2
refuses "--runtime /nowhere/libmpiactor.so: no such file" --runtime /nowhere/libmpiactor.so "${program[@]}"
mkdir -p "$work/two words"
cp "$probe" "$work/two words/libprobe.so"
refuses "$work/two words/libprobe.so: the dynamic linker takes no path with blanks" \
  --runtime "$work/two words/libprobe.so" "${program[@]}"

# Without MPICH: a sentence, not "command not found".
mkdir -p "$work/bin"
for tool in bash env nproc readlink dirname; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
expect_status 127 env PATH="$work/bin" "$launcher" --runtime "$probe" -n 1 true
expect_text "mpiexec.hydra is missing"
expect_status 127 env PATH="$work/bin" "$launcher" --runtime "$probe" --mpi openmpi -n 1 true
expect_text "mpirun.openmpi is missing: install Open MPI (tools/bootstrap --optional does)"

# Where Open MPI alone is installed, scripts are started by it.
printf '#!/bin/bash\n' >"$work/bin/mpirun.openmpi"
chmod +x "$work/bin/mpirun.openmpi"
expect_status 0 env PATH="$work/bin" "$launcher" --runtime "$probe" --dry-run --verbose -n 1 true
expect_text "openmpi (true is linked with no MPI library, and MPICH is not installed); launcher mpirun.openmpi"

expect_status 0 "$launcher" --help
for option in -n --ppn --leader --nodes --virtual-hosts --polite --runtime --dry-run MPIACTOR_WAIT; do
  expect_text "$option"
done

# What cannot be printed is no success, and no unknown option.
for option in --help "--dry-run -n 1 true"; do
  # shellcheck disable=SC2086
  expect_status 1 bash -c '"$@" >/dev/full' - "$launcher" $option
  expect_text "No space left on device"
  expect_no_text "unknown option"
done

# Of Slurm, too, numbers are numbers.
for variable in SLURM_NTASKS=abc SLURM_NTASKS=0 "SLURM_JOB_NUM_NODES=2 x"; do
  expect_status 64 env "$variable" "$launcher" --runtime "$probe" "${program[@]}"
  expect_line "mpiactor-run: ${variable/=/ }: allowed are 1 to 1000000"
done
expect_status 0 env SLURM_NTASKS=3 SLURM_JOB_NUM_NODES=2 "$launcher" --dry-run --runtime "$probe" true
expect_text "-n 3 "

# --dry-run prints a line that a shell can run.
expect_status 0 "$launcher" --dry-run --runtime "$probe" -n 1 -- printf '%s|' "a b" c
expect_status 0 bash -c "$output"
expect_equal "a b|c|" "$output" "what the printed line does"
finish
