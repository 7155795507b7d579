#!/bin/bash
# Jobs of eight ranks on two virtual hosts under Slurm, preloaded: by sbatch with mpiactor-run and with
# Slurm's own launcher; what is left when one is cancelled: RUNTIME POLITE BROADCASTS LAUNCHER CLUSTER
# UP.
source tests/tools/expect.sh
runtime=$PWD/$1 polite=$PWD/$2 broadcasts=$PWD/$3 launcher=$PWD/$4 cluster=$PWD/$5 up=$PWD/$6
for program in slurmctld slurmd munged; do
  [ -z "$(PATH=$PATH:/usr/sbin command -v $program)" ] || continue
  if [ "${MPIACTOR_TEST_APPLICATIONS:-}" = required ]; then
    echo "FAILED: $program is missing, though Slurm was to be installed" >&2
    exit 1
  fi
  echo "skipped: Slurm is not installed (tools/bootstrap --applications)"
  exit 0
done
skip_without_namespaces "$cluster"
export TMPDIR=$work PATH=$PATH:/usr/sbin

"$cluster" up --hosts 2 --name slurm
trap '"$cluster" down --name slurm' EXIT
# on HOST COMMAND...: HOST is "head", or a number.
on() {
  local where=()
  [ "$1" = head ] || where=(--host "$1")
  # A job has Slurm's way from host to host, not the virtual cluster's.
  "$cluster" exec --name slurm "${where[@]}" -- env -u HYDRA_LAUNCHER -u HYDRA_LAUNCHER_EXEC \
    -u HYDRA_HOST_FILE "SLURM_CONF=$work/slurm.conf" "${@:2}"
}
show_logs() { tail -n 5 "$work"/*.log >&2; }

on head "$up" "$work" host0 host1 || { fail_check "Slurm does not start" && show_logs && finish; }
both_idle() { [ "$(on head sinfo -h -o %T)" = idle ]; }
expect_in() { # SECONDS COMMAND...
  local until=$((SECONDS + $1))
  shift
  while ! "$@"; do
    [ $SECONDS -lt $until ] || { fail_check "still not so: $*" && show_logs && return 1; }
    sleep 0.2
  done
}
expect_in 20 both_idle || finish

# submit NAME COMMAND: a job of eight ranks; sets job, its number. Its output is then in NAME.out; a
# last line says how it ended.
submit() {
  cat >"$work/$1" <<END
#!/bin/bash
#SBATCH --ntasks=8 --nodes=2 --output=$work/$1.out
$2
echo "ended: \$?"
END
  job=$(MPIACTOR_VERBOSE=info MPIACTOR_POLITE_FINALIZE=skip on head sbatch --parsable "$work/$1")
}
says() { grep -q -- "$2" "$work/$1.out" 2>/dev/null; }

# shellcheck disable=SC2034  # both
srun="srun --mpi=pmi2 --export=ALL,LD_PRELOAD=$runtime:$polite $broadcasts"
run="$launcher --runtime $runtime $broadcasts"
for how in run srun; do
  submit "$how" "${!how} short 60"
  expect_in 60 says "$how" "^ended: "
  output=$(cat "$work/$how.out")
  expect_line "ended: 0"
  expect_line "broadcasts: ranks=8 calls=60 wrong=0"
  expect_text "8 ranks on 2 nodes (2 machines)"
  expect_text "rank 0: 59 calls hybrid"
done
# By steps of Slurm, each of which both hosts have heard of.
for host in host0 host1; do
  expect_equal 2 "$(grep -c 'launch task StepId=' "$work/slurmd-$host.log")" "steps on $host"
done

# Cancelled: nothing runs on, nothing is left in shared memory, neither a name nor a byte.
everybody_runs() { [ "$(on 0 pgrep -c broadcasts)$(on 1 pgrep -c broadcasts)" = 44 ]; }
nobody_runs() { ! on "$1" pgrep broadcasts >/dev/null; }
for how in run srun; do
  expect_in 20 both_idle || finish
  submit "$how.cancelled" "${!how} short 1000000000"
  expect_in 60 says "$how.cancelled" "8 ranks on 2 nodes"
  expect_in 10 everybody_runs
  on head scancel "$job"
  for host in 0 1; do
    expect_in 20 nobody_runs $host
    expect_equal "" "$(on $host ls -A /dev/shm)" "what is left in /dev/shm after $how on host $host"
    expect_equal 0 "$(on $host df --output=used /dev/shm | tail -n 1 | tr -d ' ')" "its kilobytes"
  done
done
finish
