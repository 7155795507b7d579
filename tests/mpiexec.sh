#!/bin/bash
# Starts an MPI job of a test with either library, in the words of mpiexec.hydra:
# mpich|openmpi {-n RANKS | -genv NAME VALUE | -env NAME VALUE}... PROGRAM ARGUMENTS... [: ...]
# -genv is for all programs; it stands before the first one.
#
# MPICH is made polite: that library is preloaded into the launcher, and into the ranks behind whatever
# else is. Open MPI is told to be.
set -u
mpi=$1
shift

if [ "$mpi" = mpich ]; then
  root=$(cd "$(dirname "$0")/.." && pwd)
  [ -e "$root/actor/polite/libmpiactor_polite.so" ] || root+=/bazel-bin # by hand
  polite=$root/actor/polite/libmpiactor_polite.so
  # The ranks are on this machine: a third of the time that MPI_Init takes goes to looks for others,
  # and at devices.
  export UCX_TLS=${UCX_TLS:-self,sm} UCX_NET_DEVICES=${UCX_NET_DEVICES:-lo}
  # With a list of components hwloc looks at no other machine than this one.
  [[ $* == *HWLOC_SYNTHETIC* ]] ||
    export HWLOC_COMPONENTS=${HWLOC_COMPONENTS:--pci,-linuxio,-opencl,-gl}
  command=(mpiexec.hydra -genv LD_PRELOAD "$polite")
  while [ $# -gt 0 ]; do
    case "$1 ${2:-}" in
      "-env LD_PRELOAD" | "-genv LD_PRELOAD")
        command+=("$1" LD_PRELOAD "${3:+$3:}$polite")
        shift 3
        ;;
      *)
        command+=("$1")
        shift
        ;;
    esac
  done
  LD_PRELOAD=$polite exec "${command[@]}"
fi

# A job that ends removes the folder of all jobs in TMPDIR, which another one may be about to use.
TMPDIR=$(mktemp -d "${TEST_TMPDIR:-/tmp}/job.XXXXXX") || exit 1
export TMPDIR

# Open MPI 5 may find no way between two processes of one machine over its network.
command=(mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none
  --mca mpi_yield_when_idle 1 --mca btl_base_warn_component_unused 0
  --mca op ^avx --mca btl_tcp_if_include lo)
# Of Open MPI 4.1 without what fails by itself: vectorised sums of short integers do not wrap (above),
# and single copy receives long messages beyond short buffers; without it there are no windows by rdma.
# Bruck's alltoall crashes with derived types: pairwise in its place.
version=$(mpirun.openmpi --version)
if [[ $version == *") 4."* ]]; then
  command+=(--mca btl_vader_single_copy_mechanism none
    --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_alltoall_algorithm 2)
  [ -n "${OMPI_MCA_osc:-}" ] || command+=(--mca osc ^rdma)
fi
# Debian's launcher of Open MPI 5.0.7 crashes where there are several programs: each rank takes its own.
if [[ $version == *"Open MPI) 5."* && " $* " == *" : "* ]]; then
  script=$TMPDIR/program_of_rank first=0 all=()
  # shellcheck disable=SC2016  # for the script
  echo 'case $OMPI_COMM_WORLD_RANK in' >"$script"
  while [ $# -gt 0 ]; do
    ranks=1 own=()
    while [[ $1 == -* ]]; do
      case $1 in
        -n) ranks=$2 && shift 2 ;;
        -env) own+=("$2=$3") && shift 3 ;;
        *) all+=("$1" "$2" "$3") && shift 3 ;;
      esac
    done
    while [ $# -gt 0 ] && [ "$1" != : ]; do own+=("$1") && shift; done
    [ $# = 0 ] || shift
    echo "$(seq -s "|" "$first" $((first + ranks - 1)))) exec env $(printf "%q " "${own[@]}");;" >>"$script"
    first=$((first + ranks))
  done
  echo 'esac' >>"$script"
  set -- -n "$first" "${all[@]}" bash "$script"
fi
all=() own=()
while [ $# -gt 0 ]; do
  case $1 in
    -n)
      own+=(-n "$2")
      shift 2
      ;;
    -genv)
      all+=(-x "$2=$3")
      shift 3
      ;;
    -env)
      own+=(-x "$2=$3")
      shift 3
      ;;
    -*)
      echo "mpiexec.sh: unknown option $1; allowed are -n, -genv, -env" >&2
      exit 64
      ;;
    *)
      command+=("${all[@]}" "${own[@]}")
      own=()
      while [ $# -gt 0 ] && [ "$1" != : ]; do command+=("$1") && shift; done
      [ $# = 0 ] || { command+=(:) && shift; }
      ;;
  esac
done
exec "${command[@]}"
